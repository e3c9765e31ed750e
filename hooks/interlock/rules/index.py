"""All rules by code, from the index that `make docs` writes."""

from __future__ import annotations

import os

from interlock.model.finding import Rule
from interlock.model.quick_json import loads

INDEX = os.path.join(os.path.dirname(__file__), 'index.json')


def _read() -> dict[str, Rule]:
    with open(INDEX, encoding='UTF-8') as f:
        rules = {code: Rule(code, **fields) for code, fields in loads(f.read()).items()}
    # JSON has no tuples
    return {
        code: rule._replace(settles=tuple(rule.settles)) if rule.settles else rule
        for code, rule in rules.items()
    }


RULES = _read()
