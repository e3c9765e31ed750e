"""The page of an audit in a real browser."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests import samples
from tests.conftest import Interlock, Repo
from tests.spaces import TASK, Space, lock

pytestmark = pytest.mark.real

BROWSER = shutil.which('chromium') or shutil.which('google-chrome')
FLAGS = (
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--disable-quic',
)
# what does not fit would have to be scrolled to the side
PROBE = """
<script>
document.title = [
  document.documentElement.scrollWidth <= window.innerWidth,
  getComputedStyle(document.body).backgroundColor,
  document.querySelectorAll('.card').length,
].join(' ')
</script>
"""
needs_browser = pytest.mark.skipif(
    BROWSER is None, reason='no browser: install chromium to run this'
)


@pytest.fixture
def page(project: Repo, interlock: Interlock) -> Path:
    statuses = {'Alpha': 'Ideated', 'Bravo': 'Stage 2', 'Charlie': 'Installed'}
    project.commit({'PLUGINS.md': samples.registry(statuses, {'Bravo': 'Stage 3'})})
    file = project.path / 'page.html'
    result = interlock('audit', '--html', str(file))
    assert result.code == 1
    assert f'{file}: written' in result.err
    # ages are counted from then
    assert re.search(r'· as of [0-9]{4}-[0-9]{2}-[0-9]{2}<', file.read_text())
    return file


EVIL = '<img src=x onerror="document.title=1">' + 'lang' * 60


@pytest.fixture
def tasks(space: Space, interlock: Interlock) -> Path:
    """Of a project with tasks, one of them held by somebody strange."""
    space.put(
        lock(
            'INIT',
            'SYNTHESIS',
            session_id=EVIL,
            presented={'presented_at': '2026-01-02T03:04:05Z', 'sha256': 'a'},
        )
    )
    space.put(lock(task_name='wash-up'), 'wash-up')
    file = space.path / 'page.html'
    assert interlock('audit', '--html', str(file)).code == 0
    return file


def look(
    page: Path, folder: Path, width: int, scheme: int, probe: str = PROBE
) -> list[str]:
    """The title that our probe gives the page."""
    probed = folder / 'probed.html'
    probed.write_text(page.read_text().replace('</html>', probe))
    assert BROWSER is not None
    process = subprocess.run(
        (
            BROWSER,
            *FLAGS,
            f'--user-data-dir={folder / "profile"}',
            f'--window-size={width},900',
            f'--blink-settings=preferredColorScheme={scheme}',
            '--dump-dom',
            probed.as_uri(),
        ),
        capture_output=True,
        text=True,
        timeout=120,
    )
    head = process.stdout.partition('<title>')[2]
    return head.partition('</title>')[0].split(' ', 1)


@needs_browser
@pytest.mark.parametrize('width', (500, 1400), ids=('narrow', 'wide'))
@pytest.mark.parametrize(
    ('scheme', 'background'),
    (
        pytest.param(1, 'rgb(255, 255, 255)', id='light'),
        pytest.param(0, 'rgb(13, 17, 23)', id='dark'),
    ),
)
def test_a_page_fits_its_window_and_the_wish_for_light(
    page: Path, tmp_path: Path, width: int, scheme: int, background: str
) -> None:
    fits, seen = look(page, tmp_path, width, scheme)
    assert fits == 'true'
    assert seen == f'{background} 3'


# what somebody who looks for an item still sees, and whether a copy is answered
FIND = """
<script>
const field = document.querySelector('input.find');
field.value = 'brav';
field.dispatchEvent(new Event('input'));
const cards = [...document.querySelectorAll('.card')];
document.querySelector('button.copy').click();
document.title = [
  cards.filter(each => each.offsetParent).length,
  document.querySelector('button.copy').textContent,
].join(' ')
</script>
"""


@needs_browser
def test_an_item_is_found_and_a_command_copied(page: Path, tmp_path: Path) -> None:
    seen, copied = look(page, tmp_path, 500, 1, FIND)
    assert seen == '1'
    assert copied in {'copied', 'press Ctrl+C'}


@needs_browser
@pytest.mark.parametrize('width', (500, 1400), ids=('narrow', 'wide'))
def test_a_page_of_tasks_fits_every_holder(
    tasks: Path, tmp_path: Path, width: int
) -> None:
    fits, seen = look(tasks, tmp_path, width, 1)
    assert fits == 'true'
    assert seen == 'rgb(255, 255, 255) 0'


def test_a_page_shows_locks_and_what_waits(tasks: Path) -> None:
    text = tasks.read_text()
    assert text.count('held by session') == 2
    assert '<strong>wash-up</strong>' in text
    assert '&lt;img src=x' in text
    assert '<img' not in text
    assert f'interlock approve {TASK}' in text
    assert 'since 2026-01-02T03:04:05Z</span><div' in text
    assert 'interlock approve wash-up' not in text


def test_a_page_shows_the_history(page: Path) -> None:
    text = page.read_text()
    assert 'Bravo' in text
    assert 'REG001' in text
    assert '2 commits up to' in text


def test_a_page_that_cannot_be_written_is_said(
    project: Repo, interlock: Interlock
) -> None:
    result = interlock('audit', '--html', 'néant/page.html')
    assert result.code == 2
    assert 'cannot be written' in result.err


@pytest.mark.parametrize('other', (('--item', 'Bravo'), ('--write-baseline',)))
def test_a_page_is_of_a_history(
    project: Repo, interlock: Interlock, other: tuple[str, ...]
) -> None:
    result = interlock('audit', '--html', 'x.html', *other)
    assert result.code == 2
    assert '--html shows a history' in result.err
