from __future__ import annotations

from interlock.model.quick_typing import NamedTuple

# the remedy for an agent without a session id: it cannot choose one itself
RESTART = 'restart the client: it passes its session id to the commands that it runs'


class Actor(NamedTuple):
    """Who acts: a session of agents, or a person."""

    # '' for a person, and for an agent without a session id
    session: str
    # '' for the main agent of a session
    agent: str
    host: str
    pid: int
    # whether an agent runs us, with or without a session id
    automated: bool

    @property
    def is_human(self) -> bool:
        return not self.session and not self.automated

    @property
    def is_anonymous(self) -> bool:
        """An agent without a session id."""
        return not self.session and self.automated
