"""One adapter per client of coding agents; see the README of the package.

An adapter is a class of data (`adapter.py`): the client's names of events,
fields and tools, the one form of answer that it accepts, and the files and
variables that it reads and sets. Only the adapter of the client that calls us is
imported. Nothing outside this package knows the name of a client.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.agents.adapter import Adapter
    from interlock.model.quick_typing import Iterator

# each is a module of this package
ADAPTERS = ('claude', 'codex', 'copilot', 'qwen', 'opencode', 'gemini', 'cursor')


def adapter_of(name: str) -> Adapter:
    if name not in ADAPTERS:
        from interlock.model.errors import Refusal

        raise Refusal(
            f'no client is named `{name}`; there are {", ".join(ADAPTERS)}',
            # the clients that are configured here
            'interlock init --agent auto',
        )
    module = __import__(f'interlock.agents.{name}', fromlist=['ADAPTER'])
    found: Adapter = module.ADAPTER
    return found


def adapters() -> Iterator[Adapter]:
    return map(adapter_of, ADAPTERS)
