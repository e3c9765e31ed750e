"""Approvals: what was presented, and that somebody approved it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from interlock.documents import json, timestamps
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
from interlock.operations.outcome import Outcome
from interlock.operations.tasks.trail import File
from interlock.tasks.conditions.approvals import USER, asked_in, scope_checksum
from interlock.tasks.conditions.plan import has_plan
from interlock.tasks.conditions.rounds import entered, stale
from interlock.tasks.conditions.view import View
from interlock.workflow.language.spec import Kind
from interlock.workflow.reading.transition_log import scope_decisions


def asked(view: View) -> str:
    return asked_in(view.kind, view.state)


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
    role = 'scope_presented' if of == SCOPE else 'presented'
    found = approvals.presented(lock.get(role))
    return (found.what, found.at) if found else ('', '')


def waiting(kind: Kind, lock: Lock, plan: Callable[[], str] = str) -> Waiting | None:
    """What a task waits for, None if it does not.

    `plan` gives the checksum of its plan as it is now, '' for none.
    """
    of = asked_in(kind, lock.state)
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
            # of a plan that is unchanged the approval stands
            of == PLAN
            or not timestamps.is_before(given[-1].at, entered(lock, lock.state))
        )
    ):
        return None
    return Waiting(of, what if at else '', at)


def require_asked(view: View) -> str:
    of = asked(view)
    if not of:
        states = dict.fromkeys(
            origin
            for line in view.kind.transitions
            if set(line.gate) & set(USER)
            for origin in line.origins
        )
        raise Denied(
            f'{view.task} is in {view.state}, where nothing is approved, '
            f'only in {" and ".join(states)}',
            f'interlock task resume {view.task}',
        )
    return of


def _lock(view: View, file: File, role: str, value: Any) -> bytes:
    data = {**view.lock.data, view.lock.key(role): value}
    return json.render(data, file.data)


def _of_checkpoint(view: View, at: TaskCheckpoint) -> dict[str, Any]:
    """With whatever else stands in it."""
    before = view.lock.get('checkpoint')
    kept = before if isinstance(before, dict) else {}
    return {**kept, **approvals.of_checkpoint(at)}


def require_checkpoint(view: View) -> TaskCheckpoint:
    if view.checkpoint is None:
        raise Denied(
            f'{view.task} has no checkpoint', f'interlock checkpoint {view.task} --push'
        )
    return view.checkpoint


def with_scope(view: View, scope: Any) -> View:
    """With what would be deferred: by default everything."""
    defer = view.protocol.scopes['defer']
    value = scope or view.lock.get('scope') or [defer]
    data = {**view.lock.data, view.lock.key('scope'): value}
    lock = view.lock._replace(json=view.lock.json._replace(data=data))
    found = scope_decisions(lock)
    others = [each for each in found.values() if each != defer]
    if others:
        raise Denied(
            f'{shown(others[0])} is not {defer}: only what is deferred needs '
            f'an approval',
            f'interlock present {view.task} --scope {defer}',
        )
    return view._replace(lock=lock)


def _present_scope(view: View, file: File, now: str) -> Outcome:
    before, what = view.scope_presented, scope_checksum(view)
    if before is not None and before.what == what and not stale(view, before.at):
        return Outcome({})
    value = approvals.of_presented(Presented(now, what))
    return Outcome({file.path: _lock(view, file, 'scope_presented', value)})


def present(view: View, file: File, now: str) -> Outcome:
    """From now on an approval counts."""
    of = require_asked(view)
    if of == CHANGES:
        at = require_checkpoint(view)._replace(presented=now)
        value = _of_checkpoint(view, at)
        return Outcome({file.path: _lock(view, file, 'checkpoint', value)})
    elif of == SCOPE:
        return _present_scope(view, file, now)
    elif view.plan is None or view.plan_problem:
        why = view.plan_problem or 'does not exist'
        raise Denied(
            f'{view.plan_path} {why}, so there is no plan to present', 'write it first'
        )
    elif not has_plan(view):
        raise Denied(
            f'{view.plan_path} holds no {view.protocol.plan.words}, so there '
            f'is nothing to approve',
            f'write the plan into {view.plan_path}, then run interlock '
            f'present {view.task}',
        )
    before = view.presented
    if before is not None and before.what == view.plan_checksum:
        # the same plan again: who has approved it need not do so again
        return Outcome({})
    value = approvals.of_presented(Presented(now, view.plan_checksum))
    return Outcome({file.path: _lock(view, file, 'presented', value)})


def _approved_plan(view: View) -> str:
    if view.presented is None or not view.presented.at:
        raise Denied(
            f'the plan of {view.task} was not presented yet, so it is unclear '
            f'what is approved: your approval is not recorded',
            f'interlock present {view.task}, then approve it',
        )
    elif view.presented.what != view.plan_checksum:
        raise Denied(
            f'the plan of {view.task} changed after it was presented at '
            f'{view.presented.at}: your approval is not recorded',
            f'interlock present {view.task}, then approve it',
        )
    return view.plan_checksum


def _approved_scope(view: View) -> str:
    at, what = view.scope_presented, scope_checksum(view)
    if at is None or not at.at or stale(view, at.at):
        why = 'was not presented yet'
    elif at.what != what:
        why = f'changed after it was presented at {shown(at.at)}'
    else:
        return what
    raise Denied(
        f'what is deferred in {view.task} {why}: your approval is not recorded',
        f'interlock present {view.task}, then approve it',
    )


def _approved_changes(view: View) -> str:
    at = require_checkpoint(view)
    if not at.presented:
        raise Denied(
            f'the changes of {view.task} were not presented yet: your '
            f'approval is not recorded',
            f'interlock present {view.task}, then approve them',
        )
    elif view.resolves and view.tree.head and view.tree.head != at.commit:
        raise Denied(
            f'the work went on to {view.tree.head[:10]} after the '
            f'checkpoint at {at.commit[:10]}: your approval is not recorded',
            f'interlock checkpoint {view.task} --push',
        )
    return at.commit


# what is approved -> what it is of, once it is sure that it was presented
APPROVED: Mapping[str, Callable[[View], str]] = {
    PLAN: _approved_plan,
    CHANGES: _approved_changes,
    SCOPE: _approved_scope,
}


def _time(view: View, of: str, now: str) -> str:
    """A clock that went back must not make an approval older than what was
    presented."""
    _, at = _presented(view.lock, of)
    return at if timestamps.is_before(now, at) else now


def approve(
    view: View, file: File, now: str, by: str, via: str, prompt: str = ''
) -> Outcome:
    """Record an approval by the person who was asked.

    `prompt` is the checksum of the text by which it was given.
    """
    of = require_asked(view)
    now, what = _time(view, of, now), APPROVED[of](view)
    record = Approval(of, by, via, now, what, prompt)
    before = view.lock.get('approvals')
    value = [
        *(before if isinstance(before, list) else ()),
        approvals.of_approval(record),
    ]
    data = {**view.lock.data, view.lock.key('approvals'): value}
    if of == CHANGES:
        assert view.checkpoint is not None, 'its commit was approved'
        data[view.lock.key('checkpoint')] = _of_checkpoint(
            view, view.checkpoint._replace(approved=True)
        )
    return Outcome(
        {file.path: json.render(data, file.data)},
        (f'{view.task}: {by} approved the {of} ({what[:10]})',),
    )


def checkpoint(view: View, file: File, commit: str, now: str) -> Outcome:
    """The commit that the user is to review."""
    at = TaskCheckpoint(view.protocol.checkpoint, commit, now, False)
    value = approvals.of_checkpoint(at)
    return Outcome({file.path: _lock(view, file, 'checkpoint', value)})
