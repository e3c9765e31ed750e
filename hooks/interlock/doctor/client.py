"""Whether a client is wired to us, and would read the files that wire it."""

from __future__ import annotations

import os
import shutil
import tempfile
import time

from interlock.agents.wiring import env_files, trusts, wiring_of
from interlock.doctor.client_sources import Client, HookCommand
from interlock.documents.wiring.client_entries import Wiring
from interlock.documents.wiring.client_settings import covers, switch
from interlock.documents.wiring.env_files import variables
from interlock.files.atomic_files import read
from interlock.files.settings_record import name_in
from interlock.git.hook_folder import told_folder, untold_path
from interlock.git.run_command import feed
from interlock.guard import hook_log
from interlock.guard.event import PRE_TOOL
from interlock.model import quick_re as re
from interlock.model.calling_files import PARAMETERS
from interlock.model.probe import DEAD, LIVE, NOT_WIRED, Probe
from interlock.model.quick_typing import Iterator, Sequence

# since this version a failed hook can refuse, and a command needs no shell
CLOSES = (2, 1, 295)
VERSION_RE = re.compile(r'(\d+)\.(\d+)\.(\d+)')
SECONDS = 20.0


def wire(client: Client) -> str:
    return f'interlock init --agent {client.adapter.name}'


def guard_of(client: Client) -> str:
    """The client's name of the event before a tool runs."""
    return client.adapter.called(PRE_TOOL)


def _settings(client: Client) -> Iterator[Probe]:
    for file in client.files:
        if file.name == client.adapter.env_file:
            # it calls nothing; see `_hooks`
            continue
        verdict, what, step = LIVE, f'{file.name} is read', ''
        if file.problem:
            verdict = DEAD
            what = (
                f'{file.name}: {file.problem}; the client silently ignores the whole '
                f'file'
            )
            step = f'fix {file.name}, then {wire(client)}'
        elif off := switch(file.settings):
            verdict, what = DEAD, f'{file.name}: `{off}` switches every hook off'
            step = f'remove `{off}` from {file.name}'
        yield Probe(f'{client.adapter.name} settings', verdict, what, step)


def _shell_refuses(call: HookCommand) -> bool:
    command = str(call.handler.get('command', '')).rstrip('\'"; }')
    return 'args' not in call.handler and command.endswith('exit 2')


def _is_closed(call: HookCommand) -> bool:
    """Whether a failure of our command refuses the call."""
    if call.client.source([]):
        # this client refuses unless it gets an answer
        return True
    closing = call.client.closing.items()
    closed = bool(closing) and all(call.handler.get(k) == v for k, v in closing)
    return closed or _shell_refuses(call)


def _weakness(call: HookCommand, matcher: str, guard: str) -> str:
    if call.handler.get('async') is True:
        return 'runs in the background, where nothing can be refused'
    elif 'if' in call.handler:
        return 'has an `if`, so it is not called for everything'
    elif not covers(call.matcher, matcher):
        return f'is called only for {call.matcher}'
    elif call.event == guard and not _is_closed(call):
        return 'lets a call pass when it fails'
    return ''


def _event(client: Client, wiring: Wiring, event: str) -> Probe:
    name, calls = f'{client.adapter.name} {event}', client.of(event)
    if not calls:
        known = [file for each, file in client.before if each == event]
        where = known[0] if known else 'any settings'
        verdict = DEAD if known or event in wiring.guards else NOT_WIRED
        what = f'nothing in {where} calls interlock'
        return Probe(name, verdict, what, wire(client))
    for matcher in wiring.matchers[event]:
        weak = [_weakness(call, matcher, wiring.guards[0]) for call in calls]
        if all(weak):
            what = f'the entry in {calls[0].source} {weak[0]}'
            return Probe(name, DEAD, what, wire(client))
    return Probe(name, LIVE, f'{calls[0].source} calls interlock')


def _command(client: Client) -> Iterator[Probe]:
    """Run each command once, with an event in a folder without a workflow."""
    environ = {
        name: value
        for name, value in client.environ.items()
        if not name.startswith('INTERLOCK_')
    }
    commands: dict[tuple[str, str], HookCommand] = {}
    for call in client.of(guard_of(client)):
        commands.setdefault((str(call.handler.get('command', '')), call.source), call)
    for call in commands.values():
        with tempfile.TemporaryDirectory(prefix='interlock-doctor-') as empty:
            said = call.run({'tool_name': 'Read'}, empty, environ)
        verdict, what, step = LIVE, f'the command in {call.source} answers', ''
        if said.code or said.out.strip() != client.adapter.silence:
            lines = (said.err or said.out).strip() or f'exit {said.code}'
            verdict, step = DEAD, wire(client)
            what = (
                f'the command in {call.source} does not answer: '
                f'{lines.splitlines()[-1]}'
            )
        yield Probe(f'{client.adapter.name} command', verdict, what, step)


def _version(client: Client) -> Probe:
    adapter = client.adapter
    name, program = f'{adapter.name} version', next(iter(adapter.programs))
    found = shutil.which(program, path=client.environ.get('PATH', ''))
    if not found:
        what = f'`{program}` is not on the PATH, so its version is unknown'
        return Probe(
            name, NOT_WIRED, what, f'install `{program}`, or let your shell find it'
        )
    said = feed([found, '--version'], b'', client.top, client.environ, SECONDS)
    match = VERSION_RE.search(said.out)
    if match is None:
        return Probe(name, DEAD, f'{found} does not print its version', found)
    closes = tuple(map(int, match.groups())) >= CLOSES
    depends = [
        call
        for call in client.of(guard_of(client))
        if 'onFailure' in call.handler and not _shell_refuses(call)
    ]
    if depends and not closes:
        what = f'{match[0]} does not know `onFailure`, so a call passes when Interlock fails'
        return Probe(name, DEAD, what, wire(client))
    return Probe(name, LIVE, match[0])


def _trust(client: Client) -> Iterator[Probe]:
    """Whether the user trusts the project; without that, some clients run no hooks."""

    def ask(words: list[str], text: str) -> str:
        found = shutil.which(words[0], path=client.environ.get('PATH', ''))
        if not found:
            return ''
        words = [found, *words[1:]]
        return feed(words, text.encode(), client.top, client.environ, SECONDS).out

    adapter = client.adapter
    if adapter.trust:
        trusted, why = trusts(adapter, client.top, client.environ, ask)
        verdict = {True: LIVE, False: DEAD, None: NOT_WIRED}[trusted]
        what = why or f'{adapter.name} does not say whether it trusts this project'
        step = '' if trusted else adapter.trust
        yield Probe(f'{adapter.name} trust', verdict, what, step)


def _hooks(client: Client) -> Iterator[Probe]:
    """Whether shells of the client let git run hooks. Some tell git that there are
    none, unless the environment or the client's file of variables names them."""
    adapter, top = client.adapter, client.top
    if not adapter.env_file:
        return
    files = [name_in(top, path) for path in env_files(adapter, top, client.environ)]
    told, source = client.environ.get(PARAMETERS), 'the environment'
    if told is None:
        source = next(iter(files), adapter.env_file)
        told = variables(read(os.path.join(top, source))).get(PARAMETERS, '')
    named = told_folder(top, told)
    hooks = os.path.join(top, untold_path(top, client.environ))
    verdict, step = LIVE, ''
    what = f'{source} names the hooks of git'
    if not named:
        verdict, step = NOT_WIRED, wire(client)
        what = (
            f'{source} does not name the hooks of git, so the client adds a line to '
            f'what it shows of each commit'
        )
    elif os.path.realpath(named) != os.path.realpath(hooks):
        verdict, step = DEAD, wire(client)
        what = f'{source} names {named}, and git looks for hooks in {hooks}'
    elif files[:1] == [adapter.env_file] and files[1:]:
        what += f'; the client does not load {files[1]} beside it'
        step = f'move what the client needs from {files[1]} to {files[0]}'
    yield Probe(f'{adapter.name} hooks of git', verdict, what, step)


def _project(client: Client) -> Iterator[Probe]:
    """Whether the client was started where its settings lie: it reads none above."""
    top = os.path.realpath(client.top)
    given = next(filter(None, map(client.environ.get, client.adapter.projects)), '')
    here = os.path.realpath(given or os.getcwd())
    if here != top and here.startswith(os.path.join(top, '')):
        what = (
            f'a client started in {os.path.relpath(here, top)} does not read the '
            f'settings of {client.top}'
        )
        verdict = DEAD if given else NOT_WIRED
        yield Probe(
            f'{client.adapter.name} project', verdict, what, f'start it in {client.top}'
        )


def _ago(seconds: float) -> str:
    for size, word in ((86400, 'days'), (3600, 'hours'), (60, 'minutes')):
        if seconds >= 2 * size:
            return f'{int(seconds // size)} {word} ago'
    return f'{int(max(seconds, 0))} seconds ago'


def _log(client: Client, name: str) -> str:
    data = read(os.path.join(hook_log.folder(client.state, client.adapter.name), name))
    return (data or b'').decode(errors='replace')


def _answers(client: Client) -> Iterator[Probe]:
    answers = []
    for event in dict.fromkeys(client.adapter.events.values()):
        moment, _, kind = _log(client, event).partition(' ')
        if moment.isdigit():
            ago = _ago(time.time() - int(moment))
            answers.append(f'{event} {ago} ({kind.strip()})')
    verdict, step = LIVE, ''
    if not answers:
        verdict, step = NOT_WIRED, 'start a session, and run this again'
        answers = ['no session has called a hook yet']
    yield Probe(f'{client.adapter.name} answers', verdict, ', '.join(answers), step)
    lines = _log(client, hook_log.FAILURES).splitlines()
    if lines:
        what = f'{len(lines)} so far, the last one: {lines[-1]}'
        yield Probe(f'{client.adapter.name} failures', LIVE, what)


def _twice(client: Client) -> Iterator[Probe]:
    sources = dict.fromkeys(call.source for call in client.of(guard_of(client)))
    if len(sources) > 1:
        what = f'{" and ".join(sources)} call interlock: every event is answered twice'
        yield Probe(f'{client.adapter.name} twice', LIVE, what, 'keep one of them')


def shown(clients: Sequence[Client]) -> list[Client]:
    """The clients that are wired, or whose files exist; else the first one, which
    shows what to do."""
    found = [
        each
        for each in clients
        if each.is_wired or any(not os.path.isabs(file.name) for file in each.files)
    ]
    return found or list(clients[:1])


def probes(client: Client) -> Iterator[Probe]:
    yield from _settings(client)
    if not client.is_wired:
        what = 'neither the settings nor a plugin calls interlock'
        yield Probe(client.adapter.name, NOT_WIRED, what, wire(client))
        return
    wiring = wiring_of(client.adapter)
    yield from (_event(client, wiring, event) for event in wiring.matchers)
    yield from _command(client)
    yield _version(client)
    yield from _trust(client)
    yield from _hooks(client)
    yield from _project(client)
    yield from _answers(client)
    yield from _twice(client)
