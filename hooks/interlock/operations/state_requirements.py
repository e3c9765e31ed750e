"""What must be written when a state is done: thirteen checks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from interlock.documents import yaml
from interlock.documents.markdown import whole_lines
from interlock.documents.registry.record import Record
from interlock.documents.text import date, decode, shown
from interlock.model.finding import Finding
from interlock.model.state import State
from interlock.operations.state_mentions import mentions
from interlock.workflow.language.patterns import expand
from interlock.workflow.language.spec import HandoffSpec
from interlock.workflow.reading.records import (
    Placed,
    Records,
    handoff_state,
    is_null,
    scalar,
)
from interlock.workflow.reading.status_words import label

CHECKS = (
    'file_exists',
    'valid_yaml',
    'required_fields',
    'stage_matches',
    'status_valid',
    'date_current',
    'checksums_present',
    'markdown_sections_present',
    'plugins_md_table_updated',
    'plugins_md_entry_updated',
    'plugins_md_consistency',
    'timeline_updated',
    'completed_section_updated',
)
# check -> the rules whose findings say that it fails
_RULES = {
    'valid_yaml': ('HND001', 'HND002'),
    'required_fields': ('HND003', 'HND004'),
    'checksums_present': ('CON001', 'CON002', 'CON003', 'CON004', 'CON005'),
    'markdown_sections_present': ('HND006',),
    'plugins_md_consistency': ('REG001', 'REG002', 'REG003', 'REG007'),
}
_WARNED = ('HND010', 'REG004', 'REG006', 'REG015')


class Failure(NamedTuple):
    name: str
    message: str


def _found(name: str, found: Sequence[Finding]) -> Iterator[Failure]:
    for finding in found:
        if finding.code in _RULES[name]:
            where = f'{finding.path}:{finding.line}: '
            yield Failure(name, f'{where}{finding.message}')


def warnings_of(found: Sequence[Finding]) -> tuple[str, ...]:
    return tuple(
        f'{finding.path}:{finding.line}: {finding.message}'
        for finding in found
        if finding.code in _WARNED
    )


def of_state(
    state: State, at: Records, found: Sequence[Finding], day: str
) -> Iterator[Failure]:
    """The state as the handoff and the registry of an item must say it."""
    spec, placed = at.kind.handoff, at.current
    if spec is not None:
        if placed is None:
            path = expand(spec.file, at.item)
            yield Failure('file_exists', f'{path} does not exist')
        elif placed.handoff.fields is None:
            yield from _found('valid_yaml', found)
        else:
            yield from _handoff(state, at, spec, placed, found, day)
    yield from _registry(state, at, found, day)


def _handoff(
    state: State,
    at: Records,
    spec: HandoffSpec,
    placed: Placed,
    found: Sequence[Finding],
    day: str,
) -> Iterator[Failure]:
    yield from _found('valid_yaml', found)
    yield from _found('required_fields', found)
    yield from _stage(state, at, placed)
    yield from _status(state, at, spec, placed)
    yield from _updated(at, spec, placed, day)
    yield from _checksums(at, spec, placed, found)
    yield from _found('markdown_sections_present', found)
    yield from _completed(state, at, spec, placed)


def _both(first: str, second: str, message: str) -> Iterator[Failure]:
    """A check that has two names."""
    yield Failure(first, message)
    yield Failure(second, message)


def _stage(state: State, at: Records, placed: Placed) -> Iterator[Failure]:
    written = handoff_state(placed)
    if written != state:
        says = label(written, at.kind) if written else 'no stage'
        yield from _both(
            'stage_mismatch',
            'stage_matches',
            f'{placed.path} says {says}, not {label(state, at.kind)}',
        )


def _status(
    state: State, at: Records, spec: HandoffSpec, placed: Placed
) -> Iterator[Failure]:
    """The status of what is done; work that goes on is not done."""
    key = spec.keys.get('status')
    last = at.kind.states[state.name].becomes and state.phase is None
    wanted = spec.writes.get('last' if last else 'done')
    node = scalar(placed, at.kind, 'status')
    text = '' if node is None or is_null(node) else node.text
    if key and wanted and text != wanted:
        yield Failure(
            'status_valid',
            f'`{key}` in {placed.path} is `{shown(text)}`, not `{wanted}`',
        )


def _updated(
    at: Records, spec: HandoffSpec, placed: Placed, day: str
) -> Iterator[Failure]:
    key = spec.keys.get('updated')
    node = scalar(placed, at.kind, 'updated')
    text = node.text if node else ''
    if key and date(text) != day:
        yield from _both(
            'date_not_current',
            'date_current',
            f'`{key}` in {placed.path} is `{shown(text)}`, not {day}',
        )


def _checksums(
    at: Records, spec: HandoffSpec, placed: Placed, found: Sequence[Finding]
) -> Iterator[Failure]:
    """Every contract that exists is sealed, and every seal holds."""
    if at.kind.contracts is None or 'checksums' not in spec.keys:
        return
    node = placed.handoff.get(spec.keys['checksums'])
    sums = node.items if isinstance(node, yaml.Mapping) else {}
    for contract in at.kind.contracts.files:
        paths = [expand(path, at.item) for path in contract.paths]
        path = next((p for p in paths if at.snapshot.blob(p)), '')
        if path and is_null(sums.get(contract.name)):
            yield Failure(
                'checksums_present', f'{placed.path} has no checksum of {path}'
            )
    if sums:
        yield from _found('checksums_present', found)


def _completed(
    state: State, at: Records, spec: HandoffSpec, placed: Placed
) -> Iterator[Failure]:
    title = spec.sections.get('completed')
    if title is None:
        return
    lines = [
        line
        for section in placed.handoff.sections
        if section.title.lower().startswith(title.lower())
        for line in section.body.split('\n')
    ]
    if not any(mentions(line, state, at.kind) for line in lines):
        yield Failure(
            'completed_section_updated',
            f'`{title}` in {placed.path} says nothing of {label(state, at.kind)}',
        )


def _says(state: State, at: Records, record: Record | None) -> bool:
    """The registry may leave the phase out, or say what comes of it."""
    read = at.status(record)
    becomes = at.kind.states[state.name].becomes
    return (
        read is not None
        and read.state is not None
        and (
            read.state in {state, State(state.name)}
            or (state.phase is None and read.state == State(becomes))
        )
    )


def _registry(
    state: State, at: Records, found: Sequence[Finding], day: str
) -> Iterator[Failure]:
    if at.kind.registry is None:
        return
    wanted = label(state, at.kind)
    path = at.registry_path
    if not _says(state, at, at.canonical):
        yield Failure(
            'plugins_md_not_updated',
            f'{path} does not say that {at.item} is at {wanted}',
        )
    if not _says(state, at, at.row):
        yield Failure(
            'plugins_md_table_updated',
            f'the row of {at.item} in {path} does not say {wanted}',
        )
    if at.monolithic and not _says(state, at, at.entry):
        yield Failure(
            'plugins_md_entry_updated',
            f'the entry of {at.item} in {at.entry_path} does not say {wanted}',
        )
    yield from _found('plugins_md_consistency', found)
    yield from _timeline(state, at, day)


def _timeline(state: State, at: Records, day: str) -> Iterator[Failure]:
    spec = at.kind.registry
    assert spec is not None
    if not at.monolithic or not spec.shape.timelines:
        return
    becomes = at.kind.states[state.name].becomes
    states = [state, State(becomes)] if becomes else [state]
    lines = _timeline_lines(at, day)
    if not any(mentions(line, each, at.kind) for line in lines for each in states):
        yield Failure(
            'timeline_updated',
            f'the timeline of {at.item} in {at.entry_path} has no line of '
            f'{day} about {label(state, at.kind)}',
        )


def _timeline_lines(at: Records, day: str) -> list[str]:
    """The lines of a day in the timelines of the entry."""
    blob = at.snapshot.blob(at.entry_path)
    if at.entry is None or blob is None:
        return []
    lines = whole_lines(decode(blob))
    return [
        lines[at.entry.line_at(each) - 1]
        for timeline in at.entry.timelines
        for each in timeline
        if each.text == day
    ]
