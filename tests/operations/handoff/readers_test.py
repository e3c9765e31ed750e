"""Our reader of frontmatter and python-frontmatter read handoffs alike."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import frontmatter
import yaml
from frontmatter.default_handlers import YAMLHandler

from interlock.documents import frontmatter as ours
from interlock.documents.yaml import Mapping, Node, Scalar, Sequence
from interlock.model.change import Nothing
from interlock.model.errors import Unreadable
from interlock.model.state import State
from interlock.operations.handoff.edit import new_handoff
from interlock.workflow.language.presets import presets
from interlock.workflow.reading.records import records
from tests import samples
from tests.checks import bakery
from tests.checks.trees import workflow

TESTS = Path(__file__).parent.parent.parent
FENCE_RE = re.compile(r'---[ \t]*\r?\n')


class _Texts(YAMLHandler):
    """Values as they are written: neither dates nor numbers."""

    def load(self, fm: str, **kwargs: object) -> Any:
        return yaml.load(fm, Loader=yaml.BaseLoader)


def _written(node: Node) -> object:
    if isinstance(node, Mapping):
        return {key: _written(value) for key, value in node.items.items()}
    elif isinstance(node, Sequence):
        return [_written(value) for value in node.items]
    assert isinstance(node, Scalar)
    return node.text


def _literals(node: ast.AST) -> Iterator[str]:
    for each in ast.walk(node):
        if isinstance(each, ast.Constant) and isinstance(each.value, str):
            yield each.value
        elif isinstance(each, ast.JoinedStr):
            yield ''.join(
                str(part.value) if isinstance(part, ast.Constant) else 'X'
                for part in each.values
            )


def _in_tests() -> Iterator[str]:
    """Every text of the tests that begins like a handoff and ends its fields."""
    for file in sorted(TESTS.rglob('*.py')):
        for text in _literals(ast.parse(file.read_text('UTF-8'))):
            if FENCE_RE.match(text) and '\n---' in text:
                yield text


def _made() -> Iterator[str]:
    for stage, phase in (('0', 'null'), ('3', '3.1'), ('"3"', '"3.10"'), ('4.3', '')):
        yield samples.handoff('Größe', stage, phase)
    for files in (bakery.bread(form, 'Teig') for form in ('fields', 'frontmatter')):
        yield from (text for text in files.values() if text and text[:3] == '---')
    for name in presets():
        for kind in workflow(f'extends: {name}\n').kinds:
            for item in ('Bravo', 'true', '12', "l'eau: x #1"):
                state = State(next(iter(kind.states)))
                if kind.handoff:
                    yield new_handoff(records(Nothing(), kind, item), state).text


@functools.cache
def _handoffs() -> list[str]:
    return sorted({*_in_tests(), *_made()})


def test_there_are_handoffs() -> None:
    assert len(_handoffs()) >= 40


def _is_read_alike(text: str) -> bool:
    try:
        read = ours.parse(text)
    except Unreadable:
        # ours refuses more: repeated fields, and anything but a mapping
        return True
    fields, body = frontmatter.parse(text, handler=_Texts())
    if read is None:
        return fields == {}
    return fields == _written(read.fields) and body.strip() == read.body.strip()


def test_both_readers_read_the_same() -> None:
    assert [text for text in _handoffs() if not _is_read_alike(text)] == []
