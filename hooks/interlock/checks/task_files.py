"""Checks the lock of a task or of the main worktree: is it complete, and whose
is it?"""

from __future__ import annotations

from interlock.documents import timestamps
from interlock.documents.tasks import lock as documents
from interlock.documents.tasks.lock import Lock
from interlock.documents.text import shown
from interlock.model.actor import RESTART
from interlock.model.change import Change, Site
from interlock.model.errors import Unreadable
from interlock.model.finding import Finding, Fix
from interlock.model.fixes import did_you_mean, edit
from interlock.model.quick_typing import Any, Callable, Iterator
from interlock.rules.new_finding import Location
from interlock.workflow.language.protocol import ProtocolSpec
from interlock.workflow.language.spec import Kind, Workflow
from interlock.workflow.reading.transition_log import problems

# the fields that every task lock needs; a rule of its own covers the holder
NEEDED = ('task', 'state', 'created', 'log')
# the fields that a copy of the state repeats
MIRRORED = ('session', 'task', 'state', 'agents', 'log')
SESSION = Fix('name the session', RESTART)
SELECT = Fix('choose another task', 'interlock task select')


def _is_list_of(kind: type) -> Callable[[Any], bool]:
    return lambda value: (
        isinstance(value, list) and all(isinstance(each, kind) for each in value)
    )


def _is(kind: type) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, kind)


def _is_generation(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _is_time(value: Any) -> bool:
    return isinstance(value, str) and timestamps.parse(value) is not None


# role -> what its value must be, and how to check that
FORMS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    'task': ('a text', _is(str)),
    'state': ('a text', _is(str)),
    'created': ('a time', _is_time),
    'log': ('a list of entries', _is_list_of(dict)),
    'agents': ('a list of names', _is_list_of(str)),
    'additions': ('a list of entries', _is_list_of(dict)),
    'risk': ('a text', _is(str)),
    'change': ('a text', _is(str)),
    'evidence': ('an object', _is(dict)),
    'generation': ('a whole number above 0', _is_generation),
}


def _ask(name: str) -> Fix:
    """The fix for a lock that may be in use: a person has to release it."""
    return Fix('see how a person can release it', f'interlock lock show {name}')


def _of_owner(name: str, path: str, lock: Lock) -> Iterator[Finding]:
    """Findings about a lock whose holder is unknown."""
    if lock.problem is not None:
        message = f'the lock {lock.problem.message}: held by an unknown session'
        yield Location(name, path, lock.problem.line).finding(
            'LCK002', message, found=lock.problem.message, fix=_ask(name)
        )
    elif not lock.session:
        message = 'the lock does not name a session: held by an unknown session'
        yield Location(name, path, lock.line('session')).finding(
            'LCK005', message, key='session', fix=_ask(name)
        )


def acquire(name: str, lock: Lock, protocol: ProtocolSpec) -> str:
    """The command that gives the holder of a lock a generation."""
    main = protocol.main
    if name != main.name:
        return f'interlock lock acquire {name}'
    said = lock.data.get(main.key)
    operation = said if said in main.operations else main.operations[0]
    return f'interlock lock acquire {name} --operation {operation}'


def of_generation(
    name: str, path: str, lock: Lock, protocol: ProtocolSpec, given: bool
) -> Iterator[Finding]:
    """`given`: whether the register issued this generation."""
    if not given and lock.problem is None:
        yield Location(name, path, lock.line('generation')).finding(
            'LCK006',
            f'the lock says generation {lock.generation}, which is not the '
            f'last one that was given out',
            found=str(lock.generation),
            key='generation',
            fix=Fix(
                'take the lock to get a new generation', acquire(name, lock, protocol)
            ),
        )


def _of_forms(name: str, path: str, lock: Lock) -> Iterator[Finding]:
    if lock.task and lock.task != name:
        message = f'the lock names the task `{shown(lock.task)}`'
        yield Location(name, path, lock.line('task')).finding(
            'TSK001', message, expected=name, found=lock.task
        )
    for role in NEEDED:
        if lock.get(role) is None:
            key = lock.keys.roles[role]
            message = f'the field `{key}` is missing'
            yield Location(name, path).finding(
                'TSK002', message, expected=key, fix=edit(path, 1, 'add the field')
            )
    aliases = [alias for alias, _ in lock.used_aliases]
    for role, (form, fits) in FORMS.items():
        value, key = lock.get(role), lock.key(role)
        # an older format uses the names as keys
        is_older = key in aliases and isinstance(value, dict)
        if value is not None and not fits(value) and not is_older:
            message = f'`{shown(key)}` is not {form}: `{shown(str(value))}`'
            yield Location(name, path, lock.line(role)).finding(
                'TSK003', message, expected=form, found=shown(str(value)), key=key
            )


def _of_words(
    name: str, path: str, lock: Lock, kind: Kind, protocol: ProtocolSpec
) -> Iterator[Finding]:
    state, risk = lock.state, lock.text('risk')
    if state and state not in kind.states:
        near = did_you_mean(state, kind.states)
        yield Location(name, path, lock.line('state')).finding(
            'TSK004', f'there is no state `{shown(state)}`{near}', found=state
        )
    if risk and risk not in protocol.risks:
        known = ', '.join(protocol.risks)
        message = f'`{shown(risk)}` is not one of {known}'
        yield Location(name, path, lock.line('risk')).finding(
            'TSK003', message, expected=known, found=risk, key='risk'
        )


def _checkpoint_mistakes(value: Any, protocol: ProtocolSpec) -> Iterator[list[str]]:
    """The fields of a checkpoint that are wrong, each with its mistake."""
    if not isinstance(value, dict):
        yield ['', 'is not an object']
        return
    if value.get('type') != protocol.checkpoint:
        found = shown(str(value.get('type')))
        yield ['type', f'is `{found}`, not `{protocol.checkpoint}`']
    if not isinstance(value.get('commit_sha'), str):
        yield ['commit_sha', 'does not name a commit']
    if not _is_time(value.get('presented_at')):
        yield ['presented_at', 'is not a time']
    if not isinstance(value.get('approved'), bool):
        yield ['approved', 'is neither true nor false']


def of_lock(name: str, path: str, lock: Lock, kind: Kind) -> Iterator[Finding]:
    """All findings about the lock of a task, except about its log."""
    protocol = kind.protocol
    assert protocol is not None, 'only tasks are locked'
    yield from _of_owner(name, path, lock)
    if lock.problem is not None:
        return
    yield from _of_forms(name, path, lock)
    yield from _of_words(name, path, lock, kind, protocol)
    value, key = lock.get('checkpoint'), lock.key('checkpoint')
    for field, mistake in (
        _checkpoint_mistakes(value, protocol) if value is not None else ()
    ):
        where = f'{key}.{field}' if field else key
        yield Location(name, path, lock.json.line(key, field)).finding(
            'TSK007', f'`{where}` {mistake}', key=where, found=shown(str(value))
        )
    for alias, key in lock.used_aliases:
        line = lock.json.line(alias)
        yield Location(name, path, line).finding(
            'TSK005',
            f'`{alias}` is an older name of `{key}`',
            expected=key,
            found=alias,
            fix=edit(path, line, 'rename it'),
        )


def of_main(path: str, lock: Lock, protocol: ProtocolSpec) -> Iterator[Finding]:
    """Findings about the lock of the main worktree, which has its own format."""
    main = protocol.main
    yield from _of_owner(main.name, path, lock)
    if lock.problem is not None:
        return
    wanted = {
        lock.keys.roles['task']: (main.task,),
        lock.keys.roles['state']: (main.state,),
        main.key: main.operations,
    }
    for key, words in wanted.items():
        if lock.data.get(key) not in words:
            found = shown(str(lock.data.get(key)))
            message = f'`{key}` is `{found}`, not {" or ".join(words)}'
            yield Location(main.name, path, lock.json.line(key)).finding(
                'LCK005', message, key=key, expected=' '.join(words), found=found
            )
    if not _is_time(lock.get('created')):
        yield Location(main.name, path, lock.line('created')).finding(
            'LCK005', f'`{lock.key("created")}` is not a time', key='created'
        )


def of_log(name: str, path: str, lock: Lock, kind: Kind) -> Iterator[Finding]:
    """Findings about the steps of a task and the log of these steps."""
    for problem in problems(lock, kind) if lock.problem is None else ():
        yield Location(name, path, problem.line).finding(
            'STG003' if problem.illegal else 'STG004',
            problem.message,
            expected=problem.expected,
            found=problem.found,
            fix=edit(path, problem.line, 'see what happened'),
        )


def of_mirror(name: str, path: str, mirror: Lock, lock: Lock) -> Iterator[Finding]:
    """Findings about a copy of the state; only the lock counts."""
    if mirror.problem is not None:
        yield Location(name, path, mirror.problem.line).finding(
            'TSK006',
            f'the copy of the state {mirror.problem.message}',
            found=mirror.problem.message,
        )
        return
    for role in MIRRORED:
        copy, original = mirror.get(role), lock.get(role)
        if copy is not None and copy != original:
            yield Location(name, path, mirror.line(role)).finding(
                'TSK006',
                f'`{mirror.key(role)}` is not what the lock says',
                key=role,
                expected=shown(str(original)),
                found=shown(str(copy)),
            )


def site_kind(change: Change, workflow: Workflow) -> Kind | None:
    for kind in workflow.kinds:
        if change.site is not None and kind.name == change.site.kind:
            return kind
    return None


def site_lock(site: Site, kind: Kind) -> Lock | None:
    """The lock of a worktree, None if it has none."""
    assert kind.protocol is not None, 'only tasks have sites'
    if not site.locked:
        return None
    elif site.lock is None:
        problem = Unreadable(f'cannot be read ({site.holder})')
        return Lock(kind.protocol.lock_keys, documents.NOTHING, problem)
    return documents.parse(site.lock, kind.protocol.lock_keys)


def confirm(name: str) -> Fix:
    return Fix('ask the engine', f'interlock lock confirm {name}')


def _without_lock(site: Site, name: str, protocol: ProtocolSpec) -> Iterator[Finding]:
    if site.task:
        yield Location(name, site.path).finding(
            'LCK004',
            'the worktree has no lock: a session crashed, or somebody made it by hand',
            fix=Fix('ask the user', f'interlock task select {name}'),
        )
    elif not site.actor.is_human:
        operation = protocol.main.operations[0]
        yield Location(name, site.path).finding(
            'LCK007',
            'a commit in the main worktree needs its lock',
            fix=Fix(
                'take the lock',
                f'interlock lock acquire {name} --operation {operation}',
            ),
        )


def of_site(site: Site, kind: Kind) -> Iterator[Finding]:
    """Whether the lock of a worktree is complete and held by the committing actor."""
    protocol, actor = kind.protocol, site.actor
    assert protocol is not None, 'only tasks have sites'
    name = site.task or protocol.main.name
    lock = site_lock(site, kind)
    if lock is None:
        yield from _without_lock(site, name, protocol)
        return
    if actor.is_anonymous:
        yield Location(name, site.path).finding(
            'LCK003', 'an agent without a session id commits here', fix=SESSION
        )
    elif lock.session and lock.session != actor.session:
        message = f'held by {site.holder}'
        yield Location(name, site.path, lock.line('session')).finding(
            'LCK001', message, expected=actor.session, found=lock.session, fix=SELECT
        )
    elif site.doubt:
        code, _, why = site.doubt.partition(': ')
        yield Location(name, site.path).finding(
            code, f'the lock cannot be trusted: {why}', fix=confirm(name)
        )
    if site.unconfirmed:
        yield Location(name, site.path).finding(
            'LCK010',
            f'the lock engine does not answer; it last confirmed this lock: '
            f'{site.unconfirmed}',
            fix=confirm(name),
        )
    if actor.is_human or lock.session == actor.session:
        # any other actor is told whose lock it is
        yield from of_generation(name, site.path, lock, protocol, site.given)
    if site.task:
        yield from of_lock(name, site.path, lock, kind)
    else:
        yield from of_main(site.path, lock, protocol)
