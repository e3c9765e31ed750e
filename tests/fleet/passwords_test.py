"""No password in a message or in a file of ours, whatever is asked and fails."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from tests import spaces
from tests.fleet.conftest import use, write_service
from tests.fleet.git_servers import demanding
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


HOOK = '#!/bin/sh\necho "$@" >> "$SEEN"\n'


@pytest.mark.slow
@pytest.mark.parametrize('kind', ('remote-file',))
@pytest.mark.parametrize('how', ('url', 'push URL', 'insteadOf', 'git -c', 'a token'))
def test_the_secrets_of_a_remote_are_on_no_command_line(
    team: Team, how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """git names the address to the program of the transport, and to hooks."""
    password, main = f'%{SECRET}é@', team.one.space.main
    user = f'token-{SECRET}' if how == 'a token' else 'zoë'
    team.remote.git('config', 'http.receivepack', 'true')
    for name in ('http_proxy', 'HTTP_PROXY'):
        monkeypatch.delenv(name, raising=False)
    seen, trace = tmp_path / 'seen', tmp_path / 'trace'
    monkeypatch.setenv('SEEN', str(seen))
    monkeypatch.setenv('KEPT', password)
    with demanding(team.remote.path.parent, f'{user}:{password}') as server:
        name = team.remote.path.name
        safe = server.url(name)
        url = safe.replace('://', f'://{quote(user)}:{quote(password)}@')
        rest = url.removesuffix(name)
        if how == 'url':
            main.git('remote', 'set-url', 'origin', url)
        elif how == 'a token':
            main.git('remote', 'set-url', 'origin', safe.replace('://', f'://{user}@'))
            main.git('config', 'credential.helper', '!echo "password=$KEPT"; :')
        elif how == 'push URL':
            main.git('remote', 'set-url', 'origin', f'{safe}.elsewhere')
            main.git('remote', 'set-url', '--push', 'origin', url)
        else:
            main.git('remote', 'set-url', 'origin', f'team:{name}')
            key = f'url.{rest}.insteadOf'
            if how == 'insteadOf':
                main.git('config', key, 'team:')
            else:
                monkeypatch.setenv('GIT_CONFIG_COUNT', '1')
                monkeypatch.setenv('GIT_CONFIG_KEY_0', key)
                monkeypatch.setenv('GIT_CONFIG_VALUE_0', 'team:')
        hook = main.path / '.git/hooks/pre-push'
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(HOOK)
        hook.chmod(0o755)
        monkeypatch.setenv('GIT_TRACE2_EVENT', str(trace))
        # git itself strikes passwords out in what it traces
        monkeypatch.setenv('GIT_TRACE2_REDACT', '0')
        team.one.done('task', 'start', TASK)
        team.one.done('push', TASK)
        assert f'origin {safe}' in seen.read_text()
        team.one.as_person('push', TASK)
        team.one.done('agents', 'add', TASK, 'a', '--why', 'x')
        team.one.done('lock', 'confirm', TASK)
        team.one('doctor')
        team.one.done('lock', 'release', TASK)
    log = trace.read_text()
    assert 'remote-http' in log
    assert [line for line in log.splitlines() if SECRET in line] == []
    assert SECRET not in seen.read_text()


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
