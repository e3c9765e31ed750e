"""No cell of the table of properties and engines is empty."""

from __future__ import annotations

import importlib
from pathlib import Path

from tests.fleet.engines import KINDS
from tests.fleet.properties import EXCUSED, PROPERTIES, SHOWN


def register() -> None:
    """A test says what it shows when its module is imported."""
    for file in sorted(Path(__file__).parent.glob('*_test.py')):
        importlib.import_module(f'tests.fleet.{file.stem}')


def test_the_properties_are_numbered() -> None:
    assert list(PROPERTIES) == list(range(1, 55))


def test_every_property_is_shown_of_every_engine_or_excused() -> None:
    register()
    cells = {(number, kind) for number in PROPERTIES for kind in KINDS}
    assert cells - set(SHOWN) - set(EXCUSED) == set()
    # an excuse does not hold if a test disproves it
    assert set(SHOWN) & set(EXCUSED) == set()
    assert (set(SHOWN) | set(EXCUSED)) - cells == set()


def test_every_excuse_is_a_sentence() -> None:
    assert [cell for cell, why in EXCUSED.items() if len(why.split()) < 4] == []


def test_every_test_that_the_table_names_exists() -> None:
    register()
    names = {name for found in SHOWN.values() for name in found}
    missing = [
        name
        for name in sorted(names)
        if not hasattr(
            importlib.import_module(name.partition('::')[0]), name.partition('::')[2]
        )
    ]
    assert missing == []
