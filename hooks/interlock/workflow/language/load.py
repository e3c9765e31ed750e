"""Loads the text of a workflow file into one merged, validated mapping."""

from __future__ import annotations

import os
import posixpath

from interlock.documents import yaml
from interlock.documents.text import decode, shown
from interlock.model import quick_tools as functools
from interlock.model.change import Blob
from interlock.model.errors import InvalidWorkflow, Refusal, Unreadable
from interlock.model.fixes import did_you_mean, ours
from interlock.model.quick_typing import Any, Mapping, NamedTuple
from interlock.workflow.language.json_schema import violations
from interlock.workflow.language.presets import (
    FOLDER,
    MARK,
    Reader,
    is_preset,
    preset,
    presets,
    shown_name,
)

VERSION = 1
# the keys that tell how to read a file
HEAD = ('version', 'extends')
MAX_EXTENDS = 20

Path = tuple[Any, ...]


class Origin(NamedTuple):
    file: str
    line: int


class Language(NamedTuple):
    """The name of a format, its schema, and the folder of the files we ship."""

    noun: str
    schema: str
    folder: str


WORKFLOW = Language('workflow', 'workflow.schema.json', FOLDER)


class Source(NamedTuple):
    """A merged workflow, the origin of each key, and the files read."""

    data: dict[str, Any]
    origins: dict[Path, Origin]
    files: dict[str, bytes]
    language: Language = WORKFLOW

    def refuse(self, path: Path, message: str) -> Refusal:
        found = path
        while found and found not in self.origins:
            found = found[:-1]
        where = self.origins.get(found) or Origin(next(iter(self.files)), 1)
        own = next(iter(self.files))
        noun = self.language.noun
        return refusal(where.file, where.line, path, message, own, noun)


def refusal(
    file: str, line: int, path: Path, message: str, own: str, noun: str = WORKFLOW.noun
) -> Refusal:
    """`own` is the user's file: a preset cannot be edited."""
    key = shown('.'.join(str(part) for part in path))
    named = f'`{key}`: ' if key else ''
    return InvalidWorkflow(
        f'{shown_name(file)}:{line}: the {noun} is invalid: {named}{message}',
        by_hand(own) if is_preset(file) else _explaining(path, noun) or by_hand(file),
        line,
    )


def by_hand(file: str) -> str:
    return f'correct {file} by hand'


def _explaining(path: Path, noun: str) -> str:
    """The command that explains the allowed values at a place of a workflow."""
    if noun != WORKFLOW.noun or not path:
        return ''
    # it loads all keys, and most workflows are valid
    from interlock.workflow.language.reference import allowed_at

    return ours('config', 'explain', *filter(None, [allowed_at(path)]))


@functools.cache
def key_rules() -> dict[str, Any]:
    """The facts about the keys of a workflow that their schema cannot hold."""
    path = os.path.join(os.path.dirname(__file__), 'keys.yaml')
    found: dict[str, Any] = yaml.of_file(path)
    return found


def merge(base: Any, over: Any) -> Any:
    """`over` wins: mappings are merged, lists replaced, null removes."""
    if not isinstance(over, dict):
        return over
    merged = dict(base) if isinstance(base, dict) else {}
    for key, value in over.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = merge(merged.get(key), value)
    return merged


def _origins(node: yaml.Node, file: str, path: Path, into: dict[Path, Origin]) -> None:
    into[path] = Origin(file, node.line)
    if isinstance(node, yaml.Mapping):
        for key, item in node.items.items():
            _origins(item, file, (*path, key), into)
            into[(*path, key)] = Origin(file, node.lines[key])
    elif isinstance(node, yaml.Sequence):
        for number, item in enumerate(node.items):
            _origins(item, file, (*path, number), into)


def _document(file: str, data: bytes, source: Source) -> dict[str, Any]:
    if not is_preset(file):
        return _read(file, data, source)
    value, origins = _shipped(file, data, source.language)
    source.origins.update(origins)
    # a copy: extending it removes keys
    return dict(value)


@functools.cache
def _shipped(
    file: str, data: bytes, language: Language
) -> tuple[dict[str, Any], dict[Path, Origin]]:
    """The data and origins of a file that we ship, read once per process."""
    own = Source({}, {}, {file: data}, language)
    return _read(file, data, own), own.origins


def _read(file: str, data: bytes, source: Source) -> dict[str, Any]:
    noun = source.language.noun
    try:
        node = yaml.parse(decode(Blob('', len(data), data)))
    except Unreadable as e:
        raise InvalidWorkflow(
            f'{file}:{e.line}: the {noun} {e.message}', by_hand(file), e.line
        ) from None
    if not isinstance(node, yaml.Mapping):
        raise InvalidWorkflow(
            f'{file}:1: the {noun} is not a mapping of keys to values', by_hand(file), 1
        )
    _origins(node, file, (), source.origins)
    value = yaml.value(node)
    assert isinstance(value, dict), 'a mapping node is a dict'
    # the rest is validated after merging: a file may change parts of the file
    # that it extends, and remove others
    head = {key: value[key] for key in HEAD if key in value}
    validate(head if source.language == WORKFLOW else value, source)
    return value


def validate(data: dict[str, Any], source: Source, schema: str = '') -> None:
    for each in violations(data, schema or source.language.schema):
        raise source.refuse(each.place, each.message)


def _is_outside(key: str, file: str) -> bool:
    """Whether a file of a repository names a file outside of it."""
    up = posixpath.join(posixpath.pardir, '')
    return key.startswith(up) or (posixpath.isabs(key) and not posixpath.isabs(file))


def _extended(name: str, file: str, source: Source, read: Reader) -> str:
    """Read the file that a file extends into `source.files`; returns its name."""
    folder = source.language.folder
    data = preset(name, folder)
    if data is not None:
        key = f'{MARK}{name}'
    else:
        key = posixpath.normpath(posixpath.join(posixpath.dirname(file), name))
        data = None if _is_outside(key, file) else read(key)
    if data is None:
        known = presets(folder)
        raise source.refuse(
            ('extends',),
            f'`{name}` is neither a preset ({", ".join(known)}) '
            f'nor a file that can be read{did_you_mean(name, known)}',
        )
    source.files[key] = data
    return key


def _extend(
    data: dict[str, Any],
    file: str,
    own: Source,
    source: Source,
    read: Reader,
    depth: int,
) -> Any:
    """The mapping merged over everything that it extends."""
    if depth > MAX_EXTENDS:
        raise own.refuse(('extends',), 'files extend each other in a circle')
    extends = data.pop('extends', [])
    names = [extends] if isinstance(extends, str) else extends
    merged: Any = {}
    for name in names:
        key = _extended(name, file, own, read)
        merged = merge(merged, _load(key, source, read, depth + 1))
    source.origins.update(own.origins)
    return merge(merged, data)


def _load(file: str, source: Source, read: Reader, depth: int) -> Any:
    # origins of the extended file come first, so that its own override them
    own = Source({}, {}, source.files, source.language)
    data = _document(file, source.files[file], own)
    return _extend(data, file, own, source, read, depth)


def load(file: str, data: bytes, read: Reader) -> Source:
    source = Source({}, {}, {file: data})
    merged = _load(file, source, read, 0)
    validate(merged, source)
    return source._replace(data=merged)


def load_part(
    data: Mapping[str, Any], file: str, read: Reader, language: Language
) -> Source:
    """Load a part of a file that has its own format."""
    source = Source({}, {}, {file: b''}, language)
    own = source._replace(origins={(): Origin(file, 1)})
    merged = _extend(dict(data), file, own, source, read, 0)
    return source._replace(data=merged)
