from __future__ import annotations

from interlock.model.quick_typing import NamedTuple

# what helps an agent that does not say its session: it cannot name one itself
RESTART = 'restart the client: it passes its session id to what it runs'


class Actor(NamedTuple):
    """Who acts: a session of agents, or a person."""

    # '' for a person, and for an agent that does not say its session
    session: str
    # '' for the main agent of a session
    agent: str
    host: str
    pid: int
    # an agent runs us, whether or not it says its session
    automated: bool

    @property
    def is_human(self) -> bool:
        return not self.session and not self.automated

    @property
    def is_anonymous(self) -> bool:
        """An agent without a session id."""
        return not self.session and self.automated
