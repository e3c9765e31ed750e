from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from interlock.documents import yaml
from interlock.state.store import Owner, open_store
from tests import samples
from tests.conftest import Interlock, Repo
from tests.handoff_document import pages
from tests.spaces import OTHER, TASK, Space, lock
from tests.spaces import SESSION as SESSIONS
from tests.state.states import SESSION as OTHER_SESSION

SESSION = '22222222-2222-4222-8222-222222222222'


def new(interlock: Interlock, *args: str) -> Any:
    return interlock('document', 'new', *args)


def state_of(repo: Repo, name: str = 'handoff.md') -> Any:
    text = (repo.path / name).read_text()
    block = text.partition('```yaml\n')[2].partition('\n```')[0]
    return yaml.value(yaml.parse(block))


def test_a_new_document_counts_its_gaps(
    project: Repo, interlock: Interlock, store: Path
) -> None:
    result = new(interlock)
    assert result.code == 1
    assert 'handoff.md: written' in result.err
    assert ' gaps left to fill in, marked `[GAP: ...]`, from handoff.md:' in result.err
    assert result.err.endswith(
        'next: fill them in, then: interlock document check handoff.md\n'
    )
    state = state_of(project)
    assert state['mode'] == 'manual'
    assert state['project_path'] == str(project.path)
    assert state['environment']['git_branch'] == 'main'
    text = (project.path / 'handoff.md').read_text()
    assert '**Items under way:** Bravo at Stage 2' in text
    # by hand nothing is saved unless that is asked for
    assert not store.exists()


def test_the_gaps_of_a_new_document_are_listed_on_request(
    repo: Repo, interlock: Interlock
) -> None:
    listed = new(interlock, '-v').err
    assert 'handoff.md:8: error: DOC009 a gap is left: GAP: ' in listed
    assert 'a gap is left: GAP: ' in interlock('document', 'check', 'handoff.md').out


def test_a_document_is_never_overwritten(repo: Repo, interlock: Interlock) -> None:
    repo.write({'handoff.md': 'mien'})
    result = new(interlock)
    assert result.code == 2
    assert 'handoff.md exists, and is not overwritten' in result.err
    assert (repo.path / 'handoff.md').read_text() == 'mien'
    assert new(interlock, '-o', 'autre.md').code == 1


def test_a_document_can_be_printed(repo: Repo, interlock: Interlock) -> None:
    result = new(interlock, '-o', '-')
    assert result.out.startswith('## SECTION 0')
    assert result.err.endswith('next: save it as a file, and fill them in\n')
    assert not (repo.path / 'handoff.md').exists()


@pytest.mark.parametrize(
    ('args', 'saved'),
    (
        ((), None),
        (('--save',), 'manual'),
        (('--mode', 'auto'), 'auto'),
        (('--mode', 'checkpoint'), 'checkpoint'),
    ),
)
def test_each_mode_saves_as_it_must(
    repo: Repo,
    interlock: Interlock,
    store: Path,
    args: tuple[str, ...],
    saved: str | None,
) -> None:
    new(interlock, *args)
    if saved is None:
        assert not store.exists()
        return
    with open_store(os.environ) as found:
        row = found.load(str(repo.path))
    assert row.trigger == saved
    assert row.state is not None
    assert row.state['mode'] == saved
    assert 'GAP' not in json.dumps(row.state)


def test_a_checkpoint_prints_and_writes_nothing(
    repo: Repo, interlock: Interlock, store: Path
) -> None:
    result = new(interlock, '--mode', 'checkpoint')
    assert (result.code, result.out, result.err) == (0, '', '')
    assert not (repo.path / 'handoff.md').exists()


def test_an_automatic_document_is_found_saved_by_its_check(
    repo: Repo, interlock: Interlock, store: Path
) -> None:
    result = new(interlock, '--mode', 'auto')
    assert result.code == 1
    assert 'DOC018' not in result.err


def test_a_document_is_written_though_the_store_is_lost(
    repo: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repo.path / 'no').write_text('a file')
    monkeypatch.setenv('INTERLOCK_STORE', str(repo.path / 'no' / 'x.db'))
    result = new(interlock, '--mode', 'auto')
    assert result.code == 2
    assert 'cannot be used' in result.err
    assert state_of(repo)['mode'] == 'auto'


def test_a_new_document_starts_from_the_saved_state(
    repo: Repo, interlock: Interlock, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv('INTERLOCK_SESSION', SESSION)
    repo.commit({'caf-impl.md': '# plan\n', 'café.py': 'x = 1\n'}, 'feat: à')
    saved = json.loads(
        pages.about(repo.path, json.dumps(pages.STATE, ensure_ascii=False))
    )
    saved['quality_gates'][0]['evidence'] = 'café.py'
    saved['timestamp'] = '2025-01-01T00:00:00Z'
    origin = saved['session_id']
    with open_store(os.environ) as found:
        found.save(str(repo.path), saved, 'manual')
    # it is another session's, so it has to be named
    result = new(interlock, '--from-session', origin)
    assert result.code == 1
    assert 'STA010' not in result.err
    state = state_of(repo)
    assert state['session_id'] == SESSION
    assert state['todos'] == saved['todos']
    assert state['documents'] == saved['documents']
    # the file was committed after the gate had passed
    assert state['quality_gates'][0]['status'] == 'RECHECK'
    (point,) = state['recovery']['checkpoints']
    assert point['name'] == 'feat: à'


@pytest.mark.parametrize('name', (OTHER_SESSION, 'séance-1'))
@pytest.mark.parametrize('mode', ('manual', 'auto', 'checkpoint'))
def test_the_state_of_another_session_is_not_taken_over(
    repo: Repo,
    interlock: Interlock,
    store: Path,
    monkeypatch: pytest.MonkeyPatch,
    mode: str,
    name: str,
) -> None:
    saved = {
        'todos': {'explicit': [{'content': 'à elle', 'status': 'pending'}]},
        'skill_stack': [{'name': 'à elle'}],
        **({'session_id': name} if name == OTHER_SESSION else {}),
    }
    with open_store(os.environ) as found:
        found.save(str(repo.path), saved, 'auto', Owner(name))
    monkeypatch.setenv('CLAUDE_CODE_SESSION_ID', SESSION)
    result = new(interlock, '--mode', mode, '-o', 'a.md')
    assert (
        f'warning: STA010 the saved state belongs to session {name}, so it is not '
        f'used\n'
        f'    next: interlock document new --from-session '
    ) in result.err
    if mode != 'checkpoint':
        assert 'à elle' not in (repo.path / 'a.md').read_text()
    if mode != 'manual':
        with open_store(os.environ) as found:
            mine = found.load(str(repo.path), Owner(SESSION)).state
            assert found.load(str(repo.path), Owner(name)).state == saved
        assert mine is not None
        assert not {'todos', 'skill_stack'} & {key for key in mine if mine[key] != {}}
    # and it is where a person or an agent asks for it
    new(interlock, '--from-session', name, '-o', 'b.md')
    assert 'à elle' in (repo.path / 'b.md').read_text()


def test_only_commits_without_errors_are_proposed(
    project: Repo, interlock: Interlock, store: Path
) -> None:
    good = project.git('rev-parse', 'HEAD')
    bad = samples.registry(
        {'Alpha': 'Ideated', 'Bravo': 'Stage 2', 'Charlie': 'Installed'},
        {'Bravo': 'Stage 4'},
    )
    project.commit({'PLUGINS.md': bad}, 'chore: abîmer')
    new(interlock)
    points = state_of(project)['recovery']['checkpoints']
    assert [good.startswith(each['git_ref']) for each in points] == [True]


def test_a_document_is_written_though_the_store_is_damaged(
    repo: Repo, interlock: Interlock, store: Path
) -> None:
    store.write_bytes(b'no database at all, but long enough to be one' * 50)
    result = new(interlock)
    assert result.code == 1
    assert 'warning: the saved state is not used' in result.err
    assert state_of(repo)['mode'] == 'manual'
    # and by no means replaced
    assert store.read_bytes().startswith(b'no database')


def locks_of(file: Path) -> str:
    text = file.read_text('UTF-8')
    return text.partition('- **Locks:** ')[2].partition('\n')[0]


def test_locks_are_facts_of_a_new_document(space: Space, interlock: Interlock) -> None:
    new(interlock, '-o', '../free.md')
    assert locks_of(space.path / 'free.md') == 'NONE'
    assert interlock('lock', 'acquire', TASK).code == 0
    space.put(lock('INIT', 'CLASSIFIED', session_id=OTHER), 'wash-up')
    space.write('task.json', '{"half', 'mill-flour')
    new(interlock, '-o', '../held.md')
    mine, broken, other = locks_of(space.path / 'held.md').split('; ', 2)
    assert mine.startswith(f'{TASK} at INIT held by session {SESSIONS} since')
    assert mine.endswith('running) (this session)')
    assert broken.startswith('mill-flour held by an unknown session: ')
    assert other.startswith(f'wash-up at CLASSIFIED held by session {OTHER}')
    # they are told, and nothing is taken or changed
    assert 'this session' not in other


def test_without_tasks_nothing_is_locked(project: Repo, interlock: Interlock) -> None:
    new(interlock)
    assert locks_of(project.path / 'handoff.md') == 'NONE'


@pytest.mark.parametrize('mode', ('auto', 'checkpoint'))
def test_a_session_that_is_not_a_uuid_is_saved_all_the_same(
    repo: Repo,
    interlock: Interlock,
    store: Path,
    monkeypatch: pytest.MonkeyPatch,
    mode: str,
) -> None:
    with open_store(os.environ) as found:
        found.save(str(repo.path), {'session_id': SESSION}, 'manual')
    monkeypatch.setenv('INTERLOCK_SESSION', 'séance')
    result = new(interlock, '--mode', mode)
    assert 'STA003' not in result.err
    with open_store(os.environ) as found:
        saved = found.load(str(repo.path), Owner('séance'))
    assert saved.trigger == mode
    assert saved.state is not None
    # neither its own name, which is not one of a state, nor another's
    assert 'session_id' not in saved.state
    if mode == 'auto':
        assert state_of(repo)['session_id'] == '[GAP: session_id]'


def test_a_path_that_is_not_utf_8_is_written_all_the_same(
    repo: Repo, interlock: Interlock
) -> None:
    repo.commit({'a': 'x'})
    with open(os.fsencode(repo.path) + b'/\xff.py', 'wb'):
        pass
    assert new(interlock).code == 1
    assert '- `' in (repo.path / 'handoff.md').read_text()
