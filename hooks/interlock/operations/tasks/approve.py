"""Approvals: what was presented, and that somebody approved it."""

from __future__ import annotations

from interlock.documents import json, markdown, timestamps
from interlock.documents.tasks import approvals
from interlock.documents.tasks.approvals import (
    CHANGES,
    PLAN,
    SCOPE,
    Approval,
    Presented,
    TaskCheckpoint,
)
from interlock.documents.tasks.lock import Lock
from interlock.documents.text import shown
from interlock.model.errors import Denied
from interlock.model.quick_typing import Any, Callable, Iterator, NamedTuple, Sequence
from interlock.operations.outcome import Outcome
from interlock.operations.tasks.trail import File
from interlock.tasks.conditions.agents import rejections
from interlock.tasks.conditions.approvals import (
    USER,
    approval_requested_in,
    scope_checksum,
)
from interlock.tasks.conditions.plan import filled_parts, has_plan
from interlock.tasks.conditions.rounds import entry_time, stale
from interlock.tasks.conditions.view import View
from interlock.workflow.language.patterns import expand
from interlock.workflow.language.spec import Kind
from interlock.workflow.reading.transition_log import scope_decisions

# object of the approval -> where the lock records its presentation
PRESENTED = {PLAN: 'presented', SCOPE: 'scope_presented'}
SUBJECTS = {PLAN: 'plan', SCOPE: 'scope decision', CHANGES: 'work'}


def requested_approval(view: View) -> str:
    return approval_requested_in(view.kind, view.state)


class Waiting(NamedTuple):
    """What the user is asked to approve."""

    of: str
    # the checksum of the plan or of the scope decision, or the commit; ''
    # where nothing was presented
    what: str
    at: str


def _presented(lock: Lock, of: str) -> tuple[str, str]:
    """What was presented, and when; '' for both where nothing was."""
    if of == CHANGES:
        point = approvals.checkpoint(lock.get('checkpoint'))
        return (point.commit, point.presented) if point else ('', '')
    found = approvals.presented(lock.get(PRESENTED[of]))
    return (found.what, found.at) if found else ('', '')


def pending_approval(
    kind: Kind, lock: Lock, plan: Callable[[], str] = str
) -> Waiting | None:
    """The approval that a task waits for, None if it waits for none.

    `plan` gives the checksum of its plan as it is now, '' for none.
    """
    of = approval_requested_in(kind, lock.state)
    if not of:
        return None
    what, at = _presented(lock, of)
    if of == PLAN and what and what != (plan() or what):
        # another plan was presented, and perhaps approved
        return Waiting(of, '', '')
    given = [
        each for each in approvals.approvals(lock.get('approvals')) if each.of == of
    ]
    if (
        given
        and at
        and given[-1].what == what
        and (
            # the approval of an unchanged plan stands
            of == PLAN
            or not timestamps.is_before(given[-1].at, entry_time(lock, lock.state))
        )
    ):
        return None
    return Waiting(of, what if at else '', at)


def require_asked(view: View) -> str:
    of = requested_approval(view)
    if not of:
        states = dict.fromkeys(
            origin
            for line in view.kind.transitions
            if set(line.gate) & set(USER)
            for origin in line.origins
        )
        raise Denied(
            f'{view.task} is in {view.state}; approvals belong to '
            f'{" and ".join(states)}',
            f'interlock task resume {view.task}',
        )
    return of


def _outcome(lock: Lock, file: File, *said: str) -> Outcome:
    return Outcome({file.path: json.render(lock.data, file.data)}, said)


def _of_checkpoint(view: View, at: TaskCheckpoint) -> dict[str, Any]:
    """The checkpoint as data, with the other keys that the lock has there."""
    return {**view.lock.mapping('checkpoint'), **approvals.of_checkpoint(at)}


def require_checkpoint(view: View) -> TaskCheckpoint:
    if view.checkpoint is None:
        raise Denied(
            f'{view.task} has no checkpoint', f'interlock checkpoint {view.task} --push'
        )
    return view.checkpoint


def with_scope(view: View, scope: Any) -> View:
    """The view with the scope that would be deferred, by default everything."""
    defer = view.protocol.scopes['defer']
    value = scope or view.lock.get('scope') or [defer]
    lock = view.lock.having('scope', value)
    found = scope_decisions(lock)
    others = [each for each in found.values() if each != defer]
    if others:
        raise Denied(
            f'{shown(others[0])} is not {defer}: only what is deferred needs '
            f'an approval',
            f'interlock present {view.task} --scope {defer}',
        )
    return view._replace(lock=lock)


def _current(view: View, of: str) -> str:
    """The current object of an approval: a checksum, or the last commit."""
    if of == CHANGES:
        at = require_checkpoint(view).commit
        return view.tree.head or at if view.has_checkpoint_commit else at
    return scope_checksum(view) if of == SCOPE else view.plan_checksum


def _require_plan(view: View) -> None:
    if view.plan is None or view.plan_problem:
        why = view.plan_problem or 'does not exist'
        raise Denied(
            f'{view.plan_path} {why}, so there is no plan to present', 'write it first'
        )
    elif not has_plan(view):
        words = view.protocol.plan.words
        raise Denied(
            f'{view.plan_path} holds no {words}, so there is nothing to approve',
            f'write it into {view.plan_path}, below a heading such as '
            f'`## {words.title()}`, then run interlock present {view.task}',
        )


def present(view: View, file: File, now: str) -> Outcome:
    """Record what was presented; from now on an approval counts."""
    of = require_asked(view)
    if of == CHANGES:
        value = _of_checkpoint(view, require_checkpoint(view)._replace(presented=now))
        return _outcome(view.lock.having('checkpoint', value), file)
    elif of == PLAN:
        _require_plan(view)
    what, at = _presented(view.lock, of)
    if what == _current(view, of) and not (of == SCOPE and stale(view, at)):
        # presented again unchanged: an approval of it stands
        return Outcome({})
    value = approvals.of_presented(Presented(now, _current(view, of)))
    return _outcome(view.lock.having(PRESENTED[of], value), file)


def _require_presented(view: View, of: str) -> str:
    """The object of the approval; Denied unless exactly this was presented."""
    what, at = _presented(view.lock, of)
    now, hint = _current(view, of), f'interlock present {view.task}, then approve it'
    if not at or (of == SCOPE and stale(view, at)):
        why = 'was not presented yet'
    elif what == now:
        return what
    elif of == CHANGES:
        why = f'moved on to {now[:10]} after the checkpoint at {what[:10]}'
        hint = f'interlock checkpoint {view.task} --push'
    else:
        why = f'changed after it was presented at {shown(at)}'
    raise Denied(
        f'the {SUBJECTS[of]} of {view.task} {why}: your approval is not recorded', hint
    )


def _time(view: View, of: str, now: str) -> str:
    """The time of an approval: never before the presentation, even if the clock
    went back."""
    _, at = _presented(view.lock, of)
    return at if timestamps.is_before(now, at) else now


def approve(
    view: View, file: File, now: str, by: str, via: str, prompt: str = ''
) -> Outcome:
    """Record an approval by the person who was asked.

    `prompt` is the checksum of the text by which it was given.
    """
    of = require_asked(view)
    now, what = _time(view, of, now), _require_presented(view, of)
    record = Approval(of, by, via, now, what, prompt)
    known = view.lock.values('approvals')
    lock = view.lock.having('approvals', [*known, approvals.of_approval(record)])
    if of == CHANGES:
        at = require_checkpoint(view)._replace(approved=True)
        lock = lock.having('checkpoint', _of_checkpoint(view, at))
    return _outcome(lock, file, f'{view.task}: {by} approved the {of} ({what[:10]})')


def checkpoint(view: View, file: File, commit: str, now: str) -> Outcome:
    """Record the commit that the user is to review."""
    at = TaskCheckpoint(view.protocol.checkpoint, commit, now, False)
    value = approvals.of_checkpoint(at)
    return _outcome(view.lock.having('checkpoint', value), file)


# object of the approval -> its title, and what the approval leads to
FRAMES = {
    PLAN: ('Implementation Plan Complete', 'begin implementation'),
    SCOPE: ('Scope Decision', 'complete the task as it is'),
    CHANGES: ('Changes Ready for Review', 'complete the task'),
}


def _summary(view: View) -> Iterator[str]:
    """The summary that the plan gives of itself."""
    spec = view.protocol.plan
    for label in spec.summary_fields:
        found = markdown.first_field(view.plan or '', label)
        if found is not None:
            yield f'**{label}**: {found[1]}'
    yield ''
    for headings in spec.summary_headings:
        yield from _part(view, (headings,))


def _part(view: View, headings: Sequence[str]) -> Iterator[str]:
    """The text of a part of the plan, under any of its headings."""
    for found in filled_parts(view, headings):
        yield f'### {found.title}'
        yield found.text.strip('\n')
        yield ''


def _plan(view: View, path: str) -> Iterator[str]:
    """The parts of the plan that it has, in the order of the workflow."""
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


def _scope(view: View) -> Iterator[str]:
    """Who objects, why it is negotiated, and what would be deferred."""
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


def _changes(view: View) -> Iterator[str]:
    assert view.checkpoint is not None, 'it was presented'
    yield f'**Commit**: {view.checkpoint.commit}'
    yield f'**Branch**: {expand(view.protocol.branch, view.task)}'


def presentation(view: View, what: str, plan: str) -> Iterator[str]:
    """The lines that show the plan (at a path), the changes or the scope."""
    title, aim = FRAMES[what]
    yield from (f'## {title}', '', f'**Task**: {view.task}')
    if what == CHANGES:
        yield from _changes(view)
    elif what == SCOPE:
        yield from _scope(view)
    else:
        yield from _plan(view, plan)
    yield from ('', '---', '', '**Please review and respond with:**')
    yield f'- "approved" / "proceed" to {aim}'
    yield '- Or say what should change'
    yield f'(on a terminal: interlock approve {view.task})'
