"""Whether the gate is live, judged from files alone at the start of a session.

The hook that asks was called, so that part works. The part that refuses may
still be missing.
"""

from __future__ import annotations

from interlock.documents.wiring.client_settings import calling_lines, our_calls, switch
from interlock.documents.wiring.hook_files import HOOK_TYPES
from interlock.files.settings_record import found_settings
from interlock.git import installed_hooks
from interlock.git.git_paths import common_dir
from interlock.git.hook_folder import hooks_folder
from interlock.model import clients
from interlock.model.probe import DEAD, LIVE, NOT_WIRED, Probe
from interlock.model.quick_typing import Iterator, Mapping

NAME = 'git gate'
DOCTOR = 'interlock doctor'


def gate(top: str, environ: Mapping[str, str]) -> Probe:
    """Whether the hooks that git finds call us."""
    directory = hooks_folder(top, environ) if common_dir(top) else ''
    if not directory:
        text = 'the git gate is not wired: there is no repository here'
        return Probe(NAME, NOT_WIRED, text, 'git init')
    hooks = [installed_hooks.hook(directory, name) for name in HOOK_TYPES]
    ours = {
        hook.name: hook.executable
        for hook in hooks
        if hook.data is not None and installed_hooks.leads_to_us(top, hook)
    }
    stopped = ', '.join(name for name in ours if not ours[name])
    missing = ', '.join(name for name in HOOK_TYPES if name not in ours)
    if stopped:
        verdict, why = DEAD, f'is dead: {stopped} is not executable'
    elif not ours:
        verdict, why = (
            NOT_WIRED,
            f'is not wired: no hook in {directory} calls interlock',
        )
    elif missing:
        why = f'is dead in part: no {missing} in {directory} calls interlock'
        verdict = DEAD
    else:
        return Probe(NAME, LIVE, 'the git gate is live')
    return Probe(NAME, verdict, f'the git gate {why}', DOCTOR)


def _client(top: str, environ: Mapping[str, str], client: str) -> Iterator[str]:
    guards = [event for name, event in clients.GUARDS if name == client]
    plugin = any(map(environ.get, clients.PLUGINS))
    events: set[str] = set(guards) if plugin else set()
    for name, settings, problem in found_settings(top, environ, client):
        if problem:
            yield f'the client ignores {name} ({problem}), with all hooks in it'
            continue
        off = switch(settings)
        if off:
            yield f'`{off}` in {name} switches every hook off'
        events.update(our_calls(settings))
        if calling_lines(settings):
            # a separate file that calls us for all of these events
            events.update(guards)
    missing = [event for event in guards if event not in events]
    if missing:
        yield f'nothing calls interlock at {" and ".join(missing)}'


def problems(top: str, environ: Mapping[str, str], client: str) -> list[str]:
    """One sentence for each part of the gate that is broken or not set up."""
    git = gate(top, environ)
    found = [git.what] if git.verdict != LIVE else []
    return [*found, *_client(top, environ, client)]
