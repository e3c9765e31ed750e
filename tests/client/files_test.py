"""Files that the agent would write, and how the client is told about them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests import samples
from tests.client.brief import BRIEF, FROZEN, is_whole
from tests.client.runner import Client
from tests.client.script import Step, edit, read, say, script, use, write
from tests.conftest import Repo

NOTEBOOK = 'plugins/Bravo/trial.ipynb'
ROW = samples.row('Bravo', 'Stage 2')


@pytest.fixture
def brief(plugins: Repo) -> Path:
    return plugins.path / BRIEF


def changes(brief: Path) -> dict[str, Step]:
    """Every way in which the tool for edits changes a file."""
    link = brief.parents[3] / 'innocent.md'
    link.symlink_to(brief)
    return {
        'edit': edit('edit', brief, 'Décidé', 'Choisi'),
        'all': edit('all', brief, 'é', 'e', replace_all=True),
        'link': edit('link', link, 'Décidé', 'Choisi'),
        'write': write('write', brief, 'autre\n'),
    }


def test_a_frozen_contract_is_not_changed(
    plugins: Repo, client: Client, brief: Path
) -> None:
    tried = changes(brief)
    seen = client.play(script(read('read', brief), *tried.values(), say('done')))
    for name in tried:
        assert seen.refused(name, FROZEN, 'next: ')
    assert is_whole(plugins)
    assert plugins.git('status', '--porcelain') == '?? innocent.md'


def test_a_notebook_that_is_a_contract_is_not_changed(
    plugins: Repo, client: Client
) -> None:
    cell = {'id': 'a', 'cell_type': 'code', 'source': '1', 'metadata': {}}
    text = json.dumps(
        {
            'cells': [{**cell, 'outputs': [], 'execution_count': None}],
            'metadata': {},
            'nbformat': 4,
            'nbformat_minor': 5,
        }
    )
    sums = {**samples.checksums('Bravo'), 'trial': samples.checksum(text)}
    plugins.commit(
        {
            '.interlock.yaml': samples.WORKFLOW
            + (
                'items:\n  plugin:\n    contracts:\n      files:\n'
                '        trial: {paths: ["plugins/{item}/trial.ipynb"]}\n'
            ),
            NOTEBOOK: text,
            'free.ipynb': text,
            samples.handoff_path('Bravo'): samples.handoff('Bravo', sums=sums),
        }
    )
    steps = []
    for id, name in (('sealed', NOTEBOOK), ('free', 'free.ipynb')):
        path = plugins.path / name
        steps += [
            read(f'read {id}', path),
            use(
                id,
                'NotebookEdit',
                notebook_path=str(path),
                cell_id='a',
                new_source='2',
                edit_mode='replace',
            ),
        ]
    seen = client.play(script(*steps, say('done')))
    assert seen.refused('sealed', FROZEN)
    assert (plugins.path / NOTEBOOK).read_text() == text
    assert seen.done('free')
    assert '"2"' in (plugins.path / 'free.ipynb').read_text()


def test_nothing_is_said_about_a_file_that_is_not_ours(
    plugins: Repo, client: Client
) -> None:
    file = plugins.path / 'README.md'
    plugins.commit({'README.md': '# é\n'})
    seen = client.play(
        script(
            read('read', file),
            edit('edit', file, 'é', 'ü'),
            write('write', plugins.path / 'plugins/Bravo/Source/é.cpp', '// é\n'),
            say('done'),
        )
    )
    assert seen.done('edit') and seen.done('write')
    assert file.read_text() == '# ü\n'
    assert seen.hooks('PreToolUse') == ['', '']
    assert seen.hooks('PostToolUse') == ['', '', '']


def test_the_first_half_of_a_change_passes_and_is_mentioned(
    plugins: Repo, client: Client
) -> None:
    file = plugins.path / 'PLUGINS.md'
    text = file.read_text()
    entry = text.index('### Bravo')
    status = '**Status:** 🚧 **Stage 2**'
    assert text.index(status) > entry
    seen = client.play(
        script(
            read('read', file),
            edit('row', file, ROW.strip(), ROW.strip().replace('2 ', '3 ', 1)),
            edit('entry', file, status, status.replace('2', '3')),
            say('done'),
            say('left as it is'),
        )
    )
    assert seen.done('row') and seen.done('entry')
    said = seen.hooks('PostToolUse')
    assert ['REG001' in each for each in said] == [False, True, False]
    assert 'row and entry differ until both are edited' in seen.shown()
    assert file.read_text().count('Stage 3') == 2


def test_a_change_of_the_workflow_is_the_users_to_allow(
    plugins: Repo, client: Client
) -> None:
    file = plugins.path / '.interlock.yaml'
    before = file.read_text()
    # nobody is there to be asked
    seen = client.play(
        script(read('read', file), write('write', file, 'version: 1\n'), say('done'))
    )
    assert seen.refused('write', 'CLD004')
    assert file.read_text() == before
