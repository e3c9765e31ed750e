from __future__ import annotations

from interlock.checks.compare import mark
from interlock.documents.text import decode
from interlock.model.change import Change, Snapshot
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


def _handoff(
    snapshot: Snapshot, path: str, before: str | None = None
) -> Iterator[Finding]:
    # most changes hold no document, and the rules are slow to import
    from interlock.handoff_document.check import check as judge

    blob = snapshot.blob(path)
    if blob is not None:
        yield from judge(path, blob, before=before)


def _markdown(
    snapshot: Snapshot, path: str, before: str | None = None
) -> Iterator[Finding]:
    from interlock.handoff_document.check import unreadable
    from interlock.handoff_document.rules.partial import partial_work

    blob = snapshot.blob(path)
    if blob is None:
        return
    try:
        yield from partial_work(path, decode(blob), before)
    except Unreadable as e:
        yield unreadable(path, e)


def is_named(path: str, workflow: Workflow) -> bool:
    named = workflow.documents
    return _matches(path, (*named.handoffs, *named.markdown))


def check(change: Change, workflow: Workflow) -> Iterator[Finding]:
    named = workflow.documents
    if not named.handoffs and not named.markdown:
        return
    paths = change.after.paths() if change.everything else change.touched
    for path in sorted(paths):
        if not is_named(path, workflow):
            continue
        rules = _handoff if _matches(path, named.handoffs) else _markdown
        yield from mark(
            rules(change.before, path),
            rules(change.after, path, _earlier(change.before, path)),
        )
