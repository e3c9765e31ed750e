"""What pre-commit found, commit-msg does not find again."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from interlock.checks import run
from interlock.checks.all_checks import CHECKS
from interlock.engine import kept_verdict
from interlock.model.change import Change
from interlock.rules.new_finding import Location
from tests import samples, spaces
from tests.conftest import Interlock, Repo
from tests.e2e.corpus import Files
from tests.spaces import Space

WORKFLOW = """\
version: 1
extends: spec-kit
severity: {tasks-without-plan: warning}
"""
WARNING = 'REG016 tasks-without-plan'
FILES = {'specs/001-é/spec.md': '# É\n', 'specs/001-é/tasks.md': '- [ ] T001 a\n'}


@pytest.fixture
def warned(repo: Repo) -> Repo:
    """A repository in which a change is staged of which a warning speaks."""
    repo.commit({'.interlock.yaml': WORKFLOW, 'README.md': 'à lire\n'}, 'adopt')
    repo.stage(FILES)
    repo.write({'message': 'É: add it\n'})
    return repo


def kept(repo: Repo) -> Path:
    return repo.path / '.git' / 'interlock' / kept_verdict.FILE


def at_pre_commit(interlock: Interlock) -> None:
    found = interlock('hook')
    assert (found.code, WARNING in found.out) == (0, True), found.err


def test_a_warning_is_said_once(warned: Repo, interlock: Interlock) -> None:
    at_pre_commit(interlock)
    found = interlock('hook', 'message')
    assert (found.code, found.out, found.err) == (0, '', '')
    # of what nothing was said before, everything is
    os.remove(kept(warned))
    assert WARNING in interlock('hook', 'message').out


def _spoil(repo: Repo, *lines: str) -> None:
    """Other lines instead of the first ones: key, checks, what was said."""
    old = kept(repo).read_text().split('\n')
    kept(repo).write_text('\n'.join((*lines, *old[len(lines) :])))


def _damage(repo: Repo) -> None:
    kept(repo).write_bytes(kept(repo).read_bytes()[:40])


def _not_text(repo: Repo) -> None:
    kept(repo).write_bytes(b'\xff\x00\n\n')


def _other_key(repo: Repo) -> None:
    _spoil(repo, '0' * 128)


def _no_key(repo: Repo) -> None:
    _spoil(repo, '')


def _other_index(repo: Repo) -> None:
    repo.stage({'README.md': 'relire\n'})


def _other_head(repo: Repo) -> None:
    tree = repo.git('rev-parse', 'HEAD^{tree}')
    repo.git('reset', '-q', '--soft', repo.git('commit-tree', '-m', 'é', tree))


def _without_checksum(repo: Repo) -> None:
    """As `index.skipHash` leaves it."""
    index = repo.path / '.git' / 'index'
    index.write_bytes(index.read_bytes()[:-20] + bytes(20))


@pytest.mark.parametrize(
    'spoil',
    (
        _damage,
        _not_text,
        _other_key,
        _no_key,
        _other_index,
        _other_head,
        _without_checksum,
    ),
)
def test_what_another_record_says_counts_for_nothing(
    warned: Repo, interlock: Interlock, spoil: Callable[[Repo], None]
) -> None:
    at_pre_commit(interlock)
    spoil(warned)
    found = interlock('hook', 'message')
    assert (found.code, WARNING in found.out) == (0, True), found.err


@pytest.mark.parametrize(
    ('name', 'value'),
    (
        pytest.param('interlock.engine.kept_verdict.__version__', '0.0.1', id='rules'),
        pytest.param('os.getppid', lambda: 1, id='another git'),
    ),
)
def test_what_is_kept_is_of_one_commit(
    warned: Repo,
    interlock: Interlock,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    value: object,
) -> None:
    at_pre_commit(interlock)
    monkeypatch.setattr(name, value)
    assert WARNING in interlock('hook', 'message').out


def test_what_is_kept_is_of_one_actor(
    warned: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_pre_commit(interlock)
    monkeypatch.setenv('INTERLOCK_SESSION', 'é-2')
    assert WARNING in interlock('hook', 'message').out


def test_a_workflow_that_is_not_in_head_keeps_nothing(
    warned: Repo, interlock: Interlock
) -> None:
    warned.git('rm', '-q', '--cached', '.interlock.yaml')
    warned.commit({'.gitignore': '.interlock.yaml\n'})
    warned.stage({'specs/002-é/tasks.md': '- [ ] T001 a\n'})
    at_pre_commit(interlock)
    assert not kept(warned).exists()


def _settled(repo: Repo) -> set[str]:
    return {*kept(repo).read_text().split('\n')[1].split()}


# but those that read the message or the lock whatever is staged
ALL = {*CHECKS} - {'message', 'locks'}
# it names files of a stage commit, so it reads the subject
BY_MESSAGE = {'commit'}


@pytest.mark.parametrize(
    ('files', 'expected'),
    (
        pytest.param({'README.md': 'é\n'}, ALL - BY_MESSAGE, id='nothing of ours'),
        pytest.param(
            {'PLUGINS.md': samples.registry({**samples.STATUSES, 'Alpha': 'Stage 0'})},
            ALL - BY_MESSAGE,
            id='a step',
        ),
        pytest.param(
            {
                'PLUGINS.md': samples.registry(
                    {k: v for k, v in samples.STATUSES.items() if k != 'Bravo'}
                ),
                samples.handoff_path('Bravo'): None,
            },
            ALL - BY_MESSAGE - {'registry'},
            id='an item that leaves needs a reason',
        ),
        pytest.param(
            {
                'plugins/Bravo/.ideas/creative-brief.md': 'é\n',
                samples.handoff_path('Bravo'): samples.handoff(
                    'Bravo',
                    sums={
                        **samples.checksums('Bravo'),
                        'creative_brief': samples.checksum('é\n'),
                    },
                ),
            },
            ALL - BY_MESSAGE - {'contracts'},
            id='a contract that changes needs a reason',
        ),
        pytest.param(
            {'.interlock.yaml': f'{samples.WORKFLOW}severity: {{REG001: warning}}\n'},
            ALL - BY_MESSAGE - {'workflow'},
            id='a rule that is loosened needs a reason',
        ),
    ),
)
def test_a_check_is_kept_unless_it_needs_the_message(
    project: Repo, interlock: Interlock, files: Files, expected: set[str]
) -> None:
    assert interlock('init', '--git-hooks').code == 0
    project.stage(files)
    project.write({'message': 'chore: é\n'})
    found = interlock('hook')
    assert found.code == 0, found.out
    assert _settled(project) == expected
    found = interlock('hook', 'message', '-v')
    ran = re.findall('^ +([a-z]+) +[0-9]+ rules? .* ms$', found.out, re.MULTILINE)
    assert {*ran} == {*CHECKS} - expected


@pytest.mark.usefixtures('person')
def test_what_depends_on_locks_and_tasks_is_judged_again(
    space: Space, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv('INTERLOCK_SESSION')
    space.main.commit({'.interlock.yaml': spaces.WORKFLOW})
    space.main.stage({'README.md': 'é\n'})
    assert interlock('hook').code == 0
    assert _settled(space.main) == {*CHECKS} - {'stages', 'locks', 'commit', 'message'}


def test_a_tool_that_shows_nothing_of_what_passes_records_nothing(
    warned: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv('PRE_COMMIT', '1')
    at_pre_commit(interlock)
    assert not kept(warned).exists()
    assert WARNING in interlock('hook', 'message').out


def test_what_cannot_be_recorded_is_said_twice(
    warned: Repo, interlock: Interlock
) -> None:
    kept(warned).mkdir(parents=True)
    at_pre_commit(interlock)
    assert WARNING in interlock('hook', 'message').out


def test_a_refusal_is_never_left_out(warned: Repo, interlock: Interlock) -> None:
    assert interlock('init', '--git-hooks').code == 0
    warned.stage({'.interlock.yaml': WORKFLOW.replace(': warning', ': "off"')})
    found = interlock('hook')
    # the message decides, so nothing is said before
    assert (found.code, 'CFG008' in found.out) == (0, False)
    found = interlock('hook', 'message')
    assert (found.code, 'error: CFG008' in found.out) == (1, True)
    assert WARNING not in found.out


def test_what_is_about_locks_is_said_again(
    warned: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = Location('*', 'lock').finding('LCK001', 'é holds it', severity='warning')
    assert held.check == 'locks'
    judge = run.judge
    monkeypatch.setattr(
        'interlock.engine.judge.judge', lambda *args: [*judge(*args), held]
    )
    for args in (('hook',), ('hook', 'message')):
        assert 'LCK001' in interlock(*args).out


def test_a_real_commit_says_a_warning_once(warned: Repo, interlock: Interlock) -> None:
    assert interlock('init', '--git-hooks').code == 0
    for number, options in enumerate(((), ('--amend',), ('-a',), ('--only', 'specs'))):
        warned.stage({f'specs/1{number}0-é/tasks.md': '- [ ] T001 a\n'})
        warned.write({'README.md': f'{number}\n'})
        made = warned.try_git('commit', '-m', 'É: add it', *options)
        text = made.stdout + made.stderr
        said_of = text.count(f'{WARNING} 1{number}0-é')
        assert (made.returncode, said_of) == (0, 1), text


def test_what_follows_from_trees_or_tasks_is_listed_by_its_name() -> None:
    """Every other field of a change keeps the check that reads it from being kept."""
    assert {*run.FROM_TREES, *run.OF_TASKS, 'message'} == {*Change._fields}
