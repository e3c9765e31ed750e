"""`git config`: what it changes, and whether hooks are found after it."""

from __future__ import annotations

from typing import NamedTuple

from interlock.guard.shell.dry_read import skips
from interlock.guard.shell.effects import Skips
from interlock.guard.shell.options import parse
from interlock.guard.shell.placeholders import is_plain, shown
from interlock.guard.shell.programs.git_hooks import is_breakglass
from interlock.guard.shell.state import State

GETTING = (
    '--get',
    '--get-all',
    '--get-regexp',
    '--get-urlmatch',
    '--get-color',
    '--get-colorbool',
    '-l',
    '--list',
)
CHANGING = (
    '--unset',
    '--unset-all',
    '--add',
    '--replace-all',
    '--remove-section',
    '--rename-section',
    '-e',
    '--edit',
)
VERBS = ('set', 'unset', 'remove-section', 'rename-section', 'edit')
READING = ('get', 'list')


class Change(NamedTuple):
    verb: str
    key: str
    value: str = ''


def is_skipping(key: str) -> bool:
    """Keys that say where the hooks are, or which other file says it."""
    key = key.lower()
    return key in ('core.hookspath', 'include.path') or (key.startswith('includeif.'))


def lets_through(key: str, value: str) -> bool:
    """Options of every push, among them the one that opens the server."""
    return key.lower() == 'push.pushoption' and is_breakglass(value)


def change(args: list[str]) -> Change | None:
    """What is changed; None where it only reads."""
    options = parse(
        args,
        'f',
        ('--file', '--blob', '--type', '--default', '--value', '--comment', '--url'),
    )
    words = [*options.operands, '', '', '']
    flags = {name for name, _ in options.flags}
    if flags & set(GETTING) or words[0] in READING:
        return None
    for flag in CHANGING:
        if flag in flags:
            return Change(flag, words[0], words[1])
    if words[0] in VERBS:
        return Change(words[0], words[1], words[2])
    if len(options.operands) > 1:
        return Change('', words[0], words[1])
    return None


def judge(state: State, name: str, args: list[str]) -> None:
    found = change(args) if name == 'config' else None
    if found is None:
        return
    section = found.verb.endswith('-section') and found.key.lower() == 'core'
    opens = lets_through(found.key, found.value)
    if is_skipping(found.key) or section or opens:
        state.add(Skips(f'git config {found.key}'))
    elif found.verb in ('-e', '--edit', 'edit'):
        state.unknown('git config opens an editor')
    elif not is_plain(found.key):
        state.unknown(f'git config changes `{shown(found.key)}`')
    elif found.key.lower().startswith('alias.'):
        state.git_aliases[found.key[6:]] = found.value
        text = found.value
        if skips(state, text[1:] if text[:1] == '!' else f'git {text}'):
            state.add(Skips(f'git config {found.key}'))
