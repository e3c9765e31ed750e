"""Files that a call of git writes or removes by name."""
from __future__ import annotations

from collections.abc import Callable

from interlock.claude.shell.copying import targets
from interlock.claude.shell.editing import patched
from interlock.claude.shell.marks import ANY
from interlock.claude.shell.marks import shown
from interlock.claude.shell.options import Options
from interlock.claude.shell.options import parse
from interlock.claude.shell.state import State

# magic that changes which files are meant, but not from where
EXCLUDING = ('!', '^', 'exclude')


def _top(state: State) -> str:
    top = state.shared.top
    return top if top and f'{state.cwd}/'.startswith(f'{top}/') else ANY


def _magic(word: str) -> tuple[list[str], str]:
    """What stands between a colon and the path: `:/x`, `:(top)x`."""
    if word[:2] == ':(':
        inside, _, rest = word[2:].partition(')')
        return inside.split(','), rest
    rest = word[1:].lstrip('/!^')
    signs = list(word[1:len(word) - len(rest)])
    return ['top' if sign == '/' else sign for sign in signs], rest


def _paths(state: State, words: list[str]) -> list[str]:
    """What pathspecs name; if all of them exclude, it is everything."""
    found, excluded = [], False
    for word in words:
        if word[:1] != ':':
            found.append(word)
            continue
        kinds, rest = _magic(word)
        if any(kind in EXCLUDING for kind in kinds):
            excluded = True
        elif kinds == ['top'] or not any(kinds):
            found.append(f'{_top(state)}/{rest}' if kinds else rest)
        else:
            state.unknown(f'git reads `{shown(word)}` as a pattern')
    found = [word for word in found if word]
    return found or (['.'] if excluded else [])


def _behind(options: Options) -> list[str]:
    return options.operands[len(options.operands) - options.behind:]


def _checkout(state: State, args: list[str]) -> None:
    options = parse(args, 'bB', (
        '--orphan', '--conflict', '--pathspec-from-file',
    ), 't')
    if options.has('-b', '-B', '--orphan', '--detach', '-d'):
        return
    words = _behind(options)
    if not options.behind:
        # a branch, or files: a branch has no dot as a rule
        words = [
            word for word in options.operands
            if '.' in word or len(options.operands) > 1
        ]
    state.each_writes(_paths(state, words), 'git checkout', recursive=True)


def _restore(state: State, args: list[str]) -> None:
    options = parse(args, 's', (
        '--source', '--conflict', '--pathspec-from-file',
    ))
    if options.has('-S', '--staged') and not options.has('-W', '--worktree'):
        return
    state.each_writes(
        _paths(state, options.operands), 'git restore', recursive=True,
    )


def _rm(state: State, args: list[str]) -> None:
    options = parse(args, '', ('--pathspec-from-file',))
    if options.has('--cached', '-n', '--dry-run'):
        return
    for word in _paths(state, options.operands):
        state.removes(word, 'git rm', options.has('-r'))


def _mv(state: State, args: list[str]) -> None:
    options = parse(args)
    if options.has('-n', '--dry-run'):
        return
    sources, found = targets(options)
    for word in sources:
        state.removes(word, 'git mv', recursive=True)
    state.each_writes(found, 'git mv', recursive=True)


def _clean(state: State, args: list[str]) -> None:
    options = parse(args, 'e', ('--exclude',))
    if options.has('-n', '--dry-run') or not options.has(
        '-f', '--force', '-i', '--interactive',
    ):
        return
    for word in _paths(state, options.operands) or ['.']:
        state.removes(word, 'git clean', recursive=True)


def _stash(state: State, args: list[str]) -> None:
    if args[:1] not in (['push'], ['save'], ['--']):
        return
    options = parse(args, 'm', ('--message', '--pathspec-from-file'))
    words = _behind(options) or options.operands[1:]
    if args[0] != 'save':
        state.each_writes(_paths(state, words), 'git stash', recursive=True)


def _worktree(state: State, args: list[str]) -> None:
    words = parse(args).operands
    if words[:1] in (['remove'], ['move']) and len(words) > 1:
        state.removes(words[1], f'git worktree {words[0]}', recursive=True)


def _apply(state: State, args: list[str]) -> None:
    options = parse(args, 'pC', (
        '--exclude', '--include', '--directory', '--whitespace',
    ))
    if options.has(
        '--check', '--stat', '--numstat', '--summary', '--cached',
    ):
        return
    files = [word for word in options.operands if word != '-']
    patched(state, 'git apply', ANY if files else state.stdin or ANY)


def _output(state: State, args: list[str]) -> None:
    """Those that print, and can print to a file."""
    longs = ('--output',)
    for word in parse(args, 'o', longs).values('--output'):
        state.writes(word, 'git --output')


def _bundle(state: State, args: list[str]) -> None:
    if args[:1] == ['create']:
        state.each_writes(parse(args[1:]).operands[:1], 'git bundle')


def _series(state: State, args: list[str]) -> None:
    """Into a directory; or into one file, as all that print."""
    options = parse(args, 'o', ('--output-directory', '--output'))
    for word in options.values('-o', '--output-directory', '--output'):
        state.writes(word, 'git format-patch', recursive=True)


def _archive(state: State, args: list[str]) -> None:
    for word in parse(args, 'o', ('--output',)).values('-o', '--output'):
        state.writes(word, 'git archive')


FILES: dict[str, Callable[[State, list[str]], None]] = {
    'checkout': _checkout,
    'restore': _restore,
    'rm': _rm,
    'mv': _mv,
    'clean': _clean,
    'stash': _stash,
    'worktree': _worktree,
    'apply': _apply,
    'archive': _archive,
    'bundle': _bundle,
    'format-patch': _series,
    'diff': _output,
    'log': _output,
    'show': _output,
}


def judge(state: State, name: str, args: list[str]) -> None:
    handler = FILES.get(name)
    if handler is not None:
        handler(state, args)
