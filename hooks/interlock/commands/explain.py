from __future__ import annotations

import click

from interlock.commands.host import common
from interlock.commands.host import out
from interlock.model.rules import RULES


class Code(click.ParamType):
    name = 'code'

    def convert(
            self,
            value: str,
            param: click.Parameter | None,
            ctx: click.Context | None,
    ) -> str:
        code = value.upper()
        if code not in RULES:
            import difflib
            close = difflib.get_close_matches(code, RULES, 1)
            near = f'; did you mean {close[0]}?' if close else ''
            self.fail(f'no rule has the code `{value}`{near}', param, ctx)
        return code

    def shell_complete(
            self,
            ctx: click.Context,
            param: click.Parameter,
            incomplete: str,
    ) -> list[click.shell_completion.CompletionItem]:
        return [
            click.shell_completion.CompletionItem(code, help=rule.title)
            for code, rule in RULES.items()
            if code.startswith(incomplete.upper())
        ]


@click.command('explain')
@click.argument('code', type=Code(), required=False)
@common
def command(code: str | None, verbose: int, quiet: int) -> int:
    """Say what a rule demands and why; without a code list them all."""
    from interlock.report.rules import page
    from interlock.report.rules import table

    out(page(RULES[code]) if code else table())
    return 0
