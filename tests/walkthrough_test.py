"""The walkthrough is true: all its commands are run, as they stand there."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.commands import terminal
from tests.conftest import SCRIPTS, Result

pytestmark = pytest.mark.slow

TOP = Path(__file__).parent.parent
TEXT = TOP / 'docs' / 'walkthrough.md'
README = TOP / 'README.md'
PATHS = {
    'the path of the README': README,
    'saved state and handoff documents': TOP / 'docs' / 'saved-state.md',
}
HEADING_RE = re.compile('^## (A whole .*)$', re.MULTILINE)
BLOCK_RE = re.compile('^```(.+)\n((?:.*\n)*?)^```$', re.MULTILINE)
# what a person types is typed into one shell: the next block goes on in the
# directory and with the variables of the one before
SCRIPT = """\
cd "$(cat {0}/directory)" && . {0}/variables || exit 99
trap 'pwd >{0}/directory; export -p >{0}/variables' EXIT
set -e
{1}"""


class Walk(NamedTuple):
    kept: Path
    environ: dict[str, str]

    def run(self, commands: str) -> Result:
        script = SCRIPT.format(self.kept, commands)
        # Enter takes what `init` found; every other question is left
        keys = '\n\n\n\x04' if 'interlock init' in commands else '\x04'
        return terminal.shown(('bash', '-c', script), self.environ, keys)


def walks() -> dict[str, str]:
    """The walks of their page, and the paths of other pages."""
    _, *parts = HEADING_RE.split(TEXT.read_text(encoding='UTF-8'))
    found = dict(zip(parts[::2], parts[1::2], strict=True))
    for name, page in PATHS.items():
        _, _, rest = page.read_text(encoding='UTF-8').partition('<!-- path -->')
        found[name] = rest.partition('<!-- end of the path -->')[0]
    return found


def blocks(text: str) -> Iterator[tuple[str, str]]:
    for found in BLOCK_RE.finditer(text):
        yield found[1], found[2]


@pytest.fixture
def walk(tmp_path: Path) -> Walk:
    kept, start = tmp_path / 'kept', tmp_path / 'start'
    kept.mkdir()
    start.mkdir()
    (kept / 'directory').write_text(f'{start}\n')
    (kept / 'variables').write_text('')
    path = f'{SCRIPTS}{os.pathsep}{os.environ["PATH"]}'
    # the pages show each finding in one line
    return Walk(kept, {**os.environ, 'PATH': path, 'COLUMNS': '160'})


@pytest.mark.parametrize('name', walks())
def test_a_walk_ends_as_it_is_written(walk: Walk, name: str) -> None:
    said, kinds = '', []
    for kind, body in blocks(walks()[name]):
        kinds.append(kind)
        if kind == 'text':
            # behind a question, since its answer was typed beforehand
            assert [
                line
                for line in body.splitlines()
                if not any(
                    each == line or each.endswith(f': {line}')
                    for each in said.splitlines()
                )
            ] == [], said
            continue
        result = walk.run(body)
        said = result.out
        assert result.code == (1 if kind == 'sh refused' else 0), body + said
    assert set(kinds) == {'sh', 'sh refused', 'text'}


def test_there_are_all_of_them() -> None:
    assert list(walks()) == ['A whole item', 'A whole task', *PATHS]


def test_the_readme_is_read_in_one_sitting() -> None:
    assert len(README.read_text(encoding='UTF-8').splitlines()) <= 200
