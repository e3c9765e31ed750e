"""How a case of the tables is written, and how it is read."""

from __future__ import annotations

from typing import NamedTuple

from interlock.guard.shell.effects import Effect, Git, Removes, Runs, SetsPath, Writes
from interlock.guard.shell.read import read

CWD = '/p'
ENVIRON = {
    'HOME': '/home/ü',
    'PATH': '/usr/bin',
    'SHELL': '/bin/bash',
    'CLAUDECODE': '1',
    'CLAUDE_CODE_SESSION_ID': 'abc',
    'TARGET': 'task.json',
}


class Case(NamedTuple):
    name: str
    command: str
    # all effects that are neither Git nor Runs
    effects: tuple[Effect, ...]


def case(name: str, command: str, *effects: Effect) -> Case:
    return Case(name, command, effects)


def told(command: str) -> list[Effect]:
    """What would be judged, without the names of programs."""
    return [
        _bare(effect)
        for effect in read(command, CWD, ENVIRON)
        if not isinstance(effect, Git | Runs | SetsPath)
    ]


def _bare(effect: Effect) -> Effect:
    """Without where it comes from, or goes to, which has its own tests."""
    if isinstance(effect, Writes):
        return effect._replace(origin=None)
    elif isinstance(effect, Removes):
        return effect._replace(target='')
    return effect


def shown(effects: object) -> list[str]:
    """Effects of two kinds may be equal as tuples."""
    assert isinstance(effects, list | tuple)
    return [repr(effect) for effect in effects]
