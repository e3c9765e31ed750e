"""The parser of the shell language.

tree-sitter's grammar of bash takes some legal lines for errors. Those that
people write are told apart from errors that are some.
"""
from __future__ import annotations

from collections.abc import Iterator

import tree_sitter_bash
from tree_sitter import Language
from tree_sitter import Node
from tree_sitter import Parser

__all__ = ['Node', 'errors', 'parse', 'source', 'words']

_parsers: list[Parser] = []


def parse(text: str) -> Node:
    if not _parsers:
        _parsers.append(Parser(Language(tree_sitter_bash.language())))
    return _parsers[0].parse(text.encode('UTF-8', 'replace')).root_node


def source(node: Node) -> str:
    return decoded(node.text or b'')


def decoded(data: bytes) -> str:
    return data.decode('UTF-8', 'replace')


def words(nodes: list[Node]) -> Iterator[list[Node]]:
    """Nodes that touch each other are one word: `$"a"`, `a"b"`."""
    word: list[Node] = []
    for node in nodes:
        if word and not _touch(word[-1], node):
            yield word
            word = []
        word.append(node)
    if word:
        yield word


def _touch(left: Node, right: Node) -> bool:
    """With nothing between them, or with a line that is continued."""
    size = right.start_byte - left.end_byte
    if size <= 0:
        return True
    above = right.parent
    if size % 2 or above is None or above.start_byte > left.end_byte:
        return False
    start = left.end_byte - above.start_byte
    return (above.text or b'')[start:start + size] == b'\\\n' * (size // 2)


def is_herestring(node: Node) -> bool:
    """The first half of `<<<` behind another redirection."""
    after = node.next_sibling
    return (
        node.is_error and source(node) == '<<' and after is not None and
        after.type == 'file_redirect' and source(after).startswith('<')
    )


def _is_tolerable(node: Node) -> bool:
    """An error that is none: `3<>f`, `2>&1 <<<x`, `A=1 >x`."""
    above = node.parent
    if above is None:
        return False
    if node.is_missing:
        return above.type == 'command_name'
    if source(node) == '>' and above.type == 'file_redirect':
        return True
    return is_herestring(node)


def errors(root: Node) -> Iterator[Node]:
    """What the grammar did not understand, without what is tolerable."""
    nodes = [root] if root.has_error else []
    while nodes:
        node = nodes.pop()
        if (node.is_error or node.is_missing) and not _is_tolerable(node):
            yield node
        elif node.has_error:
            nodes.extend(node.children)
