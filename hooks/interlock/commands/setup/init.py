from __future__ import annotations

import os

import click

from interlock.agents.adapter import Adapter
from interlock.agents.registered import adapter
from interlock.commands.click_options import Options, common, example
from interlock.commands.items.menu_prompt import has_terminal
from interlock.engine.open_repository import opened
from interlock.files import settings_record
from interlock.model.clients import NAMES
from interlock.model.errors import NoRepository, Refusal
from interlock.model.fixes import did_you_mean
from interlock.model.quick_typing import Sequence
from interlock.model.report import plural
from interlock.report.terminal import err, out
from interlock.setup import client_wiring
from interlock.setup import init as steps
from interlock.setup.basic_workflow import CHAIN, FREE, LEARNED, BasicWorkflow
from interlock.setup.file_plan import take
from interlock.setup.first_workflow import NOBODY, Interview
from interlock.setup.init import Target
from interlock.setup.learned_steps import LearnedSteps
from interlock.setup.status_tables import StatusTable, common_words
from interlock.workflow.language.presets import presets
from interlock.workflow.language.spec import DONE

MOST_TABLES = 5
AUTO = 'auto'


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


def _steps(basic: BasicWorkflow, learned: LearnedSteps) -> str:
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
    path = text.strip()
    if path and ('{item}' not in path or path[0] == '/' or '..' in path or '*' in path):
        raise click.UsageError(
            'a path from the top of the project, with {item} and without * in it'
        )
    return path


ON_TERMINAL = Interview(_table, _steps, _frozen)


def _target(preset: str | None) -> tuple[str | None, Target]:
    """The preset and the place: of the repository, else of the layout."""
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


def _clients(top: str, given: str, first: bool) -> list[Adapter]:
    """The clients that are to be wired, each once."""
    words = [word.strip() for word in given.split(',') if word.strip()]
    found = [adapter(NAMES[0])] if first else []
    for word in words:
        known = client_wiring.configured(top) if word == AUTO else [adapter(word)]
        found.extend(known)
    if AUTO in words and not found:
        raise Refusal(
            'no client of agents is configured here',
            f'name one: interlock init --agent {",".join(NAMES)}',
        )
    return list(dict.fromkeys(found))


@example(
    'interlock init --dry-run',
    'interlock init --git-hooks',
    f'interlock init --pre-commit --agent {NAMES[0]}',
)
@click.command('init')
@click.option('--preset', help='Extend this workflow (default: detected).')
@click.option('--registry', metavar='FILE', help='Use the table of items in this file.')
@click.option(
    '--column', metavar='HEADER', help='Name the column that holds the states.'
)
@click.option(
    '--learn', is_flag=True, help='Allow the transitions that the history made.'
)
@click.option(
    '--report', is_flag=True, help='List these transitions, with their commits.'
)
@click.option('--pre-commit', is_flag=True, help='Wire pre-commit or prek.')
@click.option('--git-hooks', is_flag=True, help='Write plain git hooks.')
@click.option(
    '--source',
    nargs=2,
    metavar='REPO REV',
    help='Wire pre-commit so that it installs Interlock from there.',
)
@click.option(
    '--agent',
    'agents',
    metavar='NAME,…|auto',
    help=f'Wire clients of agents ({", ".join(NAMES)}; auto: those configured here).',
)
@click.option(
    f'--{NAMES[0]}', 'first', is_flag=True, help=f'The same as --agent {NAMES[0]}.'
)
@click.option('--shared', is_flag=True, help='Wire clients for the whole team.')
@click.option('--mcp', is_flag=True, help='Offer them the saved state over MCP too.')
@click.option(
    '--shell-form', is_flag=True, hidden=True, help='Accepted; it is the only form now.'
)
@click.option(
    '--dry-run', is_flag=True, help='Show what would be written, and write nothing.'
)
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
    elif (shared or mcp or shell_form) and not (first or agents):
        raise click.UsageError('--shared and --mcp go with --agent')
    preset, target = _target(preset)
    clients = _clients(target.base, agents or '', first)
    pre_commit = pre_commit or source is not None
    if registry and os.path.exists(registry):
        registry = os.path.relpath(os.path.realpath(registry), target.base)
    wanted = steps.WorkflowChoice(preset, registry or '', column or '', learn or report)
    interview = ON_TERMINAL if has_terminal() and not dry_run else NOBODY
    workflow, learned = steps.workflow_step(target, wanted, interview)
    if report and learned is not None:
        out('\n'.join(learned.report()))
    tasks = (pre_commit or git_hooks) and steps.has_tasks(workflow)
    # all of them first: what cannot be done stops everything
    plan = [workflow]
    if pre_commit:
        plan.append(steps.pre_commit_step(target, source))
    if git_hooks:
        plan.extend(steps.git_hook_steps(target, tasks))
    folder = steps.tasks_folder(target, workflow) if clients else ''
    for client in clients:
        plan.extend(client_wiring.settings(client, target.base, shared, folder))
    if mcp:
        plan.append(client_wiring.server(target.base, shared))
    for step in plan:
        take(step, target.base, dry_run)
    if folder and not dry_run and any(client.folders for client in clients):
        # the client leaves out what is not there when it starts
        os.makedirs(os.path.join(target.base, folder), exist_ok=True)
    if clients and not dry_run:
        settings_record.record_all(target.base, target.common_dir)
    if pre_commit and tasks:
        err(
            'for tasks: add the hook `interlock-trailers` too, and the hook '
            'type prepare-commit-msg; and `interlock-trail`, with post-commit'
        )
    if pre_commit and not dry_run:
        err('next: pre-commit install || prek install')
    elif workflow.new is not None and not (git_hooks or clients or dry_run):
        err('next: interlock init --git-hooks')
    return 0
