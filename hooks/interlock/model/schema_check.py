"""Checks a value against one of our JSON Schemas, without importing jsonschema.

A hook has no time for that import. Only the keywords in our schemas are
supported; tests compare the results with jsonschema.
"""

from __future__ import annotations

from interlock.model import quick_re as re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from interlock.model.quick_typing import Callable, Iterator, Mapping

    Schema = dict[str, Any]
    Path = tuple[str | int, ...]

# type in a schema -> its name in messages, and its class in Python
NAMES = {
    'string': 'a text',
    'null': 'null',
    'boolean': 'true or false',
    'object': 'an object',
    'array': 'a list',
    'integer': 'an integer',
    'number': 'a number',
}
CLASSES: Mapping[str, type] = {
    'string': str,
    'null': type(None),
    'boolean': bool,
    'object': dict,
    'array': list,
}


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is(value: Any, kind: str) -> bool:
    if kind in CLASSES:
        return isinstance(value, CLASSES[kind])
    return _is_number(value) and (
        kind == 'number' or isinstance(value, int) or value.is_integer()
    )


def _listed(kinds: str | list[str]) -> list[str]:
    return [kinds] if isinstance(kinds, str) else kinds


def _same(value: Any, other: Any) -> bool:
    # in Python, True == 1
    return bool(value == other) and _is(value, 'boolean') == _is(other, 'boolean')


# keywords about the value itself
HOLDS: Mapping[str, Callable[[Any, Any], bool]] = {
    'type': lambda value, kinds: any(_is(value, kind) for kind in _listed(kinds)),
    'const': _same,
    'enum': lambda value, known: any(_same(value, each) for each in known),
    'minimum': lambda value, least: not _is_number(value) or value >= least,
    'exclusiveMinimum': lambda value, bound: not _is_number(value) or value > bound,
    'pattern': lambda value, text: (
        not isinstance(value, str) or re.search(text, value) is not None
    ),
}


def where(path: Path) -> str:
    """A path as text, such as `hooks.PreToolUse[0].timeout`."""
    text = ''.join(
        f'[{part}]' if isinstance(part, int) else f'.{part}' for part in path
    )
    return text.lstrip('.')


def texts(value: Any, path: Path = ()) -> Iterator[tuple[Path, str]]:
    """Every text in a value, with its path."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from texts(item, (*path, key))
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from texts(item, (*path, number))


class SchemaError:
    """A value at a path that breaks one rule: a JSON Schema keyword, or one of ours."""

    def __init__(self, path: Path, rule: str, value: Any, expected: Any) -> None:
        self.path = path
        self.rule = rule
        self.value = value
        self.expected = expected

    @property
    def wanted(self) -> str:
        """The expected value, in words that follow `is not`."""
        if self.rule == 'type':
            return ' or '.join(NAMES[kind] for kind in _listed(self.expected))
        elif self.rule == 'const':
            return f'"{self.expected}"'
        elif self.rule == 'enum':
            return f'one of {", ".join(self.expected)}'
        elif self.rule == 'minimum':
            return f'{self.expected} or more'
        elif self.rule == 'exclusiveMinimum':
            return f'more than {self.expected}'
        return str(self.expected)

    @property
    def mistake(self) -> str:
        if self.rule == 'required':
            missing = [key for key in self.expected if key not in self.value]
            return f'has no {" and no ".join(f"`{key}`" for key in missing)}'
        return f'is not {self.wanted}'


class SchemaCheck:
    def __init__(
        self, schema: Schema, rules: Mapping[str, Callable[[str], str]] | None = None
    ) -> None:
        """`rules` are keywords of our own: each function describes what is wrong."""
        self.schema = schema
        self.rules = rules or {}

    def errors(self, value: Any) -> Iterator[SchemaError]:
        return self._errors(value, self.schema, ())

    def resolved(self, part: Schema) -> Schema:
        """A part of the schema, with its reference resolved."""
        name = part.get('$ref', '').rpartition('/')[2]
        found: Schema = self.schema['$defs'][name] if name else part
        return found

    def _errors(self, value: Any, part: Schema, path: Path) -> Iterator[SchemaError]:
        part = self.resolved(part)
        for rule, wanted in part.items():
            if rule in HOLDS and not HOLDS[rule](value, wanted):
                expected = part['title'] if rule == 'pattern' else wanted
                yield SchemaError(path, rule, value, expected)
            elif rule in self.rules and isinstance(value, str):
                if self.rules[rule](value):
                    yield SchemaError(path, rule, value, wanted)
        if isinstance(value, dict):
            yield from self._of_object(value, part, path)
        elif isinstance(value, list) and 'items' in part:
            for number, item in enumerate(value):
                yield from self._errors(item, part['items'], (*path, number))
        for each in part.get('allOf', ()):
            yield from self._errors(value, each, path)
        if 'if' in part:
            fails = any(True for _ in self._errors(value, part['if'], path))
            branch = part.get('else' if fails else 'then', {})
            yield from self._errors(value, branch, path)

    def _of_object(
        self, value: dict[str, Any], part: Schema, path: Path
    ) -> Iterator[SchemaError]:
        required, known = part.get('required', ()), part.get('properties', {})
        if not value.keys() >= set(required):
            yield SchemaError(path, 'required', value, required)
        others = part.get('additionalProperties', {})
        if others is False and not known.keys() >= value.keys():
            yield SchemaError(path, 'additionalProperties', value, list(known))
        for key, item in value.items():
            below = known.get(key, others)
            if below:
                yield from self._errors(item, below, (*path, key))
