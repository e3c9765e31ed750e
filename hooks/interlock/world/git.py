"""The only caller of git."""
from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from typing import IO
from typing import NamedTuple

from interlock.model.change import Blob
from interlock.model.errors import NoRepository
from interlock.model.errors import Refusal

# no document of a workflow is larger; contracts are hashed in pieces
MAX_BLOB = 32 * 1024 * 1024
CHUNK = 1024 * 1024
SUBMODULE = b'160000'
# what we say ourselves goes to the other one
STDERR = 2
# git answers while we ask: both would wait if the question filled its pipe
MAX_QUESTION = 8 * 1024


class GitError(Refusal):
    """A git command that failed; where nobody expected it, a refusal."""

    def __init__(self, args: tuple[str, ...], code: int, error: str) -> None:
        super().__init__(f'git {args[0]} failed: {error}', 'git status')
        self.code = code
        self.error = error


def _environment(environ: Mapping[str, str]) -> dict[str, str]:
    # GIT_DIR and GIT_INDEX_FILE are kept: in a hook they say what is judged.
    # A replaced object would let a judged commit differ from the pushed one.
    return {
        **environ,
        'GIT_LITERAL_PATHSPECS': '0',
        'GIT_NO_REPLACE_OBJECTS': '1',
        'GIT_OPTIONAL_LOCKS': '0',
        'LC_ALL': 'C',
    }


def _missing() -> NoRepository:
    return NoRepository(
        'git is not installed, or not on the PATH',
        'install git, then run this again',
    )


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends a process with all that it started."""
    with contextlib.suppress(OSError):
        if hasattr(os, 'killpg'):
            os.killpg(process.pid, signal.SIGKILL)
        else:  # pragma: no cover (Windows)
            process.kill()
    process.communicate()


def text(data: bytes) -> str:
    """A path or a message as text; bytes that are no UTF-8 survive."""
    return data.decode(errors='surrogateescape')


def decode(data: bytes, encoding: str) -> str:
    """A message in the encoding that git has for it, whatever its bytes."""
    try:
        return data.decode(encoding, errors='replace')
    except (LookupError, ValueError):
        return data.decode(errors='replace')


class _Batch:
    """A git process that answers one question after the other."""

    def __init__(
            self,
            environ: Mapping[str, str],
            directory: str | None,
            *args: str,
    ) -> None:
        try:
            self._process = subprocess.Popen(
                ('git', *args),
                cwd=directory,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=_environment(environ),
            )
        except OSError:
            raise _missing() from None
        assert self._process.stdin and self._process.stdout
        self._in: IO[bytes] = self._process.stdin
        self._out: IO[bytes] = self._process.stdout
        self._name = f'git {args[0]}'

    def close(self) -> None:
        with contextlib.suppress(OSError):
            # what could not be sent to a process that ended
            self._in.close()
        self._out.close()
        self._process.wait()

    def _send(self, lines: bytes) -> None:
        try:
            self._in.write(lines)
            self._in.flush()
        except OSError:
            raise self._ended() from None

    def _ended(self) -> Refusal:
        return Refusal(f'{self._name} ended in the middle', 'git fsck')


class Objects(_Batch):
    """One long-lived `git cat-file --batch`."""

    def __init__(
            self,
            environ: Mapping[str, str],
            directory: str | None = None,
    ) -> None:
        super().__init__(environ, directory, 'cat-file', '--batch')

    def _header(self) -> tuple[str, str, int] | None:
        """Object id, type and size; the content is then to be read."""
        header = self._out.readline()
        if not header:
            raise self._ended()
        parts = header.rsplit(b' ', 2)
        if len(parts) != 3 or not parts[2].strip().isdigit():
            # `NAME missing`, `NAME ambiguous`, a submodule's commit
            return None
        return text(parts[0]), text(parts[1]), int(parts[2])

    def _pieces(self, size: int) -> Iterator[bytes]:
        left = size
        while left:
            piece = self._out.read(min(left, CHUNK))
            if not piece:
                raise self._ended()
            left -= len(piece)
            yield piece
        self._out.read(1)

    def _answer(self) -> tuple[str, Blob] | None:
        header = self._header()
        if header is None:
            return None
        oid, kind, size = header
        if size > MAX_BLOB:
            for _ in self._pieces(size):
                pass
            return kind, Blob(oid, size, None)
        return kind, Blob(oid, size, b''.join(self._pieces(size)))

    def read(self, name: str) -> tuple[str, Blob] | None:
        """The type and content of an object, None if there is none."""
        return next(self.read_many([name]))

    def read_many(
            self,
            names: Sequence[str],
    ) -> Iterator[tuple[str, Blob] | None]:
        """As `read`; to wait for each answer takes far longer."""
        asked: list[bool] = []
        question = b''
        for name in names:
            line = name.encode(errors='surrogateescape') + b'\n'
            askable = line.count(b'\n') == 1 and b'\0' not in line
            if len(question) + len(line) > MAX_QUESTION:
                yield from self._answers(question, asked)
                asked, question = [], b''
            asked.append(askable)
            question += line if askable else b''
        yield from self._answers(question, asked)

    def _answers(
            self,
            question: bytes,
            asked: Sequence[bool],
    ) -> Iterator[tuple[str, Blob] | None]:
        if question:
            self._send(question)
        # all at once: a caller that stops early must not leave any behind
        yield from [self._answer() if one else None for one in asked]

    def digest(self, name: str, algorithm: str) -> str | None:
        # only contracts are hashed, and a hook has no time for the import
        import hashlib

        self._send(name.encode(errors='surrogateescape') + b'\n')
        header = self._header()
        if header is None:
            return None
        digest = hashlib.new(algorithm)
        for piece in self._pieces(header[2]):
            digest.update(piece)
        return digest.hexdigest() if header[1] == 'blob' else None


class Differ(_Batch):
    """One long-lived `git diff-tree --stdin`."""

    def __init__(
            self,
            environ: Mapping[str, str],
            directory: str | None = None,
    ) -> None:
        # a line that is no object id is echoed: it marks the end of an
        # answer, and no path can be named like it
        self._end = f'interlock: end {os.urandom(16).hex()}\n'.encode()
        super().__init__(
            environ, directory, 'diff-tree', '--stdin', '-r', '-z', '--raw',
            '--no-renames', '--no-ext-diff',
        )

    def diff(self, before: str, after: str) -> dict[str, str]:
        return raw_diff(next(self.diff_many([(before, after)])))

    def diff_many(self, pairs: Sequence[tuple[str, str]]) -> Iterator[bytes]:
        """Asked all at once: to wait for each answer takes far longer."""
        heads = [f'{before} {after}\n'.encode() for before, after in pairs]
        self._send(b''.join(head + self._end for head in heads))
        yield from [self._answer(head) for head in heads]

    def _answer(self, head: bytes) -> bytes:
        out = b''
        while not out.endswith(self._end):
            line = self._out.readline()
            if not line:
                raise self._ended()
            out += line
        if not out.startswith(head):
            # a tree that is missing is no difference to git
            raise self._ended()
        return out[len(head):-len(self._end)]


class Commit(NamedTuple):
    oid: str
    tree: str
    parents: tuple[str, ...]
    message: str
    time: int


class Git:
    """git in a directory (ours), with the environment we were given."""

    def __init__(
            self,
            environ: Mapping[str, str],
            directory: str | None = None,
    ) -> None:
        self.environ = environ
        self.directory = directory
        self._objects: Objects | None = None
        self._differ: Differ | None = None
        self._commits: dict[str, Commit] = {}

    def run(self, *args: str, data: bytes | None = None) -> bytes:
        try:
            process = subprocess.run(
                ('git', *args),
                cwd=self.directory,
                input=data,
                stdin=subprocess.DEVNULL if data is None else None,
                capture_output=True,
                env=_environment(self.environ),
            )
        except OSError:
            raise _missing() from None
        if process.returncode:
            error = text(process.stderr).strip()
            raise GitError(args, process.returncode, error)
        return process.stdout

    def as_user(self, *args: str, data: bytes, kept: int) -> int:
        """A command as the user would give it: with hooks that speak.

        `kept` stays open in all that it starts, and with it a lock.
        """
        try:
            return subprocess.run(
                ('git', *args),
                input=data,
                stdout=STDERR,
                env=self.environ,
                cwd=self.directory,
                pass_fds=(kept,) if os.name == 'posix' else (),
            ).returncode
        except OSError:
            raise _missing() from None

    def tried(self, *args: str, seconds: float) -> tuple[int, str]:
        """As the user would, with hooks; the exit code, and all that is said.

        What takes longer is ended, hooks included.
        """
        try:
            process = subprocess.Popen(
                ('git', *args),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env=self.environ,
                cwd=self.directory,
                start_new_session=True,
            )
        except OSError:
            raise _missing() from None
        try:
            out, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            _end(process)
            raise Refusal(
                f'git {args[0]} did not end within {seconds:.0f} seconds',
            ) from None
        except BaseException:
            _end(process)
            raise
        return process.returncode, out.decode(errors='replace')

    def start(self, *args: str) -> Callable[[], bytes]:
        """As `run`, but git works while we do: the output when it is asked."""
        try:
            process = subprocess.Popen(
                ('git', *args),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=_environment(self.environ),
                cwd=self.directory,
            )
        except OSError:
            raise _missing() from None

        def output() -> bytes:
            out, error = process.communicate()
            if process.returncode:
                said = text(error).strip()
                raise GitError(args, process.returncode, said)
            return out

        return output

    def line(self, *args: str) -> str:
        return text(self.run(*args)).rstrip('\n')

    @property
    def objects(self) -> Objects:
        if self._objects is None:
            self._objects = Objects(self.environ, self.directory)
        return self._objects

    def close(self) -> None:
        for process in (self._objects, self._differ):
            if process is not None:
                process.close()
        self._objects = self._differ = None

    def empty_tree(self) -> str:
        return self.line('hash-object', '-t', 'tree', '--stdin')

    def resolve(self, rev: str) -> str | None:
        """The id of the commit that a revision names."""
        if '@' in rev:
            # where there is no such thing cat-file does not say so: it ends
            try:
                rev = self.line('rev-parse', '--verify', '-q', rev)
            except GitError:
                return None
        answer = self.objects.read(f'{rev}^{{commit}}')
        return answer[1].oid if answer else None

    def commit(self, oid: str) -> Commit | None:
        """A commit as its object says: grafts and shallow cuts not applied."""
        if oid not in self._commits:
            answer = self.objects.read(oid)
            if answer is None or answer[0] != 'commit':
                return None
            self._commits[oid] = _parse_commit(oid, answer[1].data or b'')
        return self._commits[oid]

    def read_commits(self, oids: Sequence[str]) -> None:
        """So that `commit` need not ask for each of them."""
        for oid, answer in zip(
                oids, self.objects.read_many(oids), strict=True,
        ):
            if answer is not None and answer[0] == 'commit':
                self._commits[oid] = _parse_commit(oid, answer[1].data or b'')

    def commits(self, *revisions: str) -> list[str]:
        out = self.run(
            'rev-list', '--topo-order', '--reverse', *revisions, '--',
        )
        return text(out).split()

    def messages(self, pattern: str, *revisions: str) -> list[str]:
        """The messages of the commits in which a line matches a pattern."""
        out = self.run(
            'log', '-z', '--format=%B', '--basic-regexp',
            f'--grep={pattern}', *revisions, '--',
        )
        return [decode(one, 'UTF-8') for one in out.split(b'\0') if one]

    def subjects(
            self,
            rev: str,
            words: Sequence[str],
            count: int,
            skip: int,
    ) -> list[tuple[str, str]]:
        """Commits with their subjects that say one of some words, newest
        first; 0 for all of them."""
        limit = (f'--max-count={count}',) if count else ()
        out = self.run(
            'log', '-z', '--format=%H %s', '--encoding=UTF-8', '-i', '-F',
            *(f'--grep={word}' for word in words), *limit, f'--skip={skip}',
            rev, '--',
        )
        lines = [decode(line, 'UTF-8') for line in out.split(b'\0') if line]
        return [
            (oid, text) for oid, _, text in
            (line.partition(' ') for line in lines)
        ]

    def touching(self, rev: str, path: str) -> list[str]:
        """The commits that changed a file, newest first."""
        out = self.run('rev-list', rev, '--', f':(top,literal){path}')
        return text(out).split()

    def checked_out(self, commit: str, path: str) -> bytes:
        """A file of a commit as it would be in the working tree."""
        return self.run('cat-file', '--filters', f'{commit}:{path}')

    def message_settings(self) -> tuple[str, str]:
        """The encoding of messages, and what starts a comment in them."""
        settings = {}
        try:
            out = self.run(
                'config', '-z', '--get-regexp',
                r'^(i18n\.commitencoding|core\.comment(char|string))$',
            )
        except GitError:
            out = b''
        for entry in out.split(b'\0'):
            key, _, value = text(entry).partition('\n')
            settings[key.partition('.')[0]] = value
        return settings.get('i18n', 'UTF-8'), settings.get('core', '#')

    def is_shallow(self) -> bool:
        return self.line('rev-parse', '--is-shallow-repository') == 'true'

    @property
    def differ(self) -> Differ:
        if self._differ is None:
            self._differ = Differ(self.environ, self.directory)
        return self._differ

    def diff_trees(self, before: str, after: str) -> dict[str, str]:
        return self.differ.diff(before, after)

    def diff_index(self, tree: str) -> tuple[dict[str, str], dict[str, str]]:
        """What the index changes, and the ids of what it holds instead."""
        out = self.run(
            'diff-index', '--cached', '-z', '--raw', '--no-renames',
            '--no-ext-diff', '--ita-invisible-in-index', tree, '--',
        )
        return raw_diff(out), raw_ids(out)

    def tree_files(self, tree: str) -> dict[str, str]:
        """path -> object id of every file of a tree."""
        return _listed(self.run('ls-tree', '-r', '-z', '--full-tree', tree))


def _listed(out: bytes) -> dict[str, str]:
    """From `MODE TYPE OID<tab>PATH`; submodules are left out."""
    found = {}
    for line in out.split(b'\0'):
        meta, _, path = line.partition(b'\t')
        mode, *rest = meta.split(b' ')
        if path and mode != SUBMODULE:
            found[text(path)] = text(rest[1])
    return found


def raw_diff(out: bytes) -> dict[str, str]:
    """path -> status letter, from `--raw -z` without renames."""
    fields = out.split(b'\0')
    touched = {}
    for meta, path in zip(fields[::2], fields[1::2], strict=False):
        touched[text(path)] = text(meta.rsplit(b' ', 1)[-1])
    return touched


def raw_ids(out: bytes) -> dict[str, str]:
    """path -> id of the new content, from the same; no submodules."""
    fields = out.split(b'\0')
    found = {}
    for meta, path in zip(fields[::2], fields[1::2], strict=False):
        _, mode, _, oid, _ = meta.split(b' ')
        if mode != SUBMODULE:
            found[text(path)] = text(oid)
    return found


def _parse_commit(oid: str, data: bytes) -> Commit:
    head, _, body = data.partition(b'\n\n')
    tree, encoding, time = '', 'UTF-8', 0
    parents = []
    for line in head.split(b'\n'):
        key, _, value = line.partition(b' ')
        if key == b'tree':
            tree = text(value)
        elif key == b'parent':
            parents.append(text(value))
        elif key == b'committer':
            stamp = value.rsplit(b' ', 2)[-2:-1]
            time = int(stamp[0]) if stamp and stamp[0].isdigit() else 0
        elif key == b'encoding':
            encoding = text(value)
    message = decode(body, encoding)
    return Commit(oid, tree, tuple(parents), message, time)
