from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator

import click
import pytest

from interlock import __version__
from interlock.commands.group import cli
from interlock.commands.group import COMMANDS
from interlock.model.rules import RULES
from tests.conftest import Interlock
from tests.conftest import Repo
from tests.conftest import SCRIPTS


def commands(
        group: click.Group,
        *names: str,
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every command that does something, with the words that call it."""
    ctx = click.Context(group)
    for name in group.list_commands(ctx):
        command = group.get_command(ctx, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from commands(command, *names, name)
        else:
            yield (*names, name), command


ALL = dict(commands(cli))
EACH = pytest.mark.parametrize('words', ALL, ids=' '.join)


def test_there_are_the_commands_that_are_listed() -> None:
    assert sorted({words[0] for words in ALL}) == sorted(COMMANDS)


@EACH
def test_every_command_has_help(
        interlock: Interlock,
        words: tuple[str, ...],
) -> None:
    for option in ('--help', '-h'):
        result = interlock(*words, option)
        assert result.code == 0
        assert result.out.startswith(f'Usage: interlock {" ".join(words)} ')
    text = ALL[words].help
    assert text
    assert text.split('\n')[0] in result.out


@EACH
def test_every_option_of_every_command_has_help_or_choices(
        words: tuple[str, ...],
) -> None:
    for param in ALL[words].params:
        if isinstance(param, click.Option):
            choices = isinstance(param.type, click.Choice)
            assert param.help or choices, param.name


@EACH
def test_every_command_has_a_version(
        interlock: Interlock,
        words: tuple[str, ...],
) -> None:
    result = interlock(*words, '--version')
    assert result.code == 0
    assert result.out == f'interlock, version {__version__}\n'


ARGUMENTS: dict[tuple[str, ...], tuple[str, ...]] = {
    ('registry', 'may'): ('Alpha', 'Stage 0'),
    ('registry', 'set-status'): ('Alpha', 'Stage 0'),
    ('registry', 'add'): ('Öl', '--type', 'Audio Effect'),
    ('registry', 'timeline'): ('Alpha', 'Ébauche'),
    ('contracts', 'restore'): ('Bravo',),
    ('contracts', 'seal'): ('Bravo',),
    ('contracts', 'verify'): ('Bravo',),
    ('verify-state',): ('Bravo',),
}


@EACH
@pytest.mark.parametrize(
    'option', ('-q', '-v', '-qq', '-vv', '--quiet', '--verbose'),
)
def test_every_command_can_say_more_and_less(
        project: Repo,
        interlock: Interlock,
        words: tuple[str, ...],
        option: str,
) -> None:
    result = interlock(*words, *ARGUMENTS.get(words, ()), option)
    assert result.code == 0
    assert 'Error' not in result.err


@pytest.mark.parametrize('option', ('--help', '-h'))
def test_the_help_lists_every_command(
        interlock: Interlock,
        option: str,
) -> None:
    result = interlock(option)
    assert result.code == 0
    listed = result.out.partition('Commands:\n')[2].splitlines()
    # a line that goes on is indented further
    names = [line.split()[0] for line in listed if line[2] != ' ']
    assert names == sorted(COMMANDS)


@pytest.mark.parametrize('name', COMMANDS)
def test_the_help_in_one_line_is_the_first_of_the_help(name: str) -> None:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    assert command.help is not None
    assert COMMANDS[name] == command.help.split('\n')[0]


def test_the_version(interlock: Interlock) -> None:
    result = interlock('--version')
    assert result.out == f'interlock, version {__version__}\n'
    assert result.code == 0


@pytest.mark.parametrize(
    ('args', 'sentence'),
    (
        pytest.param(('chekc',), "No such command 'chekc'", id='command'),
        pytest.param(
            ('registry', 'mya'), "No such command 'mya'", id='subcommand',
        ),
        pytest.param(('--nonsense',), 'nonsense', id='option'),
    ),
)
def test_an_unknown_command_exits_2(
        interlock: Interlock,
        args: tuple[str, ...],
        sentence: str,
) -> None:
    result = interlock(*args)
    assert result.code == 2
    assert sentence in result.err


@pytest.mark.parametrize('args', ((), ('registry',)))
def test_a_group_without_a_command_shows_its_help(
        interlock: Interlock,
        args: tuple[str, ...],
) -> None:
    result = interlock(*args)
    # click before 8.2 takes it for a question, and exits 0
    assert result.code in {0, 2}
    assert 'Usage: interlock' in result.out + result.err


def completion(instruction: str, **environ: str) -> list[str]:
    process = subprocess.run(
        (str(SCRIPTS / 'interlock'),),
        env={
            **os.environ, '_INTERLOCK_COMPLETE': instruction, **environ,
        },
        capture_output=True, text=True,
    )
    assert process.returncode == 0, process.stderr
    return [line for line in process.stdout.splitlines() if line]


@pytest.mark.parametrize('shell', ('bash', 'zsh', 'fish'))
def test_a_shell_gets_its_completion(shell: str) -> None:
    script = '\n'.join(completion(f'{shell}_source'))
    assert f'_INTERLOCK_COMPLETE={shell}_complete' in script
    assert 'interlock' in script


@pytest.mark.parametrize(
    ('words', 'expected'),
    (
        pytest.param(
            'interlock explain RE',
            [code for code in RULES if code.startswith('RE')],
            id='a code',
        ),
        pytest.param(
            'interlock explain hnd00',
            [code for code in RULES if code.startswith('HND00')],
            id='a code in lower case',
        ),
        pytest.param('interlock explain ZZ', [], id='no such code'),
        pytest.param('interlock ch', ['check'], id='a command'),
        pytest.param('interlock registry m', ['may'], id='a subcommand'),
        pytest.param(
            'interlock check --only re', ['registry'], id='a check',
        ),
        pytest.param(
            'interlock check --format j', ['json', 'junit'], id='a format',
        ),
        pytest.param('interlock check --wo', ['--worktree'], id='an option'),
    ),
)
def test_words_are_completed(words: str, expected: list[str]) -> None:
    lines = completion(
        'bash_complete',
        COMP_WORDS=words, COMP_CWORD=str(words.count(' ')),
    )
    assert lines == [f'plain,{word}' for word in expected]
