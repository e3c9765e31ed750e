"""From the options of a command to a report."""
from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Sequence
from typing import TYPE_CHECKING

from interlock.checks.engine import counted
from interlock.checks.engine import forwarded_in
from interlock.checks.engine import judge
from interlock.checks.engine import together_in
from interlock.commands import baseline
from interlock.documents import message as messages
from interlock.documents import trailers
from interlock.model.change import Change
from interlock.model.change import Message
from interlock.model.change import Snapshot
from interlock.model.errors import InvalidWorkflow
from interlock.model.errors import Refusal
from interlock.model.finding import EVERY_ITEM
from interlock.model.finding import Finding
from interlock.model.make import finding
from interlock.model.remedy import edit
from interlock.model.remedy import review
from interlock.report.summary import Report
from interlock.workflow.names import is_record
from interlock.workflow.spec import Workflow
from interlock.world.ahead import Ahead
from interlock.world.config import Governing
from interlock.world.files import read
from interlock.world.git import Commit
from interlock.world.git import decode
from interlock.world.repository import Repository

if TYPE_CHECKING:
    from interlock.commands.confirmed import Confirming
    from interlock.world.sites import Sites


def read_message(path: str, repository: Repository) -> Message:
    data = read(path)
    if data is None:
        raise Refusal(f'the message file {path} does not exist')
    encoding, comment = repository.git.message_settings()
    text = decode(data, encoding)
    return messages.parse(messages.without_template(text, comment))


class Judge:
    """Judges changes of one repository and collects what it finds."""

    def __init__(
            self,
            repository: Repository,
            config: str = '',
            only: Sequence[str] = (),
            inherited: bool = False,
            is_here: bool = False,
    ) -> None:
        self.repository = repository
        # the change is being made in this worktree, and is no history yet
        self.is_here = is_here
        self.config = config
        self.governing = Governing(repository, config)
        self.only = only
        self.inherited = inherited
        self.findings: list[Finding] = []
        self.suppressed = 0
        self.stale: set[str] = set()
        self.adopted: set[str] = set()
        self.commits = 0
        # whose workflow governs a whole push: what a push brings does not
        self._base: Snapshot | None = None
        self._sites: Sites | None = None

    def changes(self, changes: Sequence[Change]) -> list[Finding]:
        """Judges one change, given against each of its parents."""
        before = self._base or changes[0].before
        try:
            workflow = self.governing.before(before)
        except InvalidWorkflow as e:
            return self._repaired(changes, e)
        self._refuse_idle(workflow)
        known = baseline.before(before, workflow, self.governing)
        known = known | self.adopted
        if self.inherited:
            changes = [c._replace(everything=True) for c in changes]
        changes = self._placed(changes, workflow)
        found = judge(changes, workflow, self.only)
        return self._keep(found, known, changes[0].everything)

    def _refuse_idle(self, workflow: Workflow) -> None:
        """A hook that can find nothing must not look as if it passed."""
        named = workflow.documents
        if 'document' in self.only and not named.handoffs + named.markdown:
            raise Refusal(
                'the workflow names no documents, so none is judged',
                f"add `documents: {{markdown: ['**.md']}}` to "
                f'{self.governing.path or workflow.source}',
            )

    def _placed(
            self,
            changes: Sequence[Change],
            workflow: Workflow,
    ) -> list[Change]:
        """With what tasks and their locks have to do with it."""
        if not any(kind.protocol for kind in workflow.kinds):
            return list(changes)
        # most projects have no tasks
        from interlock.world.sites import Sites
        if self._sites is None:
            self._sites = Sites(self.repository, self.governing)
        return self._sites.placed(changes, workflow, self.is_here)

    def _repaired(
            self,
            changes: Sequence[Change],
            error: InvalidWorkflow,
    ) -> list[Finding]:
        """A change of a tree whose workflow is broken, by its own."""
        change = changes[0]
        if self.governing.path not in change.touched:
            raise error
        workflow = self.governing.before(change.after)
        path = self.governing.path
        found = [
            finding(
                'CFG005', EVERY_ITEM, path, 1,
                'the workflow before is invalid, so the change is judged by '
                'its own',
                fix=review(path),
            )._replace(commit=change.commit),
            *judge(self._placed(changes, workflow), workflow, self.only),
        ]
        return self._keep(found, set())

    def adopt(self, tree: str) -> None:
        """Let the baseline of a tree count for all that came before it."""
        snapshot = self.repository.tree(tree)
        # of a tree whose workflow is broken no baseline counts either
        with contextlib.suppress(InvalidWorkflow):
            workflow = self.governing.before(snapshot)
            self.adopted = baseline.before(snapshot, workflow, self.governing)

    def commit(
            self,
            commit: Commit,
            base: Commit | None = None,
    ) -> list[Finding]:
        self.commits += 1
        changes = self.repository.of_commit(commit, base)
        try:
            return self.changes(changes)
        except InvalidWorkflow as e:
            # in a history one broken commit is a finding, not the end
            path = self.governing.path
            broken = finding(
                'CFG002', EVERY_ITEM, path, e.line, e.message,
                found=e.message, fix=edit(path, e.line),
            )
            return self._keep([broken._replace(commit=commit.oid)], set())

    def all_commits(
            self,
            commits: Iterable[Commit],
            base: Commit | None = None,
    ) -> None:
        for commit in commits:
            self.commit(commit, base)

    def push(
            self,
            base: Commit | None,
            commits: Sequence[Commit],
            default: Commit | None = None,
            expect: Callable[[Commit], None] = lambda _: None,
    ) -> None:
        """Each commit and the whole, by the workflow of their base.

        Where that has none, by the one of `default`; what a push itself
        brings counts only where there is no other. `expect` is told of each
        commit before it is judged.
        """
        inherited = self.inherited
        self._base = self._governor(base) or self._governor(default)
        if commits:
            last = self.repository.tree(commits[-1].tree)
            self.governing.last_resort = last
        confirming = self._confirming(base)
        ahead = Ahead(self.repository, commits, self._is_read())
        for number, commit in enumerate(commits):
            ahead.reach(number)
            expect(commit)
            # what is inherited is said once, for the last tree
            self.inherited = inherited and commit is commits[-1]
            self.commit(commit, base)
            self._past_the_gate(commit)
            if confirming is not None:
                self._confirmed(confirming, commit)
        self.inherited = False
        if self._base is not None and base is not None and commits:
            self._whole(base, commits[-1])
        self._base, self.inherited = None, inherited

    def forwarded(
            self,
            base: Commit | None,
            tip: Commit | None,
            branch: str,
    ) -> None:
        """The work of tasks that is put onto the main branch as it is.

        The commits may be known from their own branch, and judged there.
        """
        if not branch or base is None or tip is None or (
                self.only and 'commit' not in self.only
        ):
            return
        texts = self.repository.git.messages(
            f'^{trailers.TASK}: ', tip.oid, f'^{base.oid}',
        )
        tasks = dict.fromkeys(trailers.task(messages.parse(t)) for t in texts)
        if not any(tasks):
            return
        # a broken workflow is a finding of the commit that broke it
        with contextlib.suppress(InvalidWorkflow):
            workflow = self.governing.before(self.repository.tree(base.tree))
            change = self.repository.between(base, tip)._replace(
                merged=tuple(filter(None, tasks)),
            )
            found = forwarded_in(change, workflow, branch)
            known = {(each.code, each.item) for each in self.findings}
            self._keep([
                each for each in found if (each.code, each.item) not in known
            ], set())

    def gate_trailer(self) -> str:
        """By which commits show that the local gate saw them."""
        try:
            head = self.repository.head()
            tree = self.repository.tree(head.tree) if head else None
            before = self._base or tree
            if before is None:
                return ''
            return self.governing.before(before).gate_trailer
        except InvalidWorkflow:
            return ''

    def _past_the_gate(self, commit: Commit) -> None:
        if self._base is None or (self.only and 'message' not in self.only):
            return
        workflow = self.governing.before(self._base)
        if workflow.gate_trailer:
            # only where a project asks for it
            from interlock.commands.stamp import unstamped
            found = unstamped(commit, workflow.gate_trailer)
            if found is not None:
                self._keep(counted([found], workflow), set())

    def _confirming(self, base: Commit | None) -> Confirming | None:
        """What asks whether stages were confirmed; None: nobody does."""
        if self._base is None or (self.only and 'message' not in self.only):
            return None
        from interlock.commands.confirmed import Confirming
        workflow = self.governing.before(self._base)
        return Confirming(self.repository, base, workflow)

    def _confirmed(self, confirming: Confirming, commit: Commit) -> None:
        assert self._base is not None, 'whose workflow asks for it'
        workflow = self.governing.before(self._base)
        self._keep(counted(confirming.unconfirmed(commit), workflow), set())

    def _is_read(self) -> Callable[[str], bool]:
        """Tells the files that checks read from those they only name."""
        if self._base is None:
            return lambda _: False
        workflow = self.governing.before(self._base)
        return functools.partial(is_record, workflow)

    def _governor(self, base: Commit | None) -> Snapshot | None:
        """The base, if it has a workflow by which can be judged."""
        if base is None:
            return None
        tree = self.repository.tree(base.tree)
        if not self.governing.path or tree.blob(self.governing.path) is None:
            return None
        try:
            self.governing.before(tree)
        except InvalidWorkflow:
            return None
        return tree

    def _whole(self, base: Commit, tip: Commit) -> None:
        """What stands at the end although no commit alone brought it."""
        if not self.repository.is_ancestor(base, tip):
            return
        change = self.repository.between(base, tip)
        known = {each.fingerprint for each in self.findings}
        kept = len(self.findings)
        self.changes([change])
        new = self.findings[kept:]
        del self.findings[kept:]
        self.findings.extend(
            each for each in new
            if each.standing and each.fingerprint not in known
        )
        if not self.only or 'workflow' in self.only:
            workflow = self.governing.before(change.before)
            self._keep(together_in(change, workflow), set())

    def tree_findings(self, tree: str) -> list[Finding]:
        """Everything wrong with a tree, whatever a baseline says."""
        change = self.repository.of_tree(tree)
        # a tree that is judged as it stands is judged by its own workflow
        workflow = self.governing.before(change.after)
        return judge([change], workflow, self.only)

    def tree(self, tree: str) -> None:
        snapshot = self.repository.tree(tree)
        workflow = self.governing.before(snapshot)
        known = baseline.before(snapshot, workflow, self.governing)
        self._keep(self.tree_findings(tree), known, everything=True)

    def standing(self, tree: str) -> Report:
        """What is wrong with a tree now, apart from what was found so far."""
        other = Judge(self.repository, self.config, self.only)
        # a broken workflow is a finding of the commit that broke it
        with contextlib.suppress(InvalidWorkflow):
            other.tree(tree)
        return other.report()

    def _keep(
            self,
            found: Sequence[Finding],
            known: set[str],
            everything: bool = False,
    ) -> list[Finding]:
        # only what stands can be excused, never a step
        seen = {each.fingerprint for each in found if each.standing}
        self.suppressed += len(known & seen)
        if everything and not self.only:
            self.stale = known - seen
        kept = [
            each for each in found
            if not (each.standing and each.fingerprint in known) and
            (each.introduced or self.inherited)
        ]
        self.findings.extend(kept)
        return kept

    def report(self) -> Report:
        return Report(
            self.findings, self.suppressed, sorted(self.stale), self.commits,
        )
