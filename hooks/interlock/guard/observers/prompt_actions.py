"""The meaning of a prompt that concerns us, and what is recorded of it."""

from __future__ import annotations

from interlock.documents import timestamps
from interlock.engine.stage_commits import StageCommit
from interlock.files.actor import user
from interlock.files.client_process import is_started_by_agent
from interlock.guard.context import Context
from interlock.guard.observers import stage_confirmation
from interlock.guard.observers.session_start import under_way
from interlock.guard.session_files import first_time
from interlock.guard.session_tasks import WAIT
from interlock.guard.texts import clean, listed
from interlock.model.errors import Denied, Refusal
from interlock.model.quick_tools import partial
from interlock.model.quick_typing import NamedTuple, Sequence
from interlock.operations.tasks.approve import (
    Waiting,
    approve,
    pending_approval,
    requested_approval,
)
from interlock.operations.tasks.trail import File
from interlock.tasks import lock_holders, task_choice, task_files, task_notes
from interlock.tasks.conditions.approvals import USER
from interlock.tasks.lock_store import Held, event, locks_of
from interlock.transactions.journal import Journal
from interlock.workflow.reading import prompt_phrases

VIA = 'prompt'
# how many phrases a message lists
FEW = 3
NO_SESSION = 'Nothing was recorded: this session has no id'


class WaitingTask(NamedTuple):
    """A task of the session that waits for an approval."""

    name: str
    lock: Held
    waiting: Waiting


def _require_user() -> None:
    """Refuse a prompt if an agent started the client: it is not the user's word."""
    if is_started_by_agent():
        raise Refusal("an agent started this client, so its prompts are not the user's")


def _waiting_tasks(context: Context, prompt: str) -> list[WaitingTask]:
    words = context.space.protocol.prompts.approves if context.has_tasks else ()
    if not words or not prompt_phrases.mentions(prompt, words):
        return []
    space, found = context.space, []
    for name, lock in lock_holders.all_held(space):
        if lock.is_held_by(context.event.session):
            plan = partial(task_files.plan_checksum, space, name)
            wanted = pending_approval(space.kind, lock.lock, plan)
            if wanted is not None:
                found.append(WaitingTask(name, lock, wanted))
    return found


def _approve(context: Context, name: str, prompt: str) -> str:
    _require_user()
    space = context.space
    with Journal(space.state).locked(WAIT):
        lock = lock_holders.require_holder(space, name, context.actor)
        view = context.task_view(name, lock.lock, '', USER)
        outcome = approve(
            view,
            File(lock.path, lock.data),
            timestamps.now(),
            user(),
            VIA,
            stage_confirmation.checksum(prompt),
        )
        data = outcome.files[lock.path]
        assert data is not None, 'no lock is removed'
        approved = event(
            'approved', name, what=requested_approval(view), person=user(), via=VIA
        )
        locks_of(space).changes(name).replace(lock, data, approved, later=True)
    return f"The user's approval is recorded: {'; '.join(outcome.said)}."


def _not_read(context: Context, prompt: str, tasks: Sequence[WaitingTask]) -> str:
    """Why a prompt with a word of approval approves nothing; told once."""
    words = context.space.protocol.prompts.approves if context.has_tasks else ()
    for task in tasks:
        if task.waiting.at:
            if not first_time(context, 'approval', task.name):
                return ''
            return (
                f'{clean(task.name)} still waits for an approval: this prompt is '
                f'not an approval, because it says more. To approve, the user answers '
                f'with only {" or ".join(f"`{each}`" for each in words[:FEW])}.'
            )
    if context.event.session or not prompt_phrases.is_phrase(prompt, words):
        return ''
    return f'{NO_SESSION}, so it cannot own a task (LCK003).'


def _recorded(context: Context, prompt: str) -> str:
    tasks = _waiting_tasks(context, prompt)
    stage = stage_confirmation.waiting(context, prompt)
    names = [each.name for each in tasks] + ([stage.item] if stage else [])
    # the tasks that the prompt names, else all of them
    named = [name for name in names if prompt_phrases.names(prompt, name)]
    meant = named or names
    words = context.space.protocol.prompts.approves if tasks else ()
    approves = prompt_phrases.is_phrase(prompt, words, names) if tasks else False
    approved = [each.name for each in tasks if approves and each.name in meant]
    if stage is not None:
        if stage.item not in meant:
            stage = None
        elif not stage_confirmation.confirms(context, stage, prompt, names):
            stage = None
    if stage is not None and stage.item not in named:
        if stage_confirmation.is_others(context, stage):
            if not approved:
                return _of_another_session(stage)
            stage = None
    both = approved + ([stage.item] if stage else [])
    if len(both) > 1:
        return (
            f'Nothing was recorded: {listed([clean(name) for name in both], 200)} '
            f'all wait for the user, and the prompt does not say which it means. '
            f'The user can answer with `approved` and the name.'
        )
    elif approved:
        return _approve(context, approved[0], prompt)
    elif stage is not None:
        _require_user()
        stage_confirmation.confirm(context, stage, prompt)
        # the next stage may begin; the agent needs no other facts
        return ''
    return _not_read(context, prompt, tasks)


def _of_another_session(stage: StageCommit) -> str:
    item = clean(stage.item)
    return (
        f'Nothing was recorded: stage {stage.name} of {item} waits for the '
        f'user, and another session committed it. The user can answer with '
        f'`continue {item}`.'
    )


def _select_task(context: Context) -> str:
    with Journal(context.space.state).locked(WAIT, reads=True):
        choice = task_choice.select(context.space, context.actor)
    words = [f'interlock task select: {choice.sentence}']
    words += [f'{choice.task}: {note}' for note in choice.notes]
    if choice.options:
        words.append(f'next: {listed(choice.options, 200)}')
    if choice.action not in task_choice.YES and choice.free:
        words.append(f'alternative: {choice.free[0]}')
    return '\n'.join(clean(each, 250) for each in words)


def _decide_abandoned(context: Context, prompt: str) -> str:
    """Record the user's decision about an abandoned task."""
    space, said = context.space, context.space.protocol.prompts
    deeds = {task_notes.CLEAN: said.cleans, task_notes.ADOPT: said.adopts}
    for name in space.names():
        for deed, phrases in deeds.items():
            if prompt_phrases.is_phrase(prompt, phrases, [name]):
                if task_notes.may_decide(space, name, deed):
                    return _consent(context, name, deed)
                return _still_locked(context, name)
    return ''


def _still_locked(context: Context, task: str) -> str:
    """Why nothing can be decided about a task yet, '' if there is nothing to decide."""
    space, actor = context.space, context.actor
    held = lock_holders.lock_of(space, task)
    if held is None or held.is_held_by(context.event.session):
        return ''
    who = lock_holders.holder_text(held, task_notes.session_end_time(space, task, held))
    way = lock_holders.way_on(space, task, held, actor, f'interlock lock show {task}')
    return (
        f'Nothing was recorded: {clean(task)} is held by {clean(who, 250)}, and its '
        f'lock has to end first (next: {way}).'
    )


def _consent(context: Context, task: str, deed: str) -> str:
    session = context.event.session
    if not session:
        return f'{NO_SESSION} (LCK003).'
    _require_user()
    decided = event('decided', task, what=deed, session=session, person=user(), via=VIA)
    locks_of(context.space).log(decided)
    task_notes.record_consent(context.space, task, deed, session)
    whose = f' --session {clean(session)}' if deed == task_notes.ADOPT else ''
    return (
        f"The user's decision is recorded: this session may run interlock "
        f'task {deed} {clean(task)}{whose} once.'
    )


def _resume(context: Context) -> str:
    items = [clean(item) for _, found in under_way(context) for item in found]
    if not items:
        return 'No item is in progress that automation could resume.'
    which = f'interlock resume {items[0]}'
    if len(items) > 1:
        which = f'interlock resume ITEM, for one of {listed(items, 300)}'
    return f'To see where work continues, and whether it may, run: {which}'


def answer(context: Context, prompt: str) -> str:
    """The text for the agent, '' if there is none."""
    if context.has_tasks:
        selects = context.space.protocol.prompts.selects
        if prompt_phrases.is_phrase(prompt, selects):
            return _select_task(context)
        decided = _decide_abandoned(context, prompt)
        if decided:
            return decided
    handoffs = [kind.handoff for kind in context.workflow.kinds if kind.handoff]
    resumes = [phrase for handoff in handoffs for phrase in handoff.resumes]
    if prompt_phrases.is_phrase(prompt, resumes):
        return _resume(context)
    try:
        return _recorded(context, prompt)
    except Denied as e:
        hint = f' (next: {e.hint})' if e.hint else ''
        return f'{e.message}{hint}'
