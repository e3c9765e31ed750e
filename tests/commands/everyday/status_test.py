from __future__ import annotations

import datetime
import json
from typing import Any

import pytest

from tests import samples
from tests.conftest import Interlock, Repo
from tests.spaces import OTHER, TASK, Space, lock


def items(interlock: Interlock) -> list[dict[str, Any]]:
    result = interlock('status', '--format', 'json')
    assert result.code == 0
    report = json.loads(result.out)
    assert report['version'] == 1
    found: list[dict[str, Any]] = report['items']
    return found


def ago(days: int) -> str:
    return str(datetime.date.today() - datetime.timedelta(days=days))


def test_items_are_grouped_by_state_in_the_order_of_the_workflow(
    repo: Repo, interlock: Interlock
) -> None:
    repo.commit(
        {
            '.interlock.yaml': samples.WORKFLOW,
            'PLUGINS.md': samples.registry(
                {
                    'Zoé': 'Installed',
                    'Yves': 'Ideated',
                    'Xénia': 'Stage 3.10',
                    'Wim': 'Stage 3.2',
                    'Ulf': 'Ideated',
                    'Tor': 'Stage 2',
                    'Sven': 'Nonsense',
                }
            ),
        }
    )
    groups = [
        line
        for line in interlock('status').out.splitlines()[:-1]
        if not line.startswith(' ')
    ]
    assert groups == [
        'Ideated (2 plugins)',
        'Stage 2 (1 plugin)',
        'Stage 3.2 (1 plugin)',
        'Stage 3.10 (1 plugin)',
        'Installed (1 plugin)',
        'Nonsense (1 plugin)',
    ]
    assert [item['item'] for item in items(interlock)] == [
        'Ulf',
        'Yves',
        'Tor',
        'Wim',
        'Xénia',
        'Zoé',
        'Sven',
    ]


@pytest.mark.parametrize(
    ('days', 'text'),
    (
        pytest.param(0, '0 days ago', id='today'),
        pytest.param(1, '1 day ago', id='yesterday'),
        pytest.param(400, '400 days ago', id='long ago'),
    ),
)
def test_the_age_is_counted_from_the_last_update(
    repo: Repo, interlock: Interlock, days: int, text: str
) -> None:
    registry = (
        samples.HEAD
        + samples.row('Écho', 'Ideated', ago(days))
        + samples.entry('Écho', 'Ideated', ago(days))
    )
    repo.commit({'.interlock.yaml': samples.WORKFLOW, 'PLUGINS.md': registry})
    assert f'  Écho  {text}\n' in interlock('status').out
    (item,) = items(interlock)
    assert (item['age'], item['updated']) == (days, ago(days))


@pytest.mark.parametrize('days', (1, 400))
def test_a_day_that_has_not_come_is_shown_as_a_date(
    repo: Repo, interlock: Interlock, days: int
) -> None:
    day = ago(-days)
    registry = (
        samples.HEAD
        + samples.row('Écho', 'Ideated', day)
        + samples.entry('Écho', 'Ideated', day)
    )
    repo.commit({'.interlock.yaml': samples.WORKFLOW, 'PLUGINS.md': registry})
    assert f'  Écho  dated {day}\n' in interlock('status').out
    (item,) = items(interlock)
    assert (item['age'], item['updated']) == (-days, day)


def test_the_latest_of_all_records_is_the_last_update(
    repo: Repo, interlock: Interlock
) -> None:
    repo.commit(
        {
            '.interlock.yaml': samples.WORKFLOW,
            'PLUGINS.md': samples.registry({'Bravo': 'Stage 2'}),
            **samples.item_files('Bravo'),
            samples.handoff_path('Bravo'): samples.handoff(
                'Bravo', last_updated=f'{ago(3)}T10:00:00Z'
            ),
        }
    )
    (item,) = items(interlock)
    assert (item['updated'], item['age']) == (ago(3), 3)


def test_an_item_without_a_date_has_no_age(repo: Repo, interlock: Interlock) -> None:
    repo.commit(
        {
            '.interlock.yaml': samples.WORKFLOW,
            'PLUGINS.md': '| Plugin Name | Status |\n|---|---|\n| É | Ideated |\n',
        }
    )
    (item,) = items(interlock)
    assert (item['age'], item['updated']) == (None, '')
    assert interlock('status').out.splitlines()[:2] == ['Ideated (1 plugin)', '  É']


def test_handoff_and_findings_stand_beside_an_item(
    project: Repo, interlock: Interlock
) -> None:
    project.commit(
        {
            samples.handoff_path('Bravo'): samples.handoff(
                'Bravo', '3', phase='3.1', gui_type='rouge'
            )
        }
    )
    lines = interlock('status').out.splitlines()
    (bravo,) = (line for line in lines if line.startswith('  Bravo'))
    assert 'handoff at Stage 3.1  1 error  ' in bravo
    found = {item['item']: item for item in items(interlock)}
    assert found['Bravo']['handoff'] == 'Stage 3.1'
    assert found['Bravo']['errors'] == 1
    assert found['Bravo']['warnings'] >= 1
    assert found['Alpha']['errors'] == 0
    assert lines[-1].startswith('3 items: 1 error, ')


def test_the_board_shows_the_files_as_they_are_and_refuses_nothing(
    project: Repo, interlock: Interlock
) -> None:
    project.write(
        {
            'PLUGINS.md': samples.registry(
                {'Alpha': 'Ideated', 'Neuf': 'Stage 4'}, rows={'Alpha': 'Stage 0'}
            )
        }
    )
    result = interlock('status')
    assert result.code == 0
    assert 'Stage 4 (1 plugin)\n  Neuf' in result.out
    assert '1 error' in result.out
    assert project.git('status', '--porcelain') == ' M PLUGINS.md'


def test_an_item_known_by_its_handoff_only_is_on_the_board(
    project: Repo, interlock: Interlock
) -> None:
    project.write({samples.handoff_path('Ñandú'): samples.handoff('Ñandú', '0')})
    found = {item['item']: item for item in items(interlock)}
    assert found['Ñandú']['state'] == 'not registered'
    assert found['Ñandú']['handoff'] == 'Stage 0'


def test_milestone_words_are_shown_where_the_workflow_wants_them(
    project: Repo, interlock: Interlock
) -> None:
    project.write({'.interlock.yaml': f'{samples.WORKFLOW}display: milestones\n'})
    out = interlock('status').out
    assert 'Concept Ready (1 plugin)' in out
    assert 'Building System (1 plugin)' in out
    assert 'handoff at Building System' in out
    assert 'Stage 2' not in out
    # a state without an alias keeps its name
    assert 'Installed (1 plugin)' in out
    states = [item['state'] for item in items(interlock)]
    assert states == ['Concept Ready', 'Building System', 'Installed']


def test_kinds_of_items_stand_one_after_the_other(
    repo: Repo, interlock: Interlock
) -> None:
    repo.commit(
        {
            '.interlock.yaml': (
                'version: 1\nextends: [plugin-workflow, task-protocol]\n'
            ),
            'PLUGINS.md': samples.registry({'Alpha': 'Ideated'}),
        }
    )
    (item,) = items(interlock)
    assert (item['item'], item['kind']) == ('Alpha', 'plugin')


def test_an_empty_project_has_an_empty_board(repo: Repo, interlock: Interlock) -> None:
    repo.write({'.interlock.yaml': samples.WORKFLOW})
    result = interlock('status')
    assert result.code == 0
    assert result.out == '0 items: nothing to refuse\n'
    assert result.err.splitlines()[0] == (
        'interlock: warning: PLUGINS.md does not exist, so no items are checked'
    )


def test_a_registry_that_is_there_is_watched(
    project: Repo, interlock: Interlock
) -> None:
    assert interlock('status').err == ''
    project.git('mv', 'PLUGINS.md', 'AUTRE.md')
    result = interlock('status', '--format', 'json')
    assert result.err.splitlines()[0] == (
        'interlock: warning: PLUGINS.md does not exist, so no items are checked'
    )


def test_names_that_cannot_be_items_are_listed_with_their_error(
    repo: Repo, interlock: Interlock
) -> None:
    repo.commit(
        {
            '.interlock.yaml': samples.WORKFLOW,
            'PLUGINS.md': samples.HEAD + samples.row('../../x', 'Ideated'),
        }
    )
    assert [each['item'] for each in items(interlock)] == ['../../x']
    assert 'error' in interlock('status').out


@pytest.mark.parametrize('args', ((), ('--format', 'json')))
def test_a_bare_repository_has_no_board(
    project: Repo,
    interlock: Interlock,
    monkeypatch: pytest.MonkeyPatch,
    args: tuple[str, ...],
) -> None:
    project.git('clone', '-q', '--bare', '.', '../nu.git')
    monkeypatch.chdir(project.path.parent / 'nu.git')
    result = interlock('status', *args)
    assert result.code == 2
    assert 'a bare repository has no working tree' in result.err


def test_colour_marks_the_findings(
    project: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write({samples.handoff_path('Bravo'): samples.handoff('Bravo', '3')})
    assert '\033' not in interlock('status').out
    monkeypatch.setenv('FORCE_COLOR', '1')
    assert '\033[31;1m2 errors\033[m' in interlock('status').out


PRESENTED = {'presented_at': '2026-01-02T03:04:05Z', 'sha256': 'a'}


def test_locks_and_what_waits_stand_below_the_items(
    space: Space, interlock: Interlock
) -> None:
    space.put(lock('INIT', 'SYNTHESIS', presented=PRESENTED))
    space.put(lock(task_name='wash-up', session_id=OTHER), 'wash-up')
    result = interlock('status')
    assert result.code == 0
    assert result.out.splitlines()[:-1] == [
        'Locks',
        f'  {TASK}  SYNTHESIS  held by session séance-1 $(x) since '
        f'2026-01-02T03:00:00Z',
        f'  wash-up  INIT  held by session {OTHER} since 2026-01-02T03:00:00Z',
        'Waiting for a person',
        f'  {TASK}  the plan, since 2026-01-02T03:04:05Z: interlock approve {TASK}',
    ]
    report = json.loads(interlock('status', '--format', 'json').out)
    assert [one['task'] for one in report['locks']] == [TASK, 'wash-up']
    assert report['waiting'] == [
        {
            'task': TASK,
            'what': 'plan',
            'since': '2026-01-02T03:04:05Z',
            'next': f'interlock approve {TASK}',
        }
    ]


CHANGES: dict[str, Any] = {
    'type': 'USER_APPROVAL_POST_REVIEW',
    'commit_sha': 'b',
    'presented_at': '2026-01-02T03:04:06Z',
    'approved': False,
}


def test_changes_wait_as_plans_do(space: Space, interlock: Interlock) -> None:
    space.put(lock('INIT', 'AWAITING_USER_APPROVAL', checkpoint=CHANGES))
    report = json.loads(interlock('status', '--format', 'json').out)
    assert [(wait['what'], wait['since']) for wait in report['waiting']] == [
        ('changes', '2026-01-02T03:04:06Z')
    ]


@pytest.mark.parametrize(
    ('state', 'fields', 'flag'),
    (
        pytest.param('SYNTHESIS', {}, '', id='nothing was shown'),
        pytest.param('IMPLEMENTATION', {'presented': PRESENTED}, '', id='too late'),
        pytest.param(
            'SYNTHESIS',
            {'presented': PRESENTED, 'approvals': [{'of': 'plan', 'sha256': 'a'}]},
            '',
            id='an approved plan',
        ),
        pytest.param(
            'SYNTHESIS',
            {'presented': PRESENTED},
            'user-plan-approval-obtained.flag',
            id='a flag stands for the approval',
        ),
        pytest.param(
            'AWAITING_USER_APPROVAL',
            {'checkpoint': {**CHANGES, 'approved': True}},
            '',
            id='changes that are marked as approved',
        ),
    ),
)
def test_what_does_not_wait_is_not_listed(
    space: Space, interlock: Interlock, state: str, fields: dict[str, Any], flag: str
) -> None:
    space.put(lock('INIT', state, **fields))
    if flag:
        space.write(flag, '')
    assert 'Waiting' not in interlock('status').out


def test_a_lock_that_cannot_be_read_is_listed_all_the_same(
    space: Space, interlock: Interlock
) -> None:
    space.write('task.json', '{')
    assert f'{TASK}  held by an unknown session' in interlock('status').out


def test_without_tasks_nobody_holds_anything(
    project: Repo, interlock: Interlock
) -> None:
    assert 'Locks' not in interlock('status').out
    report = json.loads(interlock('status', '--format', 'json').out)
    assert (report['locks'], report['waiting']) == ([], [])
