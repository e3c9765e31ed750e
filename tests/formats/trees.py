"""Changes of a tree in memory, judged by a preset."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from interlock.checks.run import judge
from interlock.model.change import Blob, Change, Message
from interlock.model.finding import Finding
from interlock.workflow.language.build import build
from interlock.workflow.language.compile import compile_workflow
from interlock.workflow.language.spec import Workflow

T = TypeVar('T')
Tree = Mapping[str, str]
# path -> its new text, None for a file that goes; or (old, new) in its text
Edits = Mapping[str, 'str | tuple[str, str] | None']


class MemorySnapshot:
    def __init__(self, tree: Tree) -> None:
        self.tree = {path: text.encode() for path, text in tree.items()}
        self.known: dict[Hashable, Any] = {}

    def blob(self, path: str) -> Blob | None:
        data = self.tree.get(path)
        if data is None:
            return None
        return Blob(hashlib.sha1(data).hexdigest(), len(data), data)

    def is_link(self, path: str) -> bool:
        return False

    def prefetch(self, paths: Iterable[str]) -> None:
        pass

    def parsed(self, path: str, parse: Callable[[Blob], T]) -> T | None:
        blob = self.blob(path)
        return None if blob is None else parse(blob)

    def digest(self, path: str, algorithm: str) -> str | None:
        data = self.tree.get(path)
        return None if data is None else hashlib.new(algorithm, data).hexdigest()

    def paths(self) -> Sequence[str]:
        return list(self.tree)


def compiled(text: str) -> Workflow:
    data, _ = compile_workflow('.interlock.yaml', text.encode(), lambda _: None)
    return build(data, '.interlock.yaml', '')


def edited(tree: Tree, edits: Edits) -> dict[str, str]:
    found = dict(tree)
    for path, edit in edits.items():
        if edit is None:
            del found[path]
        elif isinstance(edit, str):
            found[path] = edit
        else:
            old, new = edit
            assert old in found[path], f'{old!r} is not in {path}'
            found[path] = found[path].replace(old, new, 1)
    return found


def change(before: Tree, after: Tree, trailers: Mapping[str, str]) -> Change:
    letters = {path: 'A' if path not in before else 'M' for path in after}
    touched = {
        path: letter
        for path, letter in letters.items()
        if before.get(path) != after[path]
    }
    touched.update({path: 'D' for path in before if path not in after})
    return Change(
        MemorySnapshot(before),
        MemorySnapshot(after),
        touched,
        Message('subject', '', trailers),
    )


def findings(
    workflow: Workflow, before: Tree, after: Tree, **trailers: str
) -> list[Finding]:
    # as they are read from a message
    named = {name.replace('_', '-').lower(): value for name, value in trailers.items()}
    found = judge([change(before, after, named)], workflow, ('registry', 'contracts'))
    return [each for each in found if each.introduced]


def rules(workflow: Workflow, before: Tree, after: Tree, **trailers: str) -> set[str]:
    return {
        each.rule or each.code for each in findings(workflow, before, after, **trailers)
    }


class Case(NamedTuple):
    """A change of the base tree, and whether the rule speaks of it."""

    rule: str
    id: str
    edits: Edits
    found: bool
    # what was so before the change
    given: Edits
    trailers: Mapping[str, str]


def bad(rule: str, id: str, edits: Edits, given: Edits | None = None) -> Case:
    return Case(rule, id, edits, True, given or {}, {})


def good(
    rule: str, id: str, edits: Edits, given: Edits | None = None, **trailers: str
) -> Case:
    named = {name.replace('_', '-'): value for name, value in trailers.items()}
    return Case(rule, id, edits, False, given or {}, named)
