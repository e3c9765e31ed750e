from __future__ import annotations

import contextlib
import json

import click

from interlock import __version__
from interlock.commands.click_options import common, writes
from interlock.commands.items.lost_records import committed, refuse_lost
from interlock.commands.items.project import Project, project, stored, today
from interlock.model.change import Snapshot
from interlock.model.errors import Denied
from interlock.model.fixes import ours
from interlock.operations.registry import add as registry_add
from interlock.operations.registry import change
from interlock.operations.registry import set_status as status_operation
from interlock.operations.registry import status as operations
from interlock.operations.registry.add import complete, is_incomplete
from interlock.report.terminal import FOUND, MISCONFIGURED, err, out
from interlock.workflow.reading.item_paths import is_name
from interlock.workflow.reading.records import Records, all_items
from interlock.workflow.reading.status_words import is_begun, label


@click.group('registry')
@click.version_option(__version__, prog_name='interlock')
def command() -> None:
    """Ask and change the registry: rows and entries together."""


@command.command()
@click.argument('item')
@click.argument('status')
@click.option('--format', 'form', type=click.Choice(['text', 'json']), default='text')
@click.option('--config', default='', metavar='FILE', help='The workflow.')
@common
def may(
    item: str, status: str, form: str, config: str, verbose: int, quiet: int
) -> int:
    """May ITEM go to STATUS, as the working tree stands? 0 yes, 1 no."""
    with project(config, reads=True) as here:
        at = here.item_or_new(item)
        wanted = operations.parse_status(status, at.kind)
        allowed, reason = operations.may(at, wanted, is_begun(wanted, at.kind))
    if form == 'json':
        out(json.dumps({'allowed': allowed, 'reason': reason}))
    else:
        verb = 'may' if allowed else 'may not'
        why = f': {reason}' if reason else ''
        origin = label(at.state, at.kind) if at.state else 'nothing'
        assert wanted.state is not None
        target = label(wanted.state, at.kind)
        out(f'{item} {verb} go from {origin} to {target}{why}')
    return 0 if allowed else FOUND


def _json(values: dict[str, str]) -> str:
    """On one line, in the form that scripts of the workflow expect."""
    pairs = ', '.join(
        f'"{key}": {json.dumps(value, ensure_ascii=False)}'
        for key, value in values.items()
    )
    return f'{{ {pairs} }}'


@command.command()
@click.argument('item', required=False)
@click.option('--format', 'form', type=click.Choice(['text', 'json']), default='text')
@click.option('--config', default='', metavar='FILE', help='The workflow.')
@common
def show(item: str | None, form: str, config: str, verbose: int, quiet: int) -> int:
    """The status of ITEM, or of all items; exit 2 if records disagree."""
    with project(config, reads=True) as here:
        names = (
            [item]
            if item
            else [
                name
                for kind in here.workflow.kinds
                for name in all_items(here.snapshot, kind)
                if is_name(name)
            ]
        )
        found = [here.item(name) for name in names]
        unreadable = list(operations.unreadable(here.snapshot, here.workflow))
    drifted = False
    for problem in unreadable:
        err(f'interlock: {problem}')
    if item:
        operations.refuse_twice(found[0])
    for at in found:
        if item is None and at.canonical is None:
            continue
        values = operations.show(at)
        row, entry = at.status(at.row), at.status(at.entry)
        if form == 'json':
            out(_json(values) if item else _json({'item': at.item, **values}))
        else:
            out(f'{at.item:24} {values["text"]:24} {_updated(at)}'.rstrip())
        wrong = (
            f'the row says `{row.raw}`, the entry `{entry.raw}`'
            if (row and entry and row.text != entry.text)
            else _lacks(here, at, item is not None)
        )
        if wrong:
            drifted = True
            err(f'{at.item}: {wrong}; next: {ours("registry", "sync", at.item)}')
    return MISCONFIGURED if drifted or unreadable else 0


def _lacks(here: Project, at: Records, alone: bool) -> str:
    """Which record is missing; the last commit is asked about one item."""
    with contextlib.ExitStack() as stack:
        old = stack.enter_context(committed(here, at)) if alone else None
        if not is_incomplete(at, old):
            return ''
    return f'it has no {"entry" if at.row else "row"}'


def _updated(at: Records) -> str:
    return at.canonical.text('updated') if at.canonical else ''


@command.command('set-status')
@click.argument('item')
@click.argument('status')
@click.option('--text', default='', help='What the timeline says of it.')
@click.option('--force', is_flag=True, help='Although it is illegal.')
@click.option('--reason', default='', help='Why it is forced.')
@writes
def set_status(
    item: str,
    status: str,
    text: str,
    force: bool,
    reason: str,
    config: str,
    wait: float,
    verbose: int,
    quiet: int,
) -> int:
    """Set STATUS in every record of ITEM: row, entry, timeline, handoff."""
    if force != bool(reason.strip()):
        raise click.UsageError('--force needs --reason, and the reverse')
    with project(config, wait) as here:
        at = here.item(item)
        wanted = operations.parse_status(status, at.kind)
        lacks = _lacks(here, at, alone=True)
        if lacks:
            raise Denied(
                f'{item}: {lacks}, and all of its records change together',
                ours('registry', 'sync', item),
            )
        with contextlib.ExitStack() as stack:
            contents: Snapshot = here.snapshot
            if status_operation.stage_for(at, wanted) is not None:
                # the handoff moves too, and with it the seals
                contents = stack.enter_context(stored(here))
            old = None
            if status_operation.is_ahead(at):
                old = stack.enter_context(committed(here, at))
            here.apply(
                status_operation.set_status(
                    at, wanted, contents, today(), text, reason, old
                )
            )
    return 0


@command.command()
@click.argument('item')
@click.option('--type', 'type_', required=True, help='What the item is.')
@click.option('--kind', 'kind_', help='The kind of item, if there are many.')
@writes
def add(
    item: str,
    type_: str,
    kind_: str | None,
    config: str,
    wait: float,
    verbose: int,
    quiet: int,
) -> int:
    """Register ITEM: its entry and its row.

    Where there is no registry yet, this begins it.
    """
    with project(config, wait) as here:
        kinds = [
            kind
            for kind in here.workflow.kinds
            if kind.registry and kind_ in {None, kind.name}
        ]
        if not kinds:
            named = f'no kind `{kind_}` has' if kind_ else 'no items have'
            raise click.UsageError(f'{named} a registry in {here.workflow.source}')
        spec = kinds[0].registry
        assert spec is not None, 'asked above'
        refuse_lost(here, spec)
        here.apply(registry_add.add(here.snapshot, kinds[0], item, type_, today()))
    return 0


@command.command()
@click.argument('item')
@click.argument('text')
@click.option('--about', default='', help='What stands behind the date.')
@writes
def timeline(
    item: str, text: str, about: str, config: str, wait: float, verbose: int, quiet: int
) -> int:
    """Append a line to the timeline of ITEM, and set its date."""
    with project(config, wait) as here:
        at = here.item(item)
        here.apply(change.add_timeline(at, today(), about, text))
    return 0


@command.command()
@click.argument('item', required=False)
@writes
def sync(item: str | None, config: str, wait: float, verbose: int, quiet: int) -> int:
    """Bring the row of ITEM (or of every item) in line with its entry.

    A row or an entry of ITEM that is missing is written.
    """
    with project(config, wait) as here:
        if item:
            at = here.item(item)
            with committed(here, at) as old:
                if is_incomplete(at, old):
                    here.apply(complete(at, old, today()))
                else:
                    here.apply(change.sync(at))
            return 0
        for kind in here.workflow.kinds:
            here.apply(change.sync_all(here.snapshot, kind))
    return 0
