"""The one command that comes next."""

from __future__ import annotations

from interlock.model.finding import Fix
from interlock.model.quick_typing import Iterable, Sequence

# stands for words that only the user knows; it is not a reason itself
WHY = 'WHY'
# where git keeps the message of a commit that was refused
MESSAGE = '"$(git rev-parse --git-path COMMIT_EDITMSG)"'


def quoted(words: Iterable[str]) -> str:
    """Words for a shell; one that is letters in any script needs nothing."""
    # only findings need it, and most changes have none
    import re
    import shlex

    return ' '.join(
        word
        if word != WHY and re.fullmatch(r'[\w@%+=:,./-]+', word)
        # in quotes, because a reason is seldom one word
        else f"'{WHY}'"
        if word == WHY
        else shlex.quote(word)
        for word in words
    )


def ours(*words: str) -> str:
    """A command of ours."""
    return f'interlock {quoted(words)}'


def _on_files(label: str, head: str, *paths: str) -> Fix:
    return Fix(label, f'{head} {quoted(paths)}', paths)


def edit(path: str, line: int = 1, label: str = 'correct the file') -> Fix:
    """No command knows what is right: the line is named, and the user decides."""
    return Fix(f'{label} by hand: {quoted([path])}:{line}', '')


def restore(path: str) -> Fix:
    # both the index and the working tree: a refused change is undone whole
    return _on_files('restore the file', 'git checkout HEAD --', path)


def restore_from(old: str, path: str) -> Fix:
    """The content of a file that was renamed, under its new name."""
    return Fix(
        'restore the content',
        f'git show HEAD:{quoted([old])} >{quoted([path])}',
        (path,),
    )


def restore_blob(oid: str, path: str) -> Fix:
    """A content that no single commit before has under this name."""
    return Fix(
        'restore the content', f'git cat-file blob {oid} >{quoted([path])}', (path,)
    )


def unstage(path: str) -> Fix:
    """A file that is new: it stays on disk."""
    return _on_files('take the file out', 'git rm --cached --', path)


def move_files(item: str, moves: Sequence[tuple[str, str]]) -> Fix:
    """The files of an item that has another name now."""
    import posixpath

    label = f'if {item} was renamed, move its files too'
    folders = {
        posixpath.dirname(new)
        for old, new in moves
        if posixpath.dirname(old) != posixpath.dirname(new)
    }
    if len(moves) == 1 and not folders:
        return _on_files(label, 'git mv', *moves[0])
    steps = ['cd "$(git rev-parse --show-toplevel)"']
    steps += [f'mkdir -p {quoted([folder])}' for folder in sorted(folders)]
    steps += [f'git mv {quoted(move)}' for move in moves]
    return Fix(label, f'({" && ".join(steps)})')


def restore_registry(item: str = '', label: str = 'restore the registry') -> Fix:
    """From the last commit in which it can be read: HEAD may be broken too."""
    return Fix(label, ours('registry', 'restore', *filter(None, [item])))


def restore_handoff(item: str) -> Fix:
    return Fix('restore the handoff', ours('handoff', 'restore', item))


def make_handoff(item: str) -> Fix:
    return Fix('make the handoff', ours('handoff', 'create', item))


def review(path: str) -> Fix:
    return _on_files('review the change', 'git diff HEAD --', path)


def unstaged(path: str) -> Fix:
    return _on_files('look for uncommitted work', 'git status --short --', path)


def stage(*paths: str) -> Fix:
    # a file that is gone on disk is taken out of the index
    return _on_files('stage the file as it is on disk', 'git add -A --', *paths)


def stages(fix: Fix) -> bool:
    """Whether a remedy only stages what is right already."""
    return fix.command.startswith('git add ')


def rewords(fix: Fix) -> bool:
    """Whether a remedy leaves the files as they are."""
    return fix.label == SAY_WHY


def show_commit(oid: str) -> Fix:
    return Fix('look at the commit', f'git show {oid[:10]}')


def seal_all(item: str) -> Fix:
    return Fix('seal the contracts', ours('contracts', 'seal', item))


def restore_contracts(item: str) -> Fix:
    """From the last commit that has them as they were sealed."""
    return Fix('restore what was sealed', ours('contracts', 'restore', item))


def resolve(item: str) -> Fix:
    return Fix('see the remedies', ours('resolve', item))


def record(item: str, what: str, stage: str) -> Fix:
    return Fix(
        f'record the {what}',
        ours(
            'evidence',
            'add',
            item,
            '--kind',
            what,
            '--stage',
            stage,
            '--result',
            'passed',
        ),
    )


def seen_from(fix: Fix, directory: str) -> Fix:
    """The same for a user in a directory, which is named from the top."""
    if not directory or not fix.paths or not fix.command:
        return fix
    import posixpath

    head = fix.command[: -len(quoted(fix.paths))]
    paths = [posixpath.relpath(path, directory) for path in fix.paths]
    return fix._replace(command=head + quoted(paths))


AGAIN = 'commit again with'


def reword(what: str) -> Fix:
    """Only the user knows the words of a message."""
    return Fix(f'{AGAIN} {what}', '')


SAY_WHY = 'say why in the message'
COMMIT = 'git commit --cleanup=strip -F -'


def say_why(trailer: str, has_message: bool = True) -> Fix:
    """The refused message once more, with a reason that only the user knows.

    `git commit --trailer` needs a git that not everybody has. Where there is no
    message yet, the file holds that of the commit before. Git does not find it from a
    folder if it is named as an operand.
    """
    if not has_message:
        return Fix(SAY_WHY, f"git commit -a -m '{WHY}' -m '{trailer}: {WHY}'")
    return Fix(
        SAY_WHY,
        f"git interpret-trailers --if-exists replace --trailer '{trailer}: {WHY}' "
        f'<{MESSAGE} | {COMMIT}',
    )


def commit_first(*paths: str) -> Fix:
    """Alone, whatever else is staged."""
    head = f"git commit -m '{WHY}' --"
    return _on_files('commit first what governs from the next commit on', head, *paths)


def of_index(fix: Fix) -> Fix:
    """The same for what is staged, and for nothing else."""
    return fix._replace(command=fix.command.replace('git commit -a', 'git commit'))


def of_all(fix: Fix) -> Fix:
    """The same for `git commit -a`, which stages by itself."""
    return fix._replace(command=fix.command.replace('git commit', 'git commit -a'))


def of_files(fix: Fix, *paths: str) -> Fix:
    """The same for `git commit FILES`, which leaves alone what is staged."""
    return fix._replace(command=f'{fix.command} -- {quoted(paths)}', paths=paths)


def of_tree(fix: Fix, tree: str) -> Fix:
    """The same for a choice that neither the index nor the disk has any more."""
    return fix._replace(command=f'git read-tree {tree} && {fix.command}')


SYNC = Fix(
    'bring the row in line with the entry',
    'interlock check --worktree --only registry --fix',
)


def convert(path: str, line: int, encoding: str) -> Fix:
    """A registry that is text, but not UTF-8.

    Only wide characters can be told for sure: of others the user knows more.
    """
    if encoding.startswith('UTF-'):
        return SYNC._replace(label=f'convert it from {encoding} to UTF-8')
    return edit(path, line, f'save it as UTF-8 (it looks like {encoding})')


def in_history(fix: Fix, commit: str) -> Fix:
    """The same where the change is a commit already."""
    at = commit[:10]
    if not commit:
        return fix
    elif not fix.command:
        return fix._replace(label=fix.label.replace(AGAIN, 'amend the commit with'))
    elif rewords(fix):
        again = fix.command.replace(f' <{MESSAGE}', '')
        again = again.replace(COMMIT, 'git commit --amend -F -')
        return fix._replace(command=f'git log -1 --format=%B | {again}')
    for here, there in (
        ('git checkout HEAD --', f'git checkout {at}^ --'),
        ('git show HEAD:', f'git show {at}^:'),
        ('git diff HEAD --', f'git show {at} --'),
        ('git commit -m', 'git commit --amend -m'),
    ):
        if fix.command.startswith(here):
            return fix._replace(command=there + fix.command[len(here) :])
    return fix


def nearest(
    word: str, words: Iterable[str], cutoff: float = 0.6, clearly: bool = False
) -> str:
    """The most similar of some words, without regard to case, or ''.

    Clearly: '' too where another one is as similar.
    """
    # slow to import, and only mistakes need it
    import difflib

    known = {each.lower(): each for each in words}
    close = difflib.get_close_matches(word.lower(), known, 2, cutoff)
    if clearly and len(close) > 1:
        first, second = [
            difflib.SequenceMatcher(None, each, word.lower()).ratio() for each in close
        ]
        close = close if first > second else []
    return known[close[0]] if close else ''


# a shorter beginning says nothing
SHORTEST = 3


def begun(word: str, words: Iterable[str]) -> list[str]:
    """The words that begin like one, without regard to case."""
    if len(word) < SHORTEST:
        return []
    return [each for each in words if each.lower().startswith(word.lower())]


def did_you_mean(word: str, words: Iterable[str]) -> str:
    known = list(words)
    near = nearest(word, known)
    if not near and len(longer := begun(word, known)) == 1:
        near = longer[0]
    return f'; did you mean `{near}`?' if near else ''
