from __future__ import annotations

import time
from typing import Any

import pytest

from interlock.documents import yaml
from interlock.model.errors import Unreadable


def refusal(text: str, first_line: int = 1) -> Unreadable:
    with pytest.raises(Unreadable) as excinfo:
        yaml.parse(text, first_line)
    return excinfo.value


def scalar(text: str) -> yaml.Scalar:
    node = yaml.parse(f'key: {text}\n')
    assert isinstance(node, yaml.Mapping)
    value = node.items['key']
    assert isinstance(value, yaml.Scalar)
    return value


@pytest.mark.parametrize(
    ('text', 'kind', 'value'),
    (
        pytest.param('3.10', 'float', 3.1, id='phase'),
        pytest.param('1.0', 'float', 1.0, id='float'),
        pytest.param('3', 'int', 3, id='int'),
        pytest.param('-3', 'int', -3, id='negative'),
        pytest.param('007', 'int', 7, id='leading zeros'),
        pytest.param('0x1F', 'int', '0x1F', id='hexadecimal'),
        pytest.param('1_000', 'int', '1_000', id='grouped'),
        pytest.param('1:30', 'int', '1:30', id='base 60'),
        pytest.param('.inf', 'float', '.inf', id='infinite'),
        pytest.param('2026-01-02', 'date', '2026-01-02', id='date'),
        pytest.param(
            '2026-01-02T03:04:05Z', 'date', '2026-01-02T03:04:05Z', id='timestamp'
        ),
        pytest.param(
            '2026-01-02 03:04:05',
            'date',
            '2026-01-02 03:04:05',
            id='timestamp with a space',
        ),
        pytest.param('true', 'bool', True, id='true'),
        pytest.param('False', 'bool', False, id='false'),
        pytest.param('off', 'bool', 'off', id='off'),
        pytest.param('No', 'bool', 'No', id='no'),
        pytest.param('null', 'null', None, id='null'),
        pytest.param('~', 'null', None, id='tilde'),
        pytest.param('idéation', 'str', 'idéation', id='word'),
    ),
)
def test_a_scalar_keeps_its_text(text: str, kind: str, value: Any) -> None:
    node = scalar(text)
    assert (node.text, node.kind) == (text, kind)
    assert yaml.value(node) == value
    assert type(yaml.value(node)) is type(value)


@pytest.mark.parametrize(
    ('text', 'expected', 'kind'),
    (
        pytest.param("'3.10'", '3.10', 'str', id='single quotes'),
        pytest.param('"null"', 'null', 'str', id='double quotes'),
        pytest.param('', '', 'null', id='nothing'),
        pytest.param('!!str 3.10', '3.10', 'str', id='tagged as text'),
        pytest.param('a  # b', 'a', 'str', id='comment'),
        pytest.param('"a\\nb"', 'a\nb', 'str', id='escape'),
    ),
)
def test_quotes_make_text(text: str, expected: str, kind: str) -> None:
    node = scalar(text)
    assert (node.text, node.kind) == (expected, kind)


@pytest.mark.parametrize(
    ('text', 'expected'),
    (
        pytest.param('9' * 5000, '9' * 5000, id='more digits than int takes'),
        pytest.param('!!int "²"', '²', id='digit that is not a number'),
        pytest.param('!!int "+-5"', '+-5', id='two signs'),
        pytest.param('!!int abc', 'abc', id='word tagged as int'),
        pytest.param('!!float abc', 'abc', id='word tagged as float'),
    ),
)
def test_a_number_that_cannot_be_one_stays_text(text: str, expected: str) -> None:
    assert yaml.value(scalar(text)) == expected


def test_any_scalar_may_be_a_key() -> None:
    node = yaml.parse('on: 1\n1: 2\ncontent: 3\nhandler: 4\nétat: 5\n')
    assert yaml.value(node) == {'on': 1, '1': 2, 'content': 3, 'handler': 4, 'état': 5}


def test_nodes_know_their_lines() -> None:
    text = '# é\na: 1\nb:\n  c: 2\n  d:\n    - 3\n    - 4\n'
    node = yaml.parse(text, first_line=10)
    assert isinstance(node, yaml.Mapping)
    assert node.lines == {'a': 11, 'b': 12}
    inner = node.items['b']
    assert isinstance(inner, yaml.Mapping)
    assert (inner.line, inner.lines) == (13, {'c': 13, 'd': 14})
    assert inner.items['d'] == yaml.Sequence(
        (yaml.Scalar('3', 'int', 15), yaml.Scalar('4', 'int', 16)), 15
    )


def test_crlf_counts_as_one_line() -> None:
    node = yaml.parse('a: 1\r\nb: x\r\n')
    assert isinstance(node, yaml.Mapping)
    assert node.lines == {'a': 1, 'b': 2}
    assert node.items['b'] == yaml.Scalar('x', 'str', 2)


@pytest.mark.parametrize('text', ('', '\n', '# nur ein Kommentar\n', '---\n'))
def test_a_document_of_nothing_says_nothing(text: str) -> None:
    assert yaml.value(yaml.parse(text)) is None


def test_aliases_are_resolved_within_bounds() -> None:
    node = yaml.parse('a: &x [1, 2]\nb: *x\n')
    assert yaml.value(node) == {'a': [1, 2], 'b': [1, 2]}


@pytest.mark.parametrize(
    ('text', 'expected'),
    (
        ('<<: *x\n', {'a': 1, 'b': 2}),
        ('a: 3\n<<: *x\n', {'a': 3, 'b': 2}),
        ('<<: *x\na: 3\n', {'a': 3, 'b': 2}),
        ('<<: [{a: 0}, *x]\nc: 4\n', {'a': 0, 'b': 2, 'c': 4}),
        ('<<: {<<: *x, a: 5}\n', {'a': 5, 'b': 2}),
        ('"<<": 1\n', {'<<': 1}),
    ),
)
def test_merged_keys_are_keys(text: str, expected: dict[str, int]) -> None:
    below = ''.join(f'  {line}\n' for line in text.splitlines())
    node = yaml.parse(f'x: &x {{a: 1, b: 2}}\ny:\n{below}')
    assert yaml.value(node)['y'] == expected


@pytest.mark.parametrize(
    ('text', 'message', 'line'),
    (
        pytest.param('a: 1\na: 2\n', 'has the key `a` twice', 2, id='twice'),
        pytest.param(
            'a:\n  b: 1\n  c: 2\n  b: 1\n', 'has the key `b` twice', 4, id='twice below'
        ),
        pytest.param(
            'x: 1\n<<: [2]\n', 'merges what is not a mapping', 2, id='a merged number'
        ),
        pytest.param(
            'a: {<<: {? [b] : 1}}\n',
            'has a key that is not text',
            1,
            id='a merged list',
        ),
        pytest.param('a: 1\n"a": 2\n', 'has the key `a` twice', 2, id='once quoted'),
        pytest.param(
            'x: 1\n? [a]\n: 1\n', 'has a key that is not text', 2, id='list as key'
        ),
        pytest.param(
            'a: b: c\n',
            'is not valid YAML: mapping values are not allowed',
            1,
            id='two colons',
        ),
        pytest.param('a: 1\n\tb: 2\n', 'is not valid YAML: found ', 2, id='tab'),
        pytest.param(
            'a: *x\n', 'is not valid YAML: found undefined alias', 1, id='unknown alias'
        ),
        pytest.param(
            'a: 1\n---\nb: 2\n',
            'is not valid YAML: but found another document',
            2,
            id='two documents',
        ),
        pytest.param(
            'a: !!python/name:os.system\n',
            'uses the tag `tag:yaml.org,2002:python/name:os.system`',
            1,
            id='python name',
        ),
        pytest.param(
            'x: 1\na: !!python/object/apply:os.system [id]\n',
            'uses the tag `tag:yaml.org,2002:python/object/apply:os.system`',
            2,
            id='python call',
        ),
        pytest.param(
            'a: !!python/object:os.Popen {}\n',
            'uses the tag `tag:yaml.org,2002:python/object:os.Popen`',
            1,
            id='python object',
        ),
        pytest.param('a: !eigen x\n', 'uses the tag `!eigen`', 1, id='own tag'),
        pytest.param(
            'a: !!binary aGk=\n',
            'uses the tag `tag:yaml.org,2002:binary`',
            1,
            id='binary',
        ),
        pytest.param(
            '!!set {a, b}\n', 'uses the tag `tag:yaml.org,2002:set`', 1, id='set'
        ),
        pytest.param(
            'a: !!map x\n',
            'uses the tag `tag:yaml.org,2002:map`',
            1,
            id='text tagged as mapping',
        ),
    ),
)
def test_what_would_be_guessed_at_is_refused(
    text: str, message: str, line: int
) -> None:
    error = refusal(text)
    # the end of libyaml's sentences differs between its versions
    assert error.message.startswith(message)
    assert error.line == line


def test_the_line_of_a_refusal_counts_from_the_first_line() -> None:
    assert refusal('a: 1\na: 2\n', first_line=7).line == 8
    assert refusal('a: b: c\n', first_line=7).line == 7


@pytest.mark.parametrize('char', ('\0', '\x1b', '\ud800', '\udcff'))
def test_characters_that_yaml_forbids_are_refused(char: str) -> None:
    assert refusal(f'a: {char}').message.startswith('is not valid YAML')


def bomb(levels: int = 12) -> str:
    lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x]']
    for level in range(1, levels):
        above = ', '.join([f'*a{level - 1}'] * 9)
        lines.append(f'a{level}: &a{level} [{above}]')
    return '\n'.join(lines)


@pytest.mark.parametrize(
    'text',
    (
        pytest.param(bomb(), id='aliases of aliases'),
        pytest.param('a: &a [*a]', id='an alias of itself'),
        pytest.param('a: &a {b: *a}', id='a mapping of itself'),
        pytest.param('[' * 42 + ']' * 42, id='a little too deep'),
        pytest.param('[' * 50_000, id='50,000 open brackets'),
        pytest.param('[' * 50_000 + ']' * 50_000, id='50,000 brackets'),
        pytest.param('{a: ' * 50_000, id='50,000 braces'),
        pytest.param('- ' * 50_000, id='50,000 lists'),
        pytest.param('? ' * 50_000, id='50,000 keys'),
        pytest.param('- ? ' * 10_000 + '[{' * 10_000, id='a mixture'),
        pytest.param('[' * 1_000_000, id='a megabyte of brackets'),
        pytest.param(
            '\n'.join(f'{" " * depth}a:' for depth in range(1400)),
            id='a megabyte of indentation',
        ),
        pytest.param(f'[{"x, " * 30_000}]', id='a very long list'),
    ),
)
def test_a_bomb_is_refused_at_once(text: str) -> None:
    start = time.monotonic()
    assert refusal(text).message == (
        'is nested too deeply, or grows too large through aliases'
    )
    assert time.monotonic() - start < 5


def test_a_document_may_be_forty_levels_deep() -> None:
    node = yaml.parse('[' * 40 + 'x' + ']' * 40)
    for _ in range(40):
        assert isinstance(node, yaml.Sequence)
        (node,) = node.items
    assert node == yaml.Scalar('x', 'str', 1)


def test_many_lists_side_by_side_are_fine() -> None:
    node = yaml.parse(
        'a: [x]\n' + ''.join(f'k{number}: [x-{number}]\n' for number in range(2000))
    )
    assert isinstance(node, yaml.Mapping)
    assert len(node.items) == 2001
    assert node.lines['k1999'] == 2001


def test_a_text_that_is_too_large_is_not_even_read() -> None:
    text = f'a: {"x" * yaml.MAX_TEXT}'
    assert refusal(text).message == ('is too large to be YAML (1048579 characters)')
