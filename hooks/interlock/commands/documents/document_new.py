"""What is known about a session, for a new handoff document."""

from __future__ import annotations

import itertools
import os
import shlex
import time
from collections.abc import Iterator

from interlock.documents.text import one_line, shown
from interlock.engine.judge import Judge
from interlock.engine.open_repository import opened
from interlock.files.atomic_files import replace
from interlock.files.disk_snapshot import SteadySnapshot
from interlock.git.git_paths import project_of
from interlock.git.git_summary import asked
from interlock.handoff_document.comparisons import moment
from interlock.handoff_document.document_context import Facts
from interlock.handoff_document.draft import Commit, Known, State, without_gaps
from interlock.handoff_document.facts import facts, governing, plans_of
from interlock.handoff_document.plans import root_of
from interlock.handoff_document.rules.reality import outdated
from interlock.handoff_document.section_writers import write
from interlock.handoff_document.surroundings import Surroundings, elsewhere
from interlock.model.errors import Refusal
from interlock.report.terminal import err, out
from interlock.state import store as stores
from interlock.state.clock import iso
from interlock.state.state_hooks import owner_of, uuid_of
from interlock.state.store_path import is_there, path_of
from interlock.state.store_types import Owner
from interlock.tasks import lock_holders
from interlock.tasks.workplace import find_workplace
from interlock.workflow.language.spec import STAGE, Workflow
from interlock.workflow.reading.item_paths import is_name
from interlock.workflow.reading.records import all_items, records
from interlock.workflow.reading.status_words import label

# commits that are proposed to go back to, and how many are looked at
PROPOSED = 3
LOOKED_AT = 10


def _saved(project: str, owner: Owner) -> State:
    """What the session saved, or another one if that is named."""
    try:
        if not is_there(path_of(os.environ)):
            return {}
        with stores.opened(os.environ) as store:
            found = store.load(project, owner)
        if not found.other:
            return found.state or {}
        err(
            f'interlock: warning: STA010 the saved state is that of session '
            f'{one_line(found.other)}, and nothing of it is taken over\n'
            f'    next: interlock document new --from-session '
            f'{shlex.quote(one_line(found.other))}'
        )
        return {}
    except Refusal as e:
        # what else is known is worth a document
        err(f'interlock: warning: nothing is taken over: {e.message}')
        return {}


def _save(known: Known, state: State, owner: Owner) -> None:
    """Save the state without its gaps: no session could go on from them."""
    with stores.opened(os.environ) as store:
        store.save(project_of(known.project), without_gaps(state), known.mode, owner)


def checkpoint(origin: str = '') -> None:
    """Save the state, and nothing else."""
    owner = owner_of({}, os.environ)
    found = known('checkpoint', owner, origin)
    _save(found, write(found)[1], owner)


def document(mode: str, output: str, save: bool, origin: str = '') -> bytes:
    """Write a document; its state is saved before it is written.

    `origin` is another session whose state is taken over.
    """
    if output != '-' and os.path.lexists(output):
        raise Refusal(
            f'{output} exists, and is not overwritten',
            'interlock document new --output FILE',
        )
    owner = owner_of({}, os.environ)
    found = known(mode, owner, origin)
    text, state = write(found)
    # a path need not be UTF-8
    data = text.encode(errors='backslashreplace')
    try:
        if save:
            _save(found, state, owner)
    finally:
        # what was found out is written even if the store fails
        if output == '-':
            out(text.rstrip('\n'))
        else:
            replace(output, None, data)
            err(f'{output}: written')
    return data


def _sound(workflow: Workflow | None) -> Iterator[Commit]:
    """The newest commits in whose trees the checks refuse nothing."""
    try:
        with opened() as repository:
            head = repository.head()
            oids = repository.git.commits(f'-{LOOKED_AT}', head.oid) if head else []
            judge = Judge(repository)
            for oid in reversed(oids):
                commit = repository.commit(oid)
                found = judge.tree_findings(commit.tree) if workflow else ()
                if not any(each.refuses for each in found):
                    subject = commit.message.partition('\n')[0]
                    yield Commit(oid[:10], subject)
    except Refusal:
        # no repository, or a workflow that is broken in the past
        return


def _items(workflow: Workflow | None, top: str) -> Iterator[str]:
    snapshot = SteadySnapshot(top)
    for kind in workflow.kinds if workflow else ():
        for item in filter(is_name, all_items(snapshot, kind)):
            at = records(snapshot, kind, item)
            if at.state and kind.states[at.state.name].role == STAGE:
                yield f'{item} at {label(at.state, kind)}'


def _locks() -> Iterator[str]:
    """Who holds which lock; nothing where there are no tasks."""
    try:
        at = find_workplace('')
    except Refusal:
        return
    for name, lock in lock_holders.all_held(at.space):
        own = ' (this session)' if lock.is_held_by(at.actor.session) else ''
        state = f' at {shown(lock.lock.state)}' if lock.lock.state else ''
        who = lock_holders.described(lock, at.actor)
        yield f'{name}{state} held by {who}{own}'


def _session(owner: Owner, saved: State) -> str:
    """The session as a state may name it; '' leaves a gap."""
    found = uuid_of(owner) if owner.session else saved
    return str(found.get('session_id') or '')


def known(mode: str, owner: Owner, origin: str = '') -> Known:
    here = os.getcwd()
    around = Surroundings(here, os.environ)
    project = around.top or here
    workflow = governing()
    plans = plans_of(workflow)
    world = facts(project, plans, '')
    saved = _saved(project_of(project), Owner(origin) if origin else owner)
    sound = itertools.islice(_sound(workflow), PROPOSED)
    return Known(
        mode,
        project,
        _session(owner, saved),
        iso(time.time()),
        # another session's name is not this one's
        {k: v for k, v in saved.items() if k != 'session_id'},
        asked(project, elsewhere(os.environ))(),
        world.plans,
        root_of(project_of(project), plans),
        tuple(sound),
        tuple(_items(workflow, project)),
        tuple(_locks()),
        tuple(around.changed()),
        lambda gate: _is_outdated(gate, saved, world),
    )


def _is_outdated(gate: State, saved: State, world: Facts) -> bool:
    when = moment(saved.get('timestamp'))
    return when is not None and any(outdated(gate, world, when))
