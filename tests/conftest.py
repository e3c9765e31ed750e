from __future__ import annotations

import gc
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from interlock.commands.click_options import run
from interlock.commands.group import cli
from interlock.commands.main import collect_rarely
from interlock.files.users_cache import merged
from interlock.model.clients import PREFIXES
from tests import forked, profiles, samples
from tests.hints import replay

if TYPE_CHECKING:
    from tests.spaces import Space

SCRIPTS = Path(sys.executable).parent
# the environment before a test cleans it
KEPT = dict(os.environ)
# a file system in memory, and the room that a run of the tests may need
MEMORY = '/dev/shm'
ENOUGH = 4 << 30


def pytest_configure(config: pytest.Config) -> None:
    profiles.load()
    # each worker has a folder of its own for what the code puts aside
    folder = tempfile.mkdtemp(prefix='interlock-tests-', dir=fast_folder())
    config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))
    config.add_cleanup(forked.stop)
    tempfile.tempdir = os.environ['TMPDIR'] = folder


def fast_folder() -> str | None:
    """Memory where there is enough that may hold programs, else the disk."""
    try:
        found = os.statvfs(MEMORY)
    except (AttributeError, OSError):
        return None
    enough = found.f_bavail * found.f_frsize > ENOUGH
    runs = not found.f_flag & os.ST_NOEXEC
    return MEMORY if enough and runs and os.access(MEMORY, os.W_OK) else None


if fast_folder():
    # where pytest puts the folders of tests, unless --basetemp is given
    os.environ.setdefault('PYTEST_DEBUG_TEMPROOT', MEMORY)


class Folder:
    """What a folder holds, in memory: it is written in less time than copied."""

    def __init__(self, path: Path) -> None:
        self.folders: list[str] = []
        self.links: list[tuple[str, str]] = []
        # with their modes, and when they were changed
        self.files: list[tuple[str, bytes, int, int]] = []
        for top, folders, files in os.walk(path):
            for name in (*folders, *files):
                found = f'{top}/{name}'
                inside = os.path.relpath(found, path)
                known = os.lstat(found)
                if stat.S_ISLNK(known.st_mode):
                    self.links.append((inside, os.readlink(found)))
                elif stat.S_ISDIR(known.st_mode):
                    self.folders.append(inside)
                else:
                    self.files.append(
                        (
                            inside,
                            Path(found).read_bytes(),
                            stat.S_IMODE(known.st_mode),
                            known.st_mtime_ns,
                        )
                    )

    def write(self, path: Path) -> None:
        path.mkdir(parents=True, exist_ok=True)
        for name in self.folders:
            os.mkdir(f'{path}/{name}')
        for name, target in self.links:
            os.symlink(target, f'{path}/{name}')
        for name, data, mode, changed in self.files:
            file = os.open(f'{path}/{name}', os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
            os.write(file, data)
            os.utime(file, ns=(changed, changed))
            os.close(file)


class Templates:
    """Repositories that are made once and copied, with a warm cache."""

    def __init__(self, folder: Path, compiled: Path) -> None:
        from tests import spaces

        self.folder = folder
        # what the workflows of all tests compile to: a file is named after its
        # content. Some tests need these and cannot compile them
        self.compiled = compiled
        # of the home as it was made
        self.times: list[int] = []
        self.places: dict[str, Folder] = {}
        self.repositories: dict[str, Folder] = {}
        for name, text in (
            ('.interlock.yaml', samples.WORKFLOW),
            ('.interlock.yaml', spaces.WORKFLOW),
            ('../.interlock.yaml', spaces.WORKFLOW),
        ):
            merged(str(self.compiled), name, text.encode(), lambda path: None)

    def home(self) -> Path:
        """A home with nothing but a warm cache; that of the test before if it left
        it alone."""
        home = self.folder / 'home'
        if not self.times or _times(home) != self.times:
            self._make_home(home)
            self.times = _times(home)
        return home

    def _make_home(self, home: Path) -> None:
        shutil.rmtree(home, ignore_errors=True)
        (home / '.cache' / 'interlock').mkdir(parents=True)
        (home / '.cache' / 'interlock' / 'compiled').symlink_to(self.compiled)
        (home / '.gitconfig').write_text(
            '[init]\n\tdefaultBranch = main\n[protocol "file"]\n\tallow = always\n'
            # nothing is packed in the background: no repository lives that long
            '[maintenance]\n\tauto = false\n[gc]\n\tauto = 0\n'
            '[receive]\n\tautogc = false\n'
        )

    def place(self, name: str, make: Callable[[Path], None]) -> Path:
        """A folder that is filled once, and has the same path for every test:
        worktrees of git know their paths, and what a workflow outside of a
        repository compiles to is kept under its path."""
        place = self.folder / 'place'
        shutil.rmtree(place, ignore_errors=True)
        if name in self.places:
            self.places[name].write(place)
        else:
            place.mkdir()
            make(place)
            self.places[name] = Folder(place)
        replay.folders.append(place)
        return place

    def copy(self, name: str, path: Path, make: Callable[[Repo], None]) -> Repo:
        if name not in self.repositories:
            template = self.folder / name
            template.mkdir()
            made = Repo(template)
            made.git('init', '-q')
            for sample in template.glob('.git/hooks/*.sample'):
                sample.unlink()
            # copies keep their times, so that the index still knows them
            made.git('config', 'core.checkStat', 'minimal')
            made.git('config', 'core.trustctime', 'false')
            make(made)
            self.repositories[name] = Folder(template)
        self.repositories[name].write(path)
        return Repo(path)


def _times(home: Path) -> list[int]:
    """When anything in a home was last changed, none if there is no home."""
    parts = ('', '.gitconfig', '.cache', '.cache/interlock')
    try:
        return [os.stat(f'{home}/{part}').st_mtime_ns for part in parts]
    except OSError:
        return []


def compiled_folder() -> Path:
    return Path(os.environ['XDG_CACHE_HOME'], 'interlock', 'compiled')


def forget_compiled() -> None:
    """For tests about the cache itself, which then have one of their own."""
    compiled_folder().unlink()


@pytest.fixture(scope='session')
def templates(tmp_path_factory: pytest.TempPathFactory) -> Templates:
    # the workers of one run share what workflows compile to
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if 'PYTEST_XDIST_WORKER' in KEPT else base
    return Templates(tmp_path_factory.mktemp('templates'), shared / 'compiled')


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch, templates: Templates) -> None:
    """No test sees the user's git configuration or an agent's session."""
    for name in list(os.environ):
        if name.startswith(('GIT_', 'INTERLOCK_', 'PRE_COMMIT', *PREFIXES)):
            monkeypatch.delenv(name)
    home = templates.home()
    monkeypatch.setenv('HOME', str(home))
    monkeypatch.setenv('SHELL', '/bin/bash')
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


def pytest_collection_finish() -> None:
    """Thousands of tests are not looked at again by every collection of garbage."""
    gc.collect()
    gc.freeze()
    # and what a test makes is seldom a cycle
    collect_rarely()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Where hints are followed, only tests of the command line are run."""
    if replay.FILE in KEPT:
        items[:] = [
            each
            for each in items
            if 'interlock' in getattr(each, 'fixturenames', ())
            or each.nodeid.startswith('tests/guard/')
        ]


@pytest.fixture(autouse=True)
def followed_folder(request: pytest.FixtureRequest) -> None:
    replay.folders.clear()
    if replay.FILE in KEPT:
        replay.folders.append(request.getfixturevalue('tmp_path'))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
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
        if args == ('rev-parse', 'HEAD') and not env:
            return self._tip()
        return self._git(args, env or {})

    def _git(self, args: tuple[str, ...], env: Mapping[str, str]) -> str:
        process = subprocess.run(
            ('git', *args),
            cwd=self.path,
            env={**os.environ, **env},
            capture_output=True,
            text=True,
            errors='surrogateescape',
        )
        assert process.returncode == 0, process.stderr
        return process.stdout.rstrip('\n')

    def try_git(self, *args: str) -> subprocess.CompletedProcess[str]:
        """For a git command that a hook may refuse; our scripts on PATH."""
        path = f'{SCRIPTS}{os.pathsep}{os.environ["PATH"]}'
        return subprocess.run(
            ('git', *args),
            cwd=self.path,
            env={**os.environ, 'PATH': path},
            capture_output=True,
            text=True,
            errors='surrogateescape',
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
        self, files: Mapping[str, str | bytes | None], message: str = 'chore: préparer'
    ) -> str:
        """A commit that no hook has seen."""
        self.stage(files)
        self.git('commit', '-q', '--no-verify', '--allow-empty', '-m', message)
        return self._tip()

    def _tip(self) -> str:
        """The commit of HEAD: its file is read in less time than git starts."""
        folder = self.path / '.git'
        try:
            ref = (folder / 'HEAD').read_text().removeprefix('ref: ').rstrip()
            return (folder / ref).read_text().rstrip()
        except OSError:
            # HEAD is detached, or this is a worktree
            return self._git(('rev-parse', 'HEAD'), {})


@pytest.fixture
def repo(tmp_path: Path, templates: Templates, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """An empty repository; the working directory is its top."""
    made = templates.copy('empty', tmp_path / 'répo', lambda repo: None)
    monkeypatch.chdir(made.path)
    return made


@pytest.fixture
def project(
    tmp_path: Path, templates: Templates, monkeypatch: pytest.MonkeyPatch
) -> Repo:
    """Three plugins: one ideated, one at Stage 2, one installed."""

    def make(repo: Repo) -> None:
        repo.commit(
            {
                '.interlock.yaml': samples.WORKFLOW,
                'PLUGINS.md': samples.registry(samples.STATUSES),
                **samples.item_files('Bravo'),
                samples.handoff_path('Bravo'): samples.handoff('Bravo'),
            }
        )

    made = templates.copy('project', tmp_path / 'répo', make)
    monkeypatch.chdir(made.path)
    return made


@pytest.fixture
def space(templates: Templates, monkeypatch: pytest.MonkeyPatch) -> Space:
    """Tasks beside a main worktree, in which a session works."""
    from tests import spaces

    def make(place: Path) -> None:
        made = spaces.Space(place / 'espace')
        made.tasks.mkdir(parents=True)
        (made.path / '.interlock.yaml').write_text(spaces.WORKFLOW)
        templates.copy('empty', made.main.path, lambda repo: None)
        made.main.commit({'todo.md': spaces.TODO, 'README.md': '# é\n'})

    made = spaces.Space(templates.place('space', make) / 'espace')
    monkeypatch.chdir(made.main.path)
    monkeypatch.setenv('INTERLOCK_SESSION', spaces.SESSION)
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
        if replay.FILE in KEPT:
            replay.replay(KEPT[replay.FILE], args, *captured)
        return Result(code, captured.out, captured.err)

    def check(self, *args: str) -> Result:
        return self('check', '--format', 'json', *args)


@pytest.fixture
def person(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command line runs in this process as if at a terminal."""
    monkeypatch.setattr('interlock.files.login.doubt', str)


@pytest.fixture
def interlock(capsys: pytest.CaptureFixture[str]) -> Interlock:
    """The command line, in this process."""
    return Interlock(capsys)
