"""The cache of compiled workflows, in the user's cache directory.

A file has three lines: a checksum, the watch index with the compiled files,
and the workflow. A missing, damaged or outdated file is compiled again. Agents
may not write there.
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

    from interlock.model.quick_typing import Callable
    from interlock.workflow.language.presets import Reader

    Watched = tuple[Any, Callable[[], Any]]

# the format of a cache file; increase the number if it changes within a version
FORM = f'{__version__} 3'


def merged(cache: str, name: str, data: bytes, reader: Reader) -> Any:
    """The content of a workflow file merged with the files it extends."""
    return watched(cache, name, data, reader)[1]()


def watched(cache: str, name: str, data: bytes, reader: Reader) -> Watched:
    """The watch index of a workflow file, which answers most events, and a
    function that returns the whole workflow."""
    # what it is compiled from, apart from the files it extends
    source = [FORM, PACKAGE, name, data.decode(errors='surrogateescape')]
    file = os.path.join(cache, f'{_checksum(repr(source).encode())}.json')
    found = _from_cache(file, source, reader)
    if found is not None:
        return found
    # validation costs more than everything else: only when needed
    from interlock.workflow.language.compile import compile_workflow
    from interlock.workflow.language.watch_index import watch_index

    workflow, files = compile_workflow(name, data, reader)
    head = {'source': source, 'watch': watch_index(workflow)}
    _keep(file, head, workflow, files)
    return head['watch'], lambda: workflow


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
        return (head['watch'], lambda: loads(second)) if is_current else None
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


def _keep(file: str, head: dict[str, Any], workflow: Any, files: Any) -> None:
    import json

    from interlock.workflow.language import presets

    head = {**head, 'presets': {}, 'files': {}}
    for name in list(files)[1:]:
        if not presets.is_preset(name):
            head['files'][name] = files[name].decode()
            continue
        name_of_preset = name[len(presets.MARK) :]
        path = os.path.relpath(presets.file_of(name_of_preset), PACKAGE)
        head['presets'][path] = _stamp(path)
        if presets.preset(name_of_preset) != files[name]:
            # it changed after it was read
            return
    text = f'{json.dumps(head)}\n{json.dumps(workflow)}'.encode()
    try:
        os.makedirs(os.path.dirname(file), mode=0o700, exist_ok=True)
        remove_leftovers(os.path.dirname(file))
        replace_cache(file, _checksum(text).encode() + b'\n' + text)
    except (OSError, Refusal):
        # without a cache the next run is only slower
        pass
