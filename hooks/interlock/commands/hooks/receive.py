from __future__ import annotations

import sys

from interlock.commands.hooks.reporting import say
from interlock.engine import receive
from interlock.git.push_updates import of_pre_receive
from interlock.git.repository import opened
from interlock.model.errors import Refusal
from interlock.report.terminal import err


def judge_received(
    config: str = '', budget: float | None = None, verbosity: int = 0
) -> int:
    if sys.stdin.isatty():
        raise Refusal(
            'pre-receive is a hook: git gives it the refs of a push',
            'interlock check --base HEAD~1',
        )
    updates = of_pre_receive(sys.stdin.buffer.read())
    with opened() as repository:
        reason = receive.override_reason(repository)
        report, silence = receive.judge_received(
            repository, updates, config, budget, reason
        )
        code = say(report, 'text', verbosity)
        if (code or silence) and reason:
            path = receive.log_override(repository, reason, updates, report, silence)
            err(f'interlock: accepted by override: {reason} (see {path})')
            return 0
        return code
