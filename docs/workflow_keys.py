"""All keys of a workflow file, from its schema; the examples are from presets."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from interlock.documents import yaml
from interlock.documents.yaml_text import flow, scalar
from interlock.model.schemas import schema_text
from interlock.workflow.language.load import WORKFLOW
from interlock.workflow.language.presets import preset, presets
from interlock.workflow.language.reference import ANY_NAME, ENTRY, Key, Path

WIDTH = 72
MOST_LINES = 6
Schema = dict[str, Any]


class _Walk(NamedTuple):
    defs: Schema

    def target(self, node: Schema) -> Schema:
        name = str(node.get('$ref', '')).rpartition('/')[2]
        return {**self.target(self.defs[name]), **node} if name else node

    def options(self, node: Schema) -> Iterator[Schema]:
        """The forms that a value may have, without null."""
        node = self.target(node)
        inner = [
            *node.get('anyOf', ()),
            *(node[k] for k in ('then', 'else') if k in node),
        ]
        if not inner:
            yield node
        for each in inner:
            if each.get('type') != 'null':
                yield from self.options(each)

    def type_of(self, node: Schema) -> str:
        return ' or '.join(dict.fromkeys(self._types(node)))

    def _types(self, node: Schema) -> Iterator[str]:
        for each in self.options(node):
            if 'enum' in each:
                yield ', '.join(f'`{value}`' for value in each['enum'])
            elif 'const' in each:
                yield f'`{each["const"]}`'
            elif each.get('type') == 'array':
                entries = self.type_of(each.get('items', {}))
                yield f'a list of {ENTRIES.get(entries, f"entries, each {entries}")}'
            elif each.get('type') == 'object' or 'properties' in each:
                yield 'a mapping'
            else:
                kinds = each.get('type', 'string')
                names: list[str] = kinds if isinstance(kinds, list) else [kinds]
                yield from (WORDS.get(name, name) for name in names if name != 'null')

    def keys(
        self, node: Schema, path: Path, recorded: bool = False
    ) -> Iterator[tuple[Path, Schema, bool]]:
        for each in self.options(node):
            own = recorded or 'records' in each.get('properties', ())
            for name, below in each.get('properties', {}).items():
                yield (*path, name), below, own
                yield from self.keys(below, (*path, name), own)
            for key, step in (('additionalProperties', ANY_NAME), ('items', ENTRY)):
                if isinstance(each.get(key), dict):
                    yield from self.keys(each[key], (*path, step), own)


WORDS = {
    'string': 'text',
    'integer': 'a number',
    'number': 'a number',
    'boolean': '`true` or `false`',
}
# the plural of each
ENTRIES = {'text': 'texts', 'a mapping': 'mappings', 'a number': 'numbers'}


def _values(data: Any, path: Sequence[str]) -> Iterator[Any]:
    """All values at a path."""
    if not path:
        yield data
    elif path[0] == ENTRY:
        for each in data if isinstance(data, list) else ():
            yield from _values(each, path[1:])
    elif isinstance(data, dict):
        names = data if path[0] == ANY_NAME else [path[0]] if path[0] in data else []
        for name in names:
            yield from _values(data[name], path[1:])


@functools.cache
def _presets() -> list[Any]:
    # the simplest one first
    names = sorted(presets(), key=lambda name: name != 'basic')
    return [yaml.value(yaml.parse((preset(name) or b'').decode())) for name in names]


def _block(key: str, value: Any, indent: str = '') -> Iterator[str]:
    """A key and its value, on one line if that is short enough."""
    line = f'{indent}{scalar(key)}: {flow(value)}'
    if not isinstance(value, dict | list) or not value or len(line) <= WIDTH:
        yield line
        return
    yield f'{indent}{scalar(key)}:'
    if isinstance(value, dict):
        for name, each in value.items():
            yield from _block(str(name), each, f'{indent}  ')
    else:
        yield from (f'{indent}  - {flow(each)}' for each in value)


def _example(path: Path, node: Schema, recorded: bool) -> tuple[str, ...]:
    """The example from the schema, else the use in a preset."""
    found = [*node.get('examples', ())]
    for data in _presets() if not found else ():
        kinds = {
            name: kind
            for name, kind in data.get('items', {}).items()
            if ('records' in kind) == recorded
        }
        found = [
            value
            for value in _values({**data, 'items': kinds}, path)
            if value not in (None, {}, [])
        ]
        if found:
            break
    if not found:
        return ()
    name = next((part for part in reversed(path) if part not in (ENTRY, ANY_NAME)), '')
    shortest = min(found, key=lambda value: len(str(value)))
    lines = [*_block(name, shortest)]
    return (*lines[:MOST_LINES], *(['  # ...'] if len(lines) > MOST_LINES else ()))


def made() -> tuple[Key, ...]:
    """Every key that a workflow may have, in the order of the schema."""
    schema = json.loads(schema_text(WORKFLOW.schema))
    walk = _Walk(schema['$defs'])
    return tuple(
        Key(
            path,
            walk.target(node).get('description', ''),
            walk.type_of(node),
            _example(path, node, recorded),
            recorded,
        )
        for path, node, recorded in walk.keys(schema, ())
    )
