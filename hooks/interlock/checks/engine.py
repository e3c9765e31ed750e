"""Every check over a change, and what counts of what they find."""
from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence

from interlock.checks import commit
from interlock.checks import commit_todo
from interlock.checks import contracts
from interlock.checks import document
from interlock.checks import handoff
from interlock.checks import locks
from interlock.checks import message
from interlock.checks import registry
from interlock.checks import stages
from interlock.checks import workflow as workflow_file
from interlock.model.change import Change
from interlock.model.finding import Finding
from interlock.model.finding import OFF
from interlock.workflow.spec import Workflow

Check = Callable[[Change, Workflow], Iterator[Finding]]

CHECKS: dict[str, Check] = {
    'registry': registry.check,
    'contracts': contracts.check,
    'stages': stages.check,
    'locks': locks.check,
    'commit': commit.check,
    'handoff': handoff.check,
    'message': message.check,
    'document': document.check,
    'workflow': workflow_file.check,
}


def _severity(finding: Finding, workflow: Workflow) -> Finding:
    severity = workflow.severities.get(finding.code)
    return finding._replace(severity=severity) if severity else finding


def counted(
        findings: Iterable[Finding],
        workflow: Workflow,
) -> list[Finding]:
    """As severe as the workflow wants them; those it wants not, left out."""
    found = list(findings)
    if not found:
        # most checks of most changes
        return found
    judged = [_severity(finding, workflow) for finding in found]
    return [finding for finding in judged if finding.severity != OFF]


def together_in(change: Change, workflow: Workflow) -> list[Finding]:
    """What only the whole of a push shows."""
    return counted((
        finding._replace(commit=change.commit)
        for finding in workflow_file.together(change, workflow)
    ), workflow)


def forwarded_in(
        change: Change,
        workflow: Workflow,
        branch: str,
) -> list[Finding]:
    """What a push shows that brings the work of tasks to a branch."""
    return counted((
        finding._replace(commit=change.commit)
        for kind in workflow.kinds if kind.protocol is not None
        for finding in commit_todo.of_push(change, kind.protocol, branch)
    ), workflow)


def _run(
        change: Change,
        workflow: Workflow,
        only: Sequence[str],
) -> dict[str, Finding]:
    found: dict[str, Finding] = {}
    for name in only or CHECKS:
        for finding in counted(CHECKS[name](change, workflow), workflow):
            found.setdefault(
                finding.fingerprint,
                finding._replace(commit=change.commit),
            )
    return found


def judge(
        changes: Sequence[Change],
        workflow: Workflow,
        only: Sequence[str] = (),
) -> list[Finding]:
    """The findings of a change, given once against each of its parents.

    What a merge introduces is what is new against all of them.
    """
    first, *others = [_run(change, workflow, only) for change in changes]
    # what a step is compared with differs from parent to parent, so what is
    # expected is not part of what makes findings the same here
    new = [
        {_identity(f) for f in other.values() if f.introduced}
        for other in others
    ]
    return [
        finding._replace(
            introduced=finding.introduced and all(
                _identity(finding) in other for other in new
            ),
        )
        for finding in first.values()
    ]


def _identity(finding: Finding) -> tuple[str, str, str, str]:
    return finding.code, finding.item, finding.key, finding.found
