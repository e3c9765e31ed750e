from __future__ import annotations

import time

import pytest

from interlock.documents import markdown


def visible(text: str) -> str:
    return ' '.join(line for _, line in markdown.visible_lines(text) if line)


@pytest.mark.parametrize(
    ('text', 'expected'),
    (
        pytest.param('a\n```\nx\n```\nb', 'a b', id='backticks'),
        pytest.param('a\n~~~\nx\n~~~\nb', 'a b', id='tildes'),
        pytest.param('a\n```markdown\nx\n```\nb', 'a b', id='info string'),
        pytest.param('a\n~~~ x`y\nx\n~~~\nb', 'a b', id='backtick in info'),
        pytest.param('a\n```\nx\n', 'a', id='unclosed'),
        pytest.param('a\n~~~\nx\n```\nb', 'a', id='closed by the other'),
        pytest.param('a\n```\n~~~\n```\nb', 'a b', id='other inside'),
        pytest.param('a\n````\n```\nx\n```\ny\n````\nb', 'a b', id='shorter inside'),
        pytest.param('a\n```\nx\n`````\nb', 'a b', id='closed by longer'),
        pytest.param('a\n````\nx\n```\nb', 'a', id='not by shorter'),
        pytest.param('a\n```\nx\n``` y\n```\nb', 'a b', id='not with info'),
        pytest.param('a\n```\nx\n```  \nb', 'a b', id='closed with spaces'),
        pytest.param('a\n```\nx```\n```\nb', 'a b', id='not in a line'),
        pytest.param('a\n   ```\nx\n  ```\nb', 'a b', id='indented by 3'),
        pytest.param('a\n      ```\nx\n      ```\nb', 'a b', id='by 6'),
        pytest.param('a\n* ```\n  x\n  ```\nb', 'a b', id='by an asterisk'),
        pytest.param('a\n  12) ```\nx\n```\nb', 'a b', id='parenthesis'),
        pytest.param('a\n\t```\nx\n\t```\nb', 'a b', id='by a tab'),
        pytest.param('a\n- ```\n  x\n  ```\nb', 'a b', id='in a list'),
        pytest.param('a\n1. ~~~\n   x\n   ~~~\nb', 'a b', id='numbered'),
        pytest.param('a\r\n```\r\nx\r\n```\r\nb', 'a b', id='CRLF'),
        pytest.param('```\nx\n```\nb', 'b', id='at the start'),
        pytest.param('a\n```\nx\n```', 'a', id='at the end'),
        pytest.param('a\n```\n```\nb', 'a b', id='empty'),
        pytest.param('a\n```', 'a', id='nothing behind'),
        pytest.param('a\n<!-- x -->\nb', 'a b', id='comment'),
        pytest.param('a\n<!--\nx\n\ny\n-->\nb', 'a b', id='long comment'),
        pytest.param('a\n<!-- x\ny --> z\nb', 'a b', id='rest of its line'),
        pytest.param('a\n<!-- x\nb', 'a', id='unclosed comment'),
        pytest.param('a\n  <!-- x -->\nb', 'a b', id='indented comment'),
        pytest.param('a\n<!-->\nb', 'a b', id='empty comment'),
        pytest.param('a\n<!--\n```\n-->\nb', 'a b', id='fence in comment'),
        pytest.param('a\n```\n<!--\n```\nb', 'a b', id='comment in fence'),
        pytest.param(
            'a\n```\nx\n```\nb\n~~~\ny\n~~~\n<!-- z -->\nc',
            'a b c',
            id='one after the other',
        ),
    ),
)
def test_fenced_code_and_comments_are_no_part_of_the_document(
    text: str, expected: str
) -> None:
    assert visible(text) == expected


@pytest.mark.parametrize(
    'text',
    (
        pytest.param('a ```\nb', id='fence in a line'),
        pytest.param('a\n``\nb\n``', id='two backticks'),
        pytest.param('a\n```b``` c\nd', id='inline code'),
        pytest.param('a <!-- b\nc', id='comment in a line'),
        pytest.param('a\n    <!-- b\nc', id='comment indented by 4'),
        pytest.param('é\n🚧', id='nothing'),
    ),
)
def test_what_only_looks_like_a_fence_or_a_comment_is_text(text: str) -> None:
    assert markdown.hidden(text.encode()) == []
    assert [line for _, line in markdown.visible_lines(text)] == (text.split('\n'))


def test_hidden_spans_start_with_their_line() -> None:
    data = 'é\n  ```\nx\n```\n<!-- y -->\n'.encode()
    assert [data[start:end] for start, end in markdown.hidden(data)] == [
        b'  ```\nx\n```',
        b'<!-- y -->',
    ]


def test_the_mask_knows_what_is_hidden() -> None:
    data = b'a\n```\nx\n```\nb\n'
    mask = markdown.Mask(data)
    hidden = bytes(data[at] for at in range(len(data)) if at in mask)
    assert hidden == b'```\nx\n```'


def test_visible_lines_keep_their_numbers() -> None:
    text = 'a\r\n```\r\nx\r\n```\r\nb\r\n'
    assert list(markdown.visible_lines(text)) == [(1, 'a'), (5, 'b'), (6, '')]


@pytest.mark.parametrize(
    ('line', 'level', 'title'),
    (
        pytest.param('# A', 1, 'A', id='level 1'),
        pytest.param('###### A', 6, 'A', id='level 6'),
        pytest.param('   ## A', 2, 'A', id='indented by 3'),
        pytest.param('##\tA', 2, 'A', id='tab'),
        pytest.param('## A ##', 2, 'A', id='closed'),
        pytest.param('## A #########   ', 2, 'A', id='closed by many'),
        pytest.param('## A#', 2, 'A#', id='hash of the title'),
        pytest.param('## A # B', 2, 'A # B', id='hash inside'),
        pytest.param('## ##', 2, '', id='empty and closed'),
        pytest.param('## État: ✅ ', 2, 'État: ✅', id='not ASCII'),
        pytest.param('## A\r', 2, 'A', id='CRLF'),
    ),
)
def test_a_heading_has_a_level_and_a_title(line: str, level: int, title: str) -> None:
    (section,) = markdown.sections(f'text\n{line}\nbody\n')
    assert section == (level, title, 2, 'body\n')


@pytest.mark.parametrize(
    'line',
    (
        pytest.param('#A', id='no space'),
        pytest.param('####### A', id='level 7'),
        pytest.param('    # A', id='indented by 4'),
        pytest.param('A # B', id='in a line'),
        pytest.param('A\n===', id='underlined'),
    ),
)
def test_anything_else_is_not_a_heading(line: str) -> None:
    assert markdown.sections(line) == ()


def test_sections_leave_out_fenced_headings_and_keep_line_numbers() -> None:
    text = '# A\n```\n# x\n```\na\n\n## B\n<!--\n# y\n-->\nb'
    assert markdown.sections(text) == ((1, 'A', 1, 'a\n'), (2, 'B', 7, 'b'))


@pytest.mark.parametrize(
    ('line', 'expected'),
    (
        pytest.param('| a | b |', [' a ', ' b '], id='both pipes'),
        pytest.param('a | b', ['a ', ' b'], id='no outer pipe'),
        pytest.param('| a | b', [' a ', ' b'], id='no trailing pipe'),
        pytest.param('a | b |', ['a ', ' b '], id='no leading pipe'),
        pytest.param('  | a | b |  ', [' a ', ' b '], id='spaces around'),
        pytest.param('|a|b|', ['a', 'b'], id='no padding'),
        pytest.param('| a |  | c |', [' a ', '  ', ' c '], id='blank cell'),
        pytest.param('| a || c |', [' a ', '', ' c '], id='empty cell'),
        pytest.param('|  |  |', ['  ', '  '], id='empty row'),
        pytest.param(r'| a\|b | c |', [r' a\|b ', ' c '], id='escaped pipe'),
        pytest.param(r'| a | b\| |', [' a ', r' b\| '], id='escaped at end'),
        pytest.param(r'| a | b \|', [' a ', r' b \|'], id='ends escaped'),
        pytest.param('| a | b |\r\n', [' a ', ' b '], id='CRLF'),
        pytest.param('|', [], id='a pipe'),
        pytest.param('é', ['é'], id='no pipe'),
    ),
)
def test_a_row_is_split_at_its_pipes(line: str, expected: list[str]) -> None:
    assert markdown.cells(line) == expected


@pytest.mark.parametrize(
    'line',
    (
        b'|---|---|',
        b'| --- | --- |\r\n',
        b'---|---',
        b'|:--|:-:|',
        b'  |-|-|  ',
        b'|---|',
        b'---',
    ),
)
def test_dashes_stand_between_header_and_rows(line: bytes) -> None:
    assert markdown.is_delimiter(line)


@pytest.mark.parametrize(
    'line',
    (
        b'',
        b'\n',
        b'|',
        b'|  |',
        b'| a | b |',
        b'|---| b |',
        b'|- -|',
        b'|::-|',
        b'|\xff|',
        b'# x',
    ),
)
def test_other_lines_do_not(line: bytes) -> None:
    assert not markdown.is_delimiter(line)


@pytest.mark.parametrize(
    ('text', 'expected'),
    (
        pytest.param('**Status:** x', (1, 'x'), id='colon inside'),
        pytest.param('**Status**: x', (1, 'x'), id='colon outside'),
        pytest.param('- **Status:** x', (1, 'x'), id='in a list'),
        pytest.param('  * **Status:** x', (1, 'x'), id='indented list'),
        pytest.param('a\n\n**STATUS:** x', (3, 'x'), id='case'),
        pytest.param('**Status:** 🚧 **x** ', (1, '🚧 **x**'), id='bold'),
        pytest.param('**Status:**x', (1, 'x'), id='no space'),
        pytest.param('**Status:**', (1, ''), id='no value'),
        pytest.param('**Status:** x\r\n', (1, 'x'), id='CRLF'),
        pytest.param('**Status:** x\n**Status:** y', (1, 'x'), id='first'),
        pytest.param('```\n**Status:** x\n```\n**Status:** y', (4, 'y'), id='fenced'),
        pytest.param(
            '<!--\n**Status:** x\n-->\n**Status:** y', (4, 'y'), id='commented'
        ),
        pytest.param('**Status of it:** x', None, id='other label'),
        pytest.param('Status: x', None, id='not bold'),
        pytest.param('the **Status:** x', None, id='in a line'),
    ),
)
def test_a_field_is_a_bold_label_at_the_start_of_a_line(
    text: str, expected: tuple[int, str] | None
) -> None:
    assert markdown.first_field(text, 'Status') == expected


def test_labels_are_known_without_case_and_may_stand_twice() -> None:
    text = '**ÉTAT (a):** x <!-- y -->\n**État (A)**: z'
    lines = markdown.visible_lines(text)
    assert markdown.fields(lines) == {'état (a)': [(1, 'x'), (2, 'z')]}
    assert markdown.first_field(text, 'État (a)') == (1, 'x')


def test_lines_are_found_by_their_offset() -> None:
    data = b'a\nbc\n\nd'
    assert [markdown.line_number(data, at) for at in range(7)] == [1, 1, 2, 2, 2, 3, 4]
    assert [markdown.line_end(data, at) for at in (0, 2, 5, 6)] == [2, 5, 6, 7]


def test_long_lines_are_read_in_linear_time() -> None:
    start = time.monotonic()
    spaces = ' ' * 100_000
    (section,) = markdown.sections(f'# a{spaces}b')
    assert section.title == f'a{spaces}b'
    assert not markdown.is_delimiter(f'- {spaces}b'.encode())
    assert not markdown.is_delimiter(f'{spaces}b'.encode())
    assert markdown.fields([(1, f'{spaces}**b{spaces}')]) == {}
    assert markdown.hidden(b'a```' * 500_000) == []
    fenced = b'~~~\n' + b'a~~~' * 500_000
    assert markdown.hidden(fenced) == [(0, len(fenced))]
    assert time.monotonic() - start < 5
