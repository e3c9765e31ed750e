"""Agents of a session, two clients in one worktree, a client inside another."""

from __future__ import annotations

import shlex
from pathlib import Path

from tests import samples
from tests.client.brief import BRIEF, is_whole
from tests.client.every_client_test import EACH, guarded, read_first, step
from tests.client.kits import KITS
from tests.client.runner import Client
from tests.client.script import Step, say, script, word
from tests.conftest import Repo

COMMIT = 'git add a.txt && git commit -m "chore: é"'
# its events do not say that an agent of the session acts
ANONYMOUS = ('gemini',)


def wait_for(file: Path) -> str:
    return f'until [ -e {shlex.quote(str(file))} ]; do sleep 0.1; done'


@EACH
def test_an_agent_of_a_session_is_held(
    name: str, project: Repo, tmp_path: Path
) -> None:
    kit, brief, done = KITS[name], project.path / BRIEF, tmp_path / 'done'
    guarded(project, kit)
    before = project.git('rev-parse', 'HEAD')
    line = samples.contract('Bravo', 'creative_brief').splitlines()[0]
    first = next(iter(kit.edits.values()))
    worker: list[Step] = [
        *read_first(kit, brief),
        step('edit', first(brief, line, 'x')),
        step('make', kit.shell('echo é > a.txt')),
        step('commit', kit.shell(COMMIT)),
        step('done', kit.shell(f'touch {done}')),
        say('gave up'),
    ]
    main = [
        step('agent', kit.starts(word('worker'))),
        step('wait', kit.shell(wait_for(done))),
        say('done'),
    ]
    client = Client(project.path, tmp_path / 'client', kit)
    # some are told afterwards what their agent has done
    seen = client.play(script(*main, worker=worker), whole=False)
    texts = {id: result.text for id, result in seen.results.items()}
    assert 'CON006' in texts['edit'], texts
    assert 'is a frozen contract of Bravo' in seen.shown('worker')
    assert is_whole(project)
    assert (project.path / 'a.txt').exists()
    if name not in ANONYMOUS:
        assert 'CLD009' in texts['commit'], texts
        assert project.git('rev-parse', 'HEAD') == before
