from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, settings

from interlock.state.merge import merge
from tests.profiles import some
from tests.state.states import states, whole


def test_objects_are_merged_and_their_siblings_stay() -> None:
    state = merge(
        {'goals': {'ultimate': 'a', 'main_task': 'b'}, 'mode': 'auto'},
        {'goals': {'main_task': 'c'}},
    )
    assert state == {'goals': {'ultimate': 'a', 'main_task': 'c'}, 'mode': 'auto'}


@pytest.mark.parametrize(
    ('old', 'new'),
    (
        pytest.param('a', 'b', id='a scalar'),
        pytest.param({'x': 1}, 'b', id='a scalar for an object'),
        pytest.param('a', {'x': 1}, id='an object for a scalar'),
        pytest.param(['a'], {'x': 1}, id='an object for a list'),
        pytest.param({'x': 1}, None, id='null'),
        pytest.param(['a', 'b'], ['c'], id='a list that has no policy'),
    ),
)
def test_anything_else_is_replaced(old: Any, new: Any) -> None:
    assert merge({'goals': {'größe': old}}, {'goals': {'größe': new}}) == {
        'goals': {'größe': new}
    }


def test_todos_are_replaced() -> None:
    new = [{'content': 'Fix bug', 'status': 'pending'}]
    state = merge(whole(), {'todos': {'explicit': new}})
    assert state['todos']['explicit'] == new
    assert state['todos']['implicit'] == []


def test_the_newest_skill_is_first_and_none_is_there_twice() -> None:
    state: dict[str, Any] = {'skill_stack': [{'name': 'a'}, {'name': 'b', 'step': '2'}]}
    state = merge(state, {'skill_stack': [{'name': 'ç'}]})
    assert [each['name'] for each in state['skill_stack']] == ['ç', 'a', 'b']
    state = merge(state, {'skill_stack': [{'name': 'b', 'phase': 'x'}]})
    assert state['skill_stack'] == [
        {'name': 'b', 'step': '2', 'phase': 'x'},
        {'name': 'ç'},
        {'name': 'a'},
    ]


def test_several_new_skills_keep_their_order() -> None:
    state = merge(
        {'skill_stack': [{'name': 'a'}]},
        {'skill_stack': [{'name': 'child'}, {'name': 'parent'}]},
    )
    assert [each['name'] for each in state['skill_stack']] == ['child', 'parent', 'a']


@pytest.mark.parametrize(
    ('section', 'name', 'key'),
    (
        ('artifacts', 'files', 'path'),
        ('artifacts', 'verification_results', 'command'),
        ('documents', 'design', 'path'),
        ('documents', 'impl', 'path'),
        ('documents', 'must_read', 'path'),
        ('decisions', 'binding', 'decision'),
        ('decisions', 'technical', 'decision'),
        ('environment', 'worktrees', 'path'),
        ('recovery', 'checkpoints', 'name'),
    ),
)
def test_there_is_one_per_key(section: str, name: str, key: str) -> None:
    old = [{key: 'é', 'why': '1', 'x': 'stays'}, {key: 'b'}]
    new = [{key: 'c'}, {key: 'é', 'why': '2'}]
    state = merge({section: {name: old}}, {section: {name: new}})
    assert state == {
        section: {name: [{key: 'é', 'why': '2', 'x': 'stays'}, {key: 'b'}, {key: 'c'}]}
    }


@pytest.mark.parametrize(
    ('name', 'key'), (('subagents', 'id'), ('quality_gates', 'name'))
)
def test_there_is_one_per_key_at_the_top(name: str, key: str) -> None:
    state = merge(
        {name: [{key: 'a', 'status': 'PENDING'}]},
        {name: [{key: 'a', 'status': 'PASSED'}, {key: 'b'}]},
    )
    assert state == {name: [{key: 'a', 'status': 'PASSED'}, {key: 'b'}]}


@pytest.mark.parametrize('name', ('user_messages', 'corrections', 'errors'))
def test_what_was_said_is_appended(name: str) -> None:
    same = {'content': 'weiter'}
    state = merge({'conversation': {name: [same]}}, {'conversation': {name: [same]}})
    assert state == {'conversation': {name: [same, same]}}


@settings(max_examples=some(100), deadline=None)
@given(states(), states())
def test_nothing_is_changed_in_place_and_an_empty_update_changes_nothing(
    state: Any, update: Any
) -> None:
    before, wanted = copy.deepcopy(state), copy.deepcopy(update)
    result = merge(state, update)
    assert (state, update) == (before, wanted)
    assert set(result) == {*state, *update}
    assert merge(state, {}) == state
    assert merge({}, update).keys() == update.keys()
