from __future__ import annotations

from collections.abc import Iterator, Sequence

import click

from interlock.commands.click_options import writes
from interlock.commands.tasks.context import AtTask, at_task, require_own
from interlock.documents import markdown
from interlock.documents.tasks.approvals import CHANGES, SCOPE
from interlock.documents.text import shown
from interlock.operations.tasks import approve as operations
from interlock.operations.tasks.transition import recorded
from interlock.report.terminal import out
from interlock.tasks.conditions.agents import rejections
from interlock.tasks.conditions.approvals import USER
from interlock.tasks.conditions.plan import filled_parts
from interlock.tasks.conditions.view import View
from interlock.workflow.language.patterns import expand
from interlock.workflow.reading.transition_log import scope_decisions


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


def _summary(view: View) -> Iterator[str]:
    """What the plan says of itself as a whole."""
    spec = view.protocol.plan
    for label in spec.summary_fields:
        found = markdown.first_field(view.plan or '', label)
        if found is not None:
            yield f'**{label}**: {found[1]}'
    yield ''
    for headings in spec.summary_headings:
        yield from _part(view, (headings,))


def _part(view: View, headings: Sequence[str]) -> Iterator[str]:
    """What the plan has of a part, under whichever of its headings."""
    for found in filled_parts(view, headings):
        yield f'### {found.title}'
        yield found.text.strip('\n')
        yield ''


def _plan(view: View, at: AtTask) -> Iterator[str]:
    """The parts of the plan that it has, in the order of the workflow."""
    yield from _head('Implementation Plan Complete', view)
    yield f'**Risk Level**: {shown(view.lock.text("risk")) or "not recorded"}'
    yield f'**Agents**: {", ".join(map(shown, view.lock.agents)) or "none"}'
    yield from _summary(view)
    missing = []
    for headings in view.protocol.plan.headings.values():
        lines = list(_part(view, headings))
        yield from lines
        if not lines:
            missing.append(headings[0])
    if missing:
        yield f'**Missing in the plan**: {", ".join(missing)}'
        yield ''
    path = at.path(view.protocol.files.plan)
    yield f'**Full implementation details**: `{path}`'
    yield f'**Checksum**: {view.plan_checksum}'
    yield ''
    yield from _tail(view, 'begin implementation')


def _scope(view: View) -> Iterator[str]:
    """Who objects, why it is negotiated, and what would be deferred."""
    yield from _head('Scope Decision', view)
    yield f'**Commit**: {view.tree.head or "unknown"}'
    for agent, when in rejections(view):
        said = shown(agent.decision or agent.reviewed)
        yield f'**{agent.name}** decided {said} at {shown(when)}'
    reason = view.lock.log[-1].reason if view.lock.log else ''
    yield f'**Reason**: {shown(reason) or "not recorded"}'
    yield ''
    for matter, decided in scope_decisions(view.lock).items():
        what = 'everything that is open' if matter.startswith('#') else matter
        yield f'- {shown(what)}: {shown(decided)}'
    yield ''
    yield from _tail(view, 'complete the task as it is')


def _changes(view: View) -> Iterator[str]:
    assert view.checkpoint is not None, 'it was presented'
    yield from _head('Changes Ready for Review', view)
    yield f'**Commit**: {view.checkpoint.commit}'
    yield f'**Branch**: {expand(view.protocol.branch, view.task)}'
    yield ''
    yield from _tail(view, 'complete the task')


@click.command('present')
@click.argument('task')
@click.option(
    '--scope',
    multiple=True,
    metavar='DECISION',
    help='What would be deferred; MATTER=DECISION for several.',
)
@writes
def command(
    task: str,
    scope: tuple[str, ...],
    config: str,
    wait: float,
    verbose: int,
    quiet: int,
) -> int:
    """Show the user what TASK asks approval for.

    An approval counts only after this, and only for what was shown.
    """
    with at_task(config, wait, task) as at:
        view = at.view(needs=USER)
        require_own(view)
        of = operations.require_asked(view)
        if of == SCOPE:
            view = operations.with_scope(view, recorded(scope))
        elif scope:
            raise click.UsageError(f'--scope: {task} is in {view.state}')
        outcome = operations.present(view, at.lock, at.now)
        lines = list(
            _changes(view)
            if of == CHANGES
            else _scope(view)
            if of == SCOPE
            else _plan(view, at)
        )
        at.apply(outcome)
    out('\n'.join(lines))
    return 0
