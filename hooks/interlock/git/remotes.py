"""The remotes of a clone: where they lead, and what they are called."""

from __future__ import annotations

import os

from interlock.git.git import GitError
from interlock.git.parse import CREDENTIALS_RE
from interlock.git.worktrees import elsewhere
from interlock.model import quick_re as re
from interlock.model.errors import Refusal
from interlock.model.quick_typing import Mapping, NamedTuple
from interlock.workflow.language.sharing import LocksSpec

SETTINGS = (
    r'^(remote\..*\.(push)?url|url\..*\.(push)?insteadof'
    r'|user\.(name|email)|extensions\.objectformat)$'
)
SCHEME_RE = re.compile(r'[A-Za-z][A-Za-z0-9+.-]*://')
# host:path, as ssh has it; one letter is a drive
SCP_RE = re.compile(r'(?:[^@/:]+@)?([^/:]{2,}):(?!//)(.+)')


class CloneSettings(NamedTuple):
    """What the configuration of a clone says, by one question."""

    # of a remote as they are written down, before `insteadOf`, which changes
    # neither how many there are nor which counts
    urls: list[str]
    push_urls: list[str]
    # whether some address is rewritten
    is_rewritten: bool
    # of the user, '' where they never said it to git
    name: str
    email: str
    # how objects are named
    object_format: str


def clone_settings(
    environ: Mapping[str, str], directory: str, remote: str
) -> CloneSettings:
    urls: dict[str, list[str]] = {'url': [], 'pushurl': []}
    last: dict[str, str] = {}
    with elsewhere(environ, directory) as git:
        for key, value in git.settings(SETTINGS):
            name, _, what = key.removeprefix('remote.').rpartition('.')
            if name == remote and what in urls:
                # an empty one takes back those before it
                urls[what] = [*urls[what], value] if value else []
            last[key] = value
    return CloneSettings(
        urls['url'],
        urls['pushurl'],
        any(key.startswith('url.') for key in last),
        last.get('user.name', ''),
        last.get('user.email', ''),
        last.get('extensions.objectformat', 'sha1'),
    )


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


def repository_name(
    environ: Mapping[str, str],
    directory: str,
    locks: LocksSpec,
    found: CloneSettings | None = None,
) -> str:
    """What the repository is called by everybody who shares something of it."""
    if locks.repository:
        return locks.repository
    found = found or clone_settings(environ, directory, locks.remote)
    urls = found.push_urls or found.urls
    if found.is_rewritten:
        urls = push_urls(environ, directory, locks.remote)
    if not urls:
        raise Refusal(
            f'this project shares its records under the name of its remote '
            f'`{locks.remote}`, which this clone does not have',
            f'git remote add {locks.remote} URL',
        )
    return repository_of(urls[0])
