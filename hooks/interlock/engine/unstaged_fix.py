"""What is right on disk and wrong only in the index: it has to be staged."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

from interlock.engine.judge import Judge
from interlock.model.change import Change, Message
from interlock.model.errors import Refusal
from interlock.model.finding import Finding
from interlock.model.fixes import stage
from interlock.workflow.language.spec import Workflow
from interlock.workflow.reading.item_paths import paths_of


def _paths(finding: Finding, workflow: Workflow) -> Iterator[str]:
    """The files whose content decides about a finding."""
    yield finding.path
    for kind in workflow.kinds:
        if kind.registry is not None:
            yield kind.registry.file
        yield from paths_of(finding.item, kind)


def _differing(
    finding: Finding, workflow: Workflow, index: Change, disk: Change
) -> list[str]:
    """Those that are not staged as they are."""
    below = f'{finding.path.rstrip("/")}/'
    paths = [
        *_paths(finding, workflow),
        *(path for path in disk.touched if path.startswith(below)),
    ]
    touched = {*index.touched, *disk.touched}

    def oid(change: Change, path: str) -> str:
        blob = change.after.blob(path)
        return blob.oid if blob else ''

    return [
        path
        for path in dict.fromkeys(filter(None, paths))
        if path in touched and oid(index, path) != oid(disk, path)
    ]


def stage_what_is_mended(judge: Judge, text: Message | None, config: str) -> None:
    """Another remedy for the findings that the working tree has not.

    Asked only where something was found: it takes a tree of its own. Where
    that cannot be made, or not be judged, the remedies stay as they are.
    """
    if not judge.findings or not judge.repository.facts.top:
        return
    from interlock.git import worktree_snapshot

    with (
        contextlib.suppress(Refusal),
        worktree_snapshot.opened(os.environ, config) as (repository, tree),
    ):
        (index,) = judge.repository.staged(text)
        other = Judge(repository, config, judge.only, True, is_here=True)
        disk = repository.against_head(tree)._replace(
            message=index.message, amended=index.amended
        )
        left = {each.fingerprint for each in other.changes([disk])}
        workflow = other.governing.before(disk.before)
        judge.findings = [
            finding
            if finding.fingerprint in left
            or not (paths := _differing(finding, workflow, index, disk))
            else finding._replace(fix=stage(*paths))
            for finding in judge.findings
        ]
