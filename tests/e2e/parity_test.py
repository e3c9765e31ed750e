"""The same change gives the same findings wherever it is judged."""

from __future__ import annotations

import io
import json
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from interlock.report.text import settled_in
from tests import samples
from tests.conftest import SCRIPTS, Interlock, Repo, Result
from tests.e2e.corpus import STATUSES, Files, mutant
from tests.e2e.servers import Server, push
from tests.profiles import some_of

Prepare = Callable[[Repo], None]

BRAVO = samples.handoff_path('Bravo')
IDEAS = 'plugins/Bravo/.ideas'
COMPARED = (
    'code',
    'check',
    'severity',
    'item',
    'path',
    'line',
    'message',
    'expected',
    'found',
    'introduced',
    'fix',
    'fingerprint',
    'follows',
)


def registry(rows: dict[str, str] | None = None, **changed: str) -> str:
    return samples.registry({**STATUSES, **changed}, rows)


def without_row(item: str) -> str:
    return registry().replace(samples.row(item, STATUSES[item]), '')


def without_entry(item: str) -> str:
    return registry().replace(samples.entry(item, STATUSES[item]), '')


def resealed(name: str, text: str) -> Files:
    sums = {**samples.checksums('Bravo'), name: samples.checksum(text)}
    return {
        f'{IDEAS}/{samples.CONTRACTS[name]}': text,
        BRAVO: samples.handoff('Bravo', sums=sums),
    }


def stage(
    number: str, item: str = 'Bravo', phase: str = 'null', status: str = 'complete'
) -> Files:
    handoff = samples.handoff(item, number, phase, status)
    return {
        'PLUGINS.md': registry(None, **{item: f'Stage {number}'}),
        samples.handoff_path(item): handoff,
        f'plugins/{item}/Source/Main.cpp': f'// {number}\n',
    }


def do(*commands: str) -> Prepare:
    def prepare(repo: Repo) -> None:
        for command in commands:
            repo.git(*command.split())

    return prepare


def link(repo: Repo) -> None:
    file = repo.path / BRAVO
    file.unlink()
    file.symlink_to('../../PLUGINS.md')
    repo.git('add', '-A')


def branch(name: str, *steps: tuple[Files, str]) -> Prepare:
    def prepare(repo: Repo) -> None:
        repo.git('checkout', '-q', '-b', name, 'base')
        for files, message in steps:
            repo.commit(files, message)
        repo.git('checkout', '-q', 'main')

    return prepare


def merging(*prepares: Prepare) -> Prepare:
    """Starts a merge of the branches that are made first."""

    def prepare(repo: Repo) -> None:
        repo.git('branch', 'base')
        for one in prepares:
            one(repo)
        repo.commit({'README.md': 'même\n'}, 'docs: à côté')
        names = repo.git(
            'for-each-ref', '--format=%(refname:short)', 'refs/heads/côté*'
        )
        repo.git('merge', '-q', '--no-ff', '--no-commit', *names.split('\n'))

    return prepare


NOTHING = do()


class Case(NamedTuple):
    files: Files
    message: str
    codes: Sequence[str]
    prepare: Prepare = NOTHING


def case(
    name: str, files: Files, message: str, *codes: str, prepare: Prepare = NOTHING
) -> Any:
    return pytest.param(Case(files, message, codes, prepare), id=name)


GOOD = (
    case('nothing of ours', {'README.md': 'à lire\n'}, 'docs: à lire'),
    case('code only', {'plugins/Bravo/Source/b.cpp': '1'}, 'fix(Bravo): son'),
    case('a stage', stage('3'), 'feat(Bravo): Stage 3 - moteur'),
    case(
        'a phase',
        {
            **stage('3', phase='3.1', status='in_progress'),
            'PLUGINS.md': registry(Bravo='Stage 3.1'),
        },
        'feat(Bravo): Stage 3.1 - début',
    ),
    case('a new item', {'PLUGINS.md': registry(Öl='Ideated')}, 'feat: Öl ideated'),
    case('a plan sealed again', resealed('plan', 'Autre plan.\n'), 'docs(Bravo): plan'),
    case(
        'an amendment',
        resealed('architecture', 'Autre.\n'),
        'docs(Bravo): refait\n\nContract-Amendment: décidé à deux\n',
    ),
    case(
        'an item is done and its handoff deleted',
        {'PLUGINS.md': registry(Délta='Working'), samples.handoff_path('Délta'): None},
        'feat(Délta): Working',
    ),
    case(
        'odd names',
        {
            'plugins/Bravo/caf\udce9 "x"\n.txt': '1',
            'interlock: end of the difference\n': '1',
        },
        'chore: noms',
    ),
)

# what else a lost frontmatter means for the contracts that are frozen
UNSEALED = ('CON006', 'CON006', 'CON006')

BAD = (
    case(
        'row behind entry',
        {'PLUGINS.md': registry({'Alpha': 'Stage 0'})},
        'chore: x',
        'REG001',
    ),
    case(
        'row without entry',
        {'PLUGINS.md': without_entry('Alpha')},
        'chore: x',
        'REG002',
    ),
    case(
        'entry without row', {'PLUGINS.md': without_row('Alpha')}, 'chore: x', 'REG003'
    ),
    case(
        'unknown status',
        {'PLUGINS.md': registry(Alpha='Idéé')},
        'chore: Alpha',
        'REG005',
    ),
    case('registry deleted', {'PLUGINS.md': None}, 'chore: x', 'REG008'),
    case('registry without a table', {'PLUGINS.md': '# rien\n'}, 'chore: x', 'REG008'),
    case(
        'conflict in the registry',
        {'PLUGINS.md': registry().replace('| Bravo ', '<<<<<<< HEAD\n| Bravo ', 1)},
        'chore: x',
        'REG008',
    ),
    case(
        'text between the rows',
        {'PLUGINS.md': registry().replace('| Bravo ', 'et\n| Bravo ', 1)},
        'chore: x',
        'REG008',
    ),
    case(
        'registry moved away',
        {},
        'chore: x',
        'REG008',
        prepare=do('mv PLUGINS.md REGISTRY.md'),
    ),
    case(
        'contract changed',
        {f'{IDEAS}/plan.md': 'Autre.\n'},
        'docs(Bravo): plan',
        'CON001',
    ),
    case('contract deleted', {f'{IDEAS}/plan.md': None}, 'docs(Bravo): plan', 'CON002'),
    case(
        'contract renamed',
        {},
        'docs(Bravo): plan',
        'CON002',
        prepare=do(f'mv {IDEAS}/plan.md {IDEAS}/projet.md'),
    ),
    case(
        'checksum malformed',
        {BRAVO: samples.handoff('Bravo', sums={'plan': 'sha256:pending'})},
        'docs(Bravo): plan',
        'CON003',
        *UNSEALED,
    ),
    case(
        'line endings',
        {f'{IDEAS}/plan.md': samples.contract('Bravo', 'plan').replace('\n', '\r\n')},
        'docs(Bravo): plan',
        'CON005',
    ),
    case(
        'no amendment', resealed('architecture', 'Autre.\n'), 'docs(Bravo): x', 'CON006'
    ),
    case('a skip', stage('4'), 'feat(Bravo): Stage 4', 'STG001', 'STG002'),
    case(
        'a gate',
        {
            'PLUGINS.md': registry(Alpha='Stage 1'),
            samples.handoff_path('Alpha'): samples.handoff('Alpha', '1', sums={}),
        },
        'feat(Alpha): Stage 1',
        'CON004',
        'COM003',
        'COM003',
        'STG005',
        'STG005',
        'STG005',
    ),
    case(
        'a reset without a reason',
        {'PLUGINS.md': registry(Echo='Ideated')},
        'feat(Echo): Ideated',
        'STG001',
    ),
    case(
        'registry alone',
        {'PLUGINS.md': registry(Bravo='Stage 3')},
        'chore(Bravo): to Stage 3',
        'COM001',
        'REG010',
    ),
    case(
        'handoff alone',
        {BRAVO: samples.handoff('Bravo', '3')},
        'chore(Bravo): to Stage 3',
        'COM001',
        'REG010',
    ),
    case(
        'no state files',
        {'plugins/Bravo/Source/Main.cpp': '// 3\n'},
        'feat(Bravo): Stage 3',
        'COM002',
    ),
    case(
        'no deliverables',
        {file: text for file, text in stage('3').items() if 'Source' not in file},
        'feat(Bravo): Stage 3',
        'COM003',
    ),
    case('another stage in the subject', stage('3'), 'feat(Bravo): Stage 2', 'COM004'),
    case('a hidden stage', stage('3'), 'docs: fautes', 'COM005'),
    case('no such form', stage('3'), 'feat(Bravo): vers stage 3', 'COM006'),
    case('no frontmatter', {BRAVO: '# rien\n'}, 'docs(Bravo): x', 'HND001', *UNSEALED),
    case(
        'half a frontmatter',
        {BRAVO: '---\nstage: [\n---\n'},
        'docs(Bravo): x',
        'HND002',
        *UNSEALED,
    ),
    case(
        'another item',
        {BRAVO: samples.handoff('Bravo', plugin='Brava')},
        'docs(Bravo): x',
        'HND004',
    ),
    case(
        'a handoff that became a link',
        {},
        'docs(Bravo): x',
        'HND001',
        *UNSEALED,
        prepare=link,
    ),
    case(
        'a handoff at its older place',
        {},
        'docs(Bravo): x',
        'HND007',
        prepare=do(f'mv {BRAVO} {IDEAS}/.continue-here.md'),
    ),
    case(
        'a stale handoff',
        {samples.handoff_path('Charlie'): samples.handoff('Charlie', '5', sums={})},
        'docs(Charlie): x',
        'HND005',
    ),
    case(
        'a plugin renamed',
        {},
        'chore: renommer',
        'HND004',
        'HND011',
        'REG014',
        'CON007',
        'CON007',
        'CON007',
        prepare=do('mv plugins/Bravo plugins/Foxtrot'),
    ),
    case(
        'a workflow that switches the gate off',
        {
            '.interlock.yaml': f'{samples.WORKFLOW}severity: {{REG001: off}}',
            'PLUGINS.md': registry({'Alpha': 'Stage 0'}),
        },
        'chore: x',
        'CFG001',
        'CFG008',
        'REG001',
    ),
    case(
        'an invalid workflow',
        {'.interlock.yaml': 'version: 7\n'},
        'chore: x',
        'CFG001',
        'CFG002',
    ),
    case('no workflow', {'.interlock.yaml': None}, 'chore: x', 'CFG003'),
    case(
        'another baseline',
        {'.interlock-baseline.json': '{"version": 1, "findings": [] }\n'},
        'chore: x',
        'CFG004',
    ),
)

TWO_STAGES = branch(
    'côté', (stage('3'), 'feat(Bravo): Stage 3'), (stage('4'), 'feat(Bravo): Stage 4')
)
DRIFT = branch('côté-b', ({'PLUGINS.md': registry({'Alpha': 'Stage 0'})}, 'chore: x'))
DOCS = branch('côté-c', ({'docs/é.md': '1'}, 'docs: é'))

MERGES = (
    case('a good merge', {}, 'Merge', prepare=merging(TWO_STAGES)),
    case('drift of one parent', {}, 'Merge', prepare=merging(DRIFT)),
    case('an octopus', {}, 'Merge', prepare=merging(TWO_STAGES, DOCS)),
    case(
        'drift of the merge',
        {'PLUGINS.md': registry({'Alpha': 'Stage 0'}, Bravo='Stage 4')},
        'Merge',
        'REG001',
        prepare=merging(TWO_STAGES),
    ),
    case(
        'drift of an octopus',
        {'PLUGINS.md': registry({'Echo': 'Installed'}, Bravo='Stage 4')},
        'Merge',
        'REG001',
        prepare=merging(TWO_STAGES, DOCS),
    ),
    case(
        'a deletion in a merge',
        {f'{IDEAS}/plan.md': None},
        'Merge',
        'CON002',
        prepare=merging(DOCS),
    ),
)


@pytest.fixture
def base(repo: Repo) -> Repo:
    repo.commit(
        {
            '.interlock.yaml': samples.WORKFLOW,
            '.interlock-baseline.json': '{"version": 1, "findings": []}\n',
            'PLUGINS.md': registry(),
            **samples.item_files('Bravo'),
            BRAVO: samples.handoff('Bravo'),
            **samples.item_files('Délta'),
            'plugins/Délta/CHANGELOG.md': '# 1\n',
            samples.handoff_path('Délta'): samples.handoff('Délta', '5'),
        }
    )
    return repo


def findings(out: str, commit: str) -> list[dict[str, Any]]:
    """What was found in one commit, with all that a finding says."""
    return [
        {key: found[key] for key in COMPARED}
        for found in json.loads(out)['findings']
        if found['commit'] == commit
    ]


def said(out: str, commit: str) -> list[str]:
    """The codes of what a report for people says of one commit."""
    return sorted(
        re.findall(
            rf'^{commit[:10]} [^\n]*?: ([A-Z]{{3}}[0-9]{{3}}) ', out, re.MULTILINE
        )
    )


def settled(out: str, commit: str) -> set[str]:
    """The codes that such a report folds into others of one commit."""
    found = set()
    at = ''
    for line in out.splitlines():
        at = line[:10] if line[:1].strip() else at
        if at == commit[:10]:
            found |= settled_in(line)
    return found


class Everywhere:
    """One commit, judged wherever a commit can be judged."""

    def __init__(
        self,
        repo: Repo,
        interlock: Interlock,
        folder: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        self.repo = repo
        self.interlock = interlock
        self.folder = folder
        self.monkeypatch = monkeypatch

    def staged(self, message: str) -> Result:
        file = self.folder / 'message'
        file.write_text(message)
        result = self.interlock.check('--staged', '--message', str(file))
        self._hooked(str(file), result)
        self.repo.git('commit', '-q', '--no-verify', '-F', str(file))
        return result

    def _hooked(self, file: str, expected: Result) -> None:
        """With what pre-commit kept, commit-msg finds what is left."""
        first = self.interlock('hook')
        if first.code:
            assert expected.code == first.code
            return
        second = self.interlock('hook', file)
        assert second.code == expected.code, second.out
        found = json.loads(expected.out)['findings']
        errors = [each['code'] for each in found if each['severity'] == 'error']
        told = re.findall(r' error: ([A-Z]{3}[0-9]{3}) ', second.out)
        assert {*told} | settled_in(second.out) >= {*errors} >= {*told}
        warnings = [each['code'] for each in found if each['severity'] == 'warning']
        said = re.findall(r' warning: ([A-Z]{3}[0-9]{3}) ', first.out + second.out)
        assert {*said} | settled_in(first.out + second.out) >= {*warnings}

    def pushed(self, command: str, line: str) -> Result:
        data = io.TextIOWrapper(io.BytesIO(f'{line}\n'.encode()))
        self.monkeypatch.setattr('sys.stdin', data)
        return self.interlock(command)

    def compare(self, index: Result) -> None:
        oid, parent = self.repo.git('rev-parse', 'HEAD', 'HEAD^1').split()
        expected = findings(index.out, '')
        codes = sorted(each['code'] for each in expected if not each['follows'])
        folded = {each['code'] for each in expected if each['follows']}

        commit = self.interlock.check('--commit', 'HEAD')
        assert findings(commit.out, oid) == expected
        assert commit.code == index.code
        ranged = self.interlock.check('--range', 'HEAD^1..HEAD')
        # what only a push shows is not part of the verdict about a commit
        alone = [each for each in findings(ranged.out, oid) if each['code'] != 'CFG007']
        assert alone == expected

        push = self.pushed('pre-push', f'HEAD {oid} refs/heads/main {parent}')
        assert [c for c in said(push.out, oid) if c != 'CFG007'] == codes
        assert settled(push.out, oid) == folded
        assert push.code == ranged.code

        bare = self.folder / 'nu.git'
        self.repo.git('clone', '-q', '--bare', '.', str(bare))
        self.monkeypatch.chdir(bare)
        in_bare = self.interlock.check('--commit', 'main')
        assert findings(in_bare.out, oid) == expected
        assert in_bare.code == index.code
        # a server that has not taken it yet
        Repo(bare).git('update-ref', 'refs/heads/main', parent)
        for ref in (
            Repo(bare)
            .git('for-each-ref', '--format=%(refname)', 'refs/heads/côté*')
            .split()
        ):
            Repo(bare).git('update-ref', '-d', ref)
        received = self.pushed('pre-receive', f'{parent} {oid} refs/heads/main')
        assert said(received.out, oid) == said(push.out, oid)
        assert settled(received.out, oid) == folded
        assert received.code == push.code


@pytest.fixture
def everywhere(
    base: Repo, interlock: Interlock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Everywhere:
    return Everywhere(base, interlock, tmp_path, monkeypatch)


@pytest.mark.parametrize('one', (*GOOD, *BAD, *MERGES))
def test_every_surface_finds_the_same(
    base: Repo, everywhere: Everywhere, one: Case
) -> None:
    one.prepare(base)
    if one.files:
        base.stage(one.files)
    index = everywhere.staged(one.message)
    assert index.codes == sorted(one.codes), index.out
    everywhere.compare(index)


@pytest.mark.parametrize('number', some_of(range(160)))
def test_every_surface_finds_the_same_in_what_nobody_thought_of(
    base: Repo, everywhere: Everywhere, number: int
) -> None:
    one = mutant(number)
    base.stage({**one.files, 'nouveau.txt': f'{number}\n'})
    everywhere.compare(everywhere.staged(one.message))


@pytest.mark.parametrize(
    ('workflow', 'expected'),
    (
        pytest.param(samples.WORKFLOW, [], id='a workflow'),
        pytest.param('version: 1\nitems: [', ['CFG002'], id='not YAML'),
        pytest.param('version: 1\nitem: {}\n', ['CFG002'], id='not of the schema'),
        pytest.param(
            'version: 1\nextends: other.yaml\n', ['CFG002'], id='extends nothing'
        ),
    ),
)
def test_a_commit_that_adopts_a_workflow_is_judged_alike_everywhere(
    repo: Repo,
    interlock: Interlock,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    workflow: str,
    expected: list[str],
) -> None:
    server = Server(tmp_path / 'server.git')
    repo.commit({'a': 'é'})
    repo.git('clone', '-q', '--bare', '.', str(server.path))
    server.guard()
    repo.git('remote', 'add', 'origin', str(server.path))
    assert interlock('init', '--preset', 'basic', '--git-hooks').code == 0
    (repo.path / '.interlock.yaml').unlink()
    repo.stage(
        {'.interlock.yaml': workflow, 'PLUGINS.md': registry({'Alpha': 'Stage 0'})}
    )
    monkeypatch.setenv('PATH', f'{SCRIPTS}{os.pathsep}{os.environ["PATH"]}')
    message = tmp_path / 'message'
    message.write_text('chore: début\n')
    verdict = (int(bool(expected)), expected)
    index = interlock.check('--staged', '--message', str(message))
    assert (index.code, index.codes) == verdict
    committed = repo.try_git('commit', '-F', str(message))
    assert committed.returncode == verdict[0]
    assert committed.stderr.count('this commit adopts') == (not expected)
    if expected:
        repo.git('commit', '-q', '--no-verify', '-F', str(message))
    for arguments in (('--commit', 'HEAD'), ('--range', 'HEAD^..HEAD')):
        history = interlock.check(*arguments)
        assert (history.code, history.codes) == verdict
    for options in ((), ('--no-verify',)):
        # pre-push, and pre-receive on the server
        pushed = push(repo, *options, 'origin', 'HEAD:main')
        assert bool(pushed.returncode) == bool(expected), pushed.stderr
        for code in expected:
            assert code in pushed.stdout + pushed.stderr
    bare = tmp_path / 'nu.git'
    repo.git('clone', '-q', '--bare', '.', str(bare))
    oid = repo.git('rev-parse', 'HEAD')
    monkeypatch.chdir(bare)
    assert interlock.check('--commit', oid).codes == expected


def test_what_an_adoption_cannot_protect_is_said_once(
    repo: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = '| a | Planned |\n| b | Done |\n| c<d | Done |\n'
    repo.commit({'FEATURES.md': f'| Feature | State |\n|---|---|\n{rows}'})
    assert interlock('init', '--git-hooks').code == 0
    monkeypatch.setenv('PATH', f'{SCRIPTS}{os.pathsep}{os.environ["PATH"]}')
    repo.git('add', '.')
    committed = repo.try_git('commit', '-m', 'adopt')
    assert committed.returncode == 0, committed.stderr
    said = committed.stdout + committed.stderr
    assert (said.count('warning: REG009'), said.count('this commit adopts')) == (1, 1)
