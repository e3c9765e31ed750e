from __future__ import annotations

from typing import Any

import pytest

from interlock.model.schema_check import SchemaError


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
