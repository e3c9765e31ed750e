from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from interlock.commands.group import cli
from interlock.commands.parsing import run
from tests import samples

if TYPE_CHECKING:
    from tests.spaces import Space

SCRIPTS = Path(sys.executable).parent


@pytest.fixture(autouse=True)
def clean_environment(
        monkeypatch: pytest.MonkeyPatch,
        tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """No test sees the user's git configuration or an agent's session."""
    for name in list(os.environ):
        if name.startswith(('GIT_', 'INTERLOCK_', 'CLAUDE', 'PRE_COMMIT')):
            monkeypatch.delenv(name)
    home = tmp_path_factory.mktemp('home')
    monkeypatch.setenv('HOME', str(home))
    monkeypatch.setenv('XDG_CACHE_HOME', str(home / '.cache'))
    monkeypatch.setenv('XDG_STATE_HOME', str(home / '.state'))
    monkeypatch.setenv('GIT_CONFIG_NOSYSTEM', '1')
    monkeypatch.setenv('GIT_CONFIG_GLOBAL', str(home / '.gitconfig'))
    for role in ('AUTHOR', 'COMMITTER'):
        monkeypatch.setenv(f'GIT_{role}_NAME', 'Zoë Test')
        monkeypatch.setenv(f'GIT_{role}_EMAIL', 'zoe@example.invalid')
        monkeypatch.setenv(f'GIT_{role}_DATE', '2026-01-02T03:04:05Z')
    monkeypatch.delenv('NO_COLOR', raising=False)
    monkeypatch.delenv('FORCE_COLOR', raising=False)
    (home / '.gitconfig').write_text(
        '[init]\n\tdefaultBranch = main\n'
        '[protocol "file"]\n\tallow = always\n',
    )


def pytest_terminal_summary(
        terminalreporter: pytest.TerminalReporter,
) -> None:
    """Tables that tests have made, from whichever process."""
    for report in terminalreporter.getreports('passed'):
        for name, value in report.user_properties:
            if name == 'table' and report.when == 'call':
                terminalreporter.write_line(str(value))


class Repo:
    """A real git repository."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def git(self, *args: str, env: Mapping[str, str] | None = None) -> str:
        process = subprocess.run(
            ('git', *args),
            cwd=self.path, env={**os.environ, **(env or {})},
            capture_output=True, text=True, errors='surrogateescape',
        )
        assert process.returncode == 0, process.stderr
        return process.stdout.rstrip('\n')

    def try_git(self, *args: str) -> subprocess.CompletedProcess[str]:
        """For a git command that a hook may refuse; our scripts on PATH."""
        path = f'{SCRIPTS}{os.pathsep}{os.environ["PATH"]}'
        return subprocess.run(
            ('git', *args),
            cwd=self.path, env={**os.environ, 'PATH': path},
            capture_output=True, text=True, errors='surrogateescape',
        )

    def write(self, files: Mapping[str, str | bytes | None]) -> None:
        for name, content in files.items():
            file = self.path / name
            if content is None:
                file.unlink()
                continue
            file.parent.mkdir(parents=True, exist_ok=True)
            data = content.encode() if isinstance(content, str) else content
            file.write_bytes(data)

    def stage(self, files: Mapping[str, str | bytes | None]) -> None:
        self.write(files)
        self.git('add', '-A')

    def commit(
            self,
            files: Mapping[str, str | bytes | None],
            message: str = 'chore: préparer',
    ) -> str:
        """A commit that no hook has seen."""
        self.stage(files)
        self.git('commit', '-q', '--no-verify', '--allow-empty', '-m', message)
        return self.git('rev-parse', 'HEAD')


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """An empty repository; the working directory is its top."""
    path = tmp_path / 'répo'
    path.mkdir()
    monkeypatch.chdir(path)
    made = Repo(path)
    made.git('init', '-q')
    return made


@pytest.fixture
def project(repo: Repo) -> Repo:
    """Three plugins: one ideated, one at Stage 2, one installed."""
    repo.commit({
        '.interlock.yaml': samples.WORKFLOW,
        'PLUGINS.md': samples.registry(samples.STATUSES),
        **samples.item_files('Bravo'),
        samples.handoff_path('Bravo'): samples.handoff('Bravo'),
    })
    return repo


@pytest.fixture
def space(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Space:
    """Tasks beside a main worktree, in which a session works."""
    from tests import spaces
    made = spaces.Space(tmp_path / 'espace')
    made.main.path.mkdir(parents=True)
    made.tasks.mkdir()
    (made.path / '.interlock.yaml').write_text(spaces.WORKFLOW)
    monkeypatch.chdir(made.main.path)
    monkeypatch.setenv('INTERLOCK_SESSION', spaces.SESSION)
    made.main.git('init', '-q')
    made.main.commit({'todo.md': spaces.TODO, 'README.md': '# é\n'})
    return made


class Result:
    def __init__(self, code: int, out: str, err: str) -> None:
        self.code = code
        self.out = out
        self.err = err

    @property
    def codes(self) -> list[str]:
        """The codes of the findings in a JSON report, sorted."""
        import json
        found = json.loads(self.out)['findings']
        return sorted(finding['code'] for finding in found)


class Interlock:
    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *args: str) -> Result:
        self._capsys.readouterr()
        code = run(cli, list(args))
        captured = self._capsys.readouterr()
        return Result(code, captured.out, captured.err)

    def check(self, *args: str) -> Result:
        return self('check', '--format', 'json', *args)


@pytest.fixture
def interlock(capsys: pytest.CaptureFixture[str]) -> Interlock:
    """The command line, in this process."""
    return Interlock(capsys)
