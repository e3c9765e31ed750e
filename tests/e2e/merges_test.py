"""A merge takes over what changed; it invents nothing and loses nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from tests import samples
from tests.conftest import Interlock, Repo

Files = dict[str, str | bytes | None]
Act = Callable[[Repo], None]

STATUSES = {
    'Alpha': 'Ideated',
    'Bravo': 'Stage 2',
    'Charlie': 'Installed',
    'Délta': 'Stage 2',
}
BRAVO = samples.handoff_path('Bravo')
IDEAS = 'plugins/Bravo/.ideas'
AMENDED = '\n\nContract-Amendment: décidé à deux\n'


def registry(**changed: str) -> str:
    return samples.registry({**STATUSES, **changed})


def stage(number: str, item: str = 'Bravo', **others: str) -> Files:
    return {
        'PLUGINS.md': registry(**{item: f'Stage {number}', **others}),
        samples.handoff_path(item): samples.handoff(item, number),
        f'plugins/{item}/Source/Main.cpp': f'// {number}\n',
    }


def resealed(text: str, number: str = '2') -> Files:
    sums = {**samples.checksums('Bravo'), 'architecture': samples.checksum(text)}
    return {
        f'{IDEAS}/architecture.md': text,
        BRAVO: samples.handoff('Bravo', number, sums=sums),
    }


def commit(files: Files, message: str) -> Act:
    def act(repo: Repo) -> None:
        repo.commit(files, message)

    return act


def to(number: str, item: str = 'Bravo', **others: str) -> Act:
    return commit(stage(number, item, **others), f'feat({item}): Stage {number}')


def git(*args: str) -> Act:
    def act(repo: Repo) -> None:
        repo.git(*args)

    return act


README = commit({'README.md': 'à lire\n'}, 'docs: à lire')
NO_WORKFLOW = commit({'.interlock.yaml': None}, 'chore: sans règles')


class Case(NamedTuple):
    """Both branches start from the same commit."""

    ours: tuple[Act, ...]
    theirs: tuple[Act, ...]
    # what is otherwise than git merges it
    files: Files
    message: str
    codes: tuple[str, ...]
    # how it is merged
    options: tuple[str, ...]


def case(
    name: str,
    *codes: str,
    ours: tuple[Act, ...] = (README,),
    theirs: tuple[Act, ...] = (),
    files: Files | None = None,
    message: str = 'Merge',
    options: tuple[str, ...] = (),
) -> Any:
    return pytest.param(
        Case(ours, theirs, files or {}, message, codes, options), id=name
    )


GOOD = (
    case('a stage of one side', theirs=(to('3'), to('4'))),
    case('a stage of our side', ours=(to('3'), to('4')), theirs=(README,)),
    case(
        'different items',
        ours=(to('3'),),
        theirs=(to('3', 'Délta'),),
        files=stage('3', 'Délta', Bravo='Stage 3'),
    ),
    case(
        'one step behind the other',
        ours=(README, to('3')),
        theirs=(to('3'), to('4')),
        files=stage('4'),
    ),
    case(
        'the same step twice',
        ours=(README, to('3')),
        theirs=(to('3'),),
        files=stage('3'),
    ),
    case(
        'an amendment of one side',
        theirs=(commit(resealed('Autre.\n'), 'docs(Bravo): x' + AMENDED),),
    ),
    case(
        'a reset of one side with its reason',
        theirs=(
            commit(
                {'PLUGINS.md': registry(Bravo='Ideated'), BRAVO: None},
                'feat(Bravo): Ideated\n\nReset-Reason: von vorn\n',
            ),
        ),
    ),
    case(
        'two amendments, and a third with a reason',
        ours=(commit(resealed('Une.\n'), 'docs(Bravo): x' + AMENDED),),
        theirs=(commit(resealed('Deux.\n'), 'docs(Bravo): x' + AMENDED),),
        files=resealed('Une. Deux.\n'),
        message='Merge' + AMENDED,
    ),
    case(
        'a field of each side',
        ours=(
            commit(
                {
                    'PLUGINS.md': registry().replace(
                        '| Bravo | 🚧 Stage 2 | - |', '| Bravo | 🚧 Stage 2 | 1.0 |'
                    )
                },
                'docs: version',
            ),
        ),
        theirs=(to('3'),),
        files={
            **stage('3'),
            'PLUGINS.md': registry(Bravo='Stage 3').replace(
                '| Bravo | 🚧 Stage 3 | - |', '| Bravo | 🚧 Stage 3 | 1.0 |'
            ),
        },
    ),
    case(
        'unrelated history',
        theirs=(
            git('checkout', '-q', '--orphan', 'fremd'),
            git('rm', '-rfq', '.'),
            commit({'lib/README.md': 'autre\n'}, 'chore: ailleurs'),
            git('branch', '-M', 'fremd', 'côté'),
        ),
        options=('--allow-unrelated-histories',),
    ),
)

RENAMED: dict[str, str] = {
    'PLUGINS.md': samples.registry(
        {
            **{name: STATUSES[name] for name in STATUSES if name != 'Bravo'},
            'Foxtrot': 'Stage 2',
        }
    ),
    samples.handoff_path('Foxtrot'): samples.handoff(
        'Foxtrot', sums=samples.checksums('Bravo')
    ),
}
FURTHER: Files = {
    **RENAMED,
    'PLUGINS.md': RENAMED['PLUGINS.md']
    .replace(samples.row('Foxtrot', 'Stage 2'), samples.row('Foxtrot', 'Stage 3'))
    .replace(samples.entry('Foxtrot', 'Stage 2'), samples.entry('Foxtrot', 'Stage 3')),
    samples.handoff_path('Foxtrot'): samples.handoff(
        'Foxtrot', '3', sums=samples.checksums('Bravo')
    ),
    BRAVO: None,
    'plugins/Bravo/Source/Main.cpp': None,
}


def rename(repo: Repo) -> None:
    repo.git('mv', 'plugins/Bravo', 'plugins/Foxtrot')
    repo.commit(RENAMED, 'chore: Bravo is Foxtrot')


MORE = (
    case('a rename of one side', theirs=(rename,)),
    case(
        'a rename of one side, a step of the other',
        ours=(to('3'),),
        theirs=(rename,),
        files=FURTHER,
    ),
)

# the contract of an item that one side renamed, and the other amended
BETTER = samples.contract('Bravo', 'architecture') + 'Plus doux.\n'
AMEND = commit(resealed(BETTER), 'docs(Bravo): x' + AMENDED)
MOVED: Files = {
    **RENAMED,
    BRAVO: None,
    f'{IDEAS}/architecture.md': None,
    samples.handoff_path('Foxtrot'): samples.handoff(
        'Foxtrot',
        sums={**samples.checksums('Bravo'), 'architecture': samples.checksum(BETTER)},
    ),
    'plugins/Foxtrot/.ideas/architecture.md': BETTER,
}
RENAMES = (
    case(
        'a rename of one side, an amendment of the other',
        ours=(AMEND,),
        theirs=(rename,),
        files=MOVED,
    ),
    case(
        'an amendment of what the other side renamed is lost',
        'CON006',
        ours=(AMEND,),
        theirs=(rename,),
        files={
            **MOVED,
            samples.handoff_path('Foxtrot'): samples.handoff(
                'Foxtrot', sums=samples.checksums('Bravo')
            ),
            'plugins/Foxtrot/.ideas/architecture.md': samples.contract(
                'Bravo', 'architecture'
            ),
        },
    ),
)

BAD = (
    case(
        'the state of the other side is lost',
        'STG001',
        'STG002',
        theirs=(to('3'),),
        files=stage('2'),
    ),
    case(
        'everything of the other side is lost',
        'STG001',
        'STG002',
        theirs=(to('3'),),
        options=('-s', 'ours'),
    ),
    case(
        'a step that no side made',
        'STG001',
        'STG002',
        'COM005',
        theirs=(README,),
        files=stage('4'),
    ),
    case(
        'the older of two states',
        'STG001',
        'STG002',
        ours=(README, to('3')),
        theirs=(to('3'), to('4')),
        files=stage('3'),
    ),
    case(
        'the workflow is lost',
        'CFG003',
        theirs=(to('3'),),
        files={'.interlock.yaml': None},
    ),
    case(
        'a contract and its seal are written anew',
        'CON006',
        theirs=(README,),
        ours=(to('3'),),
        files=resealed('Autre.\n', '3'),
    ),
    case(
        'an amendment is lost',
        'CON006',
        theirs=(commit(resealed('Autre.\n'), 'docs(Bravo): x' + AMENDED),),
        options=('-s', 'ours'),
    ),
    case(
        'two amendments, and a third without a reason',
        'CON006',
        ours=(commit(resealed('Une.\n'), 'docs(Bravo): x' + AMENDED),),
        theirs=(commit(resealed('Deux.\n'), 'docs(Bravo): x' + AMENDED),),
        files=resealed('Une. Deux.\n'),
    ),
    case(
        'records of both sides that disagree',
        'REG001',
        ours=(to('3'),),
        theirs=(to('3', 'Délta'),),
        files={
            **stage('3', 'Délta'),
            'PLUGINS.md': samples.registry(
                {**STATUSES, 'Bravo': 'Stage 3', 'Délta': 'Stage 3'},
                {'Délta': 'Stage 2'},
            ),
        },
    ),
)


@pytest.fixture
def base(repo: Repo) -> Repo:
    repo.commit({'README.md': 'avant\n'}, 'chore: avant')
    repo.commit(
        {
            '.interlock.yaml': samples.WORKFLOW,
            'PLUGINS.md': registry(),
            **samples.item_files('Bravo'),
            BRAVO: samples.handoff('Bravo'),
            **samples.item_files('Délta'),
            samples.handoff_path('Délta'): samples.handoff('Délta'),
        }
    )
    return repo


def merge(repo: Repo, one: Case) -> None:
    """Leaves the merge in the index."""
    repo.git('branch', 'côté')
    for act in one.ours:
        act(repo)
    repo.git('checkout', '-q', 'côté')
    for act in one.theirs:
        act(repo)
    repo.git('checkout', '-q', 'main')
    process = repo.try_git(
        'merge', '-q', '--no-ff', '--no-commit', *one.options, 'côté'
    )
    assert process.returncode == 0 or one.files, process.stderr
    repo.stage(
        {
            path: text
            for path, text in one.files.items()
            # git may have moved it
            if text is not None or (repo.path / path).exists()
        }
    )


@pytest.mark.parametrize('one', (*GOOD, *MORE, *RENAMES, *BAD))
@pytest.mark.parametrize('turned', (False, True), ids=('ours', 'turned'))
def test_a_merge(
    base: Repo, interlock: Interlock, tmp_path: Any, one: Case, turned: bool
) -> None:
    """The same whichever of the two sides is the first parent."""
    if turned and one.options:
        pytest.skip('how it is merged has a direction')
    if turned:
        one = one._replace(ours=one.theirs or (README,), theirs=one.ours)
    merge(base, one)
    errors = {'refuses': bool(one.codes)}
    file = tmp_path / 'message'
    file.write_text(one.message)
    index = interlock.check('--staged', '--message', str(file))
    found = {
        each['code']
        for each in json.loads(index.out)['findings']
        if each['severity'] == 'error'
    }
    assert (found, index.code == 1) == (set(one.codes), errors['refuses']), index.out
    base.git('commit', '-q', '--no-verify', '-F', str(file))
    of_commit = interlock.check('--commit', 'HEAD')
    assert of_commit.codes == index.codes, of_commit.out


def test_a_merge_right_after_the_registry_moved(
    base: Repo, interlock: Interlock, tmp_path: Any
) -> None:
    """The workflow of HEAD says which files count, not that before it."""
    base.git('mv', 'PLUGINS.md', 'ITEMS.md')
    moved = samples.WORKFLOW + ('items: {plugin: {registry: {file: ITEMS.md}}}\n')
    base.commit({'.interlock.yaml': moved}, 'chore: le registre déménage')
    base.git('checkout', '-q', '-b', 'côté')
    # a step of the registry alone
    base.commit({'ITEMS.md': registry(Charlie='Archived')}, 'chore(Charlie): Archived')
    base.git('checkout', '-q', 'main')
    base.git('merge', '-q', '--no-ff', '--no-commit', '-s', 'ours', 'côté')
    file = tmp_path / 'message'
    file.write_text('Merge')
    index = interlock.check('--staged', '--message', str(file))
    assert index.code == 1 and 'STG001' in index.codes, index.out
    base.git('commit', '-q', '--no-verify', '-F', str(file))
    assert interlock.check('--commit', 'HEAD').codes == index.codes
