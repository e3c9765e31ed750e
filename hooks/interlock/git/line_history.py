"""The lines that each commit took out of a file and put into it, in one pass."""

from __future__ import annotations

from interlock.git.repository import Repository
from interlock.model.quick_typing import Callable, Iterable, Iterator, NamedTuple

FORMAT = '--format=%x00%h%x09%cs'
# what a user's configuration could change is said here
PATCH = (
    'log --follow --no-merges --patch --unified=0 --no-color --no-ext-diff '
    '--no-textconv --encoding=UTF-8'
)


class LineChange(NamedTuple):
    commit: str
    date: str
    removed: tuple[str, ...]
    added: tuple[str, ...]


# of a file, what its commits changed in it
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
    """From the newest commit to the one that made the file, also under
    another name; what a merge took over is counted where it was made."""
    top = repository.facts.top
    out = repository.git.run(
        '-C', top, '--literal-pathspecs', *PATCH.split(), FORMAT, '--', path
    )
    for part in out.decode(errors='replace').split('\0')[1:]:
        yield _change(part)
