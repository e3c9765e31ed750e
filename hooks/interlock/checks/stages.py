from __future__ import annotations

from interlock.checks.compare import Case, explained_steps, has_reason
from interlock.documents.text import shown
from interlock.documents.trailers import without_reason
from interlock.model.change import Change
from interlock.model.errors import Refusal
from interlock.model.finding import ERROR, WARNING, Finding, Fix
from interlock.model.fixes import edit, ours, record, restore, review, say_why
from interlock.model.quick_typing import Iterator, Sequence
from interlock.model.state import State
from interlock.rules.new_finding import Location
from interlock.workflow.language.patterns import expand
from interlock.workflow.language.spec import BEFORE, STAGE, Workflow
from interlock.workflow.reading import evidence, gates, transitions
from interlock.workflow.reading.changed_items import (
    apparent_rename,
    only_state_differs,
    pairs_to_judge,
    without_its_files,
)
from interlock.workflow.reading.fix_command import delete_handoff
from interlock.workflow.reading.gates import was_unreadable
from interlock.workflow.reading.records import (
    HANDOFF,
    REGISTRY,
    Placed,
    Records,
    continued_handoff,
    handoff_state,
)
from interlock.workflow.reading.transitions import stage_beside


def _step(
    change: Change, before: Records, unit: str, old: State | None, new: State
) -> transitions.Legality:
    """How a record moved: by one transition, or by any number.

    The two tips of a ref may be any number of transitions apart. So may a
    merge and a parent, if the sides of the merge disagree.
    """
    kind = before.kind
    step = transitions.step(old, new, kind)
    if not change.is_ref_step and unit not in before.contested:
        return step
    elif old is not None and step.severity and _is_taken_name(change, before):
        return step._replace(
            severity=ERROR, why=f'{step.why}; no commit shows how the item got there'
        )
    elif transitions.reaches(old, new, kind) or transitions.reaches(
        old, new, kind, explained_steps(change, kind, before.item)
    ):
        return transitions.LEGAL
    elif not change.is_ref_step:
        return step
    return step._replace(
        severity=ERROR,
        reason='',
        why=f'{step.why}; no commit behind this step gives a reason for it',
    )


def _is_taken_name(change: Change, before: Records) -> bool:
    """Whether an item was dropped and another one renamed to it, or may have
    been: no commit shows how the first one reached the state of the second."""
    try:
        parts = change.behind() if change.is_ref_step else ()
    except Refusal:
        # the history is cut off
        return True
    return any(
        was.item != now.item == before.item
        for part in parts
        for was, now in pairs_to_judge(part, before.kind)
    )


def _of_renamed(change: Change, after: Records) -> Fix | None:
    """The fix for an item that was apparently renamed without its files, or moved on
    in the same commit."""
    fix, rename = without_its_files(change, after), apparent_rename(change, after)
    if fix or rename is None:
        return fix
    old, kind = rename[0], after.kind
    if not old.state or not only_state_differs(old, after):
        return None
    elif not transitions.step(None, old.state, kind).severity:
        # where it was it may begin, too
        return None
    label = f'if {old.item} was renamed, set it to {kind.label(old.state)} for now,'
    line = after.canonical.line_of('status') if after.canonical else 1
    return edit(after.canonical_path, line, label)


def _undo(change: Change, before: Records, after: Records) -> Fix:
    """The fix that moves the item back and keeps other changes of the registry."""
    renamed = None if before.registered else _of_renamed(change, after)
    if renamed is not None:
        return renamed
    first = transitions.first_step(None, None, after.kind)
    if change.is_ref_step or not (before.state or first):
        return restore(after.canonical_path)
    name = before.kind.label(before.state) if before.state else first
    label = f'set it back to {name}' if before.state else f'begin with {name}'
    return Fix(label, ours('registry', 'set-status', after.called, name))


def _registry(change: Change, before: Records, after: Records) -> Iterator[Finding]:
    new, old = after.state, before.state
    if new is None or (old is None and (before.registered or was_unreadable(before))):
        # it left the registry, or has a status that REG005 reports
        return
    step = _step(change, before, REGISTRY, old, new)
    if not step.severity or _is_registered_late(before, after):
        return
    record = after.canonical
    assert record is not None
    line = record.line_of('status')
    severity, why = step.severity, step.why
    fix = (
        _undo(change, before, after)
        if severity == ERROR
        else review(after.canonical_path)
    )
    if step.reason and change.waits_for_message:
        return
    elif step.reason and change.message is not None:
        if not has_reason(change.message, step.reason, after.kind):
            severity, fix = ERROR, say_why(step.reason)
            why += f'; {without_reason(change.message, step.reason)}'
        else:
            why += '; the message gives a reason'
    elif step.reason and change.is_draft:
        why += f'; {without_reason(None, step.reason)}'
    origin = after.kind.label(old, 'not registered')
    yield Location(after.item, after.canonical_path, line).finding(
        'STG001',
        f'{origin} -> {after.kind.label(new)}: {why}',
        expected=str(old or ''),
        found=str(new),
        severity=severity,
        fix=fix,
    )


def _is_repair(before: Records, after: Records, handoff: State) -> bool:
    """Whether a handoff is brought in line with an unchanged registry."""
    return (
        after.state is not None
        and before.state == after.state
        and handoff == stage_beside(after.state, after.kind, handoff)
    )


def _is_registered_late(before: Records, after: Records) -> bool:
    """Whether an item is registered at the state its handoff has had all along.

    A handoff that appears without an item is judged when it appears.
    """
    old, new = before.handoff_state, after.handoff_state
    return (
        not before.registered
        and after.role == STAGE
        and (
            old is not None
            and old == new
            and after.state is not None
            and old.name == after.state.name
        )
    )


def _first_handoff(after: Records, new: State) -> Iterator[Finding]:
    """Find a handoff that appears before the stages and does not fit them.

    From the first stage on, REG010 and HND005 compare the two.
    """
    kind, state = after.kind, after.state
    assert after.current is not None
    if (
        not kind.registry
        or was_unreadable(after)
        or (after.registered and after.role != BEFORE)
    ):
        return
    name = after.handoff_field('item')
    if not after.registered and name is not None and name.text != after.item:
        # it was moved here from another item, as HND004 reports
        return
    step = transitions.step(state, new, kind)
    if step.severity:
        origin = kind.label(state, 'not registered')
        yield Location(
            after.item,
            after.current.path,
            after.current.handoff.line(kind.handoff.keys['stage']),
        ).finding(
            'STG002',
            f'it is {origin}, but a handoff was added at {kind.label(new)}: {step.why}',
            expected=str(state or ''),
            found=str(new),
            fix=delete_handoff(after),
        )


def _handoff(
    change: Change, before: Records, after: Records, old: State | None
) -> Iterator[Finding]:
    kind = after.kind
    if after.current is None:
        return
    new = after.current.state
    if old is None:
        if new is not None:
            yield from _first_handoff(after, new)
        return
    elif after.current.handoff.fields is None:
        # HND001 or HND002 reports that it cannot be read
        return
    if new is None:
        severity, why = ERROR, 'the handoff no longer names a stage'
    else:
        step = _step(change, before, HANDOFF, old, new)
        if not step.severity or _is_repair(before, after, new):
            return
        severity, why = step.severity, step.why
    path = after.current.path
    target = kind.label(new, 'no stage')
    yield Location(
        after.item, path, after.current.handoff.line(kind.handoff.keys['stage'])
    ).finding(
        'STG002',
        f'{kind.label(old)} -> {target}: {why}',
        expected=str(old),
        found=str(new or ''),
        severity=severity,
        fix=restore(path),
    )


def _entered(before: Records, after: Records, was: State | None) -> list[str]:
    """The states that no record of the item had before."""
    old = {state.name for state in (before.state, was) if state}
    new = [after.current.state if after.current else None]
    if after.state and after.state.name not in old and not was_unreadable(before):
        new.append(after.state)
    names = [state.name for state in new if state]
    return [name for name in dict.fromkeys(names) if name not in old]


def _gates(before: Records, after: Records, was: State | None) -> Iterator[Finding]:
    for state in _entered(before, after, was):
        needs = after.kind.label(State(state))
        for name, path, maker in gates.missing(after, state):
            made = f'; {maker} makes it' if maker else ''
            yield Location(after.item, path).finding(
                'STG005',
                f'{needs} needs this file, which is missing{made}',
                key=name,
                expected=state,
                fix=edit(path, 1, 'make it first'),
            )


def _without_handoff(
    before: Records, after: Records, gaps: Sequence[gates.UntriedWork]
) -> Iterator[Finding]:
    """Find missing evidence of an item that has no handoff to record it."""
    kind = after.kind
    if (
        not kind.handoff
        or after.state is None
        or (
            # STG001 refuses it
            transitions.step(before.state, after.state, kind).severity == ERROR
        )
    ):
        return
    path = expand(kind.handoff.places[0], after.item)
    for gap in gaps:
        yield Location(after.item, path).finding(
            'STG005',
            f'{kind.label(State(gap.state))} is done, but there is no handoff to '
            f'record that its {gap.what} passed',
            key=gap.what,
            expected=gap.state,
            fix=Fix('make the handoff', ours('handoff', 'create', after.called)),
        )


def _evidence(
    before: Records, after: Records, found: gates.UnprovenWork
) -> Iterator[Finding]:
    """Find finished work without evidence; a handoff older than that rule is
    excused."""
    kind = after.kind
    if found.holder is None:
        yield from _without_handoff(before, after, found.gaps)
        return
    for gap in found.gaps:
        yield Location(after.item, found.holder.path, gap.evidence.line).finding(
            'STG005',
            shown(gates.sentence(gap, kind)),
            key=gap.what,
            expected=gap.state,
            found=gap.evidence.text,
            severity=ERROR if found.strict else WARNING,
            fix=record(after.called, gap.what, kind.states[gap.state].stage),
        )


def _skipped(after: Records, found: gates.UnprovenWork) -> Iterator[Finding]:
    """Find a finished stage whose plan has unfinished phases."""
    for gap in found.skipped:
        yield Location(after.item, gap.plan, gap.phases[0].line).finding(
            'STG005',
            gates.left_out(gap, after.kind),
            key='phases',
            expected=gap.state,
            found=' '.join(str(each.state) for each in gap.phases),
            severity=ERROR if found.strict else WARNING,
            fix=edit(gap.plan, gap.phases[0].line, 'do the phase, or mark it as done'),
        )


def _erased(before: Records, after: Records) -> Iterator[Finding]:
    """Find a failed attempt whose record was removed without one that passed."""
    if after.current is None or after.current.handoff.fields is None:
        return
    for gap in gates.erased(before, after):
        name = after.kind.label(State(gap.state))
        yield Location(after.item, after.current.path, gap.evidence.line).finding(
            'STG005',
            f'the {gap.what} of {name} was recorded as `{shown(gap.evidence.text)}`, '
            f'but the record is gone',
            key=gap.evidence.key,
            found=gap.evidence.text,
            fix=record(after.called, gap.what, after.kind.states[gap.state].stage),
        )


def _kept(before: Records, after: Records, was: Placed | None) -> Iterator[Finding]:
    """Find a handoff without a field for evidence that replaces one with it."""
    kind, new = after.kind, after.current
    if new is None or new.handoff.fields is None:
        return
    elif not kind.handoff.evidence or evidence.is_kept(new, kind):
        return
    key = kind.handoff.evidence
    if evidence.is_kept(was, kind):
        message = f'`{key}` was removed, and with it the record of what was tested'
        yield Location(after.item, new.path).finding(
            'STG005', message, key=key, fix=restore(new.path)
        )
    elif before.current is None and before.role == STAGE:
        yield Location(after.item, new.path).finding(
            'STG005',
            f'the handoff was made again while work is in progress, and has no '
            f'`{key}`, which records what was tested',
            key=key,
            fix=edit(new.path, 1, f'add `{key}:`'),
        )


def _task(change: Change, workflow: Workflow) -> Iterator[Finding]:
    """Judge the log of the task in whose worktree the change is made."""
    site = change.site
    if site is None or not site.task:
        return
    # most changes are made outside of tasks
    from interlock.checks.task_files import of_log, site_kind, site_lock

    kind = site_kind(change, workflow)
    lock = site_lock(site, kind) if kind else None
    if kind is not None and lock is not None:
        yield from of_log(site.task, site.path, lock, kind)


def check(case: Case) -> Iterator[Finding]:
    change = case.change
    for items in case.items:
        for before, after in items.moved:
            was = continued_handoff(before, after)
            state = handoff_state(was)
            yield from _registry(change, before, after)
            yield from _handoff(change, before, after, state)
            if change.is_ref_step:
                # its requirements were checked for each commit
                continue
            unproven = gates.unproven(before, after)
            yield from _gates(before, after, state)
            yield from _evidence(before, after, unproven)
            yield from _kept(before, after, was)
            yield from _erased(before, after)
            yield from _skipped(after, unproven)
    yield from _task(change, case.workflow)
