"""Teamwork of all kinds, honest throughout: it passes without a word."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest

from tests import samples
from tests.conftest import Interlock, Repo
from tests.e2e.servers import Server, push

pytestmark = pytest.mark.real

ROW_RE = re.compile(r'^\| (\S+) \| \S+ (.+?) \|', re.MULTILINE)
ITEMS = ('Alpha', 'Bravo', 'Charlie')
START = dict.fromkeys(ITEMS, 'Stage 2')
RESET = '\n\nReset-Reason: un autre son\n'
AMENDED = '\n\nContract-Amendment: décidé à deux\n'


def statuses(text: str) -> dict[str, str]:
    return dict(ROW_RE.findall(text))


class Team:
    def __init__(self, repo: Repo) -> None:
        self.repo = repo
        self.git = repo.git
        self._sums: dict[str, dict[str, str]] = {}

    def read(self, rev: str = '') -> dict[str, str]:
        if rev:
            return statuses(self.git('show', f'{rev}:PLUGINS.md'))
        return statuses((self.repo.path / 'PLUGINS.md').read_text())

    def branch(self, name: str, start: str = 'main') -> None:
        self.git('switch', '-q', '-c', name, start)

    def on(self, name: str) -> Team:
        self.git('switch', '-q', name)
        return self

    def edit(self, name: str, subject: str = 'chore: travail') -> str:
        return self.repo.commit({name: f'{subject} {name}\n'}, subject)

    def set(self, item: str, status: str, message: str) -> str:
        """A status that has no handoff."""
        handoff = self.repo.path / samples.handoff_path(item)
        files: dict[str, str | bytes | None] = {
            'PLUGINS.md': samples.registry({**self.read(), item: status})
        }
        if handoff.exists():
            files[samples.handoff_path(item)] = None
        return self.repo.commit(files, message)

    def stage(self, item: str, *numbers: str) -> str:
        oid = ''
        for number in numbers:
            oid = self.repo.commit(
                {
                    'PLUGINS.md': samples.registry(
                        {**self.read(), item: f'Stage {number}'}
                    ),
                    samples.handoff_path(item): samples.handoff(
                        item, number, sums=self.sums(item)
                    ),
                    f'plugins/{item}/Source/Main.cpp': f'// {number}\n',
                    f'plugins/{item}/CHANGELOG.md': '# 1\n',
                },
                f'feat({item}): Stage {number}',
            )
        return oid

    def sums(self, item: str) -> dict[str, str]:
        ideas = self.repo.path / 'plugins' / item / '.ideas'
        return {
            name: samples.checksum((ideas / file).read_text())
            for name, file in samples.CONTRACTS.items()
        }

    def merge(self, *names: str, message: str = 'Merge') -> None:
        """As somebody does who resolves conflicts of the registry."""
        before = self.git('rev-parse', 'HEAD')
        self.repo.try_git('merge', '-q', '--no-ff', '--no-commit', *names)
        merged = self.read(before)
        for name in names:
            base = self.read(self.git('merge-base', before, name))
            for item, status in self.read(name).items():
                if status != base.get(item):
                    merged[item] = status
        self.repo.stage({'PLUGINS.md': samples.registry(merged)})
        self.git('commit', '-q', '--no-verify', '-m', message)


def parallel_items(team: Team) -> None:
    for item in ITEMS:
        team.branch(f'travail/{item}')
        team.stage(item, '3', '4')
        team.on('main')
    for item in ITEMS:
        team.merge(f'travail/{item}')


def merge_train(team: Team) -> None:
    for item in ITEMS:
        team.branch(f'travail/{item}')
        team.stage(item, '3')
        team.on('main')
    before = 'main'
    for item in ITEMS:
        team.branch(f'train/{item}', before)
        team.merge(f'travail/{item}', message=f'Train: {item}')
        before = f'train/{item}'
    team.on('main').git('merge', '-q', '--ff-only', before)


def release_branch(team: Team) -> None:
    team.stage('Alpha', '3')
    team.branch('stable')
    team.edit('RELEASE.md', 'docs: notes')
    team.on('main').stage('Alpha', '4')
    team.on('stable').edit('hotfix.txt', 'fix: vite')
    team.on('main').merge('stable', message='Merge stable')
    team.on('stable').merge('main', message='Merge main')
    team.on('main').git('merge', '-q', '--ff-only', 'stable')


def reset_and_restart(team: Team) -> None:
    team.stage('Alpha', '3')
    team.set('Alpha', 'Ideated', 'feat(Alpha): Ideated' + RESET)
    team.repo.commit(
        {'plugins/Alpha/.ideas/architecture.md': '# Autre\n'}, 'docs(Alpha): encore'
    )
    team.stage('Alpha', '0', '2', '3')


def improvement_cycles(team: Team) -> None:
    team.stage('Alpha', '3', '4', '5')
    team.set('Alpha', 'Working', 'feat(Alpha): Working')
    for _ in range(2):
        team.set('Alpha', 'Installed', 'feat(Alpha): Installed')
        team.set('Alpha', 'Improving', 'feat(Alpha): Improving')
        team.edit('plugins/Alpha/Source/More.cpp', 'feat(Alpha): mieux')
    team.set('Alpha', 'Installed', 'feat(Alpha): Installed')


def squashed_branches(team: Team) -> None:
    team.branch('petit')
    team.edit('a.txt')
    team.edit('b.txt')
    team.stage('Bravo', '3')
    team.on('main').edit('c.txt')
    team.git('merge', '-q', '--squash', 'petit')
    team.git('commit', '-q', '--no-verify', '-m', 'feat(Bravo): Stage 3')


def squashed_by_a_platform(team: Team) -> None:
    """GitHub lists the messages of all commits, and then who made them."""
    team.branch('contrat')
    team.repo.commit({'plugins/Alpha/.ideas/plan.md': '# Autre\n'}, 'wip')
    sums = samples.handoff('Alpha', sums=team.sums('Alpha'))
    team.repo.stage({samples.handoff_path('Alpha'): sums})
    team.git('commit', '-q', '--amend', '-m', 'docs(Alpha): plan' + AMENDED)
    team.edit('l.txt')
    messages = team.git('log', '--reverse', '--format=* %B', 'main..contrat')
    team.on('main').git('merge', '-q', '--squash', 'contrat')
    team.git(
        'commit',
        '-qm',
        f'docs(Alpha): plan (#1)\n\n{messages}\n\n'
        '---------\n\nCo-authored-by: Zoë <zoe@example.invalid>\n',
    )


def reverts(team: Team) -> None:
    oid = team.edit('plugins/Bravo/Source/Bug.cpp', 'feat(Bravo): vite')
    team.stage('Alpha', '3')
    team.git('revert', '--no-edit', oid)
    team.git('revert', '--no-edit', 'HEAD')


def cherry_picks(team: Team) -> None:
    team.branch('stable')
    team.on('main').stage('Alpha', '3')
    fix = team.edit('fix.txt', 'fix: vite')
    team.on('stable').git('cherry-pick', fix)
    team.on('main').edit('d.txt')
    team.git('cherry-pick', '--no-commit', 'stable')
    team.git('commit', '-q', '--allow-empty', '-m', 'chore: rien de neuf')
    team.merge('stable', message='Merge stable')


def foreign(team: Team, name: str, *texts: str) -> None:
    """A project of its own, whose registry is not ours."""
    team.git('switch', '-q', '--orphan', name)
    for text in texts:
        team.repo.commit(
            {
                'README.md': f'{text}\n',
                'PLUGINS.md': f'# {text}\n',
                '.interlock.yaml': 'rien: à nous\n',
            },
            f'chore: {text}',
        )
    team.on('main')


def subtree(team: Team, rev: str, message: str) -> None:
    """As `git subtree add` and `pull` merge it."""
    team.git(
        'merge', '-q', '-s', 'ours', '--no-commit', '--allow-unrelated-histories', rev
    )
    if (team.repo.path / 'lib').exists():
        team.git('rm', '-rfq', 'lib')
    team.git('read-tree', '--prefix=lib/', '-u', rev)
    team.git('commit', '-q', '--no-verify', '-m', message)


def subtree_updates(team: Team) -> None:
    foreign(team, 'ailleurs', 'un', 'deux')
    subtree(team, 'ailleurs', "Add 'lib/' from commit")
    team.stage('Alpha', '3')
    team.on('ailleurs').repo.commit({'README.md': 'trois\n'}, 'chore: trois')
    team.on('main')
    subtree(team, 'ailleurs', 'Merge commit as lib')
    team.stage('Alpha', '4')


def squashed_subtrees(team: Team) -> None:
    foreign(team, 'ailleurs', 'un')
    before = ''
    for text in ('un', 'deux'):
        tree = team.git('rev-parse', 'ailleurs^{tree}')
        args = ('-p', before) if before else ()
        before = team.git('commit-tree', *args, '-m', f"Squashed 'lib/' {text}", tree)
        subtree(team, before, f"Merge commit '{text}' as 'lib'")
        team.on('ailleurs').repo.commit({'README.md': f'{text}!\n'}, 'x')
        team.on('main')


def dependency_bots(team: Team) -> None:
    for number in range(3):
        team.branch(f'bot/{number}')
        team.edit(f'lock{number}.txt', f'build(deps): bump {number}')
        team.on('main').edit(f'e{number}.txt')
        team.merge(f'bot/{number}', message=f'Merge bot/{number}')
    team.branch('bot/last', 'main~2')
    team.edit('lock9.txt', 'build(deps): bump 9')
    team.on('main').merge('bot/last', message='Merge bot/last')


def long_branch(team: Team) -> None:
    team.branch('long')
    team.edit('f.txt')
    for number in ('3', '4'):
        team.on('main').stage('Alpha', number)
        team.on('long').merge('main', message='Merge main')
        team.stage('Bravo', number)
    team.on('main').merge('long', message='Merge long')


def criss_cross(team: Team) -> None:
    team.branch('autre')
    team.stage('Bravo', '3')
    team.on('main').stage('Alpha', '3')
    main = team.git('rev-parse', 'main')
    team.merge('autre', message='Merge autre')
    team.on('autre').merge(main, message='Merge main')
    team.edit('g.txt')
    team.on('main').stage('Charlie', '3')
    team.merge('autre', message='Merge autre')


def octopus(team: Team) -> None:
    for item in ITEMS[1:]:
        team.branch(f'pieuvre/{item}')
        team.edit(f'{item}.txt')
        team.on('main')
    team.stage('Alpha', '3')
    team.git('merge', '-q', '-m', 'Merge branches', 'pieuvre/Bravo', 'pieuvre/Charlie')


def amendments(team: Team) -> None:
    team.branch('contrat')
    text = '# Autre\n\nDécidé à deux.\n'
    team.repo.commit({'plugins/Alpha/.ideas/architecture.md': text}, 'wip')
    team.git('reset', '-q', '--soft', 'HEAD~1')
    team.repo.commit(
        {
            samples.handoff_path('Alpha'): samples.handoff(
                'Alpha', sums=team.sums('Alpha')
            )
        },
        'docs(Alpha): architecture' + AMENDED,
    )
    team.on('main').edit('h.txt')
    team.merge('contrat', message='Merge contrat')
    team.stage('Alpha', '3')


def renamed_items(team: Team) -> None:
    team.git('mv', 'plugins/Charlie', 'plugins/Echo')
    found = team.read()
    del found['Charlie']
    team.repo.commit(
        {
            'PLUGINS.md': samples.registry({**found, 'Echo': 'Stage 2'}),
            samples.handoff_path('Echo'): samples.handoff(
                'Echo', sums=samples.checksums('Charlie')
            ),
        },
        'chore: Charlie is Echo',
    )
    team.edit('i.txt')


def rebased_branch(team: Team) -> None:
    team.branch('zweig')
    team.edit('j.txt')
    team.stage('Bravo', '3')
    team.on('main').edit('k.txt')
    team.on('zweig').git('rebase', '-q', 'main')
    team.on('main').git('merge', '-q', '--ff-only', 'zweig')


KINDS = (
    parallel_items,
    merge_train,
    release_branch,
    reset_and_restart,
    improvement_cycles,
    squashed_branches,
    squashed_by_a_platform,
    reverts,
    cherry_picks,
    subtree_updates,
    squashed_subtrees,
    dependency_bots,
    long_branch,
    criss_cross,
    octopus,
    amendments,
    renamed_items,
    rebased_branch,
)


@pytest.fixture
def project(repo: Repo) -> Repo:
    files: dict[str, str | bytes | None] = {
        '.interlock.yaml': samples.WORKFLOW,
        'PLUGINS.md': samples.registry(START),
    }
    for item in ITEMS:
        files.update(samples.item_files(item))
        files[samples.handoff_path(item)] = samples.handoff(item)
    repo.commit(files, 'chore: début')
    return repo


@pytest.mark.parametrize('work', KINDS, ids=lambda work: getattr(work, '__name__', ''))
def test_honest_work_passes_without_a_word(
    project: Repo, server: Server, interlock: Interlock, work: Callable[[Team], None]
) -> None:
    start = project.git('rev-parse', 'main')
    work(Team(project))
    project.git('switch', '-q', 'main')
    result = interlock.check('--range', f'{start}..main')
    found = [
        (each['commit'][:7], each['code'], each['message'])
        for each in json.loads(result.out)['findings']
        if each['code'] not in QUIET
    ]
    assert (result.code, found) == (0, []), project.git(
        'log', '--graph', '--format=%h %s'
    )
    process = push(project)
    assert process.returncode == 0, process.stderr


# what these stand-ins for plugins lack, and what a reset itself is told
QUIET = {'REG013', 'STG001', 'COM009'}
