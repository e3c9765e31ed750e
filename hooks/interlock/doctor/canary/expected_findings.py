"""What this very program says of a change, to choose what is planted.

Whether it is refused is for the installed hooks to say, never for us.
"""

from __future__ import annotations

from collections.abc import Mapping

from interlock.checks.run import judge
from interlock.doctor.canary.item_files import Data
from interlock.documents import message as messages
from interlock.model.change import Change, Nothing
from interlock.model.finding import ERROR
from interlock.operations.overlay import Overlay
from interlock.workflow.language.spec import Workflow

# code, item -> severity
Findings = Mapping[tuple[str, str], str]


def touched(before: Data, after: Data) -> dict[str, str]:
    """What happened to each file, as git names it."""
    letters = {path: 'D' for path in before if path not in after}
    for path, data in after.items():
        if path not in before:
            letters[path] = 'A'
        elif before[path] != data:
            letters[path] = 'M'
    return letters


def findings(
    workflow: Workflow, before: Data, after: Data, message: str | None
) -> Findings:
    change = Change(
        Overlay(Nothing(), before),
        Overlay(Nothing(), after),
        touched(before, after),
        messages.parse(message) if message is not None else None,
    )
    return {
        (found.code, found.item): found.severity
        for found in judge([change], workflow)
        if found.introduced
    }


def is_clean(workflow: Workflow, before: Data, after: Data) -> bool:
    """Nothing refuses it while no message is known."""
    return ERROR not in findings(workflow, before, after, None).values()
