"""PreCompact: what a session knows is saved before it is summarised."""

from __future__ import annotations

from interlock.guard.decision import PLAIN, Decision
from interlock.state.state_hooks import on_pre_compact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.guard.context import Context


def handle(context: Context) -> Decision:
    return Decision(PLAIN, on_pre_compact(context.event.data, context.event.environ))
