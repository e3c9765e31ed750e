from __future__ import annotations

import json
import os
import subprocess
import uuid
from pathlib import Path
from typing import Any

import pytest

from interlock.guard.observers.after_tool import default_root
from interlock.handoff_document.outline import outline
from tests import samples
from tests.conftest import SCRIPTS, Interlock, Repo
from tests.desk import PARTS, PLAN, Desk
from tests.guard.agents import desk_of, failures
from tests.guard.asking import OTHER, SESSION, Reply, ask
from tests.guard.stage_agents_test import confirm, stage
from tests.spaces import TASK, Space

REGISTRY = {'Alpha': 'Ideated', 'Bravo': 'Stage 2', 'Charlie': 'Installed'}
HANDOFF = samples.handoff_path('Bravo')
HALF = samples.registry(REGISTRY, {'Bravo': 'Stage 3'})
STAGE_3 = {
    'PLUGINS.md': samples.registry({**REGISTRY, 'Bravo': 'Stage 3'}),
    HANDOFF: samples.handoff('Bravo', '3'),
}


def stop(cwd: Path, **fields: Any) -> Reply:
    return ask(
        'Stop',
        cwd,
        **{
            'stop_hook_active': False,
            'last_assistant_message': 'done',
            'background_tasks': [],
            **fields,
        },
    )


@pytest.mark.parametrize(
    'files',
    (
        pytest.param({}, id='nothing'),
        pytest.param({'plugins/Bravo/Source/Main.cpp': '// 2\n'}, id='code'),
        pytest.param({'README.md': '# é\n'}, id='another file'),
        pytest.param({'.interlock.yaml': samples.WORKFLOW + '\n'}, id='-'),
    ),
)
def test_a_session_that_leaves_nothing_may_stop(
    project: Repo, files: dict[str, str]
) -> None:
    project.write(files)
    assert stop(project.path).is_silent
    assert failures(project.path / '.git') == ''


def test_what_is_broken_is_said_once(project: Repo) -> None:
    project.write({'PLUGINS.md': HALF})
    said = stop(project.path)
    assert said.decision == 'block'
    assert said.reason.startswith('PLUGINS.md:')
    assert ' REG001 Bravo: ' in said.reason
    # a commit of it would be refused: one step comes first
    assert 'is not committed' not in said.reason
    assert said.reason.count('next: ') == 1
    assert len(said.reason) <= 600
    assert stop(project.path).is_silent
    # another session is told for itself, and so is what comes anew
    assert stop(project.path, session=OTHER).decision == 'block'
    project.write(STAGE_3)
    said = stop(project.path)
    assert said.decision == 'block'
    assert 'REG001' not in said.reason
    assert 'interlock commit-stage Bravo 3 -m' in said.reason


@pytest.mark.parametrize(
    ('before', 'own', 'decision'),
    (
        pytest.param({'PLUGINS.md': HALF}, {}, '', id='broken before'),
        pytest.param(STAGE_3, {}, '', id='not committed before'),
        pytest.param(
            {'PLUGINS.md': HALF}, {'README.md': '# é\n'}, '', id='it wrote elsewhere'
        ),
        pytest.param(
            {'PLUGINS.md': HALF},
            {'plugins/Bravo/Source/Main.cpp': '// 2\n'},
            '',
            id='it works on an item that was broken before',
        ),
        pytest.param({}, {'PLUGINS.md': HALF}, 'block', id='its own'),
        pytest.param({'PLUGINS.md': HALF}, STAGE_3, 'block', id='it went on'),
        pytest.param(
            {HANDOFF: samples.handoff('Bravo') + '\nmore\n'},
            {'PLUGINS.md': HALF},
            'block',
            id='it added another file',
        ),
    ),
)
def test_a_session_answers_for_what_it_did(
    project: Repo, before: dict[str, str], own: dict[str, str], decision: str
) -> None:
    project.write(before)
    ask('SessionStart', project.path, source='startup')
    project.write(own)
    # a session that goes on began earlier
    ask('SessionStart', project.path, source='resume')
    said = stop(project.path)
    assert (said.decision, failures(project.path / '.git')) == (decision, '')
    # one that nobody saw begin answers for everything
    assert (stop(project.path, session=OTHER).decision == 'block') == bool(
        {*before, *own} - {'README.md'}
    )


def _command(said: Reply) -> str:
    return said.reason.rpartition('next: ')[2].splitlines()[0]


def test_what_is_named_commits_what_is_left(
    project: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv('PATH', f'{SCRIPTS}{os.pathsep}{os.environ["PATH"]}')

    def follow() -> None:
        # what was said to one session is not said to it again
        said = stop(project.path, session=str(uuid.uuid4()))
        assert 'changed and is not committed' in said.reason
        result = subprocess.run(
            ('sh', '-c', _command(said)),
            cwd=project.path,
            text=True,
            capture_output=True,
            check=False,
        )
        assert result.returncode == 0, result.stderr + _command(said)
        assert project.git('status', '--porcelain') == ''
        assert interlock.check('--commit', 'HEAD').code == 0
        assert stop(project.path, session=OTHER).decision == ''

    # a pause ends nothing
    assert interlock('menu', 'Bravo', '--choice', 'pause').code == 0
    follow()
    # nor does a failure that is noted
    assert (
        interlock('menu', 'Bravo', '--outcome', 'build-failed', '--text', "d'oh").code
        == 0
    )
    follow()
    # a stage that is begun, and one that is done
    assert interlock('registry', 'set-status', 'Bravo', 'Processing Audio').code == 0
    follow()
    project.write({'plugins/Bravo/Source/Main.cpp': '// 3\n'})
    assert interlock('handoff', 'update', 'Bravo', '3').code == 0
    follow()
    assert project.git('log', '-1', '--format=%s') == (
        'feat: Bravo Stage 3 - Audio engine complete'
    )


@pytest.mark.parametrize(
    'fields',
    (
        {'stop_hook_active': True},
        {'background_tasks': [{'id': 'b1', 'command': 'make'}]},
    ),
)
def test_a_session_that_is_told_or_paused_is_left_alone(
    project: Repo, fields: dict[str, Any]
) -> None:
    project.write({'PLUGINS.md': HALF})
    assert stop(project.path, **fields).is_silent
    assert stop(project.path).decision == 'block'


def test_what_was_broken_before_is_not_the_session_s(project: Repo) -> None:
    project.commit({'PLUGINS.md': HALF})
    assert stop(project.path).is_silent


@pytest.mark.parametrize(
    'mode', ('default', 'plan', 'acceptEdits', 'auto', 'dontAsk', 'bypassPermissions')
)
def test_the_mode_of_permissions_changes_nothing(project: Repo, mode: str) -> None:
    assert stop(project.path, permission_mode=mode).is_silent
    project.write({'PLUGINS.md': HALF})
    assert stop(project.path, permission_mode=mode).decision == 'block'


def test_the_user_is_told_of_a_stage_that_waits(project: Repo) -> None:
    commit = stage(project, '3')
    said = stop(project.path)
    assert (said.decision, said.code) == ('', 0)
    assert json.loads(said.out) == {
        'systemMessage': (
            'stage 3 of Bravo is committed and waits for your decision; interlock '
            'menu Bravo shows the choices'
        )
    }
    assert stop(project.path).is_silent
    confirm(project, 'Bravo', '3', commit)
    assert stop(project.path, session=OTHER).is_silent


def test_outside_of_git_nothing_is_said(project: Repo, tmp_path: Path) -> None:
    project.write({'PLUGINS.md': HALF})
    (project.path / '.git').rename(tmp_path / 'elsewhere')
    assert stop(project.path).is_silent


# --- tasks


@pytest.fixture
def desk(space: Space, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setenv('INTERLOCK_SESSION', SESSION)
    made = desk_of(space, 'SYNTHESIS')
    made.write('task.md', PLAN + PARTS)
    return made


def test_a_task_that_is_whole_is_not_mentioned(desk: Desk) -> None:
    assert stop(desk.code.path).is_silent


def test_the_lock_of_the_main_worktree_is_not_kept(
    desk: Desk, interlock: Interlock
) -> None:
    taken = interlock('lock', 'acquire', 'main', '--operation', 'git-operation')
    assert taken.code == 0, taken.err
    said = stop(desk.code.path)
    assert said.decision == 'block'
    assert 'next: interlock lock release main' in said.reason
    assert stop(
        desk.code.path, session=OTHER, environ={'INTERLOCK_SESSION': OTHER}
    ).is_silent
    assert stop(desk.code.path).is_silent


def test_a_lock_that_is_broken_is_said(desk: Desk) -> None:
    desk.change(state='REVIEW')
    said = stop(desk.code.path)
    assert said.decision == 'block'
    assert f' STG004 {TASK}: ' in said.reason
    assert f'next: interlock task check {TASK}' in said.reason


def test_the_user_is_told_of_a_plan_that_waits_and_nothing_is_blocked(
    desk: Desk, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(desk.code.path)
    assert interlock('present', TASK).code == 0
    said = stop(desk.code.path)
    assert said.decision == ''
    assert f'{TASK}: the plan waits for your approval' in said.out
    assert stop(desk.code.path).is_silent


def test_changes_that_wait_are_said_to_the_user(desk: Desk) -> None:
    head = desk.code.git('rev-parse', 'HEAD')
    desk.at(
        'AWAITING_USER_APPROVAL',
        checkpoint={
            'type': 'USER_APPROVAL_POST_REVIEW',
            'commit_sha': head,
            'presented_at': '2026-01-02T03:04:05Z',
            'approved': False,
        },
    )
    said = stop(desk.code.path)
    assert said.decision == ''
    assert f'{TASK}: the changes wait for your approval' in said.out


def test_the_root_of_plans_is_that_of_the_outline() -> None:
    assert default_root() == outline().plans.root
