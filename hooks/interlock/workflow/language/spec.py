"""A workflow as the checks see it; `compile.py` creates it from the file."""

from __future__ import annotations

from interlock.documents.registry.record import Shape
from interlock.model.quick_typing import Any, Mapping, NamedTuple
from interlock.model.state import State
from interlock.workflow.language.sharing import LocksSpec, StoreSpec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.workflow.agreements.spec import RecordedKind
    from interlock.workflow.language.protocol import ProtocolSpec

# the values of records without a word of their own
PRESENT, ABSENT = 'present', 'absent'
NOTHING = 'nothing'
ANY = 'any'

BEFORE = 'before'
STAGE = 'stage'
DONE = 'done'

# the meaning of a handoff that still exists in a state
KEPT = 'kept'
STALE = 'stale'

# how a task shows its approvals, and how strictly its plan is judged
FLAGS = 'flags'
RECORDED = 'recorded'
LENIENT = 'lenient'
STRICT = 'strict'


class StateSpec(NamedTuple):
    name: str
    # the handoff's word for it, '' if the handoff never has this state
    stage: str
    emoji: str
    phased: bool
    # whether a remark in parentheses may follow
    annotation: bool
    # whether it may stand beside another status
    beside: bool
    # the meaning of a handoff that still exists: '', 'kept' or 'stale'
    handoff: str
    # the stages that a handoff may have while the registry has this state
    agrees: tuple[str, ...]
    aliases: Mapping[str, str]
    # the default timeline text when an item reaches it
    timeline: str
    # the agent that does its work, '' for the lead
    agent: str
    # the registry's state once it is done, '' for its own name
    becomes: str
    # before the stages, one of them, or after them
    role: str = STAGE
    # the aliases for work in progress
    begun: tuple[str, ...] = ()
    # for tasks: whether agents run in it, whether agents may be added in it,
    # and the text for a session that enters it
    agents: bool = False
    additions: bool = False
    entering: tuple[str, ...] = ()
    # the state whose agents it builds on, '' if they work in this one
    agents_since: str = ''


class TransitionSpec(NamedTuple):
    origins: tuple[str, ...]
    targets: tuple[str, ...]
    # '' if legal, else the severity of a transition of this line
    severity: str
    # the trailer whose text (or a message body) turns an error into a warning
    reason: str
    hint: str
    # for tasks: the direction and the names of the conditions; the reason is
    # then a key of the log
    kind: str = ''
    gate: tuple[str, ...] = ()


class FirstLines(NamedTuple):
    """The first line of a timeline."""

    # for an item with a description, and for one without
    described: str = ''
    otherwise: str = ''


class RegistrySpec(NamedTuple):
    file: str
    shape: Shape
    # for entries in files of their own
    entry_file: str
    notes: str
    # for new entries: their text, the types of items, the description
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
    # needs a value once the plan is final
    planned: bool
    # true exactly when another field reaches a minimum
    exactly_when: Threshold | None
    type: str = 'text'
    # the command line option that sets it, '' for none, and its help
    option: str = ''
    help: str = ''


class NextSpec(NamedTuple):
    """What follows when a state is done."""

    after: tuple[str, ...]
    # only while the plan has phases left
    phases: bool
    # only if the handoff has these values
    when: Mapping[str, str]
    # the state whose work comes next, '' for the same
    to: str
    # whether that work is done in phases, if the item has any
    in_phases: bool
    # the lead does it, not the agent of that state
    led: bool
    # the handoff's text, with {phase} for the next phase
    action: str
    # the steps it lists, with {item}; () if they can be derived
    steps: tuple[str, ...] = ()


class PhasesSpec(NamedTuple):
    """Where the phases of an item are planned."""

    contract: str
    levels: tuple[int, ...]
    heading: str
    done: str
    # the field that says whether there are phases, and the one for the next
    when: str
    field: str
    # the timeline text when a phase is done
    timeline: str


class PlannedSpec(NamedTuple):
    """The state and status from which on the plan is final."""

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
    # open, done, last -> the status to write
    writes: Mapping[str, str]
    next: tuple[NextSpec, ...]
    phases: PhasesSpec | None
    # the fields of the next action and of the evidence, '' for none
    action: str
    evidence: str
    # kind of failed attempt -> the outcome whose menu comes next
    failures: Mapping[str, str]
    # kind of build -> the path of its result
    artifacts: Mapping[str, str]
    # what to read before continuing, besides the contracts
    reads: tuple[str, ...]
    # the text of a new handoff
    template: str
    # phrases by which the user continues work
    resumes: tuple[str, ...] = ()
    # states, and the default texts of sections once one of them is done
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
    # the trailer with the reason for a change
    amendment: str = 'Contract-Amendment'

    def __bool__(self) -> bool:
        return bool(self.files)


class GateSpec(NamedTuple):
    """What must exist when an item enters a state."""

    contracts: tuple[str, ...] = ()
    # the kinds of evidence that its work was tested
    evidence: tuple[str, ...] = ()


class DeliverableSpec(NamedTuple):
    paths: tuple[str, ...]
    # 'change': the commit changes some of it; 'exist': it is in the tree
    must: str
    unless: Mapping[str, str]


class SubjectSpec(NamedTuple):
    text: str
    state: str


class ConfirmSpec(NamedTuple):
    """Whether the user must confirm a committed stage before work continues."""

    # the phrases of which one must be the whole prompt
    words: tuple[str, ...] = ()
    # also after a phase, not only at the end of a stage
    phases: bool = False
    # required of every stage commit, even if no earlier one has it
    always: bool = False


class CommitSpec(NamedTuple):
    prefixes: tuple[str, ...]
    subjects: tuple[SubjectSpec, ...]
    words: tuple[str, ...]
    # stage, phase -> the subject of a commit that ends one
    writes: Mapping[str, str]
    body: tuple[str, ...]
    footers: tuple[str, ...]
    # for commits that an agent makes
    agent_footers: tuple[str, ...]
    # files that belong to such a commit besides the records
    files: tuple[str, ...]
    # whether an agent that another agent started may commit
    by_subagents: bool = True
    # None: no confirmation is needed
    confirm: ConfirmSpec | None = None

    def __bool__(self) -> bool:
        return bool(self.prefixes or self.subjects or self.writes)


class ItemAgreement(NamedTuple):
    """A demand of every workflow on the registry and the handoff of an item."""

    name: str
    # any of these
    when: tuple[Mapping[str, tuple[str, ...]], ...]
    then: Mapping[str, tuple[str, ...]]
    say: str
    fix: str
    # the place, and the values that disagree
    place: str
    expected: str
    found: str


class Kind(NamedTuple):
    """One kind of item, with everything the workflow says about it."""

    name: str
    path: str
    ignore: tuple[str, ...]
    states: Mapping[str, StateSpec]
    # each word for a state, including aliases -> the state's name
    words: Mapping[str, str]
    transitions: tuple[TransitionSpec, ...]
    # these are empty if the workflow has none
    registry: RegistrySpec
    handoff: HandoffSpec
    contracts: ContractsSpec
    gates: Mapping[str, GateSpec]
    deliverables: Mapping[str, tuple[DeliverableSpec, ...]]
    commit: CommitSpec
    # reports call states by their first alias
    milestones: bool = False
    # read only by commands that show a menu
    menus: Mapping[str, Any] = {}
    # for locked items that lie beside the repository
    protocol: ProtocolSpec | None = None
    names: str = ''
    # the agreements between its records
    agree: tuple[ItemAgreement, ...] = ()
    # other kinds have items too, maybe with the same names
    is_one_of_several: bool = False

    def called(self, item: str) -> str:
        """The name of an item as commands accept it."""
        return f'{self.name}:{item}' if self.is_one_of_several else item

    def by_stage(self, stage: str) -> StateSpec | None:
        for state in self.states.values():
            if state.stage == stage and stage:
                return state
        return None

    def position(self, state: str) -> int:
        """The position of a state in the workflow, -1 if it is not there."""
        try:
            return list(self.states).index(state)
        except ValueError:
            return -1

    def label(self, state: State | None, none: str = 'nothing') -> str:
        """A state as reports name it; `none` if there is no state."""
        if state is None:
            return none
        aliases = self.states[state.name].aliases if self.milestones else ()
        name = next(iter(aliases), state.name)
        return name if state.phase is None else f'{name}.{state.phase}'

    def said(self, state: State | None, none: str = 'nothing') -> str:
        """A state inside a sentence, in which `in review` would read as its words."""
        name = self.label(state, '')
        return name if name[:1].isupper() else f'`{name}`' if name else none

    def written_stage(self, state: State) -> str:
        """A stage or a phase as commands accept it: `3`, `3.1`."""
        stage = self.states[state.name].stage
        return stage if state.phase is None else f'{stage}.{state.phase}'


class DocumentsSpec(NamedTuple):
    """The files that are judged as documents, and the place of plans."""

    # patterns of handoff documents, and of other markdown files
    handoffs: tuple[str, ...] = ()
    markdown: tuple[str, ...] = ()
    # '' and () if the outline of handoff documents defines it
    plans_root: str = ''
    plans: tuple[str, ...] = ()


class Roots(NamedTuple):
    """Two directories, relative to the directory of the workflow file."""

    main: str
    tasks: str


class Workflow(NamedTuple):
    kinds: tuple[Kind, ...]
    severities: Mapping[str, str]
    # the file it was read from, for messages
    source: str
    # its path in the repository, '' if it lies outside
    path: str
    # the files it extends, without presets
    extended: tuple[str, ...] = ()
    # its baseline, beside it
    baseline: str = ''
    # the files that decide how changes are judged: all of these
    governing: tuple[str, ...] = ()
    # the trailer that shows that the local hooks judged a commit
    gate_trailer: str = ''
    documents: DocumentsSpec = DocumentsSpec()
    # for tasks: their location, and what is a warning or an error
    roots: tuple[Roots, ...] = ()
    approvals: str = FLAGS
    plan: str = LENIENT
    evidence: str = LENIENT
    # patterns of branches that are judged from tip to tip, like the main one
    protected: tuple[str, ...] = ()
    # kinds whose records must agree
    recorded: tuple[RecordedKind, ...] = ()
    # what a team shares
    locks: LocksSpec = LocksSpec()
    store: StoreSpec = StoreSpec()
