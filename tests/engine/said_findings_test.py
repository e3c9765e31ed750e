"""What pre-commit says, commit-msg does not say again."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from interlock import __version__
from interlock.checks import run
from interlock.engine import said_findings
from interlock.rules.new_finding import Location
from tests.conftest import Interlock, Repo

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


def said(repo: Repo) -> Path:
    return repo.path / '.git' / 'interlock' / said_findings.FILE


def at_pre_commit(interlock: Interlock) -> None:
    found = interlock('hook')
    assert (found.code, WARNING in found.out) == (0, True), found.err


def test_a_warning_is_said_once(warned: Repo, interlock: Interlock) -> None:
    at_pre_commit(interlock)
    found = interlock('hook', 'message')
    assert (found.code, found.out, found.err) == (0, '', '')
    # of what nothing was said before, everything is
    os.remove(said(warned))
    assert WARNING in interlock('hook', 'message').out


def _damage(repo: Repo) -> None:
    said(repo).write_bytes(b'{"version": "')


def _foreign(repo: Repo) -> None:
    said(repo).write_text(json.dumps({'version': __version__, 'said': [1]}))


def _other_version(repo: Repo) -> None:
    record = json.loads(said(repo).read_text())
    said(repo).write_text(json.dumps({**record, 'version': '0.0.1'}))


def _other_commit(repo: Repo) -> None:
    """The pre-commit hook ran, and then another `git commit` without it."""
    record = json.loads(said(repo).read_text())
    said(repo).write_text(json.dumps({**record, 'commit': str(os.getpid())}))


def _other_index(repo: Repo) -> None:
    repo.stage({'README.md': 'relire\n'})


def _other_head(repo: Repo) -> None:
    tree = repo.git('rev-parse', 'HEAD^{tree}')
    repo.git('reset', '-q', '--soft', repo.git('commit-tree', '-m', 'é', tree))


def _other_words(repo: Repo) -> None:
    record = json.loads(said(repo).read_text())
    words = [each.replace('warning', 'info') for each in record['said']]
    said(repo).write_text(json.dumps({**record, 'said': words}))


def _without_checksum(repo: Repo) -> None:
    """As `index.skipHash` leaves it."""
    index = repo.path / '.git' / 'index'
    index.write_bytes(index.read_bytes()[:-20] + bytes(20))


@pytest.mark.parametrize(
    'spoil',
    (
        _damage,
        _foreign,
        _other_version,
        _other_commit,
        _other_index,
        _other_head,
        _other_words,
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


def test_a_tool_that_shows_nothing_of_what_passes_records_nothing(
    warned: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv('PRE_COMMIT', '1')
    at_pre_commit(interlock)
    assert not said(warned).exists()
    assert WARNING in interlock('hook', 'message').out


def test_what_cannot_be_recorded_is_said_twice(
    warned: Repo, interlock: Interlock
) -> None:
    said(warned).mkdir(parents=True)
    at_pre_commit(interlock)
    assert WARNING in interlock('hook', 'message').out


def test_a_refusal_is_never_left_out(warned: Repo, interlock: Interlock) -> None:
    """Not even if the record says that it was said as an error."""
    assert interlock('init', '--git-hooks').code == 0
    warned.stage({'.interlock.yaml': WORKFLOW.replace(': warning', ': "off"')})
    found = interlock('hook')
    assert (found.code, 'CFG008' in found.out) == (0, True)
    found = interlock('hook', 'message')
    assert (found.code, 'error: CFG008' in found.out) == (1, True)
    assert WARNING not in found.out
    at_pre_commit(interlock)
    record = json.loads(said(warned).read_text())
    errors = [each.replace('warning', 'error') for each in record['said']]
    said(warned).write_text(json.dumps({**record, 'said': record['said'] + errors}))
    found = interlock('hook', 'message')
    assert (found.code, 'error: CFG008' in found.out) == (1, True)


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
