"""Plans and other documents: named, absolute, there, and read."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator

from interlock.handoff_document import plans
from interlock.handoff_document.comparisons import is_placeholder, visible
from interlock.handoff_document.document_context import Case
from interlock.handoff_document.plans import Place
from interlock.handoff_document.rules.boot import executable
from interlock.handoff_document.rules.tables import known
from interlock.model.finding import Finding

# of the state: lists of mappings with a path
STATE = (('documents', 'design'), ('documents', 'impl'), ('documents', 'must_read'))


def _in_state(case: Case) -> Iterator[Place]:
    state = case.document.state
    for path in STATE:
        for number, row in enumerate(state.rows(*path)):
            name = row.get('path')
            if isinstance(name, str) and not is_placeholder(
                name, case.document.outline
            ):
                yield state.line(*path, number, 'path'), name


def _all(case: Case) -> list[Place]:
    return [
        *plans.read(case, '0.2'),
        *plans.listed(case),
        *plans.to_read(case),
        *_in_state(case),
    ]


def _unique(places: list[Place]) -> list[Place]:
    """Each path once on a line."""
    return sorted(set(places))


def absolute(case: Case) -> Iterator[Finding]:
    project = case.document.state.get('project_path')
    places = _all(case)
    if isinstance(project, str) and not is_placeholder(project, case.document.outline):
        places.append((case.document.state.line('project_path'), project))
    for line, path in _unique(places):
        if not posixpath.isabs(path):
            yield case.finding(
                'DOC003',
                line,
                f'`{visible(path)}` is no absolute path',
                'write the path from the root',
                found=path,
            )


def exist(case: Case) -> Iterator[Finding]:
    if case.facts is None:
        return
    for line, path in _unique(_all(case)):
        if posixpath.isabs(path) and not case.facts.exists(path):
            yield case.finding(
                'DOC033',
                line,
                f'`{visible(path)}` does not exist',
                'correct the path, or leave the document out',
                found=path,
            )


def _searched(case: Case) -> Iterator[str]:
    """What the search of 1.9 finds, and what the transcript names."""
    if case.facts is None:
        return
    found = set(case.facts.plans)
    for path in case.transcript.paths if case.transcript else ():
        if case.facts.is_plan(path) and case.facts.exists(path):
            found.add(path)
    own = os.path.realpath(case.path)
    yield from sorted(path for path in found if os.path.realpath(path) != own)


def planned(case: Case) -> Iterator[Finding]:
    document = case.document
    section = document.get('1.9')
    if section is None:
        return
    words = document.outline.nothing['1.9'][0]
    listed = {os.path.realpath(path) for _, path in plans.listed(case)}
    says_nothing = document.says_nothing('1.9')
    in_state = [
        row.get('path') for path in STATE[:2] for row in document.state.rows(*path)
    ]
    if not listed and not says_nothing:
        yield case.finding(
            'DOC006',
            section.line,
            f'1.9 names no document and does not say `{words}`',
            f'name each plan by its absolute path, or write `{words}`',
        )
    elif says_nothing and (listed or in_state):
        named = next(iter(listed), None) or in_state[0]
        yield case.finding(
            'DOC006',
            section.line,
            f'1.9 says `{words}`, but `{visible(str(named))}` is named',
            'list the document in 1.9',
            found=str(named),
        )
    for path in _searched(case):
        if os.path.realpath(path) not in listed:
            yield case.finding(
                'DOC006',
                section.line,
                f'the plan `{visible(path)}` exists, and 1.9 does not name it',
                'list the document in 1.9',
                expected=path,
            )


def _compared(
    case: Case, section: str, written: list[Place], *paths: tuple[str, str]
) -> Iterator[Finding]:
    """The paths of a section are those of the state."""
    state = case.document.state
    if not all(isinstance(state.get(*path), list) for path in paths):
        return
    wanted = [
        (state.line(*path, number), row['path'])
        for path in paths
        for number, row in enumerate(state.rows(*path))
        if isinstance(row.get('path'), str)
        and not is_placeholder(row['path'], case.document.outline)
    ]
    there = {path: line for line, path in written}
    listed = {path: line for line, path in wanted}
    at = state.line(*paths[0])
    for path, line in there.items():
        if path not in listed:
            yield case.finding(
                'DOC036',
                line,
                f'{section} (line {line}) names `{visible(path)}`, 1.20 '
                f'(line {at}) does not',
                'make both the same',
                found=path,
                key=section,
            )
    for path, line in listed.items():
        if path not in there:
            yield case.finding(
                'DOC036',
                case.document.line(section),
                f'1.20 (line {line}) names `{visible(path)}`, {section} '
                f'(line {case.document.line(section)}) does not',
                'make both the same',
                expected=path,
                key=section,
            )


def agree(case: Case) -> Iterator[Finding]:
    """Where the paths of 1.9 and 1.10 stand in no table of the outline."""
    tables = {each.spec.section for each in known(case)}
    listed, read = plans.listed(case), plans.read(case, '1.10')
    if listed and '1.9' not in tables:
        yield from _compared(case, '1.9', listed, *STATE[:2])
    if read and '1.10' not in tables:
        yield from _compared(case, '1.10', read, STATE[2])


def reread(case: Case) -> Iterator[Finding]:
    document = case.document
    section = document.get('1.10')
    if section is None or executable(case, '1.10', 'read'):
        return
    name = document.outline.calls['read']
    words = document.outline.nothing['1.10'][0]
    listed = plans.listed(case)
    if listed:
        why = f'although 1.9 names `{visible(listed[0][1])}`'
    elif document.says_nothing('1.10'):
        return
    else:
        why = f'and does not say `{words}`'
    yield case.finding(
        'DOC007',
        section.line,
        f'1.10 has no call of {name} that can be carried out, {why}',
        f'write {name}("/absolute/path") for each document',
    )
