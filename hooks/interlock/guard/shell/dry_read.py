"""Text that may be a command: what it would do, if somebody ran it."""

from __future__ import annotations

from interlock.guard.shell.effects import Effect, Poses, Runs, Skips
from interlock.guard.shell.state import Enough, Level, State

# what only a person says, or takes away
PERSONAL = ('approve', 'uninstall')


def effects(state: State, text: str) -> list[Effect]:
    """Nothing of it is told; what is too long or too deep is nothing."""
    shared = state.shared
    kept, shared.effects = shared.effects, []
    files, depth = dict(shared.files), shared.depth
    try:
        with Level(state):
            state.child().text(text)
        return shared.effects
    except Enough:
        return []
    finally:
        shared.effects, shared.files, shared.depth = kept, files, depth


def skips(state: State, text: str) -> bool:
    return any(isinstance(each, Skips) for each in effects(state, text))


def is_telling(effect: Effect) -> bool:
    if isinstance(effect, Runs):
        return effect.program == 'interlock' and (
            effect.args[:1] != () and effect.args[0] in PERSONAL
        )
    return isinstance(effect, Skips | Poses)
