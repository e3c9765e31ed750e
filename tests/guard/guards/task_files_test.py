"""Files of tasks and of the main worktree, as a tool would write them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from interlock.files import process
from interlock.guard.context import Context
from interlock.guard.event import Event
from interlock.guard.guards import task_files
from interlock.guard.relevance import Write
from tests import desk, spaces
from tests.guard.asking import OTHER, SESSION, ask, edit, write
from tests.spaces import TASK, Space

IMPLEMENTING = ('INIT', 'CLASSIFIED', 'REQUIREMENTS', 'SYNTHESIS', 'IMPLEMENTATION')


@pytest.fixture(autouse=True)
def session(space: Space, monkeypatch: pytest.MonkeyPatch) -> None:
    # the client says which session it is
    monkeypatch.delenv('INTERLOCK_SESSION')


def lock(*states: str, **fields: Any) -> dict[str, Any]:
    return spaces.lock(*states, **{'session_id': SESSION, **fields})


def text(data: Any) -> str:
    return json.dumps(data, indent=2)


def hold_main(space: Space, session: str = SESSION) -> None:
    space.put(
        {
            'session_id': session,
            'task_name': 'main-worktree-operation',
            'state': 'IN_PROGRESS',
            'created_at': '2026-01-02T03:00:00Z',
            'operation_type': 'file-modification',
        },
        'main',
    )


@pytest.fixture
def task(space: Space) -> Space:
    """A task in IMPLEMENTATION, held by the session."""
    space.worktree()
    space.put(lock(*IMPLEMENTING, required_agents=['architect', 'style']))
    space.write('task.md', desk.PLAN)
    space.write('code/src/X.java', 'class X {}\n')
    return space


@pytest.mark.parametrize(
    'name',
    [
        'task.md',
        'code/README.md',
        'task.json',
        'code/src/X.java',
        'agents/architect/status.json',
    ],
)
def test_a_task_of_another_session(name: str, task: Space) -> None:
    task.put(lock(*IMPLEMENTING, session_id=OTHER))
    reply = write(task.file(name), 'x', cwd=task.path)
    assert reply.decision == 'deny'
    assert reply.reason.startswith('LCK001')
    assert OTHER in reply.reason
    assert reply.reason.endswith('next: interlock task select')


@pytest.mark.parametrize('name', ('task.md', 'code/README.md'))
def test_a_task_of_a_session_that_ended(name: str, task: Space) -> None:
    ended = {'pid': 2**22 + 7, 'host': 'é', 'machine': process.machine()}
    task.put(lock(*IMPLEMENTING, session_id=OTHER, **ended))
    reply = write(task.file(name), 'x', cwd=task.path)
    assert reply.reason.startswith('LCK001')
    end = f'interlock lock release {TASK} --holder 1'
    assert f'next: ask the user to run `{end}` on a terminal' in reply.reason


@pytest.mark.parametrize('content', ['', '{', '[]', '{"state": "INIT"}'])
def test_a_lock_of_an_unknown_session(content: str, task: Space) -> None:
    task.file('task.json').write_text(content)
    reply = write(task.file('task.md'), 'x')
    assert reply.decision == 'deny'
    assert reply.reason[:6] in ('LCK001', 'LCK002')


def test_without_a_session_nothing_is_owned(task: Space) -> None:
    reply = write(task.file('task.md'), 'x', session='')
    assert reply.reason.startswith('LCK003')


@pytest.mark.parametrize(
    'name',
    [
        'task.md',
        'code/README.md',
        'bake-bread-architect-requirements.md',
        'code/todo.md',
        'code/changelog.md',
        'code/docs/design.md',
        # no worktree
        'notes.py',
        'src/list.txt',
    ],
)
def test_what_the_main_agent_may_write(name: str, task: Space) -> None:
    assert write(task.file(name), 'x', cwd=task.path).is_silent


@pytest.mark.parametrize(
    'name',
    [
        'code/src/X.java',
        'code/pom.xml',
        'code/src/module-info.java',
        'agents/architect/code/src/Y.java',
        'code/new.java',
        'code/src/test/java/data.json',
        'code/formatter/src/main/x.properties',
        'code/build.gradle',
        'code/build.gradle.kts',
        'code/main.py',
        'code/lib/index.ts',
        'code/Cargo.toml',
        'code/scripts/run.sh',
    ],
)
def test_what_agents_implement(name: str, task: Space) -> None:
    reply = write(task.file(name), 'x', cwd=task.path)
    assert reply.decision == 'deny'
    assert reply.reason.startswith('CLD007')
    # an agent that is not one of the task's is not told what to do
    assert write(task.file(name), 'x', cwd=task.path, agent='general-purpose').is_silent


@pytest.mark.parametrize('states', [('INIT',), ('INIT', 'CLASSIFIED')])
def test_before_agents_run_nobody_is_kept_from_it(
    states: tuple[str, ...], task: Space
) -> None:
    task.put(lock(*states))
    assert write(task.file('code/src/X.java'), 'x').is_silent


@pytest.mark.parametrize(
    ('name', 'refused'),
    [
        ('agents/architect/code/src/X.java', False),
        ('agents/architect/status.json', False),
        ('bake-bread-architect-requirements.md', False),
        ('agents/style/code/src/X.java', True),
        ('agents/style/status.json', True),
        ('bake-bread-style-requirements.md', True),
        ('code/src/X.java', True),
        ('task.md', True),
    ],
)
def test_an_agent_of_the_task_has_its_place(
    name: str, refused: bool, task: Space
) -> None:
    for agent in ('architect', 'acme:architect'):
        reply = write(task.file(name), 'x', cwd=task.path, agent=agent)
        assert (reply.decision == 'deny') is refused
        if refused:
            assert reply.reason.startswith('CLD008')


def test_an_agent_under_another_name(task: Space) -> None:
    path = task.file('agents/style/code/a.java')
    assert write(path, 'x', cwd=task.path, agent='formatter').is_silent
    other = task.file('code/a.java')
    assert write(other, 'x', cwd=task.path, agent='formatter').decision == 'deny'


@pytest.mark.parametrize(
    'name',
    [
        'user-plan-approval-obtained.flag',
        'user-approved-synthesis.flag',
        'user-approval-obtained.flag',
        'user-approved-changes.flag',
    ],
)
def test_an_agent_does_not_approve(name: str, task: Space) -> None:
    for agent in ('', 'general-purpose'):
        reply = write(task.file(name), '', agent=agent)
        assert reply.reason.startswith('CLD005')


def test_the_trail_is_not_written_by_hand(task: Space) -> None:
    reply = write(task.file('audit-trail.json'), '{}')
    assert reply.reason.startswith('CLD015')


def judged(path: Path, agent: str = '', cwd: Path | None = None, **how: Any) -> str:
    """The code of what speaks against a write, whatever it writes."""
    who = {'agent_id': 'a1', 'agent_type': agent} if agent else {}
    context = Context(
        Event(
            'PreToolUse',
            {'session_id': SESSION, 'cwd': str(cwd or path.parent), **who},
            {},
        )
    )
    found = next(task_files.judge(context, Write(str(path), **how)), None)
    return found.code if found else ''


def test_an_agent_is_known_by_the_name_of_its_definition(task: Space) -> None:
    reply = write(task.file('agents/architect/status.json'), '{}', cwd=task.path)
    assert reply.reason == (
        'CLD008 only architect writes the status of architect\n'
        'next: start architect (.claude/agents/architect.md must define it as '
        '`name: architect`; subagent_type architect starts it) and let it write its '
        'status'
    )


@pytest.mark.parametrize(
    ('agent', 'code'),
    [
        ('', 'CLD008'),
        ('general-purpose', 'CLD008'),
        ('style', 'CLD008'),
        ('architect', ''),
        ('Architect', ''),
        (' acme:ARCHITECT ', ''),
    ],
)
def test_an_agent_alone_says_how_far_it_is(agent: str, code: str, task: Space) -> None:
    path = task.file('agents/architect/status.json')
    assert judged(path, agent, task.path) == code
    if not agent:
        reply = write(path, '{"status": "COMPLETE"}', cwd=task.path)
        assert reply.reason.startswith('CLD008')
        # to remove one opens no gate
        assert judged(path, agent, task.path, removed=True) == ''


def test_the_status_of_an_agent_that_is_not_listed_yet(task: Space) -> None:
    task.put(lock('INIT', 'CLASSIFIED'))
    path = task.file('agents/hacker/status.json')
    assert judged(path, '', task.path) == 'CLD008'
    assert judged(path, 'security', task.path) == ''


def test_a_flag_of_a_task_that_nobody_holds(task: Space) -> None:
    flag = 'user-plan-approval-obtained.flag'
    for name in ('wash-up', TASK):
        assert judged(task.file(flag, name), cwd=task.path) == 'CLD005'
    task.file('task.json').unlink()
    assert judged(task.file(flag), cwd=task.path) == 'CLD005'
    reply = write(task.file(flag, 'wash-up'), '', cwd=task.path)
    assert reply.reason.startswith('CLD005')


@pytest.mark.parametrize('agent', ['style', 'Style', 'style ', 'Formatter'])
def test_an_agent_writes_nowhere_else_in_the_project(agent: str, task: Space) -> None:
    hold_main(task)
    task.put(lock(task_name='wash-up'), 'wash-up')
    for path in (
        task.main.path / 'README.md',
        task.file('task.md', 'wash-up'),
        task.path / 'notes.md',
        task.file('code/README.md'),
        task.file('task.json'),
    ):
        assert judged(path, agent, task.path) == 'CLD008'
        # another one is held to the rules for all alone
        if path != task.file('task.json'):
            assert judged(path, 'general-purpose', task.path) == ''
    for place in (
        task.file('agents/style/code/a.java'),
        task.path.parent / 'x',
        task.file(f'{TASK}-style-requirements.md'),
    ):
        assert judged(place, agent, task.path) == ''


def changed(data: dict[str, Any], **fields: Any) -> str:
    return text({**data, **fields})


BASE = lock('INIT', 'CLASSIFIED', 'REQUIREMENTS')
APPROVAL = {
    'of': 'plan',
    'by': 'me',
    'via': 'prompt',
    'approved_at': 'now',
    'sha256': 'x',
}
CHECKPOINT = {
    'type': 'USER_APPROVAL_POST_REVIEW',
    'commit_sha': 'abc',
    'presented_at': '2026-01-02T03:04:05Z',
    'approved': False,
}


@pytest.mark.parametrize(
    ('fields', 'code'),
    [
        pytest.param({}, '', id='nothing'),
        pytest.param({'risk_level': 'HIGH'}, '', id='a field'),
        pytest.param({'checkpoint': CHECKPOINT}, '', id='a checkpoint'),
        pytest.param({'session_id': OTHER}, 'CLD006', id='given away'),
        pytest.param({'session_id': ''}, 'LCK005', id='nobody'),
        pytest.param({'generation': 7}, 'CLD006', id='generation'),
        pytest.param({'approvals': [APPROVAL]}, 'CLD005', id='an approval'),
        pytest.param(
            {'presented': {'presented_at': 'now', 'sha256': 'x'}},
            'CLD005',
            id='presented',
        ),
        pytest.param(
            {'checkpoint': {**CHECKPOINT, 'approved': True}},
            'CLD005',
            id='an approved checkpoint',
        ),
        pytest.param({'state': 'BANANA'}, 'TSK004', id='no state'),
        pytest.param({'task_name': 'other'}, 'TSK001', id='another name'),
        pytest.param({'state': 'SYNTHESIS'}, 'STG004', id='not logged'),
        pytest.param(
            {'transition_log': spaces.log('INIT', 'REQUIREMENTS')},
            'STG003',
            id='an illegal step in the log',
        ),
        pytest.param(
            {
                'transition_log': [
                    {**BASE['transition_log'][0], 'timestamp': '2026-01-01T00:00:00Z'},
                    *BASE['transition_log'][1:],
                ]
            },
            'STG004',
            id='history rewritten',
        ),
        pytest.param(
            {
                'state': 'IMPLEMENTATION',
                'transition_log': spaces.log(
                    'INIT', 'CLASSIFIED', 'REQUIREMENTS', 'IMPLEMENTATION'
                ),
            },
            'STG003',
            id='a state skipped',
        ),
        pytest.param(
            {
                'state': 'SYNTHESIS',
                'transition_log': spaces.log(
                    'INIT', 'CLASSIFIED', 'REQUIREMENTS', 'SYNTHESIS'
                ),
            },
            'STG005',
            id='a closed gate',
        ),
    ],
)
def test_the_lock_that_would_result(
    fields: dict[str, Any], code: str, task: Space
) -> None:
    task.put(BASE)
    reply = write(task.file('task.json'), changed(BASE, **fields), cwd=task.path)
    assert reply.reason[:6] == code


def addition(agent: str, state: str, **fields: Any) -> dict[str, Any]:
    return {
        'agent': agent,
        'added_at_state': state,
        'justification': 'à voir',
        'timestamp': '2026-01-02T04:00:00Z',
        **fields,
    }


WHO = {'pid': 7, 'pid_started': 'then', 'host': 'here', 'worktree': '/w'}
TWO = ['architect', 'style']
CHOOSING = ('INIT', 'CLASSIFIED')
REVIEWING = (*IMPLEMENTING, 'VALIDATION', 'REVIEW')


@pytest.mark.parametrize(
    ('states', 'fields', 'code'),
    [
        pytest.param(CHOOSING, {'required_agents': []}, '', id='chosen'),
        pytest.param(CHOOSING, {'required_agents': ['x']}, '', id='others'),
        pytest.param(
            CHOOSING,
            {'agent_additions': [addition('x', 'CLASSIFIED')]},
            'CLD006',
            id='nobody is added while agents are chosen',
        ),
        pytest.param(IMPLEMENTING, {'required_agents': []}, 'CLD006', id='emptied'),
        pytest.param(IMPLEMENTING, {'required_agents': ...}, 'CLD006', id='removed'),
        pytest.param(
            IMPLEMENTING, {'required_agents': ['style']}, 'CLD006', id='one less'
        ),
        pytest.param(
            IMPLEMENTING,
            {'required_agents': ['style', 'architect']},
            '',
            id='another order',
        ),
        pytest.param(
            IMPLEMENTING, {'required_agents': [*TWO, 'x']}, 'CLD006', id='no record'
        ),
        pytest.param(
            IMPLEMENTING,
            {
                'required_agents': [*TWO, 'x'],
                'agent_additions': [addition('x', 'IMPLEMENTATION')],
            },
            '',
            id='with its record',
        ),
        pytest.param(
            IMPLEMENTING,
            {
                'required_agents': [*TWO, 'x'],
                'agent_additions': [addition('x', 'IMPLEMENTATION', justification=' ')],
            },
            'CLD006',
            id='without a reason',
        ),
        pytest.param(
            REVIEWING,
            {
                'required_agents': [*TWO, 'x'],
                'agent_additions': [addition('x', 'REVIEW')],
            },
            'CLD006',
            id='too late',
        ),
        pytest.param(
            IMPLEMENTING,
            {'agent_selection': {'style': 'x'}},
            'CLD006',
            id='selected later',
        ),
        pytest.param(IMPLEMENTING, {'risk_level': 'LOW'}, 'CLD006', id='lower'),
        pytest.param(IMPLEMENTING, {'risk_level': ...}, 'CLD006', id='no risk at all'),
        pytest.param(IMPLEMENTING, {'risk_level': 'HIGH'}, '', id='higher'),
        pytest.param(IMPLEMENTING, {'change_type': 'docs'}, 'CLD006', id='change'),
        pytest.param(IMPLEMENTING, {'corrections': []}, 'CLD006', id='corrected'),
        *(pytest.param(IMPLEMENTING, {key: 'x'}, 'CLD006', id=key) for key in WHO),
    ],
)
def test_what_gates_read_is_not_changed_by_hand(
    states: tuple[str, ...], fields: dict[str, Any], code: str, task: Space
) -> None:
    base = {
        'required_agents': TWO,
        'risk_level': 'MEDIUM',
        'change_type': 'feature',
        **WHO,
    }
    task.put(lock(*states, **base))
    new = text(lock(*states, **{**base, **fields}))
    reply = write(task.file('task.json'), new, cwd=task.path)
    assert reply.reason[:6] == code
    if 'required_agents' in fields and 'agent_additions' in fields and code:
        assert f'interlock agents add {TASK}' in reply.reason


def test_recorded_additions_stay(task: Space) -> None:
    first = addition('style', 'IMPLEMENTATION')
    base = lock(*IMPLEMENTING, required_agents=TWO, agent_additions=[first])
    task.put(base)
    for after in ([], [{**first, 'justification': 'other'}]):
        reply = write(task.file('task.json'), changed(base, agent_additions=after))
        assert reply.reason.startswith('CLD006')


def test_an_edit_of_the_lock_is_judged_by_its_result(task: Space) -> None:
    task.put(BASE)
    reply = edit(
        task.file('task.json'), '"state": "REQUIREMENTS"', '"state": "SYNTHESIS"'
    )
    assert reply.reason.startswith('STG004')
    # it cannot be applied, so the path alone is judged
    unknown = edit(task.file('task.json'), 'not in it', 'x')
    assert unknown.reason.startswith('CLD006')


def test_an_old_fault_of_a_lock_is_nobodys_now(task: Space) -> None:
    task.put({**BASE, 'state': 'BANANA'})
    reply = write(
        task.file('task.json'), changed(BASE, state='BANANA', risk_level='LOW')
    )
    assert reply.is_silent


@pytest.mark.parametrize(
    ('data', 'code'),
    [
        (lock('INIT', task_name='wash-up'), ''),
        (lock('INIT', 'CLASSIFIED', task_name='wash-up'), 'STG003'),
        (lock('INIT', task_name='wash-up', session_id=OTHER), 'CLD006'),
    ],
)
def test_a_task_that_is_begun_by_hand(
    data: dict[str, Any], code: str, space: Space
) -> None:
    path = space.file('task.json', 'wash-up')
    assert write(path, text(data), cwd=space.path).reason[:6] == code


def test_a_worktree_without_a_lock(task: Space) -> None:
    task.file('task.json').unlink()
    assert write(task.file('task.md'), 'x').decision == 'ask'
    taken = write(task.file('task.json'), text(lock('INIT')))
    assert taken.decision == 'deny'
    assert taken.reason.startswith('LCK004')


def test_the_main_worktree_needs_its_lock(space: Space) -> None:
    file = space.main.path / 'README.md'
    reply = write(file, 'x')
    assert reply.reason.startswith('LCK007')
    assert 'interlock lock acquire main' in reply.reason
    hold_main(space, OTHER)
    assert write(file, 'x').reason.startswith('LCK001')
    hold_main(space)
    assert write(file, 'x').is_silent


def test_the_lock_of_the_main_worktree(space: Space) -> None:
    hold_main(space)
    path = space.file('task.json', 'main')
    whole = path.read_text()
    assert write(path, whole).is_silent
    broken = whole.replace('IN_PROGRESS', 'BANANA')
    assert write(path, broken).reason.startswith('LCK005')
    other = whole.replace(SESSION, OTHER)
    assert write(path, other).reason.startswith('CLD006')


def test_an_older_place_of_a_lock(task: Space) -> None:
    task.file('task.json').unlink()
    old = task.path / 'locks' / f'{TASK}.json'
    old.parent.mkdir()
    old.write_text(text(lock(*IMPLEMENTING, session_id=OTHER)))
    assert write(old, 'x', cwd=task.path).reason.startswith('LCK001')


def test_files_that_belong_to_no_task(space: Space) -> None:
    assert write(space.path / 'notes.md', 'x').is_silent
    assert write(space.tasks / 'README.md', 'x').is_silent


def test_the_lock_of_the_main_worktree_cannot_name_an_agent(task: Space) -> None:
    hold_main(task)
    file = task.main.path / 'README.md'
    assert write(file, 'x').is_silent
    assert write(file, 'x', agent='architect').reason.startswith('CLD008')
    assert write(file, 'x', agent='general-purpose').is_silent


@pytest.mark.parametrize('session', (SESSION, OTHER))
def test_the_trail_of_a_finished_task_is_kept(space: Space, session: str) -> None:
    trail = space.write('audit-trail.json', '{}')
    folder = space.file('')
    for command in (
        f'rm -rf {folder}',
        f'rm {trail}',
        f'mv {folder} /tmp/x',
        f'echo {{}} >{trail}',
    ):
        reply = ask(
            'PreToolUse',
            space.path,
            session,
            tool_name='Bash',
            tool_input={'command': command},
        )
        assert reply.decision == 'deny', command
        assert reply.reason.startswith('CLD015')
    assert write(trail, '{"a": 1}', cwd=space.path).reason.startswith('CLD015')
    # what else is left of it is not the trail
    assert judged(space.file('task.md'), cwd=space.path, removed=True) == ''
    trail.unlink()
    assert judged(folder, cwd=space.path, removed=True, tree=True) == ''


@pytest.mark.parametrize(
    ('name', 'operation'),
    (
        ('README.md', 'file-modification'),
        ('src/X.java', 'file-modification'),
        ('.pre-commit-config.yaml', 'configuration-update'),
        ('.interlock.yaml', 'configuration-update'),
    ),
)
def test_which_operation_a_change_of_the_main_worktree_is(
    space: Space, name: str, operation: str
) -> None:
    (space.path / '.interlock.yaml').rename(space.main.path / '.interlock.yaml')
    reply = write(space.main.path / name, 'version: 1\n', cwd=space.main.path)
    assert reply.decision == 'deny'
    assert reply.reason.startswith('LCK007')
    assert f'interlock lock acquire main --operation {operation}' in (reply.reason)


def test_who_waits_for_the_main_worktree_is_told_how(space: Space) -> None:
    hold_main(space, OTHER)
    reply = write(space.main.path / 'README.md', 'x')
    assert reply.reason.startswith('LCK001')
    assert (
        'interlock lock acquire main --operation file-modification --until-free 600'
    ) in reply.reason


@pytest.mark.parametrize(
    ('fields', 'way'),
    (
        ({'state': 'SYNTHESIS'}, f'interlock transition {TASK} SYNTHESIS'),
        ({'transition_log': []}, f'interlock task resume {TASK}'),
    ),
)
def test_a_lock_that_is_edited_leads_to_the_command_that_does_it(
    task: Space, fields: dict[str, Any], way: str
) -> None:
    task.put(BASE)
    reply = write(task.file('task.json'), changed(BASE, **fields))
    assert reply.decision == 'deny'
    assert way in reply.reason


def test_a_lock_that_is_made_by_a_command_leads_to_the_start(space: Space) -> None:
    space.file('', 'wash-up').mkdir(parents=True)
    reply = ask(
        'PreToolUse',
        space.path,
        SESSION,
        tool_name='Bash',
        tool_input={'command': f'echo {{}} >{space.file("task.json", "wash-up")}'},
    )
    assert reply.decision == 'deny'
    assert 'interlock task start wash-up' in reply.reason


def test_without_a_session_the_way_on_is_not_refused(task: Space) -> None:
    reply = write(task.file('task.md'), 'x', session='')
    assert 'restart the client' in reply.reason
    assert 'INTERLOCK_SESSION' not in reply.reason


def test_a_step_by_hand_brings_no_evidence_of_its_state(task: Space) -> None:
    log = spaces.log('INIT', 'CLASSIFIED')
    before = lock('INIT', evidence={'CLASSIFIED': ['x']})
    task.put(before)
    reply = write(
        task.file('task.json'),
        changed(before, state='CLASSIFIED', transition_log=log),
        cwd=task.file('code'),
    )
    assert reply.reason.startswith('CLD006')
    assert 'that only that state can give' in reply.reason
