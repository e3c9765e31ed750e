"""All rules by code, from the index that `make docs` writes."""

from __future__ import annotations

import os

from interlock.model.finding import Rule
from interlock.model.quick_json import loads

INDEX = os.path.join(os.path.dirname(__file__), 'index.json')


def _read() -> dict[str, Rule]:
    with open(INDEX, encoding='UTF-8') as f:
        found = loads(f.read())
    for fields in found.values():
        # JSON has no tuples
        fields['settles'] = tuple(fields.get('settles', ()))
    return {code: Rule(code, **fields) for code, fields in found.items()}


RULES = _read()
