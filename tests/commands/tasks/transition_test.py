from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from interlock.commands.click_options import run
from interlock.commands.group import cli
from interlock.documents import timestamps
from interlock.tasks.conditions.condition import ConditionResult
from interlock.tasks.conditions.gate import gate
from interlock.tasks.conditions.view import View
from tests import spaces
from tests.conftest import SCRIPTS, Interlock
from tests.desk import FORWARD, PARTS, PLAN, Desk
from tests.spaces import OTHER, SESSION, TASK
from tests.transactions.journal_test import in_child

KILLED = 42


def ready(desk: Desk) -> None:
    """Everything that leads out of REQUIREMENTS is there."""
    desk.at('REQUIREMENTS')
    desk.write('task.md', PLAN)
    desk.status('architect')
    desk.report('architect')


def test_state_log_and_trail_change_together(desk: Desk, interlock: Interlock) -> None:
    ready(desk)
    before = desk.read()
    result = interlock('transition', TASK, 'SYNTHESIS', '--evidence', 'é.md')
    assert result.code == 0, result.out
    assert f'{TASK}: REQUIREMENTS -> SYNTHESIS' in result.err
    assert 'allowed: resolve conflicts, write the plan' in result.out
    assert 'forbidden: to implement' in result.out
    after = desk.read()
    *log, last = after['transition_log']
    assert log == before['transition_log']
    assert after == {**before, 'state': 'SYNTHESIS', 'transition_log': [*log, last]} | {
        'evidence': {'REQUIREMENTS': ['é.md']}
    }
    assert last == {
        'from': 'REQUIREMENTS',
        'to': 'SYNTHESIS',
        'timestamp': last['timestamp'],
        'evidence': ['é.md'],
        'agents': ['architect'],
    }
    assert timestamps.parse(last['timestamp']) is not None
    assert desk.trail['state_transitions'][-1] == {
        'from_state': 'REQUIREMENTS',
        'to_state': 'SYNTHESIS',
        'timestamp': last['timestamp'],
        'verification_passed': True,
    }
    assert interlock('task', 'check', TASK).code == 0


def test_what_the_first_state_has_to_show_is_in_the_trail(
    desk: Desk, interlock: Interlock
) -> None:
    assert interlock('transition', TASK, 'CLASSIFIED').code == 0
    assert desk.trail['state_transitions'][-1]['evidence'] == {
        'lock_created_at': desk.read()['created_at'],
        'session_id': SESSION,
        'worktree': str(desk.code.path),
        'agent_worktrees': ['architect'],
        'working_dir': str(desk.code.path),
    }


@pytest.mark.parametrize('holder', (OTHER, ''), ids=('another session', 'unknown'))
def test_who_does_not_hold_the_lock_is_told_who_ends_it(
    desk: Desk,
    interlock: Interlock,
    holder: str,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    desk.change(session_id=holder)
    release = f'interlock lock release {TASK} --holder '
    said = interlock('gate', TASK, 'CLASSIFIED').out
    assert 'GAT004' in said
    assert f'next: ask the user to run `{release}' in said
    # a person sees the same command, and it ends the lock
    monkeypatch.delenv('INTERLOCK_SESSION')
    request.getfixturevalue('person')
    assert (
        f'next: interlock lock show {TASK}\n'
        in interlock('gate', TASK, 'CLASSIFIED').out
    )
    shown = interlock('lock', 'show', TASK).out
    command = shown.partition(f'a person ends the lock: {release}')[2].split()[0]
    assert interlock(*release.split()[1:], command).code == 0
    assert interlock('lock', 'show', TASK).code == 1


@pytest.mark.parametrize(
    ('prepare', 'state', 'message'),
    (
        pytest.param(
            lambda desk: None, 'BANANA', '`BANANA` is not a state', id='no state'
        ),
        pytest.param(
            lambda desk: None, 'CLASIFIED', 'did you mean `CLASSIFIED`?', id='a slip'
        ),
        pytest.param(
            lambda desk: None,
            'IMPLEMENTATION',
            'the lock says INIT',
            id='skipped states',
        ),
        pytest.param(
            lambda desk: desk.change(session_id=OTHER),
            'CLASSIFIED',
            'holds the lock',
            id="another session's",
        ),
        pytest.param(
            lambda desk: desk.change(session_id=''),
            'CLASSIFIED',
            'held by an unknown session',
            id='ownerless',
        ),
        pytest.param(
            lambda desk: desk.change(state='REVIEW'),
            'IMPLEMENTATION',
            'the state is REVIEW, but the log ends at INIT',
            id='written past the log',
        ),
        pytest.param(
            lambda desk: desk.change(transition_log='x'),
            'COMPLETE',
            'the lock says INIT',
            id='the log is not a list',
        ),
    ),
)
def test_a_refused_transition_changes_nothing(
    desk: Desk, interlock: Interlock, prepare: Any, state: str, message: str
) -> None:
    prepare(desk)
    before = desk.bytes()
    result = interlock('transition', TASK, state)
    assert result.code == 1
    assert message in result.out
    assert 'the gate is closed' in result.out
    assert desk.bytes() == before


@pytest.mark.parametrize(
    'content',
    (
        pytest.param(b'', id='empty'),
        pytest.param(b'{"session_id": "', id='truncated'),
        pytest.param(b'[]', id='no object'),
        pytest.param(b'\xff\xfe{}', id='no UTF-8'),
        pytest.param(b'{"state": "INIT", "state": "REVIEW"}', id='twice'),
    ),
)
def test_a_lock_that_cannot_be_read_is_held_by_somebody(
    desk: Desk, interlock: Interlock, content: bytes
) -> None:
    desk.file('task.json').write_bytes(content)
    result = interlock('transition', TASK, 'CLASSIFIED')
    assert result.code == 1
    assert 'LCK002' in result.err
    assert desk.file('task.json').read_bytes() == content


@pytest.mark.parametrize('what', ('link', 'directory'))
def test_a_lock_that_is_not_a_file_is_held_by_somebody(
    desk: Desk, interlock: Interlock, what: str
) -> None:
    path = desk.file('task.json')
    elsewhere = desk.path / 'elsewhere.json'
    path.rename(elsewhere)
    if what == 'link':
        path.symlink_to(elsewhere)
    else:
        path.mkdir()
    result = interlock('transition', TASK, 'CLASSIFIED')
    assert result.code == 1
    assert 'LCK002' in result.err


def test_a_task_without_a_lock_has_no_state(
    empty_desk: Desk, interlock: Interlock
) -> None:
    result = interlock('transition', TASK, 'CLASSIFIED')
    assert result.code == 1
    assert f'next: interlock task select {TASK}' in result.err


@pytest.mark.parametrize('name', ('main', '../x', 'A', 'a b', '', '$(x)'))
def test_a_name_that_no_task_has(desk: Desk, interlock: Interlock, name: str) -> None:
    result = interlock('transition', name, 'CLASSIFIED')
    assert result.code == 2
    assert 'cannot be the name of a task' in result.err


def test_a_person_is_warned_and_goes_on(
    desk: Desk, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv('INTERLOCK_SESSION')
    result = interlock('transition', TASK, 'CLASSIFIED')
    assert result.code == 0, result.out
    assert 'warning  GAT004 lock-owned' in result.out
    assert 'warning  GAT003 session' in result.out


def test_an_agent_without_a_session_is_refused(
    desk: Desk, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv('INTERLOCK_SESSION')
    monkeypatch.setenv('CLAUDECODE', '1')
    result = interlock('transition', TASK, 'CLASSIFIED')
    assert result.code == 1
    assert 'GAT003' in result.out
    assert 'GAT004' in result.out


@pytest.mark.parametrize('reason', ('', '  ', '...', '\u200b'))
def test_a_step_back_needs_a_reason(
    desk: Desk, interlock: Interlock, reason: str
) -> None:
    desk.at('AWAITING_USER_APPROVAL')
    before = desk.bytes()
    args = ('transition', TASK, 'IMPLEMENTATION', '--reason')
    result = interlock(*args, reason)
    assert result.code == 1
    assert 'AWAITING_USER_APPROVAL -> IMPLEMENTATION needs a reason' in (result.err)
    assert desk.bytes() == before
    # the guards of the way forward do not apply
    assert interlock(*args, 'the user asked for changes').code == 0
    assert desk.read()['transition_log'][-1]['reason'] == ('the user asked for changes')
    assert desk.trail['state_transitions'][-1]['reason'] == (
        'the user asked for changes'
    )
    assert interlock('task', 'check', TASK).code == 0


@pytest.mark.parametrize(
    ('args', 'code'),
    (
        pytest.param(('--risk', 'LOW', '--why', 'a typo'), 0, id='low'),
        pytest.param(
            ('--risk', 'MEDIUM', '--change', 'documentation'), 0, id='documents'
        ),
        pytest.param(('--risk', 'MEDIUM', '--change', 'code'), 1, id='code'),
        pytest.param(('--risk', 'HIGH'), 1, id='high'),
        pytest.param((), 1, id='nothing recorded'),
    ),
)
def test_only_a_small_change_skips_states(
    desk: Desk, interlock: Interlock, args: tuple[str, ...], code: int
) -> None:
    desk.at('CLASSIFIED')
    result = interlock('transition', TASK, 'COMPLETE', *args)
    assert result.code == code, result.out
    if code == 0:
        assert desk.read()['risk_level'] == args[1]
        assert interlock('task', 'check', TASK).code == 0
    else:
        assert 'GAT013' in result.out
        assert f'next: interlock transition {TASK} REQUIREMENTS\n' in result.out
        assert 'risk_level' not in desk.read()


@pytest.mark.parametrize(
    ('args', 'sentence'),
    (
        pytest.param(
            ('--risk', 'HIHG'),
            '`HIHG` is not one of HIGH, MEDIUM, LOW; did you mean `HIGH`?',
            id='risk',
        ),
        pytest.param(
            ('--scope', 'é=LATER'),
            '`LATER` is not one of RESOLVE_NOW, DEFER',
            id='scope',
        ),
    ),
)
def test_words_that_the_workflow_lacks_are_not_recorded(
    desk: Desk, interlock: Interlock, args: tuple[str, ...], sentence: str
) -> None:
    before = desk.bytes()
    result = interlock('transition', TASK, 'CLASSIFIED', *args)
    assert result.code == 1
    assert sentence in result.err
    assert desk.bytes() == before


@pytest.mark.parametrize(
    ('state', 'scope', 'code'),
    (
        pytest.param('SYNTHESIS', ('RESOLVE_NOW',), 0, id='resolve'),
        pytest.param('SYNTHESIS', ('a=DEFER', 'é=RESOLVE_NOW'), 0, id='resolve one'),
        pytest.param('SYNTHESIS', ('DEFER',), 1, id='nothing to resolve'),
        pytest.param('SYNTHESIS', (), 1, id='undecided'),
        pytest.param('COMPLETE', ('a=DEFER', 'é=DEFER'), 1, id="the agent's word"),
        pytest.param('COMPLETE', ('a=DEFER', 'é=RESOLVE_NOW'), 1, id='not all'),
        pytest.param('COMPLETE', (), 1, id='undecided at the end'),
    ),
)
def test_the_scope_is_decided_by_the_user(
    desk: Desk, interlock: Interlock, state: str, scope: tuple[str, ...], code: int
) -> None:
    desk.at('REVIEW')
    desk.status('architect', decision='REJECTED')
    assert (
        interlock('transition', TASK, 'SCOPE_NEGOTIATION', '--reason', 'too much').code
        == 0
    )
    args = [word for each in scope for word in ('--scope', each)]
    result = interlock('transition', TASK, state, *args)
    assert result.code == code, result.out
    if not code:
        assert desk.read()['state'] == state
        assert interlock('task', 'check', TASK).code == 0


@pytest.fixture
def negotiated(desk: Desk, interlock: Interlock) -> Desk:
    """The work was rejected, and the user is asked what becomes of it."""
    desk.at('REVIEW')
    desk.status('architect', decision='REJECTED')
    assert (
        interlock('transition', TASK, 'SCOPE_NEGOTIATION', '--reason', 'too much').code
        == 0
    )
    return desk


@pytest.mark.parametrize(
    ('shown', 'given'),
    (
        pytest.param((), (), id='everything'),
        pytest.param((), ('--scope', 'DEFER'), id='said again'),
        pytest.param(('--scope', 'é=DEFER'), (), id='one matter'),
    ),
)
def test_rejected_work_is_completed_by_the_user(
    negotiated: Desk,
    interlock: Interlock,
    shown: tuple[str, ...],
    given: tuple[str, ...],
) -> None:
    closed = interlock('transition', TASK, 'COMPLETE', '--scope', 'DEFER')
    assert closed.code == 1
    assert 'GAT054' in closed.out
    assert f'next: interlock present {TASK}\n' in closed.out
    result = interlock('present', TASK, *shown)
    assert result.code == 0, result.err
    assert '**architect** decided REJECTED' in result.out
    assert '**Reason**: too much' in result.out
    assert 'complete the task as it is' in result.out
    # that it was shown opens nothing, and the agent does not approve
    assert interlock('transition', TASK, 'COMPLETE', *given).code == 1
    assert interlock('approve', TASK).code == 1
    code, said = spaces.at_terminal('approve', TASK)
    assert code == 0, said
    record = negotiated.read()['approvals'][-1]
    assert (record['of'], record['via']) == ('scope', 'terminal')
    result = interlock('transition', TASK, 'COMPLETE', *given)
    assert result.code == 0, result.out
    assert interlock('task', 'check', TASK).code == 0


@pytest.mark.parametrize(
    'change',
    (
        pytest.param(lambda desk: desk.code.commit({'X': 'x\n'}), id='another commit'),
        pytest.param(
            lambda desk: desk.change(scope_decision=['DEFER', 'DEFER']),
            id='another decision',
        ),
    ),
)
def test_what_the_user_decided_lapses(
    negotiated: Desk, interlock: Interlock, change: Any
) -> None:
    assert interlock('present', TASK).code == 0
    assert spaces.at_terminal('approve', TASK)[0] == 0
    assert interlock('gate', TASK, 'COMPLETE').code == 0
    change(negotiated)
    result = interlock('transition', TASK, 'COMPLETE')
    assert result.code == 1
    assert 'so the approval has lapsed' in result.out


def test_a_decision_is_presented_before_it_is_approved(
    negotiated: Desk, interlock: Interlock
) -> None:
    code, said = spaces.at_terminal('approve', TASK)
    assert code == 1
    assert 'was not presented yet: your approval is not recorded' in said
    result = interlock('present', TASK, '--scope', 'é=RESOLVE_NOW')
    assert result.code == 1
    assert 'only what is deferred needs an approval' in result.err


def test_a_small_change_that_was_rejected_skips_nothing(
    desk: Desk, interlock: Interlock
) -> None:
    desk.at('REVIEW', risk_level='LOW', change_type='documentation')
    desk.status('architect', decision='REJECTED')
    assert interlock('transition', TASK, 'REQUIREMENTS', '--reason', 'again').code == 0
    result = interlock('transition', TASK, 'COMPLETE')
    assert result.code == 1
    assert 'GAT013' in result.out
    assert f'next: interlock transition {TASK} SYNTHESIS\n' in result.out


def test_work_of_an_earlier_state_opens_no_later_gate(
    desk: Desk, interlock: Interlock
) -> None:
    """Within one second, and without a word about the time."""
    desk.at('REVIEW')
    desk.status('architect', decision='REJECTED', work_remaining='none')
    desk.report('architect')
    assert interlock('transition', TASK, 'IMPLEMENTATION', '--reason', 'é').code == 0
    result = interlock('transition', TASK, 'VALIDATION')
    assert result.code == 1
    assert 'fails    GAT017' in result.out
    desk.status('architect')
    result = interlock('transition', TASK, 'VALIDATION')
    assert result.code == 0, result.out


@pytest.mark.parametrize(
    ('updated', 'counts'),
    (
        pytest.param('2026-01-02T03:00:00Z', False, id='earlier'),
        # the file was written before the state was entered
        pytest.param('2099-01-02T03:00:00Z', False, id='in the future'),
    ),
)
def test_a_status_is_not_younger_than_its_file(
    desk: Desk, interlock: Interlock, updated: str, counts: bool
) -> None:
    desk.at('IMPLEMENTATION')
    desk.report('architect')
    desk.status('architect', updated_at=updated)
    path = desk.file('agents/architect/status.json')
    os.utime(path, (0, 0))
    result = interlock('gate', TASK, 'VALIDATION')
    assert ('holds    GAT017' in result.out) is counts


def test_evidence_is_of_the_state_that_is_left(
    desk: Desk, interlock: Interlock
) -> None:
    desk.configure('evidence: strict\n')
    ready(desk)
    assert interlock('transition', TASK, 'SYNTHESIS', '--evidence', 'é.md').code == 0
    desk.change(
        state='IMPLEMENTATION',
        transition_log=[
            *desk.read()['transition_log'],
            {
                'from': 'SYNTHESIS',
                'to': 'IMPLEMENTATION',
                'evidence': 'plan',
                'timestamp': desk.read()['transition_log'][-1]['timestamp'],
            },
        ],
    )
    desk.status('architect')
    result = interlock('transition', TASK, 'VALIDATION')
    assert result.code == 1
    assert 'fails    GAT032' in result.out


def test_evidence_that_was_written_ahead_is_not_of_the_state(
    desk: Desk, interlock: Interlock
) -> None:
    ready(desk)
    desk.change(evidence={'SYNTHESIS': ['x'], 'INIT': ['y']})
    assert interlock('transition', TASK, 'SYNTHESIS', '--evidence', 'é.md').code == 0
    assert desk.read()['evidence'] == {'INIT': ['y'], 'REQUIREMENTS': ['é.md']}


def test_a_lock_that_is_written_meanwhile_is_not_overwritten(
    desk: Desk, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def meanwhile(view: View) -> list[ConditionResult]:
        desk.change(note='é')
        return gate(view)

    monkeypatch.setattr('interlock.commands.tasks.transition.gate', meanwhile)
    result = interlock('transition', TASK, 'CLASSIFIED')
    assert result.code == 2
    assert 'task.json changed while it was read' in result.err
    assert desk.read()['state'] == 'INIT'
    assert desk.read()['note'] == 'é'
    assert len(desk.trail['state_transitions']) == 1


def test_a_reason_of_no_risk_is_a_mistake(desk: Desk, interlock: Interlock) -> None:
    result = interlock('transition', TASK, 'CLASSIFIED', '--why', 'x')
    assert result.code == 2
    assert '--why needs --risk or --change' in result.err


def test_a_clock_that_goes_back_does_not_disorder_the_log(
    desk: Desk, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = desk.read()['transition_log'][-1]['timestamp']
    monkeypatch.setattr(timestamps, 'now', lambda: '2001-01-01T00:00:00Z')
    result = interlock('transition', TASK, 'CLASSIFIED')
    assert result.code == 0
    assert 'the clock says 2001-01-01T00:00:00Z' in result.err
    assert desk.read()['transition_log'][-1]['timestamp'] == started
    assert interlock('task', 'check', TASK).code == 0


def test_a_copy_of_the_state_is_kept_in_step(desk: Desk, interlock: Interlock) -> None:
    desk.write(
        'state.json',
        json.dumps(
            {
                'current_state': 'INIT',
                'task_name': TASK,
                'own': 'é',
                'transition_log': desk.read()['transition_log'],
            }
        ),
    )
    assert interlock('transition', TASK, 'CLASSIFIED').code == 0
    assert json.loads(desk.file('state.json').read_text('UTF-8')) == {
        'current_state': 'CLASSIFIED',
        'task_name': TASK,
        'own': 'é',
        'transition_log': desk.read()['transition_log'],
    }


def test_older_names_of_keys_stay(desk: Desk, interlock: Interlock) -> None:
    data = desk.read()
    log = data.pop('transition_log')
    desk.put({**data, 'transitions': log})
    assert interlock('transition', TASK, 'CLASSIFIED').code == 0
    after = desk.read()
    assert 'transition_log' not in after
    assert [step['to'] for step in after['transitions']] == ['INIT', 'CLASSIFIED']


@pytest.mark.parametrize(
    ('content', 'sentence'),
    (
        pytest.param('', 'is empty: nothing can be added', id='empty'),
        pytest.param('{', 'is not valid JSON', id='truncated'),
        pytest.param(
            '{"state_transitions": {}}',
            '`state_transitions` is not a list',
            id='no list',
        ),
    ),
)
def test_a_trail_that_cannot_be_read_stops_the_step(
    desk: Desk, interlock: Interlock, content: str, sentence: str
) -> None:
    desk.write('audit-trail.json', content)
    before = desk.bytes()
    result = interlock('transition', TASK, 'CLASSIFIED')
    assert result.code == 2
    assert sentence in result.err
    assert desk.bytes() == before


def test_a_trail_that_is_missing_is_begun(desk: Desk, interlock: Interlock) -> None:
    desk.file('audit-trail.json').unlink()
    assert interlock('transition', TASK, 'CLASSIFIED').code == 0
    assert desk.trail['task_name'] == TASK
    assert len(desk.trail['state_transitions']) == 1


def test_quiet_says_nothing_of_what_is_allowed(
    desk: Desk, interlock: Interlock
) -> None:
    result = interlock('transition', TASK, 'CLASSIFIED', '-q')
    assert (result.code, result.out) == (0, '')


def test_verbose_says_what_holds(desk: Desk, interlock: Interlock) -> None:
    result = interlock('transition', TASK, 'CLASSIFIED', '-v')
    assert 'holds    GAT006 worktree: the worktree exists' in result.out


def dying(name: str, number: int) -> None:
    """This process ends before a call of a function of the system."""
    real = getattr(os, name)
    calls = 0

    def call(*args: Any, **kwargs: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == number:
            os._exit(KILLED)
        return real(*args, **kwargs)

    setattr(os, name, call)


@pytest.mark.parametrize('name', ('replace', 'fsync', 'unlink', 'chmod'))
def test_killed_at_any_call_state_log_and_trail_agree(
    desk: Desk, interlock: Interlock, name: str
) -> None:
    assert interlock('gate', TASK, 'CLASSIFIED').code == 0
    old = desk.bytes()
    for number in range(1, 40):
        for path, data in old.items():
            desk.file(path).write_bytes(data)

        def killed(number: int = number) -> int:
            dying(name, number)
            code = run(cli, ['transition', TASK, 'CLASSIFIED'])
            os._exit(code)

        code = in_child(killed)
        # the next command finishes or undoes what was left
        assert interlock('task', 'check', TASK).code == 0
        state = desk.read()['state']
        logged = desk.read()['transition_log'][-1]['to']
        trailed = desk.trail['state_transitions'][-1]['to_state']
        assert state == logged == trailed
        assert sorted(desk.bytes()) == sorted(old)
        if code != KILLED:
            assert (code, state) == (0, 'CLASSIFIED')
            assert number > 1
            return
    raise AssertionError('it never ended')


def test_two_at_once_make_one_step(desk: Desk) -> None:
    """The second finds the task where the first has brought it."""
    processes = [
        subprocess.Popen(
            (str(SCRIPTS / 'interlock'), 'transition', TASK, 'CLASSIFIED'),
            cwd=desk.code.path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(4)
    ]
    for process in processes:
        process.communicate()
    codes = sorted(process.returncode for process in processes)
    assert codes == [0, 1, 1, 1]
    assert len(desk.read()['transition_log']) == 2
    assert len(desk.trail['state_transitions']) == 2


def test_a_plan_that_changed_closes_the_gate(desk: Desk, interlock: Interlock) -> None:
    ready(desk)
    desk.at('SYNTHESIS')
    desk.write('task.md', PLAN + PARTS)
    desk.write('user-plan-approval-obtained.flag', '')
    result = interlock('transition', TASK, 'IMPLEMENTATION')
    assert result.code == 0, result.out
    assert 'warning  GAT021 plan-approved' in result.out


def test_the_working_directory_counts(
    desk: Desk, interlock: Interlock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(desk.main.path)
    result = interlock('transition', TASK, 'CLASSIFIED')
    assert result.code == 1
    assert 'GAT007' in result.out
    # a link to the worktree is the worktree
    link = tmp_path / 'link'
    link.symlink_to(desk.code.path)
    monkeypatch.chdir(link)
    assert interlock('transition', TASK, 'CLASSIFIED').code == 0


@pytest.mark.parametrize(
    ('recorded', 'option'),
    (
        pytest.param({'risk_level': 'HIGH'}, ('--risk', 'LOW'), id='risk'),
        pytest.param(
            {'risk_level': 'MEDIUM', 'change_type': 'code'},
            ('--change', 'docs'),
            id='type of change',
        ),
    ),
)
def test_a_judgement_is_not_written_anew_to_skip_states(
    desk: Desk, interlock: Interlock, recorded: dict[str, str], option: tuple[str, str]
) -> None:
    desk.at('REQUIREMENTS', **recorded)
    before = desk.bytes()
    result = interlock('transition', TASK, 'COMPLETE', *option)
    assert result.code == 1
    assert 'changing it to' in result.err
    result = interlock('transition', TASK, 'COMPLETE', *option, '--why', 'è piccolo')
    assert result.code == 1
    assert 'GAT012' in result.out or 'skip-allowed' in result.out
    assert desk.bytes() == before


def test_a_correction_stays_on_record(desk: Desk, interlock: Interlock) -> None:
    desk.at('REQUIREMENTS', risk_level='HIGH')
    result = interlock(
        'transition',
        TASK,
        'CLASSIFIED',
        '--reason',
        'again',
        '--risk',
        'LOW',
        '--why',
        'one file',
    )
    assert result.code == 0, result.out + result.err
    lock = desk.read()
    assert lock['risk_level'] == 'LOW'
    (correction,) = lock['corrections']
    assert correction == {
        'field': 'risk_level',
        'from': 'HIGH',
        'to': 'LOW',
        'reason': 'one file',
        'timestamp': lock['transition_log'][-1]['timestamp'],
    }
    assert desk.trail['state_transitions'][-1]['corrections'] == [correction]
    # and the skip stays closed
    result = interlock('transition', TASK, 'COMPLETE')
    assert result.code == 1
    assert 'the risk level is LOW, before HIGH' in result.out
    # saying the same again corrects nothing
    interlock('transition', TASK, 'REQUIREMENTS', '--risk', 'LOW')
    assert len(desk.read()['corrections']) == 1


def test_low_from_the_start_skips(desk: Desk, interlock: Interlock) -> None:
    desk.at('REQUIREMENTS')
    result = interlock('transition', TASK, 'COMPLETE', '--risk', 'LOW')
    assert result.code == 0, result.out
    assert 'corrections' not in desk.read()


def test_a_state_that_is_reached_again_has_nothing_to_show_yet(
    desk: Desk, interlock: Interlock
) -> None:
    desk.at(
        'VALIDATION', evidence={'IMPLEMENTATION': ['old'], 'SYNTHESIS': ['task.md']}
    )
    assert interlock('transition', TASK, 'IMPLEMENTATION', '--reason', 'é').code == 0
    assert desk.read()['evidence'] == {'SYNTHESIS': ['task.md']}


def test_a_status_without_a_time_is_as_old_as_its_file(
    desk: Desk, interlock: Interlock
) -> None:
    way = ('INIT', *FORWARD[:6], 'IMPLEMENTATION', 'VALIDATION', 'REVIEW')
    steps = spaces.log(*way)
    steps[7]['reason'] = 'é'
    desk.change(state='REVIEW', transition_log=steps)
    desk.status('architect', decision='APPROVED')
    result = interlock('gate', TASK, 'AWAITING_USER_APPROVAL')
    assert 'holds    GAT026' in result.out
    path = desk.file('agents/architect/status.json')
    os.utime(path, (0, 0))
    result = interlock('gate', TASK, 'AWAITING_USER_APPROVAL')
    assert 'fails    GAT026' in result.out
    assert 'REVIEW was entered at' in result.out
