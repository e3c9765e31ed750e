"""An engine behind a proxy that a test breaks, and the same one beside it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from interlock.tasks.engines.engine import Engine
from tests.fleet.engines import build
from tests.fleet.proxy import Fault, Kind, Proxy

# what a client sends when it asks for a change
CHANGES = {
    'postgresql': (
        b'interlock.acquire',
        b'interlock.change',
        b'interlock.release',
        b'interlock.force',
    ),
    'remote-git': (b'report-status',),
    'remote-http': (b'POST /app.git/git-receive-pack',),
}
TRIGGERS = {kind: changes[0] for kind, changes in CHANGES.items()}
# seconds for one question: long enough for a busy machine
TIMEOUT = 3.0


class Stoppable(Protocol):
    def signal(self, number: int) -> None:
        """To every process of the server."""


class Proxied:
    def __init__(
        self,
        kind: str,
        proxy: Proxy,
        spec_at: Callable[[int], dict[str, Any]],
        direct: int,
        server: Stoppable | None,
    ) -> None:
        self.kind = kind
        self.proxy = proxy
        self.server = server
        self.timeout = TIMEOUT
        self._spec_at = spec_at
        self.engine = self.at(proxy.port)
        self.direct = self.at(direct)

    def spec(self, port: int) -> dict[str, Any]:
        """A machine that reaches the server by a port."""
        return {**self._spec_at(port), 'timeout': self.timeout}

    def at(self, port: int) -> Engine:
        return build(self.spec(port))

    def once(self, kind: Kind, seconds: float = 0.0) -> None:
        self.proxy.once(kind, TRIGGERS[self.kind], seconds)

    def always(self, kind: Kind) -> None:
        trigger = TRIGGERS[self.kind]
        fault = Fault(kind, trigger)
        self.proxy.choose = lambda sent: fault if trigger in sent else None

    def heal(self) -> None:
        self.proxy.choose = lambda sent: None
