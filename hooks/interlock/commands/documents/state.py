from __future__ import annotations

import contextlib
import functools
import os
import sys

import click

from interlock.commands.click_options import (
    Options,
    common,
    decorated,
    example,
    formats,
    group,
    option,
    waiting,
)
from interlock.documents.text import one_line
from interlock.git.git_paths import project_of
from interlock.model.errors import Refusal
from interlock.model.quick_typing import Any, Callable, Iterator
from interlock.model.report import plural
from interlock.report.terminal import FOUND, err, out, out_json
from interlock.state.recovery_text import WHOLE, keep_lines, recovery
from interlock.state.shared_states import load_elsewhere, send_if_shared, sharing_of
from interlock.state.state_hooks import owner_of
from interlock.state.store import MAX_AGE, WAIT, Owner, SavedState, Store, open_store
from interlock.state.validate import parse_json, schema

TRIGGERS = schema()['properties']['mode']['enum']
# larger than any state; more is not even read
MAX_INPUT = 8 * 1024 * 1024


@example('interlock state show')
@group('state')
def command() -> None:
    """Save the state of a session, and give it back to the next one."""


def about(function: Callable[..., int]) -> Callable[..., int]:
    """Add the options that name a project and the owner of the state."""

    @functools.wraps(function)
    def with_owner(
        options: Options, project: str, session: str, agent: str, **given: Any
    ) -> int:
        session = session or owner_of({}, os.environ).session
        if agent and not session:
            raise click.UsageError('--agent needs --session ID')
        return function(options, project_of(project), Owner(session, agent), **given)

    return decorated(
        common(with_owner),
        option(
            '--project DIRECTORY',
            'Name any directory of the project (default: this one).',
            default='.',
            type=click.Path(exists=True, file_okay=False),
        ),
        waiting(WAIT),
        option('--session ID', 'Name the session (default: the current one).'),
        option('--agent ID', 'Name an agent of the session.'),
    )


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


def _trigger(default: str) -> Callable[..., Callable[..., int]]:
    return click.option(
        '--trigger', type=click.Choice(TRIGGERS), default=default, show_default=True
    )


@contextlib.contextmanager
def _warning() -> Iterator[None]:
    """Only warn if the shared store fails: the local one has everything."""
    try:
        yield
    except Refusal as e:
        err(f'interlock: warning: {e.message}')


def _write(
    write: Callable[[Store, str, Any, str, Owner], SavedState],
    argument: str,
    trigger: str,
    project: str,
    owner: Owner,
    wait: float,
) -> int:
    state = _input(argument)
    with open_store(os.environ, wait) as store:
        saved = write(store, project, state, trigger, owner)
        with _warning():
            send_if_shared(store, project)
    if saved.replaced:
        err(
            f'interlock: warning: STA010 the state of {project} was that of '
            f'session {saved.replaced}; both are kept: interlock state list'
        )
    replaced = saved.replaced or None
    out_json({'project': project, 'trigger': trigger, 'replaced_session': replaced})
    return 0


@example('interlock state save --trigger manual <state.json')
@command.command()
@click.argument('state', default='-', metavar='[JSON]')
@_trigger('manual')
@about
def save(options: Options, key: str, owner: Owner, state: str, trigger: str) -> int:
    """Save a state, given as JSON or on standard input (`-`)."""
    return _write(Store.save, state, trigger, key, owner, options.wait)


@example('interlock state update \'{"goals": {"main_task": "test it"}}\'')
@command.command()
@click.argument('updates', default='-', metavar='[JSON]')
@_trigger('checkpoint')
@about
def update(options: Options, key: str, owner: Owner, updates: str, trigger: str) -> int:
    """Merge a part of a state (JSON, or `-`) into the one that is saved."""
    return _write(Store.update, updates, trigger, key, owner, options.wait)


@example('interlock state load --format recovery')
@command.command()
@option(
    '--max-age HOURS',
    'Ignore states older than this.',
    type=click.FloatRange(0),
    default=MAX_AGE,
    show_default=True,
)
@formats('json', 'recovery')
@about
def load(options: Options, key: str, owner: Owner, max_age: float, form: str) -> int:
    """Print the state to continue from, as JSON or as text for an agent."""
    with open_store(os.environ, options.wait) as store:
        found = store.load(key, owner, max_age)
    with _warning():
        found = load_elsewhere(found, key, owner, max_age)
    if form == 'json':
        out_json(found.as_json(key))
    else:
        out(recovery(found))
    return 0


@example('interlock state show')
@command.command()
@formats('text', 'json')
@about
def show(options: Options, key: str, owner: Owner, form: str) -> int:
    """Show the saved state, however old it is."""
    with open_store(os.environ, options.wait) as store:
        found = store.load(key, owner)
    if form == 'json':
        out_json(found.as_json(key))
    elif found.state is None:
        err(f'no state is saved for {key}')
    else:
        out(f'{key}: saved {found.ago} ({found.trigger})')
        if found.other:
            out(one_line(f'Saved by another session: {found.other}'))
        out(f'Keys: {", ".join(found.state) or "none"}')
        out(keep_lines(found.state))
        out(WHOLE)
    return 0


@example('interlock state list')
@command.command('list')
@option('--check', 'Check the integrity of the store too.')
@formats('text', 'json')
@waiting(WAIT)
@common
def list_(options: Options, check: bool, form: str) -> int:
    """List what is saved: projects, and the sessions that work in them."""
    with open_store(os.environ, options.wait) as store:
        entries = store.rows()
        problems = store.problems() if check else []
    if form == 'json':
        out_json(
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
        if not entries:
            err('no state is saved yet')
    for problem in problems:
        err(f'STA006 {store.path}: {problem}')
    return FOUND if problems else 0


@example('interlock state send')
@command.command()
@waiting(WAIT)
@common
def send(options: Options) -> int:
    """Send the saved states of this project to the database of its team.

    After the first time, states are sent as they are saved; older ones stay here.
    """
    project = project_of('.')
    sharing = sharing_of(project)
    if sharing is None:
        raise Refusal(
            'the workflow does not share saved states (no `store: '
            '{engine: postgresql}`), so they stay here',
            'interlock config show',
        )
    with open_store(os.environ, options.wait) as store:
        store.share(project)
        count = sharing.send(store, project)
    if not options.quiet:
        err(f'{count} states sent to service {sharing.service}')
    return 0


@example('interlock state forget')
@command.command()
@option(
    '--project DIRECTORY',
    'Name any directory of the project (default: this one), or the path of '
    'one that is gone, as `state list` shows it.',
    default='.',
)
@waiting(WAIT)
@common
def forget(options: Options, project: str) -> int:
    """Delete everything that is saved for a project; other projects are kept."""
    there = os.path.isdir(project)
    key = project_of(project) if there else os.path.abspath(project)
    with open_store(os.environ, options.wait) as store:
        rows = store.forget(key)
        shared = store.is_shared(key)
    if shared and (sharing := sharing_of(key)) is not None:
        rows += sharing.states.forget()
    said = (
        f'{key}: forgotten ({plural(rows, "row")})'
        if rows
        else f'no state is saved for {key}'
    )
    err(said)
    return 0
