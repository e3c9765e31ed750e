"""A violation of one rule by one item."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from interlock.doctor.canary.item_files import Written
from interlock.doctor.canary.sample import Sample


class Plant(NamedTuple):
    # as the finding names it
    item: str
    # the item before and after the change; None: it is not there
    before: Written | None
    after: Written | None


# None where the kind has nothing that the rule could be about
Planter = Callable[[Sample, str], 'Plant | None']
Planters = Mapping[str, Planter]


def new(after: Written) -> Plant:
    """An item that is wrong from the start."""
    return Plant(after.item, None, after)
