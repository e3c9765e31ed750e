from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from interlock.model.finding import ERROR
from interlock.tasks.conditions.view import View


class Fault(NamedTuple):
    """Why a condition does not hold."""

    message: str
    severity: str = ERROR
    # whom it is about, '' for nobody or for several
    agent: str = ''
    # what mends this, where the workflow knows only what mends most
    recovery: str = ''


class Condition(NamedTuple):
    code: str
    judge: Callable[[View], Iterator[Fault]]
    # what is said where it holds
    holds: str


class Verdict(NamedTuple):
    name: str
    code: str
    # '' where the condition holds
    severity: str
    message: str
    # why it does not, by the workflow: what caused it, in which state, and
    # what is to be done
    cause: str = ''
    origin: str = ''
    recovery: str = ''

    @property
    def refuses(self) -> bool:
        return self.severity == ERROR
