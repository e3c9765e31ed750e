"""A lock file: who may change a task, and its state."""

from __future__ import annotations

from interlock.documents.json import Json, parse_object, text_of
from interlock.model.change import Blob
from interlock.model.errors import Unreadable
from interlock.model.quick_typing import Any, Mapping, NamedTuple
from interlock.model.session_env import identity


class Keys(NamedTuple):
    """What each key means, and older names of keys."""

    roles: Mapping[str, str]
    aliases: Mapping[str, str]


class LogStep(NamedTuple):
    """An entry of the log; unreadable values are ''."""

    # None: there was no state before
    origin: str | None
    target: str
    time: str
    reason: str
    line: int
    # who took part then, None if it does not say
    agents: tuple[str, ...] | None = None


class Lock(NamedTuple):
    keys: Keys
    json: Json
    # if set, nothing else is known: the lock is held by an unknown session
    problem: Unreadable | None = None

    @property
    def data(self) -> dict[str, Any]:
        found: dict[str, Any] = self.json.data
        return found

    def key(self, role: str) -> str:
        """The key for a role in this lock, maybe an older one."""
        key = self.keys.roles.get(role, role)
        if key in self.data:
            return key
        for alias, target in self.keys.aliases.items():
            if target == key and alias in self.data:
                return alias
        return key

    def get(self, role: str) -> Any:
        return self.data.get(self.key(role))

    def text(self, role: str) -> str:
        return text_of(self.get(role))

    def values(self, role: str) -> list[Any]:
        """The list of a role; [] if it is not a list."""
        value = self.get(role)
        return value if isinstance(value, list) else []

    def mapping(self, role: str) -> dict[str, Any]:
        """The object of a role; {} if it is not an object."""
        value = self.get(role)
        return value if isinstance(value, dict) else {}

    def having(self, role: str, value: Any) -> Lock:
        """The lock with a new value."""
        data = {**self.data, self.key(role): value}
        return self._replace(json=self.json._replace(data=data))

    def line(self, role: str) -> int:
        return self.json.line(self.key(role))

    @property
    def session(self) -> str:
        """The session that holds the lock, '' if unknown."""
        value = self.text('session')
        return value if identity(value) else ''

    @property
    def state(self) -> str:
        return self.text('state')

    @property
    def task(self) -> str:
        return self.text('task')

    @property
    def generation(self) -> int:
        value = self.get('generation')
        is_number = isinstance(value, int) and not isinstance(value, bool)
        return value if is_number and value > 0 else 0

    @property
    def agents(self) -> tuple[str, ...]:
        """The required agents; an object names them by its keys."""
        value = self.get('agents')
        if not isinstance(value, (list, dict)):
            return ()
        return tuple(each for each in value if isinstance(each, str))

    def recorded(self, role: str) -> tuple[str, ...]:
        """The values of a key: the earlier ones, then the current one."""
        earlier = [
            text_of(each.get('from'))
            for each in self.values('corrections')
            if isinstance(each, dict) and each.get('field') == self.key(role)
        ]
        return (*earlier, self.text(role))

    @property
    def log(self) -> tuple[LogStep, ...]:
        key = self.key('log')
        return tuple(
            _step(entry, self.json.line(key, number))
            for number, entry in enumerate(self.values('log'))
        )

    @property
    def used_aliases(self) -> tuple[tuple[str, str], ...]:
        """The older keys in this lock, each with the key it stands for.

        An older key beside its new key is a key of its own.
        """
        return tuple(
            (alias, key)
            for alias, key in self.keys.aliases.items()
            if alias in self.data and key not in self.data
        )


def _step(entry: Any, line: int) -> LogStep:
    if not isinstance(entry, dict):
        return LogStep('', '', '', '', line)
    origin, agents = entry.get('from', ''), entry.get('agents')
    return LogStep(
        None if origin is None else text_of(origin),
        text_of(entry.get('to')),
        text_of(entry.get('timestamp')),
        text_of(entry.get('reason')),
        line,
        tuple(map(str, agents)) if isinstance(agents, list) else None,
    )


NOTHING = Json({}, '')


def parse(blob: Blob, keys: Keys) -> Lock:
    try:
        return Lock(keys, parse_object(blob))
    except Unreadable as e:
        return Lock(keys, NOTHING, e)
