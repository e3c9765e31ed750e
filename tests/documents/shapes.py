"""A registry as the preset lays it out, without the preset."""

from __future__ import annotations

from interlock.documents.registry.record import Record, Shape
from interlock.documents.registry.table import Registry
from interlock.model.change import Blob

SHAPE = Shape(
    columns=(
        ('item', 'Plugin Name'),
        ('status', 'Status'),
        ('version', 'Version'),
        ('updated', 'Last Updated'),
    ),
    heading=3,
    fields=(('status', 'Status'), ('version', 'Version'), ('updated', 'Last Updated')),
    timelines=('Lifecycle Timeline',),
)
TABLE = """\
| Plugin Name | Status | Version | Last Updated |
|-------------|--------|---------|--------------|
"""


def blob(content: str | bytes) -> Blob:
    data = content.encode() if isinstance(content, str) else content
    return Blob('0' * 40, len(data), data)


def read(content: str | bytes, shape: Shape = SHAPE) -> Registry:
    return Registry(blob(content), shape)


def good(content: str | bytes, shape: Shape = SHAPE) -> Registry:
    registry = read(content, shape)
    assert registry.problem is None, registry.problem
    return registry


def row(registry: Registry, item: str) -> Record:
    (piece,) = registry.places[item].rows
    return registry.row(item, piece)


def entry(registry: Registry, item: str) -> Record:
    (piece,) = registry.places[item].entries
    return registry.entry(item, piece)


def texts(record: Record) -> dict[str, str]:
    return {role: value.text for role, value in record.values.items()}
