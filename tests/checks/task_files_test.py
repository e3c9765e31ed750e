from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.checks import task_files
from interlock.documents.tasks import lock as documents
from interlock.documents.tasks.lock import Lock
from interlock.model.finding import Finding
from interlock.workflow.language.spec import Kind
from tests import spaces
from tests.checks.trees import workflow
from tests.documents.json_test import values
from tests.documents.shapes import blob
from tests.profiles import some
from tests.spaces import TASK, entry, lock

KIND: Kind = workflow(spaces.WORKFLOW).kinds[0]
assert KIND.protocol is not None
KEYS = KIND.protocol.lock_keys
PATH = 'é/task.json'


def read(data: Any) -> Lock:
    return documents.parse(blob(json.dumps(data, indent=1)), KEYS)


def found(data: Any) -> list[Finding]:
    made = read(data)
    return [
        *task_files.of_lock(TASK, PATH, made, KIND),
        *task_files.of_log(TASK, PATH, made, KIND),
    ]


def codes(data: Any) -> list[str]:
    return sorted(each.code for each in found(data))


CHECKPOINT = {
    'type': 'USER_APPROVAL_POST_REVIEW',
    'commit_sha': 'abc',
    'presented_at': '2026-01-02T03:04:05Z',
    'approved': False,
}
REAL = {
    'task_name': TASK,
    'session_id': 'uuid',
    'state': 'CLASSIFIED',
    'created': '2025-11-11T12:34:56-05:00',
    'agents': {'architect': {'status': 'not_started'}},
    'transition_log': [
        {'from': None, 'to': 'INIT', 'timestamp': '2025-11-11T12:34:56-05:00'},
        {
            'from': 'INIT',
            'to': 'CLASSIFIED',
            'timestamp': '2025-11-11T12:35:38-05:00',
            'duration_seconds': 42,
        },
    ],
}


@pytest.mark.parametrize(
    'data',
    (
        pytest.param(lock(), id='begun'),
        pytest.param(lock('INIT', 'CLASSIFIED'), id='moved'),
        pytest.param(lock('INIT', 'CLASSIFIED', generation=...), id='no generation'),
        pytest.param(lock(risk_level='LOW'), id='risk'),
        pytest.param(lock(checkpoint=CHECKPOINT), id='checkpoint'),
        pytest.param(lock(checkpoint=None), id='no checkpoint'),
        pytest.param(lock(whatever={'é': 1}), id='a key of somebody else'),
        pytest.param(
            lock('INIT', 'CLASSIFIED', transition_log=[entry('INIT', 'CLASSIFIED', 1)]),
            id='a log that begins with the first step',
        ),
        pytest.param(lock(transition_log=[]), id='an empty log'),
    ),
)
def test_a_lock_that_is_whole(data: Any) -> None:
    assert found(data) == []


def test_a_lock_with_older_names_is_read_and_told() -> None:
    findings = found(REAL)
    assert [(each.code, each.severity) for each in findings] == [
        ('TSK005', 'info'),
        ('TSK005', 'info'),
    ]
    assert {(each.found, each.expected) for each in findings} == {
        ('created', 'created_at'),
        ('agents', 'required_agents'),
    }


@pytest.mark.parametrize(
    ('data', 'expected'),
    (
        pytest.param(lock(task_name='x'), ['TSK001'], id='another task'),
        pytest.param(lock(task_name=...), ['TSK002'], id='no task'),
        pytest.param(lock(state=...), ['TSK002'], id='no state'),
        pytest.param(lock(created_at=...), ['TSK002'], id='no time'),
        pytest.param(lock(transition_log=...), ['TSK002'], id='no log'),
        pytest.param(lock(session_id=...), ['LCK005'], id='no session'),
        pytest.param(lock(session_id=''), ['LCK005'], id='empty session'),
        pytest.param(lock(session_id=['x']), ['LCK005'], id='odd session'),
        pytest.param(lock(task_name=7), ['TSK003'], id='task a number'),
        pytest.param(lock(created_at='é'), ['TSK003'], id='time a word'),
        pytest.param(lock(created_at=7), ['TSK003'], id='time a number'),
        pytest.param(lock(transition_log={}), ['TSK003'], id='log object'),
        pytest.param(
            lock(transition_log=['x']),
            ['STG004', 'STG004', 'STG004', 'STG004', 'STG004', 'TSK003'],
            id='log of words',
        ),
        pytest.param(lock(required_agents='a'), ['TSK003'], id='agents'),
        pytest.param(lock(required_agents=[1]), ['TSK003'], id='no names'),
        pytest.param(lock(agent_additions={}), ['TSK003'], id='additions'),
        pytest.param(lock(risk_level='SMALL'), ['TSK003'], id='risk'),
        pytest.param(lock(risk_level=1), ['TSK003'], id='risk a number'),
        pytest.param(lock(evidence=[]), ['TSK003'], id='evidence'),
        pytest.param(lock(generation='1'), ['TSK003'], id='generation'),
        pytest.param(lock(generation=True), ['TSK003'], id='true'),
        pytest.param(lock(checkpoint='x'), ['TSK007'], id='checkpoint'),
        pytest.param(
            lock(checkpoint={**CHECKPOINT, 'type': 'OTHER'}),
            ['TSK007'],
            id='type of the checkpoint',
        ),
        pytest.param(
            lock(checkpoint={**CHECKPOINT, 'approved': 'true'}),
            ['TSK007'],
            id='approved in words',
        ),
        pytest.param(lock(checkpoint={}), ['TSK007'] * 4, id='nothing of it'),
    ),
)
def test_what_is_wrong_with_a_lock(data: Any, expected: list[str]) -> None:
    assert codes(data) == expected


@pytest.mark.parametrize('data', (b'', b'{', b'[]', b'\xff'))
def test_an_unreadable_lock_has_one_finding(data: bytes) -> None:
    made = documents.parse(blob(data), KEYS)
    findings = [
        *task_files.of_lock(TASK, PATH, made, KIND),
        *task_files.of_log(TASK, PATH, made, KIND),
    ]
    assert [each.code for each in findings] == ['LCK002']


def test_an_unknown_state_is_told_with_the_nearest() -> None:
    (finding,) = found(lock(state='CLASIFIED'))
    assert finding.code == 'TSK004'
    assert finding.message == (
        'there is no state `CLASIFIED`; did you mean `CLASSIFIED`?'
    )
    assert finding.line == 4


FULL = (
    'INIT',
    'CLASSIFIED',
    'REQUIREMENTS',
    'SYNTHESIS',
    'IMPLEMENTATION',
    'VALIDATION',
    'REVIEW',
    'AWAITING_USER_APPROVAL',
    'COMPLETE',
    'CLEANUP',
)


def test_the_whole_way_is_legal() -> None:
    assert found(lock(*FULL)) == []


def back(*states: str, reason: str = 'é') -> Any:
    """A lock whose last step goes back, with a reason."""
    data = lock(*states)
    data['transition_log'][-1]['reason'] = reason
    return data


@pytest.mark.parametrize(
    ('data', 'expected'),
    (
        pytest.param(lock('INIT', 'REQUIREMENTS'), ['STG003'], id='skipped'),
        pytest.param(lock(*FULL[:5], 'REVIEW'), ['STG003'], id='validation skipped'),
        pytest.param(lock(*FULL[:8], 'IMPLEMENTATION'), ['STG003'], id='no reason'),
        pytest.param(back(*FULL[:8], 'IMPLEMENTATION'), [], id='with a reason'),
        pytest.param(
            back(*FULL[:8], 'IMPLEMENTATION', reason=' '),
            ['STG003'],
            id='an empty reason',
        ),
        pytest.param(back(*FULL[:7], 'SCOPE_NEGOTIATION'), [], id='scope'),
        pytest.param(lock(*FULL[:3], 'COMPLETE'), ['STG003'], id='skip without risk'),
        pytest.param(lock(*FULL[:3], 'COMPLETE', risk_level='LOW'), [], id='LOW'),
        pytest.param(
            lock(*FULL[:3], 'COMPLETE', risk_level='MEDIUM'), ['STG003'], id='MEDIUM'
        ),
        pytest.param(
            lock(*FULL[:3], 'COMPLETE', risk_level='MEDIUM', change_type='docs'),
            [],
            id='MEDIUM and documents',
        ),
        pytest.param(
            lock(*FULL[:3], 'COMPLETE', risk_level='HIGH'), ['STG003'], id='HIGH'
        ),
        pytest.param(
            lock('INIT', 'CLASSIFIED', state='REQUIREMENTS'),
            ['STG004'],
            id='the state without the log',
        ),
        pytest.param(
            lock('INIT', state='CLASSIFIED', transition_log=[]),
            ['STG004'],
            id='no step logged at all',
        ),
        pytest.param(
            lock(
                *FULL[:4],
                transition_log=[
                    entry('INIT', 'CLASSIFIED', 1),
                    entry('REQUIREMENTS', 'SYNTHESIS', 2),
                ],
            ),
            ['STG004'],
            id='a step is missing',
        ),
        pytest.param(
            lock(*FULL[:3], transition_log=[entry('CLASSIFIED', 'REQUIREMENTS', 1)]),
            ['STG004'],
            id='the beginning is missing',
        ),
        pytest.param(
            lock(
                'INIT',
                'CLASSIFIED',
                transition_log=[entry(None, 'INIT', 2), entry('INIT', 'CLASSIFIED', 1)],
            ),
            ['STG004'],
            id='back in time',
        ),
        pytest.param(
            lock(
                'INIT',
                'CLASSIFIED',
                transition_log=[entry(None, 'INIT', 2), entry('INIT', 'CLASSIFIED', 2)],
            ),
            [],
            id='in one minute',
        ),
        pytest.param(
            lock(
                'INIT', transition_log=[{'from': None, 'to': 'INIT', 'timestamp': 'é'}]
            ),
            ['STG004'],
            id='no time',
        ),
        pytest.param(
            lock(
                'INIT',
                'CLASSIFIED',
                transition_log=[
                    entry('INIT', 'CLASIFIED', 1),
                    entry('CLASIFIED', 'CLASSIFIED', 2),
                ],
            ),
            ['STG004', 'STG004'],
            id='an unknown state',
        ),
    ),
)
def test_the_log_tells_legal_steps(data: Any, expected: list[str]) -> None:
    assert codes(data) == expected


def test_a_problem_of_the_log_stands_on_its_line() -> None:
    (finding,) = found(lock('INIT', 'REQUIREMENTS'))
    line = json.dumps(lock('INIT', 'REQUIREMENTS'), indent=1).split('\n')
    assert line[finding.line - 1].strip() == '{'
    assert '"to": "REQUIREMENTS"' in '\n'.join(line[finding.line - 1 :][:4])
    assert finding.message == ('INIT -> REQUIREMENTS: after INIT comes CLASSIFIED')


@pytest.mark.parametrize(
    ('mirror', 'expected'),
    (
        pytest.param({'current_state': 'INIT'}, [], id='the same'),
        pytest.param({}, [], id='nothing'),
        pytest.param({'current_state': 'X'}, ['TSK006'], id='state'),
        pytest.param(
            {'required_agents': ['x'], 'transition_log': []},
            ['TSK006', 'TSK006'],
            id='agents and log',
        ),
        pytest.param([], ['TSK006'], id='no object'),
    ),
)
def test_a_copy_of_the_state_agrees(mirror: Any, expected: list[str]) -> None:
    findings = list(
        task_files.of_mirror(TASK, 'é/state.json', read(mirror), read(lock()))
    )
    assert [each.code for each in findings] == expected


locks = st.dictionaries(
    st.sampled_from([*KEYS.roles.values(), *KEYS.aliases]),
    st.one_of(
        values,
        st.just(spaces.log(*FULL[:3])),
        st.lists(
            st.dictionaries(
                st.sampled_from(['from', 'to', 'timestamp', 'reason']),
                st.sampled_from([*FULL, '', 'é', '2026-01-02', None, 7]),
            ),
            max_size=4,
        ),
    ),
)


@settings(max_examples=some(200), deadline=None)
@given(locks)
def test_any_lock_is_judged(data: Any) -> None:
    assert KIND.protocol is not None
    made = read(data)
    findings = [
        *found(data),
        *task_files.of_main(PATH, made, KIND.protocol),
        *task_files.of_mirror(TASK, PATH, made, read(lock())),
    ]
    last = json.dumps(data, indent=1).count('\n') + 1
    for finding in findings:
        assert 1 <= finding.line <= last
        assert '\n' not in finding.message
        assert len(finding.message) < 600
