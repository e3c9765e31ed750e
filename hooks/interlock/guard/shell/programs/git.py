"""Calls of git: its own options, aliases, and what a subcommand does."""

from __future__ import annotations

from typing import NamedTuple

from interlock.guard.shell.effects import Finds, Git, Skips
from interlock.guard.shell.handlers import Handler
from interlock.guard.shell.path_patterns import place
from interlock.guard.shell.placeholders import ANY, is_plain, shown
from interlock.guard.shell.programs import git_config, git_files
from interlock.guard.shell.programs.git_hooks import judge
from interlock.guard.shell.programs.git_subcommands import commits, printed, writes
from interlock.guard.shell.quoting import quote
from interlock.guard.shell.state import Level, State

VALUES = (
    '-C',
    '-c',
    '--git-dir',
    '--work-tree',
    '--namespace',
    '--config-env',
    '--super-prefix',
    '--attr-source',
    '--list-cmds',
)
# where Python looks for modules: hooks are written in it
MODULES = 'PYTHONPATH'
# what says where git has its configuration, and what its hooks start
SURROUNDINGS = (
    'HOME',
    'XDG_CONFIG_HOME',
    'XDG_CACHE_HOME',
    'PATH',
    'BASH_ENV',
    'LD_PRELOAD',
    'DYLD_INSERT_LIBRARIES',
    'PYTHONHOME',
    MODULES,
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
        if git_config.is_skipping(key) or git_config.lets_through(key, text):
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
    for directory in (state.directory, *state.git_places):
        state.add(
            Git(
                directory,
                name,
                tuple(shown(word) for word in args),
                changes,
                changes and commits(name, args),
            )
        )
    if state.git_files:
        state = state.in_directory(state.git_files)
    if changes or name == 'push':
        _surroundings(state, name)
    judge(state, name, args)
    git_config.judge(state, name, args)
    git_files.judge(state, name, args)
    return printed(state, name, args)


def _surroundings(state: State, name: str) -> None:
    """Where git looks for its configuration, and hooks for what they run."""
    for variable in SURROUNDINGS:
        now = state.variables.get(variable)
        before = state.shared.environ.get(variable, '')
        if now is None or now == before:
            continue
        # without a value that is known, it still stands for the old one
        old = before or ANY
        if variable == 'PATH' and old in now and now != ANY:
            _first(state, now.rpartition(old)[0], name)
        elif variable != MODULES or not _is_own(state, now, old):
            state.unknown(f'`git {name}` runs with another {variable}')


def _is_own(state: State, text: str, old: str) -> bool:
    """Directories of the project, besides those that it had."""
    rest = text.replace(old, '')
    found = [place(state.cwd, word) for word in rest.split(':') if word]
    top = state.shared.top or state.cwd
    return all(
        each is not None and f'{each.path}/'.startswith(f'{top}/') for each in found
    )


def _first(state: State, text: str, name: str) -> None:
    """The directories that a PATH has before those that it had."""
    found = [place(state.cwd, word) for word in text.split(':') if word]
    known = tuple(each.path for each in found if each is not None and not each.glob)
    if known:
        state.add(Finds(known, f'PATH={shown(text)}… git {name}'))


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
