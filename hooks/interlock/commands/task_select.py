from __future__ import annotations

import json
from typing import NamedTuple

import click

from interlock.commands.host import err
from interlock.commands.host import FOUND
from interlock.commands.host import out
from interlock.commands.parsing import common
from interlock.commands.workspace import opened
from interlock.commands.workspace import Workplace
from interlock.workflow import selection
from interlock.workflow.selection import Decision
from interlock.world import holding
from interlock.world import situations

CHANGED = 'its entry changed since the task was begun'


class Answer(NamedTuple):
    decision: Decision
    task: str
    notes: tuple[str, ...] = ()
    # tasks that may be begun, in the order of the list
    free: tuple[str, ...] = ()


def _free(at: Workplace, besides: str = '') -> tuple[str, ...]:
    todo = situations.todo(at.space)
    free = {
        name: selection.decide(
            situations.situation(at.space, name, at.actor),
        ).action == selection.INIT
        for name in todo.entries
    }
    found = selection.ready(todo, free, at.space.protocol)
    return tuple(name for name in found if name != besides)


def _notes(at: Workplace, task: str) -> tuple[str, ...]:
    todo = situations.todo(at.space)
    if todo.problem is not None:
        return (f'{at.space.protocol.todo} {todo.problem.message}',)
    entry = todo.entries.get(task)
    notes = list(selection.notes(entry, todo, at.space.protocol))
    begun = at.register.noted(task, 'todo')
    is_begun = holding.held(at.space, task) is not None
    if entry and begun and is_begun and begun != situations.checksum(entry):
        notes.append(CHANGED)
    return tuple(notes)


def _anonymous(at: Workplace, task: str) -> Answer:
    sentence = (
        'an agent runs here that does not say its session, so nobody can '
        'tell which locks are its own'
    )
    options = ('export INTERLOCK_SESSION=ID',)
    return Answer(Decision(selection.ERROR, sentence, options), task)


def _of_one(at: Workplace, task: str) -> Answer:
    decision = selection.decide(
        situations.situation(at.space, task, at.actor),
    )
    free: tuple[str, ...] = ()
    if decision.action not in selection.YES:
        free = _free(at, task)
    return Answer(decision, task, _notes(at, task), free)


def _of_any(at: Workplace) -> Answer:
    own = holding.of_session(at.space, at.actor.session)
    if own:
        return _of_one(at, own[0])
    free = _free(at)
    if free:
        return _of_one(at, free[0])._replace(free=free)
    sentence = f'no task in {at.space.protocol.todo} is ready and free'
    options = ('interlock lock list',)
    return Answer(Decision(selection.ERROR, sentence, options), '')


def answered(at: Workplace, name: str | None) -> Answer:
    """What the user's `continue with the next task` is answered with."""
    task = at.task(name) if name is not None else ''
    if at.actor.is_anonymous:
        return _anonymous(at, task)
    return _of_one(at, task) if task else _of_any(at)


def _json(answer: Answer) -> str:
    decision = answer.decision
    values: dict[str, object] = {
        'action': decision.action,
        'task': answer.task,
        'sentence': decision.sentence,
        'options': list(decision.options),
        'notes': list(answer.notes),
        'free': list(answer.free),
    }
    if decision.action not in selection.YES and answer.free:
        values['alternative'] = answer.free[0]
    return json.dumps(values)


def _text(answer: Answer) -> None:
    decision = answer.decision
    out(f'{decision.action}: {decision.sentence}')
    for note in answer.notes:
        err(f'interlock: warning: {answer.task}: {note}')
    for option in decision.options:
        out(f'    next: {option}')
    if answer.free:
        out(f'free: {", ".join(answer.free)}')


@click.command('select')
@click.argument('name', required=False)
@click.option(
    '--format', 'form', type=click.Choice(['text', 'json']), default='text',
)
@click.option('--config', default='', metavar='FILE', help='The workflow.')
@common
def command(
        name: str | None,
        form: str,
        config: str,
        verbose: int,
        quiet: int,
) -> int:
    """May this session work on a task? Without NAME: on which?

    Exit 0: begin it (init) or go on (resume); exit 1: choose another one
    (alternative), ask the user (ask), or something is wrong (error).
    """
    with opened(config, reads=True) as at:
        answer = answered(at, name)
    if form == 'json':
        out(_json(answer))
    else:
        _text(answer)
    return 0 if answer.decision.action in selection.YES else FOUND
