"""The behaviours of the store, on real files and with real processes."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sqlite3
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings

from interlock.model.errors import Busy, Denied, Refusal
from interlock.state import store_schema
from interlock.state.merge import merge
from interlock.state.store import NOBODY, Owner, Store, open_store, store_path
from interlock.state.validate import MAX_STATE, InvalidState, invalid_values
from tests.profiles import some
from tests.state.states import OTHER, SESSION, states, whole
from tests.state.validate_test import of_size

HOUR = 3600
PROJECT = '/home/zoë/projet'
DANGEROUS = {'skill_stack': [{'resume_command': 'Bash("rm -rf /")'}]}


class Clock:
    def __init__(self) -> None:
        self.now = 1_767_322_800.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / 'état' / 'state.db'


@pytest.fixture
def store(file: Path, clock: Clock) -> Iterator[Store]:
    made = Store(str(file), wait=0, clock=clock)
    yield made
    made.close()


def rows(file: Path, table: str = 'workflow_state') -> list[dict[str, Any]]:
    with contextlib.closing(sqlite3.connect(file)) as db:
        db.row_factory = sqlite3.Row
        found = db.execute(f'SELECT * FROM {table}').fetchall()
    return [dict(row) for row in found]


def sql(file: Path, *statements: str) -> None:
    with contextlib.closing(sqlite3.connect(file)) as db, db:
        for statement in statements:
            db.execute(statement)


def put(file: Path, state: object) -> None:
    """A state that no validator has seen."""
    text = state if isinstance(state, str) else json.dumps(state)
    with contextlib.closing(sqlite3.connect(file)) as db, db:
        db.execute('UPDATE workflow_state SET state_json = ?', (text,))


@pytest.mark.parametrize('trigger', ('manual', 'auto', 'checkpoint'))
def test_a_state_that_is_saved_is_one_row_with_its_trigger(
    store: Store, file: Path, trigger: str
) -> None:
    store.save(PROJECT, whole(), trigger)
    (row,) = rows(file)
    assert row['project_path'] == PROJECT
    assert row['trigger'] == trigger
    assert json.loads(row['state_json']) == whole()
    assert row['created_at'] == row['updated_at'] == '2026-01-02 03:00:00'


def test_no_other_trigger_is_saved(store: Store, file: Path) -> None:
    calls: tuple[Callable[[], object], ...] = (
        lambda: store.save(PROJECT, {}, 'never'),
        lambda: store.update(PROJECT, {'mode': 'auto'}, ''),
        lambda: store.save(PROJECT, lambda state: state, 'x'),
    )
    for call in calls:
        with pytest.raises(Denied, match=r'STA003 the trigger is'):
            call()
    assert rows(file) == []


def test_the_second_save_replaces_state_and_trigger(
    store: Store, file: Path, clock: Clock
) -> None:
    store.save(PROJECT, {'mode': 'manual'}, 'manual')
    clock.now += HOUR
    store.save(PROJECT, {'goals': {'ultimate': 'x'}}, 'checkpoint')
    (row,) = rows(file)
    assert json.loads(row['state_json']) == {'goals': {'ultimate': 'x'}}
    assert row['trigger'] == 'checkpoint'
    assert row['created_at'] == '2026-01-02 03:00:00'
    assert row['updated_at'] == '2026-01-02 04:00:00'


def test_a_nested_state_comes_back_equal(store: Store) -> None:
    store.save(PROJECT, whole(), 'auto')
    assert store.load(PROJECT).state == whole()


def test_an_unknown_project_has_no_state(store: Store) -> None:
    found = store.load('/ailleurs')
    assert not found.found
    assert found.trigger == ''


@pytest.mark.parametrize(
    ('hours', 'fresh'),
    (
        pytest.param(48, False, id='two days'),
        pytest.param(24 + 1 / HOUR, False, id='a second too old'),
        pytest.param(24, True, id='equality is fresh'),
        pytest.param(1, True, id='an hour'),
        pytest.param(-5, True, id='a clock that was set back'),
    ),
)
def test_a_state_that_is_too_old_is_not_given_but_told_of(
    store: Store, clock: Clock, hours: float, fresh: bool
) -> None:
    store.save(PROJECT, whole(), 'auto')
    clock.now += hours * HOUR
    found = store.load(PROJECT, max_age=24)
    assert found.found == fresh
    assert found.trigger == 'auto'
    assert found.age_hours == pytest.approx(max(hours, 0))
    assert store.load(PROJECT).found, 'whatever its age'


def test_an_update_without_a_row_creates_it(store: Store, file: Path) -> None:
    store.update(PROJECT, {'goals': {'ultimate': 'x'}})
    (row,) = rows(file)
    assert json.loads(row['state_json']) == {'goals': {'ultimate': 'x'}}
    assert row['trigger'] == 'auto'


def test_an_update_merges_and_keeps_what_stands_beside(store: Store) -> None:
    store.save(PROJECT, whole(), 'manual')
    store.update(PROJECT, {'goals': {'main_task': 'neu'}})
    state = whole()
    state['goals']['main_task'] = 'neu'
    assert store.load(PROJECT).state == state


@pytest.mark.parametrize(
    ('old', 'new'),
    (
        pytest.param('x', 'neu', id='a scalar'),
        pytest.param(None, 'x', id='null'),
        pytest.param('x', None, id='by null'),
        pytest.param({'a': 1}, 'x', id='an object by a scalar'),
        pytest.param(['a'], {'b': 1}, id='a list by an object'),
    ),
)
def test_a_scalar_or_another_type_replaces(store: Store, old: Any, new: Any) -> None:
    # what the schema does not name may be anything
    store.save(PROJECT, {'goals': {'é': old, 'ultimate': 'x'}}, 'manual')
    store.update(PROJECT, {'goals': {'é': new}})
    assert store.load(PROJECT).state == {'goals': {'é': new, 'ultimate': 'x'}}


def test_each_list_has_its_way_to_be_updated(store: Store) -> None:
    first = {
        'todos': {'explicit': [{'content': 'a'}, {'content': 'b'}]},
        'skill_stack': [{'name': 'alt', 'phase': '1'}],
        'artifacts': {'files': [{'path': '/a', 'actual': 'x'}]},
        'conversation': {'user_messages': [{'content': 'eins'}]},
    }
    store.save(PROJECT, first, 'manual')
    store.update(
        PROJECT,
        {
            'todos': {'explicit': [{'content': 'c'}]},
            'skill_stack': [{'name': 'neu'}],
            'artifacts': {'files': [{'path': '/a', 'actual': 'y'}, {'path': '/b'}]},
            'conversation': {'user_messages': [{'content': 'zwei'}]},
        },
    )
    assert store.load(PROJECT).state == {
        'todos': {'explicit': [{'content': 'c'}]},
        'skill_stack': [{'name': 'neu'}, {'name': 'alt', 'phase': '1'}],
        'artifacts': {'files': [{'path': '/a', 'actual': 'y'}, {'path': '/b'}]},
        'conversation': {'user_messages': [{'content': 'eins'}, {'content': 'zwei'}]},
    }


@pytest.mark.parametrize('command', (None, ''))
def test_no_resume_command_is_saved_updated_and_loaded(
    store: Store, command: str | None
) -> None:
    state = {'skill_stack': [{'name': 'a', 'resume_command': command}]}
    store.save(PROJECT, state, 'auto')
    store.update(PROJECT, state)
    assert store.load(PROJECT).state == state


def test_an_empty_update_changes_nothing(
    store: Store, file: Path, clock: Clock
) -> None:
    store.update(PROJECT, {})
    assert rows(file) == []
    store.save(PROJECT, whole(), 'manual')
    before = rows(file)
    clock.now += HOUR
    store.update(PROJECT, {})
    assert rows(file) == before


def test_projects_do_not_see_each_other(store: Store) -> None:
    store.save('/a', {'mode': 'auto'}, 'auto')
    store.save('/b', {'mode': 'manual'}, 'manual')
    store.update('/a', {'goals': {'ultimate': 'a'}})
    assert store.load('/b').state == {'mode': 'manual'}
    assert store.forget('/a') == 1
    assert not store.load('/a').found
    assert store.load('/b').found


@pytest.mark.parametrize(
    ('bad', 'code'),
    (
        pytest.param({'boot_prompt': 'x'}, 'STA002', id='unknown key'),
        pytest.param({'mode': 'x'}, 'STA003', id='wrong value'),
        pytest.param(of_size(MAX_STATE + 1), 'STA004', id='1 MiB and a byte'),
        pytest.param(
            {'goals': {'ultimate': 'x' * (100 * 1024 + 1)}},
            'STA004',
            id='100 KiB and a byte',
        ),
        pytest.param(DANGEROUS, 'STA005', id='a dangerous call'),
        pytest.param([], 'STA001', id='a list'),
    ),
)
def test_one_validator_refuses_on_save_update_and_load(
    store: Store, file: Path, bad: Any, code: str
) -> None:
    store.save(PROJECT, whole(), 'manual')
    before = rows(file)
    calls: tuple[Callable[[], object], ...] = (
        lambda: store.save(PROJECT, bad, 'auto'),
        lambda: store.update(PROJECT, bad),
        lambda: store.save(PROJECT, lambda state: bad, 'auto'),
    )
    for call in calls:
        with pytest.raises(InvalidState, match=code):
            call()
    assert rows(file) == before, 'the row is untouched'
    put(file, bad)
    for asked in (
        lambda: store.load(PROJECT),
        lambda: store.update(PROJECT, {'mode': 'auto'}),
        lambda: store.give(PROJECT, Owner(SESSION)),
    ):
        with pytest.raises(InvalidState, match=code) as refused:
            asked()
        assert refused.value.hint == 'interlock state forget'


def test_an_update_that_makes_a_state_too_large_is_refused(
    store: Store, file: Path
) -> None:
    store.save(PROJECT, of_size(MAX_STATE), 'manual')
    before = rows(file)
    with pytest.raises(InvalidState, match=r'STA004'):
        store.update(PROJECT, {'mode': 'auto'})
    assert rows(file) == before


def test_what_is_left_when_an_update_fails_is_what_was(store: Store) -> None:
    store.save(PROJECT, whole(), 'manual')

    def fails(state: dict[str, Any]) -> dict[str, Any]:
        raise RuntimeError('mid-way')

    with pytest.raises(RuntimeError):
        store.update(PROJECT, fails)
    store.update(PROJECT, {'mode': 'auto'})
    assert store.load(PROJECT).state == whole(mode='auto')


# concurrent sessions


MINE, THEIRS = Owner(SESSION), Owner(OTHER)


def test_a_session_goes_on_from_its_own(store: Store, file: Path) -> None:
    store.save(PROJECT, whole(mode='manual'), 'auto', MINE)
    saved = store.save(PROJECT, whole(mode='auto', session_id=OTHER), 'auto', THEIRS)
    assert saved.replaced == SESSION
    assert len(rows(file)) == 1
    assert len(rows(file, 'session_state')) == 2
    mine, theirs = store.load(PROJECT, MINE), store.load(PROJECT, THEIRS)
    assert mine.state == whole(mode='manual')
    assert mine.owner == MINE
    assert theirs.state == whole(mode='auto', session_id=OTHER)
    assert store.load(PROJECT).state == theirs.state, 'the later one'


def test_a_new_session_gets_the_state_of_the_project(store: Store) -> None:
    store.save(PROJECT, whole(), 'auto', MINE)
    found = store.load(PROJECT, THEIRS)
    assert found.state == whole()
    assert (found.owner, found.other) == (NOBODY, SESSION)
    assert store.load(PROJECT, MINE).other == ''
    assert store.load(PROJECT).other == ''


def test_a_session_without_a_uuid_is_known_too(store: Store) -> None:
    store.save(PROJECT, {'mode': 'auto'}, 'auto', Owner('séance'))
    assert store.load(PROJECT, MINE).other == 'séance'
    assert store.save(PROJECT, {}, 'auto', MINE).replaced == 'séance'


def test_what_nobody_in_particular_saved_is_anybodys(store: Store) -> None:
    store.save(PROJECT, {'mode': 'auto'}, 'auto')
    assert store.load(PROJECT, MINE).other == ''


def test_the_projects_state_is_never_a_mixture(store: Store) -> None:
    store.save(PROJECT, whole(), 'auto', MINE)
    update = {'session_id': OTHER, 'goals': {'ultimate': 'anders'}}
    store.update(PROJECT, update, owner=THEIRS)
    assert store.load(PROJECT).state == update


def test_a_session_does_not_mix_with_another_that_it_never_saw(store: Store) -> None:
    store.save(PROJECT, whole(), 'auto', MINE)
    update = {'session_id': OTHER, 'goals': {'ultimate': 'anders'}}
    assert store.update(PROJECT, update, owner=THEIRS).replaced == SESSION
    assert store.load(PROJECT, THEIRS).state == update
    assert store.load(PROJECT, MINE).state == whole()


def test_what_a_session_was_shown_is_its_own(store: Store, clock: Clock) -> None:
    store.save(PROJECT, whole(), 'auto', MINE)
    clock.now += HOUR
    assert store.give(PROJECT, THEIRS, take_over=True).state == whole()
    store.update(PROJECT, {'mode': 'auto'}, owner=THEIRS)
    assert store.load(PROJECT, THEIRS).state == whole(mode='auto')
    assert store.load(PROJECT, MINE).state == whole()


def test_another_sessions_state_does_not_become_ones_own_by_itself(
    store: Store,
) -> None:
    store.save(PROJECT, whole(), 'auto', MINE)
    assert store.give(PROJECT, THEIRS).other == SESSION
    store.update(PROJECT, {'mode': 'auto'}, owner=THEIRS)
    assert store.load(PROJECT, THEIRS).state == {'mode': 'auto'}


def test_to_be_shown_makes_nothing_younger(store: Store, clock: Clock) -> None:
    store.save(PROJECT, whole(), 'auto', MINE)
    clock.now += 20 * HOUR
    assert store.give(PROJECT, THEIRS).found
    clock.now += 5 * HOUR
    assert not store.give(PROJECT, THEIRS).found


def test_that_it_was_shown_is_known_until_it_changes(store: Store) -> None:
    store.save(PROJECT, whole(), 'auto', MINE)
    assert [store.give(PROJECT, MINE).given for _ in range(3)] == [False, True, True]
    store.update(PROJECT, {'mode': 'auto'}, owner=MINE)
    assert not store.give(PROJECT, MINE).given


def test_a_state_is_shown_though_it_cannot_be_marked(store: Store, file: Path) -> None:
    store.save(PROJECT, whole(), 'auto')
    with contextlib.closing(sqlite3.connect(file)) as db:
        db.execute('BEGIN IMMEDIATE')
        assert store.give(PROJECT, MINE).state == whole()


def test_an_agent_neither_takes_nor_changes_what_its_session_has(store: Store) -> None:
    agent = Owner(SESSION, 'agent-1')
    store.save(PROJECT, whole(), 'auto', MINE)
    assert not store.load(PROJECT, agent).found
    store.update(PROJECT, {'goals': {'ultimate': 'mine'}}, owner=agent)
    store.save(PROJECT, lambda state: {**state, 'mode': 'auto'}, 'auto', agent)
    assert store.load(PROJECT, agent).state == {
        'goals': {'ultimate': 'mine'},
        'mode': 'auto',
    }
    assert store.load(PROJECT, MINE).state == whole()
    assert store.load(PROJECT).state == whole()


def test_all_that_is_saved_is_listed(store: Store, clock: Clock) -> None:
    store.save('/b', whole(), 'auto', MINE)
    clock.now += HOUR
    store.save('/a', {}, 'manual')
    assert [
        (each.project, each.owner, each.trigger, each.age_hours)
        for each in store.rows()
    ] == [
        ('/a', NOBODY, 'manual', 0),
        ('/b', NOBODY, 'auto', 1),
        ('/b', MINE, 'auto', 1),
    ]
    assert store.forget('/b') == 2


# processes


PROGRAM = """
import os, sys, time
from interlock.state.store import Store
name, path, times = sys.argv[1:]
store = Store(path, wait=30)
sys.stdin.read()
for number in range(int(times)):
    {change}
"""


def started(change: str, *args: str) -> subprocess.Popen[bytes]:
    program = PROGRAM.format(change=change)
    return subprocess.Popen(
        (sys.executable, '-c', program, *args),
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def together(*processes: subprocess.Popen[bytes]) -> None:
    """Lets them begin at once, and end."""
    for process in processes:
        assert process.stdin is not None
        process.stdin.close()
    for process in processes:
        assert process.stderr is not None
        error = process.stderr.read()
        process.stderr.close()
        assert process.wait() == 0, error


def test_two_processes_that_update_different_keys_lose_nothing(
    store: Store, file: Path
) -> None:
    change = "store.update('/p', {'goals': {name + str(number): 'x'}})"
    together(*(started(change, name, str(file), '50') for name in ('a', 'b')))
    state = store.load('/p').state
    assert state is not None
    assert set(state['goals']) == {
        f'{name}{number}' for name in 'ab' for number in range(50)
    }


def test_of_two_that_update_the_same_key_one_wins_and_siblings_stay(
    store: Store, file: Path
) -> None:
    store.save('/p', {'goals': {'main_task': 'stays'}}, 'manual')
    change = "store.update('/p', {'goals': {'ultimate': name}})"
    together(*(started(change, name, str(file), '50') for name in ('a', 'b')))
    state = store.load('/p').state
    assert state is not None
    assert state['goals'] in [{'main_task': 'stays', 'ultimate': name} for name in 'ab']


def test_many_processes_may_make_the_file_at_once(file: Path) -> None:
    program = (
        'import sys; from interlock.state.store import Store; '
        's = Store(sys.argv[1]); s.update("/p", {"goals": {sys.argv[2]: ""}})'
    )
    processes = [
        subprocess.Popen((sys.executable, '-c', program, file, str(n)))
        for n in range(6)
    ]
    assert [process.wait() for process in processes] == [0] * 6
    state = json.loads(rows(file)[0]['state_json'])
    assert sorted(state['goals']) == list('012345')


def test_a_new_file_that_another_process_fills_is_waited_for(file: Path) -> None:
    file.parent.mkdir(exist_ok=True)
    other = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
    other.execute('CREATE TABLE notes (text)')
    other.execute('BEGIN IMMEDIATE')
    timer = threading.Timer(0.2, other.rollback)
    timer.start()
    Store(str(file), wait=30).close()
    timer.join()
    other.close()


def test_a_file_that_cannot_be_written_is_not_waited_for(tmp_path: Path) -> None:
    file = tmp_path / 'old.db'
    with sqlite3.connect(file) as db:
        db.execute('CREATE TABLE notes (text)')
    db.close()
    db = sqlite3.connect(f'file:{file}?mode=ro', uri=True, isolation_level=None)
    start = time.monotonic()
    with pytest.raises(sqlite3.OperationalError, match='readonly'):
        store_schema.migrate(db, str(file), wait=60)
    assert time.monotonic() - start < 30
    db.close()


@pytest.mark.slow
def test_a_process_that_is_killed_leaves_the_old_or_the_new_state(file: Path) -> None:
    """200 saves, and a kill at another moment of each."""
    program = (
        'import sys; from interlock.state.store import Store\n'
        'store = Store(sys.argv[1]); number = int(sys.argv[2])\n'
        'while True:\n'
        '    number += 1\n'
        '    store.save("/p", {"compaction_count": number,\n'
        '        "todos": {"implicit": [str(number)] * 2000}}, "auto")\n'
        '    sys.stdout.write(f"{number}\\n"); sys.stdout.flush()\n'
    )
    done = 0
    for saves in (1, 2, 3, 5, 8, 13, 21, 34, 55, 58):
        process = subprocess.Popen(
            (sys.executable, '-c', program, file, str(done)),
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        for _ in range(saves):
            done = int(process.stdout.readline())
        process.kill()
        process.wait()
        # those that were done before the signal came
        told = [int(line) for line in process.stdout]
        done = told[-1] if told else done
        process.stdout.close()
        with contextlib.closing(Store(str(file))) as store:
            assert store.problems() == []
            state = store.load('/p').state
        assert state is not None
        number = state['compaction_count']
        assert number in {done, done + 1}
        assert state['todos'] == {'implicit': [str(number)] * 2000}
        done = number
    assert done >= 200


def test_a_full_disk_is_said_and_loses_nothing(file: Path) -> None:
    if sys.platform == 'win32':
        pytest.skip('there is no limit to set')
    with contextlib.closing(Store(str(file))) as store:
        store.save('/p', whole(), 'manual')
    program = (
        'import resource, sys; from interlock.state.store import Store\n'
        'from interlock.model.errors import Refusal\n'
        'store = Store(sys.argv[1])\n'
        'resource.setrlimit(resource.RLIMIT_FSIZE, (40000, 40000))\n'
        'try:\n'
        '    store.save("/p", {"todos": {"implicit": ["x" * 99999]}}, "auto")'
        '\nexcept Refusal as e:\n'
        '    print(e.message)\n'
    )
    process = subprocess.run(
        (sys.executable, '-c', program, file), capture_output=True, text=True
    )
    assert process.returncode == 0, process.stderr
    assert process.stdout.startswith(f'STA009 {file} cannot be used: ')
    with contextlib.closing(Store(str(file))) as store:
        assert store.problems() == []
        assert store.load('/p').state == whole()


def test_a_locked_store_is_waited_for_in_vain(store: Store, file: Path) -> None:
    with contextlib.closing(sqlite3.connect(file)) as db:
        db.execute('BEGIN IMMEDIATE')
        with pytest.raises(Busy, match=r'STA008 .* is locked'):
            store.save(PROJECT, whole(), 'auto')
    store.save(PROJECT, whole(), 'auto')


# the file


def test_the_table_is_that_of_the_document(store: Store, file: Path) -> None:
    store.save(PROJECT, {}, 'auto')
    with contextlib.closing(sqlite3.connect(file)) as db:
        assert db.execute('PRAGMA journal_mode').fetchone() == ('wal',)
        assert db.execute('PRAGMA user_version').fetchone() == (store_schema.VERSION,)
        insert = 'INSERT INTO workflow_state (project_path, state_json, '
        for values in (
            f"trigger) VALUES ('{PROJECT}', '{{}}', 'auto')",
            "trigger) VALUES (NULL, '{}', 'auto')",
            "trigger) VALUES ('/x', NULL, 'auto')",
            "trigger) VALUES ('/x', '{}', NULL)",
        ):
            with pytest.raises(sqlite3.IntegrityError):
                db.execute(insert + values)
        db.execute(f"{insert}trigger) VALUES ('/x', '{{}}', 'auto')")
        created, updated = db.execute(
            'SELECT created_at, updated_at FROM workflow_state '
            "WHERE project_path = '/x'"
        ).fetchone()
    assert created == updated
    assert len(created) == len('2026-01-02 03:00:00')


def test_a_table_that_another_tool_made_is_used_as_it_is(file: Path) -> None:
    file.parent.mkdir()
    sql(
        file,
        store_schema.MIGRATIONS[0][0],
        'INSERT INTO workflow_state (project_path, state_json, trigger, '
        "updated_at) VALUES ('/p', '{\"mode\": \"auto\"}', 'auto', "
        "'2026-01-02T03:00:00+00:00')",
    )
    with contextlib.closing(Store(str(file))) as store:
        assert store.load('/p').state == {'mode': 'auto'}
        store.update('/p', {'goals': {'ultimate': 'x'}}, owner=MINE)
    assert len(rows(file)) == 1


def test_it_is_readable_by_its_user_only(store: Store, file: Path) -> None:
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def damage(file: Path) -> None:
    file.write_bytes(b'this is no database, but it is long' * 100)


def cut_off(file: Path) -> None:
    with contextlib.closing(Store(str(file))) as store:
        store.save(PROJECT, whole(), 'auto')
    file.write_bytes(file.read_bytes()[:5000])


def other_columns(file: Path) -> None:
    sql(file, 'CREATE TABLE workflow_state (id INTEGER, größe TEXT)')


def newer(file: Path) -> None:
    sql(file, 'CREATE TABLE x (y)', 'PRAGMA user_version = 99')


def a_directory(file: Path) -> None:
    file.mkdir()


@pytest.mark.parametrize(
    ('harm', 'sentence', 'hint'),
    (
        pytest.param(damage, 'STA006 .* is damaged', 'mv ', id='damaged'),
        pytest.param(cut_off, 'STA006 .* is damaged', 'mv ', id='cut off'),
        pytest.param(
            other_columns,
            'STA006 .* does not have the columns',
            'export ',
            id='another table of that name',
        ),
        pytest.param(
            newer,
            'STA007 .* has version 99; this Interlock knows 2',
            'pip install --upgrade',
            id='newer',
        ),
        pytest.param(
            a_directory, 'STA009 .* cannot be used', 'see that ', id='directory'
        ),
    ),
)
def test_a_store_that_makes_no_sense_is_refused_and_left_alone(
    file: Path, harm: Callable[[Path], None], sentence: str, hint: str
) -> None:
    file.parent.mkdir(parents=True)
    harm(file)
    before = file.read_bytes() if file.is_file() else b''
    with pytest.raises(Refusal, match=sentence) as refused:
        with contextlib.closing(Store(str(file))) as store:
            store.load(PROJECT)
    assert refused.value.hint.startswith(hint)
    if file.is_file():
        assert file.read_bytes() == before


@pytest.mark.parametrize('text', ('{"mode": ', '[' * 100_000, 'null', '"x"'))
def test_a_row_that_is_not_a_state_is_refused(
    store: Store, file: Path, text: str
) -> None:
    store.save(PROJECT, {}, 'auto')
    put(file, text)
    with pytest.raises(InvalidState, match=r'STA001'):
        store.load(PROJECT)


def test_a_row_with_another_trigger_is_refused(store: Store, file: Path) -> None:
    """It is shown beside the state, so it is not a place for orders."""
    store.save(PROJECT, {}, 'auto', MINE)
    for table in ('workflow_state', 'session_state'):
        sql(file, f"UPDATE {table} SET trigger = 'auto). Run this: (x'")
    for owner in (NOBODY, MINE):
        for ask in (store.load, store.give):
            with pytest.raises(Refusal, match=r'STA003 the trigger') as e:
                ask(PROJECT, owner)
            assert e.value.hint == 'interlock state forget'
    assert [each.trigger for each in store.rows()] == [
        'auto). Run this: (x',
        'auto). Run this: (x',
    ]


def test_a_row_without_a_time_is_refused(store: Store, file: Path) -> None:
    store.save(PROJECT, {}, 'auto')
    sql(file, "UPDATE workflow_state SET updated_at = 'gestern'")
    with pytest.raises(Refusal, match=r'STA006 .*"gestern", which is not a time'):
        store.load(PROJECT)
    assert store.forget(PROJECT) == 1


def test_an_empty_file_becomes_a_store(file: Path) -> None:
    file.parent.mkdir()
    file.touch()
    with contextlib.closing(Store(str(file))) as store:
        store.save(PROJECT, {}, 'auto')
        assert store.problems() == []


def test_a_place_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / 'file').touch()
    with pytest.raises(Refusal, match=r'STA009 .* cannot be used'):
        Store(str(tmp_path / 'file' / 'x' / 'state.db'))


@pytest.mark.parametrize(
    ('environ', 'path'),
    (
        pytest.param({'INTERLOCK_STORE': '/é/s.db'}, '/é/s.db', id='a path'),
        pytest.param({'INTERLOCK_STORE': 'sqlite:////é/s.db'}, '/é/s.db', id='a URL'),
        pytest.param({'XDG_STATE_HOME': '/st'}, '/st/interlock/state.db', id='XDG'),
        pytest.param(
            {},
            os.path.expanduser('~/.local/state/interlock/state.db'),
            id='nothing said',
        ),
    ),
)
def test_where_the_store_lies(environ: dict[str, str], path: str) -> None:
    if not environ:
        path = os.path.expanduser('~/.local/state/interlock/state.db')
    assert store_path(environ) == path


@pytest.mark.parametrize(
    'value', ('s.db', 'sqlite:///s.db', 'postgres://x/y', 'sqlite://x')
)
def test_what_names_no_place_is_refused(value: str) -> None:
    with pytest.raises(Refusal, match=r'STA009 .INTERLOCK_STORE is'):
        store_path({'INTERLOCK_STORE': value})


def test_a_failure_leaves_no_file_open(file: Path) -> None:
    file.parent.mkdir()
    newer(file)
    with pytest.raises(Refusal):
        Store(str(file))
    shutil.rmtree(file.parent)


@settings(
    max_examples=some(100),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@example({'identity': {'mode': 'fun'}}, {'identity': {'mode_context': None}})
@given(states(), states())
def test_any_state_survives_save_load_and_update(
    tmp_path: Path, state: Any, update: Any
) -> None:
    environ = {'INTERLOCK_STORE': str(tmp_path / 'state.db')}
    with open_store(environ) as store:
        store.save(PROJECT, state, 'auto', MINE)
    with open_store(environ) as store:
        assert store.load(PROJECT).state == state
        assert store.load(PROJECT, MINE).state == state
        store.update(PROJECT, {}, owner=MINE)
        assert store.load(PROJECT, MINE).state == state
        if invalid_values(merge(state, update)):
            # each of two parts may be valid, and both together not
            with pytest.raises(InvalidState):
                store.update(PROJECT, update, owner=MINE)
            assert store.load(PROJECT, MINE).state == state
            store.forget(PROJECT)
            return
        store.update(PROJECT, update, owner=MINE)
        assert store.load(PROJECT, MINE).state == merge(state, update)
        assert store.load(PROJECT).state == merge(state, update)
        store.forget(PROJECT)
        store.update(PROJECT, update)
        assert store.load(PROJECT).state == (update or None)
        store.forget(PROJECT)
