"""commit-stage in a workflow with words, files and layout of its own."""

from __future__ import annotations

import pytest

from tests.checks import bakery
from tests.checks.bakery import CARD, HANDOFF, REGISTRY, bread
from tests.commands.items.stages import everything
from tests.conftest import Interlock, Repo

WRITES = """\
      writes:
        stage: '{item}: ist jetzt {state} ({text})'
        phase: '{item}: ist jetzt {state} ({text})'
        footers: [Aus der Backstube]
      files: ['bücher/{item}/fotos/*.jpg']
"""
END = ('commit-stage', 'Roggenbrot', 'ofen', '-m', 'heiß', '-q')


def workflow(form: str, writes: str = WRITES) -> str:
    text = bakery.WORKFLOW.replace('FORMAT', form)
    text = text.replace(
        '      statuses: [läuft, fertig]\n',
        '      statuses: [läuft, fertig]\n'
        '      writes: {open: läuft, done: fertig, last: fertig}\n',
    )
    return text + writes


@pytest.fixture(params=('fields', 'frontmatter'))
def kitchen(repo: Repo, request: pytest.FixtureRequest) -> Repo:
    form: str = request.param
    repo.commit(
        {
            '.interlock.yaml': workflow(form),
            **bread(form, 'Teig', 'teig'),
            HANDOFF: bakery.handoff('teig')
            .replace('siegel: {zutaten: ', 'siegel:\n  zutaten: ')
            .replace('"}', '"'),
        }
    )
    repo.write(
        {
            'bücher/Roggenbrot/fotos/1.jpg': 'x',
            'bücher/Roggenbrot/fotos/1.txt': 'not of it',
        }
    )
    return repo


def test_records_that_are_files_of_their_own(
    kitchen: Repo, interlock: Interlock
) -> None:
    result = interlock(*END)
    assert result.code == 0, result.out + result.err
    kitchen.git('config', 'core.quotePath', 'false')
    assert kitchen.git('show', '--format=%B', '--name-only', 'HEAD') == (
        'Roggenbrot: ist jetzt Ofen (heiß)\n\nAus der Backstube\n\n\n'
        f'bücher/Roggenbrot/fotos/1.jpg\n{CARD}\n{HANDOFF}\n{REGISTRY}'
    )
    assert kitchen.git('status', '--porcelain') == ('?? bücher/Roggenbrot/fotos/1.txt')
    assert '| 🔥 Ofen | Roggenbrot |' in kitchen.git('show', f'HEAD:{REGISTRY}')
    assert 'schritt: ofen\n' in kitchen.git('show', f'HEAD:{HANDOFF}')


def test_a_phase(kitchen: Repo, interlock: Interlock) -> None:
    args = ('commit-stage', 'Roggenbrot', 'ofen.1', '-m', 'warm', '-q')
    result = interlock(*args)
    assert result.code == 0, result.out + result.err
    assert kitchen.git('log', '-1', '--format=%s') == (
        'Roggenbrot: ist jetzt Ofen.1 (warm)'
    )
    assert 'runde: ofen.1\n' in kitchen.git('show', f'HEAD:{HANDOFF}')


def test_an_amendment_is_a_paragraph_of_its_own(
    kitchen: Repo, interlock: Interlock
) -> None:
    assert interlock(*END).code == 0
    kitchen.write({bakery.CONTRACT: 'Dinkel\n', 'bücher/Roggenbrot/fotos/2.jpg': 'x'})
    args = ('commit-stage', 'Roggenbrot', 'Kruste', '-m', 'braun', '-q')
    refused = interlock(*args)
    assert (refused.code, 'is frozen at Ofen' in refused.err) == (1, True)
    result = interlock(*args, '--amend', 'kein Roggen')
    assert result.code == 0, result.out + result.err
    assert kitchen.git('log', '-1', '--format=%b') == (
        'Aus der Backstube\n\nAenderung: kein Roggen'
    )
    assert interlock.check('--commit', 'HEAD').codes == []


@pytest.mark.parametrize(
    ('writes', 'stage', 'form'),
    (
        pytest.param('', 'ofen', 'stage', id='nothing is said'),
        pytest.param("      files: ['x/{item}']\n", 'ofen', 'stage', id='only files'),
        pytest.param(
            "      writes: {stage: '{item}: {text}'}\n",
            'ofen.1',
            'phase',
            id='nothing of phases',
        ),
    ),
)
def test_a_workflow_that_does_not_say_how_is_named(
    repo: Repo, interlock: Interlock, writes: str, stage: str, form: str
) -> None:
    repo.commit(
        {
            '.interlock.yaml': workflow('fields', writes),
            **bread('fields', 'Teig', 'teig'),
        }
    )
    before = everything(repo)
    result = interlock('commit-stage', 'Roggenbrot', stage, '-m', 'x')
    assert result.code == 2
    assert (
        f'the workflow does not say how the commit of a {form} of recipes is '
        f'written (`commit.writes.{form}`)'
    ) in result.err
    assert 'next: interlock config explain items.commit.writes' in result.err
    assert everything(repo) == before
