"""The end of a stage's agent: has it written the state that it reached?"""

from __future__ import annotations

import contextlib
import datetime

from interlock.checks.run import findings_of
from interlock.documents.text import shown
from interlock.git.repository import Repository
from interlock.git.worktree_snapshot import StoredSnapshot
from interlock.guard import agent_reports, agent_runs, project_paths
from interlock.guard.agent_runs import Run
from interlock.guard.context import Scene
from interlock.guard.item_mentions import named
from interlock.model.errors import Refusal
from interlock.model.state import State
from interlock.operations import verify_update
from interlock.operations.verify_update import Work
from interlock.tasks import agent_work
from interlock.tasks.agent_work import in_repository
from interlock.workflow.language.spec import Kind
from interlock.workflow.reading.agent_report import AgentReport, read
from interlock.workflow.reading.records import STAGE_RE, Records, handoff_state, records
from interlock.workflow.reading.status_words import label

# what one answer has room for
FEW = 4


def which(scene: Scene, agent: str) -> Run | None:
    """What the agent was started for; its own words decide between two."""
    found = agent_runs.running(scene, agent)
    if len(found) > 1:
        items = named(agent_reports.message(scene), [run.item for run in found])
        found = [run for run in found if run.item in items]
    return found[0] if len(found) == 1 else None


def _state(run: Run, report: AgentReport | None, at: Records) -> State:
    """What is to be verified: a phase may stand for another, or for all."""
    match = STAGE_RE.match(report.phase) if report else None
    if match and match[1] == at.kind.states[run.state.name].stage:
        return State(run.state.name, int(match[2]))
    written = handoff_state(at.current)
    same = written is not None and written.name == run.state.name
    return written if same and written else run.state


def _kind(scene: Scene, run: Run) -> Kind:
    return next(kind for kind in scene.workflow.kinds if run.state.name in kind.states)


def _report(scene: Scene) -> AgentReport | None:
    data = agent_reports.report_in(agent_reports.message(scene))
    return read(data) if data else None


def _failures(
    scene: Scene, run: Run, repository: Repository, contents: StoredSnapshot
) -> tuple[State, list[str]]:
    at = records(contents, _kind(scene, run), run.item)
    report = _report(scene)
    state = _state(run, report, at)
    if report is not None and not report.succeeded:
        # it says itself that it failed: nothing is to be made up for
        return state, []
    found, day = findings_of(at, scene.workflow), datetime.date.today()
    directory = f'{repository.facts.common_dir}/interlock'
    made = in_repository(
        repository, at, contents, agent_work.started(directory, at.item)
    )
    if report is not None:
        verdict = verify_update.verify(
            report, state, at, found, Work(made.find, made.changed), day.isoformat()
        )
        return state, [each.message for each in verdict.failures]
    verdict = verify_update.verify_state(state, at, found, day.isoformat())
    said = [each.message for each in verdict.failures]
    if at.current is not None and not made.changed(at.current.path):
        path = at.current.path
        said.insert(0, f'{path} is what it was when the agent started')
    return state, said


def faults(scene: Scene, run: Run) -> str:
    """What the agent left undone, '' where there is nothing."""
    with (
        project_paths.repository(scene) as repository,
        contextlib.closing(StoredSnapshot(repository)) as contents,
    ):
        try:
            state, said = _failures(scene, run, repository, contents)
        except Refusal as e:
            state, said = run.state, [e.message]
    kind = _kind(scene, run)
    lines = [shown(line) for line in dict.fromkeys(said)]
    more = [f'and {len(lines) - FEW} more'] if len(lines) > FEW else []
    if not lines:
        return ''
    stage = kind.states[state.name].stage
    if state.phase is not None:
        stage = f'{stage}.{state.phase}'
    return '\n'.join(
        [
            f'{run.agent}: the state of {run.item} at {label(state, kind)} is '
            f'not written as it must be:',
            *lines[:FEW],
            *more,
            f'next: write it, then report again (the orchestrator runs interlock '
            f'verify-update {run.item} --stage {stage} --report FILE)',
        ]
    )
