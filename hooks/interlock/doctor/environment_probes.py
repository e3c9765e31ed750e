"""What must be there before any hook can refuse anything."""

from __future__ import annotations

import os

from interlock.doctor.installation import Installation
from interlock.documents.wiring import calls
from interlock.documents.wiring.files import (
    CI_FOLDERS,
    CI_KINDS,
    PATHSPECS,
    RUNNERS,
    kind_of,
)
from interlock.files.disk_snapshot import DiskSnapshot
from interlock.git.git import Git
from interlock.git.workflow_source import Governing
from interlock.model import quick_re as re
from interlock.model.change import Snapshot
from interlock.model.errors import Refusal
from interlock.model.probe import DEAD, LIVE, NOT_WIRED, Probe
from interlock.model.quick_typing import Iterator, Mapping
from interlock.operations.registry.status import unwatched
from interlock.transactions.journal import Journal
from interlock.workflow.language.spec import Workflow

OLDEST_GIT = (2, 30)
VERSION_RE = re.compile(r'(\d+)\.(\d+)')


def git(environ: Mapping[str, str]) -> Probe:
    """Whether git is recent enough; refuses where there is no git."""
    said = Git(environ).line('--version')
    match = VERSION_RE.search(said)
    wanted = '.'.join(map(str, OLDEST_GIT))
    if match is None or (int(match[1]), int(match[2])) < OLDEST_GIT:
        return Probe('git', DEAD, f'{said} is older than {wanted}', 'upgrade git')
    return Probe('git', LIVE, said)


def repository(place: Installation) -> Probe:
    if not place.top:
        return Probe('repository', LIVE, f'{place.git_dir} (bare)')
    linked = os.path.realpath(place.git_dir) != os.path.realpath(place.common_dir)
    also = f', linked to {place.common_dir}' if linked else ''
    return Probe('repository', LIVE, f'{place.top}{also}')


def workflow(governing: Governing) -> tuple[Probe, Workflow | None]:
    try:
        found = governing.on_disk()
    except Refusal as e:
        return Probe('workflow', DEAD, e.message, e.hint), None
    names = [kind.name for kind in found.kinds]
    names += [kind.name for kind in found.recorded]
    kinds = ', '.join(names) or 'no items'
    return Probe('workflow', LIVE, f'{found.source} ({kinds})'), found


def _present(place: Installation, governing: Governing) -> Snapshot:
    """The files, or in a bare repository the last commit."""
    if place.top:
        return DiskSnapshot(place.top)
    head = governing.repository.head()
    return governing.repository.tree(
        head.tree if head else governing.repository.empty_tree
    )


def registries(
    place: Installation, governing: Governing, workflow: Workflow
) -> Iterator[Probe]:
    """Without its registry a workflow finds nothing wrong with anything."""
    missing = dict(unwatched(_present(place, governing), workflow))
    for what, step in missing.items():
        yield Probe('registry', NOT_WIRED, what, step)
    files = [kind.registry.file for kind in workflow.kinds if kind.registry]
    if files and not missing:
        yield Probe('registry', LIVE, f'{", ".join(files)} is there')


def journal(place: Installation) -> Probe:
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
    """The files by which CI may call us, directly or not."""
    for name in (*PATHSPECS, *RUNNERS):
        if os.path.isfile(os.path.join(top, name)):
            yield name
    for folder in CI_FOLDERS:
        for directory, _, names in os.walk(os.path.join(top, folder)):
            below = os.path.relpath(directory, top).replace(os.sep, '/')
            yield from (f'{below}/{name}' for name in sorted(names))


def ci(place: Installation) -> Probe:
    """For information: a local hook can be skipped, a runner cannot."""
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
