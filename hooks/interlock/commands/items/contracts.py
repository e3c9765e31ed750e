from __future__ import annotations

import click

from interlock import __version__
from interlock.commands.click_options import writes
from interlock.commands.items.project import project, stored
from interlock.engine.open_repository import opened
from interlock.model.errors import Denied
from interlock.model.fixes import WHY, ours
from interlock.operations import contracts as operations
from interlock.operations.outcome import Outcome
from interlock.report.terminal import FOUND, err, out


@click.group('contracts')
@click.version_option(__version__, prog_name='interlock')
def command() -> None:
    """Seal, verify and restore contracts."""


@command.command()
@click.argument('item')
@click.argument('names', nargs=-1, metavar='[CONTRACT]...')
@click.option('--amend', default='', metavar='REASON', help='Why it changed.')
@writes
def seal(
    item: str,
    names: tuple[str, ...],
    amend: str,
    config: str,
    wait: float,
    verbose: int,
    quiet: int,
) -> int:
    """Record the checksums of the contracts of ITEM in its handoff."""
    with project(config, wait) as here, stored(here) as contents:
        at = here.item(item)
        found = operations.seals(at, contents, names)
        here.apply(operations.seal(at, found, amend))
    return 0


@command.command()
@click.argument('item')
@writes
def verify(item: str, config: str, wait: float, verbose: int, quiet: int) -> int:
    """Say of each contract of ITEM whether its seal holds."""
    with project(config, wait, reads=True) as here, stored(here) as contents:
        found = operations.seals(here.item(item), contents)
    for each in found:
        maker = each.contract.made_by
        made = f' ({maker} makes it)' if maker and not each.actual else ''
        verdict = (
            'missing'
            if not each.actual
            else (
                'not sealed'
                if not each.recorded
                else 'holds'
                if each.holds
                else 'broken'
            )
        )
        out(f'{each.contract.name:20} {verdict:10} {each.path}{made}')
    broken = [each for each in found if not each.holds]
    if broken:
        err(f'next: interlock contracts restore {item}')
    return FOUND if broken else 0


@command.command()
@click.argument('item')
@click.argument('names', nargs=-1, metavar='[CONTRACT]...')
@writes
def restore(
    item: str,
    names: tuple[str, ...],
    config: str,
    wait: float,
    verbose: int,
    quiet: int,
) -> int:
    """Bring back contracts of ITEM from the last commit that was sealed."""
    with project(config, wait) as here:
        with stored(here) as contents:
            found = operations.seals(here.item(item), contents, names)
        broken = [each for each in found if not each.holds]
        if not broken:
            err(f'{item}: {operations.standing(found)}')
            return 0
        lost = []
        files: dict[str, bytes | None] = {}
        said = []
        with opened() as repository:
            for each in broken:
                commit = repository.last_with(each.path, each.recorded)
                if commit:
                    git = repository.git
                    files[each.path] = git.checked_out(commit, each.path)
                    said.append(f'{each.path}: restored from {commit[:10]}')
                else:
                    lost.append(each.path)
        here.apply(Outcome(files, tuple(said)))
    if lost:
        raise Denied(
            f'no commit holds what was sealed of {", ".join(lost)}',
            ours('contracts', 'seal', item, '--amend', WHY),
        )
    return 0
