"""What doctor says of Claude Code, and what its canary does with it."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from interlock.agents.claude import ADAPTER
from interlock.doctor import client, client_canary, client_sources
from interlock.doctor.installation import installation
from interlock.documents.wiring.client_entries import MATCHERS
from interlock.git.repository import Repository
from interlock.git.workflow_source import Governing
from interlock.model.probe import Probe
from tests import forked
from tests.conftest import SCRIPTS, Interlock, Repo
from tests.doctor import wired as wirings

pytestmark = pytest.mark.real

LOCAL = '.claude/settings.local.json'
LOCAL = '.claude/settings.local.json'
GUARDED = (
    'Write',
    'Edit',
    'NotebookEdit',
    'Agent',
    'Task',
    'Bash',
    'PowerShell',
    'ConfigChange',
)
OBSERVED = [event for event in MATCHERS if event not in ('PreToolUse', 'ConfigChange')]
# a client and hooks that do as they are told, for what is not ours to test
REFUSES = """\
#!/bin/sh
data=$(cat)
case "$data" in
    *'"tool_name": "Read"'*) exit 0;;
    *git/hooks*) code=CLD003;;
    *'"tool_name": "Agent"'*|*'"tool_name": "Task"'*) code=CLD011;;
    *no-verify*) code=CLD001;;
    *settings.local.json*) code=CLD013;;
    *) exit 0;;
esac
echo "{\\"decision\\": \\"block\\", \\"reason\\": \\"$code é\\"}"
echo "$code é" >&2
exit 2
"""
OPEN = f'{SCRIPTS}/interlock-claude PreToolUse'
PASSES = '#!/bin/sh\ncat >/dev/null\n'


@pytest.fixture(autouse=True)
def path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Our scripts on the PATH, and a client that tells its version."""
    folder = tmp_path / 'bin'
    wirings.script(folder / 'claude', '#!/bin/sh\necho 2.1.325 é\n')
    before = os.environ['PATH'].split(os.pathsep)
    monkeypatch.setenv('PATH', os.pathsep.join([str(SCRIPTS), str(folder), *before]))
    return folder


@pytest.fixture
def live(project: Repo, interlock: Interlock) -> Repo:
    assert interlock('init', '--claude', '--git-hooks').code == 0
    return project


class Said:
    def __init__(self, probes: list[Probe]) -> None:
        self.probes = probes

    @property
    def code(self) -> int:
        return int(bool(self.named('dead')))

    def named(self, verdict: str) -> set[str]:
        return {each.name for each in self.probes if each.verdict == verdict}

    def what(self, name: str) -> str:
        return next(each.what for each in self.probes if each.name == name)


def examined() -> Said:
    """`interlock doctor`, all of it."""
    return _called()


def _called(*args: str) -> Said:
    done = forked.command('doctor', '--json', *args)
    said = Said([Probe(**each) for each in json.loads(done.stdout)['probes']])
    assert done.returncode == said.code, done.stderr
    return said


def sung() -> Said:
    """What it says of the client, without the rules of git, which take
    their time."""
    repository = Repository(os.environ)
    try:
        where, governing = installation(repository), Governing(repository)
        found = client_sources.client(ADAPTER, where.top, where.common_dir, os.environ)
        return Said(
            [
                *client.probes(found),
                *client_canary.canary(found, where, governing, governing.on_disk()),
            ]
        )
    finally:
        repository.close()


def settings(repo: Repo) -> Any:
    return json.loads((repo.path / LOCAL).read_text(encoding='UTF-8'))


def changed(repo: Repo, change: Callable[[Any], object]) -> None:
    value = settings(repo)
    change(value)
    repo.write({LOCAL: json.dumps(value)})


def command(repo: Repo, text: str) -> None:
    """All of our entries run another script under our name."""
    script = repo.path.parent / 'interlock-claude'
    wirings.script(script, text)

    def change(value: Any) -> None:
        for groups in value['hooks'].values():
            groups[0]['hooks'][0].update(command=str(script), args=[])

    changed(repo, change)


def test_a_wired_client_is_live(live: Repo) -> None:
    said = examined()
    assert said.code == 0
    assert said.named('dead') == set()
    assert said.named('live') >= {
        'claude settings',
        'claude command',
        'claude version',
        *(f'claude {event}' for event in MATCHERS),
    }
    assert said.what('claude version') == '2.1.325'
    assert said.what('claude answers') == 'no session has called a hook yet'


def test_a_project_without_the_client_is_not_wired(project: Repo) -> None:
    wirings.plain(project)
    said = sung()
    assert said.code == 0
    assert 'claude' in said.named('not wired')
    assert not [each for each in said.probes if each[0].startswith('canary ')]


@pytest.mark.slow
def test_of_a_whole_gate_broken_settings_are_exactly_what_is_dead(live: Repo) -> None:
    live.write({LOCAL: '{'})
    said = _called('--canary')
    assert said.named('dead') == {
        'claude settings',
        *(f'claude {event}' for event in MATCHERS),
        *(f'canary {name}' for name in (*GUARDED, *OBSERVED)),
    }
    assert {'REG001', 'hook pre-commit'} < said.named('live')


@pytest.mark.parametrize('text', ('[]', '', '{"env": "x"}', '{}'))
def test_what_is_dead_with_broken_settings(live: Repo, text: str) -> None:
    live.write({LOCAL: text})
    said = sung()
    assert said.code == 1
    dead = said.named('dead')
    assert dead - {'claude settings'} == {
        *(f'claude {event}' for event in MATCHERS),
        *(f'canary {name}' for name in (*GUARDED, *OBSERVED)),
    }
    assert ('claude settings' in dead) == (text not in ('', '{}'))


def test_the_line_of_a_mistake_is_said(live: Repo) -> None:
    live.write({LOCAL: '{\n"hooks": {"Stop": 1}}'})
    assert 'line 2: hooks.Stop is not a list' in examined().what('claude settings')


@pytest.mark.parametrize('place', ('local', 'user'))
def test_the_switch_for_all_hooks_is_dead_anywhere(live: Repo, place: str) -> None:
    text = '{"disableAllHooks": true}'
    if place == 'local':
        live.write({LOCAL: text})
    else:
        folder = Path(os.environ['HOME'], '.claude')
        folder.mkdir()
        (folder / 'settings.json').write_text(text)
    said = sung()
    assert said.code == 1
    assert 'claude settings' in said.named('dead')
    assert said.named('dead') >= {f'canary {name}' for name in GUARDED}


@pytest.mark.parametrize(
    ('change', 'what'),
    (
        pytest.param(
            lambda guard: guard.update({'async': True}),
            'runs in the background',
            id='async',
        ),
        pytest.param(
            lambda guard: guard.update({'if': 'Bash(x)'}), 'has an `if`', id='if'
        ),
        pytest.param(
            lambda guard: guard.update(command=OPEN, onFailure='continue'),
            'lets a call pass when it fails',
            id='open',
        ),
    ),
)
def test_a_weak_guard_is_dead(
    live: Repo, change: Callable[[Any], object], what: str
) -> None:
    changed(live, lambda value: change(value['hooks']['PreToolUse'][0]['hooks'][0]))
    said = examined()
    assert said.named('dead') == {'claude PreToolUse'}
    assert what in said.what('claude PreToolUse')


def test_a_narrow_guard_is_dead(live: Repo) -> None:
    changed(live, lambda value: value['hooks']['PreToolUse'][0].update(matcher='Bash'))
    said = sung()
    assert 'is called only for Bash' in said.what('claude PreToolUse')
    assert 'the matcher of PreToolUse does not match Write' in said.what('canary Write')
    assert {'canary Write', 'canary Edit', 'canary PowerShell'} < (said.named('dead'))


@pytest.mark.parametrize('tool', ('NotebookEdit', 'Agent', 'Task'))
def test_a_tool_that_is_dropped_is_dead(live: Repo, tool: str) -> None:
    names = MATCHERS['PreToolUse'].split('|')
    changed(
        live,
        lambda value: value['hooks']['PreToolUse'][0].update(
            matcher='|'.join(name for name in names if name != tool)
        ),
    )
    said = sung()
    assert said.named('dead') == {'claude PreToolUse', f'canary {tool}'}


def test_servers_that_are_dropped_are_dead(live: Repo) -> None:
    changed(live, lambda value: value['hooks']['PreToolUse'].pop())
    assert examined().named('dead') == {'claude PreToolUse'}


def test_without_agents_there_is_nothing_to_refuse(live: Repo) -> None:
    live.write({'.interlock.yaml': 'version: 1\nextends: task-protocol\n'})
    said = sung()
    assert {'canary Agent', 'canary Task'} <= said.named('live')
    assert 'nothing to refuse' in said.what('canary Agent')


def test_the_shell_form_is_closed_too(live: Repo, interlock: Interlock) -> None:
    interlock('init', '--claude', '--shell-form')
    assert examined().named('dead') == set()


@pytest.mark.parametrize(
    'python', ('/gone/python', '/bin/false'), ids=('gone', 'fails')
)
def test_a_command_that_does_not_answer_is_dead(live: Repo, python: str) -> None:
    text = (live.path / LOCAL).read_text()
    live.write({LOCAL: text.replace(sys.executable, python)})
    said = sung()
    assert said.code == 1
    assert said.named('dead') == {
        'claude command',
        *(f'canary {name}' for name in GUARDED),
        *(f'canary {name}' for name in OBSERVED),
    }


@pytest.mark.parametrize(
    ('version', 'verdict'),
    (('2.1.197 (Claude Code)', 'live'), ('2.1.295', 'live'), ('?', 'dead')),
)
def test_the_version_of_the_client_matters(
    live: Repo, path: Path, version: str, verdict: str
) -> None:
    wirings.script(path / 'claude', f'#!/bin/sh\necho "{version}"\n')
    assert 'claude version' in examined().named(verdict)


def test_an_old_client_does_not_close_where_no_shell_does(
    live: Repo, path: Path
) -> None:
    wirings.script(path / 'claude', '#!/bin/sh\necho 2.1.294\n')
    guard = {'type': 'command', 'command': OPEN, 'onFailure': 'block'}
    changed(live, lambda value: value['hooks']['PreToolUse'][0].update(hooks=[guard]))
    assert 'claude version' in examined().named('dead')


def test_a_subdirectory_is_named(live: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(live.path / 'plugins')
    said = examined()
    assert 'claude project' in said.named('not wired')
    assert 'started in plugins does not read' in said.what('claude project')
    monkeypatch.setenv('CLAUDE_PROJECT_DIR', str(live.path / 'plugins'))
    assert 'claude project' in examined().named('dead')


def test_when_hooks_answered_is_told(live: Repo) -> None:
    folder = live.path / '.git/interlock/claude'
    folder.mkdir()
    (folder / 'Stop').write_text('100 nothing\n')
    (folder / 'PreToolUse').write_text('x')
    (folder / 'failures.log').write_text('hier Stop é\n')
    said = examined()
    assert said.what('claude answers').startswith('Stop ')
    assert said.what('claude answers').endswith(' days ago (nothing)')
    assert said.what('claude failures').endswith('the last one: hier Stop é')


def plugin(root: Path) -> None:
    top = Path(__file__).parent.parent.parent
    for name in ('hooks.json', 'interlock_launcher.py'):
        target = root / 'hooks' / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((top / 'hooks' / name).read_bytes())


@pytest.fixture
def with_plugin(project: Repo) -> Path:
    home = Path(os.environ['HOME'], '.claude')
    root = home / 'plugins/cache/é/interlock/0.1.0'
    plugin(root)
    (home / 'settings.json').write_text(
        json.dumps({'enabledPlugins': {'interlock@é': True, 'autre@é': True}})
    )
    return root


def test_the_plugin_alone_is_live(project: Repo, with_plugin: Path) -> None:
    said = sung()
    assert said.what('claude PreToolUse') == 'the plugin calls interlock'
    assert 'claude command' in said.named('live')
    assert said.what('canary ConfigChange') == 'refused (CLD013)'


def test_plugin_and_settings_together_run_twice(live: Repo, with_plugin: Path) -> None:
    said = examined()
    assert said.code == 0
    assert 'every event is answered twice' in said.what('claude twice')


def test_a_guard_that_refuses_is_live(live: Repo) -> None:
    command(live, REFUSES)
    said = sung()
    for name in GUARDED:
        assert f'canary {name}' in said.named('live'), said.probes
    assert said.what('canary Bash') == 'refused (CLD001)'
    for event in OBSERVED:
        assert said.what(f'canary {event}') == 'answers'


def test_a_guard_that_lets_all_pass_is_dead(live: Repo) -> None:
    command(live, PASSES)
    said = sung()
    assert said.code == 1
    assert said.named('dead') >= {f'canary {name}' for name in GUARDED}
    assert said.what('canary Write').startswith('passed (')


@pytest.mark.parametrize(
    'answer',
    (
        'exit 1',
        'exit 2',
        'echo "{"',
        'echo \'{"hookSpecificOutput": {"hookEventName": "Autre"}}\'',
        'echo "[1]"',
    ),
)
def test_an_observer_whose_answer_is_void_is_dead(live: Repo, answer: str) -> None:
    command(live, f'#!/bin/sh\ncat >/dev/null\n{answer}\n')
    said = sung()
    assert 'canary PostToolUse' in said.named('dead')
    assert 'canary SessionEnd' in said.named('dead')


def test_our_own_guards_are_live(live: Repo) -> None:
    said = sung()
    assert said.what('canary Write') == 'refused (CLD003)'
    assert said.what('canary Edit') == 'refused (CLD003)'
    assert said.what('canary Bash') == 'refused (CLD001)'
    assert said.what('canary PowerShell') == 'refused (CLD001)'
    assert said.what('canary ConfigChange') == 'refused (CLD013)'


def test_nothing_of_the_project_is_touched(live: Repo) -> None:
    def listed() -> dict[str, bytes]:
        return {
            str(each): each.read_bytes()
            for each in live.path.rglob('*')
            if each.is_file() and 'interlock/cache' not in each.as_posix()
        }

    before = listed()
    sung()
    assert listed() == before
    # the state of sessions is kept elsewhere too
    assert not [*Path(os.environ['HOME']).rglob('*.db')]
