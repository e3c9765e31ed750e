"""Violations of the rules about tasks and their locks."""

from __future__ import annotations

from typing import Any

from interlock.doctor.canary.attempt import COMMIT, PUSH, Attempt, TaskAttempt, Want
from interlock.documents.json import render
from interlock.documents.trailers import LOCK
from interlock.documents.trailers import TASK as TRAILER
from interlock.model.finding import ERROR
from interlock.operations.tasks.locks import entry
from interlock.rules.index import RULES
from interlock.workflow.language.protocol import ProtocolSpec
from interlock.workflow.language.spec import Kind
from interlock.workflow.reading.transition_log import first_state, passage

TASK = 'canary-task'
SESSION = 'canary-session'
NOW = '2026-01-02T03:04:05Z'
# entries of the todo list that are taken off it without any work
DONE = 'canary-com007'
ALSO_DONE = 'canary-lck004'
HERE = (COMMIT,)


def todo(protocol: ProtocolSpec, *names: str) -> bytes:
    lines = [f'- [ ] **{protocol.words.ready}:** `{name}`\n' for name in names]
    return f'# Canary\n\n{"".join(lines)}'.encode()


def _lock(kind: Kind, protocol: ProtocolSpec) -> dict[str, Any]:
    """A lock of ours, in which all is well."""
    keys, state = protocol.keys, first_state(kind)
    return {
        keys['session']: SESSION,
        keys['task']: TASK,
        keys['state']: state,
        keys['created']: NOW,
        keys['agents']: [],
        keys['generation']: 1,
        keys['log']: [entry(None, state, NOW)],
    }


def _illegal(kind: Kind) -> str:
    """A state that cannot come after the first one, '' if all can."""
    first = first_state(kind)
    for state in kind.states:
        if state != first and passage(kind, first, state) is None:
            return state
    return ''


def _alias(protocol: ProtocolSpec) -> str:
    """An older name of the list of agents, '' if it never had one."""
    for alias, key in protocol.aliases.items():
        if key == protocol.keys['agents']:
            return alias
    return ''


def _broken(kind: Kind, protocol: ProtocolSpec) -> tuple[dict[str, Any], list[str]]:
    """A lock of somebody else in which nearly all is wrong."""
    keys, first, next_ = protocol.keys, first_state(kind), _illegal(kind)
    lock = _lock(kind, protocol)
    del lock[keys['created']]
    lock |= {
        keys['session']: 'canary-other',
        keys['task']: 'canary-elsewhere',
        keys['state']: 'CANARY',
        keys['risk']: 'CANARY',
        keys['checkpoint']: {},
        keys['log']: [entry(None, first, NOW), entry(first, next_, 'canary')],
    }
    codes = ['LCK001', 'TSK001', 'TSK002', 'TSK003', 'TSK004', 'TSK007', 'STG004']
    if next_:
        codes.append('STG003')
    alias = _alias(protocol)
    if alias:
        lock[alias] = lock.pop(keys['agents'])
        codes.append('TSK005')
    return lock, codes


def _want(code: str) -> Want:
    return Want(code, TASK, RULES[code].severity == ERROR, HERE)


def in_task(kind: Kind, protocol: ProtocolSpec) -> list[TaskAttempt]:
    """Commits in the worktree of a task, each under another lock."""
    change = {'canary.txt': b'canary\n'}
    good = _lock(kind, protocol)
    broken, codes = _broken(kind, protocol)
    nobodys = {**good}
    del nobodys[protocol.keys['session']]
    tried: list[tuple[str, bytes | None]] = [
        ('LCK002', b'{'),
        ('LCK005', render(nobodys)),
    ]
    return [
        TaskAttempt(
            change, tuple(_want(code) for code in codes), render(broken), SESSION
        ),
        *(TaskAttempt(change, (_want(code),), data, SESSION) for code, data in tried),
        TaskAttempt(change, (_want('LCK003'),), render(good), '', True),
        TaskAttempt(
            # a warning, so there is something else to be refused
            {protocol.todo: todo(protocol, DONE)},
            (_want('LCK004'),),
            None,
            SESSION,
        ),
    ]


def sound(kind: Kind, protocol: ProtocolSpec) -> TaskAttempt:
    """A commit that must be let through, and signed."""
    data = render(_lock(kind, protocol))
    return TaskAttempt({'canary.txt': b'canary\n'}, (), data, SESSION)


def in_main(protocol: ProtocolSpec) -> list[Attempt]:
    """Commits in the main worktree."""
    name = protocol.main.name
    return [
        Attempt(
            {protocol.todo: todo(protocol, ALSO_DONE)},
            'canary: completed',
            (Want('COM007', DONE, True), Want('LCK007', name, True, HERE)),
            session=SESSION,
        ),
        Attempt(
            {'canary.txt': b'canary\n'},
            f'canary: late\n\n{LOCK}: {TASK}@1',
            (Want('LCK006', TASK, True, (PUSH,)),),
            base_message=f'canary: in time\n\n{LOCK}: {TASK}@2',
        ),
        Attempt(
            {'canary.txt': b'canary\n'},
            f'canary: silent\n\n{TRAILER}: {TASK}',
            (Want('LCK008', TASK, False, (PUSH,)),),
            base_message=f'canary: in time\n\n{LOCK}: {TASK}@2',
        ),
    ]
