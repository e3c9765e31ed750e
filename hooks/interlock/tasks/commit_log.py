"""Log a commit in the audit trail of its task."""

from __future__ import annotations

import os

from interlock.documents import message as messages
from interlock.documents import timestamps
from interlock.documents.tasks.trail import COMMITS
from interlock.documents.trailers import task as task_of
from interlock.git import commit_summary
from interlock.model import quick_re as re
from interlock.model.errors import NoTasks, NoWorkflow, Refusal
from interlock.report.terminal import err
from interlock.tasks import lock_holders, task_files, task_layout
from interlock.tasks.task_layout import Workspace
from interlock.workflow.reading.item_paths import is_task_name

# how the subject of a commit names its agent
AGENT_RE = re.compile(r'\[agent:([^\]\s]+)\]')
# in seconds: the commit waits for this
WAIT = 5.0


def _owner(space: Workspace, facts: commit_summary.CommitFacts) -> tuple[str, str]:
    """The task and the agent, from the worktree and the message."""
    place = space.place(os.getcwd())
    match = AGENT_RE.search(facts.subject)
    agent = match[1] if match else place.agent if place else ''
    if place and place.task:
        return place.task, agent
    # in the main worktree only the message names the task
    named = task_of(messages.parse(facts.message))
    return named if is_task_name(named, space.kind) else '', agent


def _log(space: Workspace) -> None:
    facts = commit_summary.commit_facts(os.environ, os.getcwd(), 'HEAD')
    task, agent = _owner(space, facts)
    held = lock_holders.lock_of(space, task) if task else None
    if held is None:
        return
    entry = commit_summary.entry(facts, agent, timestamps.now())
    task_files.update_trail(
        space,
        task,
        held.lock.session,
        lambda trail: trail.with_entry(COMMITS, entry),
        WAIT,
    )


def log_commit() -> int:
    """Log the commit; it is already made, so a failure is only reported."""
    try:
        _log(task_layout.find())
    except (NoTasks, NoWorkflow):
        return 0
    except (Refusal, OSError) as e:
        err(f'interlock: the commit is not in the trail of its task: {e}')
    return 0
