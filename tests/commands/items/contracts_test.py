from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests import samples
from tests.conftest import Interlock, Repo

BRAVO = samples.handoff_path('Bravo')
BRIEF = 'plugins/Bravo/.ideas/creative-brief.md'
PLAN = 'plugins/Bravo/.ideas/plan.md'


def test_a_seal_that_holds_is_left_alone(project: Repo, interlock: Interlock) -> None:
    result = interlock('contracts', 'seal', 'Bravo')
    assert result.code == 0
    assert result.err == 'Bravo: every contract matches its seal\n'
    assert project.git('status', '--porcelain') == ''


def test_each_contract_is_judged(project: Repo, interlock: Interlock) -> None:
    project.write({BRIEF: 'autre\n', PLAN: None})
    result = interlock('contracts', 'verify', 'Bravo')
    assert result.code == 1
    assert [line.split()[:2] for line in result.out.splitlines()] == [
        ['creative_brief', 'broken'],
        ['parameter_spec', 'holds'],
        ['architecture', 'holds'],
        ['plan', 'missing'],
    ]
    assert result.err == 'next: interlock contracts restore Bravo\n'


def test_a_frozen_contract_is_sealed_anew_only_with_a_reason(
    project: Repo, interlock: Interlock
) -> None:
    project.write({BRIEF: 'autre\n'})
    before = (project.path / BRAVO).read_bytes()
    result = interlock('contracts', 'seal', 'Bravo')
    assert result.code == 1
    assert 'is frozen at Stage 2' in result.err
    assert (project.path / BRAVO).read_bytes() == before
    result = interlock('contracts', 'seal', 'Bravo', '--amend', 'décidé')
    assert result.code == 0
    assert 'Contract-Amendment: décidé' in result.err
    old = samples.checksums('Bravo')['creative_brief']
    assert (project.path / BRAVO).read_bytes() == before.replace(
        old.encode(), samples.checksum('autre\n').encode()
    )
    assert interlock('contracts', 'verify', 'Bravo').code == 0


def test_a_free_contract_needs_no_reason(project: Repo, interlock: Interlock) -> None:
    project.write({PLAN: 'autre\n'})
    assert interlock('contracts', 'seal', 'Bravo').code == 0
    assert interlock('contracts', 'verify', 'Bravo').code == 0


def test_one_contract_can_be_named(project: Repo, interlock: Interlock) -> None:
    project.write({PLAN: 'autre\n', BRIEF: 'autre\n'})
    assert interlock('contracts', 'seal', 'Bravo', 'plan').code == 0
    result = interlock('contracts', 'seal', 'Bravo', 'plam')
    assert result.code == 2
    assert 'did you mean `plan`?' in result.err


def test_contracts_come_back_from_the_commit_that_was_sealed(
    project: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.commit({BRIEF: 'autre\n', PLAN: None})
    project.commit({BRIEF: 'encore autre\n'})
    monkeypatch.chdir(project.path / 'plugins')
    result = interlock('contracts', 'restore', 'Bravo')
    assert result.code == 0, result.err
    text = samples.contract('Bravo', 'creative_brief')
    assert (project.path / BRIEF).read_text() == text
    assert interlock('contracts', 'verify', 'Bravo').code == 0
    # the index is the user's
    assert project.git('diff', '--cached', '--name-only') == ''


def test_what_no_commit_holds_cannot_come_back(
    project: Repo, interlock: Interlock
) -> None:
    sums = {**samples.checksums('Bravo'), 'plan': samples.checksum('jamais')}
    project.write({BRAVO: samples.handoff('Bravo', sums=sums)})
    result = interlock('contracts', 'restore', 'Bravo')
    assert result.code == 1
    assert f'no commit holds the sealed version of {PLAN}' in result.err


def test_line_endings_of_a_checkout_do_not_matter(
    project: Repo, interlock: Interlock
) -> None:
    project.git('config', 'core.autocrlf', 'true')
    text = samples.contract('Bravo', 'creative_brief')
    project.write({BRIEF: text.replace('\n', '\r\n')})
    assert interlock('contracts', 'verify', 'Bravo').code == 0


def test_without_git_the_files_count_and_nothing_is_restored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, interlock: Interlock
) -> None:
    top = Repo(tmp_path / 'ailleurs')
    top.path.mkdir()
    top.write(
        {
            '.interlock.yaml': samples.WORKFLOW,
            'PLUGINS.md': samples.registry({'Bravo': 'Stage 2'}),
            **samples.item_files('Bravo'),
            BRAVO: samples.handoff('Bravo'),
            PLAN: 'autre\n',
        }
    )
    monkeypatch.chdir(top.path)
    monkeypatch.setenv('PATH', os.devnull)
    assert interlock('contracts', 'verify', 'Bravo').code == 1
    assert interlock('contracts', 'restore', 'Bravo').code == 2
    result = interlock('contracts', 'seal', 'Bravo')
    assert result.code == 0
    assert 'nothing is committed: git is not installed' in result.err


def test_contracts_come_back_together_or_not_at_all(
    project: Repo, interlock: Interlock
) -> None:
    project.write({BRIEF: 'autre\n', PLAN: 'autre\n'})
    (project.path / PLAN).chmod(0o444)
    result = interlock('contracts', 'restore', 'Bravo')
    assert f'{PLAN} is read-only\n    next: chmod u+w' in result.err
    assert result.code == 2
    assert (project.path / BRIEF).read_text() == 'autre\n'
    (project.path / PLAN).chmod(0o644)
    assert interlock('contracts', 'restore', 'Bravo').code == 0
    assert interlock('contracts', 'verify', 'Bravo').code == 0


def test_contracts_come_back_as_a_checkout_writes_them(
    project: Repo, interlock: Interlock
) -> None:
    project.commit({'.gitattributes': '*.md text eol=crlf\n'})
    (project.path / BRIEF).unlink()
    assert interlock('contracts', 'restore', 'Bravo').code == 0
    text = samples.contract('Bravo', 'creative_brief')
    assert (project.path / BRIEF).read_bytes().decode() == (text.replace('\n', '\r\n'))
    assert interlock('contracts', 'verify', 'Bravo').code == 0
