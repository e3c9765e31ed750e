"""What the user has approved: this plan, and the work as it stands."""

from __future__ import annotations

from interlock.documents.tasks.approvals import (
    CHANGES,
    PLAN,
    SCOPE,
    Approval,
    TaskCheckpoint,
)
from interlock.documents.text import shown
from interlock.documents.timestamps import is_before
from interlock.model import quick_hash
from interlock.model.finding import ERROR, WARNING
from interlock.model.quick_typing import Iterator
from interlock.tasks.conditions.condition import TREE, Unmet, condition
from interlock.tasks.conditions.rounds import stale
from interlock.tasks.conditions.view import View
from interlock.workflow.language.spec import RECORDED, Kind
from interlock.workflow.reading.transition_log import forward, scope_decisions

# a condition that only the user can meet -> the object of the approval
USER = {'plan-approved': PLAN, 'checkpoint-approved': CHANGES, 'scope-approved': SCOPE}


def _opened_by_user(kind: Kind, state: str) -> tuple[str, str]:
    """What the user has to approve, and the state that it leads to."""
    for line in kind.transitions:
        if state in line.origins:
            for condition in line.gate:
                if condition in USER:
                    return USER[condition], line.targets[0]
    return '', ''


def approval_requested_in(kind: Kind, state: str) -> str:
    """What the user has to approve before a task can continue, '' for nothing."""
    return _opened_by_user(kind, state)[0]


def following_state(kind: Kind, state: str) -> str:
    """The state that comes next, or that the user's approval leads to."""
    return forward(kind, state) or _opened_by_user(kind, state)[1]


def scope_checksum(view: View) -> str:
    """The checksum of what the user decides about: the work, and what becomes of it."""
    import json

    value = [view.tree.head, sorted(scope_decisions(view.lock).items())]
    return quick_hash.sha256(json.dumps(value).encode()).hexdigest()


def is_presented(view: View) -> bool:
    """Whether the user was shown the current version of what needs approval."""
    of = approval_requested_in(view.kind, view.state)
    if of == CHANGES:
        return view.checkpoint is not None and bool(view.checkpoint.presented)
    shown_last, now = view.presented, view.plan_checksum
    if of == SCOPE:
        shown_last, now = view.scope_presented, scope_checksum(view)
    return shown_last is not None and bool(shown_last.at) and shown_last.what == now


def _if_presented(view: View) -> str:
    """What to do once the user was asked: to ask again would not lead on."""
    if not is_presented(view):
        return ''
    return (
        f'ask the user to answer `approved`, or to run interlock approve {view.task} '
        f'on a terminal'
    )


def _unbacked(view: View) -> str:
    return ERROR if view.workflow.approvals == RECORDED else WARNING


def _of_record(view: View, record: Approval) -> Iterator[Unmet]:
    if record.what != view.plan_checksum:
        yield Unmet(
            f'the plan changed since {shown(record.by)} approved it at '
            f'{shown(record.at)}, so the approval has lapsed'
        )
    elif view.presented is None or view.presented.what != record.what:
        yield Unmet('the plan that was approved was never presented')
    elif is_before(record.at, view.presented.at):
        yield Unmet(
            f'the approval of {shown(record.at)} is older than the plan '
            f'that was presented at {shown(view.presented.at)}'
        )


def _of_flags(view: View, of: str, without: str) -> Iterator[Unmet]:
    """Report flag files that claim an approval without a record behind it."""
    found, names = view.flags.get(of, ()), view.protocol.flags.get(of, ())
    if not found:
        yield Unmet(without, recovery=_if_presented(view))
    for name in found:
        older = (
            f'; it is an older name of {names[0]}'
            if of == PLAN and name != names[0]
            else ''
        )
        yield Unmet(
            f'{name} says that it was approved, but no record names the '
            f'person and the content{older}',
            _unbacked(view),
        )


@condition('GAT021', 'the user approved this plan')
def plan_approved(view: View) -> Iterator[Unmet]:
    record = view.approval(PLAN)
    if record is not None:
        yield from _of_record(view, record)
    else:
        yield from _of_flags(view, PLAN, 'the user did not approve the plan')


def _shape(view: View) -> Iterator[Unmet]:
    at, wanted = view.checkpoint, view.protocol.checkpoint
    if at is None:
        yield Unmet('there is no checkpoint')
    elif at.type != wanted:
        yield Unmet(f'the checkpoint is of type `{shown(at.type)}`, not `{wanted}`')
    elif not at.commit:
        yield Unmet('the checkpoint does not name a commit')


def _is_overtaken(view: View, at: TaskCheckpoint) -> bool:
    return bool(
        view.has_checkpoint_commit and view.tree.head and view.tree.head != at.commit
    )


@condition('GAT028', 'the checkpoint is where the work is', needs={TREE})
def checkpoint(view: View) -> Iterator[Unmet]:
    at, faults = view.checkpoint, list(_shape(view))
    yield from faults
    if at is None or faults:
        return
    elif not view.has_checkpoint_commit:
        yield Unmet(
            f'git does not know the commit {shown(at.commit)}, which the checkpoint names'
        )
    elif _is_overtaken(view, at):
        yield Unmet(
            f'the checkpoint is at {at.commit[:10]}, the work went on to '
            f'{view.tree.head[:10]}'
        )


@condition('GAT029', 'the user approved these changes', needs={TREE})
def checkpoint_approved(view: View) -> Iterator[Unmet]:
    at, faults = view.checkpoint, list(_shape(view))
    yield from faults
    if at is None or faults:
        return
    record = view.approval(CHANGES)
    if _is_overtaken(view, at):
        yield Unmet(
            f'the work moved to {view.tree.head[:10]} after the checkpoint at '
            f'{at.commit[:10]}, so nothing is approved'
        )
    elif record is not None and record.what == at.commit:
        old = stale(view, record.at)
        if old:
            yield Unmet(f'{shown(record.by)} approved this commit {old}')
    elif record is not None:
        yield Unmet(
            f'{shown(record.by)} approved {shown(record.what)[:10]}, and '
            f'the checkpoint is at {shown(at.commit)[:10]}'
        )
    elif at.approved:
        yield Unmet(
            'the checkpoint says that it is approved, but no record names the person',
            _unbacked(view),
        )
    else:
        yield from _of_flags(view, CHANGES, 'the user did not approve the changes')


@condition('GAT054', 'the user decided to complete the work as it is', needs={TREE})
def scope_approved(view: View) -> Iterator[Unmet]:
    """No flag file counts: only a record says that the user decided."""
    record = view.approval(SCOPE)
    if record is None:
        without = 'the user did not decide that the work is completed as it is'
        yield Unmet(without, recovery=_if_presented(view))
        return
    old = stale(view, record.at)
    if old:
        yield Unmet(f'{shown(record.by)} decided {old}')
    elif record.what != scope_checksum(view):
        yield Unmet(
            f'the work or the scope decision changed since '
            f'{shown(record.by)} approved it at {shown(record.at)}, so the '
            f'approval has lapsed'
        )
