from __future__ import annotations

import click

from interlock.commands.click_options import Options, formats, governed
from interlock.documents.text import shown
from interlock.report.terminal import err, out, out_json
from interlock.tasks.engines.overview import LockLine, overview


def _text(line: LockLine) -> str:
    own = ' (this session)' if line.is_own else ''
    parts = [f'{line.task:24} {shown(line.state) or "-":18} {line.holder}{own}']
    if line.worktree:
        parts.append(f'  in {shown(line.worktree)}')
    if line.confirmed:
        parts.append(f'  confirmed: {line.confirmed}')
    return '\n    '.join(parts)


@click.command('list')
@click.option(
    '--all',
    'everywhere',
    is_flag=True,
    help='Ask the engine for the locks of others too.',
)
@formats('text', 'json')
@governed
def command(options: Options, everywhere: bool, form: str) -> int:
    """List who works on which task: where, since when, confirmed when."""
    with options.tasks(reads=True) as at:
        found = overview(at.space, at.actor, everywhere)
    if found.warning:
        err(found.warning)
    if form == 'json':
        out_json([line._asdict() for line in found.lines], indent=None)
    elif found.lines:
        out('\n'.join(map(_text, found.lines)))
    return 0
