"""The end of a stage: its records, the checks, and the commit."""

from __future__ import annotations

import contextlib
import os
import tempfile

from interlock.documents import message as messages
from interlock.engine.judge import Judge
from interlock.git.index import Staging, refuse_unfinished, users_index
from interlock.git.repository import Repository
from interlock.model.change import Snapshot, data_of
from interlock.model.errors import Denied
from interlock.model.finding import ERROR, Finding
from interlock.model.fixes import LEAVE_OUT, of_unstaged, ours
from interlock.model.overlay import Overlay
from interlock.model.quick_typing import Iterator
from interlock.model.report import Report
from interlock.model.state import State
from interlock.operations import commit_stage as operations
from interlock.operations import contracts
from interlock.operations.advance import advance
from interlock.operations.progress_text import Words
from interlock.operations.registry.status import next_proof
from interlock.project.project import Project
from interlock.report.terminal import err
from interlock.transactions import commit as committing
from interlock.transactions import journal as journals
from interlock.transactions.commit import BegunCommit, CommitOutcome, undo_steps
from interlock.workflow.language.spec import DONE
from interlock.workflow.reading import gates, plan_phases, transitions
from interlock.workflow.reading.records import Records, records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.workflow.reading.agent_report import AgentReport


class Boundary:
    """The steps that end a stage; each one builds on the step before it.

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
        # path -> new content of a state file, as on disk
        self.files: dict[str, bytes | None] = {}
        # the same contents as git stores them
        self._stored_as: dict[tuple[str, bytes], bytes] = {}
        # path -> index entry, for every file that the commit changes
        self.changed: dict[str, str] = {}
        self.warnings: list[str] = []
        # the registry's entry in the user's index, '' for the committed one
        self._own_entry = ''

    def refuse_untried(self) -> None:
        """Refuse a stage without its evidence, however old the handoff is."""
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
            # the illegal step is refused when the records are written
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
        self, report: AgentReport, fallback: bool, file: str, command: list[str]
    ) -> Words | None:
        """The words to write in place of the agent, None for none.

        `command` is the command line that named the `file` of the report.
        """
        # most stages end without a report
        from interlock.operations.verify import fallback_command
        from interlock.project.reported_stage import ReportedStage

        stage = ReportedStage(self.here, self.at, self.state, report, self._contents())
        found = stage.found
        self.warnings.extend(found.warnings)
        if found.verified:
            return None
        stage.refuse_to_write()
        why = f'not verified ({found.reason}): {found.error}'
        if not fallback:
            raise Denied(why, fallback_command(self.at, command, file, why))
        err(
            f'interlock: {why}; {report.agent} did not update the state, so '
            f'it is written here'
        )
        return stage.words

    def write(self, words: Words | None, amend: str, phase: str = '') -> None:
        """Make the records: the stage done, the phase ticked, the contracts sealed.

        Without words the agent wrote the records, and they are only sealed.
        `phase` is the last phase of the stage, from a report.
        """
        done = plan_phases.parse(phase, self.at.kind) or self.state
        self.files.update(operations.plan_with_done_phase(self.at, done))
        at, contents = self.at, self._contents()
        if self.files:
            # the plan may be sealed, and the seal is that of its new content
            after = Overlay(self.here.snapshot, self.files)
            at = records(after, at.kind, at.item)
        if words is None:
            outcome = contracts.seal(at, contracts.seals(at, contents), amend)
        else:
            words = words._replace(day=self.here.today, amend=amend)
            outcome = advance(at, self.state, contents, words)
        self.files.update(outcome.files)
        self.warnings.extend(outcome.warnings)

    def stage_records(self) -> None:
        """Stage the new records; of the registry only the record of this item."""
        registry = self.at.registry_path
        stored = self._stored_files()
        old = self._old(registry)
        source = stored.pop(registry, None) or (old and self._stored(registry, old))
        self._refuse_ignored([*stored, registry])
        tree = self.here.committed()
        committed = data_of(tree, registry) if tree else None
        if source is not None:
            stored[registry] = operations.registry_with_record(
                self.at, committed, source
            )
        self.staged.replace(stored)
        self._index_registry(registry, source, committed)
        self.changed = self.staged.staged()

    def _refuse_ignored(self, paths: list[str]) -> None:
        handoff = self.at.active_handoff
        for path in self.staged.ignored([*paths, *([handoff.path] if handoff else [])]):
            raise Denied(
                f'{path} is ignored by git, and would be missing from the commit',
                f'git check-ignore -v {path}',
            )

    def _index_registry(
        self, registry: str, source: bytes | None, committed: bytes | None
    ) -> None:
        """Keep other staged changes of the registry staged."""
        was = self.staged.was.get(registry, '')
        base = self.staged.blob(was)
        if base is not None and source is not None and base != committed:
            data = operations.registry_with_record(self.at, base, source)
            oid = self.staged.write(data, '--no-filters')
            self._own_entry = f'{was.partition(" ")[0]} {oid}'

    def judge(self, message: str, config: str) -> Report:
        """Judge as the hooks would, whether they are installed or not."""
        if not self.changed:
            raise Denied(
                f'{self.at.kind.label(self.state)} of {self.at.item} is '
                f'committed already: nothing differs from HEAD',
                'git log -1',
            )
        judge = Judge(self._scratch, config, by_disk=True)
        judge.changes(
            [
                # this is not an amend, whatever HEAD says
                change._replace(amended=None)
                for change in self._scratch.staged(messages.parse(message))
            ]
        )
        report = judge.report()
        return report._replace(findings=[*map(self._fixable, report.findings)])

    def _fixable(self, finding: Finding) -> Finding:
        """The same finding for somebody who has staged nothing: our index is dropped."""
        paths = sorted(self.changed.keys() - self.files.keys())
        if finding.fix.label != LEAVE_OUT or not paths:
            return finding
        return finding._replace(fix=of_unstaged(finding.fix, *paths))

    def warn(self, judged: Report) -> None:
        """Print each warning once: findings already say most of them."""
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
            undo_steps(changes),
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
            from interlock.git.worktree_snapshot import objects_apart

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
