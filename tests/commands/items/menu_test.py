from __future__ import annotations

import datetime
import os
from pathlib import Path

import pytest

from interlock.files.users_cache import menus_of
from interlock.operations.menu import checkpoint, render
from interlock.project.project import open_project
from tests import samples
from tests.commands.terminal import typed
from tests.conftest import Interlock, Repo
from tests.layout_test import loaded

BRAVO = samples.handoff_path('Bravo')
CODE = 'plugins/Bravo/Source/Main.cpp'
# they are imported to validate menus
VALIDATING = {'interlock.workflow.language.menu_files', 'jsonschema'}
MENU = """\
✓ Stage 2 complete: Foundation complete - Build system operational

What's next?
1. Continue with Stage 3 (recommended)
2. Review what was done
3. Research it first ← Deep investigation for complex problems
4. Verify the state
5. Pause here
6. Other

Choose (1-6): _
"""


def today() -> str:
    return datetime.date.today().isoformat()


NEXT = (
    'Invoke dsp-agent for Stage 3 of Bravo\n'
    "when it is done: interlock commit-stage Bravo 3 -m 'WHY'\n"
)


def diff(repo: Repo) -> list[str]:
    """The lines that changed since HEAD."""
    return [
        line
        for line in repo.git('diff', '-U0').splitlines()
        if line[0] in '+-' and not line.startswith(('+++', '---'))
    ]


def test_without_a_terminal_the_menu_is_printed_and_nothing_asked(
    project: Repo, interlock: Interlock
) -> None:
    result = interlock('menu', 'Bravo')
    assert (result.code, result.out, result.err) == (0, MENU, '')
    assert project.git('status', '--short') == ''


@pytest.mark.parametrize('choice', ('1', 'continue', 'Continue'))
def test_a_directive_choice_ends_the_menu(
    project: Repo, interlock: Interlock, choice: str
) -> None:
    result = interlock('menu', 'Bravo', '--choice', choice)
    assert (result.code, result.out) == (0, NEXT)


def test_what_the_handoff_says_comes_next_is_said(
    project: Repo, interlock: Interlock
) -> None:
    project.write({BRAVO: samples.handoff('Bravo', next_action='improve')})
    result = interlock('menu', 'Bravo', '--choice', '1')
    assert result.out.startswith('improve, as the handoff of Bravo says\n')


def test_an_exploratory_choice_runs_and_shows_the_menu_again(
    project: Repo, interlock: Interlock
) -> None:
    result = interlock('menu', 'Bravo', '--choice', '4')
    assert result.code == 0
    assert result.out == f'Bravo: the records are sound\n{MENU}'
    assert result.err == '$ interlock verify-state Bravo\n'


def test_a_git_command_is_shown_and_run_from_the_top(
    project: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project.path / 'plugins/Bravo')
    result = interlock('menu', 'Bravo', '--choice', 'review')
    assert result.err == '$ git log --stat -5 -- plugins/Bravo\n'
    assert 'chore: préparer' in result.out
    assert 'plugins/Bravo/CMakeLists.txt' in result.out
    assert result.out.endswith(MENU)
    assert result.code == 0


@pytest.mark.parametrize(
    ('choice', 'sentence'),
    (
        ('7', 'interlock: Invalid choice: 7 is not in 1-6\n'),
        ('0', 'interlock: Invalid choice: 0 is not in 1-6\n'),
        ('pasue', "interlock: Invalid choice: 'pasue'; did you mean `pause`?\n"),
    ),
)
def test_no_such_choice_is_an_error_and_the_menu_again(
    project: Repo, interlock: Interlock, choice: str, sentence: str
) -> None:
    result = interlock('menu', 'Bravo', '--choice', choice)
    assert (result.code, result.out, result.err) == (2, MENU, sentence)


def test_other_takes_a_text_and_shows_the_menu_again(
    project: Repo, interlock: Interlock
) -> None:
    result = interlock('menu', 'Bravo', '--choice', 'other', '--text', 'Écris la doc')
    lines = result.out.splitlines()
    assert lines[:2] == ['What would you like to do?', 'Other: Écris la doc']
    assert lines[2].startswith('✓ Stage 2 complete: ')
    assert result.code == 0
    result = interlock('menu', 'Bravo', '--choice', '6')
    assert result.out == f'What would you like to do?\n{MENU}'


def test_pause_writes_the_situation_and_the_date_and_no_other_byte(
    project: Repo, interlock: Interlock
) -> None:
    result = interlock('menu', 'Bravo', '--choice', 'PAUSE')
    assert result.code == 0
    assert result.out == 'continue with: interlock resume Bravo\n'
    assert result.err == f'{BRAVO}: situation noted\n'
    assert diff(project) == [
        '-last_updated: 2026-01-02',
        f'+last_updated: {today()}',
        f'+- **{today()}:** Paused at Stage 2: '
        f'Foundation complete - Build system operational',
        '+',
    ]
    assert interlock('verify-state', 'Bravo').code == 0


def test_pause_without_a_handoff_leaves_everything_as_it_is(
    project: Repo, interlock: Interlock
) -> None:
    result = interlock('menu', 'Alpha', '--choice', 'pause')
    assert (result.code, result.err) == (0, '')
    assert result.out == 'continue with: interlock menu Alpha\n'
    assert project.git('status', '--short') == ''


def test_a_failure_is_told_with_its_details(
    project: Repo, interlock: Interlock
) -> None:
    for kind, title in (('test', 'Tests failed'), ('build', 'Build error')):
        project.git('checkout', '-q', '.')
        assert (
            interlock(
                'evidence',
                'add',
                'Bravo',
                '--kind',
                kind,
                '--result',
                'failed',
                '--text',
                '2 sur 5: clipping',
            ).code
            == 0
        )
        outcome = 'tests-failed' if kind == 'test' else 'build-failed'
        details = f'failed {today()}: 2 sur 5: clipping'
        head = f'{title} at Stage 3:\n{details}\n'
        # without being asked for it, and without writing anything
        before = project.git('diff')
        assert interlock('menu', 'Bravo').out.startswith(head)
        shown = interlock('menu', 'Bravo', '--choice', 'output')
        assert shown.out.startswith(f'{details}\n{head}')
        resumed = interlock('resume', 'Bravo')
        assert f'the {kind} of Stage 3 is recorded as `{details}`' in resumed.out
        assert project.git('diff') == before
        result = interlock('menu', 'Bravo', '--outcome', outcome)
        assert result.out.startswith(head)
        text = (project.path / BRAVO).read_text()
        assert f'{title} at Stage 3: {details}' in text
        # it is over when it passes
        assert (
            interlock(
                'evidence', 'add', 'Bravo', '--kind', kind, '--result', 'passed'
            ).code
            == 0
        )
        assert interlock('menu', 'Bravo').out == MENU
        assert 'recorded as' not in interlock('resume', 'Bravo').out


@pytest.mark.parametrize('answer', ('q', 'Q', 'quit'))
def test_a_menu_can_be_left(project: Repo, answer: str) -> None:
    result = typed('menu', 'Bravo', answers=(answer,))
    assert result.code == 0
    assert 'Invalid' not in result.out
    assert project.git('status', '--short') == ''


def test_pause_of_a_read_only_handoff_is_refused(
    project: Repo, interlock: Interlock
) -> None:
    file = project.path / BRAVO
    before = file.read_bytes()
    file.chmod(0o444)
    result = interlock('menu', 'Bravo', '--choice', 'pause')
    assert result.code == 2
    assert 'is read-only' in result.err
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    ('outcome', 'head'),
    (
        ('build-failed', 'Build error at Stage 3:\nld: échec\n'),
        ('tests-failed', 'Tests failed at Stage 3:\nld: échec\n'),
        ('validation-failed', 'Validation failed at Stage 3:\nld: échec\n'),
        ('paused', 'Bravo is paused at Stage 2\n'),
    ),
)
def test_a_failure_is_in_the_handoff_before_its_menu_is_shown(
    project: Repo, interlock: Interlock, outcome: str, head: str
) -> None:
    result = interlock('menu', 'Bravo', '--outcome', outcome, '--text', 'ld: échec')
    assert result.code == 0
    assert result.out.startswith(f'{head}\nWhat would you like to do?\n1. ')
    text = head.partition('\n')[0].rstrip(':').replace('Bravo is paused', 'Paused')
    assert f'+- **{today()}:** {text}: ld: échec' in diff(project)
    assert f'+last_updated: {today()}' in diff(project)


def test_a_failure_is_noted_once_however_often_its_menu_is_asked_for(
    project: Repo, interlock: Interlock
) -> None:
    args = ('menu', 'Bravo', '--outcome', 'build-failed', '--text', 'x')
    interlock(*args)
    before = (project.path / BRAVO).read_bytes()
    result = interlock(*args, '--choice', '3')
    assert result.out.startswith('x\nBuild error at Stage 3:\n')
    interlock('menu', 'Bravo', '--outcome', 'build-failed', '--choice', '4')
    assert (project.path / BRAVO).read_bytes() == before


@pytest.mark.parametrize(
    'outcome', ('fallback-failed', 'state-update-failed', 'contract-drift')
)
def test_other_failures_leave_the_handoff_alone(
    project: Repo, interlock: Interlock, outcome: str
) -> None:
    assert interlock('menu', 'Bravo', '--outcome', outcome).code == 0
    assert project.git('status', '--short') == ''


def test_a_failure_without_a_handoff_warns_and_shows_its_menu(
    project: Repo, interlock: Interlock
) -> None:
    result = interlock('menu', 'Alpha', '--outcome', 'build-failed')
    assert result.code == 0
    assert result.err.startswith('interlock: warning: Alpha has no handoff')
    assert result.out.startswith('Build error at Ideated:\n')


def test_skipping_a_state_update_says_what_comes_of_it(
    project: Repo, interlock: Interlock
) -> None:
    result = interlock(
        'menu', 'Bravo', '--outcome', 'state-update-failed', '--choice', 'skip'
    )
    assert result.code == 0
    assert result.out.startswith('The commit of Stage 3 will be refused')


def test_an_unknown_outcome_names_the_nearest(
    project: Repo, interlock: Interlock
) -> None:
    result = interlock('menu', 'Bravo', '--outcome', 'build-faild')
    assert result.code == 2
    assert 'did you mean `build-failed`?' in result.err


def test_an_unknown_item_names_the_nearest(project: Repo, interlock: Interlock) -> None:
    result = interlock('menu', 'Brovo')
    assert result.code == 2
    assert 'did you mean `Bravo`?' in result.err


def test_a_kind_without_checkpoints_is_refused_with_a_sentence(
    project: Repo, interlock: Interlock
) -> None:
    project.write(
        {'.interlock.yaml': (f'{samples.WORKFLOW}items: {{plugin: {{menus: null}}}}\n')}
    )
    result = interlock('menu', 'Bravo')
    assert result.code == 2
    assert 'Bravo is Stage 2, and the workflow has no menu' in result.err
    assert "next: interlock registry set-status Bravo 'Stage 3'\n" in result.err


def test_a_line_for_no_state_of_an_item_is_missed(
    project: Repo, interlock: Interlock
) -> None:
    project.write(
        {
            '.interlock.yaml': (
                f'{samples.WORKFLOW}items:\n  plugin:\n    menus:\n'
                f'      checkpoints: [{{after: Stage 5, menu: finished}}]\n'
            )
        }
    )
    result = interlock('menu', 'Bravo')
    assert result.code == 2
    assert 'there is no menu for `success` of Bravo' in result.err


def test_milestones_are_shown_instead_of_stages(
    project: Repo, interlock: Interlock
) -> None:
    project.write({'.interlock.yaml': f'{samples.WORKFLOW}display: milestones\n'})
    result = interlock('menu', 'Bravo')
    assert result.out.startswith('✓ Building System complete: ')
    assert 'Stage' not in result.out


def test_the_menus_of_a_project_are_read_from_its_file(
    project: Repo, interlock: Interlock
) -> None:
    project.write(
        {
            '.interlock.yaml': (
                f'{samples.WORKFLOW}items:\n  plugin:\n'
                f'    menus: {{extends: docs/menus.yaml}}\n'
            ),
            'docs/menus.yaml': (
                'extends: plugin-workflow\n'
                'menus:\n'
                '  stage:\n'
                '    options:\n'
                '      - {label: Où en est-on, kind: exploratory,'
                " run: [interlock, registry, show, '{item}']}\n"
            ),
        }
    )
    result = interlock('menu', 'Bravo', '--choice', '1')
    assert result.err == '$ interlock registry show Bravo\n'
    assert result.out.endswith('1. Où en est-on\n2. Other\n\nChoose (1-2): _\n')
    (project.path / 'docs/menus.yaml').write_text('menus: []\n')
    result = interlock('menu', 'Bravo')
    assert result.code == 2
    assert 'docs/menus.yaml:1: the menu file is invalid' in result.err


def test_the_workflow_that_was_given_holds_for_what_is_run(
    project: Repo, interlock: Interlock, tmp_path: Path
) -> None:
    other = tmp_path / 'other.yaml'
    other.write_text(
        f'{samples.WORKFLOW}items: {{plugin: {{registry: {{file: REG.md}}}}}}\n'
    )
    project.write(
        {'REG.md': samples.registry({'Bravo': 'Stage 2'}), 'PLUGINS.md': None}
    )
    result = interlock('menu', 'Bravo', '--choice', 'verify', '--config', str(other))
    assert result.code == 0
    assert result.out.startswith('Bravo: the records are sound\n')
    assert 'INTERLOCK_CONFIG' not in os.environ


def test_a_command_that_fails_gives_its_exit_code_to_a_directive(
    project: Repo, interlock: Interlock
) -> None:
    result = interlock(
        'menu',
        'Alpha',
        '--outcome',
        'contract-drift',
        '--choice',
        'update',
        '--text',
        'pourquoi',
    )
    assert result.code == 1
    assert result.err.startswith('$ interlock contracts seal Alpha --amend pourquoi\n')


def test_an_option_that_asks_needs_a_text(project: Repo, interlock: Interlock) -> None:
    result = interlock('menu', 'Bravo', '--outcome', 'contract-drift', '--choice', '2')
    assert result.code == 2
    assert 'needs to know the reason of the amendment' in result.err
    assert (
        "next: interlock menu Bravo --outcome contract-drift --choice 2 --text 'WHY'\n"
    ) in result.err


def test_what_is_investigated_is_named(project: Repo, interlock: Interlock) -> None:
    for choice in ('research', 'investigate'):
        outcome = ('--outcome', 'build-failed') * (choice == 'investigate')
        result = interlock('menu', 'Bravo', *outcome, '--choice', choice)
        assert 'continue with: interlock resume Bravo' in result.out


def test_outside_of_a_repository_git_is_refused_and_the_menu_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, interlock: Interlock
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv('GIT_CEILING_DIRECTORIES', str(tmp_path.parent))
    Repo(tmp_path).write(
        {
            '.interlock.yaml': samples.WORKFLOW,
            'PLUGINS.md': samples.registry({'Bravo': 'Stage 2'}),
            BRAVO: samples.handoff('Bravo'),
        }
    )
    result = interlock('menu', 'Bravo', '--choice', 'review')
    assert result.code == 0
    assert 'this is not a git repository' in result.err
    assert result.out == MENU


@pytest.mark.parametrize(
    ('text', 'statement'),
    (('', 'Foundation complete - Build system operational'), ('Ça bâtit', 'Ça bâtit')),
)
def test_other_commands_print_the_menu_of_a_checkpoint(
    project: Repo, text: str, statement: str
) -> None:
    with open_project('', 10) as here:
        at = here.item('Bravo')
        menus = menus_of(here.snapshot, here.workflow, at.kind)
        shown = checkpoint(at, menus, here.today, context=text)
    assert shown is not None
    found = render(shown)
    assert found.startswith(f'✓ Stage 2 complete: {statement}\n')
    assert found.endswith('\n\nChoose (1-6): _')


def test_no_menu_is_printed_where_the_workflow_has_none(project: Repo) -> None:
    project.write(
        {'.interlock.yaml': (f'{samples.WORKFLOW}items: {{plugin: {{menus: null}}}}\n')}
    )
    with open_project('', 10) as here:
        at = here.item('Bravo')
        menus = menus_of(here.snapshot, here.workflow, at.kind)
        assert checkpoint(at, menus, here.today) is None


def test_hooks_never_read_menus(project: Repo) -> None:
    loaded('check', '--staged')
    assert 'interlock.workflow.language.menus' not in loaded('check', '--staged')
    assert 'interlock.workflow.language.menus' in loaded('menu', 'Bravo')


def test_menus_are_validated_only_once(project: Repo) -> None:
    loaded('menu', 'Bravo')
    assert not VALIDATING & loaded('menu', 'Bravo')


def test_menus_are_validated_again_once_a_file_or_a_state_changes(
    project: Repo, interlock: Interlock
) -> None:
    menus = 'extends: plugin-workflow\ncheckpoints: [{menu: stage, after: Stage 2}]\n'
    workflow = (
        f'{samples.WORKFLOW}items:\n  plugin:\n'
        f'    menus: {{extends: docs/menus.yaml}}\n'
    )
    project.write({'.interlock.yaml': workflow, 'docs/menus.yaml': menus})
    for _ in range(2):
        assert interlock('menu', 'Bravo').code == 0
    project.write({'docs/menus.yaml': menus.replace('Stage 2', 'Stage 22')})
    for _ in range(2):
        refused = interlock('menu', 'Bravo')
        assert refused.code == 2
        assert 'no state is named `Stage 22`' in refused.err
    project.write({'docs/menus.yaml': menus})
    assert interlock('menu', 'Bravo').code == 0
    (project.path / 'docs/menus.yaml').unlink()
    assert interlock('menu', 'Bravo').code == 2


def test_on_a_terminal_it_asks_until_something_ends_the_menu(project: Repo) -> None:
    result = typed('menu', 'Bravo', answers=('9', 'verify', '1'))
    assert result.code == 0
    assert result.out.count('Choose (1-6): _\n') == 3
    assert 'Invalid choice: 9 is not in 1-6\n' in result.out
    assert '$ interlock verify-state Bravo\n' in result.out
    assert result.out.endswith(NEXT)


def test_on_a_terminal_other_asks_for_a_text(project: Repo) -> None:
    result = typed('menu', 'Bravo', answers=('Other', 'la doc', 'pause'))
    assert 'What would you like to do?\n' in result.out
    assert 'Other: la doc\n' in result.out
    assert result.out.endswith('continue with: interlock resume Bravo\n')
    assert result.code == 0
    assert any('Paused at Stage 2' in line for line in diff(project))


def test_on_a_terminal_an_option_asks_for_what_it_needs(project: Repo) -> None:
    project.write({'plugins/Bravo/.ideas/architecture.md': 'autre\n'})
    result = typed(
        'menu', 'Bravo', '--outcome', 'contract-drift', answers=('2', 'le client')
    )
    assert 'the reason of the amendment: ' in result.out
    assert "--amend 'le client'\n" in result.out
    assert 'Contract-Amendment: le client' in result.out
    assert result.code == 0


def test_on_a_terminal_a_choice_that_is_given_asks_nothing(project: Repo) -> None:
    result = typed('menu', 'Bravo', '--choice', 'verify')
    assert result.code == 0
    assert result.out.endswith(f'{MENU}')


def test_on_a_terminal_the_end_of_input_ends_the_menu(project: Repo) -> None:
    result = typed('menu', 'Bravo')
    assert result.code == 130
    assert 'interlock: interrupted' in result.out
    assert project.git('status', '--short') == ''
