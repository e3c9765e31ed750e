"""What a patch leaves in the files that it names, by real git."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from interlock.guard.command_outcome import Outcomes, Unlisted
from interlock.guard.context import Context
from interlock.guard.event import PRE_TOOL, Event
from interlock.guard.shell.effects import Patches
from tests.conftest import Repo

CHANGED = '--- a/d/x.md\t2026-01-02\n+++ b/d/x.md\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n'
NEW = '--- /dev/null\n+++ b/n.md\n@@ -0,0 +1 @@\n+new\n'
RENAMED = """\
diff --git a/d/x.md b/e.md
similarity index 100%
rename from d/x.md
rename to e.md
"""
BINARY = 'diff --git a/x b/x\nGIT binary patch\nliteral 1\n'


def outcomes(
    repo: Repo, text: str, strip: int = 1, reverse: bool = False
) -> dict[str, tuple[bytes | None, bool]]:
    event = Event(PRE_TOOL, {'cwd': str(repo.path)}, os.environ)
    effect = Patches('patch', str(repo.path), text, '', strip, reverse)
    return {
        str(Path(found.path).relative_to(repo.path)): (found.new, found.removed)
        for found in Outcomes(Context(event)).of_patch(effect)
    }


@pytest.fixture
def patched(repo: Repo) -> Repo:
    repo.write({'d/x.md': 'a\nb\n', 'old.md': 'new\n'})
    return repo


@pytest.mark.parametrize(
    ('text', 'strip', 'reverse', 'wanted'),
    [
        pytest.param(CHANGED, 1, False, {'d/x.md': (b'a\nc\n', False)}, id='changed'),
        pytest.param(
            # lines that the patch does not know
            CHANGED.replace('1,2', '7,2'),
            1,
            False,
            {'d/x.md': (b'a\nc\n', False)},
            id='elsewhere',
        ),
        pytest.param(
            CHANGED.replace('-b\n+c', '-c\n+b'),
            1,
            True,
            {'d/x.md': (b'a\nc\n', False)},
            id='taken back',
        ),
        pytest.param(
            CHANGED.replace('/d/', '/f/d/'),
            2,
            False,
            {'d/x.md': (b'a\nc\n', False)},
            id='two leading directories',
        ),
        pytest.param(NEW, 1, False, {'n.md': (b'new\n', False)}, id='made'),
        pytest.param(
            NEW.replace('n.md', 'old.md'),
            1,
            True,
            {'old.md': (None, True)},
            id='removed',
        ),
        pytest.param(
            RENAMED,
            1,
            False,
            {'e.md': (b'a\nb\n', False), 'd/x.md': (None, True)},
            id='renamed',
        ),
        pytest.param(
            CHANGED.replace('-b', '-z'), 1, False, {'d/x.md': (None, False)}, id='unfit'
        ),
    ],
)
def test_a_patch(
    patched: Repo,
    text: str,
    strip: int,
    reverse: bool,
    wanted: dict[str, tuple[bytes | None, bool]],
) -> None:
    assert outcomes(patched, text, strip, reverse) == wanted


def test_a_name_that_leads_out_is_unknown(patched: Repo) -> None:
    text = CHANGED.replace('d/x.md', '../x.md')
    (patched.path.parent / 'x.md').write_text('a\nb\n')
    try:
        (found,) = outcomes(patched, text).values()
    except (Unlisted, ValueError):
        return
    assert found == (None, False)


@pytest.mark.parametrize(
    ('text', 'strip'),
    [
        pytest.param(BINARY, 1, id='binary'),
        pytest.param('prose\n', 1, id='prose'),
        pytest.param(CHANGED, -1, id='names that are searched for'),
    ],
)
def test_a_patch_whose_files_are_not_known(
    patched: Repo, text: str, strip: int
) -> None:
    with pytest.raises(Unlisted):
        outcomes(patched, text, strip)
