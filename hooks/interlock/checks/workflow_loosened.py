"""Rules may only be loosened by a commit that gives a reason."""

from __future__ import annotations

from interlock.documents import baseline
from interlock.documents.text import shown
from interlock.documents.trailers import PLACEHOLDER, RULES, reason, without_reason
from interlock.model.change import Blob, Change, MergedSnapshot, Snapshot, data_of
from interlock.model.errors import Refusal, Unreadable
from interlock.model.finding import ERROR, EVERY_ITEM, WARNING, Finding
from interlock.model.fixes import restore, say_why
from interlock.model.quick_typing import Any, Callable, Iterable, Iterator, Sequence
from interlock.model.quick_typing import Set as AbstractSet
from interlock.rules.new_finding import Location
from interlock.workflow.language.spec import Kind, Workflow
from interlock.workflow.reading.records import all_items, records

TRAILER = f'{RULES}: {PLACEHOLDER}'
# how many loosened rules a finding names
MOST = 8


def severity(change: Change, path: str) -> str:
    """The severity of a loosening: an error, unless the commit gives a reason.

    At pre-commit there is no message yet; commit-msg gives the verdict if it
    calls us. For the step of a ref, one of the commits behind it must give a
    reason.
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


def resolved_workflow(snapshot: Snapshot, path: str) -> dict[str, Any]:
    """The workflow of a tree with all files it extends; may raise a Refusal."""
    # jsonschema is slow to import, and a workflow seldom changes
    from interlock.workflow.language.compile import compile_workflow

    def read(name: str) -> bytes | None:
        return data_of(snapshot, name)

    data = read(path)
    if data is None:
        raise Refusal(f'{path} is too large')
    return compile_workflow(path, data, read)[0]


def _named(what: Sequence[str]) -> str:
    names = [shown(each) for each in what[:MOST]]
    if len(what) > MOST:
        names.append(f'{len(what) - MOST} more')
    *others, last = names or ['']
    return f'{", ".join(others)} and {last}' if others else last


def _reported(
    change: Change, path: str, said: str, keys: Iterable[str]
) -> Iterator[Finding]:
    """Ask for one reason per file, however many of its rules are loosened."""
    key = ' '.join(keys)
    if not key or change.waits_for_message:
        # decided first: for a ref, `severity` asks every commit behind its step
        return
    if severity(change, path) == ERROR:
        yield Location(EVERY_ITEM, path).finding(
            'CFG008',
            f'{said}, and {without_reason(change.message, RULES)}',
            key=key,
            fix=say_why(RULES, change.message is not None or change.is_ref_step),
        )


def loosened_rules(
    change: Change, path: str, before: dict[str, Any], after: dict[str, Any]
) -> Iterator[Finding]:
    """Find the rules that the new workflow loosens."""
    from interlock.workflow.language.loosening import loosened

    found = loosened(before, after)
    known = (
        {*_of_other_sides(change, path), *_explained_rules(change, path)}
        if found
        else set()
    )
    new = [key for key in found if key not in known]
    verb = 'is' if len(new) == 1 else 'are'
    yield from _reported(change, path, f'{_named(new)} {verb} looser than before', new)


def unread_states(
    change: Change, path: str, old: Workflow, after: dict[str, Any]
) -> Iterator[Finding]:
    """Find items whose state the new workflow no longer reads.

    The next step of such an item would start nowhere, so it could lead anywhere.
    """
    from interlock.workflow.language.build import build

    kinds = {kind.name: kind for kind in build(after, path, path).kinds}
    found = [
        each
        for kind in old.kinds
        if kind.name in kinds and kind.registry.file == kinds[kind.name].registry.file
        for each in _unread(change.after, kind, kinds[kind.name])
    ]
    if found and not change.waits_for_message and severity(change, path) == ERROR:
        others = f' (the same holds for {len(found) - 1} more)' if found[1:] else ''
        yield Location(EVERY_ITEM, path).finding(
            'CFG008',
            f'{found[0]}{others}, so its next step could lead anywhere, and '
            f'{without_reason(change.message, RULES)}',
            key=' '.join(found),
            fix=say_why(RULES, change.message is not None or change.is_ref_step),
        )


def _unread(tree: Snapshot, old: Kind, new: Kind) -> Iterator[str]:
    for item in all_items(tree, old):
        was, now = (records(tree, kind, item).state for kind in (old, new))
        if was is not None and (now is None or now.name != was.name):
            by_new = (
                f'reads it as {new.said(now)}' if now else 'does not know its state'
            )
            yield f'{shown(item)} is at {old.said(was)}, but the new workflow {by_new}'


def _between(before: Snapshot, after: Snapshot, path: str) -> list[str]:
    """The rules of one tree that another tree loosens."""
    from interlock.workflow.language.loosening import loosened

    if before.blob(path) is None or after.blob(path) is None:
        return []
    try:
        return loosened(resolved_workflow(before, path), resolved_workflow(after, path))
    except Refusal:
        return []


def _of_other_sides(change: Change, path: str) -> Iterator[str]:
    """Rules that a merge takes over: they were loosened, and judged, on one side."""
    before = change.before
    if isinstance(before, MergedSnapshot) and before.is_contested(path):
        for base, side in before.changed_sides():
            yield from _between(base, side, path)


def _with_reason(change: Change) -> Iterator[Change]:
    """The commits behind the step of a ref that give a reason for loosening."""
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
    """Merge the baselines of the sides entry by entry, not as files."""
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
    """Find an unreadable baseline, which would block every later change."""
    blob = change.after.blob(path) if path in change.touched else None
    if blob is None:
        return
    try:
        baseline.parse(blob.data or b'')
    except Unreadable as e:
        yield Location(EVERY_ITEM, path).finding(
            'CFG009', f'the baseline {e.message}', found=e.message, fix=restore(path)
        )


def newly_excused(
    change: Change, path: str, adopted: bool, standing: Callable[[], AbstractSet[str]]
) -> Iterator[Finding]:
    """Find entries that the baseline excuses from now on.

    `adopted`: the workflow came before this change. `standing` returns the
    fingerprints of all findings about the new tree.
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
    silent: dict[str, str] = {}
    for fingerprint, about in added.items():
        if fingerprint not in known:
            yield Location(EVERY_ITEM, path).finding(
                'CFG009',
                f'the baseline lists {shown(about) or fingerprint}, which is '
                f'not a finding of this tree',
                key=fingerprint,
            )
        elif adopted and fingerprint not in explained:
            silent[f'baseline: {about} {fingerprint}'] = about or fingerprint
    names = _named([*silent.values()])
    yield from _reported(change, path, f'the baseline now excuses {names}', silent)
