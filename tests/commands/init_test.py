from __future__ import annotations

import stat
from pathlib import Path

import pytest
import yaml

from tests import samples
from tests.conftest import Interlock
from tests.conftest import Repo

HOOKS = ('pre-commit', 'pre-merge-commit', 'commit-msg')
CONFIG = '.pre-commit-config.yaml'


def workflow(repo: Repo) -> str:
    return (repo.path / '.interlock.yaml').read_text()


def files(top: Path) -> list[str]:
    return sorted(
        str(path.relative_to(top)) for path in top.rglob('*')
        if path.is_file() and '.git/' not in str(path)
    )


def test_an_empty_repository_gets_the_preset(
        repo: Repo,
        interlock: Interlock,
) -> None:
    result = interlock('init')
    assert result.code == 0
    assert result.err == (
        '.interlock.yaml: written (PLUGINS.md does not exist yet)\n'
    )
    assert yaml.safe_load(workflow(repo)) == {
        'version': 1, 'extends': 'plugin-workflow',
    }
    assert '# yaml-language-server: $schema=' in workflow(repo)
    assert interlock('check').code == 0


@pytest.mark.parametrize(
    ('registry', 'remark'),
    (
        pytest.param(
            samples.registry({'Écho': 'Ideated', 'Zoé': 'Stage 2'}),
            'PLUGINS.md: 2 items, rows and entries', id='monolithic',
        ),
        pytest.param(
            samples.HEAD + samples.row('Écho', 'Ideated'),
            'PLUGINS.md: 1 item, rows only', id='distributed',
        ),
        pytest.param(
            '# rien\n',
            'PLUGINS.md has no table with the columns `Plugin Name` and '
            '`Status`', id='no table',
        ),
        pytest.param(b'\xff\x00', 'PLUGINS.md holds a NUL byte', id='bytes'),
    ),
)
def test_the_layout_is_detected(
        repo: Repo,
        interlock: Interlock,
        registry: str | bytes,
        remark: str,
) -> None:
    repo.write({'PLUGINS.md': registry})
    result = interlock('init')
    assert result.err == f'.interlock.yaml: written ({remark})\n'
    assert yaml.safe_load(workflow(repo)) == {
        'version': 1, 'extends': 'plugin-workflow',
    }


@pytest.mark.parametrize(
    ('header', 'item', 'status'),
    (
        pytest.param('| Nom | Status | Date |', 'Nom', 'Status', id='name'),
        pytest.param('| Nom | State |', 'Nom', 'State', id='both'),
        pytest.param('Nom | state', 'Nom', 'state', id='no outer pipes'),
        pytest.param(
            '| **Nom d\'été** | Status |', "Nom d'été", 'Status', id='styled',
        ),
        pytest.param(
            '| Say "x\\" | Status |', 'Say "x\\"', 'Status', id='quotes',
        ),
    ),
)
def test_other_columns_are_written_into_the_workflow(
        repo: Repo,
        interlock: Interlock,
        header: str,
        item: str,
        status: str,
) -> None:
    dashes = '|'.join(['---'] * header.strip('|').count('|') + ['---'])
    registry = f'# Liste\n\n{header}\n{dashes}\n| Écho | 💡 Ideated |\n'
    repo.write({'PLUGINS.md': registry})
    result = interlock('init')
    assert f'(its columns are {item} and {status})' in result.err
    columns = yaml.safe_load(workflow(repo))['items']['plugin']['registry']
    assert columns == {'columns': {'item': item, 'status': status}}
    assert 'Ideated (1 plugin)\n  Écho' in interlock('status').out


def test_a_table_that_is_no_registry_changes_nothing(
        repo: Repo,
        interlock: Interlock,
) -> None:
    repo.write({'PLUGINS.md': '| Nom | Prix |\n|---|---|\n| É | 3 |\n'})
    interlock('init')
    assert 'items' not in yaml.safe_load(workflow(repo))


@pytest.mark.parametrize(
    ('tree', 'extends'),
    (
        pytest.param(
            {'tasks/é/task.md': '1'}, 'task-protocol', id='tasks only',
        ),
        pytest.param(
            {'tasks/é/task.md': '1', 'PLUGINS.md': samples.HEAD},
            ['plugin-workflow', 'task-protocol'], id='tasks and a registry',
        ),
        pytest.param(
            {'tasks': 'a file', 'PLUGINS.md': samples.HEAD},
            'plugin-workflow', id='a file of that name',
        ),
    ),
)
def test_a_directory_of_tasks_is_detected(
        repo: Repo,
        interlock: Interlock,
        tree: dict[str, str],
        extends: object,
) -> None:
    repo.write(tree)
    assert interlock('init').code == 0
    assert yaml.safe_load(workflow(repo))['extends'] == extends
    assert interlock('check').code == 0


@pytest.mark.parametrize('preset', ('plugin-workflow', 'task-protocol'))
def test_a_preset_is_used_as_named(
        repo: Repo,
        interlock: Interlock,
        preset: str,
) -> None:
    repo.write({'tasks/é/task.md': '1'})
    assert interlock('init', '--preset', preset).code == 0
    assert yaml.safe_load(workflow(repo))['extends'] == preset
    assert interlock('check').code == 0


@pytest.mark.parametrize('preset', ('plugin', '', '../../x'))
def test_an_unknown_preset_names_those_there_are(
        repo: Repo,
        interlock: Interlock,
        preset: str,
) -> None:
    result = interlock('init', '--preset', preset)
    assert result.code == 2
    assert (
        f'no preset is named `{preset}`; there are plugin-workflow, '
        f'task-protocol' in result.err
    )
    assert files(repo.path) == []


def test_a_dry_run_shows_everything_and_writes_nothing(
        repo: Repo,
        interlock: Interlock,
) -> None:
    hooks = sorted((repo.path / '.git/hooks').iterdir())
    repo.write({CONFIG: 'repos: []\n'})
    result = interlock('init', '--pre-commit', '--git-hooks', '--dry-run')
    assert result.code == 0
    for name in ('.interlock.yaml', CONFIG, '.git/hooks/commit-msg'):
        assert f'{name}: would be written (' in result.out
    assert 'extends: plugin-workflow' in result.out
    assert 'default_install_hook_types' in result.out
    assert 'exec interlock hook "$1"' in result.out
    assert files(repo.path) == [CONFIG]
    assert (repo.path / CONFIG).read_text() == 'repos: []\n'
    assert sorted((repo.path / '.git/hooks').iterdir()) == hooks


def test_nothing_that_is_there_is_overwritten(
        repo: Repo,
        interlock: Interlock,
) -> None:
    repo.write({
        '.interlock.yaml': 'mine',
        '.git/hooks/commit-msg': '#!/bin/sh\necho à moi\n',
    })
    result = interlock('init', '--git-hooks')
    assert result.code == 0
    assert workflow(repo) == 'mine'
    hook = repo.path / '.git/hooks/commit-msg'
    assert hook.read_text() == '#!/bin/sh\necho à moi\n'
    assert '.interlock.yaml: is there already; left as it is' in result.err
    assert (
        '.git/hooks/commit-msg: is there already; call `interlock hook '
        '"$@"` from it' in result.err
    )
    assert '.git/hooks/pre-commit: written' in result.err


def test_everything_may_be_run_twice(
        repo: Repo,
        interlock: Interlock,
) -> None:
    args = ('init', '--pre-commit', '--git-hooks')
    first = interlock(*args)
    assert first.code == 0
    names = [*files(repo.path), *(f'.git/hooks/{name}' for name in HOOKS)]
    before = {name: (repo.path / name).read_bytes() for name in names}
    second = interlock(*args)
    assert second.code == 0
    assert 'written' not in second.err
    assert second.err.count('is ours already') == 3
    assert f'{CONFIG}: has our hook already; left as it is' in second.err
    after = {name: (repo.path / name).read_bytes() for name in names}
    assert before == after


def test_the_configuration_of_pre_commit_is_merged(
        repo: Repo,
        interlock: Interlock,
) -> None:
    old = 'repos:\r\n- repo: meta\r\n  hooks: [{id: identity}]\r\n'
    repo.write({CONFIG: old.encode()})
    result = interlock('init', '--pre-commit')
    assert f'{CONFIG}: written (with our hook added)' in result.err
    assert 'next: pre-commit install' in result.err
    data = (repo.path / CONFIG).read_bytes()
    assert old.encode() in data
    assert data.count(b'\n') == data.count(b'\r\n')
    config = yaml.safe_load(data)
    assert config['default_install_hook_types'] == list(HOOKS)
    assert [entry['repo'] for entry in config['repos']] == ['meta', 'local']


def test_a_source_is_installed_by_pre_commit(
        repo: Repo,
        interlock: Interlock,
) -> None:
    interlock('init', '--pre-commit', '--source', 'https://é.invalid', 'v1')
    config = yaml.safe_load((repo.path / CONFIG).read_text())
    assert config['repos'] == [{
        'repo': 'https://é.invalid', 'rev': 'v1',
        'hooks': [{'id': 'interlock'}],
    }]


def test_a_configuration_that_cannot_be_merged_stops_everything(
        repo: Repo,
        interlock: Interlock,
) -> None:
    repo.write({CONFIG: 'repos: [\n'})
    result = interlock('init', '--pre-commit')
    assert result.code == 2
    assert f'{CONFIG} cannot be read' in result.err
    assert files(repo.path) == [CONFIG]


def hooks_in(directory: Path) -> dict[str, int]:
    return {
        name: stat.S_IMODE((directory / name).stat().st_mode)
        for name in HOOKS if (directory / name).exists()
    }


def test_plain_hooks_are_executable_and_refuse(
        project: Repo,
        interlock: Interlock,
) -> None:
    interlock('init', '--git-hooks')
    assert hooks_in(project.path / '.git/hooks') == dict.fromkeys(HOOKS, 0o755)
    project.stage({'PLUGINS.md': samples.registry(
        {'Alpha': 'Ideated', 'Bravo': 'Stage 2', 'Charlie': 'Installed'},
        rows={'Alpha': 'Stage 0'},
    )})
    process = project.try_git('commit', '-m', 'docs: faux')
    assert process.returncode == 1
    assert 'REG001 Alpha' in process.stdout + process.stderr


def test_in_a_linked_worktree_the_shared_hooks_are_written(
        project: Repo,
        interlock: Interlock,
        monkeypatch: pytest.MonkeyPatch,
) -> None:
    linked = project.path.parent / 'lié'
    project.git('worktree', 'add', '-q', str(linked))
    (linked / '.interlock.yaml').unlink()
    monkeypatch.chdir(linked)
    assert interlock('init', '--git-hooks').code == 0
    assert (linked / '.interlock.yaml').exists()
    assert set(hooks_in(project.path / '.git/hooks')) == set(HOOKS)


@pytest.mark.parametrize('where', ('.', 'sous dossier'))
def test_a_hooks_path_of_the_configuration_is_used(
        repo: Repo,
        interlock: Interlock,
        monkeypatch: pytest.MonkeyPatch,
        where: str,
) -> None:
    repo.git('config', 'core.hooksPath', '.crochets')
    below = repo.path / where
    below.mkdir(exist_ok=True)
    monkeypatch.chdir(below)
    assert interlock('init', '--git-hooks').code == 0
    assert hooks_in(repo.path / '.crochets') == dict.fromkeys(HOOKS, 0o755)
    assert hooks_in(repo.path / '.git/hooks') == {}
    assert (repo.path / '.interlock.yaml').exists()
    mode = (repo.path / '.interlock.yaml').stat().st_mode
    assert not mode & 0o111


def test_an_absolute_hooks_path_outside_is_used(
        repo: Repo,
        interlock: Interlock,
        tmp_path: Path,
) -> None:
    repo.git('config', 'core.hooksPath', str(tmp_path / 'ailleurs'))
    assert interlock('init', '--git-hooks').code == 0
    assert set(hooks_in(tmp_path / 'ailleurs')) == set(HOOKS)


def test_a_bare_repository_cannot_be_set_up(
        repo: Repo,
        interlock: Interlock,
        monkeypatch: pytest.MonkeyPatch,
) -> None:
    repo.git('config', 'core.bare', 'true')
    monkeypatch.chdir(repo.path / '.git')
    result = interlock('init')
    assert result.code == 2
    assert 'a bare repository has no working tree to set up' in result.err


def test_a_hooks_directory_that_cannot_be_made_is_refused(
        repo: Repo,
        interlock: Interlock,
) -> None:
    repo.write({'fichier': ''})
    repo.git('config', 'core.hooksPath', 'fichier/crochets')
    result = interlock('init', '--git-hooks')
    assert result.code == 2
    assert 'fichier/crochets' in result.err


def test_outside_of_a_repository_there_is_nothing_to_set_up(
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        interlock: Interlock,
) -> None:
    monkeypatch.chdir(tmp_path)
    result = interlock('init')
    assert result.code == 2
    assert 'next: git init' in result.err
    assert list(tmp_path.iterdir()) == []
