from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests import samples
from tests.commands.terminal import typed
from tests.conftest import SCRIPTS, Interlock, Repo, Result

BRAVO = samples.handoff_path('Bravo')
ARCHITECTURE = 'plugins/Bravo/.ideas/architecture.md'


def registry(status: str = 'Stage 2', **rows: str) -> str:
    return samples.registry(
        {'Alpha': 'Ideated', 'Bravo': status, 'Charlie': 'Installed'}, rows
    )


@pytest.fixture
def drifted(project: Repo) -> Repo:
    """The row of Bravo is behind, and a contract of it was changed."""
    project.write({'PLUGINS.md': registry(Bravo='Stage 1'), ARCHITECTURE: 'autre\n'})
    return project


def ids(result: Result) -> list[str]:
    return re.findall(r'\[([0-9a-f]{8})\]$', result.out, re.MULTILINE)


def test_nothing_is_wrong(project: Repo, interlock: Interlock) -> None:
    result = interlock('resolve')
    assert (result.code, result.out) == (0, 'nothing to resolve\n')
    result = interlock('resolve', 'Bravo')
    assert (result.code, result.out) == (0, 'nothing to resolve for Bravo\n')


def test_without_a_terminal_every_finding_has_its_menu(
    drifted: Repo, interlock: Interlock
) -> None:
    before = drifted.git('diff')
    result = interlock('resolve')
    assert result.code == 1
    assert [
        line.partition(': ')[2][:12]
        for line in result.out.splitlines()
        if line.endswith(']')
    ] == ['REG001 Bravo', 'CON001 Bravo']
    assert (
        'Registry drift detected - inconsistent status\n'
        '\n'
        'What would you like to do?\n'
        '1. Auto-fix (sync registry table to match full entry) (recommended)\n'
        '2. Show both values (investigate mismatch)\n'
        "3. Manual fix (I'll fix it myself)\n"
        '4. Other\n'
        '\n'
        'Choose (1-4): _\n'
    ) in result.out
    assert '1. Restore contracts from git (recommended)\n' in result.out
    assert drifted.git('diff') == before


def test_findings_are_those_of_check(drifted: Repo, interlock: Interlock) -> None:
    checked = interlock.check('--worktree', '--inherited')
    shown = re.findall(r': ([A-Z]{3}\d{3}) ', interlock('resolve').out)
    assert sorted(shown) == checked.codes


def test_what_was_wrong_before_is_found_too(
    drifted: Repo, interlock: Interlock
) -> None:
    drifted.commit({})
    assert len(ids(interlock('resolve', 'Bravo'))) == 2


def test_an_item_is_resolved_alone(drifted: Repo, interlock: Interlock) -> None:
    drifted.write({'PLUGINS.md': registry(Alpha='Stage 0', Bravo='Stage 1')})
    assert len(ids(interlock('resolve'))) == 3
    result = interlock('resolve', 'Alpha', '--choose', '1')
    assert result.code == 0
    assert result.out.endswith('REG001 Alpha: gone\n')


def test_warnings_have_menus_and_refuse_nobody(
    project: Repo, interlock: Interlock
) -> None:
    text = registry().replace(
        samples.row('Bravo', 'Stage 2'), samples.row('Bravo', 'Stage 2', '2026-01-01')
    )
    project.write({'PLUGINS.md': text})
    result = interlock('resolve')
    assert 'REG004 Bravo' in result.out
    assert result.code == 0


def test_what_refuses_comes_before_what_only_warns(
    drifted: Repo, interlock: Interlock
) -> None:
    drifted.write(
        {
            'PLUGINS.md': (drifted.path / 'PLUGINS.md')
            .read_text()
            .replace('| 2026-01-02 |', '| 2026-01-01 |')
        }
    )
    codes = re.findall(r': ([A-Z]{3}\d{3}) ', interlock('resolve').out)
    assert codes[:2] == ['REG001', 'CON001']
    assert set(codes[2:]) == {'REG004'}


@pytest.mark.parametrize('choice', ('1', 'continue', 'FIX'))
def test_a_remedy_is_shown_and_run_and_judged_again(
    drifted: Repo, interlock: Interlock, choice: str
) -> None:
    result = interlock('resolve', '--finding', 'REG001', '--choose', choice)
    assert result.code == 0
    assert result.err.startswith('$ interlock registry sync Bravo\n')
    assert result.out.endswith('REG001 Bravo: gone\n')
    assert interlock.check('--worktree', '--inherited').codes == ['CON001']


def test_a_number_needs_one_finding(drifted: Repo, interlock: Interlock) -> None:
    one, two = ids(interlock('resolve'))
    before = drifted.git('diff')
    result = interlock('resolve', 'Bravo', '--choose', '1')
    assert result.code == 2
    assert '--choose needs one finding, and there are 2' in result.err
    assert (
        f'  interlock resolve Bravo --finding {one} --choose 1    # REG001 Bravo\n'
    ) in result.err
    assert f'--finding {two} --choose 1' in result.err
    assert drifted.git('diff') == before


@pytest.mark.parametrize('number', (0, 1))
def test_a_finding_is_named_by_its_id(
    drifted: Repo, interlock: Interlock, number: int
) -> None:
    named = ids(interlock('resolve'))[number]
    result = interlock('resolve', '--finding', named, '--choose', '1')
    assert result.code == 0
    assert ids(result) == [named]
    assert result.out.endswith(': gone\n')


def test_a_finding_that_is_not_there_needs_no_remedy(
    drifted: Repo, interlock: Interlock
) -> None:
    result = interlock('resolve', '--finding', 'HND001', '--choose', '1')
    assert (result.code, result.out) == (0, 'nothing to resolve\n')


def test_a_dry_run_shows_the_command_and_runs_nothing(
    drifted: Repo, interlock: Interlock
) -> None:
    before = drifted.git('diff')
    result = interlock('resolve', '--finding', 'CON001', '--choose', '1', '--dry-run')
    assert result.code == 0
    assert result.err.startswith(
        '$ interlock contracts restore Bravo\nthis would be lost:\n'
    )
    assert ARCHITECTURE in result.err
    assert drifted.git('diff') == before


def test_what_a_remedy_destroys_is_said_before_it_runs(
    drifted: Repo, interlock: Interlock
) -> None:
    result = interlock('resolve', '--finding', 'CON001', '--choose', '1')
    said = result.err
    assert (
        said.index('$ interlock contracts restore')
        < said.index('this would be lost:')
        < said.index(f'{ARCHITECTURE}: restored from')
    )
    assert result.code == 0
    assert drifted.git('diff', '--', ARCHITECTURE) == ''


def test_a_file_that_is_in_no_commit_is_reported_as_lost(
    project: Repo, interlock: Interlock
) -> None:
    path = 'plugins/Charlie/.continue-here.md'
    project.write({path: samples.handoff('Charlie', '6')})
    result = interlock(
        'resolve', 'Charlie', '--finding', 'HND005', '--choose', '1', '--dry-run'
    )
    assert f'this would be lost:\n {path} is not committed\n' in result.err
    assert (project.path / path).exists()


def test_a_git_command_is_a_remedy(
    project: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write({'PLUGINS.md': registry().replace('Stage 2', 'Staeg 2')})
    monkeypatch.chdir(project.path / 'plugins')
    found = ids(interlock('resolve', '--finding', 'REG005'))
    result = interlock('resolve', '--finding', found[0], '--choose', 'restore')
    assert result.err.startswith(
        '$ git checkout HEAD -- PLUGINS.md\nthis would be lost:\n'
    )
    assert result.out.endswith('REG005 Bravo: gone\n')
    assert result.code == 0
    assert project.git('status', '--short') == ''


def test_a_command_that_cannot_help_leaves_the_finding(
    project: Repo, interlock: Interlock
) -> None:
    project.write({samples.handoff_path('Delta'): samples.handoff('Delta', '9')})
    result = interlock('resolve', 'Delta', '--finding', 'HND003', '--choose', 'restore')
    assert result.code == 1
    assert 'no commit holds a valid handoff of Delta' in result.err
    assert result.out.endswith('HND003 Delta: still there\n')


def test_a_remedy_that_is_refused_leaves_the_finding(
    project: Repo, interlock: Interlock
) -> None:
    # two entries: which one is right is not for a command to say
    project.write(
        {'PLUGINS.md': registry(Bravo='Stage 1') + samples.entry('Bravo', 'Stage 2')}
    )
    result = interlock('resolve', '--finding', 'REG001', '--choose', '1')
    assert result.code == 1
    assert 'registered twice' in result.err
    assert result.out.endswith('REG001 Bravo: still there\n')


@pytest.mark.parametrize('choice', ('2', 'review'))
def test_a_remedy_that_only_looks_shows_the_menu_again(
    drifted: Repo, interlock: Interlock, choice: str
) -> None:
    result = interlock('resolve', '--finding', 'REG001', '--choose', choice)
    assert result.code == 1
    assert result.err.startswith('$ interlock registry show Bravo\n')
    assert result.out.endswith('Choose (1-4): _\n')


def test_a_manual_fix_says_the_command(drifted: Repo, interlock: Interlock) -> None:
    result = interlock('resolve', '--finding', 'REG001', '--choose', '3')
    assert result.code == 1
    assert result.out.endswith(
        'next: interlock check --worktree --only registry --fix\n'
    )


@pytest.mark.parametrize('choice', ('5', '0', 'nonsense'))
def test_no_such_remedy_is_an_error_and_the_menu_again(
    drifted: Repo, interlock: Interlock, choice: str
) -> None:
    result = interlock('resolve', '--finding', 'REG001', '--choose', choice)
    assert result.code == 2
    assert result.err.startswith('interlock: Invalid choice: ')
    assert result.out.endswith('Choose (1-4): _\n')


def test_a_remedy_that_asks_takes_the_text(drifted: Repo, interlock: Interlock) -> None:
    args = ('resolve', '--finding', 'CON001', '--choose', 'update')
    result = interlock(*args)
    assert result.code == 2
    assert re.search(
        r'next: interlock resolve --finding \w{8} --choose 2 --text \'WHY\'\n',
        result.err,
    )
    result = interlock(*args, '--text', 'le client')
    assert result.code == 0
    assert 'Contract-Amendment: le client' in result.err
    assert result.out.endswith('CON001 Bravo: gone\n')


def test_an_unknown_item_names_the_nearest(project: Repo, interlock: Interlock) -> None:
    result = interlock('resolve', 'Brovo')
    assert result.code == 2
    assert 'did you mean `Bravo`?' in result.err


@pytest.mark.parametrize('item', ((), ('Bravo',)))
def test_a_registry_that_cannot_be_read_has_remedies(
    project: Repo, interlock: Interlock, item: tuple[str, ...]
) -> None:
    project.write({'PLUGINS.md': b'\xff\xfe'})
    result = interlock('resolve', *item, '--finding', 'REG008', '--choose', 'restore')
    assert result.code == 0
    assert result.err.startswith('$ git checkout HEAD -- PLUGINS.md\n')
    assert result.out.endswith('REG008 *: gone\n')


def test_outside_of_a_repository_it_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, interlock: Interlock
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv('GIT_CEILING_DIRECTORIES', str(tmp_path.parent))
    result = interlock('resolve')
    assert result.code == 2
    assert 'next: git init' in result.err


def test_on_a_terminal_one_finding_comes_after_the_other(
    drifted: Repo, interlock: Interlock
) -> None:
    result = typed('resolve', answers=('review', '1', 'continue', 'y'))
    out = result.out
    assert (
        out.index('$ interlock registry sync Bravo')
        < out.index('REG001 Bravo: gone')
        < out.index('$ interlock contracts restore Bravo')
        < out.index('this would be lost:')
        < out.index('Go on?')
        < out.index('CON001 Bravo: gone')
    )
    assert out.count('Choose (1-4): _') == 2
    assert out.endswith('0 findings left\n')
    assert result.code == 0
    assert interlock.check('--worktree', '--inherited').codes == []


def test_on_a_terminal_what_would_be_lost_can_be_kept(drifted: Repo) -> None:
    result = typed('resolve', '--finding', 'CON001', answers=('1', 'n', 'pause'))
    assert result.out.count('Choose (1-5): _') == 2
    assert result.out.endswith('1 finding left\n')
    assert result.code == 1
    assert (drifted.path / ARCHITECTURE).read_text() == 'autre\n'


def test_on_a_terminal_pause_leaves_the_rest(
    drifted: Repo, interlock: Interlock
) -> None:
    before = drifted.git('diff')
    result = typed('resolve', answers=('Pause',))
    assert result.code == 1
    assert result.out.endswith('2 findings left\n')
    assert drifted.git('diff') == before


def test_on_a_terminal_a_finding_that_stays_is_asked_about_once(drifted: Repo) -> None:
    result = typed('resolve', answers=('manual', 'improve'))
    assert result.out.count('[') == 2
    assert result.out.endswith('2 findings left\n')
    assert result.code == 1


def test_on_a_terminal_a_dry_run_goes_through_the_menus(drifted: Repo) -> None:
    before = drifted.git('diff')
    result = typed('resolve', '--dry-run', answers=('1', '1'))
    assert '$ interlock registry sync Bravo\n' in result.out
    assert '$ interlock contracts restore Bravo\n' in result.out
    assert result.out.endswith('2 findings left\n')
    assert drifted.git('diff') == before


STAGE_3 = {
    'PLUGINS.md': registry('Stage 3'),
    BRAVO: samples.handoff('Bravo', '3', evidence='\n  3.test: passed 2026-01-02'),
    'plugins/Bravo/Source/Main.cpp': '// 3\n',
}


def message_hook(repo: Repo) -> None:
    file = repo.path / '.git/hooks/commit-msg'
    file.write_text(
        f'#!/bin/sh\nexec {SCRIPTS}/interlock check --staged --message "$1"\n'
    )
    file.chmod(0o755)


def test_the_message_of_a_refused_commit_is_judged(
    project: Repo, interlock: Interlock
) -> None:
    message_hook(project)
    project.stage(STAGE_3)
    refused = 'feat: Bravo Stage 2 - moteur'
    assert project.try_git('commit', '-m', refused).returncode == 1
    result = interlock('resolve')
    assert result.code == 1
    assert 'COM004 Bravo: ' in result.out
    assert 'COMMIT_EDITMSG' in result.err
    result = interlock('resolve', '--finding', 'COM004', '--choose', '1')
    assert 'commit again with a subject that names Stage 3' in result.out
    # once it is made, it is no longer asked
    done = project.try_git('commit', '-m', 'feat: Bravo Stage 3 - moteur')
    assert done.returncode == 0, done.stdout + done.stderr
    result = interlock('resolve')
    assert (result.code, result.out) == (0, 'nothing to resolve\n')
    assert result.err == ''


def test_without_a_message_it_is_said_that_none_is_judged(
    project: Repo, interlock: Interlock
) -> None:
    project.stage(STAGE_3)
    # a leftover of the last commit is not the message of this one
    result = interlock('resolve')
    assert (result.code, result.out) == (0, 'nothing to resolve\n')
    assert 'interlock check --staged --message FILE' in result.err
    assert interlock('resolve', '-q').err == ''


def test_the_message_that_git_prepared_is_judged(
    project: Repo, interlock: Interlock
) -> None:
    project.git('checkout', '-q', '-b', 'side')
    project.commit(STAGE_3, 'feat: Bravo Stage 2 - moteur')
    project.git('checkout', '-q', '-')
    project.commit({'x': 'é'})
    project.git('cherry-pick', '--no-commit', 'side')
    result = interlock('resolve')
    assert 'MERGE_MSG' in result.err
    assert 'COM004 Bravo: ' in result.out
