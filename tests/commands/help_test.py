"""The help of every command: sections, examples that can be run, near names."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from interlock.commands.group import COMMANDS, SECTIONS, TITLES, cli
from tests.commands.terminal import typed
from tests.conftest import Interlock, Repo


def commands(
    group: click.Group = cli, ctx: click.Context | None = None
) -> Iterator[tuple[str, click.Command]]:
    ctx = click.Context(group, ctx, info_name=group.name, **group.context_settings)
    for name in group.list_commands(ctx):
        found = group.get_command(ctx, name)
        assert found is not None
        yield f'{ctx.command_path} {name}', found
        if isinstance(found, click.Group):
            yield from commands(found, ctx)


def examples(command: click.Command) -> list[str]:
    """The lines of its help that show how it is called."""
    head, *lines = (command.epilog or '').split('\n  ')
    return lines if head == '\b\nExamples:' else []


def test_every_command_shows_examples() -> None:
    assert [path for path, each in commands() if not examples(each)] == []
    assert {line.split()[1] for line in examples(cli)} <= {*COMMANDS}


def test_every_help_fits_a_terminal() -> None:
    def text(path: str, command: click.Command) -> str:
        # click keeps the help option that a command is asked for first, with its names
        ctx = click.Context(command, info_name=path, **cli.context_settings)
        return command.get_help(ctx)

    assert [
        line
        for path, each in [('interlock', cli), *commands()]
        for line in text(path, each).splitlines()
        if len(line) > 80
    ] == []


def test_every_example_can_be_parsed(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.write({'docs/FEATURES.md': '', 'handoff.md': ''})
    known = dict(commands())
    for name, command in known.items():
        path = name.removeprefix('interlock ')
        for line in examples(command):
            words = shlex.split(line.removeprefix('eval "$(').removesuffix(')"'))
            args = [word for word in words if not word.startswith('<')]
            length = len(path.split()) + 1
            if isinstance(command, click.Group):
                # it shows one of its commands
                assert ' '.join(args[:3]) in known, line
                continue
            assert args[:length] == ['interlock', *path.split()], line
            parent = click.Context(cli, help_option_names=['-h', '--help'])
            command.make_context(path, args[length:], parent)


def test_the_help_has_sections(interlock: Interlock) -> None:
    said = interlock('--help').out
    assert [title for title in TITLES.values() if f'{title}:\n' not in said] == []
    assert set(TITLES) == set(SECTIONS)
    assert [name for name in COMMANDS if f'  {name} ' not in said] == []


@pytest.mark.parametrize(
    ('args', 'meant'),
    (
        pytest.param(('chekc',), 'did you mean `interlock check`?', id='command'),
        pytest.param(
            ('registry', 'shwo'), 'did you mean `interlock registry show`?', id='below'
        ),
        pytest.param(
            ('task', 'strat'), 'did you mean `interlock task start`?', id='task'
        ),
        pytest.param(('stat',), 'did you mean `interlock status`?', id='begun'),
        pytest.param(
            ('set-status', 'Bravo', 'Stage 3'),
            'did you mean `interlock registry set-status`?',
            id='of a group',
        ),
        pytest.param(('lint',), 'did you mean `interlock check`?', id='lint'),
        pytest.param(('help',), 'did you mean `interlock --help`?', id='help'),
        pytest.param(('list',), 'did you mean `interlock status`?', id='list'),
        pytest.param(
            ('registry', 'list'),
            'did you mean `interlock registry show`?',
            id='list of a group',
        ),
        pytest.param(('quux',), "No such command 'quux'.", id='nothing near'),
    ),
)
def test_a_command_that_is_not_there_names_the_nearest(
    interlock: Interlock, args: tuple[str, ...], meant: str
) -> None:
    result = interlock(*args)
    assert result.code == 2
    assert meant in result.err


def test_json_is_short_for_a_format(project: Repo, interlock: Interlock) -> None:
    assert (
        interlock('status', '--json').out == interlock('status', '--format', 'json').out
    )


def test_a_path_narrows_what_is_said(project: Repo, interlock: Interlock) -> None:
    text = (project.path / 'PLUGINS.md').read_text()
    project.write(
        {
            'PLUGINS.md': text.replace('| Bravo | 🚧 Stage 2', '| Bravo | 🚧 Stage 1'),
            'plugins/Bravo/.ideas/plan.md': 'rewritten\n',
        }
    )
    assert interlock('check', '--json', 'PLUGINS.md').codes == ['REG001']
    assert interlock('check', '--json', 'plugins/Bravo').codes == ['CON001']
    assert interlock('check', '--json', '.').codes == ['CON001', 'REG001']
    assert interlock('check', '--json', 'plugins/Bravo/Source').code == 0
    assert interlock('check', 'gone.md').code == 2


def test_verbose_says_what_was_asked(project: Repo, interlock: Interlock) -> None:
    project.stage({'PLUGINS.md': (project.path / 'PLUGINS.md').read_text() + '\n'})
    said = interlock('check', '-v').out
    assert 'interlock: judged 1 changed file, by ' in said
    assert ' rules ' in said and ' ms\n' in said
    assert 'asked about' not in interlock('check').out
    whole = interlock('check', '--tree', 'HEAD', '-v').out
    assert 'interlock: judged the whole tree, by ' in whole


@pytest.mark.parametrize(
    ('shell', 'place'),
    (
        ('bash', '.local/share/bash-completion/completions/interlock'),
        ('zsh', '.zfunc/_interlock'),
        ('fish', '.config/fish/completions/interlock.fish'),
    ),
)
def test_a_completion_is_written_where_the_shell_looks(
    interlock: Interlock,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    shell: str,
    place: str,
) -> None:
    monkeypatch.setenv('HOME', str(tmp_path))
    for name in ('XDG_DATA_HOME', 'XDG_CONFIG_HOME'):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv('SHELL', f'/bin/{shell}')
    for _ in range(2):
        assert interlock('completion', 'install').code == 0
    written = (tmp_path / place).read_text()
    assert '_INTERLOCK_COMPLETE' in written
    assert interlock('completion', 'show', '--shell', shell).out == f'{written}\n'


def test_a_shell_that_is_not_known_is_said(
    interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv('SHELL', '/bin/tcsh')
    result = interlock('completion', 'install')
    assert result.code == 2
    assert 'next: interlock completion install --shell bash' in result.err


def test_a_terminal_is_asked_and_q_leaves(project: Repo) -> None:
    result = typed('menu', 'Bravo', answers=('q',))
    assert result.code == 0


def test_the_help_of_a_group_cuts_no_sentence(interlock: Interlock) -> None:
    for name in ('registry', 'handoff', 'document', 'state', 'task', 'lock'):
        commands = interlock(name, '--help').out.partition('Commands:')[2]
        assert commands
        assert '...' not in commands
