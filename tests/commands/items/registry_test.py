from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from interlock.model.errors import Refusal
from interlock.project.project import find_item
from tests import samples
from tests.checks import trees
from tests.conftest import Interlock, Repo

KNOWN = ', '.join(trees.workflow().kinds[0].states)


@pytest.fixture
def board(repo: Repo) -> Repo:
    repo.commit(
        {
            '.interlock.yaml': samples.UNTRIED,
            'PLUGINS.md': samples.registry(
                {
                    'Idée': 'Ideated',
                    'Deux': 'Stage 2',
                    'Trois': 'Stage 3.1',
                    'Cinq': 'Stage 5',
                    'Fini': 'Working',
                    'Mis': 'Installed',
                    'Faux': 'Wroking',
                    'Zéro': 'Stage 0',
                    'Rien': 'Stage 0',
                }
            ),
            samples.handoff_path('Seul'): samples.handoff('Seul', '0'),
            **samples.item_files('Idée'),
            **samples.item_files('Zéro'),
        }
    )
    return repo


@pytest.mark.parametrize(
    ('item', 'status'),
    (
        pytest.param('Idée', 'Stage 0', id='first stage'),
        pytest.param('Idée', 'Stage 1', id='stage 0 is optional'),
        pytest.param('Idée', 'Ideated', id='no step'),
        pytest.param('Idée', 'Ideated (avec maquette)', id='annotation'),
        pytest.param('Deux', 'Stage 3', id='next'),
        pytest.param('Deux', '🚧 **Stage 3**', id='styled'),
        pytest.param('Deux', 'Processing Audio', id='alias'),
        pytest.param('Deux', 'Stage 3.1', id='first phase of the next'),
        pytest.param('Trois', 'Stage 3.2', id='next phase'),
        pytest.param('Trois', 'Stage 3', id='stage complete'),
        pytest.param('Trois', 'Stage 4.1', id='phase of the next'),
        pytest.param('Fini', 'Installed', id='installed'),
        pytest.param('Mis', 'Improving', id='improving'),
        pytest.param('Zéro', 'Stage 1', id='with its contracts'),
        pytest.param('Seul', 'Stage 0', id='not registered yet'),
        pytest.param('Neuf', 'Ideated', id='of which nothing is known'),
    ),
)
def test_a_legal_step_is_allowed(
    board: Repo, interlock: Interlock, item: str, status: str
) -> None:
    result = interlock('registry', 'may', item, status, '--format', 'json')
    assert json.loads(result.out) == {'allowed': True, 'reason': ''}
    assert result.code == 0


@pytest.mark.parametrize(
    ('item', 'status', 'reason'),
    (
        pytest.param('Deux', 'Stage 4', 'after Stage 2 comes Stage 3', id='skip'),
        pytest.param('Deux', 'Stage 1', 'after Stage 2 comes Stage 3', id='back'),
        pytest.param('Deux', 'Working', 'after Stage 2 comes Stage 3', id='early'),
        pytest.param(
            'Trois',
            'Stage 3.3',
            'the phase after Stage 3.1 is Stage 3.2',
            id='skipped phase',
        ),
        pytest.param(
            'Fini',
            'Stage 2',
            'a finished item is changed as Improving',
            id='Working names Improving',
        ),
        pytest.param(
            'Mis',
            'Stage 5',
            'a finished item is changed as Improving',
            id='Installed names Improving',
        ),
        pytest.param(
            'Seul', 'Stage 3', 'a new item begins with Ideated or Stage 0', id='new'
        ),
        pytest.param(
            'Neuf',
            'Working',
            'a new item begins with Ideated or Stage 0; there is no item `Neuf`',
            id='of which nothing is known',
        ),
        pytest.param(
            'Trios',
            'Stage 4',
            'a new item begins with Ideated or Stage 0; there is no item '
            '`Trios`; did you mean `Trois`?',
            id='a typing error',
        ),
        pytest.param(
            'Rien',
            'Stage 1',
            'plugins/Rien/.ideas/creative-brief.md is missing (the ideation '
            'makes it); plugins/Rien/.ideas/parameter-spec.md is missing (the '
            'UI mockup makes it); plugins/Rien/.ideas/architecture.md is '
            'missing (the research of Stage 0 makes it)',
            id='a closed gate',
        ),
    ),
)
def test_an_illegal_step_is_refused_with_the_reason(
    board: Repo, interlock: Interlock, item: str, status: str, reason: str
) -> None:
    result = interlock('registry', 'may', item, status, '--format', 'json')
    assert json.loads(result.out) == {'allowed': False, 'reason': reason}
    assert result.code == 1


def test_an_unusual_step_is_allowed_with_the_reason(
    board: Repo, interlock: Interlock
) -> None:
    result = interlock('registry', 'may', 'Cinq', 'Installed', '--format=json')
    assert json.loads(result.out) == {
        'allowed': True,
        'reason': 'an item is Working before it is Installed',
    }
    assert result.code == 0


@pytest.mark.parametrize(
    ('item', 'status', 'sentence', 'code', 'following'),
    (
        pytest.param(
            'Deux',
            'Stage 3',
            'Deux may go from Stage 2 to Stage 3\n',
            0,
            "interlock registry set-status Deux 'Stage 3'",
            id='legal',
        ),
        pytest.param(
            'Deux',
            'Stage 2',
            'Deux may go from Stage 2 to Stage 2\n',
            0,
            '',
            id='where it is',
        ),
        pytest.param(
            'Seul',
            'Stage 3',
            'Seul may not go from nothing to Stage 3: a new item '
            'begins with Ideated or Stage 0\n',
            1,
            'interlock registry show',
            id='unknown',
        ),
        pytest.param(
            'Fini',
            'Stage 3',
            'Fini may not go from Working to Stage 3: a finished item is '
            'changed as Improving\n',
            1,
            'interlock registry set-status Fini Improving',
            id='illegal',
        ),
        pytest.param(
            'Seul',
            'Ideated',
            'Seul may go from nothing to Ideated\n',
            0,
            "interlock registry add Seul --type 'Audio Effect'",
            id='new',
        ),
    ),
)
def test_the_answer_as_text(
    board: Repo,
    interlock: Interlock,
    item: str,
    status: str,
    sentence: str,
    code: int,
    following: str,
) -> None:
    result = interlock('registry', 'may', item, status)
    assert (result.out, result.code) == (sentence, code)
    assert result.err == (f'next: {following}\n' if following else '')
    assert not following or interlock(*shlex.split(following)[1:]).code == 0


def test_the_answer_in_milestone_words(board: Repo, interlock: Interlock) -> None:
    board.write({'.interlock.yaml': f'{samples.UNTRIED}display: milestones\n'})
    # in any case
    for wanted in ('Stage 3', 'stage 3'):
        result = interlock('registry', 'may', 'Deux', wanted)
        assert result.out == 'Deux may go from Building System to Processing Audio\n'


@pytest.mark.parametrize(
    ('item', 'status', 'sentence'),
    (
        pytest.param(
            'Deux',
            'Stage3',
            f'`Stage3` is not a status of the workflow; there are {KNOWN}; did you mean `Stage 3`?',
            id='nearest status',
        ),
        pytest.param('Deux', '3', 'did you mean `Stage 3`?', id='a bare number'),
        pytest.param(
            'Deux',
            'Stage 2.1',
            '`Stage 2.1` is not a status of the workflow',
            id='a phase where there are none',
        ),
        pytest.param('Deux', 'Wroking', 'did you mean `Working`?', id='typing error'),
        pytest.param(
            'Deux',
            '§§',
            '`§§` is not a status of the workflow; there are Ideated, Stage 0,',
            id='none near',
        ),
        pytest.param('Deux', '', '`` is not a status', id='empty status'),
        pytest.param(
            '../../x', 'Stage 3', "'../../x' cannot be the name of an item", id='a path'
        ),
        pytest.param('a\nb', 'Stage 3', 'cannot be the name of an item', id='newline'),
        pytest.param(
            'Faux',
            'Ideated',
            'PLUGINS.md: the status of Faux is not understood\n'
            '    next: correct `🚧 **Wroking**` to `Working` by hand: PLUGINS.md:',
            id='a status that is not understood is not a new item',
        ),
    ),
)
def test_a_question_that_makes_no_sense_exits_2(
    board: Repo, interlock: Interlock, item: str, status: str, sentence: str
) -> None:
    result = interlock('registry', 'may', item, status, '--format', 'json')
    assert result.code == 2
    assert result.out == ''
    assert sentence in result.err


def test_the_files_are_asked_and_not_the_last_commit(
    board: Repo, interlock: Interlock
) -> None:
    board.write({'PLUGINS.md': samples.registry({'Deux': 'Stage 4'})})
    assert interlock('registry', 'may', 'Deux', 'Stage 5').code == 0


def test_without_a_workflow_there_is_no_answer(
    repo: Repo, interlock: Interlock
) -> None:
    result = interlock('registry', 'may', 'Deux', 'Stage 3')
    assert result.code == 2
    assert 'next: interlock init' in result.err


def test_the_question_needs_no_repository(
    tmp_path: Path, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    top = tmp_path / 'sans git'
    (top / 'sous').mkdir(parents=True)
    (top / '.interlock.yaml').write_text(samples.UNTRIED)
    (top / 'PLUGINS.md').write_text(samples.registry({'Deux': 'Stage 2'}))
    monkeypatch.chdir(top / 'sous')
    result = interlock('registry', 'may', 'Deux', 'Stage 3', '--format=json')
    assert json.loads(result.out) == {'allowed': True, 'reason': ''}
    assert result.code == 0
    result = interlock('registry', 'may', 'Deux', 'Stage 4')
    assert result.code == 1
    assert 'Deux may not go from Stage 2 to Stage 4' in result.out


def test_a_registry_that_cannot_be_read_is_not_shown_as_empty(
    repo: Repo, interlock: Interlock
) -> None:
    repo.commit(
        {
            '.interlock.yaml': samples.WORKFLOW,
            'PLUGINS.md': samples.HEAD.replace('Version', 'Status'),
        }
    )
    result = interlock('registry', 'show')
    assert (result.code, result.out) == (2, '')
    assert result.err.startswith(
        'interlock: PLUGINS.md:5: the registry has 2 columns `Status`\n    next: '
    )


def test_an_item_of_a_kind_without_registry_is_named_with_its_kind() -> None:
    found = trees.workflow()
    [kind] = found.kinds
    other = kind._replace(name='tool', registry=kind.registry._replace(file=''))
    path = samples.handoff_path('Bravo')
    tree = trees.Tree(
        {
            'PLUGINS.md': samples.registry({'Bravo': 'Stage 2'}),
            path: samples.handoff('Bravo', '2'),
        }
    )
    with pytest.raises(Refusal) as refused:
        find_item(tree, found._replace(kinds=(kind, other)), 'Bravo')
    assert f'PLUGINS.md and in {path}' in refused.value.message
    assert 'plugin:Bravo or tool:Bravo' in refused.value.hint
