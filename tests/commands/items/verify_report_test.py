"""Reports that cannot be used, and questions that make no sense."""

from __future__ import annotations

import io
import json
import subprocess
from pathlib import Path

import pytest

from tests.commands.items.reports import CODE, Verify, done, on_the_day, report
from tests.conftest import SCRIPTS, Interlock, Repo


@pytest.fixture
def verify(
    project: Repo, interlock: Interlock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Verify:
    on_the_day(monkeypatch)
    return Verify(project, interlock, tmp_path / 'bericht.json')


class Standard:
    """A process's standard input."""

    def __init__(self, data: bytes) -> None:
        self.buffer = io.BytesIO(data)


def test_the_report_may_come_from_standard_input(
    verify: Verify, monkeypatch: pytest.MonkeyPatch
) -> None:
    verify.repo.write(done())
    data = json.dumps(report()).encode()
    monkeypatch.setattr('sys.stdin', Standard(data))
    result = verify.interlock('verify-update', 'Bravo', '--stage', '3', '--report', '-')
    assert json.loads(result.out)['verified'] is True


def test_a_pipe_is_standard_input(verify: Verify) -> None:
    data = json.dumps(report(agent='gui-agent'))
    process = subprocess.run(
        (
            str(SCRIPTS / 'interlock'),
            'verify-update',
            'Bravo',
            '--stage',
            '3',
            '--report',
            '-',
        ),
        input=data,
        cwd=verify.repo.path,
        capture_output=True,
        text=True,
    )
    assert json.loads(process.stdout)['reason'] == 'agent_mismatch'
    assert process.returncode == 1


@pytest.mark.parametrize(
    ('data', 'sentence'),
    [
        pytest.param(b'', 'it is empty (line 1)', id='empty'),
        pytest.param(
            b'{"agent":\n',
            'it is not valid JSON: Expecting value (line 2)',
            id='cut off',
        ),
        pytest.param(b'{"agent": "\xe9"}', 'is not UTF-8', id='Latin-1'),
        pytest.param(b'\xef\xbb\xbf{}', 'Unexpected UTF-8 BOM', id='byte order mark'),
        pytest.param(b'[]', "is not of type 'object'", id='a list'),
        pytest.param(
            b'{"agent": "a", "agent": "b"}',
            'it has the key `agent` twice',
            id='a key twice',
        ),
        pytest.param(
            b'{"agent": NaN}', 'it holds `NaN`, which is not a number of JSON', id='NaN'
        ),
        pytest.param(b'[' * 100_000, 'it is nested too deeply', id='too deep'),
        pytest.param(
            b'{"agent": "' + b'x' * (1024 * 1024) + b'"}',
            'larger than 1048576 bytes',
            id='huge',
        ),
    ],
)
@pytest.mark.parametrize('source', ['file', 'input'])
def test_a_report_that_cannot_be_used_is_refused(
    verify: Verify,
    monkeypatch: pytest.MonkeyPatch,
    data: bytes,
    sentence: str,
    source: str,
) -> None:
    verify.repo.write({CODE: '// moteur\n'})
    before = verify.repo.git('diff')
    verify.file.write_bytes(data)
    monkeypatch.setattr('sys.stdin', Standard(data))
    name = str(verify.file) if source == 'file' else '-'
    result = verify.interlock(
        'verify-update', 'Bravo', '--stage', '3', '--report', name, '--fallback'
    )
    assert (result.code, result.out) == (2, '')
    assert sentence in result.err
    assert verify.repo.git('diff') == before


@pytest.mark.parametrize(
    ('name', 'sentence'),
    [
        pytest.param('nirgends.json', 'No such file', id='none'),
        pytest.param('.', 'Is a directory', id='a directory'),
    ],
)
def test_a_report_that_cannot_be_read_is_refused(
    verify: Verify, name: str, sentence: str
) -> None:
    result = verify.interlock(
        'verify-update', 'Bravo', '--stage', '3', '--report', name
    )
    assert result.code == 2
    assert f'the report cannot be read from {name}: {sentence}' in result.err


@pytest.mark.parametrize(
    ('args', 'sentence'),
    [
        pytest.param(('Bravi', '3'), 'did you mean `Bravo`?', id='item'),
        pytest.param(('Bravo', '33'), '`33` is not a stage; there', id='stage'),
        pytest.param(('Bravo', 'Working'), 'is not a stage', id='no stage'),
        pytest.param(('Bravo', '2.1'), '2.1', id='no phases'),
    ],
)
def test_what_is_asked_must_exist(
    verify: Verify, args: tuple[str, str], sentence: str
) -> None:
    verify.file.write_text(json.dumps(report()))
    result = verify.interlock(
        'verify-update', args[0], '--stage', args[1], '--report', str(verify.file)
    )
    assert (result.code, result.out) == (2, '')
    assert sentence in result.err
