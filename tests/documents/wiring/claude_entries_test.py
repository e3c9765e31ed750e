from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, settings

from interlock.documents.wiring import claude_entries
from interlock.documents.wiring.claude_entries import (
    MATCHERS,
    MORE,
    is_ours,
    merged,
    removed,
)
from interlock.documents.wiring.claude_settings import our_calls
from interlock.guard.dispatch import FILE_TOOLS, HANDLERS, SHELLS
from interlock.guard.event import PATCH, PATIENCE, TIMEOUTS
from interlock.state.tool_tracking import TOOLS
from interlock.workflow.language.json_schema import violations
from tests.documents.settings import FOREIGN, LAUNCHER, PYTHON, SETTINGS, group, ours
from tests.profiles import some

FORMS = {
    'exec': ours(),
    'shell': claude_entries.shell_form(PYTHON, LAUNCHER, TIMEOUTS),
    'shell without timeout': claude_entries.shell_form(
        PYTHON, LAUNCHER, TIMEOUTS, False
    ),
}


def handler(entries: claude_entries.Entries, event: str) -> Any:
    one, *others = (each['hooks'] for each in entries[event])
    # whatever a group is asked about, the same is called
    assert all(each == one for each in others)
    return one[0]


def test_every_event_that_has_a_handler_is_wired() -> None:
    assert set(MATCHERS) == set(HANDLERS)


def test_what_is_guarded_and_tracked_is_matched() -> None:
    guarded = {*FILE_TOOLS, *SHELLS, 'Agent', 'Task'} - {PATCH}
    assert set(MATCHERS['PreToolUse'].split('|')) == guarded
    after = set(MATCHERS['PostToolUse'].split('|'))
    assert guarded < after
    assert MORE == {'PreToolUse': ('mcp__.*',)}
    # no tool is called as other servers were said to call theirs
    assert not any(name.startswith('mcp') for name in after)
    # however they are called
    assert {name.lower() for name in after} >= set(TOOLS)


@pytest.mark.parametrize('form', FORMS)
def test_what_is_written_is_valid_and_ours(form: str) -> None:
    entries = FORMS[form]
    assert violations({'hooks': entries}, 'client-settings.schema.json') == []
    for event in MATCHERS:
        assert is_ours(handler(entries, event))
    assert set(our_calls({'hooks': entries})) == set(MATCHERS)


def test_the_exec_form_names_everything_itself() -> None:
    assert handler(FORMS['exec'], 'PreToolUse') == {
        'type': 'command',
        'command': PYTHON,
        'args': ['-I', '-S', LAUNCHER, 'PreToolUse'],
        'timeout': 20,
        'onFailure': 'block',
    }
    assert handler(FORMS['exec'], 'SessionEnd')['timeout'] == 2
    assert [
        event for event in MATCHERS if 'onFailure' in handler(FORMS['exec'], event)
    ] == ['PreToolUse']


def test_the_shell_form_refuses_for_guards_alone() -> None:
    entries = FORMS['shell']
    assert handler(entries, 'PreToolUse')['command'] == (
        f"timeout 20 '{PYTHON}' -I -S '{LAUNCHER}' PreToolUse || exit 2"
    )
    assert [
        event
        for event in MATCHERS
        if handler(entries, event)['command'].endswith(' || exit 2')
    ] == ['PreToolUse', 'ConfigChange']
    assert handler(FORMS['shell without timeout'], 'Stop')['command'] == (
        f"'{PYTHON}' -I -S '{LAUNCHER}' Stop"
    )


def test_we_answer_before_the_client_gives_up() -> None:
    for event in MATCHERS:
        patience = PATIENCE.get(event, PATIENCE[''])
        assert patience < handler(FORMS['exec'], event)['timeout']


@pytest.mark.parametrize(
    'other',
    (
        pytest.param(FOREIGN, id='foreign'),
        pytest.param(
            {'type': 'command', 'command': 'interlock-claude Stop'}, id='by hand'
        ),
        pytest.param(
            {'type': 'command', 'command': f"python3 '{LAUNCHER}"},
            id='a quote that is open',
        ),
        pytest.param(
            {
                'type': 'command',
                'command': 'python3',
                'args': ['-I', '-S', LAUNCHER, 'Stop', 'more'],
            },
            id='more',
        ),
        pytest.param(
            {
                'type': 'command',
                'command': 'python3',
                'args': ['-I', '-S', LAUNCHER, 'Événement'],
            },
            id='event',
        ),
        pytest.param({'type': 'http', 'url': LAUNCHER}, id='http'),
        pytest.param('x', id='text'),
    ),
)
def test_what_others_wrote_is_not_ours(other: Any) -> None:
    assert not is_ours(other)


BEFORE = group(FOREIGN, matcher='Write')
MIXED = group(FOREIGN, handler(ours('/old'), 'PreToolUse'), matcher='Write')


@pytest.mark.parametrize(
    ('groups', 'expected'),
    (
        pytest.param([], ours()['PreToolUse'], id='empty'),
        pytest.param([BEFORE], [BEFORE, *ours()['PreToolUse']], id='foreign'),
        pytest.param(
            [*ours('/old')['PreToolUse'], BEFORE],
            [*ours()['PreToolUse'], BEFORE],
            id='outdated',
        ),
        pytest.param([MIXED], [*ours()['PreToolUse'], BEFORE], id='in one group'),
        pytest.param(
            [*ours()['PreToolUse'], BEFORE, *ours('/old')['PreToolUse']],
            [*ours()['PreToolUse'], BEFORE],
            id='twice',
        ),
        pytest.param(
            [group(matcher='é'), BEFORE],
            [group(matcher='é'), BEFORE, *ours()['PreToolUse']],
            id='a group without handlers',
        ),
    ),
)
def test_our_entry_is_merged(groups: list[Any], expected: list[Any]) -> None:
    old = {'a': 1, 'hooks': {'PreToolUse': groups, 'Autre': [BEFORE]}, 'z': 2}
    kept = copy.deepcopy(old)
    new = merged(old, ours())
    assert old == kept
    assert new['hooks']['PreToolUse'] == expected
    assert new['hooks']['Autre'] == [BEFORE]
    # the order of what was there
    assert list(new) == ['a', 'hooks', 'z']
    assert list(new['hooks'])[:2] == ['PreToolUse', 'Autre']
    assert merged(new, ours()) == new


def test_an_event_that_we_no_longer_need_goes() -> None:
    fewer = {k: v for k, v in ours().items() if k != 'Stop'}
    assert 'Stop' not in merged({'hooks': ours()}, fewer)['hooks']


def settled(value: dict[str, Any]) -> dict[str, Any]:
    """Without what is empty: it says nothing."""
    events = {k: v for k, v in (value.get('hooks') or {}).items() if v}
    found = {k: v for k, v in value.items() if k != 'hooks'}
    return {**found, 'hooks': events} if events else found


@given(SETTINGS)
@settings(max_examples=some(200), deadline=None)
def test_uninstall_undoes_init(value: dict[str, Any]) -> None:
    there = merged(value, ours())
    assert merged(there, ours()) == there
    assert len(our_calls(there)) >= len(MATCHERS)
    gone = removed(there)
    assert our_calls(gone) == {}
    assert settled(gone) == settled(removed(value))
    if not our_calls(value):
        assert settled(gone) == settled(value)
        assert removed(value) == value
