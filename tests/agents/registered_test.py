"""The adapters, and the index of them that lower rooms import."""

from __future__ import annotations

import pytest
from docs import clients

from interlock.agents.registered import ADAPTERS, adapter
from interlock.guard.dispatch import HANDLERS
from interlock.guard.event import PRE_TOOL
from interlock.model.errors import Refusal


def test_the_index_of_clients_is_up_to_date() -> None:
    assert clients.FILE.read_text('UTF-8') == clients.index(), 'run make docs'


@pytest.mark.parametrize('name', ADAPTERS)
def test_an_adapter_says_what_is_needed(name: str) -> None:
    found = adapter(name)
    assert found.name == name
    assert found.title
    assert set(found.events.values()) <= set(HANDLERS)
    assert PRE_TOOL in found.events.values()
    assert found.marks or found.sessions


def test_a_client_that_nobody_knows() -> None:
    with pytest.raises(Refusal, match='no client is named `x`'):
        adapter('x')
