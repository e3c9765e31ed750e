"""A word that a user misspelled: the same command is named with the right word."""

from __future__ import annotations

import shlex

import click
import pytest

from interlock.commands.group import COMMANDS, cli
from interlock.model.quick_typing import Iterator
from tests.conftest import Interlock, Repo
from tests.desk import Desk
from tests.spaces import TASK

# what is typed -> what is named; `~` marks the misspelled word and what it becomes
OF_ITEMS = (
    'registry set-status ~bravo:Bravo "Stage 3"',
    'registry set-status Bravo ~Stge3:"Stage 3" --text registry',
    'registry may ~Brvo:Bravo "Stage 3"',
    'registry may Bravo ~Stge3:"Stage 3"',
    'registry show ~bravo:Bravo --json',
    'registry timeline ~bravo:Bravo bravo',
    'registry sync ~bravo:Bravo',
    'registry restore ~bravo:Bravo',
    'handoff create ~bravo:Bravo 2',
    'handoff update ~bravo:Bravo 2',
    'handoff update Bravo --set ~gui_typ=webview:gui_type=webview',
    'handoff regenerate ~bravo:Bravo',
    'handoff migrate ~bravo:Bravo',
    'handoff delete ~bravo:Bravo',
    'handoff restore ~bravo:Bravo',
    'contracts seal ~bravo:Bravo',
    'contracts seal Bravo ~pln:plan',
    'contracts verify ~bravo:Bravo',
    'contracts restore ~bravo:Bravo',
    'evidence add ~bravo:Bravo --kind test --result passed',
    'evidence add Bravo --kind ~tst:test --result passed',
    'commit-stage ~bravo:Bravo 3 -m "it sounds"',
    'menu ~bravo:Bravo',
    'menu Bravo --outcome=~tests-fail:tests-failed',
    'resolve ~bravo:Bravo',
    'resume ~bravo:Bravo',
    'verify-state ~bravo:Bravo',
    'config explain ~frozn:frozen',
    'explain ~REG0001:REG001',
    'audit --item ~bravo:Bravo',
)
OF_TASKS = (
    f'gate {TASK} ~SYNTHESS:SYNTHESIS',
    f'gate ~{TASK.upper()}:{TASK} SYNTHESIS',
    f'transition ~bake-bred:{TASK} SYNTHESIS',
    f'transition {TASK} ~SYNTHESS:SYNTHESIS',
    f'lock release ~bake-bred:{TASK}',
    f'task check ~bake-bred:{TASK}',
    f'task finish ~bake-bred:{TASK}',
    f'task resume ~bake-bred:{TASK}',
    f'approve ~bake-bred:{TASK}',
    f'present ~bake-bred:{TASK}',
    f'push ~bake-bred:{TASK}',
    f'checkpoint ~bake-bred:{TASK}',
    f'trail check ~bake-bred:{TASK}',
    f'agents check ~bake-bred:{TASK}',
)


def _typed(case: str) -> tuple[list[str], str]:
    """The words of a command, and the line that names it again."""
    typed, named = [], []
    for word in shlex.split(case):
        head, mark, pair = word.partition('~')
        wrong, _, right = pair.partition(':')
        typed.append(head + (wrong if mark else ''))
        named.append(head + (right if mark else ''))
    return typed, f'    next: interlock {shlex.join(named)}\n'


def _refused(interlock: Interlock, case: str) -> None:
    typed, named = _typed(case)
    result = interlock(*typed)
    assert result.code in (1, 2)
    said = result.out + result.err
    assert 'did you mean `' in said
    assert named.strip() in said


@pytest.mark.parametrize('case', OF_ITEMS)
def test_a_misspelled_word_of_an_item(
    project: Repo, interlock: Interlock, case: str
) -> None:
    _refused(interlock, case)


@pytest.mark.parametrize('case', OF_TASKS)
def test_a_misspelled_word_of_a_task(
    desk: Desk, interlock: Interlock, case: str
) -> None:
    _refused(interlock, case)


@pytest.mark.parametrize(
    ('args', 'named'),
    (
        pytest.param(
            ('registry', 'set-status', 'Xyz', 'Stage 3'),
            'interlock status',
            id='nothing is similar',
        ),
        pytest.param(
            ('registry', 'set-status', 'Alphb', 'Stage 3'),
            'interlock status',
            id='two are as similar',
        ),
        pytest.param(
            ('registry', 'set-status', 'Bravo', 'Xyz'),
            'interlock registry may Bravo',
            id='no status is similar',
        ),
        pytest.param(('explain', 'XYZ'), 'interlock explain', id='no rule'),
    ),
)
def test_what_nobody_can_have_meant_is_not_named(
    project: Repo, interlock: Interlock, args: tuple[str, ...], named: str
) -> None:
    table = (project.path / 'PLUGINS.md').read_text()
    row = next(line for line in table.splitlines() if line.startswith('| Alpha |'))
    others = ''.join(f'{row.replace("Alpha", name)}\n' for name in ('Alphc', 'Alphd'))
    project.write({'PLUGINS.md': table.replace(f'{row}\n', others)})
    assert interlock(*args).err.endswith(f'    next: {named}\n')


def _taking(argument: str) -> Iterator[str]:
    """The commands that take an argument."""
    context = click.Context(cli)
    for name in COMMANDS:
        command = cli.get_command(context, name)
        below = command.commands if isinstance(command, click.Group) else {'': command}
        for verb, each in below.items():
            if each and any(param.name == argument for param in each.params):
                yield f'{name} {verb}'.strip()


def test_every_command_that_takes_an_item_is_tried() -> None:
    tried = {
        case.partition(' ~')[0].split(' Bravo')[0].split(' --')[0] for case in OF_ITEMS
    }
    # what it registers is new, and what it reads first is a report
    assert {*_taking('item')} - tried == {'registry add', 'verify-update'}
