from __future__ import annotations

from collections.abc import Iterator

import click

from interlock.commands.gating import at_task
from interlock.commands.gating import AtTask
from interlock.commands.gating import require_own
from interlock.commands.host import out
from interlock.commands.parsing import writes
from interlock.conditions.plan import section
from interlock.conditions.view import View
from interlock.documents.approvals import CHANGES
from interlock.documents.text import shown
from interlock.operations import approve as operations
from interlock.operations.approve import ASKED
from interlock.workflow.template import expand


def _head(title: str, view: View) -> Iterator[str]:
    yield f'## {title}'
    yield ''
    yield f'**Task**: {view.task}'


def _tail(view: View, what: str) -> Iterator[str]:
    yield '---'
    yield ''
    yield '**Please review and respond with:**'
    yield f'- "approved" / "proceed" to {what}'
    yield '- Or say what is to be changed'
    yield f'(on a terminal: interlock approve {view.task})'


def _plan(view: View, at: AtTask) -> Iterator[str]:
    """The parts of the plan that it has, in the order of the workflow."""
    yield from _head('Implementation Plan Complete', view)
    yield f'**Risk Level**: {shown(view.lock.text("risk")) or "not recorded"}'
    yield f'**Agents**: {", ".join(map(shown, view.lock.agents)) or "none"}'
    yield ''
    missing = []
    for headings in view.protocol.plan.headings.values():
        text = section(view, headings)
        if text is None or not text.strip():
            missing.append(headings[0])
            continue
        yield f'### {headings[0]}'
        yield text.strip('\n')
        yield ''
    if missing:
        yield f'**Missing in the plan**: {", ".join(missing)}'
        yield ''
    path = at.path(view.protocol.files.plan)
    yield f'**Full implementation details**: `{path}`'
    yield f'**Checksum**: {view.plan_checksum}'
    yield ''
    yield from _tail(view, 'begin implementation')


def _changes(view: View) -> Iterator[str]:
    assert view.checkpoint is not None, 'it was presented'
    yield from _head('Changes Ready for Review', view)
    yield f'**Commit**: {view.checkpoint.commit}'
    yield f'**Branch**: {expand(view.protocol.branch, view.task)}'
    yield ''
    yield from _tail(view, 'complete the task')


@click.command('present')
@click.argument('task')
@writes
def command(
        task: str,
        config: str,
        wait: float,
        verbose: int,
        quiet: int,
) -> int:
    """Show the user what TASK asks approval for.

    An approval counts only after this, and only for what was shown.
    """
    with at_task(config, wait, task) as at:
        view = at.view(needs=ASKED)
        require_own(view)
        outcome = operations.present(view, at.lock, at.now)
        changes = operations.asked(view) == CHANGES
        lines = list(_changes(view) if changes else _plan(view, at))
        at.place.apply(outcome)
    out('\n'.join(lines))
    return 0
