"""The lock of a task on its own: is it whole, and does it make sense?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from interlock.documents import timestamps
from interlock.documents.tasks.lock import Lock
from interlock.documents.text import shown
from interlock.model.finding import Finding, Fix
from interlock.model.fixes import edit
from interlock.model.suggest import did_you_mean
from interlock.rules.new_finding import Location
from interlock.workflow.language.protocol import ProtocolSpec
from interlock.workflow.language.spec import Kind
from interlock.workflow.reading.transition_log import problems

# what every lock of a task says; who holds it has a rule of its own
NEEDED = ('task', 'state', 'created', 'log')


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _is_objects(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, dict) for each in value)


def _is_generation(value: Any) -> bool:
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return is_number and value > 0


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)


def _is_time(value: Any) -> bool:
    return isinstance(value, str) and timestamps.parse(value) is not None


# role -> what its value is, and how to tell
FORMS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    'task': ('a text', _is_text),
    'state': ('a text', _is_text),
    'created': ('a time', _is_time),
    'log': ('a list of entries', _is_objects),
    'agents': ('a list of names', _is_texts),
    'additions': ('a list of entries', _is_objects),
    'risk': ('a text', _is_text),
    'change': ('a text', _is_text),
    'evidence': ('an object', _is_object),
    'generation': ('a whole number above 0', _is_generation),
}


def _ask(name: str) -> Fix:
    """Nobody mends what may be somebody's: a person ends it."""
    return Fix('look how a person ends it', f'interlock lock show {name}')


def is_unreadable(name: str, path: str, lock: Lock) -> Iterator[Finding]:
    if lock.problem is not None:
        yield Location(name, path, lock.problem.line).finding(
            'LCK002',
            f'the lock {lock.problem.message}: held by an unknown session',
            found=lock.problem.message,
            fix=_ask(name),
        )


def _of_owner(name: str, path: str, lock: Lock) -> Iterator[Finding]:
    if not lock.session:
        line = lock.line('session')
        yield Location(name, path, line).finding(
            'LCK005',
            'the lock names no session: held by an unknown session',
            key='session',
            fix=_ask(name),
        )


def acquire(name: str, lock: Lock, protocol: ProtocolSpec) -> str:
    """The command by which whoever holds a lock gets a generation."""
    main = protocol.main
    if name != main.name:
        return f'interlock lock acquire {name}'
    said = lock.data.get(main.key)
    operation = said if said in main.operations else main.operations[0]
    return f'interlock lock acquire {name} --operation {operation}'


def of_generation(
    name: str, path: str, lock: Lock, protocol: ProtocolSpec, given: bool
) -> Iterator[Finding]:
    """`given`: whether the register gave the generation out."""
    if not given and lock.problem is None:
        yield Location(name, path, lock.line('generation')).finding(
            'LCK006',
            f'the lock says generation {lock.generation}, which is not the '
            f'last one that was given out',
            found=str(lock.generation),
            key='generation',
            fix=Fix('get a generation of your own', acquire(name, lock, protocol)),
        )


def _of_name(name: str, path: str, lock: Lock) -> Iterator[Finding]:
    if lock.task and lock.task != name:
        line = lock.line('task')
        yield Location(name, path, line).finding(
            'TSK001',
            f'the lock names the task `{shown(lock.task)}`',
            expected=name,
            found=lock.task,
        )


def _of_fields(name: str, path: str, lock: Lock) -> Iterator[Finding]:
    for role in NEEDED:
        if lock.get(role) is None:
            key = lock.keys.roles[role]
            yield Location(name, path).finding(
                'TSK002',
                f'the field `{key}` is missing',
                expected=key,
                fix=edit(path, 1, 'add the field'),
            )


def _of_forms(name: str, path: str, lock: Lock) -> Iterator[Finding]:
    aliases = [alias for alias, _ in lock.used_aliases]
    for role, (form, fits) in FORMS.items():
        value, key = lock.get(role), lock.key(role)
        if value is None or fits(value):
            continue
        elif key in aliases and isinstance(value, dict):
            # an older form: names are its keys
            continue
        line = lock.line(role)
        yield Location(name, path, line).finding(
            'TSK003',
            f'`{shown(key)}` is not {form}: `{shown(str(value))}`',
            expected=form,
            found=shown(str(value)),
            key=key,
        )


def _of_words(
    name: str, path: str, lock: Lock, kind: Kind, protocol: ProtocolSpec
) -> Iterator[Finding]:
    state, risk = lock.state, lock.text('risk')
    if state and state not in kind.states:
        line = lock.line('state')
        near = did_you_mean(state, kind.states)
        yield Location(name, path, line).finding(
            'TSK004', f'there is no state `{shown(state)}`{near}', found=state
        )
    if risk and risk not in protocol.risks:
        line = lock.line('risk')
        known = ', '.join(protocol.risks)
        yield Location(name, path, line).finding(
            'TSK003',
            f'`{shown(risk)}` is none of {known}',
            expected=known,
            found=risk,
            key='risk',
        )


def _of_aliases(name: str, path: str, lock: Lock) -> Iterator[Finding]:
    for alias, key in lock.used_aliases:
        line = lock.json.line(alias)
        yield Location(name, path, line).finding(
            'TSK005',
            f'`{alias}` is an older name of `{key}`',
            expected=key,
            found=alias,
            fix=edit(path, line, 'rename it'),
        )


def _checkpoint_faults(
    value: dict[str, Any], protocol: ProtocolSpec
) -> Iterator[tuple[str, str]]:
    if value.get('type') != protocol.checkpoint:
        found = shown(str(value.get('type')))
        yield 'type', f'is `{found}`, not `{protocol.checkpoint}`'
    if not isinstance(value.get('commit_sha'), str):
        yield 'commit_sha', 'names no commit'
    if not _is_time(value.get('presented_at')):
        yield 'presented_at', 'is no time'
    if not isinstance(value.get('approved'), bool):
        yield 'approved', 'is neither true nor false'


def _of_checkpoint(
    name: str, path: str, lock: Lock, protocol: ProtocolSpec
) -> Iterator[Finding]:
    value, key = lock.get('checkpoint'), lock.key('checkpoint')
    if value is None:
        return
    faults = [('', 'is no object')]
    if isinstance(value, dict):
        faults = list(_checkpoint_faults(value, protocol))
    for field, message in faults:
        line = lock.json.line(key, field)
        where = f'{key}.{field}' if field else key
        yield Location(name, path, line).finding(
            'TSK007', f'`{where}` {message}', key=where, found=shown(str(value))
        )


def of_lock(name: str, path: str, lock: Lock, kind: Kind) -> Iterator[Finding]:
    """Everything wrong with the lock of a task, its log not counted."""
    protocol = kind.protocol
    assert protocol is not None, 'only tasks are locked'
    if lock.problem is not None:
        yield from is_unreadable(name, path, lock)
        return
    yield from _of_owner(name, path, lock)
    yield from _of_name(name, path, lock)
    yield from _of_fields(name, path, lock)
    yield from _of_forms(name, path, lock)
    yield from _of_words(name, path, lock, kind, protocol)
    yield from _of_checkpoint(name, path, lock, protocol)
    yield from _of_aliases(name, path, lock)


def of_main(path: str, lock: Lock, protocol: ProtocolSpec) -> Iterator[Finding]:
    """The lock of the main worktree has a form of its own."""
    main = protocol.main
    if lock.problem is not None:
        yield from is_unreadable(main.name, path, lock)
        return
    yield from _of_owner(main.name, path, lock)
    wanted = {
        lock.keys.roles['task']: (main.task,),
        lock.keys.roles['state']: (main.state,),
        main.key: main.operations,
    }
    for key, words in wanted.items():
        if lock.data.get(key) not in words:
            line = lock.json.line(key)
            found = shown(str(lock.data.get(key)))
            yield Location(main.name, path, line).finding(
                'LCK005',
                f'`{key}` is `{found}`, not {" or ".join(words)}',
                key=key,
                expected=' '.join(words),
                found=found,
            )
    if not _is_time(lock.get('created')):
        line = lock.line('created')
        yield Location(main.name, path, line).finding(
            'LCK005', f'`{lock.key("created")}` is no time', key='created'
        )


def of_log(name: str, path: str, lock: Lock, kind: Kind) -> Iterator[Finding]:
    """The steps of a task, and whether its log tells them."""
    if lock.problem is not None:
        return
    for problem in problems(lock, kind):
        code = 'STG003' if problem.illegal else 'STG004'
        yield Location(name, path, problem.line).finding(
            code,
            problem.message,
            expected=problem.expected,
            found=problem.found,
            fix=edit(path, problem.line, 'look up what happened'),
        )


def of_mirror(name: str, path: str, mirror: Lock, lock: Lock) -> Iterator[Finding]:
    """A second file with the state in it; only the lock counts."""
    if mirror.problem is not None:
        yield Location(name, path, mirror.problem.line).finding(
            'TSK006',
            f'the copy of the state {mirror.problem.message}',
            found=mirror.problem.message,
        )
        return
    for role in ('session', 'task', 'state', 'agents', 'log'):
        copy, original = mirror.get(role), lock.get(role)
        if copy is not None and copy != original:
            line = mirror.line(role)
            yield Location(name, path, line).finding(
                'TSK006',
                f'`{mirror.key(role)}` is not what the lock says',
                key=role,
                expected=shown(str(original)),
                found=shown(str(copy)),
            )
