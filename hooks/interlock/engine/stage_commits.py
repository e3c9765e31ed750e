"""Stage commits, which the user is asked to confirm."""

from __future__ import annotations

from interlock.documents.trailers import ConfirmedStage
from interlock.engine import session_records
from interlock.git.git import GitError
from interlock.git.parse import Commit
from interlock.git.repository import Repository
from interlock.model.change import Snapshot
from interlock.model.quick_typing import Iterator, NamedTuple, Sequence
from interlock.model.state import State
from interlock.workflow.language.spec import Kind, Workflow
from interlock.workflow.reading import commit_subject as subjects
from interlock.workflow.reading import plan_phases
from interlock.workflow.reading.commit_subject import existing
from interlock.workflow.reading.records import Records, records

# how many candidates are read first, before all the others
FIRST = 20


class StageCommit(NamedTuple):
    item: str
    # as the handoff writes them: `3`, and `3.1` or ''
    stage: str
    phase: str
    commit: str

    @property
    def name(self) -> str:
        return self.phase or self.stage


def of_subject(text: str, kind: Kind, known: set[str]) -> tuple[str, State] | None:
    """The item and the state that a subject names."""
    read = subjects.read(text, kind, known) if known else None
    if read is None or read.state is None or (not kind.states[read.state.name].stage):
        return None
    return read.item, read.state


def _literals(kind: Kind) -> list[str]:
    """Some words; every subject of a stage commit contains one of them."""
    forms = kind.commit.subjects
    words = {form.text.partition('{')[0].strip() for form in forms}
    return sorted(words) if all(words) else []


def _commits(
    repository: Repository, rev: str, words: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """Commits that contain one of the words, with their subjects, newest first."""
    first = repository.git.subjects(rev, words, FIRST, 0)
    yield from first
    if len(first) == FIRST:
        yield from repository.git.subjects(rev, words, 0, FIRST)


def named_in(text: str, kind: Kind, snapshot: Snapshot) -> tuple[str, State] | None:
    """Like `of_subject`, for an item that exists in a tree."""
    return of_subject(
        text, kind, existing(snapshot, kind, subjects.candidates(text, kind))
    )


def _stage_commit(item: str, state: State, kind: Kind, commit: str) -> StageCommit:
    stage = kind.states[state.name].stage
    phase = '' if state.phase is None else f'{stage}.{state.phase}'
    return StageCommit(item, stage, phase, commit)


def _newest(
    repository: Repository, head: Commit, kind: Kind, item: str
) -> tuple[StageCommit, State] | None:
    for oid, text in _commits(repository, head.oid, [item]):
        found = of_subject(text, kind, {item})
        if found is not None:
            return _stage_commit(*found, kind, oid), found[1]
    return None


def newest(repository: Repository, workflow: Workflow) -> StageCommit | None:
    """The newest stage commit of any item in the history of HEAD."""
    for kind in workflow.kinds:
        for oid, text in _of_any_item(repository, kind):
            head = repository.head()
            found = head and named_in(text, kind, repository.tree(head.tree))
            if found:
                return _stage_commit(*found, kind, oid)
    return None


def _of_any_item(repository: Repository, kind: Kind) -> Iterator[tuple[str, str]]:
    if not kind.commit:
        return
    try:
        yield from _commits(repository, 'HEAD', _literals(kind))
    except GitError:
        # there is no commit yet
        if repository.head() is not None:
            raise


def ends_stage(at: Records, state: State) -> bool:
    """Whether a stage commit ends the last phase of its stage."""
    if state.phase is None:
        return True
    plan = plan_phases.read(at)
    planned = plan.of(state.name) if plan else []
    if planned:
        return state.phase >= (planned[-1].state.phase or 0)
    # the plan names no phases: the handoff says whether another one follows
    spec = at.kind.handoff.phases
    coming = at.handoff_values.get(spec.field, '') if spec else ''
    following = plan_phases.parse(coming, at.kind)
    return following is None or following.name != state.name


def to_confirm(
    repository: Repository, head: Commit, kind: Kind, item: str
) -> StageCommit | None:
    """The newest stage commit of an item up to `head`, if the user must
    confirm it. A phase needs no confirmation unless it is the last of its
    stage, or the workflow asks for it."""
    confirm = kind.commit.confirm
    found = _newest(repository, head, kind, item) if confirm else None
    if confirm is None or found is None:
        return None
    stage_commit, state = found
    at = records(repository.tree(head.tree), kind, item)
    return stage_commit if confirm.phases or ends_stage(at, state) else None


def _is_confirmed(state: str, found: StageCommit) -> bool:
    given = session_records.confirmations(state, found.item)
    return found.commit in {each.commit for each in given}


def unconfirmed(
    repository: Repository, state: str, workflow: Workflow, item: str
) -> StageCommit | None:
    """The newest stage commit of an item, if it still needs confirmation.

    `state` is the common git directory.
    """
    head = repository.head()
    for kind in workflow.kinds if head else ():
        found = head and to_confirm(repository, head, kind, item)
        if found:
            return None if _is_confirmed(state, found) else found
    return None


def _begins_next(found: StageCommit, state: State, kind: Kind) -> bool:
    """Whether another stage begins; the same stage may be committed again."""
    return kind.states[state.name].stage != found.stage


def confirmed_before(
    repository: Repository, state: str, workflow: Workflow, text: str
) -> ConfirmedStage | None:
    """The confirmation that a commit with this subject repeats, None if none."""
    head = repository.head()
    for kind in workflow.kinds if head else ():
        named = head and named_in(text, kind, repository.tree(head.tree))
        found = named and confirmed_for(repository, state, kind, *named)
        if found:
            return found
    return None


def confirmed_for(
    repository: Repository, state: str, kind: Kind, item: str, begun: State
) -> ConfirmedStage | None:
    """The confirmation that a commit of an item at a stage repeats, None if none."""
    head = repository.head()
    found = to_confirm(repository, head, kind, item) if head else None
    if found and _begins_next(found, begun, kind) and _is_confirmed(state, found):
        return ConfirmedStage(found.name, found.commit)
    return None


def stage_to_confirm(
    repository: Repository, commit: Commit, kind: Kind, text: str
) -> StageCommit | None:
    """The stage commit before this one, whose confirmation it should repeat."""
    named = named_in(text, kind, repository.tree(commit.tree))
    before = (
        repository.git.commit(commit.parents[0]) if (named and commit.parents) else None
    )
    if named is None or before is None:
        return None
    found = to_confirm(repository, before, kind, named[0])
    return found if found and _begins_next(found, named[1], kind) else None
