"""The canary, by real hooks of every kind."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from interlock.documents.wiring.hook_files import CALLS, HOOK_TYPES
from interlock.workflow.agreements.agreement_pages import described
from tests.checks import bakery
from tests.conftest import SCRIPTS, Repo
from tests.doctor import wired
from tests.doctor.canary.plans import EVERYTHING, planned
from tests.e2e.conftest import Source, config, install
from tests.spaces import Space

pytestmark = pytest.mark.slow

# the rules that only a message can break
MESSAGES = {
    'COM002',
    'COM003',
    'COM004',
    'COM005',
    'COM006',
    'CON006',
    'CON007',
    'REG019',
}
AGREEMENTS = {each.name for each in described()}
PLUGINS = 'version: 1\nextends: plugin-workflow\n'


class Song:
    def __init__(self, code: int, report: Any) -> None:
        self.code = code
        self.probes = {probe['name']: probe for probe in report['probes']}
        self.left_out = report['left_out']

    def rules(self, verdict: str) -> set[str]:
        return {
            name
            for name, probe in self.probes.items()
            if probe['verdict'] == verdict
            and (name[-3:].isdigit() or name in AGREEMENTS)
        }

    def what(self, name: str) -> str:
        text: str = self.probes[name]['what']
        return text


def sing(cwd: Path, **environ: str) -> Song:
    """`interlock doctor --canary`, with our scripts on the PATH."""
    path = f'{SCRIPTS}{os.pathsep}{os.environ["PATH"]}'
    before = listed(cwd)
    process = subprocess.run(
        (str(SCRIPTS / 'interlock'), 'doctor', '--canary', '--json'),
        cwd=cwd,
        env={**os.environ, 'PATH': path, **environ},
        capture_output=True,
        text=True,
    )
    assert process.returncode in {0, 1}, process.stderr
    # nothing is touched, and nothing is left behind
    assert listed(cwd) == before
    temporary = Path(tempfile.gettempdir())
    assert [*temporary.glob('interlock-canary-*')] == []
    return Song(process.returncode, json.loads(process.stdout))


def listed(top: Path) -> Mapping[str, bytes]:
    """Every file of a repository but the cache of workflows."""
    return {
        str(path.relative_to(top)): path.read_bytes()
        for path in top.rglob('*')
        if path.is_file() and 'interlock/cache' not in path.as_posix()
    }


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / 'tmp'
    folder.mkdir()
    monkeypatch.setenv('TMPDIR', str(folder))
    monkeypatch.setattr(tempfile, 'tempdir', str(folder))


@pytest.fixture
def plugins(repo: Repo) -> Repo:
    repo.commit({'.interlock.yaml': PLUGINS, 'README.md': '# é\n'})
    return repo


def all_rules(text: str) -> set[str]:
    plan = planned(text)
    attempts = (*plan.attempts, *plan.in_task)
    return {want.name for one in attempts for want in one.wants}


@pytest.mark.parametrize(
    'wire',
    (
        pytest.param(wired.plain, id='plain'),
        pytest.param(wired.husky, id='husky'),
        pytest.param(wired.lefthook, id='lefthook'),
    ),
)
def test_every_rule_is_live_where_every_hook_calls_us(
    plugins: Repo, wire: Callable[[Repo], None]
) -> None:
    wire(plugins)
    song = sing(plugins.path)
    assert song.code == 0
    assert song.rules('live') == all_rules(PLUGINS)
    assert song.what('REG001') == 'refused at commit and at push'
    assert song.what('REG004') == 'only a warning at commit and at push'
    assert song.what('CFG005') == 'only a warning at commit'


@pytest.mark.parametrize('tool', ('pre-commit', 'prek'))
def test_every_rule_is_live_under_a_framework(
    plugins: Repo, built: Source, tool: str
) -> None:
    other = (
        '- repo: local\n  hooks:\n  - {id: autre, name: é, entry: "false", '
        'language: system, always_run: true}\n'
    )
    plugins.commit({'.pre-commit-config.yaml': config(built) + other})
    install(plugins, tool)
    song = sing(plugins.path)
    assert song.code == 0
    assert song.rules('live') == all_rules(PLUGINS)
    # other people's hooks are not what is asked for
    assert song.what('REG001') == 'refused at commit and at push'


def test_a_hook_that_was_removed_leaves_its_rules_dead(plugins: Repo) -> None:
    wired.plain(plugins)
    (plugins.path / '.git/hooks/commit-msg').unlink()
    song = sing(plugins.path)
    assert song.code == 1
    assert song.rules('dead') == MESSAGES
    assert song.rules('live') == all_rules(PLUGINS) - MESSAGES
    assert song.what('COM004') == 'passed at commit; refused at push'
    assert song.probes['COM004']['next'] == 'interlock init --git-hooks'
    assert song.probes['hook commit-msg']['verdict'] == 'dead'


def test_without_pre_push_every_rule_is_dead_at_a_push(plugins: Repo) -> None:
    wired.plain(plugins)
    (plugins.path / '.git/hooks/pre-push').unlink()
    song = sing(plugins.path)
    assert song.code == 1
    assert song.rules('dead') == all_rules(PLUGINS) - {'CFG005'}
    assert song.what('REG001') == 'passed at push; refused at commit'


def test_a_hook_without_its_executable_bit_is_not_a_hook(plugins: Repo) -> None:
    wired.plain(plugins)
    (plugins.path / '.git/hooks/commit-msg').chmod(0o644)
    song = sing(plugins.path)
    assert song.rules('dead') == MESSAGES
    assert song.probes['COM002']['next'] == 'chmod +x .git/hooks/commit-msg'


def test_another_core_hookspath_leaves_everything_dead(plugins: Repo) -> None:
    wired.plain(plugins)
    (plugins.path / 'leer').mkdir()
    plugins.git('config', 'core.hooksPath', 'leer')
    song = sing(plugins.path)
    assert song.code == 1
    assert song.rules('dead') == all_rules(PLUGINS)
    assert song.what('REG001') == 'passed at commit and at push'
    assert song.probes['REG001']['next'] == 'git config --unset core.hooksPath'


def test_where_nothing_calls_us_nothing_is_wired(plugins: Repo) -> None:
    song = sing(plugins.path)
    assert song.code == 0
    assert song.rules('not wired') == all_rules(PLUGINS)
    assert song.what('REG001') == ('nothing calls interlock at commit and at push')


def test_hooks_for_some_checks_leave_the_others_unwired(plugins: Repo) -> None:
    wired.script(
        plugins.path / '.git/hooks/pre-commit', '#!/bin/sh\ninterlock-registry\n'
    )
    song = sing(plugins.path)
    assert song.code == 1
    # it waits for a message, which no hook here is given
    assert song.rules('dead') == {'REG019'}
    assert song.rules('live') == {
        code for code in all_rules(PLUGINS) if code.startswith(('REG', 'CFG'))
    } - {'CFG007', 'REG019'}
    assert 'HND001' in song.rules('not wired')


def test_a_hook_that_swallows_our_refusal_is_dead(plugins: Repo) -> None:
    for name in HOOK_TYPES:
        wired.script(
            plugins.path / '.git/hooks' / name,
            f'#!/bin/sh\ninterlock {CALLS[name]} "$@" || true\n',
        )
    song = sing(plugins.path)
    assert song.code == 1
    assert song.what('REG001') == ('reported, but not refused, at commit and at push')


def test_a_hook_that_does_not_find_us_refuses_and_is_dead(
    plugins: Repo, tmp_path: Path
) -> None:
    wired.plain(plugins)
    git = shutil.which('git') or ''
    bare = tmp_path / 'bin'
    bare.mkdir()
    for name in ('git', 'sh', 'basename', 'dirname', 'cat'):
        found = shutil.which(name) or git
        (bare / name).symlink_to(found)
    song = sing(plugins.path, PATH=str(bare))
    assert song.code == 1
    assert song.rules('dead') == all_rules(PLUGINS)
    assert 'interlock is not on the PATH of this hook' in song.what('REG001')
    assert song.probes['interlock on PATH']['verdict'] == 'dead'


def test_a_filter_that_hides_the_message_kills_the_rules_about_it(
    plugins: Repo, built: Source
) -> None:
    plugins.commit({'.pre-commit-config.yaml': f'exclude: ^.git/\n{config(built)}'})
    install(plugins, 'pre-commit')
    song = sing(plugins.path)
    assert song.rules('dead') == MESSAGES
    assert song.probes['message file']['verdict'] == 'dead'


@pytest.mark.parametrize(
    'text',
    (
        pytest.param(bakery.FIELDS, id='fields'),
        pytest.param(bakery.FRONTMATTER, id='frontmatter'),
    ),
)
def test_a_workflow_of_ones_own_is_treated_alike(repo: Repo, text: str) -> None:
    repo.commit({'.interlock.yaml': text})
    wired.plain(repo)
    song = sing(repo.path)
    assert song.code == 0
    assert song.rules('live') == all_rules(text)


def test_tasks_are_tried_in_a_worktree_of_their_own(tmp_path: Path) -> None:
    repo = Repo(tmp_path / 'main')
    repo.path.mkdir()
    repo.git('init', '-q')
    repo.commit({'.interlock.yaml': EVERYTHING})
    wired.plain(repo)
    wired.script(
        repo.path / '.git/hooks/prepare-commit-msg',
        '#!/bin/sh\nexec interlock prepare-commit-msg "$@"\n',
    )
    # the caller may be an agent
    song = sing(repo.path, INTERLOCK_SESSION='é', CLAUDECODE='1')
    assert song.code == 0
    assert song.rules('live') == all_rules(EVERYTHING)
    # agreements are probed by their names
    assert {'done-with-open-tasks', 'number-twice'} <= song.rules('live')
    assert song.what('LCK001') == 'refused at commit'
    assert song.what('LCK006') == 'refused at push'
    assert song.probes['trailers']['verdict'] == 'live'
    assert not (tmp_path / 'tasks').exists()


def test_a_workflow_above_the_repository_governs_the_clone_too(space: Space) -> None:
    wired.plain(space.main)
    song = sing(space.main.path)
    assert song.code == 0
    assert {'LCK001', 'LCK007', 'COM007', 'STG004'} <= song.rules('live')
    # no commit can break what is not in the repository
    assert {'CFG001', 'CFG002', 'CFG003'} <= set(song.left_out)
    assert song.probes['trailers']['verdict'] == 'not wired'


@pytest.mark.parametrize('where', ('.interlock.yaml', '../ailleurs.yaml'))
def test_a_workflow_that_is_named_governs_the_clone_too(
    plugins: Repo, where: str
) -> None:
    wired.plain(plugins)
    file = plugins.path / where
    file.write_text(PLUGINS, encoding='UTF-8')
    song = sing(plugins.path, INTERLOCK_CONFIG=str(file))
    assert song.code == 0
    assert {'REG001', 'COM004', 'CFG006'} <= song.rules('live')
    assert {'CFG001', 'CFG002', 'CFG003', 'CFG005'} <= set(song.left_out)


def test_a_linked_worktree_has_the_hooks_of_the_main_one(
    plugins: Repo, tmp_path: Path
) -> None:
    wired.plain(plugins)
    plugins.git('worktree', 'add', '-q', str(tmp_path / 'là'), '-b', 'é')
    song = sing(tmp_path / 'là')
    assert song.code == 0
    assert song.rules('live') == all_rules(PLUGINS)


def test_what_is_not_committed_yet_counts(repo: Repo) -> None:
    repo.write({'.interlock.yaml': PLUGINS})
    wired.plain(repo, '.githooks')
    repo.git('config', 'core.hooksPath', str(repo.path / '.githooks'))
    song = sing(repo.path)
    assert song.code == 0
    assert song.rules('live') == all_rules(PLUGINS)


def test_a_broken_workflow_can_be_tried_by_nothing(repo: Repo) -> None:
    repo.commit({'.interlock.yaml': 'version: zwei\n'})
    wired.plain(repo)
    song = sing(repo.path)
    assert song.code == 1
    assert song.probes['workflow']['verdict'] == 'dead'
    assert song.probes['canary']['verdict'] == 'dead'
    assert song.rules('live') == set()


def test_a_server_is_tried_by_a_push(plugins: Repo, tmp_path: Path) -> None:
    server = tmp_path / 'serveur.git'
    plugins.git('clone', '-q', '--bare', str(plugins.path), str(server))
    hook = server / 'hooks' / 'pre-receive'
    wired.script(hook, '#!/bin/sh\nexec interlock pre-receive --budget 60\n')
    song = sing(server)
    assert song.code == 0
    assert song.rules('live') == all_rules(PLUGINS) - {'CFG005'}
    assert song.what('COM004') == 'refused at pre-receive'
    assert 'CFG005' in song.left_out
    hook.chmod(0o644)
    song = sing(server)
    assert song.code == 1
    assert song.rules('dead') == all_rules(PLUGINS) - {'CFG005'}


def test_a_hook_that_hangs_is_ended(plugins: Repo) -> None:
    wired.script(plugins.path / '.git/hooks/pre-commit', '#!/bin/sh\nsleep 600\n')
    program = (
        'import sys\n'
        'from interlock.doctor import canary_trial as trial\n'
        'trial.SECONDS = 0.5\n'
        'from interlock.commands.main import main\n'
        'sys.argv = ["interlock", "doctor", "--canary"]\n'
        'main()\n'
    )
    process = subprocess.run(
        (sys.executable, '-c', program),
        cwd=plugins.path,
        capture_output=True,
        text=True,
    )
    assert process.returncode == 2
    assert 'git commit did not end within' in process.stderr
    folder = Path(tempfile.gettempdir())
    assert [*folder.glob('interlock-canary-*')] == []


def violated(repo: Repo) -> bool:
    """Whether git lets a commit and a push pass that are to be refused."""
    repo.write({'.interlock.yaml': 'version: é\n'})
    path = f'{SCRIPTS}{os.pathsep}{os.environ["PATH"]}'
    codes = [
        subprocess.run(
            ('git', *args),
            cwd=repo.path,
            env={**os.environ, 'PATH': path},
            capture_output=True,
        ).returncode
        for args in (('commit', '-qam', 'é'), ('push', '-q', '../r.git', 'HEAD:r'))
    ]
    return codes == [0, 0]


@pytest.mark.parametrize(
    ('gone', 'dead'),
    (
        pytest.param(HOOK_TYPES, all_rules(PLUGINS), id='all'),
        pytest.param(('commit-msg',), MESSAGES, id='commit-msg'),
        pytest.param(('pre-push',), all_rules(PLUGINS) - {'CFG005'}, id='pre-push'),
        # commit-msg judges what it judges
        pytest.param(('pre-commit',), set(), id='pre-commit'),
        pytest.param(('pre-merge-commit',), set(), id='pre-merge-commit'),
    ),
)
def test_a_script_of_husky_that_is_removed_is_not_run(
    plugins: Repo, gone: tuple[str, ...], dead: set[str]
) -> None:
    wired.husky(plugins)
    plugins.git('add', '-A')
    plugins.git('commit', '-qm', 'é', '--no-verify')
    for name in gone:
        (plugins.path / '.husky' / name).unlink()
    song = sing(plugins.path)
    assert song.code == 1
    assert song.rules('dead') == dead
    for name in HOOK_TYPES:
        probe = song.probes[f'hook {name}']
        assert probe['verdict'] == ('dead' if name in gone else 'live')
        if name in gone:
            assert probe['next'] == f'git checkout HEAD -- .husky/{name}'
    if gone == HOOK_TYPES:
        plugins.git('init', '-q', '--bare', '../r.git')
        assert violated(plugins)


def test_without_the_file_of_lefthook_everything_is_dead(plugins: Repo) -> None:
    wired.lefthook(plugins)
    plugins.git('add', '-A')
    plugins.git('commit', '-qm', 'é', '--no-verify')
    (plugins.path / 'lefthook.yml').unlink()
    song = sing(plugins.path)
    assert song.code == 1
    assert song.rules('dead') == all_rules(PLUGINS)
    assert song.probes['REG001']['next'] == 'git checkout HEAD -- lefthook.yml'


def test_a_file_of_lefthook_of_one_person_counts(plugins: Repo) -> None:
    wired.lefthook(plugins)
    plugins.write({'lefthook-local.yml': ('commit-msg:\n  run-commit-msg: "true"\n')})
    song = sing(plugins.path)
    assert song.code == 1
    assert song.rules('dead') == MESSAGES
    assert song.probes['hook commit-msg']['verdict'] == 'dead'
    assert song.probes['hook commit-msg']['next'] == (
        'correct the file by hand: lefthook-local.yml:1'
    )


def test_a_configuration_that_calls_us_no_more_leaves_everything_dead(
    plugins: Repo, built: Source
) -> None:
    plugins.commit({'.pre-commit-config.yaml': config(built)})
    install(plugins, 'pre-commit')
    plugins.write({'.pre-commit-config.yaml': 'repos: []\n'})
    song = sing(plugins.path)
    assert song.code == 1
    assert song.rules('dead') == all_rules(PLUGINS)
    # once that is committed, nobody wants it any more
    plugins.git('commit', '-qam', 'é', '--no-verify')
    song = sing(plugins.path)
    assert song.code == 0
    assert song.rules('not wired') == all_rules(PLUGINS)


def test_hooks_in_another_folder_of_git_count(plugins: Repo) -> None:
    wired.plain(plugins, '.git/ailleurs')
    plugins.git('config', 'core.hooksPath', '.git/ailleurs')
    song = sing(plugins.path)
    assert song.code == 0
    assert song.rules('live') == all_rules(PLUGINS)


@pytest.mark.parametrize('is_tracked', (True, False))
def test_hooks_in_the_tree_count_as_they_lie_there(
    plugins: Repo, is_tracked: bool
) -> None:
    wired.plain(plugins, 'outils/é')
    plugins.git('config', 'core.hooksPath', 'outils/é')
    if is_tracked:
        plugins.git('add', '-A')
        plugins.git('commit', '-qm', 'é', '--no-verify')
    assert sing(plugins.path).rules('live') == all_rules(PLUGINS)
    (plugins.path / 'outils/é/commit-msg').unlink()
    song = sing(plugins.path)
    assert song.code == 1
    assert song.rules('dead') == MESSAGES


def test_what_a_hook_reads_counts_as_it_lies_there(plugins: Repo) -> None:
    for name in HOOK_TYPES:
        wired.script(
            plugins.path / '.git/hooks' / name,
            f'#!/bin/sh\n. tools/gate.sh\nexec interlock {CALLS[name]} "$@"\n',
        )
    plugins.commit({'tools/gate.sh': 'true\n'})
    assert sing(plugins.path).rules('live') == all_rules(PLUGINS)
    plugins.write({'tools/gate.sh': 'exit 0\n'})
    song = sing(plugins.path)
    assert song.code == 1
    assert song.rules('dead') == all_rules(PLUGINS)


def early(text: str) -> str:
    first, _, rest = text.partition('\n')
    return f'{first}\nexit 0\n{rest}'


def swallowing(text: str) -> str:
    return text.replace('exec interlock', 'interlock').replace('"$@"', '"$@" || true')


@pytest.mark.parametrize('name', HOOK_TYPES)
@pytest.mark.parametrize(
    ('neuter', 'said'),
    (
        pytest.param(early, 'passed at', id='exit 0'),
        pytest.param(swallowing, 'reported, but not refused, at', id='or true'),
    ),
)
def test_a_hook_that_refuses_nothing_by_itself_is_dead(
    plugins: Repo, name: str, neuter: Callable[[str], str], said: str
) -> None:
    wired.plain(plugins)
    hook = plugins.path / '.git/hooks' / name
    wired.script(hook, neuter(hook.read_text(encoding='UTF-8')))
    song = sing(plugins.path)
    assert song.code == 1
    for other in HOOK_TYPES:
        verdict = song.probes[f'hook {other}']['verdict']
        assert verdict == ('dead' if other == name else 'live')
    gate = 'push' if name == 'pre-push' else name
    assert song.what(f'hook {name}').endswith(f': {said} {gate}')
    assert song.probes[f'hook {name}']['next'] == (
        f'correct the file by hand: .git/hooks/{name}:1'
    )
    if name.startswith('pre-') and name != 'pre-push':
        # another one still refuses
        assert song.rules('live') == all_rules(PLUGINS)


def test_a_script_of_husky_that_refuses_nothing_is_dead(plugins: Repo) -> None:
    wired.husky(plugins)
    script = plugins.path / '.husky/pre-commit'
    script.write_text('exit 0\ninterlock hook "$@"\n', encoding='UTF-8')
    song = sing(plugins.path)
    assert song.code == 1
    assert song.probes['hook pre-commit']['next'] == (
        'correct the file by hand: .husky/pre-commit:1'
    )
    assert song.probes['hook commit-msg']['verdict'] == 'live'


def test_a_hook_of_a_framework_that_ends_early_is_dead(
    plugins: Repo, built: Source
) -> None:
    plugins.commit({'.pre-commit-config.yaml': config(built)})
    install(plugins, 'pre-commit')
    hook = plugins.path / '.git/hooks/pre-merge-commit'
    wired.script(hook, early(hook.read_text(encoding='UTF-8')))
    song = sing(plugins.path)
    assert song.code == 1
    assert song.probes['hook pre-merge-commit']['verdict'] == 'dead'
    assert song.probes['hook pre-merge-commit']['next'] == 'pre-commit install'
    assert song.probes['hook pre-commit']['verdict'] == 'live'


@pytest.mark.parametrize('check', ('message', 'commit', 'contracts'))
def test_a_hook_for_one_check_is_live_by_itself(plugins: Repo, check: str) -> None:
    wired.script(
        plugins.path / '.git/hooks/commit-msg',
        f'#!/bin/sh\nexec interlock-{check} "$@"\n',
    )
    song = sing(plugins.path)
    assert song.code == 0
    assert song.probes['hook commit-msg']['verdict'] == 'live'


def test_hooks_that_other_repositories_use_are_tried_too(plugins: Repo) -> None:
    folder = plugins.path.parent / 'crochets d’ailleurs'
    wired.plain(plugins, str(folder))
    plugins.git('config', 'core.hooksPath', str(folder))
    assert sing(plugins.path).code == 0
    hook = folder / 'pre-commit'
    wired.script(hook, early(hook.read_text(encoding='UTF-8')))
    song = sing(plugins.path)
    assert song.code == 1
    assert song.probes['hook pre-commit']['verdict'] == 'dead'
    assert song.rules('live') == all_rules(PLUGINS)
