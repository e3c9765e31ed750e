"""No password in a message or in a file of ours, whatever is asked and fails."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests import spaces
from tests.fleet.conftest import use, write_service
from tests.fleet.postgres import free_port
from tests.fleet.properties import REMOTES, covers, shows
from tests.guard.asking import ask
from tests.spaces import TASK
from tests.tasks.engines.team import Team

SECRET = 's3cr3t-p4ss'
URLS = {
    'https': f'https://me:{SECRET}@localhost:{{}}/x.git',
    'http': f'http://me:{SECRET}@127.0.0.1:{{}}/x.git',
    'no user': f'http://:{SECRET}@127.0.0.1:{{}}/x.git',
    'a token': f'http://{SECRET}@127.0.0.1:{{}}/x.git',
    'ssh': f'ssh://me:{SECRET}@127.0.0.1:{{}}/x.git',
    'git': f'git://me:{SECRET}@127.0.0.1:{{}}/x.git',
    'an @ in it': f'http://me:p@{SECRET}@127.0.0.1:{{}}/x.git',
    'encoded': f'https://me:%40{SECRET}%2F@localhost:{{}}/x.git',
    'unknown': f'nosuch://me:{SECRET}@localhost:{{}}/x.git',
}
AGENT: tuple[tuple[str, ...], ...] = (
    ('lock', 'acquire', 'wash-up'),
    ('lock', 'release', TASK),
    ('lock', 'confirm', TASK),
    ('lock', 'settle', TASK),
    ('lock', 'log', TASK),
    ('lock', 'show', TASK),
    ('lock', 'list'),
    ('task', 'start', 'wash-up'),
    ('task', 'list', '--all'),
    ('agents', 'add', TASK, 'a', '--why', 'x'),
    ('push', TASK),
    ('status',),
    ('doctor',),
    ('check', '--range', 'HEAD~0..HEAD'),
)
PERSON: tuple[tuple[str, ...], ...] = (
    ('lock', 'release', TASK, '--holder', '1'),
    ('lock', 'restore', TASK),
    ('lock', 'migrate', '--from', 'file'),
    ('task', 'adopt', 'wash-up', '--session', 'x'),
)


def said(team: Team) -> Iterator[tuple[str, str]]:
    for words in AGENT:
        result = team.one(*words)
        yield ' '.join(words), result.out + result.err
    for words in PERSON:
        team.one.enter()
        yield ' '.join(words), spaces.at_terminal(*words)[1]
    main = team.one.space.main.path
    yield 'SessionStart', ask('SessionStart', main, source='startup').context


def leaks(team: Team) -> list[str]:
    found = [what for what, text in said(team) if SECRET in text]
    folder = team.one.space.main.path / '.git' / 'interlock'
    for path in (*folder.rglob('*'), *team.one.space.tasks.rglob('*')):
        # git's own configuration of the remote, which nobody else may read
        is_config = path.name == 'config' and path.stat().st_mode & 0o077 == 0
        if path.is_file() and not is_config and SECRET.encode() in path.read_bytes():
            found.append(str(path))
    return found


for each in REMOTES:
    # the address is the clone's; the transports of git are in its table
    covers(50, each, f'{__name__}::test_the_password_of_a_remote_is_never_said')


@pytest.mark.slow
@pytest.mark.parametrize('kind', ('remote-file',))
@pytest.mark.parametrize('push_only', (False, True), ids=('', 'pushed to'))
@pytest.mark.parametrize('url', URLS.values(), ids=URLS)
def test_the_password_of_a_remote_is_never_said(
    team: Team, url: str, push_only: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(team, 'git-remote')
    team.one.done('task', 'start', TASK)
    # without `repository:` the address names it
    file = team.one.space.path / '.interlock.yaml'
    file.write_text(f'{spaces.WORKFLOW}locks: {{engine: git-remote, timeout: 5}}\n')
    for name in ('http_proxy', 'https_proxy', 'HTTPS_PROXY', 'HTTP_PROXY'):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv('GIT_SSH_COMMAND', 'ssh -o BatchMode=yes -o ConnectTimeout=2')
    options = ('--push',) if push_only else ()
    address = url.format(free_port())
    team.one.space.main.git('remote', 'set-url', *options, 'origin', address)
    assert leaks(team) == []


@pytest.mark.slow
@shows(50, only=('postgresql',))
@pytest.mark.parametrize('harm', ('nobody listens', 'another role', 'no such option'))
def test_the_password_of_a_database_is_never_said(team: Team, harm: str) -> None:
    team.one.done('task', 'start', TASK)
    given = {
        'nobody listens': {'host': '127.0.0.1', 'port': str(free_port())},
        'another role': {'user': 'nobody-knows-them', 'dbname': SECRET[:3]},
        'no such option': {'host': '127.0.0.1', 'pasword': 'x'},
    }
    write_service(**given[harm], password=SECRET)
    assert leaks(team) == []
