from __future__ import annotations

import io
import time

import pytest

from interlock.engine.judge import Judge
from interlock.git.repository import opened
from interlock.report import progress, terminal
from tests.conftest import Repo
from tests.report.findings import Terminal


@pytest.mark.parametrize(
    ('patience', 'stream', 'shows'),
    (
        pytest.param(0.0, Terminal, True, id='long'),
        pytest.param(60.0, Terminal, False, id='short'),
        pytest.param(0.0, io.StringIO, False, id='no terminal'),
    ),
)
def test_only_what_takes_long_is_shown_and_only_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch,
    patience: float,
    stream: type[io.StringIO],
    shows: bool,
) -> None:
    monkeypatch.setattr(progress, 'PATIENCE', patience)
    monkeypatch.setattr(progress, 'PACE', 0.0)
    shown = stream()
    monkeypatch.setattr('sys.stderr', shown)
    found = []
    for each in progress.progress([1, 2, 3], 'judging'):
        time.sleep(0.001)
        found.append(each)
    assert found == [1, 2, 3]
    said = shown.getvalue()
    assert ('judging [' in said) == shows
    if shows:
        assert '2/3' in said
        assert '/s' in said
        # the line is clean for what comes next
        assert said.endswith(' \r')


def test_checks_of_a_whole_tree_show_how_far_they_are(
    project: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, 'PATIENCE', 0.0)
    monkeypatch.setattr(progress, 'PACE', 0.0)
    shown = Terminal()
    monkeypatch.setattr('sys.stderr', shown)
    with opened() as repository:
        Judge(repository).tree(project.git('rev-parse', 'HEAD^{tree}'))
    assert 'running checks [' in shown.getvalue()


def test_a_line_is_wrapped_to_the_terminal_and_whole_elsewhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = '    ' + 'word ' * 30 + 'x' * 90
    monkeypatch.setenv('COLUMNS', '80')
    assert terminal.fitted(text, 6) == text
    assert terminal.fitted(text, 6, is_error=True) == text
    monkeypatch.setattr('sys.stdout', Terminal())
    first, *others = terminal.fitted(text, 6).split('\n')
    assert first.startswith('    word'), first
    assert len(first) <= 80
    assert all(line.startswith('      ') for line in others)
    # a path is not broken
    assert others[-1].strip() == 'x' * 90
