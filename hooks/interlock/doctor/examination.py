"""Runs all probes of an installation, and the canary on request."""

from __future__ import annotations

import os

from interlock.agents import adapters
from interlock.doctor import (
    client,
    client_canary,
    client_sources,
    hooks,
    shared_engines,
)
from interlock.doctor.canary_trial import CanaryReport, canary
from interlock.doctor.installation import Installation, installation
from interlock.documents.wiring import calls
from interlock.engine import baseline
from interlock.files.disk_snapshot import DiskSnapshot
from interlock.git.git import Git
from interlock.git.repository import Repository, opened
from interlock.git.workflow_source import Governing
from interlock.model import quick_re as re
from interlock.model.calling_files import (
    CI_FOLDERS,
    CI_KINDS,
    PATHSPECS,
    RUNNERS,
    kind_of,
)
from interlock.model.change import Snapshot
from interlock.model.errors import NoRepository, Refusal
from interlock.model.probe import DEAD, LIVE, NOT_WIRED, Probe
from interlock.model.quick_typing import Iterator, Mapping
from interlock.model.report import plural
from interlock.operations.registry.status import unchecked_items_advice
from interlock.tasks.task_layout import has_tasks
from interlock.transactions.journal import Journal
from interlock.workflow.language.spec import Workflow

OLDEST_GIT = (2, 30)
VERSION_RE = re.compile(r'(\d+)\.(\d+)')


def _git(environ: Mapping[str, str]) -> Probe:
    """Whether git is recent enough; raises Refusal if there is no git."""
    said = Git(environ).line('--version')
    match = VERSION_RE.search(said)
    wanted = '.'.join(map(str, OLDEST_GIT))
    if match is None or (int(match[1]), int(match[2])) < OLDEST_GIT:
        return Probe('git', DEAD, f'{said} is older than {wanted}', 'upgrade git')
    return Probe('git', LIVE, said)


def _repository(place: Installation) -> Probe:
    if not place.top:
        return Probe('repository', LIVE, f'{place.git_dir} (bare)')
    linked = os.path.realpath(place.git_dir) != os.path.realpath(place.common_dir)
    also = f', linked to {place.common_dir}' if linked else ''
    return Probe('repository', LIVE, f'{place.top}{also}')


def _workflow(governing: Governing) -> tuple[Probe, Workflow | None]:
    try:
        found = governing.on_disk()
    except Refusal as e:
        return Probe('workflow', DEAD, e.message, e.hint), None
    names = [kind.name for kind in found.kinds]
    names += [kind.name for kind in found.recorded]
    kinds = ', '.join(names) or 'no items'
    return Probe('workflow', LIVE, f'{found.source} ({kinds})'), found


def _last_commit(repository: Repository) -> Snapshot:
    head = repository.head()
    return repository.tree(head.tree if head else repository.empty_tree)


def _registries(
    place: Installation, governing: Governing, workflow: Workflow
) -> Iterator[Probe]:
    """Whether the registries exist: without them a workflow finds no mistakes."""
    last = _last_commit(governing.repository)
    present = DiskSnapshot(place.top) if place.top else last
    missing = dict(unchecked_items_advice(present, workflow))
    for what, step in missing.items():
        yield Probe('registry', NOT_WIRED, what, step)
    files = [kind.registry.file for kind in workflow.kinds if kind.registry]
    if files and not missing:
        verb = 'is' if len(files) == 1 else 'are'
        yield Probe('registry', LIVE, f'{" and ".join(files)} {verb} there')


def _journal(place: Installation) -> Probe:
    left = Journal(place.common_dir).left()
    if left:
        return Probe(
            'journal',
            DEAD,
            f'a command was killed and left {os.path.basename(left[0])}; the next '
            f'command that writes finishes or undoes it',
            'interlock check --worktree --fix',
        )
    return Probe('journal', LIVE, 'no command was interrupted')


def _ci_files(top: str) -> Iterator[str]:
    """The files through which CI may call us, directly or indirectly."""
    for name in (*PATHSPECS, *RUNNERS):
        if os.path.isfile(os.path.join(top, name)):
            yield name
    for folder in CI_FOLDERS:
        for directory, _, names in os.walk(os.path.join(top, folder)):
            below = os.path.relpath(directory, top).replace(os.sep, '/')
            yield from (f'{below}/{name}' for name in sorted(names))


def _ci(place: Installation) -> Probe:
    """Whether CI calls us, for information: users can skip local hooks, but not CI."""
    tree = calls.in_tree(_ci_files(place.top), place.read)
    ours = [path for path, found in tree.files.items() if calls.CI in found.at]
    indirect = [path for path in tree.indirect if kind_of(path) in CI_KINDS]
    if ours:
        return Probe('CI', LIVE, f'{", ".join(ours)} calls interlock')
    elif indirect:
        what = f'{", ".join(indirect)} runs a program that calls interlock'
        return Probe('CI', LIVE, what)
    step = 'add a step to the pipeline: interlock check --base auto'
    return Probe('CI', NOT_WIRED, 'no CI file calls interlock', step)


def _baseline(governing: Governing, workflow: Workflow) -> Probe:
    path, last = workflow.baseline, _last_commit(governing.repository)
    try:
        known = baseline.before(last, workflow, governing)
    except Refusal as e:
        return Probe('baseline', DEAD, e.message, e.hint)
    said = plural(len(known), 'old finding') if known else 'none is needed'
    return Probe('baseline', LIVE, f'{path}: {said}')


def _git_probes(
    where: Installation, governing: Governing
) -> tuple[list[Probe], Workflow | None]:
    probe, found = _workflow(governing)
    probes = [_repository(where), probe]
    if found is not None:
        probes.extend(_registries(where, governing, found))
        probes.append(_baseline(governing, found))
        directory = where.top or where.common_dir
        probes.extend(shared_engines.probes(found, where.common_dir, directory))
    probes.append(_journal(where))
    probes.append(hooks.directory(where))
    tasks = found is not None and has_tasks(found)
    probes.extend(hooks.hooks(where, tasks))
    probes.append(hooks.on_path(where, os.environ))
    if where.top:
        probes.extend(hooks.frameworks(where))
        probes.append(_ci(where))
    return probes, found


def _examined(repository: Repository, with_canary: bool) -> CanaryReport:
    where = installation(repository)
    governing = Governing(repository)
    probes, workflow = _git_probes(where, governing)
    left_out: dict[str, str] = {}
    if with_canary and workflow is None:
        what = 'without a workflow nothing can be planted'
        probes.append(Probe('canary', DEAD, what, 'interlock init'))
    elif with_canary and workflow is not None:
        # the command that fixes the hooks, if one is known to be broken
        fixes = [probe.next for probe in probes if probe.verdict == DEAD and probe.next]
        remedy = next(iter(fixes), '')
        trial = canary(where, governing, workflow, remedy)
        # a probe that ran something replaces one that only read files
        tried = {probe.name: probe for probe in trial.probes}
        probes = [tried.pop(probe.name, probe) for probe in probes]
        probes.extend(tried.values())
        left_out.update(trial.left_out)
    if where.top:
        wired = [
            client_sources.client(each, where.top, where.common_dir, os.environ)
            for each in adapters()
        ]
        for each in client.shown(wired):
            probes.extend(client.probes(each))
            if with_canary and workflow is not None:
                probes.extend(client_canary.canary(each, where, governing, workflow))
    return CanaryReport(probes, left_out)


def examine(with_canary: bool) -> CanaryReport:
    try:
        version = _git(os.environ)
        with opened() as repository:
            found = _examined(repository, with_canary)
    except NoRepository as e:
        return CanaryReport([Probe('repository', DEAD, e.message, e.hint)], {})
    return found._replace(probes=[version, *found.probes])
