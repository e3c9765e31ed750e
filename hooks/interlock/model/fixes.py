"""The commands that fix a finding: one next step each."""

from __future__ import annotations

from interlock.model.finding import Fix
from interlock.model.quick_typing import Iterable, Sequence

# stands for words that only the user knows; not a reason itself
WHY = 'WHY'
# the file where git keeps the message of a refused commit
MESSAGE = '"$(git rev-parse --git-path COMMIT_EDITMSG)"'


def quoted(words: Iterable[str]) -> str:
    """Words quoted for a shell; letters of any script need no quotes."""
    # only findings need it, and most changes have none
    import re
    import shlex

    return ' '.join(
        word
        if word != WHY and re.fullmatch(r'[\w@%+=:,./-]+', word)
        # quoted, because a reason is seldom one word
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
    """A fix by hand: names the line, and the user decides."""
    return Fix(f'{label} by hand: {quoted([path])}:{line}', '', (path,))


def restore(path: str, commit: str = 'HEAD') -> Fix:
    # both index and working tree: this undoes the whole refused change
    return _on_files('restore the file', f'git checkout {commit} --', path)


def restore_from(old: str, path: str, commit: str = 'HEAD') -> Fix:
    """Restore the content of a file, under its new name if it was renamed."""
    if old == path:
        return restore(path, commit)
    return Fix(
        'restore the content',
        f'git show {commit}:{quoted([old])} >{quoted([path])}',
        (path,),
    )


def unstage(path: str) -> Fix:
    """Unstage a new file; it stays on disk."""
    return _on_files('take the file out', 'git rm --cached --', path)


def move_files(item: str, moves: Sequence[tuple[str, str]]) -> Fix:
    """Move the files of a renamed item."""
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
    """Restore from the last commit that has a readable one: HEAD may be broken too."""
    return Fix(label, ours('registry', 'restore', *filter(None, [item])))


def restore_handoff(item: str) -> Fix:
    return Fix('restore the handoff', ours('handoff', 'restore', item))


def make_handoff(item: str) -> Fix:
    return Fix('make the handoff', ours('handoff', 'create', item))


def review(path: str, since: str = 'HEAD') -> Fix:
    return _on_files('review the change', f'git diff {since} --', path)


def unstaged(path: str) -> Fix:
    return _on_files('look for uncommitted work', 'git status --short --', path)


def stage(*paths: str) -> Fix:
    # `-A` also stages the deletion of a file
    return _on_files('stage the file as it is on disk', 'git add -A --', *paths)


def stages(fix: Fix) -> bool:
    """Whether a fix only stages files that are already right."""
    return fix.command.startswith('git add ')


def rewords(fix: Fix) -> bool:
    """Whether a fix leaves the files unchanged."""
    return fix.label == SAY_WHY


def keeps_commits(fix: Fix) -> bool:
    """Whether a fix takes no commit back to change its files."""
    return rewords(fix) or fix.command.startswith(('git push ', 'git rebase '))


def show_commit(oid: str) -> Fix:
    return Fix('look at the commit', f'git show {oid[:10]}')


def seal_all(item: str) -> Fix:
    return Fix('seal the contracts', ours('contracts', 'seal', item))


def restore_contracts(item: str) -> Fix:
    """Restore from the last commit in which they match their seals."""
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
    """The same fix for a user in a directory, given relative to the top."""
    if not directory or not fix.paths:
        return fix
    import posixpath

    head, _, tail = fix.step.rpartition(quoted(fix.paths))
    paths = [posixpath.relpath(path, directory) for path in fix.paths]
    step = head + quoted(paths) + tail
    return fix._replace(command=step) if fix.command else fix._replace(label=step)


AGAIN = 'commit again with'
AMEND = 'amend the commit with'


def reword(what: str) -> Fix:
    """A fix by hand: only the user knows the words of the message."""
    return Fix(f'{AGAIN} {what}', '')


SAY_WHY = 'say why in the message'
LEAVE_OUT = 'that stage has ended; leave it out of the subject'
COMMIT = 'git commit --cleanup=strip -F -'


def say_why(trailer: str, has_message: bool = True) -> Fix:
    """Repeat the refused message with a reason that only the user knows.

    `git commit --trailer` needs a git version that not every user has. If
    there is no message yet, the file holds the message of the previous commit.
    From a subfolder, git does not find the file if it is named as an operand.
    """
    if not has_message:
        return Fix(SAY_WHY, f"git commit -a -m '{WHY}' -m '{trailer}: {WHY}'")
    return Fix(
        SAY_WHY,
        f"git interpret-trailers --if-exists replace --trailer '{trailer}: {WHY}' "
        f'<{MESSAGE} | {COMMIT}',
    )


def commit_first(*paths: str) -> Fix:
    """Commit these files alone, whatever else is staged."""
    head = f"git commit -m '{WHY}' --"
    return _on_files('commit first what governs from the next commit on', head, *paths)


def of_index(fix: Fix) -> Fix:
    """The same fix for staged files only."""
    return fix._replace(command=fix.command.replace('git commit -a', 'git commit'))


def of_all(fix: Fix) -> Fix:
    """The same fix for `git commit -a`, which stages files itself."""
    return fix._replace(command=fix.command.replace('git commit', 'git commit -a'))


def of_files(fix: Fix, *paths: str) -> Fix:
    """The same fix for `git commit FILES`, which ignores staged files."""
    return fix._replace(command=f'{fix.command} -- {quoted(paths)}', paths=paths)


def of_unstaged(fix: Fix, *paths: str) -> Fix:
    """The same fix, from any folder, where these files are not staged yet."""
    files = quoted([f':/{path}' for path in paths])
    return fix._replace(command=f'git add -A -- {files} && {fix.command}')


def of_amended(fix: Fix) -> Fix:
    """The same fix for `git commit --amend`, which replaces the last commit."""
    if not fix.command:
        return fix._replace(label=fix.label.replace(AGAIN, AMEND))
    elif rewords(fix) or fix.label == LEAVE_OUT:
        again = fix.command.replace('git commit', 'git commit --amend')
        return fix._replace(command=again)
    return fix


def of_tree(fix: Fix, tree: str) -> Fix:
    """The same fix for files that neither the index nor the disk has any more."""
    return fix._replace(command=f'git read-tree {tree} && {fix.command}')


def end_lock(task: str, generation: int) -> str:
    """The command by which a person ends a lock."""
    return ours('lock', 'release', task, '--holder', str(generation))


def ask_to_end_lock(task: str, generation: int, after: str) -> str:
    """What an agent should do about a lock of another session."""
    return (
        f'ask the user to run `{end_lock(task, generation)}` on a terminal, if nobody '
        f'works on it; then {after}'
    )


SYNC = Fix(
    'bring the row in line with the entry',
    'interlock check --worktree --only registry --fix',
)


def convert(path: str, line: int, encoding: str) -> Fix:
    """Convert a registry that is text but not UTF-8.

    Only UTF-16 and UTF-32 can be detected for sure; for other encodings the
    user knows more.
    """
    if encoding.startswith('UTF-'):
        return SYNC._replace(label=f'convert it from {encoding} to UTF-8')
    return edit(path, line, f'save it as UTF-8 (it looks like {encoding})')


def in_history(fix: Fix, commit: str) -> Fix:
    """The same fix for a change that is already committed."""
    at = commit[:10]
    if not commit:
        return fix
    elif not fix.command:
        return fix._replace(label=fix.label.replace(AGAIN, AMEND))
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
    """The most similar of some words, ignoring case, or ''.

    `clearly`: '' as well if another word is equally similar.
    """
    # slow to import, and needed only for mistakes
    import difflib

    known = {each.lower(): each for each in words}
    close = difflib.get_close_matches(word.lower(), known, 2, cutoff)
    if clearly and len(close) > 1:
        first, second = [
            difflib.SequenceMatcher(None, each, word.lower()).ratio() for each in close
        ]
        close = close if first > second else []
    return known[close[0]] if close else ''


def there_are(words: Sequence[str]) -> str:
    """What there is to choose from."""
    return f'there {"are" if len(words) > 1 else "is only"} {", ".join(words)}'


# a shorter prefix matches too many words
SHORTEST = 3


def words_starting_with(word: str, words: Iterable[str]) -> list[str]:
    """The words that begin with a text, ignoring case."""
    if len(word) < SHORTEST:
        return []
    return [each for each in words if each.lower().startswith(word.lower())]


def probable_word(word: str, words: Iterable[str], clearly: bool = False) -> str:
    """The word that the user probably meant, or ''."""
    known = list(words)
    near = nearest(word, known, clearly=clearly)
    if not near and len(longer := words_starting_with(word, known)) == 1:
        near = longer[0]
    return near


def did_you_mean(word: str, words: Iterable[str]) -> str:
    near = probable_word(word, words)
    return f'; did you mean `{near}`?' if near else ''


def correction(word: str, words: Iterable[str]) -> tuple[str, str] | None:
    """The typed word and the one that was probably meant, None if another is
    equally similar: the suggested command may change something."""
    near = probable_word(word, words, clearly=True)
    return (word, near) if near else None
