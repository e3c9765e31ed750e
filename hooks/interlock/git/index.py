"""The entries of an index: `MODE OID` by path, '' for none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from interlock.git.git import Git, GitError
from interlock.git.parse import text

# path -> entry before, entry after
Changed = Mapping[str, 'tuple[str, str]']
FILE = '100644'


def _bytes(name: str) -> bytes:
    return name.encode(errors='surrogateescape')


def _entry(mode: bytes, oid: bytes) -> str:
    return '' if mode == b'000000' else f'{text(mode)} {text(oid)}'


def pathspec(path: str) -> str:
    return f':(top,literal){path}' if path else ':/'


def entries(git: Git, roots: Sequence[str] = ()) -> dict[str, str]:
    """What the index holds, at all or below some paths; no conflicts."""
    out = git.run(
        'ls-files',
        '-z',
        '--stage',
        '--full-name',
        '--',
        *(map(pathspec, roots) if roots else (':/',)),
    )
    found = {}
    for line in out.split(b'\0'):
        meta, _, path = line.partition(b'\t')
        mode, *rest = meta.split(b' ')
        if path and rest[1] == b'0':
            found[text(path)] = _entry(mode, rest[0])
    return found


def absent_on_purpose(git: Git, roots: Sequence[str]) -> set[str]:
    """Files of a sparse checkout: that they are not there says nothing."""
    out = git.run('ls-files', '-z', '-t', '--full-name', '--', *map(pathspec, roots))
    lines = [line.partition(b' ') for line in out.split(b'\0')]
    return {text(path) for tag, _, path in lines if tag == b'S'}


def untracked(git: Git, roots: Sequence[str]) -> list[str]:
    out = git.run(
        'ls-files',
        '-z',
        '--others',
        '--exclude-standard',
        '--full-name',
        '--',
        *map(pathspec, roots),
    )
    # what ends with a slash is a repository of its own
    return [path for path in text(out).split('\0') if path and not path.endswith('/')]


def put(git: Git, wanted: Mapping[str, str]) -> None:
    """Other entries for some paths."""
    if not wanted:
        return
    known = next((entry.partition(' ')[2] for entry in wanted.values() if entry), '')
    none = f'0 {"0" * len(known or git.empty_tree())}'
    git.run(
        'update-index',
        '--add',
        '--replace',
        '-z',
        '--index-info',
        data=b''.join(
            _bytes(f'{entry or none}\t{path}\0') for path, entry in wanted.items()
        ),
    )


def take(git: Git, paths: Sequence[str]) -> None:
    """Files as they are in the working tree; those that are gone too."""
    git.run(
        'update-index',
        '--add',
        '--remove',
        '--replace',
        '-z',
        '--stdin',
        data=b''.join(_bytes(f'{path}\0') for path in paths),
    )


def refresh(git: Git) -> None:
    """Lets the index know which files are as it has them."""
    try:
        git.run('update-index', '-q', '--refresh')
    except GitError:
        # some file is not: nothing to say
        pass


def _raw(out: bytes) -> dict[str, tuple[str, str]]:
    fields = out.split(b'\0')
    found = {}
    for meta, path in zip(fields[::2], fields[1::2], strict=False):
        modes, new, old_id, new_id, _ = meta.split(b' ')
        found[text(path)] = (_entry(modes[1:], old_id), _entry(new, new_id))
    return found


def between(git: Git, before: str, after: str) -> Changed:
    """What a commit changes; `before` is '' for the first one."""
    return _raw(
        git.run(
            'diff-tree',
            '-r',
            '-z',
            '--raw',
            '--no-renames',
            '--no-ext-diff',
            '--no-commit-id',
            before or git.empty_tree(),
            after,
            '--',
        )
    )


def staged(git: Git, before: str) -> Changed:
    """What a commit of the index would change."""
    return _raw(
        git.run(
            'diff-index',
            '--cached',
            '-z',
            '--raw',
            '--no-renames',
            '--no-ext-diff',
            before or git.empty_tree(),
            '--',
        )
    )
