from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from interlock.documents import yaml
from interlock.handoff_document.outline import outline, text
from interlock.model.schemas import schema_text
from interlock.rules.index import RULES
from interlock.state.validate import resolved, schema
from interlock.workflow.language.json_schema import violations

SCHEMA = 'outline.schema.json'


def data() -> Any:
    return yaml.value(yaml.parse(text()))


def test_the_schema_is_a_valid_schema() -> None:
    made = json.loads(schema_text(SCHEMA))
    Draft202012Validator.check_schema(made)
    assert made['$id'] == f'https://interlock.invalid/{SCHEMA}'


def test_the_outline_follows_its_schema() -> None:
    assert violations(data(), SCHEMA) == []


@pytest.mark.parametrize(
    'change',
    (
        {'version': '2.0'},
        {'sections': []},
        {'more': 1},
        {'calls': {'skill': 'Skill'}},
        {'tables': [{'section': '1.9'}]},
        {'quality': [{'line': 1, 'decided': 'perhaps', 'question': 'x'}]},
    ),
)
def test_the_schema_refuses_what_is_not_an_outline(change: dict[str, Any]) -> None:
    assert violations({**data(), **change}, SCHEMA) != []


def test_questions_name_rules_that_exist() -> None:
    for question in outline().quality:
        assert set(question.codes) <= set(RULES)
        assert bool(question.codes) == (question.decided != 'never')
        assert not question.section or question.section in outline().sections


def part(path: tuple[str, ...]) -> dict[str, Any]:
    """What the schema of the state says of the rows of a table."""
    found: dict[str, Any] = schema()
    for name in path:
        found = resolved(found['properties'][name])
    return resolved(found['items'])


@pytest.mark.parametrize(
    'table',
    [each for each in outline().tables if each.rows],
    ids=lambda each: '.'.join(each.rows),
)
def test_columns_are_made_of_fields_of_the_state(table: Any) -> None:
    known = part(table.rows)['properties']
    assert table.key in table.columns
    assert table.section in outline().sections
    for column in table.columns:
        assert set(column.fields) <= set(known)
        for field in column.fields:
            words = resolved(known[field]).get('enum')
            if words:
                assert sorted(column.values) == sorted(words)


def test_patterns_and_actions_are_those_of_the_state() -> None:
    patterns = schema()['properties']['workflow']['properties']['pattern']
    assert list(outline().patterns) == patterns['enum']
    statuses = part(('subagents',))['properties']['status']['enum']
    assert set(statuses) <= set(outline().actions)


FIXED = ('0.4', '0.5', '1.1.2', '1.16', '1.17', '1.24', 'S2')


@pytest.mark.parametrize('id', FIXED)
def test_what_every_document_says_is_data(id: str) -> None:
    assert len(outline().sections[id].text) > 80


@pytest.mark.parametrize(
    ('id', 'words'),
    (
        ('0.4', ('skill', 'documents', 'todos')),
        ('0.5', ('workflow', 'subagents', 'erif', '1.15', 'stop')),
        ('1.1.2', ('orchestrator', 'stop')),
        ('1.16', ('HIGHEST', 'HIGH', 'MEDIUM', 'LOW', 'file is wrong')),
        ('1.17', ('Incomplete', 'Corrupted', 'last complete section')),
        ('1.24', ('0.1', '1.13', '1.1.2', '1.17', '1.18', '1.16', '1.22')),
        ('Step 4', ('completed', 'running', 'blocked', 'failed', 'same')),
        ('Step 7', ('stop', 'malformed')),
    ),
)
def test_what_every_document_says_means_the_same(
    id: str, words: tuple[str, ...]
) -> None:
    assert [w for w in words if w not in outline().sections[id].text] == []


def test_what_a_new_document_says_is_what_the_rules_look_for() -> None:
    known = outline()
    for section in known.sections.values():
        words = known.nothing.get(section.id, known.nothing['any'])
        assert not section.lists or section.otherwise.startswith(words)
    assert known.lists['reads'].each.startswith(f'{known.calls["read"]}(')
    assert f'# {known.marks.result} ' in known.lists['results'].each
    for id in ('1.19', 'Step 0'):
        assert f'# {known.marks.expected} ' in known.sections[id].text
