from __future__ import annotations

import pytest

from interlock.documents import frontmatter, yaml
from interlock.model.errors import Unreadable


def parse(text: str) -> frontmatter.Frontmatter:
    front = frontmatter.parse(text)
    assert front is not None
    return front


@pytest.mark.parametrize(
    ('text', 'fields', 'body', 'line'),
    (
        pytest.param('---\na: é\n---\nbody\n', {'a': 'é'}, '\nbody\n', 3, id='plain'),
        pytest.param(
            '---\r\na: x\r\nb: y\r\n---\r\nbody\r\n',
            {'a': 'x', 'b': 'y'},
            '\nbody\r\n',
            4,
            id='CRLF',
        ),
        pytest.param('---\na: x\n...\nbody\n', {'a': 'x'}, '\nbody\n', 3, id='dots'),
        pytest.param('--- \t\na: x\n---  \nb', {'a': 'x'}, '\nb', 3, id='spaces'),
        pytest.param('---\na: x\n---', {'a': 'x'}, '', 3, id='no body'),
        pytest.param('---\n---\nb\n', {}, '\nb\n', 2, id='empty'),
        pytest.param('---\n# é\n---\nb', {}, '\nb', 3, id='comment only'),
        pytest.param(
            '---\na: x\n---\nb\n---\nc: y\n---\n',
            {'a': 'x'},
            '\nb\n---\nc: y\n---\n',
            3,
            id='rules in the body',
        ),
        pytest.param(
            '---\na: x --- y\nb: |\n  ---\n---\n',
            {'a': 'x --- y', 'b': '---\n'},
            '\n',
            5,
            id='dashes in values',
        ),
        pytest.param(
            '---\non: x\n1: y\ncontent: z\n---\n',
            {'on': 'x', '1': 'y', 'content': 'z'},
            '\n',
            5,
            id='keys that are words of libraries',
        ),
    ),
)
def test_frontmatter_stands_between_two_lines(
    text: str, fields: dict[str, str], body: str, line: int
) -> None:
    front = parse(text)
    assert yaml.value(front.fields) == fields
    assert (front.body, front.body_line) == (body, line)


def test_values_stay_as_they_were_written() -> None:
    front = parse(
        '---\nphase: 3.10\nlast_updated: 2026-01-02\nat: 2026-01-02T03:04:05Z'
        '\nscore: 1.0\nnone: null\n---\n'
    )
    texts = {
        key: node.text
        for key, node in front.fields.items.items()
        if isinstance(node, yaml.Scalar)
    }
    assert texts == {
        'phase': '3.10',
        'last_updated': '2026-01-02',
        'at': '2026-01-02T03:04:05Z',
        'score': '1.0',
        'none': 'null',
    }


@pytest.mark.parametrize('newline', ('\n', '\r\n'))
def test_fields_know_their_lines_in_the_file(newline: str) -> None:
    front = parse('---\n\nstage: 2\n# x\nphase: 3.1\n---\n'.replace('\n', newline))
    assert front.fields.lines == {'stage': 3, 'phase': 5}
    assert front.body_line == 6


@pytest.mark.parametrize(
    'text',
    (
        pytest.param('', id='empty file'),
        pytest.param('# Titre\n\n---\na: x\n---\n', id='rules further down'),
        pytest.param('\n---\na: x\n---\n', id='blank line before'),
        pytest.param(' ---\na: x\n---\n', id='indented'),
        pytest.param('----\na: x\n----\n', id='four dashes'),
        pytest.param('--- # x\na: x\n---\n', id='text behind'),
        pytest.param('a: x\n---\n', id='no opening'),
        pytest.param('\ufeff# Titre\n', id='byte order mark alone'),
    ),
)
def test_a_file_without_frontmatter_has_none(text: str) -> None:
    assert frontmatter.parse(text) is None


@pytest.mark.parametrize(
    ('text', 'message', 'line'),
    (
        pytest.param(
            '\ufeff---\na: x\n---\n',
            'stands behind a byte order mark',
            1,
            id='byte order mark',
        ),
        pytest.param('---\na: x\n', 'is not closed by a line `---`', 1, id='unclosed'),
        pytest.param('---', 'is not closed by a line `---`', 1, id='half'),
        pytest.param(
            '---\na: x\n --- \n',
            'is not closed by a line `---`',
            1,
            id='closing indented',
        ),
        pytest.param(
            '---\na: x\n---- \n',
            'is not closed by a line `---`',
            1,
            id='closing too long',
        ),
        pytest.param(
            '---\n\n- a\n- b\n---\n', 'is not a mapping of keys to values', 3, id='list'
        ),
        pytest.param(
            '---\njuste du texte\n---\n',
            'is not a mapping of keys to values',
            2,
            id='scalar',
        ),
        pytest.param(
            '---\nstage: 2\nphase: 1\nstage: 3\n---\n',
            'has the key `stage` twice',
            4,
            id='duplicate key',
        ),
        pytest.param(
            '---\na: x\nb: "y\n---\n',
            'is not valid YAML: found unexpected end of stream',
            4,
            id='open quote',
        ),
        pytest.param(
            '---\na: x\nb: !!python/object/apply:os.system [id]\n---\n',
            'uses the tag `tag:yaml.org,2002:python/object/apply:os.system`',
            3,
            id='tag',
        ),
        pytest.param(
            f'---\n{"[" * 50_000}\n---\n',
            'is nested too deeply, or grows too large through aliases',
            2,
            id='50,000 brackets',
        ),
        pytest.param(
            f'---\na: {"x" * frontmatter.MAX_BLOCK}\n---\n',
            'is too large (262149 characters)',
            1,
            id='too large',
        ),
    ),
)
def test_broken_frontmatter_is_refused_with_its_line(
    text: str, message: str, line: int
) -> None:
    with pytest.raises(Unreadable) as excinfo:
        frontmatter.parse(text)
    assert (excinfo.value.message, excinfo.value.line) == (message, line)
