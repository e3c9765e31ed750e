"""`interlock state` in a project whose team shares its states."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from interlock.commands.documents import mcp
from interlock.files import background
from interlock.model.errors import Refusal
from interlock.postgresql.migrations import VERSION
from interlock.state import state_hooks
from interlock.state.store import store_path
from tests.conftest import Interlock, Repo
from tests.fleet.conftest import write_service
from tests.fleet.postgres import Cluster, free_port

ONE = '11111111-1111-4111-8111-111111111111'
TWO = '22222222-2222-4222-8222-222222222222'
THREE = '33333333-3333-4333-8333-333333333333'
WORKFLOW = (
    'version: 1\nextends: plugin-workflow\n'
    'locks: {repository: example.org/team/app, timeout: 5}\n'
    'store: {engine: postgresql}\n'
)


@pytest.fixture
def sharing(repo: Repo, service: str, monkeypatch: pytest.MonkeyPatch) -> Repo:
    repo.commit({'.interlock.yaml': WORKFLOW})
    monkeypatch.setenv('INTERLOCK_SESSION', ONE)
    return repo


def elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, session: str) -> None:
    """Another machine: it has the project, and a store of its own."""
    monkeypatch.setenv('XDG_STATE_HOME', str(tmp_path / 'elsewhere'))
    monkeypatch.setenv('INTERLOCK_SESSION', session)


def state(word: str) -> str:
    return json.dumps({'session_id': ONE, 'project_path': f'/{word}'})


def task(words: str) -> str:
    return json.dumps({'goals': {'main_task': words}})


def rows(cluster: Cluster) -> list[str]:
    found = cluster.execute('SELECT state FROM interlock.session_state')
    return [json.loads(text)['project_path'] for (text,) in found]


def test_nothing_is_sent_before_somebody_says_so(
    sharing: Repo, interlock: Interlock, cluster: Cluster
) -> None:
    interlock('state', 'save', state('before'))
    assert rows(cluster) == []
    time.sleep(1.1)
    sent = interlock('state', 'send')
    assert (sent.code, sent.err) == (0, '0 states sent to service interlock\n')
    saved = interlock('state', 'save', state('after'))
    assert (saved.code, saved.err) == (0, '')
    assert rows(cluster) == ['/after']


def test_a_session_finds_its_state_on_another_machine(
    sharing: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    interlock('state', 'send')
    interlock('state', 'save', state('x'))
    elsewhere(monkeypatch, tmp_path, ONE)
    found = json.loads(interlock('state', 'load').out)
    assert (found['found'], found['session']) == (True, ONE)
    assert found['other_session'] is None


def test_another_session_is_told_whose_it_is(
    sharing: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    interlock('state', 'send')
    interlock('state', 'save', state('x'))
    elsewhere(monkeypatch, tmp_path, TWO)
    found = json.loads(interlock('state', 'load').out)
    assert (found['session'], found['other_session']) == (None, ONE)
    # to look at it makes it nobody's
    assert not json.loads(interlock('state', 'show', '--format', 'json').out)['found']


def test_what_another_session_saved_here_hides_nothing(
    sharing: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """On a machine where others work too: one's own state, else the newest."""

    def loaded() -> tuple[str, str | None]:
        found = json.loads(interlock('state', 'load').out)
        by_tool = mcp.workflow_state_load(str(sharing.path))
        assert found['state'] == by_tool['state']
        return found['state']['goals']['main_task'], found['other_session']

    home = os.environ.get('XDG_STATE_HOME', '')
    interlock('state', 'send')
    interlock('state', 'save', task('one'))
    elsewhere(monkeypatch, tmp_path, TWO)
    time.sleep(1.1)
    interlock('state', 'save', task('two, kept here'))
    for session, expected in (
        (TWO, ('two, kept here', None)),
        (ONE, ('one', None)),
        (THREE, ('two, kept here', TWO)),
    ):
        monkeypatch.setenv('INTERLOCK_SESSION', session)
        assert loaded() == expected
    monkeypatch.setenv('XDG_STATE_HOME', home)
    monkeypatch.setenv('INTERLOCK_SESSION', ONE)
    time.sleep(1.1)
    interlock('state', 'save', task('one, newer'))
    elsewhere(monkeypatch, tmp_path, THREE)
    assert loaded() == ('one, newer', ONE)
    write_service(host='127.0.0.1', port=str(free_port()))
    assert loaded() == ('two, kept here', TWO)


def test_a_database_that_does_not_answer_is_a_warning(
    sharing: Repo, interlock: Interlock, cluster: Cluster
) -> None:
    interlock('state', 'send')
    write_service(host='127.0.0.1', port=str(free_port()))
    saved = interlock('state', 'save', state('x'))
    assert saved.code == 0
    assert 'warning: STA011' in saved.err
    refused = interlock('state', 'send')
    assert refused.code == 75
    assert 'next: interlock state send' in refused.err
    assert json.loads(interlock('state', 'load').out)['found']
    write_service(
        host=cluster.sockets, port=str(cluster.port), user='postgres', dbname='postgres'
    )
    assert interlock('state', 'send').err == '1 states sent to service interlock\n'
    assert rows(cluster) == ['/x']


def test_forgetting_forgets_what_was_sent(
    sharing: Repo, interlock: Interlock, cluster: Cluster
) -> None:
    interlock('state', 'send')
    interlock('state', 'save', state('x'))
    assert '(3 rows)' in interlock('state', 'forget').err
    assert rows(cluster) == []


@pytest.mark.parametrize(
    'text',
    (
        pytest.param('version: 1\nextends: plugin-workflow\n', id='silent'),
        pytest.param(WORKFLOW.replace('postgresql', 'sqlite'), id='sqlite'),
    ),
)
def test_a_workflow_that_shares_nothing(
    repo: Repo, interlock: Interlock, text: str
) -> None:
    repo.commit({'.interlock.yaml': text})
    refused = interlock('state', 'send')
    assert refused.code == 2
    assert 'store: {engine: postgresql}' in refused.err


def test_a_machine_may_share_nothing_or_name_another_service(
    sharing: Repo,
    interlock: Interlock,
    cluster: Cluster,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    local = store_path(os.environ)
    monkeypatch.setenv('INTERLOCK_STORE', 'sqlite')
    assert interlock('state', 'send').code == 2
    assert store_path(os.environ) == local
    monkeypatch.setenv('INTERLOCK_STORE', 'postgresql:other')
    assert 'service other' in interlock('state', 'send').err
    assert store_path(os.environ) == local
    monkeypatch.setenv('INTERLOCK_STORE', 'postgresql://zoë:hunter2@example.org/db')
    refused = interlock('state', 'send')
    assert refused.code == 2
    assert 'hunter2' not in refused.err + refused.out


def await_rows(cluster: Cluster) -> list[str]:
    end = time.monotonic() + 20
    while not rows(cluster):
        assert time.monotonic() < end, 'it was never sent'
        time.sleep(0.1)
    return rows(cluster)


def test_a_compaction_waits_for_nothing_and_is_sent_all_the_same(
    sharing: Repo, interlock: Interlock, cluster: Cluster
) -> None:
    interlock('state', 'send')
    event = {'session_id': ONE, 'cwd': str(sharing.path)}
    state_hooks.on_pre_compact(event, os.environ)
    assert await_rows(cluster)


@pytest.mark.parametrize('tool', (mcp.workflow_state_save, mcp.workflow_state_update))
def test_what_a_tool_saves_is_sent_too(
    sharing: Repo,
    interlock: Interlock,
    cluster: Cluster,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    tool: Callable[[str, Any], Any],
) -> None:
    here = str(sharing.path)
    interlock('state', 'send')
    tool(here, json.loads(state('x')))
    assert await_rows(cluster) == ['/x']
    elsewhere(monkeypatch, tmp_path, TWO)
    found = mcp.workflow_state_load(here)
    assert (found['found'], found['other_session']) == (True, ONE)
    write_service(host='127.0.0.1', port=str(free_port()))
    with pytest.raises(Refusal, match='STA011'):
        mcp.workflow_state_load(here)


def test_a_compaction_of_a_project_that_shares_nothing_starts_nothing(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[tuple[str, ...]] = []
    monkeypatch.setattr(background, 'start', lambda *words: started.append(words))
    state_hooks.on_pre_compact({'session_id': ONE, 'cwd': str(repo.path)}, os.environ)
    assert started == []


def test_the_schema_is_made_for_states_alone(
    sharing: Repo, interlock: Interlock, cluster: Cluster
) -> None:
    cluster.execute('DROP SCHEMA interlock CASCADE')
    refused = interlock('state', 'send')
    assert refused.code == 2
    assert 'next: interlock lock migrate-schema' in refused.err
    assert interlock('lock', 'migrate-schema').out == (
        f'service interlock: the schema now has version {VERSION}\n'
    )
    assert interlock('state', 'send').code == 0
    assert 'the schema has version' in interlock('lock', 'migrate-schema').out
    nowhere = interlock('lock', 'migrate-schema', '--service', 'nowhere')
    assert nowhere.code == 2
    assert 'next: psql service=nowhere' in nowhere.err
