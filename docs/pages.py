"""Writes one page per rule, and their list."""
from __future__ import annotations

from pathlib import Path

from interlock.model.rules import RULES
from interlock.report.rules import page

HERE = Path(__file__).parent


def pages() -> dict[str, str]:
    """Path below this directory -> content."""
    found = {
        f'rules/{code}.md': f'{page(rule)}\n' for code, rule in RULES.items()
    }
    rows = ''.join(
        f'| [{code}](rules/{code}.md) | {rule.check} | {rule.severity} '
        f'| {rule.title} |\n'
        for code, rule in RULES.items()
    )
    found['rules.md'] = (
        '# The rules\n\nMade by `make docs` from the text that '
        '`interlock explain CODE` prints.\n\n'
        '| code | check | severity | what is wrong |\n'
        f'|---|---|---|---|\n{rows}'
    )
    return found


def main() -> int:
    wanted = pages()
    for name, text in wanted.items():
        (HERE / name).write_text(text, encoding='UTF-8')
    for path in (HERE / 'rules').glob('*.md'):
        if f'rules/{path.name}' not in wanted:
            path.unlink()
    return 0


if __name__ == '__main__':
    raise SystemExit(main())
