"""The remotes of a clone: where they lead, and what they are called."""

from __future__ import annotations

import os

from interlock.git.git import GitError
from interlock.git.parse import CREDENTIALS_RE
from interlock.git.worktrees import BUT_CONFIG, elsewhere
from interlock.model import quick_re as re
from interlock.model.errors import Refusal
from interlock.model.quick_typing import Mapping, NamedTuple
from interlock.workflow.language.sharing import LocksSpec

SETTINGS = (
    r'^(remote\..*\.(push)?url|url\..*\.(push)?insteadof'
    r'|user\.(name|email)|extensions\.objectformat)$'
)
SCHEME_RE = re.compile(r'[A-Za-z][A-Za-z0-9+.-]*://')
# an address with a user, who may be a token, or with a password
SECRET_RE = re.compile(r'(https?|ssh)://([^/\s:@]*)(?::([^/\s]*))?@(.+)')
# what answers git's question for the password, which stands in no command line
USER, PASSWORD = 'INTERLOCK_URL_USER', 'INTERLOCK_URL_PASSWORD'
ANSWER = f'!printf "username=%s\\npassword=%s\\n" "${USER}" "${PASSWORD}"; :'
# host:path, as ssh has it; one letter is a drive
SCP_RE = re.compile(r'(?:[^@/:]+@)?([^/:]{2,}):(?!//)(.+)')


class CloneSettings(NamedTuple):
    """What the configuration of a clone says, by one question."""

    # of a remote as they are written down, before `insteadOf`, which changes
    # neither how many there are nor which counts
    urls: list[str]
    push_urls: list[str]
    # the addresses that are put in the place of others
    rewritten_to: list[str]
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
    with elsewhere(environ, directory, BUT_CONFIG) as git:
        for key, value in git.settings(SETTINGS):
            name, _, what = key.removeprefix('remote.').rpartition('.')
            if name == remote and what in urls:
                # an empty one takes back those before it
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
    """Every address that a push to a remote goes to, [] without such a remote."""
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
    """The environment in which git keeps the secrets of an address to itself,
    and what to call the remote in it.

    git gives the address to the program that it starts for the transport, and to
    hooks, on their command lines, which everybody on the machine may read. There
    the address stands without user and password, and git learns them when it asks.
    """
    found = found or clone_settings(environ, directory, remote)
    # where no remote has that name, it is an address
    known = found.push_urls or found.urls
    written = (known or [remote])[0]
    match = SECRET_RE.fullmatch(_rewritten(environ, directory, remote, written, found))
    if match is None or (match[1] == 'ssh' and match[3] is None):
        return dict(environ), remote
    from urllib.parse import unquote

    scheme, user, password, rest = match.groups()
    # ssh takes no password from an address, and needs the user
    place = f'ssh://{user}@{rest}' if scheme == 'ssh' else f'{scheme}://{rest}'
    config = [(f'url.{place}.{key}', written) for key in ('insteadOf', 'pushInsteadOf')]
    # no other server, to which this one may lead us, is told them
    credential = f'credential.{scheme}://{rest.partition("/")[0]}'
    if scheme != 'ssh' and password is None:
        config += [(f'{credential}.username', unquote(user))]
    elif scheme != 'ssh':
        config += [(f'{credential}.helper', ''), (f'{credential}.helper', ANSWER)]
    start = int(environ.get('GIT_CONFIG_COUNT') or 0)
    made = {'GIT_CONFIG_COUNT': str(start + len(config))}
    for number, (key, value) in enumerate(config, start):
        made |= {f'GIT_CONFIG_KEY_{number}': key, f'GIT_CONFIG_VALUE_{number}': value}
    told = {USER: unquote(user), PASSWORD: unquote(password or '')}
    return {**environ, **made, **told}, remote if known else place


def _rewritten(
    environ: Mapping[str, str],
    directory: str,
    remote: str,
    written: str,
    found: CloneSettings,
) -> str:
    """An address after `insteadOf`, as far as that adds or takes a secret."""
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
    if found.rewritten_to:
        urls = push_urls(environ, directory, locks.remote)
    if not urls:
        raise Refusal(
            f'this project shares its records under the name of its remote '
            f'`{locks.remote}`, which this clone does not have',
            f'git remote add {locks.remote} URL',
        )
    return repository_of(urls[0])
