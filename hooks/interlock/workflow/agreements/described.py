"""The agreements of our presets, for `explain` and the pages about formats."""

from __future__ import annotations

from interlock.documents import yaml
from interlock.documents.text import decode
from interlock.model import quick_tools as functools
from interlock.model.change import Blob
from interlock.model.quick_typing import Any, Iterator, Mapping, NamedTuple
from interlock.workflow.agreements.spec import Allowed, RecordedKind, build_kind
from interlock.workflow.language.presets import preset, presets


class Described(NamedTuple):
    name: str
    preset: str
    kind: str
    severity: str
    # what must hold, in words
    rule: str
    say: str
    # the trailer that lets a commit pass, '' if none does
    trailer: str


def _side(side: Mapping[str, Allowed]) -> str:
    return ' and '.join(
        f'{name} is {" or ".join(values) or "empty"}' for name, values in side.items()
    )


def _of_kind(name: str, kind: RecordedKind) -> Iterator[Described]:
    for agreement in kind.agree:
        if agreement.same:
            rule = f'{" and ".join(agreement.same)} say the same'
        else:
            when = ', or '.join(map(_side, agreement.when))
            word = 'In the change after which' if agreement.upon else 'When'
            rule = f'{word} {when}, then {_side(agreement.then)}'
        at = ' (a warning at commit)' if agreement.at == 'push' else ''
        yield Described(
            agreement.name,
            name,
            kind.name,
            agreement.severity + at,
            rule,
            agreement.say,
            agreement.unless,
        )
    for record in kind.records.values():
        if record.once:
            yield Described(
                record.once.name,
                name,
                kind.name,
                record.once.severity,
                f'An item has one {record.name} at most',
                record.once.say,
                '',
            )
    for freeze in kind.frozen:
        when = ', or '.join(map(_side, freeze.when))
        part = ''
        if freeze.section:
            part = f', section {" or ".join(freeze.section)},'
        elif freeze.between:
            part = f', between {freeze.between[0]} and {freeze.between[1]},'
        yield Described(
            freeze.name,
            name,
            kind.name,
            freeze.severity,
            f'While {when}, {" and ".join(freeze.files)}{part} does not change',
            freeze.say,
            freeze.amendment,
        )


def kinds_of(name: str) -> list[RecordedKind]:
    """The kinds of a preset whose records agree."""
    data = preset(name) or b''
    value: Any = yaml.value(yaml.parse(decode(Blob('', len(data), data))))
    return [
        build_kind(kind, said)
        for kind, said in value.get('items', {}).items()
        if 'records' in said
    ]


@functools.cache
def described() -> tuple[Described, ...]:
    return tuple(
        each
        for name in presets()
        for kind in kinds_of(name)
        for each in _of_kind(name, kind)
    )
