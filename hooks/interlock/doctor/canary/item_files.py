"""What is written of an item, and the files of many of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from interlock.documents.frontmatter_edit import scalar
from interlock.workflow.language.patterns import expand
from interlock.workflow.language.spec import Kind, RegistrySpec

Data = dict[str, bytes]
# role (item, status, version, updated) -> its text
Values = Mapping[str, str]


class Entry(NamedTuple):
    values: Values
    # of the lines of its timeline
    days: tuple[str, ...]


class Written(NamedTuple):
    item: str
    rows: tuple[Values, ...] = ()
    entries: tuple[Entry, ...] = ()
    # everything but the registry
    files: Mapping[str, bytes] = {}

    def row(self, **values: str) -> Written:
        """With another row."""
        return self._replace(rows=({**self.rows[0], **values},))

    def entry(self, **values: str) -> Written:
        """With another entry."""
        first = self.entries[0]
        changed = first._replace(values={**first.values, **values})
        return self._replace(entries=(changed,))

    def file(self, path: str, data: bytes | None) -> Written:
        """With another file, or without it."""
        files = {**self.files}
        if data is None:
            files.pop(path, None)
        else:
            files[path] = data
        return self._replace(files=files)


def keeps_entries(spec: RegistrySpec) -> bool:
    """Whether an item may have an entry besides its row."""
    return spec.layout != 'distributed' and bool(spec.shape.heading or spec.entry_file)


def _row(values: Values, spec: RegistrySpec) -> str:
    cells = [values.get(role, '') for role, _ in spec.shape.columns]
    return f'| {" | ".join(cells)} |\n'


def _timelines(entry: Entry, spec: RegistrySpec) -> Iterator[str]:
    for label in spec.shape.timelines[:1]:
        yield f'\n**{label}:**\n'
        yield from (f'- **{day}:** canary\n' for day in entry.days)


def _fields(entry: Entry, spec: RegistrySpec) -> Iterator[str]:
    for role, label in spec.shape.fields:
        if role in entry.values:
            yield f'**{label}:** {entry.values[role]}\n'


def _entry(item: str, entry: Entry, spec: RegistrySpec) -> str:
    return ''.join(
        (
            f'\n{"#" * spec.shape.heading} {item}\n\n',
            *_fields(entry, spec),
            *_timelines(entry, spec),
        )
    )


def _entry_file(entry: Entry, spec: RegistrySpec) -> bytes:
    head = ''.join(_fields(entry, spec))
    if spec.entry_format == 'frontmatter':
        lines = [
            f'{label}: {scalar(entry.values[role])}\n'
            for role, label in spec.shape.fields
            if role in entry.values
        ]
        head = f'---\n{"".join(lines)}---\n'
    return (head + ''.join(_timelines(entry, spec))).encode()


def _registry(many: Sequence[Written], spec: RegistrySpec) -> bytes:
    headers = [header for _, header in spec.shape.columns]
    rows = [_row(values, spec) for one in many for values in one.rows]
    entries = [
        _entry(one.item, entry, spec)
        for one in many
        for entry in one.entries
        if not spec.entry_file
    ]
    return ''.join(
        (
            f'# Canary\n\n| {" | ".join(headers)} |\n{"|---" * len(headers)}|\n',
            *rows,
            *entries,
        )
    ).encode()


def tree(kind: Kind, many: Iterable[Written]) -> Data:
    """The files of some items: all that there is of their kind."""
    many = list(many)
    files: Data = {}
    spec = kind.registry
    if spec is not None:
        files[spec.file] = _registry(many, spec)
        for one in many if spec.entry_file else ():
            for entry in one.entries:
                path = expand(spec.entry_file, one.item)
                files[path] = _entry_file(entry, spec)
    for one in many:
        files.update(one.files)
    return files
