from __future__ import annotations

import pytest

from interlock.checks.all_checks import CHECKS
from interlock.checks.run import CheckLog, _run
from interlock.checks.watched_paths import is_unwatched
from interlock.documents.message import parse
from interlock.model.change import Change
from tests.checks.trees import Tree, workflow

WORKFLOW = """\
version: 1
items:
  feature:
    path: features/{item}
    registry:
      file: FEATURES.md
      layout: distributed
      columns: {item: feature, status: status}
    states: {planned: {role: before}, done: {role: done}}
    transitions:
      - {from: nothing, to: planned}
      - {from: planned, to: done}
  note:
    name: '{slug}'
    records:
      status: {read: field, file: 'notes/{item}.md', label: Status}
    states: {open: [], shut: []}
    agree:
      - {name: shut, when: {status: shut}, then: {status: shut}}
documents: {markdown: ['plans/**.md']}
"""
SPEAKING = WORKFLOW.replace(
    'states: {planned', "commit: {subjects: ['{item}: {state}']}\n    states: {planned"
)


def _change(path: str, text: str = 'work', letter: str = 'M') -> Change:
    before, after = Tree({path: 'a\n'}), Tree({path: 'b\n'})
    return Change(before, after, {path: letter}, parse(text), commit='f' * 40)


@pytest.mark.parametrize(
    ('path', 'unwatched'),
    [
        ('src/main.c', True),
        ('notes.txt', True),
        ('plan.md', True),
        ('FEATURES.md', False),
        ('features/one/code.c', False),
        ('notes/one.md', False),
        ('plans/one.md', False),
        ('.interlock.yaml', False),
        ('.interlock-baseline.json', False),
        ('.github/workflows/ci.yml', False),
        ('.claude/settings.json', False),
        ('tools/check.sh', False),
        ('tools/hooks/pre-push', False),
    ],
)
def test_commits_are_told_apart_by_what_they_touch(path: str, unwatched: bool) -> None:
    rules = workflow(WORKFLOW)
    assert is_unwatched(_change(path), rules) == unwatched
    if unwatched:
        # as a change of the index it is judged all the same
        assert _run(_change(path)._replace(commit=''), rules, (), CheckLog()) == {}


@pytest.mark.parametrize(
    'change',
    [
        pytest.param(_change('a.c')._replace(commit=''), id='the index'),
        pytest.param(_change('a.c')._replace(message=None), id='no message'),
        pytest.param(_change('a.c')._replace(everything=True), id='a whole tree'),
        pytest.param(_change('a.c')._replace(is_ref_step=True), id='the step of a ref'),
        pytest.param(_change('a.c', 'x\n\nInterlock-Lock: one@1'), id='a lock'),
    ],
)
def test_nothing_else_goes_unjudged(change: Change) -> None:
    assert not is_unwatched(change, workflow(WORKFLOW))


def test_every_message_is_read_where_messages_speak_of_states() -> None:
    assert not is_unwatched(_change('src/main.c'), workflow(SPEAKING))


OF_COMMITS = {'stages', 'locks', 'commit', 'message'}


@pytest.mark.parametrize(
    ('change', 'expected'),
    [
        pytest.param(_change('src/main.c'), OF_COMMITS, id='a commit'),
        pytest.param(
            _change('src/main.c')._replace(message=None, is_ref_step=True),
            OF_COMMITS,
            id='the step of a ref',
        ),
        pytest.param(_change('FEATURES.md'), {*CHECKS}, id='a watched file'),
        pytest.param(_change('a.c')._replace(commit=''), {*CHECKS}, id='the index'),
        pytest.param(_change('a.c')._replace(everything=True), {*CHECKS}, id='a tree'),
    ],
)
def test_checks_of_files_are_skipped_where_no_watched_file_changes(
    change: Change, expected: set[str]
) -> None:
    log = CheckLog()
    _run(change, workflow(SPEAKING), (), log)
    assert {*log.times} == expected
