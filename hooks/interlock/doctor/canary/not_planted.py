"""Rules that no commit and no push can break, and why."""

from __future__ import annotations

from collections.abc import Mapping

from interlock.model.finding import OFF
from interlock.rules.index import RULES
from interlock.workflow.language.spec import Workflow

DISK = (
    'needs the disk or a transcript (`interlock document check`), which no hook of '
    'git reads'
)
# codes, or prefixes of codes -> why no hook of git can be asked about them
REASONS: Mapping[str, str] = {
    'GAT': 'asked when a task moves on (`interlock gate`), by no hook of git',
    'STA': 'about a saved state (`interlock state`), asked by no hook of git',
    'CLD': 'asked by Claude Code, not by git',
    'COM009': 'asked of a push, and only where an earlier commit says that a stage '
    'was confirmed',
    'LCK009 LCK010 LCK011 LCK012': 'about the engine of the locks, which only commands ask',
    'LCK013 LCK014': 'about records of locks on a git remote, of which the canary makes '
    'none',
    'CFG010': 'git makes no such commit: its object is written by other means',
    'TSK006 TSK008 TSK009': 'asked by `interlock task check`, by no hook of git',
    'DOC017 DOC018 DOC028 DOC033 DOC039 DOC043 DOC044 DOC045 DOC046 DOC047 DOC048': DISK,
}
IDLE = 'the workflow has nothing that it could be about'
SWITCHED_OFF = 'the workflow switches it off'


def never(code: str) -> str:
    """Why no hook of git can be asked about a rule, '' if one can."""
    for codes, why in REASONS.items():
        if code.startswith(tuple(codes.split())):
            return why
    return ''


def left_out(planted: set[str], workflow: Workflow) -> dict[str, str]:
    """Every rule that is not planted, and why."""
    return {
        code: never(code)
        or (SWITCHED_OFF if workflow.severities.get(code) == OFF else IDLE)
        for code in RULES
        if code not in planted
    }
