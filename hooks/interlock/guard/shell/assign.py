"""Assignments, and the commands that declare variables."""

from __future__ import annotations

from interlock.documents.shell_syntax import Node, source
from interlock.guard.shell.expand import all_fields, one
from interlock.guard.shell.guarded_variables import changed, is_posing
from interlock.guard.shell.placeholders import ANY
from interlock.guard.shell.state import State


def value_of(state: State, node: Node) -> tuple[str, str]:
    """The name and the value of `a=b`; an array is kept besides."""
    left = node.child_by_field_name('name')
    right = node.child_by_field_name('value')
    name = source(left).partition('[')[0] if left is not None else ''
    added = any(each.type == '+=' for each in node.children)
    if right is not None and right.type == 'array':
        values = all_fields(state, right.named_children)
        before = state.arrays.get(name, []) if added else []
        state.arrays[name] = [*before, *values]
        return name, ' '.join(values[:1])
    value = one(state, [right]) if right is not None else ''
    if left is not None and left.type == 'subscript':
        state.arrays[name] = [*state.arrays.get(name, []), value]
    if added:
        before_it = state.value(name)
        value = (ANY if before_it is None else before_it) + value
    return name, value


def assign(state: State, node: Node) -> None:
    name, value = value_of(state, node)
    right = node.child_by_field_name('value')
    if right is None or right.type != 'array':
        state.arrays.pop(name, None)
    assigned(state, name, value)


def assigned(state: State, name: str, value: str) -> None:
    """By itself it reaches only programs that know the variable already."""
    state.variables[name] = value
    known = name in state.exported or name in state.shared.environ
    if known or is_posing(name) or state.exports_all:
        changed(state, name, value, f'{name}=')


def declaration(state: State, node: Node) -> str:
    """`export A=1 B`, `unset A`: run as a program with these words."""
    words = [source(node.children[0])]
    others: list[Node] = []
    for each in node.children[1:]:
        if each.type == 'variable_assignment':
            words.extend(all_fields(state, others))
            others = []
            words.append('='.join(value_of(state, each)))
        else:
            others.append(each)
    return state.run([*words, *all_fields(state, others)])
