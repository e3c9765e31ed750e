"""The lines that each commit removed from a file and added to it, in one pass."""

from __future__ import annotations

from interlock.git.repository import Repository
from interlock.model.quick_typing import Callable, Iterable, Iterator, NamedTuple

FORMAT = '--format=%x00%h%x09%cs'
# options that a user's configuration could change are set here
PATCH = (
    'log --follow --no-merges --patch --unified=0 --no-color --no-ext-diff '
    '--no-textconv --encoding=UTF-8'
)


class LineChange(NamedTuple):
    commit: str
    date: str
    removed: tuple[str, ...]
    added: tuple[str, ...]


# path of a file -> the changes that its commits made to it
History = Callable[[str], Iterable[LineChange]]


def _change(part: str) -> LineChange:
    head, _, patch = part.partition('\n')
    commit, _, date = head.partition('\t')
    removed, added = [], []
    inside = False
    for line in patch.split('\n'):
        if line.startswith('@@'):
            inside = True
        elif line.startswith('diff '):
            inside = False
        elif inside and line.startswith('-'):
            removed.append(line[1:])
        elif inside and line.startswith('+'):
            added.append(line[1:])
    return LineChange(commit, date, tuple(removed), tuple(added))


def line_history(repository: Repository, path: str) -> Iterator[LineChange]:
    """The changes from the newest commit back to the one that created the file, across
    renames; changes that a merge took over count where they were made."""
    top = repository.facts.top
    out = repository.git.run(
        '-C', top, '--literal-pathspecs', *PATCH.split(), FORMAT, '--', path
    )
    for part in out.decode(errors='replace').split('\0')[1:]:
        yield _change(part)
