"""The only caller of jsonschema: a document against one of our schemas."""
from __future__ import annotations

import json
from collections.abc import Sequence
from importlib import resources
from typing import Any
from typing import NamedTuple


class Violation(NamedTuple):
    path: tuple[str | int, ...]
    message: str


def schema_text(name: str) -> str:
    source = resources.files('interlock.schemas').joinpath(name)
    return source.read_text(encoding='UTF-8')


def _nearest(word: str, words: Sequence[str]) -> str:
    import difflib
    close = difflib.get_close_matches(word, words, 1)
    return f'; did you mean `{close[0]}`?' if close else ''


def _message(error: Any) -> str:
    if error.validator == 'additionalProperties':
        known = list(error.schema.get('properties', ()))
        unknown = [key for key in error.instance if key not in known]
        return f'unknown key `{unknown[0]}`{_nearest(unknown[0], known)}'
    elif error.validator == 'enum':
        valid = ', '.join(f'`{value}`' for value in error.validator_value)
        near = _nearest(str(error.instance), [
            str(value) for value in error.validator_value
        ])
        return f'`{error.instance}` is none of {valid}{near}'
    elif error.validator == 'const':
        return f'`{error.instance}` must be `{error.validator_value}`'
    elif error.validator == 'not':
        return f'`{error.instance}` must stay inside the repository'
    elif error.validator == 'pattern':
        return f'`{error.instance}` does not match `{error.validator_value}`'
    else:
        return str(error.message)


def violations(data: Any, schema_name: str) -> list[Violation]:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match

    validator = Draft202012Validator(json.loads(schema_text(schema_name)))
    found = []
    for error in validator.iter_errors(data):
        # for `anyOf` the innermost error is the one that helps
        inner = best_match([error])
        found.append(Violation(tuple(inner.absolute_path), _message(inner)))
    return sorted(found, key=lambda v: [str(part) for part in v.path])
