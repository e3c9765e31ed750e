"""A disk that is full where the mirror lies: nobody holds what they do not hold."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from interlock.tasks import task_layout
from interlock.tasks.engines import selection
from tests.fleet.commands_test import ENGINES
from tests.fleet.conftest import use
from tests.spaces import TASK
from tests.tasks.engines.team import Team

pytestmark = pytest.mark.slow

PAGE = 4096
# more than a command needs, so that the last one succeeds
PAGES = 24


@contextlib.contextmanager
def small_disk(folder: Path) -> Iterator[None]:
    """A file system of a few pages over a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        ('mount', '-t', 'tmpfs', '-o', f'size={PAGES * PAGE}', 'interlock', folder),
        capture_output=True,
        text=True,
    )
    if done.returncode:
        pytest.skip(
            f'NO FULL DISK WAS TRIED: a tmpfs needs root ({done.stderr.strip()})'
        )
    try:
        yield
    finally:
        subprocess.run(('umount', folder), check=True)


def leave(folder: Path, pages: int) -> Path:
    """Fill the disk until so many pages are left."""
    ballast = folder / 'ballast'
    with contextlib.suppress(OSError), ballast.open('wb') as f:
        free = os.statvfs(folder).f_bavail
        f.write(b'x' * PAGE * max(free - pages, 0))
    assert os.statvfs(folder).f_bavail == pages
    return ballast


@pytest.mark.parametrize('kind', tuple(ENGINES))
@pytest.mark.parametrize('command', ('acquire', 'release'))
def test_a_full_disk_at_the_mirror(team: Team, kind: str, command: str) -> None:
    use(team, ENGINES[kind])
    register = team.one.space.register
    failed = 0
    with small_disk(register):
        for pages in range(PAGES):
            if command == 'release':
                team.one.done('lock', 'acquire', TASK)
            ballast = leave(register, pages)
            result = team.one('lock', command, TASK)
            # while it is full, the mirror says nothing that the engine does not say
            record = selection.engine_for(task_layout.find(), TASK).show(TASK)
            holds = record is not None and record.session == team.one.session
            assert holds or not team.one.holds(), pages
            ballast.unlink()
            if result.code:
                assert 'No space left on device' in result.err, result.err
                assert 'Traceback' not in result.err
                failed += 1
            team.one.done('lock', 'settle', TASK)
            if kind != 'file':
                team.one.done('lock', 'confirm', TASK)
            team.one.enter()
            record = selection.engine_for(task_layout.find(), TASK).show(TASK)
            holds = record is not None and record.session == team.one.session
            assert team.one.holds() == holds, (pages, result.err)
            if holds:
                team.one.done('lock', 'release', TASK)
            if not result.code:
                break
    assert failed
    assert not result.code
