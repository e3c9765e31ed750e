from __future__ import annotations

import os

import click

from interlock.agents import adapters
from interlock.commands.click_options import Options, common, example, option
from interlock.doctor import client_sources
from interlock.files.actor import actor, require_person
from interlock.git.git_paths import FILE
from interlock.git.repository import opened
from interlock.model.quick_typing import Iterator
from interlock.report.terminal import err
from interlock.setup import wiring_plan
from interlock.setup.file_plan import take_all
from interlock.setup.init import Target, target_of


def _kept(target: Target) -> Iterator[str]:
    found = [
        client_sources.client(each, target.top, target.common_dir, os.environ)
        for each in adapters()
    ]
    calls = [call for each in found for call in each.calls]
    for source in dict.fromkeys(call.source for call in calls):
        if os.path.isabs(source) or source == client_sources.THE_PLUGIN:
            yield f'{source}: left; it calls Interlock in every project'
    if os.path.exists(os.path.join(target.top, FILE)):
        yield f'{FILE}: left; it is yours'
    state = os.path.join(target.common_dir, 'interlock')
    if os.path.isdir(state):
        yield f'{state}: left; caches, records and logs'


@example('interlock uninstall --dry-run')
@click.command('uninstall')
@option('--dry-run', 'Show what would be removed, and remove nothing.')
@common
def command(options: Options, dry_run: bool) -> int:
    """Remove what init wrote, and nothing else.

    That is: git hooks as init writes them, and Interlock's entries in the
    configuration of pre-commit and in the settings of clients. What others wrote is
    left alone, and listed.
    """
    with opened() as repository:
        target = target_of(repository)
    if not dry_run:
        require_person(
            actor(os.environ, target.common_dir),
            'take the hooks out',
            'ask the user to run interlock uninstall on a terminal',
        )
    # plan everything first: one unreadable file stops all
    steps = wiring_plan.removal_steps(target)
    if not dry_run:
        wiring_plan.forget_settings(target)
    take_all(steps, target.top, dry_run)
    if not dry_run:
        wiring_plan.remove_empty_folder(target, steps)
    if not any(step.gone or step.new is not None for step in steps):
        err('nothing here calls Interlock')
    for line in (*_kept(target), *wiring_plan.orphaned_hooks(target, steps)):
        err(line)
    return 0
