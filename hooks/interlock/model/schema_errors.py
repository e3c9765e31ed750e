"""What a generated validator finds wrong in a value."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

NAMES = {
    'string': 'a text',
    'null': 'null',
    'boolean': 'true or false',
    'object': 'an object',
    'array': 'a list',
    'integer': 'an integer',
    'number': 'a number',
}


class SchemaError(Exception):
    """A value at a path breaks one rule (a keyword of JSON Schema)."""

    def __init__(
        self, path: tuple[str | int, ...], rule: str, value: Any, expected: Any
    ) -> None:
        self.path = path
        self.rule = rule
        self.value = value
        self.expected = expected

    @property
    def wanted(self) -> str:
        """What was expected, in words that follow `is not`."""
        if self.rule == 'type':
            kinds = self.expected
            kinds = [kinds] if isinstance(kinds, str) else kinds
            return ' or '.join(NAMES[kind] for kind in kinds)
        elif self.rule == 'const':
            return f'"{self.expected}"'
        elif self.rule == 'enum':
            return f'one of {", ".join(self.expected)}'
        elif self.rule == 'minimum':
            return f'{self.expected} or more'
        elif self.rule == 'exclusiveMinimum':
            return f'more than {self.expected}'
        return str(self.expected)

    @property
    def mistake(self) -> str:
        if self.rule == 'required':
            missing = [key for key in self.expected if key not in self.value]
            return f'has no {" and no ".join(f"`{key}`" for key in missing)}'
        return f'is not {self.wanted}'


class SchemaErrors(Exception):
    def __init__(self, errors: list[SchemaError]) -> None:
        self.errors = errors
