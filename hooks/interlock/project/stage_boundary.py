"""The end of a stage: its records, the checks, and the commit."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile

from interlock.checks.run import findings_of
from interlock.documents import message as messages
from interlock.engine.judge import Judge
from interlock.git.index import Staging, refuse_unfinished, users_index
from interlock.git.repository import Repository
from interlock.git.worktree_snapshot import objects_apart
from interlock.model.change import Snapshot
from interlock.model.errors import Denied, Refusal
from interlock.model.finding import ERROR
from interlock.model.fixes import ours
from interlock.model.quick_typing import Callable, Iterator
from interlock.model.report import Report
from interlock.model.state import State
from interlock.operations import commit_stage as operations
from interlock.operations import contracts, verify
from interlock.operations.advance import advance
from interlock.operations.outcome import Overlay, data_of
from interlock.operations.progress_text import Words
from interlock.operations.registry.status import next_proof
from interlock.operations.verify import WORK, Work, menu_of
from interlock.project.project import Project
from interlock.report.terminal import err
from interlock.tasks.agent_work import AgentWork, in_repository, started
from interlock.transactions import commit as committing
from interlock.transactions import journal as journals
from interlock.transactions.commit import BegunCommit, CommitOutcome, undoing
from interlock.workflow.language.spec import DONE
from interlock.workflow.reading import agent_report, gates, plan_phases, transitions
from interlock.workflow.reading.agent_report import AgentReport
from interlock.workflow.reading.records import Records, records


def _agent_work(here: Project, at: Records, contents: Snapshot) -> Work:
    """The files of an item, compared with those from when the agent started."""
    directory = os.path.dirname(here.journal.directory)
    record = started(directory, at.item)
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
    """What an agent reports of a stage, compared with the files of the project."""

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

    def refuse_to_write(self) -> None:
        """Refuse to write the state in place of the agent, if the work is not done."""
        why = verify.refusal(self.report, self.state, self.files)
        if why:
            raise Denied(why, menu_of(self.at, WORK, why))


class Boundary:
    """The steps that end a stage, each made of what the one before it found.

    Nothing is written before the commit.
    """

    def __init__(
        self,
        here: Project,
        at: Records,
        state: State,
        repository: Repository,
        staged: Staging,
    ) -> None:
        self.here = here
        self.at = at
        self.state = state
        self.repository = repository
        self.staged = staged
        # with our index in place of the user's
        self._scratch = repository.with_git(staged.git)
        # path -> what a state file gets, on disk
        self.files: dict[str, bytes | None] = {}
        # the same as git stores it
        self._stored_as: dict[tuple[str, bytes], bytes] = {}
        # path -> entry of all that the commit changes
        self.changed: dict[str, str] = {}
        self.warnings: list[str] = []
        # of the registry in the user's index, '' for what is committed
        self._own_entry = ''

    def refuse_untried(self) -> None:
        """The evidence of a stage is asked for, whatever the handoff's age."""
        at, state = self.at, self.state
        origin = at.stage
        if at.role == DONE and at.state and at.active_handoff is None:
            raise Denied(
                f'{at.item} is {at.kind.label(at.state)}: its stages are done',
                ours('menu', at.called),
            )
        if origin != state and (
            transitions.step(origin, state, at.kind).severity == ERROR
        ):
            # refused when the records are written, for the illegal step
            return
        for gap in gates.unfit(at.current, at.kind, state):
            why = gates.why(gap) if gap.asked else gates.sentence(gap, at.kind)
            raise Denied(
                f'{at.kind.label(state)} of {at.item} may not end: {why}',
                next_proof(at, gap),
            )

    def stage_files(self) -> None:
        """Stage the files of the item as they are on disk."""
        wanted = [*operations.patterns(self.at), self.at.registry_path]
        self.staged.add(operations.roots(wanted), wanted)

    def _old(self, path: str) -> bytes | None:
        return data_of(self.here.snapshot, path)

    def _stored(self, path: str, data: bytes) -> bytes:
        key = (path, data)
        if key not in self._stored_as:
            self._stored_as[key] = self.staged.stored(path, self._old(path), data)
        return self._stored_as[key]

    def _stored_files(self) -> dict[str, bytes | None]:
        return {
            path: data and self._stored(path, data) for path, data in self.files.items()
        }

    def _records(self) -> Records:
        """The records as they will be."""
        after = Overlay(self.here.snapshot, self.files)
        return records(after, self.at.kind, self.at.item)

    def _contents(self) -> Snapshot:
        """The files as git will store them."""
        head = self.repository.head()
        tree = head.tree if head else self.repository.empty_tree
        oids = {
            path: entry.partition(' ')[2]
            for path, entry in self.staged.staged().items()
        }
        return Overlay(self._scratch.changed_tree(tree, oids), self._stored_files())

    def verify(
        self, report: AgentReport, fallback: bool, again: Callable[[str], str]
    ) -> Words | None:
        """What is to be written in place of the agent, None for nothing.

        `again` gives the command that would write it, with the reason.
        """
        stage = ReportedStage(self.here, self.at, self.state, report, self._contents())
        found = stage.found
        self.warnings.extend(found.warnings)
        if found.verified:
            return None
        stage.refuse_to_write()
        why = f'not verified ({found.reason}): {found.error}'
        if not fallback:
            raise Denied(why, again(why))
        err(
            f'interlock: {why}; {report.agent} did not update the state, so '
            f'it is written here'
        )
        return verify.words(report)

    def write(self, words: Words | None, amend: str, phase: str = '') -> None:
        """Make the records with the stage done, the phase ticked, the seals.

        Without words an agent has written them, and they are only sealed.
        `phase` is the last one of the stage, by a report.
        """
        done = plan_phases.parse(phase, self.at.kind) or self.state
        self.files.update(operations.ticked(self.at, done))
        at, contents = self._records(), self._contents()
        if words is None:
            outcome = contracts.seal(at, contracts.seals(at, contents), amend)
        else:
            outcome = advance(at, self.state, contents, self.here.today, words, amend)
        self.files.update(outcome.files)
        self.warnings.extend(outcome.warnings)

    def stage_records(self) -> None:
        """Stage the records as they will be; of the registry only this item."""
        registry = self.at.registry_path
        stored = self._stored_files()
        old = self._old(registry)
        source = stored.pop(registry, None) or (old and self._stored(registry, old))
        self._refuse_ignored([*stored, registry])
        tree = self.here.committed()
        committed = data_of(tree, registry) if tree else None
        if source is not None:
            stored[registry] = operations.grafted(self.at, committed, source)
        self.staged.replace(stored)
        self._index_registry(registry, source, committed)
        self.changed = self.staged.staged()

    def _refuse_ignored(self, paths: list[str]) -> None:
        current = self._records().current
        if current is not None:
            paths = [*paths, current.path]
        for path in self.staged.ignored(paths):
            raise Denied(
                f'{path} is ignored by git, and would be missing from the commit',
                f'git check-ignore -v {path}',
            )

    def _index_registry(
        self, registry: str, source: bytes | None, committed: bytes | None
    ) -> None:
        """What others staged of the registry stays staged."""
        was = self.staged.was.get(registry, '')
        base = self.staged.blob(was)
        if base is not None and source is not None and base != committed:
            data = operations.grafted(self.at, base, source)
            oid = self.staged.write(data, '--no-filters')
            self._own_entry = f'{was.partition(" ")[0]} {oid}'

    def judge(self, message: str, config: str) -> Report:
        """As the hooks would, whether any are installed or not."""
        if not self.changed:
            raise Denied(
                f'{self.at.kind.label(self.state)} of {self.at.item} is '
                f'committed already: nothing differs from HEAD',
                'git log -1',
            )
        judge = Judge(self._scratch, config, by_disk=True)
        judge.changes(
            [
                # no amend, whatever HEAD says
                change._replace(amended=None)
                for change in self._scratch.staged(messages.parse(message))
            ]
        )
        return judge.report()

    def warn(self, judged: Report) -> None:
        """Each warning once: findings say most of them."""
        said = [each.message for each in judged.findings]
        for warning in dict.fromkeys(self.warnings):
            if not any(warning in each or warning.endswith(each) for each in said):
                err(f'interlock: warning: {warning}')

    def commit(self, message: str) -> CommitOutcome:
        at, staged, top = self.at, self.staged, self.here.top
        changes = journals.resolved(
            {
                os.path.join(top, path): (self._old(path), data)
                for path, data in self.files.items()
            }
        )
        wanted = staged.wanted()
        if self._own_entry:
            wanted[at.registry_path] = self._own_entry
        begun = BegunCommit(
            self.repository.facts.git_dir,
            top,
            staged.index,
            staged.scratch,
            staged.before,
            staged.tree(),
            messages.parse(message).subject,
            {path: staged.was[path] for path in wanted},
            wanted,
            self.changed,
            undoing(changes),
        )
        return committing.commit(
            self.here.journal, begun, changes, message.encode(), os.environ
        )


@contextlib.contextmanager
def boundary(
    here: Project, repository: Repository, at: Records, state: State, dry_run: bool
) -> Iterator[Boundary]:
    """The end of a stage, with an index of its own on top of HEAD."""
    environ = dict(os.environ)
    scratch = here.journal.new_name() + journals.INDEX
    with contextlib.ExitStack() as stack:
        refuse_unfinished(repository)
        head = repository.head()
        if dry_run:
            directory = stack.enter_context(
                tempfile.TemporaryDirectory(prefix='interlock-')
            )
            environ = objects_apart(environ, directory)
            scratch = os.path.join(directory, 'index')
        before = head.oid if head else ''
        index = users_index(repository)
        staged = Staging(environ, here.top, before, scratch, index)
        stack.callback(journals.unlink, scratch)
        stack.callback(staged.close)
        staged.start()
        yield Boundary(here, at, state, repository, staged)


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
