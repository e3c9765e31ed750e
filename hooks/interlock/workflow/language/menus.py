"""Menus as data; only commands that show a menu build them."""

from __future__ import annotations

from types import MappingProxyType

from interlock.model import quick_re as re
from interlock.model.quick_typing import Any, Callable, Mapping, NamedTuple
from interlock.model.state import State
from interlock.workflow.language.spec import Kind
from interlock.workflow.language.typed_data import build_record

# for a kind whose workflow has no menus
COMMON = 'common'
DEFAULT = 'default'
SUCCESS = 'success'
# used instead if the records of an item are incomplete
BROKEN = 'records-disagree'

EXPLORATORY = 'exploratory'
DIRECTIVE = 'directive'
ESCAPE = 'escape'

WORD_RE = re.compile(r'\{([^{}]*)\}')


class Option(NamedTuple):
    label: str
    kind: str = EXPLORATORY
    keywords: tuple[str, ...] = ()
    recommended: bool = False
    discovery: str = ''
    text: str = ''
    # the program and its arguments, () for none
    run: tuple[str, ...] = ()
    loses: tuple[str, ...] = ()
    asks: str = ''
    note: str = ''
    # the condition for offering it
    when: str = ''


# part of every menu: accepts any text and shows the menu again
OTHER = Option('Other')


class Menu(NamedTuple):
    name: str
    options: tuple[Option, ...]
    statement: str = ''
    head: str = ''
    question: str = ''
    note: str = ''


class CheckpointSpec(NamedTuple):
    """The menu for an outcome, if all conditions hold."""

    menu: str
    after: tuple[str, ...]
    phase: bool | None
    open: bool | None
    closes: bool | None
    when: Mapping[str, str]
    outcome: str = SUCCESS

    def matches(
        self,
        outcome: str,
        state: State | None,
        is_open: bool,
        closes: bool,
        fields: Mapping[str, str],
    ) -> bool:
        in_phase = state is not None and state.phase is not None
        return (
            outcome == self.outcome
            and self.phase in {None, in_phase}
            and self.open in {None, is_open}
            and self.closes in {None, closes}
            and (not self.after or bool(state and state.name in self.after))
            and all(fields.get(key) == text for key, text in self.when.items())
        )


class Remedy(NamedTuple):
    """A menu for a finding, if its conditions hold."""

    menu: str
    # a file that must exist
    exists: str = ''
    # the states in which the registry must have the item
    after: tuple[str, ...] = ()


def is_plain(line: Remedy) -> bool:
    return not line.exists and not line.after


class Menus(NamedTuple):
    menus: Mapping[str, Menu]
    checkpoints: tuple[CheckpointSpec, ...]
    # code of a finding -> menus; the first match is shown
    remedies: Mapping[str, tuple[Remedy, ...]]

    @property
    def outcomes(self) -> list[str]:
        return list(dict.fromkeys(line.outcome for line in self.checkpoints))

    def after(
        self,
        outcome: str,
        state: State | None,
        is_open: bool = False,
        closes: bool = False,
        fields: Mapping[str, str] = MappingProxyType({}),
    ) -> Menu | None:
        """The menu for an outcome.

        `is_open`: the state is not done yet; `closes`: its phases are done,
        and the state itself is to be closed; `fields` are those of the
        handoff.
        """
        for line in self.checkpoints:
            if line.matches(outcome, state, is_open, closes, fields):
                return self.menus[line.menu]
        return None

    def remedy(self, code: str, fits: Callable[[Remedy], bool] = is_plain) -> Menu:
        found = [line for line in self.remedies.get(code, ()) if fits(line)]
        return self.menus[(*found, self.remedies[DEFAULT][-1])[0].menu]


def named_by(kind: Kind | None) -> dict[str, Any]:
    """What a workflow says about the menus of a kind.

    A project without items gets the menus that all projects share.
    """
    return {'extends': COMMON, **(kind.menus if kind else {})}


def remedy_lines(value: Any) -> list[Mapping[str, Any]]:
    """The lines for a code; a menu name alone is a line without conditions."""
    return [{'menu': value}] if isinstance(value, str) else list(value or ())


def build(data: Mapping[str, Any]) -> Menus:
    menus = {
        name: {**menu, 'options': [*menu['options'], OTHER]}
        for name, menu in data['menus'].items()
    }
    remedies = {code: remedy_lines(value) for code, value in data['remedies'].items()}
    built: Menus = build_record(Menus, {**data, 'menus': menus, 'remedies': remedies})
    return built
