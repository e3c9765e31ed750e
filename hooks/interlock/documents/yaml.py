"""The only caller of PyYAML: text to nodes that keep raw values and lines.

`yaml.load` would turn `3.10` into 3.1, dates into objects, and would let the
last of two equal keys win; none of that can be told from the result.
"""
from __future__ import annotations

from typing import Any
from typing import NamedTuple
from typing import Union

import yaml

from interlock.model.errors import Unreadable

_Loader = getattr(yaml, 'CSafeLoader', yaml.SafeLoader)

# a document of ours has some hundred nodes; aliases of aliases are a bomb
MAX_NODES = 20_000
MAX_DEPTH = 40
MAX_TEXT = 1024 * 1024
# fewer than this many characters that can open a level are harmless
MAX_OPENERS = 1000

_KINDS = {
    'tag:yaml.org,2002:null': 'null',
    'tag:yaml.org,2002:bool': 'bool',
    'tag:yaml.org,2002:int': 'int',
    'tag:yaml.org,2002:float': 'float',
    'tag:yaml.org,2002:timestamp': 'date',
    'tag:yaml.org,2002:str': 'str',
}
_COLLECTIONS = {'tag:yaml.org,2002:map', 'tag:yaml.org,2002:seq'}
TOO_DEEP = 'is nested too deeply, or grows too large through aliases'


class Scalar(NamedTuple):
    text: str
    kind: str
    line: int


class Sequence(NamedTuple):
    items: tuple[Node, ...]
    line: int


class Mapping(NamedTuple):
    items: dict[str, Node]
    # where each key stands
    lines: dict[str, int]
    line: int


Node = Union[Scalar, Sequence, Mapping]  # noqa: UP007 named above


class _Budget:
    def __init__(self, first_line: int) -> None:
        self.nodes = MAX_NODES
        self.first_line = first_line

    def line(self, node: yaml.Node) -> int:
        return int(node.start_mark.line) + self.first_line

    def spend(self, node: yaml.Node, depth: int) -> None:
        self.nodes -= 1
        if self.nodes < 0 or depth > MAX_DEPTH:
            raise Unreadable(TOO_DEEP, self.line(node))


def _convert(node: yaml.Node, budget: _Budget, depth: int) -> Node:
    budget.spend(node, depth)
    line = budget.line(node)
    scalar = isinstance(node, yaml.ScalarNode)
    if node.tag not in (_KINDS if scalar else _COLLECTIONS):
        raise Unreadable(f'uses the tag `{node.tag}`', line)
    elif scalar:
        return Scalar(node.value, _KINDS[node.tag], line)
    elif isinstance(node, yaml.SequenceNode):
        return Sequence(
            tuple(_convert(item, budget, depth + 1) for item in node.value),
            line,
        )
    items: dict[str, Node] = {}
    lines: dict[str, int] = {}
    for key, value in node.value:
        if not isinstance(key, yaml.ScalarNode):
            raise Unreadable('has a key that is no text', budget.line(key))
        elif key.value in items:
            raise Unreadable(
                f'has the key `{key.value}` twice', budget.line(key),
            )
        items[key.value] = _convert(value, budget, depth + 1)
        lines[key.value] = budget.line(key)
    return Mapping(items, lines, line)


def _refuse_depth(text: str, first_line: int) -> None:
    """libyaml's composer recurses without a bound and ends the process."""
    if sum(map(text.count, '[{-?')) < MAX_OPENERS:
        return
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        if isinstance(event, yaml.CollectionStartEvent):
            if depth > MAX_DEPTH:
                mark = event.start_mark
                line = mark.line + first_line if mark else first_line
                raise Unreadable(TOO_DEEP, line)
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


def parse(text: str, first_line: int = 1) -> Node | None:
    """The nodes of a document; None for one that is empty."""
    if len(text) > MAX_TEXT:
        raise Unreadable(f'is too large to be YAML ({len(text)} characters)')
    try:
        _refuse_depth(text, first_line)
        loader = _Loader(text)
        try:
            node = loader.get_single_node()
        finally:
            loader.dispose()
        if node is None:
            return None
        return _convert(node, _Budget(first_line), 0)
    except yaml.YAMLError as e:
        mark = getattr(e, 'problem_mark', None)
        line = mark.line + first_line if mark else first_line
        problem = getattr(e, 'problem', None) or 'it cannot be read'
        raise Unreadable(f'is not valid YAML: {problem}', line) from None
    except (RecursionError, ValueError) as e:
        raise Unreadable(f'is not valid YAML: {e}', first_line) from None


def value(node: Node | None) -> Any:
    """Plain data, as YAML 1.2 and JSON Schema understand the scalars."""
    if node is None:
        return None
    elif isinstance(node, Mapping):
        return {key: value(item) for key, item in node.items.items()}
    elif isinstance(node, Sequence):
        return [value(item) for item in node.items]
    elif node.kind == 'null':
        return None
    elif node.kind == 'bool' and node.text.lower() in {'true', 'false'}:
        # not `off`, which is a severity
        return node.text.lower() == 'true'
    elif node.kind == 'float' or (
            node.kind == 'int' and node.text.lstrip('+-').isdigit()
    ):
        number = float if node.kind == 'float' else int
        try:
            return number(node.text)
        except ValueError:
            return node.text
    else:
        return node.text


class _Dumper(yaml.SafeDumper):
    pass


def _represent(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    # unquoted, some ends of lines are not read back
    style = None if text.isprintable() else '"'
    return dumper.represent_scalar('tag:yaml.org,2002:str', text, style)


_Dumper.add_representer(str, _represent)


def dump(data: Any) -> str:
    """Plain data as text that `parse` and `value` read back."""
    made: str = yaml.dump(
        data, Dumper=_Dumper, sort_keys=False, allow_unicode=True,
        width=1000, default_flow_style=False,
    )
    return made
