"""Expands words of the syntax tree as the shell does."""

from __future__ import annotations

from interlock.documents.shell_syntax import decoded, source, words
from interlock.guard.shell.hook_skipping import judge_arithmetic, judge_assigned
from interlock.guard.shell.path_patterns import fits, parts_of
from interlock.guard.shell.state import Shell, TooComplex
from interlock.guard.shell.words import (
    ANY,
    QUOTED,
    SOME,
    SPLIT,
    bounded,
    escapes,
    expand_braces,
    in_double_quotes,
    is_plain,
    literal,
    split,
    unquoted,
)
from interlock.model.quick_typing import Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.documents.shell_syntax import Node

# the largest number of words in one command
MOST = 30_000
# the longest value that is trimmed
LONGEST_TRIMMED = 300
EXPANSIONS = frozenset(
    'simple_expansion expansion command_substitution arithmetic_expansion '
    'process_substitution'.split()
)
# variables whose value is never an option or one of our paths
HARMLESS = frozenset(
    '? $ ! # - 0 RANDOM LINENO SECONDS UID EUID PPID HOSTNAME EPOCHSECONDS BASHPID '
    'SRANDOM'.split()
)
ALL = ('@', '*')
# a file that holds the output of a command: sh runs it, other programs read it
FED = f'/dev/fd/{ANY}'


def expand_word(shell: Shell, nodes: list[Node]) -> list[str]:
    """Expand one word of the text to no, one or many words."""
    if len(nodes) > 1 and nodes[0].type == '$':
        # a translated string: `$"…"`
        nodes = nodes[1:]
    raw = bounded(''.join(_piece(shell, node) for node in nodes))
    return [
        _tilde(shell, part).replace(QUOTED, '')
        for word in expand_braces(raw)
        for part in word.split(SPLIT)
        if part
    ]


def _tilde(shell: Shell, word: str) -> str:
    # a quoted tilde has the mark of its quotes before it
    if word == '~' or word.startswith('~/'):
        return variable(shell, 'HOME') + word[1:]
    elif word[:2] in ('~+', '~-') and word[2:3] in ('', '/'):
        return variable(shell, 'PWD' if word[1] == '+' else 'OLDPWD') + word[2:]
    return word


def expand_words(shell: Shell, nodes: list[Node]) -> list[str]:
    found: list[str] = []
    for group in words(nodes):
        found.extend(expand_word(shell, group))
        if len(found) > MOST:
            raise TooComplex('it has too many words')
    return found


def expand_value(shell: Shell, nodes: list[Node]) -> str:
    """Expand without splitting into words, as in the value of an assignment."""
    raw = ''.join(_piece(shell, node, quoted=True) for node in nodes)
    return literal(_tilde(shell, bounded(raw)))


def _piece(shell: Shell, node: Node, quoted: bool = False) -> str:
    kind, text = node.type, source(node)
    if kind == 'string':
        inner = expand_string(shell, node)[1:]
        return QUOTED + inner.removesuffix('"')
    if kind == 'raw_string':
        return QUOTED + text[1:-1]
    if kind == 'ansi_c_string':
        return QUOTED + escapes(text[2:-1])
    if kind in EXPANSIONS:
        return _expansion(shell, node, quoted)
    if kind in ('concatenation', 'translated_string'):
        return ''.join(
            _piece(shell, each, quoted) for each in node.children if each.type != '$'
        )
    if '`' in text.replace('\\`', ''):
        # the grammar does not parse backquotes after an operator
        for inner in text.split('`')[1::2]:
            shell.child().text(inner)
        return ANY
    return unquoted(text)


def expand_string(shell: Shell, node: Node) -> str:
    """Expand a string or a heredoc: everything but its expansions is literal.

    The grammar leaves out some of the text between its nodes.
    """
    data, start = node.text or b'', node.start_byte
    found, at = [], start
    for each in node.children:
        if each.type in EXPANSIONS and each.type != 'process_substitution':
            # the node includes the blanks before it
            blank = len(each.text or b'') - len((each.text or b'').lstrip())
            text = data[at - start : each.start_byte - start + blank]
            found.append(in_double_quotes(decoded(text)))
            found.append(_expansion(shell, each, quoted=True))
            at = each.end_byte
    return ''.join([*found, in_double_quotes(decoded(data[at - start :]))])


def run_nested(shell: Shell, nodes: Sequence[Node]) -> None:
    """Run the commands nested in nodes whose value does not matter."""
    todo = [*reversed(nodes)]
    while todo:
        each = todo.pop()
        if each.type in EXPANSIONS and each.type != 'arithmetic_expansion':
            _expansion(shell, each, quoted=True)
        else:
            todo.extend(reversed(each.children))


def _expansion(shell: Shell, node: Node, quoted: bool) -> str:
    if node.type == 'process_substitution':
        _substituted(shell.child(), node)
        return FED
    if node.type == 'arithmetic_expansion':
        run_nested(shell, node.children)
        judge_arithmetic(shell, source(node))
        return SOME
    if node.type == 'command_substitution':
        found = _substituted(shell.child(), node).rstrip('\n')
        if {each.type for each in node.named_children} == {'file_redirect'}:
            found = ANY
    else:
        many = _many(shell, node)
        if many is not None:
            return SPLIT.join(many) if many else SPLIT
        found = _parameter(shell, node)
    if quoted:
        return found
    for separator in shell.variables.get('IFS', ''):
        found = found.replace(separator, ' ')
    return split(found)


def _substituted(shell: Shell, node: Node) -> str:
    """The output of the commands in `$(…)`, backquotes or `<(…)`."""
    text = source(node)
    if text.startswith('`') and '\\' in text:
        # the grammar does not parse backquotes that are escaped for nesting
        return shell.text(in_double_quotes(text[1:-1], '$`\\'))
    from interlock.guard.shell.walk import walk

    return ''.join([walk(shell, each) for each in node.children if each.is_named])


def _many(shell: Shell, node: Node) -> list[str] | None:
    """Expand `"$@"` and `"${a[@]}"` to one word per value; None for anything else."""
    inner = node.named_children
    if len(inner) != 1 or node.child_count > 3:
        return None
    name = index = source(inner[0])
    if inner[0].type == 'subscript':
        name, _, index = name.partition('[')
    if index.rstrip(']') not in ALL:
        return None
    return [QUOTED + each for each in _listed(shell, name)]


def _listed(shell: Shell, name: str) -> list[str]:
    """The values of an array or of the parameters, or the one value of a variable."""
    if name in shell.arrays:
        return shell.arrays[name]
    found = None if name in ALL else shell.value(name)
    return [ANY if found is None else found]


def variable(shell: Shell, name: str) -> str:
    if name in HARMLESS:
        return SOME
    if name.isdigit():
        return _item(shell.arrays.get('@', []), int(name[:6]) - 1)
    if name in ALL:
        return ' '.join(_listed(shell, name))
    if name in shell.arrays:
        return ''.join(shell.arrays[name][:1])
    known = shell.value(name)
    return ANY if known is None else known


def _item(values: list[str], at: int) -> str:
    return values[at] if at < len(values) else ANY


def _parameter(shell: Shell, node: Node) -> str:
    """`$x`, `${x}`, `${x[1]}` and `${x…}`."""
    inner = node.named_children
    marks = [source(each) for each in node.children if not each.is_named]
    if not inner:
        return ANY
    name, _, index = source(inner[0]).partition('[')
    index = index.removesuffix(']')
    if index:
        values = shell.arrays.get(name, [])
        return _item(values, int(index[:6])) if index.isdecimal() else ANY
    if node.type == 'simple_expansion' or marks in (['${', '}'], ['$']):
        return variable(shell, name)
    first = node.children[1].type
    if source(node).endswith('@P}'):
        # expanded like a prompt: the shell runs the commands in the value
        shell.child().text(f'echo "{variable(shell, name)}"')
        return ANY
    elif first == '#':
        return SOME
    if first == '!':
        found = variable(shell, name)
        return ANY if ANY in found else variable(shell, found)
    return _operated(shell, node, name, marks[1])


def _operated(shell: Shell, node: Node, name: str, operator: str) -> str:
    """Expand `${x:-y}` and similar forms; replacements and substrings are unknown."""
    rest = expand_value(shell, node.named_children[1:])
    value = variable(shell, name)
    unknown = ANY in value
    if operator in ('%', '%%', '#', '##'):
        return _trimmed(value, operator, rest)
    kind = operator.removeprefix(':')
    if kind not in ('-', '=', '+', '?'):
        return ANY
    if kind == '?':
        return value
    if kind == '+':
        return ANY if unknown else rest if value else ''
    if kind == '=' and (unknown or not value):
        judge_assigned(shell, name, '=', rest)
    if unknown:
        # a variable that is not known to be set takes the default
        return rest if name not in shell.variables else ANY
    found = value or rest
    if kind == '=':
        shell.variables[name] = found
    return found


def _trimmed(text: str, operator: str, pattern: str) -> str:
    """Expand `${x%.md}` and similar forms; a star matches slashes here."""
    if len(text) > LONGEST_TRIMMED or not (is_plain(text) and is_plain(pattern)):
        return ANY
    parts = ['**' if part == '*' else part for part in parts_of(pattern)]
    sizes = range(len(text) + 1)
    for size in sizes if len(operator) == 1 else reversed(sizes):
        rest = len(text) - size
        if operator[0] == '#' and fits(parts, text[:size]):
            return text[size:]
        if operator[0] == '%' and fits(parts, text[rest:]):
            return text[:rest]
    return text
