"""The contents of a lock."""

from __future__ import annotations

from interlock.documents.json import render
from interlock.documents.tasks.lock import Lock
from interlock.model.errors import Denied
from interlock.model.fixes import correction, did_you_mean
from interlock.model.quick_typing import Any, NamedTuple, Sequence
from interlock.workflow.language.protocol import CONDITIONAL, FORWARD, ProtocolSpec
from interlock.workflow.language.spec import Kind
from interlock.workflow.reading.transition_log import first_state, ways_along


class Holder(NamedTuple):
    """Who takes a lock, and where; only the session decides, the rest informs."""

    session: str
    agent: str
    pid: int
    started: str
    host: str
    worktree: str
    # the boot and the pid namespace in which the pid is valid
    machine: str = ''
    # the common git directory of the clone
    clone: str = ''


def holder_of(lock: Lock) -> Holder:
    """The holder that a lock names."""
    pid = lock.get('pid')
    texts = {role: lock.text(role) for role in Holder._fields if role != 'pid'}
    texts |= {'session': lock.session, 'clone': ''}
    return Holder(pid=pid if isinstance(pid, int) else 0, **texts)


def _holder(holder: Holder, protocol: ProtocolSpec) -> dict[str, Any]:
    """The holder without session and clone, by the keys that the workflow has."""
    return {
        protocol.keys[role]: None if role == 'agent' and not value else value
        for role, value in holder._asdict().items()
        if role in protocol.keys and role not in ('session', 'clone')
    }


def entry(origin: str | None, target: str, now: str) -> dict[str, Any]:
    """An entry of the log."""
    return {'from': origin, 'to': target, 'timestamp': now}


def task_lock(
    kind: Kind, task: str, holder: Holder, generation: int, now: str, **fields: Any
) -> bytes:
    """The lock of a task that begins; `fields` by what they mean."""
    protocol = kind.protocol
    assert protocol is not None, 'only tasks are locked'
    keys = protocol.keys
    state = first_state(kind)
    values = {
        'session': holder.session,
        'task': task,
        'state': state,
        'created': now,
        'agents': [],
        'generation': generation,
        'log': [entry(None, state, now)],
        **fields,
    }
    data = {keys[role]: value for role, value in values.items()}
    return render({**data, **_holder(holder, protocol)})


def main_lock(
    protocol: ProtocolSpec, operation: str, holder: Holder, generation: int, now: str
) -> bytes:
    """The lock of the main worktree."""
    keys, main = protocol.keys, protocol.main
    return render(
        {
            keys['session']: holder.session,
            keys['task']: main.task,
            main.key: operation,
            keys['state']: main.state,
            keys['created']: now,
            keys['generation']: generation,
            **_holder(holder, protocol),
        }
    )


def rebound_lock(
    lock: Lock,
    holder: Holder,
    protocol: ProtocolSpec,
    before: bytes | None,
    generation: int = 0,
) -> bytes:
    """The same lock of the same holder: in another process, under the id
    that its session has now, or under another generation."""
    number = {lock.key('generation'): generation} if generation else {}
    return render(
        {
            **lock.data,
            lock.key('session'): holder.session,
            **number,
            **_holder(holder, protocol),
        },
        before,
    )


def _way(kind: Kind, target: str) -> list[str]:
    """The states on the way forward from the first one to another."""
    first = first_state(kind)
    lines = [line for line in kind.transitions if line.kind in (FORWARD, CONDITIONAL)]
    found = ways_along(lines, first)
    if target not in found:
        raise Denied(
            f'no steps forward lead to {target}', 'choose a state that they do'
        )
    return [first, *found[target]]


def _log(kind: Kind, target: str, now: str, reason: str) -> list[Any]:
    way = _way(kind, target)
    return [
        {**entry(origin, state, now), 'reason': reason}
        for origin, state in zip([None, *way], way, strict=False)
    ]


def adopted_lock(
    kind: Kind,
    task: str,
    holder: Holder,
    generation: int,
    now: str,
    state: str,
    kept: Lock | None,
    agents: Sequence[str],
    person: str,
) -> bytes:
    """The lock of a task whose lock is gone, for a session that continues.

    `kept` is the last content of the lock. If the state is the same, all of it
    holds again; else the log says that a person vouches for the state.
    """
    import shlex

    protocol = kind.protocol
    assert protocol is not None, 'only tasks are locked'
    if (
        kept is not None
        and kept.problem is None
        and (state in ('', kept.state) and kept.state in kind.states)
    ):
        return rebound_lock(kept, holder, protocol, None, generation)
    hint = (
        f'interlock task adopt {task} --session '
        f'{shlex.quote(holder.session)} --state STATE, one of '
        f'{", ".join(kind.states)}'
    )
    if not state:
        raise Denied(f'it is not known in which state {task} was', hint)
    elif state not in kind.states:
        near = did_you_mean(state, kind.states)
        meant = correction(state, kind.states)
        raise Denied(f'there is no state `{state}`{near}', hint, meant=meant)
    return task_lock(
        kind,
        task,
        holder,
        generation,
        now,
        state=state,
        agents=list(agents),
        log=_log(kind, state, now, f'adopted by {person}'),
    )
