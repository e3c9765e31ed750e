"""What calls us goes on doing so."""

from __future__ import annotations

import functools
from collections.abc import Iterator

from interlock.checks.workflow_loosened import TRAILER, severity
from interlock.documents.wiring.files import RUNNER, kind_of
from interlock.model.change import Change, Snapshot
from interlock.model.finding import EVERY_ITEM, WARNING, Finding
from interlock.model.fixes import restore
from interlock.rules.new_finding import Location

# files that a hook or a job may run
SCRIPTS = ('.sh', '.bash')
NAME = b'interlock'


def _data(snapshot: Snapshot, path: str) -> bytes | None:
    blob = snapshot.blob(path)
    return blob.data if blob else None


def touched_callers(change: Change) -> list[str]:
    """The changed files by which we were called before."""
    found = []
    for path in change.touched:
        if kind_of(path) not in ('', RUNNER):
            # what reads them is slow to import, and they seldom change
            from interlock.documents.wiring.calls import in_file

            if in_file(path, _data(change.before, path)).at:
                found.append(path)
    return found


def _may_call(change: Change, path: str) -> bool:
    if kind_of(path):
        return True
    name = path.rpartition('/')[2]
    is_script = name.endswith(SCRIPTS) or '.' not in name
    return (
        change.touched[path] != 'A'
        and is_script
        and NAME in (_data(change.before, path) or b'')
    )


def unwired(change: Change) -> Iterator[Finding]:
    touched = [path for path in change.touched if _may_call(change, path)]
    if not touched:
        return
    from interlock.documents.wiring import calls

    if all(
        kind_of(path)
        and calls.in_file(path, _data(change.before, path))
        == calls.in_file(path, _data(change.after, path))
        for path in touched
    ):
        # most changes of these files, and the only ones that are fast
        return
    before, after = (
        calls.in_tree(tree.paths(), functools.partial(_data, tree))
        for tree in (change.before, change.after)
    )
    now = after.at
    for path, old in before.files.items():
        new = after.files.get(path, calls.NOWHERE)
        gates = [
            gate
            for gate in calls.lost(old.at, new.at)
            if gate in calls.lost(old.at, now)
        ]
        if gates:
            # a script that it runs may be what changed
            where = path if path in touched else touched[0]
            yield _lost(
                change,
                where,
                gates,
                not new.at,
                after.runs_us(new.runners - old.runners),
            )
    if (
        before.indirect
        and not after.indirect
        and not (
            set(calls.gates(now)) >= set(calls.gates(before.at)) and calls.CI in now
        )
    ):
        yield Location(EVERY_ITEM, touched[0]).finding(
            'CFG006',
            f'{before.indirect[0]} no longer leads to interlock by way of '
            f'another program',
            key=touched[0],
            severity=WARNING,
            fix=restore(touched[0]),
        )


def _lost(
    change: Change, path: str, gates: list[str], nothing: bool, indirect: bool
) -> Finding:
    where = '' if nothing else f' at {", ".join(gates)}'
    return Location(EVERY_ITEM, path).finding(
        'CFG006',
        f'{path} no longer calls interlock{where} so that its failure '
        f'counts; to do without it, give the commit the trailer '
        f'`{TRAILER}`',
        key=path,
        found=', '.join(gates),
        severity=WARNING if indirect else severity(change, path),
        fix=restore(path),
    )
