"""A command that calls our own hook, as if the user had said something.

What a prompt says is recorded as the user's word, so no agent may feed one
to the hook. Other events record nothing that only the user can say.
"""
from __future__ import annotations

import os

from interlock.claude.event import PROMPT
from interlock.claude.handlers import HANDLERS
from interlock.claude.objection import Objection
from interlock.claude.shell.effects import Runs
from interlock.claude.shell.interpreters import is_interpreter

SCRIPT = 'interlock-claude'
LAUNCHER = os.path.join('claude', 'launcher.py')
PACKAGE = 'interlock.claude'
MODULE = '-m'


def _module(args: tuple[str, ...]) -> str:
    at = args.index(MODULE) if MODULE in args else len(args)
    return args[at + 1] if at + 1 < len(args) else ''


def _calls_us(effect: Runs) -> bool:
    if effect.program == SCRIPT:
        return True
    elif not is_interpreter(effect.program):
        return False
    module = _module(effect.args)
    if module:
        return module.startswith(PACKAGE)
    return any(
        arg.endswith(LAUNCHER) or (PACKAGE in arg and PROMPT in arg)
        for arg in effect.args
    )


def forged(effect: Runs) -> Objection | None:
    others = HANDLERS.keys() - {PROMPT}
    # without an argument the JSON says which event it is
    if not _calls_us(effect) or others & set(effect.args):
        return None
    return Objection(
        'CLD005', 'this would call the hook of the client as if the user had '
        'said something, and what the user says is recorded',
        'ask the user',
    )
