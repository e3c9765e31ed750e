from __future__ import annotations

import io
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from interlock import __version__
from interlock.commands.group import COMMANDS, SECTIONS, cli
from tests import samples
from tests.conftest import Interlock, Repo
from tests.handoff_document import pages
from tests.spaces import TASK, Space


def commands(
    group: click.Group, *names: str
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
def test_every_command_has_help(interlock: Interlock, words: tuple[str, ...]) -> None:
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
    interlock: Interlock, words: tuple[str, ...]
) -> None:
    result = interlock(*words, '--version')
    assert result.code == 0
    assert result.out == f'interlock, version {__version__}\n'


REPORT = str(Path(__file__).parent / 'report.json')
ARGUMENTS: dict[tuple[str, ...], tuple[str, ...]] = {
    ('registry', 'may'): ('Alpha', 'Stage 0'),
    ('registry', 'set-status'): ('Alpha', 'Stage 0'),
    ('registry', 'add'): ('Öl', '--type', 'Audio Effect'),
    ('registry', 'timeline'): ('Alpha', 'Ébauche'),
    ('commit-stage',): ('Bravo', '2', '-m', 'Coquille', '--dry-run'),
    ('contracts', 'restore'): ('Bravo',),
    ('contracts', 'seal'): ('Bravo',),
    ('contracts', 'verify'): ('Bravo',),
    ('evidence', 'add'): ('Bravo', '--kind', 'test', '--result', 'passed'),
    ('handoff', 'create'): ('Alpha',),
    ('handoff', 'delete'): ('Bravo',),
    ('handoff', 'migrate'): ('Bravo',),
    ('handoff', 'regenerate'): ('Bravo',),
    ('handoff', 'restore'): ('Bravo',),
    ('handoff', 'update'): ('Bravo', '--context', 'Établi 3'),
    ('menu',): ('Bravo',),
    ('resume',): ('Bravo',),
    ('verify-state',): ('Bravo',),
    ('verify-update',): ('Bravo', '--stage', '2', '--report', REPORT, '--fallback'),
    ('document', 'check'): ('handoff.md',),
    ('document', 'new'): ('--mode', 'checkpoint'),
    ('document', 'resume'): ('handoff.md',),
    ('state', 'save'): ('{}',),
    ('state', 'update'): ('{}',),
    ('prepare-commit-msg',): ('PLUGINS.md',),
}
# it runs until its client goes; its own tests start it
SERVER = ('mcp',)
# what is of use only where a handoff was lost
LOST = {('handoff', 'regenerate'), ('handoff', 'restore')}
# about a task that was begun by the session
TASK_ARGUMENTS: dict[tuple[str, ...], tuple[str, ...]] = {
    ('agents', 'add'): (TASK, 'test', '--why', 'é'),
    ('agents', 'check'): (TASK,),
    ('approve',): (TASK,),
    ('checkpoint',): (TASK,),
    ('gate',): (TASK, 'CLASSIFIED'),
    ('lock', 'acquire'): ('wash-up',),
    ('lock', 'confirm'): (TASK,),
    ('lock', 'list'): (),
    ('lock', 'log'): (TASK,),
    ('lock', 'migrate'): ('--from', 'git-remote'),
    ('lock', 'migrate-schema'): (),
    ('lock', 'release'): (TASK,),
    ('lock', 'restore'): (TASK,),
    ('lock', 'settle'): (TASK,),
    ('lock', 'show'): (TASK,),
    ('present',): (TASK,),
    ('push',): (),
    ('state', 'send'): (),
    ('task', 'adopt'): (TASK, '--session', 'x'),
    ('task', 'check'): (TASK,),
    ('task', 'clean'): (TASK,),
    ('task', 'finish'): (TASK,),
    ('task', 'list'): (),
    ('task', 'resume'): (TASK,),
    ('task', 'select'): (TASK,),
    ('task', 'start'): ('wash-up',),
    ('trail', 'add'): (TASK, 'tool', 'Edit'),
    ('trail', 'check'): (TASK,),
    ('transition',): (TASK, 'CLASSIFIED'),
    ('uninstall',): (),
}
# where no engine is shared
UNSHARED = {('lock', 'migrate-schema'), ('push',), ('state', 'send')}
# not yet, not twice, or not without a person
REFUSED = {
    ('approve',),
    ('checkpoint',),
    ('lock', 'migrate'),
    ('lock', 'restore'),
    ('present',),
    ('task', 'adopt'),
    ('task', 'clean'),
    ('task', 'finish'),
    ('task', 'start'),
    ('trail', 'check'),
    ('uninstall',),
}
OF_ITEMS = [words for words in ALL if words not in TASK_ARGUMENTS]
# they plant a violation of every rule
LONG = {('demo',)}
LOUDNESS = pytest.mark.parametrize(
    'option',
    (
        *('-q', '-v'),
        *(
            pytest.param(option, marks=pytest.mark.slow)
            for option in ('-qq', '-vv', '--quiet', '--verbose')
        ),
    ),
)


@LOUDNESS
@pytest.mark.parametrize(
    'words',
    [
        pytest.param(
            words, id=' '.join(words), marks=[pytest.mark.slow] * (words in LONG)
        )
        for words in OF_ITEMS
    ],
)
def test_every_command_can_say_more_and_less(
    project: Repo,
    interlock: Interlock,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    option: str,
) -> None:
    monkeypatch.setattr('sys.stdin', io.TextIOWrapper(io.BytesIO()))
    if words == SERVER:
        return
    elif words in LOST:
        project.write({samples.handoff_path('Bravo'): None})
    elif words[0] == 'document':
        project.commit(pages.files(project.path))
    result = interlock(*words, *ARGUMENTS.get(words, ()), option)
    assert result.code == 0
    assert 'Error' not in result.err


@LOUDNESS
@pytest.mark.parametrize('words', TASK_ARGUMENTS, ids=' '.join)
def test_every_command_about_tasks_can_say_more_and_less(
    space: Space,
    interlock: Interlock,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    option: str,
) -> None:
    assert interlock('task', 'start', TASK).code == 0
    monkeypatch.chdir(space.file('code'))
    result = interlock(*words, *TASK_ARGUMENTS[words], option)
    assert result.code == (2 if words in UNSHARED else int(words in REFUSED))
    assert 'Error' not in result.err


@pytest.mark.parametrize('option', ('--help', '-h'))
def test_the_help_lists_every_command(interlock: Interlock, option: str) -> None:
    result = interlock(option)
    assert result.code == 0
    listed = result.out.partition('Everyday:\n')[2].splitlines()
    # a line that goes on is indented further
    names = [line.split()[0] for line in listed if re.match('  [a-z]', line)]
    assert names == list(COMMANDS)


@pytest.mark.parametrize('name', COMMANDS)
def test_the_help_in_one_line_is_the_first_of_the_help(name: str) -> None:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    assert command.help is not None
    assert SECTIONS[COMMANDS[name]][name] == command.help.split('\n')[0]


def test_the_version(interlock: Interlock) -> None:
    result = interlock('--version')
    assert result.out == f'interlock, version {__version__}\n'
    assert result.code == 0


@pytest.mark.parametrize(
    ('args', 'sentence'),
    (
        pytest.param(('chekc',), "No such command 'chekc'", id='command'),
        pytest.param(('registry', 'mya'), "No such command 'mya'", id='subcommand'),
        pytest.param(('--nonsense',), 'nonsense', id='option'),
        pytest.param(
            ('registry', 'set-status', 'Bravo', 'Stage', '3'),
            'extra argument (3); a name with spaces needs quotes',
            id='a word too many',
        ),
        pytest.param(
            ('status', 'Bravo'), 'extra argument (Bravo)\n', id='a word where none is'
        ),
    ),
)
def test_a_call_that_is_not_understood_exits_2(
    interlock: Interlock, args: tuple[str, ...], sentence: str
) -> None:
    result = interlock(*args)
    assert result.code == 2
    assert sentence in result.err


@pytest.mark.parametrize('args', ((), ('registry',)))
def test_a_group_without_a_command_shows_its_help(
    interlock: Interlock, args: tuple[str, ...]
) -> None:
    result = interlock(*args)
    # click before 8.2 takes it for a question, and exits 0
    assert result.code in {0, 2}
    assert 'Usage: interlock' in result.out + result.err
