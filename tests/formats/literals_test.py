"""No format's name, path or word stands in code: presets are data."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import interlock
from interlock.documents import yaml
from interlock.workflow.agreements.agreement_pages import described, kinds_of
from interlock.workflow.agreements.names import PARTS
from interlock.workflow.language.presets import preset, presets
from tests.literals import literals, values

PACKAGE = Path(str(interlock.__file__)).parent
# words that stand in code for other reasons
COMMON = {
    'archive',
    'docs',
    'tasks',
    'specs',
    'changes',
    'tasks.md',
    'spec.md',
    'plan.md',
    'README.md',
    'tasks.json',
    'config.json',
    'config.yml',
    'completed',
    'phases',
    'plans',
    'design.md',
    'draft',
    'done',
    'open',
    'pending',
    'ready',
    'review',
    'status',
    'complete',
    'passed',
    'blocked',
    'approved',
    'before',
    'merged',
    'moved',
    'active',
    'phase',
    'skipped',
    'removed',
    'planned',
    'in progress',
    'in_progress',
    'final',
    'released',
    'gone',
    'todo',
    'in-progress',
    'backlog',
    'cancelled',
    'Done',
    'optional',
    'initialized',
    'deferred',
    'implementation',
    'split',
    'Draft',
    'archived',
    'ID',
    '#',
    'project.md',
    'all',
    'proposal.md',
    'superseded',
    'executing',
    'rejected',
    'Status',
}


def _words() -> Iterator[str]:
    for name in presets():
        if not kinds_of(name):
            continue
        yield name
        data = yaml.value(yaml.parse((preset(name) or b'').decode()))
        for kind in data['items'].values():
            for record in kind.get('records', {}).values():
                for value in values({**record, 'read': ''}):
                    yield from (
                        re.split(r'[/*{}]|\bitem\b', value) if '/' in value else ()
                    )
                yield from values(record.get('label', ''))
            for state, aliases in kind.get('states', {}).items():
                yield state
                yield from aliases or ()
    for each in described():
        yield each.name
        yield each.trailer


def test_no_word_of_a_format_stands_in_code() -> None:
    words = {word.strip() for word in _words()} - COMMON - set(PARTS)
    words = {word for word in words if len(word) > 3}
    assert 'sprint-status.yaml' in words
    found = [
        f'{path.relative_to(PACKAGE)}:{line}: {text}'
        for path in sorted(PACKAGE.rglob('*.py'))
        for line, text in literals(path.read_text(encoding='UTF-8'))
        if text.strip() in words
    ]
    assert found == []
