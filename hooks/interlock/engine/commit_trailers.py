"""Writes the trailers of a commit: who did the work, and what was confirmed."""

from __future__ import annotations

from interlock.checks.task_files import site_lock
from interlock.documents.trailers import GRANT, LOCK, NOT_HELD, TASK
from interlock.engine.judge import read_message
from interlock.engine.stage_commits import confirmed_before
from interlock.files.atomic_files import read
from interlock.git.repository import Repository, opened
from interlock.git.workflow_source import Governing
from interlock.model.change import Message, Site
from interlock.model.errors import NoWorkflow, Refusal
from interlock.tasks.lock_context import sites
from interlock.tasks.task_layout import has_tasks, task_kind
from interlock.workflow.language.spec import Workflow


def _of_site(where: Site, governing: Governing) -> list[str]:
    """The trailers for the worker and the lock; a person needs none."""
    kind = task_kind(governing.on_disk())
    lock = site_lock(where, kind)
    found = [f'{TASK}: {where.task}']
    if where.actor.is_human:
        return found
    elif (
        lock is None
        or not where.actor.session
        or not where.given
        or where.doubt
        or lock.session != where.actor.session
    ):
        # the hook that refuses this may be skipped; then the history shows it
        found.append(f'{LOCK}: {where.task}@{NOT_HELD}')
    elif lock.generation:
        found.append(f'{LOCK}: {where.task}@{lock.generation}')
        if where.grant:
            found.append(f'{GRANT}: {where.grant}')
    return found


def _of_task(
    repository: Repository, governing: Governing, workflow: Workflow
) -> list[str]:
    if not has_tasks(workflow):
        return []
    found = sites(repository, governing, workflow)
    if not found or not found[0].task:
        return []
    return _of_site(found[0], governing)


def _of_stage(
    repository: Repository, workflow: Workflow, message: Message
) -> list[str]:
    """The confirmation of the stage before, for a stage commit."""
    if not message.subject:
        # there is no subject yet
        return []
    found = confirmed_before(
        repository, repository.facts.common_dir, workflow, message.subject
    )
    return [str(found)] if found else []


def add_trailers(file: str) -> int:
    if read(file) is None:
        raise Refusal(f'the message file {file} does not exist')
    with opened() as repository:
        governing = Governing(repository)
        try:
            workflow = governing.on_disk()
        except NoWorkflow:
            # the hooks that judge the commit report it
            return 0
        message = read_message(file, repository)
        # these replace the trailers of an earlier holder in an amended message
        found = [
            *_of_task(repository, governing, workflow),
            *_of_stage(repository, workflow, message),
        ]
        if found:
            repository.git.add_trailers(file, found)
    return 0
