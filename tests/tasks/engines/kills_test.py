"""Commands that are killed while they ask the engine of a team."""

from __future__ import annotations

import json
import signal

import pytest

from tests.spaces import TASK
from tests.tasks.engines.team import REF, Team
from tests.tasks.locks_test import killed

# the calls of the system before which a command is killed
STEPS = range(1, 600, 7)


def holder_there(team: Team) -> str:
    """Whom the remote has as the holder, '' where the lock is free."""
    if not team.remote.git('for-each-ref', REF):
        return ''
    record = json.loads(team.remote.git('log', '-1', '--format=%b', REF))
    session: str = record['session']
    return session


@pytest.mark.slow
@pytest.mark.parametrize('command', ('acquire', 'release'))
def test_what_a_killed_command_asked_is_settled_by_the_next(
    team: Team, command: str
) -> None:
    team.one.done('lock', 'acquire', TASK)
    team.one.done('lock', 'release', TASK)
    generations = [1]
    for step in STEPS:
        if command == 'release':
            team.one.done('lock', 'acquire', TASK)
        team.one.enter()
        code = killed(step, 'lock', command, TASK)
        # the mirror of a question that is open says nothing
        team.one.done('lock', 'settle', TASK)
        assert team.one.holds() == (holder_there(team) == team.one.session), step
        if team.one.holds():
            number = team.one.space.read()['generation']
            assert number > generations[-1] or command == 'release'
            generations.append(number)
            team.one.done('lock', 'release', TASK)
        assert holder_there(team) == ''
        if code == 0:
            break
        assert code == -signal.SIGKILL
    else:
        pytest.fail('it was killed at every step')
    log = json.loads(team.one.done('lock', 'log', TASK, '--format', 'json').out)
    acquired = [e['generation'] for e in log if e['event'] == 'acquired']
    assert acquired == sorted(set(acquired))
    assert not list(team.one.space.register.glob(f'{TASK}.intent'))
