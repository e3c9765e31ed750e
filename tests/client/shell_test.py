"""Commands that the agent gives to its shell."""

from __future__ import annotations

import pytest

from tests.client.brief import BRIEF, FROZEN, is_whole
from tests.client.runner import Client
from tests.client.script import bash, say, script
from tests.conftest import Repo

SKIPS, IDENTITY, UNREAD = 'CLD001', 'CLD002', 'CLD010'


def refused(plugins: Repo, client: Client, commands: dict[str, str], code: str) -> None:
    """None of the commands is run, and the model reads why."""
    before = plugins.git('rev-parse', 'HEAD')
    plugins.stage({'a.txt': 'é\n'})
    status = plugins.git('status', '--porcelain')
    seen = client.play(
        script(*(bash(id, command) for id, command in commands.items()), say('done'))
    )
    for id in commands:
        assert seen.refused(id, code)
    assert plugins.git('rev-parse', 'HEAD') == before
    assert plugins.git('status', '--porcelain') == status


def test_no_hook_of_git_is_skipped(plugins: Repo, client: Client) -> None:
    refused(
        plugins,
        client,
        {
            'long': 'git commit --no-verify -m é',
            'short': 'git add -A && git commit -anm é',
            'shell': 'bash -lc "git commit --no-veri -m é"',
            'path': 'git -c core.hooksPath=/dev/null commit -m é',
            'variable': 'SKIP=interlock git commit -m é',
        },
        SKIPS,
    )


def test_an_agent_does_not_pose_as_a_person(plugins: Repo, client: Client) -> None:
    refused(
        plugins,
        client,
        {
            'env': 'env -u CLAUDECODE git commit -m é',
            'unset': 'unset CLAUDECODE; git commit -m é',
            'other': 'CLAUDE_CODE_SESSION_ID=other git commit -m é',
        },
        IDENTITY,
    )


def test_a_frozen_contract_is_not_changed(plugins: Repo, client: Client) -> None:
    refused(
        plugins,
        client,
        {
            'redirection': f'echo autre > {BRIEF}',
            'sed': f'sed -i s/é/e/ {BRIEF}',
            'tee': f'echo autre | tee -a {BRIEF}',
            'copy': f'cp a.txt {BRIEF}',
            'remove': f'rm -f {BRIEF}',
        },
        FROZEN,
    )
    assert is_whole(plugins)


@pytest.mark.parametrize(
    'command',
    (
        pytest.param('git commit -m "x', id='an open quote'),
        pytest.param('eval "$(cat a.txt)" && git commit -m é', id='any command'),
    ),
)
def test_what_cannot_be_read_is_the_users_to_allow(
    plugins: Repo, client: Client, command: str
) -> None:
    refused(plugins, client, {'unread': command}, UNREAD)


def test_what_only_looks_like_it_is_done(plugins: Repo, client: Client) -> None:
    seen = client.play(
        script(
            bash('add', 'echo é > a.txt && git add a.txt'),
            bash('commit', 'git commit -m "docs: why --no-verify is refused"'),
            bash('grep', f'grep -c é {BRIEF} && echo "rm {BRIEF}"'),
            bash('dry', 'git log -n 1 --format=%s'),
            say('done'),
        )
    )
    for id in ('add', 'commit', 'grep', 'dry'):
        assert seen.done(id)
    assert seen.results['dry'].text == 'docs: why --no-verify is refused'
    assert plugins.git('status', '--porcelain') == ''
    assert set(seen.hooks('PreToolUse')) == {''}
