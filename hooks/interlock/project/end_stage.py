"""End a stage: make its records, judge them, commit, and choose the menu."""

from __future__ import annotations

import os

from interlock.engine.stage_commits import confirmed_for
from interlock.files.actor import actor
from interlock.files.disk_snapshot import SteadySnapshot
from interlock.files.users_cache import menus_of
from interlock.git.repository import Repository
from interlock.model.errors import Denied
from interlock.model.fixes import LEAVE_OUT, WHY, ours
from interlock.model.quick_tools import contextmanager
from interlock.model.quick_typing import Iterator, NamedTuple
from interlock.model.report import Report
from interlock.model.state import State
from interlock.operations import commit_stage as operations
from interlock.operations import menu
from interlock.operations.menu import ShownMenu
from interlock.operations.progress_text import Words
from interlock.project.project import Project
from interlock.project.stage_boundary import Boundary, boundary
from interlock.report.terminal import err
from interlock.transactions.commit import CommitOutcome
from interlock.workflow.language.menus import Menus
from interlock.workflow.reading.records import Records, records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.workflow.reading.agent_report import AgentReport

# a contract changed, and only the message can give the reason
AMENDMENT = 'CON006'


class StageInput(NamedTuple):
    """What the command line says about the stage."""

    item: str
    stage: str
    text: str
    # why a contract changed
    amend: str = ''
    # the report of the agent, and the name of its file
    report: AgentReport | None = None
    file: str = ''
    # whether to write the state if the agent did not
    fallback: bool = False

    @property
    def command(self) -> list[str]:
        return ['commit-stage', self.item, self.stage, '-m', self.text]


class JudgedStage(NamedTuple):
    """A stage with its records made and judged; nothing is written yet."""

    given: StageInput
    label: str
    message: str
    boundary: Boundary
    # read before the commit, and shown after it
    menus: Menus
    report: Report

    @property
    def refusal(self) -> Denied:
        return Denied(
            f'{self.label} of {self.given.item} is not committed, and nothing was '
            f'written',
            self._remedy(),
        )

    def _remedy(self) -> str:
        """The command that fixes the refusal; no file holds the stage yet."""
        own, findings = self.given.command, self.report.findings
        if any(each.code == AMENDMENT for each in findings):
            return ours(*own, '--amend', WHY)
        label, fix, _ = next(each for each in findings if each.refuses).fix
        is_ours = fix.startswith('interlock ') and not fix.startswith(ours(*own[:1]))
        if is_ours or label == LEAVE_OUT:
            return fix
        return ours('verify-state', self.given.item)

    def dry_run(self) -> Iterator[str]:
        """The lines that say what the commit would hold."""
        yield f'would end {self.label}: {self.given.text}'
        yield f'\n{self.message}'
        for path, entry in sorted(self.boundary.changed.items()):
            yield f'would {"commit" if entry else "remove"}: {path}'
        for path in sorted(self.boundary.files):
            yield f'would write: {path}'

    def commit(self) -> str:
        """Commit the stage; return the short id of the commit."""
        outcome = self.boundary.commit(self.message)
        if not outcome.commit:
            what = f'{self.label} of {self.given.item}'
            raise _refused(self.boundary.here.top, what, outcome)
        git = self.boundary.repository.git
        return git.line('rev-parse', '--short', outcome.commit)

    def next_menu(self) -> ShownMenu | None:
        """The menu of the item once its stage is committed, None for none."""
        here, at = self.boundary.here, self.boundary.at
        # a hook may have changed the files
        now = records(SteadySnapshot(here.top), at.kind, at.item)
        return menu.checkpoint(now, self.menus, here.today, context=self.given.text)


@contextmanager
def judged_stage(
    here: Project, given: StageInput, config: str, dry_run: bool
) -> Iterator[JudgedStage]:
    """Make the records of the end of a stage, and judge them."""
    repository = here.require_repository('nothing can be committed: ')
    at = here.item(given.item)
    state = operations.parse_stage(given.stage, at)
    message = _message(repository, at, state, given)
    menus = menus_of(here.snapshot, here.workflow, at.kind)
    with (
        _main_lock(here, config),
        boundary(here, repository, at, state, dry_run) as end,
    ):
        end.refuse_untried()
        end.stage_files()
        _write_records(end, given)
        end.stage_records()
        report = end.judge(message, config)
        end.warn(report)
        yield JudgedStage(given, at.kind.label(state), message, end, menus, report)


def _message(
    repository: Repository, at: Records, state: State, given: StageInput
) -> str:
    """The message of the commit, with what the user confirmed before this stage."""
    common = repository.facts.common_dir
    found = confirmed_for(repository, common, at.kind, at.item, state)
    confirmed = [str(found)] if found else []
    who = actor(os.environ)
    by_agent = bool(who.session or who.automated)
    return operations.message(at, state, given.text, given.amend, confirmed, by_agent)


@contextmanager
def _main_lock(here: Project, config: str) -> Iterator[None]:
    if not any(kind.protocol for kind in here.workflow.kinds):
        yield
        return
    # imported here: most projects have no tasks
    from interlock.tasks.lock_actions import main_lock

    with main_lock(here.top, config):
        yield


def _write_records(end: Boundary, given: StageInput) -> None:
    words: Words | None = Words(given.text)
    report = given.report
    if report is not None:
        amended = ['--amend', given.amend] if given.amend else []
        command = [*given.command, *amended]
        words = end.verify(report, given.fallback, given.file, command)
        words = words and words._replace(text=words.text or given.text)
    end.write(words, given.amend, report.phase if report else '')


def _refused(top: str, what: str, outcome: CommitOutcome) -> Denied:
    restored = [
        os.path.relpath(path, os.path.realpath(top)) for path in outcome.undone.restored
    ]
    for path in outcome.undone.kept:
        err(f'what a hook wrote into a state file is kept in {path}')
    who = (
        'somebody else committed at the same time'
        if outcome.overtaken
        else 'git or a hook refused the commit'
    )
    return Denied(
        f'{who}: {what} is not committed; restored: '
        f'{", ".join(restored) or "nothing"}; the index is unchanged',
        'fix the problems above, then run this again',
    )
