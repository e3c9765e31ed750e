"""What a tool broke in the records of the project."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from interlock.checks.run import OF_RECORDS, judge
from interlock.documents.text import shown
from interlock.files.disk_snapshot import SteadySnapshot
from interlock.guard import project_paths, said_once
from interlock.guard.context import Scene
from interlock.guard.relevance import inside
from interlock.model.change import Change, Nothing, Snapshot
from interlock.model.errors import NoRepository
from interlock.model.finding import Finding
from interlock.operations.overlay import Overlay
from interlock.workflow.language.patterns import path_re
from interlock.workflow.language.spec import Workflow
from interlock.workflow.reading.item_paths import is_record

# an update of several records is made in steps: what they say until then
BETWEEN = {
    'REG001': 'row and entry differ until both are edited',
    'REG010': 'registry and handoff differ until both are edited',
}
# a contract that is not what was sealed
CHANGED = 'CON001'
FEW = 3


def _is_free(finding: Finding, workflow: Workflow) -> bool:
    """A contract that may change, if it is sealed again with it."""
    return finding.code == CHANGED and any(
        contract.free and path_re(pattern).match(finding.path)
        for kind in workflow.kinds
        if kind.contracts
        for contract in kind.contracts.files
        for pattern in contract.paths
    )


def _lines(scene: Scene, found: Iterable[Finding]) -> Iterator[str]:
    for finding in found:
        item = shown(finding.item)
        if _is_free(finding, scene.workflow):
            if said_once.first_time(scene, 'seal', finding.path):
                yield (
                    f'{shown(finding.path)} is sealed as it was; before the '
                    f'commit: interlock contracts seal {item}'
                )
            continue
        if finding.code in BETWEEN:
            yield f'{item}: {BETWEEN[finding.code]} ({finding.code})'
            continue
        where = f'{shown(finding.path)}:{finding.line}'
        yield f'broken: {where}: {finding.code} {item}: {finding.message}'
        yield f'next: {finding.fix.command}'


def said(scene: Scene, found: Iterable[Finding]) -> str:
    """What is wrong now, the worst first; '' where nothing is."""
    refusing = [each for each in found if each.introduced and each.refuses]
    refusing.sort(key=lambda each: each.code in BETWEEN)
    return '\n'.join(_lines(scene, refusing[:FEW]))


def _judged(
    scene: Scene, before: Snapshot, after: Snapshot, paths: Iterable[str]
) -> str:
    change = Change(before, after, dict.fromkeys(paths, 'M'))
    return said(scene, judge([change], scene.workflow, OF_RECORDS))


def _original(scene: Scene, name: str) -> bytes | None:
    """The file before the tool: as the client tells it, else as committed."""
    response = scene.event.fields('tool_response')
    original = response.get('originalFile')
    if isinstance(original, str):
        return original.encode(errors='surrogatepass')
    elif response.get('type') == 'create':
        return None
    try:
        with project_paths.repository(scene) as repository:
            commit = repository.head()
            tree = repository.tree(commit.tree) if commit else Nothing()
            blob = tree.blob(name)
            return blob.data if blob else None
    except NoRepository:
        return None


def by_write(scene: Scene, path: str) -> str:
    """After a file was written, `path` without links."""
    name = inside(scene, path)
    if not name or not is_record(scene.workflow, name):
        return ''
    after = SteadySnapshot(path[: -len(name)].rstrip(os.sep) or os.sep)
    before = Overlay(after, {name: _original(scene, name)})
    return _judged(scene, before, after, [name])


def by_command(scene: Scene, paths: Iterable[str] | None) -> str:
    """After a command, against HEAD; without paths git is asked for them."""
    from interlock.git.worktrees import tree

    try:
        with project_paths.repository(scene) as repository:
            top = repository.facts.top
            if paths is None:
                paths = tree(repository.environ, top).changed
            names = [name for name in paths if is_record(scene.workflow, name)]
            commit = repository.head()
            if not names or commit is None:
                return ''
            before = repository.tree(commit.tree)
            return _judged(scene, before, SteadySnapshot(top), names)
    except NoRepository:
        return ''
