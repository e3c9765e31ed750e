from __future__ import annotations

from interlock.git.batch import not_cloned
from interlock.git.git import Git
from interlock.git.parse import LINK, SUBMODULE, entry_of, text, tree_entries
from interlock.model import quick_hash
from interlock.model.change import Blob, CachingSnapshot
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


# of a long history, in bytes of what was parsed
KEPT_DOCUMENTS = 32 * 1024 * 1024


# of the files that commits change, in bytes
KEPT_BLOBS = 8 * 1024 * 1024
# tree objects that are remembered: neighbours in a history share most
KEPT_TREES = 4096
TREE = '040000'
# bytes of a tree object in which looking for one name after the other takes long
LARGE = 4096
# bytes of a path that any system takes
MAX_PATH = 4096
# does not name any object: git answers that it is missing
NOTHING = '-'
# of a file that a tree has, and whose object is not known yet
UNASKED = '?'


class Store:
    """What was parsed, by blob: shared by the snapshots of one run."""

    def __init__(self, git: Git) -> None:
        self.git = git
        self.parsed: dict[tuple[str, object], Any] = {}
        self.digests: dict[tuple[str, str], str] = {}
        self._size = 0
        # files that commits which are about to be judged change, by id
        self._blobs: dict[str, Blob] = {}
        self._held = 0
        # the tree whose paths were listed last, and these
        self.listed: tuple[str, Mapping[str, str]] | None = None
        # tree objects, by id
        self._trees: dict[str, bytes] = {}
        # the large one that was asked last, and its entries once it is asked again
        self._asked: tuple[str, dict[bytes, tuple[bytes, bytes]]] = ('', {})

    def missing(self, what: str) -> Refusal:
        """Of an object that a tree names, and that is not here."""
        if self.git.is_partial():
            return not_cloned(what)
        return Refusal(f'{what} is not in the repository', 'git fsck')

    def entry(self, tree: str, path: str) -> tuple[str, str]:
        """Mode and id of what a tree has at a path, '' and '' if nothing."""
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
            # for one name it is not worth it, and a commit asks for few
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
        """Those of some objects that are here and are files.

        What one commit changes is mostly what one before it wrote.
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
        """Forget everything when a long history has filled the memory."""
        self._size += size
        if self._size > KEPT_DOCUMENTS:
            self.parsed.clear()
            self._size = size


class TreeSnapshot(CachingSnapshot):
    """A tree, or the index as what it changes in a tree.

    Not the entries of the index: a file that is only intended to be added has
    an entry too, with an empty content, and is in no commit.
    """

    def __init__(
        self, store: Store, tree: str, changed: Mapping[str, str] | None = None
    ) -> None:
        super().__init__()
        self.tree = tree
        # path -> id of the content in the index, '' for none
        self._changed = changed or {}
        self._store = store
        self._blobs: dict[str, Blob | None] = {}
        # every path, once all were asked for: git looks through a whole
        # directory for each name, and a directory may hold all items
        self._oids: dict[str, str] | None = None
        # the tree before or behind, and which files are other ones there
        self._other: TreeSnapshot | None = None
        self._touched: Container[str] = ()
        # what is known from trees before, and still so here
        self._known: dict[str, Blob | None] = {}
        # the tree of which this one is a change, and how each path changed
        self._base: tuple[TreeSnapshot, Mapping[str, str]] | None = None

    def follow(self, before: TreeSnapshot, touched: Mapping[str, str]) -> None:
        """What is known of the files that are not touched is known here.

        One tree of a history hands it on to the next, so that it is held
        once.
        """
        if before._other is self:
            return
        self._base = before, touched
        if before._base is not None:
            # or each tree of a history would hold all those before it
            before._base[0]._base = None
        self._known, before._known = before._known, {}
        for path in touched:
            if path in self._known:
                before._blobs.setdefault(path, self._known.pop(path))
        self._known.update(self._blobs)
        if before._other is not None:
            # or the first tree of a history, if it is kept, would hold all others
            before._other._other = None
        self._other, self._touched = before, touched
        before._other, before._touched = self, touched

    def know(self, path: str, blob: Blob | None) -> None:
        self._blobs[path] = blob

    def _borrow(self, paths: Iterable[str]) -> None:
        for path in paths:
            if path in self._blobs:
                continue
            elif path in self._known:
                self._blobs[path] = self._known[path]
            elif self._other is not None and path not in self._touched:
                for known in (self._other._blobs, self._other._known):
                    if path in known:
                        self._blobs[path] = self._known[path] = known[path]

    def _name(self, path: str) -> str:
        known: Mapping[str, str] | None = self._oids
        if path in self._changed:
            known = self._changed
        if known is not None and known.get(path) != UNASKED:
            return known.get(path) or NOTHING
        return f'{self.tree}:{path}'

    def blob(self, path: str) -> Blob | None:
        if path not in self._blobs:
            self.prefetch([path])
        return self._blobs[path]

    def is_link(self, path: str) -> bool:
        blob = self.blob(path)
        data = blob.data if blob else None
        # it holds a path, so that few files make us ask for their mode
        if not data or len(data) > MAX_PATH or data.endswith(b'\n'):
            return False
        elif path in self._changed:
            return self._store.git.index_mode(path) == LINK
        return self._store.entry(self.tree, path)[0] == LINK

    def prefetch(self, paths: Iterable[str]) -> None:
        """Reads many files in one go."""
        paths = list(paths)
        self._borrow(paths)
        wanted = [path for path in paths if path not in self._blobs]
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
                # the next commit of a history is judged against that one
                self._other._known[path] = blob

    def _looked_up(self, path: str) -> tuple[str, Blob] | None:
        """What git did not give by its name, None if it is not a file here.

        git gives the same answer for a path that is not in a tree and for one
        whose object is missing; only the tree tells them apart.
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
                found = quick_hash.new(algorithm, blob.data).hexdigest()
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
        """Every path, from those of another tree; empty if none is listed yet."""
        if self._base is not None and self._base[0]._oids is not None:
            files, touched = dict(self._base[0]._oids), self._base[1]
            for path, letter in touched.items():
                if letter == 'D':
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
