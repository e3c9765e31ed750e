"""Interpreters of other languages, and the code that stands in the line."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable

from interlock.guard.shell.effects import Runs
from interlock.guard.shell.handlers import Handler
from interlock.guard.shell.options import parse
from interlock.guard.shell.path_patterns import place
from interlock.guard.shell.placeholders import ANY, SOME, shown
from interlock.guard.shell.state import State

# program -> the options whose value is code
CODE = {
    'python': ('-c',),
    'pypy': ('-c',),
    'node': ('-e', '--eval', '-p', '--print'),
    'nodejs': ('-e', '--eval', '-p', '--print'),
    'deno': (),
    'perl': ('-e', '-E'),
    'ruby': ('-e',),
    'php': ('-r',),
    'lua': ('-e',),
    'osascript': ('-e',),
    'Rscript': ('-e',),
    'tclsh': (),
    'ipython': ('-c',),
    'tsx': ('-e', '--eval'),
    'ts-node': ('-e', '--eval'),
    'julia': ('-e',),
    'elixir': ('-e',),
    'groovy': ('-e',),
}
# code that names one of these means to get past the hooks
TELLING = ('--no-verify', 'hooksPath', 'hookspath', 'GIT_CONFIG_')


def family(program: str) -> str:
    """`python3.12` is a python."""
    bare = program.rstrip('0123456789.')
    return bare if bare in CODE else program


def mentions(code: str, names: Iterable[str]) -> list[str]:
    """The names that stand in a piece of code; a path also by its end."""
    return [name for name in names if name and name in code]


def _short(code: str) -> list[str]:
    """-n among the words of a commit."""
    quoted = ("'-n'", '"-n"', "'-nm'", '"-nm"', "'-anm'", '"-anm"')
    return ['-n'] if 'commit' in code and mentions(code, quoted) else []


def is_interpreter(program: str) -> bool:
    return family(program) in CODE


def _code(args: list[str], flags: Iterable[str]) -> list[str]:
    return [
        args[at + 1]
        for at, word in enumerate(args[:-1])
        if word in flags
        or (
            # -ne, -pie
            '-e' in flags
            and word[:1] == '-'
            and word[:2] != '--'
            and word[-1:] in ('e', 'E')
            and word[1:].isalpha()
        )
    ]


def _interpreter(state: State, name: str, args: list[str]) -> str:
    flags = CODE[family(name)]
    code = _code(args, flags)
    operands = [word for word in args if word[:1] != '-' or word == '-']
    fed = state.stdin
    if not code and operands[:1] in ([], ['-']) and '-m' not in args:
        if fed is not None and fed not in (ANY, SOME):
            code = [fed]
            words = tuple(map(shown, [*args, fed]))
            state.add(Runs(name, words, state.directory))
        elif fed == ANY:
            state.unknown(f'`{name}` runs what another command prints')
    elif not code:
        code = _written(state, name, operands)
    for text in code:
        for found in [*mentions(text, TELLING), *_short(text)]:
            state.unknown(f'the code for `{name}` names {found}')
    return ANY


def _written(state: State, name: str, operands: list[str]) -> list[str]:
    """A script that the line itself has written, before it is run."""
    found = [place(state.cwd, word) for word in operands]
    texts = [
        state.shared.files[each.path]
        for each in found
        if each is not None and each.path in state.shared.files
    ]
    for text in texts:
        state.add(Runs(name, (shown(text),), state.directory))
    return texts


def started(state: State, word: str) -> None:
    """A script by its own name, as its first line says it."""
    found = place(state.cwd, word)
    text = state.shared.files.get(found.path, '') if found else ''
    first = text.partition('\n')[0].split()
    if text[:2] == '#!' and is_interpreter(posixpath.basename(first[-1])):
        _interpreter(state, posixpath.basename(first[-1]), [word])


def _perl(state: State, name: str, args: list[str]) -> str:
    options = parse(args, 'eEFIMmx', (), 'iC')
    if options.has('-i'):
        given = options.has('-e', '-E')
        files = options.operands
        state.each_writes(files if given else files[1:], f'{name} -i')
    return _interpreter(state, name, args)


def _python(state: State, name: str, args: list[str]) -> str:
    """`python -m pre_commit` is pre-commit."""
    if '-m' in args[:-1] and '-c' not in args:
        at = args.index('-m')
        before = parse(args[:at], 'WX').operands
        if not before:
            module = args[at + 1].replace('_', '-')
            return state.run([module, *args[at + 2 :]])
    return _interpreter(state, name, args)


PROGRAMS: dict[str, Handler] = {
    **dict.fromkeys(CODE, _interpreter),
    'perl': _perl,
    'ruby': _perl,
    'python': _python,
    'pypy': _python,
}
