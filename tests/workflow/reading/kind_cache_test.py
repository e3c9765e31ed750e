"""What a tree says is remembered for the workflow that it was asked under."""

from __future__ import annotations

from interlock.workflow.reading.records import records
from tests.formats.trees import MemorySnapshot, compiled

FORM = """\
version: 1
items:
  part:
    path: 'parts/{{item}}'
    states: {{New: {{role: before}}, Sold: {{role: done}}}}
    transitions: [{{from: any, to: any}}]
    registry: {{file: PARTS.md, columns: {{item: Part, status: {column}}}}}
"""


def test_two_workflows_may_ask_the_same_tree() -> None:
    snapshot = MemorySnapshot(
        {'PARTS.md': '| Part | State | Plan |\n|---|---|---|\n| Bolt | New | Sold |\n'}
    )
    said = []
    for column in ('State', 'Plan', 'State'):
        (kind,) = compiled(FORM.format(column=column)).kinds
        state = records(snapshot, kind, 'Bolt').state
        assert state is not None
        said.append(str(state))
    assert said == ['New', 'Sold', 'New']
