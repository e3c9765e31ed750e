"""The only caller of PyYAML: text to nodes that keep raw values and lines.

`yaml.load` would turn `3.10` into 3.1, dates into objects, and would let the
last of two equal keys win; none of that can be told from the result.
"""

from __future__ import annotations

import functools

import yaml

from interlock.model import quick_re as re
from interlock.model.errors import Unreadable
from interlock.model.quick_typing import Any, NamedTuple, Union

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import ClassVar

_Base: Any = getattr(yaml, 'CSafeLoader', yaml.SafeLoader)

# our documents have some hundred nodes; aliases of aliases can explode
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
# a field starts its line, and what belongs to it is indented below
FIELD_RE = re.compile(r'[A-Za-z_][A-Za-z0-9_-]*:(?:[ ].*)?\n(?:(?:[ ].*)?\n)*')
TOO_DEEP = 'is nested too deeply, or grows too large through aliases'


# how many resolved values are remembered
KNOWN_VALUES = 4096


class _Loader(_Base):  # type: ignore[misc] # either of two
    """Resolves values that recur in most documents only once."""

    _known: ClassVar[dict[Any, str]] = {}

    # no rule depends on the path of a node
    def descend_resolver(self, *args: object) -> None:
        pass

    def ascend_resolver(self) -> None:
        pass

    def resolve(self, kind: Any, value: Any, implicit: Any) -> str:
        key = (kind, value, implicit)
        tag = self._known.get(key)
        if tag is None:
            if len(self._known) >= KNOWN_VALUES:
                self._known.clear()
            tag = self._known[key] = super().resolve(kind, value, implicit)
        return tag


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


Node = Union[Scalar, Sequence, Mapping]


class _Converter:
    """From the nodes of PyYAML to ours; most of them are scalars."""

    def __init__(self, first_line: int) -> None:
        self.nodes = MAX_NODES
        self.first_line = first_line

    def line(self, node: yaml.Node) -> int:
        return int(node.start_mark.line) + self.first_line

    def convert(self, node: yaml.Node, depth: int = 0) -> Node:
        self.nodes -= 1
        line = self.line(node)
        if self.nodes < 0 or depth > MAX_DEPTH:
            raise Unreadable(TOO_DEEP, line)
        elif isinstance(node, yaml.ScalarNode):
            kind = _KINDS.get(node.tag)
            if kind is not None:
                return Scalar(node.value, kind, line)
        elif node.tag in _COLLECTIONS:
            if isinstance(node, yaml.MappingNode):
                return self._mapping(node, depth + 1)
            items = [self.convert(item, depth + 1) for item in node.value]
            return Sequence(tuple(items), line)
        raise Unreadable(f'uses the tag `{node.tag}`', line)

    def _mapping(self, node: yaml.MappingNode, depth: int) -> Mapping:
        items: dict[str, Node] = {}
        lines: dict[str, int] = {}
        for key, value in node.value:
            line = self.line(key)
            if not isinstance(key, yaml.ScalarNode):
                raise Unreadable('has a key that is not text', line)
            elif key.value in items:
                raise Unreadable(f'has the key `{key.value}` twice', line)
            items[key.value] = self.convert(value, depth)
            lines[key.value] = line
        return Mapping(items, lines, self.line(node))


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
        return _Converter(first_line).convert(node)
    except yaml.YAMLError as e:
        mark = getattr(e, 'problem_mark', None)
        line = mark.line + first_line if mark else first_line
        problem = getattr(e, 'problem', None) or 'it cannot be read'
        raise Unreadable(f'is not valid YAML: {problem}', line) from None
    except (RecursionError, ValueError) as e:
        raise Unreadable(f'is not valid YAML: {e}', first_line) from None


def parse_fields(text: str, first_line: int = 1) -> Node | None:
    """Fields one below the other, each parsed on its own and remembered.

    Most fields of a document are the same in its next version. Anything else,
    and anything invalid, is parsed as one document.
    """
    found = _fields(text, first_line)
    return parse(text, first_line) if found is None else found


def _fields(text: str, first_line: int) -> Mapping | None:
    """None where the text must be parsed as a whole."""
    bare = text.lstrip('\n')
    parts = FIELD_RE.findall(bare)
    if not parts or sum(map(len, parts)) != len(bare):
        return None
    elif len(text) > MAX_NODES or '&' in text or '*' in text:
        # one field may refer to another
        return None
    elif len(text.splitlines()) != text.count('\n'):
        # YAML knows more ends of lines
        return None
    line = start = first_line + len(text) - len(bare)
    items: dict[str, Node] = {}
    lines: dict[str, int] = {}
    for part in parts:
        key, node = _field(part, line)
        if node is None or key in items:
            return None
        items[key], lines[key] = node, line
        line += part.count('\n')
    return Mapping(items, lines, start)


@functools.lru_cache(maxsize=4096)
def _field(text: str, line: int) -> tuple[str, Node | None]:
    """Its key and its value; None where it is not one field."""
    try:
        field = parse(text, line)
    except Unreadable:
        return '', None
    if not isinstance(field, Mapping) or len(field.items) != 1:
        return '', None
    return next(iter(field.items.items()))


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
        data,
        Dumper=_Dumper,
        sort_keys=False,
        allow_unicode=True,
        width=1000,
        default_flow_style=False,
    )
    return made
