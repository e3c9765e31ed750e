"""Values as YAML that a person would write."""

from __future__ import annotations

import json

from interlock.documents import yaml
from interlock.model import quick_re as re
from interlock.model.quick_typing import Any, Sequence

PLAIN_RE = re.compile(r'[^\W\d_](?:[\w ./+-]*[\w.])?')


def scalar(value: str) -> str:
    """A value as a plain word if YAML always reads it as text, else in quotes."""
    if PLAIN_RE.fullmatch(value):
        node = yaml.parse(value)
        if isinstance(node, yaml.Scalar) and node[:2] == (value, 'str'):
            return value
    # a JSON string is also a YAML string
    return json.dumps(value, ensure_ascii=False)


def flow(value: Any) -> str:
    """The value on one line."""
    if isinstance(value, dict):
        return f'{{{", ".join(f"{scalar(k)}: {flow(v)}" for k, v in value.items())}}}'
    elif isinstance(value, list):
        return f'[{", ".join(map(flow, value))}]'
    return scalar(value) if isinstance(value, str) else json.dumps(value)


def flow_list(names: Sequence[str]) -> str:
    """A single name as a word, several as a list."""
    return scalar(names[0]) if len(names) == 1 else flow([*names])
