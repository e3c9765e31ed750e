"""The questions that `init` asks on a terminal: three at most, each with a default."""

from __future__ import annotations

import click

from interlock.model.quick_typing import Sequence
from interlock.model.report import plural
from interlock.report.terminal import err
from interlock.setup.basic_workflow import CHAIN, FREE, LEARNED, Basic
from interlock.setup.first_workflow import Interview
from interlock.setup.learned_steps import Learned
from interlock.setup.status_tables import StatusTable, common_words
from interlock.workflow.language.spec import DONE

MOST_TABLES = 5


def _choose(question: str, options: Sequence[str], default: int) -> int:
    """The number of the chosen option, from 0 on."""
    err(question)
    for number, option in enumerate(options, 1):
        err(f'  {number}. {option}')
    choice: int = click.prompt(
        'Choose', default=default + 1, type=click.IntRange(1, len(options)), err=True
    )
    return choice - 1


def _table(found: Sequence[StatusTable]) -> StatusTable | None:
    if not found:
        return None
    likely = found[:MOST_TABLES]
    options = [
        f'{each.file}: {plural(len(each.rows), "row")}, `{each.status}` says '
        f'{", ".join(list(common_words(each))[:4])}'
        for each in likely
    ]
    at = _choose(
        'Which table lists the items and their states?',
        [*options, 'none of them: check only handoff documents and saved states'],
        0 if found[0].is_clear else len(options),
    )
    return likely[at] if at < len(likely) else None


def _steps(basic: Basic, learned: Learned) -> str:
    options = {
        LEARNED: f'those that the history made ({plural(len(learned.steps), "step")})',
        CHAIN: f'to the next one and back: {", ".join(s.name for s in basic.states)}',
        FREE: 'any (an unknown state is still refused)',
    }
    if not learned.habits:
        del options[LEARNED]
    names = list(options)
    at = _choose(
        'Which transitions from one state to another are legal?',
        list(options.values()),
        names.index(basic.how),
    )
    return names[at]


def _frozen(basic: Basic) -> str:
    done = [each.name for each in basic.states if each.role == DONE]
    if not done:
        return ''
    path: str = click.prompt(
        f'A file of each item that must not change once the item is '
        f'{" or ".join(done)},\nfor example specs/{{item}}.md (Enter: none)',
        default='',
        show_default=False,
        err=True,
        value_proc=_item_path,
    )
    return path


def _item_path(text: str) -> str:
    path = text.strip()
    if path and ('{item}' not in path or path.startswith('/') or '..' in path):
        raise click.UsageError('a path from the top of the project, with {item} in it')
    return path


ON_TERMINAL = Interview(_table, _steps, _frozen)
