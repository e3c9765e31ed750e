"""find and grep: what they run, what they remove, which names they print."""

from __future__ import annotations

from itertools import pairwise

from interlock.guard.shell.handlers import Handler
from interlock.guard.shell.options import parse
from interlock.guard.shell.placeholders import ANY, active
from interlock.guard.shell.state import State

EXEC = ('-exec', '-execdir', '-ok', '-okdir')
NAMES = ('-name', '-iname')
PATHS = ('-path', '-ipath', '-wholename', '-iwholename')


def _starts(args: list[str]) -> list[str]:
    found = []
    for word in args:
        if word in ('-H', '-L', '-P'):
            continue
        if word[:1] in ('-', '(', '!'):
            break
        found.append(word)
    return found or ['.']


def _patterns(args: list[str]) -> list[str]:
    """The names that are looked for; one that is excluded is none."""
    found = []
    for at, word in enumerate(args[:-1]):
        if at and args[at - 1] in ('!', '-not'):
            continue
        if word in NAMES:
            found.append(active(args[at + 1]))
        elif word in PATHS:
            found.append(args[at + 1].rpartition('/')[2].replace('*', ANY))
    return found


def _found(args: list[str]) -> list[str]:
    patterns = _patterns(args) or [ANY]
    return [
        f'{start.rstrip("/") or "/"}/{ANY}/{pattern}'
        for start in _starts(args)
        for pattern in patterns
    ]


def _commands(args: list[str]) -> list[tuple[str, list[str]]]:
    found, at = [], 0
    while at < len(args):
        if args[at] in EXEC:
            end = at + 1
            while end < len(args) and args[end] not in (';', '+'):
                end += 1
            found.append((args[at], args[at + 1 : end]))
            at = end
        at += 1
    return found


def _find(state: State, name: str, args: list[str]) -> str:
    names = _found(args)
    # a directory that it deletes is empty
    if '-delete' in args and ('-type', 'd') not in pairwise(args):
        for word in names:
            state.removes(word, f'{name} -delete')
    for flag in ('-fprint', '-fls', '-fprintf', '-fprint0'):
        if flag in args[:-1]:
            state.writes(args[args.index(flag) + 1], f'{name} {flag}')
    for _, words in _commands(args):
        for item in names:
            state.child().run([word.replace('{}', item) for word in words])
    return '\n'.join(names)


def _fd(state: State, name: str, args: list[str]) -> str:
    for flag in ('-x', '-X', '--exec', '--exec-batch'):
        if flag in args:
            words = args[args.index(flag) + 1 :]
            holds = any('{' in word for word in words)
            state.child().run(
                [ANY if '{' in word else word for word in words]
                if holds
                else [*words, ANY]
            )
    return ANY


def _grep(_: State, __: str, args: list[str]) -> str:
    """With -l it prints names, those that it was given or what is below."""
    options = parse(
        args,
        'efmABCd',
        ('--regexp', '--file', '--include', '--exclude', '--exclude-dir'),
    )
    if not options.has('-l', '--files-with-matches', '-L'):
        return ANY
    given = options.has('-e', '-f', '--regexp', '--file')
    files = options.operands if given else options.operands[1:]
    if options.has('-r', '-R', '--recursive'):
        wanted = [active(each) for each in options.values('--include')]
        return '\n'.join(
            f'{file.rstrip("/")}/{ANY}/{pattern}'
            for file in files or ['.']
            for pattern in wanted or [ANY]
        )
    return '\n'.join(files) or ANY


PROGRAMS: dict[str, Handler] = {
    'find': _find,
    'gfind': _find,
    'fd': _fd,
    'fdfind': _fd,
    **dict.fromkeys(('grep', 'egrep', 'fgrep', 'rg'), _grep),
}
