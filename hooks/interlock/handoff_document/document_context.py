"""What the rules about a handoff document are given."""

from __future__ import annotations

import datetime
import posixpath
from collections.abc import Callable
from typing import NamedTuple

from interlock.handoff_document.document import Document
from interlock.model.finding import Finding, Fix
from interlock.model.fixes import edit
from interlock.rules.new_finding import Location
from interlock.state.transcript import Transcript


class Environment(NamedTuple):
    """What git says of the working tree."""

    branch: str
    # how many files differ from HEAD or are not known to it
    changed: int
    # path -> branch of each worktree, the main one not counted
    worktrees: dict[str, str]


class Facts(NamedTuple):
    """What is asked of the world; a change in git is judged without."""

    # the top of the project, and the working directory
    top: str
    cwd: str
    # every plan that a search finds, by its absolute path
    plans: tuple[str, ...]
    # would the search take a file for a plan, by its name or its place
    is_plan: Callable[[str], bool]
    # None outside of a repository
    environment: Environment | None
    # when a session saved its state last ('' is any); asked where it matters
    saved: Callable[[str], datetime.datetime | None]
    exists: Callable[[str], bool]
    read: Callable[[str], str | None]
    # does a name stand for a commit
    resolves: Callable[[str], bool]
    changed_since: Callable[[str, datetime.datetime], bool]


class Case(NamedTuple):
    path: str
    document: Document
    facts: Facts | None = None
    transcript: Transcript | None = None

    def finding(
        self,
        code: str,
        line: int,
        message: str,
        todo: str,
        *,
        expected: str = '',
        found: str = '',
        severity: str = '',
        key: str = '',
        fix: Fix | None = None,
    ) -> Finding:
        """`todo` is what has to be done at the line, in a few words."""
        return Location(posixpath.basename(self.path), self.path, line).finding(
            code,
            message,
            fix=fix or edit(self.path, line, todo),
            expected=expected,
            found=found,
            severity=severity,
            key=key,
        )
