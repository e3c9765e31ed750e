from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from interlock.workflow.language import json_schema
from tests.each import each

SCHEMAS = {
    path.name: path.read_text(encoding='UTF-8')
    for path in (Path(__file__).parents[3] / 'schemas').glob('*.json')
}


def parts(part: Any) -> Iterator[dict[str, Any]]:
    """Every mapping of a schema."""
    if isinstance(part, dict):
        yield part
        part = list(part.values())
    if isinstance(part, list):
        for inner in part:
            yield from parts(inner)


@each(SCHEMAS)
def test_no_reference_is_left_to_follow(text: str) -> None:
    inlined = json_schema._inlined(json.loads(text))
    assert not any('$ref' in part for part in parts(inlined))


@each(SCHEMAS)
def test_what_stands_beside_a_reference_only_adds_to_its_definition(text: str) -> None:
    schema = json.loads(text)
    for part in parts(schema):
        if '$ref' in part:
            name = part['$ref'].removeprefix(json_schema.DEFINITIONS)
            assert set(part) & set(schema['$defs'][name]) <= {'description'}
