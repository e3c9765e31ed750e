"""A report of an agent, and the files that it speaks of."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator

from interlock.checks.run import findings_of
from interlock.commands.items.project import Project, today
from interlock.engine.open_repository import opened
from interlock.model.change import Snapshot
from interlock.model.errors import Refusal
from interlock.model.state import State
from interlock.operations import verify_update as operations
from interlock.operations.verify_update import Verdict, Work
from interlock.report.terminal import err
from interlock.tasks import agent_work
from interlock.tasks.agent_work import AgentWork, in_repository
from interlock.workflow.reading.agent_report import MAX_REPORT, AgentReport, read
from interlock.workflow.reading.records import Records, records


def read_report(name: str) -> AgentReport:
    """A report by its name, `-` for standard input."""
    try:
        # one byte more than the limit shows that there is more
        if name == '-':
            return read(sys.stdin.buffer.read(MAX_REPORT + 1))
        with open(name, 'rb') as f:
            return read(f.read(MAX_REPORT + 1))
    except OSError as e:
        where = 'standard input' if name == '-' else name
        raise Refusal(f'the report cannot be read from {where}: {e.strerror}') from None


@contextlib.contextmanager
def work(here: Project, at: Records, contents: Snapshot) -> Iterator[Work]:
    """The files of an item, against those from when the agent started."""
    directory = os.path.dirname(here.journal.directory)
    record = agent_work.started(directory, at.item)
    if here.without_git:
        if record is None:
            err(
                'interlock: warning: without git and without a record of '
                'the start nobody knows what was changed'
            )
        made = AgentWork(at, here.top, contents, None, record)
        yield Work(made.find, made.changed)
        return
    with opened() as repository:
        made = in_repository(repository, at, contents, record)
        yield Work(made.find, made.changed)


def verdict(
    here: Project,
    at: Records,
    state: State,
    report: AgentReport,
    contents: Snapshot,
    files: Work,
) -> Verdict:
    """Whether the agent has written the state that it reports."""
    now = records(contents, at.kind, at.item)
    found = findings_of(now, here.workflow)
    return operations.verify(report, state, now, found, files, today())


def state_verdict(
    here: Project, at: Records, state: State, contents: Snapshot
) -> Verdict:
    """The same of files that we have written, or will write."""
    now = records(contents, at.kind, at.item)
    found = findings_of(now, here.workflow)
    return operations.verify_state(state, now, found, today())
