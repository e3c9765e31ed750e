"""Plans and other documents: they are named, absolute, present and read."""

from __future__ import annotations

import os
import posixpath

from interlock.documents.text import one_line
from interlock.handoff_document.case import (
    SAME,
    Case,
    Located,
    compare_names,
    finding,
    rule,
)
from interlock.handoff_document.rules.tables import known_tables
from interlock.model import quick_re as re
from interlock.model.finding import Finding
from interlock.model.quick_typing import Iterable, Iterator

WORD_RE = re.compile(r"""[^\s|`"'()<>\[\],;*]+""")
MARKDOWN_RE = re.compile(r'.+\.md\b')
PROGRESS_RE = re.compile(r'\s*DOC:\s*(\S.*?)\s*\Z')
PLANS = (('documents', 'design'), ('documents', 'impl'))
MUST_READ = ('documents', 'must_read')


def _cells(case: Case, section: str) -> Iterator[Located]:
    found = case.document.get(section)
    for table in found.tables if found else ():
        for number, name in enumerate(table.header):
            if name.lower().startswith('path'):
                for row in table.rows:
                    if number < len(row.cells):
                        yield row.line, row.cells[number].strip('` ')


def _in_text(case: Case, section: str) -> Iterator[Located]:
    found = case.document.get(section)
    for number, line in found.text if found else ():
        for word in WORD_RE.finditer(line) if '|' not in line else ():
            path = MARKDOWN_RE.match(word[0])
            # in brackets it is a placeholder, or the text of a link
            if path and line[word.start() - 1 : word.start()] != '[':
                yield number, path[0]
    for fence in found.fences if found else ():
        for number, line in fence.lines:
            progress = PROGRESS_RE.match(line)
            if progress:
                yield number, progress[1]


def _filled(case: Case, found: Iterable[Located]) -> list[Located]:
    return [each for each in found if each[1] and not case.is_open(each[1])]


def listed(case: Case) -> list[Located]:
    """The paths that 1.9 names."""
    return _filled(case, [*_cells(case, '1.9'), *_in_text(case, '1.9')])


def reads(case: Case, section: str) -> list[Located]:
    """The paths that the reads of a section name."""
    return [
        (call.line, call.texts[0])
        for call in case.document.calls(section, 'read')
        if call.texts and call.texts[0].strip()
    ]


def to_read(case: Case) -> list[Located]:
    """The paths that 1.10 names."""
    return _filled(case, [*_cells(case, '1.10'), *reads(case, '1.10')])


def _saved(case: Case, *lists: tuple[str, str]) -> list[Located]:
    return [each for path in lists for each in case.saved(*path, key='path')]


def _all_paths(case: Case) -> set[Located]:
    return {
        *reads(case, '0.2'),
        *listed(case),
        *to_read(case),
        *_saved(case, *PLANS, MUST_READ),
    }


@rule('DOC003', 'write the path from the root')
def paths_are_absolute(case: Case) -> Iterator[Finding]:
    paths = _all_paths(case)
    project = case.state.get('project_path')
    if isinstance(project, str) and not case.is_open(project):
        paths.add((case.state.line('project_path'), project))
    for line, path in sorted(paths):
        if not posixpath.isabs(path):
            yield finding(
                line, f'`{one_line(path)}` is not an absolute path', found=path
            )


@rule('DOC033', 'correct the path, or leave the document out')
def documents_exist(case: Case) -> Iterator[Finding]:
    for line, path in sorted(_all_paths(case)) if case.facts else ():
        if posixpath.isabs(path) and case.facts and not case.facts.exists(path):
            yield finding(line, f'`{one_line(path)}` does not exist', found=path)


def _existing_plans(case: Case) -> list[str]:
    """The plans that a search finds, and those in the transcript."""
    if case.facts is None:
        return []
    found = set(case.facts.plans)
    for path in case.transcript.paths if case.transcript else ():
        if case.facts.is_plan(path) and case.facts.exists(path):
            found.add(path)
    own = os.path.realpath(case.path)
    return sorted(path for path in found if os.path.realpath(path) != own)


@rule('DOC006', 'list the document in 1.9')
def plans_are_listed(case: Case) -> Iterator[Finding]:
    section = case.document.get('1.9')
    if section is None:
        return
    words = case.outline.nothing['1.9'][0]
    named = {os.path.realpath(path): path for _, path in listed(case)}
    saved = [row.get('path') for path in PLANS for row in case.state.rows(*path)]
    if not case.document.says_nothing('1.9'):
        if not named:
            message = f'1.9 neither names a document nor says `{words}`'
            todo = f'name each plan by its absolute path, or write `{words}`'
            yield finding(section.line, message, todo=todo)
    elif named or saved:
        other = str(next(iter(named), None) or saved[0])
        message = f'1.9 says `{words}`, but `{one_line(other)}` is named'
        yield finding(section.line, message, found=other)
    for path in _existing_plans(case):
        if os.path.realpath(path) not in named:
            message = f'the plan `{one_line(path)}` exists, and 1.9 does not name it'
            yield finding(section.line, message, expected=path)


@rule('DOC036', SAME)
def documents_agree_with_the_state(case: Case) -> Iterator[Finding]:
    """Covers paths of 1.9 and 1.10 that are not in a table of the outline."""
    tables = {each.spec.section for each in known_tables(case)}
    for id, written, lists in (
        ('1.9', listed(case), PLANS),
        ('1.10', reads(case, '1.10'), (MUST_READ,)),
    ):
        section = case.document.get(id)
        saved = all(isinstance(case.state.get(*path), list) for path in lists)
        if section and written and saved and id not in tables:
            at = case.state.line(*lists[0])
            yield from compare_names(section, written, _saved(case, *lists), at)
