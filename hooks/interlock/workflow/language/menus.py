"""Menus as data; only commands that show a menu read them."""

from __future__ import annotations

import os
from types import MappingProxyType

from interlock.model import quick_re as re
from interlock.model.fixes import did_you_mean
from interlock.model.quick_typing import Any, Callable, Iterator, Mapping, NamedTuple
from interlock.model.schema_check import texts
from interlock.model.state import State
from interlock.rules.index import RULES
from interlock.workflow.language.load import Language, Path, load_part
from interlock.workflow.language.presets import Reader
from interlock.workflow.language.spec import Kind
from interlock.workflow.language.typed_data import build_record

LANGUAGE = Language(
    'menu file',
    'menus.schema.json',
    os.path.join(os.path.dirname(os.path.dirname(__file__)), 'menus'),
)
# for a kind whose workflow has no menus
COMMON = 'common'
DEFAULT = 'default'
SUCCESS = 'success'
# used instead if the records of an item are incomplete
BROKEN = 'records-disagree'

EXPLORATORY = 'exploratory'
DIRECTIVE = 'directive'
ESCAPE = 'escape'

# the words that menu texts may contain in braces
WORDS = frozenset(
    'action code context date done fitting_stage fix handoff handoff_state item line '
    'next path phase place registry registry_state stage state text todo working'.split()
)
WORD_RE = re.compile(r'\{([^{}]*)\}')
# git commands that discard the content of files
LOSING = ('checkout', 'restore', 'rm')


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


def _remedies(value: Any) -> list[Mapping[str, Any]]:
    """The lines for a code; a menu name alone is a line without conditions."""
    return [{'menu': value}] if isinstance(value, str) else list(value or ())


def _build(data: Mapping[str, Any]) -> Menus:
    menus = {
        name: {**menu, 'options': [*menu['options'], OTHER]}
        for name, menu in data['menus'].items()
    }
    remedies = {code: _remedies(value) for code, value in data['remedies'].items()}
    built: Menus = build_record(Menus, {**data, 'menus': menus, 'remedies': remedies})
    return built


def _of_option(option: Mapping[str, Any], path: Path) -> Iterator[tuple[Path, str]]:
    run = option.get('run', ('', ''))
    if run[0] == 'git' and run[1] in LOSING and 'loses' not in option:
        yield path, f'`git {run[1]}` needs `loses`'
    if any('{text}' in each for each in run) and 'asks' not in option:
        yield path, '`{text}` needs `asks`'


def _of_menus(menus: Mapping[str, Any]) -> Iterator[tuple[Path, str]]:
    for path, text in texts(menus, ('menus',)):
        for word in WORD_RE.findall(text):
            if word not in WORDS:
                near = did_you_mean(word, WORDS)
                yield path, f'`{{{word}}}` is not a placeholder{near}'
    for name, menu in menus.items():
        used: set[str] = set()
        for number, option in enumerate((menu or {}).get('options', ())):
            path = ('menus', name, 'options', number)
            yield from _of_option(option, path)
            for word in option.get('keywords', ()):
                if word in used:
                    yield path, f'the keyword `{word}` occurs twice'
                used.add(word)


def _unknown_states(
    path: Path, line: Mapping[str, Any], states: Mapping[str, Any]
) -> Iterator[tuple[Path, str]]:
    after = line.get('after', ())
    for word in [after] if isinstance(after, str) else after:
        if word not in states:
            yield path, f'no state is named `{word}`{did_you_mean(word, states)}'


def mistakes(
    data: Mapping[str, Any], states: Mapping[str, Any]
) -> Iterator[tuple[Path, str]]:
    """Mistakes that the schema cannot find; menu names are not looked up here."""
    yield from _of_menus(data.get('menus', {}))
    for number, line in enumerate(data.get('checkpoints', ())):
        yield from _unknown_states(('checkpoints', number, 'after'), line, states)
    for code, value in data.get('remedies', {}).items():
        path = ('remedies', code)
        if code not in RULES and code != DEFAULT:
            yield path, f'no rule is named `{code}`{did_you_mean(code, RULES)}'
        for line in _remedies(value):
            yield from _unknown_states(path, line, states)


def _unknown_menus(data: Mapping[str, Any]) -> Iterator[tuple[Path, str]]:
    menus, remedies = data.get('menus', {}), data.get('remedies', {})
    named: list[tuple[Path, str]] = [
        (('checkpoints', number, 'menu'), line['menu'])
        for number, line in enumerate(data.get('checkpoints', ()))
    ]
    named += [
        (('remedies', code), line['menu'])
        for code, value in remedies.items()
        for line in _remedies(value)
    ]
    for path, name in named:
        if name not in menus:
            yield path, f'no menu is named `{name}`{did_you_mean(name, menus)}'
    if DEFAULT not in remedies:
        yield ('remedies',), f'the key `{DEFAULT}` is missing'


def load(kind: Kind | None, file: str, read: Reader) -> Menus:
    """The menus of a kind; `file` is the workflow that names them.

    A project without items gets the menus that all projects share.
    """
    named = {'extends': COMMON, **(kind.menus if kind else {})}
    states = kind.states if kind else {}
    source = load_part(named, file, read, LANGUAGE)
    for path, message in (*mistakes(source.data, states), *_unknown_menus(source.data)):
        raise source.refuse(path, message)
    return _build(source.data)
