"""A command with its words expanded: who reads it."""

from __future__ import annotations

import posixpath

from interlock.guard.shell.dry_read import effects, is_telling
from interlock.guard.shell.effects import Runs
from interlock.guard.shell.handlers import Handler
from interlock.guard.shell.placeholders import ANY, is_plain, shown
from interlock.guard.shell.prefilter import PARTS
from interlock.guard.shell.programs import (
    builtins,
    containers,
    copying,
    editing,
    find_grep,
    git,
    in_place,
    interpreters,
    other_programs,
    printing,
    removing,
    shells,
    wrappers,
)
from interlock.guard.shell.programs.commit_wrappers import passes_on
from interlock.guard.shell.programs.read_only import READERS
from interlock.guard.shell.quoting import quote
from interlock.guard.shell.state import Level, State
from interlock.guard.shell.walk import call

PROGRAMS: dict[str, Handler] = {
    **builtins.PROGRAMS,
    **containers.PROGRAMS,
    **copying.PROGRAMS,
    **editing.PROGRAMS,
    **find_grep.PROGRAMS,
    **in_place.PROGRAMS,
    **git.PROGRAMS,
    **interpreters.PROGRAMS,
    **printing.PROGRAMS,
    **removing.PROGRAMS,
    **shells.PROGRAMS,
    **other_programs.PROGRAMS,
    **wrappers.PROGRAMS,
}
# they tell of themselves, or do nothing that anybody asks about
SILENT = frozenset(
    (
        *builtins.PROGRAMS,
        *git.PROGRAMS,
        *wrappers.PROGRAMS,
        'echo',
        'printf',
        'make',
        'gmake',
    )
)


def run(state: State, words: list[str]) -> str:
    state.spend('it runs too many commands')
    name, args = words[0], words[1:]
    if name in state.functions:
        with Level(state):
            return call(state, state.functions[name], args)
    if name in state.aliases:
        return _alias(state, name, args)
    base = posixpath.basename(name)
    if not base:
        # a directory, or nothing: no program
        return ''
    if not is_plain(base):
        state.unknown(f'the command is `{shown(name)}`')
        return ANY
    if '/' in name:
        inner = state.child()
        inner.arrays['@'] = args
        if not inner.script(name):
            interpreters.started(inner, name)
    return program(state, base, args)


def _alias(state: State, name: str, args: list[str]) -> str:
    text = state.aliases.pop(name)
    line = ' '.join((text, *(quote(word) for word in args)))
    with Level(state):
        found = state.text(line)
    state.aliases[name] = text
    return found


def program(state: State, base: str, args: list[str]) -> str:
    base = base.removesuffix('.exe')
    if base.startswith('git-') and base != 'git-':
        base, args = 'git', [base.removeprefix('git-'), *args]
    handler = PROGRAMS.get(interpreters.family(base))
    if base not in SILENT:
        shown_args = tuple(shown(word) for word in args)
        state.add(Runs(base, shown_args, state.directory))
    if (
        base not in READERS
        and not base.startswith('interlock')
        and (
            handler is None
            or interpreters.is_interpreter(base)
            or base in containers.PROGRAMS
        )
    ):
        passes_on(state, base, args)
        _suspected(state, base, args)
    return ANY if handler is None else handler(state, base, args)


def _suspected(state: State, name: str, args: list[str]) -> None:
    """A program that nobody here knows may run what it is given."""
    texts = [word for word in args if ' ' in word.strip()]
    names = [posixpath.basename(word) for word in args]
    for name_ in ('git', 'interlock'):
        rest = args[names.index(name_) :] if name_ in names else []
        texts.append(' '.join(map(quote, rest)))
    for text in texts:
        if any(part in text for part in PARTS) and any(
            is_telling(each) for each in effects(state, text)
        ):
            state.unknown(f'`{name}` may run `{shown(text)}`')
