"""An approval, by whichever way a person gives it."""
from __future__ import annotations

from interlock.operations import approve as operations
from interlock.operations.approve import ASKED
from interlock.operations.change import Outcome
from interlock.operations.trail import File
from interlock.world import gather
from interlock.world.gather import Here
from interlock.world.identity import user
from interlock.world.locks import Held
from interlock.world.locks import Register


def approved(
        here: Here,
        held: Held,
        task: str,
        via: str,
        prompt: str = '',
) -> Outcome:
    """What is to be written, or a refusal; the log says it already.

    `prompt` is the checksum of the text by which it was given.
    """
    view = gather.view(here, held.lock, task, '', ASKED)
    by = user()
    outcome = operations.approve(
        view, File(held.path, held.data), here.now, by, via, prompt,
    )
    # said before it is done: what is not logged does not happen
    Register(here.space.state).log(
        event='approved', name=task, what=operations.asked(view), person=by,
        via=via, time=here.now,
    )
    return outcome
