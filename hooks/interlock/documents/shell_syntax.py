"""The parser of the shell language.

tree-sitter's grammar of bash reports some legal lines as errors. `errors` leaves out
those that people write.

Its scanner looks up characters in a table of 256 entries and reads past its end for
any other: `{` before an emoji crashes the process. So such characters are replaced by
their numbers, and restored in every node.
"""

from __future__ import annotations

import posixpath

from interlock.model import quick_re as re
from interlock.model.quick_tools import cache
from interlock.model.quick_typing import Iterator, Mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Language, Parser
    from tree_sitter import Node as Node

__all__ = ['argv', 'errors', 'parse', 'source', 'unwrapped', 'words']

# neither a letter nor a sign of the shell
MARK = '\xa7'
_OUTSIDE = re.compile(f'[^\x00-\xff]|{MARK}')
_NUMBERED = re.compile(f'{MARK}([0-9a-f]+){MARK}')
# stands for text that only the shell knows: `$name`
UNKNOWN = '\0'
ASSIGNMENT_RE = re.compile(r'[A-Za-z_]\w*=')
MAX_WRAPPERS = 20


def _grammar() -> Language:
    """Load only the binding: its package imports `importlib.resources`, which is slow
    and not needed here."""
    from importlib.machinery import PathFinder
    from importlib.util import module_from_spec

    from tree_sitter import Language

    package = PathFinder.find_spec('tree_sitter_bash')
    places = package.submodule_search_locations if package else None
    spec = PathFinder.find_spec('tree_sitter_bash._binding', places)
    if spec is None or spec.loader is None or not places:
        import tree_sitter_bash

        return Language(tree_sitter_bash.language())
    binding = module_from_spec(spec)
    spec.loader.exec_module(binding)
    return Language(binding.language())


@cache
def _parser() -> Parser:
    from tree_sitter import Parser

    return Parser(_grammar())


def parse(text: str) -> Node:
    # halves of surrogate pairs cannot be encoded
    whole = text.encode('UTF-8', 'replace').decode()
    numbered = _OUTSIDE.sub(lambda found: f'{MARK}{ord(found[0]):x}{MARK}', whole)
    return _parser().parse(numbered.encode()).root_node


def source(node: Node) -> str:
    return decoded(node.text or b'')


def decoded(data: bytes) -> str:
    return _NUMBERED.sub(
        lambda found: chr(int(found[1], 16)), data.decode('UTF-8', 'replace')
    )


def words(nodes: list[Node]) -> Iterator[list[Node]]:
    """Group nodes that touch each other into one word: `$"a"`, `a"b"`."""
    word: list[Node] = []
    for node in nodes:
        if word and word[-1].end_byte < node.start_byte:
            yield word
            word = []
        word.append(node)
    if word:
        yield word


def _word(node: Node) -> str:
    """A word without its quotes."""
    if node.type == 'raw_string':
        return source(node)[1:-1]
    elif node.type in ('string', 'concatenation') or (
        node.type == 'command_name' and node.children
    ):
        return ''.join(_word(each) for each in node.children if each.type != '"')
    elif node.type in ('word', 'number', 'string_content', 'command_name'):
        return source(node).replace('\\', '')
    return UNKNOWN


def argv(node: Node) -> list[str]:
    """The words of a command, without assignments and redirections."""
    return [
        _word(each)
        for each in node.children
        if each.type not in ('variable_assignment', 'file_redirect')
    ]


def unwrapped(words: list[str], wrappers: Mapping[str, str]) -> list[str]:
    """A command without the programs that merely run it.

    `wrappers`: program -> its word before the command, or ''.
    """
    for _ in range(MAX_WRAPPERS):
        while words and ASSIGNMENT_RE.match(words[0]):
            words = words[1:]
        name = posixpath.basename(words[0]) if words else ''
        verb, rest = wrappers.get(name), words[1:]
        if verb:
            rest = rest[rest.index(verb) + 1 :] if verb in rest else []
        # options and their numbers: `timeout -k 5 60`
        while rest and (rest[0].startswith('-') or rest[0][:1].isdigit()):
            rest = rest[1:]
        if verb is None or not rest:
            return words
        words = rest
    return words


def is_herestring(node: Node, after: Node | None) -> bool:
    """Whether this is the first half of `<<<` after another redirection."""
    return (
        node.is_error
        and source(node) == '<<'
        and after is not None
        and after.type == 'file_redirect'
        and source(after).startswith('<')
    )


def _is_tolerable(node: Node, above: Node, after: Node | None) -> bool:
    """Whether it is legal but reported as an error: `3<>f`, `2>&1 <<<x`, `A=1 >x`."""
    if node.is_missing:
        return above.type == 'command_name'
    if source(node) == '>' and above.type == 'file_redirect':
        return True
    return is_herestring(node, after)


def errors(root: Node) -> Iterator[Node]:
    """The errors of the grammar, without the tolerable ones."""
    if root.is_error:
        yield root
    nodes = [root] if root.has_error else []
    while nodes:
        # finding a node's parent takes a search from the root
        above = nodes.pop()
        children = above.children
        for node, after in zip(children, [*children[1:], None], strict=False):
            if not node.has_error:
                continue
            if not (node.is_error or node.is_missing):
                nodes.append(node)
            elif not _is_tolerable(node, above, after):
                yield node
