from __future__ import annotations

import contextlib
import json

import click

from interlock.commands.click_options import (
    Options,
    example,
    formats,
    governed,
    group,
    option,
    writes,
)
from interlock.commands.workflow_options import (
    TypeCommand,
    item_argument,
    status_argument,
)
from interlock.documents.text import shown
from interlock.model.change import Snapshot
from interlock.model.errors import Denied, Refusal
from interlock.model.fixes import correction, ours
from interlock.operations import advance
from interlock.operations.registry import add as registry_add
from interlock.operations.registry import change
from interlock.operations.registry import status as operations
from interlock.operations.registry.add import complete, is_incomplete
from interlock.project.project import (
    SHOW,
    Project,
    item_names,
    known_records,
    unknown_item_text,
)
from interlock.project.record_history import (
    broken_record,
    broken_registries,
    restore_file,
    restore_item,
)
from interlock.report.terminal import (
    FOUND,
    MISCONFIGURED,
    err,
    out,
    out_json,
    say_problem,
)
from interlock.workflow.reading.records import Records
from interlock.workflow.reading.status_words import is_begun


@example('interlock registry show')
@group('registry')
def command() -> None:
    """Query and change the registry: rows and entries together."""


@example('interlock registry may Search', 'interlock registry may Search Review')
@command.command()
@item_argument()
@status_argument(required=False)
@formats('text', 'json')
@governed
def may(options: Options, item: str, status: str | None, form: str) -> int:
    """Say whether ITEM may move to STATUS from its status in the working tree.

    Exit 0 it may, 1 it may not. Without STATUS, list where it may move.
    """
    with options.project(reads=True) as here:
        if status is None:
            return _list_steps(here, here.item(item), form)
        at = here.item_or_new(item)
        wanted = operations.parse_status(status, at)
        is_open = is_begun(wanted, at.kind)
        allowed, reason = operations.may(at, wanted, is_open)
        following = operations.next_step(at, wanted, allowed, is_open)
        first = here.first_step_to_commit(at, wanted.state) if allowed else None
        if first:
            allowed, reason, following = False, first.message, first.hint
        known = item_names(here.snapshot, here.workflow)
        if not allowed and at.item not in known:
            reason = (
                f'{reason}; {unknown_item_text(here.snapshot, here.workflow, item)}'
            )
            near = correction(item, known)
            following = ours('registry', 'may', near[1], status) if near else following
    if form == 'json':
        out_json({'allowed': allowed, 'reason': reason}, indent=None)
    else:
        verb = 'may' if allowed else 'may not'
        why = f': {reason}' if reason else ''
        origin = at.kind.label(at.state)
        assert wanted.state is not None
        target = at.kind.label(wanted.state)
        out(f'{item} {verb} go from {origin} to {target}{why}')
        if following:
            err(f'next: {following}')
    return 0 if allowed else FOUND


def _list_steps(here: Project, at: Records, form: str) -> int:
    label, following = at.kind.label, ''
    steps = operations.steps(at)
    for state in [state for state, why in steps.items() if not why]:
        first = here.first_step_to_commit(at, state)
        if first:
            steps[state] = first.message
        command = ours('registry', 'set-status', at.called, label(state))
        following = following or (first.hint if first else command)
    if form == 'json':
        missing = {label(state): why for state, why in steps.items()}
        out_json({'from': label(at.state), 'to': missing}, indent=None)
        return 0
    out(f'{at.item} is at {at.kind.said(at.state)} and may go to:')
    for state, why in steps.items():
        out(f'  {label(state)}{why and f", but not yet: {why}"}')
    if not steps:
        out('  nothing: no transition of the workflow begins there')
    if following:
        err(f'next: {following}')
    return 0


def _json(values: dict[str, str]) -> str:
    """The values on one line, in the form that scripts of the workflow expect."""
    pairs = ', '.join(
        f'"{key}": {json.dumps(value, ensure_ascii=False)}'
        for key, value in values.items()
    )
    return f'{{ {pairs} }}'


@example('interlock registry show', 'interlock registry show Search --json')
@command.command()
@item_argument(required=False)
@formats('text', 'json')
@governed
def show(options: Options, item: str | None, form: str) -> int:
    """Show the status of ITEM, or of all items; exit 2 if records disagree."""
    with options.project(reads=True) as here:
        names = dict.fromkeys(item_names(here.snapshot, here.workflow))
        found = [here.item(item)] if item else []
        for name in names if not item else ():
            records = known_records(here.snapshot, here.workflow, name)
            found.extend(records)
            if not records:
                err(
                    f'{shown(name)} is not shown: its name cannot be the name of an item'
                )
        unreadable = here.unreadable()
        for problem in unreadable:
            say_problem(problem)
        if not (item or names or unreadable):
            tracked = here.workflow.kinds or here.workflow.recorded
            way_on = SHOW if tracked else ours('config', 'explain', 'items')
            err(f'no items are registered; next: {way_on}')
        if item:
            operations.refuse_twice(found[0])
        else:
            found = [at for at in found if at.canonical is not None]
        drifted = [at for at in found if _show(here, at, form, item is not None)]
    return MISCONFIGURED if drifted or unreadable else 0


def _show(here: Project, at: Records, form: str, alone: bool) -> bool:
    """Print the status of an item; return whether its records disagree."""
    values = operations.show(at)
    row, entry = at.row_status, at.entry_status
    if form == 'json':
        out(_json(values if alone else {'item': at.item, **values}))
    else:
        updated = at.canonical.text('updated') if at.canonical else ''
        out(f'{at.called:24} {values["text"]:24} {updated}'.rstrip())
    wrong = (
        f'the row says `{row.raw}`, the entry `{entry.raw}`'
        if row and entry and row.text != entry.text
        else _missing(here, at, alone)
    )
    if wrong:
        err(f'{at.item}: {wrong}; next: {ours("registry", "sync", at.called)}')
    return bool(wrong)


def _missing(here: Project, at: Records, alone: bool = True) -> str:
    """Which record is missing; only for a single item, the last commit is asked."""
    old = here.committed_records(at) if alone else None
    if not is_incomplete(at, old):
        return ''
    return f'it has no {"entry" if at.row else "row"}'


@example('interlock registry set-status Search Review')
@command.command('set-status')
@item_argument()
@status_argument()
@option('--text TEXT', 'Set the text of the timeline.')
@writes
def set_status(options: Options, item: str, status: str, text: str) -> int:
    """Set STATUS in every record of ITEM: row, entry, timeline, handoff.

    A transition that a commit would be refused for is refused here too. Returning
    to the status of the last commit is always possible.
    """
    with options.project() as here:
        at = here.item(item)
        wanted = operations.parse_status(status, at)
        missing = _missing(here, at)
        if missing:
            raise Denied(
                f'{item}: {missing}, and all of its records change together',
                ours('registry', 'sync', at.called),
            )
        with contextlib.ExitStack() as stack:
            contents: Snapshot = here.snapshot
            if advance.stage_for(at, wanted) is not None:
                # the handoff moves too, and so do the seals
                contents = stack.enter_context(here.stored())
            old = here.committed_records(at)
            here.apply_step(
                at, advance.set_status(at, wanted, contents, here.today, text, old)
            )
    return 0


@example('interlock registry add Search')
@command.command(cls=TypeCommand)
@click.argument('item')
@option('--kind kind_ TEXT', 'Name the kind of item, if there are many.', default=None)
@writes
def add(
    options: Options, item: str, kind_: str | None, type_: str | None = None
) -> int:
    """Register ITEM: add its entry and its row.

    Creates the registry if there is none.
    """
    with options.project() as here:
        for kind in here.workflow.kinds:
            if kind.registry and kind_ in {None, kind.name}:
                break
        else:
            named = f'no kind `{kind_}` has' if kind_ else 'no items have'
            raise Refusal(
                f'{named} a registry in {here.workflow.source}',
                'interlock config explain items.registry',
            )
        here.refuse_lost_registry(kind.registry)
        here.apply(registry_add.add(here.snapshot, kind, item, type_ or '', here.today))
    return 0


@example("interlock registry timeline Search 'shown to the client'")
@command.command()
@item_argument()
@click.argument('text')
@option('--about TEXT', 'Set the text after the date.')
@writes
def timeline(options: Options, item: str, text: str, about: str) -> int:
    """Append a line to the timeline of ITEM, and set its date."""
    with options.project() as here:
        at = here.item(item)
        here.apply(change.add_timeline(at, here.today, about, text))
    return 0


@example('interlock registry sync', 'interlock registry sync Search')
@command.command()
@item_argument(required=False)
@writes
def sync(options: Options, item: str | None) -> int:
    """Bring the row of ITEM (or of every item) in line with its entry.

    A row or an entry of ITEM that is missing is written.
    """
    with options.project() as here:
        if item:
            at = here.item(item)
            old = here.committed_records(at)
            incomplete = is_incomplete(at, old)
            here.apply(complete(at, old, here.today) if incomplete else change.sync(at))
            return 0
        for kind in here.workflow.kinds:
            here.apply(change.sync_all(here.snapshot, kind))
    return 0


@example('interlock registry restore')
@command.command()
@item_argument(required=False)
@writes
def restore(options: Options, item: str | None) -> int:
    """Restore a registry that cannot be read, or the record of ITEM.

    It is taken from the last commit in which it can be read. The record of an
    ITEM that left the registry returns; the rest of the file stays as it is.
    """
    with options.project() as here:
        known = known_records(here.snapshot, here.workflow, item) if item else ()
        if item and not any(at.registered for at in known):
            here.apply(restore_item(here, item))
            return 0
        broken = [
            *(broken_record(here.item(item)) if item else broken_registries(here))
        ]
        for each in broken:
            here.apply(restore_file(here, each))
    if not broken:
        out('nothing to restore: every record can be read')
    return 0
