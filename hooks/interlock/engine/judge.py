"""Judges changes of one repository and collects the findings."""

from __future__ import annotations

from interlock.checks.run import CheckLog, judge
from interlock.checks.watched_paths import is_unwatched, is_watched
from interlock.checks.workflow import of_adoption
from interlock.documents import message as messages
from interlock.documents.text import shown
from interlock.engine import baseline
from interlock.engine.moved_files import (
    NewPaths,
    at_new_path,
    at_old_paths,
    may_move,
    merged_at_old_paths,
    moved,
    moved_with_rules,
    new_registries,
)
from interlock.files.atomic_files import read
from interlock.git.parse import Commit, decode
from interlock.git.repository import Repository, no_path
from interlock.git.workflow_source import Governing
from interlock.model import quick_tools as functools
from interlock.model.change import (
    ADDED,
    DOUBLED,
    Change,
    MergedSnapshot,
    Message,
    Parent,
    Snapshot,
)
from interlock.model.errors import InvalidWorkflow, Refusal
from interlock.model.finding import ERROR, EVERY_ITEM, Finding, Fix
from interlock.model.fixes import review
from interlock.model.quick_tools import suppress
from interlock.model.quick_typing import Callable, Iterator, Sequence
from interlock.model.report import Report, plural
from interlock.report.terminal import all_localized
from interlock.rules.new_finding import Location
from interlock.workflow.language.spec import Workflow
from interlock.workflow.reading.item_paths import is_record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.tasks.lock_context import LockContext

# the number of commits for which git is asked at once
AT_ONCE = 32


def read_message(path: str, repository: Repository) -> Message:
    data = read(path)
    if data is None:
        raise Refusal(f'the message file {path} does not exist')
    encoding, comment = repository.git.message_settings()
    text = decode(data, encoding)
    return messages.parse(messages.without_template(text, comment))


def _malformed_commit(oid: str, why: str) -> Finding:
    return Location(EVERY_ITEM, '').finding(
        'CFG010',
        f'the commit is malformed: {why}, so what git checks out is not '
        f'what others read',
        found=why,
        fix=Fix('look at the object', f'git cat-file -p {oid}'),
        commit=oid,
    )


def _doubled_entries(change: Change, workflow: Workflow) -> Iterator[Finding]:
    """A tree with two entries of one name: programs differ in which one they read.

    git reports the second one as the addition of a file that already exists.
    """
    for side in change.parents or (Parent(change.before, change.touched),):
        for path, letter in side.touched.items():
            if letter == DOUBLED or (
                letter == ADDED
                and is_watched(workflow, path)
                and side.snapshot.blob(path) is not None
            ):
                why = f'its tree has {shown(path)} more than once'
                yield _malformed_commit(change.commit, why)
                return
    if not change.commit or not workflow.recorded:
        return
    from interlock.workflow.agreements.scope import boards_of, is_about_records

    if is_about_records(change, workflow.recorded):
        _, board = boards_of(change, workflow.recorded)
        for path in board.doubled[:1]:
            why = f'its tree has {shown(path)} more than once'
            yield _malformed_commit(change.commit, why)


def _at_rest(change: Change) -> Change:
    """Without a change, the main worktree needs no lock."""
    site = change.site
    if site is None or change.touched or site.task or site.locked:
        return change
    return change._replace(site=None)


def _read_by(workflow: Workflow | None) -> Callable[[str], bool]:
    """Selects the files whose content is needed for records of other formats."""
    if workflow is None or not workflow.recorded:
        return no_path
    from interlock.workflow.agreements.scope import read_by

    return read_by(workflow.recorded)


class Judge:
    def __init__(
        self,
        repository: Repository,
        config: str = '',
        only: Sequence[str] = (),
        inherited: bool = False,
        is_here: bool = False,
        by_disk: bool = False,
    ) -> None:
        self.repository = repository
        # whether the change is being made in this worktree, and is not history yet
        self.is_here = is_here
        self.config = config
        self.governing = Governing(repository, config)
        repository.ancestry.places = self.governing.places
        self.only = only
        self.inherited = inherited
        self.findings: list[Finding] = []
        # the findings that the baseline excuses, by their fingerprints: a range may
        # find each many times
        self.excused: dict[str, Finding] = {}
        self.stale: set[str] = set()
        self.adopted: set[str] = set()
        self.commits = 0
        # the ids of the commits in the push being judged
        self.arriving: frozenset[str] = frozenset()
        # if no tree has a workflow, the file on disk counts
        self.by_disk = by_disk
        # commits from before any workflow governs
        self.adopting: set[str] = set()
        # whether any change was judged by a workflow
        self.is_governed = False
        # for reports that list the checks that ran
        self.log = CheckLog()
        self.files = 0
        self.governed_by = ''
        self._lock_context: LockContext | None = None
        # a workflow, and its older versions
        self._older: tuple[Workflow, list[Workflow]] | None = None

    def changes(self, changes: Sequence[Change]) -> list[Finding]:
        """Judge one change.

        A merge whose sides disagree about a file is given several times, once for
        each state that the file may have had before.
        """
        try:
            found = self._governing_workflow(changes[0])
        except InvalidWorkflow as e:
            return self._judge_repair(changes, e)
        if found is None:
            return self._judge_adoption(changes[0])
        self.is_governed = True
        workflow, before = found
        self._refuse_idle(workflow)
        real, *_ = changes
        self.files += len(real.touched)
        self.governed_by = workflow.source
        if is_unwatched(real, workflow) and not self.inherited:
            return []
        known = baseline.before(before, workflow, self.governing) | self.adopted
        paths = self._moved_with_rules(real, workflow)
        changes = (
            [moved(real, {}, paths)] if paths else self._before_move(changes, workflow)
        )
        if self.inherited:
            changes = [c._replace(everything=True) for c in changes]
        changes = self._with_locks(changes, workflow)
        judged = judge(changes, workflow, self.only, self.log)
        judged = [at_new_path(each, paths) for each in judged] if paths else judged
        judged.extend(_doubled_entries(real, workflow))
        return self.keep(judged, known, changes[0].everything)

    def _before_move(
        self, changes: Sequence[Change], workflow: Workflow
    ) -> Sequence[Change]:
        """The changes, compared with the paths before a move to those that the
        workflow names."""
        change = changes[0]
        if isinstance(change.before, MergedSnapshot):
            return merged_at_old_paths(
                changes, lambda tree: self._old_registries(tree, workflow)
            )
        elif change.parents or not workflow.path or not may_move(change, workflow):
            return changes
        parent = f'{change.commit}^' if change.commit else 'HEAD'
        for older in self._older_workflows(workflow, parent):
            found = at_old_paths(change, workflow, older)
            if found is not change:
                return [found]
        return changes

    def _moved_with_rules(self, change: Change, workflow: Workflow) -> NewPaths:
        """The paths that a change of the workflow gives to files."""
        if change.parents or change.touched.keys().isdisjoint(workflow.governing):
            return {}
        own = self.governing.valid(change.after)
        return moved_with_rules(change, workflow, own) if own else {}

    def _old_registries(self, tree: Snapshot, workflow: Workflow) -> NewPaths:
        """Where a tree has the registries that a workflow names elsewhere."""
        own = self.governing.valid(tree)
        return {
            new: old
            for old, new in (new_registries(own, workflow).items() if own else ())
            if tree.blob(old) and not tree.blob(new)
        }

    def _older_workflows(self, workflow: Workflow, rev: str) -> list[Workflow]:
        """The versions before a workflow, newest first."""
        git = self.repository.git
        if self._older is None or self._older[0] is not workflow:
            # in a partial clone git would fetch the trees of the whole history
            oid = '' if self.is_here and git.is_partial() else git.resolve(rev)
            oids = git.touching(oid, workflow.path) if oid else []
            found = (self.governing.of_commit(git.commit(oid)) for oid in oids)
            older = [each for each in found if each and each != workflow]
            self._older = workflow, older
        return self._older[1]

    def _judge_adoption(self, change: Change) -> list[Finding]:
        """No workflow governs an adoption: only what it adds is judged."""
        path = self.governing.path_in(change.after)
        found = list(of_adoption(change, path)) if path else []
        if not any(each.severity == ERROR for each in found):
            self.adopting.add(change.commit)
        return self.keep(found, set())

    def _governing_workflow(self, change: Change) -> tuple[Workflow, Snapshot] | None:
        """The workflow before a change and the tree that has it, None if there is none.

        A merge gets the three-way merge of its sides' workflows, so an
        outdated side does not bring back what the other one tightened. It is
        never the workflow of the change itself, and for history never the one
        on disk: either could switch off its own checks.
        """
        for before in (change.before, *(each.snapshot for each in change.parents)):
            workflow = self.governing.of_tree(before)
            if workflow is not None:
                return workflow, before
        is_adoption = bool(self.governing.path_in(change.after))
        if self.by_disk or (self.is_here and not is_adoption):
            return self.governing.on_disk(), change.before
        return None

    def _refuse_idle(self, workflow: Workflow) -> None:
        """Refuse a hook that cannot find anything: it must not look like a pass."""
        named = workflow.documents
        if 'document' in self.only and not named.handoffs + named.markdown:
            raise Refusal(
                'the workflow does not name any documents, so there is nothing to judge',
                f"add `documents: {{markdown: ['**.md']}}` to "
                f'{self.governing.path or workflow.source}',
            )

    def _with_locks(
        self, changes: Sequence[Change], workflow: Workflow
    ) -> Sequence[Change]:
        """The changes, each with the locks of the tasks that it belongs to."""
        if not any(kind.protocol for kind in workflow.kinds):
            return changes
        # most projects have no tasks
        from interlock.tasks.lock_context import LockContext

        if self._lock_context is None:
            self._lock_context = LockContext(self.repository, self.governing)
        found = self._lock_context.added_to(
            changes, workflow, self.is_here, self.arriving
        )
        return [_at_rest(each) for each in found] if self.by_disk else found

    def _judge_repair(
        self, changes: Sequence[Change], error: InvalidWorkflow
    ) -> list[Finding]:
        """Judge a change of a broken workflow by the workflow that it brings."""
        change = changes[0]
        path = self.governing.path_in(change.before)
        is_touched = bool(path) and path in change.touched
        workflow = self.governing.of_tree(change.after) if is_touched else None
        if workflow is None:
            raise error
        broken = Location(EVERY_ITEM, path).finding(
            'CFG005',
            'the previous workflow is invalid, so the change is judged by its own',
            fix=review(path),
            commit=change.commit,
        )
        judged = judge(self._with_locks(changes, workflow), workflow, self.only)
        return self.keep([broken, *judged], set())

    def adopt(self, tree: str) -> None:
        """Let the baseline of a tree apply to all commits before it."""
        snapshot = self.repository.tree(tree)
        # a tree with a broken workflow has no baseline either
        with suppress(InvalidWorkflow):
            workflow = self.governing.before(snapshot)
            self.adopted = baseline.before(snapshot, workflow, self.governing)

    def commit(self, commit: Commit) -> list[Finding]:
        self.commits += 1
        if commit.malformed:
            return self.keep([_malformed_commit(commit.oid, commit.malformed)], set())
        changes = self.repository.of_commit(commit, self.watched_by)
        self.note(commit, changes[0])
        try:
            return self.changes(changes)
        except InvalidWorkflow as e:
            if self.governing.found.given:
                # no commit is to blame for this file
                raise
            # in a history a broken commit is a finding and does not end the run
            path = self.governing.path_in(changes[0].before)
            broken = Location(EVERY_ITEM, path, e.line).finding(
                'CFG002', e.message, found=e.message, commit=commit.oid
            )
            return self.keep([broken], set())

    def note(self, commit: Commit, change: Change) -> None:
        """Called with each commit before it is judged."""

    def ahead(
        self, commits: Sequence[Commit], workflow: Workflow | None
    ) -> Iterator[Commit]:
        """The commits to judge; git is asked once for the contents of many."""
        from interlock.report.progress import progress

        is_recorded = _read_by(workflow)
        some, others = commits[:0], commits[:AT_ONCE]
        for number in progress(range(len(commits)), 'judging commits'):
            if number % AT_ONCE == 0:
                end = number + AT_ONCE
                some, others = others, commits[end : end + AT_ONCE]
                self.repository.read_ahead(
                    some,
                    functools.partial(is_record, workflow) if workflow else no_path,
                    is_recorded,
                )
                self.repository.announce(others)
            yield some[number % AT_ONCE]

    def staged(
        self,
        text: Message | None,
        message_follows: Callable[[], bool] = lambda: False,
        is_draft: bool = False,
    ) -> list[Finding]:
        """Judge the index against HEAD and against the commits being merged.

        `message_follows`: whether we are called again with a message.
        """
        changes = self.repository.staged(text, self.watched_by)
        return self.changes(
            [
                each._replace(message_follows=message_follows, is_draft=is_draft)
                for each in changes
            ]
        )

    def watched_by(self, parents: Sequence[str]) -> Callable[[str], bool]:
        """Selects the files of a merge whose contents checks compare.

        Uses the workflows of all parents, since one side may have moved the
        registry. Without any workflow, every file may matter.
        """
        workflows: list[Workflow] = []
        for oid in parents:
            parent = self.repository.git.commit(oid)
            workflow = self.governing.of_commit(parent)
            if workflow and workflow not in workflows:
                workflows.append(workflow)
        if not workflows:
            return lambda _: True
        return lambda path: any(is_watched(each, path) for each in workflows)

    def gate_trailer(self) -> str:
        """The trailer that shows that the local hooks judged a commit."""
        workflow = self.governing.of_commit(self.repository.head())
        return workflow.gate_trailer if workflow else ''

    def tree_findings(self, tree: str) -> list[Finding]:
        """All findings about a tree by its own workflow, without the baseline."""
        change = self.repository.of_tree(tree)
        workflow = self.governing.before(change.after)
        self.governed_by = workflow.source
        from interlock.report.progress import progress

        # a whole tree may have thousands of items
        self.log.shown = lambda names: progress(names, 'running checks')
        return judge([change], workflow, self.only, self.log)

    def tree(self, tree: str) -> None:
        snapshot = self.repository.tree(tree)
        workflow = self.governing.before(snapshot)
        known = baseline.before(snapshot, workflow, self.governing)
        self.keep(self.tree_findings(tree), known, everything=True)

    def standing(self, tree: str) -> Report:
        """The findings about a tree itself, apart from those collected so far."""
        other = Judge(self.repository, self.config, self.only)
        # a broken workflow is a finding of the commit that broke it
        with suppress(InvalidWorkflow):
            other.tree(tree)
        return other.report()

    def keep(
        self, found: Sequence[Finding], known: set[str], everything: bool = False
    ) -> list[Finding]:
        """Collect findings that the baseline (`known`) does not excuse."""
        if not found and not everything:
            return []
        # only a standing finding can be excused, never a step
        seen = {each.fingerprint for each in found if each.standing}
        for each in found:
            if each.standing and each.fingerprint in known:
                self.excused[each.fingerprint] = each
        if everything and not self.only:
            self.stale = known - seen
        kept = [
            each
            for each in found
            if not (each.standing and each.fingerprint in known)
            and (each.introduced or self.inherited)
        ]
        self.findings.extend(kept)
        return kept

    def report(self) -> Report:
        note = ''
        if self.adopting and self.is_here:
            path = self.governing.places[-1]
            note = f'this commit adopts {path}: it governs from the next commit on'
        elif self.adopting:
            number = plural(len(self.adopting), 'commit')
            note = f'{number} not judged: no workflow governed before'
        found = all_localized(self.findings, self.repository.facts.top)
        if found:
            # most changes have no finding, and the rule texts are large
            from interlock.report.causes import with_causes

            found = with_causes(found)
        stale = sorted(self.stale)
        return Report(
            found,
            all_localized([*self.excused.values()], self.repository.facts.top),
            stale,
            self.commits,
            note=note,
            times=self.log.times,
            files=self.files,
            governed_by=self.governed_by,
        )
