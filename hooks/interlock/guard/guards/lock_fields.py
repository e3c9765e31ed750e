"""Fields of a lock that gates read, or that say who holds it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from interlock.documents.tasks.lock import Lock
from interlock.documents.text import shown
from interlock.guard.decision import Objection
from interlock.workflow.language.spec import Kind
from interlock.workflow.reading.transition_log import forward, is_selecting

# what whoever takes a lock says of itself, and what was corrected since
OURS = ('agent', 'pid', 'started', 'host', 'worktree', 'corrections')


def _objection(message: str, hint: str) -> Objection:
    return Objection('CLD006', message, hint)


def _ours(name: str, old: Lock, new: Lock) -> Objection | None:
    for role in OURS:
        if new.get(role) != old.get(role):
            return _objection(
                f'`{new.key(role)}` of {name} is written by Interlock alone',
                f'interlock lock show {name}',
            )
    return None


def _records(lock: Lock) -> list[Any]:
    value = lock.get('additions')
    return value if isinstance(value, list) else []


def _text(entry: Mapping[str, Any], key: str) -> str:
    value = entry.get(key)
    return value.strip() if isinstance(value, str) else ''


def _is_record(entry: Any, state: str) -> bool:
    """Whether an addition says who was added, why, and in which state."""
    return (
        isinstance(entry, dict)
        and bool(_text(entry, 'agent') and _text(entry, 'justification'))
        and entry.get('added_at_state') == state
    )


def _additions(name: str, old: Lock, new: Lock, may_add: bool) -> Objection | None:
    """The records of additions grow, by whole ones."""
    before, after = _records(old), _records(new)
    added = after[len(before) :]
    hint = f'interlock agents add {name} AGENT --why TEXT'
    if after[: len(before)] != before:
        return _objection(
            f'`{new.key("additions")}` of {name} only grows; what was '
            f'recorded is changed',
            hint,
        )
    elif added and not may_add:
        return _objection(
            f'{name} is in {shown(old.state)}, where no agent is added', hint
        )
    elif not all(_is_record(each, old.state) for each in added):
        return _objection(
            f'an addition to {name} says who is added, why, and that it was '
            f'in {old.state}',
            hint,
        )
    return None


def _required(name: str, old: Lock, new: Lock, may_add: bool) -> Objection | None:
    gone = [each for each in old.agents if each not in new.agents]
    added = [each for each in new.agents if each not in old.agents]
    recorded = {each.get('agent') for each in _records(new) if isinstance(each, dict)}
    if gone:
        return _objection(
            f'{shown(gone[0])} takes part in {name}: gates wait for it, and '
            f'nobody takes it out',
            f'interlock agents check {name}',
        )
    elif added and not (may_add and recorded.issuperset(added)):
        where = 'without a record' if may_add else f'in {shown(old.state)}'
        return _objection(
            f'{shown(added[0])} would take part in {name}, added {where}',
            f'interlock agents add {name} {shown(added[0])} --why TEXT',
        )
    return None


def _agents(name: str, old: Lock, new: Lock, kind: Kind) -> Objection | None:
    if is_selecting(kind, old.state):
        # here they are chosen
        return _additions(name, old, new, may_add=False)
    spec = kind.states.get(old.state)
    may_add = spec is not None and spec.additions
    if new.get('selection') != old.get('selection'):
        return _objection(
            f'the agents of {name} were selected before {old.state}',
            f'interlock agents check {name}',
        )
    return _additions(name, old, new, may_add) or _required(name, old, new, may_add)


def _judged(name: str, old: Lock, new: Lock, kind: Kind) -> Objection | None:
    """What was judged once is corrected by the command, which keeps it."""
    risks = kind.protocol.risks if kind.protocol else ()
    before, after = old.text('risk'), new.text('risk')
    if before in risks and (
        after not in risks or risks.index(after) > risks.index(before)
    ):
        role = 'risk'
    elif old.text('change') and new.text('change') != old.text('change'):
        role = 'change'
    else:
        return None
    return _objection(
        f'`{new.key(role)}` of {name} is {shown(old.text(role))}, and would '
        f'be {shown(new.text(role)) or "gone"} without a trace',
        f'interlock transition {name} {forward(kind, old.state) or "STATE"} '
        f'--{role} {shown(new.text(role)) or "VALUE"} --why TEXT',
    )


def judge(name: str, old: Lock, new: Lock, kind: Kind) -> Objection | None:
    return (
        _ours(name, old, new)
        or _agents(name, old, new, kind)
        or _judged(name, old, new, kind)
    )
