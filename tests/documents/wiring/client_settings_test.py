from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings, strategies

from interlock.documents.wiring import client_settings
from interlock.documents.wiring.client_settings import (
    SCHEMA,
    covers,
    errors,
    parsed,
    switched_off,
)
from interlock.model.calling_files import is_settings
from interlock.model.errors import Unreadable
from interlock.workflow.language.json_schema import violations
from tests.documents.wiring.settings import (
    FOREIGN,
    MALFORMED,
    SETTINGS,
    SOUND,
    VALUES,
    group,
    ours,
)
from tests.profiles import some

SHARED = '/é/.claude/settings.json'
LOCAL = '/é/.claude/settings.local.json'


def data(value: Any) -> bytes:
    return json.dumps(value, indent=2).encode()


def problem_of(text: bytes) -> str:
    try:
        parsed(text)
    except Unreadable as e:
        return f'line {e.line}: {e.message}'
    return ''


CALL = 'sh -c "python3 /é/interlock/agents/launcher.py gemini BeforeTool"'
WIRED = {'model': 'é', 'hooks': ours()}


@pytest.mark.parametrize('name', SOUND)
def test_what_the_client_reads_has_no_problem(name: str) -> None:
    assert problem_of(data(SOUND[name])) == ''
    assert violations(SOUND[name], SCHEMA) == []


@pytest.mark.parametrize('name', MALFORMED)
def test_what_makes_the_client_drop_a_file_is_named(name: str) -> None:
    value, where = MALFORMED[name]
    problem = problem_of(data(value))
    assert problem.startswith('line ')
    assert f': {where} ' in problem
    assert violations(value, SCHEMA)


@pytest.mark.parametrize(
    ('text', 'problem'),
    (
        pytest.param(b'', '', id='nothing'),
        pytest.param(b' \r\n', '', id='space'),
        pytest.param(b'\xef\xbb\xbf{}', '', id='mark'),
        pytest.param(b'{"\xc3\xa9": 1}\r\n', '', id='CRLF'),
        pytest.param(b'{/*x*/}', 'is not valid JSON', id='comment'),
        pytest.param(b'{"a": 1,}', 'is not valid JSON', id='comma'),
        pytest.param(b'{"a": NaN}', 'is not a number', id='NaN'),
        pytest.param(b'{"a": "x\ny"}', 'is not valid JSON', id='newline'),
        pytest.param(b'[]', 'is not an object', id='list'),
        pytest.param(b'{"a":"\xff"}', 'is not UTF-8', id='bytes'),
        pytest.param(b'{"a": 1, "a": 2}', 'twice', id='twice'),
        pytest.param(b'[' * 100_000, 'deeply', id='deep'),
    ),
)
def test_a_text_that_is_not_json_is_a_problem(text: bytes, problem: str) -> None:
    found = problem_of(text)
    assert problem in found
    assert bool(found) == bool(problem)


def test_the_line_of_a_problem_is_named() -> None:
    text = b'{\n  "hooks": {\n    "Stop": [\n      {"matcher": 3}\n]}}'
    assert problem_of(text) == 'line 4: hooks.Stop[0] has no `hooks`'


@given(SETTINGS, strategies.data())
@settings(max_examples=some(150), deadline=None)
def test_the_schema_says_the_same(value: Any, drawn: Any) -> None:
    """Also of settings in which one thing was replaced by anything."""
    value = copy.deepcopy(value)
    at: Any = value
    while isinstance(at, (dict, list)) and at and drawn.draw(strategies.integers(0, 4)):
        keys = list(at) if isinstance(at, dict) else list(range(len(at)))
        key = drawn.draw(strategies.sampled_from(keys))
        if not isinstance(at[key], (dict, list)) or drawn.draw(strategies.booleans()):
            at[key] = drawn.draw(
                VALUES
                | strategies.sampled_from(['command', 'block', 0, 1.5, True, [], {}])
            )
            break
        at = at[key]
    assert bool([*errors(value)]) == bool(violations(value, SCHEMA))


@given(VALUES | strategies.binary())
@settings(max_examples=some(200), deadline=None)
def test_anything_is_answered(value: Any) -> None:
    text = value if isinstance(value, bytes) else data(value)
    assert isinstance(problem_of(text), str)
    assert isinstance(switched_off(text, data(WIRED)), str)
    assert isinstance(switched_off(data(WIRED), text), str)


@pytest.mark.parametrize(
    ('path', 'expected'),
    (
        (SHARED, True),
        (LOCAL, True),
        ('/é/settings.json', False),
        ('/é/.claude/other.json', False),
        ('/é/.claude', False),
        # one that lies in no folder of its own
        ('/é/ö/opencode.json', True),
        ('opencode.jsonc', True),
        ('/é/my-opencode.json', False),
        ('/é/.github/hooks/x.json', True),
        ('/é/.github/x.json', False),
        ('', False),
    ),
)
def test_the_files_of_settings_are_known(path: str, expected: bool) -> None:
    assert is_settings(path) == expected


def changed(event: str, **fields: Any) -> dict[str, Any]:
    value: dict[str, Any] = copy.deepcopy(WIRED)
    value['hooks'][event][0]['hooks'][0].update(fields)
    return value


def matched(matcher: str | None) -> dict[str, Any]:
    value: dict[str, Any] = copy.deepcopy(WIRED)
    one = value['hooks']['PreToolUse'][0]
    del one['matcher']
    if matcher is not None:
        one['matcher'] = matcher
    return value


def without(event: str) -> dict[str, Any]:
    value: dict[str, Any] = copy.deepcopy(WIRED)
    del value['hooks'][event]
    return value


WIDE = WIRED['hooks']['PreToolUse'][0]['matcher']  # type: ignore[index]


@pytest.mark.parametrize(
    'new',
    (
        pytest.param(WIRED, id='same'),
        pytest.param({**WIRED, 'model': 'autre'}, id='another key'),
        pytest.param(
            {
                'hooks': {
                    'PreToolUse': [group(FOREIGN), *ours()['PreToolUse']],
                    **{k: v for k, v in ours().items() if k != 'PreToolUse'},
                }
            },
            id='a foreign hook',
        ),
        pytest.param(matched(None), id='asked about all'),
        pytest.param(matched('*'), id='asked about all, in words'),
        pytest.param(matched(f'{WIDE}|Read'), id='asked about more'),
        pytest.param(matched(WIDE.replace('|', ', ')), id='with commas'),
        pytest.param({**WIRED, 'disableAllHooks': False}, id='not off'),
        pytest.param({**WIRED, 'hooksConfig': {'disabled': ['x']}}, id='others off'),
    ),
)
def test_a_change_that_leaves_us_in_is_nothing(new: Any) -> None:
    assert switched_off(data(WIRED), data(new)) == ''


@pytest.mark.parametrize(
    ('new', 'why'),
    (
        pytest.param({}, "Interlock's entries for SessionStart, ", id='emptied'),
        pytest.param(
            without('PreToolUse'),
            "Interlock's entries for PreToolUse are",
            id='the guard',
        ),
        pytest.param(
            without('Stop'), "Interlock's entries for Stop are", id='an observer'
        ),
        pytest.param(
            changed('PreToolUse', command='/bin/true'),
            'PreToolUse',
            id='another command',
        ),
        pytest.param(
            changed('PreToolUse', **{'async': True}),
            'PreToolUse',
            id='in the background',
        ),
        pytest.param(
            changed('PreToolUse', **{'if': 'Bash(x)'}),
            'PreToolUse',
            id='with a condition',
        ),
        pytest.param(
            changed('PreToolUse', onFailure='continue'), 'PreToolUse', id='open'
        ),
        pytest.param(changed('PreToolUse', timeout=0.01), 'PreToolUse', id='too short'),
        pytest.param(matched('Read'), 'PreToolUse', id='asked about less'),
        pytest.param({**WIRED, 'disableAllHooks': True}, '`disableAllHooks`', id='off'),
        pytest.param(
            {**WIRED, 'hooksConfig': {'disabled': ['x', CALL]}},
            '`hooksConfig.disabled`',
            id='off by name',
        ),
        pytest.param(
            {**WIRED, 'env': 'x'}, 'ignores the whole file (line ', id='dropped'
        ),
    ),
)
def test_a_change_that_switches_us_off_is_named(new: Any, why: str) -> None:
    assert why in switched_off(data(WIRED), data(new))


def test_a_file_that_goes_takes_us_with_it() -> None:
    assert switched_off(data(WIRED), None) == 'the file that calls Interlock is gone'
    assert switched_off(data({}), None) == ''
    assert switched_off(None, None) == ''


def test_a_file_that_never_called_us_may_be_anything_but_off() -> None:
    for new in ({}, SOUND['a foreign hook'], {'env': 'x'}):
        assert switched_off(data({'model': 'é'}), data(new)) == ''
        assert switched_off(None, data(new)) == ''
    assert switched_off(None, data({'disableAllHooks': True}))


@pytest.mark.parametrize(
    ('matcher', 'other', 'expected'),
    (
        ('', 'Write', True),
        ('*', 'Write', True),
        ('Write', '', False),
        ('Write', '*', False),
        ('Write|Edit', 'Edit', True),
        ('Edit', 'Write|Edit', False),
        ('Wri.*', 'Wri.*', True),
        ('.*', 'Write', False),
        ('write', 'Write', False),
    ),
)
def test_what_a_matcher_covers(matcher: str, other: str, expected: bool) -> None:
    assert covers(matcher, other) == expected


@pytest.mark.parametrize(
    'handler',
    (
        None,
        'x',
        {},
        {'type': 'prompt', 'prompt': 'interlock-claude'},
        {'type': 'command', 'command': 3, 'args': 4},
        FOREIGN,
        {'type': 'command', 'command': 'écho', 'args': ['launcher.py']},
    ),
)
def test_what_is_not_ours_is_not_taken_for_ours(handler: Any) -> None:
    assert not client_settings.calls_us(handler)
