"""The parser of the shell language, and where its grammar is mended.

tree-sitter's grammar of bash takes some legal lines for errors, and loses
its way where much follows a heredoc on its line. So heredocs are taken out
of the text one by one, each replaced by a redirection from a file that does
not exist, and errors that are none are told apart from those that are.
"""
from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import tree_sitter_bash
from tree_sitter import Language
from tree_sitter import Node
from tree_sitter import Parser

from interlock.claude.shell.marks import HERE

__all__ = ['Heredoc', 'Node', 'errors', 'parse', 'source', 'words']

# heredocs of one text: each costs a parse
MOST = 30

_parsers: list[Parser] = []


class Heredoc(NamedTuple):
    # as it stands, if nothing in it is expanded
    raw: str
    node: Node | None
    tabs: bool


def _parsed(data: bytes) -> Node:
    if not _parsers:
        _parsers.append(Parser(Language(tree_sitter_bash.language())))
    return _parsers[0].parse(data).root_node


def source(node: Node) -> str:
    return decoded(node.text or b'')


def decoded(data: bytes) -> str:
    return data.decode('UTF-8', 'replace')


def _first(root: Node, kind: str) -> Node | None:
    todo = [root]
    while todo:
        node = todo.pop()
        if node.type == kind:
            return node
        todo.extend(reversed(node.children))
    return None


def _taken(data: bytes, node: Node, number: int) -> tuple[bytes, Heredoc]:
    """The text without the heredoc, and the heredoc."""
    parts = {each.type: each for each in node.children}
    start, body = parts['heredoc_start'], parts.get('heredoc_body')
    end = parts.get('heredoc_end')
    first = body or end
    line = data.find(b'\n', start.end_byte)
    begin = first.start_byte if first is not None else len(data)
    if line < 0 or line > begin or b'"' in data[start.end_byte:line]:
        line = max(begin - 1, start.end_byte)
    stop = end.start_byte if end is not None else len(data)
    raw = decoded(data[line + 1:stop])
    quoted = any(mark in (start.text or b'') for mark in b'\'"\\')
    found = Heredoc(raw, None if quoted else body, '<<-' in parts)
    after = data[end.end_byte:] if end is not None else b''
    mark = f'<{HERE}{number}'.encode()
    rest = data[start.end_byte:line]
    return b' '.join((data[:node.start_byte], mark, rest)) + after, found


def parse(text: str, heredocs: list[Heredoc]) -> Node:
    """Its heredocs are added to those that there are."""
    data = text.encode('UTF-8', 'replace')
    root = _parsed(data)
    if b'<<' not in data:
        return root
    for _ in range(MOST):
        node = _first(root, 'heredoc_redirect')
        if node is None or _first(node, 'heredoc_start') is None:
            break
        data, found = _taken(data, node, len(heredocs))
        heredocs.append(found)
        root = _parsed(data)
    return root


def words(nodes: list[Node]) -> Iterator[list[Node]]:
    """Nodes that touch each other are one word: `$"a"`, `a"b"`."""
    word: list[Node] = []
    for node in nodes:
        if word and word[-1].end_byte != node.start_byte:
            yield word
            word = []
        word.append(node)
    if word:
        yield word


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
