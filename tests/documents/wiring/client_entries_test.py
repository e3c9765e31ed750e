from __future__ import annotations

import copy
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from interlock.documents.wiring import client_entries
from interlock.documents.wiring.client_entries import (
    MATCHERS,
    MORE,
    is_ours,
    merged,
    removed,
)
from interlock.documents.wiring.client_settings import our_calls
from interlock.guard.dispatch import FILE_TOOLS, HANDLERS, SHELLS
from interlock.guard.event import PATCH, PATIENCE, TIMEOUTS
from interlock.state.tool_tracking import TOOLS
from interlock.workflow.language.json_schema import violations
from tests.documents.wiring.settings import (
    FOREIGN,
    LAUNCHER,
    PYTHON,
    SETTINGS,
    WIRING,
    group,
    ours,
)
from tests.profiles import some

FORMS = {'of a machine': ours(), 'shared': client_entries.shared_form(WIRING, TIMEOUTS)}


def handler(entries: client_entries.Entries, event: str) -> Any:
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


def test_a_machine_names_everything_itself() -> None:
    """One string for a shell, which refuses where we give no answer."""
    found = dict(handler(FORMS['of a machine'], 'PreToolUse'))
    words = shlex.split(found.pop('command'))
    assert found == {'type': 'command', 'timeout': 20, 'onFailure': 'block'}
    assert words[:2] == ['/bin/sh', '-c']
    call = f"'{PYTHON}' -I -S '{LAUNCHER}' claude PreToolUse || "
    assert words[2].startswith(call)
    assert handler(FORMS['of a machine'], 'SessionEnd')['timeout'] == 2


@pytest.mark.parametrize('form', FORMS)
def test_the_shell_refuses_for_guards_alone(form: str) -> None:
    closed = [
        event
        for event in MATCHERS
        if 'exit 2' in handler(FORMS[form], event)['command']
    ]
    assert closed == ['PreToolUse', 'ConfigChange']


@pytest.mark.parametrize(
    ('script', 'code', 'said'),
    [
        pytest.param('exit 0', 0, '', id='silence'),
        pytest.param('echo why >&2; exit 2', 2, 'why', id='a refusal'),
        pytest.param('exit 1', 2, 'CLD014', id='a crash'),
        pytest.param('kill -9 $$', 2, 'CLD014', id='killed'),
    ],
)
@pytest.mark.parametrize('shell', ['sh', 'bash'])
def test_a_guard_closes(
    script: str, code: int, said: str, shell: str, tmp_path: Path
) -> None:
    python = tmp_path / 'é p'
    python.write_text(f'#!/bin/sh\n{script}\n', encoding='UTF-8')
    python.chmod(0o755)
    command = handler(ours(str(python)), 'PreToolUse')['command']
    done = subprocess.run((shell, '-c', command), capture_output=True, text=True)
    assert done.returncode == code
    assert said in done.stderr
    assert bool(done.stderr) == bool(said)


def test_a_guard_that_is_missing_closes(tmp_path: Path) -> None:
    command = handler(ours('/nowhere/python'), 'PreToolUse')['command']
    done = subprocess.run(('sh', '-c', command), capture_output=True, text=True)
    assert done.returncode == 2
    assert 'CLD014' in done.stderr


def test_we_answer_before_the_client_gives_up() -> None:
    for event in MATCHERS:
        patience = PATIENCE.get(event, PATIENCE[''])
        assert patience < handler(FORMS['of a machine'], event)['timeout']


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
