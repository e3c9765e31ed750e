"""Good and bad commits and calls of tools, with the rules that must refuse them."""

from __future__ import annotations

from interlock.model.quick_typing import Mapping, NamedTuple

TABLE = 'FEATURES.md'
HEAD = """\
# Features

| Feature | State    | Owner |
|---------|----------|-------|
"""
START = {
    'Export': 'Planned',
    'Offers': 'Planned',
    'Search': 'Building',
    'Login': 'Review',
    'Cart': 'Shipped',
}
OWNERS = {'Export': 'Ben', 'Cart': 'Ben'}
# the lines that a team adds to the file that `init` writes
FROZEN = """\
    contracts:
      frozen: [Review, Shipped]     # from then on the spec does not change
      files:
        spec: {paths: ['features/{item}/spec.md']}
"""
SPEC = 'features/Login/spec.md'
WORKFLOW = '.interlock.yaml'


class Attempt(NamedTuple):
    """A commit, or the call of a tool by an agent."""

    what: str
    # the code of the rule that refuses it, '' if it must pass
    refused_by: str
    # the files of the commit, or the input of the tool
    given: Mapping[str, str]
    # of the commit
    message: str = ''
    # whether the demo then runs the command that the refusal names
    follows: bool = False
    tool: str = ''


def table(**states: str) -> str:
    rows = [
        f'| {item:7} | {state:8} | {OWNERS.get(item, "Ana"):5} |\n'
        for item, state in {**START, **states}.items()
        if state
    ]
    return HEAD + ''.join(rows)


WHOLE = table(Search='Review', Invoice='Planned')


def _steps() -> list[Attempt]:
    return [
        Attempt(
            'a feature is shipped that nobody reviewed',
            'STG001',
            {TABLE: table(Search='Shipped')},
            'Search is shipped',
            follows=True,
        ),
        Attempt(
            'the step that is legal',
            '',
            {TABLE: table(Search='Review')},
            'Search is in review',
        ),
        Attempt(
            'a state that is misspelled',
            'REG005',
            {TABLE: table(Search='Shiped')},
            'Search is shipped',
        ),
        Attempt(
            'a new feature that is finished at once',
            'STG001',
            {TABLE: table(Search='Review', Invoice='Shipped')},
            'add invoices',
        ),
        Attempt(
            'a new feature that begins where features begin',
            '',
            {TABLE: WHOLE},
            'plan invoices',
        ),
    ]


def _tables() -> list[Attempt]:
    return [
        Attempt(
            'a feature in review is dropped from the table',
            'REG019',
            {TABLE: table(Search='', Invoice='Planned')},
            'tidy up',
        ),
        Attempt(
            'a feature has two rows',
            'REG007',
            {TABLE: f'{WHOLE}| Login   | Shipped  | Ana   |\n'},
            'Login is shipped',
        ),
        Attempt(
            'a remark cuts the table in two',
            'REG008',
            {TABLE: WHOLE.replace('| Login ', 'This one is next:\n| Login ')},
            'add a remark',
        ),
    ]


def _specs() -> list[Attempt]:
    new = {SPEC: '# Logs people in, by passkey\n'}
    reason = 'use passkeys\n\nContract-Amendment: agreed with the customer'
    return [
        Attempt(
            'a frozen spec is quietly rewritten',
            'CON007',
            new,
            'polish the spec',
            follows=True,
        ),
        Attempt('the same, with the reason in the message', '', new, reason),
    ]


def commits() -> list[Attempt]:
    return [*_steps(), *_tables(), *_specs()]


def calls() -> list[Attempt]:
    new = table(Search='Review', Invoice='Planned', Export='Shipped')
    code = {'file_path': 'features/Search/index.py', 'content': '# no --no-verify\n'}
    return [
        Attempt(
            'an agent takes a step that is not legal',
            'STG001',
            {'file_path': TABLE, 'content': new},
            tool='Write',
        ),
        Attempt(
            'an agent skips the hooks',
            'CLD001',
            {'command': 'git commit -anm "quick fix"'},
            tool='Bash',
        ),
        Attempt(
            'an agent removes a hook',
            'CLD003',
            {'command': 'rm .git/hooks/pre-commit'},
            tool='Bash',
        ),
        Attempt(
            'an agent writes code, and a message about --no-verify',
            '',
            code,
            tool='Write',
        ),
    ]
