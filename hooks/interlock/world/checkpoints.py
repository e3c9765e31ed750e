"""The commits that ended a stage: what the user is asked to confirm."""
from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence
from typing import NamedTuple

from interlock.model.state import State
from interlock.workflow import phases
from interlock.workflow import subject as subjects
from interlock.workflow.handoffs import values_of
from interlock.workflow.names import is_name
from interlock.workflow.records import Records
from interlock.workflow.records import records
from interlock.workflow.spec import Kind
from interlock.workflow.spec import Workflow
from interlock.workflow.stage_commit import exists
from interlock.world import confirmations
from interlock.world.git import Commit
from interlock.world.repository import Repository

# of those that may be stage commits; then all the others
FIRST = 20


class Checkpoint(NamedTuple):
    item: str
    # as the handoff writes them: `3`, and `3.1` or ''
    stage: str
    phase: str
    commit: str

    @property
    def name(self) -> str:
        return self.phase or self.stage


def of_subject(
        text: str,
        kind: Kind,
        known: set[str],
) -> tuple[str, State] | None:
    """The item and the state that a subject says was reached."""
    read = subjects.read(text, kind, known) if known else None
    if read is None or read.state is None or (
            not kind.states[read.state.name].stage
    ):
        return None
    return read.item, read.state


def _literals(kind: Kind) -> list[str]:
    """Words of which one stands in every subject of a stage commit."""
    forms = kind.commit.subjects if kind.commit else ()
    words = {form.text.partition('{')[0].strip() for form in forms}
    return sorted(words) if all(words) else []


def _commits(
        repository: Repository,
        words: Sequence[str],
) -> Iterator[tuple[str, str]]:
    """Commits with their subjects, newest first, that say one of the words."""
    yield from repository.git.subjects('HEAD', words, FIRST, 0)
    yield from repository.git.subjects('HEAD', words, 0, FIRST)


def _known(repository: Repository, head: Commit, kind: Kind, text: str) -> (
        set[str]
):
    tree = repository.tree(head.tree)
    return {
        item for item in subjects.candidates(text, kind)
        if is_name(item) and exists(tree, kind, item)
    }


def _checkpoint(item: str, state: State, kind: Kind, commit: str) -> (
        Checkpoint
):
    stage = kind.states[state.name].stage
    phase = '' if state.phase is None else f'{stage}.{state.phase}'
    return Checkpoint(item, stage, phase, commit)


def _newest(
        repository: Repository,
        kind: Kind,
        item: str = '',
) -> tuple[Checkpoint, State] | None:
    head = repository.head()
    if head is None or kind.commit is None:
        return None
    words = [item] if item else _literals(kind)
    for oid, text in _commits(repository, words):
        known = {item} if item else _known(repository, head, kind, text)
        found = of_subject(text, kind, known)
        if found is not None:
            return _checkpoint(*found, kind, oid), found[1]
    return None


def newest(repository: Repository, workflow: Workflow) -> Checkpoint | None:
    """The newest stage commit in the history of HEAD, of any item."""
    for kind in workflow.kinds:
        found = _newest(repository, kind)
        if found is not None:
            return found[0]
    return None


def ends_stage(at: Records, state: State) -> bool:
    """Whether what a stage commit says it did was the last of its stage."""
    if state.phase is None:
        return True
    plan = phases.read(at)
    planned = plan.of(state.name) if plan else []
    if planned:
        return state.phase >= (planned[-1].state.phase or 0)
    # the plan names no phases: the handoff says whether one comes
    spec = at.kind.handoff.phases if at.kind.handoff else None
    coming = values_of(at.current).get(spec.field, '') if spec else ''
    following = phases.parse(coming, at.kind)
    return following is None or following.name != state.name


def _waits(
        repository: Repository,
        kind: Kind,
        item: str,
) -> Checkpoint | None:
    confirm = kind.commit.confirm if kind.commit else None
    found = _newest(repository, kind, item) if confirm else None
    head = repository.head()
    if confirm is None or found is None or head is None:
        return None
    checkpoint, state = found
    at = records(repository.tree(head.tree), kind, item)
    return checkpoint if confirm.phases or ends_stage(at, state) else None


def unconfirmed(
        repository: Repository,
        state: str,
        workflow: Workflow,
        item: str,
) -> Checkpoint | None:
    """The newest stage commit of an item, if the user is to confirm it.

    `state` is the common git directory. A phase is not confirmed unless it
    is the last of its stage, or the workflow says so.
    """
    given = {each.commit for each in confirmations.of(state, item)}
    for kind in workflow.kinds:
        found = _waits(repository, kind, item)
        if found is not None:
            return None if found.commit in given else found
    return None
