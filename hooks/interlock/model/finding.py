from __future__ import annotations

from interlock.model import quick_hash
from interlock.model.quick_typing import Any, Mapping, NamedTuple

ERROR = 'error'
WARNING = 'warning'
INFO = 'info'
OFF = 'off'
SEVERITIES = (ERROR, WARNING, INFO)

# the item of a finding that is not about a single item
EVERY_ITEM = '*'


class Fix(NamedTuple):
    label: str
    # '' if only a person can decide: then `label` describes the fix
    command: str
    # the files that the step names last, relative to the top of the repository
    paths: tuple[str, ...] = ()

    @property
    def said(self) -> str:
        return f'{self.label}: {self.command}' if self.command else self.label

    @property
    def step(self) -> str:
        """The next command, or the step to do by hand."""
        return self.command or self.label

    @property
    def hint(self) -> tuple[str, tuple[str, ...]]:
        """The step and its paths, as a refusal takes them."""
        return self.step, self.paths


class Finding(NamedTuple):
    code: str
    check: str
    severity: str
    item: str
    path: str
    line: int
    message: str
    expected: str
    found: str
    fix: Fix
    # extra identity, where expected and found are not enough
    key: str = ''
    introduced: bool = True
    # whether it is about the tree rather than the step to it
    standing: bool = False
    commit: str = ''
    # the name of the broken agreement, '' for other rules
    rule: str = ''
    # the code of the finding whose fix settles this one too, '' if none
    follows: str = ''

    @property
    def fingerprint(self) -> str:
        """Code, item and the values that disagree, without path and line."""
        values = [self.code, self.item, self.key, self.expected, self.found]
        import json

        text = json.dumps(values, ensure_ascii=True)
        return quick_hash.sha256(text.encode()).hexdigest()[:20]

    @property
    def refuses(self) -> bool:
        return self.severity == ERROR

    @property
    def subject(self) -> str:
        """The item, '' if it is about none or its place names it."""
        return '' if self.item in (EVERY_ITEM, self.path) else self.item

    @property
    def said(self) -> str:
        """The message, with its subject."""
        return f'{self.subject}: {self.message}' if self.subject else self.message


class Rule(NamedTuple):
    """The text about a code for `explain`, SARIF and the rule pages."""

    code: str
    check: str
    severity: str
    title: str
    # the first release that has it
    since: str
    why: str
    fix: str
    # the rules whose findings disappear with one of this rule
    settles: tuple[str, ...] = ()
    # how the canary breaks it, or a sentence why it cannot; '' if its own code, or
    # the prefix of the rule, decides
    canary: str | Mapping[str, Any] = ''
