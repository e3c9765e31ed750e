"""The adapters by name. Only the requested one is imported."""

from __future__ import annotations

from interlock.model.errors import Refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.agents.adapter import Adapter
    from interlock.model.quick_typing import Iterator

# each is a module of this package
ADAPTERS = ('claude', 'codex', 'copilot', 'qwen', 'opencode', 'gemini', 'cursor')


def adapter(name: str) -> Adapter:
    if name not in ADAPTERS:
        raise Refusal(
            f'no client is named `{name}`; there are {", ".join(ADAPTERS)}',
            # the clients that are configured here
            'interlock init --agent auto',
        )
    module = __import__(f'interlock.agents.{name}', fromlist=['ADAPTER'])
    found: Adapter = module.ADAPTER
    return found


def adapters() -> Iterator[Adapter]:
    return map(adapter, ADAPTERS)
