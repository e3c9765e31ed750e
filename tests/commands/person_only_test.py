"""What only a person may do, attempted by the agents of every client on a
terminal, and by an unknown caller."""

from __future__ import annotations

import os

import pytest

from interlock.agents import ADAPTERS, adapter_of
from tests.commands.file_snapshot import snapshot
from tests.commands.terminal import shown
from tests.conftest import SCRIPTS, Interlock, Repo

pytestmark = pytest.mark.real

UNINSTALL = f'{SCRIPTS}/interlock uninstall; exit $?'
EACH_CLIENT = pytest.mark.parametrize('client', ADAPTERS)


@pytest.fixture
def wired(project: Repo, interlock: Interlock) -> Repo:
    assert interlock('init', '--git-hooks').code == 0
    return project


def plain() -> dict[str, str]:
    names = ('PATH', 'HOME', 'XDG_CACHE_HOME', 'XDG_STATE_HOME', 'GIT_CONFIG_GLOBAL')
    return {name: os.environ[name] for name in names}


@EACH_CLIENT
def test_a_mark_in_the_environment_is_an_agent(client: str, wired: Repo) -> None:
    before = snapshot(wired)
    for mark in (*adapter_of(client).marks, *adapter_of(client).sessions):
        result = shown(('sh', '-c', UNINSTALL), {**plain(), mark: '1x'})
        assert result.code == 1
        assert 'only a person may take the hooks out, not an agent' in result.out
    assert snapshot(wired) == before


@EACH_CLIENT
@pytest.mark.parametrize('wrapper', ['', 'env -i HOME="$HOME" '])
def test_a_client_among_the_ancestors_is_an_agent(
    client: str, wrapper: str, wired: Repo
) -> None:
    before = snapshot(wired)
    name = adapter_of(client).processes[0]
    script = f"exec -a {name} bash -c '{wrapper}{UNINSTALL}'"
    result = shown(('bash', '-c', script), plain())
    assert result.code == 1
    assert 'not an agent' in result.out
    assert snapshot(wired) == before


@pytest.mark.parametrize(
    ('wrapper', 'why'),
    [
        pytest.param('setsid --wait sh -c', 'has no login session', id='setsid'),
        pytest.param(
            'env -i HOME="$HOME" setsid --wait sh -c',
            'has no login session',
            id='in an empty environment',
        ),
        pytest.param('</dev/null sh -c', 'there is no terminal here', id='a job'),
    ],
)
def test_an_unknown_caller_is_refused(wrapper: str, why: str, wired: Repo) -> None:
    before = snapshot(wired)
    result = shown(('bash', '-c', f"{wrapper} '{UNINSTALL}'"), plain())
    assert result.code == 1
    assert why in ' '.join(result.out.split())
    assert 'next: ask the user' in result.out
    assert snapshot(wired) == before


def test_a_person_at_a_terminal_may(wired: Repo) -> None:
    before = snapshot(wired)
    result = shown(('bash', '-c', UNINSTALL), plain())
    assert result.code == 0, result.out
    assert snapshot(wired) != before
