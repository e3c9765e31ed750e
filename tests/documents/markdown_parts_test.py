from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.documents.markdown import fences, parts
from interlock.documents.tool_calls import calls, only_call
from tests.documents.strategies import any_text
from tests.profiles import some

TEXT = """\
avant

# Un

texte
```yaml
# no heading
a: 1
```
| A | B |
|---|:-:|
| 1 | x \\| y |
| 2 |

## Deux
<!--
### caché
-->
~~~
ouvert
"""


def test_a_file_is_parted_by_its_headings() -> None:
    first, second = parts(TEXT)
    assert (first.title, first.level, first.line) == ('Un', 1, 3)
    assert (second.title, second.level, second.line) == ('Deux', 2, 15)
    assert not first.empty
    assert [line for _, line in second.text if line] == []
    assert not second.empty


def test_fenced_code_has_its_language_text_and_lines() -> None:
    (block,) = parts(TEXT)[0].fences
    assert block.language == 'yaml'
    assert block.text == '# no heading\na: 1'
    assert list(block.lines) == [(7, '# no heading'), (8, 'a: 1')]
    assert block.closed


def test_a_fence_that_is_not_closed_reaches_to_the_end() -> None:
    (block,) = parts(TEXT)[1].fences
    assert (block.line, block.text, block.closed) == (19, 'ouvert\n', False)


def test_tables_have_rows_with_lines() -> None:
    (table,) = parts(TEXT)[0].tables
    assert (table.line, table.header) == (10, ('A', 'B'))
    assert [(row.line, row.cells) for row in table.rows] == [
        (12, ('1', 'x | y')),
        (13, ('2',)),
    ]


@pytest.mark.parametrize(
    ('text', 'number'),
    (
        ('```\nx\n```', 1),
        ('- ```\n  x\n  ```', 1),
        ('````\n```\n````', 1),
        ('~~~\n~~~\n```\n```', 2),
        ('a ``` b', 0),
        ('<!--\n```\n-->', 0),
        ('```\r\nx\r\n```\r\n', 1),
    ),
)
def test_fences_are_told_from_text(text: str, number: int) -> None:
    found = fences(text)
    assert len(found) == number
    assert all(block.closed for block in found)


@settings(max_examples=some(200), deadline=None)
@given(any_text)
def test_any_text_has_parts_in_the_order_of_its_lines(text: str) -> None:
    lines = text.split('\n')
    last = 0
    for part in parts(text):
        assert last < part.line <= len(lines)
        last = part.line
        for number, line in part.text:
            assert part.line < number
            assert lines[number - 1].rstrip('\r') == line
        for block in part.fences:
            assert part.line < block.line <= len(lines)
        for table in part.tables:
            assert part.line < table.line


@pytest.mark.parametrize(
    ('text', 'texts'),
    (
        ('Read("/a")', ('/a',)),
        ("Read('/a')  # x", ('/a',)),
        ('Read("/a", "/b",)', ('/a', '/b')),
        ('Read("/a(b)\\"c")', ('/a(b)"c',)),
        ('Read(\n"/a"\n)', ('/a',)),
        ('Read()', ()),
        ('Read(a)', None),
        ('Read(1)', None),
        ('Read("/a"', None),
        ('Read("\\N{x}")', None),
        ('Read("a" + "b")', None),
    ),
)
def test_the_arguments_of_a_call_are_quoted_texts(
    text: str, texts: tuple[str, ...] | None
) -> None:
    (call,) = calls(list(enumerate(text.split('\n'), 1)), 'Read')
    assert call.texts == texts


@pytest.mark.parametrize(
    'text', ('# Read("/a")', 'x = 1  # Read("/a")', 'Reread("/a")', 'a.Read("")')
)
def test_remarks_and_other_names_are_no_calls(text: str) -> None:
    assert list(calls([(1, text)], 'Read')) == []


def test_a_call_has_its_line() -> None:
    lines = [(7, '# x'), (8, 'y'), (9, '  Read("/a")')]
    assert [call.line for call in calls(lines, 'Read')] == [9]


@pytest.mark.parametrize(
    ('text', 'good'),
    (
        ('Skill("a")', True),
        (' `Skill("a", "b")` ', True),
        ('Skill("a"); x', False),
        ('x Skill("a")', False),
        ('Skill(', False),
        ('', False),
    ),
)
def test_a_text_may_be_one_call_and_nothing_else(text: str, good: bool) -> None:
    assert (only_call(text, 'Skill') is not None) == good


@settings(max_examples=some(200), deadline=None)
@given(st.one_of(any_text, st.text('Read("\'\\)[]{}#\n a')))
def test_any_text_has_calls_or_none(text: str) -> None:
    for call in calls(list(enumerate(text.split('\n'), 1)), 'Read'):
        assert call.texts is None or all(isinstance(each, str) for each in call.texts)
