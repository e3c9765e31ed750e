"""Detects the workflow of a repository: its registry, its kinds of items."""

from __future__ import annotations

import glob
import os

from interlock.documents import yaml
from interlock.documents.tasks import todo
from interlock.documents.text import decode
from interlock.documents.text import name as name_in
from interlock.documents.yaml_text import scalar
from interlock.files.atomic_files import read
from interlock.files.disk_snapshot import DiskSnapshot
from interlock.git.git_paths import FILE
from interlock.model import quick_tools as functools
from interlock.model.change import Blob
from interlock.model.quick_typing import Any, Iterator, NamedTuple, Sequence
from interlock.model.report import plural
from interlock.operations.registry.status import beginning
from interlock.setup.status_tables import MarkdownTable, tables_in
from interlock.workflow.language.build import build
from interlock.workflow.language.compile import compile_workflow
from interlock.workflow.language.fit import misfits
from interlock.workflow.language.presets import preset, presets
from interlock.workflow.language.protocol import ProtocolSpec
from interlock.workflow.language.spec import STAGE, Kind, RegistrySpec, Workflow
from interlock.workflow.reading import status_words as statuses
from interlock.workflow.reading.item_paths import is_path_name
from interlock.workflow.reading.records import is_monolithic, registry

# the key of a preset that names the files by which it is detected
KEY = 'detect'
HEAD = """\
# What Interlock checks here; `interlock explain` lists the rules. For
# completion in an editor: interlock explain --schema >.interlock.schema.json
# yaml-language-server: $schema=.interlock.schema.json
version: 1
{extends}"""
# headers that are taken for those of a registry
STATUS = {'status', 'state'}
UPDATED = 'updated'
# the preset for a table of any project, which is found by its table alone
BASIC = 'basic'


def markers(name: str) -> list[str]:
    """The files of which one says that a repository follows a preset."""
    data = preset(name) or b''
    value = yaml.value(yaml.parse(decode(Blob('', len(data), data))))
    return list(value.get(KEY, ()))


def _exists(top: str, pattern: str) -> bool:
    if '*' not in pattern:
        return os.path.exists(os.path.join(top, pattern))
    found = glob.iglob(os.path.join(glob.escape(top), pattern), recursive=True)
    return next(found, None) is not None


def followed(top: str) -> dict[str, str]:
    """Preset -> the file that was found."""
    return {
        name: found
        for name in presets()
        for found in [next((each for each in markers(name) if _exists(top, each)), '')]
        if found
    }


class Candidate(NamedTuple):
    """A table that may be the registry; the least of several is the likeliest."""

    elsewhere: bool
    renamed: bool
    # minus the number of rows with a status of the workflow
    strange: int
    depth: int
    file: str
    # role and header of the columns that are named otherwise
    columns: tuple[tuple[str, str], ...]


def _columns(headers: Sequence[str], usual: dict[str, str]) -> dict[str, str]:
    """role -> header; empty where the table cannot be a registry."""
    found = {role: header for role, header in usual.items() if header in headers}
    found.setdefault('item', headers[0])
    for header in headers:
        if header.lower() in STATUS:
            found.setdefault('status', header)
        if UPDATED in header.lower().split():
            found.setdefault(UPDATED, header)
    item, status = found['item'], found.get('status')
    return found if item and status and item != status else {}


def _known(table: MarkdownTable, status: str, kind: Kind) -> int:
    """How many rows have a status that the workflow knows."""
    column = table.headers.index(status)
    return sum(
        statuses.is_known(statuses.read(row[column], kind), kind)
        for row in table.rows
        if column < len(row)
    )


def _is_likely(table: MarkdownTable, found: dict[str, str], kind: Kind) -> bool:
    """Whether a table with other headers lists items at their stages.

    Many tables have a column of states: most of these states must be the
    workflow's, one of them a stage, and every name a name.
    """
    column = table.headers.index(found['status'])
    first = table.headers.index(found['item'])
    rows = [row for row in table.rows if len(row) > max(column, first)]
    read = [statuses.read(row[column], kind) for row in rows]
    known = [each for each in read if statuses.is_known(each, kind)]
    return (
        all(is_path_name(name_in(row[first])) for row in rows)
        and len(known) * 2 > len(rows)
        and any(kind.states[each.name].role == STAGE for each in known)
    )


def _candidates(
    top: str, files: Sequence[str], kind: Kind, spec: RegistrySpec
) -> Iterator[Candidate]:
    usual = dict(spec.shape.columns)
    for file in dict.fromkeys((spec.file, *files)):
        for table in tables_in(top, file):
            found = _columns(table.headers, usual)
            if not found:
                continue
            others = {
                role: header
                for role, header in found.items()
                if header != usual.get(role)
            }
            renamed = bool({'item', 'status'} & set(others))
            known = _known(table, found['status'], kind)
            likely = known if file == spec.file else _is_likely(table, found, kind)
            if renamed and not likely:
                continue
            yield Candidate(
                file != spec.file,
                renamed,
                -known,
                file.count('/'),
                file,
                tuple(others.items()),
            )


class FoundKind(NamedTuple):
    """What was found of one kind of item."""

    here: bool
    remark: str
    # the keys of the registry that differ from the preset
    registry: dict[str, Any]
    # what is left to do, '' if nothing is
    advice: str = ''


class DetectedWorkflow(NamedTuple):
    text: str
    remark: str
    advice: Sequence[str]


def _yaml(data: dict[str, Any], indent: str = '') -> str:
    text = ''
    for key, value in data.items():
        if isinstance(value, dict):
            text += f'{indent}{key}:\n{_yaml(value, indent + "  ")}'
        else:
            text += f'{indent}{key}: {scalar(value)}\n'
    return text


def _text(names: Sequence[str], registries: dict[str, Any]) -> str:
    named = names[0] if len(names) == 1 else f'[{", ".join(names)}]'
    items = {kind: {'registry': own} for kind, own in registries.items()}
    return HEAD.format(extends=f'extends: {named}\n') + _yaml(
        {'items': items} if items else {}
    )


@functools.cache
def _workflow(text: str) -> Workflow:
    """What a generated file says; it reads nothing but presets."""
    merged, _ = compile_workflow(FILE, text.encode(), read)
    return build(merged, FILE, '')


def _described(top: str, kind: Kind) -> tuple[str, str]:
    """A description of the registry, and its layout if that is clear."""
    file = kind.registry.file
    found = registry(DiskSnapshot(top), kind)
    if found is None:
        return f'{file} does not exist yet', ''
    elif found.problem is not None:
        return f'{file} {found.problem.message}', ''
    items = plural(len(found.places), 'item')
    if not found.places:
        return f'{file}: {items}', ''
    elif is_monolithic(kind.registry, found):
        return f'{file}: {items}, rows and entries', 'monolithic'
    return f'{file}: {items}, rows only', 'distributed'


def _registry(
    top: str, files: Sequence[str], preset: str, kind: Kind, spec: RegistrySpec
) -> FoundKind:
    place = os.path.join(top, spec.file)
    if os.path.islink(place) and not os.path.exists(place):
        return FoundKind(
            True,
            f'{spec.file} is a link to nothing',
            {},
            f'next: restore what {spec.file} points to, or name your '
            f'registry in items.{kind.name}.registry.file of {FILE}',
        )
    best = min(_candidates(top, files, kind, spec), default=None)
    own: dict[str, Any] = {}
    if best is not None and best.elsewhere:
        own['file'] = best.file
    if best is not None and best.columns:
        own['columns'] = dict(best.columns)
    workflow = _workflow(_text([preset], {kind.name: own} if own else {}))
    remark, layout = _described(
        top, next(one for one in workflow.kinds if one.name == kind.name)
    )
    if 'columns' in own:
        remark += f', other columns: {", ".join(own["columns"].values())}'
    if layout:
        # written down, because a later tree could look different
        own['layout'] = layout
    if best is not None:
        return FoundKind(True, remark, own)
    return FoundKind(False, remark, own, f'next: {beginning(kind.name, spec, FILE)}')


def _has_tasks(top: str, protocol: ProtocolSpec, directory: str) -> str:
    """What says that a project has tasks of this protocol, '' if nothing does."""
    for pattern in (protocol.files.lock, protocol.files.plan):
        found = glob.glob(
            os.path.join(glob.escape(top), directory, pattern.replace('{item}', '*'))
        )
        if found:
            return f'found {directory}'
    listed = read(os.path.join(top, protocol.todo)) if protocol.todo else None
    changelog = os.path.join(top, protocol.changelog) if protocol.changelog else ''
    if listed is not None and os.path.isfile(changelog):
        if todo.parse(Blob('', len(listed), listed)).entries:
            return f'found {protocol.todo} and {protocol.changelog}'
    return ''


def _kind(top: str, files: Sequence[str], preset: str, kind: Kind) -> FoundKind:
    if kind.registry:
        return _registry(top, files, preset, kind, kind.registry)
    directory = kind.path.partition('{')[0]
    if kind.protocol is None:
        here = os.path.isdir(os.path.join(top, directory))
        remark = f'found {directory}' if here else f'there is no {directory} yet'
        return FoundKind(here, remark, {})
    remark = _has_tasks(top, kind.protocol, directory)
    return FoundKind(
        bool(remark),
        remark or f'there is no {directory} yet',
        {},
        f'while agents run, only they write sources and build files of a task: '
        f'see items.{kind.name}.protocol.implementation of the workflow',
    )


def _registries(kinds: dict[str, FoundKind]) -> dict[str, Any]:
    return {kind: one.registry for kind, one in kinds.items() if one.registry}


def _misfits(
    top: str, name: str, kinds: dict[str, FoundKind], subjects: Sequence[str]
) -> int:
    read_by = _workflow(_text([name], _registries(kinds)))
    return sum(
        len(misfits(DiskSnapshot(top), kind, subjects)) for kind in read_by.kinds
    )


def _best_fitting(
    top: str,
    found: dict[str, dict[str, FoundKind]],
    names: Sequence[str],
    subjects: Sequence[str],
) -> list[str]:
    """Of presets for the same kinds of items, the one that fits best."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for name in names:
        groups.setdefault(tuple(found[name]), []).append(name)
    return [
        min(group, key=lambda name: _misfits(top, name, found[name], subjects))
        if len(group) > 1
        else group[0]
        for group in groups.values()
    ]


def detect_preset(
    top: str,
    files: Sequence[str],
    preset: str | None = None,
    subjects: Sequence[str] = (),
) -> DetectedWorkflow | None:
    """By the files of a repository, or a named preset; None for no preset.

    `subjects` of its commits tell numberings of the same stages apart.
    """
    found = {
        name: {
            kind.name: _kind(top, files, name, kind)
            for kind in _workflow(_text([name], {})).kinds
        }
        for name in ([preset] if preset else presets())
        if preset or name != BASIC
    }
    names = [
        name for name, kinds in found.items() if any(one.here for one in kinds.values())
    ]
    marked = {} if preset else followed(top)
    # of other formats nothing but their marker is needed
    names = [*_best_fitting(top, found, names, subjects), *marked]
    names = names or ([preset] if preset else [])
    if not names:
        return None
    kinds = {kind: one for name in names for kind, one in found[name].items()}
    remarks = [
        *(one.remark for one in kinds.values()),
        *(f'{name}: found {marker}' for name, marker in marked.items()),
    ]
    return DetectedWorkflow(
        _text(names, _registries(kinds)),
        '; '.join(remarks),
        [one.advice for one in kinds.values() if one.advice],
    )
