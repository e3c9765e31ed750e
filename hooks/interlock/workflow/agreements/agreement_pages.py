"""Agreements in words, for `explain` and the pages about formats."""

from __future__ import annotations

from interlock.documents import yaml
from interlock.documents.text import decode
from interlock.model import quick_tools as functools
from interlock.model.change import Blob
from interlock.model.quick_typing import Any, Iterable, Iterator, Mapping, NamedTuple
from interlock.workflow.agreements.spec import Allowed, RecordedKind, build_kind
from interlock.workflow.language.presets import preset, presets


class AgreementPage(NamedTuple):
    name: str
    # '' for an agreement of the project's own
    preset: str
    kind: str
    severity: str
    # the condition that must hold, in words
    rule: str
    say: str
    # the trailer that lets a commit pass, '' if there is none
    trailer: str

    @property
    def page(self) -> str:
        lines = [
            f'{self.name}: an agreement of '
            + (f'the preset {self.preset}' if self.preset else 'the workflow file'),
            '',
            f'{self.rule} (of a {self.kind}).',
            f'Severity: {self.severity}. To change it, or to switch the rule `off`: '
            f'`severity: {{{self.name}: ...}}` in the workflow file.',
        ]
        if self.trailer:
            lines.append(
                f'A commit that gives a reason in its message passes: '
                f'`{self.trailer}: REASON`.'
            )
        return '\n'.join(lines)


def _listed(words: Iterable[str], last: str) -> str:
    *others, end = words
    return f'{", ".join(others)} {last} {end}' if others else end


def _side(side: Mapping[str, Allowed], verb: str = 'is') -> str:
    return ' and '.join(
        f'`{name}` {verb} {_listed(values or ["empty"], "or")}'
        for name, values in side.items()
    )


def _sides(sides: Iterable[Mapping[str, Allowed]]) -> str:
    return ', or '.join(map(_side, sides))


def _of_kind(name: str, kind: RecordedKind) -> Iterator[AgreementPage]:
    for agreement in kind.agree:
        if agreement.same:
            same = _listed((f'`{each}`' for each in agreement.same), 'and')
            rule = f'{same} must say the same'
        else:
            word = 'In the change after which' if agreement.upon else 'When'
            must = _side(agreement.then, 'must be')
            rule = f'{word} {_sides(agreement.when)}, {must}'
        at = ' (a warning at commit)' if agreement.at == 'push' else ''
        yield AgreementPage(
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
            yield AgreementPage(
                record.once.name,
                name,
                kind.name,
                record.once.severity,
                f'An item has at most one `{record.name}`',
                record.once.say,
                '',
            )
    for freeze in kind.frozen:
        frozen = _listed((f'`{file}`' for file in freeze.files), 'and')
        if freeze.section:
            sections = _listed((f'`{title}`' for title in freeze.section), 'and')
            frozen = f'the section {sections} of {frozen}'
        elif freeze.between:
            start, end = freeze.between
            frozen = f'what stands between `{start}` and `{end}` in {frozen}'
        yield AgreementPage(
            freeze.name,
            name,
            kind.name,
            freeze.severity,
            f'While {_sides(freeze.when)}, {frozen} must not change',
            freeze.say,
            freeze.amendment,
        )


def kinds_of(name: str) -> list[RecordedKind]:
    """The kinds of a preset whose records must agree."""
    data = preset(name) or b''
    value: Any = yaml.value(yaml.parse(decode(Blob('', len(data), data))))
    return _recorded(value)


def _recorded(workflow: Mapping[str, Any]) -> list[RecordedKind]:
    return [
        build_kind(kind, said)
        for kind, said in workflow.get('items', {}).items()
        if 'records' in said
    ]


def described_in(workflow: Mapping[str, Any]) -> tuple[AgreementPage, ...]:
    """The agreements of a workflow file that no preset has."""
    known = {each.name for each in described()}
    return tuple(
        each
        for kind in _recorded(workflow)
        for each in _of_kind('', kind)
        if each.name not in known
    )


@functools.cache
def described() -> tuple[AgreementPage, ...]:
    return tuple(
        each
        for name in presets()
        for kind in kinds_of(name)
        for each in _of_kind(name, kind)
    )
