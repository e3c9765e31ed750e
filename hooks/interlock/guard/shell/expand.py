"""Words of the syntax tree, expanded as the shell does it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from interlock.documents.shell_syntax import Node, decoded, source, words
from interlock.guard.shell import braces
from interlock.guard.shell.placeholders import (
    ANY,
    CLOSE,
    COMMA,
    OPEN,
    QUOTED,
    SOME,
    SPLIT,
    bounded,
    literal,
    split,
)
from interlock.guard.shell.quoting import escapes, in_double_quotes, unquoted
from interlock.guard.shell.state import Enough, State
from interlock.guard.shell.substitution import process, substituted
from interlock.guard.shell.variables import ALL, element, is_set, listed, trimmed, value

# words of one command
MOST = 30_000
EXPANSIONS = frozenset(
    (
        'simple_expansion',
        'expansion',
        'command_substitution',
        'arithmetic_expansion',
        'process_substitution',
    )
)


def fields(state: State, nodes: list[Node]) -> list[str]:
    """The words that one word of the text gives: none, one or many."""
    found = []
    if len(nodes) > 1 and nodes[0].type == '$':
        # a string that is translated
        nodes = nodes[1:]
    raw = bounded(''.join(_piece(state, node) for node in nodes))
    for word in braces.expand(raw):
        for part in word.split(SPLIT):
            if part:
                found.append(_tilde(state, part).replace(QUOTED, ''))
    return [_without_braces(word) for word in found]


def _without_braces(word: str) -> str:
    """Braces that expand to nothing are what they are."""
    for mark, char in ((OPEN, '{'), (COMMA, ','), (CLOSE, '}')):
        word = word.replace(mark, char)
    return word


def _tilde(state: State, word: str) -> str:
    # a tilde in quotes has the mark of the quotes before it
    if word == '~' or word.startswith('~/'):
        return value(state, 'HOME') + word[1:]
    return word


def all_fields(state: State, nodes: list[Node]) -> list[str]:
    found: list[str] = []
    for group in words(nodes):
        found.extend(fields(state, group))
        if len(found) > MOST:
            raise Enough('it has too many words')
    return found


def one(state: State, nodes: list[Node]) -> str:
    """Where no words are split: the value of an assignment."""
    raw = ''.join(_piece(state, node, quoted=True) for node in nodes)
    return literal(_tilde(state, bounded(raw)))


def _piece(state: State, node: Node, quoted: bool = False) -> str:
    handler = PIECES.get(node.type)
    if handler is not None:
        return handler(state, node)
    if node.type in EXPANSIONS:
        return expansion(state, node, quoted)
    if node.type in ('concatenation', 'translated_string'):
        return ''.join(
            _piece(state, each, quoted) for each in node.children if each.type != '$'
        )
    return unquoted(source(node))


def expansion(state: State, node: Node, quoted: bool) -> str:
    if node.type == 'process_substitution':
        return process(state, node)
    if node.type == 'arithmetic_expansion':
        nested(state, node.children)
        return SOME
    if node.type == 'command_substitution':
        found = substituted(state, node)
    else:
        many = _many(state, node)
        if many is not None:
            return SPLIT.join(many) if many else SPLIT
        found = _variable(state, node)
    return found if quoted else split(found)


def _many(state: State, node: Node) -> list[str] | None:
    """`"$@"` and `"${a[@]}"` are as many words as they have values."""
    inner = [each for each in node.named_children]
    if len(inner) != 1 or node.child_count > 3:
        return None
    name = source(inner[0])
    if inner[0].type == 'subscript':
        name, _, index = name.partition('[')
        if index.rstrip(']') not in ALL:
            return None
    elif name not in ALL:
        return None
    return [QUOTED + each for each in listed(state, name)]


def _variable(state: State, node: Node) -> str:
    inner = node.named_children
    marks = [source(each) for each in node.children if not each.is_named]
    if not inner:
        return ANY
    name, _, index = source(inner[0]).partition('[')
    if index:
        return element(state, name, index.removesuffix(']'))
    if node.type == 'simple_expansion' or marks in (['${', '}'], ['$']):
        return value(state, name)
    first = node.children[1].type
    if first == '#':
        return SOME
    if first == '!':
        return _indirect(state, name)
    return _operated(state, node, name, marks[1])


def _indirect(state: State, name: str) -> str:
    found = value(state, name)
    return ANY if ANY in found else value(state, found)


def _operated(state: State, node: Node, name: str, operator: str) -> str:
    """`${x:-y}` and its kind; what cuts or replaces gives anything."""
    rest = one(state, node.named_children[1:])
    known = is_set(state, name)
    if operator in ('%', '%%', '#', '##'):
        return trimmed(value(state, name), operator, rest)
    if operator not in (':-', '-', ':=', '=', ':+', '+', ':?', '?'):
        return ANY
    if operator in (':?', '?'):
        return value(state, name)
    if operator in (':+', '+'):
        return rest if known else ANY if known is None else ''
    if known is None:
        # nobody set it that we know of, and then the other one is taken
        return rest if name not in state.variables else ANY
    found = value(state, name) if known else rest
    if operator in (':=', '='):
        state.variables[name] = found
    return found


def inside(state: State, node: Node, special: str = '$`"\\') -> str:
    """A string or a heredoc: all that is no expansion is its own text.

    The grammar leaves out some of the text between its nodes.
    """
    data, start = node.text or b'', node.start_byte
    found, at = [], start
    for each in node.children:
        if each.type in EXPANSIONS and each.type != 'process_substitution':
            # the blanks before it are a part of the node
            blank = len(each.text or b'') - len((each.text or b'').lstrip())
            text = data[at - start : each.start_byte - start + blank]
            found.append(in_double_quotes(decoded(text), special))
            found.append(expansion(state, each, quoted=True))
            at = each.end_byte
    text = data[at - start :]
    return ''.join([*found, in_double_quotes(decoded(text), special)])


def _string(state: State, node: Node) -> str:
    text = inside(state, node)
    return QUOTED + text[1:-1] if text[-1:] == '"' else QUOTED + text[1:]


def nested(state: State, nodes: Sequence[Node]) -> None:
    """Commands inside of something whose value does not matter."""
    todo = [*reversed(nodes)]
    while todo:
        each = todo.pop()
        if each.type in EXPANSIONS and each.type != 'arithmetic_expansion':
            expansion(state, each, quoted=True)
        else:
            todo.extend(reversed(each.children))


def _raw(_: State, node: Node) -> str:
    return QUOTED + source(node)[1:-1]


def _ansi(_: State, node: Node) -> str:
    return QUOTED + escapes(source(node)[2:-1])


PIECES: dict[str, Callable[[State, Node], str]] = {
    'string': _string,
    'raw_string': _raw,
    'ansi_c_string': _ansi,
}
