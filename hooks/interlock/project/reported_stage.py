"""What an agent reports about a stage, compared with the files of the project."""

from __future__ import annotations

import os
import sys

from interlock.checks.run import findings_of
from interlock.model.change import Snapshot
from interlock.model.errors import Denied, Refusal
from interlock.model.state import State
from interlock.operations import verify
from interlock.operations.progress_text import Words
from interlock.operations.verify import WORK, Work, menu_of
from interlock.project.project import Project
from interlock.report.terminal import err
from interlock.tasks.agent_work import AgentWork, in_repository, start_record
from interlock.workflow.reading import agent_report
from interlock.workflow.reading.agent_report import AgentReport
from interlock.workflow.reading.records import Records, records


def _agent_work(here: Project, at: Records, contents: Snapshot) -> Work:
    """The files of an item, compared with those at the start of the agent."""
    directory = os.path.dirname(here.journal.directory)
    record = start_record(directory, at.item)
    if here.repository is not None:
        made = in_repository(here.repository, at, contents, record)
    else:
        made = AgentWork(at, here.top, contents, None, record)
        if record is None:
            err(
                'interlock: warning: without git and without a record of the '
                'start, every file counts as changed'
            )
    return Work(made.find, made.changed)


class ReportedStage:
    """What an agent reports about a stage, compared with the files of the project."""

    def __init__(
        self,
        here: Project,
        at: Records,
        state: State,
        report: AgentReport,
        contents: Snapshot,
    ) -> None:
        self.at = at
        self.state = state
        self.report = report
        self.files = _agent_work(here, at, contents)
        now = records(contents, at.kind, at.item)
        # whether the agent wrote the state that it reports
        self.found = verify.verify_report(
            report, state, now, findings_of(now, here.workflow), self.files, here.today
        )

    @property
    def words(self) -> Words:
        """What the report says about the work."""
        return verify.report_words(self.report)

    def refuse_to_write(self) -> None:
        """Refuse to write the state in place of the agent, if the work is not done."""
        why = verify.refusal(self.report, self.state, self.files)
        if why:
            raise Denied(why, menu_of(self.at, WORK, why))


def read_report(name: str) -> agent_report.AgentReport:
    """A report by its name, `-` for standard input."""
    try:
        # one byte more than the limit shows that there is more
        if name == '-':
            return agent_report.read(sys.stdin.buffer.read(agent_report.MAX_REPORT + 1))
        with open(name, 'rb') as f:
            return agent_report.read(f.read(agent_report.MAX_REPORT + 1))
    except OSError as e:
        where = 'standard input' if name == '-' else name
        raise Refusal(
            f'the report cannot be read from {where}: {e.strerror}',
            'name the file that holds the report, or - for standard input',
        ) from None
