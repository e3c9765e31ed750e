"""The files that go with a lock: which are written, and which never."""

from __future__ import annotations

import json

import pytest

from interlock.documents.tasks.lock import Lock
from interlock.tasks import task_layout
from interlock.tasks.engines import lock_file
from interlock.tasks.task_bundle import MAX_FILE, pack, unpack
from tests import spaces
from tests.spaces import TASK, Space


def lock_of(space: Space) -> Lock:
    found = task_layout.find()
    made = spaces.lock(required_agents=['architect', '../x'])
    return lock_file.parse(json.dumps(made).encode(), found.protocol.lock_keys)


@pytest.mark.parametrize(
    ('name', 'content', 'goes'),
    (
        pytest.param('task.md', b'a plan', True, id='plan'),
        pytest.param('audit-trail.json', b'{}', True, id='trail'),
        pytest.param('user-plan-approval-obtained.flag', b'', True, id='flag'),
        pytest.param(f'{TASK}-architect-requirements.md', b'x', True, id='report'),
        pytest.param('agents/architect/status.json', b'{}', True, id='status'),
        pytest.param('task.md', b'x' * (MAX_FILE + 1), False, id='too large'),
        pytest.param('task.md', b'\xff', False, id='not text'),
        pytest.param('notes.md', b'x', False, id='not of the task'),
        pytest.param('agents/architect/code/x', b'x', False, id='code'),
    ),
)
def test_what_goes_with_a_lock(
    space: Space, name: str, content: bytes, goes: bool
) -> None:
    file = space.file(name)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
    at, lock = task_layout.find(), lock_of(space)
    files = pack(at, TASK, lock)
    assert (name in json.loads(files or '{}')) == goes
    file.unlink()
    assert unpack(at, TASK, lock, files, False) == ([name] if goes else [])
    assert (file.read_bytes() if file.exists() else None) == (content if goes else None)


@pytest.mark.parametrize(
    'files',
    (
        json.dumps({'../../escaped': 'x', '/tmp/escaped': 'x', 'task.json': '{}'}),
        json.dumps({'code/.git/hooks/pre-commit': 'x', 'agents/../x/status.json': 'x'}),
        json.dumps({'task.md': 7}),
        '[]',
        '[1]',
        '{"task.md"',
        'null',
        '',
    ),
)
def test_a_record_writes_nothing_that_the_workflow_does_not_name(
    space: Space, files: str
) -> None:
    space.file('task.json').parent.mkdir(parents=True, exist_ok=True)
    before = sorted(space.path.rglob('*'))
    assert unpack(task_layout.find(), TASK, lock_of(space), files, True) == []
    assert sorted(space.path.rglob('*')) == before
