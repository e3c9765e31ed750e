"""The projects that the scenarios start from, as the agent finds them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import samples, spaces
from tests.client.kits import ROOT
from tests.client.runner import SCRIPTS, Client
from tests.client.script import bash, say, script
from tests.conftest import Repo
from tests.guard.asking import OTHER
from tests.spaces import Space


@pytest.fixture
def options() -> tuple[str, ...]:
    """The hooks of git are on trial here, not those of the client."""
    return ('--git-hooks',)


def test_a_commit_that_breaks_the_registry_is_refused(
    plugins: Repo, client: Client
) -> None:
    before = plugins.git('rev-parse', 'HEAD')
    plugins.write(
        {
            'PLUGINS.md': samples.registry(
                {'Alpha': 'Ideated', 'Bravo': 'Stage 2', 'Charlie': 'Installed'},
                rows={'Alpha': 'Stage 0'},
            )
        }
    )
    seen = client.play(script(bash('commit', 'git commit -am "chore: é"'), say('done')))
    assert seen.results['commit'].refused
    assert 'REG001 Alpha' in seen.results['commit'].text
    assert plugins.git('rev-parse', 'HEAD') == before


def test_a_commit_that_breaks_nothing_is_made(plugins: Repo, client: Client) -> None:
    before = plugins.git('rev-parse', 'HEAD')
    seen = client.play(
        script(
            bash('write', 'echo é > README.md'),
            bash('commit', 'git add README.md && git commit -m "chore: é"'),
            say('done'),
        )
    )
    assert not seen.results['commit'].refused, seen.results['commit'].text
    assert plugins.git('rev-parse', 'HEAD^') == before
    assert plugins.git('status', '--porcelain') == ''


def test_a_commit_in_the_main_worktree_without_its_lock_is_refused(
    tasks: Space, task_client: Client
) -> None:
    before = tasks.main.git('rev-parse', 'HEAD')
    seen = task_client.play(
        script(
            bash('commit', 'echo é > a && git add a && git commit -m "chore: é"'),
            say('done'),
        )
    )
    assert seen.results['commit'].refused
    assert 'LCK007' in seen.results['commit'].text
    assert tasks.main.git('rev-parse', 'HEAD') == before


def test_a_commit_in_the_task_of_another_session_is_refused(
    tasks: Space, tmp_path: Path
) -> None:
    code = tasks.worktree()
    tasks.put(spaces.lock(session_id=OTHER))
    before = code.git('rev-parse', 'HEAD')
    seen = Client(code.path, tmp_path / 'client').play(
        script(
            bash('commit', 'echo é > a && git add a && git commit -m "chore: é"'),
            say('done'),
        )
    )
    # by the hook of git, which knows whose shell it was run in
    assert seen.refused('commit', 'LCK001', OTHER)
    assert seen.init['session_id'] != OTHER
    assert code.git('rev-parse', 'HEAD') == before


def test_the_lock_that_an_agent_takes_is_its_sessions(
    tasks: Space, task_client: Client
) -> None:
    acquire = 'interlock lock acquire main --operation git-operation'
    seen = task_client.play(
        script(
            bash('acquire', acquire),
            bash('commit', 'echo é > a && git add a && git commit -m "chore: é"'),
            bash('show', 'interlock lock show main'),
            say('done'),
        )
    )
    assert not seen.results['commit'].refused, seen.results['commit'].text
    assert seen.init['session_id'] in seen.results['show'].text
    assert tasks.main.git('log', '-1', '--format=%s') == 'chore: é'


def test_client_and_hooks_are_those_that_make_has_installed(
    plugins: Repo, client: Client
) -> None:
    where = 'import interlock; print(interlock.__file__)'
    seen = client.play(
        script(
            bash('path', 'command -v interlock'),
            bash('package', f'python -c "{where}"'),
            say('done'),
        )
    )
    assert seen.results['path'].text == str(SCRIPTS / 'interlock')
    package = Path(seen.results['package'].text)
    assert SCRIPTS.parent in package.parents
    version = seen.init['claude_code_version']
    pinned = f'claude-code-linux-x64@{version} '
    assert pinned in (ROOT / 'Makefile').read_text()
