"""Calls of git: its own options, aliases, and what a subcommand does."""
from __future__ import annotations

from typing import NamedTuple

from interlock.claude.shell import git_config
from interlock.claude.shell import git_files
from interlock.claude.shell.effects import Git
from interlock.claude.shell.effects import Skips
from interlock.claude.shell.git_hooks import judge
from interlock.claude.shell.git_kinds import commits
from interlock.claude.shell.git_kinds import printed
from interlock.claude.shell.git_kinds import writes
from interlock.claude.shell.handlers import Handler
from interlock.claude.shell.marks import ANY
from interlock.claude.shell.marks import is_plain
from interlock.claude.shell.marks import shown
from interlock.claude.shell.quoting import quote
from interlock.claude.shell.state import Level
from interlock.claude.shell.state import State

VALUES = (
    '-C', '-c', '--git-dir', '--work-tree', '--namespace', '--config-env',
    '--super-prefix', '--attr-source', '--list-cmds',
)


class Call(NamedTuple):
    """The options before the subcommand, and the rest."""

    options: list[tuple[str, str]]
    words: list[str]


def _call(args: list[str]) -> Call:
    options, at = [], 0
    while at < len(args) and args[at][:1] == '-':
        name, equals, value = args[at].partition('=')
        at += 1
        if name in VALUES and not equals:
            value = args[at] if at < len(args) else ''
            at += 1
        elif name[:2] == '-C' and name != '-C':
            name, value = '-C', args[at - 1][2:]
        options.append((name, value))
    return Call(options, args[at:])


def _git(state: State, _: str, args: list[str]) -> str:
    call = _call(args)
    inner = state.child()
    inner.git_aliases = state.git_aliases
    for name in ('GIT_DIR', 'GIT_WORK_TREE', 'GIT_COMMON_DIR'):
        if name in state.variables:
            _elsewhere(inner, name, state.variables[name])
    for name, value in call.options:
        _option(inner, name, value)
    if not call.words:
        return ''
    with Level(state):
        return subcommand(inner, call.words[0], call.words[1:])


def _option(state: State, name: str, value: str) -> None:
    if name == '-C':
        state.enter(value)
    elif name in ('--git-dir', '--work-tree'):
        _elsewhere(state, name, value)
    elif name == '--exec-path' and value:
        state.add(Skips('git --exec-path'))
    elif name in ('-c', '--config-env'):
        key, _, text = value.partition('=')
        if key.lower() == 'core.worktree':
            _elsewhere(state, '--work-tree', text if name == '-c' else ANY)
        if git_config.is_skipping(key):
            state.add(Skips(f'git {name} {shown(key)}'))
        elif not is_plain(key):
            state.unknown(f'git {name} sets `{shown(key)}`')
        elif key.lower().startswith('alias.'):
            aliases = {**state.git_aliases, key[6:]: text}
            state.git_aliases = aliases


def _elsewhere(state: State, name: str, value: str) -> None:
    """Another repository, or other files than those around it.

    Whoever names only one of them means the other one from where they are,
    so that each is a place in question.
    """
    place = state.in_directory(value or '.')
    if name.lower().endswith('dir'):
        head, mark, _ = f'{place.cwd}/'.rpartition('/.git/')
        place.cwd = head or '/' if mark else place.cwd
    else:
        state.git_files = place.cwd
    state.git_places = (*state.git_places, place.directory)


def subcommand(state: State, name: str, args: list[str]) -> str:
    if name in state.git_aliases:
        return _alias(state, name, args)
    if not is_plain(name):
        state.unknown(f'the git command is `{shown(name)}`')
        return ANY
    changes = writes(name, args)
    for place in (state.directory, *state.git_places):
        state.add(Git(
            place, name, tuple(shown(word) for word in args),
            changes, changes and commits(name, args),
        ))
    if state.git_files:
        state = state.in_directory(state.git_files)
    if changes:
        _surroundings(state, name)
    judge(state, name, args)
    git_config.judge(state, name, args)
    git_files.judge(state, name, args)
    return printed(state, name, args)


def _surroundings(state: State, name: str) -> None:
    """Where git looks for its configuration and hooks for programs."""
    for variable in ('HOME', 'XDG_CONFIG_HOME', 'PATH'):
        now = state.variables.get(variable)
        before = state.shared.environ.get(variable, '')
        same = now is None or now == before or (
            variable == 'PATH' and before and before in now
        )
        if not same:
            state.unknown(f'`git {name}` runs with another {variable}')


def _alias(state: State, name: str, args: list[str]) -> str:
    text = state.git_aliases[name]
    inner = state.child()
    # an alias does not call itself
    inner.git_aliases = {
        key: each for key, each in state.git_aliases.items() if key != name
    }
    rest = ' '.join(quote(word) for word in args)
    if text.startswith('!'):
        return inner.text(f'{text[1:]} {rest}')
    return inner.text(f'git {text} {rest}')


PROGRAMS: dict[str, Handler] = {'git': _git, 'hub': _git}
