"""By which workflow a push is judged: never by one that it brings."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests import samples
from tests.conftest import Interlock, Repo
from tests.e2e.servers import LOOSE, RELAXED, SKIP, Pushed, Server, push, refused
from tests.hints.ways import Ran, shell
from tests.samples import DRIFT

pytestmark = pytest.mark.real

WEAK = {'.interlock.yaml': LOOSE}
STRONG = {'.interlock.yaml': samples.WORKFLOW}


def _past_the_hooks(project: Repo, server: Server, *refs: str) -> None:
    """What the server has, however it came there."""
    hook = server.path / 'hooks/pre-receive'
    hook.rename(server.path / 'aside')
    project.git('push', '-q', '--no-verify', 'origin', *refs)
    (server.path / 'aside').rename(hook)


@pytest.fixture(params=('pre-receive', 'pre-push'))
def gate(
    request: pytest.FixtureRequest, project: Repo, server: Server, interlock: Interlock
) -> Callable[..., Pushed]:
    """A push that is judged in one of two places."""
    if request.param == 'pre-push':
        (server.path / 'hooks/pre-receive').write_text('#!/bin/sh\n')
        assert interlock('init', '--git-hooks').code == 0

    def pushing(*args: str) -> Pushed:
        return push(project, *args)

    return pushing


def _let_in(project: Repo, gate: Callable[..., Pushed], bad: dict[str, str]) -> str:
    """A commit that a branch has because it loosened its rules before."""
    project.git('switch', '-q', '-c', 'faible')
    project.commit(WEAK, RELAXED)
    assert gate('origin', 'faible').returncode == 0
    guilty = project.commit(bad)
    assert gate('origin', 'faible').returncode == 0
    return guilty


def test_what_stands_under_weaker_rules_is_judged_by_those_of_main(
    project: Repo, server: Server, gate: Callable[..., Pushed]
) -> None:
    guilty = _let_in(project, gate, DRIFT)
    refused(
        server,
        server.refs(),
        gate('origin', 'faible:main'),
        guilty[:10],
        'REG001',
        'CFG001',
        'CFG007',
    )


def test_rules_that_were_loosened_with_a_reason_count_for_what_follows(
    project: Repo, gate: Callable[..., Pushed]
) -> None:
    _let_in(project, gate, SKIP)
    project.commit(STRONG, 'chore: resserrer')
    project.git('switch', '-q', 'main')
    project.git('merge', '-q', 'faible')
    process = gate('origin', 'main')
    assert process.returncode == 0
    assert 'CFG001' in process.stdout + process.stderr


def test_rules_that_another_branch_loosened_without_a_reason_are_refused(
    project: Repo, server: Server, gate: Callable[..., Pushed]
) -> None:
    project.git('switch', '-q', '-c', 'faible')
    guilty = project.commit(WEAK, 'chore: relâcher')
    project.commit(SKIP)
    project.commit(STRONG, 'chore: resserrer')
    _past_the_hooks(project, server, 'faible')
    refused(server, server.refs(), gate('origin', 'faible:main'), guilty[:10], 'CFG008')


def test_that_another_branch_has_a_commit_does_not_say_who_judged_it(
    project: Repo, server: Server, gate: Callable[..., Pushed]
) -> None:
    project.git('switch', '-q', '-c', 'autre')
    project.commit({'README.md': 'à lire\n'})
    project.commit(SKIP)
    guilty = project.git('rev-parse', 'HEAD')
    _past_the_hooks(project, server, 'autre')
    refused(server, server.refs(), gate('origin', 'autre:main'), guilty[:10], 'STG001')


def test_rules_that_are_taken_back_with_commits_are_told(
    project: Repo, server: Server, gate: Callable[..., Pushed]
) -> None:
    project.commit(WEAK, RELAXED)
    project.commit(STRONG, 'chore: resserrer')
    _past_the_hooks(project, server, 'main')
    refused(
        server,
        server.refs(),
        gate('--force', 'origin', 'main~1:main'),
        'CFG001',
        'CFG008',
    )


def _no_head(project: Repo, server: Server) -> None:
    server.git('symbolic-ref', 'HEAD', 'refs/heads/nulle-part')
    project.git('remote', 'set-head', 'origin', '-d')


def test_a_new_branch_never_brings_its_own_rules(
    project: Repo, server: Server, gate: Callable[..., Pushed]
) -> None:
    _no_head(project, server)
    project.git('switch', '-q', '-c', 'neu')
    project.commit(WEAK, RELAXED)
    guilty = project.commit(DRIFT)
    refused(
        server,
        server.refs(),
        gate('origin', 'neu'),
        guilty[:10],
        'REG001',
        'CFG001',
        'CFG007',
    )


def test_a_branch_from_before_a_rule_is_judged_by_it(
    project: Repo, server: Server, interlock: Interlock, gate: Callable[..., Pushed]
) -> None:
    project.commit(WEAK, RELAXED)
    project.git('branch', 'vieux')
    project.commit(STRONG, 'chore: resserrer')
    _past_the_hooks(project, server, 'main')
    project.git('switch', '-q', 'vieux')
    guilty = project.commit(DRIFT)
    refused(server, server.refs(), gate('origin', 'vieux'), guilty[:10], 'REG001')
    result = interlock.check('--range', 'main...vieux')
    assert (result.code, result.codes) == (1, ['REG001'])


def test_commits_in_several_refs_are_judged_once(
    project: Repo, server: Server, gate: Callable[..., Pushed]
) -> None:
    project.commit(DRIFT)
    for name in ('v1', 'v2', 'v3'):
        project.git('tag', '-a', '-m', 'é', name)
    refs = ('main', 'main:encore', 'v1', 'v2', 'v3')
    process = gate('origin', *refs)
    refused(server, server.refs(), process, 'refused: 1 error ')
    assert (process.stdout + process.stderr).count(': REG001 ') == 1


@pytest.mark.parametrize(
    ('content', 'said'),
    (
        pytest.param('version: [\n', 'refused: ', id='no YAML'),
        pytest.param('versoin: 1\n', 'unknown key `versoin`', id='no key'),
    ),
)
def test_commits_are_not_blamed_for_a_broken_workflow_of_the_server(
    project: Repo, server: Server, tmp_path: Path, content: str, said: str
) -> None:
    file = tmp_path / 'own.yaml'
    file.write_text(content)
    server.guard(f'--config "{file}"')
    project.commit({'README.md': 'à lire\n'})
    process = push(project)
    refused(server, server.refs(), process, said)
    assert 'CFG002' not in process.stderr
    assert 'git commit' not in process.stderr


def test_a_push_brings_no_baseline_for_itself_to_a_workflow_of_the_server(
    project: Repo, server: Server, interlock: Interlock, tmp_path: Path
) -> None:
    file = tmp_path / 'own.yaml'
    file.write_text(samples.WORKFLOW)
    server.guard(f'--config "{file}"')
    project.commit(DRIFT)
    assert interlock('audit', '--write-baseline').code == 0
    baseline = (project.path / '.interlock-baseline.json').read_text()
    project.git('reset', '-q', '--hard', 'HEAD~1')
    project.commit({'.interlock-baseline.json': baseline}, 'chore: excuser')
    project.commit(DRIFT)
    refused(server, server.refs(), push(project), 'REG001')


def test_a_new_branch_in_a_shared_history_needs_no_default(
    project: Repo, server: Server, gate: Callable[..., Pushed]
) -> None:
    _no_head(project, server)
    project.git('switch', '-q', '-c', 'neu')
    project.commit({'README.md': 'à lire\n'})
    assert gate('origin', 'neu').returncode == 0
    out = subprocess.run(
        ('git', 'rev-parse', 'neu'),
        cwd=server.path,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    assert out == project.git('rev-parse', 'neu')


@pytest.mark.parametrize(
    ('known', 'code'),
    (pytest.param(True, 0, id='of a remote'), pytest.param(False, 1, id='of nobody')),
)
def test_what_is_where_a_push_goes_is_known_by_its_url_too(
    project: Repo, server: Server, interlock: Interlock, known: bool, code: int
) -> None:
    project.commit(DRIFT)
    _past_the_hooks(project, server, 'main')
    (server.path / 'hooks/pre-receive').unlink()
    assert interlock('init', '--git-hooks').code == 0
    project.git('switch', '-q', '-c', 'neu')
    project.commit({'README.md': 'à lire\n'})
    url = server.path.as_uri() if known else str(server.path)
    assert push(project, url, 'neu').returncode == code


def test_a_branch_from_before_the_workflow_is_judged_by_it(
    repo: Repo, interlock: Interlock
) -> None:
    repo.commit({'README.md': 'à lire\n'})
    repo.git('branch', 'vieux')
    repo.commit({**STRONG, 'PLUGINS.md': samples.registry({'Bravo': 'Stage 2'})})
    repo.git('switch', '-q', 'vieux')
    repo.commit({'README.md': 'lu\n'})
    assert interlock.check('--base', 'main').code == 0
    repo.commit(DRIFT)
    result = interlock.check('--base', 'main')
    assert (result.code, 'REG001' in result.codes) == (1, True)


def test_a_workflow_of_the_server_may_extend_files_of_the_server(
    project: Repo, server: Server, tmp_path: Path
) -> None:
    base = tmp_path / 'base.yaml'
    base.write_text(samples.WORKFLOW)
    file = tmp_path / 'own.yaml'
    file.write_text(f'version: 1\nextends: {base}\n')
    server.guard(f'--config "{file}"')
    project.commit({'README.md': 'à lire\n'})
    process = push(project)
    assert process.returncode == 0, process.stderr
    project.commit(DRIFT)
    refused(server, server.refs(), push(project), 'REG001')


SHELVED = (
    samples.WORKFLOW
    + """\
items:
  plugin:
    states: {Shelved: {emoji: '🚧'}}
    transitions:
      - {from: any, to: Shelved}
"""
)
ON_THE_SHELF = {
    'PLUGINS.md': samples.registry({**samples.STATUSES, 'Alpha': 'Shelved'})
}
RULES_FIRST = 'push the change of the rules first: '


def _hint(process: Pushed) -> str:
    lines = (process.stdout + process.stderr).split('\n')
    return next(
        (line.split(RULES_FIRST)[1] for line in lines if RULES_FIRST in line), ''
    )


def test_new_rules_are_pushed_before_what_relies_on_them(
    project: Repo,
    server: Server,
    gate: Callable[..., Pushed],
    request: pytest.FixtureRequest,
) -> None:
    project.commit({'README.md': 'à lire\n'})
    rules = project.commit({'.interlock.yaml': SHELVED}, RELAXED)[:10]
    project.commit({'README.md': 'lu\n'})
    project.commit(ON_THE_SHELF, 'feat(Alpha): Shelved')
    process = gate('origin', 'main')
    refused(server, server.refs(), process, 'REG005', 'CFG007')
    assert 'replay' not in process.stdout + process.stderr
    alone = f'{rules}:refs/heads/main'
    assert _hint(process).strip() == (
        f'git push origin {alone}'
        if 'pre-push' in request.node.name
        else f'{rules}, and then the rest'
    )
    assert gate('origin', alone).returncode == 0
    last = gate('origin', 'main')
    assert last.returncode == 0, last.stdout + last.stderr


def test_new_rules_of_a_branch_are_merged_first(
    project: Repo, server: Server, gate: Callable[..., Pushed]
) -> None:
    project.git('switch', '-q', '-c', 'neu')
    rules = project.commit({'.interlock.yaml': SHELVED}, RELAXED)
    project.commit(ON_THE_SHELF, 'feat(Alpha): Shelved')
    process = gate('origin', 'neu')
    refused(server, server.refs(), process, 'REG005', 'CFG007')
    assert _hint(process).strip() == f'merge {rules[:10]} into the main branch'
    assert gate('origin', f'{rules}:refs/heads/main').returncode == 0
    last = gate('origin', 'neu')
    assert last.returncode == 0, last.stdout + last.stderr


def test_new_rules_that_refuse_it_too_are_no_way_on(
    project: Repo, server: Server, gate: Callable[..., Pushed]
) -> None:
    project.commit({'.interlock.yaml': SHELVED}, RELAXED)
    project.commit(DRIFT)
    process = gate('origin', 'main')
    refused(server, server.refs(), process, 'REG001', 'CFG007')
    assert not _hint(process)


TABLE = """\
| Feature | Where it stands |
|---|---|
| Login | building |
| Search | in review |
| Cart | in review |
"""


def test_a_renamed_column_is_committed_and_pushed_as_the_hints_say(
    repo: Repo, interlock: Interlock, tmp_path: Path
) -> None:
    repo.commit({'FEATURES.md': TABLE})
    column = ('--column', 'Where it stands')
    assert interlock('init', '--git-hooks', *column).code == 0
    workflow = (repo.path / '.interlock.yaml').read_text()
    repo.commit({'.interlock.yaml': workflow})
    repo.git('init', '-q', '--bare', str(tmp_path / 'server.git'))
    repo.git('remote', 'add', 'origin', str(tmp_path / 'server.git'))
    assert shell(repo, 'git push -q -u origin main').code == 0
    for file, text in (('FEATURES.md', TABLE), ('.interlock.yaml', workflow)):
        repo.write({file: text.replace('Where it stands', 'Status')})

    def hint(ran: Ran, label: str) -> str:
        assert ran.code, ran
        _, _, command = (ran.out + ran.err).partition(f'    {label}: ')
        return command.partition('\n')[0]

    refused = shell(repo, 'git commit -qam rename')
    said = 'commit first what governs from the next commit on'
    refused = shell(repo, hint(refused, said))
    assert shell(repo, hint(refused, 'say why in the message')).code == 0
    assert repo.git('status', '--short').split() == ['M', 'FEATURES.md']
    assert shell(repo, 'git commit -qam header').code == 0
    refused = shell(repo, 'git push -q')
    assert shell(repo, hint(refused, RULES_FIRST.rstrip(': '))).code == 0
    assert shell(repo, 'git push -q').code == 0
