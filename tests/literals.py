"""The texts in code and in data, for tests that compare them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any


def values(data: Any) -> Iterator[str]:
    """Every text in data but the keys."""
    if isinstance(data, dict):
        for value in data.values():
            yield from values(value)
    elif isinstance(data, list):
        for value in data:
            yield from values(value)
    elif isinstance(data, str) and data:
        yield data


def _docstrings(tree: ast.Module) -> set[ast.expr]:
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.FunctionDef, ast.ClassDef)):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr):
                found.add(first.value)
    return found


def literals(source: str) -> Iterator[tuple[int, str]]:
    """The texts in code with their lines, but no docstrings."""
    tree = ast.parse(source)
    docs = _docstrings(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and node not in docs:
            if isinstance(node.value, str):
                yield node.lineno, node.value
