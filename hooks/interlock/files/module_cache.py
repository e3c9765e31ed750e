"""The compiled modules of a hook in one file.

A hook lives for a moment, and finding and opening a hundred files would take a
quarter of it. The modules are kept beside the package, in the folder where
Python keeps them one by one, and are trusted as much: anyone who can write one
can write the other. A module whose source has changed is imported as ever.
"""

from __future__ import annotations

import os
import sys
from _frozen_importlib import ModuleSpec
from _frozen_importlib_external import MAGIC_NUMBER, SourceFileLoader
from _imp import source_hash
from marshal import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType
    from typing import Any

    # the root of its source, whether it is a package, its time and its size
    Source = tuple[int, bool, int, int]

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# our dependencies stay where they are installed
ROOTS = (os.path.dirname(PACKAGE), os.path.dirname(os.__file__))
FOLDER = os.path.join(PACKAGE, '__pycache__')
MAGIC = int.from_bytes(MAGIC_NUMBER, 'little')
# what the file holds, and for which interpreter
FORM = (1, MAGIC, sys.hexversion, sys.flags.optimize)
# bytes of the length of the index, and of its checksum
SIZE = 8


def _path(root: int, is_package: bool, name: str) -> str:
    tail = os.sep + '__init__.py' if is_package else '.py'
    return ROOTS[root] + os.sep + name.replace('.', os.sep) + tail


def file_of(users: str) -> str:
    """What the hooks of clients need is not what those of git need."""
    return os.path.join(FOLDER, f'{users}.{sys.implementation.cache_tag}.pyc')


class Code:
    """The file: an index, and the code of one module after the other."""

    def __init__(self, path: str) -> None:
        self._file = os.open(path, os.O_RDONLY)
        if self._file <= 2:
            # a stream that was closed: who opens it next is not to get ours
            os.close(self._file)
            raise OSError(path)
        size = int.from_bytes(os.read(self._file, SIZE), 'little')
        checksum = os.read(self._file, SIZE)
        data = os.read(self._file, size)
        self._first = 2 * SIZE + size
        if source_hash(MAGIC, data) != checksum:
            raise ValueError(path)
        # trusted like the other files of this folder, whose code is run
        form, self.index = loads(data)  # noqa: S302
        if form != FORM:
            raise ValueError(path)

    def raw(self, name: str) -> bytes | None:
        """The code of a module, None if it is damaged."""
        start, length, checksum = self.index[name][4:]
        try:
            found = os.pread(self._file, length, self._first + start)
        except OSError:
            return None
        return found if source_hash(MAGIC, found) == checksum else None


class Loader(SourceFileLoader):
    """Finds the modules of the file, and loads them."""

    code: Code
    file = ''
    # what was imported before it could be asked; None: it is not used
    before: set[str] | None = None

    def get_code(self, fullname: str) -> CodeType | None:
        raw = self.code.raw(fullname)
        return super().get_code(fullname) if raw is None else loads(raw)  # noqa: S302

    @staticmethod
    def find_spec(
        name: str, path: object = None, target: object = None
    ) -> ModuleSpec | None:
        entry = Loader.code.index.get(name)
        if entry is None:
            return None
        root, is_package, changed, size = entry[:4]
        source = _path(root, is_package, name)
        try:
            now = os.stat(source)
        except OSError:
            return None
        if now.st_mtime_ns != changed or now.st_size != size:
            return None
        spec = ModuleSpec(name, Loader(name, source), origin=source)
        spec.has_location = True
        spec.cached = Loader.file
        if is_package:
            spec.submodule_search_locations = [os.path.dirname(source)]
        return spec


def use(users: str) -> None:
    """Take modules from the file, if there is one."""
    Loader.before, Loader.file = set(sys.modules), file_of(users)
    try:
        Loader.code = Code(Loader.file)
    except Exception:
        # whatever is wrong with a cache only costs time
        return
    sys.meta_path.insert(0, Loader)


def keep() -> None:
    """Keep what this process had to find for itself.

    The verdict is out by then: nothing that happens here may change it.
    """
    if Loader.before is None or sys.dont_write_bytecode:
        return
    try:
        found = {name: source for name in sys.modules if (source := _new(name))}
        if found:
            _keep(found)
    except Exception:
        return


def _new(name: str) -> tuple[int, bool] | None:
    """Where the source of a module is that we did not find here."""
    spec: Any = getattr(sys.modules[name], '__spec__', None)
    if type(getattr(spec, 'loader', None)) is not SourceFileLoader:
        return None
    elif name in (Loader.before or ()):
        return None
    is_package = spec.submodule_search_locations is not None
    for root in range(len(ROOTS)):
        if spec.origin == _path(root, is_package, name):
            return root, is_package
    return None


def _keep(found: dict[str, tuple[int, bool]]) -> None:
    from interlock.files.atomic_files import replace_cache

    os.makedirs(FOLDER, exist_ok=True)
    if not os.access(FOLDER, os.W_OK):
        return
    codes = _still_kept() | {name: _compiled(name, *found[name]) for name in found}
    index, start = {}, 0
    for name, (source, raw) in codes.items():
        index[name] = (*source, start, len(raw), source_hash(MAGIC, raw))
        start += len(raw)
    head = dumps((FORM, index))
    parts = (
        len(head).to_bytes(SIZE, 'little'),
        source_hash(MAGIC, head),
        head,
        *(raw for _, raw in codes.values()),
    )
    replace_cache(Loader.file, b''.join(parts))


def _still_kept() -> dict[str, tuple[Source, bytes]]:
    code: Code | None = getattr(Loader, 'code', None)
    if code is None:
        return {}
    found = ((name, code.raw(name)) for name in code.index if Loader.find_spec(name))
    return {name: (code.index[name][:4], raw) for name, raw in found if raw}


def _compiled(name: str, root: int, is_package: bool) -> tuple[Source, bytes]:
    spec = sys.modules[name].__spec__
    assert spec is not None and spec.origin and spec.loader, 'we looked'
    # before it is read: what changes it later makes this entry stale
    now = os.stat(spec.origin)
    code = spec.loader.get_code(name)  # type: ignore[attr-defined]
    return (root, is_package, now.st_mtime_ns, now.st_size), dumps(code)
