from __future__ import annotations

import datetime
import json
from typing import Any

import pytest

from tests import samples, spaces
from tests.commands.items import reports
from tests.conftest import Repo
from tests.desk import Desk
from tests.guard.agents import desk_of, end_agent, failures, start_agent
from tests.guard.asking import OTHER, SESSION, ask
from tests.guard.stage_agents_test import confirm, stage
from tests.spaces import TASK, Space

DSP = 'dsp-agent'
DAY = datetime.date.today().isoformat()


def done(**fields: Any) -> dict[str, str | bytes | None]:
    return reports.done(
        registry=reports.registry(day=DAY),
        handoff=reports.handoff(last_updated=DAY, **fields),
    )


@pytest.fixture
def begun(project: Repo) -> Repo:
    """Bravo has done Stage 2, and the agent of Stage 3 has started."""
    confirm(project, 'Bravo', '2', stage(project, '2'))
    assert start_agent(DSP, project.path, 'Bravo').is_silent
    return project


def said_of(repo: Repo, last: str = 'done', **fields: Any) -> str:
    reply = end_agent(DSP, repo.path, last, **fields)
    assert reply.decision in ('', 'block')
    assert failures(repo.path / '.git') == ''
    return reply.reason


def test_an_agent_that_wrote_its_state_may_go(begun: Repo) -> None:
    begun.write(done())
    assert said_of(begun) == ''


def test_an_agent_that_wrote_nothing_is_told_once(begun: Repo) -> None:
    said = said_of(begun)
    assert said.startswith(
        'dsp-agent: the state of Bravo at Stage 3 is not complete:\n'
        f'{samples.handoff_path("Bravo")} has not changed since the agent started\n'
    )
    assert said.endswith(
        'next: do what is missing; then: interlock handoff update Bravo 3'
    )
    assert len(said) <= 600
    # then it is let go
    assert said_of(begun) == ''
    assert said_of(begun, stop_hook_active=True) == ''


def test_what_an_agent_is_told_to_run_writes_its_state(project: Repo) -> None:
    planner = 'research-planning-agent'
    items = {'Alpha': 'Ideated', 'Bravo': 'Stage 2', 'Charlie': 'Installed'}
    folder = 'plugins/Alpha/.ideas'
    project.commit(
        {
            'PLUGINS.md': samples.registry(items),
            f'{folder}/creative-brief.md': 'é\n',
            f'{folder}/architecture.md': 'é\n',
        }
    )
    assert start_agent(planner, project.path, 'Alpha').is_silent
    said = end_agent(planner, project.path, 'done', name='a1').reason
    command = said.partition('then: ')[2]
    assert command == (
        'interlock handoff create Alpha 0 && interlock handoff update Alpha 0'
    )
    for each in command.split(' && '):
        ran = spaces.run(*each.split()[1:], session=SESSION, cwd=project.path)
        assert ran.returncode == 0, ran.stderr
    assert end_agent(planner, project.path, 'done', name='a2').reason == ''


def test_a_second_agent_is_told_for_itself(begun: Repo) -> None:
    assert said_of(begun, name='a1')
    assert said_of(begun, name='a1') == ''
    assert start_agent(DSP, begun.path, 'Bravo').is_silent
    assert said_of(begun, name='a2')


def test_the_client_s_own_sign_is_honoured(begun: Repo) -> None:
    assert said_of(begun, stop_hook_active=True) == ''


@pytest.mark.parametrize(
    ('last', 'says'),
    (
        pytest.param(json.dumps(reports.report()), '', id='right'),
        pytest.param(
            'Here:\n```json\n' + json.dumps(reports.report(), indent=2) + '\n```\n',
            '',
            id='in a fence',
        ),
        pytest.param(
            'Set {x} and {"a": 1}. ' + json.dumps(reports.report()),
            '',
            id='behind words',
        ),
        pytest.param('done { ', '', id='no report'),
        pytest.param(
            json.dumps(reports.report(outputs__files_modified=['nope.cpp'])),
            'nope.cpp does not exist',
            id='a file that is not there',
        ),
        pytest.param(
            json.dumps(reports.report(agent='gui-agent')),
            'gui-agent reports Stage 3, and dsp-agent does it',
            id='of another agent',
        ),
        pytest.param(
            json.dumps(reports.report(stateUpdated=False)),
            'dsp-agent did not update the state',
            id='did not update',
        ),
        pytest.param(
            json.dumps({'agent': DSP, 'status': 'perhaps'}),
            'the report is invalid',
            id='invalid',
        ),
        pytest.param(json.dumps(reports.failure()), '', id='says that it failed'),
    ),
)
def test_a_report_is_compared_with_the_files(begun: Repo, last: str, says: str) -> None:
    begun.write(done())
    said = said_of(begun, last)
    assert says in said
    assert bool(said) == bool(says)


def test_a_report_may_be_handed_over_with_a_tool(begun: Repo) -> None:
    begun.write(done())
    wrong = json.dumps(reports.report(stateUpdated=False))
    reply = ask(
        'PostToolUse',
        begun.path,
        tool_name='SubagentHandback',
        tool_input={'message': wrong},
        tool_response={},
        agent_id='a1',
        agent_type=DSP,
    )
    assert reply.is_silent
    assert 'did not update the state' in said_of(begun, 'bye')


def test_the_last_phase_may_be_reported_by_its_number(begun: Repo) -> None:
    begun.write(
        {
            **done(phase='3.1', completed='**Stage 3.1:** un'),
            'PLUGINS.md': reports.registry('Stage 3.1', about='3.1', day=DAY),
        }
    )
    said = reports.report(outputs__phase_completed='3.1')
    assert 'not of' not in said_of(begun, json.dumps(said))


@pytest.mark.parametrize('kind', ('', 'general-purpose', 'gui-agent'))
def test_agents_that_were_not_started_for_an_item_may_go(
    begun: Repo, kind: str
) -> None:
    assert end_agent(kind, begun.path).is_silent


def test_another_session_did_not_start_it(begun: Repo) -> None:
    reply = end_agent(DSP, begun.path, session=OTHER)
    assert reply.is_silent


def test_two_at_once_are_told_apart_by_their_words(begun: Repo) -> None:
    runs = begun.path / '.git' / 'interlock' / 'claude' / 'runs'
    (file,) = runs.iterdir()
    line = file.read_text().replace('Bravo', 'Alpha')
    file.write_text(file.read_text() + line)
    assert said_of(begun, 'no name') == ''
    assert 'the state of Bravo' in said_of(begun, 'Bravo is done')


# --- tasks


@pytest.fixture
def desk(space: Space, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.delenv('INTERLOCK_SESSION')
    made = desk_of(space, 'REQUIREMENTS')
    assert start_agent('architect', made.code.path).is_silent
    return made


def ended(desk: Desk, last: str = 'done', **fields: Any) -> str:
    reply = end_agent('architect', desk.code.path, last, **fields)
    assert reply.decision in ('', 'block')
    return reply.reason


def invocation(desk: Desk) -> dict[str, Any]:
    found: dict[str, Any] = desk.trail['agent_invocations'][-1]
    return found


def test_an_agent_of_a_task_that_is_done_may_go(desk: Desk) -> None:
    desk.status('architect')
    desk.report('architect')
    assert ended(desk) == ''
    entry = invocation(desk)
    assert entry['status'] == 'completed'
    assert entry['completion_timestamp']
    report = desk.file(f'{TASK}-architect-requirements.md')
    assert entry['report_location'] == str(report)


@pytest.mark.parametrize(
    ('status', 'report', 'says'),
    (
        pytest.param('COMPLETE', None, 'its report', id='no report'),
        pytest.param('COMPLETE', '', 'is empty', id='an empty one'),
        pytest.param('COMPLETE', 'x', 'fewer than 100', id='a short one'),
        pytest.param(
            'WORKING', spaces.TODO, 'its status is WORKING', id='not complete'
        ),
        pytest.param(None, spaces.TODO, 'no status file', id='no status'),
    ),
)
def test_what_is_missing_is_said_once(
    desk: Desk, status: str | None, report: str | None, says: str
) -> None:
    if status is not None:
        desk.status('architect', status=status)
    if report is not None:
        desk.report('architect', report)
    said = ended(desk)
    assert said.startswith(f'architect is not done with {TASK} (REQUIREMENTS)')
    assert says in said
    assert invocation(desk)['status'] == 'running'
    assert ended(desk, stop_hook_active=True) == ''
    assert invocation(desk)['status'] == 'failed'


@pytest.mark.parametrize(
    ('last', 'written', 'says', 'decided'),
    (
        pytest.param(
            'FINAL DECISION: ✅ APPROVED - bien',
            'APPROVED',
            '',
            'APPROVED',
            id='approved',
        ),
        pytest.param(
            'FINAL DECISION: ❌ REJECTED - non',
            'REJECTED',
            '',
            'REJECTED',
            id='rejected',
        ),
        pytest.param(
            'looks fine', 'APPROVED', 'is taken as REJECTED', 'REJECTED', id='malformed'
        ),
        pytest.param(
            'FINAL DECISION: APPROVED - bien',
            'REJECTED',
            'its message says APPROVED',
            'APPROVED',
            id='another decision in its file',
        ),
        pytest.param(
            'FINAL DECISION: APPROVED - bien',
            '',
            'is missing',
            'APPROVED',
            id='none in its file',
        ),
    ),
)
def test_a_review_ends_with_its_line(
    desk: Desk, last: str, written: str, says: str, decided: str
) -> None:
    desk.at('REVIEW')
    desk.status('architect', **({'decision': written} if written else {}))
    desk.report('architect')
    said = ended(desk, last)
    assert says in said
    assert bool(said) == bool(says)
    if said:
        assert ended(desk, last) == ''
    assert invocation(desk)['decision'] == decided


@pytest.mark.parametrize('state', ('SYNTHESIS', 'IMPLEMENTATION', 'REVIEW'))
def test_what_an_agent_had_done_before_is_not_enough(desk: Desk, state: str) -> None:
    desk.at(state)
    entered = desk.read()['transition_log'][-1]['timestamp']
    desk.status('architect', updated_at='2026-01-02T03:00:59Z')
    desk.report('architect')
    said = ended(desk)
    assert 'its status COMPLETE was written at 2026-01-02T03:00:59Z' in said
    assert f'{state} was entered at {entered}' in said


def test_a_review_without_its_line_is_a_rejection(desk: Desk) -> None:
    desk.at('REVIEW')
    assert start_agent('architect', desk.code.path).is_silent
    desk.status('architect', decision='APPROVED')
    desk.report('architect')
    assert 'is taken as REJECTED' in ended(desk, 'looks fine')
    assert ended(desk, 'looks fine', stop_hook_active=True) == ''
    code = desk.code.path
    result = spaces.run('agents', 'check', TASK, 'architect', session=SESSION, cwd=code)
    assert result.returncode == 1
    assert 'architect decided REJECTED, not APPROVED: its last' in result.stdout
    missing = 'not end with `FINAL DECISION: APPROVED - REASON`'
    assert f'{missing}: start it again' in ' '.join(result.stdout.split())
    result = spaces.run(
        'gate', TASK, 'AWAITING_USER_APPROVAL', session=SESSION, cwd=code
    )
    assert 'architect decided REJECTED, not APPROVED' in result.stdout
    assert 'next: start architect to review the work' in result.stdout
    result = spaces.run(
        'transition', TASK, 'IMPLEMENTATION', '--reason', 'é', session=SESSION, cwd=code
    )
    assert result.returncode == 0, result.stdout


def test_other_agents_and_sessions_may_go(desk: Desk) -> None:
    code = desk.code.path
    assert end_agent('general-purpose', code).is_silent
    assert end_agent('architect', code, session=OTHER).is_silent
    assert end_agent('', code).is_silent
    assert invocation(desk)['status'] == 'running'


def test_an_agent_that_nobody_saw_start_breaks_no_trail(desk: Desk) -> None:
    desk.status('quality')
    desk.report('quality')
    assert end_agent('quality', desk.code.path).is_silent
    assert len(desk.trail['agent_invocations']) == 1


def test_the_saved_state_says_how_an_agent_ended(desk: Desk) -> None:
    import sqlite3

    desk.status('architect')
    desk.report('architect')
    store = desk.path / 'état.db'
    environ = {'INTERLOCK_STORE': f'sqlite:///{store}'}
    assert end_agent(
        'architect', desk.code.path, 'très bien', environ=environ
    ).is_silent
    with sqlite3.connect(store) as connection:
        (text,) = connection.execute('SELECT state_json FROM workflow_state').fetchone()
    connection.close()
    (agent,) = json.loads(text)['subagents']
    assert (agent['id'], agent['status']) == ('a1', 'completed')
