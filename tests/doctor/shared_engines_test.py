from __future__ import annotations

import pytest

from interlock.doctor.shared_engines import lock_probes
from interlock.tasks import task_layout
from interlock.tasks.engines.register import Intent, Register
from tests.conftest import SCRIPTS, Interlock
from tests.spaces import TASK, Space
from tests.tasks.engines.team import Team, make_team


@pytest.fixture
def team(space: Space, interlock: Interlock, monkeypatch: pytest.MonkeyPatch) -> Team:
    return make_team(space, interlock, monkeypatch)


def found(team: Team) -> list[tuple[str, str]]:
    team.one.enter()
    common = str(team.one.space.main.path / '.git')
    workflow = task_layout.find().workflow
    return [(probe.verdict, probe.what) for probe in lock_probes(workflow, common)]


def test_a_remote_is_probed(team: Team) -> None:
    states, texts = zip(*found(team), strict=True)
    assert states == ('live', 'live', 'not wired')
    assert 'origin answers' in texts[0]
    assert 'atomic' in texts[1]
    assert 'LCK011' in texts[2]
    # nothing is left behind
    assert team.remote.git('for-each-ref', 'refs/interlock') == ''


def test_a_server_that_runs_our_hook_deletes_no_record(team: Team) -> None:
    hook = team.remote.path / 'hooks' / 'pre-receive'
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\nexec '{SCRIPTS}/interlock' pre-receive\n")
    hook.chmod(0o755)
    assert found(team)[-1] == ('live', 'origin refuses to delete a record')
    # again, on top of the one that stays
    assert found(team)[-1] == ('live', 'origin refuses to delete a record')


def test_what_keeps_locks_from_the_remote_is_said(team: Team) -> None:
    main = team.one.space.main
    team.remote.git('config', 'transfer.hideRefs', 'refs/interlock')
    ((_, answers), (state, text)) = found(team)
    assert 'answers' in answers
    assert state == 'dead'
    assert 'refuses locks' in text
    main.git('remote', 'set-url', '--push', 'origin', '/a')
    main.git('remote', 'set-url', '--push', '--add', 'origin', '/b')
    ((state, text),) = found(team)
    assert (state, '2 push URLs' in text) == ('dead', True)
    main.git('remote', 'remove', 'origin')
    ((state, text),) = found(team)
    assert (state, 'does not exist' in text) == ('dead', True)


def test_a_silent_remote_and_an_open_question_are_said(team: Team) -> None:
    register = Register(str(team.one.space.main.path / '.git'))
    register.save_intent(TASK, Intent('0' * 32, 'changed', '', 'x', 'now'))
    team.stop()
    ((_, question), (state, text)) = found(team)
    assert TASK in question
    assert (state, 'does not answer' in text) == ('dead', True)
