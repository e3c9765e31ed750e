"""What a server, CI and a pre-push hook say about records of locks."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable

import pytest

from interlock.model.clients import MARKS
from tests.conftest import SCRIPTS, Interlock, Repo
from tests.spaces import OTHER, TASK, Space
from tests.tasks.engines.team import REF, Team, make_team

pytestmark = pytest.mark.real

HOOK = f"""\
#!/bin/sh
exec '{SCRIPTS}/interlock' pre-receive
"""


@pytest.fixture
def team(space: Space, interlock: Interlock, monkeypatch: pytest.MonkeyPatch) -> Team:
    """A remote whose `pre-receive` is ours."""
    made = make_team(space, interlock, monkeypatch)
    hook = made.remote.path / 'hooks' / 'pre-receive'
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(HOOK)
    hook.chmod(0o755)
    return made


def feed(repo: Repo, data: str, *words: str) -> str:
    """What a command of git answers to what it reads."""
    done = subprocess.run(
        ('git', *words),
        cwd=repo.path,
        input=data,
        capture_output=True,
        check=True,
        text=True,
    )
    return done.stdout.strip()


Forge = Callable[[dict[str, object]], object]


def forged(
    team: Team, change: Forge, parent: str = REF, data: str = '', odd: str = ''
) -> str:
    """A record as somebody writes it by hand, on top of the last one; with another
    lock file, or with something else in its JSON."""
    main = team.one.space.main
    main.git('fetch', '-q', 'origin', f'{REF}:{REF}')
    record = json.loads(main.git('log', '-1', '--format=%b', parent or REF))
    change(record)
    tree = main.git('rev-parse', f'{REF}^{{tree}}')
    if data:
        blob = feed(main, data, 'hash-object', '-w', '--stdin')
        tree = feed(main, f'100644 blob {blob}\tlock.json\n', 'mktree')
    message = json.dumps(record).replace('"pid":', f'{odd}"pid":')
    parents = ('-p', parent) if parent else ()
    return feed(main, f'x\n\n{message}', 'commit-tree', tree, *parents)


def ended(record: dict[str, object], **more: object) -> None:
    end = {'event': 'released', 'session': '', 'grant': '', 'token': 'x'}
    record.update({**end, **more})


FORGERIES = (
    pytest.param(
        lambda r: r.update(event='changed', session=OTHER, holder={}),
        'over',
        id='takeover',
    ),
    pytest.param(
        lambda r: r.update(event='acquired', session=OTHER, generation=9),
        'over',
        id='acquired-while-held',
    ),
    pytest.param(lambda r: r.update(event='changed', generation=0), 'not 1', id='back'),
    pytest.param(
        lambda r: ended(r, event='forced'), 'not name the person', id='no-name'
    ),
    pytest.param(
        lambda r: ended(r, holder={'session': OTHER}),
        'holds the lock',
        id='released-by-another',
    ),
    pytest.param(
        lambda r: r.update(event='sung'), 'names an event', id='unknown-event'
    ),
    pytest.param(lambda r: r.update(v=2), 'newer', id='newer-version'),
    pytest.param(lambda r: r.update(name='x'), 'record of x', id='other-lock'),
    pytest.param(lambda r: r.pop('token'), 'not a record', id='damaged'),
    pytest.param(
        lambda r: r.update(event='changed', grant='0' * 32),
        'its grant has changed',
        id='grant',
    ),
    pytest.param(
        lambda r: r.update(event='changed', generation=True), 'not a record', id='bool'
    ),
    pytest.param(
        lambda r: r.update(event='changed', person='\ud800'),
        'not a record',
        id='half-a-character',
    ),
    pytest.param(
        lambda r: r.update(event='pushed', refs={'refs/heads/x': 'y'}),
        'which is not this one',
        id='proof-of-nothing',
    ),
)


@pytest.mark.parametrize(('change', 'why'), FORGERIES)
def test_a_forged_record_is_refused(team: Team, change: Forge, why: str) -> None:
    team.one.done('lock', 'acquire', TASK)
    before = team.tip()
    oid = forged(team, change)
    result = team.one.space.main.try_git('push', 'origin', f'{oid}:{REF}')
    assert result.returncode
    assert 'LCK013' in result.stderr
    assert why in result.stderr
    assert team.tip() == before


@pytest.mark.parametrize(
    'refspec',
    (
        pytest.param(f':{REF}', id='deletion'),
        pytest.param(f'+HEAD:{REF}', id='any-commit'),
        pytest.param(f'+HEAD:refs/heads/interlock/locks/{TASK}', id='as-a-branch'),
        pytest.param(f'+HEAD^{{tree}}:{REF}', id='no-commit'),
        pytest.param(f'+tag:{REF}', id='a-tag'),
        pytest.param('HEAD:refs/interlock/locks/engine', id='a-task-named-engine'),
        pytest.param('HEAD:refs/interlock/locks/probe', id='a-task-named-probe'),
        pytest.param('HEAD:refs/interlock/engine', id='no-mark'),
        pytest.param('HEAD:refs/interlock/elsewhere', id='elsewhere'),
        pytest.param(f'HEAD:refs/Interlock/locks/{TASK}', id='a-twin-by-case'),
    ),
)
def test_what_is_not_a_record_is_refused(team: Team, refspec: str) -> None:
    team.one.done('lock', 'acquire', TASK)
    tagged = forged(team, lambda r: ended(r, holder=r['holder']))
    team.one.space.main.git('tag', '-a', '-m', 'x', 'tag', tagged)
    before = team.tip()
    result = team.one.space.main.try_git('push', 'origin', refspec)
    assert result.returncode
    assert 'LCK013' in result.stderr
    assert team.tip() == before


def test_a_record_beside_the_chain_is_refused(team: Team) -> None:
    team.one.done('lock', 'acquire', TASK)
    before = team.tip()
    oid = forged(team, ended, parent='')
    result = team.one.space.main.try_git('push', '-f', 'origin', f'{oid}:{REF}')
    assert 'does not follow the record before it' in result.stderr
    assert team.tip() == before


def test_a_proof_of_another_push_is_refused_below_other_records_too(team: Team) -> None:
    team.one.done('lock', 'acquire', TASK)
    main, before = team.one.space.main, team.tip()
    refs = {'refs/heads/x': main.git('rev-parse', 'HEAD')}
    proof = forged(team, lambda r: r.update(event='pushed', token='p', refs=refs))
    oid = forged(team, lambda r: r.update(event='changed', token='c', refs={}), proof)
    result = main.try_git('push', 'origin', f'{oid}:{REF}')
    assert 'which is not this one' in result.stderr
    assert team.tip() == before


@pytest.mark.parametrize('event', ('withdrawn', 'released', 'forced'))
def test_who_does_not_hold_a_lock_does_not_write_its_file(
    team: Team, event: str
) -> None:
    team.one.done('lock', 'acquire', TASK)
    main, before = team.one.space.main, team.tip()

    def change(record: dict[str, object]) -> None:
        if event == 'withdrawn':
            record.update(event=event, token='x')
        else:
            ended(record, event=event, person='Zoë')

    oid = forged(team, change, data='{"approved": true}')
    result = main.try_git('push', 'origin', f'{oid}:{REF}')
    assert 'it changes the lock file' in result.stderr
    assert team.tip() == before
    assert not main.try_git(
        'push', 'origin', f'{forged(team, change)}:{REF}'
    ).returncode


def test_the_mark_of_an_engine_only_counts_on(team: Team) -> None:
    main, ref = team.one.space.main, 'refs/interlock/engine'
    parents: tuple[str, ...] = ()
    for epoch, is_let_in in ((2, True), (2, False), (1, False), (3, True)):
        message = f'locks are kept by file, epoch {epoch}'
        oid = main.git('commit-tree', 'HEAD^{tree}', *parents, '-m', message)
        result = main.try_git('push', 'origin', f'{oid}:{ref}')
        assert (not result.returncode, 'LCK013' in result.stderr) == (
            is_let_in,
            not is_let_in,
        )
        parents = ('-p', oid) if is_let_in else parents


@pytest.mark.parametrize('how', ('a blob', 'no record'))
def test_a_server_lets_a_person_repair_a_damaged_record(team: Team, how: str) -> None:
    for _ in range(2):
        team.one.done('lock', 'acquire', TASK)
        team.one.done('lock', 'release', TASK)
    kept = forged(team, lambda r: ended(r, event='moved', person='Zoë'))
    back = forged(team, lambda r: ended(r, event='moved', person='Zoë', generation=1))
    main, remote = team.one.space.main, team.remote
    oid = remote.git('rev-parse', f'{REF}:lock.json')
    if how == 'no record':
        oid = remote.git('commit-tree', f'{REF}^{{tree}}', '-p', REF, '-m', 'x')
    remote.git('update-ref', REF, oid)
    if how == 'no record':
        main.git('fetch', '-q', 'origin', REF)
        for each, is_let_in in ((back, False), (kept, True)):
            message = main.git('log', '-1', '--format=%B', each)
            new = feed(main, message, 'commit-tree', f'{each}^{{tree}}', '-p', oid)
            result = main.try_git('push', 'origin', f'{new}:{REF}')
            assert (not result.returncode) == is_let_in
            assert ('goes back from 2' in result.stderr) == (not is_let_in)
        return
    assert team.two('lock', 'acquire', TASK).code == 1
    shown = json.loads(team.two('lock', 'show', TASK, '--format', 'json').out)
    number = str(shown['generation'])
    team.two.as_person('lock', 'release', TASK, '--holder', number)


DEEP = f'"x": {"[" * 100_000}{"]" * 100_000}, '


@pytest.mark.parametrize(
    ('odd', 'find', 'put'),
    (
        pytest.param(DEEP, '', '', id='nested too deeply'),
        pytest.param('"x": "\\ud800", ', '', '', id='half a character'),
        pytest.param('', '"generation": 1', '"generation": 77', id='generation'),
        pytest.param('', '"session_id"', '"session_id": "x", "y"', id='session'),
        pytest.param('', '{', '{{', id='no JSON'),
    ),
)
def test_a_record_that_cannot_be_believed_is_ended_by_a_person(
    team: Team, odd: str, find: str, put: str
) -> None:
    """Where no server judges, anybody who may push may have written it."""
    team.one.done('lock', 'acquire', TASK)
    (team.remote.path / 'hooks/pre-receive').unlink()
    data = team.remote.git('show', f'{REF}:lock.json').replace(find, put, 1)
    oid = forged(team, lambda r: r.update(event='changed', token='x'), REF, data, odd)
    team.one.space.main.git('push', '-q', 'origin', f'{oid}:{REF}')
    refused = team.two('lock', 'acquire', TASK)
    assert (refused.code, 'an unknown session' in refused.err) == (1, True)
    for words in (('lock', 'list'), ('lock', 'log', TASK), ('task', 'list', '--all')):
        team.two.done(*words)
    assert team.one('lock', 'confirm', TASK).code == 1
    assert not team.one.holds()
    team.two.as_person('lock', 'release', TASK, '--holder', '1')
    team.two.done('lock', 'acquire', TASK)
    assert team.two.space.read()['generation'] == 2


def test_the_whole_life_of_a_lock_is_let_in(team: Team) -> None:
    team.one.done('task', 'start', TASK)
    team.one.done('agents', 'add', TASK, 'architect', '--why', 'é')
    team.one.done('push', TASK)
    team.two.as_person('lock', 'release', TASK, '--holder', '1')
    team.two.done('lock', 'acquire', TASK)
    team.two.done('lock', 'release', TASK)
    log = json.loads(team.two.done('lock', 'log', TASK, '--format', 'json').out)
    assert [entry['event'] for entry in log] == [
        'acquired',
        'changed',
        'pushed',
        'forced',
        'acquired',
        'released',
    ]


def test_a_mirror_push_over_the_locks_is_refused(team: Team) -> None:
    team.one.done('lock', 'acquire', TASK)
    before = team.tip()
    result = team.two.space.main.try_git('push', '--mirror', 'origin')
    assert result.returncode
    assert team.tip() == before


def with_workflow(team: Team) -> None:
    """The workflow lies in the repository, where a server reads it."""
    main = team.one.space.main
    workflow = (team.one.space.path / '.interlock.yaml').read_text()
    main.commit({'.interlock.yaml': f'{workflow}roots: {{main: ., tasks: ../tasks}}\n'})
    main.git('push', '-q', 'origin', 'HEAD')


def committed(team: Team, name: str = 'x') -> str:
    """A commit of the task, with the trailers that our hook writes."""
    code = team.one.space.file('code')
    main = team.one.space.main
    hook = main.path / '.git' / 'hooks' / 'prepare-commit-msg'
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(
        f'#!/bin/sh\nexec \'{SCRIPTS}/interlock\' prepare-commit-msg "$@"\n'
    )
    hook.chmod(0o755)
    (code / name).write_text('é')
    for args in (('add', name), ('commit', '-q', '-m', 'work')):
        main.git('-C', str(code), *args)
    return main.git('-C', str(code), 'log', '-1', '--format=%B')


def test_a_commit_says_under_which_grant_it_was_made(team: Team) -> None:
    team.one.done('task', 'start', TASK)
    text = committed(team)
    grant = team.one.mirror.grant(TASK)
    assert grant is not None
    assert f'Interlock-Lock: {TASK}@1\nInterlock-Grant: {grant.token[:12]}' in text


def test_work_of_a_lock_that_was_taken_away_is_not_let_in(team: Team) -> None:
    with_workflow(team)
    team.one.done('task', 'start', TASK)
    committed(team)
    team.two.as_person('lock', 'release', TASK, '--holder', '1')
    team.one.enter()
    result = team.one.space.main.try_git('push', '--no-verify', 'origin', TASK)
    assert result.returncode
    assert 'LCK014' in result.stderr
    assert 'no longer holds the lock' in result.stderr


def test_ci_knows_what_was_pushed_with_its_proof(team: Team) -> None:
    with_workflow(team)
    team.one.done('task', 'start', TASK)
    committed(team)
    spec = f'HEAD..{TASK}'
    result = team.one('check', '--range', spec)
    assert 'LCK014' in result.out
    assert 'without the proof' in result.out
    team.one.done('push', TASK)
    assert 'LCK014' not in team.one('check', '--range', spec).out
    team.stop()
    result = team.one('check', '--range', spec)
    assert (result.code, 'LCK009' in result.err) == (75, True)


def judging_pushes(team: Team) -> Repo:
    """The first clone, whose `pre-push` is ours."""
    main = team.one.space.main
    hook = main.path / '.git' / 'hooks' / 'pre-push'
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f'#!/bin/sh\nexec \'{SCRIPTS}/interlock\' pre-push "$@"\n')
    hook.chmod(0o755)
    return main


@pytest.mark.parametrize('silent', (False, True), ids=('lost', 'silent'))
def test_a_plain_push_confirms_the_lock_first(team: Team, silent: bool) -> None:
    with_workflow(team)
    team.one.done('task', 'start', TASK)
    team.two.as_person('lock', 'release', TASK, '--holder', '1')
    if silent:
        team.stop()
    team.one.enter()
    main = judging_pushes(team)
    # to another remote: the locks lie on the first
    main.git('init', '-q', '--bare', '../other.git')
    result = main.try_git('push', '../other.git', TASK)
    assert result.returncode
    assert ('LCK009' if silent else 'LCK001') in result.stderr


@pytest.mark.parametrize(
    ('words', 'why'),
    (
        pytest.param(('origin', f':{REF}'), 'never deleted', id='deleted'),
        pytest.param(('-f', 'origin', f'HEAD:{REF}'), 'LCK013', id='replaced'),
        pytest.param(
            ('--prune', 'origin', 'refs/interlock/*:refs/interlock/*'),
            'never deleted',
            id='pruned',
        ),
    ),
)
def test_a_plain_push_leaves_records_alone(
    team: Team, words: tuple[str, ...], why: str
) -> None:
    """Also where the server judges nothing."""
    with_workflow(team)
    (team.remote.path / 'hooks' / 'pre-receive').unlink()
    team.one.done('task', 'start', TASK)
    before, main = team.tip(), judging_pushes(team)
    result = main.try_git('push', *words)
    assert (result.returncode, team.tip()) == (1, before)
    assert 'LCK013' in result.stdout and why in result.stdout
    # one that brings its work with its record passes, also if nothing is new
    committed(team)
    for _ in range(2):
        team.one.done('push', TASK)
        assert team.tip() != before
        before = team.tip()


def test_names_of_records_are_free_where_none_are_kept(project: Repo) -> None:
    project.git('init', '-q', '--bare', '../server.git')
    hook = project.path / '.git' / 'hooks' / 'pre-push'
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f'#!/bin/sh\nexec \'{SCRIPTS}/interlock\' pre-push "$@"\n')
    hook.chmod(0o755)
    result = project.try_git('push', '../server.git', 'HEAD:refs/heads/interlock/x')
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize('mark', ('', MARKS[0]), ids=('person', 'anonymous agent'))
def test_an_agent_without_a_session_pushes_nothing_that_is_held(
    team: Team, monkeypatch: pytest.MonkeyPatch, mark: str
) -> None:
    with_workflow(team)
    team.one.done('task', 'start', TASK)
    main = judging_pushes(team)
    monkeypatch.delenv('INTERLOCK_SESSION')
    if mark:
        monkeypatch.setenv(mark, '1')
    result = main.try_git('push', 'origin', TASK)
    assert (result.returncode, 'LCK001' in result.stderr) == (bool(mark), bool(mark))
