"""The only caller of jsonschema: a document against one of our schemas."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from interlock.documents.text import shown
from interlock.model.schemas import schema_text
from interlock.model.suggest import did_you_mean


class Violation(NamedTuple):
    path: tuple[str | int, ...]
    message: str
    # the key at this path that is wrong itself, whatever its value
    key: tuple[str, ...] = ()


def _key(error: Any) -> tuple[str, ...]:
    if error.validator == 'additionalProperties':
        known = error.schema.get('properties', ())
        return next((key,) for key in error.instance if key not in known)
    elif 'propertyNames' in error.absolute_schema_path:
        return (error.instance,)
    return ()


def _message(error: Any) -> str:
    value = shown(str(error.instance))
    if error.validator == 'additionalProperties':
        (unknown,) = _key(error)
        near = did_you_mean(unknown, list(error.schema.get('properties', ())))
        return f'unknown key `{shown(unknown)}`{near}'
    elif error.validator == 'enum':
        valid = ', '.join(f'`{value}`' for value in error.validator_value)
        near = did_you_mean(
            str(error.instance), [str(value) for value in error.validator_value]
        )
        return f'`{value}` is none of {valid}{near}'
    elif error.validator == 'const':
        return f'`{value}` must be `{error.validator_value}`'
    elif error.validator == 'not':
        return f'`{value}` must stay inside the repository'
    elif error.validator == 'pattern':
        return f'`{value}` does not match `{error.validator_value}`'
    else:
        return shown(str(error.message))


def violations(data: Any, schema_name: str) -> list[Violation]:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match

    validator = Draft202012Validator(json.loads(schema_text(schema_name)))
    found = []
    for error in validator.iter_errors(data):
        # for `anyOf` the innermost error is the one that helps
        inner = best_match([error])
        path = tuple(inner.absolute_path)
        found.append(Violation(path, _message(inner), _key(inner)))
    return sorted(found, key=lambda v: [str(part) for part in v.path])
