"""YAML as nodes that keep raw values and lines.

`yaml.load` would turn `3.10` into 3.1 and dates into objects, and the last of two
equal keys would win; the result shows none of that.
"""

from __future__ import annotations

from interlock.model import quick_re as re
from interlock.model import quick_tools as functools
from interlock.model.errors import Unreadable
from interlock.model.quick_typing import Any, NamedTuple, Union

# our documents have a few hundred nodes; nested aliases can explode
MAX_NODES = 20_000
MAX_DEPTH = 40
MAX_TEXT = 1024 * 1024
# a field starts a line, and the rest of it is indented below
FIELD_RE = re.compile(r'[A-Za-z_][A-Za-z0-9_-]*:(?:[ ].*)?\n(?:(?:[ ].*)?\n)*')
# a line with only one meaning, which reads the same without PyYAML
PLAIN_RE = re.compile(
    r"""(?P<indent>\ *)(?:-\ |(?P<key>[A-Za-z0-9_][A-Za-z0-9_.-]*):(?:\ |$))
    (?:(?P<date>\d{4}-\d\d-\d\d)|(?P<float>\d+\.\d+)|(?P<int>0|[1-9]\d*)
    |(?P<str>[A-Za-z](?:[A-Za-z0-9_ .,/()+-]|:(?=[A-Za-z0-9]))*)
    |"(?P<double>[A-Za-z0-9_ .,/()+:#-]*)"|'(?P<single>[A-Za-z0-9_ .,/()+:#-]*)'|)
    \Z""",
    re.VERBOSE | re.ASCII,
)
# words that YAML 1.1 does not read as text, in this form, capitalized or in
# capitals
WORDS = {
    'null': 'null',
    **dict.fromkeys(('true', 'false', 'yes', 'no', 'on', 'off'), 'bool'),
}
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
    # the line of each key
    lines: dict[str, int]
    line: int


Node = Union[Scalar, Sequence, Mapping]


def parse(text: str, first_line: int = 1) -> Node | None:
    """The nodes of a document; None if it is empty."""
    if len(text) > MAX_TEXT:
        raise Unreadable(f'is too large to be YAML ({len(text)} characters)')
    from interlock.documents import pyyaml

    return pyyaml.parse(text, first_line)


def parse_fields(text: str, first_line: int = 1) -> Node | None:
    """Fields one below another, each parsed separately and cached.

    Most fields of a document are the same in its next version. Anything else,
    and anything invalid, is parsed as one document.
    """
    found = _fields(text, first_line)
    return parse(text, first_line) if found is None else found


def _fields(text: str, first_line: int) -> Mapping | None:
    """The fields, None if the text must be parsed as a whole."""
    bare = text.lstrip('\n')
    parts = FIELD_RE.findall(bare)
    if not parts or sum(map(len, parts)) != len(bare):
        return None
    elif len(text) > MAX_NODES or '&' in text or '*' in text:
        # one field may refer to another
        return None
    elif len(text.splitlines()) != text.count('\n'):
        # YAML knows more line ends
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


def _plain_scalar(line: str, number: int) -> tuple[str, str, Scalar | None] | None:
    """Indentation, key ('' in a list) and value (None if it is empty)."""
    found = PLAIN_RE.match(line)
    if found is None:
        return None
    key, kind = found['key'] or '', found.lastgroup or ''
    if kind in {'key', 'indent'}:
        return found['indent'], key, None
    text = found[kind]
    if kind in {'double', 'single'}:
        kind = 'str'
    elif text.endswith(' '):
        return None
    elif text in (text.lower(), text.capitalize(), text.upper()):
        kind = WORDS.get(text.lower(), kind)
    return found['indent'], key, Scalar(text, kind, number)


def _plain_field(text: str, number: int) -> tuple[str, Node] | None:
    """One value, a list of values or a mapping of values; else None."""
    first, *below = text.removesuffix('\n').split('\n')
    found = _plain_scalar(first, number)
    if found is None or bool(found[2]) == bool(below):
        return None
    elif found[2]:
        return found[1], found[2]
    read = [_plain_scalar(line, number + i) for i, line in enumerate(below, 1)]
    parts = [(indent, key, at) for indent, key, at in filter(None, read) if at]
    keys = [key for _, key, _ in parts]
    if len(parts) < len(below) or {indent for indent, _, _ in parts} != {parts[0][0]}:
        return None
    elif not any(keys):
        items = tuple(at for _, _, at in parts)
        return found[1], Sequence(items, number + 1)
    elif not all(keys) or len(set(keys)) < len(keys):
        return None
    values = {key: at for _, key, at in parts}
    lines = {key: at.line for _, key, at in parts}
    return found[1], Mapping({**values}, lines, number + 1)


@functools.lru_cache(maxsize=4096)
def _field(text: str, line: int) -> tuple[str, Node | None]:
    """The key and the value of a field; None if it is not one field."""
    plain = _plain_field(text, line)
    if plain:
        return plain
    try:
        field = parse(text, line)
    except Unreadable:
        return '', None
    if not isinstance(field, Mapping) or len(field.items) != 1:
        return '', None
    return next(iter(field.items.items()))


def value(node: Node | None) -> Any:
    """Plain data, with scalars read as in YAML 1.2 and JSON Schema."""
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


def dump(data: Any) -> str:
    """Plain data as text that `parse` and `value` read back."""
    from interlock.documents import pyyaml

    return pyyaml.dump(data)


def of_file(path: str) -> Any:
    """The data of a file that we ship."""
    with open(path, encoding='UTF-8') as f:
        return value(parse(f.read()))
