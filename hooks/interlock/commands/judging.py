"""From the options of a command to a report."""
from __future__ import annotations

import contextlib
from collections.abc import Iterable
from collections.abc import Sequence
from typing import TYPE_CHECKING

from interlock.checks.engine import judge
from interlock.commands import baseline
from interlock.documents import message as messages
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
from interlock.workflow.spec import Workflow
from interlock.world.answers import Commit
from interlock.world.answers import decode
from interlock.world.config import Governing
from interlock.world.files import read
from interlock.world.repository import Repository

if TYPE_CHECKING:
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
        # of a push: whose workflow governs all of it, and not what it brings
        self.base: Snapshot | None = None
        self._sites: Sites | None = None

    def changes(self, changes: Sequence[Change]) -> list[Finding]:
        """Judges one change, given against each of its parents."""
        before = self.base or changes[0].before
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
        return self.keep(found, known, changes[0].everything)

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
        return self.keep(found, set())

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
            if self.governing.found.given:
                # no commit has to do with it
                raise
            # in a history one broken commit is a finding, not the end
            path = self.governing.path
            broken = finding(
                'CFG002', EVERY_ITEM, path, e.line, e.message,
                found=e.message, fix=edit(path, e.line),
            )
            return self.keep([broken._replace(commit=commit.oid)], set())

    def all_commits(
            self,
            commits: Iterable[Commit],
            base: Commit | None = None,
    ) -> None:
        for commit in commits:
            self.commit(commit, base)

    def gate_trailer(self) -> str:
        """By which commits show that the local gate saw them."""
        try:
            head = self.repository.head()
            tree = self.repository.tree(head.tree) if head else None
            before = self.base or tree
            if before is None:
                return ''
            return self.governing.before(before).gate_trailer
        except InvalidWorkflow:
            return ''

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
        self.keep(self.tree_findings(tree), known, everything=True)

    def standing(self, tree: str) -> Report:
        """What is wrong with a tree now, apart from what was found so far."""
        other = Judge(self.repository, self.config, self.only)
        # a broken workflow is a finding of the commit that broke it
        with contextlib.suppress(InvalidWorkflow):
            other.tree(tree)
        return other.report()

    def keep(
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
