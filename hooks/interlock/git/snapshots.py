from __future__ import annotations

from interlock.git.batch import not_cloned
from interlock.git.git import Git
from interlock.git.parse import LINK, SUBMODULE, entry_of, text, tree_entries
from interlock.model import quick_hash
from interlock.model.change import DELETED, Blob, CachingSnapshot, data_of
from interlock.model.errors import Refusal
from interlock.model.quick_typing import (
    Any,
    Callable,
    Container,
    Iterable,
    Mapping,
    Sequence,
    TypeVar,
)

T = TypeVar('T')


# the bytes of parsed documents kept for a long history
KEPT_DOCUMENTS = 32 * 1024 * 1024


# the bytes kept of files that commits change
KEPT_BLOBS = 8 * 1024 * 1024
# the number of tree objects kept: neighbouring commits share most
KEPT_TREES = 4096
TREE = '040000'
# above this size, searching a tree object for each name takes long
LARGE = 4096
# the bytes that a path may have on any system
MAX_PATH = 4096
# not the name of any object: git answers that it is missing
NOTHING = '-'
# a file in a tree whose object has not been looked up yet
UNASKED = '?'


class Store:
    """Parsed documents by blob, shared by the snapshots of one run."""

    def __init__(self, git: Git) -> None:
        self.git = git
        self.parsed: dict[tuple[str, object], Any] = {}
        self.digests: dict[tuple[str, str], str] = {}
        self._size = 0
        # id -> file that the commits about to be judged change
        self._blobs: dict[str, Blob] = {}
        self._held = 0
        # the tree whose paths were listed last, and those paths
        self.listed: tuple[str, Mapping[str, str]] | None = None
        # id -> tree object
        self._trees: dict[str, bytes] = {}
        # the large tree that was asked last, and its entries from the second
        # question on
        self._asked: tuple[str, dict[bytes, tuple[bytes, bytes]]] = ('', {})

    def missing(self, what: str) -> Refusal:
        """The refusal for an object that a tree names but that is missing."""
        if self.git.is_partial():
            return not_cloned(what)
        return Refusal(f'{what} is not in the repository', 'git fsck')

    def entry(self, tree: str, path: str) -> tuple[str, str]:
        """Mode and id of the entry at a path of a tree, '' and '' if none."""
        mode, oid = TREE, tree
        for name in path.split('/'):
            if mode != TREE:
                return '', ''
            mode, oid = self._entry(oid, name.encode(errors='surrogateescape'))
            if not oid:
                return '', ''
        return mode, oid

    def _entry(self, oid: str, name: bytes) -> tuple[str, str]:
        data, id_size = self._tree(oid), len(oid) // 2
        if len(data) < LARGE:
            return entry_of(data, name, id_size)
        if self._asked[0] != oid:
            self._asked = oid, {}
        entries = self._asked[1]
        if not entries:
            # parsing does not pay for one name, and a commit asks for few
            entries[b''] = b'', b''
            return entry_of(data, name, id_size)
        if len(entries) == 1:
            entries.update((n, (m, i)) for n, m, i in tree_entries(data, id_size))
        mode, found = entries.get(name, (b'', b''))
        return text(mode).zfill(6) if found else '', found.hex()

    def _tree(self, oid: str) -> bytes:
        if oid not in self._trees:
            answer = self.git.objects.read(oid)
            if answer is None or answer[0] != 'tree' or (answer[1].data is None):
                raise self.missing(f'the tree {oid[:10]}')
            if len(self._trees) >= KEPT_TREES:
                self._trees.clear()
            self._trees[oid] = answer[1].data
        return self._trees[oid]

    def blobs(self, oids: Sequence[str]) -> dict[str, Blob]:
        """The contents of those objects that exist and are files.

        A commit mostly changes files that an earlier commit wrote.
        """
        found = {oid: self._blobs[oid] for oid in oids if oid in self._blobs}
        absent = [oid for oid in oids if oid not in found]
        for oid, answer in zip(absent, self.git.objects.read_many(absent), strict=True):
            if answer is not None and answer[0] == 'blob':
                found[oid] = self._blobs[oid] = answer[1]
                self._held += answer[1].size
        if self._held > KEPT_BLOBS:
            self._blobs = found
            self._held = sum(blob.size for blob in found.values())
        return found

    def make_room(self, size: int) -> None:
        """Drop all caches when a long history has filled the memory."""
        self._size += size
        if self._size > KEPT_DOCUMENTS:
            self.parsed.clear()
            self._size = size


class TreeSnapshot(CachingSnapshot):
    """A tree, or the index as a set of changes to a tree.

    The entries of the index would not do: a file marked with `git add -N` has
    an entry with empty content, but is not part of a commit.
    """

    def __init__(
        self, store: Store, tree: str, changed: Mapping[str, str] | None = None
    ) -> None:
        super().__init__()
        self.tree = tree
        # path -> id of the content in the index, '' for a removed file
        self._changed = changed or {}
        self._store = store
        self._blobs: dict[str, Blob | None] = {}
        # all paths, once they were asked for: git searches a whole directory
        # for each name, and one directory may hold all items
        self._oids: dict[str, str] | None = None
        # the neighbouring tree, and the files that differ there
        self._other: TreeSnapshot | None = None
        self._touched: Container[str] = ()
        # contents known from earlier trees that are unchanged here
        self._known: dict[str, Blob | None] = {}
        # the tree that this one changes, and how each path changed
        self._base: tuple[TreeSnapshot, Mapping[str, str]] | None = None

    def follow(self, before: TreeSnapshot, touched: Mapping[str, str]) -> None:
        """Take over what is known about the untouched files.

        Each tree of a history hands this to the next one, so it is kept only
        once.
        """
        if before._other is self:
            return
        self._base = before, touched
        if before._base is not None:
            # otherwise each tree of a history would hold all trees before it
            before._base[0]._base = None
        self._known, before._known = before._known, {}
        for path in touched:
            if path in self._known:
                before._blobs.setdefault(path, self._known.pop(path))
        self._known.update(self._blobs)
        if before._other is not None:
            # otherwise the first tree of a history, if kept, would hold all others
            before._other._other = None
        self._other, self._touched = before, touched
        before._other, before._touched = self, touched

    def know(self, path: str, blob: Blob | None) -> None:
        self._blobs[path] = blob

    def _has(self, path: str) -> bool:
        """Whether a file is known, here or from a neighbouring tree."""
        if path in self._blobs:
            return True
        elif path in self._known:
            self._blobs[path] = self._known[path]
            return True
        elif self._other is not None and path not in self._touched:
            for known in (self._other._blobs, self._other._known):
                if path in known:
                    self._blobs[path] = self._known[path] = known[path]
                    return True
        return False

    def _name(self, path: str) -> str:
        known: Mapping[str, str] | None = self._oids
        if path in self._changed:
            known = self._changed
        if known is not None and known.get(path) != UNASKED:
            return known.get(path) or NOTHING
        return f'{self.tree}:{path}'

    def blob(self, path: str) -> Blob | None:
        if path not in self._blobs and not self._has(path):
            self.prefetch([path])
        return self._blobs[path]

    def is_link(self, path: str) -> bool:
        data = data_of(self, path)
        # a link holds a path, so we ask for the mode of only a few files
        if not data or len(data) > MAX_PATH or data.endswith(b'\n'):
            return False
        elif path in self._changed:
            return self._store.git.index_mode(path) == LINK
        return self._store.entry(self.tree, path)[0] == LINK

    def prefetch(self, paths: Iterable[str]) -> None:
        """Read many files at once."""
        wanted = [path for path in paths if not self._has(path)]
        if not wanted:
            return
        names = [self._name(path) for path in wanted]
        answers = self._store.git.objects.read_many(names)
        found = dict(zip(wanted, answers, strict=True))
        for path, answer in found.items():
            if answer is None:
                answer = self._looked_up(path)
            is_blob = answer is not None and answer[0] == 'blob'
            blob = answer[1] if answer and is_blob else None
            self._blobs[path] = self._known[path] = blob
            if self._other is not None and path not in self._touched:
                # the next commit of the history is compared with that tree
                self._other._known[path] = blob

    def _looked_up(self, path: str) -> tuple[str, Blob] | None:
        """A file that git did not find by its name, None if the tree has no such file.

        git gives the same answer for a path that is not in the tree and for
        one whose object is missing. Only the tree tells them apart.
        """
        mode, oid = (
            ('', self._changed[path])
            if path in self._changed
            else self._store.entry(self.tree, path)
        )
        if not oid or mode == SUBMODULE:
            return None
        answer = self._store.git.objects.read(oid)
        if answer is None:
            raise self._store.missing(f'the content of {path}')
        return answer

    def parsed(self, path: str, parse: Callable[[Blob], T]) -> T | None:
        blob = self.blob(path)
        if blob is None:
            return None
        key, known = (blob.oid, parse), self._store.parsed
        if key not in known:
            self._store.make_room(blob.size)
            known[key] = parse(blob)
        found: T = known[key]
        return found

    def digest(self, path: str, algorithm: str) -> str | None:
        blob = self.blob(path)
        if blob is None:
            return None
        key = (blob.oid, algorithm)
        if key not in self._store.digests:
            if blob.data is None:
                found = self._store.git.objects.digest(blob.oid, algorithm)
            else:
                found = quick_hash.named(algorithm)(blob.data).hexdigest()
            self._store.digests[key] = found or ''
        return self._store.digests[key]

    def paths(self) -> Sequence[str]:
        if self._oids is None:
            files = self._derived() or self._store.git.tree_files(self.tree)
            files.update(self._changed)
            self._oids = {path: oid for path, oid in files.items() if oid}
            if not self._changed:
                self._store.listed = self.tree, self._oids
        return list(self._oids)

    def _derived(self) -> dict[str, str]:
        """All paths, derived from those of another tree; empty if none is
        listed yet."""
        if self._base is not None and self._base[0]._oids is not None:
            files, touched = dict(self._base[0]._oids), self._base[1]
            for path, letter in touched.items():
                if letter == DELETED:
                    files.pop(path, None)
                else:
                    files[path] = UNASKED
        elif self._store.listed is not None:
            tree, listed = self._store.listed
            diff = self._store.git.diff_of_trees(tree, self.tree)
            files = {path: oid for path, oid in listed.items() if path not in diff.old}
            files.update(diff.new)
        else:
            files = {}
        return files
