from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path

import pytest
import yaml

from tests import samples
from tests.conftest import SCRIPTS, Interlock, Repo
from tests.doctor import wired
from tests.spaces import Space

HOOKS = ('pre-commit', 'pre-merge-commit', 'commit-msg', 'pre-push')
CONFIG = '.pre-commit-config.yaml'


def workflow(repo: Repo) -> str:
    return (repo.path / '.interlock.yaml').read_text()


def files(top: Path) -> list[str]:
    return sorted(
        str(path.relative_to(top))
        for path in top.rglob('*')
        if path.is_file() and '.git/' not in str(path)
    )


NEXT = 'next: interlock init --git-hooks\n'


def test_an_empty_repository_gets_a_workflow_without_items(
    repo: Repo, interlock: Interlock
) -> None:
    result = interlock('init')
    assert result.code == 0
    assert result.err == (
        '.interlock.yaml: written (no markdown table with words in a column like Status was found, so '
        'it tracks no items; handoff documents and saved states do not need them)\n'
        'if you have a table of items, name it with --registry\n    to begin a new one: '
        f'rm .interlock.yaml && interlock init --preset basic\n{NEXT}'
    )
    assert yaml.safe_load(workflow(repo)) == {'version': 1}
    assert '# yaml-language-server: $schema=' in workflow(repo)
    assert interlock('check').code == 0


def test_a_table_is_begun_with_the_basic_preset(
    repo: Repo, interlock: Interlock
) -> None:
    result = interlock('init', '--preset', 'basic')
    assert yaml.safe_load(workflow(repo)) == {'version': 1, 'extends': 'basic'}
    assert '\nregister the first item with interlock registry add' in result.err
    assert interlock('registry', 'add', 'Écho').code == 0
    assert 'Planned (1 item)\n  Écho' in interlock('status').out


@pytest.mark.parametrize(
    ('registry', 'remark', 'layout'),
    (
        pytest.param(
            samples.registry({'Écho': 'Ideated', 'Zoé': 'Stage 2'}),
            '2 items, rows and entries',
            'monolithic',
            id='monolithic',
        ),
        pytest.param(
            samples.HEAD + samples.row('Écho', 'Ideated'),
            '1 item, rows only',
            'distributed',
            id='distributed',
        ),
    ),
)
def test_the_layout_is_detected_and_written(
    repo: Repo, interlock: Interlock, registry: str, remark: str, layout: str
) -> None:
    repo.write({'PLUGINS.md': registry})
    result = interlock('init')
    assert result.err == f'.interlock.yaml: written (PLUGINS.md: {remark})\n{NEXT}'
    assert workflow(repo).endswith(
        f'items:\n  plugin:\n    registry:\n      layout: {layout}\n'
    )
    assert interlock('check', '--worktree').code == 0


def test_a_registry_without_items_has_no_layout_yet(
    repo: Repo, interlock: Interlock
) -> None:
    repo.write({'PLUGINS.md': samples.HEAD})
    result = interlock('init')
    assert result.err == f'.interlock.yaml: written (PLUGINS.md: 0 items)\n{NEXT}'
    assert 'items' not in yaml.safe_load(workflow(repo))


TABLE = '| Name | State |\n|---|---|\n| Écho | 🚧 Stage 2 |\n'
EXACT = samples.HEAD + samples.row('Écho', 'Ideated')


@pytest.mark.parametrize(
    ('tree', 'file', 'columns'),
    (
        pytest.param({'docs/Liste.md': EXACT}, 'docs/Liste.md', {}, id='one'),
        pytest.param(
            {'docs/a.md': TABLE},
            'docs/a.md',
            {'item': 'Name', 'status': 'State'},
            id='other columns',
        ),
        pytest.param(
            {'a.md': EXACT, 'PLUGINS.md': EXACT},
            None,
            {},
            id='the place of the preset is preferred',
        ),
        pytest.param(
            {'a.md': EXACT, 'PLUGINS.md': TABLE},
            None,
            {'item': 'Name', 'status': 'State'},
            id='even with other columns',
        ),
        pytest.param(
            {'a.md': EXACT, 'PLUGINS.md': '# rien\n'},
            'a.md',
            {},
            id='but not without a table',
        ),
        pytest.param(
            {'a.md': TABLE, 'z/z.md': EXACT},
            'z/z.md',
            {},
            id='the columns of the preset are preferred',
        ),
        pytest.param(
            {'a.md': '| Commande | Status |\n|---|---|\n| x | prêt |\n', 'z.md': TABLE},
            'z.md',
            {'item': 'Name', 'status': 'State'},
            id='so are the words of the preset',
        ),
        pytest.param(
            {'docs/a.md': EXACT, 'z.md': EXACT}, 'z.md', {}, id='near the top'
        ),
    ),
)
def test_a_registry_is_found_wherever_it_is(
    repo: Repo,
    interlock: Interlock,
    tree: dict[str, str],
    file: str | None,
    columns: dict[str, str],
) -> None:
    repo.commit(tree)
    result = interlock('init')
    assert 'next: name your registry' not in result.err
    registry = yaml.safe_load(workflow(repo))['items']['plugin']['registry']
    assert registry.get('file') == file
    assert registry.get('columns', {}) == columns
    assert registry['layout'] == 'distributed'
    assert '(1 plugin)\n  Écho' in interlock('status').out


@pytest.mark.parametrize(
    'tree',
    (
        pytest.param(
            {'README.md': '| Commande | Status |\n|---|---|\n| x | prêt |\n'},
            id='a table about something else',
        ),
        pytest.param({'a.md': f'```\n{TABLE}```\n'}, id='in a fence'),
        pytest.param({'a.txt': EXACT}, id='no markdown'),
        pytest.param({'a.md': '| Status |\n|---|\n'}, id='one column'),
        pytest.param({'a.md': b'\xff'}, id='no text'),
        pytest.param({'PLUGINS.md': '# rien\n'}, id='no table'),
        pytest.param({'PLUGINS.md': b'\xff\x00'}, id='bytes'),
    ),
)
def test_where_no_registry_is_found_nothing_is_tracked(
    repo: Repo, interlock: Interlock, tree: dict[str, str | bytes]
) -> None:
    repo.commit(tree)
    result = interlock('init')
    assert (
        'no markdown table with words in a column like Status was found' in result.err
    )
    assert 'items' not in yaml.safe_load(workflow(repo))


def test_from_a_subdirectory_the_whole_repository_is_searched(
    repo: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.commit({'docs/Liste.md': EXACT, 'autre/x': ''})
    monkeypatch.chdir(repo.path / 'autre')
    assert 'docs/Liste.md: 1 item' in interlock('init').err


@pytest.mark.parametrize(
    ('header', 'expected'),
    (
        pytest.param('Updated', 'Updated', id='one word'),
        pytest.param('Date updated', 'Date updated', id='the last word'),
        pytest.param('Last Updated', None, id='as in the preset'),
        pytest.param('Outdated', None, id='part of a word'),
    ),
)
def test_a_column_of_dates_is_recognised(
    repo: Repo, interlock: Interlock, header: str, expected: str | None
) -> None:
    repo.write(
        {
            'PLUGINS.md': (
                f'| Plugin Name | Status | {header} |\n|---|---|---|\n'
                f'| Écho | 💡 Ideated | 2026-01-02 |\n'
            )
        }
    )
    interlock('init')
    registry = yaml.safe_load(workflow(repo))['items']['plugin']['registry']
    assert registry.get('columns') == ({'updated': expected} if expected else None)


@pytest.mark.parametrize(
    ('header', 'item', 'status'),
    (
        pytest.param('| Nom | Status | Date |', 'Nom', 'Status', id='name'),
        pytest.param('| Nom | State |', 'Nom', 'State', id='both'),
        pytest.param('Nom | state', 'Nom', 'state', id='no outer pipes'),
        pytest.param("| **Nom d'été** | Status |", "Nom d'été", 'Status', id='styled'),
        pytest.param('| Say "x\\" | Status |', 'Say "x\\"', 'Status', id='quotes'),
    ),
)
def test_other_columns_are_written_into_the_workflow(
    repo: Repo, interlock: Interlock, header: str, item: str, status: str
) -> None:
    dashes = '|'.join(['---'] * header.strip('|').count('|') + ['---'])
    registry = f'# Liste\n\n{header}\n{dashes}\n| Écho | 💡 Ideated |\n'
    repo.write({'PLUGINS.md': registry})
    result = interlock('init')
    names = [item] if status == 'Status' else [item, status]
    assert f', other columns: {", ".join(names)})' in result.err
    registry = yaml.safe_load(workflow(repo))['items']['plugin']['registry']
    assert list(registry['columns'].values()) == names
    assert 'Ideated (1 plugin)\n  Écho' in interlock('status').out


def test_a_table_that_is_not_a_registry_changes_nothing(
    repo: Repo, interlock: Interlock
) -> None:
    repo.write({'PLUGINS.md': '| Nom | Prix |\n|---|---|\n| É | 3 |\n'})
    interlock('init')
    assert 'items' not in yaml.safe_load(workflow(repo))


@pytest.mark.parametrize(
    ('tree', 'extends'),
    (
        pytest.param({'tasks/é/task.md': '1'}, 'task-protocol', id='tasks only'),
        pytest.param(
            {'tasks/é/task.md': '1', 'PLUGINS.md': samples.HEAD},
            ['plugin-workflow', 'task-protocol'],
            id='tasks and a registry',
        ),
        pytest.param(
            {'tasks': 'a file', 'PLUGINS.md': samples.HEAD},
            'plugin-workflow',
            id='a file of that name',
        ),
    ),
)
def test_a_directory_of_tasks_is_detected(
    repo: Repo, interlock: Interlock, tree: dict[str, str], extends: object
) -> None:
    repo.write(tree)
    assert interlock('init').code == 0
    assert yaml.safe_load(workflow(repo))['extends'] == extends
    assert interlock('check').code == 0


@pytest.mark.parametrize('preset', ('plugin-workflow', 'task-protocol'))
def test_a_preset_is_used_as_named(
    repo: Repo, interlock: Interlock, preset: str
) -> None:
    repo.write({'tasks/é/task.md': '1'})
    assert interlock('init', '--preset', preset).code == 0
    assert yaml.safe_load(workflow(repo))['extends'] == preset
    assert interlock('check').code == 0


@pytest.mark.parametrize(
    ('args', 'said'),
    (
        (('plugin',), 'no preset is named `plugin`; there are backlog-md, '),
        (('',), 'no preset is named ``; there are backlog-md, '),
        (('../../x',), 'no preset is named `../../x`; there are backlog-md, '),
        (('kiro', '--column', 'State'), 'a table of your own; `kiro` names its own'),
        (('kiro', '--registry', 'a.md'), 'a table of your own; `kiro` names its own'),
    ),
)
def test_a_preset_that_cannot_be_used_is_refused(
    repo: Repo, interlock: Interlock, args: tuple[str, ...], said: str
) -> None:
    result = interlock('init', '--preset', *args)
    assert result.code == 2
    assert said in result.err
    assert files(repo.path) == []


def test_a_folder_has_no_columns(repo: Repo, interlock: Interlock) -> None:
    repo.write({'notes/1-a.md': 'Status: accepted\n', 'notes/2-b.md': 'Status: new\n'})
    result = interlock('init', '--registry', 'notes', '--column', 'Status')
    assert (result.code, result.out) == (2, '')
    assert 'column of a table, but `notes` is a folder\n' in result.err
    assert not (repo.path / '.interlock.yaml').exists()


def test_a_preset_that_was_probably_meant_is_named(
    repo: Repo, interlock: Interlock
) -> None:
    assert 'did you mean `basic`?' in interlock('init', '--preset', 'bsic').err


def test_a_dry_run_shows_everything_and_writes_nothing(
    repo: Repo, interlock: Interlock
) -> None:
    hooks = sorted((repo.path / '.git/hooks').iterdir())
    repo.write({CONFIG: 'repos: []\n'})
    options = ('--pre-commit', '--git-hooks', '--dry-run')
    result = interlock('init', '--preset', 'plugin-workflow', *options)
    assert result.code == 0
    for name in ('.interlock.yaml', CONFIG, '.git/hooks/commit-msg'):
        assert f'{name}: would be written (' in result.out
    assert 'extends: plugin-workflow' in result.out
    assert 'default_install_hook_types' in result.out
    assert 'exec interlock hook "$@"' in result.out
    assert files(repo.path) == [CONFIG]
    assert (repo.path / CONFIG).read_text() == 'repos: []\n'
    assert sorted((repo.path / '.git/hooks').iterdir()) == hooks


def test_nothing_that_is_there_is_overwritten(repo: Repo, interlock: Interlock) -> None:
    repo.write(
        {'.interlock.yaml': 'mine', '.git/hooks/commit-msg': '#!/bin/sh\necho à moi\n'}
    )
    result = interlock('init', '--git-hooks')
    assert result.code == 0
    assert workflow(repo) == 'mine'
    hook = repo.path / '.git/hooks/commit-msg'
    assert hook.read_text() == '#!/bin/sh\necho à moi\n'
    assert '.interlock.yaml: already exists; left unchanged' in result.err
    assert (
        '.git/hooks/commit-msg: already exists; add the line '
        '`interlock hook "$@" || exit` to it\n' in result.err
    )
    assert '.git/hooks/pre-commit: written' in result.err


def test_everything_may_be_run_twice(repo: Repo, interlock: Interlock) -> None:
    args = ('init', '--pre-commit', '--git-hooks')
    first = interlock(*args)
    assert first.code == 0
    names = [*files(repo.path), *(f'.git/hooks/{name}' for name in HOOKS)]
    before = {name: (repo.path / name).read_bytes() for name in names}
    second = interlock(*args)
    assert second.code == 0
    assert 'written' not in second.err
    assert second.err.count('is up to date') == len(HOOKS)
    assert f'{CONFIG}: already has the hook; left as it is' in second.err
    after = {name: (repo.path / name).read_bytes() for name in names}
    assert before == after


def test_the_configuration_of_pre_commit_is_merged(
    repo: Repo, interlock: Interlock
) -> None:
    old = 'repos:\r\n- repo: meta\r\n  hooks: [{id: identity}]\r\n'
    repo.write({CONFIG: old.encode()})
    result = interlock('init', '--pre-commit')
    assert f'{CONFIG}: written (with the hook added)' in result.err
    assert 'next: pre-commit install' in result.err
    data = (repo.path / CONFIG).read_bytes()
    assert old.encode() in data
    assert data.count(b'\n') == data.count(b'\r\n')
    config = yaml.safe_load(data)
    assert config['default_install_hook_types'] == list(HOOKS)
    assert [entry['repo'] for entry in config['repos']] == ['meta', 'local']


@pytest.mark.parametrize('options', (('--pre-commit',), ()))
def test_a_source_is_installed_by_pre_commit(
    repo: Repo, interlock: Interlock, options: tuple[str, ...]
) -> None:
    result = interlock('init', *options, '--source', 'https://é.invalid', 'v1')
    assert 'next: pre-commit install || prek install\n' in result.err
    config = yaml.safe_load((repo.path / CONFIG).read_text())
    assert config['repos'] == [
        {'repo': 'https://é.invalid', 'rev': 'v1', 'hooks': [{'id': 'interlock'}]}
    ]


def test_a_configuration_that_cannot_be_merged_stops_everything(
    repo: Repo, interlock: Interlock
) -> None:
    repo.write({CONFIG: 'repos: [\n'})
    result = interlock('init', '--pre-commit')
    assert result.code == 2
    assert f'{CONFIG} cannot be read' in result.err
    assert files(repo.path) == [CONFIG]


def hooks_in(directory: Path) -> dict[str, int]:
    return {
        name: stat.S_IMODE((directory / name).stat().st_mode)
        for name in HOOKS
        if (directory / name).exists()
    }


def test_plain_hooks_are_executable_and_refuse(
    project: Repo, interlock: Interlock
) -> None:
    interlock('init', '--git-hooks')
    assert hooks_in(project.path / '.git/hooks') == dict.fromkeys(HOOKS, 0o755)
    project.stage(
        {
            'PLUGINS.md': samples.registry(
                {'Alpha': 'Ideated', 'Bravo': 'Stage 2', 'Charlie': 'Installed'},
                rows={'Alpha': 'Stage 0'},
            )
        }
    )
    process = project.try_git('commit', '-m', 'docs: faux')
    assert process.returncode == 1
    assert 'REG001 Alpha' in process.stdout + process.stderr


def test_in_a_linked_worktree_the_shared_hooks_are_written(
    project: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
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
    repo: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch, where: str
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


def test_hooks_that_other_repositories_use_are_not_written(
    repo: Repo, interlock: Interlock, tmp_path: Path
) -> None:
    repo.git('config', 'core.hooksPath', str(tmp_path / 'ailleurs'))
    result = interlock('init', '--git-hooks')
    assert result.code == 2
    assert (
        f'core.hooksPath is {tmp_path / "ailleurs"}, which other '
        f'repositories use too\n    next: git config core.hooksPath ' in result.err
    )
    assert not (tmp_path / 'ailleurs').exists()
    assert files(repo.path) == []
    # nothing else depends on it
    assert interlock('init', '--pre-commit').code == 0


@pytest.mark.parametrize(
    ('hook', 'calls'),
    (
        pytest.param('#!/bin/sh\nexec interlock hook\n', True, id='older'),
        pytest.param(
            '#!/bin/sh\nmine\ninterlock hook "$@" || exit\n', True, id='by hand'
        ),
        pytest.param('#!/bin/sh\n# interlock hook\n', False, id='a comment'),
        pytest.param('#!/bin/sh\necho interlock hooked\n', False, id='other word'),
    ),
)
def test_a_hook_that_calls_us_is_recognised(
    repo: Repo, interlock: Interlock, hook: str, calls: bool
) -> None:
    repo.write({'.git/hooks/commit-msg': hook})
    said = interlock('init', '--git-hooks').err
    assert ('.git/hooks/commit-msg: already calls `interlock hook`\n' in said) == calls
    assert ('add the line' in said) != calls
    assert (repo.path / '.git/hooks/commit-msg').read_text() == hook


@pytest.mark.parametrize('name', HOOKS)
def test_a_plain_hook_that_does_not_find_us_says_so_and_refuses(
    repo: Repo, interlock: Interlock, name: str
) -> None:
    interlock('init', '--git-hooks')
    process = subprocess.run(
        ('/bin/sh', str(repo.path / '.git/hooks' / name), 'message'),
        env={'PATH': '/nirgends'},
        capture_output=True,
        text=True,
    )
    assert process.returncode == 1
    assert process.stderr == (
        'interlock: refused: interlock is not on the PATH of this hook\n'
    )


COUNTER = """\
repos:
- repo: local
  hooks:
  - {id: x, name: x, language: system, entry: sh -c 'echo x >> count', always_run: true}
"""


@pytest.mark.parametrize('framework', ('pre-commit', 'prek'))
def test_hooks_of_others_run_as_often_as_before(
    project: Repo, interlock: Interlock, framework: str
) -> None:
    environ = {**os.environ, 'PATH': f'{SCRIPTS}{os.pathsep}{os.environ["PATH"]}'}

    def run(*args: str) -> int:
        return subprocess.run(args, env=environ, capture_output=True).returncode

    project.write({CONFIG: COUNTER, '.gitignore': 'count\n'})
    assert interlock('init', '--pre-commit').code == 0
    assert run(framework, 'install') == 0
    run('git', 'init', '--bare', '-q', 'ailleurs')
    run('git', 'add', CONFIG, '.gitignore', '.interlock.yaml')
    assert run('git', 'commit', '-qm', 'docs: é') == 0
    assert run('git', 'push', '-q', 'ailleurs', 'HEAD') == 0
    assert (project.path / 'count').read_text() == 'x\n'


PREK = '[[repos]]\nrepo = "builtin"\nhooks = [{id = "check-json"}]\n'


@pytest.mark.parametrize('source', ((), ('--source', 'https://é.invalid', 'v1')))
def test_where_prek_has_a_file_of_its_own_the_entry_is_shown(
    repo: Repo, interlock: Interlock, source: tuple[str, ...]
) -> None:
    repo.write({'prek.toml': PREK})
    result = interlock('init', '--pre-commit', *source)
    assert result.code == 0
    assert (
        'prek.toml: prek reads this file and not .pre-commit-config.yaml' in result.err
    )
    assert files(repo.path) == ['.interlock.yaml', 'prek.toml']
    assert (repo.path / 'prek.toml').read_text() == PREK
    lines = result.out.splitlines(keepends=True)
    assert lines[0] == '# above the first table:\n'
    assert lines[3] == '# at the end:\n'
    repo.write({'prek.toml': ''.join(lines[1:3]) + PREK + ''.join(lines[4:])})
    prek = str(SCRIPTS / 'prek')
    process = subprocess.run(
        (prek, 'validate-config', 'prek.toml'), capture_output=True
    )
    assert process.returncode == 0, process.stderr
    assert 'prek.toml: already has the hook' in interlock('init', '--pre-commit').err


def test_a_hook_in_the_file_of_prek_is_run(repo: Repo, interlock: Interlock) -> None:
    repo.write({'prek.toml': ''})
    toml = interlock('init', '--pre-commit', '--preset', 'plugin-workflow').out
    repo.commit(
        {'prek.toml': toml, 'PLUGINS.md': samples.registry({'Écho': 'Ideated'})}
    )
    repo.stage(
        {'PLUGINS.md': samples.registry({'Écho': 'Ideated'}, rows={'Écho': 'Stage 0'})}
    )
    path = f'{SCRIPTS}{os.pathsep}{os.environ["PATH"]}'
    process = subprocess.run(
        ('prek', 'run'),
        env={**os.environ, 'PATH': path},
        capture_output=True,
        text=True,
    )
    assert process.returncode == 1
    assert 'REG001 Écho' in process.stdout


@pytest.mark.parametrize(
    ('config', 'keys'),
    (
        pytest.param('repos: []\n', [], id='none'),
        pytest.param('files: ^src/\nrepos: []\n', ['files'], id='files'),
        pytest.param(
            'exclude: ^x/\nfiles: y\nrepos: []\n', ['files', 'exclude'], id='both'
        ),
        pytest.param(
            'repos:\n- repo: x\n  rev: y\n  hooks:\n  - {id: z, files: a}\n',
            [],
            id='of another hook',
        ),
    ),
)
def test_what_may_keep_the_message_from_the_hooks_is_named(
    repo: Repo, interlock: Interlock, config: str, keys: list[str]
) -> None:
    repo.write({CONFIG: config})
    said = interlock('init', '--pre-commit').err
    named = [line for line in said.splitlines() if 'COMMIT_EDITMSG' in line]
    assert named == [
        f'{CONFIG}: `{key}` must let COMMIT_EDITMSG and MERGE_MSG through, '
        f'else the rules about messages are not judged'
        for key in keys
    ]


def test_to_switch_from_a_local_hook_is_left_to_the_user(
    repo: Repo, interlock: Interlock
) -> None:
    interlock('init', '--pre-commit')
    before = (repo.path / CONFIG).read_bytes()
    result = interlock('init', '--source', 'https://é.invalid', 'v1')
    assert (
        f'{CONFIG}: is wired as a local hook; delete that block and run this '
        f'again to switch\n' in result.err
    )
    assert (repo.path / CONFIG).read_bytes() == before


def test_a_bare_repository_cannot_be_set_up(
    repo: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.git('config', 'core.bare', 'true')
    monkeypatch.chdir(repo.path / '.git')
    result = interlock('init')
    assert result.code == 2
    assert 'a bare repository has no working tree to set up' in result.err
    # the hook of a server, as printed
    hint = result.err.rpartition('next: ')[2]
    subprocess.run(hint, shell=True, check=True)
    hook = repo.path / '.git/hooks/pre-receive'
    assert 'interlock pre-receive' in hook.read_text()
    assert os.access(hook, os.X_OK)


def test_a_hooks_directory_that_cannot_be_made_is_refused(
    repo: Repo, interlock: Interlock
) -> None:
    repo.write({'fichier': ''})
    repo.git('config', 'core.hooksPath', 'fichier/crochets')
    result = interlock('init', '--git-hooks')
    assert result.code == 2
    assert 'fichier/crochets' in result.err


def test_outside_of_a_repository_there_is_nothing_to_set_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, interlock: Interlock
) -> None:
    monkeypatch.chdir(tmp_path)
    result = interlock('init')
    assert result.code == 2
    assert 'next: git init' in result.err
    assert list(tmp_path.iterdir()) == []


def test_where_there_are_tasks_a_commit_says_whose_work_it_is(
    repo: Repo, interlock: Interlock
) -> None:
    args = ('init', '--git-hooks', '--pre-commit', '--preset')
    result = interlock(*args, 'task-protocol')
    assert result.code == 0
    hook = repo.path / '.git' / 'hooks' / 'prepare-commit-msg'
    assert 'exec interlock prepare-commit-msg "$@"\n' in hook.read_text()
    assert os.access(hook, os.X_OK)
    after = repo.path / '.git' / 'hooks' / 'post-commit'
    assert 'exec interlock post-commit "$@"\n' in after.read_text()
    assert os.access(after, os.X_OK)
    assert 'add the hook `interlock-trailers` too' in result.err
    assert '`interlock-trail`, with post-commit' in result.err
    assert 'prepare-commit-msg: is up to date' in (interlock('init', '--git-hooks').err)


@pytest.mark.parametrize('text', ('version: 1\nextends: plugin-workflow\n', 'é: [\n'))
def test_where_there_are_no_tasks_nothing_is_said_of_them(
    repo: Repo, interlock: Interlock, text: str
) -> None:
    repo.write({'.interlock.yaml': text})
    result = interlock('init', '--git-hooks', '--pre-commit')
    assert result.code == 0
    assert 'interlock-trailers' not in result.err
    assert not (repo.path / '.git/hooks/prepare-commit-msg').exists()
    assert not (repo.path / '.git/hooks/post-commit').exists()


def test_a_workflow_above_the_repository_is_not_switched_off(
    space: Space, interlock: Interlock
) -> None:
    """One of its own would govern instead, without tasks and their locks."""
    result = interlock('init', '--git-hooks')
    assert result.code == 0
    assert 'already governs this repository' in result.err
    assert not (space.main.path / '.interlock.yaml').exists()
    hooks = space.main.path / '.git' / 'hooks'
    # because the workflow above has tasks
    assert (hooks / 'prepare-commit-msg').exists()
    assert (hooks / 'post-commit').exists()


@pytest.mark.usefixtures('person')
@pytest.mark.parametrize(
    'folder', ('.husky', pytest.param('outils/é', id='another folder'))
)
def test_the_folder_that_husky_writes_anew_is_left_to_it(
    repo: Repo, interlock: Interlock, folder: str
) -> None:
    wired.husky(repo, folder)
    for name in HOOKS:
        (repo.path / folder / name).unlink()
    before = hooks_in(repo.path / folder / '_')
    repo.write({f'{folder}/pre-push': 'npm test\n'})
    result = interlock('init', '--git-hooks')
    assert result.code == 0
    assert f'{folder}/pre-commit: written' in result.err
    assert f'{folder}/pre-push: already exists; add the line `' in result.err
    assert '/_/' not in result.err
    assert hooks_in(repo.path / folder / '_') == before
    assert interlock('uninstall').code == 0
    assert not (repo.path / folder / 'pre-commit').exists()
    assert (repo.path / folder / 'pre-push').exists()


def test_a_folder_that_is_only_named_like_that_of_husky_is_used(
    repo: Repo, interlock: Interlock
) -> None:
    repo.git('config', 'core.hooksPath', 'outils/_')
    assert interlock('init', '--git-hooks').code == 0
    assert hooks_in(repo.path / 'outils/_') == dict.fromkeys(HOOKS, 0o755)


def test_a_main_worktree_with_tasks_beside_it_is_set_up_from_above(
    tmp_path: Path, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    main = tmp_path / 'espace' / 'main'
    main.mkdir(parents=True)
    repo = Repo(main)
    repo.git('init', '-q', '-b', 'main')
    repo.commit({'todo.md': '# Todo\n'})
    monkeypatch.chdir(main.parent)
    result = interlock('init', '--git-hooks', '--claude')
    assert result.code == 0, result.err
    assert 'git init' not in result.err
    text = (main.parent / '.interlock.yaml').read_text()
    assert 'extends: task-protocol\n' in text
    assert (main / '.git' / 'hooks' / 'pre-commit').exists()
    assert (main.parent / '.claude').is_dir()
    assert not (main / '.interlock.yaml').exists()
    assert 'items.task.protocol.implementation' in result.err + result.out
    assert interlock('task', 'select').code in (0, 1)


def test_above_other_directories_nothing_is_set_up(
    tmp_path: Path, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ('main', 'other'):
        (tmp_path / 'espace' / name).mkdir(parents=True)
    Repo(tmp_path / 'espace' / 'other').git('init', '-q')
    monkeypatch.chdir(tmp_path / 'espace')
    result = interlock('init')
    assert result.code == 2
    assert 'this is not a git repository' in result.err
    assert not (tmp_path / 'espace' / '.interlock.yaml').exists()


def _numbered(status: str) -> dict[str, str]:
    return {
        'PLUGINS.md': samples.HEAD
        + samples.row('Écho', status)
        + samples.row('Fini', 'Working')
    }


@pytest.mark.parametrize(
    ('status', 'subject', 'expected'),
    (
        ('Stage 2.1', 'x', 'plugin-workflow-four-stages'),
        (
            'Stage 2',
            'feat(Écho): Stage 2 Phase 2.1 - x',
            ('plugin-workflow-four-stages'),
        ),
        ('Stage 3.1', 'feat(Écho): Stage 5 - x', 'plugin-workflow'),
        ('Stage 4.1', 'x', 'plugin-workflow'),
        ('Ideated', 'x', 'plugin-workflow'),
    ),
)
def test_two_numberings_of_the_stages_are_told_apart(
    repo: Repo, interlock: Interlock, status: str, subject: str, expected: str
) -> None:
    repo.commit(_numbered(status), subject)
    assert interlock('init').code == 0
    assert yaml.safe_load(workflow(repo))['extends'] == expected


def test_a_registry_that_is_a_link_to_nothing_is_not_replaced(
    repo: Repo, interlock: Interlock
) -> None:
    repo.commit(
        {'skills/SKILL.md': ('| Name | Status |\n|---|---|\n| Écho | 🚧 Stage 2 |\n')}
    )
    (repo.path / 'PLUGINS.md').symlink_to('elsewhere/PLUGINS.md')
    result = interlock('init')
    assert 'PLUGINS.md is a link to nothing' in result.err
    assert 'items' not in yaml.safe_load(workflow(repo))


@pytest.mark.parametrize(
    'table',
    (
        '| Feature | Status |\n|---|---|\n| Search | Working |\n',
        '| Path | State |\n|---|---|\n| `a/b` | Stage 2 |\n',
        '| Status | Meaning |\n|---|---|\n| Stage 2 | it is built |\n',
    ),
)
def test_some_table_with_a_status_is_not_a_registry(
    repo: Repo, interlock: Interlock, table: str
) -> None:
    repo.commit({'docs/x.md': table})
    assert interlock('init').code == 0
    assert 'items' not in yaml.safe_load(workflow(repo))


def test_a_todo_list_and_a_changelog_are_of_tasks(
    repo: Repo, interlock: Interlock
) -> None:
    repo.commit({'todo.md': '- [ ] bake\n', 'changelog.md': '# Changes\n'})
    assert interlock('init').code == 0
    assert yaml.safe_load(workflow(repo))['extends'] == 'task-protocol'


@pytest.mark.parametrize('learn', ((), ('--learn',), ('--report',)))
def test_a_format_that_is_named_has_no_steps_to_learn(
    repo: Repo, interlock: Interlock, learn: tuple[str, ...]
) -> None:
    repo.commit({'README.md': 'x\n'})
    said = interlock('init', '--preset', 'kiro', '--dry-run', *learn)
    assert said.out.splitlines()[0] == '.interlock.yaml: would be written'
    no_steps = 'no transitions to report: no table of items has a history here\n'
    assert (no_steps in said.err) == ('--report' in learn)
