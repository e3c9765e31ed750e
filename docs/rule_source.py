"""Reads the source of a rule: frontmatter, why it exists, how to fix it.

Only `make docs` does this: hooks load `rules/index.json`, which it generates from
these files.
"""

from __future__ import annotations

import re
from typing import Any

import frontmatter
from frontmatter.default_handlers import YAMLHandler

from interlock.documents.yaml import parse, value
from interlock.model.errors import Unreadable
from interlock.model.finding import SEVERITIES, Rule

FIELDS = ('code', 'check', 'severity', 'title', 'since')
# optional: codes of findings that disappear with a finding of this rule
SETTLES = 'settles'
# optional: how the canary breaks the rule, or why it cannot
CANARY = 'canary'
PLANTED = {*'needs row rows entry days key handoff contract seal file'.split()}
FENCE = '---\n'
BODY = re.compile(r'## Why\n\n(.+?)\n\n## How to fix\n\n(.+)', re.DOTALL)
# the prefixes of codes in the order in which rules are listed
PREFIXES = (
    'REG',
    'CON',
    'STG',
    'GAT',
    'LCK',
    'TSK',
    'COM',
    'HND',
    'CFG',
    'STA',
    'DOC',
    'CLD',
)
CODE = re.compile(rf'(?:{"|".join(PREFIXES)})[0-9]{{3}}')
RELEASE = re.compile(r'[0-9]+\.[0-9]+\.[0-9]+')


class _Strict(YAMLHandler):
    """Refuses duplicate keys, and leaves dates and versions as text."""

    def load(self, fm: str, **kwargs: object) -> Any:
        # after the opening fence
        return value(parse(fm.removeprefix('\n'), 2))


def _paragraph(text: str, name: str) -> str:
    if '\n\n' in text or text.startswith('#'):
        raise Unreadable(f'`{name}` is not one paragraph')
    return ' '.join(text.split())


def read_rule(text: str, name: str) -> Rule:
    """The rule in the file `name`.md; Unreadable if it is not one."""
    # without an opening fence on the first line, and with an unclosed one,
    # python-frontmatter returns no fields and says nothing
    if not text.startswith(FENCE):
        raise Unreadable('does not start with frontmatter')
    given, body = frontmatter.parse(text, handler=_Strict())
    canary: Any = given.pop(CANARY, '')
    texts = {key for key, text in given.items() if isinstance(text, str)}
    if set(given) - {SETTLES} != set(FIELDS) or texts != set(given):
        raise Unreadable(
            f'has the fields {", ".join(given) or "(none)"}; '
            f'expected {", ".join(FIELDS)}, all of them texts'
        )
    code, check, severity, title, since = (str(given[key]) for key in FIELDS)
    if code != name or not CODE.fullmatch(code):
        raise Unreadable(f'has the code `{code}`; expected `{name}`')
    elif severity not in SEVERITIES:
        raise Unreadable(f'has the unknown severity `{severity}`')
    elif not RELEASE.fullmatch(since):
        raise Unreadable(f'`since` is `{since}`; expected a release')
    settles = tuple(str(given.get(SETTLES, '')).split())
    for each in settles:
        if not CODE.fullmatch(each):
            raise Unreadable(f'settles `{each}`, which is not a code')
    if not isinstance(canary, str) and not {*canary} <= PLANTED:
        raise Unreadable(
            f'`canary` is `{canary}`; expected a sentence, or some of '
            f'{", ".join(sorted(PLANTED))}'
        )
    parts = BODY.fullmatch(body)
    if parts is None:
        raise Unreadable('does not consist of `## Why` and `## How to fix`')
    why, fix = parts.groups()
    return Rule(
        code,
        check,
        severity,
        title,
        since,
        _paragraph(why, 'Why'),
        _paragraph(fix, 'How to fix'),
        settles,
        canary,
    )


def listed(rule: Rule) -> tuple[int, str]:
    """The sort key of a rule in a list of rules."""
    return PREFIXES.index(rule.code[:3]), rule.code
