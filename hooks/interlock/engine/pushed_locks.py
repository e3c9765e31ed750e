"""Before work leaves the machine: is its lock still held?"""

from __future__ import annotations

from interlock.engine.judge import Judge
from interlock.engine.lock_records import is_record
from interlock.files.actor import actor
from interlock.git.push_updates import HEADS, Update
from interlock.model.errors import Busy, Denied, NoWorkflow
from interlock.model.quick_typing import Sequence
from interlock.tasks import task_layout
from interlock.tasks.engines import selection
from interlock.tasks.lock_store import locks_of
from interlock.tasks.task_layout import Workspace
from interlock.workflow.language.patterns import expand


def _shared_space(judge: Judge) -> Workspace | None:
    try:
        workflow = judge.governing.on_disk()
    except NoWorkflow:
        return None
    space = task_layout.of(judge.repository, judge.governing, workflow)
    if space is None or not selection.settings(space).is_shared:
        return None
    return space


def confirm_pushed(judge: Judge, updates: Sequence[Update]) -> None:
    """Ask the engine about the locks of the branches that are pushed.

    A fenced push brings the proof itself; a person holds no lock.
    """
    space = _shared_space(judge)
    if space is None or any(is_record(update.ref) for update in updates):
        return
    session, locks = actor(judge.repository.environ).session, locks_of(space)
    refs = {update.ref for update in updates if update.new}
    for name in space.names():
        if HEADS + expand(space.protocol.branch, name) not in refs:
            continue
        held = locks.get(name)
        if held is not None and session and held.holder == session:
            _confirm(space, name, held.doubt)


def _confirm(space: Workspace, name: str, doubt: str) -> None:
    from interlock.tasks.lock_confirmation import AT_PUSH, confirm_quickly

    found = confirm_quickly(space, name, AT_PUSH)
    if found.why:
        raise Busy(
            f'LCK009: the lock engine does not answer, so {name} is not pushed (last '
            f'confirmed: {found.since}): {found.why}',
            f'interlock lock confirm {name}',
        )
    elif not found.is_ours or doubt:
        raise Denied(
            doubt or f'LCK001: this session no longer holds {name}',
            f'interlock lock confirm {name}',
        )
