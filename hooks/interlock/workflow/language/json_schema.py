"""The only caller of jsonschema: validates a document with one of our schemas."""

from __future__ import annotations

import json

from interlock.documents.text import shown
from interlock.model import quick_tools as functools
from interlock.model.fixes import did_you_mean
from interlock.model.quick_typing import Any, NamedTuple
from interlock.model.schemas import schema_text

# the prefix of references to the definitions of a schema
DEFINITIONS = '#/$defs/'
# the parts of a workflow that name servers; their values may be secret
SERVERS = ('locks', 'store')


class SchemaViolation(NamedTuple):
    path: tuple[str | int, ...]
    message: str
    # the key at this path is wrong itself, whatever its value
    key: tuple[str, ...] = ()

    @property
    def place(self) -> tuple[str | int, ...]:
        return (*self.path, *self.key)


def _key(error: Any) -> tuple[str, ...]:
    if error.validator == 'additionalProperties':
        known = error.schema.get('properties', ())
        return next((key,) for key in error.instance if key not in known)
    elif 'propertyNames' in error.absolute_schema_path:
        return (error.instance,)
    return ()


def _value(error: Any) -> str:
    """The written value; hidden where servers are named, as it may be a password."""
    is_secret = not isinstance(error.instance, int | float) and (
        next(iter(error.absolute_path), '') in SERVERS
    )
    return 'it' if is_secret else f'`{shown(str(error.instance))}`'


def _message(error: Any) -> str:
    value = _value(error)
    if error.validator == 'additionalProperties':
        (unknown,) = _key(error)
        near = did_you_mean(unknown, list(error.schema.get('properties', ())))
        return f'unknown key `{shown(unknown)}`{near}'
    elif error.validator == 'minProperties':
        return 'it is empty'
    elif error.validator == 'enum':
        valid = ', '.join(f'`{value}`' for value in error.validator_value)
        near = did_you_mean(
            str(error.instance), [str(value) for value in error.validator_value]
        )
        return f'{value} is not one of {valid}{near}'
    elif error.validator == 'const':
        return f'{value} must be `{error.validator_value}`'
    elif error.validator == 'not':
        return f'{value} must stay inside the repository'
    elif error.validator == 'pattern':
        return f'{value} does not match `{error.validator_value}`'
    said = str(error.message)
    return shown(said if value != 'it' else said.replace(repr(error.instance), value))


def _messages(error: Any) -> list[str]:
    if error.validator != 'required':
        return [_message(error)]
    missing = [key for key in error.validator_value if key not in error.instance]
    return [f'the key `{key}` is missing' for key in missing]


def _inlined(schema: dict[str, Any]) -> Any:
    """A schema with its references replaced by their definitions.

    jsonschema spends half of its time following references. None of our
    definitions refers to itself.
    """
    definitions = schema.pop('$defs', {})
    known: dict[str, Any] = {}

    def definition(reference: str) -> Any:
        if reference not in known:
            name = reference.removeprefix(DEFINITIONS)
            known[reference] = inline(definitions[name])
        return known[reference]

    def inline(part: Any) -> Any:
        if isinstance(part, list):
            return [inline(each) for each in part]
        elif not isinstance(part, dict):
            return part
        found = {key: inline(each) for key, each in part.items()}
        reference = found.pop('$ref', None)
        return {**definition(reference), **found} if reference else found

    return inline(schema)


@functools.cache
def _validator(schema_name: str) -> Any:
    from jsonschema import Draft202012Validator

    return Draft202012Validator(_inlined(json.loads(schema_text(schema_name))))


def violations(data: Any, schema_name: str) -> list[SchemaViolation]:
    """The places where a document does not match a schema."""
    from jsonschema.exceptions import best_match

    found: list[SchemaViolation] = []
    for error in _validator(schema_name).iter_errors(data):
        # for `anyOf` the innermost error is the helpful one
        inner = best_match([error])
        path, key = tuple(inner.absolute_path), _key(inner)
        found.extend(SchemaViolation(path, said, key) for said in _messages(inner))
    # each missing key is a separate error that names all missing keys
    return sorted(dict.fromkeys(found), key=lambda each: [*map(str, each.path)])
