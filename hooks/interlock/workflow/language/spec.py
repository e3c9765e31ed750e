"""A workflow as the checks see it; `compile.py` makes it from the file."""

from __future__ import annotations

from interlock.documents.registry.record import Shape
from interlock.model.quick_typing import Any, Mapping, NamedTuple
from interlock.model.state import State
from interlock.workflow.agreements.spec import Agreement, RecordedKind
from interlock.workflow.language.protocol import FLAGS, LENIENT, ProtocolSpec, Roots
from interlock.workflow.language.sharing import LocksSpec, StoreSpec

NOTHING = 'nothing'
ANY = 'any'

BEFORE = 'before'
STAGE = 'stage'
DONE = 'done'

# what a handoff is that still exists in a state
KEPT = 'kept'
STALE = 'stale'


class StateSpec(NamedTuple):
    name: str
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
    # the agent that does its work, '' for the lead
    agent: str
    # what the registry says once it is done, '' for its own name
    becomes: str
    # before the stages, one of them, or after them
    role: str = STAGE
    # the aliases that say that work at it goes on
    begun: tuple[str, ...] = ()
    # of a task: whether agents run in it, whether they may be added in it, and
    # what a session that enters it is told
    agents: bool = False
    additions: bool = False
    entering: tuple[str, ...] = ()
    # the state whose agents it builds on, '' where they work in it
    agents_since: str = ''


class TransitionSpec(NamedTuple):
    origins: tuple[str, ...]
    targets: tuple[str, ...]
    # '' legal, else how a transition of this line is reported
    severity: str
    # the trailer whose text (or a message body) makes it a warning only
    reason: str
    hint: str
    # of a task: the direction, and the names of its conditions; the reason
    # is then a key of the log
    kind: str = ''
    gate: tuple[str, ...] = ()


class FirstLines(NamedTuple):
    """How a timeline begins."""

    # where something describes the item, and where nothing does
    described: str = ''
    otherwise: str = ''


class RegistrySpec(NamedTuple):
    file: str
    shape: Shape
    # where entries are files of their own
    entry_file: str
    notes: str
    # of new entries: their text, what an item may be, what describes it
    template: str
    types: tuple[str, ...]
    description: str
    layout: str = 'auto'
    entry_format: str = 'fields'
    begins: FirstLines = FirstLines()

    def __bool__(self) -> bool:
        return bool(self.file)


class Threshold(NamedTuple):
    field: str
    minimum: float


class FieldSpec(NamedTuple):
    name: str
    minimum: float | None
    maximum: float | None
    values: tuple[str, ...]
    # must have a value once the plan stands
    planned: bool
    # it is true exactly when another field reaches a minimum
    exactly_when: Threshold | None
    type: str = 'text'
    # of commands: an option that sets it, '' for none, and its help
    option: str = ''
    help: str = ''


class NextSpec(NamedTuple):
    """What comes once a state is done."""

    after: tuple[str, ...]
    # only while the plan has phases left
    phases: bool
    # only where the handoff has these values
    when: Mapping[str, str]
    # the state whose work comes next, '' for the same
    to: str
    # that work is done in phases, where the item has any
    in_phases: bool
    # the lead does it, and not the agent of that state
    led: bool
    # what the handoff says, with {phase} for the phase that comes
    action: str
    # the steps that it lists, with {item}; () for what can be derived
    steps: tuple[str, ...] = ()


class PhasesSpec(NamedTuple):
    """Where the phases of an item are planned."""

    contract: str
    levels: tuple[int, ...]
    heading: str
    done: str
    # the field that says whether there are any, and the one for the next
    when: str
    field: str
    # what a timeline says when one of them is done
    timeline: str


class PlannedSpec(NamedTuple):
    """From this state and status on, the plan is final."""

    state: str
    status: str


class HandoffSpec(NamedTuple):
    file: str
    older: tuple[str, ...]
    keys: Mapping[str, str]
    aliases: Mapping[str, str]
    statuses: tuple[str, ...]
    status_from: str
    status_in: Mapping[str, tuple[str, ...]]
    planned: PlannedSpec | None
    fields: tuple[FieldSpec, ...]
    expected_sections: tuple[str, ...]
    # role -> the title of a section
    sections: Mapping[str, str]
    # open, done, last -> the status that is written
    writes: Mapping[str, str]
    next: tuple[NextSpec, ...]
    phases: PhasesSpec | None
    # the fields of the next action and of the evidence, '' for none
    action: str
    evidence: str
    # what was tried and failed -> the outcome whose menu leads on
    failures: Mapping[str, str]
    # what is built -> where it is found
    artifacts: Mapping[str, str]
    # what to read before work goes on, besides the contracts
    reads: tuple[str, ...]
    # the text of a new handoff
    template: str
    # what the user says to have work go on
    resumes: tuple[str, ...] = ()
    # states, and what sections say by default once one of them is done
    filled_after: tuple[str, ...] = ()
    fills: Mapping[str, tuple[str, ...]] = {}

    def __bool__(self) -> bool:
        return bool(self.file)

    @property
    def places(self) -> tuple[str, ...]:
        return (self.file, *self.older) if self.file else ()


class ContractSpec(NamedTuple):
    name: str
    paths: tuple[str, ...]
    drafts: tuple[str, ...]
    made_by: str
    # may change in any stage if the new checksum is stored with it
    free: bool


class ContractsSpec(NamedTuple):
    frozen: tuple[str, ...]
    files: tuple[ContractSpec, ...]
    algorithm: str = 'sha256'
    # the trailer that gives the reason of a change
    amendment: str = 'Contract-Amendment'

    def __bool__(self) -> bool:
        return bool(self.files)


class GateSpec(NamedTuple):
    """What must be there when an item enters a state."""

    contracts: tuple[str, ...] = ()
    # kinds of evidence that its work was tried
    evidence: tuple[str, ...] = ()


class DeliverableSpec(NamedTuple):
    paths: tuple[str, ...]
    # 'change': something of it is in the commit; 'exist': it is in the tree
    must: str
    unless: Mapping[str, str]


class SubjectSpec(NamedTuple):
    text: str
    state: str


class ConfirmSpec(NamedTuple):
    """Whether the user must confirm a committed stage before work continues."""

    # what the whole of a prompt says then
    words: tuple[str, ...] = ()
    # after a phase too, and not only at the end of a stage
    phases: bool = False
    # asked of every stage commit, also where none in the history has it
    always: bool = False


class CommitSpec(NamedTuple):
    prefixes: tuple[str, ...]
    subjects: tuple[SubjectSpec, ...]
    words: tuple[str, ...]
    # stage, phase -> the subject of a commit that ends one
    writes: Mapping[str, str]
    body: tuple[str, ...]
    footers: tuple[str, ...]
    # of a commit that an agent makes
    agent_footers: tuple[str, ...]
    # what belongs to such a commit besides the records
    files: tuple[str, ...]
    # whether an agent that another one started may commit
    by_subagents: bool = True
    # None: nobody is asked
    confirm: ConfirmSpec | None = None

    def __bool__(self) -> bool:
        return bool(self.prefixes or self.subjects or self.writes)


class Kind(NamedTuple):
    """One kind of item, with everything the workflow says about it."""

    name: str
    path: str
    ignore: tuple[str, ...]
    states: Mapping[str, StateSpec]
    # every word for a state, aliases included, and the state's name
    words: Mapping[str, str]
    transitions: tuple[TransitionSpec, ...]
    # these are empty where the workflow has none
    registry: RegistrySpec
    handoff: HandoffSpec
    contracts: ContractsSpec
    gates: Mapping[str, GateSpec]
    deliverables: Mapping[str, tuple[DeliverableSpec, ...]]
    commit: CommitSpec
    # reports name states by their first alias
    milestones: bool = False
    # the menus, read only by commands that show one
    menus: Mapping[str, Any] = {}
    # where items are locked and lie beside the repository
    protocol: ProtocolSpec | None = None
    names: str = ''
    # what its records must agree about
    agree: tuple[Agreement, ...] = ()
    # other kinds have items too, maybe of the same names
    is_one_of_several: bool = False

    def called(self, item: str) -> str:
        """An item as commands take it."""
        return f'{self.name}:{item}' if self.is_one_of_several else item

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

    def label(self, state: State | None, none: str = 'nothing') -> str:
        """A state as reports name it; `none` where there is no state."""
        if state is None:
            return none
        aliases = self.states[state.name].aliases if self.milestones else ()
        name = next(iter(aliases), state.name)
        return name if state.phase is None else f'{name}.{state.phase}'

    def written_stage(self, state: State) -> str:
        """A stage or a phase as commands take it: `3`, `3.1`."""
        stage = self.states[state.name].stage
        return stage if state.phase is None else f'{stage}.{state.phase}'


class DocumentsSpec(NamedTuple):
    """Which files are judged as documents, and where plans are."""

    # patterns of handoff documents, and of other markdown files
    handoffs: tuple[str, ...] = ()
    markdown: tuple[str, ...] = ()
    # '' and () where the outline of handoff documents says it
    plans_root: str = ''
    plans: tuple[str, ...] = ()


class Workflow(NamedTuple):
    kinds: tuple[Kind, ...]
    severities: Mapping[str, str]
    # where it was read from, for messages
    source: str
    # its path in the repository, '' if it lies outside
    path: str
    # the files it extends, presets not counted
    extended: tuple[str, ...] = ()
    # the trailer by which a commit shows that the local gate saw it
    gate_trailer: str = ''
    documents: DocumentsSpec = DocumentsSpec()
    # of tasks: where they lie, and what is a warning or an error
    roots: tuple[Roots, ...] = ()
    approvals: str = FLAGS
    plan: str = LENIENT
    evidence: str = LENIENT
    # patterns of branches that are judged from tip to tip, as the main one
    protected: tuple[str, ...] = ()
    # kinds whose records agree by the language of agreements
    recorded: tuple[RecordedKind, ...] = ()
    # what a team shares
    locks: LocksSpec = LocksSpec()
    store: StoreSpec = StoreSpec()
