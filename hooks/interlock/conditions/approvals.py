"""What the user has approved: this plan, and the work as it stands."""
from __future__ import annotations

from collections.abc import Iterator

from interlock.conditions.verdict import Fault
from interlock.conditions.view import View
from interlock.documents.approvals import Approval
from interlock.documents.approvals import CHANGES
from interlock.documents.approvals import Checkpoint
from interlock.documents.approvals import PLAN
from interlock.documents.moments import is_before
from interlock.documents.text import shown
from interlock.model.finding import ERROR
from interlock.model.finding import WARNING
from interlock.workflow.protocol import RECORDED


def _unbacked(view: View) -> str:
    return ERROR if view.workflow.approvals == RECORDED else WARNING


def _of_record(view: View, record: Approval) -> Iterator[Fault]:
    if record.what != view.plan_checksum:
        yield Fault(
            f'the plan changed since {shown(record.by)} approved it at '
            f'{shown(record.at)}, so the approval has lapsed',
        )
    elif view.presented is None or view.presented.what != record.what:
        yield Fault('the plan that was approved was never presented')
    elif is_before(record.at, view.presented.at):
        yield Fault(
            f'the approval of {shown(record.at)} is older than the plan '
            f'that was presented at {shown(view.presented.at)}',
        )


def _of_flags(view: View, of: str, without: str) -> Iterator[Fault]:
    """A flag file says so, and nothing backs it."""
    found, names = view.flags.get(of, ()), view.protocol.flags.get(of, ())
    if not found:
        yield Fault(without)
    for name in found:
        older = f'; it is an older name of {names[0]}' if (
            of == PLAN and name != names[0]
        ) else ''
        yield Fault(
            f'{name} says that it was approved, and no record says by whom '
            f'and what{older}',
            _unbacked(view),
        )


def plan_approved(view: View) -> Iterator[Fault]:
    record = view.approval(PLAN)
    if record is not None:
        yield from _of_record(view, record)
    else:
        yield from _of_flags(view, PLAN, 'the user did not approve the plan')


def _shape(view: View) -> Iterator[Fault]:
    at, wanted = view.checkpoint, view.protocol.checkpoint
    if at is None:
        yield Fault('there is no checkpoint')
    elif at.type != wanted:
        yield Fault(
            f'the checkpoint is of type `{shown(at.type)}`, not `{wanted}`',
        )
    elif not at.commit:
        yield Fault('the checkpoint names no commit')


def _is_overtaken(view: View, at: Checkpoint) -> bool:
    return bool(
        view.resolves and view.tree.head and view.tree.head != at.commit
    )


def checkpoint(view: View) -> Iterator[Fault]:
    at, faults = view.checkpoint, list(_shape(view))
    yield from faults
    if at is None or faults:
        return
    elif not view.resolves:
        yield Fault(
            f'git knows no commit {shown(at.commit)}, which the checkpoint '
            f'names',
        )
    elif _is_overtaken(view, at):
        yield Fault(
            f'the checkpoint is at {at.commit[:10]}, the work went on to '
            f'{view.tree.head[:10]}',
        )


def checkpoint_approved(view: View) -> Iterator[Fault]:
    at, faults = view.checkpoint, list(_shape(view))
    yield from faults
    if at is None or faults:
        return
    record = view.approval(CHANGES)
    if _is_overtaken(view, at):
        yield Fault(
            f'the work went on to {view.tree.head[:10]} after the '
            f'checkpoint at {at.commit[:10]}, so nothing is approved',
        )
    elif record is not None and record.what == at.commit:
        return
    elif record is not None:
        yield Fault(
            f'{shown(record.by)} approved {shown(record.what)[:10]}, and '
            f'the checkpoint is at {shown(at.commit)[:10]}',
        )
    elif at.approved:
        yield Fault(
            'the checkpoint says that it is approved, and no record says by '
            'whom',
            _unbacked(view),
        )
    else:
        yield from _of_flags(
            view, CHANGES, 'the user did not approve the changes',
        )
