"""The remotes of a clone: their addresses and names."""

from __future__ import annotations

import os

from interlock.git.git import GitError
from interlock.git.parse import CREDENTIALS_RE
from interlock.git.worktrees import BUT_CONFIG, elsewhere
from interlock.model import quick_re as re
from interlock.model.errors import Refusal
from interlock.model.quick_typing import Mapping, NamedTuple, Sequence
from interlock.workflow.language.sharing import LocksSpec

SETTINGS = (
    r'^(remote\..*\.(push)?url|url\..*\.(push)?insteadof'
    r'|user\.(name|email)|extensions\.objectformat)$'
)
SCHEME_RE = re.compile(r'[A-Za-z][A-Za-z0-9+.-]*://')
# an address with a user (which may be a token) or a password
SECRET_RE = re.compile(r'(https?|ssh)://([^/\s:@]*)(?::([^/\s]*))?@(.+)')
# the credential helper that gives git the password, so that no command line shows it
USER, PASSWORD = 'INTERLOCK_URL_USER', 'INTERLOCK_URL_PASSWORD'
ANSWER = f'!printf "username=%s\\npassword=%s\\n" "${USER}" "${PASSWORD}"; :'
# host:path, as ssh writes it; a single letter is a drive
SCP_RE = re.compile(r'(?:[^@/:]+@)?([^/:]{2,}):(?!//)(.+)')


class CloneSettings(NamedTuple):
    """The configuration of a clone, read with one git command."""

    # the URLs of a remote as configured. `insteadOf` is applied later; it
    # changes neither their number nor which one counts.
    urls: list[str]
    push_urls: list[str]
    # the addresses that replace others
    rewritten_to: list[str]
    # the user's name and email, '' if git does not know them
    name: str
    email: str
    # the hash algorithm of the repository
    object_format: str


def clone_settings(
    environ: Mapping[str, str], directory: str, remote: str
) -> CloneSettings:
    urls: dict[str, list[str]] = {'url': [], 'pushurl': []}
    last: dict[str, str] = {}
    with elsewhere(environ, directory, BUT_CONFIG) as git:
        for key, value in git.settings(SETTINGS):
            name, _, what = key.removeprefix('remote.').rpartition('.')
            if name == remote and what in urls:
                # an empty value resets the list
                urls[what] = [*urls[what], value] if value else []
            last[key] = value
    return CloneSettings(
        urls['url'],
        urls['pushurl'],
        [key for key in last if key.startswith('url.')],
        last.get('user.name', ''),
        last.get('user.email', ''),
        last.get('extensions.objectformat', 'sha1'),
    )


def push_urls(environ: Mapping[str, str], directory: str, remote: str) -> list[str]:
    """All addresses that a push to a remote goes to, [] if it does not exist."""
    with elsewhere(environ, directory, BUT_CONFIG) as git:
        try:
            return git.line('remote get-url --push --all', remote).split('\n')
        except GitError:
            return []


def quiet(
    environ: Mapping[str, str],
    directory: str,
    remote: str,
    found: CloneSettings | None = None,
) -> tuple[dict[str, str], str]:
    """An environment in which git does not reveal the secrets of an address,
    and the name to use for the remote in it.

    git puts the address on the command lines of its transport program and of
    hooks, which every user of the machine can read. With this environment
    those command lines hold the address without user and password, and git
    gets both from a credential helper.
    """
    found = found or clone_settings(environ, directory, remote)
    # if no remote has that name, it is an address
    known = found.push_urls or found.urls
    written = (known or [remote])[0]
    match = SECRET_RE.fullmatch(_rewritten(environ, directory, remote, written, found))
    if match is None or (match[1] == 'ssh' and match[3] is None):
        there = absolute(written, directory)
        config = [] if there == written else _instead_of(there, written)
        return with_config(environ, config), remote
    from urllib.parse import unquote

    scheme, user, password, rest = match.groups()
    # ssh takes no password from an address, but needs the user
    place = f'ssh://{user}@{rest}' if scheme == 'ssh' else f'{scheme}://{rest}'
    config = _instead_of(place, written)
    # limited to this server: it may redirect us to another one
    credential = f'credential.{scheme}://{rest.partition("/")[0]}'
    if scheme != 'ssh' and password is None:
        config += [(f'{credential}.username', unquote(user))]
    elif scheme != 'ssh':
        config += [(f'{credential}.helper', ''), (f'{credential}.helper', ANSWER)]
    told = {USER: unquote(user), PASSWORD: unquote(password or '')}
    made = {**with_config(environ, config), **told}
    return made, remote if known else place


def _instead_of(place: str, written: str) -> list[tuple[str, str]]:
    return [(f'url.{place}.{key}', written) for key in ('insteadOf', 'pushInsteadOf')]


def with_config(
    environ: Mapping[str, str], config: Sequence[tuple[str, str]]
) -> dict[str, str]:
    """The environment with settings for git added to it."""
    made = dict(environ)
    start = int(environ.get('GIT_CONFIG_COUNT') or 0)
    for number, (key, value) in enumerate(config, start):
        made |= {f'GIT_CONFIG_KEY_{number}': key, f'GIT_CONFIG_VALUE_{number}': value}
    return {**made, 'GIT_CONFIG_COUNT': str(start + len(config))} if config else made


def absolute(url: str, common: str) -> str:
    """An address that is a relative path, from the top of the main worktree.

    git reads it from the directory that it runs in, and we run it elsewhere.
    """
    folder, name = os.path.split(common)
    top = folder if name == '.git' else common
    path = os.path.normpath(os.path.join(top, url))
    is_path = not (SCHEME_RE.match(url) or SCP_RE.fullmatch(url))
    return path if is_path and os.path.isdir(path) else url


def _rewritten(
    environ: Mapping[str, str],
    directory: str,
    remote: str,
    written: str,
    found: CloneSettings,
) -> str:
    """An address after `insteadOf`, if that adds or removes a secret."""
    if not found.rewritten_to or not any(
        map(SECRET_RE.search, (written, *found.rewritten_to))
    ):
        return written
    urls = push_urls(environ, directory, remote)
    if not urls and not SECRET_RE.search(written):
        with elsewhere(environ, directory, BUT_CONFIG) as git:
            return git.line('ls-remote --get-url', remote)
    return (urls or [written])[0]


def repository_of(url: str) -> str:
    """The name of a repository, from its address: without scheme, user,
    password and `.git`, so that it is the same in every clone."""
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
    """The name of the repository that all its clones share."""
    if locks.repository:
        return locks.repository
    found = found or clone_settings(environ, directory, locks.remote)
    urls = found.push_urls or found.urls
    if found.rewritten_to:
        urls = push_urls(environ, directory, locks.remote)
    if not urls:
        raise Refusal(
            f'this project shares its records under the name of its remote '
            f'`{locks.remote}`, which this clone does not have',
            f'git remote add {locks.remote} URL',
        )
    return repository_of(absolute(urls[0], directory))
