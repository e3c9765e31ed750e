"""The input of a rule about a handoff document, and how rules are registered."""

from __future__ import annotations

import datetime
import functools
import posixpath

from interlock.documents.text import one_line, shown
from interlock.handoff_document.comparisons import is_placeholder
from interlock.handoff_document.document import Document, Section, StateBlock
from interlock.handoff_document.outline import Outline
from interlock.model.finding import Finding, Fix
from interlock.model.fixes import edit
from interlock.model.quick_typing import Callable, Iterable, Iterator, NamedTuple
from interlock.rules.index import RULES as TEXTS
from interlock.state.transcript import Transcript

# a value, and its line
Located = tuple[int, str]


class Environment(NamedTuple):
    """The working tree according to git."""

    branch: str
    # how many files differ from HEAD or are untracked
    changed: int
    # path -> branch of each worktree, without the main one
    worktrees: dict[str, str]


class ProjectFacts(NamedTuple):
    """Facts from disk and git; a change in git is judged without them."""

    # the top of the project, and the working directory
    top: str
    cwd: str
    # every plan that a search finds, by absolute path
    plans: tuple[str, ...]
    # whether the search would take this file for a plan
    is_plan: Callable[[str], bool]
    # None outside of a repository
    environment: Environment | None
    # when a session ('' for any) last saved its state
    saved: Callable[[str], datetime.datetime | None]
    exists: Callable[[str], bool]
    read: Callable[[str], str | None]
    # whether it names a commit
    resolves: Callable[[str], bool]
    changed_since: Callable[[str, datetime.datetime], bool]


class Case(NamedTuple):
    path: str
    document: Document
    facts: ProjectFacts | None = None
    transcript: Transcript | None = None
    # the text of the document before the change
    before: str | None = None

    @property
    def outline(self) -> Outline:
        return self.document.outline

    @property
    def state(self) -> StateBlock:
        return self.document.state

    def is_open(self, text: object) -> bool:
        """Whether it is a placeholder, which another rule reports."""
        return isinstance(text, str) and is_placeholder(text, self.outline)

    def saved(self, *path: str, key: str) -> list[Located]:
        """The texts under a key in a list of the state, without placeholders."""
        return [
            (self.state.line(*path, number, key), row[key])
            for number, row in enumerate(self.state.rows(*path))
            if isinstance(row.get(key), str) and not self.is_open(row[key])
        ]


Judge = Callable[[Case], Iterator[Finding]]
RULES: list[Judge] = []
SAME = 'make both the same'


def finding(
    line: int,
    message: str,
    *,
    found: str = '',
    expected: str = '',
    key: str = '',
    severity: str = '',
    todo: str = '',
    code: str = '',
) -> Finding:
    """A finding of a rule; `complete` adds what the rule knows.

    `todo` says what to do at the line, unless the rule does.
    """
    fix = Fix(todo, '')
    return Finding(code, '', severity, '', '', line, message, expected, found, fix, key)


def complete(path: str, found: Finding, code: str, todo: str) -> Finding:
    text = TEXTS[found.code or code]
    label = found.fix.label or todo
    return found._replace(
        code=text.code,
        check=text.check,
        severity=found.severity or text.severity,
        item=posixpath.basename(path),
        path=path,
        fix=found.fix if found.fix.step else edit(path, found.line, label),
    )


def rule(code: str, todo: str) -> Callable[[Judge], Judge]:
    """Register a rule with its code, and what to do where it is broken."""

    def register(judge: Judge) -> Judge:
        @functools.wraps(judge)
        def completed(case: Case) -> Iterator[Finding]:
            for found in judge(case):
                yield complete(case.path, found, code, todo)

        RULES.append(completed)
        return completed

    return register


def disagreement(
    line: int, what: str, found: str, at: int, expected: str, key: str
) -> Finding:
    """The finding for a section that contradicts the state."""
    found, expected = shown(found), shown(expected)
    message = f'{what} is `{found}`, 1.20 (line {at}) says `{expected}`'
    return finding(line, message, found=found, expected=expected, key=key)


def unmatched(one: str, line: int, name: str, other: str, at: int) -> str:
    """The message for a name that one place has and the other lacks."""
    return f'{one} (line {line}) names `{one_line(name)}`, {other} (line {at}) does not'


def compare_names(
    section: Section,
    written: Iterable[Located],
    saved: Iterable[Located],
    at: int,
    normalize: Callable[[str], str] = str,
) -> Iterator[Finding]:
    """Compare the names in a section and in the state; `at` is the line of its list."""
    id = section.spec.id
    mine = {normalize(name): (line, name) for line, name in written}
    theirs = {normalize(name): (line, name) for line, name in saved}
    for each, (line, name) in mine.items():
        if each not in theirs:
            message = unmatched(id, line, name, '1.20', at)
            yield finding(line, message, found=name, key=id)
    for each, (line, name) in theirs.items():
        if each not in mine:
            message = unmatched('1.20', line, name, id, section.line)
            yield finding(section.line, message, expected=name, key=id)
