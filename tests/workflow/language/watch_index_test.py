"""What the guard compares events with, taken out of a compiled workflow."""

from __future__ import annotations

from typing import Any

import pytest

from interlock.workflow.language.compile import compile_workflow
from interlock.workflow.language.presets import presets
from interlock.workflow.language.watch_index import watch_index


def index(text: str) -> dict[str, Any]:
    merged, _ = compile_workflow('.interlock.yaml', text.encode(), lambda _: None)
    return watch_index(merged)


@pytest.mark.parametrize('name', presets())
def test_every_preset_has_an_index(name: str) -> None:
    assert index(f'version: 1\nextends: {name}\n')['records'] is not None


def test_the_files_agents_and_words_of_items() -> None:
    found = index('version: 1\nextends: plugin-workflow\n')
    assert 'PLUGINS.md' in found['records']
    assert 'plugins/{item}/.continue-here.md' in found['records']
    assert '.continue-here.md' in found['names']
    assert 'dsp-agent' in found['agents']
    assert found['has_items'] and found['confirms'] and not found['tasks']
    # of a phrase its longest word
    assert all(' ' not in word for word in found['words'])


@pytest.mark.parametrize(
    'roots',
    (
        pytest.param('{main: ., tasks: ../tasks}', id='one layout'),
        pytest.param('[{main: ., tasks: ../tasks}]', id='a list'),
    ),
)
def test_the_layout_of_tasks(roots: str) -> None:
    found = index(f'version: 1\nextends: task-protocol\nroots: {roots}\n')
    assert found['tasks']['roots'] == [['.', '../tasks']]
    assert found['tasks']['main_lock'] and found['tasks']['session_key']
    assert set(found['tasks']['lists']) <= set(found['names'])
    assert not found['has_items']


def test_without_items_there_is_nothing_to_watch() -> None:
    found = watch_index({'items': {}})
    assert not any(found.values())
