"""The remotes of a clone: where they lead, and what they are called."""

from __future__ import annotations

import os
from collections.abc import Mapping

from interlock.git.git import GitError
from interlock.git.worktrees import elsewhere
from interlock.model import quick_re as re

# the user and the password of an address, wherever it stands in a text
CREDENTIALS_RE = re.compile(r'(?<=://)[^/\s@]+@')
SCHEME_RE = re.compile(r'[A-Za-z][A-Za-z0-9+.-]*://')
# host:path, as ssh has it; one letter is a drive
SCP_RE = re.compile(r'(?:[^@/:]+@)?([^/:]{2,}):(?!//)(.+)')


def without_password(text: str) -> str:
    """A text of git's that may hold addresses, fit to be shown."""
    return CREDENTIALS_RE.sub('', text)


def push_urls(environ: Mapping[str, str], directory: str, remote: str) -> list[str]:
    """Every address that a push to a remote goes to, [] without such a remote."""
    with elsewhere(environ, directory) as git:
        try:
            return git.line('remote get-url --push --all', remote).split('\n')
        except GitError:
            return []


def repository_of(url: str) -> str:
    """What a repository is called, by its address: without the scheme, the
    user, the password and `.git`, so that it is the same for everybody."""
    match = SCP_RE.fullmatch(url)
    if SCHEME_RE.match(url):
        rest = CREDENTIALS_RE.sub('', url).partition('://')[2]
    elif match:
        rest = f'{match[1]}/{match[2].lstrip("/")}'
    else:
        rest = os.path.realpath(url)
    return rest.strip('/').removesuffix('.git').rstrip('/')
