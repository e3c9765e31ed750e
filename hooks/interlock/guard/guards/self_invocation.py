"""A command that calls our own hook, as if the user had said something.

What a prompt says is recorded as the user's word, so no agent may feed one
to the hook. Other events record nothing that only the user can say.
"""

from __future__ import annotations

import os

from interlock.guard.decision import Objection
from interlock.guard.dispatch import HANDLERS
from interlock.guard.event import PROMPT
from interlock.guard.file_write import is_below
from interlock.guard.shell.effects import Effect, Runs, Writes
from interlock.guard.shell.programs.interpreters import is_interpreter
from interlock.guard.shell.programs.table import READERS
from interlock.model.schemas import PACKAGE as FOLDER

SCRIPT = 'interlock-claude'
LAUNCHER = 'launcher.py'
# the one that a plugin of the client brings
OUTER = 'interlock_launcher.py'
PACKAGES = ('interlock.agents', 'interlock.claude', 'interlock.guard')
MODULE = '-m'
# modules that run the file that they are given
RUNNING = ('runpy', 'pdb', 'trace', 'cProfile', 'profile', 'coverage')
CALLING = ('main', 'respond', 'prompt', PROMPT)
COPYING = (
    'cp',
    'gcp',
    'mv',
    'gmv',
    'ln',
    'link',
    'install',
    'ginstall',
    'rsync',
    'dd',
    'tar',
    'zip',
)
ANYWHERE = '**'


def _is_ours(word: str, directory: str) -> bool:
    """A file that calls us, whatever directory it is named from."""
    path = os.path.normpath(os.path.join(directory, word))
    name = os.path.basename(path)
    if name != LAUNCHER:
        return name in (SCRIPT, OUTER)
    folder = os.path.dirname(path)
    return (
        ANYWHERE in folder
        or os.path.basename(folder) == 'claude'
        or (is_below(os.path.realpath(path), FOLDER))
    )


def _is_code(word: str) -> bool:
    """A piece of code that calls us."""
    if any(package in word for package in PACKAGES) and any(
        name in word for name in CALLING
    ):
        return True
    return PROMPT in word and any(name in word for name in (SCRIPT, LAUNCHER, OUTER))


def _behind(effect: Runs) -> tuple[str, ...] | None:
    """The words behind the one that calls us; None where nothing does."""
    args = effect.args
    if effect.program in (SCRIPT, OUTER):
        return args
    elif not is_interpreter(effect.program):
        return None
    at = args.index(MODULE) + 1 if MODULE in args else len(args)
    if at < len(args):
        if args[at].startswith(PACKAGES):
            return args[at + 1 :]
        elif args[at] not in RUNNING:
            return None
    for at, word in enumerate(args):
        if _is_ours(word, effect.directory):
            return args[at + 1 :]
        elif _is_code(word):
            return ()
    return None


def _spoken(effect: Runs) -> bool:
    behind = _behind(effect)
    if behind is None:
        # a copy of it that has another name
        return effect.args[:1] == (PROMPT,) and effect.program not in READERS
    # without an argument the JSON says which event it is
    return ''.join(behind[:1]) not in HANDLERS.keys() - {PROMPT}


def _copied(effect: Runs, after: list[Effect]) -> bool:
    """One of ours gets another name, by which it could be called."""
    if effect.program == 'cat':
        if not any(isinstance(each, Writes) for each in after):
            return False
    elif effect.program not in COPYING:
        return False
    return any(
        _is_ours(word.removeprefix('if='), effect.directory) for word in effect.args
    )


def forged(effect: Runs, after: list[Effect]) -> Objection | None:
    if _spoken(effect):
        return Objection(
            'CLD005',
            'this would call the hook of the client as if the user '
            'had said something, and what the user says is recorded',
            'ask the user',
        )
    elif _copied(effect, after):
        return Objection(
            'CLD003',
            'this would give another name to what the client calls as our hook',
            'leave it where it is',
        )
    return None
