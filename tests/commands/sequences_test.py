from __future__ import annotations

import contextlib
import io
import json
import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings

from interlock.checks.run import judge
from interlock.commands.click_options import run as run_command
from interlock.commands.group import cli
from interlock.model.finding import ERROR
from tests.checks.trees import Files, change, workflow
from tests.commands.sequences import Command, Run, runs
from tests.conftest import Repo
from tests.profiles import some


@contextlib.contextmanager
def somewhere() -> Iterator[Repo]:
    """A directory of its own for each example."""
    old = os.getcwd()
    with tempfile.TemporaryDirectory() as path:
        os.chdir(path)
        try:
            yield Repo(Path(path))
        finally:
            os.chdir(old)


def execute(command: Command) -> tuple[int, str]:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run_command(cli, list(command))
    return code, out.getvalue() + err.getvalue()


def files_of(repo: Repo) -> Files:
    return {
        str(path.relative_to(repo.path)): path.read_bytes()
        for path in repo.path.rglob('*')
        if path.is_file() and '.git' not in path.parts
    }


def unfinished(command: Sequence[str]) -> set[str]:
    """What a command leaves to the next: a reset deletes the handoff first."""
    steps = {'delete', 'set-status'}
    return {'HND011'} if steps & set(command) else set()


@pytest.mark.slow
@given(runs)
@settings(max_examples=some(100), deadline=None)
def test_no_sequence_of_commands_leaves_an_error(run: Run) -> None:
    """Each command is judged against what the last one left."""
    beginning, sequence = run
    with somewhere() as repo:
        repo.write(beginning)
        old = files_of(repo)
        for command in sequence:
            code, said = execute(command)
            assert code in {0, 1, 2}, said
            new = files_of(repo)
            if code:
                assert new == old, command
            found = [
                (finding.code, finding.message)
                for finding in judge([change(old, new)], workflow(), ())
                if finding.severity == ERROR
                and (finding.code not in unfinished(command))
            ]
            assert found == [], command
            old = new


@pytest.mark.slow
@given(runs)
@settings(max_examples=some(10), deadline=None)
def test_every_command_can_be_committed(run: Run) -> None:
    beginning, sequence = run
    with somewhere() as repo:
        repo.git('init', '-q')
        repo.commit(beginning)
        for command in sequence:
            code, said = execute(command)
            assert code in {0, 1, 2}, said
            _, report = execute(('check', '--worktree', '--format', 'json'))
            found = [
                (finding['code'], finding['message'])
                for finding in json.loads(report)['findings']
                if finding['severity'] == ERROR
                and (finding['code'] not in unfinished(command))
            ]
            assert found == [], command
            repo.commit({})
