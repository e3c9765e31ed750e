"""Violations of the rules about tasks and their locks."""

from __future__ import annotations

from interlock.doctor.canary.attempt import COMMIT, PUSH, Attempt, Want
from interlock.documents.json import render
from interlock.documents.trailers import LOCK
from interlock.documents.trailers import TASK as TRAILER
from interlock.model.finding import ERROR
from interlock.model.overlay import Files
from interlock.model.quick_typing import Any, Iterable
from interlock.operations.tasks.locks import entry
from interlock.rules.index import RULES
from interlock.workflow.language.protocol import ProtocolSpec
from interlock.workflow.language.spec import Kind
from interlock.workflow.reading.transition_log import first_state, passage

TASK = 'canary-task'
SESSION = 'canary-session'
NOW = '2026-01-02T03:04:05Z'
# entries that are removed from the todo list without any work
DONE = 'canary-com007'
ALSO_DONE = 'canary-lck004'
HERE = (COMMIT,)
WORK: Files = {'canary.txt': b'canary\n'}
IN_TIME = f'canary: in time\n\n{LOCK}: {TASK}@2'


def todo(protocol: ProtocolSpec, *names: str) -> bytes:
    lines = [f'- [ ] **{protocol.words.ready}:** `{name}`\n' for name in names]
    return f'# Canary\n\n{"".join(lines)}'.encode()


def _lock(kind: Kind, protocol: ProtocolSpec) -> dict[str, Any]:
    """A valid lock of our session."""
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


def _broken(kind: Kind, protocol: ProtocolSpec) -> tuple[dict[str, Any], list[str]]:
    """A lock of another session with nearly everything wrong."""
    keys, first, lock = protocol.keys, first_state(kind), _lock(kind, protocol)
    unreachable = [
        state
        for state in kind.states
        if state != first and passage(kind, first, state) is None
    ]
    next_ = unreachable[0] if unreachable else ''
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
    # an older name for the list of agents
    aliases = [
        alias for alias, key in protocol.aliases.items() if key == keys['agents']
    ]
    if aliases:
        lock[aliases[0]] = lock.pop(keys['agents'])
        codes.append('TSK005')
    return lock, codes


def _attempt(
    codes: Iterable[str],
    lock: bytes | None,
    change: Files = WORK,
    session: str = SESSION,
    automated: bool = False,
) -> Attempt:
    wants = tuple(
        Want(code, TASK, RULES[code].severity == ERROR, HERE) for code in codes
    )
    return Attempt(
        change,
        'canary: in a task',
        wants,
        session=session,
        automated=automated,
        lock=lock,
    )


def in_task(kind: Kind, protocol: ProtocolSpec) -> list[Attempt]:
    """Commits in the worktree of a task, each with a different lock."""
    good = _lock(kind, protocol)
    broken, codes = _broken(kind, protocol)
    unowned = {key: good[key] for key in good if key != protocol.keys['session']}
    return [
        _attempt(codes, render(broken)),
        _attempt(['LCK002'], b'{'),
        _attempt(['LCK005'], render(unowned)),
        _attempt(['LCK003'], render(good), session='', automated=True),
        # only a warning, so the change also breaks a rule that refuses
        _attempt(['LCK004'], None, {protocol.todo: todo(protocol, DONE)}),
    ]


def sound(kind: Kind, protocol: ProtocolSpec) -> Attempt:
    """A commit that must pass, and get its trailers."""
    return _attempt((), render(_lock(kind, protocol)))


def in_main(protocol: ProtocolSpec) -> list[Attempt]:
    """Commits in the main worktree."""
    return [
        Attempt(
            {protocol.todo: todo(protocol, ALSO_DONE)},
            'canary: completed',
            (Want('COM007', DONE), Want('LCK007', protocol.main.name, gates=HERE)),
            session=SESSION,
        ),
        Attempt(
            WORK,
            f'canary: late\n\n{LOCK}: {TASK}@1',
            (Want('LCK006', TASK, gates=(PUSH,)),),
            base_message=IN_TIME,
        ),
        Attempt(
            WORK,
            f'canary: silent\n\n{TRAILER}: {TASK}',
            (Want('LCK008', TASK, False, (PUSH,)),),
            base_message=IN_TIME,
        ),
    ]
