"""Does a stage commit say that the user confirmed the stage before it?"""

from __future__ import annotations

from collections.abc import Iterable

from interlock.documents import message as messages
from interlock.documents.trailers import CONFIRMED, confirmed
from interlock.engine import stage_commits
from interlock.engine.stage_commits import Checkpoint
from interlock.git.parse import Commit
from interlock.git.repository import Repository
from interlock.model.finding import Finding, Fix
from interlock.rules.new_finding import finding
from interlock.workflow.language.spec import Workflow


def _finding(commit: Commit, found: Checkpoint) -> Finding:
    return finding(
        'COM009',
        found.item,
        '',
        0,
        f'the commit does not say that the user confirmed stage {found.name} '
        f'({found.commit[:10]}): the trailer `{CONFIRMED}` is missing or '
        f'names another stage',
        key=commit.oid,
        expected=found.name,
        fix=Fix('look at the commit', f'git show {commit.oid[:10]}'),
    )._replace(commit=commit.oid)


class Confirming:
    """Asked of the commits of a range, one after the other."""

    def __init__(
        self, repository: Repository, base: Commit | None, workflow: Workflow
    ) -> None:
        self.repository = repository
        self.kinds = [
            (kind, kind.commit.confirm)
            for kind in workflow.kinds
            if kind.commit is not None and kind.commit.confirm is not None
        ]
        # whether a commit before says it
        self.is_used = (
            bool(self.kinds)
            and base is not None
            and bool(repository.git.messages(f'^{CONFIRMED}: ', base.oid))
        )

    def pass_over(self, commits: Iterable[Commit]) -> None:
        """Of commits that are asked elsewhere: whether one says it."""
        if self.kinds and not self.is_used:
            self.is_used = any(
                confirmed(messages.parse(commit.message)) is not None
                for commit in commits
            )

    def unconfirmed(self, commit: Commit) -> list[Finding]:
        message = messages.parse(commit.message)
        said = confirmed(message)
        asked = [kind for kind, confirm in self.kinds if confirm.always or self.is_used]
        self.is_used = self.is_used or said is not None
        for kind in asked:
            found = stage_commits.owed(self.repository, commit, kind, message.subject)
            if found and (said is None or said.stage != found.name):
                return [_finding(commit, found)]
        return []
