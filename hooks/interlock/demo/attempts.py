"""Good and bad commits and calls of tools, with the rules that must refuse them."""

from __future__ import annotations

import os

from interlock.documents import yaml
from interlock.model.quick_typing import Any, Mapping, NamedTuple

TABLE = 'FEATURES.md'
SPEC = 'features/Login/spec.md'
WORKFLOW = '.interlock.yaml'
DATA = yaml.of_file(os.path.join(os.path.dirname(__file__), 'attempts.yaml'))
FROZEN = DATA['frozen']


class Attempt(NamedTuple):
    """A commit, or the call of a tool by an agent."""

    what: str
    # the files of the commit, or the input of the tool
    given: Mapping[str, str]
    # the code of the rule that refuses it, '' if it must pass
    refused_by: str = ''
    # of the commit
    message: str = ''
    # whether the demo then runs the command that the refusal names
    follows: bool = False
    tool: str = ''


def table(**states: str) -> str:
    rows = [
        f'| {item:7} | {state:8} | {DATA["owners"].get(item, "Ana"):5} |\n'
        for item, state in {**DATA['start'], **states}.items()
        if state
    ]
    return ''.join((DATA['head'], *rows))


def _attempt(data: Mapping[str, Any]) -> Attempt:
    more = dict(data)
    text = table(**more.pop('states', {}))
    for old, new in more.pop('replaced', {}).items():
        text = text.replace(old, new)
    given = {
        name: each.replace('{table}', text) for name, each in more['given'].items()
    }
    return Attempt(**{**more, 'given': given})


def commits() -> list[Attempt]:
    return [*map(_attempt, DATA['commits'])]


def calls() -> list[Attempt]:
    return [*map(_attempt, DATA['calls'])]
