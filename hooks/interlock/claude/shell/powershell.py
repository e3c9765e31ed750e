"""A coarse reading of PowerShell: when in doubt it is unknown."""
from __future__ import annotations

from collections.abc import Mapping

from interlock.claude.shell.dispatch import run
from interlock.claude.shell.effects import Effect
from interlock.claude.shell.effects import Poses
from interlock.claude.shell.effects import Unknown
from interlock.claude.shell.environment import changed
from interlock.claude.shell.environment import is_posing
from interlock.claude.shell.environment import SKIPPING
from interlock.claude.shell.marks import ANY
from interlock.claude.shell.marks import clean
from interlock.claude.shell.marks import shown
from interlock.claude.shell.powershell_words import cut
from interlock.claude.shell.read import unique
from interlock.claude.shell.state import Enough
from interlock.claude.shell.state import Level
from interlock.claude.shell.state import Shared
from interlock.claude.shell.state import State
from interlock.claude.shell.walk import LIMIT
from interlock.claude.shell.walk import walk

REMOVING = frozenset((
    'remove-item', 'ri', 'rm', 'del', 'erase', 'rd', 'rmdir',
))
WRITING = frozenset((
    'set-content', 'sc', 'add-content', 'ac', 'out-file', 'new-item', 'ni',
    'clear-content', 'clc', 'tee-object', 'tee', 'export-csv', 'export-clixml',
    'set-itemproperty', 'sp', 'set-acl',
))
# the last of their operands is written, the others are gone with a move
COPYING = frozenset(('copy-item', 'cpi', 'cp', 'copy'))
MOVING = frozenset((
    'move-item', 'mi', 'mv', 'move', 'rename-item', 'rni', 'ren',
))
GOING = frozenset((
    'set-location', 'sl', 'cd', 'chdir', 'push-location', 'pushd',
))
EVALUATING = frozenset(('invoke-expression', 'iex', 'invoke-command', 'icm'))
SHELLS = frozenset(('powershell', 'pwsh', 'cmd'))
# parameters whose value is no path
VALUES = frozenset((
    '-value', '-encoding', '-itemtype', '-type', '-width', '-filter',
    '-include', '-exclude', '-credential', '-erroraction', '-ea', '-stream',
    '-inputobject', '-variable', '-name',
))


def _words(args: list[str]) -> list[str]:
    """The operands, and the values of parameters that name a path."""
    found, at = [], 0
    while at < len(args):
        word = args[at]
        if word.lower() in VALUES:
            at += 1
        elif word[:1] != '-':
            found.append(word.replace('\\', '/'))
        at += 1
    return found


def _command(state: State, words: list[str]) -> None:
    while '>' in words or '>>' in words:
        at = next(n for n, word in enumerate(words) if word in ('>', '>>'))
        for target in words[at + 1:at + 2]:
            if target != '$null':
                state.writes(target.replace('\\', '/'), words[at])
        words = words[:at] + words[at + 2:]
    called = words[:1] == ['&']
    words = words[called:]
    if words and '=' in ''.join(words[:2]):
        words = _assigned(state, words)
    # a variable is called with `&` only, else it is an expression
    if words and (called or not words[0].startswith(ANY)):
        name = words[0].lower().rpartition('\\')[2].removesuffix('.exe')
        _program(state, name, words)


def _assigned(state: State, words: list[str]) -> list[str]:
    """What stands behind `$x =`; the cutter leaves `env:X` as a name."""
    name, _, first = words[0].partition('=')
    rest = words[1:]
    if rest[:1] == ['=']:
        rest = rest[1:]
    elif '=' not in words[0]:
        return words
    if name.lower().startswith('env:'):
        changed(state, name[4:].upper(), ''.join((first, *rest)), '$env:')
        return []
    if not name.startswith(ANY):
        return words
    return [first, *rest] if first else rest


def _program(state: State, name: str, words: list[str]) -> None:
    args = words[1:]
    if name in REMOVING:
        for word in _words(args):
            _removed(state, name, word)
    elif name in WRITING:
        for word in _words(args)[:1]:
            state.writes(word, name)
    elif name in COPYING | MOVING:
        *sources, target = _words(args) or [ANY]
        for word in sources if name in MOVING else []:
            state.removes(word, name, recursive=True)
        state.writes(target, name, recursive=True)
    elif name in GOING:
        for word in _words(args)[:1]:
            state.enter(word)
    elif name in EVALUATING or name in SHELLS:
        _evaluated(state, name, args)
    elif '::' in name:
        state.unknown(f'`{shown(name)}` is a call of .NET')
    else:
        run(state, [words[0].replace('\\', '/'), *args])


def _removed(state: State, name: str, word: str) -> None:
    if word.lower().startswith('env:'):
        variable = word[4:].lstrip('/').upper()
        if is_posing(variable):
            state.add(Poses(variable, name))
    else:
        state.removes(word, name, recursive=True)


def _evaluated(state: State, name: str, args: list[str]) -> None:
    flags = [word.lower() for word in args if word[:1] in '-/']
    if any(flag.startswith(('-e', '-f')) for flag in flags):
        state.unknown(f'`{name}` runs what cannot be read here')
        return
    text = ' '.join(word for word in args if word[:1] not in ('-', '/'))
    if not text or text == ANY:
        state.unknown(f'`{name}` runs `{shown(text)}`')
    else:
        _text(state, text)


def _text(state: State, text: str) -> str:
    if len(text) > LIMIT:
        raise Enough('it is too long')

    def lookup(name: str) -> str | None:
        scope, _, variable = name.rpartition(':')
        if name in ('true', 'false', 'null'):
            return f'${name}'
        if scope == 'env':
            known = state.value(variable.upper())
            telling = is_posing(variable.upper()) or (
                variable.upper() in SKIPPING or known is None
            )
            return f'env:{variable}' if telling else known
        return state.cwd if name == 'pwd' else None

    with Level(state):
        for words in cut(text, lookup):
            _command(state, words)
    return ANY


def read_powershell(
        command: str,
        cwd: str,
        environ: Mapping[str, str],
) -> list[Effect]:
    known = {name: clean(value) for name, value in environ.items()}
    shared = Shared(known, '', run, _text, walk)
    try:
        _text(State(shared, clean(cwd).replace('\\', '/')), clean(command))
    except Enough as e:
        shared.effects.append(Unknown(f'{e}'))
    except RecursionError:
        shared.effects.append(Unknown('it is nested too deeply'))
    return unique(shared.effects)
