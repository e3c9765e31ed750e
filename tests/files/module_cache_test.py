"""The file with the compiled modules of an answer: it never decides anything."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from interlock.files import module_cache
from tests.conftest import Repo

EVENT = {'hook_event_name': 'PreToolUse', 'tool_name': 'Read', 'tool_input': {}}
# who loaded our modules, printed before the process ends
LOADERS = """
import os, sys
sys.argv = [sys.argv[1], 'claude', 'PreToolUse']
end = os._exit
def leave(code):
    for name, module in sys.modules.items():
        if name.startswith('interlock.'):
            print(name, type(module.__spec__.loader).__name__, module.__file__)
    sys.stdout.flush()
    end(code)
os._exit = leave
with open(sys.argv[0]) as f:
    code = compile(f.read(), sys.argv[0], 'exec')
exec(code, {'__name__': '__main__', '__file__': sys.argv[0]})
"""


class Package:
    """A copy of the package, which keeps its modules for itself."""

    def __init__(self, folder: Path) -> None:
        ours = Path(module_cache.PACKAGE)
        ignored = shutil.ignore_patterns('__pycache__')
        self.path = folder / 'interlock'
        shutil.copytree(ours, self.path, ignore=ignored)
        self.launcher = str(self.path / 'agents/launcher.py')

    @property
    def kept(self) -> Path:
        return (
            self.path
            / '__pycache__'
            / os.path.basename(module_cache.file_of('answers'))
        )

    def run(self, *command: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            (sys.executable, '-I', '-S', *command),
            input=json.dumps(EVENT).encode(),
            capture_output=True,
            cwd=self.path.parent,
        )

    def answer(self) -> tuple[int, bytes, bytes]:
        done = self.run(self.launcher, 'claude', 'PreToolUse')
        return done.returncode, done.stdout, done.stderr

    def loaders(self) -> dict[str, tuple[str, str]]:
        lines = self.run('-c', LOADERS, self.launcher).stdout.decode().splitlines()
        found = (line.split(' ', 2) for line in lines)
        return {name: (loader, path) for name, loader, path in found}


@pytest.fixture
def package(tmp_path: Path) -> Package:
    made = Package(tmp_path)
    assert made.answer() == (0, b'', b'')
    return made


def test_the_second_answer_takes_its_modules_from_the_file(package: Package) -> None:
    found = package.loaders()
    assert found['interlock.agents.respond'][0] == 'Loader'
    # the one that finds the others is imported first
    ordinary = [name for name in found if found[name][0] != 'Loader']
    assert ordinary == ['interlock.files.module_cache']


def test_a_changed_source_is_imported(package: Package) -> None:
    source = package.path / 'guard/event.py'
    source.write_text(source.read_text() + 'import os; os.write(2, b"changed")\n')
    assert package.answer() == (0, b'', b'changed')
    # and is kept as it is now
    assert package.answer() == (0, b'', b'changed')
    assert package.loaders()['interlock.guard.event'][0] == 'Loader'


def test_a_source_that_is_gone_is_gone(package: Package) -> None:
    (package.path / 'guard/event.py').unlink()
    code, _, said = package.answer()
    assert code == 1
    assert b'ImportError' in said


def test_a_copy_runs_its_own_sources(package: Package, tmp_path: Path) -> None:
    copy = tmp_path / 'elsewhere/interlock'
    shutil.copytree(package.path, copy)
    package.path, package.launcher = copy, str(copy / 'agents/launcher.py')
    found = package.loaders()
    assert {loader for loader, _ in found.values()} >= {'Loader'}
    assert all(path.startswith(str(copy)) for _, path in found.values())


@pytest.mark.parametrize(
    'damage',
    [
        pytest.param(lambda data: b'', id='empty'),
        pytest.param(lambda data: data[:7], id='cut in its length'),
        pytest.param(lambda data: data[:500], id='cut in its index'),
        pytest.param(lambda data: data[: len(data) // 2], id='cut in its code'),
        pytest.param(lambda data: b'\xff' * 8 + data[8:], id='a wrong length'),
        pytest.param(lambda data: bytes(len(data)), id='zeros'),
        pytest.param(
            lambda data: data[: len(data) // 2] + bytes(len(data) - len(data) // 2),
            id='half zeros',
        ),
        pytest.param(lambda data: b'not ours\n' * 100, id='another file'),
        pytest.param(
            lambda data: data[:40] + bytes([data[40] ^ 1]) + data[41:],
            id='one bit of its index',
        ),
    ],
)
def test_a_damaged_file_changes_no_answer(package: Package, damage: object) -> None:
    package.kept.write_bytes(damage(package.kept.read_bytes()))  # type: ignore[operator]
    assert package.answer() == (0, b'', b'')


def test_another_form_of_the_file_is_not_read(package: Package) -> None:
    """Of another interpreter, or of another version of ours."""
    source = package.path / 'files/module_cache.py'
    source.write_text(source.read_text().replace('FORM = (3,', 'FORM = (4,'))
    assert package.answer() == (0, b'', b'')
    assert package.loaders()['interlock.agents.respond'][0] == 'Loader'


def test_a_file_of_a_process_that_had_the_package_before_changes_no_answer(
    package: Package,
) -> None:
    package.kept.unlink()
    older = str(package.path / 'claude/launcher.py')
    assert package.run(older, 'PreToolUse').returncode == 0
    assert package.kept.exists()
    assert package.answer() == (0, b'', b'')
    assert package.loaders()['interlock.agents.respond'][0] == 'Loader'


def test_a_closed_stream_is_not_taken(package: Package) -> None:
    command = shlex.join((sys.executable, '-I', '-S', package.launcher, 'claude'))
    done = subprocess.run(
        ('sh', '-c', f'{command} PreToolUse 2>&-'),
        input=json.dumps(EVENT).encode(),
        capture_output=True,
    )
    assert (done.returncode, done.stdout) == (0, b'')


def test_what_cannot_be_kept_is_not_a_failure(package: Package) -> None:
    shutil.rmtree(package.kept.parent)
    package.kept.parent.write_text('not a folder')
    assert package.answer() == (0, b'', b'')
    assert package.loaders()['interlock.agents.respond'][0] == 'SourceFileLoader'


@pytest.mark.parametrize('name', ['guard/event.py', '__pycache__/x.pyc'])
def test_a_package_behind_a_link_is_guarded(
    name: str, package: Package, project: Repo, tmp_path: Path
) -> None:
    """It knows itself by the path that it was called by, agents by any."""
    shutil.copytree(
        Path(module_cache.PACKAGE).parents[1] / 'schemas', package.path / 'schemas'
    )
    (tmp_path / 'link').symlink_to(package.path.parent)
    event = {
        'hook_event_name': 'PreToolUse',
        'session_id': 's',
        'cwd': str(project.path),
        'tool_name': 'Write',
        'tool_input': {'file_path': str(package.path / name), 'content': 'x'},
    }
    launcher = str(tmp_path / 'link/interlock/agents/launcher.py')
    done = subprocess.run(
        (sys.executable, '-I', '-S', launcher, 'claude', 'PreToolUse'),
        input=json.dumps(event).encode(),
        capture_output=True,
    )
    assert b'CLD003' in done.stdout
