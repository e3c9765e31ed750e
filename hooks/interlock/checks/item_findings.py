"""What is wrong with one item, as its files are now."""

from __future__ import annotations

from interlock.checks.run import judge
from interlock.model.change import Change, Nothing
from interlock.model.finding import Finding
from interlock.workflow.language.patterns import expand
from interlock.workflow.language.spec import Workflow
from interlock.workflow.reading.records import Records

# the checks that read the records of an item
OF_RECORDS = ('registry', 'contracts', 'handoff')


def findings_of(at: Records, workflow: Workflow) -> list[Finding]:
    path = expand(at.kind.path, at.item) + '/'
    change = Change(Nothing(), at.snapshot, {path: 'M'})
    found = judge([change], workflow, OF_RECORDS)
    return [finding for finding in found if finding.item == at.item]
