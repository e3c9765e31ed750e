from __future__ import annotations

import pytest

from interlock.documents.message import parse

SCISSORS = f'# {"-" * 24} >8 {"-" * 24}\n'


@pytest.mark.parametrize(
    ('text', 'subject'),
    (
        pytest.param('feat(Ö): Stage 2\n', 'feat(Ö): Stage 2', id='one'),
        pytest.param('a', 'a', id='no newline'),
        pytest.param('\n\n  a  \n\nb\n', 'a', id='blank lines before'),
        pytest.param('a\nb\nc\n\nd\n', 'a b c', id='several lines'),
        pytest.param('a\t  b\n', 'a b', id='white space'),
        pytest.param('a\r\nb\r\n\r\nc\r\n', 'a b', id='CRLF'),
        pytest.param('a\n \t\nb\n', 'a', id='blank line with spaces'),
        pytest.param('# x\na\n', 'a', id='comment before'),
        pytest.param('a\n# x\nb\n', 'a b', id='comment inside'),
        pytest.param(' # a\n', '# a', id='indented hash'),
        pytest.param('', '', id='nothing'),
        pytest.param(' \n\t\n', '', id='blank'),
        pytest.param('# x\n#\n', '', id='comments only'),
        pytest.param(f'{SCISSORS}a\n', '', id='scissors first'),
        pytest.param('x' * 1001, 'x' * 1000, id='too long'),
    ),
)
def test_the_subject_is_the_first_paragraph(text: str, subject: str) -> None:
    assert parse(text).subject == subject


@pytest.mark.parametrize(
    ('text', 'body'),
    (
        pytest.param('a\n\nb\nc\n\nd\n', 'b\nc\n\nd', id='paragraphs'),
        pytest.param('a\n\n\n\nb\n', 'b', id='blank lines'),
        pytest.param('a\n\nb\n# x\nc\n', 'b\nc', id='comment'),
        pytest.param('a\r\n\r\nb\r\nc\r\n', 'b\nc', id='CRLF'),
        pytest.param('a\n\nb\n\nKey: v\n', 'b', id='trailers are apart'),
        pytest.param(
            f'a\n\nb\n{SCISSORS}diff --git a/x b/x\n+c\n', 'b', id='scissors',
        ),
        pytest.param(
            f'a\n\nb\n{SCISSORS}x\n{SCISSORS}y\n', 'b', id='scissors twice',
        ),
        pytest.param(
            f'a\r\n\r\nb\r\n{SCISSORS[:-1]}\r\n+c\r\n', 'b',
            id='scissors with CRLF',
        ),
        pytest.param(
            'a\n\nb >8 c\n', 'b >8 c', id='scissors in a sentence',
        ),
        pytest.param('a\n', '', id='none'),
    ),
)
def test_the_body_is_what_git_keeps_of_the_rest(text: str, body: str) -> None:
    assert parse(text).body == body


@pytest.mark.parametrize(
    ('text', 'trailers'),
    (
        pytest.param(
            'a\n\nContract-Amendment: neue Größe\n',
            {'contract-amendment': 'neue Größe'}, id='one',
        ),
        pytest.param(
            'a\n\nb\n\nReset-Reason: x\nSigned-off-by: Zoë <z@x>\n',
            {'reset-reason': 'x', 'signed-off-by': 'Zoë <z@x>'}, id='two',
        ),
        pytest.param(
            'a\r\n\r\nReset-Reason: x  \r\n', {'reset-reason': 'x'},
            id='CRLF',
        ),
        pytest.param(
            'a\n\nKey: x\n# Please enter the message\n', {'key': 'x'},
            id='comment behind',
        ),
        pytest.param(
            f'a\n\nKey: x\n\n# x\n{SCISSORS}Key: y\n', {'key': 'x'},
            id='scissors behind',
        ),
        pytest.param('a\n\nKey: x\nKey: y\n', {'key': 'y'}, id='last wins'),
        pytest.param('a\n\nKey: b: c\n', {'key': 'b: c'}, id='colon'),
        pytest.param('a\n\nb\nKey: x\n', {'key': 'x'}, id='below a line'),
        pytest.param('a\n\nKey: x\n\nb\n', {}, id='not the last paragraph'),
        pytest.param('Key: x\n', {}, id='subject'),
        pytest.param('a\nKey: x\n', {}, id='in the subject paragraph'),
        pytest.param('a\n\nKey:\n', {}, id='no value'),
        pytest.param('a\n\nKey: \t\n', {}, id='blank value'),
        pytest.param('a\n\nKey:x\n', {}, id='no space'),
        pytest.param('a\n\nsome words: x\n', {}, id='words'),
        pytest.param('a\n\nhttps://example.invalid\n', {}, id='address'),
        pytest.param('a\n\n  Key: x\n', {}, id='indented'),
        pytest.param('a\n\n# Key: x\n', {}, id='commented out'),
    ),
)
def test_trailers_stand_in_the_last_paragraph(
        text: str,
        trailers: dict[str, str],
) -> None:
    assert parse(text).trailers == trailers
