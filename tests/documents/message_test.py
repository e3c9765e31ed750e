from __future__ import annotations

import pytest

from interlock.documents.message import parse, without_template

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
        pytest.param('#12 fix\n', '#12 fix', id='number'),
        pytest.param('# x\na\n', '# x a', id='hash before'),
        pytest.param('a\n# x\nb\n', 'a # x b', id='hash inside'),
        pytest.param(' # a\n', '# a', id='indented hash'),
        pytest.param('', '', id='nothing'),
        pytest.param(' \n\t\n', '', id='blank'),
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
        pytest.param('a\n\nb\n# x\nc\n', 'b\n# x\nc', id='hash'),
        pytest.param('a\r\n\r\nb\r\nc\r\n', 'b\nc', id='CRLF'),
        pytest.param('a\n\nb\n\nKey: v\n', 'b', id='trailers are apart'),
        pytest.param(f'a\n\nb\n{SCISSORS}c\n', f'b\n{SCISSORS}c', id='scissors'),
        pytest.param('a\n\nb >8 c\n', 'b >8 c', id='scissors in a sentence'),
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
            {'contract-amendment': 'neue Größe'},
            id='one',
        ),
        pytest.param(
            'a\n\nb\n\nReset-Reason: x\nSigned-off-by: Zoë <z@x>\n',
            {'reset-reason': 'x', 'signed-off-by': 'Zoë <z@x>'},
            id='two',
        ),
        pytest.param(
            'a\r\n\r\nReset-Reason: x  \r\n', {'reset-reason': 'x'}, id='CRLF'
        ),
        pytest.param(
            'a\n\nKey: x\n# Please enter the message\n', {'key': 'x'}, id='hash behind'
        ),
        pytest.param('a\n\nKey: x\nKey: y\n', {'key': 'y'}, id='last wins'),
        pytest.param('a\n\nKey: b: c\n', {'key': 'b: c'}, id='colon'),
        pytest.param('a\n\nb\nKey: x\n', {}, id='below a line'),
        pytest.param('a\n\nKey: x\n\nb\n', {}, id='not the last paragraph'),
        pytest.param('Key: x\n', {}, id='subject'),
        pytest.param('a\nKey: x\n', {}, id='in the subject paragraph'),
        pytest.param('a\n\nKey:\n', {}, id='no value'),
        pytest.param('a\n\nKey: \t\n', {}, id='blank value'),
        pytest.param('a\n\nKey:x\n', {'key': 'x'}, id='no space'),
        pytest.param('a\n\nsome words: x\n', {}, id='words'),
        pytest.param('a\n\nsee https://example.invalid\n', {}, id='address'),
        pytest.param('a\n\n  Key: x\n', {}, id='indented'),
        pytest.param('a\n\n# Key: x\n', {}, id='commented out'),
    ),
)
def test_trailers_stand_in_the_last_paragraph(
    text: str, trailers: dict[str, str]
) -> None:
    assert parse(text).trailers == trailers


BLOCK = (
    '# Please enter the commit message for your changes.\n#\n'
    '# On branch größe\n#\tmodified:   PLUGINS.md\n#\n'
)
OTHER = BLOCK.replace('#', ';')


@pytest.mark.parametrize(
    ('text', 'subject', 'body'),
    (
        pytest.param('a\n\nb\n', 'a', 'b', id='no template'),
        pytest.param(f'a\n\nb\n\n{BLOCK}', 'a', 'b', id='template'),
        pytest.param(f'# x\na\n{BLOCK}', 'a', '', id='comment before'),
        pytest.param(f'a\n# x\nb\n{BLOCK}', 'a b', '', id='comment inside'),
        pytest.param(
            f'a\n\nb\n# x\nc\n\n{BLOCK}\n \n',
            'a',
            'b\nc',
            id='comment in the body, blank lines behind',
        ),
        pytest.param('a\r\n\r\nb\r\n# x\r\n', 'a', 'b', id='template with CRLF'),
        pytest.param('a\n\nb\n# x\nc\n', 'a', 'b\n# x\nc', id='comment kept inside'),
        pytest.param('# x\na\n', '# x a', '', id='comment kept before'),
        pytest.param('a\n\n # x\n', 'a', ' # x', id='indented'),
        pytest.param('#12 fix it\n', '#12 fix it', '', id='number'),
        pytest.param('#12 fix it\n\nb\n', '#12 fix it', 'b', id='number with a body'),
        pytest.param('# x\n#\n', '# x #', '', id='comments only'),
        pytest.param(
            f'a\n\nb\n{SCISSORS}diff --git a/x b/x\n+c\n', 'a', 'b', id='scissors'
        ),
        pytest.param(
            f'a\n\nb\n\n{BLOCK}{SCISSORS}+c\n', 'a', 'b', id='template and scissors'
        ),
        pytest.param(
            f'a\n\nb\n{SCISSORS}x\n{SCISSORS}y\n', 'a', 'b', id='scissors twice'
        ),
        pytest.param(
            f'a\r\n\r\nb\r\n{SCISSORS[:-1]}\r\n+c\r\n',
            'a',
            'b',
            id='scissors with CRLF',
        ),
        pytest.param(f'{SCISSORS}a\n', '', '', id='scissors first'),
        pytest.param('a\n\nb >8 c\n', 'a', 'b >8 c', id='in a sentence'),
        pytest.param(
            f'a\n\nb\n\n{OTHER}', 'a', f'b\n\n{OTHER[:-1]}', id='another character'
        ),
        pytest.param('', '', '', id='nothing'),
        pytest.param(' \n\t\n', '', '', id='blank'),
    ),
)
def test_what_the_editor_put_there_is_not_part_of_a_message(
    text: str, subject: str, body: str
) -> None:
    message = parse(without_template(text, '#'))
    assert (message.subject, message.body) == (subject, body)


@pytest.mark.parametrize(
    ('text', 'trailers'),
    (
        pytest.param(f'a\n\nKey: x\n{BLOCK}', {'key': 'x'}, id='template behind'),
        pytest.param(
            f'a\n\nKey: x\n\n# x\n{SCISSORS}Key: y\n',
            {'key': 'x'},
            id='scissors behind',
        ),
        pytest.param(f'a\n\n# Key: x\n{BLOCK}', {}, id='commented out'),
    ),
)
def test_trailers_stand_before_the_template(
    text: str, trailers: dict[str, str]
) -> None:
    assert parse(without_template(text, '#')).trailers == trailers


@pytest.mark.parametrize(
    ('comment', 'text', 'expected'),
    (
        pytest.param(';', f'#1\n\n{OTHER}', '#1', id='another character'),
        pytest.param(
            ';',
            f'a\n\n# b\n{SCISSORS.replace("#", ";")}+c\n',
            'a\n\n# b',
            id='its scissors',
        ),
        pytest.param(';', f'a\n{SCISSORS}b\n', f'a\n{SCISSORS}b', id='no scissors'),
        pytest.param('//', 'a\n/b\n// x\n', 'a\n/b', id='several characters'),
        pytest.param('.', 'a\nb\n. x\n', 'a\nb', id='a dot is a dot'),
        pytest.param('auto', f'a\n\n{BLOCK}', 'a', id='the usual, chosen'),
        pytest.param('auto', f'#1\n\n{OTHER}', '#1', id='another, chosen'),
        pytest.param(
            'auto',
            f'#1\n\n{OTHER}{SCISSORS.replace("#", ";")}; x\ndiff\n+c\n',
            '#1',
            id='another, with scissors',
        ),
        pytest.param('auto', f'a\n{SCISSORS}diff\n+c\n', 'a', id='usual scissors'),
        pytest.param('auto', 'a\n\nb\n', 'a\n\nb', id='none chosen'),
        pytest.param('auto', '#1 a\n', '#1 a', id='a number'),
        pytest.param('auto', '', '', id='nothing'),
    ),
)
def test_the_comment_character_is_that_of_the_configuration(
    comment: str, text: str, expected: str
) -> None:
    assert without_template(text, comment).strip() == expected
