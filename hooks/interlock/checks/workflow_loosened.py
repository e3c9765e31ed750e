"""What governs is loosened openly: by a commit that says why."""

from __future__ import annotations

from interlock.documents import baseline
from interlock.documents.text import shown
from interlock.documents.trailers import PLACEHOLDER, RULES, reason, without_reason
from interlock.model.change import Blob, Change, Snapshot
from interlock.model.errors import Refusal, Unreadable
from interlock.model.finding import ERROR, EVERY_ITEM, WARNING, Finding
from interlock.model.fixes import restore, say_why
from interlock.model.merge import MergedSnapshot
from interlock.model.quick_typing import Any, Callable, Iterator, Sequence
from interlock.model.quick_typing import Set as AbstractSet
from interlock.rules.new_finding import Location

TRAILER = f'{RULES}: {PLACEHOLDER}'
# how many loosened rules a finding names
MOST = 8


def severity(change: Change, path: str) -> str:
    """Of a loosening by a file: an error, unless the commit says why.

    At pre-commit there is no message yet; commit-msg gives the verdict where
    it calls us. Of the step of a ref one of the commits behind it says why.
    """
    if change.is_ref_step:
        return (
            WARNING
            if any(
                path in part.touched
                and part.message is not None
                and reason(part.message, RULES)
                for part in change.behind()
            )
            else ERROR
        )
    elif change.message is None:
        return WARNING if change.waits_for_message else ERROR
    return WARNING if reason(change.message, RULES) else ERROR


def resolved(snapshot: Snapshot, path: str) -> dict[str, Any]:
    """The workflow of a tree with all that it extends; may be refused."""
    # jsonschema is slow to import, and a workflow seldom changes
    from interlock.workflow.language.compile import compile_workflow

    def read(name: str) -> bytes | None:
        blob = snapshot.blob(name)
        return blob.data if blob else None

    data = read(path)
    if data is None:
        raise Refusal(f'{path} is too large')
    return compile_workflow(path, data, read)[0]


def _named(what: Sequence[str]) -> str:
    names = [shown(each) for each in what[:MOST]]
    if len(what) > MOST:
        names.append(f'{len(what) - MOST} more')
    *others, last = names
    return f'{", ".join(others)} and {last} are' if others else f'{last} is'


def _reported(change: Change, path: str, what: Sequence[str]) -> Iterator[Finding]:
    """One reason is asked for, however much of a file is loosened."""
    if not what or change.waits_for_message:
        # of a ref every commit behind its step would be asked
        return
    if severity(change, path) == ERROR:
        yield Location(EVERY_ITEM, path).finding(
            'CFG008',
            f'{_named(what)} looser than before, and '
            f'{without_reason(change.message, RULES)}',
            key=' '.join(what),
            fix=say_why(RULES, change.message is not None or change.is_ref_step),
        )


def loosened_rules(
    change: Change, path: str, before: dict[str, Any], after: dict[str, Any]
) -> Iterator[Finding]:
    """What the new workflow no longer demands."""
    from interlock.workflow.language.loosening import loosened

    found = loosened(before, after)
    known = (
        {*_of_other_sides(change, path), *_explained_rules(change, path)}
        if found
        else set()
    )
    yield from _reported(change, path, [key for key in found if key not in known])


def _between(before: Snapshot, after: Snapshot, path: str) -> list[str]:
    """What one tree no longer demands of what another does."""
    from interlock.workflow.language.loosening import loosened

    if before.blob(path) is None or after.blob(path) is None:
        return []
    try:
        return loosened(resolved(before, path), resolved(after, path))
    except Refusal:
        return []


def _of_other_sides(change: Change, path: str) -> Iterator[str]:
    """What a merge takes over: it was loosened, and judged, on one side."""
    before = change.before
    if isinstance(before, MergedSnapshot) and before.is_contested(path):
        for base, side in before.changed_sides():
            yield from _between(base, side, path)


def _with_reason(change: Change) -> Iterator[Change]:
    """The commits behind the step of a ref that say why they loosen."""
    for part in change.behind() if change.is_ref_step else ():
        if part.message is not None and reason(part.message, RULES):
            yield part


def _explained_rules(change: Change, path: str) -> Iterator[str]:
    for part in _with_reason(change):
        yield from _between(part.before, part.after, path)


def _parsed(blob: Blob) -> dict[str, str]:
    try:
        return baseline.parse(blob.data or b'')
    except Unreadable:
        return {}


def _entries(snapshot: Snapshot, path: str) -> dict[str, str]:
    if isinstance(snapshot, MergedSnapshot):
        return _merged_entries(snapshot, path)
    return snapshot.parsed(path, _parsed) or {}


def _merged_entries(at: MergedSnapshot, path: str) -> dict[str, str]:
    """The unit of a merge is an entry, not the file."""
    every: dict[str, str] = {}
    for side in at.sides:
        every.update(_entries(side, path))

    def has(fingerprint: str) -> bool:
        return at.opinions(lambda side: fingerprint in _entries(side, path))[0]

    return {
        fingerprint: about for fingerprint, about in every.items() if has(fingerprint)
    }


def added_entries(change: Change, path: str) -> dict[str, str]:
    """The entries that a change adds to the baseline."""
    if path not in change.touched:
        return {}
    before = _entries(change.before, path)
    return {
        fingerprint: about
        for fingerprint, about in _entries(change.after, path).items()
        if fingerprint not in before
    }


def _unreadable(change: Change, path: str) -> Iterator[Finding]:
    """An unreadable baseline would block every later change."""
    blob = change.after.blob(path) if path in change.touched else None
    if blob is None:
        return
    try:
        baseline.parse(blob.data or b'')
    except Unreadable as e:
        yield Location(EVERY_ITEM, path).finding(
            'CFG009', f'the baseline {e.message}', found=e.message, fix=restore(path)
        )


def excused(
    change: Change, path: str, adopted: bool, standing: Callable[[], AbstractSet[str]]
) -> Iterator[Finding]:
    """What the baseline excuses from now on.

    `adopted`: the workflow came before this change. `standing` gives the
    fingerprints of all that is wrong with the new tree.
    """
    yield from _unreadable(change, path)
    added = added_entries(change, path)
    known = standing() if added else set()
    explained = (
        {
            fingerprint
            for part in _with_reason(change)
            for fingerprint in added_entries(part, path)
        }
        if added and adopted
        else set()
    )
    silent = []
    for fingerprint, about in added.items():
        if fingerprint not in known:
            yield Location(EVERY_ITEM, path).finding(
                'CFG009',
                f'the baseline lists {shown(about) or fingerprint}, which is '
                f'not a finding of this tree',
                key=fingerprint,
            )
        elif adopted and fingerprint not in explained:
            silent.append(f'baseline: {about} {fingerprint}')
    yield from _reported(change, path, silent)
