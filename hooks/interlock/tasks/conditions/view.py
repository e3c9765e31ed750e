"""A task as its gates see it: gathered first, then judged without any access."""

from __future__ import annotations

from interlock.documents.tasks.approvals import Approval, Presented, TaskCheckpoint
from interlock.documents.tasks.lock import Lock
from interlock.model.actor import Actor
from interlock.model.quick_typing import Any, Mapping, NamedTuple
from interlock.workflow.language.protocol import ProtocolSpec
from interlock.workflow.language.spec import Kind, TransitionSpec, Workflow
from interlock.workflow.reading.transition_log import passage


class Agent(NamedTuple):
    name: str
    worktree: bool = True
    # the content of its status file, '' where there is none
    status: str = ''
    # why that file cannot be read
    problem: str = ''
    decision: str = ''
    remaining: str = ''
    error: str = ''
    # when it was written: by its own words, else by the disk
    written: str = ''
    # minutes since its last sign of life; None: unknown
    silent: float | None = None
    # of this round, by the trail: minutes since its last start (None where
    # it was not started), how often it was started, when its last run ended
    # ('' while it runs), and what that run decided
    started: float | None = None
    starts: int = 0
    ended: str = ''
    reviewed: str = ''
    # the size of its report, None where there is none
    report: int | None = None
    # when the report was written
    reported: str = ''
    # the path of the report, or where it is expected
    report_path: str = ''
    # where the report should be, if that is another place
    report_home: str = ''


class WorktreeState(NamedTuple):
    """The state of a worktree according to git."""

    # why git gave no answer
    problem: str = ''
    head: str = ''
    # paths with changes that are not committed
    changed: tuple[str, ...] = ()


class Completion(NamedTuple):
    """The commit of the main branch that took the task off the todo list."""

    commit: str
    # the other paths in it
    work: tuple[str, ...]
    changelog: bool
    is_merge: bool = False


class Main(NamedTuple):
    """The main branch."""

    problem: str = ''
    # whether it contains the commit of the task
    holds_work: bool = False
    has_changelog: bool = False
    completion: Completion | None = None
    # the commit that was approved, '' where none was shown, and the paths that
    # reached the main branch in another way
    approved: str = ''
    unapproved: tuple[str, ...] = ()


class Trail(NamedTuple):
    # why it cannot be read
    problem: str = ''
    # the schema errors in it
    violations: tuple[str, ...] = ()
    # section -> its entries
    sections: Mapping[str, tuple[Mapping[str, Any], ...]] = {}


class View(NamedTuple):
    task: str
    workflow: Workflow
    kind: Kind
    protocol: ProtocolSpec
    actor: Actor
    # the directory the command was called in
    directory: str
    lock: Lock
    # where the task's worktree is expected
    code: str
    worktree: bool
    listed: bool
    agents: tuple[Agent, ...]
    # the text of the plan, None where there is no file
    plan: str | None
    # why it cannot be read
    plan_problem: str
    plan_path: str
    plan_checksum: str
    # the names of the flag files that exist, by what they stand for
    flags: Mapping[str, tuple[str, ...]]
    approvals: tuple[Approval, ...]
    presented: Presented | None
    scope_presented: Presented | None
    checkpoint: TaskCheckpoint | None
    # whether git knows the commit of the checkpoint
    has_checkpoint_commit: bool
    tree: WorktreeState
    # agent -> the state of its worktree
    agent_trees: Mapping[str, WorktreeState]
    main: Main
    trail: Trail | None
    # the state to enter, '' for none
    target: str = ''
    # why the todo list cannot be read
    todo_problem: str = ''

    @property
    def state(self) -> str:
        return self.lock.state

    @property
    def transition(self) -> TransitionSpec | None:
        """The requested transition; None if there is none."""
        return passage(self.kind, self.state, self.target)

    def approval(self, of: str) -> Approval | None:
        """The latest approval of something."""
        found = [each for each in self.approvals if each.of == of]
        return found[-1] if found else None
