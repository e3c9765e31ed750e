"""Runs of CI on the default branch, of tags, and in clones that are cut."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests import samples
from tests.conftest import Interlock, Repo
from tests.samples import DRIFT

NULL = '0' * 40
GONE = 'c0ffee' * 6 + 'c0ff'


class Main:
    """A clone of a main branch: a guilty commit, then an innocent one."""

    def __init__(self, repo: Repo, folder: Path) -> None:
        self.repo = repo
        self.folder = folder
        self.guilty = repo.git('rev-parse', 'HEAD^')
        self.tip = repo.git('rev-parse', 'HEAD')

    def github(
        self, name: str, ref: str = 'refs/heads/main', **data: Any
    ) -> dict[str, str]:
        file = self.folder / 'event.json'
        file.write_text(
            json.dumps({'repository': {'default_branch': 'main'}, 'ref': ref, **data})
        )
        return {
            'GITHUB_ACTIONS': 'true',
            'GITHUB_EVENT_NAME': name,
            'GITHUB_EVENT_PATH': str(file),
            'GITHUB_REF': ref,
        }

    def gitlab(self, source: str, **values: str) -> dict[str, str]:
        return {
            'GITLAB_CI': 'true',
            'CI_DEFAULT_BRANCH': 'main',
            'CI_COMMIT_SHA': self.tip,
            'CI_COMMIT_BEFORE_SHA': NULL,
            'CI_PIPELINE_SOURCE': source,
            **values,
        }


@pytest.fixture
def main(project: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Main:
    for name in ('GITHUB_ACTIONS', 'GITLAB_CI', 'GITHUB_STEP_SUMMARY'):
        monkeypatch.delenv(name, raising=False)
    project.commit(DRIFT)
    project.commit({'README.md': 'à lire\n'})
    clone = tmp_path / 'läufer'
    project.git('clone', '-q', project.path.as_uri(), str(clone))
    monkeypatch.chdir(clone)
    return Main(Repo(clone), tmp_path)


Prepare = Callable[[Main], dict[str, str]]


@pytest.mark.parametrize(
    'prepare',
    (
        pytest.param(
            lambda main: main.github('push', before=NULL, after=main.tip), id='github'
        ),
        pytest.param(
            lambda main: main.gitlab('push', CI_COMMIT_BRANCH='main'), id='gitlab'
        ),
    ),
)
def test_the_first_push_is_judged_from_its_root(
    main: Main, interlock: Interlock, monkeypatch: pytest.MonkeyPatch, prepare: Prepare
) -> None:
    for name, value in prepare(main).items():
        monkeypatch.setenv(name, value)
    result = interlock.check('--base', 'auto')
    found = json.loads(result.out)
    assert [each['commit'] for each in found['findings']] == [main.guilty]
    assert (result.code, found['summary']['commits']) == (1, 3)
    assert (
        f'judging {main.tip} (the first push: the whole history is '
        f'judged)' in result.err
    )


def _tag(main: Main) -> dict[str, str]:
    main.repo.git('tag', 'v1')
    return main.github('push', 'refs/tags/v1', before=NULL, after=main.tip)


def _annotated(main: Main) -> dict[str, str]:
    """A runner may fetch the commit of a tag, and not the tag."""
    return {
        **main.github('push', 'refs/tags/v1', before=NULL, after=GONE),
        'GITHUB_SHA': main.tip,
    }


def _unnamed(main: Main) -> dict[str, str]:
    """As GitHub describes what a clock starts: without the repository."""
    return main.github('schedule', repository=None)


AGAIN = (
    pytest.param(lambda main: main.github('schedule'), id='github clock'),
    pytest.param(_unnamed, id='github clock, no repository'),
    pytest.param(lambda main: main.github('workflow_dispatch'), id='github by hand'),
    pytest.param(lambda main: main.github('repository_dispatch'), id='github program'),
    pytest.param(_tag, id='github tag'),
    pytest.param(_annotated, id='github tag with a message'),
    pytest.param(
        lambda main: main.github('release', 'refs/tags/v1'), id='github release'
    ),
    pytest.param(
        lambda main: main.github('push', 'refs/heads/neu', before=NULL, after=main.tip),
        id='github new branch',
    ),
    *(
        pytest.param(
            lambda main, source=source: main.gitlab(source, CI_COMMIT_BRANCH='main'),
            id=f'gitlab {source}',
        )
        for source in ('schedule', 'web', 'api', 'trigger', 'pipeline')
    ),
    pytest.param(lambda main: main.gitlab('push', CI_COMMIT_TAG='v1'), id='gitlab tag'),
    pytest.param(
        lambda main: main.gitlab(
            'schedule', CI_COMMIT_BRANCH='main', CI_COMMIT_BEFORE_SHA=main.tip
        ),
        id='gitlab, nothing pushed',
    ),
)


@pytest.mark.parametrize('prepare', AGAIN)
@pytest.mark.parametrize('is_guilty', (False, True))
def test_where_nothing_is_new_the_last_commit_is_judged(
    main: Main,
    interlock: Interlock,
    monkeypatch: pytest.MonkeyPatch,
    prepare: Prepare,
    is_guilty: bool,
) -> None:
    if is_guilty:
        main.repo.git('reset', '-q', '--hard', main.guilty)
        main.repo.git('update-ref', 'refs/remotes/origin/main', main.guilty)
        main.tip = main.guilty
    for name, value in prepare(main).items():
        monkeypatch.setenv(name, value)
    result = interlock.check('--base', 'auto')
    found = json.loads(result.out)
    assert (result.code, found['summary']['commits']) == (is_guilty, 1)
    assert ': the last commit is judged)' in result.err


def test_the_only_commit_is_the_last_one(
    repo: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    repo.commit({'.interlock.yaml': samples.WORKFLOW, **DRIFT})
    repo.git('update-ref', 'refs/remotes/origin/main', 'HEAD')
    monkeypatch.setenv('GITLAB_CI', 'true')
    monkeypatch.setenv('CI_DEFAULT_BRANCH', 'main')
    monkeypatch.setenv('CI_COMMIT_BRANCH', 'main')
    monkeypatch.setenv('CI_PIPELINE_SOURCE', 'schedule')
    result = interlock.check('--base', 'auto')
    found = json.loads(result.out)
    # it adopts the workflow
    assert (result.code, found['summary']['commits']) == (0, 1)
    assert 'judging HEAD (there are no new commits for refs/remotes/origin/main' in (
        result.err
    )


def test_a_commit_that_was_tagged_later_is_judged_alone(
    main: Main, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    environ = main.github('push', 'refs/tags/v0', before=NULL, after=main.guilty)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    result = interlock.check('--base', 'auto')
    assert (result.code, result.codes) == (1, ['REG001'])
    assert f'judging {main.guilty}^..{main.guilty} (' in result.err


def _shadowed(main: Main) -> dict[str, str]:
    main.repo.git('switch', '-q', '-c', 'zweig', main.guilty)
    main.repo.git('update-ref', 'refs/remotes/origin/main', f'{main.guilty}^')
    main.repo.git('tag', 'origin/main')
    return main.github('push', 'refs/heads/zweig', before=NULL, after=main.guilty)


def test_a_tag_is_not_taken_for_the_default_branch(
    main: Main, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in _shadowed(main).items():
        monkeypatch.setenv(name, value)
    result = interlock.check('--base', 'auto')
    assert (result.code, result.codes) == (1, ['REG001'])


@pytest.mark.parametrize(
    ('prepare', 'sentence', 'following'),
    (
        pytest.param(
            lambda main: main.github('push', before=GONE, after=main.tip),
            'c0ffeec0ff, the tip before this push, is not in this clone',
            f'git fetch origin {GONE}',
            id='github forced',
        ),
        pytest.param(
            lambda main: main.gitlab(
                'push', CI_COMMIT_BRANCH='main', CI_COMMIT_BEFORE_SHA=GONE
            ),
            'c0ffeec0ff, the tip before this push, is not in this clone',
            f'git fetch origin {GONE}',
            id='gitlab forced',
        ),
        pytest.param(
            lambda main: {},
            'there are no new commits for @{upstream}',
            'name the commit before the new ones: interlock check --base HEAD~1',
            id='some runner',
        ),
        pytest.param(
            lambda main: main.github('issue_comment'),
            'there are no new commits for refs/remotes/origin/main',
            'name the commit before the new ones: interlock check --base HEAD~1',
            id='github, something else',
        ),
        pytest.param(
            lambda main: main.github('workflow_dispatch', repository=None),
            'there are no new commits for @{upstream}',
            'name the commit before the new ones: interlock check --base HEAD~1',
            id='github, no default branch',
        ),
        pytest.param(
            lambda main: main.gitlab('unheard_of', CI_COMMIT_BRANCH='main'),
            'there are no new commits for refs/remotes/origin/main',
            'name the commit before the new ones: interlock check --base HEAD~1',
            id='gitlab, something else',
        ),
        pytest.param(
            lambda main: main.gitlab(
                'push', CI_COMMIT_BRANCH='main', CI_COMMIT_BEFORE_SHA=''
            ),
            'there are no new commits for refs/remotes/origin/main',
            'name the commit before the new ones: interlock check --base HEAD~1',
            id='gitlab, no before',
        ),
        pytest.param(
            lambda main: main.gitlab(
                'push', CI_COMMIT_BRANCH='neu', CI_DEFAULT_BRANCH='fehlt'
            ),
            'there are no new commits for refs/remotes/origin/HEAD',
            'name the commit before the new ones: interlock check --base HEAD~1',
            id='gitlab, not fetched',
        ),
    ),
)
def test_what_is_not_clear_is_refused(
    main: Main,
    interlock: Interlock,
    monkeypatch: pytest.MonkeyPatch,
    prepare: Prepare,
    sentence: str,
    following: str,
) -> None:
    for name, value in prepare(main).items():
        monkeypatch.setenv(name, value)
    result = interlock('check', '--base', 'auto')
    assert (result.code, result.out) == (2, '')
    assert sentence in result.err
    assert f'    next: {following}\n' in result.err


def test_a_branch_that_was_not_fetched_is_named(
    main: Main, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    main.repo.git('remote', 'set-head', 'origin', '--delete')
    main.repo.git('update-ref', '-d', 'refs/remotes/origin/main')
    environ = main.github('push', 'refs/heads/neu', before=NULL, after=main.tip)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    result = interlock('check', '--base', 'auto')
    assert result.code == 2
    assert 'next: git fetch origin main:refs/remotes/origin/main, or ' in (result.err)


@pytest.mark.parametrize(
    'prepare',
    (
        pytest.param(
            lambda main: main.github('push', before=NULL, after=main.tip),
            id='github first push',
        ),
        pytest.param(
            lambda main: main.github('push', before=main.guilty, after=main.tip),
            id='github push',
        ),
        pytest.param(
            lambda main: main.github('push', before=GONE, after=main.tip),
            id='github forced',
        ),
        pytest.param(
            lambda main: main.github(
                'push', 'refs/heads/neu', before=NULL, after=main.tip
            ),
            id='github new branch',
        ),
        pytest.param(
            lambda main: main.github(
                'push',
                'refs/heads/neu',
                before=NULL,
                after=main.tip,
                repository={'default_branch': 'fehlt'},
            ),
            id='github new branch alone',
        ),
        *AGAIN,
        pytest.param(lambda main: {}, id='some runner'),
    ),
)
def test_a_history_that_is_cut_off_is_refused_with_the_fix(
    main: Main,
    interlock: Interlock,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    prepare: Prepare,
) -> None:
    environ = prepare(main)
    clone = tmp_path / 'flach'
    url = main.repo.git('config', 'remote.origin.url')
    main.repo.git('clone', '-q', '--depth', '1', url, str(clone))
    monkeypatch.chdir(clone)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    result = interlock('check', '--base', 'auto')
    assert (result.code, result.out) == (2, '')
    assert 'in CI, set `fetch-depth: 0`' in result.err
    assert '    next: git fetch --unshallow\n' in result.err
