"""Whether an item's records are complete, and match what an agent reports."""

from __future__ import annotations

from interlock.documents import yaml
from interlock.documents.markdown import whole_lines
from interlock.documents.text import date, decode, shown
from interlock.model import quick_re as re
from interlock.model import quick_tools as functools
from interlock.model.finding import Finding
from interlock.model.fixes import ours
from interlock.model.quick_typing import Callable, Iterator, NamedTuple, Sequence
from interlock.model.state import State
from interlock.operations.progress_text import Words
from interlock.workflow.language.patterns import expand
from interlock.workflow.language.spec import DONE, KEPT, STAGE, Kind
from interlock.workflow.language.spec import STALE as STALE_HANDOFF
from interlock.workflow.reading.agent_report import AgentReport
from interlock.workflow.reading.records import STAGE_RE, Records, is_null, scalar
from interlock.workflow.reading.status_words import Status

UNREADABLE = ('HND001', 'HND002')
INCOMPLETE = ('HND003', 'HND004')
DISAGREE = ('REG001', 'REG002', 'REG003', 'REG007')
UNSEALED = ('CON001', 'CON002', 'CON003', 'CON005')
WARNED = ('HND010', 'REG004', 'REG006', 'REG015')
# findings that count whatever their severity: work continues from what the
# records say
MISMATCHES = (*DISAGREE, 'REG005', 'REG008', 'REG010', *UNREADABLE, *INCOMPLETE)
# a handoff in the old format, without stages, wrong once there is a stage
EARLY = 'HND008'

FINE = 0
NO_HANDOFF = 1
MISMATCH = 2
DRIFT = 3
STALE = 4


class ItemState(NamedTuple):
    code: int
    findings: tuple[Finding, ...] = ()


def _is_stale(at: Records) -> bool:
    """Whether the item is done for good, or the handoff itself says that it is done."""
    if at.handoff is None:
        return False
    policy = at.handoff_policy
    written = scalar(at.handoff, at.kind, 'status')
    final = written is not None and written.text in at.kind.handoff.status_in
    return policy == STALE_HANDOFF or (policy == KEPT and final)


def item_state(at: Records, found: Sequence[Finding]) -> ItemState:
    """Judge an item; staleness comes before the stage, else it would never show.

    `found` are the findings of the checks about the item.
    """
    if _is_stale(at):
        return ItemState(STALE)
    wrong = tuple(each for each in found if _mismatches(each, at))
    if at.active_handoff is None and at.kind.handoff:
        return ItemState(NO_HANDOFF, wrong)
    drifted = tuple(
        each for each in found if each.code in UNSEALED or _refuses_contract(each)
    )
    for code, guilty in ((MISMATCH, wrong), (DRIFT, drifted)):
        if guilty:
            return ItemState(code, guilty)
    if not at.registered and at.kind.registry:
        return ItemState(MISMATCH)
    return ItemState(FINE)


def is_broken(at: Records, found: Sequence[Finding]) -> bool:
    """Whether the handoff is too broken to say where work stands."""
    return any(
        each.code in (*UNREADABLE, *INCOMPLETE)
        or (each.code == EARLY and _mismatches(each, at))
        for each in found
    )


def _refuses_contract(finding: Finding) -> bool:
    return finding.refuses and finding.check == 'contracts'


def _mismatches(finding: Finding, at: Records) -> bool:
    if finding.code == 'REG014':
        return not at.registered
    elif finding.code == EARLY:
        return at.role in {STAGE, DONE}
    return finding.code in MISMATCHES or (
        finding.refuses and not _refuses_contract(finding)
    )


class Failure(NamedTuple):
    name: str
    message: str


class ReachedState(NamedTuple):
    """A state that should be done, and the records that must say so."""

    state: State
    at: Records
    # what the checks find wrong with the item
    found: Sequence[Finding]
    day: str

    @property
    def label(self) -> str:
        return self.at.kind.label(self.state)

    @property
    def path(self) -> str:
        return self.at.current.path if self.at.current else ''

    def key(self, role: str) -> str:
        return self.at.kind.handoff.keys.get(role, '')

    def said_by(self, rules: Sequence[str]) -> list[str]:
        return [
            f'{each.path}:{each.line}: {each.message}'
            for each in self.found
            if each.code in rules
        ]

    @property
    def states(self) -> list[State]:
        """The states that mean it is done: itself, and the one it becomes."""
        becomes = self.at.kind.states[self.state.name].becomes
        return [self.state, State(becomes)] if becomes else [self.state]

    def is_said_by(self, read: Status | None) -> bool:
        """Whether a status is this state, its name alone, or what it becomes."""
        said = [self.state, State(self.state.name)]
        said += self.states[1:] if self.state.phase is None else []
        return read is not None and read.state in said


def _stage(to: ReachedState) -> Iterator[str]:
    written = to.at.handoff_state
    if written != to.state:
        says = to.at.kind.label(written, 'no stage')
        yield f'{to.path} says {says}, not {to.label}'


def _status(to: ReachedState) -> Iterator[str]:
    """Check the status: work in progress is not done."""
    last = len(to.states) > 1 and to.state.phase is None
    wanted = to.at.kind.handoff.writes.get('last' if last else 'done')
    key, node = to.key('status'), to.at.handoff_field('status')
    text = '' if node is None or is_null(node) else node.text
    if key and wanted and text != wanted:
        yield f'`{key}` in {to.path} is `{shown(text)}`, not `{wanted}`'


def _updated(to: ReachedState) -> Iterator[str]:
    key, node = to.key('updated'), to.at.handoff_field('updated')
    text = node.text if node else ''
    if key and date(text) != to.day:
        yield f'`{key}` in {to.path} is `{shown(text)}`, not {to.day}'


def _checksums(to: ReachedState) -> Iterator[str]:
    """Every contract that exists is sealed, and every contract matches its seal."""
    at, key = to.at, to.key('checksums')
    node = at.current.handoff.nodes.get(key) if at.current and key else None
    sums = node.items if isinstance(node, yaml.Mapping) else {}
    for contract in at.kind.contracts.files if key else ():
        paths = [expand(path, at.item) for path in contract.paths]
        path = next((each for each in paths if at.snapshot.blob(each)), '')
        if path and is_null(sums.get(contract.name)):
            yield f'{to.path} has no checksum of {path}'
    if sums and at.kind.contracts:
        yield from to.said_by((*UNSEALED, 'CON004'))


def _completed(to: ReachedState) -> Iterator[str]:
    title = to.at.kind.handoff.sections.get('completed')
    lines = to.at.section_lines('completed')
    if title and not any(mentions(line, to.state, to.at.kind) for line in lines):
        yield f'`{title}` in {to.path} does not mention {to.label}'


def _registry(to: ReachedState) -> Iterator[str]:
    if not to.is_said_by(to.at.status):
        yield f'{to.at.registry_path} does not say that {to.at.item} is at {to.label}'


def _row(to: ReachedState) -> Iterator[str]:
    if not to.is_said_by(to.at.row_status):
        path = to.at.registry_path
        yield f'the row of {to.at.item} in {path} does not say {to.label}'


def _entry(to: ReachedState) -> Iterator[str]:
    if to.at.monolithic and not to.is_said_by(to.at.entry_status):
        path = to.at.entry_path
        yield f'the entry of {to.at.item} in {path} does not say {to.label}'


def _timeline(to: ReachedState) -> Iterator[str]:
    """The entry has a line of the day about the state."""
    at = to.at
    if not at.monolithic or not at.kind.registry.shape.timelines:
        return
    blob, lines = at.snapshot.blob(at.entry_path), list[str]()
    if at.entry is not None and blob is not None:
        written = whole_lines(decode(blob))
        lines = [
            written[at.entry.line_at(each) - 1]
            for timeline in at.entry.timelines
            for each in timeline
            if each.text == to.day
        ]
    if not any(mentions(line, state, at.kind) for line in lines for state in to.states):
        yield (
            f'the timeline of {at.item} in {at.entry_path} has no line of '
            f'{to.day} about {to.label}'
        )


class Requirement(NamedTuple):
    # its name as a reason: in a report, and for the files alone
    names: tuple[str, ...]
    # what is missing, or the rules whose findings say so
    check: Callable[[ReachedState], Iterator[str]] | None = None
    rules: tuple[str, ...] = ()


VALID_YAML = Requirement(('valid_yaml',), rules=UNREADABLE)
OF_HANDOFF = (
    VALID_YAML,
    Requirement(('required_fields',), rules=INCOMPLETE),
    Requirement(('stage_mismatch', 'stage_matches'), _stage),
    Requirement(('status_valid',), _status),
    Requirement(('date_not_current', 'date_current'), _updated),
    Requirement(('checksums_present',), _checksums),
    Requirement(('markdown_sections_present',), rules=('HND006',)),
)
OF_REGISTRY = (
    Requirement(('plugins_md_not_updated',), _registry),
    Requirement(('plugins_md_table_updated',), _row),
    Requirement(('plugins_md_entry_updated',), _entry),
    Requirement(('plugins_md_consistency',), rules=DISAGREE),
    Requirement(('timeline_updated',), _timeline),
)
COMPLETED = Requirement(('completed_section_updated',), _completed)
CHECKS = (
    'file_exists',
    *(each.names[-1] for each in (*OF_HANDOFF, *OF_REGISTRY[1:], COMPLETED)),
)
FILES_MISSING = 'files_missing'
FILES_UNCHANGED = 'files_unchanged'
NOT_READY = 'not_ready'
# the reasons of a report, in the order in which they are checked
ORDER = (
    'agent_mismatch',
    'stateUpdated_false',
    'state_update_error',
    'stage_mismatch',
    'date_not_current',
    'plugins_md_not_updated',
    'handoff_unchanged',
    'state_files_not_updated',
    FILES_MISSING,
    FILES_UNCHANGED,
    NOT_READY,
    *CHECKS,
)


def _unmet(to: ReachedState) -> Iterator[Failure]:
    """The requirements of a state that handoff and registry do not meet."""
    spec, placed = to.at.kind.handoff, to.at.current
    asked: list[Requirement] = []
    if spec and placed is None:
        path = expand(spec.file, to.at.item)
        yield Failure('file_exists', f'{path} does not exist')
    elif placed is not None:
        readable = placed.handoff.fields is not None
        asked += (*OF_HANDOFF, COMPLETED) if readable else (VALID_YAML,)
    if to.at.kind.registry:
        asked += OF_REGISTRY
    for each in asked:
        said = each.check(to) if each.check else to.said_by(each.rules)
        yield from (Failure(name, text) for text in said for name in each.names)


def _forms(state: State, kind: Kind) -> Iterator[str]:
    """Every way to write a state, as records and subjects do."""
    for word, name in kind.words.items():
        if name == state.name:
            yield str(State(word, state.phase))
    stage = kind.states[state.name].stage
    for form in kind.commit.subjects:
        if form.state:
            if form.state == state.name and state.phase is None:
                yield form.text
        elif ('{phase}' in form.text) == (state.phase is not None):
            phase = f'{stage}.{state.phase}'
            yield form.text.replace('{phase}', phase).replace('{stage}', stage)


@functools.lru_cache(maxsize=64)
def _form_re(forms: tuple[str, ...]) -> re.Pattern[str]:
    any_of = '|'.join(re.escape(form) for form in forms)
    # not a part of `Stage 3.1` or `Stage 30`
    return re.compile(rf'(?<![\w.])(?:{any_of})(?!\.?\w)', re.IGNORECASE)


def mentions(text: str, state: State, kind: Kind) -> bool:
    """Whether a line of a document mentions a state."""
    return _form_re(tuple(_forms(state, kind))).search(text) is not None


class Work(NamedTuple):
    """The files of the project, as the agent leaves them."""

    # the files that a name in the report may mean
    find: Callable[[str], Sequence[str]]
    # whether a file has changed since the agent started
    changed: Callable[[str], bool]


class Verification(NamedTuple):
    # in the order of the reasons
    failures: tuple[Failure, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def verified(self) -> bool:
        return not self.failures

    @property
    def reason(self) -> str:
        return self.failures[0].name if self.failures else ''

    @property
    def error(self) -> str:
        return self.failures[0].message if self.failures else ''


def _verification(to: ReachedState, *more: Failure) -> Verification:
    failures = dict.fromkeys((*more, *_unmet(to)))
    in_order = sorted(failures, key=lambda failure: ORDER.index(failure.name))
    return Verification(tuple(in_order), tuple(to.said_by(WARNED)))


def verify_state(
    state: State, at: Records, found: Sequence[Finding], day: str
) -> Verification:
    """Check the files alone: whether they hold everything that a state needs."""
    return _verification(ReachedState(state, at, found, day))


def verify_report(
    report: AgentReport,
    state: State,
    at: Records,
    found: Sequence[Finding],
    work: Work,
    day: str,
) -> Verification:
    """Compare the report with the files; `found` are the findings about them.

    For an agent that does not do the state nothing else is checked.
    """
    owner = at.kind.states[state.name].agent
    others = {spec.agent for spec in at.kind.states.values()} - {''}
    if report.agent != owner and (owner or report.agent in others):
        whose = f'{owner} does it' if owner else 'no agent does it'
        said = f'{report.agent} reports {at.kind.label(state)}, and {whose}'
        return Verification((Failure('agent_mismatch', said),))
    return _verification(
        ReachedState(state, at, found, day),
        *_admitted(report, state),
        *_other_stage(report, state, at.kind),
        *_unchanged(report, at, work),
    )


def _held(report: AgentReport, state: State) -> str:
    """Why the agent reports that the item must not continue, '' if it does not.

    After a phase this does not count: a stage with more phases is never ready.
    """
    if not report.succeeded or report.ready or state.phase is not None:
        return ''
    why = f': {"; ".join(report.issues)}' if report.issues else ''
    return f'{report.agent} reports that the item is not ready to continue{why}'


def _admitted(report: AgentReport, state: State) -> Iterator[Failure]:
    """The failures that the report itself admits."""
    if not report.updated:
        why = f': {report.error}' if report.error else ''
        said = f'{report.agent} did not update the state{why}'
        yield Failure('stateUpdated_false', said)
    if report.error or not report.succeeded:
        where = f'{report.failed}: ' if report.failed else ''
        error = report.error or 'it gives no reason'
        yield Failure('state_update_error', f'{where}{error}')
    held = _held(report, state)
    if held:
        yield Failure(NOT_READY, held)


def _other_stage(report: AgentReport, state: State, kind: Kind) -> Iterator[Failure]:
    """A report of the last phase may stand for the whole stage."""
    stage = kind.states[state.name].stage
    match = STAGE_RE.match(report.phase)
    phase = int(match[2]) if match and match[1] == stage else None
    said = report.phase or report.stage
    # a failed report need not name the stage
    if said and (
        (report.stage and report.stage != stage)
        or (report.phase and phase is None)
        or (state.phase is not None and phase != state.phase)
    ):
        yield Failure(
            'stage_mismatch',
            f'the report speaks of stage {said}, not of {kind.label(state)}',
        )


def _unchanged(report: AgentReport, at: Records, work: Work) -> Iterator[Failure]:
    if at.current is not None and not work.changed(at.current.path):
        yield Failure(
            'handoff_unchanged',
            f'{at.current.path} has not changed since the agent started',
        )
    if not report.written:
        yield Failure(
            'state_files_not_updated', 'the report does not name a state file'
        )
    yield from _missing_work(report, work)


def _missing_work(report: AgentReport, work: Work) -> Iterator[Failure]:
    """The files of the report that are not there, or not changed."""
    for name in report.files:
        paths = work.find(name)
        if not paths:
            yield Failure(FILES_MISSING, f'{name} does not exist')
        elif not any(work.changed(path) for path in paths):
            yield Failure(
                FILES_UNCHANGED, f'{paths[0]} has not changed since the agent started'
            )


def refusal(report: AgentReport, state: State, work: Work) -> str:
    """Why the state may not be written in place of the agent, or ''."""
    held = _held(report, state)
    if held or report.complete:
        return held or '; '.join(each.message for each in _missing_work(report, work))
    what = f' ({report.failed})' if report.failed else ''
    return f'the work itself is not complete{what}: {report.error}'


def report_words(report: AgentReport) -> Words:
    return Words(
        text=report.description, completed=report.completed, steps=report.steps
    )


# what failed, by the names of menu outcomes in a workflow: the work itself, the
# update of its state, and the state written in place of the agent
WORK = 'work'
UPDATE = 'update'
FALLBACK = 'fallback'
# a menu shows what went wrong, not a whole log
LONGEST = 200


def menu_of(at: Records, what: str, why: str) -> str:
    """The command that shows what may be done about a failure."""
    known = at.kind.handoff.failures
    if not known.get(what):
        return ours('resume', at.called)
    text = ' '.join(why.split())[:LONGEST]
    return ours('menu', at.called, '--outcome', known[what], '--text', text)


def fallback_command(at: Records, words: list[str], report: str, why: str) -> str:
    """The same command, with the state written in place of the agent.

    A report from standard input is gone, so the menu is shown instead.
    """
    if report == '-':
        return menu_of(at, UPDATE, why)
    return ours(*words, '--report', report, '--fallback')
