from __future__ import annotations

import json
from typing import Any

import pytest

from interlock.documents.wiring import client_settings
from interlock.model.schema_check import HOLDS, SchemaError
from interlock.model.schemas import schema_text
from interlock.state import validate


@pytest.mark.parametrize(
    ('rule', 'expected', 'mistake'),
    (
        pytest.param('type', 'array', 'is not a list', id='type'),
        pytest.param('type', ['string', 'null'], 'is not a text or null', id='types'),
        pytest.param('enum', ['a', 'b'], 'is not one of a, b', id='enum'),
        pytest.param('const', '3.0', 'is not "3.0"', id='const'),
        pytest.param('pattern', 'a UUID', 'is not a UUID', id='pattern'),
        pytest.param('minimum', 1, 'is not 1 or more', id='minimum'),
        pytest.param('exclusiveMinimum', 0, 'is not more than 0', id='above'),
        pytest.param('required', ['a', 'é'], 'has no `a` and no `é`', id='missing'),
    ),
)
def test_a_mistake_is_said_in_plain_words(
    rule: str, expected: Any, mistake: str
) -> None:
    assert SchemaError(('x', 0), rule, {}, expected).mistake == mistake


# they only describe, or hold parts that others refer to
DESCRIBE = {'$schema', '$id', '$defs', 'title', 'description', 'x-key', 'x-merge'}
READ = {
    *HOLDS,
    *('$ref', 'properties', 'additionalProperties', 'required', 'items'),
    *('allOf', 'if', 'then', 'else'),
}


def keywords(part: Any) -> set[str]:
    if not isinstance(part, dict):
        return set()
    parts = [
        *(
            each
            for name in ('properties', '$defs')
            for each in part.get(name, {}).values()
        ),
        *(part.get(name) for name in ('items', 'additionalProperties')),
        *(part.get(name) for name in ('if', 'then', 'else')),
        *part.get('allOf', ()),
    ]
    return set(part).union(*map(keywords, parts))


@pytest.mark.parametrize(
    ('name', 'own'),
    (
        pytest.param(client_settings.SCHEMA, set(), id='settings of a client'),
        pytest.param(validate.FILE, set(validate.CALLS), id='saved state'),
    ),
)
def test_no_keyword_of_a_schema_is_passed_over(name: str, own: set[str]) -> None:
    assert keywords(json.loads(schema_text(name))) <= READ | DESCRIBE | own
