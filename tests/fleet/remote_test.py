"""What a git remote can do to locks, and the fence: 31 to 33, 36 to 40, 45 to 51."""

from __future__ import annotations

import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from interlock.git.lock_refs import LockRefs, PushResult
from interlock.model.errors import Refusal
from interlock.tasks.engines.engine import (
    UNKNOWN_SESSION,
    Answer,
    Engine,
    EngineError,
    Marker,
    Refused,
    Unknown,
    Unreachable,
)
from tests.conftest import Repo
from tests.fleet.clones import REPOSITORY, git, machines
from tests.fleet.engines import Fleet, build, contents, holder, take, token
from tests.fleet.properties import REMOTES, shows
from tests.questions import acquire, change, force, push, release

A, B = 'a', 'b'
GIT_AND_FILES = ('file', *REMOTES)
REF = 'refs/interlock/locks/bake'
BRANCH = 'refs/heads/work'


@pytest.fixture
def server(tmp_path: Path) -> Repo:
    """The bare repository that all machines of the fleet push to."""
    return Repo(tmp_path / 'served' / REPOSITORY)


def ref(server: Repo, name: str = REF) -> str:
    return server.git('for-each-ref', '--format=%(objectname)', name)


def commit(fleet: Fleet, number: int = 0) -> str:
    """A new commit in the clone of a machine, to be pushed."""
    main = Path(fleet.spec(number)['main'])
    git(main, 'commit', '-q', '--allow-empty', '-m', f'work {token()}')
    return git(main, 'rev-parse', 'HEAD')


def pushed(fleet: Fleet, generation: int, version: str, oid: str) -> Answer:
    """The fenced push of a commit, by the session that held the lock."""
    spec = f'{oid}:{BRANCH}'
    return fleet.engine(0).ask(push('bake', holder(A), generation, [spec], token()))


@shows(31)
def test_the_fence_refuses_after_a_forced_release(fleet: Fleet, server: Repo) -> None:
    held = take(fleet.engine(0), 'bake', A).record
    assert held is not None
    first = commit(fleet)
    assert pushed(fleet, 1, held.version, first).ok
    assert ref(server, BRANCH) == first
    assert fleet.engine(1).ask(force('bake', 1, 'Zoë', 'gone', token())).ok
    assert not pushed(fleet, 1, held.version, commit(fleet)).ok
    assert ref(server, BRANCH) == first
    assert [each.event for each in fleet.engine(1).events('bake')] == [
        'acquired',
        'pushed',
        'forced',
    ]


@shows(31, 32)
def test_the_fence_refuses_what_is_forced_between_its_question_and_its_push(
    fleet: Fleet, server: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A race may miss that moment: here it is met every time."""
    held = take(fleet.engine(0), 'bake', A).record
    assert held is not None
    real = LockRefs.push_with

    def late(*given: Any) -> PushResult:
        assert fleet.engine(1).ask(force('bake', 1, 'Zoë', 'gone', token())).ok
        return real(*given)

    monkeypatch.setattr(LockRefs, 'push_with', late)
    assert not pushed(fleet, 1, held.version, commit(fleet)).ok
    assert ref(server, BRANCH) == ''
    assert [each.event for each in fleet.engine(1).events('bake')] == [
        'acquired',
        'forced',
    ]


def was_pushed(fleet: Fleet, generation: int, version: str, oid: str) -> bool:
    try:
        return pushed(fleet, generation, version, oid).ok
    except EngineError:
        return False


def fenced(fleet: Fleet, server: Repo, rounds: int) -> None:
    """A branch moves if and only if its proof comes before the forced end.

    Only what is raced goes by the transport: the lock is taken, and the log is
    read, where the server keeps them.
    """
    before = ''
    folder = server.path.parent.parent / 'beside'
    folder.mkdir()
    beside = build(next(machines(folder, 'git-remote', str(server.path))))
    for number in range(1, rounds + 1):
        held = take(beside, 'bake', A).record
        assert held is not None
        new = commit(fleet)
        with ThreadPoolExecutor(1) as pool:
            told = pool.submit(was_pushed, fleet, number, held.version, new)
            time.sleep(0.01 * (number % 8))
            forced = fleet.engine(1).ask(force('bake', number, 'Zoë', 'gone', token()))
        subjects = server.git('log', '--reverse', '--format=%s', REF).splitlines()
        log = [
            subject.split()[0]
            for subject in subjects
            if subject.endswith(f'bake, generation {number}')
        ]
        assert forced.ok
        assert log in (['acquired', 'pushed', 'forced'], ['acquired', 'forced'])
        assert told.result() == ('pushed' in log)
        expected = new if 'pushed' in log else before
        assert ref(server, BRANCH) == expected
        before = expected


@pytest.mark.slow
@shows(32)
def test_the_fence_raced_against_a_forced_release(fleet: Fleet, server: Repo) -> None:
    fenced(fleet, server, rounds=6)


@pytest.mark.fleet
@shows(32)
def test_the_fence_raced_150_times(fleet: Fleet, server: Repo) -> None:
    fenced(fleet, server, rounds=150)


@shows(33)
def test_a_hook_of_the_server_declines(fleet: Fleet, server: Repo) -> None:
    hook = server.path / 'hooks' / 'pre-receive'
    hook.parent.mkdir(exist_ok=True)
    hook.write_text('#!/bin/sh\necho "on sundays nobody works" >&2\nexit 1\n')
    hook.chmod(0o755)
    with pytest.raises(Refused, match='on sundays nobody works'):
        take(fleet.engine(), 'bake', A)
    assert ref(server) == ''
    with pytest.raises(Unreachable, match='on sundays nobody works'):
        fleet.engine().settle('bake', token(), '')
    hook.unlink()
    assert take(fleet.engine(), 'bake', A).ok


@pytest.mark.slow
@shows(33)
def test_a_hook_that_is_late_is_waited_for_once(fleet: Fleet, server: Repo) -> None:
    """What was asked is withdrawn by one more question, not by eight."""
    hook = server.path / 'hooks' / 'pre-receive'
    hook.parent.mkdir(exist_ok=True)
    asked = server.path / 'asked'
    hook.write_text(f"#!/bin/sh\necho x >> '{asked}'\nsleep 30\n")
    hook.chmod(0o755)
    workflow, mine = Path(fleet.spec()['workflow']), token()
    workflow.write_text(workflow.read_text().replace('timeout: 20', 'timeout: 4'))
    engine = build(fleet.spec())
    with pytest.raises(Unknown):
        engine.ask(acquire('bake', holder(A), contents(A), mine))
    with pytest.raises(Unreachable, match='cannot be withdrawn'):
        engine.settle('bake', mine, '')
    assert asked.read_text() == 'x\nx\n'
    hook.unlink()
    assert engine.settle('bake', mine, '') == 'never'
    assert take(fleet.engine(1), 'bake', B).ok


@shows(36)
@pytest.mark.parametrize('how', ('deleted', 'mirrored over'))
def test_a_lock_that_the_engine_lost_counts_on_from_the_floor(
    fleet: Fleet, request: pytest.FixtureRequest, how: str
) -> None:
    """That a person has to allow it first is decided above the engine."""
    take(fleet.engine(0), 'bake', A, floor=39)
    fleet.engine(0).ask(release('bake', holder(A), 40, token()))
    if fleet.kind == 'postgresql':
        cluster = request.getfixturevalue('cluster')
        cluster.execute('ALTER TABLE interlock.lock DISABLE TRIGGER keep')
        cluster.execute('DELETE FROM interlock.lock')
    elif fleet.kind == 'file':
        main = Path(fleet.spec()['main'])
        (main / '.git/interlock/locks/bake.generation').unlink()
    elif how == 'deleted':
        server: Repo = request.getfixturevalue('server')
        server.git('update-ref', '-d', REF)
    else:
        git(Path(fleet.spec(1)['main']), 'push', '-q', '--mirror', 'origin')
    found = fleet.engine(1).show('bake')
    assert found is None or found.generation < 40
    again = take(fleet.engine(1), 'bake', B, floor=40).record
    assert again is not None
    assert again.generation == 41


@shows(38)
def test_a_stale_lock_file_on_the_server(fleet: Fleet, server: Repo) -> None:
    stale = server.path / f'{REF}.lock'
    stale.parent.mkdir(parents=True, exist_ok=True)
    stale.touch()
    with pytest.raises(EngineError):
        take(fleet.engine(), 'bake', A)
    assert ref(server) == ''
    stale.unlink()
    assert take(fleet.engine(), 'bake', A).ok


@shows(39)
@pytest.mark.parametrize(
    'options',
    (
        pytest.param(['--depth=1'], id='shallow'),
        pytest.param(['--filter=blob:none'], id='without blobs'),
        pytest.param(['--filter=tree:0'], id='without trees'),
        pytest.param(['--depth=1', '--filter=blob:none'], id='both'),
    ),
)
def test_shallow_and_partial_clones(
    fleet: Fleet, server: Repo, tmp_path: Path, options: list[str]
) -> None:
    source = Path(fleet.spec(0)['main'])
    commit(fleet)
    git(source, 'push', '-q', 'origin', 'HEAD:refs/heads/main')
    server.git('config', 'uploadpack.allowFilter', 'true')
    server.git('symbolic-ref', 'HEAD', 'refs/heads/main')
    url = git(source, 'remote', 'get-url', 'origin')
    place = tmp_path / 'clone'
    place.mkdir()
    url = f'file://{url}' if url.startswith('/') else url
    git(place, 'clone', '-q', *options, url, 'main')
    workflow = Path(fleet.spec(0)['workflow']).read_text()
    (place / '.interlock.yaml').write_text(workflow)
    (place / 'tasks').mkdir()
    engine = build({'engine': 'git-remote', 'workflow': str(place / '.interlock.yaml')})
    shallow = place / 'main/.git/shallow'
    before = shallow.exists()
    held = take(engine, 'bake', A).record
    assert held is not None
    git(place / 'main', 'commit', '-q', '--allow-empty', '-m', 'work')
    oid = git(place / 'main', 'rev-parse', 'HEAD')
    spec = f'{oid}:{BRANCH}'
    assert engine.ask(push('bake', holder(A), 1, [spec], token())).ok
    assert ref(server, BRANCH) == oid
    assert engine.ask(release('bake', holder(A), 1, token())).ok
    assert shallow.exists() == before


@shows(40)
def test_a_remote_with_two_push_urls_is_refused(fleet: Fleet, tmp_path: Path) -> None:
    main = Path(fleet.spec()['main'])
    url = git(main, 'remote', 'get-url', 'origin')
    for each in (url, str(tmp_path / 'other.git')):
        git(main, 'remote', 'set-url', '--add', '--push', 'origin', each)
    with pytest.raises(Refusal, match='2 push URLs'):
        take(build(fleet.spec()), 'bake', A)


def forge(server: Repo, how: str) -> None:
    """Something that no Interlock wrote, in the place of a record."""
    if how == 'a blob':
        oid = server.git('hash-object', '-w', '-t', 'blob', '/dev/null')
    else:
        blob = server.git('hash-object', '-w', '-t', 'blob', '/dev/null')
        line = f'100644 blob {blob}\tlock.json\n'
        tree = subprocess.run(
            ('git', 'mktree'),
            cwd=server.path,
            input=line,
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        words = {'no record': 'hello', 'newer': 'acquired bake\n\n{"v": 99}'}[how]
        oid = server.git('commit-tree', tree, '-m', words)
    server.git('update-ref', REF, oid)


@shows(45)
@pytest.mark.parametrize('how', ('no record', 'a blob'))
def test_a_damaged_record_is_held_by_an_unknown_session(
    fleet: Fleet, request: pytest.FixtureRequest, how: str
) -> None:
    take(fleet.engine(0), 'bake', A)
    if fleet.kind == 'file':
        lock = Path(fleet.spec()['workflow']).parent / 'tasks/bake/task.json'
        lock.write_bytes(b'{"session_id": ' if how == 'no record' else b'\0\xff')
    else:
        forge(request.getfixturevalue('server'), how)
    engine = fleet.engine(1)
    found = engine.show('bake')
    assert found is not None
    assert found.session == UNKNOWN_SESSION
    assert not take(engine, 'bake', B).ok
    assert not engine.ask(release('bake', holder(A), 1, token())).ok
    assert [each.session for each in engine.list()] == [UNKNOWN_SESSION]


def neighbour(fleet: Fleet, tmp_path: Path) -> Engine:
    """The engine of another repository on the same server."""
    if fleet.kind == 'file':
        return build(next(machines(tmp_path / 'other', 'file', 'nowhere')))
    other = tmp_path / 'served' / 'other.git'
    other.mkdir()
    git(other, 'init', '-q', '--bare')
    git(other, 'config', 'http.receivepack', 'true')
    main = Path(fleet.spec(0)['main'])
    url = git(main, 'remote', 'get-url', 'origin').replace(REPOSITORY, 'other.git')
    return build(next(machines(tmp_path, 'git-remote', url)))


@shows(46, only=GIT_AND_FILES)
def test_two_repositories_are_apart(fleet: Fleet, tmp_path: Path) -> None:
    engines = fleet.engine(), neighbour(fleet, tmp_path)
    for engine in engines:
        assert take(engine, 'bake', A).ok
    assert engines[0].ask(force('bake', 1, 'Zoë', 'gone', token())).ok
    found = engines[1].show('bake')
    assert found is not None
    assert found.session == A


@shows(47)
def test_the_marker_of_another_engine_refuses(fleet: Fleet) -> None:
    engine = fleet.engine()
    assert engine.marker() is None
    assert engine.mark(Marker(engine.kind, 1), token()).ok
    assert take(engine, 'bake', A).ok
    assert engine.mark(Marker('something-else', 2), token()).ok
    assert fleet.engine(1).marker() == Marker('something-else', 2)
    assert not engine.mark(Marker(engine.kind, 2), token()).ok
    engine.ask(release('bake', holder(A), 1, token()))
    # one that was used, and one that never was
    for name in ('bake', 'eat'):
        with pytest.raises(Refused, match='something-else'):
            take(fleet.engine(1), name, B)
    assert [each.event for each in engine.events('bake')] == ['acquired', 'released']


@shows(47, only=REMOTES)
@pytest.mark.parametrize('killed', (False, True), ids=('', 'killed'))
def test_a_lock_taken_for_the_first_time_while_all_move_is_given_back(
    fleet: Fleet, monkeypatch: pytest.MonkeyPatch, killed: bool
) -> None:
    """No record of it is there that a migration could put another one upon."""
    engine, mine = fleet.engine(0), token()
    real = LockRefs.push

    def late(refs: LockRefs, oid: str, ref: str, expected: str) -> PushResult:
        monkeypatch.setattr(LockRefs, 'push', real)
        assert fleet.engine(1).mark(Marker('something-else', 1), token()).ok
        done = real(refs, oid, ref, expected)
        if killed:
            raise KeyboardInterrupt
        return done

    monkeypatch.setattr(LockRefs, 'push', late)
    with pytest.raises(KeyboardInterrupt if killed else Refused):
        engine.ask(acquire('bake', holder(A), contents(A), mine))
    for _ in range(2):
        assert fleet.engine(1).settle('bake', mine, '') == 'done'
    found = fleet.engine(1).show('bake')
    assert found is not None
    assert found.is_free
    events = fleet.engine(1).events('bake')
    assert [each.event for each in events] == ['acquired', 'released']
    assert 'something-else' in events[-1].reason


@shows(50, only=REMOTES)
def test_no_password_in_a_message_or_a_record(fleet: Fleet, tmp_path: Path) -> None:
    main = Path(fleet.spec()['main'])
    good = git(main, 'remote', 'get-url', 'origin')
    secret = 'hunter2-très-secret'
    url = f'http://zoë:{secret}@127.0.0.1:1/app.git'
    git(main, 'remote', 'set-url', 'origin', url)
    with pytest.raises(EngineError) as caught:
        take(build(fleet.spec()), 'bake', A)
    assert secret not in str(caught.value)
    git(main, 'remote', 'set-url', 'origin', good)
    take(fleet.engine(1), 'bake', A)
    server = Repo(tmp_path / 'served' / REPOSITORY)
    assert secret not in server.git('log', '-p', '--all')


@shows(51, only=REMOTES)
def test_an_old_client_refuses_a_newer_record(fleet: Fleet, server: Repo) -> None:
    forge(server, 'newer')
    for ask in (fleet.engine().show, fleet.engine().events):
        with pytest.raises(Refused, match='version 99'):
            ask('bake')
    with pytest.raises(Refused, match='version 99'):
        take(fleet.engine(), 'bake', A)


@shows(27)
def test_what_was_withdrawn_is_never_done(fleet: Fleet) -> None:
    engine, who = fleet.engine(), holder(A)
    held = take(engine, 'bake', A).record
    assert held is not None
    for question in ('change', 'release', 'force'):
        mine = token()
        assert engine.settle('bake', mine, held.version) == 'never'
        with pytest.raises(Refused, match='withdrawn'):
            if question == 'change':
                engine.ask(change('bake', who, 1, held.version, b'{}', mine))
            elif question == 'release':
                engine.ask(release('bake', who, 1, mine))
            else:
                engine.ask(force('bake', 1, 'Zoë', 'gone', mine))
    found = engine.show('bake')
    assert found is not None
    assert (found.session, found.data) == (A, held.data)


@shows(27, only=('remote-git', 'remote-http'))
def test_settling_moves_the_ref_whatever_was_expected(fleet: Fleet) -> None:
    """After a lost race a question was asked for a newer version, too."""
    take(fleet.engine(0), 'bake', A)
    fleet.engine(0).ask(release('bake', holder(A), 1, token()))
    before = fleet.engine(1).show('bake')
    assert before is not None
    assert fleet.engine(1).settle('bake', token(), '0' * 40) == 'never'
    after = fleet.engine(1).show('bake')
    assert after is not None
    assert after.version != before.version
    assert (after.generation, after.is_free) == (1, True)
