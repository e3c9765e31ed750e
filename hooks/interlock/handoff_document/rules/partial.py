"""Partial work as findings, in a handoff document or any markdown file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from interlock.documents.markdown import fields
from interlock.documents.text import shown
from interlock.handoff_document.case import Case, complete, finding, rule
from interlock.handoff_document.comparisons import placeholders
from interlock.handoff_document.document import STATE, YAML
from interlock.handoff_document.partial_work import (
    CORRUPTED,
    EMPTY,
    MISPLACED,
    TWICE,
    CompleteSections,
    Marker,
    markers,
)
from interlock.handoff_document.rules.tables import match
from interlock.model.finding import ERROR, WARNING, Finding

# the rules about sections report these of a handoff document
OUTLINED = {EMPTY, TWICE, MISPLACED}
CODE = 'DOC027'
TODO = 'finish it, or do it again from there'


def _findings(text: str, found: Iterable[Marker]) -> Iterator[Finding]:
    found = list(found)
    sections = CompleteSections(text, found)
    for marker in found:
        last = sections.before(marker.line)
        back = 'no section before it is complete'
        if last:
            back = (
                f'the last complete section is `{shown(last.title)}` (line {last.line})'
            )
        yield finding(
            marker.line,
            f'{marker.message}; {back}',
            severity=ERROR if marker.kind in CORRUPTED else WARNING,
            found=marker.key,
            key=marker.kind,
        )


def partial_work(path: str, text: str, before: str | None = None) -> Iterator[Finding]:
    """In any markdown file; `before` is its text before a change."""
    for found in _findings(text, markers(text, before)):
        yield complete(path, found, CODE, TODO)


def _misplaced(case: Case) -> Iterator[Marker]:
    """Content that belongs to another section."""
    for section in case.document.sections:
        id = section.spec.id
        for table in section.tables:
            if any(match(table, spec) for spec in case.outline.tables_of(id)):
                continue
            for spec in case.outline.tables:
                known = match(table, spec)
                if known and len(known.columns) == len(spec.columns):
                    message = f'this table belongs to {spec.section}'
                    yield Marker(MISPLACED, table.line, message, spec.section)
                    break
        for fence in section.fences if id != STATE else ():
            if fence.language in YAML and 'format_version:' in fence.text:
                message = f'this block belongs to {STATE}'
                yield Marker(MISPLACED, fence.line, message, STATE)


@rule(CODE, TODO)
def document_is_finished(case: Case) -> Iterator[Finding]:
    text = case.document.text
    found = markers(text, case.before)
    own = [marker for marker in found if marker.kind not in OUTLINED]
    yield from _findings(text, [*own, *_misplaced(case)])


def _values(case: Case) -> Iterator[tuple[int, str]]:
    """What stands alone in a cell of a table or after a label."""
    for section in case.document.sections:
        for table in section.tables:
            for row in table.rows:
                yield from ((row.line, cell) for cell in row.cells)
        for found in fields(section.text).values():
            yield from found


def _in_lines(case: Case) -> Iterator[tuple[int, str]]:
    """Placeholders within a line of text or code."""
    names = {
        f'[{row.get(key)}]'
        for key in ('id', 'persona', 'name')
        for row in (*case.state.rows('subagents'), *case.state.rows('skill_stack'))
    }
    for id in case.outline.markers.filled:
        for number, line in case.document.lines(id):
            for text in placeholders(line, case.outline):
                if text not in names:
                    yield number, text


@rule('DOC009', 'write the value')
def sections_are_filled_in(case: Case) -> Iterator[Finding]:
    gap = f'[{case.outline.markers.gap}'
    stripped = [(line, text.strip('` ')) for line, text in _values(case)]
    whole = [each for each in stripped if case.is_open(each[1])]
    for line, text in dict.fromkeys([*whole, *_in_lines(case)]):
        if not text.startswith(gap):
            message = f'`{shown(text)}` is not filled in'
            yield finding(line, message, found=shown(text), severity=WARNING)


@rule('DOC009', 'fill the gap')
def gaps_are_filled(case: Case) -> Iterator[Finding]:
    """What was left open on purpose is filled in by hand."""
    gap = f'[{case.outline.markers.gap}'
    # a rule about the state reports those in its block
    reported = {
        number
        for section in (case.document.all(STATE) if not case.state.problem else ())
        for fence in section.fences
        for number, _ in fence.lines
    }
    for number, line in enumerate(case.document.text.split('\n'), 1):
        at = line.find(gap)
        if at >= 0 and number not in reported:
            said = shown(line[at:].partition(']')[0].strip('[ '))
            yield finding(number, f'a gap is left: {said}', found=said)
