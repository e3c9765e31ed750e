"""What a session is told about tasks when it starts."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import partial

from interlock.documents.tasks.approvals import PLAN, SCOPE
from interlock.guard.text_limits import MOST, clean, listed
from interlock.model.actor import Actor
from interlock.operations.tasks.approve import waiting
from interlock.tasks import lock_holders, task_choice, task_files, task_notes
from interlock.tasks.lock_store import Held
from interlock.tasks.task_layout import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.guard.context import Scene

# of a sentence that names a directory, and of lists of tasks
SENTENCE = 220
FEW = 100
NAMES = 120
# of its own, a session has few
MOST_OWN = 2
Named = Sequence[tuple[str, Held]]


def _waiting(space: Workspace, name: str, lock: Held) -> Iterator[str]:
    found = waiting(
        space.kind, lock.lock, partial(task_files.plan_checksum, space, name)
    )
    if found is None or task_files.has_mark(space, name, lock.lock, found.of):
        return
    commit = f' ({clean(found.what, 10)})' if found.what else ''
    what = {PLAN: 'plan', SCOPE: 'scope decision'}.get(found.of, f'work{commit}')
    if found.at:
        yield (
            f'{name}: its {what} was presented at {clean(found.at, 30)} and '
            f"waits for the user's approval."
        )
    else:
        yield (f"Its {what}, as it is, was not presented for the user's approval.")


def _own(space: Workspace, own: Named, actor: Actor) -> Iterator[str]:
    for name, lock in own[:MOST_OWN]:
        if name == space.protocol.main.name:
            yield (
                f'This session holds the lock of the main worktree '
                f'(interlock lock release {name} gives it back).'
            )
            continue
        decision = task_choice.by_lock(space, name, actor)
        yield (f'{clean(decision.sentence, SENTENCE)} ({decision.options[0]}).')
        yield from _waiting(space, name, lock)
    if len(own) > MOST_OWN:
        yield f'It holds {len(own) - MOST_OWN} more (interlock lock list).'


def _other(space: Workspace, name: str, lock: Held) -> str:
    ended = task_notes.ended(space, name, lock)
    words = clean(lock.lock.state, 30)
    if not lock.holder:
        words = 'held by an unknown session'
    elif ended:
        words += f', its session ended at {clean(ended, 30)}'
    return f'{clean(name)} ({words})'


def _others(space: Workspace, others: Named) -> Iterator[str]:
    main = space.protocol.main.name
    tasks = [(name, lock) for name, lock in others if name != main]
    for name, lock in others[:1]:
        if name == main:
            yield (
                f'The main worktree is locked by another session: '
                f'{_other(space, name, lock)}.'
            )
    if tasks:
        named = [_other(space, *each) for each in tasks[:MOST]]
        yield (
            f'Tasks of other sessions ({len(tasks)}): '
            f'{listed(named, NAMES, len(tasks))}.'
        )


def _abandoned(
    space: Workspace, tasks: Sequence[str], locked: Named, session: str
) -> Iterator[str]:
    held = {name for name, _ in locked}
    names = [
        name for name in tasks if name not in held and os.path.isdir(space.code(name))
    ]
    if names:
        yield (
            f'Worktrees without a lock ({len(names)}): '
            f'{listed(names[:MOST], FEW, len(names))}. A session may '
            f'have crashed or be at work; the user decides: clean it '
            f'(interlock task clean NAME), go on in it (interlock task adopt '
            f'NAME --session {clean(session) or "ID"}), or another task '
            f'(interlock task select).'
        )


def lines(scene: Scene) -> Iterator[str]:
    space, actor = scene.space, scene.actor
    tasks = space.names()
    locked = lock_holders.all_held(space, tasks)
    if locked and not actor.session:
        yield ('LCK003: this session does not say its id, so no lock can be its own.')
    own = [each for each in locked if each[1].is_held_by(actor.session)]
    for name, _ in own:
        # whoever starts again has not ended
        task_notes.forget(space, name, task_notes.ENDED)
    yield from _own(space, own, actor)
    yield from _abandoned(space, tasks, locked, actor.session)
    yield from _others(
        space, [each for each in locked if not each[1].is_held_by(actor.session)]
    )
