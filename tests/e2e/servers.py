"""A server that is pushed to."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests import samples
from tests.conftest import SCRIPTS, Repo
from tests.samples import STATUSES

MENDED = {'PLUGINS.md': samples.registry(STATUSES)}
SKIP = {'PLUGINS.md': samples.registry({**STATUSES, 'Alpha': 'Stage 4'})}
LOOSE = samples.WORKFLOW + (
    'severity: {REG001: off, STG001: off, COM001: off, COM005: off}\n'
)
RELAXED = 'chore: relâcher\n\nInterlock-Rules: provisoirement\n'
HOOK = '#!/bin/sh\nexec "{script}" pre-receive {options}\n'
Pushed = subprocess.CompletedProcess[str]


class Server:
    def __init__(self, path: Path) -> None:
        self.path = path

    def git(self, *args: str) -> str:
        return subprocess.run(
            ('git', *args), cwd=self.path, capture_output=True, text=True, check=True
        ).stdout.rstrip('\n')

    def guard(self, options: str = '') -> None:
        hook = self.path / 'hooks' / 'pre-receive'
        hook.write_text(HOOK.format(script=SCRIPTS / 'interlock', options=options))
        hook.chmod(0o755)

    def refs(self) -> str:
        return self.git('for-each-ref', '--format=%(refname) %(objectname)')


def push(repo: Repo, *args: str) -> Pushed:
    return repo.try_git('push', *(args or ('origin', 'main')))


def refused(server: Server, before: str, process: Pushed, *said: str) -> None:
    output = process.stdout + process.stderr
    assert process.returncode == 1, output
    for text in said:
        assert text in output
    assert server.refs() == before
