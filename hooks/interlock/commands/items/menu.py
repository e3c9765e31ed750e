from __future__ import annotations

import click

from interlock.checks.run import findings_of
from interlock.commands.click_options import writes
from interlock.commands.items.project import Project, project, today
from interlock.commands.menu_files import menus_of
from interlock.commands.menu_prompt import Manner, choose, has_terminal
from interlock.model.errors import Denied, Refusal
from interlock.model.fixes import ours, resolve
from interlock.operations import menu, verify
from interlock.operations.handoff.record import note
from interlock.operations.menu import Shown
from interlock.report.terminal import err
from interlock.report.text import where
from interlock.workflow.language.menus import BROKEN, SUCCESS
from interlock.workflow.reading.records import Records


def _not_whole(here: Project, at: Records) -> str:
    """What keeps work from going on, '' where nothing does."""
    state = verify.item_state(at, findings_of(at, here.workflow))
    if state.code != verify.MISMATCH:
        return ''
    elif not state.findings:
        return f'{at.item} has a handoff and is not registered'
    first = state.findings[0]
    return f'{where(first)}: {first.code} {first.message}'


def _shown(here: Project, at: Records, outcome: str, text: str) -> Shown:
    menus = menus_of(here, at.kind)
    outcome = outcome or menu.outcome_of(at, menus)
    menu.refuse_outcome(menus, outcome)
    if outcome == SUCCESS:
        wrong = _not_whole(here, at)
        shown = wrong and menu.checkpoint(at, menus, today(), BROKEN, wrong)
        if shown:
            return shown
        elif wrong:
            raise Denied(
                f'{at.item} cannot go on as it is: {wrong}', resolve(at.item).command
            )
    shown = menu.checkpoint(at, menus, today(), outcome, text)
    if shown is None:
        raise Refusal(
            f'no menu is for `{outcome}` of {at.item}',
            'add a line to `checkpoints` of the menus',
        )
    return shown


def _note(here: Project, at: Records, shown: Shown) -> None:
    """Before the menu: whoever goes on reads the handoff, not the screen."""
    try:
        text = shown.filled(shown.menu.note)
        here.apply(note(at, text, today()))
    except Denied as e:
        # what failed has to be dealt with all the same
        err(f'interlock: warning: {e.message}; next: {e.hint}')


@click.command('menu')
@click.argument('item')
@click.option('--choice', metavar='TEXT', help='A number or a keyword.')
@click.option(
    '--outcome',
    default='',
    metavar='OUTCOME',
    help='What happened, in a word of the menus (build-failed, '
    'state-update-failed, fallback-failed, ...); without it what the handoff '
    'says.',
)
@click.option(
    '--text',
    default='',
    metavar='CONTEXT',
    help='What was done, what failed, or what an option asks for.',
)
@writes
def command(
    item: str,
    choice: str | None,
    outcome: str,
    text: str,
    config: str,
    wait: float,
    verbose: int,
    quiet: int,
) -> int:
    """Show what may be done with ITEM now, and do what is chosen.

    On a terminal it asks until something ends the menu. Elsewhere, and with
    --choice, nothing is asked: the menu is printed, after what was chosen
    unless that ends it. Exit 0 the menu was shown or the choice is done,
    1 the choice was refused, 2 there is no such choice.
    """
    with project(config, wait) as here:
        at = here.item(item)
        shown = _shown(here, at, outcome, text)
        if shown.menu.note and outcome and (text or choice is None):
            _note(here, at, shown)
    asks = choice is None and has_terminal()
    words = ['menu', item, *(('--outcome', outcome) if outcome else ())]
    manner = Manner(
        config, wait, text if choice else '', asks, command=ours(*words, '--choice')
    )
    return choose(shown, manner, choice).code
