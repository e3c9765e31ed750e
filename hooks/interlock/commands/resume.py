from __future__ import annotations

import json
from collections.abc import Iterator

import click

from interlock.checks.standing import findings_of
from interlock.commands.host import out
from interlock.commands.lost import is_lost
from interlock.commands.parsing import writes
from interlock.commands.project import Project
from interlock.commands.project import project
from interlock.commands.verify_state import verdict
from interlock.operations import verify
from interlock.operations.resume import Resumption
from interlock.operations.resume import resumption
from interlock.report.machine import as_dict
from interlock.workflow.records import Records
from interlock.workflow.spec import DONE


def _next(here: Project, at: Records, found: Resumption, code: int) -> str:
    if code == verify.NO_HANDOFF and is_lost(here, at):
        return f'interlock handoff restore {found.item}'
    elif code == verify.NO_HANDOFF and at.role == DONE:
        # there is no work to hand over
        return f'interlock menu {found.item}'
    elif code == verify.NO_HANDOFF:
        return f'interlock handoff create {found.item}'
    elif code == verify.STALE:
        return f'interlock verify-state --clean {found.item}'
    elif code == verify.FINE:
        return f'interlock menu {found.item}'
    return f'interlock resolve {found.item}'


def _migrate(found: Resumption) -> str:
    """The command that is offered for a handoff of an old format."""
    return f'interlock handoff migrate {found.item}' if found.missing else ''


def _lines(found: Resumption) -> Iterator[str]:
    status = ', '.join(
        part for part in (
            found.status, found.updated and f'updated {found.updated}',
        ) if part
    )
    if found.state:
        yield f'{found.state} ({status})' if status else found.state
    for name, text in found.fields.items():
        yield f'{name}: {text}'
    for title, lines in (
            ('Next steps', found.next_steps), ('Read', found.documents),
    ):
        if lines:
            yield f'{title}:'
            yield from (f'  {line}' for line in lines)
    if found.missing:
        yield (
            f'The handoff has an old format (no {", ".join(found.missing)}); '
            f'to bring it to today\'s: {_migrate(found)}'
        )


def _json(
        at: Records,
        found: Resumption,
        state: verify.State,
        following: str,
) -> str:
    data = found._asdict()
    return json.dumps(
        {
            'version': 1,
            'code': state.code,
            'verdict': list(verdict(at, state)),
            'findings': [as_dict(finding) for finding in state.findings],
            **data,
            'migrate': _migrate(found),
            'next': following,
        },
        ensure_ascii=False, indent=2,
    )


@click.command('resume')
@click.argument('item')
@click.option(
    '--format', 'form', type=click.Choice(['text', 'json']), default='text',
)
@writes
def command(
        item: str,
        form: str,
        config: str,
        wait: float,
        verbose: int,
        quiet: int,
) -> int:
    """Say where work on ITEM goes on, and whether it may.

    Exit codes as of verify-state: 0 it may, 1 no handoff, 2 the records
    disagree, 3 a contract is not what was sealed, 4 the handoff is stale.
    Nothing is written.
    """
    with project(config, wait, reads=True) as here:
        at = here.item(item)
        state = verify.verify_state(at, findings_of(at, here.workflow))
        found = resumption(at)
        following = _next(here, at, found, state.code)
    if form == 'json':
        out(_json(at, found, state, following))
        return state.code
    out('\n'.join([*verdict(at, state), *_lines(found)]))
    out(f'next: {following}')
    return state.code
