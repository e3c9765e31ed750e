"""Calls of git: its own options, aliases, configuration and environment."""

from __future__ import annotations

from interlock.guard.shell.effects import Finds, Git, Skips
from interlock.guard.shell.options import Options, parse
from interlock.guard.shell.path_patterns import resolve
from interlock.guard.shell.programs import git_subcommands
from interlock.guard.shell.programs.program import Program, act
from interlock.guard.shell.state import Shell
from interlock.guard.shell.words import ANY, is_plain, quote, shown

# options before the subcommand that take a value
VALUES = frozenset(
    '-C -c --git-dir --work-tree --namespace --config-env --super-prefix --attr-source '
    '--list-cmds'.split()
)
# where Python looks for modules: hooks are written in it
MODULES = 'PYTHONPATH'
# what says where git finds its configuration, and what its hooks start
SURROUNDINGS = (
    'HOME XDG_CONFIG_HOME XDG_CACHE_HOME PATH BASH_ENV LD_PRELOAD DYLD_INSERT_LIBRARIES '
    f'PYTHONHOME {MODULES}'
).split()


def git(shell: Shell, _: str, options: Options) -> str:
    inner = shell.child()
    # `git config` changes them for what follows
    inner.git_aliases = shell.git_aliases
    for name in ('GIT_DIR', 'GIT_WORK_TREE', 'GIT_COMMON_DIR'):
        if name in shell.variables:
            _elsewhere(inner, name, shell.variables[name])
    args, at = options.args, 0
    while at < len(args) and args[at][:1] == '-':
        name, equals, value = args[at].partition('=')
        at += 1
        if name in VALUES and not equals:
            value = args[at] if at < len(args) else ''
            at += 1
        elif name[:2] == '-C' and name != '-C':
            name, value = '-C', args[at - 1][2:]
        _option(inner, name, value)
    if at >= len(args):
        return ''
    with shell.level():
        return _subcommand(inner, args[at], args[at + 1 :])


def _option(shell: Shell, name: str, value: str) -> None:
    if name == '-C':
        shell.enter(value)
    elif name in ('--git-dir', '--work-tree'):
        _elsewhere(shell, name, value)
    elif name == '--exec-path' and value:
        shell.add(Skips('git --exec-path'))
    elif name in ('-c', '--config-env'):
        key, _, text = value.partition('=')
        if key.lower() == 'core.worktree':
            _elsewhere(shell, '--work-tree', text if name == '-c' else ANY)
        if _skips_hooks(key, text):
            shell.add(Skips(f'git {name} {shown(key)}'))
        elif not is_plain(key):
            shell.unknown(f'git {name} sets `{shown(key)}`')
        elif key.lower().startswith('alias.'):
            shell.git_aliases = {**shell.git_aliases, key[6:]: text}


def _elsewhere(shell: Shell, name: str, value: str) -> None:
    """Another repository, or other files than those around it.

    If only one of them is named, git takes the other one from where it is
    called, so both places are in question.
    """
    place = shell.in_directory(value or '.')
    if name.lower().endswith('dir'):
        head, mark, _ = f'{place.cwd}/'.rpartition('/.git/')
        place.cwd = head or '/' if mark else place.cwd
    else:
        shell.git_files = place.cwd
    shell.git_places = (*shell.git_places, place.directory)


def _subcommand(shell: Shell, name: str, args: list[str]) -> str:
    if name in shell.git_aliases:
        return _alias(shell, name, args)
    if not is_plain(name):
        shell.unknown(f'the git command is `{shown(name)}`')
        return ANY
    from interlock.guard.shell.programs.table import TABLE

    row = TABLE.get(f'git-{name}', Program())
    options = parse(args, row.values, row.attached)
    changes = git_subcommands.writes(name, options)
    commits = changes and git_subcommands.commits(name, args)
    words = tuple(map(shown, args))
    for directory in (shell.directory, *shell.git_places):
        shell.add(Git(directory, name, words, changes, commits))
    if shell.git_files:
        shell = shell.in_directory(shell.git_files)
    if changes or name == 'push':
        _surroundings(shell, name)
    git_subcommands.judge_hooks(shell, name, options)
    if name == 'config':
        _judge_config(shell, options)
    act(shell, row, f'git {name}', options)
    return git_subcommands.printed(shell, name, options)


def _alias(shell: Shell, name: str, args: list[str]) -> str:
    text = shell.git_aliases[name]
    inner = shell.child()
    # an alias does not call itself
    del inner.git_aliases[name]
    line = text[1:] if text.startswith('!') else f'git {text}'
    return inner.text(' '.join([line, *map(quote, args)]))


def _surroundings(shell: Shell, name: str) -> None:
    """Where git looks for its configuration, and hooks for what they run."""
    for variable in SURROUNDINGS:
        now = shell.variables.get(variable)
        before = shell.shared.environ.get(variable, '')
        if now is None or now == before:
            continue
        # without a value that is known, ANY stands for the old one
        old = before or ANY
        if variable == 'PATH' and old in now and now != ANY:
            added = now.rpartition(old)[0]
            paths = [resolve(shell.cwd, word) for word in added.split(':') if word]
            known = tuple(each.path for each in paths if each and not each.glob)
            if known:
                shell.add(Finds(known, f'PATH={shown(added)}… git {name}'))
        elif variable != MODULES or not _is_own(shell, now.replace(old, '')):
            shell.unknown(f'`git {name}` runs with another {variable}')


def _is_own(shell: Shell, text: str) -> bool:
    """Directories of the project alone."""
    found = [resolve(shell.cwd, word) for word in text.split(':') if word]
    top = shell.shared.top or shell.cwd
    return all(each and f'{each.path}/'.startswith(f'{top}/') for each in found)


def _skips_hooks(key: str, value: str) -> bool:
    """Keys that say where the hooks are, which other file says it, or with
    which options every push is made."""
    key = key.lower()
    return (
        key in ('core.hookspath', 'include.path')
        or key.startswith('includeif.')
        or (key == 'push.pushoption' and git_subcommands.is_breakglass(value))
    )


def _judge_config(shell: Shell, options: Options) -> None:
    found = git_subcommands.config_change(options)
    if found is None:
        return
    verb, key, value = found
    section = verb.endswith('-section') and key.lower() == 'core'
    if section or _skips_hooks(key, value):
        shell.add(Skips(f'git config {key}'))
    elif verb in ('-e', '--edit', 'edit'):
        shell.unknown('git config opens an editor')
    elif not is_plain(key):
        shell.unknown(f'git config changes `{shown(key)}`')
    elif key.lower().startswith('alias.'):
        shell.git_aliases[key[6:]] = value
        line = value[1:] if value[:1] == '!' else f'git {value}'
        if any(isinstance(each, Skips) for each in shell.dry_read(line)):
            shell.add(Skips(f'git config {key}'))
