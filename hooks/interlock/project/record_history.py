"""What the history of a repository says about handoffs, and about registries that
cannot be read."""

from __future__ import annotations

from interlock.checks.run import findings_of
from interlock.documents import message
from interlock.documents.frontmatter import parse_handoff
from interlock.documents.registry.edits import graft
from interlock.git.repository import Repository
from interlock.model.change import Snapshot
from interlock.model.errors import Denied, MergeConflict, Unreadable
from interlock.model.fixes import quoted
from interlock.model.overlay import Overlay
from interlock.model.quick_typing import Callable, Iterator, NamedTuple
from interlock.operations.handoff.edit import handoff_spec
from interlock.operations.handoff.rebuild import EndedState, KnownFacts, Version
from interlock.operations.outcome import Outcome
from interlock.operations.success_criteria import named_state
from interlock.operations.verify import is_broken
from interlock.project.project import Project
from interlock.workflow.language.patterns import expand
from interlock.workflow.language.spec import Kind
from interlock.workflow.reading.fix_command import make_readable, registering
from interlock.workflow.reading.item_paths import is_name
from interlock.workflow.reading.records import (
    Placed,
    Records,
    all_items,
    placed_handoff,
    records,
    registry,
)


def all_handoffs(here: Project) -> list[Records]:
    """The records of every item that has a handoff."""
    found = [
        records(here.snapshot, kind, name)
        for kind in here.workflow.kinds
        if kind.handoff
        for name in all_items(here.snapshot, kind)
        if is_name(name, kind)
    ]
    return [at for at in found if at.current is not None]


def has_broken_handoff(here: Project, at: Records) -> bool:
    """Whether the handoff exists but does not show where work stands."""
    return at.current is not None and is_broken(at, findings_of(at, here.workflow))


def _sound_versions(
    here: Project, repository: Repository, at: Records
) -> Iterator[Version]:
    """The sound handoffs in the history, newest first."""
    for pattern in handoff_spec(at).places:
        path = expand(pattern, at.item)
        for commit, blob in repository.versions(path):
            read = parse_handoff(blob)
            if read.fields is None:
                continue
            data = repository.git.checked_out(commit, path)
            then = records(Overlay(here.snapshot, {path: data}), at.kind, at.item)
            if not has_broken_handoff(here, then):
                yield Version(commit, placed_handoff(path, read, at.kind), data)


def last_sound_version(here: Project, at: Records) -> Version | None:
    if here.repository is None:
        return None
    return next(_sound_versions(here, here.repository, at), None)


def known_of(here: Project, at: Records) -> KnownFacts:
    """Everything that the history says about an item."""
    done = []
    head = here.repository.head() if here.repository else None
    for commit in here.repository.history(head.oid) if here.repository and head else ():
        subject = message.parse(commit.message).subject
        state = named_state(subject, at)
        if state is not None:
            done.append(EndedState(state, subject, commit.oid))
    return KnownFacts(done, last_sound_version(here, at), at.current)


def last_handoff(at: Records, repository: Repository) -> Placed | None:
    """The handoff, or the last one that the history holds."""
    if at.current is not None or not at.kind.handoff:
        return at.current
    for _, blob in repository.versions(at.handoff_place):
        return placed_handoff(at.handoff_place, parse_handoff(blob), at.kind)
    return None


class BrokenFile(NamedTuple):
    """A file that cannot be read."""

    path: str
    # the key in the workflow file that describes it
    key: str
    why: Unreadable
    # why the file cannot be read in another snapshot, None if it can
    problem: Callable[[Snapshot], Unreadable | None]


def _of_kind(kind: Kind) -> Callable[[Snapshot], Unreadable | None]:
    def problem(snapshot: Snapshot) -> Unreadable | None:
        read = registry(snapshot, kind)
        return Unreadable('is missing') if read is None else read.problem

    return problem


def broken_registries(here: Project) -> Iterator[BrokenFile]:
    for kind in here.workflow.kinds:
        why = _of_kind(kind)(here.snapshot) if kind.registry else None
        if kind.registry and why:
            key = f'items.{kind.name}.registry'
            yield BrokenFile(kind.registry.file, key, why, _of_kind(kind))


def broken_record(at: Records) -> Iterator[BrokenFile]:
    if at.problem:
        yield BrokenFile(
            at.entry_path,
            f'items.{at.kind.name}.registry',
            at.problem,
            lambda snapshot: records(snapshot, at.kind, at.item).problem,
        )


def restore_file(here: Project, broken: BrokenFile) -> Outcome:
    """Restore the file from the last commit in which it can be read."""
    if isinstance(broken.why, MergeConflict):
        raise Denied(
            f'{broken.path}:{broken.why.line}: the registry {broken.why.message}; '
            f'restoring it would drop what one side of the merge changed',
            *make_readable(broken.path, broken.why).hint,
        )
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


def restore_item(here: Project, item: str) -> Outcome:
    """Put the last record of an item back into the registry; the rest stays."""
    at = here.item_or_new(item)
    path, now = at.registry_path, registry(here.snapshot, at.kind)
    repository = here.require_repository()
    for commit, _ in repository.versions(path) if now and not now.problem else ():
        data = repository.git.checked_out(commit, path)
        then = registry(Overlay(here.snapshot, {path: data}), at.kind)
        if now is None or then is None or not then.holding([at.item]):
            continue
        try:
            file = graft(now, then, at.item)
        except Unreadable as e:
            raise Denied(
                f'{path}: {at.item} cannot return from {commit[:10]} without other '
                f'changes: the registry {e.message}',
                f'git show {commit[:10]}:{quoted([path])}',
            ) from None
        return Outcome({path: file}, (f'{path}: {at.item} is back ({commit[:10]})',))
    # it never was in the registry, or the registry cannot be read
    here.item(item)
    raise Denied(f'{path} never had {at.item}', registering(at.kind, at.item))
