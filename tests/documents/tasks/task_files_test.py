from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.documents.tasks import agent_status, lock, todo, trail
from interlock.documents.tasks.lock import Keys, LogStep
from tests.documents.json_test import values
from tests.documents.shapes import blob
from tests.documents.strategies import any_bytes
from tests.profiles import some

often = settings(max_examples=some(200), deadline=None)

KEYS = Keys(
    {
        'session': 'session_id',
        'task': 'task_name',
        'state': 'state',
        'log': 'transition_log',
        'agents': 'required_agents',
        'generation': 'generation',
        'created': 'created_at',
    },
    {
        'current_state': 'state',
        'phase': 'state',
        'transitions': 'transition_log',
        'agents': 'required_agents',
    },
)
LOCK = {
    'session_id': 'é',
    'task_name': 'bake',
    'state': 'PLAN',
    'required_agents': ['a', 1, 'b'],
    'generation': 3,
    'transition_log': [
        {'from': None, 'to': 'INIT', 'timestamp': '2026-01-02T03:04:05Z'},
        {'from': 'INIT', 'to': 'PLAN', 'timestamp': 'T', 'reason': 'why'},
    ],
}


def read_lock(data: Any) -> lock.Lock:
    return lock.parse(blob(json.dumps(data, indent=1)), KEYS)


def test_a_lock_is_read() -> None:
    found = read_lock(LOCK)
    assert found.problem is None
    assert (found.session, found.task, found.state) == ('é', 'bake', 'PLAN')
    assert found.generation == 3
    assert found.agents == ('a', 'b')
    assert found.log == (
        LogStep(None, 'INIT', '2026-01-02T03:04:05Z', '', 12),
        LogStep('INIT', 'PLAN', 'T', 'why', 17),
    )
    assert found.line('state') == 4
    assert found.used_aliases == ()


def test_older_names_of_keys_are_read_and_told() -> None:
    found = read_lock(
        {'phase': 'PLAN', 'agents': {'a': {'status': 'not_started'}}, 'transitions': []}
    )
    assert found.state == 'PLAN'
    assert found.agents == ('a',)
    assert found.used_aliases == (
        ('phase', 'state'),
        ('transitions', 'transition_log'),
        ('agents', 'required_agents'),
    )


def test_a_key_counts_before_its_older_name() -> None:
    found = read_lock({'current_state': 'OLD', 'state': 'NEW'})
    assert found.state == 'NEW'
    assert found.used_aliases == ()


@pytest.mark.parametrize('number', (True, 0, -1, '3', 2.0, None, [1]))
def test_a_generation_is_a_whole_number(number: Any) -> None:
    assert read_lock({'generation': number}).generation == 0


@pytest.mark.parametrize(
    'data', (b'', b'{', b'[]', b'null', b'\xff', b'{"a": 1, "a": 1}')
)
def test_of_an_unreadable_lock_nothing_is_known(data: bytes) -> None:
    found = lock.parse(blob(data), KEYS)
    assert found.problem is not None
    assert (found.session, found.state, found.log) == ('', '', ())


locks = st.dictionaries(
    st.sampled_from([*KEYS.roles.values(), *KEYS.aliases, 'other']), values
)


@often
@given(any_bytes | locks.map(lambda data: json.dumps(data).encode()))
def test_any_bytes_are_a_lock(data: bytes) -> None:
    found = lock.parse(blob(data), KEYS)
    assert isinstance(found.session, str)
    assert isinstance(found.state, str)
    assert all(isinstance(agent, str) for agent in found.agents)
    for step in found.log:
        assert isinstance(step.target, str)
        assert 1 <= step.line <= data.count(b'\n') + 1
    for role in KEYS.roles:
        assert found.line(role) >= 1


def test_a_status_is_read() -> None:
    found = agent_status.parse(
        blob(
            '{"agent": "a", "status": "COMPLETE", "decision": "APPROVED", '
            '"work_remaining": "none", "updated_at": "T", "round": 3}'
        )
    )
    assert found[:5] == ('COMPLETE', 'APPROVED', 'none', '', 'T')
    assert found.data['round'] == 3


@pytest.mark.parametrize(
    ('value', 'expected'),
    (
        pytest.param('" none "', 'none', id='text'),
        pytest.param('["tests", 1]', 'tests, 1', id='list'),
        pytest.param('0', '0', id='number'),
        pytest.param('null', '', id='null'),
        pytest.param('[]', '', id='empty list'),
    ),
)
def test_what_is_left_to_do(value: str, expected: str) -> None:
    found = agent_status.parse(blob(f'{{"work_remaining": {value}}}'))
    assert found.remaining == expected


objects = st.dictionaries(st.text(max_size=8), values)


@often
@given(any_bytes | objects.map(lambda data: json.dumps(data).encode()))
def test_any_bytes_are_a_status_and_a_trail(data: bytes) -> None:
    found = agent_status.parse(blob(data))
    assert isinstance(found.status, str)
    assert (found.problem is None) == (trail.parse(blob(data)).problem is None)
    for name in found.data:
        section = trail.parse(blob(data)).section(name)
        assert all(isinstance(entry, dict) for entry in section)


def test_a_trail_has_sections() -> None:
    found = trail.parse(blob('{"commits":\n[{"sha": "1"},\n7, {}], "n": 1}'))
    assert list(found.section('commits')) == [{'sha': '1'}, {}]
    assert found.section('n') == ()
    assert found.section('builds') == ()
    assert found.line('commits', 2) == 3


TODO = """\
# Todo

- [ ] **READY:** `bake-bread` - warm, très bon
  - Dependencies: mill-flour, `buy-salt` (Monday)
  - **Blocks:** eat-bread
- [ ] BLOCKED: mill-flour - no grain
- [ ] plain-one
  Dependencies: none
  a remark

  Dependencies: not-of-an-entry
- [x] **DONE:** `buy-salt`
* [ ] **IN_PROGRESS:** **`eat-bread`**: text
- [ ] Some sentence that names no task
- [ ] buy milk
- [ ] **bold-one** — with a dash
- [ ] `coded-one` and more words
- [ ] with-remark (later)
- READY: no-box
```
- [ ] hidden-one
```
<!-- - [ ] hidden-two -->
"""


def test_the_entries_of_a_todo_list() -> None:
    entries = todo.parse(blob(TODO)).entries
    assert list(entries) == [
        'bake-bread',
        'mill-flour',
        'plain-one',
        'buy-salt',
        'eat-bread',
        'bold-one',
        'coded-one',
        'with-remark',
    ]
    assert {name: entry.state for name, entry in entries.items()} == {
        'bake-bread': 'READY',
        'mill-flour': 'BLOCKED',
        'plain-one': '',
        'buy-salt': 'DONE',
        'eat-bread': 'IN_PROGRESS',
        'bold-one': '',
        'coded-one': '',
        'with-remark': '',
    }
    assert [name for name, entry in entries.items() if entry.ticked] == ['buy-salt']
    assert entries['bake-bread'].dependencies == ('mill-flour', 'buy-salt')
    assert entries['plain-one'].dependencies == ()
    assert entries['mill-flour'].line == 6


def test_an_entry_that_stands_twice_is_open_while_one_is() -> None:
    entries = todo.parse(blob('- [x] a-b\n- [ ] a-b\n- [x] a-b\n')).entries
    assert not entries['a-b'].ticked
    assert entries['a-b'].line == 2


def test_a_change_of_an_entry_shows_in_its_text() -> None:
    before = todo.parse(blob('- [ ] a-b\n  scope: one\n')).entries['a-b']
    after = todo.parse(blob('- [ ] a-b\n  scope: two\n')).entries['a-b']
    assert before.text != after.text


@often
@given(any_bytes | st.text(alphabet='-[] x*`:aREADY\n').map(str.encode))
def test_any_bytes_are_a_todo_list(data: bytes) -> None:
    found = todo.parse(blob(data))
    lines = data.split(b'\n')
    for name, entry in found.entries.items():
        assert name.encode() in lines[entry.line - 1]
