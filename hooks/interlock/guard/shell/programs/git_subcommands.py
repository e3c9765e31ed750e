"""Which calls of git change something, and what the others print."""

from __future__ import annotations

from collections.abc import Callable

from interlock.guard.shell.options import parse
from interlock.guard.shell.placeholders import ANY, SOME, active
from interlock.guard.shell.state import State

READING = frozenset(
    (
        'status',
        'log',
        'diff',
        'show',
        'rev-parse',
        'rev-list',
        'ls-files',
        'ls-tree',
        'ls-remote',
        'cat-file',
        'blame',
        'annotate',
        'grep',
        'describe',
        'shortlog',
        'whatchanged',
        'name-rev',
        'merge-base',
        'for-each-ref',
        'show-ref',
        'show-branch',
        'var',
        'version',
        'help',
        'count-objects',
        'fsck',
        'check-ignore',
        'check-attr',
        'check-mailmap',
        'check-ref-format',
        'diff-tree',
        'diff-index',
        'diff-files',
        'range-diff',
        'cherry',
        'bugreport',
        'archive',
        'format-patch',
        'merge-tree',
        'patch-id',
        'request-pull',
        'verify-commit',
        'verify-tag',
        'verify-pack',
        'column',
        'stripspace',
        'difftool',
        'send-email',
        'hook',
        'clone',
        'interpret-trailers',
        'get-tar-commit-id',
        'diagnose',
        '--version',
        '--help',
        'bundle',
        'credential',
        'mailinfo',
        'mailsplit',
        'show-index',
        'instaweb',
        'gitk',
        'tig',
        'for-each-repo',
    )
)
# subcommand -> the first words that read; '' is none at all
SUBCOMMANDS = {
    'stash': ('list', 'show'),
    'worktree': ('list',),
    'remote': ('', 'show', 'get-url'),
    'reflog': ('', 'show', 'list', 'exists'),
    'notes': ('', 'list', 'show', 'get-ref'),
    'submodule': ('', 'status', 'summary'),
    'bisect': ('log', 'view', 'visualize'),
    'sparse-checkout': ('list', 'check-rules'),
    'lfs': ('', 'ls-files', 'status', 'env', 'version', 'locks'),
    'rerere': ('status', 'diff'),
    'commit-graph': ('verify',),
    'multi-pack-index': ('verify',),
}
COMMITTING = frozenset(
    (
        'commit',
        'merge',
        'rebase',
        'cherry-pick',
        'revert',
        'am',
        'pull',
        'commit-tree',
        'fast-import',
        'citool',
        'filter-branch',
        'filter-repo',
    )
)
ENDING = ('--abort', '--quit')
# those of which every line is one word that is no option
NAMING = frozenset(
    (
        'rev-parse',
        'branch',
        'describe',
        'symbolic-ref',
        'merge-base',
        'rev-list',
        'log',
        'config',
        'name-rev',
        'remote',
        'write-tree',
        'hash-object',
        'stash',
        'commit-tree',
        'tag',
        'show',
    )
)


def _branch(args: list[str]) -> bool:
    options = parse(
        args,
        'u',
        (
            '--contains',
            '--no-contains',
            '--merged',
            '--no-merged',
            '--sort',
            '--points-at',
            '--format',
            '--set-upstream-to',
        ),
    )
    if options.has(
        '-d',
        '-D',
        '-m',
        '-M',
        '-c',
        '-C',
        '-f',
        '-u',
        '--delete',
        '--move',
        '--copy',
        '--force',
        '--set-upstream-to',
        '--unset-upstream',
        '--edit-description',
    ):
        return True
    listing = options.has('-l', '-a', '-r', '--list', '--all', '--remotes')
    return bool(options.operands) and not listing


def _tag(args: list[str]) -> bool:
    options = parse(
        args,
        'mFu',
        (
            '--contains',
            '--no-contains',
            '--merged',
            '--sort',
            '--points-at',
            '--format',
            '--message',
            '--file',
            '--local-user',
        ),
        'n',
    )
    if options.has('-d', '--delete'):
        return True
    if options.has('-l', '-n', '-v', '--list', '--verify', '--contains'):
        return False
    return bool(options.operands)


def _push(args: list[str]) -> bool:
    """To another repository; one by path may be this one."""
    operands = parse(args, 'o', ('--push-option', '--repo')).operands
    return bool(operands) and operands[0][:1] in ('.', '/')


def _fetch(args: list[str]) -> bool:
    """Only into branches of its own, unless told otherwise."""
    return any(':' in word for word in parse(args).operands[1:])


def _config(args: list[str]) -> bool:
    from interlock.guard.shell.programs.git_config import change

    return change(args) is not None


def _symbolic(args: list[str]) -> bool:
    options = parse(args, 'm')
    return len(options.operands) > 1 or options.has('-d', '--delete')


def _apply(args: list[str]) -> bool:
    return not parse(args).has('--check', '--stat', '--numstat', '--summary')


def _hash(args: list[str]) -> bool:
    return parse(args, 't').has('-w')


ASKING: dict[str, Callable[[list[str]], bool]] = {
    'branch': _branch,
    'tag': _tag,
    'push': _push,
    'fetch': _fetch,
    'config': _config,
    'symbolic-ref': _symbolic,
    'apply': _apply,
    'hash-object': _hash,
}


def writes(name: str, args: list[str]) -> bool:
    if '-h' in args[:1] or args[:1] == ['--help'] or name in READING:
        return False
    if name in ASKING:
        return ASKING[name](args)
    if name in SUBCOMMANDS:
        operands = parse(args).operands
        return ''.join(operands[:1]) not in SUBCOMMANDS[name]
    return True


def is_known(name: str) -> bool:
    """A command that git has, and no alias."""
    return (
        name in READING or name in ASKING or name in SUBCOMMANDS or (name in COMMITTING)
    )


def commits(name: str, args: list[str]) -> bool:
    if any(word in ENDING for word in args):
        return False
    if name == 'commit':
        return '--dry-run' not in args
    return name in COMMITTING and '--ff-only' not in args


def printed(state: State, name: str, args: list[str]) -> str:
    top = state.shared.top
    if name == 'rev-parse' and args == ['--show-toplevel']:
        here = top and f'{state.cwd}/'.startswith(f'{top}/')
        return top if here else ANY
    if name == 'rev-parse' and any(
        word.endswith(('-dir', '--git-path')) for word in args
    ):
        # a path of several names
        return ANY
    if name in ('ls-files', 'diff', 'show', 'diff-tree') and (
        name == 'ls-files' or '--name-only' in args
    ):
        return _files(state, name, args)
    return SOME if name in NAMING else ANY


def _files(state: State, name: str, args: list[str]) -> str:
    """The names that git prints, as far as its words limit them."""
    options = parse(args, 'xX', ('--exclude', '--diff-filter', '--format'))
    words = options.operands[len(options.operands) - options.behind :]
    if name == 'ls-files':
        words = options.operands
    found = []
    for word in words:
        folder, slash, base = word.rpartition('/')
        start = f'{state.cwd}/{folder}{slash}'
        if word[:1] == ':' or any(sign in folder for sign in '*?['):
            return ANY
        elif any(sign in base for sign in '*?['):
            found.append(f'{start}{ANY}/{active(base)}')
        else:
            found.extend((start + base, f'{start}{base}/{ANY}'))
    return '\n'.join(found) or ANY
