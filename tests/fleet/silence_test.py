"""A server that is really stopped, and all that sessions and people do meanwhile.

Every row of the table in docs/fleet.md, on a git daemon and on PostgreSQL.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from interlock.tasks.engines.register import Register
from tests import forked, spaces
from tests.conftest import Interlock
from tests.desk import DONE, PARTS, PLAN, TRAIL, Desk
from tests.engine.lock_records_test import HOOK, committed, with_workflow
from tests.fleet.conftest import use
from tests.fleet.git_servers import serve
from tests.fleet.postgres import Cluster
from tests.fleet.properties import shows
from tests.fleet.proxied import Stoppable
from tests.guard.asking import SESSION, ask, write
from tests.spaces import OTHER, TASK, Space
from tests.tasks.engines.team import Machine, Team, make_team

pytestmark = pytest.mark.slow

STOPPABLE = ('remote-git', 'postgresql')
Result = tuple[int, str]
# for one question of a server or of CI; without a deadline it never ends, so on a
# busy machine it may take much longer
SECONDS = 4.0
SLACK = 60.0
CONFIRMED = re.compile(r'last confirmed: (never|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)')


class Silent:
    """A team whose engine can be stopped for a while."""

    def __init__(self, team: Team, kind: str, server: Stoppable) -> None:
        self.team = team
        self.desk = Desk(team.one.space.path)
        self.engine = 'postgresql' if kind == 'postgresql' else 'git-remote'
        self._server = server
        self._configure()

    def _configure(self, more: str = ', timeout: 20') -> None:
        use(self.team, self.engine, more)

    @contextlib.contextmanager
    def stopped(self, offline: str = 'refuse') -> Iterator[None]:
        self._configure(f', timeout: 1, offline: {offline}')
        try:
            with self.paused():
                yield
        finally:
            self._configure()

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        self._server.signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._server.signal(signal.SIGCONT)

    def run(self, machine: Machine, *words: str) -> Result:
        result = machine(*words)
        return result.code, result.out + result.err

    def one(self, *words: str) -> Result:
        return self.run(self.team.one, *words)

    def person(self, *words: str) -> Result:
        self.team.one.enter()
        return spaces.at_terminal(*words)

    def put(self, state: str) -> None:
        """Bring the task into a state, by a change that the engine is told."""
        held = self.team.one.mirror.get(TASK)
        assert held is not None
        before = self.desk.file('task.json').read_bytes()
        self.desk.at(state)
        data = self.desk.file('task.json').read_bytes()
        self.desk.file('task.json').write_bytes(before)
        self.team.one.mirror.changes(TASK).replace(held, data)

    def age(self) -> None:
        register = Register(str(self.team.one.space.main.path / '.git'))
        grant = register.grant(TASK)
        assert grant is not None
        grant = grant._replace(confirmed=1.0)
        register.save_grant(TASK, grant)


@pytest.fixture
def silent(
    kind: str,
    space: Space,
    interlock: Interlock,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> Iterator[Silent]:
    team = make_team(space, interlock, monkeypatch)
    team.one.session = SESSION
    if kind == 'postgresql':
        request.getfixturevalue('service')
        cluster: Cluster = request.getfixturevalue('cluster')
        yield Silent(team, kind, cluster)
        return
    with serve('git', team.remote.path.parent) as server:
        assert server.process is not None
        for machine in (team.one, team.two):
            url = server.url(team.remote.path.name)
            machine.space.main.git('remote', 'set-url', 'origin', url)
        yield Silent(team, kind, server.process)


def refused(code: str, exit_code: int = 75) -> Callable[[Result], str]:
    """It says which engine, since when, and what to do."""

    def judged(result: Result) -> str:
        number, said = result
        if number != exit_code or code not in said:
            return f'{number}: {said}'
        elif not CONFIRMED.search(said) or 'interlock lock confirm' not in said:
            return f'not since when, or not what to do: {said}'
        return ''

    return judged


def files(silent: Silent) -> dict[str, bytes]:
    folder = silent.team.one.space.tasks
    return {
        str(path): path.read_bytes()
        for path in sorted(folder.rglob('*'))
        if path.is_file() and '.git' not in path.parts
    }


def failures(
    silent: Silent,
    cells: dict[str, tuple[Callable[[], Result], Callable[[Result], str]]],
) -> dict[str, str]:
    """What does not do what the table says; nothing here may change."""
    found = {}
    before = files(silent)
    for what, (run, judge) in cells.items():
        why = judge(run())
        if not why and files(silent) != before:
            why = 'files of the task changed'
        if not why and list(silent.team.one.space.register.glob('*.intent')):
            why = 'a question was left'
        if why:
            found[what] = why
    return found


def hooked(silent: Silent, name: str) -> Result:
    main, code = silent.team.one.space.main, silent.team.one.space.file('code')
    os.environ.pop('INTERLOCK_SESSION', None)
    if name == 'SessionStart':
        reply = ask(name, main.path, source='startup')
        return reply.code, reply.context
    reply = write(code / 'notes.txt', 'é', code)
    return reply.code, reply.reason if reply.decision == 'deny' else ''


def inside(silent: Silent, *words: str) -> Result:
    """A command in the worktree of the task."""
    silent.team.one.enter()
    os.chdir(silent.team.one.space.file('code'))
    result = silent.team.one.run(*words)
    return result.code, result.out + result.err


def pushed(silent: Silent, main: Path) -> Result:
    """What git asks before a plain push."""
    silent.team.one.enter()
    oid = silent.team.one.space.main.git('rev-parse', TASK)
    line = f'refs/heads/{TASK} {oid} refs/heads/{TASK} {"0" * len(oid)}\n'
    done = forked.command(
        *('pre-push', 'origin', 'x'),
        cwd=main,
        env=spaces.environment(silent.team.one.session),
        data=line,
    )
    return done.returncode, done.stdout + done.stderr


@shows(29, 43, only=STOPPABLE)
def test_what_changes_ownership_or_leaves_waits_for_the_engine(silent: Silent) -> None:
    team, one, person = silent.team, silent.one, silent.person
    silent.team.one.done('task', 'start', TASK)
    code = team.one.space.file('code')
    (code / 'x').write_text('é')
    team.one.space.main.git('-C', str(code), 'add', 'x')
    silent.age()
    is_silent, classified = refused('LCK009'), ('transition', TASK, 'CLASSIFIED')
    cells: dict[str, tuple[Callable[[], Result], Callable[[Result], str]]] = {
        'acquire': (lambda: one('lock', 'acquire', 'wash-up'), is_silent),
        'start': (lambda: silent.run(team.two, 'task', 'start', 'wash-up'), is_silent),
        'adopt': (
            lambda: person('task', 'adopt', 'wash-up', '--session', OTHER),
            is_silent,
        ),
        'force': (lambda: person('lock', 'release', TASK, '--holder', '1'), is_silent),
        'release': (lambda: one('lock', 'release', TASK), is_silent),
        'transition': (lambda: inside(silent, *classified), is_silent),
        'agents': (lambda: one('agents', 'add', TASK, 'a', '--why', 'x'), is_silent),
        'push': (lambda: one('push', TASK), is_silent),
        'confirm': (lambda: one('lock', 'confirm', TASK), is_silent),
        'SessionStart': (lambda: hooked(silent, 'SessionStart'), refused('LCK009', 0)),
        'an edit': (lambda: hooked(silent, 'PreToolUse'), str_of_refusal),
        'a commit': (
            lambda: inside(silent, 'check', '--staged'),
            lambda result: (
                ''
                if 'LCK010' in result[1] and '1970-01-01T00:00:01Z' in result[1]
                else repr(result)
            ),
        ),
        'a plain push': (lambda: pushed(silent, team.one.space.main.path), is_silent),
    }
    with silent.stopped():
        assert failures(silent, cells) == {}
    assert team.one.holds()
    team.one.done('lock', 'confirm', TASK)
    assert inside(silent, *classified)[0] == 0


@shows(29, 43, only=STOPPABLE)
def test_ci_and_a_server_wait_for_the_engine(silent: Silent, kind: str) -> None:
    """The last two rows of the table, with a deadline of the workflow's own."""
    team = silent.team
    use(team, silent.engine, f', timeout: {SECONDS:g}')
    with_workflow(team)
    team.one.done('task', 'start', TASK)
    committed(team)
    hook = team.remote.path / 'hooks' / 'pre-receive'
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(HOOK)
    hook.chmod(0o755)
    for name in ('receive.advertisePushOptions', 'interlock.breakglass'):
        team.remote.git('config', name, 'true')
    # to the folder: the server that is stopped would not even start the hook
    push = ('push', '--no-verify', str(team.remote.path), TASK)

    def ci() -> Result:
        start = time.monotonic()
        result = silent.one('check', '--range', f'HEAD..{TASK}')
        assert time.monotonic() - start < SECONDS + SLACK
        return result

    with silent.paused():
        code, said = ci()
        assert (code, 'LCK009' in said, 'interlock doctor' in said) == (75, True, True)
        start = time.monotonic()
        done = team.one.space.main.try_git(*push)
        assert time.monotonic() - start < SECONDS + SLACK
        if kind == 'postgresql':
            assert (bool(done.returncode), 'LCK009' in done.stderr) == (True, True)
            assert team.remote.git('branch', '--list', TASK) == ''
            glass = ('-o', 'interlock.breakglass=the database burns')
            done = team.one.space.main.try_git(push[0], *glass, *push[1:])
            log = team.remote.path / 'interlock' / 'breakglass.log'
            (line,) = log.read_text().splitlines()
            assert 'LCK009' in json.loads(line)['silence']
        # with git-remote the records lie where the work goes: nobody else is asked
        assert done.returncode == 0, done.stderr
        assert TASK in team.remote.git('branch', '--list', TASK)
    if kind == 'remote-git':
        # it did not come with its proof, which CI sees as soon as it can ask
        assert 'LCK014' in ci()[1]
        team.remote.git('branch', '-D', TASK)
        team.one.done('push', TASK)
    assert 'LCK0' not in ci()[1]


def str_of_refusal(result: Result) -> str:
    return result[1]


@shows(43, only=STOPPABLE)
def test_what_is_presented_and_approved_waits_for_the_engine(silent: Silent) -> None:
    desk = silent.desk
    silent.team.one.done('task', 'start', TASK, '--agent', 'architect')
    silent.put('SYNTHESIS')
    desk.write('task.md', PLAN + PARTS)
    desk.status('architect')
    desk.report('architect')
    is_silent = refused('LCK009')
    with silent.stopped():
        shown = {'present': (lambda: silent.one('present', TASK), is_silent)}
        assert failures(silent, shown) == {}
    silent.team.one.done('present', TASK)
    with silent.stopped():
        said = {'approve': (lambda: silent.person('approve', TASK), is_silent)}
        assert failures(silent, said) == {}
    with silent.stopped('work'):
        # kept here, and sent with the next command that the engine hears
        code, text = silent.person('approve', TASK)
        assert (code, 'sent later' in text) == (0, True), text
    assert desk.read()['approvals']
    silent.team.one.done('lock', 'confirm', TASK)
    shown_there = silent.team.one.mirror.current(TASK)
    assert shown_there is not None
    assert shown_there.data == desk.file('task.json').read_bytes()


@shows(43, only=STOPPABLE)
def test_a_task_is_not_finished_while_the_engine_is_silent(silent: Silent) -> None:
    desk = silent.desk
    silent.team.one.done('task', 'start', TASK)
    desk.write('audit-trail.json', json.dumps(TRAIL))
    desk.code.commit({'X': 'x\n', 'todo.md': DONE, 'changelog.md': '# Changes\n- X\n'})
    desk.main.git('merge', '-q', '--ff-only', TASK)
    silent.put('CLEANUP')
    for offline in ('refuse', 'work'):
        with silent.stopped(offline):
            cells = {
                'finish': (
                    lambda: silent.one('task', 'finish', TASK),
                    refused('LCK009'),
                )
            }
            assert failures(silent, cells) == {}
            assert desk.code.path.is_dir()
    silent.team.one.done('task', 'finish', TASK)
    assert not desk.code.path.exists()
