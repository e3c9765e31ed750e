"""Print the results of the conditions of a task."""

from __future__ import annotations

from interlock.documents.text import shown
from interlock.model.quick_typing import Any, Sequence
from interlock.report.terminal import colour, out, paint
from interlock.tasks.conditions.condition import ConditionResult


def say(verdicts: Sequence[ConditionResult], quiet: int = 0) -> None:
    """Print all results, or with -q only the conditions that do not hold."""
    for verdict in verdicts:
        if quiet and not verdict.severity:
            continue
        word = {'': 'holds', 'error': 'fails'}.get(verdict.severity, verdict.severity)
        word = paint(f'{word:8}', verdict.severity or 'ok', colour())
        out(f'{word} {verdict.code} {verdict.name}: {verdict.message}')
        if verdict.severity:
            origin = f' ({shown(verdict.origin)})' if verdict.origin else ''
            out(f'         cause: {verdict.cause}{origin}')
            out(f'         next: {verdict.recovery}')


def values(verdicts: Sequence[ConditionResult]) -> list[dict[str, Any]]:
    return [
        {**verdict._asdict(), 'holds': not verdict.severity} for verdict in verdicts
    ]
