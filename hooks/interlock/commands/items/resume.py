from __future__ import annotations

import click

from interlock.checks.run import findings_of
from interlock.commands.click_options import Options, example, formats, writes
from interlock.commands.workflow_options import item_argument
from interlock.model.fixes import ours
from interlock.model.quick_typing import Iterator
from interlock.operations import verify
from interlock.project.item_verdict import (
    Resumption,
    known_item,
    resumption,
    verdict,
    way_on,
)
from interlock.report.ci_formats import as_dict
from interlock.report.terminal import out, out_json


def _lines(found: Resumption, migrate: str) -> Iterator[str]:
    status = ', '.join(
        part
        for part in (found.status, found.updated and f'updated {found.updated}')
        if part
    )
    if found.state:
        yield f'{found.state} ({status})' if status else found.state
    for name, text in found.fields.items():
        yield f'{name}: {text}'
    yield from found.failures
    for title, lines in (('Next steps', found.next_steps), ('Read', found.documents)):
        if lines:
            yield f'{title}:'
            yield from (f'  {line}' for line in lines)
    if found.missing:
        yield (
            f'The handoff has an old format (no {", ".join(found.missing)}); '
            f'to update it: {migrate}'
        )


@example('interlock resume Search', 'interlock resume Search --json')
@click.command('resume')
@item_argument()
@formats('text', 'json')
@writes
def command(options: Options, item: str, form: str) -> int:
    """Show where work on ITEM continues, and whether it may.

    Nothing is written. Exit codes as in verify-state: 0 it may, 1 no handoff (or no
    such item), 2 the records disagree, 3 a contract differs from its seal, 4 the
    handoff is stale.
    """
    with options.project(reads=True) as here:
        at = known_item(here, item)
        state = verify.item_state(at, findings_of(at, here.workflow))
        found = resumption(at)
        following = way_on(here, at, state)
        said = list(verdict(here, at, state))
        # the offer for a handoff of an old format
        migrate = ours('handoff', 'migrate', at.called) if found.missing else ''
    if form == 'json':
        out_json(
            {
                'version': 1,
                'code': state.code,
                'verdict': said,
                'findings': [as_dict(finding) for finding in state.findings],
                **found._asdict(),
                'migrate': migrate,
                'next': following,
            }
        )
        return state.code
    out('\n'.join([*said, *_lines(found, migrate)]))
    out(f'next: {following}')
    return state.code
