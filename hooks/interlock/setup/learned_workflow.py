"""The transitions of a workflow, as the history of its registry took them."""

from __future__ import annotations

from interlock.documents.yaml_text import flow_list, scalar
from interlock.files.atomic_files import read
from interlock.git.line_history import History
from interlock.git.workflow_source import FILE
from interlock.model.quick_typing import Iterable, Iterator, Mapping
from interlock.model.report import plural
from interlock.setup.learned_steps import Learned, columns_of, steps
from interlock.setup.status_tables import tables_in
from interlock.setup.workflow_detection import Detected
from interlock.workflow.language.build import build
from interlock.workflow.language.compile import compile_workflow
from interlock.workflow.language.spec import NOTHING, Kind, RegistrySpec, Workflow
from interlock.workflow.reading import status_words


def _learn(kind: Kind, spec: RegistrySpec, top: str, history: History) -> Learned:
    roles = dict(spec.shape.columns)
    names = (roles['item'], roles['status'])

    def state(cell: str) -> str:
        return status_words.read(cell, kind).name

    for table in tables_in(top, spec.file):
        columns = columns_of(table.headers, *names)
        if columns is not None:
            return Learned(tuple(steps(history(spec.file), columns, names, state)))
    return Learned(())


def learn_kinds(workflow: Workflow, top: str, history: History) -> dict[str, Learned]:
    """Of each kind of item that has a registry."""
    return {
        kind.name: _learn(kind, kind.registry, top, history)
        for kind in workflow.kinds
        if kind.registry is not None
    }


def transition_lines(habits: Iterable[tuple[str, str]]) -> Iterator[str]:
    """The key `transitions` of a kind, in its place."""
    found: dict[str, list[str]] = {}
    for before, after in habits:
        found.setdefault(before, []).append(after)
    yield '    # the transitions that the history made; all others are refused'
    yield '    transitions:'
    for before in sorted(found, key=lambda name: name != NOTHING):
        yield f'      - {{from: {scalar(before)}, to: {flow_list(found[before])}}}'


def shown_transitions(learned: Mapping[str, Learned]) -> str:
    """What could be written into a workflow that is there already."""
    lines: list[str] = []
    for kind, one in learned.items():
        if one.habits:
            lines.extend((f'  {kind}:', *transition_lines(one.habits)))
    return '\n'.join(['items:', *lines]) if lines else ''


def _with_transitions(text: str, kind: str, habits: Iterable[tuple[str, str]]) -> str:
    lines, new = text.splitlines(), [*transition_lines(habits)]
    if 'items:' not in lines:
        lines.append('items:')
    if f'  {kind}:' not in lines:
        lines.insert(lines.index('items:') + 1, f'  {kind}:')
    at = lines.index(f'  {kind}:') + 1
    return '\n'.join([*lines[:at], *new, *lines[at:]]) + '\n'


def with_learned(
    found: Detected, top: str, history: History
) -> tuple[Detected, Learned]:
    """A workflow that extends a preset, with the steps of this history."""
    merged, _ = compile_workflow(FILE, found.text.encode(), read)
    learned = learn_kinds(build(merged, FILE, ''), top, history)
    text = found.text
    for kind, one in learned.items():
        if any(before != NOTHING for before, _ in one.habits):
            text = _with_transitions(text, kind, one.habits)
    joined = Learned.joined(learned.values())
    remark = f'{found.remark}; {plural(len(joined.steps), "step")} in the history'
    return found._replace(text=text, remark=remark), joined
