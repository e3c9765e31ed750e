from __future__ import annotations

import time

import pytest

from interlock.documents.text import (
    date,
    decode,
    emoji,
    is_date,
    name,
    plain,
    shown,
    without_comments,
)
from interlock.model.change import Blob
from interlock.model.errors import Unreadable
from tests.documents.shapes import blob


@pytest.mark.parametrize(
    ('status', 'expected'),
    (
        pytest.param('Stage 2', 'Stage 2', id='bare'),
        pytest.param('🚧 Stage 2', 'Stage 2', id='emoji'),
        pytest.param('🚧 **Stage 2**', 'Stage 2', id='bold'),
        pytest.param('**🚧 Stage 2**', 'Stage 2', id='bold around emoji'),
        pytest.param('🚧 __Stage 2__', 'Stage 2', id='bold by underscores'),
        pytest.param('_Stage 2_', 'Stage 2', id='italic'),
        pytest.param('in_progress', 'in_progress', id='inside a word'),
        pytest.param('in\\_progress', 'in_progress', id='behind a backslash'),
        pytest.param('`on_hold__a`', 'on_hold__a', id='inside code'),
        pytest.param('__in_progress__', 'in_progress', id='inside and around'),
        pytest.param('⚠️ Has Issues', 'Has Issues', id='variation selector'),
        pytest.param('🚧\ufe0e Stage 2', 'Stage 2', id='text selector'),
        pytest.param('👷\u200d♂️ Stage 2', 'Stage 2', id='joiner'),
        pytest.param('👍🏽 Working', 'Working', id='skin tone'),
        pytest.param('🇳🇴 Working', 'Working', id='flag'),
        pytest.param('🏴\U000e0067\U000e0062\U000e007f Working', 'Working', id='tags'),
        pytest.param('🚧Stage 2', 'Stage 2', id='emoji without a space'),
        pytest.param('Stage 2 🚧', 'Stage 2', id='emoji behind'),
        pytest.param(' \t Stage \u00a0 2 ', 'Stage 2', id='white space'),
        pytest.param('📦 [Installed](x.md)', 'Installed', id='link'),
        pytest.param('Stage 3.10', 'Stage 3.10', id='phase'),
        pytest.param('STAGE 2', 'STAGE 2', id='case is kept'),
        pytest.param(
            '💡 Ideated (à Étape 0)', 'Ideated (à Étape 0)', id='parentheses are kept'
        ),
        pytest.param('‼\ufe0f Stage 2', 'Stage 2', id='shown as emoji'),
        pytest.param('1\ufe0f\u20e3 Stage 2', 'Stage 2', id='keycap'),
        pytest.param('‼ Stage 2', '‼ Stage 2', id='shown as text'),
        pytest.param('~~Stage 2~~', 'Stage 2', id='struck through'),
        pytest.param('🚧 **~~Stage 2~~**', 'Stage 2', id='bold and struck through'),
        pytest.param('~ 2 Stages', '~ 2 Stages', id='tilde'),
        pytest.param('Stage 2 <!-- x -->', 'Stage 2', id='comment'),
        pytest.param('<!-- a -->Sta<!-- b -->ge 2', 'Stage 2', id='comments'),
        pytest.param('Stage 2 <!-- x', 'Stage 2 <!-- x', id='half a comment'),
        pytest.param('--> a <!-- x', '--> a <!-- x', id='halves'),
        pytest.param('a <!--> b', 'a <!--> b', id='overlapping halves'),
        pytest.param('', '', id='empty'),
        pytest.param('🚧', '', id='emoji alone'),
    ),
)
def test_a_status_is_compared_without_its_styling(status: str, expected: str) -> None:
    assert plain(status) == expected


@pytest.mark.parametrize(
    ('status', 'expected'),
    (
        pytest.param('🚧 Stage 2', '🚧', id='one'),
        pytest.param('⚠️ Has Issues', '⚠', id='no variation selector'),
        pytest.param('🗑️ **Archived**', '🗑', id='before bold text'),
        pytest.param('👷\u200d♂️ x', '👷♂', id='no joiner'),
        pytest.param('👍🏽 x', '👍', id='no skin tone'),
        pytest.param('✅ Working 🐛 Has Issues', '✅🐛', id='two'),
        pytest.param('‼\ufe0f x', '‼', id='by its selector'),
        pytest.param('1\ufe0f\u20e3 x 2', '1', id='keycap'),
        pytest.param('‼ x', '', id='shown as text'),
        pytest.param('Étape 2 – größer', '', id='none'),
    ),
)
def test_emoji_are_compared_without_what_styles_them(
    status: str, expected: str
) -> None:
    assert emoji(status) == expected


@pytest.mark.parametrize(
    ('cell', 'expected'),
    (
        pytest.param(' Alpha ', 'Alpha', id='padded'),
        pytest.param('**Alpha**', 'Alpha', id='bold'),
        pytest.param('`Alpha`', 'Alpha', id='code'),
        pytest.param('_Alpha_', 'Alpha', id='italic'),
        pytest.param('[Alpha](plugins/Alpha)', 'Alpha', id='link'),
        pytest.param('**[Alpha](plugins/Alpha)**', 'Alpha', id='bold link'),
        pytest.param('My_Plug_In', 'My_Plug_In', id='underscores inside'),
        pytest.param('_private', '_private', id='leading underscore'),
        pytest.param('Größe 2', 'Größe 2', id='not ASCII'),
        pytest.param('   ', '', id='blank'),
        pytest.param('~~Alpha~~', 'Alpha', id='struck through'),
        pytest.param('**~~Alpha~~**', 'Alpha', id='bold and struck through'),
        pytest.param('~~`Alpha`~~', 'Alpha', id='code, struck through'),
        pytest.param('~~[Alpha](a.md)~~', 'Alpha', id='link, struck through'),
        pytest.param('Login by `OAuth`', 'Login by `OAuth`', id='code at the end'),
        pytest.param('`A` and `B`', '`A` and `B`', id='code at both ends'),
    ),
)
def test_a_name_keeps_its_underscores_and_loses_its_markup(
    cell: str, expected: str
) -> None:
    assert name(cell) == expected


@pytest.mark.parametrize(
    'text',
    (
        '2026-01-02',
        '2026-01-02T03:04',
        '2026-01-02T03:04:05',
        '2026-01-02 03:04:05',
        '2026-01-02T03:04:05Z',
        '2026-01-02T03:04:05.678Z',
        '2026-01-02T03:04:05+02:00',
        '2026-01-02T03:04:05-0230',
    ),
)
def test_a_date_or_a_timestamp_is_a_date(text: str) -> None:
    assert is_date(text)


@pytest.mark.parametrize(
    'text',
    (
        pytest.param('', id='empty'),
        pytest.param('2026-13-01', id='month 13'),
        pytest.param('2026-00-01', id='month 0'),
        pytest.param('2026-01-32', id='day 32'),
        pytest.param('2026-1-2', id='one digit'),
        pytest.param('02.01.2026', id='other order'),
        pytest.param('2026-01-021', id='three digits'),
        pytest.param('2026-01-02 soon', id='words behind'),
        pytest.param('on 2026-01-02', id='words before'),
        pytest.param('[YYYY-MM-DD]', id='template'),
        pytest.param('hier', id='word'),
    ),
)
def test_anything_else_is_not_a_date(text: str) -> None:
    assert not is_date(text)


@pytest.mark.parametrize(
    ('text', 'expected'),
    (
        pytest.param('- **2026-01-02 (Stage 2):** x', '2026-01-02', id='one'),
        pytest.param('2026-01-02 to 2026-01-03', '2026-01-02', id='first'),
        pytest.param('v2026-99-99', '', id='no such day'),
        pytest.param('demnächst', '', id='none'),
    ),
)
def test_the_first_date_of_a_line_counts(text: str, expected: str) -> None:
    assert date(text) == expected


WIDE = 'is {} text, and has to be UTF-8'


@pytest.mark.parametrize(
    ('data', 'message', 'line'),
    (
        pytest.param(b'a\nb\0c\n', 'holds a NUL byte', 2, id='NUL'),
        pytest.param(b'a\n\xc3\xa9\n\xff\n', 'is not UTF-8 text', 3, id='not UTF-8'),
        pytest.param('é'.encode('UTF-16'), WIDE.format('UTF-16'), 1, id='UTF-16'),
        pytest.param(b'a\0b\0', WIDE.format('UTF-16LE'), 1, id='without a mark'),
        pytest.param(b'\0a\0b', WIDE.format('UTF-16BE'), 1, id='the other way round'),
        pytest.param('é'.encode('UTF-32'), WIDE.format('UTF-32'), 1, id='UTF-32'),
    ),
)
def test_bytes_that_are_no_text_are_refused_with_their_line(
    data: bytes, message: str, line: int
) -> None:
    with pytest.raises(Unreadable) as excinfo:
        decode(blob(data))
    assert excinfo.value.message == message
    assert excinfo.value.line == line


def test_a_file_that_was_too_large_to_read_is_refused() -> None:
    with pytest.raises(Unreadable) as excinfo:
        decode(Blob('0' * 40, 52_428_800, None))
    assert excinfo.value.message == ('is too large to be read (52428800 bytes)')


def test_text_is_decoded_as_it_stands() -> None:
    assert decode(blob(b'\xef\xbb\xbfa\r\n\xc3\xa9')) == '\ufeffa\r\né'


@pytest.mark.parametrize(
    ('text', 'expected'),
    (
        pytest.param('Stage 2 – é 🚧', 'Stage 2 – é 🚧', id='printable'),
        pytest.param('a\nb', r'a\nb', id='newline'),
        pytest.param('\x1b[31mred', r'\x1b[31mred', id='escape'),
        pytest.param('\udcff', r'\udcff', id='not UTF-8'),
        pytest.param('x' * 120, 'x' * 120, id='long'),
        pytest.param('x' * 121, 'x' * 117 + '...', id='too long'),
    ),
)
def test_a_value_is_shown_on_one_short_line(text: str, expected: str) -> None:
    assert shown(text) == expected


@pytest.mark.parametrize(
    'text',
    (
        pytest.param('[' * 100_000 + '](x)', id='brackets'),
        pytest.param('[a](' * 50_000, id='parentheses'),
    ),
)
def test_half_a_link_is_read_in_linear_time(text: str) -> None:
    start = time.monotonic()
    assert plain(text).startswith('[')
    assert name(text).startswith('[')
    assert time.monotonic() - start < 5


@pytest.mark.parametrize(
    'text',
    (
        pytest.param('<!--' * 50_000, id='never closed'),
        pytest.param('-->' + '<!--' * 50_000, id='closed before'),
        pytest.param('<!--' * 50_000 + '--> ' + '<!--' * 50_000, id='once'),
    ),
)
def test_half_a_comment_is_read_in_linear_time(text: str) -> None:
    start = time.monotonic()
    assert plain(text).endswith('<!--')
    assert without_comments(text).endswith('<!--')
    assert time.monotonic() - start < 5
