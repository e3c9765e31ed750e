"""The user's word to go on, from the prompt to the next stage commit."""

from __future__ import annotations

import os

import pytest

from interlock.documents.message import parse
from interlock.documents.trailers import ConfirmedStage, confirmed
from interlock.project import project as projects
from tests import samples
from tests.commands.items import stages
from tests.conftest import SCRIPTS, Interlock, Repo
from tests.guard.asking import ask

SAID = 'Interlock-Confirmed'
FIRST = 'feat: Bravo Stage 2 - coque'
END = ('commit-stage', 'Bravo', '3', '-m', 'moteur audio')


@pytest.fixture
def ready(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """Stage 2 is committed, and the work of Stage 3 is done."""
    monkeypatch.setattr(projects, 'today', lambda: stages.DAY)
    monkeypatch.setenv('PATH', f'{SCRIPTS}{os.pathsep}{os.environ["PATH"]}')
    repo.commit(stages.files(), FIRST)
    stages.worked(repo)
    return repo


def trailer(repo: Repo) -> str:
    return repo.git('log', '-1', f'--format=%(trailers:key={SAID},valueonly)').strip()


def test_commit_stage_repeats_what_the_user_said(
    ready: Repo, interlock: Interlock
) -> None:
    before = ready.git('rev-parse', 'HEAD')
    ask('UserPromptSubmit', ready.path, prompt='continue')
    result = interlock(*END)
    assert result.code == 0, result.err
    assert trailer(ready) == f'2@{before[:12]}'
    message = ready.git('log', '-1', '--format=%B')
    assert confirmed(parse(message)) == ConfirmedStage('2', before[:12])


def test_it_invents_nothing(ready: Repo, interlock: Interlock) -> None:
    assert interlock(*END).code == 0
    assert trailer(ready) == ''


@pytest.mark.parametrize(
    ('message', 'expected'),
    (
        ('feat: Bravo Stage 3 - dsp', True),
        ('feat: Bravo Stage 3 - dsp\n\nCo-authored-by: Z <z@x.invalid>', True),
        ('feat: Bravo Stage 2 - again', False),
        ('feat: Alpha Stage 0 - plan', False),
        ('docs: Bravo', False),
    ),
)
def test_the_hook_writes_it_into_the_message_of_a_stage_commit(
    ready: Repo, interlock: Interlock, message: str, expected: bool
) -> None:
    ask('UserPromptSubmit', ready.path, prompt='1')
    file = ready.path / '.git' / 'COMMIT_EDITMSG'
    file.write_text(f'{message}\n', encoding='UTF-8')
    for _ in range(2):
        assert interlock('prepare-commit-msg', str(file)).code == 0
    assert file.read_text('UTF-8').count(f'{SAID}: 2@') == int(expected)


def test_a_message_that_is_yet_to_be_written(ready: Repo, interlock: Interlock) -> None:
    ask('UserPromptSubmit', ready.path, prompt='continue')
    file = ready.path / '.git' / 'COMMIT_EDITMSG'
    file.write_text('\n# write it here\n', encoding='UTF-8')
    assert interlock('prepare-commit-msg', str(file)).code == 0
    assert file.read_text('UTF-8') == '\n# write it here\n'


def moved(stage: str, phase: str = 'null') -> dict[str, str | bytes | None]:
    status = f'Stage {stage}' if phase == 'null' else f'Stage {phase}'
    return {
        'PLUGINS.md': samples.registry({**stages.BEFORE, 'Bravo': status}),
        stages.HANDOFF: samples.handoff('Bravo', stage, phase),
        stages.CODE: f'// {stage} {phase}\n',
    }


def codes(interlock: Interlock, base: str) -> list[str]:
    found = interlock.check('--range', f'{base}..HEAD')
    assert found.code == 0, found.out
    return found.codes


def test_nobody_is_asked_where_no_commit_says_it(
    ready: Repo, interlock: Interlock
) -> None:
    base = ready.git('rev-parse', 'HEAD')
    ready.commit(moved('3'), 'feat: Bravo Stage 3 - dsp')
    ready.commit(moved('4'), 'feat: Bravo Stage 4 - gui')
    assert codes(interlock, base) == []


def test_once_a_commit_says_it_the_next_one_has_to(
    ready: Repo, interlock: Interlock
) -> None:
    base = ready.git('rev-parse', 'HEAD')
    ready.commit(moved('3'), f'feat: Bravo Stage 3 - dsp\n\n{SAID}: 2@{base[:12]}')
    third = ready.git('rev-parse', 'HEAD')
    assert codes(interlock, base) == []
    ready.commit(moved('4'), 'feat: Bravo Stage 4 - gui')
    assert codes(interlock, base) == ['COM009']
    assert codes(interlock, third) == ['COM009'], 'the base says it'
    result = interlock('check', '--range', f'{third}..HEAD')
    assert (
        f'the user confirmed stage 3 ({third[:10]}): the trailer `{SAID}` is missing'
    ) in result.out


@pytest.mark.parametrize(
    ('said', 'expected'),
    (
        ('3@{third}', []),
        ('3@0123456789ab', []),
        ('2@{third}', ['COM009']),
        ('3', ['COM009']),
        ('yes', ['COM009']),
    ),
)
def test_what_the_trailer_says(
    ready: Repo, interlock: Interlock, said: str, expected: list[str]
) -> None:
    base = ready.git('rev-parse', 'HEAD')
    ready.commit(moved('3'), f'feat: Bravo Stage 3 - dsp\n\n{SAID}: 2@{base[:12]}')
    third = ready.git('rev-parse', 'HEAD')
    line = said.format(third=third[:12])
    ready.commit(moved('4'), f'feat: Bravo Stage 4 - gui\n\n{SAID}: {line}')
    assert codes(interlock, third) == expected


def test_a_workflow_may_always_ask(ready: Repo, interlock: Interlock) -> None:
    more = 'items: {plugin: {commit: {confirm: {always: true}}}}\n'
    ready.commit({'.interlock.yaml': samples.WORKFLOW + more})
    base = ready.git('rev-parse', 'HEAD')
    ready.commit(moved('3'), 'feat: Bravo Stage 3 - dsp')
    assert codes(interlock, base) == ['COM009']


def test_neither_a_phase_nor_the_same_stage_again_is_asked(
    ready: Repo, interlock: Interlock
) -> None:
    more = 'items: {plugin: {commit: {confirm: {always: true}}}}\n'
    plan = '# Plan\n\n### Phase 3.1: one\n\n### Phase 3.2: two\n'
    ready.commit({'.interlock.yaml': samples.WORKFLOW + more, stages.PLAN: plan})
    base = ready.git('rev-parse', 'HEAD')
    ready.commit({'b': '1'}, 'feat: Bravo Stage 2 - again')
    ready.commit({'b': '2'}, f'feat: Bravo Stage 3.1 - one\n\n{SAID}: 2@{base}')
    ready.commit({'b': '3'}, 'feat: Bravo Stage 3.2 - two')
    found = interlock.check('--range', f'{base}..HEAD').codes
    assert 'COM009' not in found
    ready.commit({'b': '4'}, 'feat: Bravo Stage 4.1 - gui')
    found = interlock.check('--range', f'{base}..HEAD').codes
    assert found.count('COM009') == 1
