from __future__ import annotations

import json

import pytest

from tests import samples
from tests.conftest import Interlock, Repo
from tests.git import changes

ODD = (
    pytest.param('deux mots.txt', id='spaces'),
    pytest.param('"cité" \'x\' \\.txt', id='quotes'),
    pytest.param('ligne\nneuve.txt', id='newline'),
    pytest.param('tab\tulation.txt', id='tab'),
    pytest.param('caf\udce9.txt', id='no UTF-8'),
    pytest.param(':(glob)*.txt', id='a pathspec'),
    pytest.param('-f', id='an option'),
    pytest.param('日本/語.txt', id='other letters'),
)


@pytest.mark.parametrize('quote', ('true', 'false'))
@pytest.mark.parametrize('name', ODD)
def test_a_file_of_any_name_hides_no_other(
    project: Repo, interlock: Interlock, name: str, quote: str
) -> None:
    project.git('config', 'core.quotePath', quote)
    project.stage({f'0/{name}': '1', f'plugins/Bravo/{name}': '1'})
    assert interlock.check('--staged').codes == []
    project.stage(changes.bad_row())
    assert interlock.check('--staged').codes == ['REG001']
    assert interlock.check('--worktree').codes == ['REG001']
    project.git('commit', '-q', '-m', 'chore: noms')
    assert interlock.check('--commit', 'HEAD').codes == ['REG001']
    assert interlock.check('--tree', 'HEAD').codes == ['REG001']


@pytest.mark.parametrize('quote', ('true', 'false'))
@pytest.mark.parametrize('item', ('Deux Mots', 'Café', "L'Été", '日本', 'A+B & C'))
def test_an_item_is_found_by_its_name(
    project: Repo, interlock: Interlock, item: str, quote: str
) -> None:
    project.git('config', 'core.quotePath', quote)
    project.commit(
        {
            'PLUGINS.md': changes.registry(None, **{item: 'Stage 2'}),
            **samples.item_files(item),
            samples.handoff_path(item): samples.handoff(item),
        }
    )
    project.stage({f'plugins/{item}/.ideas/plan.md': 'Autre.\n'})
    result = interlock.check('--staged')
    assert result.code == 1
    (found,) = json.loads(result.out)['findings']
    assert (found['code'], found['item'], found['path']) == (
        'CON001',
        item,
        f'plugins/{item}/.ideas/plan.md',
    )


@pytest.mark.parametrize(
    ('item', 'shown'),
    (
        pytest.param('a\nb', 'a\\nb', id='newline'),
        pytest.param('caf\udce9', 'caf', id='no UTF-8'),
        pytest.param('"x"', '"x"', id='quotes'),
    ),
)
def test_a_directory_with_an_invalid_name_is_a_finding(
    project: Repo, interlock: Interlock, item: str, shown: str
) -> None:
    project.stage({f'plugins/{item}/.continue-here.md': '---\nstage: 9\n'})
    for mode in ('--staged', '--worktree'):
        result = interlock.check(mode)
        assert (result.code, result.codes) == (1, ['REG009'])
        (found,) = json.loads(result.out)['findings']
        assert found['item'].startswith(shown)
    text = interlock('check', '--staged')
    assert (text.code, text.err) == (1, '')
    assert 'REG009' in text.out
