"""Patches in the format of the tool `apply_patch`, and what they do to files.

The format has no line numbers: a chunk replaces the first lines that match it,
after the chunk before. Clients apply some chunks in different ways (lines that match
except for blanks, no `@@`, lines added below a place, an end that is not the first
match). After such a chunk, the text of the file is unknown.
"""

from __future__ import annotations

import posixpath

from interlock.model.errors import Unreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.model.quick_typing import Callable

BEGIN = '*** Begin Patch'
END = '*** End Patch'
ADD = '*** Add File:'
DELETE = '*** Delete File:'
UPDATE = '*** Update File:'
MOVE = '*** Move to:'
END_OF_FILE = '*** End of File'
PLACE = '@@'
# how the lines of a chunk begin; clients take an empty line as an unchanged one
SIGNS = ('', ' ', '-', '+')
# a patch is sometimes wrapped like the heredoc of a shell
WRAPPERS = ('<<EOF', "<<'EOF'", '<<"EOF"')


class PatchedFile:
    """A file that the patch writes or removes."""

    __slots__ = ('path', 'removed', 'source', 'target', 'text')

    def __init__(
        self,
        path: str,
        text: str | None,
        removed: bool = False,
        source: str = '',
        target: str = '',
    ) -> None:
        self.path = path
        # the text afterwards; None: there is none, or it is unknown
        self.text = text
        self.removed = removed
        # the path it is moved from, and the one it is moved to, unchanged
        self.source = source
        self.target = target


class FilePatch:
    """The changes of a patch to one file."""

    __slots__ = ('kind', 'lines', 'path')

    def __init__(self, kind: str, path: str) -> None:
        self.kind = kind
        self.path = path
        # with their numbers in the patch
        self.lines: list[tuple[int, str]] = []


class Chunk:
    """Lines that replace others."""

    __slots__ = ('lines', 'places')

    def __init__(self) -> None:
        # the texts behind `@@`: lines of the file that come before the chunk
        self.places: list[str] = []
        # with their signs; the last one may be the end of the file
        self.lines: list[str] = []


def _error(message: str, number: int) -> Unreadable:
    return Unreadable(f'{message}, line {number} of the patch', number)


def is_patch(text: str) -> bool:
    first = text.lstrip().partition('\n')[0].strip()
    return first == BEGIN or first in WRAPPERS


def _body(text: str) -> list[tuple[int, str]]:
    """The lines between the first and the last one."""
    lines = [line.removesuffix('\r') for line in text.strip().split('\n')]
    start, end = 0, len(lines) - 1
    if lines[0].strip() in WRAPPERS and lines[-1].strip() == 'EOF':
        start, end = start + 1, end - 1
    if lines[start].strip() != BEGIN:
        raise _error(f'a patch begins with `{BEGIN}`', start + 1)
    elif lines[end].strip() != END:
        raise _error(f'a patch ends with `{END}`', end + 1)
    return list(enumerate(lines[start + 1 : end], start + 2))


def _header(kinds: tuple[str, ...], line: str, number: int) -> tuple[str, str]:
    """The kind of a header and the file that it names; '' for other lines."""
    for kind in kinds:
        if line.startswith(kind):
            path = line[len(kind) :].strip()
            if not path or '\0' in path:
                raise _error(f'`{kind}` names no file', number)
            return kind, path
    return '', ''


def _file_patches(text: str) -> list[FilePatch]:
    found: list[FilePatch] = []
    for number, line in _body(text):
        file = found[-1] if found else FilePatch('', '')
        last, lines = file.kind, file.lines
        # an indented line of an updated file is a part of that file
        header = line if last == UPDATE else line.strip()
        kind, path = _header((ADD, DELETE, UPDATE), header, number)
        # a blank line ends an added file
        is_over = bool(lines) and not lines[-1][1].strip()
        is_added = last == ADD and line.startswith('+') and not is_over
        if kind:
            found.append(FilePatch(kind, path))
        elif last == UPDATE or is_added or not line.strip():
            lines.append((number, line))
        else:
            raise _error(f'`{line[:60]}` is not understood', number)
    if not found:
        raise Unreadable('the patch changes no file')
    return found


def _chunks(lines: list[tuple[int, str]]) -> list[Chunk]:
    found: list[Chunk] = []
    # the chunk that takes the next line
    chunk: Chunk | None = None
    for number, line in lines:
        if line.startswith(PLACE):
            if chunk is None or chunk.lines:
                chunk = Chunk()
                found.append(chunk)
            chunk.places.append(line[len(PLACE) :].removeprefix(' '))
            continue
        if not found and line.strip():
            chunk = Chunk()
            found.append(chunk)
        if chunk and line[:1] in SIGNS:
            chunk.lines.append(line)
        elif chunk and chunk.lines and line.strip() == END_OF_FILE:
            chunk.lines.append(END_OF_FILE)
            chunk = None
        elif line.strip() or (chunk and not chunk.lines):
            raise _error(f'`{line[:60]}` is not understood', number)
        else:
            chunk = None
    if chunk and not chunk.lines:
        raise _error('a chunk has no lines', number)
    return found


def _find(lines: list[str], wanted: list[str], start: int) -> int:
    """The index of these lines from `start` on; -1 if there is none."""
    for at in range(start, len(lines) - len(wanted) + 1):
        if lines[at : at + len(wanted)] == wanted:
            return at
    return -1


def _replace(lines: list[str], chunk: Chunk, start: int) -> int:
    """Where to look for the next chunk; -1 if unknown."""
    before = [line[1:] for line in chunk.lines if line[:1] in ('', ' ', '-')]
    after = [line[1:] for line in chunk.lines if line[:1] in ('', ' ', '+')]
    places = [place for place in chunk.places if place.strip()]
    if chunk.places and not (places or before):
        # lines without a place are appended
        lines.extend(after)
        return len(lines)
    for place in places:
        start = _find(lines, [place], start) + 1
        if not start:
            return -1
    at = _find(lines, before, start) if before and chunk.places else -1
    is_last = at + len(before) == len(lines)
    if at < 0 or (chunk.lines[-1] == END_OF_FILE and not is_last):
        return -1
    lines[at : at + len(before)] = after
    return at + len(after)


def _updated(text: str, chunks: list[Chunk]) -> str | None:
    """The text afterwards; None if clients differ, or refuse the patch."""
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


def _update(patch: FilePatch) -> tuple[str, list[Chunk]]:
    """The path that a file is moved to, '' if it is not moved, and its chunks."""
    lines, moved = patch.lines, ''
    if lines:
        moved = _header((MOVE,), lines[0][1].strip(), lines[0][0])[1]
    chunks = _chunks(lines[1:] if moved else lines)
    if not (moved or chunks):
        raise Unreadable(f'the change of {patch.path} is empty')
    return moved, chunks


def patched_files(
    text: str, directory: str, read: Callable[[str], str | None]
) -> list[PatchedFile]:
    """Every file that a patch writes or removes, in its order.

    `read` returns the text of a file, None if there is none. Raises Unreadable if any
    part of the patch is not understood.
    """
    # the same patch may change a file more than once
    known: dict[str, str | None] = {}
    found: list[PatchedFile] = []
    for patch in _file_patches(text):
        path = posixpath.normpath(posixpath.join(directory, patch.path))
        if patch.kind == ADD:
            lines = (line for _, line in patch.lines if line.strip())
            changed = [PatchedFile(path, ''.join(f'{line[1:]}\n' for line in lines))]
        elif patch.kind == DELETE:
            changed = [PatchedFile(path, None, removed=True)]
        else:
            moved, chunks = _update(patch)
            old = known[path] if path in known else read(path)
            new = None if old is None else _updated(old, chunks)
            target = posixpath.normpath(posixpath.join(directory, moved))
            removed = PatchedFile(path, None, True, target='' if chunks else target)
            written = PatchedFile(target, new, source='' if chunks else path)
            changed = [removed, written] if moved else [PatchedFile(path, new)]
        known.update((each.path, each.text) for each in changed)
        found += changed
    return found
