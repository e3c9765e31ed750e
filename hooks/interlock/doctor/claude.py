"""Is Claude Code wired to us, and would it read what says so."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator

from interlock.doctor.claude_run import started
from interlock.doctor.claude_sources import Call, Client
from interlock.documents.wiring.claude_entries import GUARDS, MATCHERS, matchers
from interlock.documents.wiring.claude_settings import GUARD, OFF, covers, is_off
from interlock.files.atomic_files import read
from interlock.files.settings_record import PROJECT
from interlock.git.run_command import feed
from interlock.guard import hook_log
from interlock.model.probe import DEAD, LIVE, NOT_WIRED, Probe

WIRE = 'interlock init --claude'
SHELL = 'interlock init --claude --shell-form'
# since then a failure can be made to refuse, and a command needs no shell
CLOSES = (2, 1, 295)
VERSION_RE = re.compile(r'(\d+)\.(\d+)\.(\d+)')
SECONDS = 20.0


def _settings(client: Client) -> Iterator[Probe]:
    for file in client.files:
        if file.problem:
            yield Probe(
                'claude settings',
                DEAD,
                f'{file.name}: {file.problem}; the '
                f'client drops the whole file without a word',
                f'mend {file.name}, then {WIRE}',
            )
        elif is_off(file.settings):
            yield Probe(
                'claude settings',
                DEAD,
                f'{file.name}: `{OFF}` switches every hook off',
                f'remove `{OFF}` from {file.name}',
            )
        else:
            yield Probe('claude settings', LIVE, f'{file.name} is read')


def _is_closed(call: Call) -> bool:
    """Whether a failure of ours refuses."""
    command = str(call.handler.get('command', ''))
    return call.handler.get('onFailure') == 'block' or (
        'args' not in call.handler and command.endswith('|| exit 2')
    )


def _weakness(call: Call, matcher: str) -> str:
    if call.handler.get('async') is True:
        return 'runs in the background, where nothing can be refused'
    elif 'if' in call.handler:
        return 'has an `if`, so it is not asked about everything'
    elif not covers(call.matcher, matcher):
        return f'is asked only about {call.matcher}'
    elif call.event == GUARD and not _is_closed(call):
        return 'lets pass what we fail at'
    return ''


def _event(client: Client, event: str) -> Probe:
    name, calls = f'claude {event}', client.of(event)
    if not calls:
        known = [file for each, file in client.before if each == event]
        where = known[0] if known else 'any settings'
        dead = bool(known) or event in GUARDS
        return Probe(
            name,
            DEAD if dead else NOT_WIRED,
            f'nothing in {where} calls interlock',
            WIRE,
        )
    for matcher in matchers(event):
        weak = [_weakness(call, matcher) for call in calls]
        if all(weak):
            what = f'the entry in {calls[0].source} {weak[0]}'
            return Probe(name, DEAD, what, WIRE)
    return Probe(name, LIVE, f'{calls[0].source} calls interlock')


def _command(client: Client) -> Iterator[Probe]:
    """Each command once, with an event that is about nothing of ours."""
    seen: set[str] = set()
    # elsewhere: nothing governs there
    environ = {
        name: value
        for name, value in client.environ.items()
        if not name.startswith('INTERLOCK_')
    }
    for call in client.calls:
        words = call.handler.get('command', ''), call.source
        if call.event != GUARD or str(words) in seen:
            continue
        seen.add(str(words))
        with tempfile.TemporaryDirectory(prefix='interlock-doctor-') as empty:
            said = started(call, {'tool_name': 'Read'}, empty, environ)
        if said.code or said.out.strip():
            what = (said.err or said.out).strip() or f'exit {said.code}'
            yield Probe(
                'claude command',
                DEAD,
                f'the command in {call.source} does '
                f'not answer: {what.splitlines()[-1]}',
                WIRE,
            )
        else:
            yield Probe('claude command', LIVE, f'the command in {call.source} answers')


def _version(client: Client) -> Probe:
    name = 'claude version'
    found = shutil.which('claude', path=client.environ.get('PATH', ''))
    if not found:
        return Probe(
            name,
            NOT_WIRED,
            'no `claude` is on the PATH, so its version is not known',
            f'with one before 2.1.295: {SHELL}',
        )
    said = feed([found, '--version'], b'', client.top, client.environ, SECONDS)
    match = VERSION_RE.search(said.out)
    if match is None:
        return Probe(name, DEAD, f'{found} does not tell its version', found)
    version = tuple(map(int, match.groups()))
    if version < CLOSES and any(
        'onFailure' in call.handler for call in client.of(GUARD)
    ):
        return Probe(
            name,
            DEAD,
            f'{match[0]} does not know `onFailure`, so what we fail at passes',
            SHELL,
        )
    return Probe(name, LIVE, match[0])


def _place(client: Client) -> Iterator[Probe]:
    """Settings are read where the client was started, and nowhere above."""
    name, top = 'claude project', os.path.realpath(client.top)
    given = client.environ.get(PROJECT, '')
    here = os.path.realpath(given or os.getcwd())
    if here == top or not here.startswith(os.path.join(top, '')):
        return
    what = (
        f'a client started in {os.path.relpath(here, top)} does not read the '
        f'settings of {client.top}'
    )
    yield Probe(name, DEAD if given else NOT_WIRED, what, f'start it in {client.top}')


def _ago(seconds: float) -> str:
    for size, word in ((86400, 'days'), (3600, 'hours'), (60, 'minutes')):
        if seconds >= 2 * size:
            return f'{int(seconds // size)} {word} ago'
    return f'{int(max(seconds, 0))} seconds ago'


def _answers(client: Client) -> Iterator[str]:
    for event in MATCHERS:
        data = read(os.path.join(hook_log.folder(client.state), event))
        moment, _, kind = (data or b'').decode(errors='replace').partition(' ')
        if moment.isdigit():
            ago = _ago(time.time() - int(moment))
            yield f'{event} {ago} ({kind.strip()})'


def _alive(client: Client) -> Iterator[Probe]:
    answers = list(_answers(client))
    if answers:
        yield Probe('claude answers', LIVE, ', '.join(answers))
    else:
        yield Probe(
            'claude answers',
            NOT_WIRED,
            'no session has asked anything yet',
            'start a session, and run this again',
        )
    failed = read(os.path.join(hook_log.folder(client.state), hook_log.FAILURES))
    lines = (failed or b'').decode(errors='replace').splitlines()
    if lines:
        yield Probe(
            'claude failures', LIVE, f'{len(lines)} so far, the last one: {lines[-1]}'
        )


def _twice(client: Client) -> Iterator[Probe]:
    sources = dict.fromkeys(call.source for call in client.of(GUARD))
    if len(sources) > 1:
        yield Probe(
            'claude twice',
            LIVE,
            f'{" and ".join(sources)} call interlock: every event is answered twice',
            'keep one of them',
        )


def probes(client: Client) -> Iterator[Probe]:
    yield from _settings(client)
    if not client.is_wired:
        yield Probe(
            'claude', NOT_WIRED, 'no settings call interlock, and no plugin', WIRE
        )
        return
    yield from (_event(client, event) for event in MATCHERS)
    yield from _command(client)
    yield _version(client)
    yield from _place(client)
    yield from _alive(client)
    yield from _twice(client)
