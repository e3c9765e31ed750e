from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from interlock.engine import session_records
from interlock.engine.session_records import Confirmation
from interlock.files import process
from interlock.guard.decision import LIMIT
from interlock.model.actor import Actor
from tests import samples, spaces
from tests.conftest import Interlock, Repo
from tests.guard.asking import OTHER, SESSION, ask
from tests.spaces import TASK, Space

PLAN = '# Plan\n\n## Implementation plan\n\ncuire\n'
SHA = hashlib.sha256(PLAN.encode()).hexdigest()
PRESENTED = {'presented_at': '2026-01-02T04:00:00Z', 'sha256': SHA}
BOTH = 'version: 1\nextends: [plugin-workflow, task-protocol]\n'
MODES = ('default', 'plan', 'acceptEdits', 'auto', 'dontAsk', 'bypassPermissions')


@pytest.fixture(autouse=True)
def as_the_client_does_it(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    if 'space' in request.fixturenames:
        request.getfixturevalue('space')
    monkeypatch.delenv('INTERLOCK_SESSION', raising=False)


def say(cwd: Path, prompt: str, session: str = SESSION, **more: Any) -> str:
    reply = ask('UserPromptSubmit', cwd, session, prompt=prompt, **more)
    assert len(reply.context) <= LIMIT
    return reply.context


def lock(space: Space, task: str = TASK, **fields: Any) -> Path:
    states = fields.pop('states', ('INIT', 'SYNTHESIS'))
    data = spaces.lock(*states, session_id=SESSION, task_name=task)
    return space.put({**data, **fields}, task)


def presented(space: Space, task: str = TASK, **fields: Any) -> Path:
    space.write('task.md', PLAN, task)
    return lock(space, task, presented=PRESENTED, **fields)


def approvals(space: Space, task: str = TASK) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = space.read(task).get('approvals', [])
    return found


def test_an_approval_is_recorded(space: Space) -> None:
    presented(space)
    text = say(space.main.path, 'Approved, thanks!')
    assert "The user's approval is recorded" in text
    (record,) = approvals(space)
    assert record['of'] == 'plan'
    assert record['via'] == 'prompt'
    assert record['by']
    assert record['sha256'] == SHA
    assert record['approved_at'] > PRESENTED['presented_at']
    said = hashlib.sha256(b'Approved, thanks!').hexdigest()
    assert record['prompt_sha256'] == said
    log = (space.register / 'log.jsonl').read_text('UTF-8').splitlines()
    entry = json.loads(log[-1])
    assert (entry['event'], entry['via']) == ('approved', 'prompt')


def test_it_opens_the_gate(space: Space, interlock: Interlock) -> None:
    presented(space)
    before = interlock('gate', TASK, 'IMPLEMENTATION', '-q').out
    assert 'GAT021' in before
    say(space.main.path, 'approved')
    after = interlock('gate', TASK, 'IMPLEMENTATION', '-q').out
    assert 'GAT021' not in after


def test_it_is_recorded_once(space: Space) -> None:
    presented(space)
    say(space.main.path, 'approved')
    assert say(space.main.path, 'approved') == ''
    assert len(approvals(space)) == 1


def test_changes_are_approved_too(space: Space) -> None:
    code = space.worktree()
    head = code.commit({'a': '1'})
    lock(
        space,
        states=('INIT', 'AWAITING_USER_APPROVAL'),
        checkpoint={
            'type': 'USER_APPROVAL_POST_REVIEW',
            'commit_sha': head,
            'presented_at': '2026-01-02T03:04:05Z',
            'approved': False,
        },
    )
    assert 'recorded' in say(space.main.path, 'proceed')
    (record,) = approvals(space)
    assert (record['of'], record['commit_sha']) == ('changes', head)
    assert space.read()['checkpoint']['approved'] is True


@pytest.mark.parametrize('mode', MODES)
def test_the_mode_of_permissions_approves_nothing(space: Space, mode: str) -> None:
    presented(space)
    say(space.main.path, 'go and do it', permission_mode=mode)
    assert approvals(space) == []
    say(space.main.path, 'approved', permission_mode=mode)
    assert len(approvals(space)) == 1


@pytest.mark.parametrize(
    'prompt',
    (
        'continue',
        'yes',
        'do not proceed',
        'not approved yet',
        'approved?',
        '"approved"',
        '> approved',
        'approve after you fix the tests',
        'if the tests pass then proceed',
        '1',
        'go on',
    ),
)
def test_what_approves_nothing(space: Space, prompt: str) -> None:
    before = presented(space).read_bytes()
    text = say(space.main.path, prompt)
    assert space.file('task.json').read_bytes() == before
    assert bool(text) == ('appro' in prompt or 'proceed' in prompt)
    if text:
        assert 'this prompt is not an approval' in text
        assert 'answers with only `approved` or `approve` or `proceed`.' in text
        assert say(space.main.path, prompt) == '', 'it is said once'


@pytest.mark.parametrize(
    'more',
    (
        {'source': 'system'},
        {'source': 'loop_wakeup'},
        {'source': 'schedule_wakeup'},
        {'source': 'poll_event'},
        {'source': 'something new'},
        {'agent_id': 'a1', 'agent_type': 'architect'},
        {'session': OTHER},
    ),
)
def test_who_else_says_it_is_not_the_user(space: Space, more: dict[str, Any]) -> None:
    before = presented(space).read_bytes()
    assert say(space.main.path, 'approved', **more) == ''
    assert space.file('task.json').read_bytes() == before


@pytest.mark.parametrize('source', ('user', 'sdk'))
def test_the_user_may_be_named(space: Space, source: str) -> None:
    presented(space)
    assert 'recorded' in say(space.main.path, 'approved', source=source)


def test_without_an_id_nothing_is_recorded(space: Space) -> None:
    before = presented(space).read_bytes()
    assert 'LCK003' in say(space.main.path, 'approved', session='')
    assert space.file('task.json').read_bytes() == before


def test_an_approval_before_it_was_presented_is_answered(space: Space) -> None:
    space.write('task.md', PLAN)
    before = lock(space).read_bytes()
    text = say(space.main.path, 'approved')
    assert 'was not presented yet' in text
    assert f'interlock present {TASK}' in text
    assert space.file('task.json').read_bytes() == before


def test_a_plan_that_changed_since_is_not_approved(space: Space) -> None:
    presented(space)
    space.write('task.md', PLAN + 'more\n')
    assert 'changed after it was presented' in say(space.main.path, 'approved')
    assert approvals(space) == []


def test_an_approved_plan_that_changed_since_is_answered(space: Space) -> None:
    presented(space)
    assert 'is recorded' in say(space.main.path, 'approved')
    space.write('task.md', PLAN + 'more\n')
    said = say(space.main.path, 'approved')
    assert 'changed after it was presented' in said
    assert f'interlock present {TASK}' in said
    assert len(approvals(space)) == 1


def test_a_scope_decision_is_approved_too(
    space: Space, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = space.worktree()
    lock(space, states=('INIT', 'SCOPE_NEGOTIATION'))
    said = say(space.main.path, 'approved')
    assert 'was not presented yet: your approval is not recorded' in said
    monkeypatch.setenv('INTERLOCK_SESSION', SESSION)
    assert interlock('present', TASK).code == 0
    said = say(space.main.path, 'approved')
    assert f'{TASK}: ' in said
    assert 'approved the scope' in said
    (record,) = approvals(space)
    assert (record['of'], record['via']) == ('scope', 'prompt')
    result = interlock('gate', TASK, 'COMPLETE')
    assert 'holds    GAT054' in result.out
    code.commit({'X': 'x\n'})
    result = interlock('gate', TASK, 'COMPLETE')
    assert 'fails    GAT054' in result.out


def test_of_two_tasks_the_user_says_which(space: Space) -> None:
    presented(space)
    presented(space, 'wash-up')
    text = say(space.main.path, 'approved')
    assert 'does not say which' in text
    assert TASK in text
    assert 'wash-up' in text
    assert not approvals(space)
    assert 'recorded' in say(space.main.path, 'approved wash-up')
    assert not approvals(space)
    assert len(approvals(space, 'wash-up')) == 1


def test_a_lock_that_cannot_be_written_is_said(space: Space) -> None:
    path = presented(space)
    path.chmod(0o444)
    text = say(space.main.path, 'approved')
    assert 'Nothing was recorded' in text
    assert 'read-only' in text


@pytest.mark.parametrize(
    'prompt', ('continue with next task', 'Continue with the next task, please.')
)
def test_the_next_task(space: Space, prompt: str) -> None:
    text = say(space.main.path, prompt)
    assert f'interlock task select: {TASK} is free' in text
    assert f'interlock task start {TASK}' in text
    lock(space)
    text = say(space.main.path, prompt)
    assert 'interlock task select: bake-bread is held by this session' in text
    assert 'alternative: wash-up' in text
    text = say(space.main.path, prompt, session=OTHER)
    assert 'interlock task select: wash-up is free' in text


def confirmed(repo: Repo, item: str = 'Bravo') -> list[Confirmation]:
    return session_records.confirmations(str(repo.path / '.git'), item)


@pytest.mark.parametrize(
    'prompt',
    (
        'continue',
        'Continue.',
        'proceed',
        'approved',
        'go on',
        'ok, go on',
        '1',
        ' 1 ',
        'Continue with Stage 3',
        'proceed with Bravo',
    ),
)
def test_the_word_to_go_on_after_a_stage(project: Repo, prompt: str) -> None:
    commit = project.commit({'a': '1'}, 'feat: Bravo Stage 2 - shell')
    assert say(project.path, prompt) == ''
    (found,) = confirmed(project)
    assert found[:3] == ('Bravo', '2', commit)
    assert found.session == SESSION
    assert found.prompt == hashlib.sha256(prompt.encode()).hexdigest()


@pytest.mark.parametrize(
    'prompt',
    (
        '2',
        '9',
        '0',
        'pause',
        'review',
        'research',
        'yes',
        'continue?',
        "don't continue",
        'proceed after you fix it',
        '"continue"',
        'continue with Alpha',
        'resume automation',
        'Start Stage 3 of Bravo',
        'continue with the refactoring of the parser that we began yesterday',
    ),
)
def test_no_word_to_go_on(project: Repo, prompt: str) -> None:
    project.commit({'a': '1'}, 'feat: Bravo Stage 2 - shell')
    say(project.path, prompt)
    assert confirmed(project) == []


def test_a_stage_is_confirmed_once_and_for_its_commit(project: Repo) -> None:
    project.commit({'a': '1'}, 'feat: Bravo Stage 2 - shell')
    for _ in range(2):
        say(project.path, 'continue')
    assert len(confirmed(project)) == 1
    project.commit({'a': '2'}, 'feat: Bravo Stage 3 - dsp')
    say(project.path, 'continue')
    assert [each.stage for each in confirmed(project)] == ['2', '3']


def test_the_newest_stage_is_meant(project: Repo) -> None:
    project.commit({'a': '1'}, 'feat: Bravo Stage 2 - shell')
    project.commit({'a': '2'}, 'feat: Alpha Stage 0 - plan')
    say(project.path, 'continue')
    assert confirmed(project) == []
    assert [each.stage for each in confirmed(project, 'Alpha')] == ['0']


def made(repo: Repo, commit: str, session: str, pid: int = 1) -> None:
    session_records.record_commit(
        str(repo.path / '.git'), commit, Actor(session, '', 'elsewhere', pid, True)
    )


def test_whose_stage_commit_it_is(project: Repo) -> None:
    commit = project.commit({'a': '1'}, 'feat: Bravo Stage 2 - shell')
    made(project, commit, OTHER)
    # a session that sees it later did not make it
    made(project, commit, SESSION)
    text = say(project.path, 'continue')
    assert 'stage 2 of Bravo waits for the user' in text
    assert '`continue Bravo`' in text
    assert say(project.path, 'please read the file') == ''
    assert confirmed(project) == []
    assert say(project.path, 'continue Bravo') == ''
    assert len(confirmed(project)) == 1


def test_each_session_goes_on_with_its_own(project: Repo) -> None:
    first = project.commit({'a': '1'}, 'feat: Bravo Stage 2 - shell')
    made(project, first, SESSION)
    second = project.commit({'a': '2'}, 'feat: Alpha Stage 0 - plan')
    made(project, second, OTHER)
    assert say(project.path, 'continue') == ''
    assert [each.commit for each in confirmed(project)] == [first]
    assert confirmed(project, 'Alpha') == []
    assert say(project.path, 'continue', session=OTHER) == ''
    assert [each.commit for each in confirmed(project, 'Alpha')] == [second]


@pytest.mark.parametrize(
    'command', ('git commit -m x', 'interlock commit-stage Bravo 2 -m shell')
)
def test_a_commit_is_of_the_session_that_ran_it(project: Repo, command: str) -> None:
    commit = project.commit({'a': '1'}, 'feat: Bravo Stage 2 - shell')
    ask(
        'PostToolUse',
        project.path,
        tool_name='Bash',
        tool_use_id='t',
        tool_input={'command': command},
        tool_response={'stdout': ''},
    )
    found = session_records.committer(str(project.path / '.git'), commit)
    assert found is not None
    assert found.session == SESSION
    # the same process has another id after `/clear`
    assert say(project.path, 'continue', session=OTHER) == ''
    assert len(confirmed(project)) == 1


def test_without_a_stage_commit_nothing_is_confirmed(project: Repo) -> None:
    assert say(project.path, 'continue') == ''
    assert not (project.path / '.git/interlock/confirmations.jsonl').exists()


@pytest.fixture
def both(space: Space) -> Space:
    """A plan and a stage that wait for the user."""
    (space.path / '.interlock.yaml').unlink()
    space.main.commit(
        {
            '.interlock.yaml': f'{BOTH}roots: {{main: ., tasks: ../tasks}}\n',
            'PLUGINS.md': samples.registry({'Bravo': 'Stage 2'}),
            **samples.item_files('Bravo'),
            samples.handoff_path('Bravo'): samples.handoff('Bravo'),
        },
        'feat: Bravo Stage 2 - shell',
    )
    presented(space)
    return space


@pytest.mark.parametrize('prompt', ('approved', 'proceed'))
def test_an_ambiguous_word_records_nothing(both: Space, prompt: str) -> None:
    text = say(both.main.path, prompt)
    assert 'does not say which' in text
    assert not approvals(both)
    assert not confirmed(both.main)


@pytest.mark.parametrize(
    ('prompt', 'plan', 'stage'),
    (
        ('continue', 0, 1),
        ('1', 0, 1),
        (f'approved: {TASK}', 1, 0),
        ('proceed with Bravo', 0, 1),
        ('approved Bravo', 0, 1),
        ('not approved', 0, 0),
    ),
)
def test_a_word_that_is_not_ambiguous(
    both: Space, prompt: str, plan: int, stage: int
) -> None:
    say(both.main.path, prompt)
    assert len(approvals(both)) == plan
    assert len(confirmed(both.main)) == stage


def test_automation_is_resumed(project: Repo) -> None:
    text = say(project.path, 'Resume automation.')
    assert 'interlock resume Bravo' in text
    project.write(
        {
            'PLUGINS.md': samples.registry(
                {f'Plugin{n:03}': 'Stage 2' for n in range(300)}
            )
        }
    )
    text = say(project.path, 'resume automation')
    assert 'interlock resume ITEM, for one of Plugin000' in text
    project.write({'PLUGINS.md': samples.registry({'Alpha': 'Ideated'})})
    assert 'No item is in progress' in say(project.path, 'resume automation')


@pytest.mark.parametrize(
    'prompt', ('', ' ', 'please read the file', 'é' * 5000, '\0', 'proceed ' * 1000)
)
def test_most_prompts_are_left_alone(project: Repo, prompt: str) -> None:
    assert say(project.path, prompt) == ''
    log = project.path / '.git/interlock/claude/failures.log'
    assert not log.exists()


def test_a_repository_that_git_does_not_know_is_logged_only(project: Repo) -> None:
    project.write({'.git/HEAD': 'nonsense'})
    reply = ask('UserPromptSubmit', project.path, prompt='continue')
    assert reply.code == 0
    assert confirmed(project) == []


@pytest.mark.parametrize('prompt', (f'adopt {TASK}', f'clean {TASK}'))
def test_a_lock_ends_before_the_user_decides(space: Space, prompt: str) -> None:
    space.worktree()
    assert say(space.main.path, prompt) != ''
    file = lock(space, session_id=OTHER)
    said = say(space.main.path, prompt)
    assert said.startswith(f'Nothing was recorded: {TASK} is held by session')
    assert f'next: interlock lock show {TASK}' in said
    gone: dict[str, Any] = {'pid': 2**22 + 7, 'host': 'é', 'machine': process.machine()}
    lock(space, session_id=OTHER, **gone)
    end = f'interlock lock release {TASK} --holder 1'
    assert f'next: ask the user to run `{end}` on a term' in say(
        space.main.path, prompt
    )
    # nothing is to be decided about one's own
    lock(space)
    assert say(space.main.path, prompt) == ''
    assert file.exists()


@pytest.mark.parametrize(
    ('prompt', 'deed'),
    (
        (f'clean {TASK}', 'clean'),
        (f'Please clean up {TASK}.', 'clean'),
        (f'adopt {TASK}', 'adopt'),
        (f'resume {TASK}', 'adopt'),
    ),
)
def test_the_user_decides_about_a_worktree_without_a_lock(
    space: Space,
    interlock: Interlock,
    monkeypatch: pytest.MonkeyPatch,
    prompt: str,
    deed: str,
) -> None:
    space.worktree()
    lock(space)
    monkeypatch.setenv('INTERLOCK_SESSION', SESSION)
    assert interlock('lock', 'release', TASK).code == 0
    args = ['task', deed, TASK]
    args += ['--session', SESSION] * (deed == 'adopt')
    refused = interlock(*args)
    assert refused.code == 1
    assert f'`{deed} {TASK}`' in refused.err
    started = interlock('task', 'start', TASK)
    assert f'next: interlock task select {TASK}' in started.err
    monkeypatch.delenv('INTERLOCK_SESSION')
    said = say(space.main.path, prompt)
    assert f'this session may run interlock task {deed} {TASK}' in said
    # another session, and another deed, are not meant
    monkeypatch.setenv('INTERLOCK_SESSION', OTHER)
    assert interlock(*args).code == 1
    monkeypatch.setenv('INTERLOCK_SESSION', SESSION)
    other = 'clean' if deed == 'adopt' else 'adopt'
    more = ['--session', SESSION] * (other == 'adopt')
    assert interlock('task', other, TASK, *more).code == 1
    result = interlock(*args)
    assert result.code == 0, result.err
    if deed == 'adopt':
        assert space.read()['session_id'] == SESSION
        assert interlock('lock', 'release', TASK).code == 0
        assert interlock(*args).code == 1, 'it counts once'


def test_a_session_does_not_choose_the_state_of_what_it_adopts(
    space: Space, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    space.worktree()
    assert 'is recorded' in say(space.main.path, f'adopt {TASK}')
    monkeypatch.setenv('INTERLOCK_SESSION', SESSION)
    result = interlock('task', 'adopt', TASK, '--session', SESSION)
    assert result.code == 1
    assert f'next: ask the user to answer `clean {TASK}`' in result.err


@pytest.mark.parametrize(
    'args', (('--session', OTHER), ('--session', SESSION, '--state', 'COMPLETE'))
)
def test_a_session_that_adopts_goes_on_itself_and_where_work_was(
    space: Space,
    interlock: Interlock,
    monkeypatch: pytest.MonkeyPatch,
    args: tuple[str, ...],
) -> None:
    space.worktree()
    assert 'is recorded' in say(space.main.path, f'adopt {TASK}')
    monkeypatch.setenv('INTERLOCK_SESSION', SESSION)
    result = interlock('task', 'adopt', TASK, *args)
    assert result.code == 1
    assert f'next: interlock task adopt {TASK} --session' in result.err


@pytest.mark.parametrize(
    'prompt',
    (
        f'clean {TASK}?',
        f'do not clean {TASK}',
        'clean wash-up',
        'clean',
        f'how do I clean {TASK}',
        f'clean {TASK} and eat-bread',
    ),
)
def test_what_decides_nothing_about_a_worktree(space: Space, prompt: str) -> None:
    space.worktree()
    assert 'is recorded' not in say(space.main.path, prompt)


def test_a_task_that_is_held_is_not_decided_about(space: Space) -> None:
    space.worktree()
    lock(space)
    assert say(space.main.path, f'clean {TASK}') == ''
