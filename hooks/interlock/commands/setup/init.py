from __future__ import annotations

import os

import click

from interlock.commands.click_options import Options, common, example, option
from interlock.commands.items.menu_prompt import has_terminal
from interlock.git.repository import opened
from interlock.model.clients import NAMES
from interlock.model.errors import NoRepository
from interlock.model.fixes import did_you_mean
from interlock.model.quick_typing import Sequence
from interlock.model.report import plural
from interlock.operations.menu import QUIT
from interlock.report.terminal import err, fitted, out
from interlock.setup import init as steps
from interlock.setup.basic_workflow import CHAIN, FREE, LEARNED, BasicWorkflow
from interlock.setup.file_plan import take_all
from interlock.setup.first_workflow import NOBODY, Interview
from interlock.setup.init import Target
from interlock.setup.status_tables import StatusTable, common_words
from interlock.setup.wiring_plan import (
    WiringChoice,
    chosen_clients,
    record_clients,
    wiring_advice,
    wiring_steps,
)
from interlock.setup.workflow_detection import BASIC
from interlock.workflow.language.presets import presets
from interlock.workflow.language.spec import DONE, NOTHING

MOST_TABLES, MOST_STEPS = 5, 6


def _choose(question: str, options: Sequence[str], default: int) -> int:
    """The index of the chosen option."""
    err(question)
    for number, each in enumerate(options, 1):
        err(fitted(f'  {number}. {each}', 5, is_error=True))

    def index(text: str) -> int:
        _leave_at_quit(text)
        if text.strip() in map(str, range(1, len(options) + 1)):
            return int(text) - 1
        raise click.UsageError(f'a number from 1 to {len(options)}, or q to leave')

    # click shows the default, and hands it on as text
    chosen: int = click.prompt(
        'Choose', default=str(default + 1), value_proc=index, err=True
    )
    return chosen


def _leave_at_quit(text: str) -> None:
    if text.strip().casefold() in QUIT:
        raise click.Abort


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
        len(options) if NOBODY.table(found) is None else 0,
    )
    return likely[at] if at < len(likely) else None


def _steps(basic: BasicWorkflow) -> str:
    made = [
        f'{old} -> {new}'
        for old, following in basic.steps.items()
        if old != NOTHING
        for new in following
    ]
    more = f' and {len(made) - MOST_STEPS} more' if len(made) > MOST_STEPS else ''
    options = {
        LEARNED: f'those found in the history: {", ".join(made[:MOST_STEPS])}{more}',
        CHAIN: f'to the next one and back: {", ".join(s.name for s in basic.states)}',
        FREE: 'any (an unknown state is still refused)',
    }
    if basic.how != LEARNED:
        del options[LEARNED]
    names = list(options)
    at = _choose(
        'Which transitions from one state to another are legal?',
        list(options.values()),
        names.index(basic.how),
    )
    return names[at]


def _frozen(basic: BasicWorkflow) -> str:
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
    _leave_at_quit(text)
    path = text.strip()
    if path and ('{item}' not in path or path[0] == '/' or '..' in path or '*' in path):
        raise click.UsageError(
            'a path from the top of the project, with {item} and without * in it'
        )
    return path


ON_TERMINAL = Interview(_table, _steps, _frozen)


def _target(preset: str | None) -> tuple[str | None, Target]:
    """The preset and the target: the repository, else the layout."""
    try:
        with opened() as repository:
            return preset, steps.target_of(repository)
    except NoRepository:
        base = os.getcwd()
        name, main = steps.find_layout(base, preset)
        if not name:
            raise
    with opened(main) as repository:
        return name, steps.target_of(repository, base)


@example(
    'interlock init --dry-run',
    'interlock init --git-hooks',
    f'interlock init --pre-commit --agent {NAMES[0]}',
)
@click.command('init')
@option(
    '--preset NAME',
    f'Extend this workflow (default: detected): {", ".join(presets())}.',
    default=None,
)
@option(
    '--registry FILE',
    'Use the table in this file, or the files of this folder.',
    default=None,
)
@option('--column HEADER', 'Name the column that holds the states.', default=None)
@option('--learn', 'Allow the transitions found in the history.')
@option('--report', 'List these transitions, with their commits.')
@option('--pre-commit', 'Wire pre-commit or prek.')
@option('--git-hooks', 'Write plain git hooks.')
@option(
    '--source REPO REV',
    'Wire pre-commit so that it installs Interlock from there.',
    nargs=2,
)
@option(
    '--agent agents NAME,…|auto',
    f'Wire clients of agents ({", ".join(NAMES)}; auto: those configured here).',
    default=None,
)
@option(f'--{NAMES[0]} first', f'The same as --agent {NAMES[0]}.')
@option('--shared', 'Wire clients for the whole team.')
@option('--mcp', 'Offer them the saved state over MCP too.')
@option('--shell-form', 'Accepted for old scripts.', hidden=True)
@option('--dry-run', 'Show what would be written, and write nothing.')
@common
def command(
    options: Options,
    preset: str | None,
    registry: str | None,
    column: str | None,
    learn: bool,
    report: bool,
    pre_commit: bool,
    git_hooks: bool,
    source: tuple[str, str] | None,
    agents: str | None,
    first: bool,
    shared: bool,
    mcp: bool,
    shell_form: bool,
    dry_run: bool,
) -> int:
    """Write a workflow file and wire the hooks; never overwrite."""
    if preset is not None and preset not in presets():
        raise click.UsageError(
            f'no preset is named `{preset}`; there are {", ".join(presets())}'
            f'{did_you_mean(preset, presets())}'
        )
    elif (registry or column) and preset not in (None, BASIC):
        raise click.UsageError(
            f'--registry and --column describe a table of your own; `{preset}` names '
            f'its own'
        )
    elif column and registry and os.path.isdir(registry):
        raise click.UsageError(
            f'--column names a column of a table, but `{registry}` is a folder'
        )
    elif (shared or mcp or shell_form) and not (first or agents):
        raise click.UsageError(f'--shared and --mcp need --agent or --{NAMES[0]}')
    preset, target = _target(preset)
    wiring = WiringChoice(
        pre_commit or source is not None,
        source,
        git_hooks,
        chosen_clients(target.base, agents or '', first),
        shared,
        mcp,
    )
    if registry and os.path.exists(registry):
        registry = os.path.relpath(os.path.realpath(registry), target.base)
    wanted = steps.WorkflowChoice(preset, registry or '', column or '', learn or report)
    interview = ON_TERMINAL if has_terminal() and not dry_run else NOBODY
    workflow, learned = steps.workflow_step(target, wanted, interview)
    if report and learned is not None:
        out('\n'.join(learned.report()))
    elif report:
        err('no transitions to report: no table of items has a history here')
    # plan everything first: one impossible step stops all
    plan = [workflow, *wiring_steps(target, workflow, wiring)]
    take_all(plan, target.base, dry_run)
    if not dry_run:
        record_clients(target, workflow, wiring)
    for line in wiring_advice(target, workflow, wiring, dry_run):
        err(line)
    return 0
