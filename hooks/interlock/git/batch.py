"""Long-lived git processes that answer many questions."""

from __future__ import annotations

import errno
import os

from interlock.git.parse import text
from interlock.git.process import DEVNULL, PIPE, Process
from interlock.model import quick_hash
from interlock.model import quick_tools as functools
from interlock.model.change import Blob
from interlock.model.errors import NoRepository, Refusal
from interlock.model.quick_typing import IO, Iterator, Mapping, Sequence

# documents of a workflow are smaller; contracts are hashed in chunks
MAX_BLOB = 32 * 1024 * 1024
CHUNK = 1024 * 1024
# git answers while we ask: a longer question could fill its pipe, and both
# sides would wait for ever
MAX_QUESTION = 8 * 1024
# the number of pairs whose question stays within that size
PAIRS = 48
# how large a process may grow, and after how many questions we check
MAX_MEMORY = 256 * 1024 * 1024
CHECKED = 16
# errors of an executable that exists but cannot be run
NOT_RUN = {errno.EACCES, errno.EPERM, errno.ENOEXEC}
TOO_MANY = {errno.EMFILE, errno.ENFILE}


# how git prints a diff that `parse.diff_entries` reads
RAW = ('-z', '--raw', '--no-renames', '--no-ext-diff')
# git may not use any transport, not even to complete a partial clone
OFFLINE = {'GIT_ALLOW_PROTOCOL': ''}
COMPLETE = 'git fetch --refetch --no-filter'


def not_cloned(what: str) -> Refusal:
    return Refusal(
        f'{what} is not in the repository: this partial clone left it out', COMPLETE
    )


def environment(environ: Mapping[str, str]) -> dict[str, str]:
    # GIT_DIR and GIT_INDEX_FILE stay: in a hook they name the repository and
    # the index to judge. A replaced object, or a graft, would let the judged
    # commit differ from the pushed one.
    return {
        **environ,
        'GIT_GRAFT_FILE': os.path.join(os.devnull, 'none'),
        'GIT_LITERAL_PATHSPECS': '0',
        'GIT_NO_REPLACE_OBJECTS': '1',
        'GIT_OPTIONAL_LOCKS': '0',
        'LC_ALL': 'C',
    }


def not_started(error: OSError) -> Refusal:
    """Why git did not start; says that git is missing only if it is git itself."""
    why = error.strerror or type(error).__name__
    # an entry of PATH need not be a folder
    if error.filename == 'git' and isinstance(
        error, FileNotFoundError | NotADirectoryError
    ):
        return NoRepository(
            'git is not installed, or not on the PATH',
            'install git, then run this again',
        )
    elif error.filename == 'git' and error.errno in NOT_RUN:
        return NoRepository(
            f'the git on the PATH cannot be run: {why}',
            'command -v git, then fix that file or the PATH',
        )
    what = f' in {error.filename}' if error.filename not in (None, 'git') else ''
    hint = 'run this again'
    if error.errno in TOO_MANY:
        hint = 'ulimit -n 1024, then run this again'
    return Refusal(f'git could not be started{what}: {why}', hint)


def ask(
    words: Sequence[str],
    environ: Mapping[str, str],
    directory: str | None,
    *,
    stdin: int = DEVNULL,
    stderr: int = PIPE,
    leads: bool = False,
) -> Process:
    try:
        return Process(
            words, environ, directory, stdin=stdin, stderr=stderr, leads=leads
        )
    except OSError as e:
        raise not_started(e) from None


class Batch:
    """A git process that answers one question after the other."""

    def __init__(
        self, environ: Mapping[str, str], directory: str | None, *args: str
    ) -> None:
        self._start = functools.partial(
            ask, args, environment(environ), directory, stdin=PIPE, stderr=DEVNULL
        )
        self._name = f'git {args[0]}'
        self._is_offline = OFFLINE.items() <= environ.items()
        self._open()

    def _open(self) -> None:
        self._process = self._start()
        assert self._process.stdin, 'it is a pipe'
        self._in: IO[bytes] = self._process.stdin
        self._out: IO[bytes] = self._process.stdout
        # the number of questions asked, and of bytes received
        self._asked_for = self._given = 0

    def _renew(self) -> None:
        """Restart a process that grew: git keeps all it read of a long history."""
        self._asked_for += 1
        if self._asked_for % CHECKED == 0 and self._memory() > MAX_MEMORY:
            self.close()
            self._open()

    def _memory(self) -> int:
        """The memory of the process in bytes; without /proc, the bytes it sent."""
        try:
            with open(f'/proc/{self._process.pid}/statm', 'rb') as f:
                return int(f.read().split()[1]) * os.sysconf('SC_PAGE_SIZE')
        except (OSError, ValueError, IndexError, AttributeError):
            return self._given

    def close(self) -> None:
        try:
            self._in.close()
        except OSError:
            # the process ended before it read everything
            pass
        self._out.close()
        self._process.wait()

    def _send(self, lines: bytes) -> None:
        """Ask a question, after all answers to earlier ones were read."""
        self._renew()
        try:
            self._in.write(lines)
            self._in.flush()
        except OSError:
            raise self._ended() from None

    def _ended(self) -> Refusal:
        if self._is_offline:
            return not_cloned('an object')
        return Refusal(f'{self._name} ended in the middle', 'git fsck')


class Objects(Batch):
    """One long-lived `git cat-file --batch`."""

    def __init__(
        self, environ: Mapping[str, str], directory: str | None = None
    ) -> None:
        super().__init__(environ, directory, 'cat-file', '--batch')

    def _header(self) -> tuple[str, str, int] | None:
        """Object id, type and size; the caller then reads the content."""
        header = self._out.readline()
        if not header:
            raise self._ended()
        parts = header.split()
        if len(parts) != 3 or not parts[2].isdigit():
            # `NAME missing`, `NAME ambiguous`, a submodule's commit
            return None
        return parts[0].decode(), parts[1].decode(), int(parts[2])

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
        self._given += size
        if size > MAX_BLOB:
            for _ in self._pieces(size):
                pass
            return kind, Blob(oid, size, None)
        # including the newline that ends it
        data = self._out.read(size + 1)
        if len(data) <= size:
            raise self._ended()
        return kind, Blob(oid, size, data[:size])

    def read(self, name: str) -> tuple[str, Blob] | None:
        """The type and content of an object, None if it does not exist."""
        return next(self.read_many([name]))

    def read_many(self, names: Sequence[str]) -> Iterator[tuple[str, Blob] | None]:
        """Like `read`, for many names; waiting for each answer takes far longer."""
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
        self, question: bytes, asked: Sequence[bool]
    ) -> Iterator[tuple[str, Blob] | None]:
        if question:
            self._send(question)
        # read all answers at once: a caller that stops early must not leave any
        yield from [self._answer() if one else None for one in asked]

    def digest(self, name: str, algorithm: str) -> str | None:
        self._send(name.encode(errors='surrogateescape') + b'\n')
        header = self._header()
        if header is None:
            return None
        digest = quick_hash.new(algorithm)
        for piece in self._pieces(header[2]):
            digest.update(piece)
        return digest.hexdigest() if header[1] == 'blob' else None


def _heads(pairs: Sequence[tuple[str, str]]) -> list[str]:
    return [f'{before} {after}' for before, after in pairs]


def _by_head(fields: Sequence[str]) -> list[tuple[str, list[str]]]:
    """The fields of each diff, by the line that git prints above it.

    Every second field is a path, which may contain anything, even such a line.
    """
    found: list[tuple[str, list[str]]] = []
    for at in range(0, len(fields), 2):
        *heads, meta = fields[at].split('\n')
        found += [(head, []) for head in heads]
        if meta:
            found[-1][1].extend((meta, fields[at + 1]))
    return found


class Differ(Batch):
    """One long-lived `git diff-tree --stdin`."""

    def __init__(
        self, environ: Mapping[str, str], directory: str | None = None
    ) -> None:
        # git echoes a line that is not an object id. This one marks the end of
        # the answers; no path can have its name.
        self._end = f'interlock: end {os.urandom(16).hex()}\n'.encode()
        super().__init__(environ, directory, 'diff-tree', '--stdin', '-r', *RAW)
        # questions not answered yet, and answers not handed out yet
        self._asked: list[str] = []
        self._early: dict[str, list[str]] = {}

    def ask(self, pairs: Sequence[tuple[str, str]]) -> None:
        """Let git compute differences that will be needed soon."""
        self._early = self._answers()
        self._question(_heads(pairs[:PAIRS]))

    def diffs(self, pairs: Sequence[tuple[str, str]]) -> Iterator[list[str]]:
        """The fields of the differences of all pairs; waiting for each answer takes
        far longer."""
        known = {**self._early, **self._answers()}
        heads = _heads(pairs)
        # keep early answers that this call does not ask for
        given = set(heads)
        self._early = {head: out for head, out in known.items() if head not in given}
        for at in range(0, len(heads), PAIRS):
            some = heads[at : at + PAIRS]
            self._question([head for head in some if head not in known])
            known.update(self._answers())
            yield from [known[head] for head in some]

    def _question(self, heads: Sequence[str]) -> None:
        self._asked = list(heads)
        if heads:
            lines = ''.join([f'{head}\n' for head in heads])
            self._send(lines.encode() + self._end)

    def _answers(self) -> dict[str, list[str]]:
        asked, self._asked = self._asked, []
        if not asked:
            return {}
        lines = [b'']
        while not lines[-1].endswith(self._end):
            line = self._out.readline()
            if not line:
                raise self._ended()
            lines.append(line)
        out = b''.join(lines)
        self._given += len(out)
        found = _by_head(text(out[: -len(self._end)]).split('\0'))
        if [head for head, _ in found] != asked:
            # git reports no difference for a tree that is missing
            raise self._ended()
        return dict(found)
