"""What the rules about a handoff document ask of the world."""

from __future__ import annotations

import contextlib
import datetime
import functools
import os
from collections.abc import Iterator

from interlock.files.atomic_files import read
from interlock.git.git_paths import project_of
from interlock.git.git_summary import asked
from interlock.git.parse import text
from interlock.git.repository import Repository
from interlock.git.workflow_source import Governing, without_repository
from interlock.handoff_document.document import Document
from interlock.handoff_document.document_context import Environment, Facts
from interlock.handoff_document.outline import Plans, outline
from interlock.handoff_document.plans import is_plan, root_of
from interlock.handoff_document.surroundings import Surroundings, elsewhere
from interlock.model.errors import InvalidWorkflow, NoRepository, Refusal
from interlock.state.store import Owner, seconds_since_1970
from interlock.workflow.language.spec import Workflow

# a row of any age is too old for this: only its time is wanted
ANY_AGE = -1.0


def place_of(document: Document) -> str:
    """The directory that a document speaks of, else the working one."""
    path = document.state.get('project_path')
    if isinstance(path, str) and os.path.isabs(path) and os.path.isdir(path):
        return path
    return os.getcwd()


def _workflow() -> Workflow:
    try:
        repository = Repository(os.environ)
        try:
            return Governing(repository).on_disk()
        finally:
            repository.close()
    except NoRepository:
        return without_repository('')[0]


def governing() -> Workflow | None:
    """None where no workflow governs: a document needs none."""
    try:
        return _workflow()
    except InvalidWorkflow:
        raise
    except Refusal:
        return None


def plans_of(workflow: Workflow | None) -> Plans:
    """Where plans are: what the workflow says, if there is one."""
    plans = outline().plans
    if workflow is None:
        return plans
    said = workflow.documents
    return Plans(said.plans_root or plans.root, said.plans or plans.patterns)


def _roots(around: Surroundings, plans: Plans) -> list[str]:
    here = around.top or around.directory
    return sorted({root_of(here, plans), root_of(project_of(here), plans)})


def search(around: Surroundings, plans: Plans) -> Iterator[str]:
    """Every plan that can be found, by its absolute path."""
    for root in _roots(around, plans):
        with contextlib.suppress(OSError):
            for name in sorted(os.listdir(root)):
                path = os.path.join(root, name)
                if os.path.isfile(path):
                    yield path
    for path in around.files():
        if is_plan(path, plans):
            yield path


def _saved(project: str, session: str) -> datetime.datetime | None:
    from interlock.state.store import open_store, store_path

    if not os.path.exists(store_path(os.environ)):
        return None
    with open_store(os.environ) as store:
        row = store.load(project, Owner(session), max_age=ANY_AGE)
    if not row.updated_at or row.other:
        return None
    return datetime.datetime.fromtimestamp(
        seconds_since_1970(row.updated_at), datetime.timezone.utc
    )


def _text(path: str) -> str | None:
    data = read(path)
    return None if data is None else text(data)


def environment(around: Surroundings, own: str) -> Environment | None:
    """`own` is the document itself, which was not there when it was made."""
    found = asked(around.directory, elsewhere(os.environ))()
    if not found:
        return None
    changed = {
        os.path.realpath(os.path.join(around.top, path)) for path in around.changed()
    }
    return Environment(
        found['git_branch'] or '',
        len(changed - {os.path.realpath(own)}),
        {
            os.path.realpath(each['path']): each['branch'] or ''
            for each in found['worktrees']
        },
    )


def facts(directory: str, plans: Plans, own: str) -> Facts:
    around = Surroundings(directory, os.environ)
    top = around.top or directory
    return Facts(
        top,
        os.getcwd(),
        tuple(search(around, plans)),
        lambda path: (
            is_plan(path, plans) or (os.path.dirname(path) in _roots(around, plans))
        ),
        environment(around, own),
        functools.partial(_saved, project_of(directory)),
        os.path.exists,
        _text,
        around.resolves,
        around.changed_since,
    )
