from __future__ import annotations

import os
import shlex

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    add_completion_class,
    get_completion_class,
    split_arg_string,
)

from interlock.commands.click_options import (
    COMPLETE,
    Options,
    common,
    example,
    group,
    option,
)
from interlock.files.atomic_files import read, replace
from interlock.model import quick_re as re
from interlock.model.errors import Refusal
from interlock.model.fixes import ours
from interlock.report.terminal import err, out

# where each shell looks for completions, and the line that loads them
PLACES = {
    'bash': ('{data}/bash-completion/completions/interlock', '. {path}'),
    'zsh': (
        '{home}/.zfunc/_interlock',
        'fpath+=~/.zfunc; autoload -Uz compinit; compinit',
    ),
    'fish': ('{config}/fish/completions/interlock.fish', ''),
}
SHELL = option(
    '--shell',
    'Write for this shell (default: $SHELL).',
    type=click.Choice(list(PLACES)),
)

# bash gets words in the form to be typed, and inserts them unchanged
BASH = """\
%(complete_func)s() {
    local type value
    COMPREPLY=()
    while IFS=, read -r type value; do
        case $type in
            dir) compopt -o dirnames ;;
            file) compopt -o default ;;
            plain)
                [[ $value == *= ]] && compopt -o nospace
                COMPREPLY+=("$value") ;;
        esac
    done < <(env COMP_WORDS="${COMP_LINE:0:COMP_POINT}" \\
        COMP_CWORD="${COMP_WORDS[COMP_CWORD]}" \\
        %(complete_var)s=bash_complete "$1")
}

complete -o nosort -F %(complete_func)s %(prog_name)s
"""
# characters that a shell does not take literally
SPECIAL_RE = re.compile(r"""([\s!"#$&'()*;<>?\[\\\]^`{|}~])""")


@add_completion_class
class Bash(BashComplete):
    """Handles words with spaces and quotes, and words that bash splits."""

    source_template = BASH

    def get_completion_args(self) -> tuple[list[str], str]:
        # a word that has not begun yet counts too
        *words, last = split_arg_string(f'{os.environ["COMP_WORDS"]}x')
        return words[1:], last[:-1]

    def format_completion(self, item: CompletionItem[str]) -> str:
        # bash replaces what follows the last `:` or `=`
        word = os.environ['COMP_CWORD']
        _, typed = self.get_completion_args()
        bare = ''.join(split_arg_string(word)) if word not in (':', '=') else ''
        value = item.value[len(typed) - len(bare) :]
        if word[:1] not in ('"', "'"):
            value = SPECIAL_RE.sub(r'\\\1', value)
        return f'{item.type},{value}'


@add_completion_class
class Fish(FishComplete):
    """Handles words with commas."""

    source_template = FishComplete.source_template.replace(
        'string split ","', 'string split --max 1 ","'
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
    return found(cli, {}, 'interlock', COMPLETE).source()


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
