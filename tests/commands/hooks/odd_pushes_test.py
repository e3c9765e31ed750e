"""Histories that are odd, or broken, on each surface that judges many."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

import pytest

from tests import forked, samples
from tests.commands.terminal import typed
from tests.conftest import Interlock, Repo
from tests.samples import DRIFT, STATUSES

pytestmark = pytest.mark.real

NOWHERE = '1' * 40
BRANCHES = 30
Said = subprocess.CompletedProcess[str]
Surface = Callable[[Repo, str, str], Said]


def _run(repo: Repo, *args: str, lines: str = '') -> Said:
    return forked.command(*args, data=lines, cwd=repo.path)


def _range(repo: Repo, old: str, new: str) -> Said:
    return _run(repo, 'check', '--range', f'{old}..{new}')


def _pre_push(repo: Repo, old: str, new: str) -> Said:
    line = f'refs/heads/main {new} refs/heads/main {old}\n'
    return _run(repo, 'pre-push', 'origin', 'file:///x', lines=line)


def _pre_receive(repo: Repo, old: str, new: str) -> Said:
    return _run(repo, 'pre-receive', lines=f'{old} {new} refs/heads/main\n')


on_each = pytest.mark.parametrize(
    'surface',
    (
        pytest.param(_range, id='range'),
        pytest.param(_pre_push, id='pre-push'),
        pytest.param(_pre_receive, id='pre-receive'),
    ),
)


def _object(repo: Repo, parents: list[str], message: bytes) -> str:
    """A commit of what is staged, of which no ref knows."""
    lines = [f'tree {repo.git("write-tree")}']
    lines.extend(f'parent {parent}' for parent in parents)
    lines.extend(
        f'{who} Z <z@example.invalid> 1 +0000' for who in ('author', 'committer')
    )
    return (
        subprocess.run(
            ('git', 'hash-object', '-t', 'commit', '-w', '--stdin', '--literally'),
            input='\n'.join([*lines, '', '']).encode() + message,
            cwd=repo.path,
            capture_output=True,
            check=True,
        )
        .stdout.decode()
        .strip()
    )


def _is_refused(said: Said) -> bool:
    """For a finding, or for a reason and with what comes next."""
    if said.returncode == 1:
        return 'REG001' in said.stdout
    return said.returncode == 2 and 'next: ' in said.stderr


@on_each
@pytest.mark.parametrize(
    'message',
    (
        pytest.param(b'', id='none'),
        pytest.param(b'\n\n', id='blank'),
        pytest.param(b'fix: \xe9\xff\n', id='no UTF-8'),
        pytest.param(b'fix: \0\n', id='a zero'),
    ),
)
def test_a_commit_is_judged_whatever_its_message(
    project: Repo, surface: Surface, message: bytes
) -> None:
    base = project.git('rev-parse', 'HEAD')
    project.stage({'README.md': 'x\n'})
    harmless = _object(project, [base], message)
    assert surface(project, base, harmless).returncode == 0
    project.stage(DRIFT)
    guilty = _object(project, [base], message)
    said = surface(project, base, guilty)
    assert (said.returncode, 'REG001' in said.stdout) == (1, True)


@on_each
def test_a_merge_of_thirty_parents_is_judged(project: Repo, surface: Surface) -> None:
    base = project.git('rev-parse', 'HEAD')
    parents = []
    for number in range(BRANCHES):
        project.stage({f'docs/{number}.md': 'x\n'})
        parents.append(_object(project, [base], b'chore: x\n'))
    fine = _object(project, parents, b'Merge\n')
    assert surface(project, base, fine).returncode == 0
    project.stage(DRIFT)
    guilty = _object(project, parents, b'Merge, mal\n')
    said = surface(project, base, guilty)
    assert (said.returncode, 'REG001' in said.stdout) == (1, True)


@on_each
def test_a_rewritten_history_is_judged_from_its_fork(
    project: Repo, surface: Surface
) -> None:
    base = project.git('rev-parse', 'HEAD')
    project.stage({'README.md': 'alt\n'})
    old = _object(project, [base], b'chore: alt\n')
    project.stage({'README.md': 'neu\n'})
    assert (
        surface(project, old, _object(project, [base], b'chore: neu\n')).returncode == 0
    )
    project.stage(DRIFT)
    said = surface(project, old, _object(project, [base], b'chore: mal\n'))
    assert (said.returncode, 'REG001' in said.stdout) == (1, True)


@on_each
def test_what_is_pushed_and_not_there_is_refused(
    project: Repo, surface: Surface
) -> None:
    base = project.git('rev-parse', 'HEAD')
    said = surface(project, base, NOWHERE)
    assert said.returncode == 2
    assert 'is not a commit in this repository' in said.stderr or (
        'is not in the repository' in said.stderr
    )
    assert 'next: ' in said.stderr


def test_a_range_from_nowhere_is_refused(project: Repo) -> None:
    said = _range(project, NOWHERE, 'HEAD')
    assert said.returncode == 2
    assert f'`{NOWHERE}` is not a commit in this repository' in said.stderr


@pytest.mark.parametrize(
    'surface',
    (
        pytest.param(_pre_push, id='pre-push'),
        pytest.param(_pre_receive, id='pre-receive'),
    ),
)
def test_a_tip_that_nobody_has_any_more_excuses_nothing(
    project: Repo, surface: Surface
) -> None:
    """A branch that was rewritten, and whose old tip was not fetched."""
    base = project.git('rev-parse', 'HEAD')
    project.stage(DRIFT)
    guilty = _object(project, [base], b'chore: mal\n')
    assert _is_refused(surface(project, NOWHERE, guilty))


@on_each
@pytest.mark.parametrize('name', ('', '^{tree}', ':PLUGINS.md', '~1'))
def test_a_missing_object_never_passes(
    project: Repo, surface: Surface, name: str
) -> None:
    base = project.git('rev-parse', 'HEAD')
    project.stage({'README.md': 'x\n'})
    between = _object(project, [base], b'chore: x\n')
    project.stage({'PLUGINS.md': samples.registry({**STATUSES, 'Alpha': 'Stage 0'})})
    tip = _object(project, [between], b'chore: Alpha, Stage 0 begun\n')
    assert surface(project, base, tip).returncode == 0
    oid = project.git('rev-parse', f'{tip}{name}')
    file = project.path / '.git/objects' / oid[:2] / oid[2:]
    file.chmod(0o644)
    file.unlink()
    said = surface(project, base, tip)
    assert said.returncode == 2, said.stdout
    assert 'next: ' in said.stderr


@pytest.mark.parametrize('name', ('^{tree}', ':PLUGINS.md'))
def test_a_tag_of_what_is_not_a_commit_brings_nothing(project: Repo, name: str) -> None:
    project.git('tag', '-a', '-m', 'x', 'v1', f'HEAD{name}')
    tag = project.git('rev-parse', 'v1')
    assert _pre_receive(project, '0' * 40, tag).returncode == 0
    assert _pre_push(project, '0' * 40, tag).returncode == 0


def test_on_a_terminal_it_names_a_check_that_runs(
    repo: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.commit({'.interlock.yaml': 'version: 1\nextends: basic\n'})
    repo.commit({'notes.md': 'è\n'})
    monkeypatch.chdir(repo.path)
    result = typed('pre-receive')
    assert result.code == 2
    assert 'pre-receive is a hook: git gives it the refs of a push' in result.out
    command = 'interlock check --base HEAD~1'
    assert f'next: {command}' in result.out
    assert interlock(*command.split()[1:]).code == 0
