"""Two machines, one remote: what a session may do, and what it is told."""

from __future__ import annotations

import functools
import json
import os
import subprocess

import pytest

from interlock.operations.tasks.locks import Holder
from interlock.tasks.engines import git_remote, overview, selection, shared_lock
from interlock.tasks.engines.register import Intent, Register
from tests import forked, spaces
from tests.conftest import Interlock
from tests.spaces import TASK, Space
from tests.tasks.engines.team import REF, Machine, Team

pytestmark = pytest.mark.real


def test_of_two_machines_one_gets_a_lock_and_the_other_is_told_who(team: Team) -> None:
    team.one.done('lock', 'acquire', TASK)
    result = team.two('lock', 'acquire', TASK)
    assert result.code == 1
    assert f'LCK001: {TASK} is held by session {team.one.session}' in result.err
    assert team.one.holds()
    assert not team.two.space.file('task.json').exists()


def test_generations_grow_over_machines(team: Team) -> None:
    for number in range(1, 5):
        machine = team.one if number % 2 else team.two
        machine.done('lock', 'acquire', TASK)
        assert machine.space.read()['generation'] == number
        machine.done('lock', 'release', TASK)
    log = json.loads(team.one.done('lock', 'log', TASK, '--format', 'json').out)
    assert [entry['event'] for entry in log] == ['acquired', 'released'] * 4
    assert [entry['generation'] for entry in log[::2]] == [1, 2, 3, 4]


def test_the_clone_gains_neither_a_ref_nor_an_object(team: Team) -> None:
    main = team.one.space.main
    before = main.git('for-each-ref'), main.git('count-objects', '-v')
    team.one.done('lock', 'acquire', TASK)
    team.one.done('lock', 'release', TASK)
    assert (main.git('for-each-ref'), main.git('count-objects', '-v')) == before


def test_to_take_a_lock_asks_the_remote_once(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    team.one.done('lock', 'acquire', TASK)
    team.one.done('lock', 'release', TASK)
    trace = team.one.space.path / 'trace'
    monkeypatch.setenv('GIT_TRACE2_EVENT', str(trace))
    team.one.done('lock', 'acquire', TASK)
    events = map(json.loads, trace.read_text(encoding='UTF-8').splitlines())
    started = [
        # after `git -C directory`
        each['argv'][3]
        for each in events
        # those that another git starts say so
        if each['event'] == 'start' and '/' not in each['sid']
    ]
    assert [each for each in started if each in ('ls-remote', 'fetch', 'push')] == [
        'ls-remote',
        'push',
    ]
    assert len(started) <= 4


def test_what_was_shown_before_another_command_of_the_clone_accuses_nobody(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git_remote, 'LATELY', 60.0)
    locks = team.one.mirror
    assert locks.current(TASK) is None
    asked = selection._latest[:]
    for _ in range(2):
        team.one.done('lock', 'acquire', TASK)
        team.one.done('lock', 'release', TASK)
    monkeypatch.setattr(selection, '_latest', asked)
    holder = Holder(team.one.session, '', 1, '', 'host', '')
    assert locks.changes(TASK).create(holder, lambda number: b'{}', 0, {}) == 3


def test_the_lock_of_the_main_worktree_is_not_shared(team: Team) -> None:
    for machine in (team.one, team.two):
        machine.done('lock', 'acquire', 'main', '--operation', 'git-operation')
    assert team.remote.git('for-each-ref', 'refs/interlock') == ''


def test_a_lock_that_a_person_ended_elsewhere_is_lost(team: Team) -> None:
    team.one.done('lock', 'acquire', TASK)
    team.two.as_person('lock', 'release', TASK, '--holder', '1')
    # the mirror is believed until the engine is asked
    assert team.one.holds()
    result = team.one('lock', 'confirm', TASK)
    assert (result.code, 'LCK001' in result.err) == (1, True)
    assert not team.one.holds()
    grant = team.one.mirror.grant(TASK)
    assert grant is not None
    assert grant.lost


def test_who_lost_a_lock_changes_nothing(team: Team) -> None:
    team.one.done('task', 'start', TASK)
    team.two.as_person('lock', 'release', TASK, '--holder', '1')
    before = team.tip()
    result = team.one('transition', TASK, 'CLASSIFIED')
    assert result.code == 1, result.err
    assert team.tip() == before


def test_what_a_command_changes_is_on_the_remote(team: Team) -> None:
    team.one.done('task', 'start', TASK)
    team.one.done('agents', 'add', TASK, 'architect', '--why', 'é')
    data = team.remote.git('show', f'{REF}:lock.json')
    assert json.loads(data) == team.one.space.read()
    assert team.remote.git('log', '-1', '--format=%s', REF) == (
        f'changed {TASK}, generation 1'
    )


@pytest.mark.parametrize(
    'command',
    (
        pytest.param(('lock', 'acquire', 'wash-up'), id='acquire'),
        pytest.param(('lock', 'release', TASK), id='release'),
        pytest.param(('agents', 'add', TASK, 'architect', '--why', 'é'), id='change'),
        pytest.param(('push', TASK), id='push'),
        pytest.param(('lock', 'confirm', TASK), id='confirm'),
    ),
)
def test_what_needs_the_engine_is_refused_while_it_is_silent(
    team: Team, command: tuple[str, ...]
) -> None:
    team.one.done('task', 'start', TASK)
    before = team.one.space.file('task.json').read_bytes()
    team.stop()
    result = team.one(*command)
    assert result.code == 75, result.err
    assert 'LCK009' in result.err
    assert team.one.space.file('task.json').read_bytes() == before
    assert not team.one.space.file('task.json', 'wash-up').exists()
    assert not list(team.one.space.register.glob('*.intent'))
    # who holds a lock goes on working
    assert team.one.holds()
    team.start()
    team.one.done('lock', 'confirm', TASK)


def test_no_task_begins_while_the_engine_is_silent(team: Team) -> None:
    team.stop()
    result = team.one('task', 'start', TASK)
    assert (result.code, 'LCK009' in result.err) == (75, True)
    assert list(team.one.space.tasks.iterdir()) == []


def test_an_engine_that_went_back_is_refused_until_a_person_restores_it(
    team: Team,
) -> None:
    for _ in range(3):
        team.one.done('lock', 'acquire', TASK)
        team.one.done('lock', 'release', TASK)
    team.remote.git('update-ref', '-d', REF)
    result = team.one('lock', 'acquire', TASK)
    assert result.code == 1
    assert 'LCK011' in result.err
    assert f'interlock lock restore {TASK}' in result.err
    team.one.as_person('lock', 'restore', TASK)
    team.one.done('lock', 'acquire', TASK)
    assert team.one.space.read()['generation'] > 3


def test_a_question_of_a_killed_command_is_settled_by_the_next(team: Team) -> None:
    team.one.done('lock', 'acquire', TASK)
    register = Register(str(team.one.space.main.path / '.git'))
    intent = Intent('f' * 32, 'changed', team.tip(), team.one.session, 'now')
    register.save_intent(TASK, intent)
    assert not team.one.holds()
    assert (
        team.one.done('lock', 'settle', TASK).out == f'{TASK}: it did not take effect\n'
    )
    assert team.one.holds()
    log = json.loads(team.one.done('lock', 'log', TASK, '--format', 'json').out)
    assert [entry['event'] for entry in log] == ['acquired', 'withdrawn']


def test_an_acquire_that_was_killed_before_its_mirror_is_mirrored(team: Team) -> None:
    team.one.done('lock', 'acquire', TASK)
    register = Register(str(team.one.space.main.path / '.git'))
    grant = register.grant(TASK)
    assert grant is not None
    intent = Intent(grant.token, 'acquired', '', team.one.session, 'now')
    register.save_intent(TASK, intent)
    register.forget(TASK, 'grant')
    team.one.space.file('task.json').unlink()
    assert team.one.done('lock', 'settle', TASK).out == f'{TASK}: it took effect\n'
    assert team.one.holds()


def test_the_branch_and_its_proof_are_pushed_together(team: Team) -> None:
    team.one.done('task', 'start', TASK)
    commit = team.one.space.main.git('rev-parse', TASK)
    team.one.done('push', TASK)
    assert team.remote.git('rev-parse', f'refs/heads/{TASK}') == commit
    record = json.loads(team.remote.git('log', '-1', '--format=%b', REF))
    assert record['refs'] == {f'refs/heads/{TASK}': commit}


def test_a_checkpoint_is_pushed_with_its_proof(team: Team) -> None:
    """To where the locks are, whatever remote the branch has."""
    team.one.done('task', 'start', TASK)
    main, locks = team.one.space.main, team.one.mirror
    main.git('remote', 'add', 'mine', str(team.remote.path.with_name('mine.git')))
    main.git('config', f'branch.{TASK}.remote', 'mine')
    held = locks.get(TASK)
    assert held is not None
    assert held.data is not None
    at_review = {**json.loads(held.data), 'state': 'REVIEW'}
    locks.changes(TASK).replace(held, json.dumps(at_review).encode())
    without = team.one('checkpoint', TASK)
    assert (without.code, 'checkpoint bake-bread --push' in without.err) == (1, True)
    commit = main.git('rev-parse', TASK)
    made = team.one.done('checkpoint', TASK, '--push')
    assert made.out == f'Commit: {commit}\nRemote: origin/{TASK}\n'
    assert team.remote.git('rev-parse', f'refs/heads/{TASK}') == commit
    log = json.loads(team.one.done('lock', 'log', TASK, '--format', 'json').out)
    events = ['acquired', 'changed', 'pushed', 'changed']
    assert [entry['event'] for entry in log] == events
    assert log[2]['refs'] == {f'refs/heads/{TASK}': commit}


def test_without_a_worktree_nothing_is_pushed(team: Team) -> None:
    team.one.done('lock', 'acquire', TASK)
    result = team.one('push', TASK)
    assert result.code == 1
    assert 'has no worktree' in result.err
    assert f'next: interlock lock show {TASK}' in result.err


def test_who_lost_a_lock_pushes_nothing(team: Team) -> None:
    team.one.done('task', 'start', TASK)
    team.two.as_person('lock', 'release', TASK, '--holder', '1')
    result = team.one('push', TASK)
    assert result.code == 1
    assert 'LCK001' in result.err
    assert team.remote.git('branch', '--list', TASK) == ''


def plainly(machine: Machine, branch: str = TASK) -> int:
    """What our hook says to a plain push."""
    machine.enter()
    oid = machine.space.main.git('rev-parse', branch)
    line = f'refs/heads/{branch} {oid} refs/heads/{branch} {"0" * len(oid)}\n'
    return forked.command(
        *('pre-push', 'origin', 'x'),
        cwd=machine.space.main.path,
        env=spaces.environment(machine.session),
        data=line,
    ).returncode


def test_only_the_holder_pushes_the_branch_of_a_task(team: Team) -> None:
    for machine in (team.one, team.two):
        machine.space.main.git('branch', 'x')
    # never locked
    assert plainly(team.one, 'x') == 0
    team.one.done('task', 'start', TASK)
    assert plainly(team.one) == 0
    # a command that was killed may have given it back
    register = Register(str(team.one.space.main.path / '.git'))
    asked = Intent('t' * 32, 'released', '', team.one.session, '')
    register.save_intent(TASK, asked)
    assert plainly(team.one) == 1
    register.forget(TASK, 'intent')
    # nothing of the lock is in the other clone
    team.two.space.main.git('branch', TASK)
    assert plainly(team.two) == 1
    assert plainly(team.two, 'x') == 0
    team.two.as_person('lock', 'release', TASK, '--holder', '1')
    # that it lost the lock is not known there, and then it is
    for command in (('lock', 'list'), ('lock', 'confirm', TASK)):
        team.one(*command)
        assert plainly(team.one) == 1
    team.two.done('lock', 'acquire', TASK)
    assert (plainly(team.one), plainly(team.two)) == (1, 0)
    team.two.done('lock', 'release', TASK)
    # the server judges by the grants of the commits
    assert plainly(team.two) == 0
    team.stop()
    main = team.two.space.main.git('symbolic-ref', '--short', 'HEAD')
    assert (plainly(team.two), plainly(team.two, main)) == (75, 0)


def test_a_push_of_a_branch_that_has_other_work_says_how_to_go_on(team: Team) -> None:
    team.one.done('task', 'start', TASK)
    code = team.one.space.file('code')
    team.one.space.main.git('push', '-q', 'origin', f'{TASK}:{TASK}')
    for file, words in (('x', ('push', '-q', 'origin', TASK)), ('y', ())):
        (code / file).write_text(file)
        git = functools.partial(team.one.space.main.git, '-C', str(code))
        git('add', file)
        git('commit', '-q', '-m', file)
        if words:
            git(*words)
            git('reset', '-q', '--hard', 'HEAD~')
    result = team.one('push', TASK)
    assert result.code == 1
    assert f'refused: refs/heads/{TASK} [rejected] (' in result.err
    assert 'hint:' not in result.err
    hint = result.err.rpartition('next: ')[2].strip()
    subprocess.run(hint, shell=True, check=True, cwd=code, capture_output=True)
    team.one.done('push', TASK)


def lines(machine: Machine) -> list[tuple[bool, str, str]]:
    """Of `task list --all`: whether it is ours, by whom it is held, since when
    the engine says so."""
    found = json.loads(machine.done('task', 'list', '--all', '--json').out)
    return [(each['is_own'], each['holder'], each['confirmed']) for each in found]


def test_the_list_says_what_the_engine_says(team: Team) -> None:
    team.one.done('task', 'start', TASK)
    for machine, is_own in ((team.one, True), (team.two, False)):
        [(own, holder, confirmed)] = lines(machine)
        assert (own, confirmed) == (is_own, 'now')
        assert holder.startswith(f'session {team.one.session} since')
    team.two.as_person('lock', 'release', TASK, '--holder', '1')
    [(own, holder, _)] = lines(team.one)
    assert (own, holder.rpartition('; ')[2]) == (False, overview.FREE)
    team.two.done('lock', 'acquire', TASK)
    [(own, holder, _)] = lines(team.one)
    assert (own, holder.startswith(f'session {team.two.session} ')) == (False, True)


def test_who_holds_a_damaged_record_is_unknown_everywhere(team: Team) -> None:
    team.one.done('task', 'start', TASK)
    tree, tip = team.remote.git('rev-parse', f'{REF}^{{tree}}'), team.tip()
    made = team.remote.git('commit-tree', '-p', tip, '-m', 'garbage', tree)
    team.remote.git('update-ref', REF, made)
    for machine in (team.two, team.one):
        [(own, holder, _)] = lines(machine)
        assert (own, holder) == (False, f'an unknown session: {shared_lock.DOUBT}')
        result = machine('lock', 'acquire', TASK)
        assert result.code == 1
        assert team.one.session not in result.err
        assert f'interlock lock release {TASK} --holder 1' in result.err
    team.two.as_person('lock', 'release', TASK, '--holder', '1')
    team.two.done('lock', 'acquire', TASK)


def aged(team: Team) -> None:
    """The lock of the first machine was not confirmed for long."""
    register = Register(str(team.one.space.main.path / '.git'))
    grant = register.grant(TASK)
    assert grant is not None
    grant = grant._replace(confirmed=1.0)
    register.save_grant(TASK, grant)


def judged(team: Team) -> str:
    """What the hooks say to a commit in the worktree of the task."""
    code = team.one.space.file('code')
    (code / 'x').write_text('é')
    team.one.space.main.git('-C', str(code), 'add', 'x')
    team.one.enter()
    os.chdir(code)
    return team.one.run('check', '--staged').out


def test_a_commit_is_warned_while_the_engine_is_silent(team: Team) -> None:
    team.one.done('task', 'start', TASK)
    aged(team)
    team.stop()
    said = judged(team)
    assert 'LCK010' in said
    assert '1970-01-01T00:00:01Z' in said
    team.start()
    assert 'LCK010' not in judged(team)


def test_a_commit_is_refused_once_the_engine_says_that_it_is_lost(team: Team) -> None:
    team.one.done('task', 'start', TASK)
    team.two.as_person('lock', 'release', TASK, '--holder', '1')
    assert 'LCK001' not in judged(team)
    aged(team)
    assert 'LCK001' in judged(team)
    assert not team.one.holds()


def test_a_commit_is_refused_while_a_question_is_open(team: Team) -> None:
    team.one.done('task', 'start', TASK)
    register = Register(str(team.one.space.main.path / '.git'))
    register.save_intent(TASK, Intent('0' * 32, 'changed', '', 'x', 'now'))
    assert 'LCK012' in judged(team)


def test_two_push_urls_are_refused(team: Team) -> None:
    main, remote = team.one.space.main, str(team.remote.path)
    main.git('remote', 'set-url', '--push', 'origin', remote)
    main.git('remote', 'set-url', '--push', '--add', 'origin', f'{remote}2')
    result = team.one('lock', 'acquire', TASK)
    assert result.code == 2
    assert 'exactly one' in result.err


def test_a_password_is_never_said(team: Team) -> None:
    url = 'https://me:s3cret@localhost:1/x.git'
    team.one.space.main.git('remote', 'set-url', 'origin', url)
    os.environ.pop('http_proxy', None)
    result = team.one('lock', 'acquire', TASK)
    assert result.code == 75
    assert 's3cret' not in result.err + result.out


@pytest.mark.parametrize('value', ('ftp', 'git-remote:https://x', 'file:'))
def test_the_machine_names_an_engine_and_no_address(
    team: Team, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv('INTERLOCK_LOCKS', value)
    result = team.one('lock', 'acquire', TASK)
    if value == 'file:':
        assert result.code == 0
        return
    assert result.code == 2
    assert 'INTERLOCK_LOCKS' in result.err
    assert 'https' not in result.err


def test_a_task_goes_on_on_another_machine(team: Team) -> None:
    team.one.done('task', 'start', TASK)
    team.one.done('agents', 'add', TASK, 'architect', '--why', 'é')
    code = team.one.space.file('code')
    (code / 'work').write_text('é')
    main = team.one.space.main
    for args in (('add', 'work'), ('commit', '-q', '-m', 'work')):
        main.git('-C', str(code), *args)
    team.one.done('push', TASK)
    before = team.one.space.read()
    team.one.done('lock', 'release', TASK)
    said = team.two.as_person('task', 'adopt', TASK, '--session', team.two.session)
    assert 'in INIT' in said
    after = team.two.space.read()
    for key in ('state', 'transition_log', 'required_agents', 'created_at'):
        assert after[key] == before[key]
    assert after['generation'] == 2
    assert (team.two.space.file('code') / 'work').read_text() == 'é'
    assert team.two.space.file('audit-trail.json').exists()
    assert team.two.holds()


def test_a_task_that_is_held_elsewhere_is_not_adopted(team: Team) -> None:
    team.one.done('task', 'start', TASK)
    team.two.enter()
    code, said = spaces.at_terminal('task', 'adopt', TASK, '--session', 'x')
    assert code == 1
    assert f'{TASK} is held by session {team.one.session}' in said


def test_who_works_where_is_listed(team: Team) -> None:
    team.one.done('task', 'start', TASK)
    assert team.two.done('task', 'list').out == ''
    (line,) = json.loads(team.two.done('task', 'list', '--all', '--format', 'json').out)
    assert (line['task'], line['session']) == (TASK, team.one.session)
    assert line['worktree'] == str(team.one.space.file('code'))
    assert line['since']
    text = team.two.done('task', 'list', '--all').out
    assert 'confirmed: now' in text
    assert team.one.session in team.two.done('status').out
    team.stop()
    result = team.two.done('task', 'list', '--all')
    assert (result.out, 'LCK009' in result.err) == ('', True)
    board = team.two.done('status')
    assert (team.one.session in board.out, 'LCK009' in board.err) == (False, True)


def test_a_lock_of_another_engine_is_held_by_nobody(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    team.one.done('lock', 'acquire', TASK)
    monkeypatch.setenv('INTERLOCK_LOCKS', 'file')
    assert not team.one.holds()
    result = team.one('lock', 'release', TASK)
    assert (result.code, 'CFG011' in result.err) == (1, True)


def test_locks_do_not_change_their_engine_under_a_holder(
    space: Space, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = 'version: 1\nextends: task-protocol\nroots: {main: ., tasks: ../tasks}\n'
    space.main.commit({'.interlock.yaml': text})
    assert interlock('lock', 'acquire', TASK).code == 0
    space.main.stage({'.interlock.yaml': f'{text}locks: {{engine: git-remote}}\n'})
    assert 'CFG011' in interlock('check', '--staged').out
    refused = interlock('lock', 'release', TASK)
    assert f'INTERLOCK_LOCKS=file interlock lock release {TASK}' in refused.err
    monkeypatch.setenv('INTERLOCK_LOCKS', 'file')
    assert interlock('lock', 'release', TASK).code == 0
    assert 'CFG011' not in interlock('check', '--staged').out


def test_a_lock_that_is_held_elsewhere_is_shown(team: Team) -> None:
    team.one.done('lock', 'acquire', TASK)
    shown = json.loads(team.two.done('lock', 'show', TASK, '--format', 'json').out)
    assert (shown['session'], shown['own']) == (team.one.session, False)
    team.stop()
    result = team.one.done('lock', 'show', TASK)
    assert f'{TASK} is held by session {team.one.session}' in result.out
    assert 'LCK009' in result.err


def test_what_is_changed_offline_is_kept_and_sent_later(team: Team) -> None:
    file = team.one.space.path / '.interlock.yaml'
    file.write_text(file.read_text().replace('timeout: 20', 'offline: work'))
    team.one.done('task', 'start', TASK)
    before = team.tip()
    team.stop()
    result = team.one.done('agents', 'add', TASK, 'architect', '--why', 'é')
    assert 'LCK009' in result.err
    assert 'sent later' in result.err
    grant = team.one.mirror.grant(TASK)
    assert grant is not None
    assert grant.dirty
    assert team.one.holds()
    # what gives a lock away is never kept for later
    assert team.one('lock', 'release', TASK).code == 75
    team.start()
    assert team.tip() == before
    team.one.done('lock', 'confirm', TASK)
    assert json.loads(team.remote.git('show', f'{REF}:lock.json')) == (
        team.one.space.read()
    )
