from __future__ import annotations

from interlock.checks.compare import Case, as_twin, no_longer_files, twins
from interlock.documents.trailers import RULES, without_reason
from interlock.model import calling_files
from interlock.model import quick_tools as functools
from interlock.model.calling_files import RUNNER
from interlock.model.change import ADDED, TYPE_CHANGED, Change, data_of
from interlock.model.errors import InvalidWorkflow, Refusal
from interlock.model.finding import ERROR, EVERY_ITEM, WARNING, Finding, Fix
from interlock.model.fixes import edit, restore, review, unstage
from interlock.model.quick_typing import Any, Iterator, Mapping
from interlock.rules.new_finding import Location
from interlock.workflow.language.spec import Workflow
from interlock.workflow.reading.changed_items import touched_items
from interlock.workflow.reading.item_paths import is_name
from interlock.workflow.reading.records import registry

# suffixes of files that a hook or a job may run
SCRIPTS = ('.sh', '.bash')
NAME = b'interlock'
# a history contains the same paths many times
kind_of = functools.lru_cache(maxsize=4096)(calling_files.kind_of)


def touched_callers(change: Change) -> list[str]:
    """The changed files that called us before."""
    found = []
    for path in change.touched:
        if kind_of(path) not in ('', RUNNER):
            # the module that reads them is slow to import, and they seldom change
            from interlock.documents.wiring.calls import in_file

            if in_file(path, data_of(change.before, path)).at:
                found.append(path)
    return found


def is_script(path: str) -> bool:
    """Whether a file may be a script that calls us."""
    name = path.rpartition('/')[2]
    return name.endswith(SCRIPTS) or '.' not in name


def _may_call(change: Change, path: str) -> bool:
    if kind_of(path):
        return True
    return (
        change.touched[path] != ADDED
        and is_script(path)
        and NAME in (data_of(change.before, path) or b'')
    )


def unwired(change: Change) -> Iterator[Finding]:
    touched = [path for path in change.touched if _may_call(change, path)]
    if not touched:
        return
    from interlock.documents.wiring import calls

    if all(
        kind_of(path)
        and calls.in_file(path, data_of(change.before, path))
        == calls.in_file(path, data_of(change.after, path))
        for path in touched
    ):
        # the fast way out, which most changes of these files take
        return
    before, after = (
        calls.in_tree(tree.paths(), functools.partial(data_of, tree))
        for tree in (change.before, change.after)
    )
    now = after.at
    for path, old in before.files.items():
        new = after.files.get(path, calls.NOWHERE)
        gates = [
            gate
            for gate in calls.lost_gates(old.at, new.at)
            if gate in calls.lost_gates(old.at, now)
        ]
        if gates:
            indirect = after.runs_us(new.runners - old.runners)
            # a script that it runs may have changed
            where = path if path in touched else touched[0]
            yield _lost(change, where, gates, not new.at, indirect)
    if (
        before.indirect
        and not after.indirect
        and not (
            set(calls.called_gates(now)) >= set(calls.called_gates(before.at))
            and calls.CI in now
        )
    ):
        yield Location(EVERY_ITEM, touched[0]).finding(
            'CFG006',
            f'{before.indirect[0]} no longer calls interlock through another program',
            key=touched[0],
            severity=WARNING,
            fix=restore(touched[0]),
        )


def _lost(
    change: Change, path: str, gates: list[str], nothing: bool, indirect: bool
) -> Finding:
    from interlock.checks.workflow_loosened import TRAILER, severity

    where = '' if nothing else f' at {", ".join(gates)}'
    return Location(EVERY_ITEM, path).finding(
        'CFG006',
        f'{path} no longer calls interlock{where}, or ignores its failure; if that is '
        f'intended, add the trailer `{TRAILER}` to the commit',
        key=path,
        found=', '.join(gates),
        severity=WARNING if indirect else severity(change, path),
        fix=restore(path),
    )


def _invalid(path: str, error: Refusal) -> Finding:
    line = error.line if isinstance(error, InvalidWorkflow) else 1
    # we can list the allowed values; only the user knows the right one
    known = error.hint.startswith('interlock ')
    fix = Fix('correct it by hand; to see what is allowed', error.hint)
    return Location(EVERY_ITEM, path, line).finding(
        'CFG002',
        error.message,
        found=error.message,
        fix=fix if known else edit(path, line),
    )


def of_adoption(change: Change, path: str) -> Iterator[Finding]:
    """Check that an adopted file is a valid workflow: it governs from now on."""
    from interlock.checks.workflow_loosened import resolved_workflow

    try:
        found = resolved_workflow(change.after, path)
    except Refusal as e:
        yield _invalid(path, e)._replace(commit=change.commit)
        return
    for finding in _unprotected(change, found, path, None):
        # existing problems do not prevent an adoption
        yield finding._replace(commit=change.commit, severity=WARNING)


def _unprotected(
    change: Change, found: dict[str, Any], path: str, old: Workflow | None
) -> Iterator[Finding]:
    """Find names that the new workflow turns into paths but that cannot be paths.

    The files of such an item are not found, so none of them would be checked.
    """
    from interlock.checks.registry import bad_names
    from interlock.workflow.language.build import build

    known = {kind.name: kind for kind in old.kinds} if old else {}
    for kind in build(found, path, path).kinds:
        read = registry(change.after, kind)
        before = known.get(kind.name)
        names = [
            item
            for item in (read.places if read else ())
            if not is_name(item, kind) and (before is None or is_name(item, before))
        ]
        yield from bad_names(change.after, kind, names)


def _new_rules(change: Change, workflow: Workflow) -> Iterator[Finding]:
    """Whether the new workflow is valid, and which rules it loosens."""
    # few commits change a workflow
    from interlock.checks.workflow_loosened import (
        loosened_rules,
        resolved_workflow,
        unread_states,
    )

    path = workflow.path
    try:
        after = resolved_workflow(change.after, path)
    except Refusal as e:
        yield _invalid(path, e)
        return
    yield from _unprotected(change, after, path, workflow)
    if change.before.blob(path) is None:
        # an adoption does not loosen anything
        return
    try:
        before = resolved_workflow(change.before, path)
    except Refusal:
        # the old file was invalid and did not govern anything
        return
    yield from loosened_rules(change, path, before, after)
    yield from unread_states(change, path, workflow, after)
    yield from _moved_locks(change, path, before, after)


def _moved_locks(
    change: Change, path: str, before: Mapping[str, Any], after: Mapping[str, Any]
) -> Iterator[Finding]:
    """Find locks whose engine changes while they are held."""
    if change.locked and before.get('locks') != after.get('locks'):
        yield Location(EVERY_ITEM, path).finding(
            'CFG011',
            f'`locks` changes while {", ".join(change.locked)} is locked: the new '
            f'engine would not know its holder',
            found=', '.join(change.locked),
            fix=Fix('see who holds it', f'interlock lock show {change.locked[0]}'),
        )


def governs(workflow: Workflow, path: str) -> bool:
    """Whether a file decides how changes are judged, or that they are judged."""
    return bool(kind_of(path)) or path in workflow.governing


def governing_with_items(change: Change, workflow: Workflow) -> Iterator[Finding]:
    """Find a push that changes governing files together with items they govern."""
    states = [item for kind in workflow.kinds for item in touched_items(change, kind)]
    if not states:
        return
    changed = [file for file in workflow.governing if file in change.touched]
    for path in (*changed, *touched_callers(change)):
        yield Location(EVERY_ITEM, path).finding(
            'CFG007',
            f'{path} changes in the same push as the state of {states[0]}; '
            f'the push is judged by the rules from before it',
            key=path,
            fix=_review(change, path),
        )


def _review(change: Change, path: str) -> Fix:
    """Show a change of a file; the last commit of a step need not have made it."""
    if not change.is_ref_step:
        return review(path)
    return review(path, f'{change.start[:10]} {change.commit[:10]}')


def _removed(change: Change, path: str) -> Finding:
    from interlock.checks.workflow_loosened import severity

    how = severity(change, path)
    message = 'the workflow file is removed: nothing would be checked'
    if how == ERROR:
        message += f', and {without_reason(change.message, RULES)}'
    return Location(EVERY_ITEM, path).finding(
        'CFG003', message, severity=how, fix=restore(path)
    )


def check(case: Case) -> Iterator[Finding]:
    change, workflow = case.change, case.workflow
    path = workflow.path
    if path in change.touched and change.after.blob(path) is None:
        yield _removed(change, path)
    else:
        files = (path, *workflow.extended)
        changed = [file for file in files if file in change.touched]
        if changed and change.after.blob(path) is not None:
            yield from _new_rules(change, workflow)
        for file in changed:
            if change.before.blob(file) is not None:
                message = 'the workflow changes; it governs from the next commit on'
                if {*change.touched} - {*changed}:
                    message += ': commit it first, and then what relies on it'
                yield Location(EVERY_ITEM, file).finding(
                    'CFG001', message, key=file, fix=_review(change, file)
                )
    for file, why in no_longer_files(change, workflow.governing):
        yield Location(EVERY_ITEM, file).finding(
            'CFG003', f'{file} {why}', key=file, found=TYPE_CHANGED, fix=restore(file)
        )
    for twin, real in twins(change, workflow.governing):
        yield Location(EVERY_ITEM, twin).finding(
            'CFG003', as_twin(twin, real), key=twin, found=twin, fix=unstage(twin)
        )
    baseline = workflow.baseline
    if path and baseline in change.touched:
        yield Location(EVERY_ITEM, baseline).finding(
            'CFG004',
            'the baseline changes; it counts from the next commit on',
            fix=_review(change, baseline),
        )
    yield from unwired(change)
