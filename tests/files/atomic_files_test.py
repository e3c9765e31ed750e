from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from interlock.files.atomic_files import permit_command, read, replace
from interlock.model.errors import Refusal

OLD = 'alt — ancien\n'.encode()
NEW = 'neu — nouveau\n'.encode()


def names(directory: Path) -> list[str]:
    return sorted(os.listdir(directory))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    directory = tmp_path / 'données'
    directory.mkdir()
    made = directory / 'PLUGINS.md'
    made.write_bytes(OLD)
    return made


def test_a_file_is_replaced_and_keeps_its_mode(file: Path) -> None:
    file.chmod(0o640)
    replace(str(file), OLD, NEW)
    assert file.read_bytes() == NEW
    assert file.stat().st_mode & 0o777 == 0o640
    assert names(file.parent) == ['PLUGINS.md']


def test_a_new_file_is_made(file: Path) -> None:
    made = file.parent / 'neu.md'
    replace(str(made), None, NEW)
    assert made.read_bytes() == NEW
    assert names(file.parent) == ['PLUGINS.md', 'neu.md']


def test_the_file_behind_a_link_is_replaced_not_the_link(file: Path) -> None:
    link = file.parent / 'link.md'
    link.symlink_to('PLUGINS.md')
    replace(str(link), OLD, NEW)
    assert link.is_symlink()
    assert file.read_bytes() == NEW


@pytest.mark.parametrize(
    ('error', 'below', 'said'),
    (
        (PermissionError(), '', 'make {} writable for you'),
        (PermissionError(), 'not/there/yet', 'make {} writable for you'),
        (OSError(), '', ''),
    ),
)
def test_who_may_not_write_is_told_where(
    tmp_path: Path, error: OSError, below: str, said: str
) -> None:
    folder = os.path.join(tmp_path, below) if below else str(tmp_path)
    assert permit_command(folder, error) == said.format(tmp_path)


def test_a_read_only_file_is_left_alone(file: Path) -> None:
    file.chmod(0o444)
    with pytest.raises(Refusal) as e:
        replace(str(file), OLD, NEW)
    assert e.value.message == f'{file} is read-only'
    assert e.value.hint == f'chmod u+w {file}'
    assert file.read_bytes() == OLD
    assert names(file.parent) == ['PLUGINS.md']


@pytest.mark.parametrize(
    'meanwhile',
    (pytest.param(b'anders\n', id='changed'), pytest.param(b'', id='emptied')),
)
def test_a_file_that_changed_meanwhile_is_left_alone(
    file: Path, meanwhile: bytes
) -> None:
    file.write_bytes(meanwhile)
    with pytest.raises(Refusal) as e:
        replace(str(file), OLD, NEW)
    assert e.value.message == f'{file} changed while it was read'
    assert file.read_bytes() == meanwhile
    assert names(file.parent) == ['PLUGINS.md']


def test_a_file_that_went_away_is_not_made_again(file: Path) -> None:
    file.unlink()
    with pytest.raises(Refusal) as e:
        replace(str(file), OLD, NEW)
    assert e.value.message == f'{file} changed while it was read'
    assert names(file.parent) == []


def test_a_file_that_came_meanwhile_is_left_alone(file: Path) -> None:
    with pytest.raises(Refusal):
        replace(str(file), None, NEW)
    assert file.read_bytes() == OLD
    assert names(file.parent) == ['PLUGINS.md']


def test_a_directory_that_is_missing_is_a_refusal(tmp_path: Path) -> None:
    path = tmp_path / 'nulle' / 'part.md'
    with pytest.raises(Refusal) as e:
        replace(str(path), None, NEW)
    assert e.value.message == (f'{path} cannot be written: No such file or directory')


LIMITED = """\
import resource, signal, sys
from interlock.model.errors import Refusal
from interlock.files.atomic_files import replace
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
try:
    replace(sys.argv[1], b'alt\\n', b'x' * 100_000)
except Refusal as e:
    print(e.message)
"""


def test_a_file_that_may_not_grow_is_left_whole(file: Path) -> None:
    file.write_bytes(b'alt\n')
    process = subprocess.run(
        (sys.executable, '-c', LIMITED, str(file)),
        capture_output=True,
        text=True,
        check=True,
    )
    assert process.stdout == f'{file} cannot be written: File too large\n'
    assert file.read_bytes() == b'alt\n'
    assert names(file.parent) == ['PLUGINS.md']


MOUNTED = """\
mount -t tmpfs -o size=64k none "$1" || exit 77
printf 'alt\\n' > "$1/PLUGINS.md"
head -c 40000 /dev/zero > "$1/rest"
"$2" -c '
import os, sys
from interlock.model.errors import Refusal
from interlock.files.atomic_files import replace
path = sys.argv[1] + "/PLUGINS.md"
try:
    replace(path, b"alt\\n", b"x" * 100_000)
except Refusal as e:
    print(e.message.removeprefix(path))
print(sorted(os.listdir(sys.argv[1])), open(path).read())
' "$1"
"""


def test_a_full_disk_leaves_the_old_file_whole(tmp_path: Path) -> None:
    disk = tmp_path / 'disk'
    disk.mkdir()
    process = subprocess.run(
        (
            'unshare',
            '--mount',
            '--map-root-user',
            'sh',
            '-c',
            MOUNTED,
            'sh',
            str(disk),
            sys.executable,
        ),
        capture_output=True,
        text=True,
    )
    if process.returncode in {1, 77} and not process.stdout:
        pytest.skip(f'no disk can be mounted here: {process.stderr}')
    assert process.stdout == (
        " cannot be written: No space left on device\n['PLUGINS.md', 'rest'] alt\n\n"
    )


@pytest.mark.parametrize(
    'name',
    (
        pytest.param('absent', id='no such file'),
        pytest.param('.', id='a directory'),
        pytest.param('PLUGINS.md/below', id='below a file'),
    ),
)
def test_no_file_is_none(file: Path, name: str) -> None:
    assert read(str(file.parent / name)) is None


def test_a_file_that_cannot_be_read_is_a_refusal(file: Path) -> None:
    loop = file.parent / 'boucle'
    loop.symlink_to('boucle')
    with pytest.raises(Refusal) as e:
        read(str(loop))
    assert e.value.message == (
        f'{loop} cannot be read: Too many levels of symbolic links'
    )
