"""Statements: lists, pipelines, loops, functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from interlock.documents.shell_syntax import Node, errors, parse, source
from interlock.guard.shell.assign import assign, declaration
from interlock.guard.shell.expand import all_fields, nested
from interlock.guard.shell.heredocs import taken_out
from interlock.guard.shell.placeholders import ANY
from interlock.guard.shell.redirect import redirected
from interlock.guard.shell.state import Enough, Level, State

# characters; a longer one is a file, and no command
LIMIT = 256 * 1024
# a loop over more words than this is read for one that stands for them all
ROUNDS = 40


def read_text(state: State, text: str) -> str:
    if len(text) > LIMIT:
        raise Enough('it is too long')
    text = taken_out(text.replace('\0', ''), state.shared.heredocs)
    root = parse(text)
    for error in errors(root):
        found = source(error) or text
        part = ' '.join(found.split())[:40]
        state.unknown(f'the shell syntax is not understood near `{part}`')
        break
    return walk(state, root)


def walk(state: State, node: Node) -> str:
    """What it does goes to the state; what it prints is returned."""
    state.spend('it is too long')
    with Level(state):
        return STATEMENTS.get(node.type, _sequence)(state, node)


def _each(state: State, nodes: Sequence[Node]) -> str:
    return ''.join([walk(state, node) for node in nodes if node.is_named])


def _sequence(state: State, node: Node) -> str:
    return _each(state, node.children)


def _members(node: Node) -> list[Node]:
    """`a && b || c` leans to the left, as deep as it is long."""
    found: list[Node] = []
    while node.type == 'list':
        found.extend(reversed(node.children[1:]))
        node = node.children[0]
    return [node, *reversed(found)]


def _list(state: State, node: Node) -> str:
    return _each(state, _members(node))


def _subshell(state: State, node: Node) -> str:
    return _sequence(state.child(), node)


def _pipeline(state: State, node: Node) -> str:
    """Each part gets what the one before it prints."""
    fed = state.stdin
    for each in node.children:
        if each.is_named:
            part = state.child()
            part.stdin = fed
            if fed is not state.stdin:
                part.stdin_file = ''
            fed = walk(part, each)
    return fed or ''


def _branches(state: State, node: Node) -> str:
    """A variable that a branch sets has this value or its old one."""
    before = dict(state.variables)
    found = _sequence(state, node)
    for name, now in state.variables.items():
        if before.get(name) != now:
            state.variables[name] = ANY
    return ANY if found else ''


def _case(state: State, node: Node) -> str:
    nested(state, node.children_by_field_name('value'))
    found = [
        _branches(state, each) for each in node.children if each.type == 'case_item'
    ]
    return ANY if any(found) else ''


def _for(state: State, node: Node) -> str:
    name = node.child_by_field_name('variable')
    body = node.child_by_field_name('body')
    if name is None or body is None:
        return _sequence(state, node)
    values = node.children_by_field_name('value')
    words = all_fields(state, values)
    if not values:
        words = state.arrays.get('@', [ANY])
    for word in words if len(words) <= ROUNDS else [ANY]:
        state.variables[source(name)] = word
        walk(state, body)
    return ANY


def _loop(state: State, node: Node) -> str:
    _branches(state, node)
    return ANY


def _counting(state: State, node: Node) -> str:
    """`for ((i = 0; …))`"""
    body = node.child_by_field_name('body')
    others = [each for each in node.children if each != body]
    nested(state, others)
    for each in others:
        if each.type == 'variable_assignment':
            assign(state, each)
            state.variables.update(dict.fromkeys(state.variables, ANY))
    return ANY if body is not None and walk(state, body) else ''


def _function(state: State, node: Node) -> str:
    name = node.child_by_field_name('name')
    if name is not None:
        state.functions[source(name)] = node
    return ''


def call(state: State, node: Node, args: list[str]) -> str:
    """A function that the line defines."""
    before = state.arrays
    state.arrays = {**before, '@': args}
    body = node.child_by_field_name('body')
    found = redirected(state, body, node.children_by_field_name('redirect'))
    state.arrays = before
    return found


def _redirected(state: State, node: Node) -> str:
    body = node.child_by_field_name('body')
    others = [each for each in node.children if each != body]
    if body is None or body.type != 'list':
        return redirected(state, body, others, node)
    # the grammar hangs what belongs to the last command on all of them
    *first, last = _members(body)
    printed = _each(state, first)
    return printed + redirected(state, last, others, node)


def _command(state: State, node: Node) -> str:
    return redirected(state, node, [])


def _expression(state: State, node: Node) -> str:
    nested(state, [node])
    return ''


def _assignment(state: State, node: Node) -> str:
    assign(state, node)
    return ''


def _nothing(_: State, __: Node) -> str:
    return ''


STATEMENTS: dict[str, Callable[[State, Node], str]] = {
    'list': _list,
    'subshell': _subshell,
    'pipeline': _pipeline,
    'if_statement': _branches,
    'elif_clause': _branches,
    'else_clause': _branches,
    'while_statement': _loop,
    'for_statement': _for,
    'c_style_for_statement': _counting,
    'case_statement': _case,
    'function_definition': _function,
    'redirected_statement': _redirected,
    'command': _command,
    'test_command': _expression,
    'binary_expression': _expression,
    'unary_expression': _expression,
    'variable_assignment': _assignment,
    'declaration_command': declaration,
    'unset_command': declaration,
    'comment': _nothing,
}
