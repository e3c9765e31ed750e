"""Every key of a workflow file: what it means, and an example of its use."""

from __future__ import annotations

import json

from interlock.documents import yaml
from interlock.documents.text import decode
from interlock.documents.yaml_text import block
from interlock.model import quick_tools as functools
from interlock.model.change import Blob
from interlock.model.errors import Refusal
from interlock.model.fixes import nearest, ours
from interlock.model.quick_typing import Any, Iterator, NamedTuple, Sequence
from interlock.model.schemas import schema_text
from interlock.workflow.language.load import WORKFLOW
from interlock.workflow.language.presets import preset, presets

# in a path: any name, and an entry of a list
ANY_NAME, ENTRY = '*', '[]'
MOST_LINES = 6
# the kinds of items that are described by their records
RECORDED = 'recorded_kind'

Path = tuple[str, ...]
Schema = dict[str, Any]


class Key(NamedTuple):
    path: Path
    description: str
    # what its value is
    type: str
    example: tuple[str, ...]
    # of a kind whose records agree, and not of one that has a registry
    recorded: bool = False

    @property
    def name(self) -> str:
        """`items.*.handoff.next[].after`."""
        return '.'.join(self.path).replace(f'.{ENTRY}', ENTRY)


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
# several of them
ENTRIES = {'text': 'texts', 'a mapping': 'mappings', 'a number': 'numbers'}


def _values(data: Any, path: Sequence[str]) -> Iterator[Any]:
    """Every value at a path."""
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
def _presets() -> tuple[tuple[str, Any], ...]:
    # the plainest first
    names = sorted(presets(), key=lambda name: name != 'basic')
    found = []
    for name in names:
        data = preset(name) or b''
        found.append((name, yaml.value(yaml.parse(decode(Blob('', len(data), data))))))
    return tuple(found)


def _example(path: Path, node: Schema, recorded: bool) -> tuple[str, ...]:
    """As the schema gives it, else as a preset uses it."""
    found = [*node.get('examples', ())]
    for _, data in _presets() if not found else ():
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
    lines = [*block(name, shortest)]
    return (*lines[:MOST_LINES], *(['  # ...'] if len(lines) > MOST_LINES else ()))


@functools.cache
def _schema() -> tuple[_Walk, tuple[tuple[Path, Schema, bool], ...]]:
    schema = json.loads(schema_text(WORKFLOW.schema))
    walk = _Walk(schema['$defs'])
    return walk, tuple(walk.keys(schema, ()))


@functools.cache
def keys() -> tuple[Key, ...]:
    walk, found = _schema()
    return tuple(
        Key(
            path,
            walk.target(node).get('description', ''),
            walk.type_of(node),
            _example(path, node, recorded),
            recorded,
        )
        for path, node, recorded in found
    )


def _fits(path: Path, wanted: Sequence[str]) -> bool:
    """Whether a path ends with some words; `*` stands for any of them."""
    bare = [part for part in path if part != ENTRY]
    tail = bare[len(bare) - len(wanted) :]
    return len(bare) >= len(wanted) and all(
        part in (ANY_NAME, word) for part, word in zip(tail, wanted, strict=True)
    )


def explained(name: str) -> list[Key]:
    """The keys that a person may mean: `frozen`, `registry.file`, a whole path."""
    parts = name.replace(ENTRY, '').split('.')
    # the number of an entry of a list is not a key
    wanted = [part for part in parts if part and not part.isdigit()]
    found = [key for key in keys() if wanted and _fits(key.path, wanted)]
    whole = [key for key in found if len(key.path) == len(wanted)]
    # `*` fits every word, so what is named counts first
    named = [key for key in found if {*wanted} <= {*key.path}]
    if not found:
        last = {part for key in keys() for part in key.path}
        near = nearest((wanted or [name])[-1], last)
        meant = f'; did you mean `{near}`?' if near else ''
        raise Refusal(
            f'a workflow has no key `{name}`{meant}',
            ours('config', 'explain', *filter(None, [near])),
        )
    return whole or named or found


def allowed_at(path: Sequence[str | int]) -> str:
    """The key that says what may stand at a place of a file, '' for none."""
    wanted = [part for part in path if isinstance(part, str)]
    _, found = _schema()
    lengths = [(sum(part != ENTRY for part in each), each) for each, _, _ in found]
    while wanted:
        if any(
            length == len(wanted) and _fits(each, wanted) for length, each in lengths
        ):
            return '.'.join(wanted)
        wanted.pop()
    return ''
