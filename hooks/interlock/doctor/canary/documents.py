"""Violations of the check `document`: few documents, each wrong throughout."""

from __future__ import annotations

from interlock.documents import yaml
from interlock.handoff_document.document import STATE
from interlock.handoff_document.outline import outline
from interlock.model.quick_typing import Any, Iterator, Mapping, NamedTuple
from interlock.workflow.language.spec import DocumentsSpec

TOP = 'S0'
NOTHING = 'canary'
# a block of code that is never closed, in any markdown file
OPEN = '\n```\ncanary\n'

# sections that tell a reader nothing
SAYS_NOTHING: Mapping[str, str] = {
    id: NOTHING
    for id in ('0.1', '0.2', '0.3', '1.1', '1.9', '1.10', '1.14', '1.21', '1.23')
} | {STATE: '```yaml\n[\n```'}

# a state from which no work could continue
BAD_STATE: Mapping[str, Any] = {
    'mode': 'canary',
    'project_path': '/canary',
    'project_encoded': 'elsewhere',
    'session_id': '[SESSION]',
    'skill_stack': [{'name': 'canary', 'resume_command': 'rm canary'}],
    'subagents': [{'id': '', 'persona': ''}],
    'todos': {'explicit': [{'id': '1', 'content': 'canary', 'status': 'pending'}]},
    'documents': {'impl': [{'path': '/canary-impl.md', 'status': 'DRAFT'}]},
    'conversation': {'corrections': [{'lesson': ''}]},
    'quality_gates': [
        {'name': 'canary', 'status': 'FAILED', 'evidence': '', 'can_skip': True}
    ],
}
CONTRADICTS: Mapping[str, str] = {
    '0.2': '```\nRead("canary.md")\n```',
    '0.3': '```\nTodoWrite([])\n```',
    STATE: f'```yaml\n{yaml.dump(dict(BAD_STATE))}```',
}


class Page(NamedTuple):
    name: str
    text: str
    # the rules that it breaks
    broken: str

    @property
    def codes(self) -> list[str]:
        return self.broken.split()


def _page(bodies: Mapping[str, str]) -> str:
    """The sections in the order of the outline."""
    parts = [
        f'{"#" * spec.level} {spec.title}\n\n{bodies.get(spec.id, "")}\n'
        for spec in outline().sections.values()
        if spec.id in bodies or spec.id == TOP
    ]
    return '\n'.join(parts)


def _tables() -> dict[str, str]:
    """A row of words that neither its columns nor the state know."""
    for spec in outline().tables:
        if spec.rows and any(column.values for column in spec.columns):
            width = len(spec.columns)
            return {
                spec.section: (
                    f'| {" | ".join(spec.header)} |\n{"|---" * width}|\n'
                    f'{f"| {NOTHING} " * width}|'
                )
            }
    return {}


WORDS_CODES = (
    'DOC001 DOC002 DOC004 DOC006 DOC007 DOC008 DOC029 DOC031 DOC038 DOC041 DOC042'
)
STATE_CODES = (
    'DOC003 DOC009 DOC010 DOC011 DOC012 DOC013 DOC014 DOC015 DOC016 DOC019 DOC030 '
    'DOC034 DOC035 DOC036 DOC037 DOC040'
)


def _handoffs() -> Iterator[Page]:
    yield Page('CanaryWords.md', _page(SAYS_NOTHING), WORDS_CODES)
    yield Page('CanaryState.md', _page({**CONTRADICTS, **_tables()}), STATE_CODES)
    yield Page('CanaryStart.md', '# Canary\n', 'DOC005')


def _markdown() -> Iterator[Page]:
    """Violations by any markdown file."""
    yield Page('CanaryOpen.md', f'# Canary\n{OPEN}', 'DOC027')
    yield Page('CanaryBytes.md', '\0', 'DOC032')


def _place(pattern: str, name: str) -> str:
    """A path that a pattern matches, and whose last part is a name."""
    folder, _, last = pattern.rpartition('/')
    folder = folder.replace('**', 'canary').replace('*', 'canary')
    if '*' in last:
        head, _, tail = last.replace('**', '*').partition('*')
        last = f'{head}{name.partition(".")[0]}{tail.replace("*", "")}'
    return f'{folder}/{last}' if folder else last


def documents(spec: DocumentsSpec) -> dict[str, Page]:
    """path -> a document that breaks rules, as the workflow places them."""
    made: dict[str, Page] = {}
    for patterns, pages in (
        (spec.markdown, _markdown()),
        (spec.handoffs, (*_markdown(), *_handoffs())),
    ):
        # a pattern that names one file has room for one document
        for number, page in enumerate(pages if patterns else ()):
            pattern = patterns[number % len(patterns)]
            made[_place(pattern, page.name)] = page
    return made
