from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tests import samples
from tests.conftest import Repo
from tests.desk import Desk
from tests.guard.agents import desk_of, failures
from tests.guard.asking import OTHER, Reply, ask
from tests.guard.guards.records_test import TABLE
from tests.spaces import TASK, Space

REGISTRY = {'Alpha': 'Ideated', 'Bravo': 'Stage 2', 'Charlie': 'Installed'}
HANDOFF = samples.handoff_path('Bravo')


def after(
    tool: str, cwd: Path, given: Any, response: Any = None, **fields: Any
) -> Reply:
    return ask(
        'PostToolUse',
        cwd,
        tool_name=tool,
        tool_input=given,
        tool_response=response or {},
        tool_use_id='toolu_1',
        **fields,
    )


def edited(repo: Repo, name: str, text: str, told: bool = True) -> str:
    """What is said after a file was written with a tool."""
    path = repo.path / name
    response: dict[str, Any] = {'filePath': str(path), 'type': 'create'}
    if path.exists():
        response['type'] = 'update'
        if told:
            response['originalFile'] = path.read_text(encoding='UTF-8')
    repo.write({name: text})
    given = {'file_path': str(path), 'content': text}
    reply = after('Write', repo.path, given, response)
    assert failures(repo.path / '.git') == ''
    return reply.context


def stored(file: Path) -> Any:
    with sqlite3.connect(file) as connection:
        (text,) = connection.execute('SELECT state_json FROM workflow_state').fetchone()
    connection.close()
    return json.loads(text)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    file = tmp_path / 'état.db'
    monkeypatch.setenv('INTERLOCK_STORE', f'sqlite:///{file}')
    return file


def test_skills_todos_agents_and_plans_are_kept(project: Repo, store: Path) -> None:
    todos = [{'content': 'é', 'status': 'pending', 'activeForm': 'x'}]
    plan = str(project.path / 'docs' / 'x-plan.md')
    for tool, given in (
        ('Skill', {'skill': 'bake'}),
        ('TodoWrite', {'todos': todos}),
        ('Agent', {'subagent_type': 'general-purpose', 'prompt': 'p'}),
        ('Read', {'file_path': plan}),
        ('Write', {'file_path': str(project.path / 'a.txt')}),
    ):
        assert after(tool, project.path, given).is_silent
    state = stored(store)
    assert state['skill_stack'][0]['name'] == 'bake'
    assert state['todos']['explicit'][0]['content'] == 'é'
    assert state['subagents'][0]['persona'] == 'general-purpose'
    assert state['documents']['impl'][0]['path'] == plan
    assert state['artifacts']['files'][0]['path'].endswith('a.txt')


@pytest.mark.parametrize(
    ('tool', 'given'),
    (
        ('Read', {'file_path': '/é/A.java'}),
        ('Read', {'file_path': 'notes.md'}),
        ('Read', {}),
        ('Grep', {'pattern': 'x'}),
        ('WebFetch', {'url': 'x'}),
        ('Bash', {'command': 'ls'}),
    ),
)
def test_what_tells_nothing_is_not_kept(
    project: Repo, store: Path, tool: str, given: Any
) -> None:
    assert after(tool, project.path, given).is_silent
    assert not store.exists()


def test_a_plan_is_one_by_its_directory_too(
    project: Repo, store: Path, tmp_path: Path
) -> None:
    plan = tmp_path / 'pläne' / 'notes.md'
    reply = after('Read', project.path, {'file_path': str(plan)})
    assert reply.is_silent
    assert not store.exists()
    project.write(
        {
            '.interlock.yaml': (
                f'{samples.WORKFLOW}documents: {{plans: {{root: {plan.parent}}}}}\n'
            )
        }
    )
    assert after('Read', project.path, {'file_path': str(plan)}).is_silent
    assert stored(store)['documents']['impl'][0]['path'] == str(plan)


def test_a_store_that_cannot_be_written_is_logged(
    project: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = project.path / 'PLUGINS.md' / 'x.db'
    monkeypatch.setenv('INTERLOCK_STORE', f'sqlite:///{file}')
    assert after('Skill', project.path, {'skill': 'bake'}).is_silent
    assert 'PostToolUse' in failures(project.path / '.git')


# --- records


def test_an_edit_in_two_steps_is_mentioned_in_a_line(project: Repo) -> None:
    half = samples.registry(REGISTRY, {'Bravo': 'Stage 3'})
    said = edited(project, 'PLUGINS.md', half)
    assert said == ('Bravo: row and entry differ until both are edited (REG001)')
    whole = samples.registry({**REGISTRY, 'Bravo': 'Stage 3'})
    said = edited(project, 'PLUGINS.md', whole)
    assert said == ('Bravo: registry and handoff differ until both are edited (REG010)')
    assert edited(project, HANDOFF, samples.handoff('Bravo', '3')) == ''


@pytest.mark.parametrize(
    ('name', 'text', 'code'),
    (
        pytest.param(
            'PLUGINS.md',
            samples.registry({**REGISTRY, 'Bravo': 'Stag 3'}),
            'REG005',
            id='a word that there is not',
        ),
        pytest.param('PLUGINS.md', '# é\n', 'REG008 the registry', id='no table'),
        pytest.param(HANDOFF, '---\nplugin: [\n', 'HND002', id='no YAML'),
        pytest.param(
            HANDOFF, samples.handoff('Bravo', last_updated=''), 'HND003', id='a field'
        ),
        pytest.param(
            'plugins/Bravo/.ideas/architecture.md', 'autre\n', 'CON001', id='a contract'
        ),
    ),
)
def test_what_a_write_broke_is_said_with_the_command(
    project: Repo, name: str, text: str, code: str
) -> None:
    said = edited(project, name, text)
    assert f'broken: {name}:' in said
    assert f' {code} ' in said
    assert '\nnext: ' in said
    assert len(said) <= 600
    if code != 'CON001':
        # what was broken before is not said again
        assert code not in edited(project, name, text + '\n<!-- é -->\n')


def test_a_plan_that_changes_is_to_be_sealed_again(project: Repo) -> None:
    plan = 'plugins/Bravo/.ideas/plan.md'
    said = edited(project, plan, '# très autre\n')
    assert said.endswith('before the commit: interlock contracts seal Bravo')
    assert edited(project, plan, '# encore autre\n') == ''


def test_the_trailer_of_a_frozen_contract_is_named_once(repo: Repo) -> None:
    """The user allowed the write; the agent did not read what was asked."""
    repo.commit(TABLE)
    spec = 'features/Bread/spec.md'
    said = edited(repo, spec, '# è\n')
    assert said == (
        f'{spec} is a frozen contract of Bread; a commit that changes it needs the '
        'trailer `Contract-Amendment: WHY`'
    )
    assert edited(repo, spec, '# ê\n') == ''


@pytest.mark.parametrize('told', (True, False))
def test_the_file_before_may_be_that_of_head(project: Repo, told: bool) -> None:
    half = samples.registry(REGISTRY, {'Bravo': 'Stage 3'})
    assert 'REG001' in edited(project, 'PLUGINS.md', half, told)


@pytest.mark.parametrize(
    ('name', 'text'),
    (
        ('README.md', '# é\n'),
        ('plugins/Bravo/Source/Main.cpp', '// x\n'),
        ('PLUGINS.md', samples.registry({**REGISTRY, 'Delta': 'Ideated'})),
        (HANDOFF, samples.handoff('Bravo').replace('1. go', '1. allez')),
        ('sub/PLUGINS.md', 'x'),
    ),
)
def test_a_write_that_breaks_nothing_is_passed_over(
    project: Repo, name: str, text: str
) -> None:
    assert edited(project, name, text) == ''


def test_a_command_that_changes_a_record_is_looked_at(project: Repo) -> None:
    project.write({'PLUGINS.md': samples.registry(REGISTRY, {'Bravo': 'Stage 3'})})
    command = {'command': 'sed -i s/2/3/ PLUGINS.md'}
    said = after('Bash', project.path, command).context
    assert 'REG001' in said
    # said once, not after every command
    assert after('Bash', project.path, command).is_silent
    assert after('Bash', project.path, {'command': 'cat PLUGINS.md'}).is_silent
    project.git('checkout', '-q', 'PLUGINS.md')
    assert after('Bash', project.path, command).is_silent


@pytest.mark.parametrize(
    ('command', 'diff', 'says'),
    (
        ('./edit.sh', None, False),
        ('./edit.sh', ['PLUGINS.md'], True),
        ('./edit.sh', [], False),
        ('./edit.sh', ['README.md'], False),
        ('git stash pop', None, True),
        ('git log', None, False),
    ),
)
def test_a_command_is_looked_at_only_if_it_could_matter(
    project: Repo, command: str, diff: list[str] | None, says: bool
) -> None:
    project.write({'PLUGINS.md': samples.registry(REGISTRY, {'Bravo': 'Stage 3'})})
    response: Any = {'stdout': '', 'stderr': '', 'interrupted': False}
    if diff is not None:
        files = [str(project.path / name) for name in diff]
        response['bashEditDiff'] = {'changedFiles': files}
    reply = after('Bash', project.path, {'command': command}, response)
    assert bool(reply.context) == says


# --- tasks


@pytest.fixture
def desk(space: Space, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.delenv('INTERLOCK_SESSION')
    return desk_of(space, 'IMPLEMENTATION')


@pytest.mark.parametrize(
    ('name', 'note'),
    (
        ('task.md', 'coordination (no implementation)'),
        ('code/src/X.java', 'implementation'),
        ('code/pom.xml', 'implementation'),
        ('agents/architect/code/X.java', 'implementation'),
    ),
)
def test_writes_are_logged_in_the_trail(desk: Desk, name: str, note: str) -> None:
    path = str(desk.file(name))
    given = {'file_path': path, 'content': 'x'}
    reply = after('Write', desk.main.path, given, agent_id='a1', agent_type='architect')
    assert reply.is_silent
    (entry,) = desk.trail['tool_usage']
    assert entry['tool'] == 'Write'
    assert entry['file_path'] == path
    assert entry['agent_name'] == 'architect'
    assert entry['note'] == note


def test_writes_elsewhere_are_logged_from_inside_of_a_task(desk: Desk) -> None:
    given = {'file_path': str(desk.main.path / 'todo.md')}
    assert after('Edit', desk.code.path, given).is_silent
    assert len(desk.trail['tool_usage']) == 1
    assert after('Edit', desk.main.path, given).is_silent
    assert len(desk.trail['tool_usage']) == 1


def test_tasks_of_others_are_not_logged(desk: Desk) -> None:
    given = {'file_path': str(desk.file('task.md'))}
    assert after('Edit', desk.code.path, given, session=OTHER).is_silent
    assert not desk.file('audit-trail.json').exists()


@pytest.mark.parametrize(
    ('command', 'response', 'entry'),
    (
        pytest.param(
            './mvnw verify',
            {'stdout': 'Tests run: 34, Failures: 0, Errors: 0, Skipped: 1'},
            {
                'result': 'SUCCESS',
                'tests_run': 34,
                'tests_passed': 33,
                'tests_failed': 0,
            },
            id='with tests',
        ),
        pytest.param('make', {'stdout': ''}, {'result': 'SUCCESS'}, id='-'),
        pytest.param('make | tail', {'stdout': ''}, {'result': 'UNKNOWN'}, id='piped'),
        pytest.param('echo make', {}, None, id='no build'),
        pytest.param('make', {'interrupted': True}, None, id='interrupted'),
        pytest.param('make', {'backgroundTaskId': 'b1'}, None, id='behind'),
    ),
)
def test_builds_are_logged(desk: Desk, command: str, response: Any, entry: Any) -> None:
    given = {'command': command}
    assert after('Bash', desk.code.path, given, response).is_silent
    if entry is None:
        assert not desk.file('audit-trail.json').exists()
        return
    (found,) = desk.trail['build_verifications']
    assert {**entry, 'command': command}.items() <= found.items()


def test_a_build_that_fails_is_logged_too(desk: Desk) -> None:
    reply = ask(
        'PostToolUseFailure',
        desk.code.path,
        tool_name='Bash',
        tool_input={'command': 'make'},
        error='Exit code 2\nno rule',
        is_interrupt=False,
    )
    assert reply.is_silent
    assert desk.trail['build_verifications'][0]['result'] == 'FAILURE'


def test_a_lock_that_was_broken_is_said(desk: Desk) -> None:
    old = desk.file('task.json').read_text(encoding='UTF-8')
    desk.change(state='BANANA')
    given = {'file_path': str(desk.file('task.json'))}
    reply = after('Edit', desk.code.path, given, {'originalFile': old})
    assert f'TSK004 {TASK}' in reply.context
    reply = after('Bash', desk.code.path, {'command': 'jq . ../task.json'})
    assert 'TSK004' in reply.context


def test_a_lock_that_is_whole_is_passed_over(desk: Desk) -> None:
    given = {'file_path': str(desk.file('task.json'))}
    assert after('Edit', desk.code.path, given).is_silent


def test_a_trail_that_is_damaged_is_logged_and_no_more(desk: Desk) -> None:
    desk.write('audit-trail.json', '{')
    given = {'file_path': str(desk.file('task.md'))}
    assert after('Edit', desk.code.path, given).is_silent
