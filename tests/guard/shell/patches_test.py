from __future__ import annotations

import difflib
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.guard.shell.patches import applied, parse

LINES = st.lists(st.sampled_from(('a', 'b', 'c', '- d', '++ e', '')))


def patch(old: list[str], new: list[str]) -> str:
    return ''.join(
        f'{line}\n'
        for line in difflib.unified_diff(old, new, 'a/x.md', 'b/x.md', lineterm='')
    )


def joined(lines: list[str]) -> str:
    return ''.join(f'{line}\n' for line in lines)


@given(LINES, LINES)
def test_a_patch_gives_what_it_was_made_of(old: list[str], new: list[str]) -> None:
    text = patch(old, new)
    for each in parse(text, 1, reverse=False):
        assert (each.old, each.new) == ('x.md', 'x.md')
        assert applied(joined(old), each) == joined(new)
    for each in parse(text, 1, reverse=True):
        assert applied(joined(new), each) == joined(old)


@pytest.mark.parametrize(
    ('strip', 'name'), [(0, 'a/d/x.md'), (1, 'd/x.md'), (2, 'x.md'), (-1, 'x.md')]
)
def test_leading_directories(strip: int, name: str) -> None:
    text = '--- a/d/x.md\t2026-01-02\n+++ b/d/x.md\n@@ -1 +1 @@\n-a\n+b\n'
    assert parse(text, strip, reverse=False)[0].old == name


def test_files_that_come_and_go() -> None:
    text = '--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n'
    (made,) = parse(text, 1, reverse=False)
    assert (made.old, made.new, applied('', made)) == ('', 'x', 'a\n')
    (gone,) = parse(text, 1, reverse=True)
    assert (gone.old, gone.new) == ('x', '')


def test_what_does_not_fit_is_not_known() -> None:
    text = patch(['a', 'b'], ['a', 'c'])
    assert applied('x\n', parse(text, 1, reverse=False)[0]) is None
    for text in (
        'diff --git a/x b/x\nGIT binary patch\nliteral 1\n',
        'rename from x\nrename to y\n',
    ):
        for each in parse(text, 1, reverse=False):
            assert applied('a\n', each) is None


def test_git_does_the_same(tmp_path: Path) -> None:
    old = [str(number) for number in range(40)]
    new = [*old[:9], 'x', *old[11:30], 'y', *old[30:]]
    file = tmp_path / 'x.md'
    # moved by lines that the patch does not know
    file.write_text(joined(['new', *old]))
    text = patch(old, new)
    subprocess.run(('git', 'apply'), input=text.encode(), cwd=tmp_path, check=True)
    (each,) = parse(text, 1, reverse=False)
    assert applied(joined(['new', *old]), each) == file.read_text()
