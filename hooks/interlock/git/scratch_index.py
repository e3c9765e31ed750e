"""An index of its own, with HEAD and one change of it."""

from __future__ import annotations

import os
import shutil

from interlock.git import index
from interlock.git.git import Git, GitError
from interlock.git.parse import text
from interlock.git.repository import Repository
from interlock.model.errors import Denied, Refusal
from interlock.model.quick_typing import Callable, Mapping, Sequence

# what git is in the middle of -> what it leaves for that
BUSY = {
    'merge': 'MERGE_HEAD',
    'cherry-pick': 'CHERRY_PICK_HEAD',
    'revert': 'REVERT_HEAD',
    'rebase': 'rebase-merge',
    'rebase or am': 'rebase-apply',
}


def refuse_unfinished(repository: Repository) -> None:
    """A commit would end what git is in the middle of, or be part of it."""
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
    """HEAD, and the files of one item as the working tree has them.

    The index of the user is read and not written to.
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
        # path -> entry, in the index of the user, of all that belongs to it
        self.was: dict[str, str] = {}
        # path -> entry in HEAD, and in our index
        self._head: dict[str, str] = {}
        self._now: dict[str, str] = {}

    def close(self) -> None:
        self.user.close()
        self.git.close()

    def start(self) -> None:
        """HEAD, with what git knows already about the files on disk."""
        try:
            # with its time, by which git knows which entries it cannot trust
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

    def add(self, roots: Sequence[str], belongs: Callable[[str], bool]) -> None:
        """What belongs to the item, below some paths, as it is on disk."""
        below, absent = index.entries_and_absent(self.user, roots)
        known = {path: entry for path, entry in below.items() if belongs(path)}
        self._head = index.entries(self.git)
        committed = [path for path in self._head if belongs(path)]
        new = [path for path in index.untracked(self.user, roots) if belongs(path)]
        self.was.update(dict.fromkeys([*committed, *new], ''), **known)
        # a mode that was staged counts where files have none
        index.put(self.git, {**dict.fromkeys(committed, ''), **known})
        index.take(self.git, [path for path in (*known, *new) if path not in absent])
        self._now = index.entries(self.git)

    def ignored(self, paths: Sequence[str]) -> list[str]:
        """Those that git leaves alone, and so would be missing."""
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
        """The content of an entry, None where there is none."""
        oid = entry.partition(' ')[2]
        answer = self.git.objects.read(oid) if oid else None
        return answer[1].data if answer else None

    def write(self, data: bytes, *how: str) -> str:
        """The id under which git keeps a content."""
        out = self.git.run('hash-object -w --stdin', *how, data=data)
        return text(out).strip()

    def stored(self, path: str, disk: bytes | None, new: bytes) -> bytes:
        """What git would store of a new content of a file.

        Where what it stores is not what is on disk, a filter or another line
        end is at work; else nothing is.
        """
        entry = self._now.get(path, '')
        if disk is not None and self.blob(entry) == disk:
            return new
        made = self.blob(f' {self.write(new, f"--path={path}")}')
        if made is None:
            raise Refusal(f'{path} is too large for a state file')
        return made

    def replace(self, contents: Mapping[str, bytes | None]) -> None:
        """Other contents than on disk, as git is to store them."""
        self.was.update({path: '' for path in contents if path not in self.was})
        entries = {}
        for path, data in contents.items():
            mode = self._now.get(path, index.FILE).partition(' ')[0]
            entries[path] = (
                f'{mode} {self.write(data, "--no-filters")}' if data is not None else ''
            )
        index.put(self.git, entries)
        self._now.update(entries)

    def tree(self) -> str:
        return self.git.line('write-tree')

    def staged(self) -> dict[str, str]:
        """path -> entry of what a commit would change."""
        return {
            path: self._now.get(path, '')
            for path in (*self._head, *self._now)
            if self._now.get(path, '') != self._head.get(path, '')
        }

    def wanted(self) -> dict[str, str]:
        """path -> entry that the index of the user gets, where it differs."""
        return {
            path: self._now.get(path, '')
            for path, entry in self.was.items()
            if self._now.get(path, '') != entry
        }
