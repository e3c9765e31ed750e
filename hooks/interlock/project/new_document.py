"""What is known about a session, for a new handoff document."""

from __future__ import annotations

import itertools
import os
import shlex
import time

from interlock.documents.text import one_line, shown
from interlock.engine.judge import Judge
from interlock.files.atomic_files import replace
from interlock.files.disk_snapshot import SteadySnapshot
from interlock.git.git_paths import project_of
from interlock.git.repository import opened
from interlock.handoff_document.comparisons import moment
from interlock.handoff_document.draft import Commit, SessionFacts, without_gaps
from interlock.handoff_document.facts import (
    Project,
    gather_facts,
    governing_workflow,
    plan_folder,
    plans_of,
)
from interlock.handoff_document.rules.reality import changed_evidence
from interlock.handoff_document.writer import write_document
from interlock.model.errors import Refusal
from interlock.model.quick_typing import Iterator
from interlock.report.terminal import err, out
from interlock.state import store as stores
from interlock.state.compaction_state import iso
from interlock.state.state_hooks import owner_of, uuid_of
from interlock.state.store import Owner, store_exists, store_path
from interlock.state.validate import State
from interlock.tasks import lock_holders
from interlock.tasks.workplace import find_workplace
from interlock.workflow.language.spec import STAGE, Workflow
from interlock.workflow.reading.item_paths import is_name
from interlock.workflow.reading.records import all_items, records

# how many commits are proposed to return to, and how many are examined
PROPOSED = 3
LOOKED_AT = 10
# the name of an output that is not a file
TERMINAL = '-'


def _saved(project: str, owner: Owner) -> State:
    """What the session saved; another session's state only if it is named."""
    try:
        if not store_exists(store_path(os.environ)):
            return {}
        with stores.open_store(os.environ) as store:
            found = store.load(project, owner)
        if not found.other:
            return found.state or {}
        err(
            f'interlock: warning: STA010 the saved state belongs to session '
            f'{one_line(found.other)}, so it is not used\n'
            f'    next: interlock document new --from-session '
            f'{shlex.quote(one_line(found.other))}'
        )
        return {}
    except Refusal as e:
        # the rest is still worth a document
        err(f'interlock: warning: the saved state is not used: {e.message}')
        return {}


def _save(facts: SessionFacts, state: State, owner: Owner) -> None:
    """Save a state without its gaps."""
    with stores.open_store(os.environ) as store:
        store.save(project_of(facts.project), without_gaps(state), facts.mode, owner)


def checkpoint(origin: str = '') -> None:
    """Save the state, and do nothing else."""
    owner = owner_of({}, os.environ)
    facts = session_facts('checkpoint', owner, origin)
    _save(facts, write_document(facts)[1], owner)


def document(mode: str, output: str, save: bool, origin: str = '') -> bytes:
    """Write a document, after saving its state.

    `origin` is another session whose state is taken over.
    """
    if output != TERMINAL and os.path.lexists(output):
        raise Refusal(
            f'{output} exists, and is not overwritten',
            'interlock document new --output -',
        )
    owner = owner_of({}, os.environ)
    facts = session_facts(mode, owner, origin)
    text, state = write_document(facts)
    # a path need not be UTF-8
    data = text.encode(errors='backslashreplace')
    try:
        if save:
            _save(facts, state, owner)
    finally:
        # a store that fails must not lose the document
        if output == TERMINAL:
            out(text.rstrip('\n'))
        else:
            replace(output, None, data)
            err(f'{output}: written')
    return data


def _sound_commits(workflow: Workflow | None) -> Iterator[Commit]:
    """The newest commits whose trees the checks do not refuse."""
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
        for item in all_items(snapshot, kind):
            if not is_name(item, kind):
                continue
            at = records(snapshot, kind, item)
            if at.state and kind.states[at.state.name].role == STAGE:
                yield f'{item} at {kind.label(at.state)}'


def _locks() -> Iterator[str]:
    """Who holds which lock; nothing if there are no tasks."""
    try:
        at = find_workplace('')
    except Refusal:
        return
    for name, lock in lock_holders.all_held(at.space):
        own = ' (this session)' if lock.is_held_by(at.actor.session) else ''
        state = f' at {shown(lock.lock.state)}' if lock.lock.state else ''
        who = lock_holders.holder_text(lock)
        yield f'{name}{state} held by {who}{own}'


def _session(owner: Owner, saved: State) -> str:
    """The session as a state may name it; '' leaves a gap."""
    found = uuid_of(owner) if owner.session else saved
    return str(found.get('session_id') or '')


def session_facts(mode: str, owner: Owner, origin: str = '') -> SessionFacts:
    here = os.getcwd()
    found = Project(here, os.environ)
    project = found.top or here
    workflow = governing_workflow()
    plans = plans_of(workflow)
    facts = gather_facts(project, plans, '')
    saved = _saved(project_of(project), Owner(origin) if origin else owner)

    def is_outdated(gate: State) -> bool:
        when = moment(saved.get('timestamp'))
        return when is not None and any(changed_evidence(gate, facts, when))

    return SessionFacts(
        mode,
        project,
        _session(owner, saved),
        iso(time.time()),
        # this session does not take over another session's name
        {k: v for k, v in saved.items() if k != 'session_id'},
        found.summary.as_state() if found.summary else {},
        facts.plans,
        plan_folder(project_of(project), plans),
        tuple(itertools.islice(_sound_commits(workflow), PROPOSED)),
        tuple(_items(workflow, project)),
        tuple(_locks()),
        found.summary.changed if found.summary else (),
        is_outdated,
    )
