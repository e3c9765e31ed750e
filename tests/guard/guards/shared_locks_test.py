"""A guard reads the mirror of a shared lock, and never asks a network."""

from __future__ import annotations

import sys
import time

import pytest

from interlock.tasks.engines.register import Intent, Register
from tests.conftest import Interlock
from tests.guard.asking import SESSION, ask, use, write
from tests.spaces import TASK, Space
from tests.tasks.engines.team import REF, Team, make_team


@pytest.fixture
def team(space: Space, interlock: Interlock, monkeypatch: pytest.MonkeyPatch) -> Team:
    """A task that the session of the client holds on the first machine."""
    made = make_team(space, interlock, monkeypatch)
    made.one.session = SESSION
    made.one.done('task', 'start', TASK)
    made.one.enter()
    monkeypatch.delenv('INTERLOCK_SESSION')
    return made


def register(team: Team) -> Register:
    return Register(str(team.one.space.main.path / '.git'))


def decide(team: Team) -> str:
    """Why a write into the worktree of the task is denied, '' if it is not."""
    code = team.one.space.file('code')
    reply = write(code / 'notes.txt', 'é', code)
    return reply.reason if reply.decision == 'deny' else ''


def age(team: Team) -> None:
    grant = register(team).grant(TASK)
    assert grant is not None
    grant = grant._replace(confirmed=1.0)
    register(team).save_grant(TASK, grant)


def test_work_goes_on_while_the_engine_is_silent(team: Team) -> None:
    team.stop()
    assert decide(team) == ''


@pytest.mark.parametrize(
    ('why', 'code'), (('lost', 'LCK001'), ('intent', 'LCK012'), ('none', 'LCK009'))
)
def test_work_is_denied_where_the_mirror_is_in_doubt(
    team: Team, why: str, code: str
) -> None:
    at = register(team)
    grant = at.grant(TASK)
    assert grant is not None
    if why == 'lost':
        grant = grant._replace(lost=True)
        at.save_grant(TASK, grant)
    elif why == 'intent':
        at.save_intent(TASK, Intent('0' * 32, 'changed', '', SESSION, 'now'))
    else:
        at.forget(TASK, 'grant')
    said = decide(team)
    assert code in said
    assert 'interlock lock ' in said


def test_an_old_confirmation_is_renewed_in_the_background(team: Team) -> None:
    age(team)
    assert decide(team) == ''
    until = time.monotonic() + 20
    while time.monotonic() < until:
        grant = register(team).grant(TASK)
        if grant is not None and grant.confirmed > 1.0:
            break
        time.sleep(0.2)
    else:
        pytest.fail('nobody asked')
    assert decide(team) == ''


def test_nothing_is_asked_about_what_was_just_confirmed(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even what asks is imported: an answer has no time for it."""
    monkeypatch.setitem(sys.modules, 'interlock.tasks.lock_confirmation', None)
    assert decide(team) == ''


def test_no_engine_is_asked_about_the_main_worktree(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    main = team.one.space.main.path
    team.one.done('lock', 'acquire', 'main', '--operation', 'file-modification')
    monkeypatch.setitem(sys.modules, 'interlock.tasks.lock_confirmation', None)
    assert use('Bash', main, command='git stash').decision != 'deny'


def test_a_lock_that_was_taken_away_is_noticed_in_the_background(team: Team) -> None:
    team.two.as_person('lock', 'release', TASK, '--holder', '1')
    team.one.enter()
    age(team)
    assert decide(team) == ''
    until = time.monotonic() + 20
    while time.monotonic() < until and decide(team) == '':
        time.sleep(0.2)
    assert 'LCK' in decide(team)


def test_a_session_that_starts_is_told_since_when_nothing_is_confirmed(
    team: Team,
) -> None:
    age(team)
    team.stop()
    said = ask('SessionStart', team.one.space.main.path, source='startup').context
    assert 'LCK009' in said
    assert '1970-01-01T00:00:01Z' in said
    assert f'interlock lock confirm {TASK}' in said


def test_a_session_that_starts_is_told_what_it_lost(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    team.two.as_person('lock', 'release', TASK, '--holder', '1')
    team.one.enter()
    monkeypatch.delenv('INTERLOCK_SESSION')
    said = ask('SessionStart', team.one.space.main.path, source='startup').context
    assert f'LCK001: {TASK} was taken away' in said
    assert 'LCK001' in decide(team)


@pytest.mark.parametrize(
    'command',
    (
        'git -C .git/interlock/locks.git push origin :REF',
        'cd .git/interlock/locks.git && git push origin :REF',
        'git --git-dir=.git/interlock/locks.git push origin :REF',
        'GIT_DIR=.git/interlock/locks.git git push origin :REF',
        'git -C .git/interlock/locks.git tag x',
    ),
)
def test_no_agent_works_in_the_repository_of_the_records(
    team: Team, command: str
) -> None:
    """It has no hooks."""
    main = team.one.space.main.path
    reply = use('Bash', main, command=command.replace('REF', REF))
    assert (reply.decision, reply.reason[:6]) == ('deny', 'CLD003')
    for legal in ('git -C .git/interlock/locks.git log', 'git push origin main'):
        assert use('Bash', main, command=legal).decision == ''
