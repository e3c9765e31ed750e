"""Reads and validates files of menus."""

from __future__ import annotations

import os

from interlock.model.fixes import did_you_mean
from interlock.model.quick_typing import Any, Iterator, Mapping
from interlock.model.schema_check import texts
from interlock.rules.index import RULES
from interlock.workflow.language.load import Language, Path, Source, load_part
from interlock.workflow.language.menus import DEFAULT, WORD_RE, named_by, remedy_lines
from interlock.workflow.language.presets import Reader
from interlock.workflow.language.spec import Kind

LANGUAGE = Language(
    'menu file',
    'menus.schema.json',
    os.path.join(os.path.dirname(os.path.dirname(__file__)), 'menus'),
)
# the words that menu texts may contain in braces
WORDS = frozenset(
    'action code context date done fitting_stage fix handoff handoff_state item line '
    'next path phase place registry registry_state stage state text todo working'.split()
)
# git commands that discard the content of files
LOSING = ('checkout', 'restore', 'rm')


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
        for line in remedy_lines(value):
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
        for line in remedy_lines(value)
    ]
    for path, name in named:
        if name not in menus:
            yield path, f'no menu is named `{name}`{did_you_mean(name, menus)}'
    if DEFAULT not in remedies:
        yield ('remedies',), f'the key `{DEFAULT}` is missing'


def load(kind: Kind | None, file: str, read: Reader) -> Source:
    """The menus of a kind as data; `file` is the workflow that names them."""
    states = kind.states if kind else {}
    source = load_part(named_by(kind), file, read, LANGUAGE)
    for path, message in (*mistakes(source.data, states), *_unknown_menus(source.data)):
        raise source.refuse(path, message)
    return source
