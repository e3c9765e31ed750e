"""The entries of an index (`MODE OID` by path, '' for none), and a scratch
index that holds HEAD plus one change."""

from __future__ import annotations

import os
import shutil

from interlock.git.batch import RAW
from interlock.git.git import Git, GitError
from interlock.git.parse import diff_entries, text
from interlock.git.repository import Repository
from interlock.model.errors import Denied, Refusal
from interlock.model.quick_tools import suppress
from interlock.model.quick_typing import Mapping, Sequence
from interlock.workflow.language.patterns import matching_paths

# path -> entry before, entry after
Changed = Mapping[str, 'tuple[str, str]']
FILE = '100644'
# an operation that git has not finished -> the file that it leaves
BUSY = {
    'merge': 'MERGE_HEAD',
    'cherry-pick': 'CHERRY_PICK_HEAD',
    'revert': 'REVERT_HEAD',
    'rebase': 'rebase-merge',
    'rebase or am': 'rebase-apply',
}


def _bytes(name: str) -> bytes:
    return name.encode(errors='surrogateescape')


def pathspec(path: str) -> str:
    return f':(top,literal){path}' if path else ':/'


def _listed(git: Git, options: str, roots: Sequence[str]) -> list[str]:
    paths = map(pathspec, roots or [''])
    out = git.run(f'ls-files -z --full-name {options} --', *paths)
    return text(out).split('\0')


def entries(git: Git, roots: Sequence[str] = ()) -> dict[str, str]:
    """The entries of the index, all or below some paths; no conflicts."""
    return entries_and_absent(git, roots)[0]


def entries_and_absent(
    git: Git, roots: Sequence[str]
) -> tuple[dict[str, str], set[str]]:
    """Like `entries`, with the files that a sparse checkout leaves out."""
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
    """Set the entries of some paths."""
    if not wanted:
        return
    known = next((entry.partition(' ')[2] for entry in wanted.values() if entry), '')
    none = f'0 {"0" * len(known or git.empty_tree())}'
    lines = [f'{entry or none}\t{path}\0' for path, entry in wanted.items()]
    git.run('update-index --add --replace -z --index-info', data=_bytes(''.join(lines)))


def take(git: Git, paths: Sequence[str]) -> None:
    """Stage files as they are in the working tree; deleted ones are removed."""
    git.run(
        'update-index --add --remove --replace -z --stdin',
        data=b''.join(_bytes(f'{path}\0') for path in paths),
    )


def refresh(git: Git) -> None:
    """Let the index note which files on disk match it."""
    with suppress(GitError):
        # it fails if any file differs
        git.run('update-index -q --refresh')


def _changed(out: bytes) -> Changed:
    return {each.path: (each.old, each.new) for each in diff_entries(out)}


def between(git: Git, before: str, after: str) -> Changed:
    """The changes of a commit; `before` is '' for the first one."""
    before = before or git.empty_tree()
    return _changed(git.run('diff-tree -r --no-commit-id', *RAW, before, after, '--'))


def staged(git: Git, before: str) -> Changed:
    """The changes that a commit of the index would make."""
    return _changed(
        git.run('diff-index --cached', *RAW, before or git.empty_tree(), '--')
    )


def refuse_unfinished(repository: Repository) -> None:
    """Refuse if git is in the middle of an operation: a commit would end it,
    or become part of it."""
    git_dir = repository.facts.git_dir
    for what, name in BUSY.items():
        if os.path.exists(os.path.join(git_dir, name)):
            raise Denied(
                f'git is in the middle of a {what}',
                f'finish or abort it: git {what.split()[0]} --continue, or --abort',
            )
    if repository.git.run('ls-files --unmerged -z -- :/'):
        raise Denied('the index has conflicts', 'resolve them, then git add')


def users_index(repository: Repository) -> str:
    """The path of the index that the user stages in."""
    facts = repository.facts
    if 'GIT_INDEX_FILE' not in repository.environ:
        return os.path.join(facts.git_dir, 'index')
    name = Git(repository.environ, facts.top).line('rev-parse', '--git-path', 'index')
    return os.path.abspath(os.path.join(facts.top, name))


class Staging:
    """A scratch index: HEAD, with the files of one item from the working tree.

    The user's index is read but never written.
    """

    def __init__(
        self,
        environ: Mapping[str, str],
        top: str,
        before: str,
        scratch: str,
        index_file: str,
    ) -> None:
        self.before = before
        self.scratch = scratch
        self.index = index_file
        self.user = Git({**environ, 'GIT_INDEX_FILE': self.index}, top)
        self.git = Git({**environ, 'GIT_INDEX_FILE': scratch}, top)
        # path -> entry in the user's index, for every path of the item
        self.was: dict[str, str] = {}
        # path -> entry in HEAD, and in the scratch index
        self._head: dict[str, str] = {}
        self._now: dict[str, str] = {}

    def close(self) -> None:
        self.user.close()
        self.git.close()

    def start(self) -> None:
        """Begin with HEAD, keeping what git knows about the files on disk."""
        try:
            # keep the file's time, by which git knows which entries it cannot trust
            shutil.copy2(self.index, self.scratch)
        except FileNotFoundError:
            # nothing was ever staged
            pass
        except OSError as e:
            raise Refusal(
                f'the index cannot be copied to {self.scratch}: {e.strerror}', 'df -h'
            ) from None
        self.git.run(
            'read-tree', *(('--reset', self.before) if self.before else ('--empty',))
        )

    def add(self, roots: Sequence[str], wanted: Sequence[str]) -> None:
        """Stage the files below some paths that match some patterns."""
        below, absent = entries_and_absent(self.user, roots)
        self._head = entries(self.git)
        known = {path: below[path] for path in matching_paths(below, wanted)}
        committed = matching_paths(self._head, wanted)
        new = matching_paths(untracked(self.user, roots), wanted)
        self.was.update(dict.fromkeys([*committed, *new], ''), **known)
        # on file systems without modes, the staged mode counts
        put(self.git, {**dict.fromkeys(committed, ''), **known})
        take(self.git, [path for path in (*known, *new) if path not in absent])
        self._now = entries(self.git)

    def ignored(self, paths: Sequence[str]) -> list[str]:
        """The files that git ignores, and that would therefore be missing."""
        untracked = [path for path in paths if path not in self.was]
        if not untracked:
            return []
        data = '\0'.join(untracked).encode(errors='surrogateescape')
        try:
            out = self.user.run('check-ignore -z --stdin', data=data)
        except GitError:
            return []
        return [path for path in text(out).split('\0') if path]

    def blob(self, entry: str) -> bytes | None:
        """The content of an entry, None if there is none."""
        oid = entry.partition(' ')[2]
        answer = self.git.objects.read(oid) if oid else None
        return answer[1].data if answer else None

    def write(self, data: bytes, *how: str) -> str:
        """Store a content in git and return its id."""
        out = self.git.run('hash-object -w --stdin', *how, data=data)
        return text(out).strip()

    def stored(self, path: str, disk: bytes | None, new: bytes) -> bytes:
        """What git would store for a new content of a file.

        If the stored content differs from the one on disk, a filter or a line
        ending conversion is at work; otherwise nothing is converted.
        """
        entry = self._now.get(path, '')
        if disk is not None and self.blob(entry) == disk:
            return new
        made = self.blob(f' {self.write(new, f"--path={path}")}')
        if made is None:
            raise Refusal(f'{path} is too large for a state file')
        return made

    def replace(self, contents: Mapping[str, bytes | None]) -> None:
        """Set contents that differ from those on disk, as git will store them."""
        self.was.update({path: '' for path in contents if path not in self.was})
        entries = {}
        for path, data in contents.items():
            mode = self._now.get(path, FILE).partition(' ')[0]
            entries[path] = (
                f'{mode} {self.write(data, "--no-filters")}' if data is not None else ''
            )
        put(self.git, entries)
        self._now.update(entries)

    def tree(self) -> str:
        return self.git.line('write-tree')

    def staged(self) -> dict[str, str]:
        """path -> entry, for each path that a commit would change."""
        return {
            path: self._now.get(path, '')
            for path in (*self._head, *self._now)
            if self._now.get(path, '') != self._head.get(path, '')
        }

    def wanted(self) -> dict[str, str]:
        """path -> new entry, for each path of the user's index that differs."""
        return {
            path: self._now.get(path, '')
            for path, entry in self.was.items()
            if self._now.get(path, '') != entry
        }
