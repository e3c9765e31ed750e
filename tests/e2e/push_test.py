"""Real pushes to real servers: what a local hook let through ends here."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests import samples
from tests.conftest import SCRIPTS, Interlock, Repo
from tests.e2e.conftest import TOOLS, Source, install
from tests.e2e.servers import LOOSE, MENDED, RELAXED, SKIP, Server, push, refused
from tests.hints.ways import shell
from tests.samples import DRIFT


def test_a_server_refuses_what_was_committed_past_the_hooks(
    project: Repo, server: Server
) -> None:
    before = server.refs()
    guilty = project.commit(DRIFT)
    project.commit({'README.md': 'innocent\n'})
    process = push(project)
    refused(
        server,
        before,
        process,
        f'{guilty[:10]} PLUGINS.md:',
        'REG001',
        'pre-receive hook declined',
    )


def test_a_server_accepts_what_is_right(project: Repo, server: Server) -> None:
    project.commit({'README.md': 'à lire\n'})
    assert push(project).returncode == 0
    assert server.git('rev-parse', 'main') == project.git('rev-parse', 'HEAD')


def test_a_violation_that_a_later_commit_fixes_is_in_the_history(
    project: Repo, server: Server
) -> None:
    before = server.refs()
    guilty = project.commit(DRIFT)
    project.commit(MENDED)
    refused(server, before, push(project), guilty[:10], 'REG001')


def _remedies(text: str) -> list[str]:
    """The commands that a refusal tells its user to give."""
    lines = [line.removeprefix('remote:').rstrip() for line in text.splitlines()]
    return [
        line.partition(': ')[2].strip()
        for line in lines
        if line.startswith('    ') and ': git ' in line
    ]


@pytest.mark.parametrize('away', (False, True))
@pytest.mark.parametrize('later', (False, True))
def test_what_a_server_tells_to_do_lets_a_push_in(
    project: Repo, server: Server, interlock: Interlock, later: bool, away: bool
) -> None:
    assert interlock('init', '--git-hooks').code == 0
    project.commit({**DRIFT, 'LISEZ.md': 'à lire\n'})
    if later:
        project.commit({'README.md': 'innocent\n'})
    refused = push(project, '--no-verify', 'origin', 'main').stderr
    if away:
        project.git('switch', '-q', '-c', 'ailleurs', 'HEAD~1')
    if later:
        (replay,) = _remedies(refused)
        stopped = shell(project, replay)
        assert stopped.code == 1, stopped
        refused = stopped.out
    repair, again = _remedies(refused)
    assert shell(project, repair).code == 0
    done = shell(project, again)
    assert done.code == 0, done
    if later:
        assert shell(project, 'git rebase --continue').code == 0
    process = push(project)
    assert process.returncode == 0, process.stderr
    assert project.git('log', '--format=%s', 'origin/main') == '\n'.join(
        ['chore: préparer'] * (3 if later else 2)
    )


def _new_branch(project: Repo) -> tuple[str, ...]:
    project.git('switch', '-q', '-c', 'neu')
    project.commit(SKIP)
    return 'origin', 'neu'


def _several(project: Repo) -> tuple[str, ...]:
    project.commit({'README.md': 'innocent\n'})
    project.git('switch', '-q', '-c', 'zweite')
    project.commit(SKIP)
    return 'origin', 'main', 'zweite'


def _forced(project: Repo) -> tuple[str, ...]:
    project.commit(SKIP, 'chore: réécrire')
    project.git('commit', '-q', '--amend', '--no-verify', '-m', 'chore: neu')
    return '--force', 'origin', 'main'


def _tag(project: Repo) -> tuple[str, ...]:
    project.commit(SKIP)
    project.git('tag', '-a', 'v1', '-m', 'Ärger')
    return 'origin', 'v1'


def _nested_tag(project: Repo) -> tuple[str, ...]:
    project.commit(SKIP)
    project.git('tag', '-a', 'v1', '-m', 'one')
    project.git('tag', '-a', 'v2', '-m', 'two', 'v1')
    return 'origin', 'v2'


def _merge(project: Repo) -> tuple[str, ...]:
    project.git('switch', '-q', '-c', 'seite')
    project.commit(SKIP)
    project.git('switch', '-q', 'main')
    project.git('merge', '-q', '--no-ff', '--no-verify', 'seite')
    return 'origin', 'main'


def _another_name(project: Repo) -> tuple[str, ...]:
    project.commit(SKIP)
    return 'origin', 'HEAD:refs/heads/ailleurs'


PUSHES = (
    pytest.param(_new_branch, id='a new branch'),
    pytest.param(_several, id='the second of two branches'),
    pytest.param(_forced, id='a force push'),
    pytest.param(_tag, id='a tag'),
    pytest.param(_nested_tag, id='a tag of a tag'),
    pytest.param(_merge, id='a merge'),
    pytest.param(_another_name, id='another name'),
)


@pytest.mark.parametrize('prepare', PUSHES)
def test_a_server_refuses_every_form_of_a_push(
    project: Repo, server: Server, prepare: Callable[[Repo], tuple[str, ...]]
) -> None:
    before = server.refs()
    args = prepare(project)
    refused(server, before, push(project, *args), 'STG001', 'Alpha')


@pytest.mark.parametrize('prepare', PUSHES)
def test_pre_push_refuses_every_form_before_it_leaves(
    project: Repo,
    server: Server,
    interlock: Interlock,
    prepare: Callable[[Repo], tuple[str, ...]],
) -> None:
    (server.path / 'hooks' / 'pre-receive').unlink()
    assert interlock('init', '--git-hooks').code == 0
    before = server.refs()
    args = prepare(project)
    refused(server, before, push(project, *args), 'STG001', 'Alpha')


def _deletion(project: Repo, server: Server) -> tuple[str, ...]:
    project.git('push', '-q', '--no-verify', 'origin', 'main:alt')
    return 'origin', ':alt'


def _deletion_here(project: Repo, server: Server) -> tuple[str, ...]:
    """The branch that is checked out is not therefore the main one."""
    project.git('switch', '-q', '-c', 'alt')
    return _deletion(project, server)


def _tag_of_a_file(project: Repo, server: Server) -> tuple[str, ...]:
    blob = project.git('rev-parse', 'HEAD:PLUGINS.md')
    project.git('tag', 'datei', blob)
    return 'origin', 'datei'


def _orphan(project: Repo, server: Server) -> tuple[str, ...]:
    project.git('switch', '-q', '--orphan', 'pages')
    project.commit({'index.html': '<p>ça</p>\n'})
    return 'origin', 'pages'


def _known(project: Repo, server: Server) -> tuple[str, ...]:
    """What the server has was judged when it came, or never will be."""
    project.commit(DRIFT)
    hook = server.path / 'hooks' / 'pre-receive'
    hook.rename(server.path / 'hooks' / 'aside')
    project.git('push', '-q', '--no-verify', 'origin', 'main')
    (server.path / 'hooks' / 'aside').rename(hook)
    return 'origin', 'main:encore'


@pytest.mark.parametrize(
    'prepare',
    (
        pytest.param(_deletion, id='a deletion'),
        pytest.param(_deletion_here, id='a deletion of the branch that is checked out'),
        pytest.param(_tag_of_a_file, id='a tag of a file'),
        pytest.param(_orphan, id='a history of its own'),
        pytest.param(_known, id='commits that are there'),
    ),
)
def test_what_brings_no_change_of_state_is_let_through(
    project: Repo,
    server: Server,
    interlock: Interlock,
    prepare: Callable[[Repo, Server], tuple[str, ...]],
) -> None:
    assert interlock('init', '--git-hooks').code == 0
    args = prepare(project, server)
    process = push(project, *args)
    assert process.returncode == 0, process.stderr


@pytest.mark.parametrize('prepare', (_deletion, _deletion_here))
def test_a_clone_asks_which_branch_is_the_main_one_before_it_deletes_any(
    project: Repo,
    server: Server,
    interlock: Interlock,
    prepare: Callable[[Repo, Server], tuple[str, ...]],
) -> None:
    assert interlock('init', '--git-hooks').code == 0
    args = prepare(project, server)
    project.git('remote', 'set-head', 'origin', '--delete')
    # a remote that was added and never fetched
    project.git('update-ref', '-d', 'refs/remotes/origin/main')
    process = push(project, *args)
    assert process.returncode == 1
    said = process.stdout + process.stderr
    _, _, rest = said.partition('ask origin for its main branch: ')
    command = rest.partition('\n')[0]
    assert command.endswith('git remote set-head origin --auto')
    server.git('symbolic-ref', 'HEAD', 'refs/heads/main')
    subprocess.run(command, shell=True, cwd=project.path, check=True)
    assert push(project, *args).returncode == 0


def test_nothing_to_push_is_nothing_to_judge(
    project: Repo, server: Server, interlock: Interlock
) -> None:
    assert interlock('init', '--git-hooks').code == 0
    process = push(project)
    assert process.returncode == 0
    assert 'Everything up-to-date' in process.stderr


@pytest.mark.parametrize('surface', ('pre-receive', 'range', 'pre-push'))
def test_a_push_cannot_loosen_its_own_rules(
    project: Repo, server: Server, interlock: Interlock, surface: str
) -> None:
    project.commit({'.interlock.yaml': LOOSE}, RELAXED)
    project.commit(DRIFT)
    if surface == 'range':
        result = interlock.check('--range', 'origin/main..HEAD')
        assert result.code == 1
        assert {'REG001', 'CFG001', 'CFG007'} <= set(result.codes)
        return
    if surface == 'pre-push':
        (server.path / 'hooks' / 'pre-receive').unlink()
        assert interlock('init', '--git-hooks').code == 0
    before = server.refs()
    refused(
        server,
        before,
        push(project),
        'REG001',
        'CFG001',
        'CFG007',
        'in the same push as the state of Bravo',
    )


def test_rules_that_were_loosened_before_count(project: Repo, server: Server) -> None:
    project.commit({'.interlock.yaml': LOOSE}, RELAXED)
    assert push(project).returncode == 0
    project.commit(DRIFT)
    assert push(project).returncode == 0


def test_a_server_may_have_a_workflow_of_its_own(
    project: Repo, server: Server, tmp_path: Path
) -> None:
    project.commit({'.interlock.yaml': LOOSE}, RELAXED)
    assert push(project).returncode == 0
    strict = tmp_path / 'strict.yaml'
    strict.write_text(samples.WORKFLOW)
    server.guard(f'--config "{strict}"')
    before = server.refs()
    project.commit(DRIFT)
    refused(server, before, push(project), 'REG001')


def test_a_server_without_a_workflow_says_that_nothing_is_judged(
    repo: Repo, tmp_path: Path
) -> None:
    path = tmp_path / 'leer.git'
    path.mkdir()
    server = Server(path)
    server.git('init', '-q', '--bare')
    server.guard()
    repo.git('remote', 'add', 'origin', str(path))
    repo.commit({'README.md': 'à lire\n'})
    process = push(repo)
    assert process.returncode == 0
    assert '1 commit not judged: no workflow governed' in process.stderr


def test_the_first_push_brings_its_workflow(project: Repo, tmp_path: Path) -> None:
    path = tmp_path / 'leer.git'
    path.mkdir()
    server = Server(path)
    server.git('init', '-q', '--bare')
    server.guard()
    project.git('remote', 'add', 'origin', str(path))
    assert push(project).returncode == 0
    project.commit(DRIFT)
    refused(server, server.refs(), push(project), 'REG001')


def test_a_budget_that_runs_out_refuses_and_says_where(
    project: Repo, server: Server
) -> None:
    for number in range(3):
        project.commit({'README.md': f'{number}\n'})
    server.guard('--budget 0.000001')
    before = server.refs()
    refused(
        server,
        before,
        push(project),
        'the budget of 1e-06 seconds ran out before the first',
        'next: push fewer commits at a time',
    )


def test_a_budget_that_is_enough_does_not_matter(project: Repo, server: Server) -> None:
    project.commit({'README.md': 'à lire\n'})
    server.guard('--budget 600')
    assert push(project).returncode == 0


OPTION = 'interlock.breakglass'
GLASS = f'{OPTION}=panne à 3 h'


def test_the_glass_is_broken_only_where_the_server_allows_it(
    project: Repo, server: Server
) -> None:
    server.git('config', 'receive.advertisePushOptions', 'true')
    guilty = project.commit(DRIFT)
    before = server.refs()
    process = push(project, '-o', GLASS, 'origin', 'main')
    refused(server, before, process, 'REG001', 'does not allow it')

    server.git('config', 'interlock.breakglass', 'true')
    for nothing in (' ', '...', '\u200b'):
        process = push(project, '-o', f'{OPTION}={nothing}', 'origin', 'main')
        refused(server, before, process, f'{OPTION} needs a reason')

    process = push(project, '-o', GLASS, 'origin', 'main')
    assert process.returncode == 0, process.stderr
    assert 'accepted by override: panne à 3 h' in process.stderr
    (line,) = (server.path / 'interlock/breakglass.log').read_text().splitlines()
    entry = json.loads(line)
    assert entry['reason'] == 'panne à 3 h'
    assert entry['refs'][0]['ref'] == 'refs/heads/main'
    assert entry['findings'] == [{'code': 'REG001', 'item': 'Bravo', 'commit': guilty}]


def test_a_glass_that_cannot_be_logged_is_not_broken(
    project: Repo, server: Server
) -> None:
    server.git('config', 'receive.advertisePushOptions', 'true')
    server.git('config', 'interlock.breakglass', 'true')
    (server.path / 'interlock').write_text('in the way\n')
    project.commit(DRIFT)
    before = server.refs()
    process = push(project, '-o', GLASS, 'origin', 'main')
    refused(server, before, process, 'breakglass.log cannot be written')


def test_a_push_of_a_thousand_commits_is_judged(project: Repo, server: Server) -> None:
    parent = project.git('rev-parse', 'HEAD')
    stream = ''
    for number in range(1000):
        stream += (
            f'commit refs/heads/main\nmark :{number + 1}\n'
            f'committer Z <z@example.invalid> {number} +0000\n'
            f'data 8\nchore: x\nfrom {parent}\n'
            f'M 100644 inline README.md\ndata 4\n{number:04}\n'
        )
        parent = f':{number + 1}'
    subprocess.run(
        ('git', 'fast-import', '--quiet', '--force'),
        input=stream,
        cwd=project.path,
        text=True,
        check=True,
    )
    project.git('reset', '-q', '--hard')
    before = server.refs()
    guilty = project.commit(DRIFT)
    refused(server, before, push(project), guilty[:10], 'REG001')
    project.git('reset', '-q', '--hard', 'HEAD^')
    assert push(project).returncode == 0


@pytest.mark.parametrize('tool', TOOLS)
def test_pre_commit_and_prek_judge_a_push(
    project: Repo, server: Server, interlock: Interlock, built: Source, tool: str
) -> None:
    (server.path / 'hooks' / 'pre-receive').unlink()
    assert interlock('init', '--pre-commit').code == 0
    project.commit({}, 'chore: installer')
    install(project, tool)
    assert push(project).returncode == 0
    before = server.refs()
    project.commit(DRIFT)
    process = push(project)
    assert process.returncode == 1
    assert 'REG001' in process.stdout + process.stderr
    assert server.refs() == before

    project.git('switch', '-q', '-c', 'neu')
    process = push(project, 'origin', 'neu')
    assert process.returncode == 1
    assert 'REG001' in process.stdout + process.stderr


@pytest.mark.parametrize('tool', TOOLS)
def test_pre_commit_and_prek_judge_a_first_push(
    project: Repo, tmp_path: Path, interlock: Interlock, built: Source, tool: str
) -> None:
    path = tmp_path / 'leer.git'
    path.mkdir()
    server = Server(path)
    server.git('init', '-q', '--bare')
    project.git('remote', 'add', 'origin', str(path))
    assert interlock('init', '--pre-commit').code == 0
    project.commit({}, 'chore: installer')
    project.commit(DRIFT)
    install(project, tool)
    process = push(project)
    assert process.returncode == 1
    assert 'REG001' in process.stdout + process.stderr


@pytest.mark.parametrize(
    ('command', 'line'),
    (
        pytest.param('pre-push', 'refs/heads/main', id='pre-push'),
        pytest.param('pre-receive', f'{"0" * 40}', id='pre-receive'),
        pytest.param('pre-receive', '\xff', id='no text'),
    ),
)
def test_lines_that_git_would_not_write_are_refused(
    project: Repo, command: str, line: str
) -> None:
    process = subprocess.run(
        (str(SCRIPTS / 'interlock'), command),
        input=line,
        cwd=project.path,
        capture_output=True,
        text=True,
        env=os.environ,
    )
    assert process.returncode == 2
    assert 'git gave a line that is not understood' in process.stderr


def test_a_push_to_a_remote_without_a_name_is_judged(
    project: Repo, server: Server, interlock: Interlock
) -> None:
    (server.path / 'hooks' / 'pre-receive').unlink()
    assert interlock('init', '--git-hooks').code == 0
    project.commit(DRIFT)
    before = server.refs()
    process = push(project, server.path.as_uri(), 'main')
    refused(server, before, process, 'REG001')
