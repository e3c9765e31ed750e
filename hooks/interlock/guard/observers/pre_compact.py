"""PreCompact: saves the state of a session before the client summarises it."""

from __future__ import annotations

from interlock.guard.context import Context
from interlock.guard.decision import PLAIN, Decision
from interlock.state.state_hooks import on_pre_compact


def handle(context: Context) -> Decision:
    return Decision(PLAIN, on_pre_compact(context.event.data, context.event.environ))
