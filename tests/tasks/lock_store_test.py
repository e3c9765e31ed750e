"""Only the store of locks knows where a lock lies."""

from __future__ import annotations

import re
from pathlib import Path

import interlock

PACKAGE = Path(interlock.__file__).parent
# the pattern of the lock's file, in a workflow as objects and as compiled
PATTERN_RE = re.compile(
    r"protocol\.files\.lock\b|\bfiles('\])?\['lock'\]|'main_lock'|"
    r"older\.get\('lock'|'task\.json'"
)
# the register beside the journal
REGISTER_RE = re.compile(r"'interlock', 'locks'|\.generation'|'log\.jsonl'")
STORE_RE = re.compile(r'\bLockStore\(')


def users(pattern: re.Pattern[str]) -> set[str]:
    return {
        file.relative_to(PACKAGE).as_posix()
        for file in PACKAGE.rglob('*.py')
        if pattern.search(file.read_text(encoding='UTF-8'))
    }


def test_only_the_store_knows_the_file_of_a_lock() -> None:
    assert users(PATTERN_RE) == {
        # whether a folder holds tasks, before there is a workflow
        'setup/workflow_detection.py',
        'tasks/engines/lock_file.py',
        'tasks/quick_lock.py',
        # the folder that the other files of a task lie in
        'tasks/task_layout.py',
        # where `quick_lock` looks, in the compiled workflow
        'workflow/language/watch_index.py',
    }


def test_only_the_store_knows_what_outlives_a_lock() -> None:
    assert users(REGISTER_RE) == {'tasks/engines/register.py'}


def test_only_the_seam_makes_the_store_of_this_machine() -> None:
    assert users(STORE_RE) == {'tasks/lock_store.py'}
