"""Small projects with tables: which are lists of work, and which are not."""

from __future__ import annotations

import pytest

from tests.commands.terminal import typed
from tests.conftest import Interlock, Repo


def table(headers: str, *rows: str) -> str:
    dashes = '|---' * (headers.count('|') + 1)
    return '\n'.join([f'| {headers} |', f'{dashes}|', *(f'| {r} |' for r in rows), ''])


OPEN_AND_DONE = ('Oven | Done', 'Shop | In progress', 'Van | Planned')
MARKS = ('bake() | ✅', 'cool() | ❌', 'cut() | 🚧')


@pytest.mark.parametrize(
    ('file', 'text', 'registry'),
    (
        pytest.param(
            'FEATURES.md',
            table('Feature | State | Owner', 'Rye | Idea | Ann', 'Oat | Shipped | Bob'),
            ('Feature', 'State'),
            id='features',
        ),
        pytest.param(
            'docs/roadmap.md',
            table(
                'Quarter | Item | Status',
                'Q1 | Rye | Done',
                'Q1 | Oat | In progress',
                'Q2 | Spelt | Planned',
            ),
            ('Item', 'Status'),
            id='a roadmap by quarters',
        ),
        pytest.param(
            'ROADMAP.md',
            '# 2026\n\n'
            + table('Milestone | Status', 'A | Done', 'B | Done')
            + '\n# 2027\n\n'
            + table('Milestone | Status', 'C | Planned'),
            ('Milestone', 'Status'),
            id='a roadmap of two tables',
        ),
        pytest.param(
            'TODO.md',
            table(
                '# | Task | Priority | Status', '1 | a | P1 | todo', '2 | b | P1 | done'
            ),
            ('Task', 'Status'),
            id='a todo list',
        ),
        pytest.param(
            'docs/adr/README.md',
            table('ADR | Title | Status', '1 | a | Accepted', '2 | b | Accepted'),
            ('ADR', 'Status'),
            id='an index of decisions',
        ),
        pytest.param(
            'docs/decisions.md',
            table('Decision | Status', 'Use rye | Accepted', 'Use oat | Proposed'),
            ('Decision', 'Status'),
            id='decisions',
        ),
        pytest.param(
            'BACKLOG.md',
            table('Card | Stage', 'a | Kneaded', 'b | Kneaded', 'c | Risen', 'd | Raw'),
            ('Card', 'Stage'),
            id='words of a bakery',
        ),
        pytest.param(
            'README.md',
            table('Feature | Status', 'Rye | ✅', 'Oat | 🚧', 'Spelt | ❌'),
            ('Feature', 'Status'),
            id='features by marks',
        ),
        pytest.param(
            'README.md',
            '## Legend\n\n'
            + table('Status | Meaning', 'Done | it is over', 'Todo | it waits')
            + '\n## Tasks\n\n'
            + table('Task | Status', 'a | Done', 'b | Todo'),
            ('Task', 'Status'),
            id='tasks below a legend',
        ),
        pytest.param(
            'aufgaben.md',
            table('Aufgabe | Zustand', 'a | offen', 'b | in Arbeit', 'c | erledigt'),
            ('Aufgabe', 'Zustand'),
            id='German',
        ),
        pytest.param(
            'docs/suivi.md',
            table('Tâche | État', 'a | à faire', 'b | en cours', 'c | terminé'),
            ('Tâche', 'État'),
            id='French',
        ),
        pytest.param(
            '任务.md',
            table(
                '任务 | 状态',
                '黑麦 | 待办',
                '燕麦 | 进行中',
                '小麦 | 已完成',
                '玉米 | 测试中',
            ),
            ('任务', '状态'),
            id='Chinese, every state once',
        ),
        pytest.param(
            'docs/project/internal/tracker.md',
            table('Module | Status', *OPEN_AND_DONE),
            ('Module', 'Status'),
            id='a tracker deep inside',
        ),
        pytest.param(
            'packages/web/TASKS.md',
            table('Task | Status', *OPEN_AND_DONE),
            ('Task', 'Status'),
            id='a package of several',
        ),
        pytest.param(
            'plan.md',
            table('Step | Progress', 'a | done', 'b | doing', 'c | todo'),
            ('Step', 'Progress'),
            id='a plan',
        ),
        pytest.param(
            'docs/known-issues.md',
            table('Issue | Status', '1 | Open', '2 | Fixed', "3 | Won't fix"),
            ('Issue', 'Status'),
            id='issues by their numbers',
        ),
        pytest.param(
            'MIGRATION.md',
            table('Module | Status', 'a | Not started', 'b | In progress', 'c | Done'),
            ('Module', 'Status'),
            id='a migration',
        ),
        pytest.param(
            'RELEASES.md',
            table('Version | Status', '1.0 | Released', '1.1 | In progress'),
            ('Version', 'Status'),
            id='work by versions',
        ),
        pytest.param(
            'STATUS.md',
            table(
                'Component | Status',
                '**Oven** | ✅ Done',
                '[Shop](shop.md) | 🚧 In progress',
                '`Van` | 📋 Planned (May)',
            ),
            ('Component', 'Status'),
            id='bold, links and remarks',
        ),
        pytest.param(
            'epics/README.md',
            table(
                'Epic name | State',
                'Rye | Idea',
                'Oat | Building',
                'Spelt | Review',
                'Corn | Shipped',
            ),
            ('Epic name', 'State'),
            id='every state once',
        ),
        pytest.param(
            'FEATURES.md',
            table('Feature | Status', 'a | Working', 'b | Working', 'c | Planned'),
            ('Feature', 'Status'),
            id='what is worked on, and what waits',
        ),
        pytest.param(
            'featurelist.md',
            table('Name | Status', *OPEN_AND_DONE),
            ('Name', 'Status'),
            id='a joined name',
        ),
    ),
)
def test_a_list_of_work_is_found(
    repo: Repo, interlock: Interlock, file: str, text: str, registry: tuple[str, str]
) -> None:
    repo.commit({file: text})
    said = interlock('init').err
    item, status = registry
    assert f'.interlock.yaml: written ({file}: ' in said
    assert f'items by `{item}`, states by `{status}`' in said
    assert interlock('config', 'validate').code == 0
    checked = interlock('check', '--worktree', '--inherited')
    assert (checked.code, checked.out) == (0, '')


@pytest.mark.parametrize(
    ('file', 'text', 'is_offered'),
    (
        pytest.param(
            'docs/api.md', table('Method | Status', *MARKS), False, id='an API by marks'
        ),
        pytest.param(
            'README.md',
            table('Call | Status', *MARKS),
            False,
            id='what is supported, by marks',
        ),
        pytest.param(
            'docs/loaves.md',
            table(
                'Feature | Status',
                'Rye | Supported',
                'Oat | Supported',
                'Pie | Unsupported',
                'Tart | Planned',
            ),
            False,
            id='what is supported, by words',
        ),
        pytest.param(
            'README.md',
            table('Browser | Status', 'A | Done', 'B | In progress'),
            False,
            id='browsers',
        ),
        pytest.param(
            'README.md',
            table('Language | Status', 'de | Complete', 'fr | Partial', 'it | Partial'),
            False,
            id='translations',
        ),
        pytest.param(
            'docs/roadmap.md',
            table(
                'Oven | Status', 'A | Working', 'B | Broken', 'C | Partially working'
            ),
            False,
            id='devices, in a file named like a list',
        ),
        pytest.param(
            'docs/test-plan.md',
            table('Test | Status', 'a | PASS', 'b | PASS', 'c | FAIL', 'd | PASS'),
            False,
            id='results of tests',
        ),
        pytest.param(
            'QUALITY-STATUS.md',
            table('Feature | Status', 'a | Working', 'b | Working', 'c | Fixed'),
            False,
            id='what works, in a file named like a list',
        ),
        pytest.param(
            'BENCHMARKS.md',
            table('Oven | Time | Status', 'A | 3 s | ok', 'B | 9 s | slow'),
            False,
            id='benchmarks',
        ),
        pytest.param(
            'README.md',
            table('Feature | Ours | Theirs', 'Rye | ✅ | ❌', 'Oat | ✅ | ✅'),
            False,
            id='a comparison',
        ),
        pytest.param(
            'docs/tools.md',
            table('Tool | Status', 'A | Active', 'B | Unmaintained', 'C | Maintained'),
            False,
            id='products of others',
        ),
        pytest.param(
            'docs/glossary.md',
            table('Term | Meaning', 'Rye | a loaf', 'Oat | another'),
            False,
            id='a glossary',
        ),
        pytest.param(
            'docs/status.md',
            table('Status | Criteria', 'OPEN | none of the below', 'CLOSED | baked'),
            False,
            id='a legend that begins with the state',
        ),
        pytest.param(
            'docs/task-status.md',
            table(
                'Description | Status',
                'Nothing began | pending',
                'It runs | in_progress',
                'It waits | paused',
                'It is over | completed',
            ),
            False,
            id='a legend that begins with its words',
        ),
        pytest.param(
            'docs/mapping.md',
            table(
                'Tracker State | Our Status',
                'New | planned',
                'Active | in_progress',
                'Resolved | in_progress',
                'Closed | completed',
            ),
            False,
            id='states of others in our words',
        ),
        pytest.param(
            'docs/state-machine.md',
            table('State | Event', 'raw | knead', 'kneaded | wait', 'risen | bake'),
            False,
            id='a state machine',
        ),
        pytest.param(
            'RELEASES.md',
            table(
                'Release | Status', '22 | Maintenance LTS', '24 | LTS', '25 | Current'
            ),
            False,
            id='a schedule of releases',
        ),
        pytest.param(
            'TEAM.md',
            table('Name | Status', 'Ann | Active', 'Bob | On leave', 'Cy | Emeritus'),
            False,
            id='a team',
        ),
        pytest.param(
            'docs/errors.md',
            table('Error | Status Code', 'no loaf | 404', 'no oven | 503'),
            False,
            id='codes',
        ),
        pytest.param(
            'docs/operations.md',
            table('Environment | Status', 'a.example | Live', 'b.example | Staging'),
            False,
            id='environments',
        ),
        pytest.param(
            'docs/reports/2026/oven-review.md',
            table('Component | Status', *OPEN_AND_DONE),
            True,
            id='a report deep inside',
        ),
        pytest.param(
            'docs/files.md',
            table('File | Status', 'a.md | Done', 'b.md | In progress'),
            True,
            id='files',
        ),
        pytest.param(
            '.claude/skills/bake/ROADMAP.md',
            table('Feature | Status', *OPEN_AND_DONE),
            False,
            id='what agents are told',
        ),
        pytest.param(
            'docs/templates/FEATURES.md',
            table('Feature | Status', *OPEN_AND_DONE),
            False,
            id='a template',
        ),
        pytest.param(
            'examples/shop/TODO.md',
            table('Task | Status', *OPEN_AND_DONE),
            False,
            id='an example',
        ),
        pytest.param(
            'docs/explanation.md',
            table('Loaf | Status', 'a | Warm', 'b | Cold', 'c | Cold', 'd | Cold'),
            False,
            id='a word that contains `plan`',
        ),
        pytest.param(
            'keyboard.md',
            table('Key | State', 'a | up', 'b | down', 'c | up', 'd | down'),
            False,
            id='a word that contains `board`',
        ),
    ),
)
def test_a_table_about_something_else_is_not_taken(
    repo: Repo, interlock: Interlock, file: str, text: str, is_offered: bool
) -> None:
    repo.commit({file: text})
    said = interlock('init').err
    assert 'so it tracks no items' in said
    assert (f'interlock init --registry {file}' in said) is is_offered


def test_on_a_terminal_nothing_is_asked_about_such_a_table(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.commit({'docs/api.md': table('Method | Status', *MARKS)})
    monkeypatch.chdir(repo.path)
    result = typed('init')
    assert 'Choose' not in result.out
    # sentences are wrapped to the terminal
    assert 'so it tracks no items' in ' '.join(result.out.split())
