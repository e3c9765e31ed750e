"""Whether another preset fits a history better than the workflow does."""

from __future__ import annotations

from interlock.documents.message import parse
from interlock.files.atomic_files import read
from interlock.git.parse import Commit
from interlock.git.repository import Repository
from interlock.git.snapshots import TreeSnapshot
from interlock.git.workflow_source import FILE
from interlock.model.quick_typing import Iterator, Sequence
from interlock.workflow.language.build import build
from interlock.workflow.language.compile import compile_workflow
from interlock.workflow.language.fit import misfits
from interlock.workflow.language.presets import presets
from interlock.workflow.language.spec import Kind, Workflow

# fewer misfits are mistakes, and no other numbering
FEW = 3


def _others(kind: Kind) -> Iterator[tuple[str, Kind]]:
    for name in presets():
        text = f'version: 1\nextends: {name}\n'.encode()
        merged, _ = compile_workflow(FILE, text, read)
        for other in build(merged, FILE, '').kinds:
            if other.name == kind.name:
                # where the registry lies is the project's own
                yield name, other._replace(registry=kind.registry)


def better(
    repository: Repository, tree: str, workflow: Workflow, commits: Sequence[Commit]
) -> Iterator[str]:
    """A sentence for each kind that another preset fits better."""

    def number(kind: Kind) -> int:
        snapshot = TreeSnapshot(repository.store, tree)
        subjects = (parse(commit.message).subject for commit in commits)
        return len(misfits(snapshot, kind, subjects))

    for kind in workflow.kinds:
        own = number(kind)
        if own < FEW:
            continue
        least, name = min(
            ((number(other), name) for name, other in _others(kind)), default=(own, '')
        )
        if least * 2 < own:
            yield (
                f'the stages of this history are numbered as in the preset '
                f'{name}: {own} statuses and subjects do not fit the '
                f'workflow, {least} do not fit that one; next: write '
                f'`extends: {name}` into {workflow.source}'
            )
