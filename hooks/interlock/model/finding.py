from __future__ import annotations

from interlock.model import quick_hash
from interlock.model.quick_typing import Any, Mapping, NamedTuple

ERROR = 'error'
WARNING = 'warning'
INFO = 'info'
OFF = 'off'
SEVERITIES = (ERROR, WARNING, INFO)

# the item of a finding that is not about a single one
EVERY_ITEM = '*'


class Fix(NamedTuple):
    label: str
    # '' where only a person can say what is right: then `label` says it all
    command: str
    # the files, from the top of the repository, with which the command ends
    paths: tuple[str, ...] = ()

    @property
    def said(self) -> str:
        return f'{self.label}: {self.command}' if self.command else self.label

    @property
    def step(self) -> str:
        """The command that comes next, or what has to be done by hand."""
        return self.command or self.label

    @property
    def hint(self) -> tuple[str, tuple[str, ...]]:
        """As a refusal takes it."""
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
    # it is about the tree, not about the step to it
    standing: bool = False
    commit: str = ''
    # the name of the agreement that it is about, '' for other rules
    rule: str = ''
    # the code of the finding that settles it too, '' where it stands alone
    follows: str = ''

    @property
    def fingerprint(self) -> str:
        """Code, item and the values that disagree: no path, no line."""
        values = [self.code, self.item, self.key, self.expected, self.found]
        import json

        text = json.dumps(values, ensure_ascii=True)
        return quick_hash.sha256(text.encode()).hexdigest()[:20]

    @property
    def refuses(self) -> bool:
        return self.severity == ERROR


class Rule(NamedTuple):
    """What `explain`, SARIF and the rule pages say about a code."""

    code: str
    check: str
    severity: str
    title: str
    # the first release that has it
    since: str
    why: str
    fix: str
    # the rules whose findings go away with one of this rule
    settles: tuple[str, ...] = ()
    # how the canary breaks it, or a sentence: why it cannot; '' where it is told
    # by code, or by the prefix of the rule
    canary: str | Mapping[str, Any] = ''
