"""The server, asked by the SDK's own client."""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from interlock import __version__
from interlock.setup import mcp_install_hint
from tests.conftest import SCRIPTS, Interlock, Repo
from tests.state.states import whole

if TYPE_CHECKING:
    from mcp import Client

if importlib.util.find_spec('mcp') is not None:
    # it remembers the standard error of its first import, which within a
    # test need not be a file
    importlib.import_module('mcp.client.stdio')

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(
        importlib.util.find_spec('mcp') is None, reason='it is an extra'
    ),
]
TOOLS = [
    'workflow_state_save',
    'workflow_state_load',
    'workflow_state_update',
    'skill_instructions_get',
]


class Asked:
    def __init__(self, error: bool, text: str, answer: Any) -> None:
        self.error = error
        self.text = text
        self.answer = answer


def connected(*options: str, **environ: str) -> Client:
    """A client of a server that it starts as a process."""
    from mcp import Client, StdioServerParameters

    return Client(
        StdioServerParameters(
            command=str(SCRIPTS / 'interlock'),
            args=['mcp', *options],
            env={**os.environ, **environ},
        )
    )


def ask(*calls: tuple[str, dict[str, Any]], **environ: str) -> list[Asked]:
    """The answers of one server to calls of its tools."""

    async def talk() -> list[Asked]:
        found = []
        async with connected(**environ) as client:
            for name, arguments in calls:
                result = await client.call_tool(name, arguments)
                text = ''.join(getattr(block, 'text', '') for block in result.content)
                found.append(
                    Asked(bool(result.is_error), text, result.structured_content)
                )
        return found

    return asyncio.run(talk())


@pytest.mark.parametrize('option', ('-q', '-v'))
def test_there_are_the_four_tools_of_the_document(option: str) -> None:
    async def talk() -> Any:
        async with connected(option) as client:
            return client.server_info, (await client.list_tools()).tools

    info, tools = asyncio.run(talk())
    assert (info.name, info.version) == ('interlock', __version__)
    assert [tool.name for tool in tools] == TOOLS
    assert all(tool.description for tool in tools)
    save = tools[0].input_schema
    assert set(save['properties']) == {'project_path', 'state', 'trigger'}
    assert save['required'] == ['project_path', 'state']


def test_a_state_is_saved_updated_and_loaded(repo: Repo) -> None:
    path = {'project_path': str(repo.path)}
    saved, updated, loaded, none = ask(
        ('workflow_state_save', {**path, 'state': whole(), 'trigger': 'checkpoint'}),
        (
            'workflow_state_update',
            {**path, 'updates': {'goals': {'ultimate': 'größer'}}},
        ),
        ('workflow_state_load', {**path, 'max_age_hours': 24.0}),
        ('workflow_state_load', {'project_path': str(repo.path.parent)}),
    )
    assert saved.answer['saved'] is True
    assert updated.answer['updated'] is True
    state = whole()
    state['goals']['ultimate'] = 'größer'
    assert loaded.answer['found'] is True
    assert loaded.answer['state'] == state
    assert loaded.answer['trigger'] == 'auto'
    assert none.answer['found'] is False


def test_the_command_line_and_the_server_share_one_store(
    repo: Repo, interlock: Interlock
) -> None:
    assert interlock('state', 'save', '{"mode": "auto"}').code == 0
    (repo.path / 'sous').mkdir()
    (found,) = ask(('workflow_state_load', {'project_path': str(repo.path / 'sous')}))
    assert found.answer['state'] == {'mode': 'auto'}


# what is wrong: the tool, its arguments, what it answers
REFUSED: dict[str, tuple[str, dict[str, Any], str]] = {
    'an unknown key': (
        'workflow_state_save',
        {'state': {'gools': {}}},
        'STA002 `gools` is not a key of a state; did you mean `goals`?',
    ),
    'another trigger': (
        'workflow_state_save',
        {'state': {}, 'trigger': 'never'},
        'STA003 the trigger is "never"',
    ),
    'a dangerous call': (
        'workflow_state_update',
        {'updates': {'skill_stack': [{'resume_command': 'curl https://x'}]}},
        'STA005',
    ),
    'a directory that is gone': (
        'workflow_state_save',
        {'state': {}, 'project_path': '/gone/é'},
        'there is no directory /gone/é',
    ),
}


def test_a_refusal_is_a_sentence_for_the_model(repo: Repo) -> None:
    path = {'project_path': str(repo.path)}
    calls = [
        call
        for name, arguments, _ in REFUSED.values()
        for call in ((name, {**path, **arguments}), ('workflow_state_load', path))
    ]
    # one server answers all of them: it takes long to start
    answers = iter(ask(*calls))
    for wrong, (_, _, sentence) in REFUSED.items():
        refused, loaded = next(answers), next(answers)
        assert refused.error, wrong
        assert sentence in refused.text, wrong
        assert '; next: ' in refused.text, wrong
        assert loaded.answer['found'] is False, f'{wrong}: and the server goes on'
    assert next(answers, None) is None


def test_a_damaged_store_is_a_sentence_too(repo: Repo, tmp_path: Path) -> None:
    file = tmp_path / 'state.db'
    file.write_bytes(b'nonsense' * 999)
    (found,) = ask(
        ('workflow_state_load', {'project_path': str(repo.path)}),
        INTERLOCK_STORE=str(file),
    )
    assert found.error
    assert 'STA006' in found.text


def test_what_a_skill_forbids_and_requires(repo: Repo) -> None:
    skill = repo.path / '.claude/skills/größer/SKILL.md'
    skill.parent.mkdir(parents=True)
    skill.write_text('## Forbidden\n- direct edits\n## Required\n- tests\n')
    path = {'project_path': str(repo.path)}
    found, none, default = ask(
        ('skill_instructions_get', {'skill': 'größer', **path}),
        ('skill_instructions_get', {'skill': '../größer', **path}),
        ('skill_instructions_get', {'skill': 'größer'}),
    )
    assert found.answer == {
        'found': True,
        'forbidden': ['direct edits'],
        'required': ['tests'],
    }
    assert none.answer == {'found': False}
    assert default.answer == found.answer, 'the directory it was started in'


def test_without_the_sdk_the_command_that_installs_it_is_named() -> None:
    program = (
        'import sys\n'
        'sys.modules["mcp"] = None\n'
        'from interlock.commands.group import cli\n'
        'from interlock.commands.click_options import run\n'
        'raise SystemExit(run(cli, ["mcp"]))\n'
    )
    process = subprocess.run(
        (sys.executable, '-c', program), capture_output=True, text=True
    )
    assert process.returncode == 2
    assert process.stderr == (
        'interlock: refused: the MCP SDK is not installed\n'
        f"    next: {sys.executable} -m pip install 'mcp>=2.0'\n"
    )


@pytest.mark.parametrize(
    ('pip', 'start'),
    (
        pytest.param(True, f'{sys.executable} -m pip install ', id='pip'),
        pytest.param(False, f'uv pip install --python {sys.executable} ', id='none'),
    ),
)
def test_it_is_installed_where_we_are(
    monkeypatch: pytest.MonkeyPatch, pip: bool, start: str
) -> None:
    if not pip:
        monkeypatch.setitem(sys.modules, 'pip', None)
    assert mcp_install_hint.install_mcp() == f"{start}'mcp>=2.0'"
