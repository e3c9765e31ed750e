"""Repositories of the formats that presets know, with 1,000 items each."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

from benchmarks.repositories import git, import_files

ITEMS = 1_000
# what is staged: the files of one item, as they are after the change
Sample = tuple[Mapping[str, str], Mapping[str, str]]


def _openspec() -> Sample:
    files = {'openspec/project.md': '# Project\n'}
    for number in range(ITEMS):
        folder = f'openspec/changes/change-{number}'
        files[f'{folder}/proposal.md'] = '## Why\n\nBecause.\n'
        files[f'{folder}/tasks.md'] = '- [x] 1.1 one\n- [ ] 1.2 two\n'
        files[f'openspec/specs/part-{number}/spec.md'] = (
            '# Part\n\n### Requirement: it works\n\nIt SHALL work.\n'
        )
    return files, {'openspec/changes/change-500/tasks.md': '- [x] 1.1\n- [x] 1.2\n'}


def _gsd() -> Sample:
    boxes = ''.join(f'- [x] {n}-01-PLAN.md\n' for n in range(1, ITEMS))
    rows = ''.join(f'| {n}. Part | 1/1 | In Progress |\n' for n in range(1, ITEMS))
    head = '# Roadmap\n\n'
    table = '\n| Phase | Plans | Status |\n|---|---|---|\n'
    files = {'.planning/config.json': '{}\n'}
    for number in range(1, ITEMS):
        folder = f'.planning/phases/{number}-part'
        files[f'{folder}/{number}-01-PLAN.md'] = 'plan\n'
        files[f'{folder}/{number}-01-SUMMARY.md'] = 'done\n'
    text = head + boxes + table + rows
    files['.planning/ROADMAP.md'] = text
    changed = text.replace(
        '| 500. Part | 1/1 | In Progress', '| 500. Part | 1/1 | Done'
    )
    return files, {'.planning/ROADMAP.md': changed}


def _spec_kit() -> Sample:
    files = {'.specify/memory/constitution.md': '# Constitution\n'}
    for number in range(ITEMS):
        folder = f'specs/{number:03d}-feature'
        files[f'{folder}/spec.md'] = '# Feature\n\n**Status**: Draft\n\n## Scenarios\n'
        files[f'{folder}/plan.md'] = '# Plan\n'
        files[f'{folder}/tasks.md'] = '- [x] T001 one\n- [ ] T002 two\n'
    return files, {'specs/500-feature/tasks.md': '- [x] T001 one\n- [x] T002 two\n'}


def _bmad() -> Sample:
    rows = ''.join(f'  1-{n}-part: in-progress\n' for n in range(ITEMS))
    text = f'development_status:\n  epic-1: in-progress\n{rows}'
    folder = '_bmad-output/implementation-artifacts'
    story = '# Story\n\nStatus: {}\n\n## Tasks / Subtasks\n\n- [x] one\n'
    files = {f'{folder}/sprint-status.yaml': text}
    for number in range(ITEMS):
        files[f'{folder}/1-{number}-part.md'] = story.format('in-progress')
    return files, {
        f'{folder}/sprint-status.yaml': text.replace(
            '1-500-part: in-progress', '1-500-part: done'
        ),
        f'{folder}/1-500-part.md': story.format('done'),
    }


def _kiro() -> Sample:
    files = {'.kiro/steering/product.md': '# Product\n'}
    for number in range(ITEMS):
        folder = f'.kiro/specs/part-{number}'
        files[f'{folder}/requirements.md'] = '# Requirements\n'
        files[f'{folder}/design.md'] = '# Design\n'
        files[f'{folder}/tasks.md'] = '- [ ] 1. One\n  - [ ] 1.1 Two\n'
    changed = '- [ ] 1. One\n  - [x] 1.1 Two\n'
    return files, {'.kiro/specs/part-500/tasks.md': changed}


def _backlog_md() -> Sample:
    task = (
        '---\nid: TASK-{}\ntitle: Part\nstatus: {}\ndependencies: []\n---\n\n'
        '## Acceptance Criteria\n\n- [x] #1 one\n'
    )
    files = {'backlog/config.yml': 'statuses: [To Do, In Progress, Done]\n'}
    for number in range(ITEMS):
        name = f'backlog/tasks/task-{number} - Part.md'
        files[name] = task.format(number, 'To Do')
    return files, {'backlog/tasks/task-500 - Part.md': task.format(500, 'Done')}


def _task_master() -> Sample:
    tasks = [
        {'id': n, 'title': 'Part', 'status': 'pending', 'dependencies': []}
        for n in range(ITEMS)
    ]

    def text() -> str:
        return json.dumps({'master': {'tasks': tasks}}, indent=2)

    before = text()
    tasks[500]['status'] = 'done'
    path = '.taskmaster/tasks/tasks.json'
    return {path: before}, {path: text()}


FORMATS: Mapping[str, Callable[[], Sample]] = {
    'backlog-md': _backlog_md,
    'bmad': _bmad,
    'gsd': _gsd,
    'kiro': _kiro,
    'openspec': _openspec,
    'spec-kit': _spec_kit,
    'task-master': _task_master,
}


def make_format(top: Path, name: str) -> None:
    """A repository of a format in which a change of one item is staged."""
    files, changed = FORMATS[name]()
    workflow = {'.interlock.yaml': f'version: 1\nextends: {name}\n'}
    import_files(top, {**workflow, **files})
    for path, text in changed.items():
        (top / path).write_text(text, encoding='UTF-8')
    git(top, 'add', *changed)
