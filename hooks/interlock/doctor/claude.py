"""Whether Claude Code is wired to us, and would read what says so."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator

from interlock.doctor.claude_sources import Client, HookCommand
from interlock.documents.wiring.claude_entries import GUARDS, MATCHERS, matchers
from interlock.documents.wiring.claude_settings import GUARD, OFF, covers, is_off
from interlock.files.atomic_files import read
from interlock.files.settings_record import PROJECT
from interlock.git.run_command import feed
from interlock.guard import hook_log
from interlock.model import quick_re as re
from interlock.model.probe import DEAD, LIVE, NOT_WIRED, Probe

WIRE = 'interlock init --claude'
SHELL = 'interlock init --claude --shell-form'
# since then a failure can be made to refuse, and a command needs no shell
CLOSES = (2, 1, 295)
VERSION_RE = re.compile(r'(\d+)\.(\d+)\.(\d+)')
SECONDS = 20.0


def _settings(client: Client) -> Iterator[Probe]:
    for file in client.files:
        verdict, what, step = LIVE, f'{file.name} is read', ''
        if file.problem:
            verdict = DEAD
            what = (
                f'{file.name}: {file.problem}; the client drops the whole file '
                f'without a word'
            )
            step = f'fix {file.name}, then {WIRE}'
        elif is_off(file.settings):
            verdict, what = DEAD, f'{file.name}: `{OFF}` switches every hook off'
            step = f'remove `{OFF}` from {file.name}'
        yield Probe('claude settings', verdict, what, step)


def _shell_refuses(call: HookCommand) -> bool:
    command = str(call.handler.get('command', ''))
    return 'args' not in call.handler and command.endswith('|| exit 2')


def _is_closed(call: HookCommand) -> bool:
    """Whether a failure of ours refuses."""
    return call.handler.get('onFailure') == 'block' or _shell_refuses(call)


def _weakness(call: HookCommand, matcher: str) -> str:
    if call.handler.get('async') is True:
        return 'runs in the background, where nothing can be refused'
    elif 'if' in call.handler:
        return 'has an `if`, so it is not asked about everything'
    elif not covers(call.matcher, matcher):
        return f'is asked only about {call.matcher}'
    elif call.event == GUARD and not _is_closed(call):
        return 'lets a call pass when it fails'
    return ''


def _event(client: Client, event: str) -> Probe:
    name, calls = f'claude {event}', client.of(event)
    if not calls:
        known = [file for each, file in client.before if each == event]
        where = known[0] if known else 'any settings'
        verdict = DEAD if known or event in GUARDS else NOT_WIRED
        return Probe(name, verdict, f'nothing in {where} calls interlock', WIRE)
    for matcher in matchers(event):
        weak = [_weakness(call, matcher) for call in calls]
        if all(weak):
            what = f'the entry in {calls[0].source} {weak[0]}'
            return Probe(name, DEAD, what, WIRE)
    return Probe(name, LIVE, f'{calls[0].source} calls interlock')


def _command(client: Client) -> Iterator[Probe]:
    """Each command once, with an event in a folder that nothing governs."""
    environ = {
        name: value
        for name, value in client.environ.items()
        if not name.startswith('INTERLOCK_')
    }
    commands: dict[tuple[str, str], HookCommand] = {}
    for call in client.of(GUARD):
        commands.setdefault((str(call.handler.get('command', '')), call.source), call)
    for call in commands.values():
        with tempfile.TemporaryDirectory(prefix='interlock-doctor-') as empty:
            said = call.run({'tool_name': 'Read'}, empty, environ)
        verdict, what, step = LIVE, f'the command in {call.source} answers', ''
        if said.code or said.out.strip():
            lines = (said.err or said.out).strip() or f'exit {said.code}'
            verdict, step = DEAD, WIRE
            what = (
                f'the command in {call.source} does not answer: '
                f'{lines.splitlines()[-1]}'
            )
        yield Probe('claude command', verdict, what, step)


def _version(client: Client) -> Probe:
    name = 'claude version'
    found = shutil.which('claude', path=client.environ.get('PATH', ''))
    if not found:
        what = '`claude` is not on the PATH, so its version is unknown'
        return Probe(name, NOT_WIRED, what, f'with one before 2.1.295: {SHELL}')
    said = feed([found, '--version'], b'', client.top, client.environ, SECONDS)
    match = VERSION_RE.search(said.out)
    if match is None:
        return Probe(name, DEAD, f'{found} does not tell its version', found)
    closes = tuple(map(int, match.groups())) >= CLOSES
    depends = [
        call
        for call in client.of(GUARD)
        if 'onFailure' in call.handler and not _shell_refuses(call)
    ]
    if depends and not closes:
        what = f'{match[0]} does not know `onFailure`, so a call passes when we fail'
        return Probe(name, DEAD, what, SHELL)
    return Probe(name, LIVE, match[0])


def _project(client: Client) -> Iterator[Probe]:
    """Settings are read where the client was started, and nowhere above."""
    top = os.path.realpath(client.top)
    given = client.environ.get(PROJECT, '')
    here = os.path.realpath(given or os.getcwd())
    if here != top and here.startswith(os.path.join(top, '')):
        what = (
            f'a client started in {os.path.relpath(here, top)} does not read the '
            f'settings of {client.top}'
        )
        verdict = DEAD if given else NOT_WIRED
        yield Probe('claude project', verdict, what, f'start it in {client.top}')


def _ago(seconds: float) -> str:
    for size, word in ((86400, 'days'), (3600, 'hours'), (60, 'minutes')):
        if seconds >= 2 * size:
            return f'{int(seconds // size)} {word} ago'
    return f'{int(max(seconds, 0))} seconds ago'


def _log(client: Client, name: str) -> str:
    data = read(os.path.join(hook_log.folder(client.state, 'claude'), name))
    return (data or b'').decode(errors='replace')


def _answers(client: Client) -> Iterator[Probe]:
    answers = []
    for event in MATCHERS:
        moment, _, kind = _log(client, event).partition(' ')
        if moment.isdigit():
            ago = _ago(time.time() - int(moment))
            answers.append(f'{event} {ago} ({kind.strip()})')
    verdict, step = LIVE, ''
    if not answers:
        verdict, step = NOT_WIRED, 'start a session, and run this again'
        answers = ['no session has asked anything yet']
    yield Probe('claude answers', verdict, ', '.join(answers), step)
    lines = _log(client, hook_log.FAILURES).splitlines()
    if lines:
        what = f'{len(lines)} so far, the last one: {lines[-1]}'
        yield Probe('claude failures', LIVE, what)


def _twice(client: Client) -> Iterator[Probe]:
    sources = dict.fromkeys(call.source for call in client.of(GUARD))
    if len(sources) > 1:
        what = f'{" and ".join(sources)} call interlock: every event is answered twice'
        yield Probe('claude twice', LIVE, what, 'keep one of them')


def probes(client: Client) -> Iterator[Probe]:
    yield from _settings(client)
    if not client.is_wired:
        what = 'no settings call interlock, and no plugin'
        yield Probe('claude', NOT_WIRED, what, WIRE)
        return
    yield from (_event(client, event) for event in MATCHERS)
    yield from _command(client)
    yield _version(client)
    yield from _project(client)
    yield from _answers(client)
    yield from _twice(client)
