from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator

import click

from interlock.commands.click_options import Options, common
from interlock.commands.setup.init import Place, place_of
from interlock.doctor import claude_sources
from interlock.documents.wiring import claude_settings, hook_files
from interlock.documents.wiring.files import PRE_COMMIT, PREK
from interlock.engine.open_repository import opened
from interlock.files import settings_record
from interlock.files.actor import actor
from interlock.files.atomic_files import read
from interlock.git import installed_hooks
from interlock.git.hook_folder import scripts_folder
from interlock.git.workflow_source import FILE
from interlock.model.errors import Denied
from interlock.report.terminal import err
from interlock.setup import claude_wiring, pre_commit_unwiring, pre_commit_wiring
from interlock.setup.file_plan import Step, take


def _names(old: bytes, command: str) -> bool:
    """Whether a hook that somebody else wrote names us, heard or not."""
    call = rf'^[^#\n]*\binterlock {command}\b'
    return re.search(call.encode(), old, re.MULTILINE) is not None


def _git_hook(path: str, command: str) -> Step | None:
    old = read(path)
    if old is None:
        return None
    elif old == hook_files.git_hook(command):
        return Step(path, old, None, 'is ours', gone=True)
    elif _names(old, command):
        return Step(
            path,
            old,
            None,
            f'calls `interlock {command}`, and is not as we write it; left',
        )
    return None


def _git_hooks(place: Place) -> Iterator[Step | None]:
    for folder in dict.fromkeys(
        map(
            os.path.realpath,
            (place.hooks, scripts_folder(place.hooks), place.own_hooks),
        )
    ):
        for name, command in hook_files.CALLS.items():
            yield _git_hook(os.path.join(folder, name), command)


def _pre_commit(place: Place) -> Iterator[Step | None]:
    path = os.path.join(place.top, pre_commit_wiring.FILE)
    old = read(path)
    if old is not None:
        new, left = pre_commit_unwiring.without(old)
        remark = 'without our hooks' + (f'; {left}' if left else '')
        if new is None:
            yield Step(path, old, None, left) if left else None
        elif not new:
            yield Step(path, old, None, 'only ours was in it', gone=True)
        else:
            yield Step(path, old, new, remark)
    path = os.path.join(place.top, pre_commit_wiring.TOML_FILE)
    old = read(path)
    if old is not None and b'interlock' in old:
        yield Step(
            path, old, None, 'TOML is not edited here; take our hooks out of it by hand'
        )


def _client(place: Place) -> Iterator[Step | None]:
    for path in settings_record.settings_files(place.top, {}):
        if os.path.realpath(path).startswith(
            os.path.join(os.path.realpath(place.top), '')
        ):
            yield claude_wiring.without_settings(path, place.top)
    yield claude_wiring.without_server(place.top)


def _forget(place: Place) -> None:
    """First: what is known to have called us is guarded."""
    for path in settings_record.recorded(place.common_dir):
        settings_record.remember(place.common_dir, path, {})


def _tidy(place: Place, steps: Iterable[Step]) -> None:
    """A directory that only our settings were in goes with them."""
    folder = os.path.join(place.top, claude_settings.FOLDER)
    if (
        any(step.gone and os.path.dirname(step.path) == folder for step in steps)
        and not os.path.islink(folder)
        and not os.listdir(folder)
    ):
        os.rmdir(folder)


def _bereft(place: Place, gone: Iterable[str]) -> Iterator[str]:
    """Hooks of a framework that has no configuration any more: each commit
    would be refused by it, and by default it removes only one of them."""
    for framework in (PRE_COMMIT, PREK):
        name, _ = installed_hooks.config_of(place.top, framework)
        hooks = [
            name
            for name in hook_files.CALLS
            if installed_hooks.hook(place.hooks, name).manager == framework
        ]
        if hooks and (not name or os.path.join(place.top, name) in gone):
            types = ' '.join(f'-t {name}' for name in hooks)
            yield (
                f'{place.hooks}: {", ".join(hooks)} left; written by '
                f'{framework}, which has no configuration any more\n'
                f'next: {framework} uninstall {types}'
            )


def _kept(place: Place) -> Iterator[str]:
    found = claude_sources.client(place.top, place.common_dir, os.environ)
    for source in dict.fromkeys(call.source for call in found.calls):
        if os.path.isabs(source) or source == claude_sources.THE_PLUGIN:
            yield f'{source}: left; calls us in every project'
    if os.path.exists(os.path.join(place.top, FILE)):
        yield f'{FILE}: left; it is yours'
    state = os.path.join(place.common_dir, 'interlock')
    if os.path.isdir(state):
        yield f'{state}: left; caches, records and logs'


@click.command('uninstall')
@click.option('--dry-run', is_flag=True, help='Show, do not remove.')
@common
def command(options: Options, dry_run: bool) -> int:
    """Take out what init wrote, and nothing else.

    Hooks of git that are as init writes them, our entries in the
    configuration of pre-commit and in the settings of Claude Code. What
    others wrote is left, and said.
    """
    who = actor(os.environ)
    if not dry_run and (who.session or who.automated):
        raise Denied(
            'only a person may take the hooks out, not an agent',
            'ask the user to run interlock uninstall',
        )
    with opened() as repository:
        place = place_of(repository)
    # all of them first: what cannot be read stops everything
    steps = [
        step
        for step in (*_git_hooks(place), *_pre_commit(place), *_client(place))
        if step is not None
    ]
    if not dry_run:
        _forget(place)
    for step in steps:
        take(step, place.top, dry_run)
    if not dry_run:
        _tidy(place, steps)
    if not any(step.gone or step.new is not None for step in steps):
        err('nothing of ours is wired here')
    gone = [step.path for step in steps if step.gone]
    for line in (*_kept(place), *_bereft(place, gone)):
        err(line)
    return 0
