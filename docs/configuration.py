"""Writes `docs/configuration.md`: every key of a workflow file, from its schema."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from docs.workflow_keys import made
from interlock.workflow.language.reference import Key

EXAMPLES = Path(__file__).parent / 'examples'
OWN_FORMAT = Path(__file__).parent / 'formats' / 'your-own.md'
HEAD = """\
# The configuration

Made by `make docs` from the schema of workflow files. `interlock config explain KEY`
prints the same; `interlock config show` says what governs here and in which line of
which file each value stands; `interlock config validate` checks a file.

`.interlock.yaml` at the top of a repository is its **workflow**: which items there
are, where their state is written, and which changes are legal. `interlock init` writes
one for a table that you have.

- **A file changes what it extends.** `extends` names a preset, a file, or several of
  them. Mappings are merged key by key, lists are replaced whole, and **`null`** removes
  a key. The result is validated, not each file for itself.
- **`nothing`** stands for the time before an item is in the registry: `{from: nothing, to: Idea}`.
  **`any`** stands for every state, but not for `nothing`: `{from: any, to: Dropped}`.
- **`path`** is required of a kind: where the files of an item lie. It need not exist.
- **`{item}`** in a path stands for the name of an item.
- A changed workflow governs from the next commit on. To try it before:
  `interlock check --worktree --config .interlock.yaml`.

## Three examples

Each is a whole file, and a test runs it ([docs/examples](examples)).
"""
TITLES = {
    'features': 'A table of features',
    'decisions': 'Decision records with a frozen decision',
    'monorepo': 'A monorepo with two registries',
}
SECTIONS = {
    'registry': 'The registry',
    'states': 'States',
    'transitions': 'Transitions',
    'handoff': 'Handoffs',
    'contracts': 'Contracts',
    'gates': 'Gates',
    'deliverables': 'Deliverables',
    'commit': 'Commits',
    'protocol': 'Tasks',
    'menus': 'Menus',
}


def _section(key: Key) -> str:
    if key.path[0] != 'items':
        return 'The whole file'
    elif key.recorded:
        return 'Items of other formats: records and agreements'
    return SECTIONS.get(''.join(key.path[2:3]), 'A kind of items')


def _entry(key: Key) -> Iterator[str]:
    yield f'#### `{key.name}`'
    yield ''
    yield f'{key.description} It is {key.type}.'
    if key.example:
        yield from ('', '```yaml', *key.example, '```')
    yield ''


def _own_format() -> list[str]:
    """The page that teaches records and agreements, one level deeper."""
    title, _, text = OWN_FORMAT.read_text('UTF-8').partition('\n')
    body = text.strip().replace('\n## ', '\n### ')
    return [f'#{title}', '', body, '']


def page() -> str:
    lines = [HEAD]
    for name, title in TITLES.items():
        text = (EXAMPLES / name / '.interlock.yaml').read_text('UTF-8')
        lines.extend((f'### {title}', '', f'```yaml\n{text}```', ''))
    lines.extend(_own_format())
    sections: dict[str, list[Key]] = {}
    for key in made():
        sections.setdefault(_section(key), []).append(key)
    for title, found in sections.items():
        lines.extend((f'## {title}', ''))
        for key in found:
            lines.extend(_entry(key))
    return '\n'.join(lines).rstrip() + '\n'
