from __future__ import annotations

import functools
import posixpath
from collections.abc import Iterator

from interlock.checks.workflow_loosened import loosened_rules, resolved, severity
from interlock.checks.workflow_wiring import touched_callers, unwired
from interlock.documents.wiring.files import kind_of
from interlock.model.change import Change
from interlock.model.errors import InvalidWorkflow, Refusal
from interlock.model.finding import EVERY_ITEM, Finding
from interlock.model.fixes import restore, review
from interlock.rules.new_finding import Location
from interlock.workflow.language.spec import Workflow
from interlock.workflow.reading.touched_items import touched_items

BASELINE = '.interlock-baseline.json'


def baseline_path(workflow: Workflow) -> str:
    return _beside(workflow.path)


@functools.lru_cache(maxsize=16)
def _beside(path: str) -> str:
    return posixpath.join(posixpath.dirname(path), BASELINE)


def _new_rules(change: Change, path: str) -> Iterator[Finding]:
    """Whether the new workflow is one, and what it no longer demands."""
    try:
        after = resolved(change.after, path)
    except Refusal as e:
        line = e.line if isinstance(e, InvalidWorkflow) else 1
        yield Location(EVERY_ITEM, path, line).finding(
            'CFG002', e.message, found=e.message
        )
        return
    # the adoption loosens nothing
    if change.before.blob(path) is not None:
        yield from loosened_rules(change, path, after)


def governing_files(workflow: Workflow) -> list[str]:
    """The files by which changes are judged."""
    files = (workflow.path, *workflow.extended, baseline_path(workflow))
    return [file for file in files if file]


def governs(workflow: Workflow, path: str) -> bool:
    """Whether changes are judged by a file, or because of it."""
    return bool(kind_of(path)) or path in governing_files(workflow)


def together(change: Change, workflow: Workflow) -> Iterator[Finding]:
    """Of a whole push: what governs, changed with what it governs."""
    states = [item for kind in workflow.kinds for item in touched_items(change, kind)]
    if not states:
        return
    changed = [file for file in governing_files(workflow) if file in change.touched]
    for path in (*changed, *touched_callers(change)):
        yield Location(EVERY_ITEM, path).finding(
            'CFG007',
            f'{path} changes in the same push as the state of {states[0]}; '
            f'the push is judged by what was there before it',
            key=path,
            fix=review(path),
        )


def check(change: Change, workflow: Workflow) -> Iterator[Finding]:
    path = workflow.path
    if path in change.touched and change.after.blob(path) is None:
        message = 'the workflow file is removed: nothing would be checked'
        yield Location(EVERY_ITEM, path).finding(
            'CFG003', message, severity=severity(change, path), fix=restore(path)
        )
    else:
        files = (path, *workflow.extended)
        changed = [file for file in files if file in change.touched]
        if changed and change.after.blob(path) is not None:
            yield from _new_rules(change, path)
        for file in changed:
            if change.before.blob(file) is not None:
                message = 'the workflow changes; it governs from the next commit on'
                yield Location(EVERY_ITEM, file).finding(
                    'CFG001', message, key=file, fix=review(file)
                )
    baseline = baseline_path(workflow)
    if path and baseline in change.touched:
        yield Location(EVERY_ITEM, baseline).finding(
            'CFG004',
            'the baseline changes; it counts from the next commit on',
            fix=review(baseline),
        )
    yield from unwired(change)
