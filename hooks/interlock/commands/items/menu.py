from __future__ import annotations

import click

from interlock.checks.run import findings_of
from interlock.commands.click_options import Options, example, option, writes
from interlock.commands.items.menu_prompt import Prompt, has_terminal
from interlock.commands.workflow_options import item_argument
from interlock.files.users_cache import menus_of
from interlock.model.errors import Denied, Refusal
from interlock.model.fixes import ours, resolve
from interlock.operations import menu, verify
from interlock.operations.handoff.record import note
from interlock.operations.menu import ShownMenu
from interlock.project.project import SHOW, Project
from interlock.report.terminal import err
from interlock.report.text import where
from interlock.workflow.language.menus import BROKEN, SUCCESS
from interlock.workflow.language.spec import DONE
from interlock.workflow.reading.fix_command import toward
from interlock.workflow.reading.records import Records
from interlock.workflow.reading.transitions import successors


def _broken(here: Project, at: Records) -> str:
    """What keeps work from continuing, '' for nothing."""
    state = verify.item_state(at, findings_of(at, here.workflow))
    if state.code != verify.MISMATCH:
        return ''
    elif not state.findings:
        return f'{at.item} has a handoff but is not registered'
    first = state.findings[0]
    return f'{where(first)}: {first.code} {first.message}'


def _without_menu(at: Records) -> Refusal:
    origin = at.kind.said(at.state, 'not registered')
    said = f'{at.item} is {origin}, and the workflow has no menu'
    if at.role == DONE:
        return Refusal(said, SHOW)
    return Refusal(
        f'{said}; next comes {successors(at.state, at.kind)}', toward(at).step
    )


def _shown(here: Project, at: Records, outcome: str, text: str) -> ShownMenu:
    menus = menus_of(here.snapshot, here.workflow, at.kind)
    if not outcome and SUCCESS not in menus.outcomes:
        raise _without_menu(at)
    outcome = outcome or menu.outcome_of(at, menus)
    menu.refuse_outcome(menus, outcome)
    wrong = _broken(here, at) if outcome == SUCCESS else ''
    if wrong:
        shown = menu.checkpoint(at, menus, here.today, BROKEN, wrong)
        if shown:
            return shown
        raise Denied(
            f'{at.item} cannot continue as it is: {wrong}', resolve(at.called).command
        )
    shown = menu.checkpoint(at, menus, here.today, outcome, text)
    if shown is None:
        raise Refusal(
            f'there is no menu for `{outcome}` of {at.item}',
            'add a line to `checkpoints` of the menus',
        )
    return shown


def _note(here: Project, at: Records, shown: ShownMenu) -> None:
    """Note the outcome in the handoff, which the next session reads."""
    try:
        text = shown.filled(shown.menu.note)
        here.apply(note(at, text, here.today))
    except Denied as e:
        # the failure has to be dealt with all the same
        err(f'interlock: warning: {e.message}; next: {e.hint}')


@example('interlock menu Search', 'interlock menu Search --choice continue')
@click.command('menu')
@item_argument()
@option('--choice TEXT', 'Choose by number or keyword.', default=None)
@option(
    '--outcome OUTCOME',
    'Say what happened, as the menus name it (build-failed, '
    'state-update-failed, fallback-failed, ...; default: what the handoff says).',
)
@option('--text CONTEXT', 'Say what was done, what failed, or what an option asks for.')
@writes
def command(
    options: Options, item: str, choice: str | None, outcome: str, text: str
) -> int:
    """Show what can be done with ITEM now, and do what is chosen.

    On a terminal it asks until an option ends the menu. Elsewhere, and with
    --choice, it does what was chosen and prints the menu again, unless that option
    ends it. Exit 0: the menu was shown, or the choice is done; 1: the choice was
    refused; 2: there is no such choice.
    """
    with options.project() as here:
        at = here.item(item)
        shown = _shown(here, at, outcome, text)
        if shown.menu.note and outcome and (text or choice is None):
            _note(here, at, shown)
    words = ['menu', item, *(('--outcome', outcome) if outcome else ())]
    prompt = Prompt(
        options,
        text if choice else '',
        choice is None and has_terminal(),
        command=ours(*words, '--choice'),
    )
    return prompt.choose(shown, choice).code
