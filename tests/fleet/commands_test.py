"""Two machines and one engine, by the commands that people and agents run."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from typing import Any

import pytest

from interlock.model.errors import Denied, Refusal
from interlock.tasks import task_layout
from interlock.tasks.engines import git_remote, selection
from interlock.tasks.engines.engine import Answer, Question
from interlock.tasks.engines.file import FileEngine
from interlock.tasks.lock_actions import move_all
from interlock.transactions.journal import Journal, checksum
from tests import spaces
from tests.conftest import SCRIPTS, Interlock
from tests.engine.lock_records_test import committed, with_workflow
from tests.fleet.conftest import use, write_service
from tests.fleet.engines import KINDS
from tests.fleet.postgres import Cluster, free_port
from tests.fleet.properties import REMOTES, covers, shows
from tests.spaces import TASK, Space
from tests.tasks.engines.team import REF, Team

pytestmark = pytest.mark.real

SHARED = ('remote-file', 'postgresql')


def silence(team: Team, kind: str) -> None:
    """The engine no longer answers."""
    if kind == 'postgresql':
        write_service(host='127.0.0.1', port=str(free_port()), user='postgres')
    else:
        team.stop()


@shows(2, 21, only=SHARED)
def test_of_two_machines_one_gets_a_lock(team: Team) -> None:
    team.one.done('lock', 'acquire', TASK)
    refused = team.two('lock', 'acquire', TASK)
    assert refused.code == 1
    assert f'LCK001: {TASK} is held by session {team.one.session}' in refused.err
    team.one.done('lock', 'release', TASK)
    team.two.done('lock', 'acquire', TASK)
    assert team.two.space.read()['generation'] == 2


@shows(48, only=SHARED)
def test_the_mirror_says_no_after_a_confirm_said_otherwise(team: Team) -> None:
    team.one.done('lock', 'acquire', TASK)
    team.two.as_person('lock', 'release', TASK, '--holder', '1')
    assert team.one.holds()
    assert team.one('lock', 'confirm', TASK).code == 1
    assert not team.one.holds()
    grant = team.one.mirror.grant(TASK)
    assert grant is not None
    assert grant.lost


@shows(45, 48, only=('remote-file',))
@pytest.mark.parametrize('how', ('no record', 'a blob'))
def test_nobody_works_under_a_damaged_record_until_a_person_ends_it(
    team: Team, how: str
) -> None:
    """Its bytes still name the session that held the lock."""
    team.one.done('lock', 'acquire', TASK)
    remote = team.remote
    if how == 'a blob':
        oid = remote.git('rev-parse', f'{REF}:lock.json')
    else:
        oid = remote.git('commit-tree', f'{REF}^{{tree}}', '-p', REF, '-m', 'hello')
    remote.git('update-ref', REF, oid)
    refused = team.two('lock', 'acquire', TASK)
    assert (refused.code, 'an unknown session' in refused.err) == (1, True)
    for _ in range(2):
        assert team.one('lock', 'confirm', TASK).code == 1
        assert not team.one.holds()
    shown = json.loads(team.two('lock', 'show', TASK, '--format', 'json').out)
    assert not shown['session']
    number = str(shown['generation'])
    team.two.as_person('lock', 'release', TASK, '--holder', number)
    events = [each.event for each in team.two.mirror.changes(TASK).events()]
    assert events[-1] == 'forced'
    if how == 'a blob':
        # what was given out is forgotten there, and remembered here
        assert 'LCK011' in team.one('lock', 'acquire', TASK).err
        team.one.as_person('lock', 'restore', TASK)
    team.one.done('lock', 'acquire', TASK)
    assert team.one.space.read()['generation'] > 1


@shows(36, only=('postgresql',))
def test_a_database_that_was_restored_from_a_backup(
    team: Team, cluster: Cluster
) -> None:
    team.one.done('lock', 'acquire', TASK)
    team.one.done('lock', 'release', TASK)
    cluster.execute('DROP SCHEMA interlock CASCADE')
    team.one.done('lock', 'migrate-schema')
    refused = team.one('lock', 'acquire', TASK)
    assert refused.code == 1
    assert 'LCK011' in refused.err
    team.one.as_person('lock', 'restore', TASK)
    team.one.done('lock', 'acquire', TASK)
    assert team.one.space.read()['generation'] > 1


@shows(28, only=('postgresql',))
@pytest.mark.parametrize(
    ('held', 'command'),
    (
        pytest.param(False, ('lock', 'acquire', TASK), id='acquire'),
        pytest.param(True, ('lock', 'release', TASK), id='release'),
        pytest.param(False, ('task', 'start', TASK), id='start'),
        pytest.param(
            True, ('agents', 'add', TASK, 'tester', '--why', 'x'), id='change'
        ),
    ),
)
def test_what_needs_a_silent_engine_is_refused(
    team: Team, kind: str, held: bool, command: tuple[str, ...]
) -> None:
    if held:
        team.one.done('lock', 'acquire', TASK)
    before = team.one.space.file('task.json')
    bytes_before = before.read_bytes() if before.exists() else None
    silence(team, kind)
    refused = team.one(*command)
    assert (refused.code, 'LCK009' in refused.err) == (75, True), refused.err
    assert (before.read_bytes() if before.exists() else None) == bytes_before
    assert team.one.holds() == held


ENGINES = {'file': 'file', 'remote-file': 'git-remote', 'postgresql': 'postgresql'}


@shows(54, only=tuple(ENGINES))
@pytest.mark.parametrize('other', ENGINES.values())
def test_a_migration_keeps_generations(
    team: Team, kind: str, other: str, service: str
) -> None:
    first = ENGINES[kind]
    use(team, first)
    for _ in range(2):
        team.one.done('lock', 'acquire', TASK)
        team.one.done('lock', 'release', TASK)
    if other == first:
        team.one.enter()
        code, said = spaces.at_terminal('lock', 'migrate', '--from', first)
        assert (code, 'keeps the locks already' in said) == (1, True)
        return
    for old, new, number in ((first, other, 2), (other, first, 3)):
        use(team, new)
        said = team.one.as_person('lock', 'migrate', '--from', old)
        assert f'{TASK}: generation {number}' in said
        last = _log(team)[-1]
        assert (last['event'], last['generation']) == ('moved', number)
        assert (last['reason'], bool(last['person'])) == (f'from {old}', True)
        use(team, old)
        assert _log(team)[-1]['reason'] == f'to {new}'
        refused = team.one('lock', 'acquire', TASK)
        assert (refused.code, f'kept by {new}' in refused.err) == (1, True)
        use(team, new)
        team.one.done('lock', 'acquire', TASK)
        assert team.one.space.read()['generation'] == number + 1
        team.one.done('lock', 'release', TASK)


def _log(team: Team) -> Any:
    return json.loads(team.one.done('lock', 'log', TASK, '--format', 'json').out)


@pytest.mark.parametrize('kind', SHARED)
def test_a_lock_is_not_moved_under_its_holder(team: Team, kind: str) -> None:
    team.one.done('lock', 'acquire', TASK)
    use(team, 'file')
    team.two.enter()
    code, said = spaces.at_terminal('lock', 'migrate', '--from', ENGINES[kind])
    assert (code, f'{TASK} is held' in said) == (1, True)
    use(team, ENGINES[kind])
    # nothing was marked, so everybody goes on
    team.one.done('lock', 'release', TASK)
    team.two.done('lock', 'acquire', TASK)


@shows(47, 54, only=('remote-file',))
def test_a_lock_that_is_taken_while_it_is_moved_stays_where_it_is(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The session asked before the mark, and its push arrives after it."""
    team.one.done('lock', 'acquire', TASK)
    team.one.done('lock', 'release', TASK)
    use(team, 'file')
    real = FileEngine.ask

    def late(engine: FileEngine, question: Question) -> Answer:
        with monkeypatch.context() as patched:
            patched.setattr(git_remote, 'refuse_moved', lambda *_: None)
            patched.setenv('INTERLOCK_LOCKS', 'git-remote')
            team.two.done('lock', 'acquire', TASK)
        team.one.enter()
        return real(engine, question)

    monkeypatch.setattr(FileEngine, 'ask', late)
    team.one.enter()
    with pytest.raises(Denied, match='it is held'):
        move_all(task_layout.find(), 'git-remote')
    use(team, 'git-remote')
    assert team.two.holds()
    assert team.one('lock', 'acquire', TASK).code == 1
    # and once it is free, everybody goes on there
    team.two.done('lock', 'release', TASK)
    team.one.done('lock', 'acquire', TASK)


@shows(40, only=('remote-file',))
@pytest.mark.parametrize(
    'words',
    (
        ('lock', 'release', TASK),
        ('agents', 'add', TASK, 'tester', '--why', 'x'),
        ('push', TASK),
    ),
    ids=' '.join,
)
def test_a_remote_that_is_refused_is_asked_nothing(
    team: Team, words: tuple[str, ...]
) -> None:
    """What is refused at once leaves no question to be settled."""
    team.one.done('task', 'start', TASK)
    main, url = team.one.space.main, str(team.remote.path)
    for each in (url, f'{url}2'):
        main.git('remote', 'set-url', '--push', '--add', 'origin', each)
    refused = team.one(*words)
    assert (refused.code, '2 push URLs' in refused.err) == (2, True)
    main.git('config', '--unset-all', 'remote.origin.pushurl')
    assert team.one.holds()
    team.one.done(*words)


@shows(47, only=('postgresql',))
def test_a_clone_that_still_uses_the_old_engine_is_refused(
    team: Team, service: str
) -> None:
    use(team, 'git-remote')
    team.one.as_person('lock', 'migrate', '--from', 'postgresql')
    team.one.done('lock', 'acquire', TASK)
    use(team, 'postgresql')
    refused = team.two('lock', 'acquire', TASK)
    assert refused.code == 1
    assert 'kept by git-remote' in refused.err


@pytest.mark.parametrize('kind', SHARED)
def test_the_files_of_a_task_go_with_it(team: Team, kind: str) -> None:
    """Plan, trail and reports lie in no commit, and are needed elsewhere too."""
    one, two = team.one.space, team.two.space
    names = ('task.md', f'{TASK}-architect-requirements.md', 'audit-trail.json')
    team.one.done('task', 'start', TASK)
    one.main.git('push', '-q', 'origin', TASK)
    for name in names[:2]:
        one.file(name).write_text(f'{name}: é \U0001f950\n', encoding='UTF-8')
    team.one.done('agents', 'add', TASK, 'architect', '--why', 'x')
    one.file('secret.txt').write_text('it is of no task')
    team.one.done('lock', 'release', TASK)
    said = team.two.as_person('task', 'adopt', TASK, '--session', team.two.session)
    assert 'task.md' in said
    for name in names:
        assert two.file(name).read_bytes() == one.file(name).read_bytes(), name
    assert not two.file('secret.txt').exists()
    # and back: what is older here stays beside what is newer there
    old = one.file('task.md').read_bytes()
    two.file('task.md').write_text('another plan\n')
    team.two.done('lock', 'release', TASK)
    team.one.as_person('task', 'adopt', TASK, '--session', team.one.session)
    assert one.file('task.md').read_text() == 'another plan\n'
    assert one.file('task-1.md').read_bytes() == old


@pytest.mark.parametrize('kind', SHARED)
def test_files_that_did_not_change_are_sent_once(team: Team, kind: str) -> None:
    team.one.done('task', 'start', TASK)
    plan = team.one.space.file('task.md')
    plan.write_text('a plan\n')
    for agent in ('architect', 'tester'):
        team.one.done('agents', 'add', TASK, agent, '--why', 'x')
    grant = team.one.mirror.grant(TASK)
    assert grant is not None
    before = grant.files
    team.one.done('lock', 'confirm', TASK)
    engine = selection.engine_for(task_layout.find(), TASK)
    assert json.loads(engine.files(TASK))['task.md'] == 'a plan\n'
    plan.unlink()
    team.one.done('agents', 'add', TASK, 'builder', '--why', 'x')
    grant = team.one.mirror.grant(TASK)
    assert grant is not None
    assert grant.files != before


def killed_at(team: Team, number: int, *words: str) -> bool:
    """Run a command and kill it at the n-th change of a file; whether it was."""
    team.one.enter()
    calls = 'rename,renameat,renameat2,link,linkat,unlink,unlinkat'
    done = subprocess.run(
        (
            *('strace', '-qq', '-o', '/dev/null', '-e', f'trace={calls}'),
            *('-e', f'inject={calls}:signal=KILL:when={number}'),
            *(sys.executable, str(SCRIPTS / 'interlock'), *words),
        ),
        capture_output=True,
        text=True,
    )
    return done.returncode not in (0, 1, 2, 75)


@pytest.mark.slow
@shows(49, only=('file', *SHARED))
@pytest.mark.parametrize('command', ('acquire', 'release'))
def test_a_command_that_is_killed_at_any_write_is_settled_by_the_next(
    team: Team, kind: str, command: str
) -> None:
    if shutil.which('strace') is None:
        pytest.skip('strace is not installed (Debian: strace)')
    if kind == 'file':
        use(team, 'file')
    killed = 0
    for number in range(1, 60):
        if command == 'release':
            team.one.done('lock', 'acquire', TASK)
        was_killed = killed_at(team, number, 'lock', command, TASK)
        team.one.done('lock', 'settle', TASK)
        team.one.enter()
        record = selection.engine_for(task_layout.find(), TASK).show(TASK)
        holds = record is not None and record.session == team.one.session
        assert team.one.holds() == holds, number
        log = json.loads(team.one.done('lock', 'log', TASK, '--format', 'json').out)
        numbers = [each['generation'] for each in log if each['event'] == 'acquired']
        assert numbers == sorted(set(numbers))
        if record is not None:
            # nobody holds what the log does not know
            assert record.is_free or record.generation in numbers
        if holds:
            team.one.done('lock', 'release', TASK)
        killed += was_killed
        if not was_killed:
            break
    assert killed > 3


for each in KINDS:
    # what decides it asks no engine
    covers(53, each, f'{__name__}::test_the_same_host_name_on_another_machine')
for each in REMOTES:
    # decided above the engine, in the clone: a remote in a folder shows it
    covers(52, each, f'{__name__}::test_a_change_while_the_file_is_edited')


@pytest.mark.parametrize('machine', ('', 'another boot'))
def test_the_same_host_name_on_another_machine(
    space: Space, interlock: Interlock, machine: str
) -> None:
    assert interlock('lock', 'acquire', TASK).code == 0
    if machine:
        space.put({**space.read(), 'machine': machine})
    shown = json.loads(interlock('lock', 'show', TASK, '--format', 'json').out)
    assert shown['host'] == space.read()['host']
    assert (shown['alive'] is None) == bool(machine)


@shows(52, only=tuple(ENGINES))
@pytest.mark.parametrize('moment', ('before', 'since it was read', 'while asked'))
def test_a_change_while_the_file_is_edited(
    team: Team, kind: str, moment: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What somebody wrote into the file is neither lost nor overwritten."""
    use(team, ENGINES[kind])
    team.one.done('lock', 'acquire', TASK)
    mirror, file = team.one.mirror, team.one.space.file('task.json')
    edited = json.dumps({**team.one.space.read(), 'required_agents': ['by-hand']})

    def edit() -> int:
        return file.write_text(edited)

    if moment == 'before':
        # what is read is sent: the edit, and the change on top of it
        edit()
        team.one.done('agents', 'add', TASK, 'tester', '--why', 'x')
        shown = selection.engine_for(task_layout.find(), TASK).show(TASK)
        assert shown is not None
        assert json.loads(shown.data) == team.one.space.read()
        assert team.one.space.read()['required_agents'] == ['by-hand', 'tester']
        return
    held, engine = mirror.get(TASK), selection.engine_for(task_layout.find(), TASK)
    before = engine.show(TASK)
    assert held is not None
    assert held.data is not None
    with monkeypatch.context() as patched, pytest.raises(Refusal):
        if moment == 'since it was read':
            edit()
        else:
            write = Journal.write
            patched.setattr(Journal, 'write', lambda *given: edit() and write(*given))
        mirror.changes(TASK).replace(held, held.data.replace(b'INIT', b'DONE'))
    assert file.read_text() == edited
    if moment == 'since it was read':
        after = engine.show(TASK)
        assert (after and after.version) == (
            before and before.version if kind != 'file' else checksum(edited.encode())
        )
        assert not list(team.one.space.register.glob('*.intent'))
        return
    # what the engine was told is settled; what was written by hand is kept
    team.one.done('lock', 'settle', TASK)
    kept = (file, team.one.space.register / f'{TASK}.last')
    assert edited in [each.read_text() for each in kept if each.exists()]
    assert team.one.holds()


@pytest.mark.parametrize('kind', ('postgresql',))
@pytest.mark.parametrize(
    ('harm', 'code'),
    (
        pytest.param('nothing', '', id='held'),
        pytest.param('ended', 'LCK014', id='ended by a person'),
        pytest.param('silent', 'LCK009', id='silent'),
    ),
)
def test_a_server_asks_the_database(
    team: Team, kind: str, harm: str, code: str
) -> None:
    hook = team.remote.path / 'hooks' / 'pre-receive'
    with_workflow(team)
    team.one.done('task', 'start', TASK)
    committed(team)
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\nexec '{SCRIPTS}/interlock' pre-receive\n")
    hook.chmod(0o755)
    if harm == 'ended':
        team.two.as_person('lock', 'release', TASK, '--holder', '1')
    elif harm == 'silent':
        silence(team, kind)
    team.one.enter()
    result = team.one.space.main.try_git('push', '--no-verify', 'origin', TASK)
    assert (bool(result.returncode), code in result.stderr) == (bool(code), True)
    ci = team.one('check', '--range', f'HEAD..{TASK}')
    assert ('LCK009' in ci.err) == (harm == 'silent')
