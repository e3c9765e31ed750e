"""The only module that imports PyYAML: the import takes as long as a hook's answer."""

from __future__ import annotations

import yaml

from interlock.documents.yaml import (
    MAX_DEPTH,
    MAX_NODES,
    TOO_DEEP,
    Mapping,
    Node,
    Scalar,
    Sequence,
)
from interlock.model import quick_re as re
from interlock.model.errors import Unreadable
from interlock.model.quick_typing import Any, Iterator

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import ClassVar

_Base: Any = getattr(yaml, 'CSafeLoader', yaml.SafeLoader)

# fewer marks than this, which can each open a level, are harmless; a dash inside a
# word opens none
MAX_OPENERS = 1000
OPENER_RE = re.compile(r'[\[{]|[-?](?!\S)')

_KINDS = {
    'tag:yaml.org,2002:null': 'null',
    'tag:yaml.org,2002:bool': 'bool',
    'tag:yaml.org,2002:int': 'int',
    'tag:yaml.org,2002:float': 'float',
    'tag:yaml.org,2002:timestamp': 'date',
    'tag:yaml.org,2002:str': 'str',
}
_COLLECTIONS = {'tag:yaml.org,2002:map', 'tag:yaml.org,2002:seq'}
_MERGE = 'tag:yaml.org,2002:merge'


# how many resolved values are remembered
KNOWN_VALUES = 4096


class _Loader(_Base):  # type: ignore[misc] # either of two
    """Resolves values that recur in most documents only once."""

    _known: ClassVar[dict[Any, str]] = {}

    # no resolver of ours depends on the path of a node
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


class _Converter:
    """Converts PyYAML's nodes to ours; most of them are scalars."""

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
        for key, value in self._pairs(node, depth):
            line = self.line(key)
            if not isinstance(key, yaml.ScalarNode):
                raise Unreadable('has a key that is not text', line)
            elif key.value in items:
                raise Unreadable(f'has the key `{key.value}` twice', line)
            items[key.value] = self.convert(value, depth)
            lines[key.value] = line
        return Mapping(items, lines, self.line(node))

    def _pairs(
        self, node: yaml.MappingNode, depth: int
    ) -> list[tuple[yaml.Node, yaml.Node]]:
        """The keys of a mapping, and those that it merges (`<<: *other`) but does
        not have itself."""
        found = [pair for pair in node.value if pair[0].tag != _MERGE]
        if len(found) == len(node.value):
            return found
        # a key that is not text has a list, and is refused later
        names = {str(key.value) for key, _ in found}
        for other in self._merged(node, depth):
            for key, value in self._pairs(other, depth + 1):
                if str(key.value) not in names:
                    names.add(str(key.value))
                    found.append((key, value))
        return found

    def _merged(self, node: yaml.MappingNode, depth: int) -> Iterator[yaml.MappingNode]:
        for key, value in node.value:
            is_list = isinstance(value, yaml.SequenceNode)
            for each in (
                (value.value if is_list else [value]) if key.tag == _MERGE else ()
            ):
                self.nodes -= 1
                if self.nodes < 0 or depth > MAX_DEPTH:
                    raise Unreadable(TOO_DEEP, self.line(key))
                elif not isinstance(each, yaml.MappingNode):
                    raise Unreadable('merges what is not a mapping', self.line(key))
                yield each


def _refuse_depth(text: str, first_line: int) -> None:
    """Refuse deep nesting: libyaml's composer recurses without a bound and crashes."""
    if len(OPENER_RE.findall(text)) < MAX_OPENERS:
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


def parse(text: str, first_line: int) -> Node | None:
    """The nodes of a document; None if it is empty."""
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


class _Dumper(yaml.SafeDumper):
    pass


def _represent(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    # unquoted, some line ends are not read back
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
