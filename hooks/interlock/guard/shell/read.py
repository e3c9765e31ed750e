"""What a shell command would do, read from its text alone.

No file is opened and no program is run. It is a courtesy to those who mean
well: whoever wants to hide a command can. What is guaranteed is guaranteed
by the hooks of git, by CI and by the server.
"""

from __future__ import annotations

from collections.abc import Mapping

from interlock.guard.shell.dispatch import run
from interlock.guard.shell.effects import Effect, Unknown
from interlock.guard.shell.placeholders import clean
from interlock.guard.shell.state import Enough, Shared, State
from interlock.guard.shell.walk import read_text, walk


def read(
    command: str, cwd: str, environ: Mapping[str, str], top: str = ''
) -> list[Effect]:
    """The effects in the order of the text, each once.

    `top` is what `git rev-parse --show-toplevel` says in `cwd`, if known.
    """
    known = {name: clean(value) for name, value in environ.items()}
    shared = Shared(known, clean(top), run, read_text, walk)
    try:
        State(shared, clean(cwd)).text(clean(command))
    except Enough as e:
        shared.effects.append(Unknown(f'{e}'))
    except RecursionError:
        shared.effects.append(Unknown('it is nested too deeply'))
    return unique(shared.effects)


def unique(effects: list[Effect]) -> list[Effect]:
    """As tuples, effects of two kinds may be equal."""
    return list(
        {(type(effect).__name__, effect): effect for effect in effects}.values()
    )
