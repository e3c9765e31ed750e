"""The conditions of gates: each is registered once, by its function."""

from __future__ import annotations

from interlock.model.finding import ERROR
from interlock.model.quick_typing import Callable, Iterator, NamedTuple
from interlock.tasks.conditions.view import View

# slow to gather, so only for conditions that need it
TREE = 'tree'
AGENT_TREES = 'agent trees'
MAIN = 'main branch'
TRAIL_SCHEMA = 'trail schema'


class Unmet(NamedTuple):
    """Why a condition does not hold."""

    message: str
    severity: str = ERROR
    # the agent that it is about, '' for none or several
    agent: str = ''
    # the fix, if it differs from the one in the workflow
    recovery: str = ''
    # the state that should have met it, if the workflow does not name one
    origin: str = ''


Judge = Callable[[View], Iterator[Unmet]]


class Condition(NamedTuple):
    code: str
    judge: Judge
    # the sentence for a condition that holds
    holds: str
    needs: frozenset[str]


class ConditionResult(NamedTuple):
    name: str
    code: str
    # '' where the condition holds
    severity: str
    message: str
    # if it does not hold, from the workflow: cause, state, and what to do
    cause: str = ''
    origin: str = ''
    recovery: str = ''

    @property
    def refuses(self) -> bool:
        return self.severity == ERROR


CONDITIONS: dict[str, Condition] = {}


def condition(
    code: str, holds: str, needs: set[str] | None = None, name: str = ''
) -> Callable[[Judge], Judge]:
    """Register a condition; in workflows it has the name of its function."""

    def register(judge: Judge) -> Judge:
        own = name or judge.__name__.replace('_', '-')
        CONDITIONS[own] = Condition(code, judge, holds, frozenset(needs or ()))
        return judge

    return register
