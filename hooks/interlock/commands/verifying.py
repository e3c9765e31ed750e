"""A report of an agent, and the files that it speaks of."""
from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

from interlock.commands.host import err
from interlock.commands.opening import opened
from interlock.commands.project import Project
from interlock.commands.project import today
from interlock.commands.verify_state import findings_of
from interlock.model.change import Nothing
from interlock.model.change import Snapshot
from interlock.model.state import State
from interlock.operations import verify_update as operations
from interlock.operations.verify_update import Verdict
from interlock.operations.verify_update import Work
from interlock.workflow.agent_report import AgentReport
from interlock.workflow.agent_report import MAX_REPORT
from interlock.workflow.agent_report import read
from interlock.workflow.records import Records
from interlock.workflow.records import records
from interlock.workflow.template import expand
from interlock.world import started
from interlock.world.inputs import read_input
from interlock.world.repository import Repository
from interlock.world.started import Started

ALGORITHM = 'sha256'


def read_report(name: str) -> AgentReport:
    return read(read_input(name, MAX_REPORT, 'the report'))


def _found(at: Records, here: Project, contents: Snapshot, name: str) -> (
        list[str]
):
    """The files of a name: from the top, or anywhere below the item."""
    if here.snapshot.blob(name) or contents.blob(name):
        return [name]
    folder = expand(at.kind.path, at.item)
    return [
        path for path in contents.paths()
        if path.startswith(f'{folder}/') and path.endswith(f'/{name}')
    ]


def _counts(
        record: Started | None,
        repository: Repository,
        at: Records,
        head: Snapshot,
) -> Started | None:
    """The record, unless the handoff was committed since."""
    spec = at.kind.handoff
    if record is None or spec is None:
        return record
    old = repository.git.resolve(record.head) if record.head else None
    commit = repository.git.commit(old) if old else None
    if record.head and commit is None:
        return None
    then: Snapshot = repository.tree(commit.tree) if commit else Nothing()
    paths = [expand(path, at.item) for path in spec.places]
    same = all(
        then.digest(path, ALGORITHM) == head.digest(path, ALGORITHM)
        for path in paths
    )
    return record if same else None


def _work(
        here: Project,
        at: Records,
        contents: Snapshot,
        head: Snapshot | None,
        record: Started | None,
) -> Work:
    def changed(path: str) -> bool:
        if record is not None and started.covers(at, path):
            now = started.checksum(here.top, path)
            return now != record.files.get(path, '')
        elif head is None:
            # nothing is known of before
            return True
        now = contents.digest(path, ALGORITHM) or (
            started.checksum(here.top, path)
        )
        return now != head.digest(path, ALGORITHM)

    return Work(lambda name: _found(at, here, contents, name), changed)


@contextlib.contextmanager
def work(here: Project, at: Records, contents: Snapshot) -> Iterator[Work]:
    """The files of an item, against those from when the agent started."""
    directory = os.path.dirname(here.journal.directory)
    record = started.read(directory, at.item)
    if here.without_git:
        if record is None:
            err(
                'interlock: warning: without git and without a record of '
                'the start nobody knows what was changed',
            )
        yield _work(here, at, contents, None, record)
        return
    with opened() as repository:
        commit = repository.head()
        head: Snapshot = repository.tree(commit.tree) if commit else Nothing()
        record = _counts(record, repository, at, head)
        yield _work(here, at, contents, head, record)


def verdict(
        here: Project,
        at: Records,
        state: State,
        report: AgentReport,
        contents: Snapshot,
        files: Work,
) -> Verdict:
    """Whether the agent has written the state that it reports."""
    now = records(contents, at.kind, at.item)
    found = findings_of(now, here.workflow)
    return operations.verify(report, state, now, found, files, today())


def state_verdict(
        here: Project,
        at: Records,
        state: State,
        contents: Snapshot,
) -> Verdict:
    """The same of files that we have written, or will write."""
    now = records(contents, at.kind, at.item)
    found = findings_of(now, here.workflow)
    return operations.verify_state(state, now, found, today())
