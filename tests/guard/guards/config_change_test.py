"""ConfigChange, asked of real processes in a project that is wired."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from interlock.files import settings_record
from interlock.guard.event import CONFIG_CHANGE
from tests.conftest import Interlock, Repo
from tests.guard.asking import Reply, ask

SHARED = '.claude/settings.json'
LOCAL = '.claude/settings.local.json'
SOURCES = {SHARED: 'project_settings', LOCAL: 'local_settings'}


@pytest.fixture
def guarded(project: Repo, interlock: Interlock) -> Repo:
    assert interlock('init', '--claude', '--shared').code == 0
    return project


def settings(repo: Repo) -> Any:
    return json.loads((repo.path / SHARED).read_text(encoding='UTF-8'))


def put(repo: Repo, value: Any, name: str = SHARED) -> Reply:
    text = value if isinstance(value, str) else json.dumps(value)
    repo.write({name: text})
    return told(repo, name)


def told(repo: Repo, name: str = SHARED, **fields: Any) -> Reply:
    given: dict[str, Any] = {
        'source': SOURCES[name],
        'file_path': str(repo.path / name),
        **fields,
    }
    return ask(CONFIG_CHANGE, repo.path, **given)


def without(value: Any, event: str) -> Any:
    del value['hooks'][event]
    return value


def test_what_leaves_us_in_passes(guarded: Repo) -> None:
    assert told(guarded).is_silent
    value = settings(guarded)
    value['model'] = 'é'
    value['hooks']['PreToolUse'].append({'hooks': []})
    assert put(guarded, value).is_silent
    assert put(guarded, {'model': 'é'}, LOCAL).is_silent
    # it calls nothing of ours
    assert put(guarded, '{', LOCAL).is_silent


@pytest.mark.parametrize('text', ('', '{}', '{', '[]', '{"hooks": {}}', '{"env": "x"}'))
def test_settings_without_us_are_refused(guarded: Repo, text: str) -> None:
    reply = put(guarded, text)
    assert reply.decision == 'block'
    assert reply.reason.startswith('CLD013 ')
    assert str(guarded.path / SHARED) in reply.reason
    assert '\nnext: ' in reply.reason


@pytest.mark.parametrize('event', ('PreToolUse', 'ConfigChange', 'Stop'))
def test_one_entry_less_is_refused(guarded: Repo, event: str) -> None:
    reply = put(guarded, without(settings(guarded), event))
    assert reply.decision == 'block'
    assert f"Interlock's entries for {event} " in reply.reason


def test_a_mistake_beside_our_entries_is_refused(guarded: Repo) -> None:
    value = settings(guarded)
    value['hooks']['Stop'].append({'hooks': [{'type': 'zzz'}]})
    reply = put(guarded, value)
    assert 'hooks.Stop[1].hooks[0].type' in reply.reason


@pytest.mark.parametrize('name', (SHARED, LOCAL))
def test_the_switch_for_all_hooks_is_refused(guarded: Repo, name: str) -> None:
    value = settings(guarded) if name == SHARED else {}
    reply = put(guarded, {**value, 'disableAllHooks': True}, name)
    assert '`disableAllHooks` switches every hook off' in reply.reason


def test_the_settings_of_the_user_too(guarded: Repo, tmp_path: Path) -> None:
    path = tmp_path / 'é.json'
    path.write_text('{"disableAllHooks": true}')
    reply = told(guarded, source='user_settings', file_path=str(path))
    assert reply.decision == 'block'


def test_a_file_that_is_gone_is_refused(guarded: Repo) -> None:
    guarded.write({SHARED: None})
    assert 'the file that calls Interlock is gone' in told(guarded).reason


def test_without_a_path_all_of_them_are_looked_at(guarded: Repo) -> None:
    assert told(guarded, file_path='').is_silent
    guarded.write({LOCAL: '{"disableAllHooks": true}'})
    assert told(guarded, file_path='').decision == 'block'


@pytest.mark.parametrize('source', ('policy_settings', 'skills'))
def test_what_cannot_be_kept_out_is_let_in(guarded: Repo, source: str) -> None:
    guarded.write({SHARED: '{"disableAllHooks": true}'})
    assert told(guarded, source=source).is_silent


def test_a_project_that_is_not_ours_is_left_alone(repo: Repo) -> None:
    assert put(repo, {'disableAllHooks': True}).is_silent


def test_a_file_that_begins_to_call_us_is_guarded(project: Repo, guarded: Repo) -> None:
    os.unlink(settings_record.record_path(str(project.path / '.git')))
    assert told(project).is_silent
    assert put(project, {}).decision == 'block'


def test_a_link_to_the_project_is_the_same_file(guarded: Repo, tmp_path: Path) -> None:
    link = tmp_path / 'lien'
    link.symlink_to(guarded.path)
    guarded.write({SHARED: '{}'})
    assert told(guarded, file_path=str(link / SHARED)).decision == 'block'


@pytest.mark.parametrize('record', (b'', b'{', b'[]', b'{"a": 1}', b'\xff'))
def test_a_damaged_record_is_as_good_as_none(guarded: Repo, record: bytes) -> None:
    path = Path(settings_record.record_path(str(guarded.path / '.git')))
    path.write_bytes(record)
    assert told(guarded).is_silent
    # and made anew
    assert put(guarded, {}).decision == 'block'


def test_init_may_bring_our_entries_up_to_date(
    guarded: Repo, interlock: Interlock
) -> None:
    assert interlock('init', '--claude', '--shared', '--shell-form').code == 0
    assert told(guarded).is_silent
    assert put(guarded, {}).decision == 'block'
