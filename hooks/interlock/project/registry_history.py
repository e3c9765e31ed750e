"""What the history of a repository says about a registry that cannot be read."""

from __future__ import annotations

from interlock.model.change import Snapshot
from interlock.model.errors import Denied, Unreadable
from interlock.model.quick_typing import Callable, Iterator, NamedTuple
from interlock.operations.outcome import Outcome
from interlock.operations.overlay import Overlay
from interlock.project.project import Project
from interlock.workflow.language.spec import Kind
from interlock.workflow.reading.records import Records, records, registry


class Broken(NamedTuple):
    """A file of which nothing can be read."""

    path: str
    # the key of the workflow file that says what is read
    key: str
    why: Unreadable
    # the same question of other files
    problem: Callable[[Snapshot], Unreadable | None]


def _of_kind(kind: Kind) -> Callable[[Snapshot], Unreadable | None]:
    def problem(snapshot: Snapshot) -> Unreadable | None:
        read = registry(snapshot, kind)
        return Unreadable('is missing') if read is None else read.problem

    return problem


def broken_registries(here: Project) -> Iterator[Broken]:
    for kind in here.workflow.kinds:
        why = _of_kind(kind)(here.snapshot) if kind.registry else None
        if kind.registry and why:
            key = f'items.{kind.name}.registry'
            yield Broken(kind.registry.file, key, why, _of_kind(kind))


def broken_record(at: Records) -> Iterator[Broken]:
    if at.problem:
        yield Broken(
            at.entry_path,
            f'items.{at.kind.name}.registry',
            at.problem,
            lambda snapshot: records(snapshot, at.kind, at.item).problem,
        )


def restored(here: Project, broken: Broken) -> Outcome:
    """The file as the last commit has it in which it can be read."""
    repository = here.require_repository()
    for commit, _ in repository.versions(broken.path):
        data = repository.git.checked_out(commit, broken.path)
        if broken.problem(Overlay(here.snapshot, {broken.path: data})) is None:
            said = f'{broken.path}: restored from {commit[:10]}'
            return Outcome({broken.path: data}, (said,))
    raise Denied(
        f'{broken.path}:{broken.why.line}: the registry {broken.why.message}, and no '
        f'commit has one that can be read',
        f'correct the file by hand, or {broken.key} in {here.workflow.source}',
    )
