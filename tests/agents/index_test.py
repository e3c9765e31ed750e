"""The adapters, and the index of them that lower rooms import."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from docs import clients

from interlock import agents
from interlock.agents import ADAPTERS, adapter_of
from interlock.guard.dispatch import HANDLERS
from interlock.guard.event import PRE_TOOL
from interlock.model.errors import Refusal


def test_the_index_of_clients_is_up_to_date() -> None:
    assert clients.FILE.read_text('UTF-8') == clients.index(), 'run make docs'


@pytest.mark.parametrize('name', ADAPTERS)
def test_an_adapter_says_what_is_needed(name: str) -> None:
    found = adapter_of(name)
    assert found.name == name
    assert found.title
    assert set(found.events.values()) <= set(HANDLERS)
    assert PRE_TOOL in found.events.values()
    assert found.marks or found.sessions


def test_an_unknown_client() -> None:
    with pytest.raises(Refusal, match='no client is named `x`'):
        adapter_of('x')


def test_no_client_is_named_outside_of_its_adapter() -> None:
    """The launcher and the script that older settings call keep their names."""
    package = Path(agents.__file__).parents[1]
    released = {'claude', 'codex', 'copilot', 'qwen', 'opencode', 'gemini', 'cursor'}
    assert released <= set(ADAPTERS)
    # a database has cursors too
    words = [rf'\b{name}' for name in ADAPTERS if name != 'cursor']
    named = re.compile('|'.join([*words, r'\.cursor/', 'CURSOR_']), re.IGNORECASE)
    # the demo plays one of them
    ours = ('agents/', 'claude/', 'demo/', 'model/clients.py')
    found = [
        f'{path.relative_to(package)}: {line.strip()}'
        for path in package.rglob('*.py')
        if not path.relative_to(package).as_posix().startswith(ours)
        for line in path.read_text('UTF-8').splitlines()
        if named.search(line)
    ]
    assert found == []
