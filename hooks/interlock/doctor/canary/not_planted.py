"""Rules that no commit and no push can break, and why."""

from __future__ import annotations

from collections.abc import Mapping

from interlock.model.finding import OFF
from interlock.rules.index import RULES
from interlock.workflow.language.spec import Workflow

GATE = 'asked when a task moves on (`interlock gate`), by no hook of git'
STATE = 'about a saved state (`interlock state`), asked by no hook of git'
CLIENT = 'asked by Claude Code, not by git'
TASK = 'asked by `interlock task check`, by no hook of git'
WORLD = (
    'needs the disk or a transcript (`interlock document check`), which no '
    'hook of git looks at'
)
RANGE = (
    'asked of a push, and only where a commit before it says that a stage was confirmed'
)
CRAFTED = 'git makes no such commit: its object is written by other means'
KINDS: Mapping[str, str] = {'GAT': GATE, 'STA': STATE, 'CLD': CLIENT}
CODES: Mapping[str, str] = {
    'COM009': RANGE,
    'CFG010': CRAFTED,
    **dict.fromkeys(('TSK006', 'TSK008', 'TSK009'), TASK),
    **dict.fromkeys(
        (
            'DOC017',
            'DOC018',
            'DOC028',
            'DOC033',
            'DOC039',
            'DOC043',
            'DOC044',
            'DOC045',
            'DOC046',
            'DOC047',
            'DOC048',
        ),
        WORLD,
    ),
}
IDLE = 'the workflow has nothing that it could be about'
SWITCHED_OFF = 'the workflow switches it off'


def never(code: str) -> str:
    """Why no hook of git can be asked about a rule, '' if one can."""
    return CODES.get(code) or KINDS.get(code[:3], '')


def left_out(planted: set[str], workflow: Workflow) -> dict[str, str]:
    """Every rule that is not planted, and why."""
    return {
        code: never(code)
        or (SWITCHED_OFF if workflow.severities.get(code) == OFF else IDLE)
        for code in RULES
        if code not in planted
    }
