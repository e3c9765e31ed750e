"""A push is also the step of its ref, from its old tip to its new one."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from typing import Any

import pytest

from tests import samples
from tests.conftest import Interlock, Repo
from tests.e2e.servers import Server, push, refused
from tests.formats import openspec
from tests.git import changes
from tests.samples import STATUSES

BRAVO = samples.handoff_path('Bravo')
IDEAS = 'plugins/Bravo/.ideas'
RESET = 'feat(Bravo): Ideated\n\nReset-Reason: von vorn\n'
PROTECTED = samples.WORKFLOW + "protected: ['stable/*']\n"


def stage(repo: Repo, number: str) -> str:
    return repo.commit(changes.stage(number), f'feat(Bravo): Stage {number}')


def dropped() -> dict[str, Any]:
    left = {name: text for name, text in STATUSES.items() if name != 'Bravo'}
    return {'PLUGINS.md': samples.registry(left), BRAVO: None}


def rewritten(text: str) -> dict[str, Any]:
    sums = {**samples.checksums('Bravo'), 'architecture': samples.checksum(text)}
    return {
        f'{IDEAS}/architecture.md': text,
        'PLUGINS.md': samples.registry(STATUSES),
        BRAVO: samples.handoff('Bravo', sums=sums),
    }


def let_in(project: Repo, server: Server, *refs: str) -> None:
    """What the server has, however it came there."""
    hook = server.path / 'hooks/pre-receive'
    hook.rename(server.path / 'aside')
    project.git('push', '-q', '--no-verify', '--force', 'origin', *refs)
    (server.path / 'aside').rename(hook)


def back(project: Repo, server: Server) -> tuple[str, ...]:
    stage(project, '3')
    let_in(project, server, 'main')
    project.git('reset', '-q', '--hard', 'HEAD~1')
    project.commit({'README.md': 'à lire\n'})
    return ('--force', 'origin', 'main')


def again(project: Repo, server: Server) -> tuple[str, ...]:
    project.commit(dropped(), 'chore: Bravo weg\n\nItem-Dropped: vorbei\n')
    project.commit(rewritten('Autre.\n'), 'feat(Bravo): Stage 2')
    return ('origin', 'main')


def lost(project: Repo, server: Server) -> tuple[str, ...]:
    project.git('switch', '-q', '-c', 'alt')
    project.commit({'README.md': 'à lire\n'})
    project.git('switch', '-q', 'main')
    stage(project, '3')
    let_in(project, server, 'main')
    project.git('switch', '-q', 'alt')
    project.git('merge', '-q', '-s', 'ours', '-m', 'Merge main', 'main')
    return ('origin', 'alt:main')


def pull_request(project: Repo, server: Server) -> tuple[str, ...]:
    project.git('switch', '-q', '-c', 'pr')
    project.commit(changes.stage('5'), 'feat(Bravo): Stage 5')
    let_in(project, server, 'HEAD:refs/pull/1/head')
    return ('origin', 'pr:main')


def no_rules(project: Repo, server: Server) -> tuple[str, ...]:
    """A merge with a commit from before the adoption removes the rules."""
    project.git('switch', '-q', '-c', 'vor', 'vorher')
    project.commit({'alt.txt': '1\n'})
    project.git('switch', '-q', 'main')
    project.git('merge', '-q', '--no-ff', '--no-commit', 'vor')
    project.git('rm', '-qf', '.interlock.yaml')
    project.git('commit', '-q', '-m', 'Merge branch vor')
    return ('origin', 'main')


def release(project: Repo, server: Server) -> tuple[str, ...]:
    project.commit({'.interlock.yaml': PROTECTED}, 'chore: stable')
    let_in(project, server, 'main')
    stage(project, '3')
    let_in(project, server, 'HEAD:stable/1')
    return ('--force', 'origin', 'HEAD~1:stable/1')


def laxer_side(project: Repo, server: Server) -> tuple[str, ...]:
    """A branch from before a rule was switched on again merges main."""
    project.commit(
        {'.interlock.yaml': samples.WORKFLOW + 'severity: {STG005: off}\n'},
        'chore: lax\n\nInterlock-Rules: vorerst\n',
    )
    project.git('branch', 'alt')
    project.commit({'.interlock.yaml': samples.WORKFLOW}, 'chore: streng')
    let_in(project, server, 'main')
    project.git('switch', '-q', 'alt')
    project.commit({'README.md': 'à lire\n'})
    project.git('merge', '-q', '--no-ff', '--no-commit', 'main')
    project.stage(untried('3'))
    project.git('commit', '-q', '-m', 'feat(Bravo): Stage 3')
    return ('origin', 'alt:main')


def untried(number: str) -> dict[str, Any]:
    return {
        **changes.stage(number),
        BRAVO: samples.handoff('Bravo', number, evidence=''),
    }


def _replaced(project: Repo, *parents: str) -> tuple[str, ...]:
    """Nothing judges the steps of such a history."""
    project.stage(untried('3'))
    tree = project.git('write-tree')
    oid = project.git('commit-tree', *parents, '-m', 'chore: neu', tree)
    return ('--force', 'origin', f'{oid}:main')


def another_root(project: Repo, server: Server) -> tuple[str, ...]:
    return _replaced(project)


def adopted_again(project: Repo, server: Server) -> tuple[str, ...]:
    return _replaced(project, '-p', 'vorher')


def _unwalked(project: Repo, *parents: str) -> str:
    """A commit that has Bravo at Stage 5, and its parents have no registry."""
    project.stage(changes.stage('5'))
    tree = project.git('write-tree')
    project.git('reset', '-q', '--hard')
    return project.git('commit-tree', *parents, '-m', 'chore: neu', tree)


def skipped_by_root(project: Repo, server: Server) -> tuple[str, ...]:
    return ('--force', 'origin', f'{_unwalked(project)}:main')


def skipped_by_adoption(project: Repo, server: Server) -> tuple[str, ...]:
    return ('--force', 'origin', f'{_unwalked(project, "-p", "vorher")}:main')


def _merged(project: Repo, *parents: str) -> tuple[str, ...]:
    """What a merge takes over from a branch that has its own registry."""
    tree = project.git('rev-parse', f'{parents[0]}^{{tree}}')
    args = [arg for parent in parents[1:] for arg in ('-p', parent)]
    oid = project.git('commit-tree', *args, '-m', 'Merge', tree)
    return ('origin', f'{oid}:main')


def skipped_by_merge(project: Repo, server: Server) -> tuple[str, ...]:
    side = _unwalked(project, '-p', 'vorher')
    return _merged(project, side, 'main', side)


def skipped_by_merge_of_main(project: Repo, server: Server) -> tuple[str, ...]:
    side = _unwalked(project, '-p', 'vorher')
    return _merged(project, side, side, 'main')


def skipped_on_known_branch(project: Repo, server: Server) -> tuple[str, ...]:
    side = _unwalked(project, '-p', 'vorher')
    let_in(project, server, f'{side}:refs/heads/alt')
    return _merged(project, side, 'main', side)


def skipped_below_a_cut(project: Repo, server: Server) -> tuple[str, ...]:
    """The commit that skips is not in the shallow history that is pushed."""
    server.git('config', 'receive.shallowUpdate', 'true')
    project.commit(changes.stage('5'), 'feat(Bravo): Stage 5')
    project.commit({'README.md': 'à lire\n'})
    (project.path / '.git/shallow').write_text(project.git('rev-parse', 'HEAD') + '\n')
    return ('--force', 'origin', 'main')


def no_main(project: Repo, server: Server) -> tuple[str, ...]:
    """The server's HEAD names a branch that does not exist."""
    args = pull_request(project, server)
    server.git('symbolic-ref', 'HEAD', 'refs/heads/master')
    return (args[0], 'pr:neu')


def deleted_main(project: Repo, server: Server) -> tuple[str, ...]:
    server.git('config', 'receive.denyDeleteCurrent', 'ignore')
    return ('origin', ':main')


def deleted_release(project: Repo, server: Server) -> tuple[str, ...]:
    """Else it could be made anew where it had been before."""
    release(project, server)
    return ('origin', ':stable/1')


def by_another_name(project: Repo, server: Server) -> tuple[str, ...]:
    """A symbolic ref of the server is what it names."""
    args = back(project, server)
    server.git('symbolic-ref', 'refs/heads/trunk', 'refs/heads/main')
    server.git('symbolic-ref', 'refs/heads/master', 'refs/heads/trunk')
    return (*args[:2], 'main:master')


def by_another_name_in_a_table(project: Repo, server: Server) -> tuple[str, ...]:
    """With reftable a server has no files of refs: git is asked for them."""
    args = by_another_name(project, server)
    (server.path / 'reftable').mkdir()
    return args


def main_by_another_name(project: Repo, server: Server) -> tuple[str, ...]:
    args = back(project, server)
    server.git('symbolic-ref', 'refs/heads/master', 'refs/heads/main')
    server.git('symbolic-ref', 'HEAD', 'refs/heads/master')
    return args


def release_by_another_name(project: Repo, server: Server) -> tuple[str, ...]:
    force, origin, refs = release(project, server)
    server.git('symbolic-ref', 'refs/heads/latest', 'refs/heads/stable/1')
    return (force, origin, refs.replace('stable/1', 'latest'))


def _not_asked(project: Repo, server: Server) -> str:
    """A commit with a bad record, made beside the workflow that would say so."""
    task = '---\nid: task-1\nstatus: {}\n---\n\n## Acceptance Criteria\n\n- [ ] #1 un\n'
    path = 'backlog/tasks/task-1 - eins.md'
    files = {
        '.interlock.yaml': 'version: 1\nextends: backlog-md\n',
        'backlog/config.yml': 'statuses: [To Do, Done]\n',
        path: task.format('To Do'),
    }
    project.commit(files, 'chore: backlog')
    let_in(project, server, 'main')
    project.stage({path: task.format('Done')})
    tree = project.git('write-tree')
    project.git('reset', '-q', '--hard')
    return project.git('commit-tree', '-p', 'vorher', '-m', 'chore: neu', tree)


def records_adopted_again(project: Repo, server: Server) -> tuple[str, ...]:
    return ('--force', 'origin', f'{_not_asked(project, server)}:main')


def records_merged(project: Repo, server: Server) -> tuple[str, ...]:
    side = _not_asked(project, server)
    return _merged(project, side, 'main', side)


def taken_out_of_the_archive(project: Repo, server: Server) -> tuple[str, ...]:
    """No commit of the new history takes it out."""
    files = {'.interlock.yaml': 'version: 1\nextends: openspec\n', **openspec.BASE}
    project.commit(files, 'chore: openspec')
    project.commit(openspec.archived(), 'archive')
    let_in(project, server, 'main')
    project.git('reset', '-q', '--hard', 'HEAD~1')
    project.commit({'README.md': 'à lire\n'})
    return ('--force', 'origin', 'main')


def _before_the_rules(project: Repo, server: Server) -> None:
    """The records are older than the rules, and so is a branch."""
    tree = project.git('rev-parse', 'HEAD^{tree}')
    project.commit({'.interlock.yaml': None})
    root = project.git('commit-tree', '-m', 'chore: avant', 'HEAD^{tree}')
    oid = project.git('commit-tree', '-p', root, '-m', 'chore: interlock', tree)
    project.git('reset', '-q', '--hard', oid)
    let_in(project, server, 'main')
    project.git('switch', '-q', '-c', 'alt', root)


def _with_old_branch(project: Repo, *on_main: str) -> tuple[str, ...]:
    project.git('switch', '-q', 'main')
    project.commit({'README.md': 'à lire\n'})
    for number in on_main:
        stage(project, number)
    project.git('merge', '-q', '--no-ff', '-m', 'Merge alt', 'alt')
    return ('origin', 'main')


def skipped_before_the_rules(project: Repo, server: Server) -> tuple[str, ...]:
    _before_the_rules(project, server)
    stage(project, '5')
    return _with_old_branch(project)


def continued_after_a_skip(project: Repo, server: Server) -> tuple[str, ...]:
    _before_the_rules(project, server)
    stage(project, '4')
    project.git('merge', '-q', '--no-ff', '-m', 'Merge main', 'main')
    stage(project, '5')
    return ('origin', 'alt:main')


def walked_before_the_rules(project: Repo, server: Server) -> tuple[str, ...]:
    _before_the_rules(project, server)
    stage(project, '3')
    stage(project, '4')
    args = _with_old_branch(project)
    stage(project, '5')
    return args


def skipped_and_walked(project: Repo, server: Server) -> tuple[str, ...]:
    """An old branch skips a stage, but the item went there step by step."""
    _before_the_rules(project, server)
    stage(project, '4')
    return _with_old_branch(project, '3', '4')


TABLE = '| Item | Status |\n|---|---|\n| eins | {} |\n'
SPEC = 'items/eins.md'


def frozen_meanwhile(project: Repo, server: Server) -> None:
    """A branch that changes what main freezes, and no checksum tells."""
    files = {
        '.interlock.yaml': 'version: 1\nextends: basic\n',
        'ITEMS.md': TABLE.format('Review'),
        SPEC: 'une\n',
    }
    project.commit(files, 'chore: ITEMS.md')
    project.git('switch', '-q', '-c', 'zweig')
    project.commit({SPEC: 'deux\n'}, 'docs: eins')
    project.git('switch', '-q', 'main')
    project.commit({'ITEMS.md': TABLE.format('Done')}, 'eins: Done')
    let_in(project, server, 'main')


def two_items(project: Repo, server: Server) -> None:
    table = TABLE.format('Planned') + '| zwei | Done |\n'
    files = {'.interlock.yaml': 'version: 1\nextends: basic\n', 'ITEMS.md': table}
    project.commit(files, 'chore: ITEMS.md')
    let_in(project, server, 'main')
    gone = '| Item | Status |\n|---|---|\n| zwei | Done |\n'
    project.commit({'ITEMS.md': gone}, 'chore: eins weg')


def taken_name(project: Repo, server: Server) -> tuple[str, ...]:
    """What is done takes the name of an item that nobody began."""
    two_items(project, server)
    project.commit({'ITEMS.md': TABLE.format('Done')}, 'chore: zwei heißt eins')
    return ('origin', 'main')


def new_name(project: Repo, server: Server) -> tuple[str, ...]:
    two_items(project, server)
    table = TABLE.format('Done').replace('eins', 'drei')
    project.commit({'ITEMS.md': table}, 'chore: zwei heißt drei')
    return ('origin', 'main')


def merged_after_the_freeze(project: Repo, server: Server) -> tuple[str, ...]:
    frozen_meanwhile(project, server)
    project.git('merge', '-q', '--no-ff', '-m', 'Merge', 'zweig')
    return ('origin', 'main')


def replaced_after_the_freeze(project: Repo, server: Server) -> tuple[str, ...]:
    frozen_meanwhile(project, server)
    project.git('switch', '-q', 'zweig')
    project.commit({'ITEMS.md': TABLE.format('Done')}, 'eins: Done')
    return ('--force', 'origin', 'zweig:main')


ELSEWHERE = samples.WORKFLOW + ('items: {plugin: {registry: {file: docs/R.md}}}\n')


def rules_first(project: Repo) -> tuple[str, ...]:
    """As the README says: first the workflow, then the registry."""
    project.commit(
        {'.interlock.yaml': ELSEWHERE},
        'chore: docs/R.md\n\nInterlock-Rules: umgezogen\n',
    )
    return ('origin', 'main')


def moved_without(project: Repo, server: Server) -> tuple[str, ...]:
    """An item in work does not move with the registry."""
    args = rules_first(project)
    text = dropped()['PLUGINS.md']
    project.commit({'PLUGINS.md': None, 'docs/R.md': text, BRAVO: None})
    return args


def copied_without(project: Repo, server: Server) -> tuple[str, ...]:
    args = rules_first(project)
    project.commit({'docs/R.md': dropped()['PLUGINS.md']})
    return args


def not_moved(project: Repo, server: Server) -> tuple[str, ...]:
    return rules_first(project)


@pytest.mark.parametrize(
    ('make', 'codes'),
    (
        (moved_without, ('REG019',)),
        (copied_without, ('REG019',)),
        (not_moved, ('REG008', 'git mv PLUGINS.md docs/R.md')),
        (laxer_side, ('STG005',)),
        (another_root, ('STG005',)),
        (adopted_again, ('STG005',)),
        (records_adopted_again, ('REG016',)),
        (records_merged, ('REG016',)),
        (taken_out_of_the_archive, ('taken-out-of-archive',)),
        (skipped_by_root, ('STG001',)),
        (skipped_by_adoption, ('STG001',)),
        (skipped_by_merge, ('STG001',)),
        (skipped_by_merge_of_main, ('STG001',)),
        (skipped_on_known_branch, ('STG001',)),
        (skipped_below_a_cut, ('STG001',)),
        (skipped_before_the_rules, ('STG001',)),
        (continued_after_a_skip, ('STG001',)),
        (no_main, ('STG001',)),
        (deleted_main, ('CFG003',)),
        (deleted_release, ('CFG003',)),
        (by_another_name, ('STG001',)),
        (by_another_name_in_a_table, ('STG001',)),
        (main_by_another_name, ('STG001',)),
        (release_by_another_name, ('STG001',)),
        (merged_after_the_freeze, ('CON007',)),
        (replaced_after_the_freeze, ('CON007',)),
        (back, ('STG001',)),
        (again, ('CON007',)),
        (lost, ('STG001',)),
        (pull_request, ('STG001',)),
        (no_rules, ('CFG003',)),
        (release, ('STG001',)),
        (taken_name, ('STG001', 'no commit shows how the item got there')),
    ),
    ids=lambda value: getattr(value, '__name__', ''),
)
def test_a_step_that_is_refused(
    adopted: Repo,
    server: Server,
    make: Callable[[Repo, Server], tuple[str, ...]],
    codes: tuple[str, ...],
) -> None:
    args = make(adopted, server)
    refused(server, server.refs(), push(adopted, *args), *codes)


def test_the_remedy_of_a_contract_gives_back_what_was_frozen(
    adopted: Repo, server: Server
) -> None:
    """The commit before the last need not have it."""
    path = adopted.path / IDEAS / 'architecture.md'
    frozen = path.read_bytes()
    args = again(adopted, server)
    adopted.commit({'README.md': 'à lire\n'})
    process = push(adopted, *args)
    output = process.stdout + process.stderr
    command = re.search(r'git checkout [0-9a-f]+ -- \S+', output)
    assert command is not None, output
    # the remedy needs no folder
    shutil.rmtree(path.parent)
    subprocess.run(command[0], shell=True, check=True, cwd=adopted.path)
    assert path.read_bytes() == frozen


def reset(project: Repo, server: Server) -> tuple[str, ...]:
    stage(project, '3')
    let_in(project, server, 'main')
    project.commit(
        {'PLUGINS.md': samples.registry({**STATUSES, 'Bravo': 'Ideated'}), BRAVO: None},
        RESET,
    )
    project.commit({f'{IDEAS}/architecture.md': 'Autre.\n'}, 'docs(Bravo): neu')
    return ('origin', 'main')


def rebased(project: Repo, server: Server) -> tuple[str, ...]:
    project.git('switch', '-q', '-c', 'zweig')
    project.commit({'README.md': 'à lire\n'})
    let_in(project, server, 'zweig')
    project.git('switch', '-q', 'main')
    stage(project, '3')
    let_in(project, server, 'main')
    project.git('switch', '-q', 'zweig')
    project.git('rebase', '-q', 'main')
    return ('--force', 'origin', 'zweig')


def behind(project: Repo, server: Server) -> tuple[str, ...]:
    """A branch of its own may go back to where it was."""
    project.git('switch', '-q', '-c', 'zweig')
    stage(project, '3')
    let_in(project, server, 'zweig')
    return ('--force', 'origin', 'HEAD~1:zweig')


def rewritten_history(project: Repo, server: Server) -> tuple[str, ...]:
    """The same files in commits with other ids, and one step more."""
    tree = project.git('rev-parse', 'HEAD^{tree}')
    project.git('reset', '-q', '--hard', project.git('commit-tree', '-m', 'x', tree))
    stage(project, '3')
    return ('--force', 'origin', 'main')


def continued_branch(project: Repo, server: Server) -> tuple[str, ...]:
    """A history that is replaced, and in which every step was taken."""
    stage(project, '3')
    let_in(project, server, 'main')
    project.git('reset', '-q', '--hard', 'HEAD~1')
    project.commit({'README.md': 'à lire\n'})
    for number in '345':
        stage(project, number)
    return ('--force', 'origin', 'main')


def tag(project: Repo, server: Server) -> tuple[str, ...]:
    stage(project, '3')
    let_in(project, server, 'main')
    project.git('tag', 'v1', 'HEAD~1')
    return ('origin', 'v1')


def moved(project: Repo, server: Server) -> tuple[str, ...]:
    """Another project takes this one in, and older branches go on."""
    project.git('branch', 'alt')
    project.git('switch', '-q', '--orphan', 'ganz')
    project.commit({'werkzeug.txt': '1\n'})
    project.git('merge', '-q', '--allow-unrelated-histories', '-m', 'Merge', 'main')
    let_in(project, server, 'ganz:main')
    project.git('switch', '-q', 'alt')
    stage(project, '3')
    stage(project, '4')
    project.git('switch', '-q', 'ganz')
    project.git('merge', '-q', '--no-ff', '-m', 'Merge alt', 'alt')
    return ('origin', 'ganz:main')


def moved_registry(project: Repo, server: Server) -> tuple[str, ...]:
    args = rules_first(project)
    (project.path / 'docs').mkdir()
    project.git('mv', 'PLUGINS.md', 'docs/R.md')
    project.git('commit', '-q', '-m', 'chore: umziehen')
    files = changes.stage('3')
    files['docs/R.md'] = files.pop('PLUGINS.md')
    project.commit(files, 'feat(Bravo): Stage 3')
    return args


def moved_and_dropped(project: Repo, server: Server) -> tuple[str, ...]:
    args = moved_registry(project, server)
    project.commit(
        {'docs/R.md': dropped()['PLUGINS.md'], BRAVO: None},
        'chore: Bravo weg\n\nItem-Dropped: vorbei\n',
    )
    return args


def amended_by_the_merge(project: Repo, server: Server) -> tuple[str, ...]:
    frozen_meanwhile(project, server)
    message = 'Merge\n\nContract-Amendment: décidé à deux\n'
    project.git('merge', '-q', '--no-ff', '-m', message, 'zweig')
    return ('origin', 'main')


def reopened_beside(project: Repo, server: Server) -> tuple[str, ...]:
    """A branch may change what it has opened again."""
    frozen_meanwhile(project, server)
    project.git('switch', '-q', '-c', 'wieder')
    project.commit({'ITEMS.md': TABLE.format('In progress')}, 'eins: again')
    project.commit({SPEC: 'trois\n'}, 'docs: eins')
    project.git('switch', '-q', 'main')
    project.commit({'README.md': 'à lire\n'})
    let_in(project, server, 'main')
    project.git('merge', '-q', '--no-ff', '-m', 'Merge', 'wieder')
    return ('origin', 'main')


def dropped_with_reason(project: Repo, server: Server) -> tuple[str, ...]:
    project.commit(dropped(), 'chore: Bravo weg\n\nItem-Dropped: vorbei\n')
    project.commit({'README.md': 'à lire\n'})
    return ('origin', 'main')


@pytest.mark.parametrize(
    'make',
    (
        reset,
        rebased,
        behind,
        rewritten_history,
        continued_branch,
        tag,
        moved,
        amended_by_the_merge,
        reopened_beside,
        dropped_with_reason,
        new_name,
        moved_registry,
        moved_and_dropped,
        walked_before_the_rules,
        skipped_and_walked,
    ),
    ids=lambda value: getattr(value, '__name__', ''),
)
def test_a_step_that_passes(
    adopted: Repo, server: Server, make: Callable[[Repo, Server], tuple[str, ...]]
) -> None:
    args = make(adopted, server)
    process = push(adopted, *args)
    assert process.returncode == 0, process.stderr


@pytest.fixture
def adopted(project: Repo, server: Server) -> Repo:
    """The project, with a commit from before its rules."""
    tree = project.git('mktree', '--missing')
    root = project.git('commit-tree', '-m', 'chore: avant', tree)
    project.git('branch', 'vorher', root)
    grown = project.git(
        'commit-tree', '-p', root, '-m', 'chore: interlock', 'HEAD^{tree}'
    )
    project.git('reset', '-q', '--hard', grown)
    let_in(project, server, 'main')
    return project


HEAD = """\
tree {tree}
{parents}author A <a@example.org> 1700000000 +0000
committer A <a@example.org> 1700000000 +0000
{more}
{message}
"""


def crafted(repo: Repo, data: bytes) -> str:
    process = subprocess.run(
        ('git', 'hash-object', '-t', 'commit', '-w', '--stdin', '--literally'),
        cwd=repo.path,
        input=data,
        capture_output=True,
        check=True,
    )
    return process.stdout.decode().strip()


def bad_tree(repo: Repo) -> str:
    repo.stage({'PLUGINS.md': samples.registry({**STATUSES, 'Bravo': 'Stage 5'})})
    tree = repo.git('write-tree')
    repo.git('reset', '-q', '--hard')
    return tree


def two_trees(repo: Repo, tree: str, head: str) -> str:
    good = repo.git('rev-parse', 'HEAD^{tree}')
    return HEAD.format(
        tree=f'{tree}\ntree {good}', parents=f'parent {head}\n', more='', message='x'
    )


def late_tree(repo: Repo, tree: str, head: str) -> str:
    good = repo.git('rev-parse', 'HEAD^{tree}')
    return HEAD.format(
        tree=tree, parents=f'parent {head}\n', more=f'tree {good}\n', message='x'
    )


def late_parent(repo: Repo, tree: str, head: str) -> str:
    return HEAD.format(
        tree=tree, parents=f'parent {head}\n', more=f'parent {head}\n', message='x'
    )


def second_author(repo: Repo, tree: str, head: str) -> str:
    return HEAD.format(
        tree=tree,
        parents=f'parent {head}\n',
        more='author B <b@example.org> 1 +0000\n',
        message='x',
    )


@pytest.mark.parametrize(
    'make',
    (two_trees, late_tree, late_parent, second_author),
    ids=lambda value: getattr(value, '__name__', ''),
)
def test_a_malformed_commit_is_refused_everywhere(
    project: Repo,
    server: Server,
    interlock: Interlock,
    make: Callable[[Repo, str, str], str],
) -> None:
    head = project.git('rev-parse', 'HEAD')
    text = make(project, bad_tree(project), head)
    oid = crafted(project, text.encode())
    for args in (('--commit', oid), ('--range', f'{head}..{oid}')):
        result = interlock.check(*args)
        assert result.code == 1
        assert 'CFG010' in result.codes
    server.git('config', 'receive.fsckObjects', 'false')
    refused(
        server,
        server.refs(),
        push(project, '--force', 'origin', f'{oid}:main'),
        'CFG010',
    )


def entries(repo: Repo, rev: str = 'HEAD') -> list[tuple[str, str, str]]:
    found = []
    for line in repo.git('ls-tree', '-z', rev).rstrip('\0').split('\0'):
        meta, name = line.split('\t')
        mode, _, oid = meta.split(' ')
        found.append((mode.lstrip('0'), name, oid))
    return found


def after_it(repo: Repo, bad: str) -> list[tuple[str, str, str]]:
    return sorted(
        [*entries(repo), *_named(repo, bad, 'PLUGINS.md')], key=lambda entry: entry[1]
    )


def before_it(repo: Repo, bad: str) -> list[tuple[str, str, str]]:
    return sorted(
        [*_named(repo, bad, 'PLUGINS.md'), *entries(repo)], key=lambda entry: entry[1]
    )


def at_the_end(repo: Repo, bad: str) -> list[tuple[str, str, str]]:
    return [*entries(repo), *_named(repo, bad, 'PLUGINS.md')]


def with_slashes(repo: Repo, bad: str) -> list[tuple[str, str, str]]:
    ((mode, _, oid),) = _named(repo, bad, 'PLUGINS.md')
    return [*entries(repo), (mode, BRAVO, oid)]


def _named(repo: Repo, rev: str, name: str) -> list[tuple[str, str, str]]:
    return [entry for entry in entries(repo, rev) if entry[1] == name]


@pytest.mark.parametrize(
    'make',
    (after_it, before_it, at_the_end, with_slashes),
    ids=lambda value: getattr(value, '__name__', ''),
)
def test_a_tree_that_names_a_record_twice_is_refused(
    project: Repo,
    server: Server,
    interlock: Interlock,
    make: Callable[[Repo, str], list[tuple[str, str, str]]],
) -> None:
    """git checks out one of the two, and shows the other."""
    data = b''.join(
        f'{mode} {name}\0'.encode() + bytes.fromhex(oid)
        for mode, name, oid in make(project, bad_tree(project))
    )
    tree = (
        subprocess.run(
            ('git', 'hash-object', '-t', 'tree', '-w', '--stdin', '--literally'),
            cwd=project.path,
            input=data,
            capture_output=True,
            check=True,
        )
        .stdout.decode()
        .strip()
    )
    oid = project.git('commit-tree', '-p', 'HEAD', '-m', 'x', tree)
    for args in (('--commit', oid), ('--range', f'HEAD..{oid}')):
        result = interlock.check(*args)
        assert result.code == 1
        assert 'CFG010' in result.codes
    refused(server, server.refs(), push(project, 'origin', f'{oid}:main'), 'CFG010')


def test_a_range_between_unrelated_commits_is_a_step(
    project: Repo, interlock: Interlock
) -> None:
    start = stage(project, '3')
    tree = project.git('rev-parse', 'HEAD~1^{tree}')
    oid = project.git('commit-tree', '-m', 'chore: neu', tree)
    result = interlock.check('--range', f'{start}..{oid}')
    assert (result.code, result.codes) == (1, ['STG001', 'STG002'])


def test_a_message_ends_at_a_nul_in_any_encoding(
    project: Repo, interlock: Interlock
) -> None:
    project.commit(rewritten('Autre.\n'))
    head, tree = project.git('rev-parse', 'HEAD~1', 'HEAD^{tree}').split()
    text = (
        HEAD.format(
            tree=tree,
            parents=f'parent {head}\n',
            more='encoding UTF-16LE\n',
            message='',
        ).rstrip('\n')
        + '\n\n'
    )
    body = 'x\n\nContract-Amendment: unsichtbar\n'.encode('utf-16-le')
    oid = crafted(project, text.encode() + body)
    assert interlock.check('--commit', oid).codes == ['CON006']


@pytest.mark.parametrize(
    ('encoding', 'message', 'codes'),
    (
        # Python knows encodings that git does not
        ('unicode_escape', b'x\\n\\nContract-Amendment: unsichtbar', ['CON006']),
        ('raw-unicode-escape', b'x\\u000a\\u000aContract-Amendment: y', ['CON006']),
        # git converts the headers too, and these encodings cannot hold them
        ('UTF-7', b'x\n\nContract+AC0-Amendment: unsichtbar', ['CON006']),
        ('IBM037', 'x\n\nContract-Amendment: unsichtbar'.encode('cp037'), ['CON006']),
        ('ISO-8859-1', b'x\n\nContract-Amendment: d\xe9cid\xe9', []),
        ('Shift_JIS', 'x\n\nContract-Amendment: 合意'.encode('shift_jis'), []),
        # not its encoding: git shows the bytes
        ('Shift_JIS', b'x\n\nContract-Amendment: agreed \xff', []),
        ('nonsense', b'x\n\nContract-Amendment: agreed', []),
    ),
)
def test_a_message_says_what_git_shows(
    project: Repo, interlock: Interlock, encoding: str, message: bytes, codes: list[str]
) -> None:
    project.commit(rewritten('Autre.\n'))
    head, tree = project.git('rev-parse', 'HEAD~1', 'HEAD^{tree}').split()
    text = HEAD.format(
        tree=tree, parents=f'parent {head}\n', more=f'encoding {encoding}\n', message=''
    )
    oid = crafted(project, text.encode().rstrip(b'\n') + b'\n\n' + message)
    assert interlock.check('--commit', oid).codes == codes


@pytest.mark.parametrize(
    'more',
    (
        'encoding ISO-8859-1\n',
        'gpgsig -----BEGIN\n parent of nothing\n tree of nothing\n -----END\n',
        'mergetag object 1\n tree 2\n parent 3\n author x\n',
        'change-id kkmpptxz\n',
    ),
)
def test_other_headers_are_skipped(
    project: Repo, interlock: Interlock, more: str
) -> None:
    head, tree = project.git('rev-parse', 'HEAD', 'HEAD^{tree}').split()
    oid = crafted(
        project,
        HEAD.format(
            tree=tree, parents=f'parent {head}\n', more=more, message='x'
        ).encode(),
    )
    result = interlock.check('--commit', oid)
    assert (result.code, result.codes) == (0, []), result.out


CALLS = '#!/bin/sh\ninterlock hook "$@"\n'
REASON = '\n\nInterlock-Rules: on déménage\n'


def unwired(project: Repo, server: Server) -> tuple[str, ...]:
    project.commit({'.husky/pre-commit': CALLS})
    let_in(project, server, 'main')
    project.commit({'.husky/pre-commit': None}, 'chore: x' + REASON)
    project.commit({'README.md': 'à lire\n'})
    return ('origin', 'main')


def without_rules(project: Repo, server: Server) -> tuple[str, ...]:
    project.commit({'.interlock.yaml': None}, 'chore: x' + REASON)
    project.commit({'README.md': 'à lire\n'})
    return ('origin', 'main')


@pytest.mark.parametrize(
    'make', (unwired, without_rules), ids=lambda value: getattr(value, '__name__', '')
)
@pytest.mark.parametrize('reason', (True, False), ids=('why', 'no reason'))
def test_what_governs_goes_only_with_a_reason(
    adopted: Repo,
    server: Server,
    monkeypatch: pytest.MonkeyPatch,
    make: Callable[[Repo, Server], tuple[str, ...]],
    reason: bool,
) -> None:
    if not reason:
        monkeypatch.setattr('tests.e2e.ref_steps_test.REASON', '')
    args = make(adopted, server)
    assert push(adopted, *args).returncode == (0 if reason else 1)
