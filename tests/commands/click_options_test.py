from __future__ import annotations

import subprocess
from typing import Any

import click
import pytest

from interlock.commands.click_options import option
from tests.conftest import SCRIPTS, Interlock, Repo

OPTIONS = (
    ('pre-receive', '--budget'),
    ('document', 'resume', 'x.md', '--timeout'),
    ('registry', 'sync', '--wait'),
    ('state', 'save', '{}', '--wait'),
)


@pytest.mark.parametrize(
    'number', ('nan', '-nan', 'inf', '-inf', '1e300', '1e10', '86401', '-1')
)
@pytest.mark.parametrize('args', OPTIONS)
def test_an_invalid_number_of_seconds_is_refused(
    project: Repo, interlock: Interlock, args: tuple[str, ...], number: str
) -> None:
    result = interlock(*args, number)
    assert (result.code, result.out) == (2, '')
    assert f"Invalid value for '{args[-1]}': " in result.err
    # and what is allowed
    assert '86400' in result.err


@pytest.mark.parametrize('number', ('0.5', '600', '86400'))
def test_a_budget_of_up_to_a_day_is_kept(project: Repo, number: str) -> None:
    tip = project.git('rev-parse', 'HEAD')
    process = subprocess.run(
        (SCRIPTS / 'interlock', 'pre-receive', '--budget', number),
        input=f'{"0" * 40} {tip} refs/heads/neu\n',
        text=True,
        capture_output=True,
    )
    assert (process.returncode, process.stderr) == (0, '')


@pytest.mark.parametrize(
    ('form', 'more', 'args', 'given'),
    (
        ('--plain', {}, [], {'plain': False}),
        ('--plain', {}, ['--plain'], {'plain': True}),
        ('-o --output FILE', {}, [], {'output': ''}),
        ('-o --output FILE', {}, ['-o', 'x'], {'output': 'x'}),
        ('--set VALUE...', {}, [], {'set': ()}),
        ('--set VALUE...', {}, ['--set', 'a', '--set', 'b'], {'set': ('a', 'b')}),
        ('--from places FOLDER', {}, ['--from', 'x'], {'places': 'x'}),
        ('--count', {'type': int}, ['--count', '2'], {'count': 2}),
        ('--count N', {'type': int}, [], {'count': None}),
    ),
)
def test_an_option_is_what_its_form_says(
    form: str, more: dict[str, Any], args: list[str], given: dict[str, Any]
) -> None:
    command = click.Command('x', callback=lambda **given: given)
    option(form, 'Do it.', **more)(command)
    assert command.main(args, standalone_mode=False) == given
