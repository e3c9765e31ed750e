"""Follows what we say: every command as it is printed, in a real shell.

A hint is good if it leads on: it runs where its reader is, needs no editor
and nothing that the reader would have to fill in, and after a few steps what
was wrong is gone. A command that changes nothing must name another one.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
from typing import NamedTuple

from tests import forked
from tests.conftest import SCRIPTS, Repo
from tests.hints.replay import filled_in

# words that nobody can run
PLACEHOLDER_RE = re.compile(
    r'(?<![\w$])(?!WHY\b)(?:ITEM|STAGE|STATUS|STATE|TYPE|TEXT|REASON|RESULT|'
    r'NAME|FILE|SUBJECT|PHASE|N)(?!\w)'
)
NEXT_RE = re.compile(r'next: (.*)$', re.MULTILINE)
# what a shell does more with than to part words
SYNTAX = set('$`\\|&;<>(){}*?[]~!#"\n')
# a longer way does not count as one
LONGEST = 6


class Ran(NamedTuple):
    command: str
    code: int
    out: str
    err: str

    @property
    def following(self) -> str:
        """The command that it names itself, '' for none."""
        found = NEXT_RE.findall(self.err) or NEXT_RE.findall(self.out)
        return found[0].strip() if found else ''


def shell(repo: Repo, command: str, directory: str = '') -> Ran:
    """Runs a command as a reader would who has no terminal."""
    environ = {
        **os.environ,
        'PATH': f'{SCRIPTS}{os.pathsep}{os.environ["PATH"]}',
        'EDITOR': 'false',
        'GIT_EDITOR': 'false',
    }
    said, place = filled_in(command), repo.path / directory
    words = shlex.split(said)
    if words[0] == 'interlock' and not SYNTAX & set(said):
        done = forked.command(*words[1:], cwd=place, env=environ)
    else:
        done = subprocess.run(
            ['sh', '-c', said],
            cwd=place,
            env=environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
    return Ran(command, done.returncode, done.stdout, done.stderr)


def content(repo: Repo) -> tuple[str, ...]:
    """Everything that a command of a way can change."""
    files = [
        f'{path.relative_to(repo.path)} {path.read_bytes()!r}'
        for path in sorted(repo.path.rglob('*'))
        if path.is_file() and '.git' not in path.parts
    ]
    return (
        *files,
        repo.try_git('rev-parse', 'HEAD').stdout,
        repo.git('ls-files', '-s'),
    )


class Surface(NamedTuple):
    """Where we are asked, and what was found there."""

    args: tuple[str, ...]

    def findings(self, repo: Repo, directory: str) -> list[dict[str, str]]:
        words = ' '.join(("'" + word + "'") for word in self.args)
        ran = shell(repo, f'interlock check --format json {words}', directory)
        assert ran.code in {0, 1}, ran
        return [
            {**each, 'command': each['fix']['command']}
            for each in json.loads(ran.out)['findings']
        ]


WORKTREE = Surface(('--worktree', '--inherited'))
STAGED = Surface(('--staged',))


def with_message(repo: Repo, text: str) -> Surface:
    """The index, and the message that its commit would have."""
    file = repo.path / '.git' / 'COMMIT_EDITMSG'
    file.write_text(text)
    return Surface(('--staged', '--message', str(file)))


def check_printed(command: str) -> None:
    assert command, 'no command is named'
    assert 'EDITOR' not in command, command
    assert not PLACEHOLDER_RE.search(command), command


class Walk:
    """A way of commands, each of which is the one that was named last."""

    def __init__(self, repo: Repo, directory: str = '') -> None:
        self.repo = repo
        self.directory = directory
        self.ran: list[Ran] = []
        self._seen: set[tuple[str, tuple[str, ...]]] = set()

    def step(self, command: str) -> Ran:
        check_printed(command)
        before = content(self.repo)
        assert (command, before) not in self._seen, f'a loop: {self.ran}'
        self._seen.add((command, before))
        assert len(self.ran) < LONGEST, self.ran
        ran = shell(self.repo, command, self.directory)
        self.ran.append(ran)
        if content(self.repo) == before:
            # it only said something: then it says what comes next
            assert ran.following not in {'', command}, ran
        return ran

    def until_gone(self, code: str, surface: Surface) -> list[str]:
        """The commands after which a finding is gone."""
        found = self._found(code, surface)
        assert found, f'{code} is not there'
        while found:
            ran = self.step(found[0]['command'])
            while ran.code and ran.following:
                ran = self.step(ran.following)
            found = self._found(code, surface)
        return [ran.command for ran in self.ran]

    def _found(self, code: str, surface: Surface) -> list[dict[str, str]]:
        return [
            each
            for each in surface.findings(self.repo, self.directory)
            if each['code'] == code
        ]
