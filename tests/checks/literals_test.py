"""Workflows are data: a check's code names no word of a preset."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from interlock import checks
from interlock.documents import yaml
from interlock.workflow.language.presets import preset, presets
from tests.literals import literals, values

SOURCES = sorted(Path(str(checks.__file__)).parent.glob('*.py'))
# the language of workflow files, not the words of one
LANGUAGE = {
    'null',
    'true',
    'stale',
    'kept',
    'number',
    'boolean',
    'change',
    'exist',
    'before',
    'stage',
    'done',
    'phase',
    'status',
    'item',
    'updated',
    'nothing',
    'any',
    'none',
    '*',
    'phases',
    # the name of a check
    'stages',
    # what a key of a lock means, be it named so or not
    'session',
    'task',
    'state',
    'created',
    'log',
    'agents',
    'additions',
    'risk',
    'evidence',
    'generation',
    'checkpoint',
    # a word of code paths, and of a text about agents
    'missing',
    # a key of a checkpoint, and a word of the user
    'approved',
    # scripts that hooks run, in any project
    '.sh',
    '.bash',
}


def _words() -> Iterator[str]:
    """State names, aliases, file names, keys and values of the presets."""
    for name in presets():
        yield name
        data = yaml.value(yaml.parse((preset(name) or b'').decode()))
        for kind_name, kind in data.get('items', {}).items():
            if 'records' in kind:
                # tests/formats/literals_test.py
                continue
            yield kind_name
            yield from values(
                {
                    **kind,
                    'registry': {
                        key: value
                        for key, value in kind.get('registry', {}).items()
                        if key != 'layout'
                    },
                }
            )
            for state, spec in kind.get('states', {}).items():
                yield state
                # another preset may remove it with null
                yield from (spec or {}).get('aliases') or {}
            handoff = kind.get('handoff', {})
            yield from handoff.get('fields', {})
            yield from kind.get('contracts', {}).get('files', {})


def _file_names(words: set[str]) -> set[str]:
    return {
        part
        for word in words
        if '/' in word or word.endswith('.md')
        for part in word.split('/')
        if '.' in part.strip('.') and not set('*{') & set(part)
    }


WORDS = set(_words()) - LANGUAGE
FILES = _file_names(WORDS)


def named_in(text: str) -> list[str]:
    """The words of a preset that a literal names."""
    found = [word for word in sorted(WORDS) if word == text.strip()]
    found += [file for file in sorted(FILES) if file in text]
    found += [
        word
        for word in sorted(WORDS)
        if word[:1].isupper() and word in text and len(word) > 3
    ]
    found += re.findall(r'(?i)\b(?:stage|phase) \d', text)
    return found


def test_the_words_that_are_looked_for_are_those_of_the_presets() -> None:
    assert {
        'Stage 3',
        'Working',
        'Building System',
        'IMPLEMENTATION',
        'workflow_complete',
        'creative_brief',
        'Plugin Name',
        'Contract-Amendment',
        'gui_type',
        'plugin-workflow',
        '🚧',
    } <= WORDS
    assert {'PLUGINS.md', '.continue-here.md', 'plan.md'} <= FILES


def test_every_check_is_scanned() -> None:
    names = {source.name for source in SOURCES}
    assert {
        'commit.py',
        'contracts.py',
        'handoff.py',
        'message.py',
        'registry.py',
        'stages.py',
        'workflow.py',
    } <= names


@pytest.mark.parametrize('source', SOURCES, ids=lambda path: path.name)
def test_no_word_of_a_preset_is_in_the_code_of_a_check(source: Path) -> None:
    named = [
        (line, text, named_in(text))
        for line, text in literals(source.read_text())
        if named_in(text)
    ]
    assert named == []


@pytest.mark.parametrize(
    ('code', 'line'),
    [
        ("x = 1\nif s == 'Working':\n    pass\n", 2),
        ("path = 'plugins/x/.continue-here.md'\n", 1),
        ("key = 'contract_checksums'\n", 1),
        ("print(f'it is at Stage 3 {x}')\n", 1),
    ],
)
def test_the_scan_finds_a_word(code: str, line: int) -> None:
    found = [number for number, text in literals(code) if named_in(text)]
    assert found == [line]


def test_no_number_of_a_stage_is_compared() -> None:
    """Numbers of checks are sizes and counts: no more than 2."""
    for source in SOURCES:
        for node in ast.walk(ast.parse(source.read_text())):
            if isinstance(node, ast.Compare):
                numbers = [
                    part.value
                    for part in ast.walk(node)
                    if isinstance(part, ast.Constant) and isinstance(part.value, int)
                ]
                assert [n for n in numbers if n > 1] == [], source.name
