from __future__ import annotations

import os
import shlex

import click
from click.shell_completion import get_completion_class

from interlock.commands.click_options import Options, common, example, group
from interlock.files.atomic_files import read, replace
from interlock.model.errors import Refusal
from interlock.model.fixes import ours
from interlock.report.terminal import err, out

VARIABLE = '_INTERLOCK_COMPLETE'
# where each shell looks, and the line that tells it to
PLACES = {
    'bash': ('{data}/bash-completion/completions/interlock', '. {path}'),
    'zsh': (
        '{home}/.zfunc/_interlock',
        'fpath+=~/.zfunc; autoload -Uz compinit; compinit',
    ),
    'fish': ('{config}/fish/completions/interlock.fish', ''),
}
SHELL = click.option(
    '--shell',
    type=click.Choice(list(PLACES)),
    help='Write for this shell (default: $SHELL).',
)


def _shell(given: str | None, verb: str) -> str:
    name = given or os.path.basename(os.environ.get('SHELL', ''))
    if name not in PLACES:
        raise Refusal(
            f'there is no completion for the shell `{name}`'
            if name
            else '$SHELL does not say which shell you use',
            ours('completion', verb, '--shell', 'bash'),
        )
    return name


def _script(shell: str) -> str:
    from interlock.commands.group import cli

    found = get_completion_class(shell)
    assert found is not None, 'click knows all of them'
    return found(cli, {}, 'interlock', VARIABLE).source()


def _path(pattern: str) -> str:
    home = os.path.expanduser('~')
    return pattern.format(
        home=home,
        data=os.environ.get('XDG_DATA_HOME') or f'{home}/.local/share',
        config=os.environ.get('XDG_CONFIG_HOME') or f'{home}/.config',
    )


@example('interlock completion install')
@group('completion')
def command() -> None:
    """Complete commands and options in your shell."""


@example('interlock completion install', 'interlock completion install --shell zsh')
@command.command()
@SHELL
@common
def install(options: Options, shell: str | None) -> int:
    """Write the completion where your shell looks for it."""
    name = _shell(shell, 'install')
    pattern, line = PLACES[name]
    path = _path(pattern)
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
    except OSError as e:
        show = ours('completion', 'show', '--shell', name)
        raise Refusal(f'cannot create {path}: {e.strerror}', show) from None
    replace(path, read(path), _script(name).encode())
    err(f'{path}: written; it takes effect in every new {name}')
    if line:
        unless = 'bash-completion is installed' if name == 'bash' else 'it is there'
        line = line.format(path=shlex.quote(path))
        err(f'add this line to ~/.{name}rc, unless {unless}: {line}')
    return 0


@example('eval "$(interlock completion show --shell bash)"')
@command.command()
@SHELL
@common
def show(options: Options, shell: str | None) -> int:
    """Print the completion, for `eval` or a file of your own."""
    out(_script(_shell(shell, 'show')))
    return 0
