"""Logs a commit in the audit trail of its task."""

from __future__ import annotations

import os

from interlock.documents import message as messages
from interlock.documents import timestamps
from interlock.documents.tasks.trail import COMMITS
from interlock.documents.trailers import task as task_of
from interlock.git import commit_summary
from interlock.model import quick_re as re
from interlock.model.errors import NoTasks, NoWorkflow, Refusal
from interlock.operations.tasks.trail import File, with_entry
from interlock.report.terminal import err
from interlock.tasks import lock_holders, task_files, task_layout
from interlock.tasks.task_layout import Workspace
from interlock.workflow.reading.item_paths import is_task_name

# how a subject adds the trailers of its session to a commit
AGENT_RE = re.compile(r'\[agent:([^\]\s]+)\]')
# seconds: a commit waits for it
WAIT = 5.0


def _owner(space: Workspace, facts: commit_summary.CommitFacts) -> tuple[str, str]:
    """The task and the agent, by the worktree and by the message."""
    place = space.place(os.getcwd())
    match = AGENT_RE.search(facts.subject)
    agent = match[1] if match else place.agent if place else ''
    if place and place.task:
        return place.task, agent
    # in the main worktree only the message can say it
    named = task_of(messages.parse(facts.message))
    return named if is_task_name(named, space.kind) else '', agent


def _log(space: Workspace) -> None:
    facts = commit_summary.commit_facts(os.environ, os.getcwd(), 'HEAD')
    task, agent = _owner(space, facts)
    held = lock_holders.held(space, task) if task else None
    if held is None:
        return
    now, session = timestamps.now(), held.lock.session
    entry = commit_summary.entry(facts, agent, now)
    task_files.update_trail(
        space,
        task,
        lambda path, data: with_entry(
            File(path, data), COMMITS, entry, task, session, now
        ),
        WAIT,
    )


def log_commit() -> int:
    """The commit is made already: a failure is only reported."""
    try:
        _log(task_layout.find())
    except (NoTasks, NoWorkflow):
        return 0
    except (Refusal, OSError) as e:
        err(f'interlock: the commit is not in the trail of its task: {e}')
    return 0
