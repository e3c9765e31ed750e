"""`$(…)`, backquotes and `<(…)`: what is run in them, what it prints."""

from __future__ import annotations

from interlock.documents.shell_syntax import Node, source
from interlock.guard.shell.placeholders import ANY
from interlock.guard.shell.quoting import in_double_quotes
from interlock.guard.shell.state import State

# a file that holds what a command printed: sh runs it, others read it
FED = f'/dev/fd/{ANY}'


def _inside(state: State, node: Node) -> str:
    text = source(node)
    if text.startswith('`') and '\\' in text:
        # the grammar does not read what is quoted for an inner one
        return state.text(in_double_quotes(text[1:-1], '$`\\'))
    return ''.join([state.walk(each) for each in node.children if each.is_named])


def substituted(state: State, node: Node) -> str:
    found = _inside(state.child(), node)
    kinds = {each.type for each in node.named_children}
    return ANY if kinds == {'file_redirect'} else found.rstrip('\n')


def process(state: State, node: Node) -> str:
    _inside(state.child(), node)
    return FED
