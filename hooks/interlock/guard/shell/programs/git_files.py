"""Files that a call of git writes or removes by name."""

from __future__ import annotations

import posixpath

from interlock.guard.shell.effects import Git, GitContent
from interlock.guard.shell.options import Options, parse
from interlock.guard.shell.programs.files import apply_patch
from interlock.guard.shell.state import Shell
from interlock.guard.shell.words import ANY, ONE, SET, is_plain, shown
from interlock.model import quick_re as re

# a revision that is not in the text; git rejects such a name
UNKNOWN = '**'
# commands that remove untracked files: without the ignored ones, and all of them
UNTRACKING = ('git stash', 'git stash --all')
# git itself expands these signs, even if they are quoted; its stars match slashes
WILDCARD = re.compile(r'[*?[]')
WILD = str.maketrans({'*': ANY, '?': ONE, '[': SET})


def _magic(word: str) -> tuple[list[str], str]:
    """The magic signs between a colon and the path of a pathspec: `:/x`, `:(top)x`."""
    if word[:2] == ':(':
        inside, _, rest = word[2:].partition(')')
        return inside.split(','), rest
    rest = word[1:].lstrip('/!^')
    signs = list(word[1 : len(word) - len(rest)])
    return ['top' if sign == '/' else sign for sign in signs], rest


def _paths(shell: Shell, words: list[str]) -> list[str]:
    """The paths that pathspecs name; everything, if all of them exclude."""
    found, excluded = [], False
    for word in words:
        if word[:1] != ':':
            found.append(word)
            continue
        kinds, rest = _magic(word)
        if not {'!', '^', 'exclude'}.isdisjoint(kinds):
            excluded = True
        elif kinds == ['top'] or not any(kinds):
            found.append(f'{shell.top}/{rest}' if kinds else rest)
        else:
            shell.unknown(f'git reads `{shown(word)}` as a pattern')
    found = [word for word in found if word]
    return found or (['.'] if excluded else [])


def _removed(shell: Shell, how: str, paths: list[str], recursive: bool = True) -> None:
    for word in paths:
        if WILDCARD.search(word):
            # a star at the beginning would mean any folder
            word = posixpath.join('.', word.translate(WILD))
        shell.removes(word, how, recursive)


def _restored(
    shell: Shell, name: str, revision: str, words: list[str], sure: bool = True
) -> None:
    """Files get the content that git has stored for them."""
    origin = GitContent(shell.directory, shown(revision), sure)
    if not is_plain(revision):
        origin = GitContent(shell.directory, UNKNOWN)
    shell.each_writes(_paths(shell, words), name, True, origin)


def _side(options: Options) -> str:
    """The index stage of a conflict's side, '' if none is chosen."""
    if options.has('--ours -2'):
        return ':2'
    return ':3' if options.has('--theirs -3') else ''


def _set_back(shell: Shell, name: str, paths: list[str]) -> None:
    """Set tracked files back to the last commit, and remove those that it does not
    contain; without `paths`, all files."""
    top = '.' if shell.top == ANY else f'{shell.top}/'
    _restored(shell, name, 'HEAD', paths or [top])
    adds = [
        each.args
        for each in shell.effects
        if isinstance(each, Git) and each.subcommand == 'add'
    ]
    if adds:
        # they are not tracked yet
        is_forced = any(parse([*args]).has('-f --force') for args in adds)
        _removed(shell, UNTRACKING[is_forced], _paths(shell, paths) or [top])


def switch(shell: Shell, name: str, options: Options) -> None:
    if options.has('-f --force --discard-changes'):
        _set_back(shell, f'{name} --force', [])


def checkout(shell: Shell, name: str, options: Options) -> None:
    if not options.behind:
        switch(shell, name, options)
    if options.has('-b -B --orphan --detach -d -m --merge'):
        return
    words, paths = options.operands, options.paths
    before = words[: len(words) - len(paths)]
    if not options.behind:
        # a branch or files: branch names usually contain no dot
        paths = [word for word in words if '.' in word or len(words) > 1]
        before = paths[:1] if len(paths) > 1 else []
    _unlisted(shell, name, options)
    revision = _side(options) or ''.join(before)
    if revision and options.has('-p --patch'):
        revision = UNKNOWN
    _restored(shell, name, revision, paths, bool(options.behind))


def _unlisted(shell: Shell, name: str, options: Options) -> None:
    if options.has('--pathspec-from-file'):
        shell.unknown(f'`{name}` changes the files that a list names')


def restore(shell: Shell, name: str, options: Options) -> None:
    if options.has('-m --merge'):
        return
    source = options.last('-s --source')
    if options.has('-S --staged') and not source:
        if not options.has('-W --worktree'):
            # this only unstages
            return
        source = 'HEAD'
    _unlisted(shell, name, options)
    if source and options.has('-p --patch'):
        # --patch restores only a part
        source = UNKNOWN
    _restored(shell, name, _side(options) or source, options.operands)


def reset(shell: Shell, name: str, options: Options) -> None:
    """Reset files in the index; without files, it moves the branch."""
    words = options.operands
    if options.has('--hard --merge'):
        _set_back(shell, f'{name} --hard', [])
    if len(words) > max(options.behind, 1) and words[0] not in ('HEAD', '@'):
        _restored(shell, name, words[0], words[1:], bool(options.behind))


def read_tree(shell: Shell, name: str, options: Options) -> None:
    if options.has('-u'):
        _restored(shell, name, ''.join(options.operands[-1:]), [f'{shell.top}/'])


def checkout_index(shell: Shell, name: str, options: Options) -> None:
    if options.has('--stdin'):
        shell.unknown(f'`{name}` writes the files of a list')
    elif prefix := options.last('--prefix'):
        top = '.' if shell.top == ANY else shell.top
        place = prefix if prefix[:1] == '/' else f'{top}/{prefix}'
        shell.each_writes([f'{place}{word}' for word in options.operands], name)
    else:
        everything = ['.'] if options.has('-a') else []
        _restored(shell, name, '', options.operands or everything)


def update_index(shell: Shell, name: str, options: Options) -> None:
    """Change the next commit, by the names and blobs of files."""
    if options.has('--index-info --stdin'):
        shell.unknown(f'`{name}` reads what it stages')
    infos = options.values('--cacheinfo')
    found = [word.rpartition(',')[2] for word in infos if ',' in word]
    if options.has('--cacheinfo --force-remove'):
        found.extend(options.operands)
    shell.each_writes(found, name)


def rm(shell: Shell, name: str, options: Options) -> None:
    recursive = options.has('-r')
    # untracks everything, so that it can be added again
    untracks = options.has('--cached') and options.operands in (['.'], [':/'])
    if not untracks and not options.has('-n --dry-run'):
        _removed(shell, name, _paths(shell, options.operands), recursive)


def clean(shell: Shell, name: str, options: Options) -> None:
    if options.has('-f --force -i --interactive') and not options.has('-n --dry-run'):
        # without it, ignored files stay
        how = f'{name} -x' if options.has('-x -X') else name
        _removed(shell, how, _paths(shell, options.operands) or ['.'])


def stash(shell: Shell, name: str, options: Options) -> None:
    before = options.operands[: len(options.operands) - options.behind]
    verb, *paths = before or ['']
    if verb not in ('', 'push', 'save'):
        return
    paths = [*paths, *options.paths] if verb != 'save' else []
    is_whole = options.has('-a --all')
    if is_whole or options.has('-u --include-untracked'):
        _removed(shell, UNTRACKING[is_whole], _paths(shell, paths) or ['.'])
    _set_back(shell, name, paths)


def each_repository(shell: Shell, _: str, options: Options) -> None:
    shell.run(['git', *parse(options.args, '--config', first=True).operands])


def apply(shell: Shell, name: str, options: Options) -> None:
    shows = options.has('--check --stat --numstat --summary')
    if shows and not options.has('--apply'):
        return
    files = [word for word in options.operands if word != '-']
    apply_patch(shell, name, files, '-p', options)
