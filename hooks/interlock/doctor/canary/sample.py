"""Items of a kind as its workflow wants them, to be made wrong by a rule."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

from interlock.doctor.canary.item_files import Entry, Written, keeps_entries
from interlock.documents.frontmatter_edit import scalar
from interlock.model.errors import Refusal
from interlock.model.state import State
from interlock.operations.registry.status import written
from interlock.workflow.language.patterns import expand
from interlock.workflow.language.spec import (
    STAGE,
    ContractSpec,
    FieldSpec,
    HandoffSpec,
    Kind,
)
from interlock.workflow.reading import evidence, transitions
from interlock.workflow.reading.item_paths import is_ignored, is_name

DAY = '2026-01-02'
VERSION = '1.0.0'
WORDS = ('Canary', 'Kanarie', 'Serin')
# a value of a handoff: a text, or texts by key
Fields = dict[str, 'str | dict[str, str]']


def _number(value: float) -> str:
    return str(int(value) if float(value).is_integer() else value)


def _value(field: FieldSpec, fields: Mapping[str, Any]) -> str:
    """A value that a field may have, 'null' where none is known."""
    if field.exactly_when is not None:
        name, minimum = field.exactly_when
        return str(float(fields.get(name, minimum)) >= minimum).lower()
    elif field.type == 'boolean':
        return 'false'
    elif field.type == 'number':
        low, high = field.minimum, field.maximum
        return _number(low if low is not None else high or 1)
    plain = [value for value in field.values if '{' not in value]
    return next(iter(plain), 'null' if field.values else 'canary')


class Sample:
    """Makes items of one kind."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind

    def name(self, code: str) -> str:
        """The item that stands for a rule."""
        for word in WORDS:
            name = f'{word}{code}'
            if is_name(name) and not is_ignored(name, self.kind):
                return name
        raise Refusal(f'the workflow ignores every {self.kind.name} of ours')

    @property
    def has_entries(self) -> bool:
        spec = self.kind.registry
        return spec is not None and keeps_entries(spec)

    def states(self, in_handoff: bool = False) -> list[State]:
        """Every state; or those only that a handoff may be at."""
        return [
            State(name)
            for name, spec in self.kind.states.items()
            if not in_handoff or (spec.role == STAGE and spec.stage)
        ]

    def pairs(self, in_handoff: bool = False) -> Iterator[tuple[State, State]]:
        """Two states that differ, in every order."""
        states = self.states(in_handoff)
        yield from ((one, other) for one in states for other in states if one != other)

    def step(self, old: State | None, new: State) -> str:
        """How severe a step is, '' for a legal one."""
        return transitions.step(old, new, self.kind).severity

    @property
    def handoff_spec(self) -> HandoffSpec:
        assert self.kind.handoff is not None, 'whoever asks has looked'
        return self.kind.handoff

    def status(self, state: State) -> str:
        return written(state, self.kind)

    def contract(self, item: str, contract: ContractSpec) -> bytes:
        return f'# {contract.name} of {item}\n\nSealed.\n'.encode()

    def contract_path(self, item: str, contract: ContractSpec) -> str:
        return expand(contract.paths[0], item)

    def sealed(self, data: bytes) -> str:
        assert self.kind.contracts is not None, 'whoever asks has looked'
        algorithm = self.kind.contracts.algorithm
        return f'{algorithm}:{hashlib.new(algorithm, data).hexdigest()}'

    def contracts(self, item: str) -> dict[str, bytes]:
        files = self.kind.contracts.files if self.kind.contracts else ()
        return {
            self.contract_path(item, each): self.contract(item, each) for each in files
        }

    def _status_of(self, state: State) -> str:
        """The status of work that is done, as far as the state allows it."""
        spec = self.handoff_spec
        wanted = (
            spec.writes.get('done', ''),
            *(spec.planned[1:] if spec.planned else ()),
            *spec.statuses,
        )
        fitting = [
            word
            for word in wanted
            if word and state.name in spec.status_in.get(word, (state.name,))
        ]
        return fitting[0] if fitting else ''

    def _evidence(self) -> dict[str, str]:
        return {
            evidence.key(self.kind, state, what): evidence.value(evidence.PASSED, DAY)
            for state, gate in self.kind.gates.items()
            for what in gate.evidence
        }

    def fields(self, item: str, state: State) -> Fields:
        """The frontmatter of a handoff at a state."""
        spec, keys = self.handoff_spec, self.handoff_spec.keys
        stage = self.kind.states[state.name].stage
        phase = 'null' if state.phase is None else f'{stage}.{state.phase}'
        values = {
            'item': item,
            'stage': stage,
            'phase': phase,
            'status': self._status_of(state),
            'updated': DAY,
        }
        fields: Fields = {
            keys[role]: text for role, text in values.items() if role in keys and text
        }
        for field in spec.fields:
            fields.setdefault(field.name, _value(field, fields))
        if spec.evidence:
            fields[spec.evidence] = self._evidence()
        if 'checksums' in keys and self.kind.contracts is not None:
            fields[keys['checksums']] = {
                each.name: self.sealed(self.contract(item, each))
                for each in self.kind.contracts.files
            }
        return fields

    def handoff(self, fields: Fields, more: str = '') -> bytes:
        lines = []
        for key, value in fields.items():
            if isinstance(value, str):
                lines.append(f'{key}: {scalar(value)}\n')
                continue
            lines.append(f'{key}:\n')
            lines.extend(f'  {k}: {scalar(v)}\n' for k, v in value.items())
        sections = ''.join(
            f'\n## {title}\n\ncanary\n' for title in self.handoff_spec.expected_sections
        )
        return f'---\n{"".join(lines)}---\n{sections}{more}'.encode()

    def handoff_path(self, item: str) -> str:
        return expand(self.handoff_spec.file, item)

    def good(self, item: str, state: State, handoff: bool = True) -> Written:
        """An item with which nothing is wrong."""
        made = Written(item, files=self.contracts(item))
        if self.kind.registry is not None:
            values = {
                'item': item,
                'status': self.status(state),
                'version': VERSION,
                'updated': DAY,
            }
            made = made._replace(rows=(values,))
            if self.has_entries:
                made = made._replace(entries=(Entry(values, (DAY,)),))
        if (
            handoff
            and self.kind.handoff is not None
            and (State(state.name) in self.states(in_handoff=True))
        ):
            data = self.handoff(self.fields(item, state))
            made = made.file(self.handoff_path(item), data)
        return made

    def with_fields(self, made: Written, fields: Fields) -> Written:
        path = self.handoff_path(made.item)
        return made.file(path, self.handoff(fields))
