"""The plugin: how it is wired, what its launcher finds, its commands."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import click
import pytest
from docs.plugin import hooks

from interlock import __version__
from interlock.commands.group import cli
from interlock.documents.wiring.client_entries import GUARDS, MATCHERS
from tests.conftest import SCRIPTS, Repo
from tests.guard.asking import Reply

TOP = Path(__file__).parent.parent
LAUNCHER = TOP / 'hooks/interlock_launcher.py'
COMMANDS = sorted(TOP.glob('commands/*.md'))


def manifest(name: str) -> Any:
    return json.loads((TOP / '.claude-plugin' / name).read_text())


def send(
    event: str,
    cwd: Path,
    path: str = '/usr/bin:/bin',
    raw: bytes | None = None,
    **environ: str,
) -> Reply:
    """As the client would, with next to nothing in the environment."""
    data = json.dumps({'hook_event_name': event, 'cwd': str(cwd)}).encode()
    words = (sys.executable, '-I', '-S', str(LAUNCHER))
    done = subprocess.run(
        (*words, event) if event else words,
        input=data if raw is None else raw,
        capture_output=True,
        cwd='/',
        env={'PATH': path, 'HOME': os.environ['HOME'], **environ},
    )
    return Reply(
        done.returncode, done.stdout.decode().strip(), done.stderr.decode().strip()
    )


def test_it_is_wired_by_the_table_that_init_uses() -> None:
    text = (TOP / 'hooks/hooks.json').read_text(encoding='UTF-8')
    assert text == hooks(), 'next: make docs'
    wired = json.loads(text)['hooks']
    assert list(wired) == list(MATCHERS)
    for event, groups in wired.items():
        (handler,), *others = (each['hooks'] for each in groups)
        assert all(each == [handler] for each in others)
        assert handler['args'] == [
            '-I',
            '-S',
            f'${{CLAUDE_PLUGIN_ROOT}}/hooks/{LAUNCHER.name}',
            event,
        ]


def test_the_manifests_agree_with_the_package() -> None:
    plugin, market = manifest('plugin.json'), manifest('marketplace.json')
    assert plugin['version'] == __version__
    (entry,) = market['plugins']
    assert entry['name'] == plugin['name']
    assert entry['description'] == plugin['description']
    assert entry['source'] == './'


@pytest.fixture
def off(project: Repo) -> bytes:
    """A change that must be refused."""
    name = '.claude/settings.local.json'
    project.write({name: '{"disableAllHooks": true}'})
    return json.dumps(
        {
            'hook_event_name': 'ConfigChange',
            'cwd': str(project.path),
            'source': 'local_settings',
            'file_path': str(project.path / name),
        }
    ).encode()


def environment(folder: Path, with_package: bool) -> Path:
    """Scripts as an installer writes them; the package is a link."""
    scripts = folder / 'bin'
    scripts.mkdir(parents=True)
    (scripts / 'python').symlink_to(sys.executable)
    library = folder / 'lib/python3.99/site-packages'
    library.mkdir(parents=True)
    if with_package:
        (library / 'interlock').symlink_to(TOP / 'hooks/interlock')
    script = scripts / 'interlock-claude'
    script.write_text(
        f'#!{scripts / "python"}\nimport sys\n'
        f'sys.path.insert(0, {str(TOP / "hooks")!r})\n'
        f'from interlock.agents.claude import script\nscript()\n'
    )
    script.chmod(0o755)
    return scripts


@pytest.mark.parametrize('whole', (True, False), ids=('package', 'script'))
def test_an_interlock_on_the_path_answers(
    project: Repo, off: bytes, tmp_path: Path, whole: bool
) -> None:
    scripts = environment(tmp_path / 'é', whole)
    reply = send('ConfigChange', project.path, str(scripts), off)
    assert (reply.code, reply.decision) == (2, 'block')
    assert reply.reason.startswith('CLD013 ')
    assert send('ConfigChange', project.path, str(scripts)).reason


@pytest.mark.parametrize(
    'place',
    (
        '.local/share/pipx/venvs/interlock-hooks',
        '.local/pipx/venvs/interlock-hooks',
        '.local/share/uv/tools/interlock-hooks',
    ),
)
def test_where_tools_are_installed_is_looked_at(
    project: Repo, off: bytes, place: str
) -> None:
    environment(Path(os.environ['HOME'], place), True)
    reply = send('ConfigChange', project.path, raw=off)
    assert reply.reason.startswith('CLD013 ')


def test_the_installation_that_is_tested_is_found(project: Repo, off: bytes) -> None:
    assert sysconfig.get_path('scripts') == str(SCRIPTS)
    reply = send('ConfigChange', project.path, str(SCRIPTS), off)
    assert reply.reason.startswith('CLD013 ')


@pytest.mark.parametrize('event', GUARDS)
def test_without_an_interlock_a_guard_refuses_what_is_governed(
    project: Repo, event: str
) -> None:
    reply = send(event, project.path)
    assert reply.code == 2
    assert reply.decision == ('block' if event == 'ConfigChange' else 'deny')
    assert reply.err == reply.reason
    assert reply.reason.startswith(f'CLD014 {project.path}/.interlock.yaml')
    assert reply.reason.endswith(f'\nnext: pipx install {TOP}')


@pytest.mark.parametrize('event', [event for event in MATCHERS if event not in GUARDS])
def test_without_an_interlock_an_observer_is_silent(project: Repo, event: str) -> None:
    assert send(event, project.path).is_silent


@pytest.mark.parametrize('event', MATCHERS)
def test_nothing_governs_where_there_is_no_workflow(repo: Repo, event: str) -> None:
    assert send(event, repo.path).is_silent


@pytest.mark.parametrize('raw', (b'', b'{', b'[]', b'{"cwd": 3}', b'\xff'))
def test_what_the_client_sends_may_be_anything(project: Repo, raw: bytes) -> None:
    reply = send(
        'PreToolUse', project.path, raw=raw, CLAUDE_PROJECT_DIR=str(project.path)
    )
    assert reply.code == 2
    assert send('PreToolUse', project.path, raw=raw).is_silent


def test_a_call_for_no_event_is_a_guard(project: Repo) -> None:
    assert send('', project.path).code == 2


def test_a_workflow_is_found_from_below_and_from_a_linked_worktree(
    project: Repo, tmp_path: Path
) -> None:
    below = project.path / 'plugins/Bravo'
    assert send('PreToolUse', below).code == 2
    linked = tmp_path / 'lié'
    project.git('worktree', 'add', '-q', '--detach', str(linked))
    (linked / '.interlock.yaml').unlink()
    assert send('PreToolUse', linked).code == 2


def test_a_given_workflow_governs(repo: Repo) -> None:
    given = '/é/.interlock.yaml'
    assert send('PreToolUse', repo.path, INTERLOCK_CONFIG=given).code == 2


def test_an_interpreter_that_is_gone_is_as_good_as_none(
    project: Repo, tmp_path: Path
) -> None:
    scripts = environment(tmp_path / 'é', True)
    (scripts / 'python').unlink()
    reply = send('PreToolUse', project.path, str(scripts))
    assert (reply.code, reply.decision) == (2, 'deny')


def test_a_relative_path_is_not_searched(project: Repo, off: bytes) -> None:
    environment(project.path / 'venv', True)
    done = subprocess.run(
        (sys.executable, '-I', '-S', str(LAUNCHER), 'ConfigChange'),
        input=off,
        capture_output=True,
        cwd=project.path,
        env={'PATH': 'venv/bin', 'HOME': os.environ['HOME']},
    )
    assert b'CLD014' in done.stdout


def test_the_launcher_needs_no_package() -> None:
    imported = set(
        re.findall(r'^\s*(?:from|import) ([\w.]+)', LAUNCHER.read_text(), re.MULTILINE)
    )
    assert imported == {
        '__future__',
        'os',
        'sys',
        'json',
        'shlex',
        'subprocess',
        'collections.abc',
    }


def test_the_commands_of_the_plugin() -> None:
    assert [path.stem for path in COMMANDS] == [
        'continue',
        'handoff',
        'reconcile',
        'transition',
    ]


@pytest.mark.parametrize('path', COMMANDS, ids=lambda path: str(path.stem))
def test_a_command_of_the_plugin_calls_commands_that_exist(path: Path) -> None:
    text = path.read_text(encoding='UTF-8')
    assert text.startswith('---\ndescription: ')
    called = re.findall(r'\binterlock ([a-z-]+)(?: ([a-z]+)\b)?', text)
    assert called
    context = click.Context(cli)
    for name, below in called:
        command = cli.get_command(context, name)
        assert command is not None, name
        if isinstance(command, click.Group) and below:
            assert command.get_command(context, below) is not None
    for name, option in re.findall(r'\binterlock ([a-z-]+)[^`\n]*? (--[a-z-]+)', text):
        command = cli.get_command(context, name)
        assert command is not None
        commands = [command]
        if isinstance(command, click.Group):
            found = (
                command.get_command(context, each)
                for each in command.list_commands(context)
            )
            commands.extend(each for each in found if each is not None)
        assert any(
            option in parameter.opts for each in commands for parameter in each.params
        ), f'{name} {option}'


def test_the_handoff_says_all_that_it_has_to() -> None:
    text = (TOP / 'commands/handoff.md').read_text(encoding='UTF-8')
    role, _, rest = text.partition('**What must hold')
    assert '**Your role.**' in role
    invariants, _, rest = rest.partition('**Before you write')
    analysis, _, rest = rest.partition('**Write it.**')
    _, _, questions = rest.partition('**After you wrote it')
    assert len(re.findall(r'^\d\. ', invariants, re.MULTILINE)) == 5
    assert len(re.findall(r'^\d\. ', analysis, re.MULTILINE)) == 7
    assert 'leave them out in the mode\n`auto`' in analysis
    assert len(re.findall(r'^- .*\?$', questions, re.MULTILINE)) == 4
    assert text.rstrip().endswith('interlock document check FILE')
