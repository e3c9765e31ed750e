"""Approvals: what was presented, and that somebody approved it."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any
from typing import NamedTuple

from interlock.conditions.view import View
from interlock.documents import approvals
from interlock.documents import json
from interlock.documents import moments
from interlock.documents.approvals import Approval
from interlock.documents.approvals import CHANGES
from interlock.documents.approvals import Checkpoint
from interlock.documents.approvals import PLAN
from interlock.documents.approvals import Presented
from interlock.documents.lock import Lock
from interlock.model.errors import Denied
from interlock.operations.change import Outcome
from interlock.operations.trail import File
from interlock.workflow.spec import Kind

# the condition of a gate that asks for an approval -> what it asks for
ASKED = {'plan-approved': PLAN, 'checkpoint-approved': CHANGES}


def asked_in(kind: Kind, state: str) -> str:
    """What the user has to approve before a task can go on, '' if not."""
    for line in kind.transitions:
        if state in line.origins:
            for condition in line.gate:
                if condition in ASKED:
                    return ASKED[condition]
    return ''


def asked(view: View) -> str:
    return asked_in(view.kind, view.state)


class Waiting(NamedTuple):
    """What the user is asked to approve."""

    of: str
    # the checksum of the plan, or the commit; '' where nothing was presented
    what: str
    at: str


def waiting(kind: Kind, lock: Lock) -> Waiting | None:
    """What a task waits for, by its lock alone; None if it does not."""
    of = asked_in(kind, lock.state)
    if not of:
        return None
    shown = approvals.presented(lock.get('presented'))
    what, at = (shown.what, shown.at) if shown else ('', '')
    if of == CHANGES:
        point = approvals.checkpoint(lock.get('checkpoint'))
        what, at = (point.commit, point.presented) if point else ('', '')
    given = [
        each.what for each in approvals.approvals(lock.get('approvals'))
        if each.of == of
    ]
    if given and at and given[-1] == what:
        return None
    return Waiting(of, what if at else '', at)


def require_asked(view: View) -> str:
    of = asked(view)
    if not of:
        states = dict.fromkeys(
            origin for line in view.kind.transitions
            if set(line.gate) & set(ASKED) for origin in line.origins
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


def _of_checkpoint(view: View, at: Checkpoint) -> dict[str, Any]:
    """With whatever else stands in it."""
    before = view.lock.get('checkpoint')
    kept = before if isinstance(before, dict) else {}
    return {**kept, **approvals.of_checkpoint(at)}


def require_checkpoint(view: View) -> Checkpoint:
    if view.checkpoint is None:
        raise Denied(
            f'{view.task} has no checkpoint',
            f'interlock checkpoint {view.task} --push',
        )
    return view.checkpoint


def present(view: View, file: File, now: str) -> Outcome:
    """From now on an approval counts."""
    if require_asked(view) == CHANGES:
        at = require_checkpoint(view)._replace(presented=now)
        value = _of_checkpoint(view, at)
        return Outcome({file.path: _lock(view, file, 'checkpoint', value)})
    if view.plan is None or view.plan_problem:
        why = view.plan_problem or 'does not exist'
        raise Denied(
            f'{view.plan_path} {why}, so there is no plan to present',
            'write it first',
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
            f'the plan of {view.task} was not presented yet, so nobody knows '
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


def _time(view: View, now: str) -> str:
    """A clock that went back must not make an approval older than its plan."""
    shown = view.presented.at if view.presented else ''
    return shown if moments.is_before(now, shown) else now


def approve(
        view: View,
        file: File,
        now: str,
        by: str,
        via: str,
        prompt: str = '',
) -> Outcome:
    """The record of an approval, by whoever was asked.

    `prompt` is the checksum of the text by which it was given.
    """
    of, now = require_asked(view), _time(view, now)
    what = _approved_plan(view) if of == PLAN else _approved_changes(view)
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
            view, view.checkpoint._replace(approved=True),
        )
    return Outcome(
        {file.path: json.render(data, file.data)},
        (f'{view.task}: {by} approved the {of} ({what[:10]})',),
    )


def checkpoint(view: View, file: File, commit: str, now: str) -> Outcome:
    """The commit that the user is to review."""
    at = Checkpoint(view.protocol.checkpoint, commit, now, False)
    value = approvals.of_checkpoint(at)
    return Outcome({file.path: _lock(view, file, 'checkpoint', value)})


def logged(
        view: View,
        file: File,
        now: str,
        by: str,
        via: str,
        prompt: str,
        log: Callable[..., None],
) -> Outcome:
    """As `approve`, whichever way a person gives it; the log says it before
    it is done: what is not logged does not happen."""
    outcome = approve(view, file, now, by, via, prompt)
    log(
        event='approved', name=view.task, what=asked(view), person=by,
        via=via, time=now,
    )
    return outcome
