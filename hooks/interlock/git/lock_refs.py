"""Lock records as commits, on refs of a remote.

They are kept in a private bare repository below the git directory. It includes
the configuration of the clone, so it knows its remotes, its `insteadOf` and
its credentials. The clone itself gains neither refs nor objects.
"""

from __future__ import annotations

import os
import time

from interlock.files import atomic_files
from interlock.git.batch import ask, environment
from interlock.git.git import Git, GitError
from interlock.git.parse import (
    parse_commit,
    reason,
    text,
    tree_entries,
    without_password,
)
from interlock.git.remotes import CloneSettings, clone_settings, quiet
from interlock.git.worktrees import BUT_CONFIG, elsewhere
from interlock.model import quick_hash
from interlock.model import quick_re as re
from interlock.model.errors import Refusal
from interlock.model.quick_tools import suppress
from interlock.model.quick_typing import Mapping, NamedTuple, Sequence

FILE = 'lock.json'
# files that move to another machine with the lock, in records that change it
FILES = 'files.json'
# seconds for a push of work, which may be large
PUSH_SECONDS = 600.0
# searching for deltas takes longer than sending a record
CONFIG = """\
[remote "{remote}"]
{url}[include]
	path = ../../config
[core]
	bare = true
	hooksPath = /dev/null
	logAllRefUpdates = false
[pack]
	window = 0
[gc]
	auto = 0
[maintenance]
	auto = false
"""
# the author if git knows no name of the user
NOBODY = ('interlock', 'interlock@localhost')
ROLES = ('AUTHOR', 'COMMITTER')
# characters that a name in a commit cannot contain
CRUD_RE = re.compile(r'[<>\n\0]')
QUIETLY = ('--no-tags', '--no-write-fetch-head', '--no-filter', '--no-prune')


class Silent(Exception):
    """The remote did not answer; `why` can be shown to the user."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class PushResult(NamedTuple):
    ok: bool
    # whether the remote, or git before it sent anything, refused
    answered: bool
    text: str


class StoredCommit(NamedTuple):
    # '' if the object is not a commit
    oid: str
    message: str
    # None if it has no lock file
    data: bytes | None


class LockRefs:
    def __init__(
        self,
        environ: Mapping[str, str],
        common: str,
        remote: str,
        seconds: float,
        found: CloneSettings | None = None,
    ) -> None:
        environ = {k: v for k, v in environ.items() if k not in BUT_CONFIG}
        # git must not prompt for a password: no user is there to answer
        environ['GIT_TERMINAL_PROMPT'] = '0'
        self._common = common
        self.remote = remote
        self._seconds = seconds
        self.path = os.path.join(common, 'interlock', 'locks.git')
        self._git_object: Git | None = None
        self._settings = found or clone_settings(environ, common, remote)
        # refused before the remote is asked, or the intent to ask it is written
        self._url = self._own_push_url()
        self._environ, _ = quiet(environ, common, remote, self._settings)

    @property
    def _git(self) -> Git:
        if self._git_object is None:
            self._prepare(self._url)
            environ = {**self._environ, 'GIT_DIR': self.path}
            self._git_object = Git(environ, self.path)
        return self._git_object

    def _prepare(self, url: str) -> None:
        if not os.path.isdir(self.path):
            with elsewhere(self._environ, self._common) as git:
                self._init(git)
        config = os.path.join(self.path, 'config')
        # read from the same URL that we push to
        line = f'\turl = {url}\n' if url else ''
        wanted = CONFIG.format(remote=self.remote, url=line).encode()
        there = atomic_files.read(config)
        if there is not None and not there.endswith(wanted):
            start, _, _ = there.partition(b'[remote "')
            atomic_files.replace(config, there, start + wanted)

    def _init(self, git: Git) -> None:
        kind = self._settings.object_format
        temporary = f'{self.path}.{os.getpid()}'
        os.makedirs(os.path.dirname(self.path), exist_ok=True)
        command = 'init -q --bare --template= --object-format'
        git.run(
            command.replace('--object-format', f'--object-format={kind}'), temporary
        )
        os.chmod(os.path.join(temporary, 'config'), 0o600)
        try:
            os.rename(temporary, self.path)
        except OSError:
            # another command was first; shutil is slow to import
            import shutil

            shutil.rmtree(temporary, ignore_errors=True)

    def _own_push_url(self) -> str:
        """The URL for pushes, '' if the remote uses one URL for both directions.

        With two push URLs, one could refuse a push that the other accepts.
        """
        pushed = self._settings.push_urls
        urls = pushed or self._settings.urls
        if len(urls) == 1:
            return pushed[0] if pushed else ''
        why = f'has {len(urls)} push URLs' if urls else 'does not exist'
        raise Refusal(
            f'the locks of this project are kept on the remote `{self.remote}`, which '
            f'{why}; it needs exactly one',
            f'git remote get-url --push --all {self.remote}'
            if urls
            else f'git remote add {self.remote} URL',
        )

    # questions to the remote

    def _remotely(
        self, *words: str, seconds: float = 0, directory: str = ''
    ) -> tuple[int, str, str]:
        git = self._git
        seconds = seconds or self._seconds
        environ = environment(git.environ)
        if directory:
            objects = os.path.join(self.path, 'objects')
            environ = environment(self._environ)
            environ['GIT_ALTERNATE_OBJECT_DIRECTORIES'] = objects
        process = ask(words, environ, directory or git.directory, leads=True)
        out, said = process.output(seconds=seconds)
        if process.is_late:
            raise Silent(f'no answer within {seconds:g} seconds')
        code = process.returncode or 0
        return code, text(out), without_password(text(said)).strip()

    def advertised(self, *patterns: str) -> dict[str, str]:
        """The refs of the remote that match exact names or patterns."""
        code, out, said = self._remotely('ls-remote', self.remote, *patterns)
        if code:
            raise Silent(reason(said) or f'git ended with {code}')
        lines = (line.partition('\t') for line in out.splitlines())
        return {ref: oid for oid, _, ref in lines}

    def fetch(self, *refs: str) -> None:
        """Fetch the commits of some refs; `local` then returns them."""
        specs = [f'+{ref}:{ref}' for ref in refs]
        options = (*QUIETLY, '--refmap=', '--recurse-submodules=no', '-q')
        code, _, said = self._remotely('fetch', *options, self.remote, *specs)
        if code:
            raise Silent(reason(said) or f'git ended with {code}')

    def push(self, oid: str, ref: str, expected: str) -> PushResult:
        """Move one ref from the commit where it should be, '' if it is new."""
        options = ('--porcelain', '--no-verify', '--no-signed', '--no-follow-tags')
        return self._pushed(
            ref,
            'push',
            *options,
            '--recurse-submodules=no',
            f'--force-with-lease={ref}:{expected}',
            self.remote,
            f'{oid}:{ref}',
        )

    def push_with(
        self, directory: str, refspecs: Sequence[str], oid: str, ref: str, expected: str
    ) -> PushResult:
        """Push work from a worktree of the clone together with a record: both
        or neither. All hooks run."""
        return self._pushed(
            ref,
            'push',
            '--porcelain',
            '--atomic',
            f'--force-with-lease={ref}:{expected}',
            self.remote,
            *refspecs,
            f'{oid}:{ref}',
            seconds=PUSH_SECONDS,
            directory=directory,
        )

    def _pushed(
        self, ref: str, *words: str, seconds: float = 0, directory: str = ''
    ) -> PushResult:
        try:
            code, out, said = self._remotely(
                *words, seconds=seconds, directory=directory
            )
        except Silent as e:
            # killing a push does not cancel it
            return PushResult(False, False, e.why)
        status = [line.split('\t') for line in out.splitlines() if line[:2] == '!\t']
        refused = {names.rpartition(':')[2]: why for _, names, why in status}
        others = [f'{name} {why}' for name, why in refused.items() if name != ref]
        # git prints one line about each ref; without that line it had no answer
        answered = ref in refused
        hook = [line for line in said.splitlines() if line.startswith('remote:')]
        # once the refs are named, git's own lines would repeat it
        words_said = (
            [*(others or refused.values()), *map(str.strip, hook)]
            if refused
            else [reason(said)]
        )
        return PushResult(code == 0, answered, '; '.join(words_said))

    # the private repository

    def local(self, ref: str) -> str:
        """The commit of a ref at the last fetch, '' if it was never fetched."""
        try:
            return self._git.line('rev-parse -q --verify', ref)
        except GitError:
            return ''

    def _objects(self, *names: str) -> list[tuple[str, bytes] | None]:
        """Type and content of each object, None for a missing one."""
        lines = ''.join(f'{name}\n' for name in names).encode()
        out = self._git.run('cat-file --batch', data=lines)
        found: list[tuple[str, bytes] | None] = []
        for _ in names:
            head, _, out = out.partition(b'\n')
            words = head.split(b' ')
            if len(words) != 3:
                found.append(None)
                continue
            size = int(words[2])
            found.append((words[1].decode(), out[:size]))
            out = out[size + 1 :]
        return found

    def has(self, oid: str) -> bool:
        return self._objects(oid) != [None]

    def read(self, oid: str) -> StoredCommit | None:
        """A record, empty if it is not a commit; None if the object is missing."""
        commit, data = self._loose(oid) or self._objects(oid, f'{oid}:{FILE}')
        if commit is None:
            return None
        elif commit[0] != 'commit':
            return StoredCommit('', '', None)
        message = parse_commit(oid, commit[1]).message
        return StoredCommit(oid, message, data[1] if data else None)

    def _loose(self, oid: str) -> list[tuple[str, bytes] | None]:
        """A commit and its lock file, read as loose objects.

        `write` and a fetch leave them loose; they are seldom packed. If this
        returns nothing, git is asked: that takes longer, and it reports
        errors.
        """
        kind, commit = self._object(oid)
        made = parse_commit(oid, commit) if kind == 'commit' else None
        if made is None or made.malformed:
            return []
        _, tree = self._object(made.tree)
        with suppress(ValueError):
            for name, _, blob in tree_entries(tree, len(oid) // 2):
                if name == FILE.encode():
                    kind, data = self._object(blob.hex())
                    return [('commit', commit), (kind, data)] if kind == 'blob' else []
        return []

    def _object(self, oid: str) -> tuple[str, bytes]:
        """Type and content of an intact loose object, '' if there is none."""
        import zlib

        try:
            whole = zlib.decompress(atomic_files.read(self._path_of(oid)) or b'')
        except zlib.error:
            return '', b''
        if quick_hash.new(self._settings.object_format, whole).hexdigest() != oid:
            return '', b''
        head, _, data = whole.partition(b'\0')
        return head.partition(b' ')[0].decode(), data

    def _path_of(self, oid: str) -> str:
        return os.path.join(self.path, 'objects', oid[:2], oid[2:])

    def chain(self, oid: str) -> list[StoredCommit]:
        """A record and its predecessors, newest first, without lock files."""
        try:
            oids = self._git.line('rev-list --first-parent', oid, '--').split()
        except GitError:
            # not a commit
            return []
        return [
            StoredCommit(each, parse_commit(each, found[1]).message, None)
            for each, found in zip(oids, self._objects(*oids), strict=True)
            if found is not None
        ]

    def newest_files(self, oid: str) -> str:
        """The files of the newest record that has any, '' if none has."""
        names = [f'{each.oid}:{FILES}' for each in self.chain(oid)]
        found = (each for each in self._objects(*names) if each is not None)
        return next((text(data) for _, data in found), '')

    def messages_with(self, oid: str, word: str) -> list[str]:
        """The messages of a record and its predecessors, newest first."""
        try:
            return self._git.messages(word, oid)
        except GitError:
            return []

    def is_ancestor(self, oid: str, tip: str) -> bool:
        try:
            self._git.run('merge-base --is-ancestor', oid, tip)
        except GitError:
            return False
        return True

    def write(self, message: str, data: bytes, parent: str, files: str = '') -> str:
        """Write a new commit with the bytes of a lock file."""
        # creates the private repository if it is missing
        assert self._git is not None
        entries = self._entry(FILES, files.encode()) if files else b''
        tree = self._stored('tree', entries + self._entry(FILE, data))
        lines = [f'tree {tree}', *([f'parent {parent}'] if parent else [])]
        now = int(time.time())
        lines += [f'{role.lower()} {self._who(role)} {now} +0000' for role in ROLES]
        text = '\n'.join((*lines, '', message))
        return self._stored('commit', text.encode(errors='surrogateescape'))

    def _entry(self, name: str, data: bytes) -> bytes:
        return f'100644 {name}\0'.encode() + bytes.fromhex(self._stored('blob', data))

    def _who(self, role: str) -> str:
        found = self._settings
        known = (found.name, found.email)
        given = [
            CRUD_RE.sub(
                '', self._environ.get(f'GIT_{role}_{what}', '') or value
            ).strip()
            for what, value in zip(('NAME', 'EMAIL'), known, strict=True)
        ]
        name, email = given if all(given) else NOBODY
        return f'{name} <{email}>'

    def _stored(self, kind: str, data: bytes) -> str:
        """Write a loose object as git would. Starting git for each of the
        three objects of a record takes longer than pushing them."""
        import zlib

        whole = f'{kind} {len(data)}\0'.encode() + data
        oid: str = quick_hash.new(self._settings.object_format, whole).hexdigest()
        path = self._path_of(oid)
        if not os.path.exists(path):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            atomic_files.replace_cache(path, zlib.compress(whole, 1))
        return oid
