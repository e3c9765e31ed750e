from __future__ import annotations

from interlock.checks.compare import Case, mark
from interlock.documents.text import decode
from interlock.model.change import Snapshot
from interlock.model.errors import Unreadable
from interlock.model.finding import Finding
from interlock.model.quick_typing import Iterator
from interlock.workflow.language.patterns import path_re
from interlock.workflow.language.spec import Workflow


def _matches(path: str, patterns: tuple[str, ...]) -> bool:
    return any(path_re(pattern).match(path) for pattern in patterns)


def _earlier(snapshot: Snapshot, path: str) -> str | None:
    blob = snapshot.blob(path)
    try:
        return decode(blob) if blob else None
    except Unreadable:
        # it had no sections that could be lost
        return None


def _judged(
    snapshot: Snapshot, path: str, is_handoff: bool, before: str | None = None
) -> Iterator[Finding]:
    # most changes touch no document, and the rules are slow to import
    from interlock.handoff_document import check as rules

    blob = snapshot.blob(path)
    if blob is not None:
        judge = rules.check if is_handoff else rules.check_partial
        yield from judge(path, blob, before=before)


def is_named(path: str, workflow: Workflow) -> bool:
    named = workflow.documents
    return _matches(path, (*named.handoffs, *named.markdown))


def check(case: Case) -> Iterator[Finding]:
    change, workflow = case.change, case.workflow
    named = workflow.documents
    if not named.handoffs and not named.markdown:
        return
    paths = change.after.paths() if change.everything else change.touched
    for path in sorted(paths):
        if not is_named(path, workflow):
            continue
        is_handoff, earlier = (
            _matches(path, named.handoffs),
            _earlier(change.before, path),
        )
        yield from mark(
            _judged(change.before, path, is_handoff),
            _judged(change.after, path, is_handoff, earlier),
        )
