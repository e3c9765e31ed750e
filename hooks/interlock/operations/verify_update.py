"""Has an agent written the state that it reports?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from interlock.model.finding import Finding
from interlock.model.state import State
from interlock.operations.progress_text import Words
from interlock.operations.state_requirements import (
    CHECKS,
    Failure,
    of_state,
    warnings_of,
)
from interlock.workflow.language.spec import Kind
from interlock.workflow.reading.agent_report import AgentReport
from interlock.workflow.reading.records import STAGE_RE, Records
from interlock.workflow.reading.status_words import label

FILES_MISSING = 'files_missing'
FILES_UNCHANGED = 'files_unchanged'
NOT_READY = 'not_ready'


class Work(NamedTuple):
    """The files of the project, as the agent leaves them."""

    # the files that a name in the report may mean
    find: Callable[[str], Sequence[str]]
    # whether a file is another one than when the agent started
    changed: Callable[[str], bool]


class Verdict(NamedTuple):
    # in the order in which they are reasons
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


def _owner(report: AgentReport, state: State, kind: Kind) -> Iterator[Failure]:
    """A state that nobody is named for is not that of others."""
    owner = kind.states[state.name].agent
    others = {spec.agent for spec in kind.states.values()} - {''}
    if report.agent == owner or (not owner and report.agent not in others):
        return
    whose = f'{owner} does it' if owner else 'no agent does it'
    yield Failure(
        'agent_mismatch', f'{report.agent} reports {label(state, kind)}, and {whose}'
    )


def _said(report: AgentReport) -> Iterator[Failure]:
    """What the report itself says of the state."""
    error = report.error or 'it says nothing of the reason'
    if not report.updated:
        message = f'{report.agent} did not update the state'
        why = f': {report.error}' if report.error else ''
        yield Failure('stateUpdated_false', f'{message}{why}')
    if report.error or not report.succeeded:
        where = f'{report.failed}: ' if report.failed else ''
        yield Failure('state_update_error', f'{where}{error}')


def _is_held(report: AgentReport, state: State) -> bool:
    """Whether the agent says that the item is not to go on.

    After a phase that is true of every stage that has more of them.
    """
    return report.succeeded and not report.ready and state.phase is None


def _held(report: AgentReport) -> str:
    why = f': {"; ".join(report.issues)}' if report.issues else ''
    return f'{report.agent} reports that the item is not ready to go on{why}'


def _stage(report: AgentReport, state: State, kind: Kind) -> Iterator[Failure]:
    """A report of the last phase may stand for the whole stage."""
    stage = kind.states[state.name].stage
    match = STAGE_RE.match(report.phase)
    phase = int(match[2]) if match and match[1] == stage else None
    if not report.stage and not report.phase:
        # a failure need not say of what
        return
    elif (
        (report.stage and report.stage != stage)
        or (report.phase and phase is None)
        or (state.phase is not None and phase != state.phase)
    ):
        said = report.phase or report.stage
        yield Failure(
            'stage_mismatch',
            f'the report speaks of stage {said}, not of {label(state, kind)}',
        )


def _files(report: AgentReport, at: Records, work: Work) -> Iterator[Failure]:
    if at.current is not None and not work.changed(at.current.path):
        yield Failure(
            'handoff_unchanged',
            f'{at.current.path} is what it was when the agent started',
        )
    if not report.written:
        yield Failure('state_files_not_updated', 'the report names no state file')
    yield from missing_work(report, work)


def missing_work(report: AgentReport, work: Work) -> Iterator[Failure]:
    """The files of the report that are not there, or not changed."""
    for name in report.files:
        paths = work.find(name)
        if not paths:
            yield Failure(FILES_MISSING, f'{name} does not exist')
        elif not any(work.changed(path) for path in paths):
            yield Failure(
                FILES_UNCHANGED, f'{paths[0]} is what it was when the agent started'
            )


# the reasons of a report, in the order in which they are asked for
ORDER = (
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


def _in_order(failures: Sequence[Failure]) -> tuple[Failure, ...]:
    known = {name: number for number, name in enumerate(ORDER)}
    return tuple(
        sorted(dict.fromkeys(failures), key=lambda failure: known[failure.name])
    )


def verify(
    report: AgentReport,
    state: State,
    at: Records,
    found: Sequence[Finding],
    work: Work,
    day: str,
) -> Verdict:
    """The report against the files; `found` is what checks say of them.

    Of an agent that does not do the state nothing else is asked.
    """
    failures = list(_owner(report, state, at.kind))
    if failures:
        return Verdict(tuple(failures))
    failures.extend(_said(report))
    if _is_held(report, state):
        failures.append(Failure(NOT_READY, _held(report)))
    failures.extend(_stage(report, state, at.kind))
    failures.extend(_files(report, at, work))
    failures.extend(of_state(state, at, found, day))
    return Verdict(_in_order(failures), warnings_of(found))


def verify_state(
    state: State, at: Records, found: Sequence[Finding], day: str
) -> Verdict:
    """The files alone: is everything written that a state needs?"""
    failures = _in_order(list(of_state(state, at, found, day)))
    return Verdict(failures, warnings_of(found))


def refusal(report: AgentReport, state: State, work: Work) -> str:
    """Why nobody may write the state in place of the agent, or ''."""
    if _is_held(report, state):
        return _held(report)
    if not report.complete:
        what = f' ({report.failed})' if report.failed else ''
        return f'the work itself is not complete{what}: {report.error}'
    return '; '.join(each.message for each in missing_work(report, work))


def words(report: AgentReport) -> Words:
    return Words(
        text=report.description, completed=report.completed, steps=report.steps
    )
