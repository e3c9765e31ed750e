from __future__ import annotations

import click
from click.shell_completion import CompletionItem

from interlock.commands.click_options import Options, common, example
from interlock.report.terminal import out
from interlock.report.text import rule_page, rule_table
from interlock.rules.index import RULES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.workflow.agreements.agreement_pages import AgreementPage


def _agreements() -> tuple[AgreementPage, ...]:
    from interlock.workflow.agreements.agreement_pages import described

    return described()


def _code(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    code = value.upper() if value is not None else None
    if value is not None and code not in RULES:
        import difflib

        names = {each.name for each in _agreements()}
        if value in names:
            return value
        close = difflib.get_close_matches(code or '', RULES, 1)
        close = close or difflib.get_close_matches(value, names, 1)
        near = f'; did you mean {close[0]}?' if close else ''
        raise click.BadParameter(f'no rule has the code `{value}`{near}')
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
    type=click.Choice(['workflow', 'menus', 'agent-report', 'report']),
    help='Print the JSON Schema of workflow files (for editors), of menus or of '
    'reports.',
)
@common
def command(options: Options, code: str | None, schema: str | None) -> int:
    """Explain what a rule demands and why; without a code, list all rules."""
    if schema:
        from interlock.model.schemas import schema_text

        out(schema_text(f'{schema}.schema.json'))
        return 0
    if code and code not in RULES:
        out('\n\n'.join(each.page for each in _agreements() if each.name == code))
        return 0
    out(rule_page(RULES[code]) if code else rule_table(RULES.values()))
    return 0
