"""What only a client on a terminal shows: a question, and a compaction by hand."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from tests.client import typist
from tests.client.every_client_test import FACT, guarded, read_first, step
from tests.client.kits import KITS, NODE, Kit
from tests.client.runner import Client
from tests.client.script import HEAVY, Step, say, script
from tests.client.seen import Seen
from tests.client.several_test import SUMMARY
from tests.conftest import Repo

SECONDS = 110
DRAWS = {'TERM': 'xterm-256color'}
# of a command that prints what its model says
PRINTS = ('--output-format', 'json', '-p')
DONE = 'all of it is done'


def typed(kit: Kit, top: Path, project: Path, keys: list[str], *steps: Step) -> Seen:
    """A session on a terminal; `keys` are texts to wait for, each with its answer."""
    words = [word for word in kit.command if word not in PRINTS]
    start = (NODE, str(kit.program), *words, '-i', 'go')
    log = str(top / 'drawn')
    line = (sys.executable, typist.__file__, log, str(SECONDS), *keys, '--', *start)
    told = script(*steps)._replace(side=SUMMARY)
    client = Client(project, top / 'client', kit)
    return client.play(
        told, line=shlex.join(line), whole=False, environ=DRAWS, limit=SECONDS + 10
    )


@pytest.mark.parametrize(
    ('key', 'written'), [('\\r', True), ('\\x1b', False)], ids=['yes', 'no']
)
def test_the_user_is_asked(
    key: str, written: bool, project: Repo, tmp_path: Path
) -> None:
    """Even by a client that was told to ask nothing."""
    kit, file = KITS['qwen'], project.path / '.interlock.yaml'
    guarded(project, kit)
    before = file.read_text()
    steps = (*read_first(kit, file), step('write', kit.write(file, 'version: 1\n')))
    seen = typed(kit, tmp_path, project.path, ['CLD004', key], *steps, say(DONE))
    assert 'not seen' not in seen.stderr, seen.stderr
    assert (file.read_text() != before) is written


def test_no_event_follows_a_compaction(project: Repo, tmp_path: Path) -> None:
    """So the facts are known from the summary alone, and from the next start."""
    kit = KITS['gemini']
    guarded(project, kit)
    keys = [DONE, '/compress', '/compress', '\\r', 'compressed', 'more', 'more', '\\r']
    seen = typed(kit, tmp_path, project.path, keys, say(DONE, HEAVY), say('and more'))
    assert 'not seen' not in seen.stderr, seen.stderr
    assert FACT in seen.turns()[0].text
    assert 'summed up' in seen.last()
    assert FACT not in seen.last()
