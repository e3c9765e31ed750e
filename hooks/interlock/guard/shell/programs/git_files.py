"""Files that a call of git writes or removes by name."""

from __future__ import annotations

from collections.abc import Callable

from interlock.guard.shell.effects import Revised
from interlock.guard.shell.options import Options, parse
from interlock.guard.shell.placeholders import ANY, is_plain, shown
from interlock.guard.shell.programs.copying import copies, moved
from interlock.guard.shell.programs.editing import patched
from interlock.guard.shell.state import State

# magic that changes which files are meant, but not from where
EXCLUDING = ('!', '^', 'exclude')
# a revision that the text does not say; git refuses such a name
UNKNOWN = '**'


def _top(state: State) -> str:
    top = state.shared.top
    return top if top and f'{state.cwd}/'.startswith(f'{top}/') else ANY


def _magic(word: str) -> tuple[list[str], str]:
    """What stands between a colon and the path: `:/x`, `:(top)x`."""
    if word[:2] == ':(':
        inside, _, rest = word[2:].partition(')')
        return inside.split(','), rest
    rest = word[1:].lstrip('/!^')
    signs = list(word[1 : len(word) - len(rest)])
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
    return options.operands[len(options.operands) - options.behind :]


def _revised(
    state: State, revision: str, words: list[str], how: str, sure: bool = True
) -> None:
    origin = Revised(state.directory, shown(revision), sure)
    if not is_plain(revision):
        origin = Revised(state.directory, UNKNOWN)
    state.each_writes(_paths(state, words), how, True, origin)


def _side(options: Options) -> str:
    """Of a conflict."""
    if options.has('--ours', '-2'):
        return ':2'
    return ':3' if options.has('--theirs', '-3') else ''


def _checkout(state: State, args: list[str]) -> None:
    options = parse(args, 'bB', ('--orphan', '--conflict', '--pathspec-from-file'), 't')
    if options.has('-b', '-B', '--orphan', '--detach', '-d', '-m', '--merge'):
        return
    words, behind = options.operands, _behind(options)
    before = words[: len(words) - len(behind)]
    if not options.behind:
        # a branch, or files: a branch has no dot as a rule
        behind = [word for word in words if '.' in word or len(words) > 1]
        before = behind[:1] if len(behind) > 1 else []
    _from_file(state, options, 'git checkout')
    _revised(
        state,
        _side(options) or ''.join(before),
        behind,
        'git checkout',
        bool(options.behind),
    )


def _from_file(state: State, options: Options, how: str) -> None:
    if options.has('--pathspec-from-file'):
        state.unknown(f'`{how}` changes the files that a list names')


def _restore(state: State, args: list[str]) -> None:
    options = parse(args, 's', ('--source', '--conflict', '--pathspec-from-file'))
    if options.has('-m', '--merge'):
        return
    given = options.values('-s', '--source')
    if options.has('-S', '--staged') and not given:
        if not options.has('-W', '--worktree'):
            # nothing is staged any more
            return
        given = ['HEAD']
    _from_file(state, options, 'git restore')
    _revised(
        state, _side(options) or ''.join(given[-1:]), options.operands, 'git restore'
    )


def _reset(state: State, args: list[str]) -> None:
    """Files of the index; without any, it moves the branch."""
    options = parse(args, 'U', ('--pathspec-from-file', '--unified'))
    words = options.operands
    if len(words) > max(options.behind, 1) and words[0] not in ('HEAD', '@'):
        _revised(state, words[0], words[1:], 'git reset', bool(options.behind))


def _read_tree(state: State, args: list[str]) -> None:
    options = parse(args, '', ('--prefix', '--index-output', '--exclude'))
    if options.has('-u'):
        _revised(
            state, ''.join(options.operands[-1:]), [f'{_top(state)}/'], 'git read-tree'
        )


def _entries(state: State, args: list[str]) -> None:
    """update-index: what the next commit holds, by name and blob."""
    options = parse(args, '', ('--cacheinfo', '--chmod', '--index-version'))
    if options.has('--index-info', '--stdin'):
        state.unknown('`git update-index` reads what it stages')
    found = [
        word.rpartition(',')[2] for word in options.values('--cacheinfo') if ',' in word
    ]
    if options.has('--cacheinfo', '--force-remove'):
        found.extend(options.operands)
    state.each_writes(found, 'git update-index')


def _merge_file(state: State, args: list[str]) -> None:
    options = parse(args, 'L', ('--marker-size', '--diff-algorithm'))
    if not options.has('-p', '--stdout'):
        state.each_writes(options.operands[:1], 'git merge-file')


def _index(state: State, args: list[str]) -> None:
    """checkout-index"""
    options = parse(args, '', ('--prefix', '--stage'))
    if options.has('--stdin'):
        state.unknown('`git checkout-index` writes the files of a list')
    elif not options.has('--prefix'):
        words = options.operands or ['.' for _ in [0] if options.has('-a')]
        _revised(state, '', words, 'git checkout-index')


def _rm(state: State, args: list[str]) -> None:
    options = parse(args, '', ('--pathspec-from-file',))
    recursive = options.has('-r')
    if options.has('-n', '--dry-run') or (
        # all of it, to be added again
        options.has('--cached') and recursive
    ):
        return
    for word in _paths(state, options.operands):
        state.removes(word, 'git rm', recursive)


def _mv(state: State, args: list[str]) -> None:
    options = parse(args)
    if not options.has('-n', '--dry-run'):
        moved(state, 'git mv', copies(options))


def _clean(state: State, args: list[str]) -> None:
    options = parse(args, 'e', ('--exclude',))
    if options.has('-n', '--dry-run') or not options.has(
        '-f', '--force', '-i', '--interactive'
    ):
        return
    for word in _paths(state, options.operands) or ['.']:
        state.removes(word, 'git clean', recursive=True)


def _worktree(state: State, args: list[str]) -> None:
    words = parse(args).operands
    if words[:1] in (['remove'], ['move']) and len(words) > 1:
        state.removes(words[1], f'git worktree {words[0]}', recursive=True)


def _apply(state: State, args: list[str]) -> None:
    options = parse(
        args, 'pC', ('--exclude', '--include', '--directory', '--whitespace')
    )
    if options.has('--check', '--stat', '--numstat', '--summary') and not options.has(
        '--apply'
    ):
        return
    for word in options.values('--directory'):
        state = state.in_directory(word)
    files = [word for word in options.operands if word != '-']
    patched(
        state,
        'git apply',
        files,
        ''.join(options.values('-p')[-1:]) or '1',
        options.has('-R', '--reverse'),
    )


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
    'reset': _reset,
    'read-tree': _read_tree,
    'update-index': _entries,
    'merge-file': _merge_file,
    'checkout-index': _index,
    'rm': _rm,
    'mv': _mv,
    'clean': _clean,
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
