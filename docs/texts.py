"""Prints every text that people and agents may read, as one list.

    python -m docs.texts [WORD ...]

Messages, help texts, rules and schemas, with the file and line of each, so that all of
them can be read in one sitting; with words, only the texts that hold one.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import yaml

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / 'hooks/interlock'
DESCRIPTION_RE = re.compile(r'"description": ("(?:[^"\\]|\\.)*")')
# two words at least: a single one is a key, a path or a name
SENTENCE_RE = re.compile(r'[A-Za-z]{2,}[,;:]? [\'"`({]?[A-Za-z]')
# what reads like words and is a command line of git, or a pattern
COMMAND_RE = re.compile(r'[a-z-]+ (--?[a-z]|-- )|\(\?|\\[bsdw]')


class Text(NamedTuple):
    path: str
    line: int
    text: str


def _template(node: ast.AST) -> str:
    """A literal, with `{...}` for what is filled in."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    elif isinstance(node, ast.JoinedStr):
        return ''.join(
            str(part.value) if isinstance(part, ast.Constant) else '{...}'
            for part in node.values
        )
    return ''


def _is_command(node: ast.AST) -> bool:
    """Whether the docstring of a function is the help of a command."""
    return isinstance(node, ast.FunctionDef) and any(
        isinstance(each, ast.Call)
        and ast.unparse(each.func).endswith(('command', 'group'))
        for each in node.decorator_list
    )


def _comments(tree: ast.Module) -> set[ast.AST]:
    """The docstrings that only readers of the code see."""
    return {
        node.body[0].value
        for node in ast.walk(tree)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
        and node.body
        and isinstance(node.body[0], ast.Expr)
        and not _is_command(node)
    }


def _of_code(file: Path) -> Iterator[Text]:
    tree = ast.parse(file.read_text(encoding='UTF-8'))
    skipped = _comments(tree)
    path = file.relative_to(PACKAGE).as_posix()
    for node in ast.walk(tree):
        if node in skipped:
            continue
        elif isinstance(node, ast.JoinedStr):
            # its parts are no texts of their own
            skipped.update(node.values)
        text = _template(node)
        if SENTENCE_RE.search(text) and not COMMAND_RE.match(text):
            assert isinstance(node, ast.expr)
            yield Text(path, node.lineno, text)


def _scalars(node: yaml.Node) -> Iterator[yaml.ScalarNode]:
    if isinstance(node, yaml.ScalarNode):
        yield node
    elif isinstance(node, yaml.SequenceNode):
        for each in node.value:
            yield from _scalars(each)
    elif isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield from _scalars(key)
            yield from _scalars(value)


def _of_data(file: Path) -> Iterator[Text]:
    root = yaml.compose(file.read_text(encoding='UTF-8'), yaml.SafeLoader)
    path = file.relative_to(PACKAGE).as_posix()
    for node in _scalars(root) if root else ():
        if SENTENCE_RE.search(node.value):
            yield Text(path, node.start_mark.line + 1, node.value)


def _of_rule(file: Path) -> Iterator[Text]:
    path = file.relative_to(PACKAGE).as_posix()
    paragraph: list[str] = []
    first = 1
    lines = file.read_text(encoding='UTF-8').splitlines()
    for number, line in enumerate([*lines, ''], 1):
        if line.strip():
            first = first if paragraph else number
            paragraph.append(line)
        elif paragraph:
            yield Text(path, first, ' '.join(paragraph))
            paragraph = []


def _of_schema(file: Path) -> Iterator[Text]:
    path = file.relative_to(ROOT).as_posix()
    for number, line in enumerate(file.read_text(encoding='UTF-8').splitlines(), 1):
        for found in DESCRIPTION_RE.findall(line):
            yield Text(path, number, json.loads(found))


def texts() -> Iterator[Text]:
    yield from dict.fromkeys(_texts())


def _texts() -> Iterator[Text]:
    for file in sorted(PACKAGE.rglob('*.py')):
        yield from sorted(_of_code(file))
    for file in sorted(PACKAGE.rglob('*.yaml')):
        yield from _of_data(file)
    for file in sorted((PACKAGE / 'rules').glob('*.md')):
        yield from _of_rule(file)
    for file in sorted((ROOT / 'schemas').glob('*.json')):
        yield from _of_schema(file)


def main() -> None:
    words = [word.lower() for word in sys.argv[1:]]
    for each in texts():
        if not words or any(word in each.text.lower() for word in words):
            print(f'{each.path}:{each.line}: {" ".join(each.text.split())}')  # noqa: T201


if __name__ == '__main__':
    main()
