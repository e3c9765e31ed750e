"""Runs git; together with `batch.py` the only module that does."""

from __future__ import annotations

import os

from interlock.files.atomic_files import append, read
from interlock.git.batch import (
    OFFLINE,
    RAW,
    Differ,
    Objects,
    ask,
    environment,
    not_started,
)
from interlock.git.parse import (
    Commit,
    RawDiff,
    decode,
    parse_commit,
    parse_tree_listing,
    raw_diff,
    text,
)
from interlock.git.process import DEVNULL, PIPE, Process
from interlock.model.errors import Refusal
from interlock.model.quick_typing import Callable, Mapping, Sequence

# how many commits of a long history stay in memory
KEPT_COMMITS = 4096
# our own output goes to stdout
STDERR = 2


class GitError(Refusal):
    """A git command that failed; a refusal unless the caller expects it."""

    def __init__(self, args: Sequence[str], code: int, error: str) -> None:
        super().__init__(f'git {args[0]} failed: {error}', 'git status')
        self.code = code
        self.error = error


class Git:
    """Runs git in a directory (default: ours) with the given environment."""

    def __init__(
        self, environ: Mapping[str, str], directory: str | None = None
    ) -> None:
        self.environ = environ
        self.directory = directory
        self._objects: Objects | None = None
        self._differ: Differ | None = None
        self._commits: dict[str, Commit] = {}

    def stay_offline(self) -> None:
        """Keep git from fetching on its own: in a partial clone it would fetch
        each missing object separately."""
        self.close()
        self.environ = {**self.environ, **OFFLINE}

    def run(self, command: str, *args: str, data: bytes | None = None) -> bytes:
        """The output of git; only `command` is split into words."""
        words = (*command.split(), *args)
        stdin = DEVNULL if data is None else PIPE
        process = self._start(words, stdin)
        out, error = process.output(data)
        if process.returncode:
            raise GitError(words, process.returncode, text(error).strip())
        return out

    def _start(self, words: Sequence[str], stdin: int = DEVNULL) -> Process:
        return ask(words, environment(self.environ), self.directory, stdin=stdin)

    def as_user(self, *args: str, data: bytes, kept: int) -> int:
        """Run a command as the user would: hooks run, and their output is shown.

        All processes that it starts inherit `kept`, which holds a lock.
        """
        import subprocess

        try:
            return subprocess.run(
                ('git', *args),
                input=data,
                stdout=STDERR,
                env=self.environ,
                cwd=self.directory,
                pass_fds=(kept,) if os.name == 'posix' else (),
            ).returncode
        except OSError as e:
            raise not_started(e) from None

    def run_as_user(self, *args: str, seconds: float) -> tuple[int, str]:
        """Run a command with hooks, as the user would: exit code and all output."""
        from interlock.git.run_command import run_to_end

        try:
            found = run_to_end(
                ('git', *args), self.directory, seconds, self.environ, together=True
            )
        except OSError as e:
            raise not_started(e) from None
        if found.is_late:
            raise Refusal(f'git {args[0]} did not end within {seconds:.0f} seconds')
        return found.code, found.out

    def start(self, command: str) -> Callable[[], bytes]:
        """Like `run`, but git works in the background until the output is read."""
        words = command.split()
        process = self._start(words)

        def output() -> bytes:
            out, error = process.output()
            if process.returncode:
                raise GitError(words, process.returncode, text(error).strip())
            return out

        return output

    def add_trailers(self, file: str, trailers: Sequence[str]) -> None:
        """Add trailers to a commit message; a trailer of the same name is replaced."""
        data = read(file) or b''
        if data and not data.endswith(b'\n'):
            # the message of a merge: without a newline git would write the
            # first trailer right below the subject, as a part of it
            append(file, b'\n')
        options = [option for trailer in trailers for option in ('--trailer', trailer)]
        command = 'interpret-trailers --in-place --if-exists replace'
        self.run(command, *options, '--', file)

    def line(self, command: str, *args: str) -> str:
        return text(self.run(command, *args)).rstrip('\n')

    @property
    def objects(self) -> Objects:
        if self._objects is None:
            self._objects = Objects(self.environ, self.directory)
        return self._objects

    @property
    def differ(self) -> Differ:
        if self._differ is None:
            self._differ = Differ(self.environ, self.directory)
        return self._differ

    def close(self) -> None:
        for process in (self._objects, self._differ):
            if process is not None:
                process.close()
        self._objects = self._differ = None

    def empty_tree(self) -> str:
        return self.line('hash-object -t tree --stdin')

    def resolve(self, rev: str) -> str | None:
        """The id of the commit that a revision names."""
        if '@' in rev:
            # cat-file would exit instead of reporting a missing revision
            try:
                rev = self.line('rev-parse --verify -q', rev)
            except GitError:
                return None
        answer = self.objects.read(f'{rev}^{{commit}}')
        return answer[1].oid if answer else None

    def commit(self, oid: str) -> Commit | None:
        """A commit as its object says, without grafts and shallow cuts."""
        if oid not in self._commits:
            self.read_commits([oid])
        return self._commits.get(oid)

    def has_read(self, oid: str) -> bool:
        return oid in self._commits

    def read_commits(self, oids: Sequence[str]) -> None:
        """Read several commits at once, so that `commit` has them ready."""
        if len(self._commits) > KEPT_COMMITS:
            for old in list(self._commits)[: KEPT_COMMITS // 2]:
                del self._commits[old]
        for oid, answer in zip(oids, self.objects.read_many(oids), strict=True):
            if answer is not None and answer[0] == 'commit':
                self._commits[oid] = parse_commit(oid, answer[1].data or b'')

    def commits(self, *revisions: str) -> list[str]:
        return self.with_forks(*revisions)[0]

    def with_forks(self, *revisions: str) -> tuple[list[str], dict[str, list[str]]]:
        """Commits, oldest first, and the parents of each whose only parent is
        not the commit listed before it."""
        oids, forks = list[str](), dict[str, list[str]]()
        command = 'rev-list --topo-order --reverse --parents'
        for line in self.run(command, *revisions, '--').splitlines():
            oid, *parents = text(line).split(' ')
            if not parents or parents != oids[-1:]:
                forks[oid] = parents
            oids.append(oid)
        return oids, forks

    def messages(self, pattern: str, *revisions: str) -> list[str]:
        """The messages of the commits in which a line matches a pattern."""
        found = self.with_messages(pattern, *revisions)
        return [message for _, message in found]

    def with_messages(self, pattern: str, *revisions: str) -> list[tuple[str, str]]:
        """Like `messages`, each with the id of its commit; newest first."""
        command = 'log -z --format=%H%n%B --basic-regexp'
        out = self.run(command, f'--grep={pattern}', *revisions, '--')
        found = (
            decode(one, 'UTF-8').partition('\n') for one in out.split(b'\0') if one
        )
        return [(oid, message) for oid, _, message in found]

    def subjects(
        self, rev: str, words: Sequence[str], count: int, skip: int
    ) -> list[tuple[str, str]]:
        """Commits whose message contains one of the words, with their
        subjects, newest first; a count of 0 means all."""
        limits = [f'--max-count={count}'] if count else []
        greps = [f'--grep={word}' for word in words]
        command = f'log -z --format=%H%x20%s --encoding=UTF-8 -i -F --skip={skip}'
        out = self.run(command, *greps, *limits, rev, '--')
        lines = [decode(line, 'UTF-8') for line in out.split(b'\0') if line]
        return [(oid, text) for oid, _, text in (line.partition(' ') for line in lines)]

    def touching(self, rev: str, path: str) -> list[str]:
        """The commits that changed a file, newest first."""
        return self.line('rev-list', rev, '--', f':(top,literal){path}').split()

    def checked_out(self, commit: str, path: str) -> bytes:
        """A file of a commit as a checkout would write it."""
        return self.run('cat-file --filters', f'{commit}:{path}')

    def message_settings(self) -> tuple[str, str]:
        """The encoding of commit messages, and their comment character."""
        pattern = r'^(i18n\.commitencoding|core\.comment(char|string))$'
        settings = {
            key.partition('.')[0]: value for key, value in self.settings(pattern)
        }
        return settings.get('i18n', 'UTF-8'), settings.get('core', '#')

    def settings(self, pattern: str) -> list[tuple[str, str]]:
        """The keys that match a pattern, with their values, in config order."""
        try:
            out = text(self.run('config -z --get-regexp', pattern))
        except GitError:
            return []
        entries = (entry.partition('\n') for entry in out.split('\0') if entry)
        return [(key, value) for key, _, value in entries]

    def is_shallow(self) -> bool:
        return self.line('rev-parse --is-shallow-repository') == 'true'

    def is_partial(self) -> bool:
        """Whether git fetches missing objects when it needs them."""
        return bool(self.settings(r'^(remote\..*\.promisor|extensions\.partialclone)$'))

    def diff_of_trees(self, before: str, after: str) -> RawDiff:
        return raw_diff(next(self.differ.diffs([(before, after)])))

    def diff_trees(self, before: str, after: str) -> dict[str, str]:
        return self.diff_of_trees(before, after).touched

    def diff_index(self, tree: str) -> tuple[dict[str, str], dict[str, str]]:
        """The paths that the index changes, and the ids of their new contents."""
        command = 'diff-index --cached --ita-invisible-in-index'
        out = self.run(command, *RAW, tree, '--')
        diff = raw_diff(text(out).split('\0'))
        return diff.touched, diff.new

    def index_mode(self, path: str) -> str:
        """The mode of a file in the index, '' if it is not there."""
        found = self.run('ls-files --stage -z --', f':(top,literal){path}')
        return text(found).partition(' ')[0]

    def tree_files(self, tree: str) -> dict[str, str]:
        """path -> object id of every file of a tree."""
        return parse_tree_listing(self.run('ls-tree -r -z --full-tree', tree))
