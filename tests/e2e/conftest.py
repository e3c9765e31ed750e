from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from interlock.documents.wiring.hook_files import HOOK_TYPES
from tests.conftest import SCRIPTS, Repo
from tests.e2e.servers import Server

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
REV = 'v0.0.1'
TOOLS = ('pre-commit', 'prek')
ONE_HOOK = """\
default_install_hook_types: [{types}]
repos:
- repo: {url}
  rev: {rev}
  hooks:
  - id: {name}
"""

Commit = Callable[..., subprocess.CompletedProcess[str]]


class Source(NamedTuple):
    """This project as a tagged repository, its environments built."""

    url: str
    environ: dict[str, str]


def run(cwd: Path, *args: str) -> str:
    process = subprocess.run(args, cwd=cwd, capture_output=True, text=True)
    assert process.returncode == 0, process.stdout + process.stderr
    return process.stdout


def config(source: Source, name: str = 'interlock') -> str:
    return ONE_HOOK.format(
        types=', '.join(HOOK_TYPES), url=source.url, rev=REV, name=name
    )


def copy_project(top: Path) -> None:
    """The files of this project as they stand, committed or not."""
    listed = run(
        ROOT, 'git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard'
    )
    for name in filter(None, listed.split('\0')):
        if (ROOT / name).is_file():
            (top / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, top / name)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """To build the environments of the frameworks takes long."""
    for item in items:
        fixtures = getattr(item, 'fixturenames', ())
        if item.path.parent == HERE and 'source' in fixtures:
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope='session')
def source(tmp_path_factory: pytest.TempPathFactory) -> Source:
    """Built once: each tool needs some seconds for its environment."""
    top = tmp_path_factory.mktemp('source')
    home = tmp_path_factory.mktemp('environments')
    copy_project(top)
    identity = ('-c', 'user.name=Zoë', '-c', 'user.email=z@example.invalid')
    run(top, 'git', 'init', '-q')
    run(top, 'git', 'add', '-A')
    run(top, 'git', *identity, 'commit', '-q', '--no-verify', '-m', REV)
    run(top, 'git', 'tag', REV)
    made = Source(
        f'file://{top}',
        {'PRE_COMMIT_HOME': str(home / 'pre-commit'), 'PREK_HOME': str(home / 'prek')},
    )
    user = tmp_path_factory.mktemp('user')
    run(user, 'git', 'init', '-q')
    (user / '.pre-commit-config.yaml').write_text(config(made))
    for tool in TOOLS:
        process = subprocess.run(
            (str(SCRIPTS / tool), 'install-hooks'),
            cwd=user,
            env={**os.environ, **made.environ},
            capture_output=True,
            text=True,
        )
        assert process.returncode == 0, process.stdout + process.stderr
    return made


@pytest.fixture
def built(source: Source, monkeypatch: pytest.MonkeyPatch) -> Source:
    """The environments, for the tools that run in a test."""
    for name, value in source.environ.items():
        monkeypatch.setenv(name, value)
    # an index that is asked now would be an environment that was not built
    monkeypatch.setenv('PIP_NO_INDEX', '1')
    monkeypatch.setenv('UV_OFFLINE', '1')
    return source


def install(repo: Repo, tool: str) -> None:
    run(repo.path, str(SCRIPTS / tool), 'install')
    hooks = repo.path / '.git' / 'hooks'
    for name in HOOK_TYPES:
        assert tool in (hooks / name).read_text()


@pytest.fixture
def server(project: Repo, tmp_path: Path) -> Server:
    """A bare repository that has what the project has, and our hook."""
    path = tmp_path / 'servér.git'
    path.mkdir()
    made = Server(path)
    made.git('init', '-q', '--bare')
    project.git('remote', 'add', 'origin', path.as_uri())
    project.git('push', '-q', '-u', 'origin', 'main')
    project.git('remote', 'set-head', 'origin', 'main')
    made.guard()
    return made
