"""A workflow file for the repository as it is found."""
from __future__ import annotations

import json
import os
from itertools import pairwise

from interlock.documents import markdown
from interlock.documents.text import decode
from interlock.documents.text import plain
from interlock.model.change import Blob
from interlock.model.errors import Unreadable
from interlock.report.summary import plural
from interlock.workflow.build import build
from interlock.workflow.compile import compile_workflow
from interlock.workflow.records import is_monolithic
from interlock.workflow.records import registry
from interlock.workflow.spec import Workflow
from interlock.world.disk import DiskSnapshot
from interlock.world.files import read

HEAD = '''\
# What Interlock checks here; `interlock explain` lists the rules. An editor
# knows the keys after: interlock explain --schema >.interlock.schema.json
# yaml-language-server: $schema=.interlock.schema.json
version: 1
extends: {extends}
'''


def _preset(name: str) -> Workflow:
    data = f'extends: {name}\n'.encode()
    merged, _ = compile_workflow(name, data, read)
    return build(merged, name, '')


def _headers(top: str, file: str) -> list[list[str]]:
    """The headers of every table in a markdown file."""
    data = read(os.path.join(top, file))
    if data is None:
        return []
    try:
        text = decode(Blob('', len(data), data))
    except Unreadable:
        return []
    lines = list(markdown.visible_lines(text))
    return [
        [plain(cell) for cell in markdown.cells(line)]
        for (_, line), (_, below) in pairwise(lines)
        if '|' in line and markdown.is_delimiter(below.encode())
    ]


def _quoted(text: str) -> str:
    # a string of JSON is one of YAML
    return json.dumps(text, ensure_ascii=False)


def _other_columns(top: str, workflow: Workflow) -> tuple[str, str]:
    """Overrides for a registry whose columns have other names."""
    kind = workflow.kinds[0]
    if kind.registry is None:
        return '', ''
    columns = dict(kind.registry.shape.columns)
    for headers in _headers(top, kind.registry.file):
        if columns['item'] in headers and columns['status'] in headers:
            return '', ''
        status = [h for h in headers if h.lower() in {'status', 'state'}]
        if status and headers[0] and headers[0] != status[0]:
            text = (
                f'items:\n  {kind.name}:\n    registry:\n      columns:\n'
                f'        item: {_quoted(headers[0])}\n'
                f'        status: {_quoted(status[0])}\n'
            )
            return text, f'its columns are {headers[0]} and {status[0]}'
    return '', ''


def _layout(top: str, workflow: Workflow) -> str:
    kind = workflow.kinds[0]
    if kind.registry is None:
        return 'it has no registry'
    found = registry(DiskSnapshot(top), kind)
    if found is None:
        return f'{kind.registry.file} does not exist yet'
    elif found.problem is not None:
        return f'{kind.registry.file} {found.problem.message}'
    layout = (
        'rows and entries' if is_monolithic(kind.registry, found)
        else 'rows only'
    )
    items = plural(len(found.places), 'item')
    return f'{kind.registry.file}: {items}, {layout}'


def _uses_tasks(top: str) -> bool:
    return os.path.isdir(os.path.join(top, 'tasks'))


def workflow(top: str, preset: str | None) -> tuple[str, str]:
    """The text of a workflow file, and what was found."""
    name = preset or 'plugin-workflow'
    found = _preset(name)
    extends = name
    if preset is None and _uses_tasks(top):
        registry_file = found.kinds[0].registry
        has_registry = registry_file is not None and os.path.exists(
            os.path.join(top, registry_file.file),
        )
        extends = (
            '[plugin-workflow, task-protocol]' if has_registry
            else 'task-protocol'
        )
        if not has_registry:
            return HEAD.format(extends=extends), 'found tasks/'
    overrides, remark = _other_columns(top, found)
    text = HEAD.format(extends=extends) + overrides
    return text, remark or _layout(top, found)
