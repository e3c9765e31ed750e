"""docker run and its kind: a command that sees directories of this machine."""

from __future__ import annotations

import posixpath

from interlock.guard.shell.effects import Runs
from interlock.guard.shell.handlers import Handler
from interlock.guard.shell.placeholders import ANY, shown
from interlock.guard.shell.programs.shells import SHELLS
from interlock.guard.shell.state import State

MOUNTING = ('-v', '--volume')
WORKING = ('-w', '--workdir')
# commands, and images that run them: where one begins
STARTED = (
    *SHELLS,
    'git',
    'rm',
    'mv',
    'cp',
    'ln',
    'sed',
    'perl',
    'find',
    'tee',
    'chmod',
    'truncate',
    'dd',
    'install',
    'npx',
    'prettier',
)


def _values(args: list[str], flags: tuple[str, ...]) -> list[str]:
    """Of options before an image whose place nobody knows."""
    found = [args[at + 1] for at, word in enumerate(args[:-1]) if word in flags]
    for word in args:
        name, equals, value = word.partition('=')
        if equals and name in flags:
            found.append(value)
    return found


def _mounts(state: State, args: list[str]) -> dict[str, str]:
    """Directories of the container, and what they are here."""
    found = {}
    for value in _values(args, MOUNTING):
        origin, _, rest = value.partition(':')
        if rest and (origin[:1] in ('.', '/') or ANY in origin):
            target = rest.partition(':')[0].rstrip('/')
            found[target] = state.in_directory(origin).cwd
    for value in _values(args, ('--mount',)):
        given = dict(part.partition('=')[::2] for part in value.split(','))
        origin = given.get('source') or given.get('src', '')
        for key in ('target', 'destination', 'dst'):
            if origin and given.get(key):
                target = given[key].rstrip('/')
                found[target] = state.in_directory(origin).cwd
    return found


def _here(text: str, mounts: dict[str, str]) -> str:
    for target, origin in mounts.items() if text else ():
        if target and (text == target or f'{target}/' in text):
            text = text.replace(f'{target}/', f'{origin}/')
            text = origin if text == target else text
        text = text.replace(f'cd {target}', f'cd {origin}')
    return text


def _run(state: State, name: str, args: list[str]) -> str:
    mounts = _mounts(state, args) if 'run' in args[:2] else {}
    if not mounts:
        return ANY
    inner = state.child()
    for word in _values(args, WORKING)[-1:]:
        inner.enter(_here(word, mounts))
    words = [_here(word, mounts) for word in args]
    # whatever it is, it may write what it is named
    state.add(Runs(f'{name} run', tuple(map(shown, words)), inner.directory))
    for at, word in enumerate(words):
        if posixpath.basename(word) in STARTED:
            inner.run([posixpath.basename(word), *words[at + 1 :]])
            break
    return ANY


PROGRAMS: dict[str, Handler] = dict.fromkeys(('docker', 'podman', 'nerdctl'), _run)
