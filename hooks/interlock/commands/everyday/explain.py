from __future__ import annotations

import click
from click.shell_completion import CompletionItem

from interlock.commands.click_options import Options, common
from interlock.model.finding import Rule
from interlock.model.quick_typing import Iterable
from interlock.report.terminal import out
from interlock.rules.index import RULES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.workflow.agreements.described import Described


def page(rule: Rule) -> str:
    import textwrap

    parts = (
        f'# {rule.code}: {rule.title}',
        f'Check: `{rule.check}`. Severity: {rule.severity}.',
        rule.why,
        f'**To fix:** {rule.fix}',
    )
    return '\n\n'.join(
        part
        if part.startswith('#')
        else textwrap.fill(part, 79, break_on_hyphens=False)
        for part in parts
    )


def table(rules: Iterable[Rule]) -> str:
    return '\n'.join(f'{rule.code}  {rule.severity:8} {rule.title}' for rule in rules)


def _agreements() -> tuple[Described, ...]:
    from interlock.workflow.agreements.described import described

    return described()


def agreement_page(each: Described) -> str:
    lines = [
        f'{each.name}: an agreement of the preset {each.preset}',
        '',
        f'{each.rule} (of a {each.kind}).',
        f'Severity: {each.severity}. To change it, or to switch the rule `off`: '
        f'`severity: {{{each.name}: ...}}` in the workflow file.',
    ]
    if each.trailer:
        lines.append(
            f'A commit that gives a reason in its message passes: '
            f'`{each.trailer}: REASON`.'
        )
    return '\n'.join(lines)


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
        out(
            '\n\n'.join(
                agreement_page(each) for each in _agreements() if each.name == code
            )
        )
        return 0
    out(page(RULES[code]) if code else table(RULES.values()))
    return 0
