"""What is shown to the user before an approval counts."""

from __future__ import annotations

from interlock.documents import markdown
from interlock.documents.tasks.approvals import CHANGES, SCOPE
from interlock.documents.text import shown
from interlock.model.quick_typing import Iterator, Sequence
from interlock.tasks.conditions.agents import rejections
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
    yield '- Or say what should change'
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


def _plan(view: View, path: str) -> Iterator[str]:
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


def presentation(view: View, what: str, plan: str) -> Iterator[str]:
    """The lines that show the plan (at a path), the changes or the scope."""
    if what == CHANGES:
        yield from _changes(view)
    elif what == SCOPE:
        yield from _scope(view)
    else:
        yield from _plan(view, plan)
