"""What a condition of a gate is: registered once, by its function."""

from __future__ import annotations

from interlock.model.finding import ERROR
from interlock.model.quick_typing import Callable, Iterator, NamedTuple
from interlock.tasks.conditions.view import View

# what is gathered only for conditions that need it, because it is slow
TREE = 'tree'
AGENT_TREES = 'agent trees'
MAIN = 'main branch'
TRAIL_SCHEMA = 'trail schema'


class Unmet(NamedTuple):
    """Why a condition does not hold."""

    message: str
    severity: str = ERROR
    # whom it is about, '' for nobody or for several
    agent: str = ''
    # what fixes this, where it is not what the workflow says
    recovery: str = ''


Judge = Callable[[View], Iterator[Unmet]]


class Condition(NamedTuple):
    code: str
    judge: Judge
    # what is said where it holds
    holds: str
    needs: frozenset[str]


class ConditionResult(NamedTuple):
    name: str
    code: str
    # '' where the condition holds
    severity: str
    message: str
    # else, by the workflow: what caused it, in which state, and what to do
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
    """Register a condition; workflows name it like its function."""

    def register(judge: Judge) -> Judge:
        own = name or judge.__name__.replace('_', '-')
        CONDITIONS[own] = Condition(code, judge, holds, frozenset(needs or ()))
        return judge

    return register
