"""Every hint that the tests of commands and guards make us print leads on.

They are run once more, and one hint of each template is followed on the state
that printed it (`replay.py`). What a hint must not be: a command that is not
there, an editor, something to fill in but 'WHY', a circle, or a remedy after
which the same finding has the same remedy.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import profiles
from tests.hints import replay

TOP = Path(__file__).parents[2]
# what the guard tells agents
GUARDED = (
    'tests/guard/no_items_test.py',
    'tests/guard/stage_agents_test.py',
    'tests/guard/task_agents_test.py',
    'tests/guard/guards/file_writes_test.py',
    'tests/guard/guards/records_test.py',
    'tests/guard/guards/shared_locks_test.py',
    'tests/guard/guards/shell_commands_test.py',
    'tests/guard/guards/task_files_test.py',
    'tests/guard/observers/stop_test.py',
    'tests/guard/observers/subagent_stop_test.py',
)
# a command that prints no hint at all is not tested by its tests
LEAST = 100


@pytest.mark.slow
def test_every_hint_leads_on(tmp_path: Path) -> None:
    file = tmp_path / 'hints.jsonl'
    done = subprocess.run(
        [
            *(sys.executable, '-m', 'pytest', '-q', '-n', '2'),
            *('-p', 'no:cacheprovider', '-m', 'not slow and not client'),
            *('tests/commands', 'tests/hints', *GUARDED),
        ],
        cwd=TOP,
        # more examples of one test print no other hints
        env={**os.environ, replay.FILE: str(file), profiles.VARIABLE: ''},
        stdout=subprocess.DEVNULL,
    )
    # it ran to its end: all passed, or some failed
    assert done.returncode in (0, 1)
    lines = file.read_text('UTF-8').splitlines()
    found = [json.loads(line) for line in lines]
    wrong = [
        f'{each["test"]}: {" -> ".join(each["way"])}: {each["wrong"]}'
        for each in found
        if each['wrong']
    ]
    assert not wrong, '\n'.join(wrong)
    assert len({each['template'] for each in found}) > LEAST


@pytest.mark.parametrize(
    ('text', 'expected'),
    (
        pytest.param(
            "interlock registry set-status 'Big Drum' 'Stage 3'",
            'interlock registry set-status _',
            id='operands',
        ),
        pytest.param('git add -A -- a.md b.md', 'git add -A -- _', id='options stay'),
        pytest.param('chmod u+w /x/y', 'chmod _', id='absolute paths'),
        pytest.param('say one of `a`, `b`', 'say one of _, _', id='a sentence'),
    ),
)
def test_hints_of_one_kind_have_one_template(text: str, expected: str) -> None:
    assert replay.template(text) == expected


@pytest.mark.parametrize(
    ('text', 'wrong'),
    (
        pytest.param('true', '', id='a sentence'),
        pytest.param('git status', '', id='a command'),
        pytest.param('interlock registry may Bravo STATUS', 'filled in', id='blank'),
        pytest.param('${EDITOR:-vi} +3 x', 'editor', id='editor'),
        pytest.param('interlock chekc', 'does not run', id='no such command'),
        pytest.param('interlock check --no-such', 'does not run', id='no such option'),
        pytest.param('/research Bravo', 'no /research', id='of no client'),
        pytest.param('git nonsense', 'nothing comes next', id='refused'),
    ),
)
def test_a_hint_that_leads_nowhere_is_found(
    project: object, tmp_path: Path, text: str, wrong: str
) -> None:
    found = replay.follow(replay.Hint(text), [tmp_path], ())
    assert wrong in found.wrong
    assert bool(found.wrong) == bool(wrong)
