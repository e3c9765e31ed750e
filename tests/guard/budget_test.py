"""What a hook imports, and that it starts no process to say nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from interlock.agents import launcher
from tests import samples
from tests.conftest import Repo

# each takes longer to import than a silent answer may take
HEAVY = {
    'click',
    'yaml',
    'jsonschema',
    'subprocess',
    'dataclasses',
    'pathlib',
    're',
    'typing',
    'json',
    'sqlite3',
    '_sqlite3',
    'asyncio',
    'logging',
    'site',
    'tree_sitter',
    'interlock.workflow.language.spec',
    'interlock.commands',
}
SOURCE = f"""
import sys
sys.path.insert(0, {str(Path(launcher.__file__).parents[2])!r})
from interlock.agents.claude import ADAPTER
from interlock.agents.respond import Packages, respond
sys.meta_path.append(Packages)
output = respond(ADAPTER, sys.argv[1], sys.stdin.buffer.read())
print(output.code, bool(output.out), *sys.modules)
"""


def imported(name: str, event: dict[str, Any]) -> tuple[str, set[str]]:
    raw = json.dumps({'hook_event_name': name, **event}).encode()
    done = subprocess.run(
        (sys.executable, '-I', '-S', '-c', SOURCE, name),
        input=raw,
        capture_output=True,
        check=True,
    )
    code, spoke, *modules = done.stdout.decode().split()
    return f'{code} {spoke}', set(modules)


def tool(name: str, **given: str) -> dict[str, Any]:
    return {'tool_name': name, 'tool_input': given, 'session_id': 's'}


@pytest.mark.parametrize(
    ('name', 'event'),
    [
        ('PreToolUse', tool('Read', file_path='README.md')),
        ('PreToolUse', tool('Write', file_path='README.md', content='x')),
        ('PreToolUse', tool('Edit', file_path='a', old_string='', new_string='')),
        ('PreToolUse', tool('Bash', command='ls -la && pytest -q')),
        ('PostToolUse', tool('Read', file_path='README.md')),
    ],
)
def test_what_says_nothing_imports_next_to_nothing(
    name: str, event: dict[str, Any], project: Repo
) -> None:
    event = {**event, 'cwd': str(project.path)}
    # the first time the workflow is compiled
    imported(name, event)
    said, modules = imported(name, event)
    assert said == '0 False'
    assert not modules & HEAVY


def edit(old: str, new: str) -> dict[str, Any]:
    return tool('Edit', file_path='PLUGINS.md', old_string=old, new_string=new)


# none of them is needed for an answer
SLOW = {
    'collections',
    'contextlib',
    'enum',
    'functools',
    'hashlib',
    'json',
    're',
    'tree_sitter',
    'typing',
    'yaml',
}
# what each answer takes at most: modules of ours, classes, patterns compiled.
# A change that needs more must be worth the time of every answer
BUDGETS = {
    'silent': ('PreToolUse', tool('Write', file_path='README.md', content='x'), 28, 22),
    'judged edit': (
        'PreToolUse',
        edit(samples.entry('Bravo', 'Stage 2'), samples.entry('Bravo', 'Stage 3')),
        80,
        118,
    ),
    'git commit': ('PreToolUse', tool('Bash', command='git commit -m x a.md'), 35, 23),
    'session start': ('SessionStart', {'source': 'startup'}, 116, 164),
}
COUNTED = f"""
import builtins, sys
sys.path.insert(0, {str(Path(launcher.__file__).parents[2])!r})
made = []
build = builtins.__build_class__
def counted(*args, **keywords):
    if sys._getframe(1).f_globals.get('__name__', '').startswith('interlock'):
        made.append(args[1])
    return build(*args, **keywords)
builtins.__build_class__ = counted
from interlock.agents import respond
main = respond.main
def counted_main(arguments):
    code = main(arguments)
    ours = sum(name.startswith('interlock') for name in sys.modules)
    quick_re = sys.modules.get('interlock.model.quick_re')
    patterns = len(quick_re.compiled_here) if quick_re else 0
    print('\\ncounted', ours, len(made), patterns, *sys.modules)
    return code
respond.main = counted_main
def leave(code):
    sys.stdout.flush()
    raise SystemExit(code)
respond.os._exit = leave
respond.start(['claude', sys.argv[1]])
"""


def counts(name: str, event: dict[str, Any]) -> tuple[list[int], set[str]]:
    raw = json.dumps({'hook_event_name': name, **event}).encode()
    done = subprocess.run(
        (sys.executable, '-I', '-S', '-c', COUNTED, name),
        input=raw,
        capture_output=True,
        check=True,
    )
    last = done.stdout.decode().splitlines()[-1]
    _, modules, classes, patterns, *names = last.split()
    return [int(modules), int(classes), int(patterns)], set(names)


@pytest.mark.parametrize('what', BUDGETS)
def test_an_answer_stays_within_its_budget(what: str, project: Repo) -> None:
    name, event, modules, classes = BUDGETS[what]
    event = {**event, 'cwd': str(project.path), 'session_id': 's'}
    # the first time the workflow and the patterns are compiled
    counts(name, event)
    found, names = counts(name, event)
    assert found[0] <= modules
    assert found[1] <= classes
    assert found[2] == 0
    if what != 'session start':
        assert not names & {*SLOW, 'subprocess', '_sqlite3'}


def test_a_judged_edit_asks_no_git(project: Repo) -> None:
    event = {
        'cwd': str(project.path),
        **tool('Write', file_path='PLUGINS.md', content='x'),
    }
    imported('PreToolUse', event)
    _, modules = imported('PreToolUse', event)
    assert not modules & {'subprocess', 'click', 'jsonschema', '_sqlite3'}
