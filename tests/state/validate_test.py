from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from interlock.model.schema_check import where
from interlock.state.validate import (
    MAX_FIELD,
    MAX_STATE,
    InvalidValue,
    invalid_values,
    keys,
    schema,
)
from tests.profiles import some
from tests.state.states import states, whole

KEYWORDS = {
    '$ref',
    'type',
    'properties',
    'required',
    'additionalProperties',
    'items',
    'enum',
    'const',
    'pattern',
    'title',
    'minimum',
    'if',
    'then',
    'else',
    'x-merge',
    'x-key',
    'x-command',
    'x-text',
}


def found(state: object, complete: bool = False) -> list[tuple[str, str, str]]:
    return [
        (each.code, each.kind, where(each.path))
        for each in invalid_values(state, complete)
    ]


def changed(path: str, value: Any) -> dict[str, Any]:
    """The whole state, with another value at `a.0.b`."""
    state: Any = whole()
    at = state
    *parts, last = [int(p) if p.isdigit() else p for p in path.split('.')]
    for part in parts:
        at = at[part]
    at[last] = value
    found: dict[str, Any] = state
    return found


@pytest.mark.parametrize('complete', (False, True))
def test_a_whole_state_is_accepted(complete: bool) -> None:
    assert invalid_values(whole(), complete) == []


def test_the_keys_are_those_of_the_document_in_its_order() -> None:
    assert keys() == tuple(whole())
    assert len(keys()) == 20


@pytest.mark.parametrize('key', keys())
def test_a_part_may_be_saved_but_a_document_has_every_key(key: str) -> None:
    state = whole()
    del state[key]
    assert invalid_values(state) == []
    assert found(state, complete=True) == [('STA003', 'missing', key)]


def test_an_unknown_key_is_named_with_the_nearest() -> None:
    (found,) = invalid_values({'gools': {}})
    assert found == InvalidValue(
        'STA002',
        'unknown',
        ('gools',),
        'is not a key of a state; did you mean `goals`?',
    )


def test_what_lies_deeper_may_have_keys_of_its_own() -> None:
    assert invalid_values(changed('goals.größe', 'x')) == []


@pytest.mark.parametrize(
    ('path', 'value', 'kind'),
    (
        pytest.param('format_version', '2.0', 'const', id='other format'),
        pytest.param('format_version', 3.0, 'const', id='format as number'),
        pytest.param('mode', 'Manual', 'enum', id='mode'),
        pytest.param('session_id', 'abc', 'pattern', id='no UUID'),
        pytest.param('session_id', None, 'type', id='null for a UUID'),
        pytest.param('timestamp', '19.2.2026', 'pattern', id='no ISO time'),
        pytest.param('timestamp', '2026-02-19', 'pattern', id='only a date'),
        pytest.param('compaction_count', '1', 'type', id='text for a count'),
        pytest.param('compaction_count', True, 'type', id='true for a count'),
        pytest.param('compaction_count', -1, 'minimum', id='negative'),
        pytest.param('skill_stack', {}, 'type', id='mapping for a list'),
        pytest.param('skill_stack.0.iteration', 'x', 'type', id='iteration'),
        pytest.param(
            'skill_stack.0.constraints.forbidden', 'x', 'type', id='forbidden'
        ),
        pytest.param('identity.mode', 'sad', 'enum', id='identity mode'),
        pytest.param('identity.role', 'boss', 'enum', id='role'),
        pytest.param('subagents.0.status', 'done', 'enum', id='subagent'),
        pytest.param('workflow.pattern', 'chaos', 'enum', id='pattern'),
        pytest.param('todos.explicit.0.status', 'done', 'enum', id='todo'),
        pytest.param('todos.explicit.0.priority', 'urgent', 'enum', id='priority'),
        pytest.param('documents.impl.0.status', 'FINAL', 'enum', id='document'),
        pytest.param('decisions.binding.0.binding', 'MAYBE', 'enum', id='binding'),
        pytest.param('conversation.user_messages.0.type', 'chat', 'enum', id='message'),
        pytest.param('artifacts.files.0.status', 'Match', 'enum', id='artifact'),
        pytest.param('quality_gates.0.status', 'passed', 'enum', id='gate'),
        pytest.param('quality_gates.0.can_skip', 'no', 'type', id='can_skip'),
    ),
)
def test_a_wrong_value_is_named_by_its_path(
    path: str, value: object, kind: str
) -> None:
    ((code, got, at),) = found(changed(path, value))
    assert (code, got) == ('STA003', kind)
    assert at.replace('[', '.').replace(']', '') == path


@pytest.mark.parametrize(
    ('identity', 'wrong'),
    (
        pytest.param({'mode': 'none'}, [], id='not fun, no context'),
        pytest.param({'mode': 'none', 'mode_context': None}, [], id='null for none'),
        pytest.param(
            {
                'mode': 'none',
                'mode_context': {'persona': 'a', 'context': 'b', 'undertow': 'c'},
            },
            ['identity.mode_context'],
            id='a context without fun',
        ),
        pytest.param(
            {
                'mode': 'fun',
                'mode_context': {'persona': 'a', 'context': 'b', 'undertow': 'c'},
            },
            [],
            id='fun with context',
        ),
        pytest.param({'mode': 'fun'}, ['identity.mode_context'], id='fun without'),
        pytest.param(
            {'mode': 'fun', 'mode_context': None},
            ['identity.mode_context'],
            id='fun with null',
        ),
    ),
)
def test_there_is_a_mode_context_exactly_when_the_mode_is_fun(
    identity: dict[str, Any], wrong: list[str]
) -> None:
    state = whole(identity={'persona': None, 'role': 'hybrid', **identity})
    assert [at for _, _, at in found(state, complete=True)] == wrong


def test_a_text_may_have_100_kib_and_no_byte_more() -> None:
    at_most = 'é' * (MAX_FIELD // 2)
    assert invalid_values({'goals': {'ultimate': at_most}}) == []
    assert found({'goals': {'ultimate': f'{at_most}x'}}) == [
        ('STA004', 'size', 'goals.ultimate')
    ]
    # and so what the schema does not name
    assert found({'goals': {'größe': f'{at_most}x'}}) == [
        ('STA004', 'size', 'goals.größe')
    ]


def of_size(size: int) -> dict[str, Any]:
    pieces = ['x' * 100_000] * 10
    state: dict[str, Any] = {'todos': {'implicit': [*pieces, '']}}
    missing = size - len(json.dumps(state, separators=(',', ':')))
    state['todos']['implicit'][-1] = 'x' * missing
    return state


def test_a_state_may_have_1_mib_and_no_byte_more() -> None:
    assert invalid_values(of_size(MAX_STATE)) == []
    assert found(of_size(MAX_STATE + 1)) == [('STA004', 'size', '')]


def test_a_state_that_is_nested_too_deeply_is_refused() -> None:
    nested: Any = 'x'
    for _ in range(500):
        nested = [nested]
    ((code, kind, _),) = found({'goals': {'größe': nested}})
    assert (code, kind) == ('STA004', 'depth')


@pytest.mark.parametrize('number', (float('nan'), float('inf')))
def test_what_json_cannot_write_is_refused(number: float) -> None:
    assert found({'goals': {'größe': number}}) == [('STA003', 'number', 'goals.größe')]


@pytest.mark.parametrize('value', ([], 'x', None, 3))
def test_only_a_mapping_is_a_state(value: object) -> None:
    assert found(value) == [('STA001', 'type', '')]


def test_no_report_is_endless() -> None:
    assert len(invalid_values({str(n): n for n in range(1000)})) == 50


def _keywords(part: Any) -> set[str]:
    names = set(part)
    for below in (
        *part.get('properties', {}).values(),
        *(part[key] for key in ('items', 'if', 'then', 'else') if key in part),
    ):
        names |= _keywords(below)
    return names


def test_the_schema_uses_only_what_the_validator_reads() -> None:
    whole = schema()
    used = _keywords(whole) | _keywords(whole['$defs']['skill'])
    assert used - {'$schema', '$defs', 'description'} <= KEYWORDS
    Draft202012Validator.check_schema(whole)


def _partial(part: Any) -> Any:
    """The schema of what may be in the store: nothing is required."""
    if isinstance(part, dict):
        return {
            key: value if key == 'if' else _partial(value)
            for key, value in part.items()
            if key != 'required' or not isinstance(value, list)
        }
    elif isinstance(part, list):
        return [_partial(each) for each in part]
    return part


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=5)
    | st.sampled_from(['fun', 'none', '3.0', 'auto', 'pending']),
    lambda below: (
        st.lists(below, max_size=2)
        | st.dictionaries(
            st.sampled_from(
                [
                    *keys(),
                    'mode',
                    'mode_context',
                    'explicit',
                    'status',
                    'path',
                    'constraints',
                    'forbidden',
                    'größe',
                ]
            ),
            below,
            max_size=3,
        )
    ),
    max_leaves=8,
)


@settings(max_examples=some(200), deadline=None)
@given(st.one_of(states(), JSON), JSON, st.booleans())
def test_it_agrees_with_a_whole_implementation(
    state: Any, noise: Any, complete: bool
) -> None:
    state = copy.deepcopy(state)
    if isinstance(state, dict) and isinstance(noise, dict):
        state.update(noise)
    reference = Draft202012Validator(schema() if complete else _partial(schema()))
    ours = [
        each
        for each in invalid_values(state, complete)
        if each.code in {'STA001', 'STA002', 'STA003'}
    ]
    assert bool(ours) == (not reference.is_valid(state))


def test_the_schema_is_read_once() -> None:
    assert schema() is schema()
