"""The addresses of remotes, and who is told their passwords."""

from __future__ import annotations

import os
import subprocess

import pytest

from interlock.git.remotes import quiet
from tests.conftest import Repo


@pytest.mark.parametrize(
    ('host', 'password'),
    [('a.invalid:8443', 'p@ss'), ('a.invalid', ''), ('b.invalid:8443', '')],
)
def test_only_the_server_of_a_remote_is_told_its_password(
    repo: Repo, host: str, password: str
) -> None:
    """A server may lead git to another one, which asks for a password too."""
    repo.git('remote', 'add', 'origin', 'https://me:p%40ss@a.invalid:8443/x.git')
    environ = quiet(os.environ, str(repo.path), 'origin')
    answer = subprocess.run(
        ('git', 'credential', 'fill'),
        cwd=repo.path,
        env={
            **environ,
            'GIT_TERMINAL_PROMPT': '0',
            'GIT_ASKPASS': '',
            'SSH_ASKPASS': '',
        },
        input=f'protocol=https\nhost={host}\n\n',
        capture_output=True,
        text=True,
    )
    said = dict(line.split('=', 1) for line in answer.stdout.splitlines())
    assert said.get('password', '') == password, answer
