"""The range that a run of CI is about, as its runner describes it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Interlock, Repo
from tests.samples import DRIFT

NULL = '0' * 40
GONE = 'c0ffee' * 6 + 'c0ff'


class Run:
    """A clone in which CI runs: a branch with one guilty commit."""

    def __init__(self, repo: Repo, folder: Path) -> None:
        self.repo = repo
        self.folder = folder
        self.base = repo.git('rev-parse', 'main')
        self.guilty = repo.git('rev-parse', 'HEAD')

    def event(self, data: Any) -> str:
        file = self.folder / 'event.json'
        file.write_text(json.dumps(data))
        return str(file)

    def github(self, name: str, data: dict[str, Any]) -> dict[str, str]:
        data = {
            'repository': {'default_branch': 'main'},
            'ref': 'refs/heads/zweig',
            **data,
        }
        return {
            'GITHUB_ACTIONS': 'true',
            'GITHUB_EVENT_NAME': name,
            'GITHUB_EVENT_PATH': self.event(data),
        }

    def gitlab(self, **values: str) -> dict[str, str]:
        return {
            'GITLAB_CI': 'true',
            'CI_DEFAULT_BRANCH': 'main',
            'CI_COMMIT_SHA': self.repo.git('rev-parse', 'HEAD'),
            **values,
        }


@pytest.fixture
def ci(project: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    for name in ('GITHUB_ACTIONS', 'GITLAB_CI', 'GITHUB_STEP_SUMMARY'):
        monkeypatch.delenv(name, raising=False)
    project.git('switch', '-q', '-c', 'zweig')
    project.commit(DRIFT)
    project.git('update-ref', 'refs/remotes/origin/main', 'main')
    return Run(project, tmp_path)


def _pull_request(ci: Run) -> dict[str, str]:
    # main went on, and what is checked out is a merge of both
    ci.repo.git('switch', '-q', 'main')
    ci.repo.commit({'README.md': 'weiter\n'})
    base = ci.repo.git('rev-parse', 'HEAD')
    ci.repo.git('checkout', '-q', '--detach')
    ci.repo.git('merge', '-q', '--no-ff', '-m', 'Merge x into y', 'zweig')
    return ci.github(
        'pull_request',
        {'pull_request': {'base': {'sha': base}, 'head': {'sha': ci.guilty}}},
    )


def _push(ci: Run) -> dict[str, str]:
    return ci.github('push', {'before': ci.base, 'after': ci.guilty})


def _new_branch(ci: Run) -> dict[str, str]:
    return ci.github('push', {'before': NULL, 'after': ci.guilty})


def _forced(ci: Run) -> dict[str, str]:
    return ci.github('push', {'before': GONE, 'after': ci.guilty})


def _merge_group(ci: Run) -> dict[str, str]:
    return ci.github(
        'merge_group', {'merge_group': {'base_sha': ci.base, 'head_sha': ci.guilty}}
    )


def _by_hand(ci: Run) -> dict[str, str]:
    return ci.github('workflow_dispatch', {})


def _merge_request(ci: Run) -> dict[str, str]:
    return ci.gitlab(CI_MERGE_REQUEST_DIFF_BASE_SHA=ci.base)


def _merged_results(ci: Run) -> dict[str, str]:
    ci.repo.git('checkout', '-q', '--detach', 'main')
    ci.repo.git('merge', '-q', '--no-ff', '-m', 'Merge', 'zweig')
    return ci.gitlab(
        CI_MERGE_REQUEST_DIFF_BASE_SHA=ci.base,
        CI_MERGE_REQUEST_SOURCE_BRANCH_SHA=ci.guilty,
    )


def _gitlab_push(ci: Run) -> dict[str, str]:
    return ci.gitlab(CI_COMMIT_BEFORE_SHA=ci.base)


def _gitlab_branch(ci: Run) -> dict[str, str]:
    return ci.gitlab(CI_COMMIT_BEFORE_SHA=NULL)


def _upstream(ci: Run) -> dict[str, str]:
    ci.repo.git('config', 'remote.origin.url', '.')
    ci.repo.git('config', 'remote.origin.fetch', '+refs/heads/*:refs/remotes/origin/*')
    ci.repo.git('config', 'branch.zweig.remote', 'origin')
    ci.repo.git('config', 'branch.zweig.merge', 'refs/heads/main')
    return {}


def _default_branch(ci: Run) -> dict[str, str]:
    return {}


@pytest.mark.parametrize(
    'prepare',
    (
        pytest.param(_pull_request, id='github pull request'),
        pytest.param(_push, id='github push'),
        pytest.param(_new_branch, id='github new branch'),
        pytest.param(_forced, id='github force push'),
        pytest.param(_merge_group, id='github merge queue'),
        pytest.param(_by_hand, id='github by hand'),
        pytest.param(_merge_request, id='gitlab merge request'),
        pytest.param(_merged_results, id='gitlab merged results'),
        pytest.param(_gitlab_push, id='gitlab push'),
        pytest.param(_gitlab_branch, id='gitlab new branch'),
        pytest.param(_upstream, id='an upstream'),
        pytest.param(_default_branch, id='the default branch'),
    ),
)
def test_the_guilty_commit_is_in_the_range(
    ci: Run,
    interlock: Interlock,
    monkeypatch: pytest.MonkeyPatch,
    prepare: Callable[[Run], dict[str, str]],
) -> None:
    for name, value in prepare(ci).items():
        monkeypatch.setenv(name, value)
    result = interlock.check('--base', 'auto')
    found = json.loads(result.out)
    assert [each['commit'] for each in found['findings']] == [ci.guilty]
    assert (result.code, found['summary']['commits']) == (1, 1)
    assert 'interlock: judging ' in result.err


def test_a_deleted_branch_brings_nothing(
    ci: Run, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    environ = ci.github('push', {'before': ci.base, 'after': NULL})
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    assert interlock.check('--base', 'auto').code == 0


def test_a_base_may_be_named(ci: Run, interlock: Interlock) -> None:
    assert interlock.check('--base', 'main').codes == ['REG001']
    assert interlock.check('--base', 'HEAD').codes == []


@pytest.mark.parametrize(
    ('environ', 'sentence'),
    (
        pytest.param(
            {'GITHUB_ACTIONS': 'true'},
            'GITHUB_EVENT_PATH does not name an event',
            id='no event',
        ),
        pytest.param(
            {'GITHUB_ACTIONS': 'true', 'GITHUB_EVENT_PATH': 'PLUGINS.md'},
            'GITHUB_EVENT_PATH does not name an event',
            id='no JSON',
        ),
        pytest.param(
            {'GITHUB_ACTIONS': 'true', 'GITHUB_EVENT_PATH': 'liste.json'},
            'GITHUB_EVENT_PATH does not name an event',
            id='a list',
        ),
        pytest.param(
            {
                'GITHUB_ACTIONS': 'true',
                'GITHUB_EVENT_PATH': 'vide.json',
                'GITHUB_EVENT_NAME': 'pull_request',
            },
            'has no id of a commit (`pull_request.base.sha`)',
            id='no pull request',
        ),
        pytest.param(
            {'GITHUB_ACTIONS': 'true', 'GITHUB_EVENT_PATH': 'tief.json'},
            'GITHUB_EVENT_PATH does not name an event',
            id='too deep',
        ),
        pytest.param(
            {'GITLAB_CI': 'true', 'CI_MERGE_REQUEST_DIFF_BASE_SHA': GONE},
            'is not a commit in this repository',
            id='a base that is not here',
        ),
    ),
)
def test_a_range_that_is_not_known_is_refused(
    ci: Run,
    interlock: Interlock,
    monkeypatch: pytest.MonkeyPatch,
    environ: dict[str, str],
    sentence: str,
) -> None:
    ci.repo.write({'liste.json': '[1]', 'vide.json': '{}', 'tief.json': '[' * 200_000})
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    result = interlock.check('--base', 'auto')
    assert (result.code, result.codes) == (2, [])
    assert sentence in result.err


NO_NAMES: tuple[Any, ...] = ('', None, 0, 7, [], {})
NO_IDS: tuple[Any, ...] = (
    *NO_NAMES,
    '0',
    '00',
    'HEAD',
    'main',
    GONE[1:],
    [GONE],
    {'sha': GONE},
)


def _pull(base: object, head: object) -> dict[str, Any]:
    return {'pull_request': {'base': {'sha': base}, 'head': {'sha': head}}}


def _queue(base: object, head: object) -> dict[str, Any]:
    return {'merge_group': {'base_sha': base, 'head_sha': head}}


def _pushes(before: object, after: object, **more: object) -> dict[str, Any]:
    return {'before': before, 'after': after, **more}


@pytest.mark.parametrize(
    ('name', 'data', 'field'),
    (
        pytest.param('push', {}, 'before', id='push: nothing'),
        pytest.param('push', {'before': GONE}, 'after', id='push: no after'),
        pytest.param('push', {'after': GONE}, 'before', id='push: no before'),
        *(
            pytest.param('push', _pushes(GONE, bad), 'after', id=f'to {bad}')
            for bad in (*NO_IDS, True, f'{GONE} ', f'{GONE}\n', '--all')
        ),
        *(
            pytest.param('push', _pushes(bad, GONE), 'before', id=f'from {bad}')
            for bad in NO_IDS
        ),
        *(
            pytest.param('push', _pushes(NULL, GONE, ref=bad), 'ref', id=f'ref {bad}')
            for bad in (*NO_NAMES, 'refs/heads/a b', 'refs/heads/a\nb')
        ),
        *(
            pytest.param(
                'push',
                _pushes(before, GONE, repository=bad),
                'repository.default_branch',
                id=f'{before[:4]} {bad}',
            )
            for before in (NULL, GONE)
            for bad in (
                *NO_NAMES,
                'main',
                {'default_branch': ''},
                {'default_branch': None},
                {'default_branch': 'a b'},
            )
        ),
        *(
            pytest.param(
                'pull_request',
                _pull(bad, GONE),
                'pull_request.base.sha',
                id=f'pull from {bad}',
            )
            for bad in NO_IDS
        ),
        pytest.param(
            'pull_request',
            _pull(GONE, None),
            'pull_request.head.sha',
            id='pull without a head',
        ),
        pytest.param(
            'pull_request_target',
            {'pull_request': [GONE]},
            'pull_request.base.sha',
            id='pull of a list',
        ),
        *(
            pytest.param(
                'merge_group',
                _queue(GONE, bad),
                'merge_group.head_sha',
                id=f'queue to {bad}',
            )
            for bad in NO_IDS
        ),
        pytest.param(
            'merge_group',
            {'merge_group': GONE},
            'merge_group.base_sha',
            id='queue of a text',
        ),
    ),
)
def test_an_event_that_does_not_say_what_it_must_is_refused(
    ci: Run,
    interlock: Interlock,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    data: dict[str, Any],
    field: str,
) -> None:
    for variable, value in ci.github(name, data).items():
        monkeypatch.setenv(variable, value)
    result = interlock('check', '--base', 'auto')
    assert (result.code, result.out) == (2, '')
    assert f' (`{field}`), so the range is not known' in result.err
    assert (
        'next: name the commit before the new ones: interlock check --base HEAD~1'
        in result.err
    )


def test_without_a_remote_there_is_nothing_to_compare_with(
    project: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv('GITHUB_ACTIONS', raising=False)
    result = interlock.check('--base', 'auto')
    assert result.code == 2
    assert 'there is no branch to compare with' in result.err
    assert (
        'next: name the commit before the new ones: interlock check --base HEAD~1\n'
        in result.err
    )


def test_github_shows_a_summary_of_a_run(
    ci: Run, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    summary = ci.folder / 'summary.md'
    summary.write_text('# before\n')
    monkeypatch.setenv('GITHUB_STEP_SUMMARY', str(summary))
    result = interlock('check', '--base', 'main', '--format', 'github')
    assert result.code == 1
    lines = summary.read_text().splitlines()
    assert lines[:3] == ['# before', '### Interlock: refused', '']
    found, _, verdict, following, last = lines[-5:]
    made = f'git commit --all -C {ci.guilty[:10]}'
    again = f'git diff --quiet HEAD &amp;&amp; git reset -q || {made}'
    assert following == f'    commit it again: {again}'
    assert last == '</pre>'
    assert verdict == 'interlock: refused: 1 error (interlock explain REG001)'
    assert found.startswith(f'{ci.guilty[:10]} PLUGINS.md:8: error: REG001 Bravo: ')
