"""Our part of the user's cache directory, and the compiled workflows in it.

A file of a workflow has three lines: a checksum, the watch index with the compiled
files, and the workflow; a file of menus likewise, without an index. A missing,
damaged or outdated file is compiled again. Agents may not write there.
"""

from __future__ import annotations

import os
from _imp import source_hash

from interlock import __version__
from interlock.files.atomic_files import read, remove_leftovers, replace_cache
from interlock.files.module_cache import PACKAGE
from interlock.model.errors import Refusal
from interlock.model.quick_json import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from interlock.model.change import Snapshot
    from interlock.model.quick_typing import Callable, Mapping
    from interlock.workflow.language.menus import Menus
    from interlock.workflow.language.presets import Reader
    from interlock.workflow.language.spec import Kind, Workflow

    # the index, and a function that returns the rest
    Watched = tuple[Any, Callable[[], Any]]
    # the index, the rest, the folder of its presets, and the files it was read from
    Compiled = tuple[Any, Any, str, dict[str, bytes]]

# the format of a cache file; increase the number if it changes within a version
FORM = f'{__version__} 4'


def users_own(top: str) -> str:
    """The user's own folder for a directory outside of any repository."""
    return os.path.join(users_cache(), top.strip(os.sep).replace(os.sep, '-'))


def users_cache(environ: Mapping[str, str] = os.environ) -> str:
    """Our part of the user's cache directory."""
    home = environ.get('HOME') or os.path.expanduser('~')
    cache = environ.get('XDG_CACHE_HOME') or os.path.join(home, '.cache')
    return os.path.join(cache, 'interlock')


def compiled_folder() -> str:
    """The folder of the compiled workflows and patterns of all repositories."""
    return os.path.join(users_cache(), 'compiled')


def merged(cache: str, name: str, data: bytes, reader: Reader) -> Any:
    """The content of a workflow file merged with the files it extends."""
    return watched(cache, name, data, reader)[1]()


def watched(cache: str, name: str, data: bytes, reader: Reader) -> Watched:
    """The watch index of a workflow file, which answers most events, and a
    function that returns the whole workflow."""
    # what it is compiled from, apart from the files it extends
    source = [FORM, PACKAGE, name, data.decode(errors='surrogateescape')]

    def compiled() -> Compiled:
        from interlock.workflow.language.compile import compile_workflow
        from interlock.workflow.language.presets import FOLDER
        from interlock.workflow.language.watch_index import watch_index

        workflow, files = compile_workflow(name, data, reader)
        return watch_index(workflow), workflow, FOLDER, files

    return _cached(cache, source, reader, compiled)


def menus_of(snapshot: Snapshot, workflow: Workflow, kind: Kind | None) -> Menus:
    """The menus of a kind, by the files of a tree."""
    from interlock.model.change import data_of
    from interlock.workflow.language import menus

    file = workflow.path or workflow.source
    states = [*kind.states] if kind else []
    source = [FORM, PACKAGE, file, repr(menus.named_by(kind)), *states]

    def reader(path: str) -> bytes | None:
        return data_of(snapshot, path)

    def compiled() -> Compiled:
        from interlock.workflow.language.menu_files import LANGUAGE, load

        found = load(kind, file, reader)
        return None, found.data, LANGUAGE.folder, found.files

    return menus.build(_cached(compiled_folder(), source, reader, compiled)[1]())


def _cached(
    cache: str, source: list[str], reader: Reader, compiled: Callable[[], Compiled]
) -> Watched:
    """What a source is compiled to: from the cache, unless a file has changed.

    Validation costs more than everything else.
    """
    file = os.path.join(cache, f'{_checksum(repr(source).encode())}.json')
    found = _from_cache(file, source, reader)
    if found is not None:
        return found
    index, whole, folder, files = compiled()
    _keep(file, {'source': source, 'index': index}, whole, folder, files)
    return index, lambda: whole


def _from_cache(file: str, source: list[str], reader: Reader) -> Watched | None:
    """The cached values, None if they are missing, damaged or out of date."""
    try:
        checksum, _, text = (read(file) or b'').partition(b'\n')
        if not text or checksum.decode() != _checksum(text):
            return None
        first, _, second = text.decode().partition('\n')
        head = loads(first)
        is_current = (
            head['source'] == source
            and all(_stamp(path) == old for path, old in head['presets'].items())
            and all(_text(reader(path)) == old for path, old in head['files'].items())
        )
        return (head['index'], lambda: loads(second)) if is_current else None
    except (Refusal, ValueError, KeyError, TypeError, AttributeError):
        return None


def _checksum(data: bytes) -> str:
    return source_hash(0, data).hex()


def _text(data: bytes | None) -> str | None:
    return None if data is None else data.decode()


def _stamp(path: str) -> list[int] | None:
    """The time and the size of a preset: it changes only with our modules."""
    try:
        found = os.stat(os.path.join(PACKAGE, path))
    except OSError:
        return None
    return [found.st_mtime_ns, found.st_size]


def _keep(
    file: str, head: dict[str, Any], whole: Any, folder: str, files: dict[str, bytes]
) -> None:
    import json

    from interlock.workflow.language import presets

    head = {**head, 'presets': {}, 'files': {}}
    for name in list(files)[1:]:
        if not presets.is_preset(name):
            head['files'][name] = files[name].decode()
            continue
        name_of_preset = name[len(presets.MARK) :]
        path = os.path.relpath(presets.file_of(name_of_preset, folder), PACKAGE)
        head['presets'][path] = _stamp(path)
        if presets.preset(name_of_preset, folder) != files[name]:
            # it changed after it was read
            return
    text = f'{json.dumps(head)}\n{json.dumps(whole)}'.encode()
    try:
        os.makedirs(os.path.dirname(file), mode=0o700, exist_ok=True)
        remove_leftovers(os.path.dirname(file))
        replace_cache(file, _checksum(text).encode() + b'\n' + text)
    except (OSError, Refusal):
        # without a cache the next run is only slower
        pass
