"""The next command, as it works in the directory of the user."""

from __future__ import annotations

import os

from interlock.git.git_paths import top_of
from interlock.model.finding import Finding, Fix
from interlock.model.fixes import seen_from
from interlock.model.quick_typing import Iterable

# git starts a hook at the top, and says here where it was called itself
PREFIX = 'GIT_PREFIX'


def _directory(top: str) -> str:
    """The directory of the user below the top; '' at the top or outside."""
    if not top:
        return ''
    here, top = os.path.realpath(os.curdir), os.path.realpath(top)
    if here == top:
        return os.environ.get(PREFIX, '').strip('/')
    below = os.path.relpath(here, top)
    return '' if below.startswith(os.pardir) else below


def localized(fix: Fix, top: str) -> Fix:
    return seen_from(fix, _directory(top))


def all_localized(findings: Iterable[Finding], top: str) -> list[Finding]:
    return [finding._replace(fix=localized(finding.fix, top)) for finding in findings]


def hint_here(hint: str, paths: tuple[str, ...]) -> str:
    """The hint of a refusal, in a repository or outside of one."""
    top = top_of(os.path.realpath(os.curdir)) if paths else ''
    return localized(Fix('', hint, paths), top).command
