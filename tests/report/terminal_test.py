from __future__ import annotations

import os
import pty
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from interlock.checks.all_checks import CHECKS
from interlock.checks.compare import Case
from interlock.commands.click_options import run
from interlock.model.errors import Refusal
from interlock.model.finding import Finding
from interlock.report.terminal import err, out
from tests import samples
from tests.conftest import SCRIPTS, Interlock, Repo
from tests.samples import STATUSES

INTERLOCK = str(SCRIPTS / 'interlock')
BAD = samples.registry(STATUSES, rows={'Alpha': 'Stage 0'})


@click.command('essai')
@click.argument('what')
def sample(what: str) -> int | None:
    if what == 'refuse':
        raise Refusal('rien à juger', 'git init')
    elif what == 'refuse without a hint':
        raise Refusal('rien à juger')
    elif what == 'usage':
        raise click.UsageError('ainsi non')
    elif what == 'abort':
        raise click.Abort
    elif what == 'interrupt':
        raise KeyboardInterrupt
    elif what == 'fail':
        raise ValueError('défaut')
    elif what == 'nothing':
        return None
    return int(what)


@pytest.mark.parametrize(
    ('what', 'code', 'text'),
    (
        pytest.param('0', 0, '', id='clean'),
        pytest.param('1', 1, '', id='findings'),
        pytest.param('nothing', 0, '', id='no code'),
        pytest.param(
            'refuse',
            2,
            'interlock: refused: rien à juger\n    next: git init\n',
            id='refusal',
        ),
        pytest.param(
            'refuse without a hint',
            2,
            'interlock: refused: rien à juger\n',
            id='refusal without a hint',
        ),
        pytest.param('abort', 130, 'interlock: interrupted\n', id='abort'),
        pytest.param('interrupt', 130, '\ninterlock: interrupted\n', id='interrupt'),
    ),
)
def test_the_end_of_a_command_is_its_exit_code(
    capsys: pytest.CaptureFixture[str], what: str, code: int, text: str
) -> None:
    assert run(sample, [what]) == code
    captured = capsys.readouterr()
    assert captured.err == text
    assert captured.out == ''


def test_wrong_usage_shows_how_to_ask(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(sample, ['usage']) == 2
    text = capsys.readouterr().err
    assert text.startswith('Usage: essai')
    assert text.endswith('Error: ainsi non\n')


def test_a_failure_that_cannot_be_logged_is_still_a_failure(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tempfile, 'tempdir', str(tmp_path / 'absent'))
    assert run(sample, ['fail']) == 3
    text = capsys.readouterr().err
    assert text.startswith(
        'interlock: failed (ValueError: défaut), so nothing was passed; '
        'no trace could be written ('
    )


def test_bytes_that_are_no_utf_8_can_be_written(
    capsys: pytest.CaptureFixture[str],
) -> None:
    @click.command('essai')
    def command() -> None:
        out('é ' + os.fsdecode(b'\xff'))
        err(os.fsdecode(b'erreur \xff'))

    assert run(command, []) == 0
    captured = capsys.readouterr()
    assert captured.out == 'é \\udcff\n'
    assert captured.err == 'erreur \\udcff\n'


def test_without_output_no_empty_line_is_printed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    out('')
    assert capsys.readouterr().out == ''


def interrupted(case: Case) -> Iterator[Finding]:
    raise KeyboardInterrupt


def test_an_interrupted_check_passes_nothing(
    project: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(
        CHECKS, 'registry', CHECKS['registry']._replace(check=interrupted)
    )
    result = interlock('check')
    assert result.code == 130
    assert 'interlock: interrupted' in result.err


@pytest.mark.parametrize(
    'args',
    (
        pytest.param(('explain',), id='explain'),
        pytest.param(('check',), id='check'),
        pytest.param(('status',), id='status'),
    ),
)
def test_a_reader_that_went_away_is_a_failure_without_a_traceback(
    project: Repo, args: tuple[str, ...]
) -> None:
    project.stage({'PLUGINS.md': BAD})
    reader, writer = os.pipe()
    os.close(reader)
    try:
        process = subprocess.run(
            (INTERLOCK, *args), stdout=writer, stderr=subprocess.PIPE
        )
    finally:
        os.close(writer)
    assert process.returncode == 3
    assert process.stderr == b''


def on_terminal(*args: str, **environ: str) -> str:
    """What a command writes to a terminal."""
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        (INTERLOCK, *args),
        stdout=follower,
        stderr=follower,
        stdin=subprocess.DEVNULL,
        env={**os.environ, 'TERM': 'xterm', **environ},
    )
    os.close(follower)
    written = b''
    while True:
        try:
            piece = os.read(leader, 4096)
        except OSError:
            # on Linux the end of a terminal is an error
            break
        if not piece:
            break
        written += piece
    os.close(leader)
    process.wait()
    return written.decode(errors='replace')


RED = '\033[31;1m'


@pytest.mark.parametrize(
    ('environ', 'coloured'),
    (
        pytest.param({}, True, id='plain terminal'),
        pytest.param({'NO_COLOR': '1'}, False, id='NO_COLOR'),
        pytest.param({'NO_COLOR': ''}, True, id='empty NO_COLOR'),
        pytest.param({'TERM': 'dumb'}, False, id='dumb'),
        pytest.param({'TERM': 'dumb', 'FORCE_COLOR': '1'}, True, id='FORCE_COLOR'),
    ),
)
def test_a_terminal_gets_colour(
    project: Repo, environ: dict[str, str], coloured: bool
) -> None:
    project.stage({'PLUGINS.md': BAD})
    written = on_terminal('check', **environ)
    assert 'REG001' in written
    assert (f'{RED}error: REG001' in written) == coloured


@pytest.mark.parametrize(
    ('force', 'coloured'),
    (
        pytest.param(None, False, id='by itself'),
        pytest.param('1', True, id='forced'),
        pytest.param('0', False, id='forced off'),
    ),
)
def test_a_pipe_gets_no_colour(
    project: Repo,
    interlock: Interlock,
    monkeypatch: pytest.MonkeyPatch,
    force: str | None,
    coloured: bool,
) -> None:
    if force is not None:
        monkeypatch.setenv('FORCE_COLOR', force)
    project.stage({'PLUGINS.md': BAD})
    assert (RED in interlock('check').out) == coloured
    # programs read this
    assert RED not in interlock('check', '--format', 'json').out
    refused = interlock('check', '--commit', 'nirgends').err
    assert (f'{RED}refused' in refused) == coloured


@pytest.mark.skipif(sys.platform == 'win32', reason='needs a shell')
def test_an_audit_in_a_pipe_shows_no_progress(
    project: Repo, interlock: Interlock
) -> None:
    result = interlock('audit')
    assert result.err == ''
    assert 'judging commits' not in result.out


CLOSED = 'standard input is closed'
NEW = f'{"0" * 40} %s refs/heads/neu'


@pytest.mark.skipif(sys.platform == 'win32', reason='needs a shell')
@pytest.mark.parametrize(
    ('command', 'code', 'said'),
    (
        pytest.param('pre-push <&-', 2, CLOSED, id='pre-push'),
        pytest.param('pre-receive <&-', 2, CLOSED, id='pre-receive'),
        pytest.param('pre-receive --budget 9 <&-', 2, CLOSED, id='with a budget'),
        pytest.param('state save - <&-', 2, CLOSED, id='state'),
        pytest.param('pre-receive <&- >&- 2>&-', 2, '', id='all of them'),
        pytest.param('check <&-', 0, '', id='nothing to read'),
        pytest.param('check --commit HEAD <&- >&-', 0, '', id='clean'),
        pytest.param('check --commit BAD >&-', 1, '', id='findings'),
        pytest.param('check --commit nope >&-', 2, 'is not a commit', id='refusal'),
        pytest.param('check --commit nope 2>&-', 2, '', id='nobody told'),
        pytest.param('check --commit BAD >&- 2>&-', 1, '', id='mute'),
        pytest.param('status >&-', 0, '', id='status'),
        pytest.param('pre-receive >&- < good', 0, '', id='a good push'),
        pytest.param('pre-receive >&- < bad', 1, '', id='a bad push'),
        pytest.param('pre-receive 2>&- < bad', 1, '', id='a bad push, mute'),
        pytest.param('pre-push >&- < pushed', 1, '', id='pre-push of it'),
    ),
)
def test_a_stream_that_is_closed_changes_no_verdict(
    project: Repo, command: str, code: int, said: str
) -> None:
    good = project.git('rev-parse', 'HEAD')
    bad = project.commit({'PLUGINS.md': BAD})
    project.git('reset', '-q', '--hard', good)
    project.write(
        {
            'good': f'{NEW % good}\n',
            'bad': f'{NEW % bad}\n',
            'pushed': f'refs/heads/neu {bad} refs/heads/neu {"0" * 40}\n',
        }
    )
    process = subprocess.run(
        f'{INTERLOCK} {command.replace("BAD", bad)}',
        shell=True,
        cwd=project.path,
        capture_output=True,
        text=True,
    )
    assert process.returncode == code, process.stderr
    assert said in process.stderr
    assert 'Error' not in process.stderr
    # neither file took the number of a stream, and what was written there
    assert project.git('status', '--porcelain').split() == [
        '??',
        'bad',
        '??',
        'good',
        '??',
        'pushed',
    ]
