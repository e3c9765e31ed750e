"""A menu until something is chosen; who is asked depends on a terminal."""

from __future__ import annotations

import sys
from typing import NamedTuple

import click

from interlock.commands import menu_run
from interlock.commands.items.project import project, today
from interlock.model.errors import Refusal
from interlock.operations.handoff.record import note
from interlock.operations.menu import (
    WHAT_TO_DO,
    NoChoice,
    Shown,
    is_other,
    read,
    render,
)
from interlock.report.terminal import INTERRUPTED, MISCONFIGURED, err, out
from interlock.workflow.language.menus import EXPLORATORY, Option


class Manner(NamedTuple):
    """How a menu is worked off."""

    config: str
    wait: float
    # what was given for questions of an option
    text: str = ''
    # ask: there is a terminal, and no answer was given on the command line
    asks: bool = False
    dry_run: bool = False
    # the command that was given, as far as it names what is chosen from
    command: str = ''


class Chosen(NamedTuple):
    code: int
    # None where the menu was shown and nothing ended it
    option: Option | None = None


def has_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _ask(question: str) -> str:
    answer: str = click.prompt(question, prompt_suffix=' ')
    return answer


def _with_text(option: Option, shown: Shown, manner: Manner) -> str:
    """The command that answers what an option asks for.

    The fix of a finding is its recommended option, and knows an answer.
    """
    fix = shown.words.get('fix', '')
    if option.recommended and fix:
        return fix
    number = shown.menu.options.index(option) + 1
    return f'{manner.command} {number} --text TEXT'


def _given(option: Option, shown: Shown, manner: Manner) -> str:
    if manner.text or not option.asks:
        return manner.text
    elif manner.asks:
        return _ask(f'{option.asks}:')
    raise Refusal(
        f'`{option.label}` needs to know {option.asks}',
        _with_text(option, shown, manner),
    )


def _note(option: Option, shown: Shown, manner: Manner) -> None:
    with project(manner.config, manner.wait) as here:
        at = here.item(shown.words['item'])
        text = shown.filled(option.note)
        here.apply(note(at, text, today()))


def _other(manner: Manner) -> int:
    """Any text is for whoever reads along: no program can do it."""
    out(WHAT_TO_DO)
    text = _ask('>') if manner.asks else manner.text
    if text:
        out(f'Other: {text}')
    return 0


def _run(option: Option, shown: Shown, manner: Manner) -> int | None:
    command = [shown.filled(each) for each in option.run]
    menu_run.show(command)
    paths = [shown.filled(path) for path in option.loses]
    lost = menu_run.losses(paths) if paths else []
    if manner.dry_run:
        return 0
    elif lost and manner.asks and not click.confirm('Go on?'):
        return None
    return menu_run.run(command, manner.config)


def perform(option: Option, shown: Shown, manner: Manner) -> int | None:
    """The exit code, None where the user thought better of it."""
    if is_other(option):
        return _other(manner)
    shown = shown.given(_given(option, shown, manner))
    if option.note and not manner.dry_run:
        _note(option, shown, manner)
    if option.text:
        out(shown.filled(option.text))
    return _run(option, shown, manner) if option.run else 0


def _answered(shown: Shown, answer: str, manner: Manner) -> Chosen:
    try:
        option = read(shown, answer)
        code = perform(option, shown, manner)
    except NoChoice as e:
        err(f'interlock: {e.message}')
        return Chosen(MISCONFIGURED)
    if code is None or (option.kind == EXPLORATORY and code != INTERRUPTED):
        return Chosen(0)
    return Chosen(code, option)


def choose(shown: Shown, manner: Manner, answer: str | None) -> Chosen:
    """The menu again and again, until an option ends it.

    Without a terminal it is shown once, after what was asked for.
    """
    chosen = Chosen(0)
    while True:
        if answer is not None:
            chosen = _answered(shown, answer, manner)
            if chosen.option is not None:
                return chosen
        out(render(shown))
        if not manner.asks:
            return chosen
        answer = _ask('>')
