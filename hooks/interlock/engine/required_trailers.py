"""The trailers that commits of a range must have if the workflow asks for them."""

from __future__ import annotations

from interlock.checks.message import not_confirmed, not_gated
from interlock.documents import message as messages
from interlock.documents.trailers import CONFIRMED, confirmed
from interlock.git.parse import Commit
from interlock.git.repository import Repository
from interlock.model.finding import Finding
from interlock.model.quick_typing import Iterator
from interlock.workflow.language.spec import Workflow

# enough digits of a tree id to tell trees apart
LENGTH = 16


def stamp(repository: Repository, file: str, trailer: str) -> None:
    """Write the id of the judged tree into the message of its commit.

    This runs at commit-msg, which `--no-verify` skips.
    """
    tree = repository.git.line('write-tree')[:LENGTH]
    repository.git.add_trailers(file, [f'{trailer}: {tree}'])


class RequiredTrailers:
    """Checks the commits of a range, oldest first."""

    def __init__(
        self, repository: Repository, base: Commit | None, workflow: Workflow
    ) -> None:
        self.repository = repository
        self.gate_trailer = workflow.gate_trailer
        self.kinds = [
            (kind, kind.commit.confirm)
            for kind in workflow.kinds
            if kind.commit.confirm is not None
        ]
        # whether an earlier commit has a trailer for a confirmed stage
        self.is_used = (
            bool(self.kinds)
            and base is not None
            and bool(repository.git.messages(f'^{CONFIRMED}: ', base.oid))
        )

    def missing(self, commit: Commit) -> Iterator[Finding]:
        message = messages.parse(commit.message)
        if self.gate_trailer:
            found = message.trailers.get(self.gate_trailer.lower(), '')
            expected = commit.tree[:LENGTH]
            if found != expected:
                yield not_gated(commit.oid, self.gate_trailer, expected, found)
        said = confirmed(message)
        asked = [kind for kind, confirm in self.kinds if confirm.always or self.is_used]
        self.is_used = self.is_used or said is not None
        if not asked:
            return
        # few workflows ask for confirmations
        from interlock.engine import stage_commits

        for kind in asked:
            owed = stage_commits.stage_to_confirm(
                self.repository, commit, kind, message.subject
            )
            if owed and (said is None or said.stage != owed.name):
                yield not_confirmed(commit.oid, owed.item, owed.name, owed.commit)
                return
