"""What a prompt that is about us means, and what is recorded of it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from interlock.documents import timestamps
from interlock.engine.stage_commits import StageCommit
from interlock.files.actor import user
from interlock.files.disk_snapshot import SteadySnapshot
from interlock.guard.observers import stage_confirmation
from interlock.guard.text_limits import clean, listed
from interlock.model.errors import Denied
from interlock.operations.tasks.approve import Waiting, approve, asked, waiting
from interlock.operations.tasks.trail import File
from interlock.tasks import lock_holders, task_choice, task_files, task_notes, task_view
from interlock.tasks.conditions.approvals import USER
from interlock.tasks.lock_store import Held, event, locks_of
from interlock.transactions.journal import Journal
from interlock.workflow.language.patterns import expand
from interlock.workflow.reading import prompt_approval

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.guard.context import Scene

VIA = 'prompt'
# seconds: the user waits
WAIT = 2.0


class Asking(NamedTuple):
    """A task of the session that waits for an approval."""

    name: str
    lock: Held
    waiting: Waiting


def _asking(scene: Scene, prompt: str) -> list[Asking]:
    if not scene.has_tasks or not prompt_approval.mentions(
        prompt, scene.space.protocol.prompts.approves
    ):
        return []
    session, found = scene.event.session, []
    for name, lock in lock_holders.all_held(scene.space):
        if lock.is_held_by(session):
            wanted = waiting(
                scene.space.kind,
                lock.lock,
                partial(task_files.plan_checksum, scene.space, name),
            )
            if wanted is not None:
                found.append(Asking(name, lock, wanted))
    return found


def _named(prompt: str, names: Sequence[str]) -> list[str]:
    """Those that the prompt names, else all of them."""
    found = [name for name in names if prompt_approval.names(prompt, name)]
    return found or list(names)


def _approve(scene: Scene, asking: Asking, prompt: str) -> str:
    space = scene.space
    with Journal(space.state).locked(WAIT):
        lock = lock_holders.require_holder(space, asking.name, scene.actor)
        here = task_view.Here(
            space,
            SteadySnapshot(space.tasks),
            scene.event.environ,
            scene.actor,
            scene.directory,
            timestamps.now(),
        )
        view = task_view.view(here, lock.lock, asking.name, '', USER)
        outcome = approve(
            view,
            File(lock.path, lock.data),
            here.now,
            user(),
            VIA,
            stage_confirmation.checksum(prompt),
        )
        data = outcome.files[lock.path]
        assert data is not None, 'no lock is removed'
        approved = event(
            'approved', asking.name, what=asked(view), person=user(), via=VIA
        )
        locks_of(space).replace(asking.name, lock, data, approved)
    return f"The user's approval is recorded: {'; '.join(outcome.said)}."


def _unread(asking: Sequence[Asking]) -> str:
    """A word of approval in a prompt that does not approve."""
    shown = [each for each in asking if each.waiting.at]
    if not shown:
        return ''
    name = clean(shown[0].name)
    return (
        f'{name} still waits for an approval: this prompt was not read as '
        f'one, because it says more than that. A prompt that says only '
        f'`approved` is.'
    )


def _ambiguous(names: Sequence[str]) -> str:
    all_of = listed([clean(name) for name in names], 200)
    return (
        f'Nothing was recorded: {all_of} all wait for the user, and the '
        f'prompt does not say which it means. The user can answer with '
        f'`approved` and the name.'
    )


def _of_others(stage: StageCommit) -> str:
    item = clean(stage.item)
    return (
        f'Nothing was recorded: stage {stage.name} of {item} waits for the '
        f'user, and another session committed it. The user can answer with '
        f'`continue {item}`.'
    )


def _anonymous(scene: Scene, prompt: str) -> str:
    words = scene.space.protocol.prompts.approves if scene.has_tasks else ()
    if scene.event.session or not prompt_approval.assents(prompt, words):
        return ''
    return (
        'Nothing was recorded: this session does not say its id, so no '
        'task can be its own (LCK003).'
    )


def _recorded(scene: Scene, prompt: str) -> str:
    asking = _asking(scene, prompt)
    stage = stage_confirmation.waiting(scene, prompt)
    names = [each.name for each in asking] + ([stage.item] if stage else [])
    meant = _named(prompt, names)
    approves = [
        each
        for each in asking
        if each.name in meant
        and prompt_approval.assents(
            prompt, scene.space.protocol.prompts.approves, names
        )
    ]
    if stage is not None and (
        stage.item not in meant
        or not stage_confirmation.confirms(scene, stage, prompt, names)
    ):
        stage = None
    if (
        stage is not None
        and stage_confirmation.is_others(scene, stage)
        and (not prompt_approval.names(prompt, stage.item))
    ):
        if not approves:
            return _of_others(stage)
        stage = None
    return _record(scene, prompt, asking, approves, stage)


def _record(
    scene: Scene,
    prompt: str,
    asking: Sequence[Asking],
    approves: Sequence[Asking],
    stage: StageCommit | None,
) -> str:
    yes = [each.name for each in approves] + ([stage.item] if stage else [])
    if len(yes) > 1:
        return _ambiguous(yes)
    elif approves:
        return _approve(scene, approves[0], prompt)
    elif stage is not None:
        stage_confirmation.confirm(scene, stage, prompt)
        # the next stage may begin; there is nothing else to know
        return ''
    return _unread(asking) or _anonymous(scene, prompt)


def _selected(scene: Scene) -> str:
    space = scene.space
    with Journal(space.state).locked(WAIT, reads=True):
        choice = task_choice.select(space, scene.actor)
    words = [f'interlock task select: {choice.action}: {choice.sentence}']
    words += [f'{choice.task}: {note}' for note in choice.notes]
    if choice.options:
        words.append(f'next: {listed(choice.options, 200)}')
    if choice.action not in task_choice.YES and choice.free:
        words.append(f'alternative: {choice.free[0]}')
    return '\n'.join(clean(each, 250) for each in words)


def _decided(scene: Scene, prompt: str) -> str:
    """What becomes of an abandoned task, said by the user."""
    space, said = scene.space, scene.space.protocol.prompts
    for name in space.names():
        for deed, phrases in (
            (task_notes.CLEAN, said.cleans),
            (task_notes.ADOPT, said.adopts),
        ):
            if prompt_approval.is_phrase(
                prompt, [expand(phrase, name) for phrase in phrases]
            ) and task_notes.may_decide(space, name, deed):
                return _consent(scene, name, deed)
    return ''


def _consent(scene: Scene, task: str, deed: str) -> str:
    session = scene.event.session
    if not session:
        return 'Nothing was recorded: this session does not say its id (LCK003).'
    decided = event('decided', task, what=deed, session=session, person=user(), via=VIA)
    locks_of(scene.space).log(decided)
    task_notes.consent(scene.space, task, deed, session)
    whose = f' --session {clean(session)}' if deed == task_notes.ADOPT else ''
    return (
        f"The user's decision is recorded: this session may run interlock "
        f'task {deed} {clean(task)}{whose} once.'
    )


def _resumed(scene: Scene) -> str:
    from interlock.guard.observers.session_items import under_way

    top = scene.top or scene.base
    items = [
        clean(item.name)
        for kind in scene.workflow.kinds
        if kind.registry
        for item in under_way(kind, top)
    ]
    if not items:
        return 'No item is under way that automation could resume.'
    which = f'interlock resume {items[0]}'
    if len(items) > 1:
        which = f'interlock resume ITEM, for one of {listed(items, 300)}'
    return f'Where work goes on, and whether it may, is said by: {which}'


def answered(scene: Scene, prompt: str) -> str:
    """What the agent is told, '' for nothing."""
    if scene.has_tasks and prompt_approval.is_phrase(
        prompt, scene.space.protocol.prompts.selects
    ):
        return _selected(scene)
    decided = _decided(scene, prompt) if scene.has_tasks else ''
    if decided:
        return decided
    resumes = [
        phrase
        for kind in scene.workflow.kinds
        if kind.handoff
        for phrase in kind.handoff.resumes
    ]
    if prompt_approval.is_phrase(prompt, resumes):
        return _resumed(scene)
    try:
        return _recorded(scene, prompt)
    except Denied as e:
        hint = f' (next: {e.hint})' if e.hint else ''
        return f'{e.message}{hint}'
