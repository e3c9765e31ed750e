"""The compiled modules of a hook in one file.

A hook runs for a moment, and finding and opening a hundred files would take a
quarter of that. The cache is in the folder where Python keeps its own compiled
modules, and is trusted as much: anyone who can write one can write the other.
A module whose source has changed is imported as usual. For a module in C only
its path is kept.

This module is imported first, so it does without `__future__`.
"""

import os
import sys
from _frozen_importlib import ModuleSpec
from _frozen_importlib_external import (
    MAGIC_NUMBER,
    ExtensionFileLoader,
    SourceFileLoader,
)
from _imp import source_hash
from marshal import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType
    from typing import Any

    # the root of its file, the relative path, its time and its size
    Source = tuple[int, str, int, int]

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# our dependencies are not cached
ROOTS = (os.path.dirname(PACKAGE), os.path.dirname(os.__file__))
FOLDER = os.path.join(PACKAGE, '__pycache__')
MAGIC = int.from_bytes(MAGIC_NUMBER, 'little')
PACKAGE_FILE = os.sep + '__init__.py'
# the format of the file, and the interpreter it is for
FORM = (3, MAGIC, sys.hexversion, sys.flags.optimize)
# the bytes for the length of the index, and for its checksum
SIZE = 8


def file_of(users: str) -> str:
    """The cache file; hooks of clients need other modules than those of git."""
    return os.path.join(FOLDER, f'{users}.{sys.implementation.cache_tag}.pyc')


class Code:
    """The cache file: an index, followed by the code of the modules."""

    def __init__(self, path: str) -> None:
        self._file = os.open(path, os.O_RDONLY)
        if self._file <= 2:
            # a standard stream was closed: the next user of that number must
            # not get our file
            os.close(self._file)
            raise OSError(path)
        size = int.from_bytes(os.read(self._file, SIZE), 'little')
        checksum = os.read(self._file, SIZE)
        data = os.read(self._file, size)
        self._first = 2 * SIZE + size
        if source_hash(MAGIC, data) != checksum:
            raise ValueError(path)
        # trusted like the other files in this folder, whose code Python runs
        form, self.index = loads(data)  # noqa: S302
        if form != FORM:
            raise ValueError(path)

    def entry(self, name: str) -> 'Any':
        """The source of a module and the place of its code; parsed on demand."""
        return loads(self.index[name])  # noqa: S302

    def raw(self, start: int, length: int, checksum: bytes) -> 'bytes | None':
        """The code of a module, None if it is damaged."""
        try:
            found = os.pread(self._file, length, self._first + start)
        except OSError:
            return None
        return found if source_hash(MAGIC, found) == checksum else None


class Loader(SourceFileLoader):
    """Finds and loads the modules in the cache file."""

    code: Code
    file = ''
    # the modules imported before this finder; None if it is not used
    before: 'set[str] | None' = None
    # where its code is
    place: 'tuple[int, int, bytes]'

    def get_code(self, fullname: str) -> 'CodeType | None':
        raw = self.code.raw(*self.place)
        return super().get_code(fullname) if raw is None else loads(raw)  # noqa: S302

    @staticmethod
    def find_spec(
        name: str, path: object = None, target: object = None
    ) -> 'ModuleSpec | None':
        if name not in Loader.code.index:
            return None
        root, file, changed, size, *place = Loader.code.entry(name)
        source = ROOTS[root] + os.sep + file
        try:
            now = os.stat(source)
        except OSError:
            return None
        if now.st_mtime_ns != changed or now.st_size != size:
            return None
        if not file.endswith('.py'):
            extension = ExtensionFileLoader(name, source)
            return ModuleSpec(name, extension, origin=source)
        loader = Loader(name, source)
        loader.place = place
        spec = ModuleSpec(name, loader, origin=source)
        spec.has_location = True
        spec.cached = Loader.file
        if file.endswith(PACKAGE_FILE):
            spec.submodule_search_locations = [os.path.dirname(source)]
        return spec


def use(users: str, first: str = '') -> None:
    """Take modules from the cache file, if there is one; `first` is the module
    that every process of these users imports first."""
    Loader.before, Loader.file = set(sys.modules), file_of(users)
    try:
        Loader.code = Code(Loader.file)
    except Exception:
        # a broken cache only costs time
        return
    sys.meta_path.insert(0, Loader)
    if first in Loader.code.index:
        _load(first)


def _load(last: str) -> None:
    """Load the modules in the file up to one of them, as `import` would, in a
    quarter of its steps.

    They are stored in the order in which a process loaded them, so a module
    follows those that it needs. If one is out of date, or its package is not
    in the file because that process had already imported it, all modules are
    imported normally.
    """
    specs = []
    known = {'', *sys.modules}
    for name in Loader.code.index:
        spec = None if name in sys.modules else Loader.find_spec(name)
        if spec is None or name.rpartition('.')[0] not in known:
            return
        specs.append(spec)
        known.add(name)
        if name == last:
            break
    for spec in specs:
        if type(spec.loader) is Loader and spec.name not in sys.modules:
            _load_one(spec, spec.loader)


def _load_one(spec: ModuleSpec, loader: Loader) -> None:
    module = sys.modules[spec.name] = type(sys)(spec.name)
    module.__spec__, module.__loader__ = spec, loader
    module.__file__, module.__package__ = loader.path, spec.parent
    if spec.submodule_search_locations is not None:
        module.__path__ = spec.submodule_search_locations
    try:
        loader.exec_module(module)
    except BaseException:
        del sys.modules[spec.name]
        raise
    above, _, tail = spec.name.rpartition('.')
    if above:
        setattr(sys.modules[above], tail, module)


def keep() -> None:
    """Store the modules that this process had to find itself.

    The verdict has been given by then, and nothing here may change it.
    """
    if Loader.before is None or sys.dont_write_bytecode:
        return
    try:
        new = [
            name for name in sys.modules if name not in Loader.before and _is_new(name)
        ]
        found = {name: source for name in new if (source := _source(name))}
        if found:
            _keep(found)
    except Exception:
        return


def _is_new(name: str) -> bool:
    """Whether a module did not come from the cache."""
    spec = getattr(sys.modules[name], '__spec__', None)
    kind = type(spec.loader) if spec else None
    return kind is SourceFileLoader or (
        kind is ExtensionFileLoader and not _is_current(name)
    )


def _source(name: str) -> 'tuple[int, str] | None':
    """The root and path of a module's file, None if it is outside the roots."""
    origin: Any = getattr(sys.modules[name].__spec__, 'origin', '')
    for root, folder in enumerate(ROOTS):
        if origin.startswith(folder + os.sep):
            return root, origin[len(folder) + 1 :]
    return None


def _is_current(name: str) -> bool:
    """Whether the cache has the current version of the module."""
    code: Code | None = getattr(Loader, 'code', None)
    return code is not None and name in code.index and bool(Loader.find_spec(name))


def _keep(found: dict[str, tuple[int, str]]) -> None:
    from interlock.files.atomic_files import replace_cache

    os.makedirs(FOLDER, exist_ok=True)
    if not os.access(FOLDER, os.W_OK):
        return
    codes = _still_kept() | {name: _compiled(name, *found[name]) for name in found}
    # Python moves a module to the end of sys.modules when it is loaded
    loaded = [name for name in sys.modules if name in codes]
    codes = {name: codes[name] for name in dict.fromkeys((*loaded, *codes))}
    index, start = {}, 0
    for name, (source, raw) in codes.items():
        index[name] = dumps((*source, start, len(raw), source_hash(MAGIC, raw)))
        start += len(raw)
    head = dumps((FORM, index))
    parts = (
        len(head).to_bytes(SIZE, 'little'),
        source_hash(MAGIC, head),
        head,
        *(raw for _, raw in codes.values()),
    )
    replace_cache(Loader.file, b''.join(parts))


def _still_kept() -> dict[str, tuple['Source', bytes]]:
    code: Code | None = getattr(Loader, 'code', None)
    if code is None:
        return {}
    kept = {}
    for name in filter(_is_current, code.index):
        *source, start, length, checksum = code.entry(name)
        raw = code.raw(start, length, checksum)
        if raw is not None:
            kept[name] = tuple(source), raw
    return kept


def _compiled(name: str, root: int, file: str) -> tuple['Source', bytes]:
    loader: Any = sys.modules[name].__spec__.loader  # type: ignore[union-attr]
    # before reading: a later change makes this entry stale
    now = os.stat(loader.path)
    code = loader.get_code(name)
    raw = b'' if code is None else dumps(code)
    return (root, file, now.st_mtime_ns, now.st_size), raw
