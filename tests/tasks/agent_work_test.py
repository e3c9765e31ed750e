"""What the files of an item were when an agent started."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pytest

from interlock.files.disk_snapshot import DiskSnapshot
from interlock.git.workflow_source import without_repository
from interlock.model.errors import Refusal
from interlock.tasks import agent_work
from interlock.workflow.reading.records import Records, records
from tests import samples
from tests.conftest import Repo

HANDOFF = samples.handoff_path('Bravo')
CODE = 'plugins/Bravo/Source/Main.cpp'


def _at(repo: Repo, item: str = 'Bravo') -> Records:
    workflow, _ = without_repository(str(repo.path / '.interlock.yaml'))
    snapshot = DiskSnapshot(str(repo.path))
    return records(snapshot, workflow.kinds[0], item)


def _ours(repo: Repo) -> str:
    return str(repo.path / '.git/interlock')


def _sum(data: str) -> str:
    return hashlib.sha256(data.encode()).hexdigest()


def test_the_files_of_the_item_and_its_records_are_recorded(project: Repo) -> None:
    project.write({'plugins/Alpha/x.md': 'x\n', CODE: '// été\n'})
    agent_work.record_start(_ours(project), str(project.path), _at(project), 'abc')
    record = agent_work.start_record(_ours(project), 'Bravo')
    assert record is not None
    assert record.head == 'abc'
    assert set(record.files) == {'PLUGINS.md', HANDOFF, *samples.item_files('Bravo')}
    # as they are on disk, committed or not
    assert record.files[CODE] == _sum('// été\n')
    assert record.files[HANDOFF] == _sum(samples.handoff('Bravo'))


def test_an_item_that_has_no_files_yet(project: Repo) -> None:
    at = _at(project, 'Alpha')
    agent_work.record_start(_ours(project), str(project.path), at, '')
    record = agent_work.start_record(_ours(project), 'Alpha')
    assert record is not None
    assert list(record.files) == ['PLUGINS.md']


def test_a_later_start_replaces_the_earlier(project: Repo) -> None:
    top = str(project.path)
    agent_work.record_start(_ours(project), top, _at(project), '1')
    project.write({CODE: '// 2\n'})
    agent_work.record_start(_ours(project), top, _at(project), '2')
    record = agent_work.start_record(_ours(project), 'Bravo')
    assert record is not None
    assert (record.head, record.files[CODE]) == ('2', _sum('// 2\n'))
    assert os.listdir(f'{_ours(project)}/started') == ['Bravo.json']


def test_without_a_start_there_is_no_record(project: Repo) -> None:
    assert agent_work.start_record(_ours(project), 'Bravo') is None


@pytest.mark.parametrize(
    ('path', 'covered'),
    [
        (CODE, True),
        (HANDOFF, True),
        ('PLUGINS.md', True),
        ('plugins/Bravo/Neu.cpp', True),
        ('plugins/Bravos/x.cpp', False),
        ('shared/x.cpp', False),
        ('plugins/Alpha/x.cpp', False),
    ],
)
def test_a_record_speaks_of_the_files_of_its_item(
    project: Repo, path: str, covered: bool
) -> None:
    assert agent_work.covers(_at(project), path) is covered


@pytest.mark.parametrize(
    'data',
    [
        pytest.param(b'\xff', id='not UTF-8'),
        pytest.param(b'null', id='null'),
        pytest.param(json.dumps({'files': {}}).encode(), id='no commit'),
        pytest.param(b'{"head": "", "files": 3}', id='no files'),
    ],
)
def test_a_damaged_record_is_refused(project: Repo, data: bytes) -> None:
    file = Path(_ours(project)) / 'started/Bravo.json'
    file.parent.mkdir(parents=True)
    file.write_bytes(data)
    with pytest.raises(Refusal) as caught:
        agent_work.start_record(_ours(project), 'Bravo')
    assert f'{file} is damaged' in caught.value.message
    assert caught.value.hint == f'rm {file}'


def test_a_record_that_cannot_be_written_is_refused(project: Repo) -> None:
    Path(_ours(project)).mkdir(exist_ok=True)
    (Path(_ours(project)) / 'started').write_text('a file\n')
    with pytest.raises(Refusal, match='cannot be written'):
        agent_work.record_start(_ours(project), str(project.path), _at(project), '')
