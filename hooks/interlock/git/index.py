"""The entries of an index: `MODE OID` by path, '' for none."""

from __future__ import annotations

from interlock.git.batch import RAW
from interlock.git.git import Git, GitError
from interlock.git.parse import diff_entries, text
from interlock.model.quick_tools import suppress
from interlock.model.quick_typing import Mapping, Sequence

# path -> entry before, entry after
Changed = Mapping[str, 'tuple[str, str]']
FILE = '100644'


def _bytes(name: str) -> bytes:
    return name.encode(errors='surrogateescape')


def pathspec(path: str) -> str:
    return f':(top,literal){path}' if path else ':/'


def _listed(git: Git, options: str, roots: Sequence[str]) -> list[str]:
    paths = map(pathspec, roots or [''])
    out = git.run(f'ls-files -z --full-name {options} --', *paths)
    return text(out).split('\0')


def entries(git: Git, roots: Sequence[str] = ()) -> dict[str, str]:
    """What the index holds, at all or below some paths; no conflicts."""
    return entries_and_absent(git, roots)[0]


def entries_and_absent(
    git: Git, roots: Sequence[str]
) -> tuple[dict[str, str], set[str]]:
    """The same, and the files that a sparse checkout leaves out."""
    found, absent = {}, set()
    for line in _listed(git, '--stage -t', roots):
        meta, _, path = line.partition('\t')
        tag, _, rest = meta.partition(' ')
        entry, _, stage = rest.rpartition(' ')
        if stage == '0':
            found[path] = entry
        if tag == 'S':
            absent.add(path)
    return found, absent


def untracked(git: Git, roots: Sequence[str] = ()) -> list[str]:
    # a path that ends with a slash is a repository of its own
    paths = _listed(git, '--others --exclude-standard', roots)
    return [path for path in paths if path and not path.endswith('/')]


def put(git: Git, wanted: Mapping[str, str]) -> None:
    """Other entries for some paths."""
    if not wanted:
        return
    known = next((entry.partition(' ')[2] for entry in wanted.values() if entry), '')
    none = f'0 {"0" * len(known or git.empty_tree())}'
    lines = [f'{entry or none}\t{path}\0' for path, entry in wanted.items()]
    git.run('update-index --add --replace -z --index-info', data=_bytes(''.join(lines)))


def take(git: Git, paths: Sequence[str]) -> None:
    """Files as they are in the working tree; deleted ones are removed."""
    git.run(
        'update-index --add --remove --replace -z --stdin',
        data=b''.join(_bytes(f'{path}\0') for path in paths),
    )


def refresh(git: Git) -> None:
    """Lets the index know which files are as it has them."""
    with suppress(GitError):
        # fails where some file is not
        git.run('update-index -q --refresh')


def _changed(out: bytes) -> Changed:
    return {each.path: (each.old, each.new) for each in diff_entries(out)}


def between(git: Git, before: str, after: str) -> Changed:
    """What a commit changes; `before` is '' for the first one."""
    before = before or git.empty_tree()
    return _changed(git.run('diff-tree -r --no-commit-id', *RAW, before, after, '--'))


def staged(git: Git, before: str) -> Changed:
    """What a commit of the index would change."""
    return _changed(
        git.run('diff-index --cached', *RAW, before or git.empty_tree(), '--')
    )
