"""The workflow names another path, and the file moves there in the same commit or in
the next one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Interlock, Repo
from tests.e2e.servers import Server, push

Files = dict[str, str | bytes | None]

EXAMPLE = Path(__file__).parents[2] / 'docs/examples/features/.interlock.yaml'
WORKFLOW = EXAMPLE.read_text(encoding='UTF-8')
RULES = 'chore: umziehen\n\nInterlock-Rules: anderer Ordner\n'
LOGIN, MOVED = 'specs/Login.md', 'docs/specs/Login.md'
SPEC = '# Login\n\nUn mot de passe.\nDeux facteurs.\n'
REGISTRY = {'.interlock.yaml': WORKFLOW.replace('FEATURES.md', 'docs/F.md')}
CONTRACTS = {'.interlock.yaml': WORKFLOW.replace("'specs/", "'docs/specs/")}


def table(search: str = 'Idea', *others: str) -> str:
    names = others or ('Login', 'Search')
    states = {'Login': 'Review', 'Search': search}
    rows = ''.join(f'| {name} | {states[name]} |\n' for name in names)
    return f'| Feature | State |\n|---|---|\n{rows}'


def registry(text: str, old: str | None = None) -> Files:
    return {'FEATURES.md': old, 'docs/F.md': text}


@pytest.fixture
def features(repo: Repo, tmp_path: Path) -> Repo:
    server = Server(tmp_path / 'server.git')
    repo.git('init', '-q', '--bare', str(server.path))
    (server.path / 'hooks').mkdir(exist_ok=True)
    files: Files = {'.interlock.yaml': WORKFLOW, 'FEATURES.md': table(), LOGIN: SPEC}
    repo.commit(files, 'chore: interlock')
    repo.git('remote', 'add', 'origin', str(server.path))
    repo.git('push', '-q', 'origin', 'main')
    server.guard()
    return repo


def case(
    name: str, rules: Files, files: Files, *codes: str, message: str = 'x'
) -> object:
    return pytest.param(rules, files, message, list(codes), id=name)


CASES = pytest.mark.parametrize(
    ('rules', 'files', 'message', 'codes'),
    (
        case('the registry', dict(REGISTRY), registry(table())),
        case('and a legal step', dict(REGISTRY), registry(table('Building'))),
        case('and a skip', dict(REGISTRY), registry(table('Shipped')), 'STG001'),
        case(
            'a skip in a copy',
            dict(REGISTRY),
            registry(table('Shipped'), table()),
            'STG001',
        ),
        case(
            'without an item',
            dict(REGISTRY),
            registry(table('Idea', 'Search')),
            'REG019',
        ),
        case(
            'without an item, and why',
            dict(REGISTRY),
            registry(table('Idea', 'Search')),
            message='x\n\nItem-Dropped: vorbei\n',
        ),
        case('a contract', dict(CONTRACTS), {LOGIN: None, MOVED: SPEC}),
        case(
            'a contract that changes',
            dict(CONTRACTS),
            {LOGIN: None, MOVED: f'{SPEC}Trois.\n'},
            'CON007',
        ),
        case(
            'a contract that is amended',
            dict(CONTRACTS),
            {LOGIN: None, MOVED: f'{SPEC}Trois.\n'},
            message='x\n\nSpec-Amended: décidé\n',
        ),
        case(
            'a contract that changes in a copy',
            dict(CONTRACTS),
            {MOVED: f'{SPEC}Trois.\n'},
            'CON007',
        ),
        case('a copy of a contract', dict(CONTRACTS), {MOVED: SPEC}),
    ),
)


@CASES
def test_what_moves_with_its_workflow_stays_the_same(
    features: Repo,
    interlock: Interlock,
    rules: Files,
    files: Files,
    message: str,
    codes: list[str],
) -> None:
    start = features.git('rev-parse', 'HEAD')
    features.commit(rules, RULES)
    features.commit(files, message)
    one = interlock.check('--commit', 'HEAD')
    assert (one.code, one.codes) == (int(bool(codes)), codes)
    both = interlock.check('--range', f'{start}..HEAD')
    assert [code for code in both.codes if not code.startswith('CFG')] == codes
    assert push(features).returncode == int(bool(codes))


@CASES
@pytest.mark.parametrize('is_there', (False, True), ids=('', 'it was there'))
def test_what_moves_in_the_commit_of_its_workflow_stays_the_same(
    features: Repo,
    interlock: Interlock,
    is_there: bool,
    rules: Files,
    files: Files,
    message: str,
    codes: list[str],
) -> None:
    if is_there:
        # the old file stays until the workflow names the new one
        new = {
            path: text for path, text in files.items() if path in (MOVED, 'docs/F.md')
        }
        features.commit(new, 'docs: a copy')
    start = features.git('rev-parse', 'HEAD')
    features.stage({**rules, **files})
    why = f'{message.rstrip()}\n' if ':' in message else f'{message}\n\n'
    features.git('commit', '-q', '-m', f'{why}Interlock-Rules: anderer Ordner\n')
    for option, commits in (('--commit', 'HEAD'), ('--range', f'{start}..HEAD')):
        found = interlock.check(option, commits)
        assert [code for code in found.codes if not code.startswith('CFG')] == codes
        assert found.code == int(bool(codes))
    assert push(features).returncode == int(bool(codes))


@pytest.mark.parametrize(
    ('search', 'codes'),
    (('Review', []), ('Shipped', []), ('Idea', ['STG001'])),
    ids=('taken over', 'one step more', 'lost'),
)
@pytest.mark.parametrize('turned', (False, True))
def test_a_merge_follows_a_registry_that_one_side_moved(
    features: Repo, interlock: Interlock, search: str, codes: list[str], turned: bool
) -> None:
    start = features.git('rev-parse', 'HEAD')
    features.git('checkout', '-q', '-b', 'côté')
    for state in ('Building', 'Review'):
        features.commit({'FEATURES.md': table(state)}, 'x')
    features.git('checkout', '-q', 'main')
    features.commit(dict(REGISTRY), RULES)
    features.commit(registry(table()), 'x')
    features.stage({'docs/F.md': table(search)})
    sides = ('côté', 'main') if turned else ('main', 'côté')
    parents = [word for side in sides for word in ('-p', side)]
    tree = features.git('write-tree')
    features.git('reset', '-q', '--hard')
    merge = features.git('commit-tree', '-m', 'Merge', *parents, tree)
    features.git('reset', '-q', '--hard', merge)
    assert interlock.check('--commit', 'HEAD').codes == codes
    both = interlock.check('--range', f'{start}..HEAD')
    assert [code for code in both.codes if not code.startswith('CFG')] == codes
