"""The records of a project, read and changed by one command at a time."""

from __future__ import annotations

import contextlib
import datetime
import os

from interlock.documents.tasks import todo
from interlock.documents.text import shown
from interlock.files.disk_snapshot import SteadySnapshot
from interlock.files.users_cache import users_own
from interlock.git.repository import Repository, opened
from interlock.git.workflow_source import Governing, without_repository
from interlock.model.change import Snapshot, data_of
from interlock.model.errors import Denied, NoRepository, Refusal
from interlock.model.finding import ERROR
from interlock.model.fixes import correction, did_you_mean, edit, restore_registry
from interlock.model.overlay import Overlay
from interlock.model.quick_typing import Iterator, NamedTuple
from interlock.model.report import plural
from interlock.model.state import State
from interlock.operations.commit_stage import commit_command
from interlock.operations.outcome import Outcome
from interlock.operations.registry.status import registry_problem
from interlock.report.terminal import err, say_outcome
from interlock.transactions.journal import Journal
from interlock.workflow.language.spec import STAGE, Kind, RegistrySpec, Workflow
from interlock.workflow.reading import transitions
from interlock.workflow.reading.item_paths import is_name, why_no_name
from interlock.workflow.reading.records import Records, all_items, records

# lists every item
SHOW = 'interlock status'


class UnknownItem(Refusal):
    """No record names such an item."""


def _readings(item: str, workflow: Workflow) -> Iterator[tuple[Kind, str]]:
    """The items that a text may name: a colon ends a kind, or is part of the name."""
    of_kind, _, name = item.partition(':')
    yield from ((kind, name) for kind in workflow.kinds if kind.name == of_kind)
    yield from ((kind, item) for kind in workflow.kinds)


def known_records(snapshot: Snapshot, workflow: Workflow, item: str) -> list[Records]:
    """The records of items that are registered or have a handoff.

    Several kinds may have an item of the same name; `KIND:NAME` selects one.
    """
    found = [
        records(snapshot, kind, name)
        for kind, name in _readings(item, workflow)
        if is_name(name, kind)
    ]
    known = [at for at in found if at.registered or at.current is not None]
    return [at for at in known if at.item != item] or known


def item_names(snapshot: Snapshot, workflow: Workflow) -> list[str]:
    return [name for kind in workflow.kinds for name in all_items(snapshot, kind)]


def find_item(snapshot: Snapshot, workflow: Workflow, item: str) -> Records:
    """The records of an item that a user named."""
    found = known_records(snapshot, workflow, item)
    if len(found) > 1:
        # a kind need not have a registry
        places = ' and in '.join(
            at.registry_path or (at.current.path if at.current else '') for at in found
        )
        names = ' or '.join(f'{at.kind.name}:{at.item}' for at in found)
        raise Refusal(f'{item} is in {places}', f'name one of them: {names}')
    elif found:
        return found[0]
    _refuse_recorded(snapshot, workflow, item)
    _refuse_task(snapshot, workflow, item)
    readings = [*_readings(item, workflow)]
    if readings and not any(is_name(name, kind) for kind, name in readings):
        kind, name = readings[0]
        raise UnknownItem(
            f'{item!r} cannot be the name of an item: {why_no_name(name, kind)}', SHOW
        )
    raise UnknownItem(
        unknown_item_text(snapshot, workflow, item),
        SHOW,
        meant=_meant_item(snapshot, workflow, item),
    )


def _meant_item(
    snapshot: Snapshot, workflow: Workflow, item: str
) -> tuple[str, str] | None:
    """The typed item and the one that was probably meant, if only one was."""
    called: dict[str, set[str]] = {}
    for kind in workflow.kinds:
        for name in all_items(snapshot, kind):
            for word in (name, kind.called(name)):
                called.setdefault(word, set()).add(kind.called(name))
    typed, near = correction(item, called) or ('', '')
    found = [*called.get(near, ())]
    return (typed, found[0]) if len(found) == 1 else None


def _refuse_recorded(snapshot: Snapshot, workflow: Workflow, item: str) -> None:
    """Refuse an item of a format without a registry: no command writes its state."""
    if not workflow.recorded:
        return
    # imported only for workflows that have such records
    from interlock.workflow.agreements.scope import board_of

    for name, board in board_of(snapshot, workflow.recorded).kinds.items():
        found = [board.first(record, board.key(item)) for record in board.kind.records]
        for entry in filter(None, found):
            raise UnknownItem(
                f'the {name} {shown(item)} keeps its state in '
                f'{shown(entry.path)}:{entry.line}, not in a registry',
                *edit(entry.path, entry.line, 'to change it, edit the file').hint,
            )


def _refuse_task(snapshot: Snapshot, workflow: Workflow, item: str) -> None:
    """Refuse a task: its state is in its lock, not in the records of items."""
    for kind in workflow.kinds:
        listed = kind.protocol and snapshot.parsed(kind.protocol.todo, todo.parse)
        if listed and item in listed.entries:
            raise UnknownItem(f'{item} is a task', f'interlock task resume {item}')


def unknown_item_text(snapshot: Snapshot, workflow: Workflow, item: str) -> str:
    near = did_you_mean(item, item_names(snapshot, workflow))
    return f'there is no item `{item}`{near}'


def today() -> str:
    return datetime.date.today().isoformat()


class Project(NamedTuple):
    workflow: Workflow
    top: str
    snapshot: SteadySnapshot
    journal: Journal
    # None without git; `without_git` says why
    repository: Repository | None
    without_git: NoRepository | None

    def require_repository(self, what: str = '') -> Repository:
        if self.repository is None:
            assert self.without_git is not None
            why = self.without_git
            raise NoRepository(f'{what}{why.message}', why.hint)
        return self.repository

    @property
    def today(self) -> str:
        return today()

    def item(self, name: str) -> Records:
        try:
            return find_item(self.snapshot, self.workflow, name)
        except UnknownItem:
            self._refuse_unreadable()
            raise

    def unreadable(self) -> list[Refusal]:
        """Why registries cannot be read."""
        found = [registry_problem(self.snapshot, kind) for kind in self.workflow.kinds]
        return [*filter(None, found)]

    def _refuse_unreadable(self) -> None:
        """Refuse an unreadable registry: it explains why an item is unknown."""
        for problem in self.unreadable():
            raise problem
        for kind in self.workflow.kinds:
            if kind.registry:
                self.refuse_lost_registry(kind.registry, ever=True)

    def refuse_lost_registry(self, spec: RegistrySpec, ever: bool = False) -> None:
        """Refuse a missing registry that was committed: it is restored, not begun anew.

        `ever`: also if only an older commit has it.
        """
        file, had_by = spec.file, ''
        if self.snapshot.blob(file) is None:
            tree = self.committed()
            if tree and tree.blob(file) is not None:
                had_by = 'the last commit'
            elif ever and self.repository:
                for oid, _ in self.repository.versions(file):
                    had_by = f'commit {oid[:10]}'
                    break
        if had_by:
            raise Refusal(
                f'{file} does not exist, but {had_by} has it', *restore_registry().hint
            )

    def item_or_new(self, name: str) -> Records:
        """Like `item`, but an unknown name is that of a new item."""
        for kind, new in _readings(name, self.workflow):
            if kind.registry and is_name(new, kind):
                if not known_records(self.snapshot, self.workflow, name):
                    return records(self.snapshot, kind, new)
        return self.item(name)

    def apply(self, outcome: Outcome) -> None:
        """Write the files of an outcome, and say what was done."""
        self.journal.write(
            {
                os.path.join(self.top, path): (data_of(self.snapshot, path), data)
                for path, data in outcome.files.items()
            }
        )
        say_outcome(outcome.said, outcome.warnings)
        if self.without_git and outcome.files:
            err(
                f'interlock: nothing is committed: {self.without_git.message}'
                f'\n    next: {self.without_git.hint}'
            )

    def committed(self) -> Snapshot | None:
        """The tree of the last commit; None without git or commit."""
        head = self.repository.head() if self.repository else None
        return self.repository.tree(head.tree) if self.repository and head else None

    def committed_records(self, at: Records) -> Records | None:
        tree = self.committed()
        return records(tree, at.kind, at.item) if tree else None

    def apply_step(self, at: Records, outcome: Outcome) -> None:
        """Like `apply`, but refuse a second step before the first one is committed."""
        new = records(Overlay(self.snapshot, outcome.files), at.kind, at.item)
        first = self.first_step_to_commit(at, new.state)
        if first:
            raise Denied(f'{at.item}: {first.message}', first.hint)
        self.apply(outcome)

    def first_step_to_commit(self, at: Records, new: State | None) -> Denied | None:
        """The refusal of a step to `new` if an earlier one is not committed: a commit
        makes one step."""
        old = self._governed_records(at)
        is_second = old is not None and at.state not in (old.state, new)
        if old is None or new is None or new == old.state or not is_second:
            return None
        made = transitions.step(old.state, at.state, at.kind) if at.state else None
        both = transitions.step(old.state, new, at.kind)
        # the step on disk may itself be illegal, and this one the way out
        if made is None or made.severity == ERROR or both.severity != ERROR:
            return None
        label = at.kind.label
        return Denied(
            f'{label(old.state)} -> {label(at.state)} is not committed yet, and a '
            f'commit makes one step: {both.why}',
            commit_command([(old, at)], self._uncommitted(old, at)),
        )

    def _governed_records(self, at: Records) -> Records | None:
        """The records of the last commit, if the workflow judges what follows it."""
        tree = self.committed()
        governs = tree is not None and tree.blob(self.workflow.source) is not None
        return self.committed_records(at) if governs else None

    def _uncommitted(self, old: Records, at: Records) -> list[str]:
        """The record files that the last commit lacks, or has with other contents."""
        handoffs = [each.current.path for each in (old, at) if each.current]
        paths = dict.fromkeys([at.registry_path, at.entry_path, *handoffs])
        return [
            path
            for path in filter(None, paths)
            if data_of(old.snapshot, path) != data_of(self.snapshot, path)
        ]

    def has_lost_handoff(self, at: Records) -> bool:
        """Whether the last commit has a handoff that the working tree lacks."""
        if at.current is not None or at.role != STAGE:
            return False
        found = self.committed_records(at)
        old = found.current if found else None
        return old is not None and old.handoff.fields is not None

    @contextlib.contextmanager
    def stored(self) -> Iterator[Snapshot]:
        """Files as git would store them; without git as they are on disk."""
        if self.repository is None:
            yield self.snapshot
            return
        # most commands change no checksum
        from interlock.git.worktree_snapshot import StoredSnapshot

        with contextlib.closing(StoredSnapshot(self.repository)) as contents:
            try:
                yield contents
            except OSError as e:
                raise Refusal(
                    f'the contracts cannot be read as git stores them: '
                    f'{e.strerror or e}',
                    'df -h',
                ) from None


def governing_text(given: str) -> str:
    """A text that names the governing workflow and its items."""
    try:
        with opened() as repository:
            workflow = Governing(repository, given).on_disk()
            snapshot = SteadySnapshot(repository.facts.top)
    except NoRepository:
        workflow, top = without_repository(given)
        snapshot = SteadySnapshot(top)
    numbers = [
        plural(len(all_items(snapshot, kind)), kind.name) for kind in workflow.kinds
    ]
    return f'{workflow.source} ({", ".join(numbers) or "no items"})'


@contextlib.contextmanager
def open_project(given: str, wait: float, reads: bool = False) -> Iterator[Project]:
    """Open the project; until the block ends no other command changes it."""
    with contextlib.ExitStack() as stack:
        repository, why = None, None
        try:
            repository = stack.enter_context(opened())
            top, _, shared = repository.facts
            if not top:
                raise Refusal(
                    'a bare repository has no files to change: run this in a clone of it',
                    'interlock check --tree HEAD',
                )
            workflow = Governing(repository, given).on_disk()
        except NoRepository as e:
            why = e
            workflow, top = without_repository(given)
            shared = users_own(top)
        journal = Journal(shared)
        stack.enter_context(journal.locked(wait, reads))
        yield Project(workflow, top, SteadySnapshot(top), journal, repository, why)
