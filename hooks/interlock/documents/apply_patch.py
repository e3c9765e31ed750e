"""Patches in the format of the tool `apply_patch`, and what they do to files.

The format has no line numbers: a chunk replaces the first lines that match it,
behind the chunk before. Where clients apply a chunk in different ways (lines
that match but for their blanks, no `@@`, lines added below a place, an end that
is not the first match), the text of the file is unknown.
"""

from __future__ import annotations

import posixpath

from interlock.model.errors import Unreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.model.quick_typing import Callable, Iterator

    # None: no text, or one that is not known
    Text = Callable[[], str | None]

BEGIN = '*** Begin Patch'
END = '*** End Patch'
ADD = '*** Add File:'
DELETE = '*** Delete File:'
UPDATE = '*** Update File:'
MOVE = '*** Move to:'
END_OF_FILE = '*** End of File'
PLACE = '@@'
# a patch is sometimes wrapped like the heredoc of a shell
WRAPPERS = ('<<EOF', "<<'EOF'", '<<"EOF"')


class Chunk:
    """Lines that take the place of others."""

    __slots__ = ('after', 'at_end', 'before', 'is_marked', 'places')

    def __init__(self, places: list[str]) -> None:
        # it begins with `@@`
        self.is_marked = bool(places)
        # lines of the file, one below the other, that come before the chunk
        self.places = [place for place in places if place.strip()]
        self.before: list[str] = []
        self.after: list[str] = []
        self.at_end = False


class FilePatch:
    """What a patch says of one file."""

    __slots__ = ('chunks', 'kind', 'path', 'target', 'text')

    def __init__(self, kind: str, path: str) -> None:
        self.kind = kind
        self.path = path
        # where it is moved to
        self.target = ''
        # of a file that is added
        self.text = ''
        self.chunks: list[Chunk] = []


class PatchedFile:
    """A file that the patch writes or removes."""

    __slots__ = ('_new', 'path', 'removed', 'source', 'target')

    def __init__(self, path: str, new: Text, removed: bool = False) -> None:
        self.path = path
        self._new = new
        self.removed = removed
        # where it is moved from, and where it is moved to, as it is
        self.source = ''
        self.target = ''

    @property
    def text(self) -> str | None:
        """What it holds afterwards; None: nothing, or it is not known."""
        return self._new()


class _Reader:
    def __init__(self, text: str) -> None:
        self.lines = [line.removesuffix('\r') for line in text.strip().split('\n')]
        self.end = len(self.lines)
        self.at = 0

    @property
    def line(self) -> str:
        return self.lines[self.at] if self.at < self.end else ''

    @property
    def is_over(self) -> bool:
        return self.at >= self.end

    def error(self, message: str) -> Unreadable:
        return Unreadable(f'{message}, line {self.at + 1} of the patch', self.at + 1)

    def unwrap(self) -> None:
        if self.lines[0].strip() in WRAPPERS and self.lines[-1].strip() == 'EOF':
            self.at, self.end = 1, self.end - 1
        if self.line.strip() != BEGIN:
            raise self.error(f'a patch begins with `{BEGIN}`')
        self.at, self.end = self.at + 1, self.end - 1
        if self.at > self.end or self.lines[self.end].strip() != END:
            self.at = self.end
            raise self.error(f'a patch ends with `{END}`')

    def files(self) -> Iterator[FilePatch]:
        self.unwrap()
        while not self.is_over:
            if self.line.strip():
                yield self.file()
            else:
                self.at += 1

    def file(self) -> FilePatch:
        kind, found = self.header((ADD, DELETE, UPDATE))
        if not kind:
            raise self.error(f'`{self.line[:60]}` is not understood')
        patch = FilePatch(kind, found)
        if kind == ADD:
            patch.text = self.added()
        elif kind == UPDATE:
            patch.target = self.header((MOVE,))[1]
            patch.chunks = list(self.chunks())
            if not (patch.chunks or patch.target):
                raise self.error(f'the change of {found} is empty')
        return patch

    def header(self, kinds: tuple[str, ...]) -> tuple[str, str]:
        line = self.line.strip()
        for kind in kinds:
            if line.startswith(kind):
                path = line[len(kind) :].strip()
                if not path or '\0' in path:
                    raise self.error(f'`{kind}` names no file')
                self.at += 1
                return kind, path
        return '', ''

    def added(self) -> str:
        start = self.at
        while not self.is_over and self.line.startswith('+'):
            self.at += 1
        return ''.join(f'{line[1:]}\n' for line in self.lines[start : self.at])

    def chunks(self) -> Iterator[Chunk]:
        is_first = True
        while not self.is_over:
            if self.line.startswith('***'):
                return
            elif not self.line.strip():
                self.at += 1
                continue
            elif not (is_first or self.line.startswith(PLACE)):
                raise self.error(f'`{self.line[:60]}` is not understood')
            is_first = False
            yield self.chunk()

    def chunk(self) -> Chunk:
        places = []
        while not self.is_over and self.line.startswith(PLACE):
            places.append(self.line[len(PLACE) :].removeprefix(' '))
            self.at += 1
        chunk = Chunk(places)
        start = self.at
        while not self.is_over and self.line[:1] in ('', ' ', '-', '+'):
            sign, rest = self.line[:1], self.line[1:]
            if sign != '+':
                chunk.before.append(rest)
            if sign != '-':
                chunk.after.append(rest)
            self.at += 1
        if self.at == start:
            raise self.error('a chunk has no lines')
        if not self.is_over and self.line.strip() == END_OF_FILE:
            chunk.at_end = True
            self.at += 1
        return chunk


def parse(text: str) -> list[FilePatch]:
    """The files of a patch; Unreadable if anything of it is not understood."""
    found = list(_Reader(text).files())
    if not found:
        raise Unreadable('the patch changes no file')
    return found


def is_patch(text: str) -> bool:
    first = text.lstrip().partition('\n')[0].strip()
    return first == BEGIN or first in WRAPPERS


def _find(lines: list[str], wanted: list[str], start: int) -> int:
    """Where these lines are, from `start` on; -1 if nowhere."""
    for at in range(start, len(lines) - len(wanted) + 1):
        if lines[at : at + len(wanted)] == wanted:
            return at
    return -1


def _replace(lines: list[str], chunk: Chunk, start: int) -> int:
    """Where the next chunk is looked for; -1 if that is not known."""
    before, after = chunk.before, chunk.after
    if not before and not chunk.places and chunk.is_marked:
        # lines without any to hold on to are appended
        lines.extend(after)
        return len(lines)
    for place in chunk.places:
        start = _find(lines, [place], start) + 1
        if not start:
            return -1
    at = _find(lines, before, start) if before and chunk.is_marked else -1
    if at < 0 or (chunk.at_end and at + len(before) < len(lines)):
        return -1
    lines[at : at + len(before)] = after
    return at + len(after)


def applied(text: str, chunks: list[Chunk]) -> str | None:
    """The text afterwards; None where clients differ, or refuse the patch."""
    ends = '\r\n' if '\r\n' in text else '\n'
    lines = text.replace('\r\n', '\n').split('\n')
    if not lines[-1]:
        lines.pop()
    at = 0
    for chunk in chunks:
        at = _replace(lines, chunk, at)
        if at < 0:
            return None
    return ''.join(f'{line}{ends}' for line in lines)


def patched_files(
    text: str, directory: str, read: Callable[[str], str | None]
) -> list[PatchedFile]:
    """Every file that a patch writes or removes, in its order.

    `read` returns the text of a file, None if there is none; it is called once
    the new text of a file is asked for.
    """
    known: dict[str, PatchedFile] = {}
    found: list[PatchedFile] = []
    for patch in parse(text):
        path = posixpath.normpath(posixpath.join(directory, patch.path))
        new = _new_text(patch, path, known.get(path), read)
        for each in _outcome(patch, path, directory, new):
            known[each.path] = each
            found.append(each)
    return found


def _new_text(
    patch: FilePatch,
    path: str,
    before: PatchedFile | None,
    read: Callable[[str], str | None],
) -> Text:
    def new() -> str | None:
        if patch.kind != UPDATE:
            return patch.text if patch.kind == ADD else None
        # the same patch may have changed it already
        old = before.text if before else read(path)
        return None if old is None else applied(old, patch.chunks)

    return new


def _nothing() -> None:
    return None


def _outcome(
    patch: FilePatch, path: str, directory: str, new: Text
) -> Iterator[PatchedFile]:
    if not patch.target:
        yield PatchedFile(path, new, patch.kind == DELETE)
        return
    target = posixpath.normpath(posixpath.join(directory, patch.target))
    written = PatchedFile(target, new)
    removed = PatchedFile(path, _nothing, removed=True)
    if not patch.chunks:
        written.source, removed.target = path, target
    yield removed
    yield written
