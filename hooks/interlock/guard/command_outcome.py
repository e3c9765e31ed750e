"""The content that a command would leave in the files it writes.

An effect that copies, restores or appends is computed from the effects before
it, from the disk and from git. If an earlier part of the command may have
changed a file in an unknown way, the content of that file is unknown.
"""

from __future__ import annotations

import os

from interlock.documents import apply_patch
from interlock.files.atomic_files import stored
from interlock.guard import protected_files
from interlock.guard.context import Context, is_below
from interlock.guard.guards.file_writes import of_patched
from interlock.guard.guards.inline_code import only_reads
from interlock.guard.guards.wiring import is_listed
from interlock.guard.relevance import Write
from interlock.guard.shell.effects import (
    ArchiveContent,
    CopiedContent,
    EditedContent,
    Effect,
    Git,
    GitContent,
    KeptContent,
    Patches,
    Removes,
    Runs,
    Writes,
)
from interlock.guard.shell.path_patterns import covers
from interlock.guard.shell.programs.interpreters import family, is_interpreter
from interlock.guard.shell.programs.table import READERS, TABLE
from interlock.model.errors import Unreadable
from interlock.model.quick_tools import fnmatchcase
from interlock.model.quick_typing import Any, Iterator, Mapping, Sequence

# the largest number of files in a tree that are examined one by one
MOST = 300
# subcommands of git that may change any file in a worktree
MOVING = frozenset(
    """checkout switch merge pull rebase reset stash am cherry-pick revert bisect
    clone worktree submodule sparse-checkout read-tree""".split()
)
# subcommands of git that may create a folder anywhere
MAKING = ('archive', 'checkout-index', 'clone', 'init', 'worktree')
SCRIPTED = ('make', 'gmake', 'npm', 'pnpm', 'yarn', 'bun')
# a script may never end, take all memory, or print without end
EDIT_SECONDS = 2
LIMITED = 'ulimit -t 2; ulimit -v 500000; ulimit -f 20000; exec "$@" >"$0"'
# the command, or a wrapper of it, may change these variables unseen
SETTINGS = ({'LC_ALL': 'C.UTF-8'}, {'LC_ALL': 'C', 'POSIXLY_CORRECT': '1', 'COLS': '9'})
UNKNOWN = '**'
MOVES = ('mv', 'gmv', 'git mv')


class Unlisted(Exception):
    """The files that a command writes cannot be listed.

    With a true argument the command writes no file, unless another process
    creates the source.
    """


def _may_write(effect: Effect) -> bool:
    """Whether an effect runs a program that may change files it does not name."""
    if not isinstance(effect, Runs) or effect.program in READERS:
        return False
    elif is_interpreter(effect.program):
        code = [word for word in effect.args if ' ' in word or '(' in word]
        return not code or not all(only_reads(effect.program, word) for word in code)
    known = family(effect.program) in TABLE
    return not known or effect.program in SCRIPTED


def _may_fetch(effect: Effect) -> bool:
    """Whether an effect may create a file."""
    return isinstance(effect, Writes | Git) or _may_write(effect)


def _printed(
    command: Sequence[str], data: bytes, environ: Mapping[str, str]
) -> bytes | None:
    """What a command prints; None if it fails."""
    from tempfile import TemporaryDirectory

    from interlock.git.run_command import feed

    with TemporaryDirectory(prefix='interlock-') as folder:
        path = os.path.join(folder, 'out')
        words = ('sh', '-c', LIMITED, path, *command)
        found = feed(words, data, os.sep, environ, EDIT_SECONDS)
        return None if found.code else stored(path)


class Outcomes:
    """The content of files after each effect of a command in turn."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.done: list[Effect] = []

    def current(self, path: str, upto: int | None = None) -> bytes | None:
        """The content of a file after these effects; None if absent or unknown."""
        done = self.done[:upto]
        for at in range(len(done) - 1, -1, -1):
            effect = done[at]
            if isinstance(effect, Writes) and covers(effect, path):
                if isinstance(effect.origin, KeptContent):
                    continue
                return self._left(effect, path, at)
            elif isinstance(effect, Removes) and covers(effect, path):
                return None
            elif self._may_change(effect, path):
                return None
        return stored(path)

    def _may_change(self, effect: Effect, path: str) -> bool:
        if isinstance(effect, Patches):
            # a patch may name files outside its directory
            return True
        elif isinstance(effect, Git):
            moves = effect.subcommand in MOVING and '--' not in effect.args
            return moves and is_below(path, effect.directory)
        return _may_write(effect)

    def _may_fill(self, effect: Effect, folder: str) -> bool:
        """Whether an effect may put files into a folder, or replace the folder."""
        if isinstance(effect, Writes | Removes):
            return covers(effect, folder) or is_below(effect.path, folder)
        elif isinstance(effect, Git) and effect.subcommand in MAKING:
            return True
        return self._may_change(effect, folder)

    def _left(self, effect: Writes, path: str, at: int) -> bytes | None:
        if effect.glob or effect.path != path:
            return None
        elif effect.how == '>>' and effect.content is not None:
            return (self.current(path, at) or b'') + effect.content
        elif isinstance(effect.origin, CopiedContent) and effect.how != 'rsync':
            return self.current(effect.origin.path, at)
        return effect.content

    def of_write(self, effect: Writes) -> Iterator[Write]:
        """Yield every file that an effect writes."""
        origin, path = effect.origin, effect.path
        if isinstance(origin, KeptContent):
            if os.path.lexists(path) or effect.glob:
                yield _written(path, kept=True)
            elif origin.creates:
                yield _written(path, b'')
        elif isinstance(origin, CopiedContent):
            yield from self._copied(effect, origin)
        elif isinstance(origin, GitContent):
            yield from self._revised(effect, origin)
        elif isinstance(origin, ArchiveContent):
            yield from self._unpacked(effect, origin)
        elif isinstance(origin, EditedContent):
            yield Write(path, lambda: self._edited(origin, path))
        elif effect.how == '>>' and effect.content is not None:
            exists = os.path.lexists(path)
            now = self.current(path)
            known = now is not None or not (exists or self._is_touched(path))
            yield _written(path, (now or b'') + effect.content if known else None)
        else:
            yield _written(path, effect.content)

    def _edited(self, origin: EditedContent, path: str) -> bytes | None:
        now = self.current(path)
        if now is None:
            return None
        environ = self.context.event.environ
        ways = [{**environ, **each} for each in SETTINGS]
        found = {_printed(origin.command, now, each) for each in ways}
        return found.pop() if len(found) == 1 else None

    def _is_touched(self, path: str) -> bool:
        done = (each for each in self.done if isinstance(each, Writes | Removes))
        return any(covers(each, path) for each in done)

    def _copied(self, effect: Writes, origin: CopiedContent) -> Iterator[Write]:
        if origin.into and os.path.isdir(effect.path):
            # another effect covers the files that are put into it
            return
        elif origin.glob and not origin.link:
            from glob import iglob

            sources = list(iglob(origin.path))
            if not sources and self.done:
                raise Unlisted
            for source in sources:
                folder, name = os.path.split(effect.path)
                name = name if origin.into else os.path.basename(source)
                one = effect._replace(path=os.path.join(folder, name), glob=False)
                yield from self._copied(one, CopiedContent(source, into=origin.into))
        elif origin.link:
            yield _written(effect.path)
        elif os.path.isdir(origin.path) and effect.recursive:
            if any(self._may_fill(each, origin.path) for each in self.done):
                raise Unlisted
            elif os.path.lexists(effect.path) and not os.path.isdir(effect.path):
                yield _written(effect.path)
            yield from self._tree(effect, origin.path)
        elif os.path.isdir(effect.path) and effect.recursive:
            # a missing source copies nothing, unless this command creates it
            raise Unlisted(not any(map(_may_fetch, self.done)))
        else:
            yield self._file(effect, origin.path, effect.path)

    def _file(self, effect: Writes, source: str, path: str) -> Write:
        content = self.current(source)
        if content is not None and content == stored(path):
            return _written(path, kept=True)
        moved = source if effect.how in MOVES else ''
        # the content that rsync copies depends on its options
        return _written(path, None if effect.how == 'rsync' else content, source=moved)

    def _tree(self, effect: Writes, source: str) -> Iterator[Write]:
        count = 0
        for folder, _, files in os.walk(source):
            for name in files:
                count += 1
                if count > MOST:
                    break
                origin = os.path.join(folder, name)
                below = os.path.relpath(origin, source)
                if not _is_left_out(effect, below):
                    yield self._file(effect, origin, os.path.join(effect.path, below))
        for path in protected_files.files(self.context) if count > MOST else ():
            below = os.path.relpath(path, effect.path)
            origin = os.path.join(source, below)
            if is_below(path, effect.path) and os.path.lexists(origin):
                if not _is_left_out(effect, below):
                    yield self._file(effect, origin, path)

    def _revised(self, effect: Writes, origin: GitContent) -> Iterator[Write]:
        if UNKNOWN in (origin.directory, origin.revision) or effect.glob:
            raise Unlisted
        directory = effect.path
        while not os.path.isdir(directory):
            directory = os.path.dirname(directory)
        revision = self._revision(directory, origin.revision)
        if origin.sure and revision != origin.revision:
            if os.path.isdir(effect.path):
                raise Unlisted
            yield _written(effect.path)
            return
        against = [revision] if revision and not revision.startswith(':') else []
        diff = ('diff', '--name-only', '--no-renames', '-z', *against, '--')
        top = self.context.git(directory, 'rev-parse', '--show-toplevel')
        changed = self.context.git(directory, *diff, effect.path)
        if top is None or changed is None:
            yield _written(effect.path)
            return
        for name in filter(None, os.fsdecode(changed).split('\0')):
            yield self._version(os.fsdecode(top.rstrip(b'\n')), revision, name)
        if not (changed.strip(b'\0') or os.path.isdir(effect.path)):
            if not is_listed(self.context, effect.path):
                # git shows no difference for a file that it does not track
                yield _written(effect.path)

    def _revision(self, directory: str, given: str) -> str:
        """The revision, or '' if the word before the files is itself a file."""
        if not given or given.startswith(':'):
            return given
        verify = ('rev-parse', '--verify', '-q', '--end-of-options')
        tree = self.context.git(directory, *verify, f'{given}^{{tree}}')
        return '' if tree is None else given

    def _version(self, top: str, revision: str, name: str) -> Write:
        path = os.path.join(top, name)
        content = self.context.git(top, 'show', f'{revision}:{name}')
        if content is None:
            return _written(path)
        committed = self.context.git(top, 'show', f'HEAD:{name}')
        return _written(path, content, restored=content == committed)

    def _unpacked(self, effect: Writes, origin: ArchiveContent) -> Iterator[Write]:
        if not origin.archive:
            raise Unlisted
        elif not os.path.lexists(origin.archive) or self._is_touched(origin.archive):
            # an earlier part of the command may fetch a missing archive
            raise Unlisted(not any(map(_may_fetch, self.done)))
        for name in _members(origin.archive):
            parts = os.path.normpath(name).split(os.sep)[origin.strip :]
            if parts:
                yield _written(os.path.join(effect.path, *parts))

    def of_patch(self, effect: Patches) -> Iterator[Write]:
        """Yield every file that a patch changes."""
        text = effect.text
        if text is None:
            data = self.current(effect.file)
            if data is None:
                raise Unlisted
            text = data.decode('UTF-8', 'surrogateescape')
        if apply_patch.is_patch(text):
            yield from self._of_agents_patch(text, effect.directory)
            return
        if text.strip():
            yield from self._of_unified_patch(text, effect)

    def _of_unified_patch(self, text: str, effect: Patches) -> Iterator[Write]:
        """Apply the patch with git to copies of the files, in a folder of their own.

        If the patch does not apply, the new content of the files is unknown.
        """
        from tempfile import TemporaryDirectory

        if effect.strip < 0:
            # `patch` decides itself which files to change
            raise Unlisted
        data, strip = text.encode('UTF-8', 'surrogateescape'), f'-p{effect.strip}'
        with TemporaryDirectory(prefix='interlock-') as folder:
            names: dict[str, None] = {}
            # git names a renamed file by its old name in the reverse direction
            for way in ((), ('--reverse',)):
                counted = ('apply', '--numstat', '-z', strip, *way)
                out = self.context.git(folder, *counted, data=data)
                if out is None:
                    raise Unlisted
                lines = filter(None, os.fsdecode(out).split('\0'))
                names.update(dict.fromkeys(line.split('\t')[2] for line in lines))
            fits = all(self._lay_out(effect.directory, folder, each) for each in names)
            applied = ('apply', strip, *(('--reverse',) if effect.reverse else ()))
            fits = fits and self.context.git(folder, *applied, data=data) is not None
            for name in names:
                path = os.path.normpath(os.path.join(effect.directory, name))
                new = stored(os.path.join(folder, name)) if fits else None
                yield _written(path, new, removed=fits and new is None)

    def _lay_out(self, directory: str, folder: str, name: str) -> bool:
        """Copy the current file to another folder, unless its name leads out of it."""
        copy = os.path.normpath(os.path.join(folder, name))
        content = self.current(os.path.normpath(os.path.join(directory, name)))
        if not is_below(copy, folder):
            return False
        elif content is not None:
            os.makedirs(os.path.dirname(copy), exist_ok=True)
            with open(copy, 'wb') as file:
                file.write(content)
        return True

    def _of_agents_patch(self, text: str, directory: str) -> Iterator[Write]:
        def now(path: str) -> str | None:
            data = self.current(path)
            return None if data is None else data.decode('UTF-8', 'surrogateescape')

        try:
            found = apply_patch.patched_files(text, directory, now)
        except Unreadable:
            raise Unlisted from None
        for each in found:
            yield of_patched(each.path, each)


def _written(path: str, content: bytes | None = None, **more: Any) -> Write:
    """A file as the command leaves it; None as content means unknown."""
    return Write(path, lambda: content, **more)


def _is_left_out(effect: Writes, below: str) -> bool:
    """Whether `--exclude` names the file or a folder above it, or matches its path."""
    left_out = effect.origin.without if isinstance(effect.origin, CopiedContent) else ()
    parts = below.split(os.sep)
    return any(
        fnmatchcase(below, each.strip('/'))
        or any(fnmatchcase(part, each.strip('/')) for part in parts)
        for each in left_out
    )


def _members(archive: str) -> list[str]:
    """The names of the files in an archive."""
    import tarfile
    import zipfile
    import zlib

    unreadable = (tarfile.TarError, zlib.error, zipfile.BadZipFile)
    try:
        if zipfile.is_zipfile(archive):
            with zipfile.ZipFile(archive) as packed:
                return packed.namelist()
        with tarfile.open(archive) as packed_:
            return [each.name for each in packed_ if not each.isdir()]
    except (OSError, EOFError, ValueError, *unreadable):
        raise Unlisted from None
