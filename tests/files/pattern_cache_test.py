"""Compiled patterns are kept, and never trusted blindly."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from interlock import model
from interlock.files import pattern_cache
from interlock.model import quick_re

GIVEN = (
    (r'^(?P<key>\w+)=(?P<value>.*)$', quick_re.MULTILINE | quick_re.IGNORECASE),
    (r'[^\x00-\xff]|(a)(b)?', 0),
    (rb'\x00(.+?)\r?\n', quick_re.DOTALL),
)
TEXT = 'a=1\nB=2\nab é ☃\n'


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quick_re, '_known', None)
    monkeypatch.setattr(model, 'pattern_source', dict)
    monkeypatch.setattr(quick_re, 'compiled_here', {})


def forget(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """As in the next process."""
    monkeypatch.setattr(quick_re, '_known', None)
    pattern_cache.use(str(folder))


def kept_in(folder: Path) -> Path:
    (file,) = folder.iterdir()
    return file


@pytest.mark.parametrize('given', GIVEN, ids=str)
def test_the_next_process_has_the_same_pattern(
    given: tuple[str, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / 'compiled'
    assert quick_re.compile(*given).groups == re.compile(*given).groups
    pattern_cache.keep(str(folder))
    forget(monkeypatch, folder)
    quick, slow = quick_re.compile(*given), re.compile(*given)
    text = TEXT if isinstance(given[0], str) else TEXT.encode()
    assert quick.findall(text) == slow.findall(text)
    assert (quick.flags, quick.groups) == (slow.flags, slow.groups)
    assert quick.groupindex == slow.groupindex
    assert not quick_re.compiled_here


def test_nothing_is_written_where_nothing_was_compiled(tmp_path: Path) -> None:
    pattern_cache.keep(str(tmp_path / 'compiled'))
    assert not (tmp_path / 'compiled').exists()


@pytest.mark.parametrize(
    'damage',
    (
        '',
        'null',
        '[]',
        '{',
        '{"0 \'a+\'": null}',
        '{"0 \'a+\'": [0, [1, 2, 3], 0, {}]}',
        '{"0 \'a+\'": [0, ["x"], 0, {}]}',
        '{"0 \'a+\'": [0, [99999999999999999999], 0, {}]}',
        '{"0 \'a+\'": [0, [], -5, []]}',
        b'\xff'.decode('latin-1'),
    ),
)
def test_a_damaged_cache_is_not_believed(
    damage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert quick_re.compile('a+').match('aa')
    pattern_cache.keep(str(tmp_path))
    kept_in(tmp_path).write_text(damage, encoding='latin-1')
    forget(monkeypatch, tmp_path)
    assert quick_re.compile('a+').fullmatch('aa')
    pattern_cache.keep(str(tmp_path))
    assert len(json.loads(kept_in(tmp_path).read_text())["0 'a+'"]) == 4


def test_a_folder_that_cannot_be_written_costs_only_time(tmp_path: Path) -> None:
    (tmp_path / 'file').write_text('')
    assert quick_re.compile('a+').match('a')
    pattern_cache.keep(str(tmp_path / 'file' / 'compiled'))


def test_the_cache_does_not_grow_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pattern_cache, 'MOST', 1000)
    counts = []
    for number in range(40):
        assert quick_re.compile(f'a{{{number}}}').match('a' * number)
        pattern_cache.keep(str(tmp_path))
        kept = kept_in(tmp_path).read_text()
        assert len(kept) <= 1000
        # the newest is always there
        assert f'a{{{number}}}' in kept
        counts.append(len(json.loads(kept)))
    assert counts[:3] == [1, 2, 3]
    assert max(counts) < 40


def test_what_cannot_be_kept_is_not_a_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`re` may have other parts in another version of Python."""
    monkeypatch.setattr(pattern_cache, '_parts_of_re', lambda: (None, None))
    assert quick_re.compile('a+').match('a')
    pattern_cache.keep(str(tmp_path))
    assert not list(tmp_path.iterdir())


LEFT = f"""
import sys
sys.path.insert(0, {str(Path(pattern_cache.__file__).parents[2])!r})
from interlock.agents import respond
from interlock.files import pattern_cache
from interlock.model import quick_re
def main(arguments):
    quick_re.compile('a').match('a')
    return 2
respond.main = main
def keep(folder):
    raise SystemError
pattern_cache.keep = keep
respond.start([])
"""


def test_a_refusal_stays_one_where_nothing_can_be_kept() -> None:
    command = (sys.executable, '-I', '-S', '-c', LEFT)
    assert subprocess.run(command, check=False).returncode == 2
