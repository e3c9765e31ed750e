from __future__ import annotations

import click

from interlock.commands.click_options import Options, example, group, option, writes
from interlock.commands.workflow_options import item_argument
from interlock.model.errors import Denied
from interlock.model.fixes import WHY, ours
from interlock.operations import contracts as operations
from interlock.operations.contracts import ContractSeal
from interlock.operations.outcome import Outcome
from interlock.report.terminal import FOUND, err, out


@example('interlock contracts verify Search')
@group('contracts')
def command() -> None:
    """Seal, verify and restore contracts."""


@example(
    'interlock contracts seal Search',
    "interlock contracts seal Search plan --amend 'the client asked for it'",
)
@command.command()
@item_argument()
@click.argument('names', nargs=-1, metavar='[CONTRACT]...')
@option('--amend REASON', 'Say why it changed.')
@writes
def seal(options: Options, item: str, names: tuple[str, ...], amend: str) -> int:
    """Record the checksums of the contracts of ITEM in its handoff."""
    with options.project() as here, here.stored() as contents:
        at = here.item(item)
        here.apply(operations.seal(at, operations.seals(at, contents, names), amend))
    return 0


def _verdict(seal: ContractSeal) -> str:
    if not seal.actual:
        return 'missing'
    elif not seal.recorded:
        return 'not sealed'
    return 'holds' if seal.holds else 'broken'


@example('interlock contracts verify Search')
@command.command()
@item_argument()
@writes
def verify(options: Options, item: str) -> int:
    """Show for each contract of ITEM whether it matches its seal."""
    with options.project(reads=True) as here, here.stored() as contents:
        found = operations.seals(here.item(item), contents)
    for each in found:
        maker = each.contract.made_by
        made = f' ({maker} makes it)' if maker and not each.actual else ''
        out(f'{each.contract.name:20} {_verdict(each):10} {each.path}{made}')
    if all(each.holds for each in found):
        return 0
    err(f'next: {ours("contracts", "restore", item)}')
    return FOUND


@example('interlock contracts restore Search')
@command.command()
@item_argument()
@click.argument('names', nargs=-1, metavar='[CONTRACT]...')
@writes
def restore(options: Options, item: str, names: tuple[str, ...]) -> int:
    """Restore contracts of ITEM to the versions that their seals name."""
    with options.project() as here:
        with here.stored() as contents:
            found = operations.seals(here.item(item), contents, names)
        broken = [each for each in found if not each.holds]
        if not broken:
            err(f'{item}: {operations.seals_sentence(found)}')
            return 0
        lost = []
        files: dict[str, bytes | None] = {}
        said = []
        repository = here.require_repository()
        for each in broken:
            commit = repository.last_with(each.path, each.recorded)
            if commit:
                files[each.path] = repository.git.checked_out(commit, each.path)
                said.append(f'{each.path}: restored from {commit[:10]}')
            else:
                lost.append(each.path)
        here.apply(Outcome(files, tuple(said)))
    if lost:
        raise Denied(
            f'no commit holds the sealed version of {", ".join(lost)}',
            ours('contracts', 'seal', item, '--amend', WHY),
        )
    return 0
