from __future__ import annotations

import click

from interlock.model.change import Snapshot
from interlock.model.suggest import did_you_mean
from interlock.workflow.language.spec import Workflow
from interlock.workflow.reading.item_paths import is_name
from interlock.workflow.reading.records import Records, all_items, records


def find_item(snapshot: Snapshot, workflow: Workflow, item: str) -> Records:
    """The records of an item a user named; says what is near if none is."""
    if not is_name(item):
        raise click.UsageError(f'{item!r} cannot be the name of an item')
    for kind in workflow.kinds:
        at = records(snapshot, kind, item)
        if at.registered or at.current is not None:
            return at
    known = [name for kind in workflow.kinds for name in all_items(snapshot, kind)]
    hint = did_you_mean(item, known)
    raise click.UsageError(f'there is no item `{item}`{hint}')
