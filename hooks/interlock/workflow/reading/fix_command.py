"""The command that fixes the records of an item."""

from __future__ import annotations

from interlock.model.change import Change
from interlock.model.errors import MergeConflict, Unreadable
from interlock.model.finding import ERROR, Fix
from interlock.model.fixes import (
    LEAVE_OUT,
    convert,
    edit,
    ours,
    quoted,
    restore_handoff,
    restore_registry,
)
from interlock.model.state import State
from interlock.workflow.language.spec import BEFORE, DONE, STAGE, Kind
from interlock.workflow.reading import transitions
from interlock.workflow.reading.records import Records, records
from interlock.workflow.reading.transitions import differ, stage_beside, stages_beside


def set_status(at: Records, state: State) -> Fix:
    name = at.kind.label(state)
    return Fix(
        f'set every record to {name}', ours('registry', 'set-status', at.called, name)
    )


def make_readable(path: str, problem: Unreadable) -> Fix:
    """The fix for an unreadable registry."""
    if problem.encoding:
        return convert(path, problem.line, problem.encoding)
    return decide_conflict(path, problem) or restore_registry()


def decide_conflict(path: str, problem: Unreadable) -> Fix | None:
    """The fix for a merge: an older version would drop what one side changed."""
    if isinstance(problem, MergeConflict):
        return edit(path, problem.line, 'resolve the conflict')
    return None


def move_handoff(at: Records, state: State) -> Fix:
    return Fix(
        f'bring the handoff to {at.kind.label(state)}',
        ours('handoff', 'update', at.called, at.kind.written_stage(state)),
    )


def delete_handoff(at: Records) -> Fix:
    return Fix('delete the handoff', ours('handoff', 'delete', at.called))


def registry_may_follow(at: Records) -> bool:
    """Whether the registry may move to the state of the handoff."""
    handoff = at.handoff_state
    return (
        at.state is not None
        and handoff is not None
        and (transitions.step(at.state, handoff, at.kind).severity != ERROR)
    )


def handoff_may_follow(at: Records) -> bool:
    """Whether a stage fits the state in the registry."""
    return at.state is not None and stage_beside(at.state, at.kind) is not None


def align(at: Records) -> Fix:
    """The fix for records at different stages: the legal step.

    If neither can follow the other, the handoff is about work that the
    registry does not know.
    """
    handoff = at.handoff_state
    if handoff is not None and registry_may_follow(at):
        return set_status(at, handoff)
    stage = at.state and stage_beside(at.state, at.kind, handoff)
    if not stage or at.state is None:
        return delete_handoff(at)
    elif at.role == STAGE:
        return move_handoff(at, stage)
    return set_status(at, at.state)


def _changed_in(at: Records) -> State | None:
    """The state for changes to a finished item, if the item may go there."""
    for line in at.kind.transitions:
        if at.state is None or line.severity or (at.state.name not in line.origins):
            continue
        for name in line.targets:
            spec = at.kind.states[name]
            if spec.role == DONE and not spec.handoff and not spec.beside:
                return State(name)
    return None


def toward(at: Records, wanted: State | None = None) -> Fix:
    """The step of an item without a handoff: it moves by its status alone."""
    if not at.registered:
        return register(at)
    name = transitions.first_step(at.state, wanted, at.kind)
    if name:
        return set_status(at, State(name))
    origin = at.kind.said(at.state, 'its status')
    where = f'`items.{at.kind.name}.transitions` of the workflow file'
    if at.state is None or wanted is None:
        return Fix(f'decide what may follow {origin}, and add it to {where}', '')
    line = f'- {{from: {_in_yaml(at.state.name)}, to: {_in_yaml(wanted.name)}}}'
    return Fix(
        f'if {at.kind.said(wanted)} may follow {origin}, add `{line}` to {where}, '
        f'and commit that file first',
        '',
    )


def _in_yaml(word: str) -> str:
    """A word as it may appear inside braces."""
    # needed only for states without successors, which are rare
    import json

    is_plain = word.replace(' ', '').replace('-', '').isalnum() and word[0].isalpha()
    return word if is_plain else json.dumps(word, ensure_ascii=False)


def legal_step(at: Records, wanted: State | None = None) -> Fix:
    """The legal step for an item after another one was refused."""
    if not at.kind.handoff:
        return toward(at, wanted)
    elif differ(at):
        return align(at)
    elif at.role == BEFORE and at.active_handoff is None:
        return Fix('begin the first stage', ours('handoff', 'create', at.called))
    state = _changed_in(at) if at.role == DONE else None
    if state is not None:
        return set_status(at, state)
    return Fix('see what comes next', ours('menu', at.called))


def rebuild(at: Records) -> Fix:
    """The fix for a handoff with wrong fields; the text below them is kept."""
    if not at.kind.registry:
        return restore_handoff(at.called)
    elif not at.registered:
        return register(at)
    elif at.state is None or handoff_may_follow(at):
        return Fix(
            'rebuild the fields of the handoff',
            ours('handoff', 'regenerate', at.called),
        )
    return delete_handoff(at) if at.current else legal_step(at)


def registering(kind: Kind, item: str) -> str:
    """The command that registers an item; only the user knows its type."""
    words = ['registry', 'add', item]
    if kind.is_one_of_several:
        words += ['--kind', kind.name]
    if kind.registry and kind.registry.types:
        words += ['--type', kind.registry.types[0]]
    return ours(*words)


def register(at: Records) -> Fix:
    spec = at.kind.registry
    others = ' or '.join(spec.types[1:])
    return Fix(
        f'register it ({others} if it is one)' if others else 'register it',
        registering(at.kind, at.item),
    )


def has_ended(at: Records, state: State) -> bool:
    """Whether the records already say that the work at a state is done."""
    if at.state is None or at.handoff_state != state:
        return False
    fits = state.name in stages_beside(at.state, at.kind)
    return fits and not at.is_open


def commit_stage(change: Change, kind: Kind, item: str, state: State) -> Fix:
    """The fix for a commit whose subject ends a stage but lacks its files."""
    from interlock.workflow.reading.commit_subject import text_of

    assert change.message is not None, 'the subject was read from it'
    text = text_of(change.message.subject, kind, item)
    if has_ended(records(change.before, kind, item), state):
        return Fix(LEAVE_OUT, f'git commit -m {quoted([f"chore({item}): {text}"])}')
    return Fix(
        'end the stage with all of its records',
        ours('commit-stage', kind.called(item), kind.written_stage(state), '-m', text),
    )
