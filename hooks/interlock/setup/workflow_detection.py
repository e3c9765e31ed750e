"""Detects the workflow of a repository: its registry, its kinds of items."""

from __future__ import annotations

import glob
import os

from interlock.checks.run import findings_of
from interlock.documents import yaml
from interlock.documents.tasks import todo
from interlock.documents.text import decode, shown
from interlock.documents.text import name as name_in
from interlock.documents.yaml_text import scalar
from interlock.files.atomic_files import read
from interlock.files.disk_snapshot import DiskSnapshot
from interlock.git.git_paths import FILE
from interlock.model import quick_tools as functools
from interlock.model.change import Blob
from interlock.model.quick_typing import Any, Iterable, Iterator, NamedTuple, Sequence
from interlock.model.report import plural
from interlock.model.state import State
from interlock.operations.registry.status import missing_registry_advice
from interlock.setup.status_tables import MarkdownTable, tables_in
from interlock.workflow.language.build import build
from interlock.workflow.language.compile import compile_workflow
from interlock.workflow.language.presets import preset, presets
from interlock.workflow.language.protocol import ProtocolSpec
from interlock.workflow.language.spec import STAGE, Kind, RegistrySpec, Workflow
from interlock.workflow.reading import commit_subject
from interlock.workflow.reading import status_words as statuses
from interlock.workflow.reading.item_paths import is_name, is_path_name
from interlock.workflow.reading.records import is_monolithic, records, registry

# the key of a preset that lists the files that identify it
KEY = 'detect'
HEAD = """\
# What Interlock checks here; `interlock explain` lists the rules. For
# completion in an editor: interlock explain --schema >.interlock.schema.json
# yaml-language-server: $schema=.interlock.schema.json
version: 1
{extends}"""
# headers that identify a registry
STATUS = {'status', 'state'}
UPDATED = 'updated'
# the preset for any project with a table, which is found by its table alone
BASIC = 'basic'


def others_missing(where: str, state: str, keys: str) -> str:
    return (
        f'every {where} says `{shown(state)}`, and no other state is known yet: add '
        f'those that follow to {keys} of {FILE}'
    )


def markers(name: str) -> list[str]:
    """The files that identify a preset; one of them is enough."""
    data = preset(name) or b''
    value = yaml.value(yaml.parse(decode(Blob('', len(data), data))))
    return list(value.get(KEY, ()))


def _exists(top: str, pattern: str) -> bool:
    if '*' not in pattern:
        return os.path.exists(os.path.join(top, pattern))
    found = glob.iglob(os.path.join(glob.escape(top), pattern), recursive=True)
    return next(found, None) is not None


def marked_presets(top: str) -> dict[str, str]:
    """Preset -> the file that identifies it."""
    return {
        name: found
        for name in presets()
        for found in [next((each for each in markers(name) if _exists(top, each)), '')]
        if found
    }


class Candidate(NamedTuple):
    """A table that may be the registry; the smallest of several is the likeliest."""

    elsewhere: bool
    renamed: bool
    # minus the number of rows with a status that the workflow knows
    strange: int
    depth: int
    file: str
    # role and header of the columns with other names
    columns: tuple[tuple[str, str], ...]


def _columns(headers: Sequence[str], usual: dict[str, str]) -> dict[str, str]:
    """role -> header; empty if the table cannot be a registry."""
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
        statuses.read(row[column], kind).is_known
        for row in table.rows
        if column < len(row)
    )


def _is_likely(table: MarkdownTable, found: dict[str, str], kind: Kind) -> bool:
    """Whether a table with other headers lists items at their stages.

    Many tables have a status column. So most statuses must be states of the
    workflow, at least one of them a stage, and every name must be valid.
    """
    column = table.headers.index(found['status'])
    first = table.headers.index(found['item'])
    rows = [row for row in table.rows if len(row) > max(column, first)]
    read = [statuses.read(row[column], kind) for row in rows]
    known = [each for each in read if each.is_known]
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
    """The findings about one kind of item."""

    here: bool
    remark: str
    # the keys of the registry that differ from the preset
    registry: dict[str, Any]
    # the next step, '' if there is none
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
    """The workflow of a generated file, which depends only on presets."""
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
        # written down, because a later tree may look different
        own['layout'] = layout
    if best is not None:
        return FoundKind(True, remark, own)
    return FoundKind(False, remark, own, missing_registry_advice(kind.name, spec, FILE))


def _has_tasks(top: str, protocol: ProtocolSpec, directory: str) -> str:
    """The evidence that a project has tasks of this protocol, '' if there is none."""
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


def _is_misplaced(state: State, kind: Kind) -> bool:
    return state.phase is not None and not kind.states[state.name].phased


def _subject_misfits(
    kind: Kind, items: set[str], subjects: Iterable[str]
) -> Iterator[str]:
    if not kind.commit:
        return
    for text in subjects:
        read = commit_subject.read(text, kind, items)
        if read is None:
            continue
        elif read.state is None:
            if read.speaks:
                yield text
        elif _is_misplaced(read.state, kind):
            yield text


def _misfits(
    top: str, name: str, kinds: dict[str, FoundKind], subjects: Sequence[str]
) -> int:
    """How many records it would refuse, and how many subjects it cannot read."""
    read_by = _workflow(_text([name], _registries(kinds)))
    # fresh: it caches records by the name of a kind, and each preset has its own
    snapshot, number = DiskSnapshot(top), 0
    for kind in read_by.kinds:
        read = registry(snapshot, kind)
        items = {item for item in read.places if is_name(item, kind)} if read else set()
        number += sum(1 for _ in _subject_misfits(kind, items, subjects))
        for item in items:
            found = findings_of(records(snapshot, kind, item), read_by)
            number += sum(each.refuses for each in found)
    return number


def _best_fitting(
    top: str,
    found: dict[str, dict[str, FoundKind]],
    names: Sequence[str],
    subjects: Sequence[str],
) -> list[str]:
    """The preset that fits best among those for the same kinds of items."""
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
    """The workflow of a named preset, or of one that the files show; else None.

    The `subjects` of commits distinguish presets that number the same stages
    differently.
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
    marked = {} if preset else marked_presets(top)
    # for other formats, their marker file is enough
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
