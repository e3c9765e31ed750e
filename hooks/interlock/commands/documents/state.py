from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from typing import Any

import click

from interlock import __version__
from interlock.commands.click_options import F, Seconds, common
from interlock.documents.text import one_line
from interlock.git.git_paths import project_of
from interlock.model.errors import Refusal
from interlock.report.terminal import FOUND, err, out
from interlock.state.hook_texts import keep_lines
from interlock.state.recovery_text import WHOLE, recovery
from interlock.state.state_hooks import owner_of
from interlock.state.store import (
    MAX_AGE,
    WAIT,
    LoadedState,
    Owner,
    SavedState,
    Store,
    open_store,
)
from interlock.state.validate import parse_json, schema

TRIGGERS = schema()['properties']['mode']['enum']
# a state may have less; more is not even read
MAX_INPUT = 8 * 1024 * 1024


waiting = click.option(
    '--wait',
    type=Seconds(),
    default=WAIT,
    metavar='SECONDS',
    show_default=True,
    help='How long to wait for another process.',
)


@click.group('state')
@click.version_option(__version__, prog_name='interlock')
def command() -> None:
    """Save the state of a session, and give it back to the next one."""


def about(function: F) -> F:
    """The options that say which project it is, and whose state."""
    for option in (
        click.option(
            '--project',
            default='.',
            metavar='DIRECTORY',
            type=click.Path(exists=True, file_okay=False),
            help='Any directory of the project (default: this one).',
        ),
        waiting,
        click.option(
            '--session',
            default='',
            metavar='ID',
            help='The session (default: the one that we run in).',
        ),
        click.option(
            '--agent', default='', metavar='ID', help='An agent of the session.'
        ),
    ):
        function = option(function)
    return common(function)


def _input(argument: str) -> Any:
    if argument != '-':
        return parse_json(argument)
    data = sys.stdin.buffer.read(MAX_INPUT + 1)
    if len(data) > MAX_INPUT:
        raise Refusal(
            f'STA004 the input has more than {MAX_INPUT} bytes',
            'interlock explain STA004',
        )
    try:
        return parse_json(data.decode())
    except UnicodeDecodeError:
        raise Refusal(
            'STA001 the input is not UTF-8', 'interlock explain STA001'
        ) from None


def _owner(session: str, agent: str) -> Owner:
    session = session or owner_of({}, os.environ).session
    if agent and not session:
        raise click.UsageError('an agent belongs to a session: --session ID')
    return Owner(session, agent)


def _json(value: object) -> None:
    out(json.dumps(value, ensure_ascii=False, indent=2))


def _write(
    write: Callable[[Store, str, Any, str, Owner], SavedState],
    argument: str,
    trigger: str,
    given: str,
    owner: Owner,
    wait: float,
) -> int:
    state, project = _input(argument), project_of(given)
    with open_store(os.environ, wait) as store:
        saved = write(store, project, state, trigger, owner)
    if saved.replaced:
        err(
            f'interlock: warning: STA010 the state of {project} was that of '
            f'session {saved.replaced}; both are kept: interlock state list'
        )
    _json(
        {
            'project': project,
            'trigger': trigger,
            'replaced_session': saved.replaced or None,
        }
    )
    return 0


@command.command()
@click.argument('state', default='-', metavar='[JSON]')
@click.option(
    '--trigger', type=click.Choice(TRIGGERS), default='manual', show_default=True
)
@about
def save(
    state: str,
    trigger: str,
    project: str,
    session: str,
    agent: str,
    wait: float,
    verbose: int,
    quiet: int,
) -> int:
    """Save a state, given as JSON or on standard input (`-`)."""
    owner = _owner(session, agent)
    return _write(Store.save, state, trigger, project, owner, wait)


@command.command()
@click.argument('updates', default='-', metavar='[JSON]')
@click.option(
    '--trigger', type=click.Choice(TRIGGERS), default='checkpoint', show_default=True
)
@about
def update(
    updates: str,
    trigger: str,
    project: str,
    session: str,
    agent: str,
    wait: float,
    verbose: int,
    quiet: int,
) -> int:
    """Merge a part of a state (JSON, or `-`) into the one that is saved."""
    owner = _owner(session, agent)
    return _write(Store.update, updates, trigger, project, owner, wait)


def as_json(project: str, found: LoadedState) -> dict[str, Any]:
    """What a program is told; of a state that is too old all but itself."""
    answer: dict[str, Any] = {'found': found.found, 'project': project}
    if found.trigger:
        answer.update(
            {
                'state': found.state,
                'trigger': found.trigger,
                'age_hours': round(found.age_hours, 4),
                'created_at': found.created_at,
                'updated_at': found.updated_at,
                'session': found.owner.session or None,
                'agent': found.owner.agent or None,
                'other_session': found.other or None,
            }
        )
    return answer


@command.command()
@click.option(
    '--max-age',
    type=click.FloatRange(0),
    default=MAX_AGE,
    metavar='HOURS',
    show_default=True,
    help='Older states are not given back.',
)
@click.option(
    '--format', 'form', type=click.Choice(['json', 'recovery']), default='json'
)
@about
def load(
    max_age: float,
    form: str,
    project: str,
    session: str,
    agent: str,
    wait: float,
    verbose: int,
    quiet: int,
) -> int:
    """Print the state to go on from, as JSON or as text for an agent."""
    key = project_of(project)
    with open_store(os.environ, wait) as store:
        found = store.load(key, _owner(session, agent), max_age)
    if form == 'json':
        _json(as_json(key, found))
    else:
        out(recovery(found))
    return 0


def _none(project: str) -> None:
    err(f'no state is saved for {project}')


@command.command()
@click.option('--format', 'form', type=click.Choice(['text', 'json']), default='text')
@about
def show(
    form: str,
    project: str,
    session: str,
    agent: str,
    wait: float,
    verbose: int,
    quiet: int,
) -> int:
    """Show what is saved, whatever its age."""
    key = project_of(project)
    with open_store(os.environ, wait) as store:
        found = store.load(key, _owner(session, agent))
    if form == 'json':
        _json(as_json(key, found))
    elif found.state is None:
        _none(key)
    else:
        out(f'{key}: saved {found.age_hours:.1f} h ago ({found.trigger})')
        if found.other:
            out(one_line(f'Saved by another session: {found.other}'))
        out(f'Keys: {", ".join(found.state) or "none"}')
        out(keep_lines(found.state))
        out(WHOLE)
    return 0


@command.command('list')
@click.option('--check', is_flag=True, help='Check the file of the store too.')
@click.option('--format', 'form', type=click.Choice(['text', 'json']), default='text')
@waiting
@common
def list_(check: bool, form: str, wait: float, verbose: int, quiet: int) -> int:
    """List what is saved: projects, and the sessions that work in them."""
    with open_store(os.environ, wait) as store:
        entries = store.rows()
        problems = store.problems() if check else []
    if form == 'json':
        _json(
            [
                {
                    'project': each.project,
                    'session': each.owner.session or None,
                    'agent': each.owner.agent or None,
                    'trigger': each.trigger,
                    'age_hours': None
                    if each.age_hours is None
                    else round(each.age_hours, 4),
                    'bytes': each.size,
                }
                for each in entries
            ]
        )
    else:
        for each in entries:
            whose = ' '.join(part for part in each.owner if part)
            age = '?' if each.age_hours is None else f'{each.age_hours:.1f} h'
            line = f'{age:>10}  {each.trigger:10}  {each.project}  {whose}'
            out(one_line(line.rstrip()))
    for problem in problems:
        err(f'STA006 {store.path}: {problem}')
    return FOUND if problems else 0


@command.command()
@click.option(
    '--project',
    default='.',
    metavar='DIRECTORY',
    help='Any directory of the project (default: this one), or the path of '
    'one that is gone, as `state list` shows it.',
)
@waiting
@common
def forget(project: str, wait: float, verbose: int, quiet: int) -> int:
    """Delete all that is saved of a project; other projects stay."""
    there = os.path.isdir(project)
    key = project_of(project) if there else os.path.abspath(project)
    with open_store(os.environ, wait) as store:
        rows = store.forget(key)
    if rows:
        err(f'{key}: forgotten ({rows} rows)')
    else:
        _none(key)
    return 0
