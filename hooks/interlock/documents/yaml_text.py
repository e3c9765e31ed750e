"""Values as YAML that a person would write."""

from __future__ import annotations

import json

from interlock.documents import yaml
from interlock.model import quick_re as re
from interlock.model.quick_typing import Any, Iterator, Sequence

PLAIN_RE = re.compile(r'[^\W\d_](?:[\w ./+-]*[\w.])?')
WIDTH = 72


def scalar(value: str) -> str:
    """As a word where YAML reads it as one everywhere, else in quotes."""
    if PLAIN_RE.fullmatch(value):
        node = yaml.parse(value)
        if isinstance(node, yaml.Scalar) and node[:2] == (value, 'str'):
            return value
    # a string of JSON is one of YAML
    return json.dumps(value, ensure_ascii=False)


def flow(value: Any) -> str:
    """On one line."""
    if isinstance(value, dict):
        return f'{{{", ".join(f"{scalar(k)}: {flow(v)}" for k, v in value.items())}}}'
    elif isinstance(value, list):
        return f'[{", ".join(map(flow, value))}]'
    return scalar(value) if isinstance(value, str) else json.dumps(value)


def flow_list(names: Sequence[str]) -> str:
    """One of them as a word, several as a list."""
    return scalar(names[0]) if len(names) == 1 else flow([*names])


def block(key: str, value: Any, indent: str = '') -> Iterator[str]:
    """A key and its value, on one line where that is short enough."""
    line = f'{indent}{scalar(key)}: {flow(value)}'
    if not isinstance(value, dict | list) or not value or len(line) <= WIDTH:
        yield line
        return
    yield f'{indent}{scalar(key)}:'
    if isinstance(value, dict):
        for name, each in value.items():
            yield from block(str(name), each, f'{indent}  ')
    else:
        yield from (f'{indent}  - {flow(each)}' for each in value)
