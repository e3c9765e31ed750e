"""A workflow as the checks see it; `compile.py` makes it from the file."""
from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from interlock.documents.record import Shape

NOTHING = 'nothing'
ANY = 'any'

BEFORE = 'before'
STAGE = 'stage'
DONE = 'done'


class StateSpec(NamedTuple):
    name: str
    # before the stages, one of them, or after them
    role: str
    # what the handoff writes for it, '' where it never does
    stage: str
    emoji: str
    phased: bool
    # may stand with a remark in parentheses
    annotation: bool
    # may stand beside another status
    beside: bool
    # what a handoff that still exists is then: '', 'kept' or 'stale'
    handoff: str
    # the stages a handoff may be at while the registry says this
    agrees: tuple[str, ...]
    aliases: Mapping[str, str]
    # what a timeline says by default when an item reaches it
    timeline: str


class TransitionSpec(NamedTuple):
    origins: tuple[str, ...]
    targets: tuple[str, ...]
    # '' legal, else how a transition of this line is reported
    severity: str
    # the trailer whose text (or a message body) makes it a warning only
    reason: str
    hint: str


class RegistrySpec(NamedTuple):
    file: str
    layout: str
    shape: Shape
    # where entries are files of their own
    entry_file: str
    entry_format: str
    notes: str
    # of new entries: their text, what an item may be, what describes it
    template: str
    types: tuple[str, ...]
    description: str


class FieldSpec(NamedTuple):
    name: str
    type: str
    minimum: float | None
    maximum: float | None
    values: tuple[str, ...]
    # must have a value once the plan stands
    planned: bool
    exactly_when: tuple[str, float] | None


class HandoffSpec(NamedTuple):
    file: str
    older: tuple[str, ...]
    keys: Mapping[str, str]
    aliases: Mapping[str, str]
    statuses: tuple[str, ...]
    status_from: str
    status_in: Mapping[str, tuple[str, ...]]
    planned: tuple[str, str] | None
    fields: tuple[FieldSpec, ...]
    expected_sections: tuple[str, ...]

    @property
    def places(self) -> tuple[str, ...]:
        return (self.file, *self.older)


class ContractSpec(NamedTuple):
    name: str
    paths: tuple[str, ...]
    drafts: tuple[str, ...]
    made_by: str
    # may change in any stage if the new checksum is stored with it
    free: bool


class ContractsSpec(NamedTuple):
    algorithm: str
    frozen: tuple[str, ...]
    amendment: str
    files: tuple[ContractSpec, ...]


class DeliverableSpec(NamedTuple):
    paths: tuple[str, ...]
    # 'change': something of it is in the commit; 'exist': it is in the tree
    must: str
    unless: Mapping[str, str]


class SubjectSpec(NamedTuple):
    text: str
    state: str


class CommitSpec(NamedTuple):
    prefixes: tuple[str, ...]
    subjects: tuple[SubjectSpec, ...]
    words: tuple[str, ...]


class Kind(NamedTuple):
    """One kind of item, with everything the workflow says about it."""

    name: str
    path: str
    ignore: tuple[str, ...]
    states: Mapping[str, StateSpec]
    # every word for a state, aliases included, and the state's name
    words: Mapping[str, str]
    transitions: tuple[TransitionSpec, ...]
    registry: RegistrySpec | None
    handoff: HandoffSpec | None
    contracts: ContractsSpec | None
    # state -> names of the contracts that must exist on entry
    gates: Mapping[str, tuple[str, ...]]
    deliverables: Mapping[str, tuple[DeliverableSpec, ...]]
    commit: CommitSpec | None
    # reports name states by their first alias
    milestones: bool = False

    def by_stage(self, stage: str) -> StateSpec | None:
        for state in self.states.values():
            if state.stage == stage and stage:
                return state
        return None

    def position(self, state: str) -> int:
        """Where a state stands in the order of the workflow, -1 if not."""
        try:
            return list(self.states).index(state)
        except ValueError:
            return -1


class Workflow(NamedTuple):
    kinds: tuple[Kind, ...]
    severities: Mapping[str, str]
    # where it was read from, for messages
    source: str
    # its path in the repository, '' if it lies outside
    path: str
    # the files it extends, presets not counted
    extended: tuple[str, ...] = ()
