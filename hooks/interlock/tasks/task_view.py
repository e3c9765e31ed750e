"""A task as it is now, for the conditions of its gates."""

from __future__ import annotations

import os
import stat

from interlock.documents import text as texts
from interlock.documents import timestamps
from interlock.documents.json import text_of
from interlock.documents.tasks import agent_status as statuses
from interlock.documents.tasks import approvals
from interlock.documents.tasks import trail as trails
from interlock.documents.tasks.approvals import TaskCheckpoint
from interlock.documents.tasks.lock import Lock
from interlock.git import worktrees
from interlock.git.batch import MAX_BLOB
from interlock.model import quick_hash
from interlock.model.actor import Actor
from interlock.model.change import Blob, Snapshot
from interlock.model.errors import Refusal, Unreadable
from interlock.model.quick_typing import Any, Collection, Mapping, NamedTuple, Sequence
from interlock.tasks import task_merge
from interlock.tasks.conditions import rounds
from interlock.tasks.conditions.condition import AGENT_TREES, MAIN, TRAIL_SCHEMA, TREE
from interlock.tasks.conditions.gate import CONDITIONS
from interlock.tasks.conditions.view import Agent, Main, Trail, View, WorktreeState
from interlock.tasks.task_files import todo_list
from interlock.tasks.task_layout import Workspace
from interlock.workflow.language.protocol import ProtocolSpec, names_of
from interlock.workflow.reading.item_paths import is_path_name
from interlock.workflow.reading.todo_entries import is_listed


class ViewSources(NamedTuple):
    """What a view is gathered from."""

    space: Workspace
    snapshot: Snapshot
    environ: Mapping[str, str]
    actor: Actor
    directory: str
    now: str


def blob_of(snapshot: Snapshot, path: str) -> Blob | None:
    """A file of the task, which somebody else may have put there."""
    try:
        status = os.stat(path)
    except OSError:
        # missing; any other problem shows when it is read
        return snapshot.blob(path)
    if not stat.S_ISREG(status.st_mode):
        # reading a pipe would block
        return None
    elif status.st_size > MAX_BLOB:
        return Blob('', status.st_size, None)
    return snapshot.blob(path)


def _first(
    here: ViewSources, task: str, agent: str, *patterns: str
) -> tuple[str, Blob | None]:
    """The first existing file of an agent, by any of its names; else the path where
    it is expected."""
    space = here.space
    for pattern in patterns:
        for name in names_of(agent, space.protocol):
            path = space.path(pattern, task, name)
            blob = blob_of(here.snapshot, path)
            if blob is not None:
                return path, blob
    return space.path(patterns[0], task, agent), None


def _changed(path: str) -> str:
    """When a file changed, '' if unknown."""
    try:
        return timestamps.in_milliseconds(os.stat(path).st_mtime_ns)
    except OSError:
        return ''


def _written(path: str, updated: str) -> str:
    """When an agent wrote its status: by its own words, else by the disk.

    A file cannot be written before the time it names. So the disk also decides
    where the file claims a later time, or the same second.
    """
    changed = _changed(path)
    if timestamps.parse(updated) is None or not timestamps.is_before(updated, changed):
        return changed
    return updated


def _runs(
    agent: str, protocol: ProtocolSpec, trail: Trail | None, since: str
) -> list[Mapping[str, Any]]:
    """The runs of an agent since a time, from the trail."""
    names = names_of(agent, protocol)
    entries = trail.sections.get(trails.INVOCATIONS, ()) if trail else ()
    return [
        entry
        for entry in entries
        if (entry.get('agent_name') or entry.get('agent_type')) in names
        and not timestamps.is_before(text_of(entry.get('invocation_timestamp')), since)
    ]


def _with_runs(agent: Agent, now: str, runs: Sequence[Mapping[str, Any]]) -> Agent:
    """The agent with what the trail says about its last run."""
    if not runs:
        return agent
    last = runs[-1]
    ended = text_of(last.get('completion_timestamp'))
    begun = text_of(last.get('invocation_timestamp'))
    return agent._replace(
        started=timestamps.minutes_between(begun, now),
        starts=len(runs),
        ended='' if last.get('status') == trails.RUNNING else ended,
        reviewed=text_of(last.get('decision')),
    )


def _with_report(agent: Agent, here: ViewSources, task: str) -> Agent:
    protocol = here.space.protocol
    patterns = (protocol.files.report, *protocol.older.get('report', ()))
    home = here.space.path(protocol.files.report, task, agent.name)
    path, blob = _first(here, task, agent.name, *patterns)
    return agent._replace(
        report=blob.size if blob else None,
        reported=_changed(path) if blob else '',
        report_path=os.path.basename(path),
        report_home=os.path.basename(home) if path != home else '',
    )


def _with_status(agent: Agent, here: ViewSources, task: str) -> Agent:
    path, blob = _first(here, task, agent.name, here.space.protocol.files.status)
    if blob is None:
        return agent
    found = statuses.parse(blob)
    written = _written(path, found.updated)
    return agent._replace(
        status=found.status,
        problem=found.problem.message if found.problem else '',
        decision=found.decision,
        remaining=found.remaining,
        error=found.error,
        written=written,
        silent=timestamps.minutes_between(written, here.now),
    )


def _agent(
    here: ViewSources, task: str, name: str, runs: Sequence[Mapping[str, Any]]
) -> Agent:
    if not is_path_name(name):
        why = 'is not read: an agent cannot have this name'
        return Agent(name, worktree=False, problem=why)
    code = here.space.protocol.files.agent_code
    has_worktree = any(
        os.path.isdir(here.space.path(code, task, each))
        for each in names_of(name, here.space.protocol)
    )
    agent = _with_runs(Agent(name, worktree=has_worktree), here.now, runs)
    return _with_status(_with_report(agent, here, task), here, task)


def _trail(here: ViewSources, task: str, validate: bool) -> Trail | None:
    blob = blob_of(
        here.snapshot, here.space.path(here.space.protocol.files.trail, task)
    )
    if blob is None:
        return None
    found = trails.parse(blob)
    if found.problem is not None:
        return Trail(found.problem.message)
    violations: tuple[str, ...] = ()
    if validate:
        from interlock.workflow.language.json_schema import violations as judged

        violations = tuple(
            f'`{".".join(map(str, each.path)) or "the whole"}`: {each.message}'
            for each in judged(found.json.data, 'audit-trail.schema.json')
        )
    return Trail(
        '', violations, {name: tuple(found.section(name)) for name in trails.SECTIONS}
    )


def _plan(here: ViewSources, path: str) -> tuple[str | None, str, str]:
    """The text of the plan, why there is none, and its checksum."""
    blob = blob_of(here.snapshot, path)
    if blob is None:
        return None, '', ''
    checksum = quick_hash.sha256(blob.data or b'').hexdigest()
    try:
        return texts.decode(blob), '', checksum
    except Unreadable as e:
        return '', e.message, checksum


def _tree(here: ViewSources, directory: str) -> WorktreeState:
    try:
        found = worktrees.tree(here.environ, directory)
    except Refusal as e:
        return WorktreeState(e.message)
    return WorktreeState('', found.head, found.changed)


def _has_commit(here: ViewSources, checkpoint: TaskCheckpoint | None) -> bool:
    if checkpoint is None or not checkpoint.commit:
        return False
    try:
        with worktrees.elsewhere(here.environ, here.space.main) as git:
            return git.resolve(checkpoint.commit) is not None
    except Refusal:
        return False


def _approved(lock: Lock, checkpoint: TaskCheckpoint | None) -> str:
    """The commit that the user approved; without a record, the one that was shown."""
    found = [
        each.what
        for each in approvals.approvals(lock.get('approvals'))
        if each.of == approvals.CHANGES
    ]
    return found[-1] if found else checkpoint.commit if checkpoint else ''


def _agents(
    here: ViewSources, lock: Lock, task: str, trail: Trail | None
) -> tuple[Agent, ...]:
    """The agents of a task, with their runs in this round."""
    space = here.space
    since = rounds.entry_time(lock, rounds.working_state(space.kind, lock))
    return tuple(
        _agent(here, task, name, _runs(name, space.protocol, trail, since))
        for name in lock.agents
    )


def _agent_trees(
    here: ViewSources, task: str, agents: Sequence[Agent]
) -> dict[str, WorktreeState]:
    space = here.space
    code = space.protocol.files.agent_code
    return {
        agent.name: _tree(here, space.path(code, task, agent.name))
        for agent in agents
        if agent.worktree
    }


def _flags(space: Workspace, task: str) -> dict[str, tuple[str, ...]]:
    """The files that exist of those that stand for an approval."""
    folder = space.folder(task)
    return {
        of: tuple(name for name in names if os.path.isfile(os.path.join(folder, name)))
        for of, names in space.protocol.flags.items()
    }


def view(
    here: ViewSources, lock: Lock, task: str, target: str, needs: Collection[str]
) -> View:
    """Gather what the conditions named in `needs` have to know."""
    space, protocol = here.space, here.space.protocol
    wanted = {each for name in needs for each in CONDITIONS[name].needs}
    trail = _trail(here, task, TRAIL_SCHEMA in wanted)
    agents = _agents(here, lock, task, trail)
    plan_path = space.path(protocol.files.plan, task)
    plan, problem, checksum = _plan(here, plan_path)
    checkpoint = approvals.checkpoint(lock.get('checkpoint'))
    code, todo = space.code(task), todo_list(space)
    tree = _tree(here, code) if TREE in wanted else WorktreeState()
    return View(
        task=task,
        workflow=space.workflow,
        kind=space.kind,
        protocol=protocol,
        actor=here.actor,
        directory=here.directory,
        lock=lock,
        code=code,
        worktree=os.path.isdir(code),
        listed=is_listed(todo, task, protocol),
        agents=agents,
        plan=plan,
        plan_problem=problem,
        plan_path=os.path.basename(plan_path),
        plan_checksum=checksum,
        flags=_flags(space, task),
        approvals=tuple(approvals.approvals(lock.get('approvals'))),
        presented=approvals.presented(lock.get('presented')),
        scope_presented=approvals.presented(lock.get('scope_presented')),
        checkpoint=checkpoint,
        has_checkpoint_commit=_has_commit(here, checkpoint),
        tree=tree,
        agent_trees=_agent_trees(here, task, agents) if AGENT_TREES in wanted else {},
        main=(
            task_merge.main_branch(
                here.environ, space, task, tree.head, _approved(lock, checkpoint)
            )
            if MAIN in wanted
            else Main()
        ),
        trail=trail,
        target=target,
        todo_problem=todo.problem.message if todo.problem else '',
    )
