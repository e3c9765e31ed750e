from __future__ import annotations

import os

import click
from click.shell_completion import CompletionItem

from interlock.commands.click_options import Options, common, example
from interlock.files.atomic_files import read
from interlock.git.workflow_source import nearest as nearest_file
from interlock.model.errors import Refusal
from interlock.model.fixes import nearest
from interlock.model.quick_typing import TYPE_CHECKING, Any
from interlock.report.terminal import out
from interlock.report.text import rule_page, rule_table, wrapped
from interlock.rules.index import RULES

if TYPE_CHECKING:
    from interlock.workflow.agreements.agreement_pages import AgreementPage


def _agreements() -> tuple[AgreementPage, ...]:
    from interlock.workflow.agreements.agreement_pages import described, described_in

    return (*described(), *described_in(_workflow()))


def _workflow() -> dict[str, Any]:
    """What the workflow file here says, {} where there is none that can be read."""
    # only the names of agreements ask for it
    from interlock.workflow.language.load import load

    path = os.environ.get('INTERLOCK_CONFIG', '') or nearest_file('')
    data = read(path) if path else None
    if data is None:
        return {}
    top = os.path.dirname(os.path.abspath(path))
    try:
        return load(path, data, lambda each: read(os.path.join(top, each))).data
    except Refusal:
        return {}


def _code(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    code = value.upper() if value is not None else None
    if value is not None and code not in RULES:
        names = {each.name for each in _agreements()}
        if value in names:
            return value
        near = nearest(value, RULES) or nearest(value, names)
        hint = f'; did you mean `{near}`?' if near else ''
        raise Refusal(
            f'no rule has the code `{value}`{hint}',
            'interlock explain',
            meant=(value, near) if near else None,
        )
    return code


def _complete(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    return [
        CompletionItem(code, help=rule.title)
        for code, rule in RULES.items()
        if code.startswith(incomplete.upper())
    ]


@example('interlock explain REG001', 'interlock explain --schema')
@click.command('explain')
@click.argument('code', required=False, callback=_code, shell_complete=_complete)
@click.option(
    '--schema',
    is_flag=False,
    flag_value='workflow',
    type=click.Choice(['workflow', 'menus', 'agent-report', 'report', 'saved-state']),
    help='Print the JSON Schema of workflow files (for editors), of menus, of reports '
    'or of saved states.',
)
@common
def command(options: Options, code: str | None, schema: str | None) -> int:
    """Explain what a rule demands and why; without a code, list all rules."""
    if schema:
        from interlock.model.schemas import schema_text

        out(schema_text(f'{schema}.schema.json'))
        return 0
    if code and code not in RULES:
        pages = [each.page for each in _agreements() if each.name == code]
        out('\n\n'.join(map(wrapped, pages)))
        return 0
    out(rule_page(RULES[code]) if code else rule_table(RULES.values()))
    return 0
