from __future__ import annotations

import functools
import posixpath
from collections.abc import Iterator

from interlock.model.change import Change
from interlock.model.change import Snapshot
from interlock.model.errors import InvalidWorkflow
from interlock.model.errors import Refusal
from interlock.model.finding import EVERY_ITEM
from interlock.model.finding import Finding
from interlock.model.make import finding
from interlock.model.remedy import edit
from interlock.model.remedy import restore
from interlock.model.remedy import review
from interlock.workflow.scope import touched_items
from interlock.workflow.spec import Workflow

BASELINE = '.interlock-baseline.json'
# files, and folders of files, that make others call us
WIRING = (
    '.pre-commit-config.yaml', 'prek.toml', 'lefthook.yml', 'lefthook.yaml',
    '.lefthook.yml', '.lefthook.yaml', '.gitlab-ci.yml',
    '.claude/settings.json', '.husky/', '.githooks/', '.github/workflows/',
)
FOLDERS = tuple(name for name in WIRING if name.endswith('/'))
CALL = b'interlock'


def baseline_path(workflow: Workflow) -> str:
    return _beside(workflow.path)


@functools.lru_cache(maxsize=16)
def _beside(path: str) -> str:
    return posixpath.join(posixpath.dirname(path), BASELINE)


def _validity(change: Change, path: str) -> Iterator[Finding]:
    # only here does a check read a workflow: jsonschema is slow to import
    from interlock.workflow.compile import compile_workflow

    def read(name: str) -> bytes | None:
        blob = change.after.blob(name)
        return blob.data if blob else None

    data = read(path)
    try:
        if data is None:
            raise Refusal(f'{path} is too large')
        compile_workflow(path, data, read)
    except Refusal as e:
        line = e.line if isinstance(e, InvalidWorkflow) else 1
        yield finding(
            'CFG002', EVERY_ITEM, path, line, e.message,
            found=e.message, fix=edit(path, line),
        )


def _calls(snapshot: Snapshot, path: str) -> bool:
    blob = snapshot.blob(path)
    return blob is not None and CALL in (blob.data or b'')


def _wiring(change: Change) -> Iterator[str]:
    """The changed files by which we were called before."""
    for path in change.touched:
        known = path in WIRING or path.startswith(FOLDERS)
        if known and _calls(change.before, path):
            yield path


def _unwired(change: Change) -> Iterator[Finding]:
    for path in _wiring(change):
        if not _calls(change.after, path):
            yield finding(
                'CFG006', EVERY_ITEM, path, 1,
                f'{path} no longer calls interlock', key=path,
                fix=restore(path),
            )


def governing_files(workflow: Workflow) -> list[str]:
    """The files by which changes are judged."""
    files = (workflow.path, *workflow.extended, baseline_path(workflow))
    return [file for file in files if file]


def together(change: Change, workflow: Workflow) -> Iterator[Finding]:
    """Of a whole push: what governs, changed with what it governs."""
    states = [
        item for kind in workflow.kinds
        for item in touched_items(change, kind)
    ]
    if not states:
        return
    changed = [
        file for file in governing_files(workflow) if file in change.touched
    ]
    for path in (*changed, *_wiring(change)):
        yield finding(
            'CFG007', EVERY_ITEM, path, 1,
            f'{path} changes in the same push as the state of {states[0]}; '
            f'the push is judged by what was there before it',
            key=path, fix=review(path),
        )


def check(change: Change, workflow: Workflow) -> Iterator[Finding]:
    """The workflow and the baseline change openly."""
    path = workflow.path
    if path in change.touched and change.after.blob(path) is None:
        yield finding(
            'CFG003', EVERY_ITEM, path, 1,
            'the workflow file is removed: nothing would be checked',
            fix=restore(path),
        )
    else:
        files = (path, *workflow.extended)
        changed = [file for file in files if file in change.touched]
        if changed and change.after.blob(path) is not None:
            yield from _validity(change, path)
        for file in changed:
            if change.before.blob(file) is not None:
                yield finding(
                    'CFG001', EVERY_ITEM, file, 1,
                    'the workflow changes; it governs from the next commit on',
                    key=file, fix=review(file),
                )
    baseline = baseline_path(workflow)
    if path and baseline in change.touched:
        yield finding(
            'CFG004', EVERY_ITEM, baseline, 1,
            'the baseline changes; it counts from the next commit on',
            fix=review(baseline),
        )
    yield from _unwired(change)
