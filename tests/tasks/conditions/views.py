"""A task that passes every gate, to take one thing away from."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from interlock.documents.json import Json
from interlock.documents.tasks.approvals import Approval, Presented, TaskCheckpoint
from interlock.documents.tasks.lock import Lock
from interlock.model.actor import Actor
from interlock.model.errors import Unreadable
from interlock.tasks.conditions.view import (
    Agent,
    Completion,
    Main,
    Trail,
    View,
    WorktreeState,
)
from interlock.workflow.language.build import build
from interlock.workflow.language.compile import compile_workflow
from interlock.workflow.language.spec import Workflow
from tests import desk, spaces

TASK = 'demo-task'
SESSION = '11111111-1111-4111-8111-111111111111'
COMMIT = 'c0ffee' + '0' * 34
SUM = 'a' * 64
PLAN = desk.PLAN.replace(spaces.TASK, TASK) + desk.PARTS


@functools.cache
def workflow(text: str = '') -> Workflow:
    data = f'version: 1\nextends: task-protocol\n{text}'.encode()
    merged, _ = compile_workflow('.interlock.yaml', data, lambda _: None)
    return build(merged, '.interlock.yaml', '.interlock.yaml')


LENIENT = workflow()
ACTOR = Actor(SESSION, '', 'höst', 1, True)
FIELDS = {
    'risk': 'LOW',
    'risk_reason': 'one file',
    'selection': {'architect': 'it is a design'},
    'change': 'code',
    'scope': {'naming': 'RESOLVE_NOW'},
    'evidence': {'SYNTHESIS': ['task.md']},
}
# the way to each state
WAY = [
    'INIT',
    'CLASSIFIED',
    'REQUIREMENTS',
    'SYNTHESIS',
    'IMPLEMENTATION',
    'VALIDATION',
    'REVIEW',
    'AWAITING_USER_APPROVAL',
    'COMPLETE',
    'CLEANUP',
]
AGENT = Agent(
    'architect',
    status='COMPLETE',
    decision='APPROVED',
    remaining='none',
    report=107,
    report_path='demo-task-architect-requirements.md',
    written='2025-10-16T18:00:00Z',
    reported='2025-10-16T18:00:00Z',
)
TRAIL = Trail(
    sections={
        'state_transitions': ({'from_state': 'INIT'},),
        'agent_invocations': ({'agent_name': 'architect', 'status': 'completed'},),
        'commits': ({'sha': 'abc123def'},),
        'build_verifications': (
            {
                'command': './mvnw verify',
                'result': 'SUCCESS',
                'timestamp': '2025-10-16T18:00:00Z',
            },
        ),
    }
)


def log(state: str) -> list[dict[str, str]]:
    end = WAY.index(state) if state in WAY else 0
    return [
        {'from': origin, 'to': target, 'timestamp': f'2025-10-16T14:{30 + number}:00Z'}
        for number, (origin, target) in enumerate(pairwise(WAY[: end + 1]))
    ]


def lock(
    state: str = 'SYNTHESIS',
    owner: str = SESSION,
    problem: str = '',
    fields: Mapping[str, Any] = FIELDS,
) -> Lock:
    assert LENIENT.kinds[0].protocol is not None
    keys = LENIENT.kinds[0].protocol.lock_keys
    if problem:
        return Lock(keys, Json({}, ''), Unreadable(problem))
    values = {
        'session': owner,
        'task': TASK,
        'state': state,
        'log': log(state),
        **fields,
    }
    data = {keys.roles[role]: value for role, value in values.items()}
    return Lock(keys, Json(data, json.dumps(data)))


def approval(of: str, at: str, what: str) -> Approval:
    return Approval(of, 'zoë', 'terminal', at, what)


def view(text: str = '', **changed: Any) -> View:
    flow = workflow(text) if text else LENIENT
    protocol = flow.kinds[0].protocol
    assert protocol is not None
    of_lock = {
        key: changed.pop(key)
        for key in list(changed)
        if key in {'state', 'owner', 'problem', 'fields'}
    }
    whole = View(
        task=TASK,
        workflow=flow,
        kind=flow.kinds[0],
        protocol=protocol,
        actor=ACTOR,
        directory=f'/ws/tasks/{TASK}/code',
        lock=lock(**of_lock),
        code=f'/ws/tasks/{TASK}/code',
        worktree=True,
        listed=True,
        agents=(AGENT,),
        plan=PLAN,
        plan_problem='',
        plan_path='task.md',
        plan_checksum=SUM,
        flags={},
        approvals=(
            approval('plan', '2025-10-16T15:00:00Z', SUM),
            approval('changes', '2025-10-16T17:00:00Z', COMMIT),
        ),
        presented=Presented('2025-10-16T14:50:00Z', SUM),
        scope_presented=None,
        checkpoint=TaskCheckpoint(
            'USER_APPROVAL_POST_REVIEW', COMMIT, '2025-10-16T16:00:00Z', False
        ),
        has_checkpoint_commit=True,
        tree=WorktreeState(head=COMMIT),
        agent_trees={'architect': WorktreeState(head=COMMIT)},
        main=Main(
            holds_work=True,
            has_changelog=True,
            completion=Completion(COMMIT, ('src/X.java',), True),
        ),
        trail=TRAIL,
        target='IMPLEMENTATION',
    )
    return whole._replace(**changed)
