"""Partial work as findings, in a handoff document or any markdown file."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from interlock.documents.markdown import fields
from interlock.documents.text import shown
from interlock.handoff_document.comparisons import is_placeholder, left
from interlock.handoff_document.document import STATE, YAML
from interlock.handoff_document.document_context import Case
from interlock.handoff_document.partial_work import (
    CORRUPTED,
    EMPTY,
    MISPLACED,
    TWICE,
    Complete,
    Marker,
    markers,
)
from interlock.handoff_document.rules.tables import match
from interlock.model.finding import ERROR, WARNING, Finding
from interlock.model.fixes import edit
from interlock.rules.new_finding import Location

# of a handoff document the outline knows more than headings do
OUTLINED = {EMPTY, TWICE, MISPLACED}


def _finding(path: str, complete: Complete, marker: Marker) -> Finding:
    sound = complete.before(marker.line)
    back = (
        f'the last complete section is `{shown(sound.title)}` (line {sound.line})'
        if sound
        else 'no section before it is complete'
    )
    return Location(posixpath.basename(path), path, marker.line).finding(
        'DOC027',
        f'{marker.message}; {back}',
        fix=edit(path, marker.line, 'finish it, or do it again from there'),
        severity=ERROR if marker.kind in CORRUPTED else WARNING,
        found=marker.key,
        key=marker.kind,
    )


def partial(path: str, text: str, before: str | None = None) -> Iterator[Finding]:
    """For any markdown file; `before` is what it was before a change."""
    found = markers(text, before)
    complete = Complete(text, found)
    for marker in found:
        yield _finding(path, complete, marker)


def _strayed(case: Case) -> Iterator[Marker]:
    """Content that belongs to another section."""
    for section in case.document.sections:
        id = section.spec.id
        for table in section.tables:
            own = case.document.outline.tables_of(id)
            if any(match(table, spec) for spec in own):
                continue
            for spec in case.document.outline.tables:
                known = match(table, spec)
                if known and len(known.at) == len(spec.columns):
                    yield Marker(
                        MISPLACED,
                        table.line,
                        f'this table belongs to {spec.section}',
                        spec.section,
                    )
                    break
        for fence in section.fences:
            if (
                id != STATE
                and fence.language in YAML
                and ('format_version:' in fence.text)
            ):
                yield Marker(
                    MISPLACED, fence.line, f'this block belongs to {STATE}', STATE
                )


def document(case: Case, before: str | None = None) -> Iterator[Finding]:
    text = case.document.text
    found = [
        marker for marker in markers(text, before) if marker.kind not in OUTLINED
    ] + list(_strayed(case))
    complete = Complete(text, found)
    for marker in found:
        yield _finding(case.path, complete, marker)


def _values(case: Case) -> Iterator[tuple[int, str]]:
    """What stands alone in a cell of a table or behind a label."""
    for section in case.document.sections:
        for table in section.tables:
            for row in table.rows:
                yield from ((row.line, cell) for cell in row.cells)
        for found in fields(section.text).values():
            yield from found


def _in_lines(case: Case) -> Iterator[tuple[int, str]]:
    """What a template left within a line of text or code."""
    outline, state = case.document.outline, case.document.state
    names = {
        f'[{row.get(key)}]'
        for key in ('id', 'persona', 'name')
        for row in (*state.rows('subagents'), *state.rows('skill_stack'))
    }
    for id in outline.markers.filled:
        for number, line in case.document.lines(id):
            for text in left(line, outline):
                if text not in names:
                    yield number, text


def unfilled(case: Case) -> Iterator[Finding]:
    """Values of a template in the sections for readers."""
    mark = f'[{case.document.outline.markers.gap}'
    whole = [
        (line, text)
        for line, text in ((line, text.strip('` ')) for line, text in _values(case))
        if is_placeholder(text, case.document.outline) and not text.startswith(mark)
    ]
    for line, text in dict.fromkeys([*whole, *_in_lines(case)]):
        yield case.finding(
            'DOC009',
            line,
            f'`{shown(text)}` still has to be filled in',
            'write the value',
            found=shown(text),
            severity=WARNING,
        )


def gaps(case: Case) -> Iterator[Finding]:
    """What was left open on purpose, to be filled in by hand."""
    mark = f'[{case.document.outline.markers.gap}'
    told = (
        {
            number
            for section in case.document.all(STATE)
            for fence in section.fences
            for number, _ in fence.lines
        }
        if case.document.state.problem is None
        else set()
    )
    for number, line in enumerate(case.document.text.split('\n'), 1):
        at = line.find(mark)
        if at >= 0 and number not in told:
            said = shown(line[at:].partition(']')[0].strip('[ '))
            yield case.finding(
                'DOC009', number, f'a gap is left: {said}', 'fill the gap', found=said
            )
