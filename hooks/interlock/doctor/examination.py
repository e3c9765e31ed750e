"""All probes of an installation, with the canary if it is asked for."""

from __future__ import annotations

import os

from interlock.agents.registered import adapters
from interlock.checks.workflow import baseline_path
from interlock.doctor import (
    client,
    client_canary,
    client_sources,
    database,
    environment_probes,
    hooks,
    lock_engine,
)
from interlock.doctor.canary_trial import CanaryReport, canary
from interlock.doctor.installation import Installation, installation
from interlock.engine import baseline
from interlock.engine.open_repository import opened
from interlock.git.repository import Repository
from interlock.git.workflow_source import Governing
from interlock.model.errors import NoRepository, Refusal
from interlock.model.probe import DEAD, LIVE, Probe
from interlock.tasks.task_layout import has_tasks
from interlock.workflow.language.spec import Workflow


def _baseline(governing: Governing, workflow: Workflow) -> Probe:
    head = governing.repository.head()
    path = baseline_path(workflow)
    try:
        known = baseline.before(
            governing.repository.tree(
                head.tree if head else governing.repository.empty_tree
            ),
            workflow,
            governing,
        )
    except Refusal as e:
        return Probe('baseline', DEAD, e.message, e.hint)
    return Probe('baseline', LIVE, f'{path}: {len(known)} old findings')


def _of_git(
    where: Installation, governing: Governing
) -> tuple[list[Probe], Workflow | None]:
    workflow, found = environment_probes.workflow(governing)
    probes = [environment_probes.repository(where), workflow]
    if found is not None:
        probes.extend(environment_probes.registries(where, governing, found))
        probes.append(_baseline(governing, found))
        probes.extend(lock_engine.probes(found, where.common_dir))
        probes.extend(database.probes(found, where.top or where.common_dir))
    probes.append(environment_probes.journal(where))
    probes.append(hooks.directory(where))
    tasks = found is not None and has_tasks(found)
    probes.extend(hooks.hooks(where, tasks))
    probes.append(hooks.on_path(where, os.environ))
    if where.top:
        probes.extend(hooks.frameworks(where))
        probes.append(environment_probes.ci(where))
    return probes, found


def _remedy(probes: list[Probe]) -> str:
    """What fixes the hooks, if one of them is known to be broken."""
    return next(
        (probe.next for probe in probes if probe.verdict == DEAD and probe.next), ''
    )


def _examined(repository: Repository, with_canary: bool) -> CanaryReport:
    where = installation(repository)
    governing = Governing(repository)
    probes, workflow = _of_git(where, governing)
    left_out: dict[str, str] = {}
    if with_canary and workflow is None:
        probes.append(
            Probe(
                'canary',
                DEAD,
                'without a workflow nothing can be planted',
                'interlock init',
            )
        )
    elif with_canary and workflow is not None:
        sung = canary(repository, where, governing, workflow, _remedy(probes))
        # what was tried counts more than what is written
        tried = {probe.name: probe for probe in sung.probes}
        probes = [tried.pop(probe.name, probe) for probe in probes]
        probes.extend(tried.values())
        left_out.update(sung.left_out)
    if where.top:
        wired = [
            client_sources.client(each, where.top, where.common_dir, os.environ)
            for each in adapters()
        ]
        for each in client.shown(wired):
            probes.extend(client.probes(each))
            if with_canary and workflow is not None:
                probes.extend(
                    client_canary.canary(each, repository, where, governing, workflow)
                )
    return CanaryReport(probes, left_out)


def examine(with_canary: bool) -> CanaryReport:
    try:
        version = environment_probes.git(os.environ)
        with opened() as repository:
            found = _examined(repository, with_canary)
    except NoRepository as e:
        return CanaryReport([Probe('repository', DEAD, e.message, e.hint)], {})
    return found._replace(probes=[version, *found.probes])
