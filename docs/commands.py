"""The page of all commands, from the command line itself."""

from __future__ import annotations

import importlib
import inspect
import json
import re
from collections.abc import Iterator
from pathlib import Path

import click

from interlock import commands
from interlock.commands.group import TITLES, cli

HEAD = """\
# Commands

Made by `make docs` from the help texts; `interlock COMMAND --help` prints the
same. Every command takes `-v`, `-q`, `--version` and `--help`.

Exit codes, of all but `verify-state` and `resume`: 0 clean, 1 refused, 2 the
question cannot be answered (usage, configuration, repository), 3 a failure of
Interlock itself, 75 another command was changing state for longer than `--wait`
seconds. Only errors refuse; warnings and infos are shown. Colour only on a
terminal (`NO_COLOR`, `FORCE_COLOR`).

Commands that write change the cells and lines they are about and no other byte,
and all records or none.
"""
COMMON = {'verbose', 'quiet', 'version', 'help'}
# what a section begins with; the other commands follow by name
FIRST = (
    'check',
    'status',
    'registry',
    'handoff',
    'contracts',
    'task',
    'lock',
    'document',
    'init',
    'config',
    'hook',
)


def _of_section(section: str) -> Iterator[tuple[str, click.Command]]:
    for file in (Path(commands.__file__).parent / section).glob('*.py'):
        module = importlib.import_module(f'interlock.commands.{section}.{file.stem}')
        name = file.stem.replace('_', '-')
        command = getattr(module, 'command', None)
        if isinstance(command, click.Command):
            assert command.name == name, f'{file} defines `{command.name}`'
            yield name, command


def _place(named: tuple[str, click.Command]) -> tuple[int, str]:
    name, _ = named
    return FIRST.index(name) if name in FIRST else len(FIRST), name


def sections() -> dict[str, dict[str, click.Command]]:
    """Every command by its section, as their modules define them."""
    return {name: dict(sorted(_of_section(name), key=_place)) for name in TITLES}


def table() -> str:
    """What `interlock --help` lists: every command with its first sentence."""
    listed = {
        section: {
            name: _prose(each.help or '').partition('\n')[0]
            for name, each in found.items()
        }
        for section, found in sections().items()
    }
    return json.dumps(listed, indent=2, ensure_ascii=False) + '\n'


def _options(command: click.Command) -> Iterator[str]:
    for param in command.params:
        if not isinstance(param, click.Option) or param.name in COMMON:
            continue
        value = '' if param.is_flag or param.count else f' {_metavar(param)}'
        text = (param.help or '').replace('|', r'\|')
        yield f'| `{", ".join(param.opts)}{value}` | {text} |\n'


def _metavar(param: click.Option) -> str:
    if isinstance(param.type, click.Choice):
        return r'\|'.join(map(str, param.type.choices))
    return (param.metavar or param.type.name.upper()).replace('|', r'\|')


def _usage(path: str, command: click.Command) -> str:
    names = [
        param.metavar or (param.name or '').upper()
        for param in command.params
        if isinstance(param, click.Argument)
    ]
    below = ['COMMAND'] if isinstance(command, click.Group) else []
    return ' '.join([path, *names, *below])


def _command(ctx: click.Context, path: str, command: click.Command) -> Iterator[str]:
    level = '#' * (len(path.split()) + 1)
    yield f'\n{level} `{path}`\n\n{_prose(command.help or "")}\n'
    _, *lines = (command.epilog or '').split('\n  ')
    yield f'\n    {_usage(path, command)}\n'
    options = list(_options(command))
    if options:
        yield f'\n| option | does |\n|---|---|\n{"".join(options)}'
    if lines and not isinstance(command, click.Group):
        yield '\nFor example:\n\n' + ''.join(f'    {line}\n' for line in lines)
    if isinstance(command, click.Group):
        for name in command.list_commands(ctx):
            below = command.get_command(ctx, name)
            assert below is not None
            yield from _command(ctx, f'{path} {name}', below)


def _prose(text: str) -> str:
    """A help text, whose words in capitals are arguments."""
    joined = re.sub(r'(?<!\n)\n(?!\n)', ' ', inspect.cleandoc(text))
    return re.sub(r'\n{2,}', '\n\n', joined)


def page() -> str:
    ctx = click.Context(cli, info_name='interlock')
    parts = [HEAD]
    for section, found in sections().items():
        parts.append(f'\n## {TITLES[section]}\n')
        for name, command in found.items():
            parts.extend(_command(ctx, f'interlock {name}', command))
    return ''.join(parts)
