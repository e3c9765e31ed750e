"""Records and frozen files of other formats that would result from a write.

Records that lie in several files are edited in several steps, so what they
disagree about is left to the commit.
"""

from __future__ import annotations

from interlock.checks import contracts_agreements, registry_agreements
from interlock.checks.compare import counted
from interlock.documents.text import shown
from interlock.guard.decision import Decision, ask, deny
from interlock.model.change import Change, Snapshot
from interlock.operations.overlay import Overlay
from interlock.workflow.agreements.spec import Agreement, RecordedKind
from interlock.workflow.language.spec import Workflow


def _is_in_one_file(kind: RecordedKind, agreement: Agreement) -> bool:
    sides = (*agreement.same, *(name for side in agreement.when for name in side))
    names = {each.rpartition('.')[2] for each in (*sides, *agreement.then)}
    files = {kind.records[name].files for name in names if name in kind.records}
    related = any('.' in each for each in agreement.then)
    if len(files) != 1 or names - set(kind.records):
        return False
    return not related or not any('{item}' in file for group in files for file in group)


def judge(
    workflow: Workflow, before: Snapshot, files: dict[str, bytes | None]
) -> Decision | None:
    touched = {path: 'D' if data is None else 'M' for path, data in files.items()}
    change = Change(before, Overlay(before, files), touched)
    for found in counted(contracts_agreements.check(change, workflow), workflow):
        answer = deny if found.refuses else ask
        return answer(found.code, f'{found.rule}: {found.message}', found.fix.step)
    within = {
        agreement.name
        for kind in workflow.recorded
        for agreement in kind.agree
        if _is_in_one_file(kind, agreement)
    } | {
        record.once.name
        for kind in workflow.recorded
        for record in kind.records.values()
        if record.once and record.line
    }
    for found in counted(registry_agreements.check(change, workflow), workflow):
        if found.introduced and found.refuses and found.rule in within:
            text = f'{found.rule}: {shown(found.item)}: {found.message}'
            return deny(found.code, text, found.fix.step)
    return None
