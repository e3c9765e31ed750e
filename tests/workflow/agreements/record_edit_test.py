from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.model.change import Blob
from interlock.workflow.agreements.names import Names
from interlock.workflow.agreements.readers import Parser
from interlock.workflow.agreements.record_edit import fixed_records, with_value
from interlock.workflow.agreements.spec import Record
from tests.formats import bmad, gsd
from tests.formats.presets_test import workflow_of
from tests.formats.trees import MemorySnapshot, edited, findings, rules
from tests.profiles import some

NAMES = Names('{slug}')
BOXES = Record('r', 'boxes', (), line=('{item}:*',), ticked='done', unticked='open')
FIELD = Record('r', 'field', (), label='Status')
FRONT = Record('r', 'frontmatter', (), status='status')
YAML = Record('r', 'yaml', (), at=(('all',),))
JSON = Record('r', 'json', (), at=(('tasks',),), item='id', status='status')
TABLE = Record(
    'r', 'table', (), line=('{item}',), columns={'item': ['Name'], 'status': ['Status']}
)


def made(record: Record, text: str, at: int, word: str) -> str | None:
    data = text.encode()
    readings = Parser(record, NAMES)(Blob('', len(data), data)).readings
    new = with_value(data, record, NAMES, readings[at], word)
    return None if new is None else new.decode()


@pytest.mark.parametrize(
    ('record', 'text', 'at', 'word', 'old', 'new'),
    (
        (BOXES, '- [ ] a: x\n* [ ] **b: y**\n', 1, 'done', '* [ ]', '* [x]'),
        (BOXES, '- [X] a: [ ] x\n', 0, 'open', '[X]', '[ ]'),
        (FIELD, '# T\n\n**Status:** Draft  \n', 0, 'Done', 'Draft', 'Done'),
        (FIELD, '# T\r\n\r\nStatus: Status\r\n', 0, 'Done', ': Status', ': Done'),
        (FRONT, '---\nstatus: "To Do" # x\n---\n', 0, 'Done', 'To Do', 'Done'),
        (
            YAML,
            'all:\n  done: open # open\n  b: open\n',
            0,
            'done',
            ': open #',
            ': done #',
        ),
        (
            JSON,
            '{"tasks": [\n {"id": 1,\n  "status": "a"},\n {"status": "a", "id": 2}\n]}\n',
            1,
            'b',
            '{"status": "a"',
            '{"status": "b"',
        ),
        (
            TABLE,
            '| Name | Status |\n|-|-|\n| a | a |\n| b | a |\n',
            0,
            'c',
            '| a | a |',
            '| a | c |',
        ),
    ),
)
def test_one_value_changes_and_nothing_else(
    record: Record, text: str, at: int, word: str, old: str, new: str
) -> None:
    assert made(record, text, at, word) == text.replace(old, new, 1)


def test_nothing_is_offered_where_it_cannot_be_done() -> None:
    whole = Record('r', 'boxes', ())
    assert made(whole, '- [ ] a\n', 0, 'all') is None
    assert made(BOXES, '- [ ] a: x\n', 0, 'begun') is None
    # two boxes of the same name are told apart by their lines
    assert made(BOXES, '- [ ] a: x\n- [ ] a: x\n', 1, 'done') == (
        '- [ ] a: x\n- [x] a: x\n'
    )


WORDS = st.sampled_from(('open', 'done', 'In Progress', 'x', 'ä', 'status'))
LINES = st.lists(
    st.tuples(st.sampled_from('abcde'), WORDS, st.sampled_from(('', ' # c', '  '))),
    min_size=1,
    max_size=5,
    unique_by=lambda each: each[0],
)


def _boxes(lines: list[tuple[str, str, str]]) -> str:
    return '\n'.join(
        f'- [{"x" if word == "done" else " "}] {key}: [ ] {word}{end}'
        for key, word, end in lines
    )


def _json(lines: list[tuple[str, str, str]]) -> str:
    tasks = [{'status': word, 'id': key, 'note': word} for key, word, _ in lines]
    return json.dumps({'tasks': tasks}, ensure_ascii=False, indent=len(lines) % 3)


# how each kind of record is written, with words that also stand elsewhere
FORMS: dict[str, tuple[Record, Callable[[list[tuple[str, str, str]]], str]]] = {
    'boxes': (BOXES, _boxes),
    'field': (FIELD, lambda it: f'# {it[0][1]}\n\n**Status:** {it[0][1]}\n\n## S\n'),
    'frontmatter': (FRONT, lambda it: f'---\nid: {it[0][1]}\nstatus: {it[0][1]}\n---'),
    'json': (JSON, _json),
    'table': (
        TABLE,
        lambda it: (
            '| Note | Name | Status |\n|---|---|---|\n'
            + '\n'.join(f'| {word} | {key} | {word} |' for key, word, _ in it)
        ),
    ),
    'yaml': (
        YAML,
        lambda it: (
            'all:\n' + '\n'.join(f'  {key}: {word}{end}' for key, word, end in it)
        ),
    ),
}


def _shared(one: bytes, other: bytes) -> int:
    """How many bytes two texts have in common at their beginning."""
    pairs = enumerate(zip(one, other, strict=False))
    return next(
        (at for at, (left, right) in pairs if left != right), min(len(one), len(other))
    )


@pytest.mark.parametrize('form', FORMS)
@settings(max_examples=some(100))
@given(LINES, st.data(), st.sampled_from(('\n', '\r\n')), st.booleans(), st.booleans())
def test_every_other_byte_stays(
    form: str,
    lines: list[tuple[str, str, str]],
    data: st.DataObject,
    newline: str,
    has_mark: bool,
    is_ended: bool,
) -> None:
    record, write = FORMS[form]
    text = write(lines).replace('\n', newline) + newline * is_ended
    old = ('\ufeff' * has_mark + text).encode()
    word = data.draw(st.sampled_from(('done', 'open') if form == 'boxes' else ('New',)))
    readings = Parser(record, NAMES)(Blob('', len(old), old)).readings
    at = data.draw(st.integers(0, len(readings) - 1))
    new = with_value(old, record, NAMES, readings[at], word)
    assert new is not None
    same = _shared(old, new)
    rest = _shared(old[same:][::-1], new[same:][::-1])
    gone, came = old[same : len(old) - rest], new[same : len(new) - rest]
    assert gone in (b'x', b' ') or gone in readings[at].word.encode()
    expected = [each.word.strip() for each in readings]
    expected[at] = word
    after = Parser(record, NAMES)(Blob('', len(new), new)).readings
    assert [each.word.strip() for each in after] == expected
    assert len(came) <= len(word.encode())


def test_records_are_brought_in_line() -> None:
    before = edited(gsd.BASE, {**gsd.SUMMARY, gsd.R: gsd.DONE})
    found = fixed_records(MemorySnapshot(before), workflow_of('gsd').recorded)
    assert set(found) == {gsd.R}
    old, new = (text.decode() for text in found[gsd.R])
    assert new == old.replace('[ ] 05-02', '[x] 05-02').replace(
        '| In Progress |', '| Complete |'
    )
    after = {**before, gsd.R: new}
    assert rules(workflow_of('gsd'), {}, after) == set()


@pytest.mark.parametrize(
    ('line', 'expected'),
    (
        pytest.param('Status: review', 'Status: done', id='plain'),
        pytest.param('\ufeffStatus: Review\r', '\ufeffStatus: done\r', id='CRLF, BOM'),
        pytest.param(
            '**Status:** Review <!-- soon -->',
            '**Status:** done <!-- soon -->',
            id='comment',
        ),
        pytest.param(
            '## Status\n\n- **Ready for Review** (now)',
            '## Status\n\n- **done** (now)',
            id='section, in bold, with a reason',
        ),
        pytest.param('> *Status*: `review`', '> *Status*: `done`', id='code'),
        pytest.param('Status: ✅ review - by A', 'Status: ✅ done - by A', id='emoji'),
        pytest.param('Status: in **re**view', None, id='a word in pieces'),
    ),
)
@pytest.mark.parametrize('end', ('', '\n', '\n\n## Tasks\n'))
def test_a_story_follows_the_registry(
    line: str, expected: str | None, end: str
) -> None:
    tree = {bmad.Y: bmad.sprint(one='done'), bmad.STORY: line + end}
    found = fixed_records(MemorySnapshot(tree), workflow_of('bmad').recorded)
    texts = {path: new.decode() for path, (_, new) in found.items()}
    assert texts == ({bmad.STORY: expected + end} if expected else {})


def test_a_reason_of_one_row_is_not_copied_to_another() -> None:
    row = '| {name} | {status} |\n'
    rows = '| Phase | Status |\n|-|-|\n' + ''.join(
        row.format(name=name, status=status)
        for name, status in (('1', '**Complete** (by Ann)'), ('2', 'Planned'))
    )
    tree = {gsd.R: f'- [x] Phase 1\n- [x] Phase 2\n\n{rows}'}
    found = fixed_records(MemorySnapshot(tree), workflow_of('gsd').recorded)
    old, new = (text.decode() for text in found[gsd.R])
    assert new == old.replace('Planned', 'Complete')


@pytest.mark.parametrize(
    ('line', 'is_offered'),
    (
        pytest.param('Status: review', True, id='a word'),
        pytest.param('Status: in **re**view', False, id='a word in pieces'),
    ),
)
def test_a_fix_is_offered_only_where_it_can_be_made(
    line: str, is_offered: bool
) -> None:
    after = {bmad.Y: bmad.sprint(one='done'), bmad.STORY: line}
    found = findings(workflow_of('bmad'), {}, after)
    fixes = [each.fix for each in found if each.rule == bmad.SAME]
    assert [fix is not None and '--fix' in fix.command for fix in fixes] == [is_offered]
