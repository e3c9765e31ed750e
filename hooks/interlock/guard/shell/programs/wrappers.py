"""Programs that run another one: env, sudo, timeout, xargs and their kind."""

from __future__ import annotations

from typing import NamedTuple

from interlock.guard.shell.effects import Runs, Skips
from interlock.guard.shell.guarded_variables import dropped, given, removed
from interlock.guard.shell.handlers import Handler
from interlock.guard.shell.options import parse
from interlock.guard.shell.placeholders import ANY, is_known, shown
from interlock.guard.shell.programs.commit_wrappers import is_committing, passes_on
from interlock.guard.shell.quoting import quote
from interlock.guard.shell.state import State


class Form(NamedTuple):
    """Options with a value, and operands, that come before the command."""

    letters: str = ''
    longs: tuple[str, ...] = ()
    operands: int = 0


FORMS = {
    'command': Form(),
    'builtin': Form(),
    'exec': Form('a'),
    'nohup': Form(),
    'time': Form('fo', ('--format', '--output')),
    'timeout': Form('ks', ('--kill-after', '--signal'), 1),
    'gtimeout': Form('ks', ('--kill-after', '--signal'), 1),
    'nice': Form('n', ('--adjustment',)),
    'ionice': Form('cnpPu', ('--class', '--classdata')),
    'stdbuf': Form('ioe', ('--input', '--output', '--error')),
    'setsid': Form(),
    'chrt': Form('TPD', (), 1),
    'taskset': Form('', (), 1),
    'setarch': Form('', (), 1),
    'strace': Form('aeEIoOpPsSuX'),
    'ltrace': Form('aeFlnopsuxX'),
    'unbuffer': Form(),
    'chronic': Form(),
    'caffeinate': Form('tw'),
    'coproc': Form(),
    'noglob': Form(),
    'nocorrect': Form(),
    'watch': Form('nd', ('--interval',)),
    'xvfb-run': Form('aefnspw'),
    'dumb-init': Form(),
    'tini': Form(),
    'npx': Form('pc', ('--package', '--call')),
    'bunx': Form('', ('--package',)),
    'uvx': Form('p', ('--from', '--with', '--python')),
    'unshare': Form('SGRw', ('--root', '--wd', '--setuid', '--setgid')),
    'nsenter': Form('tSGr', ('--target', '--setuid', '--setgid')),
    'chroot': Form('', ('--userspec', '--groups'), 1),
    'proxychains': Form('f'),
    # of expect
    'spawn': Form(),
    'busybox': Form(),
    'toybox': Form(),
    **dict.fromkeys(
        (
            'winpty',
            'rlwrap',
            'gtime',
            'prlimit',
            'fakeroot',
            'eatmydata',
            'proot',
            'firejail',
            'corepack',
            'pnpx',
            'catchsegv',
            'setpriv',
        ),
        Form(),
    ),
    'faketime': Form('f', (), 1),
    'dotenv': Form('ef'),
    'env-cmd': Form('f'),
}
# `uv run pre-commit`: what stands between the program and the command
RUNNERS = {
    'uv': ('run', 'tool'),
    'pipx': ('run',),
    'bundle': ('exec',),
    **dict.fromkeys(
        (
            'poetry',
            'pipenv',
            'pdm',
            'hatch',
            'rye',
            'pixi',
            'conda',
            'mamba',
            'micromamba',
            'devbox',
            'volta',
            'op',
            'doppler',
            'infisical',
            'dotenvx',
            'teller',
            'foreman',
        ),
        ('run',),
    ),
    **dict.fromkeys(
        (
            'direnv',
            'asdf',
            'rbenv',
            'pyenv',
            'nodenv',
            'goenv',
            'fnm',
            'nvm',
            'aws-vault',
            'chamber',
            'nx',
            'lerna',
            'rtx',
        ),
        ('exec',),
    ),
    'mise': ('exec', 'x'),
    'pnpm': ('exec', 'dlx', 'run', 'run-script'),
    'yarn': ('exec', 'dlx', 'run'),
    'npm': ('exec', 'x', 'run', 'run-script'),
    'bun': ('x', 'run'),
}
# of these a name comes first: of a directory, a version, a profile
NAMING = ('direnv', 'nvm', 'aws-vault', 'chamber', 'op')
# they run scripts that a file of the project names
SCRIPTS = ('npm', 'pnpm', 'yarn', 'bun')
RUNNER_VALUES = ('--python', '--with', '--from', '--package', '--name')


def _form(state: State, name: str, args: list[str]) -> str:
    form = FORMS[name]
    options = parse(args, form.letters, form.longs, first=True)
    if name == 'command' and options.has('-v', '-V'):
        return state.run(['which', *options.operands])
    for text in options.values('-c', '--call') if name == 'npx' else []:
        return state.text(text)
    rest = options.operands[form.operands :]
    if name == 'watch':
        return state.text(' '.join(rest))
    return state.run(_unversioned(rest))


def _unversioned(words: list[str]) -> list[str]:
    """`prettier@3` is prettier."""
    return [words[0][:1] + words[0][1:].partition('@')[0], *words[1:]] if words else []


def _runner(state: State, name: str, args: list[str]) -> str:
    """Its own subcommands are programs like any other."""
    options = parse(args, 'np', RUNNER_VALUES, first=True)
    words = options.operands
    if name in SCRIPTS:
        return _script_of(state, name, words, args)
    if words and words[0] in RUNNERS[name]:
        rest = parse(words[1:], 'np', RUNNER_VALUES, first=True).operands
        if '--' in words:
            rest = words[words.index('--') + 1 :]
        elif name in NAMING:
            rest = rest[1:]
        if rest[:1] == ['run']:
            rest = rest[1:]
        return state.run(_unversioned(rest))
    state.add(Runs(name, tuple(map(shown, args)), state.directory))
    if is_committing(name):
        passes_on(state, name, args)
    return ANY


def _script_of(state: State, name: str, words: list[str], args: list[str]) -> str:
    """npm and its kind: programs, and scripts that have a name."""
    first = ''.join(words[:1])
    if first in ('exec', 'x', 'dlx'):
        rest = parse(words[1:], 'np', RUNNER_VALUES, first=True).operands
        return state.run(_unversioned(rest))
    state.add(Runs(name, tuple(map(shown, args)), state.directory))
    script = ''.join(words[1:2]) if first.startswith('run') else first
    if first in ('config', 'set', 'c') and any(
        word.startswith('commit-hooks') for word in words
    ):
        state.add(Skips(f'{name} {" ".join(words[:3])}'))
    if is_committing(script):
        passes_on(state, f'{name} {script}', args)
    if name != 'npm' and words and not first.startswith('run'):
        return state.run(words)
    return ANY


def _env(state: State, _: str, args: list[str]) -> str:
    options = parse(args, 'uCS', ('--unset', '--chdir', '--split-string'), first=True)
    inner, rest = state.child(), list(options.operands)
    bare = rest[:1] == ['-'] or options.has('-i', '--ignore-environment')
    rest = rest[rest[:1] == ['-'] :]
    for name in options.values('-u', '--unset'):
        removed(state, name, 'env -u')
    for directory in options.values('-C', '--chdir'):
        inner.enter(directory)
    set_: list[tuple[str, str]] = []
    while rest and '=' in rest[0]:
        name, _, value = rest.pop(0).partition('=')
        set_.append((name, value))
    inner.variables.update(set_)
    count = state.count
    lines = [
        ' '.join((text, *map(quote, rest)))
        for text in options.values('-S', '--split-string')
    ]
    printed = inner.text(f'env {lines[0]}') if lines else inner.run(rest)
    for name, value in set_:
        given(state, name, value, 'env', count)
    if bare:
        dropped(state, 'env -i', count)
    return printed


def _sudo(state: State, name: str, args: list[str]) -> str:
    options = parse(
        args,
        'ughpCDRTUrt',
        (
            '--user',
            '--group',
            '--host',
            '--prompt',
            '--chdir',
            '--role',
            '--type',
            '--chroot',
            '--close-from',
            '--command-timeout',
        ),
        first=True,
    )
    inner, rest = state.child(), list(options.operands)
    for directory in options.values('-D', '--chdir'):
        inner.enter(directory)
    set_: list[tuple[str, str]] = []
    while rest and '=' in rest[0].partition('/')[0]:
        variable, _, value = rest.pop(0).partition('=')
        set_.append((variable, value))
    count = state.count
    printed = inner.run(rest)
    for variable, value in set_:
        given(state, variable, value, name, count)
    if not options.has('-E', '--preserve-env'):
        dropped(state, name, count)
    return printed


def _unit(state: State, name: str, args: list[str]) -> str:
    """systemd-run, runuser: the command has another environment."""
    options = parse(
        args, 'upEtGM', ('--unit', '--property', '--setenv', '--uid'), first=True
    )
    count = state.count
    printed = state.run(options.operands)
    dropped(state, name, count)
    return printed


def _script(state: State, _: str, args: list[str]) -> str:
    """script -qec: a terminal around a command, which is one text."""
    options = parse(
        args, 'cEIBmOT', ('--command', '--echo', '--log-in', '--log-out', '--log-io')
    )
    for text in options.values('-c', '--command'):
        state.child().text(text)
    # as BSD has it: the file, and then the command
    rest = parse(args, first=True).operands[1:]
    if not options.has('-c', '--command') and rest:
        state.child().run(rest)
    state.each_writes(options.operands[:1], 'script')
    return ANY


def _tmux(state: State, name: str, args: list[str]) -> str:
    """Its commands start others: the words that are left are one text."""
    words = parse(args, 'cfLSTt', first=True).operands
    if name == 'screen':
        words = ['screen', *parse(args, 'cehpsStTX', first=True).operands]
    rest = parse(words[1:], 'ceFnstxy', first=True).operands
    if rest:
        state.child().text(
            ' '.join(rest)
            if len(rest) == 1
            else (' '.join(quote(word) for word in rest))
        )
    if words[:1] in (['send-keys'], ['send']):
        state.child().text(
            ' '.join(word for word in rest if word not in ('Enter', 'C-m'))
        )
    return ANY


def _nix(state: State, name: str, args: list[str]) -> str:
    for flag in ('--run', '--command', '-c'):
        if flag in args[:-1]:
            words = args[args.index(flag) + 1 :]
            if name == 'nix':
                state.child().run(words)
            else:
                state.child().text(words[0])
    return ANY


def _su(state: State, name: str, args: list[str]) -> str:
    options = parse(args, 'csg', ('--command', '--shell', '--group'))
    count = state.count
    for text in options.values('-c', '--command'):
        state.child().text(text)
    dropped(state, name, count)
    return ANY


def _later(state: State, name: str, _: list[str]) -> str:
    """at and batch read commands."""
    count = state.count
    if state.stdin is not None and is_known(state.stdin):
        state.child().text(state.stdin)
    elif state.stdin is not None:
        state.unknown(f'`{name}` reads commands that are not here')
    dropped(state, name, count)
    return ''


def _crontab(state: State, name: str, args: list[str]) -> str:
    """Lines of five times and a command."""
    if parse(args, 'u').operands != ['-'] or state.stdin is None:
        return ANY
    count = state.count
    inner = state.child()
    inner.cwd = inner.value('HOME') or ANY
    # what was in the table before
    for line in state.stdin.replace(ANY, '\n').split('\n'):
        words = line.split(maxsplit=1 if line[:1] == '@' else 5)
        if len(words) > 1:
            inner.text(words[-1])
    dropped(state, name, count)
    return ''


def _flock(state: State, _: str, args: list[str]) -> str:
    options = parse(args, 'wE', ('--timeout', '--wait'), first=True)
    rest = options.operands[1:]
    if rest[:1] in (['-c'], ['--command']):
        return state.text(' '.join(rest[1:2]))
    return state.run(rest)


def _ssh(state: State, name: str, args: list[str]) -> str:
    """Another machine is not ours, this one is."""
    options = parse(args, 'BbcDEeFIiJLlmOopQRSWw', first=True)
    host, *rest = options.operands or ['']
    if host.rpartition('@')[2] in ('localhost', '127.0.0.1', '::1'):
        count = state.count
        inner = state.child()
        inner.cwd = inner.value('HOME') or ANY
        inner.text(' '.join(rest))
        dropped(state, name, count)
    return ANY


PROGRAMS: dict[str, Handler] = {
    **dict.fromkeys(FORMS, _form),
    **dict.fromkeys(RUNNERS, _runner),
    'env': _env,
    'cross-env': _env,
    'cross-env-shell': _env,
    'sudo': _sudo,
    'doas': _sudo,
    'systemd-run': _unit,
    'runuser': _su,
    'su': _su,
    'at': _later,
    'batch': _later,
    'crontab': _crontab,
    'flock': _flock,
    'script': _script,
    'tmux': _tmux,
    'screen': _tmux,
    'nix-shell': _nix,
    'nix': _nix,
    'ssh': _ssh,
}
