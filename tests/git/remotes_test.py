"""The addresses of remotes, and who is told their passwords."""

from __future__ import annotations

import os
import subprocess

import pytest

from interlock.git.parse import reason
from interlock.git.remotes import quiet
from tests.conftest import Repo


def filled(repo: Repo, environ: dict[str, str], host: str) -> dict[str, str]:
    """What git would log in with."""
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
    return dict(line.split('=', 1) for line in answer.stdout.splitlines())


@pytest.mark.parametrize(
    ('host', 'password'),
    [('a.invalid:8443', 'p@ss'), ('a.invalid', ''), ('b.invalid:8443', '')],
)
def test_only_the_server_of_a_remote_is_told_its_password(
    repo: Repo, host: str, password: str
) -> None:
    """A server may lead git to another one, which asks for a password too."""
    repo.git('remote', 'add', 'origin', 'https://me:p%40ss@a.invalid:8443/x.git')
    environ, _ = quiet(os.environ, str(repo.path), 'origin')
    assert filled(repo, environ, host).get('password', '') == password


@pytest.mark.parametrize(
    ('url', 'user', 'password'),
    [
        ('https://t%40ken@a.invalid/x.git', 't@ken', 'helped t@ken'),
        ('https://token:@a.invalid/x.git', 'token', ''),
        ('https://:secret@a.invalid/x.git', '', 'secret'),
        ('https://a.invalid/x.git', 'anyone', 'helped'),
    ],
)
def test_a_user_may_be_a_token(repo: Repo, url: str, user: str, password: str) -> None:
    """The credential helper is asked for the password of this user, as by git."""
    helper = '!u=$(sed -n s/^username=//p); echo "password=helped${u:+ $u}"; '
    helper += 'test -n "$u" || echo username=anyone; :'
    repo.git('config', 'credential.helper', helper)
    repo.git('remote', 'add', 'origin', url)
    environ, name = quiet(os.environ, str(repo.path), 'origin')
    said = filled(repo, environ, 'a.invalid')
    assert (name, said['username'], said['password']) == ('origin', user, password)


@pytest.mark.parametrize(
    ('address', 'named'),
    [
        ('https://me:secret@a.invalid/x.git', 'https://a.invalid/x.git'),
        ('https://token@a.invalid/x.git', 'https://a.invalid/x.git'),
        ('ssh://me:secret@a.invalid/x.git', 'ssh://me@a.invalid/x.git'),
        ('team:x.git', 'https://b.invalid/x.git'),
        ('ssh://git@a.invalid/x.git', 'ssh://git@a.invalid/x.git'),
        ('git@a.invalid:x.git', 'git@a.invalid:x.git'),
        ('../x.git', '../x.git'),
    ],
)
def test_an_address_in_the_place_of_a_remote_is_named_without_secrets(
    repo: Repo, address: str, named: str
) -> None:
    repo.git('config', 'url.https://me:secret@b.invalid/.insteadOf', 'team:')
    environ, name = quiet(os.environ, str(repo.path), address)
    assert name == named
    told = subprocess.check_output(
        ('git', 'ls-remote', '--get-url', name), env=environ, cwd=repo.path, text=True
    )
    assert told.strip() == named


ADVICE = (
    'fatal: Could not read from remote repository.\n\nPlease make sure you have the '
    'correct access rights\nand the repository exists.'
)


@pytest.mark.parametrize(
    ('said', 'why'),
    [
        (
            f'ssh: connect to host h port 1: refused\n{ADVICE}',
            'ssh: connect to host h port 1: refused',
        ),
        (ADVICE, 'fatal: Could not read from remote repository.'),
        (
            'fatal: unable to connect to h:\nh[0: ::1]: errno=x',
            'fatal: unable to connect to h:; h[0: ::1]: errno=x',
        ),
        (
            'hint: try\nremote: Invalid name.\nfatal: denied',
            'remote: Invalid name.; fatal: denied',
        ),
        ('a\nb\n\nc\n', 'b; c'),
        ('', ''),
    ],
)
def test_why_a_remote_was_not_reached(said: str, why: str) -> None:
    assert reason(said) == why
