"""Fields read one by one are what the whole says."""

from __future__ import annotations

import sys

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from interlock.documents import yaml
from interlock.model.errors import Unreadable
from tests import samples
from tests.documents.strategies import any_text
from tests.profiles import some

LINES = (
    'a: 1',
    'b:',
    'c: "x',
    '  y: z',
    '  - 1',
    '- 2',
    'd: |',
    '   text',
    '',
    ' ',
    '# c',
    '  # c',
    'e: [1',
    ' 2]',
    ']',
    'a: 2',
    '... # end',
    '---',
    'f: {g: h}',
    'g: &x 1',
    'h: *x',
    'i: !!str',
    'j: é\u2028k: 1',
    'k: \x85',
    'l: "\\u2028"',
    'm: 1\r',
    'n: >-',
    "o: 'it''s'",
    'p: 1 # c',
    '\tq: 1',
    '? r',
    ': s',
    '<<: {a: 1}',
    'yes: no',
    '1: 2',
    'u-v_w: 3.10',
    "x: '",
    'y',
    '%YAML 1.1',
    'z: @',
    '  : 1',
    '"aa": 1',
    'bb : 1',
    'cc:dd',
    'ee: - 1',
)
# values that are read without PyYAML, or nearly are
VALUES = st.one_of(
    st.sampled_from(
        '| |yes|No|null|~|y|=|<<|.5|1.|1.5|0|07|1_0|-3|+3|0x1F|1e3|1.0e+3|60:30|'
        '2026-01-02|2026-1-2|2026-01-02 03:04:05|a:b|a: b|a:|a #b|a#b|x |""|\'\'|'
        '"a b"|\'a\'|"a\\"|\'a\'\'b\'|"a" |on|ON|oN|False|TRUE|Null|NULL|nULL|.inf|a, b|[a]|- a'.split(
            '|'
        )
    ),
    st.text('aZ019 .:#-/"\'_,()+', max_size=8),
)
FIELDS = st.one_of(
    st.builds('{}: {}'.format, st.sampled_from(['a', 'b-c', 'no', 'd_1']), VALUES),
    st.builds('{}:'.format, st.sampled_from(['a', 'b-c', 'e'])),
    st.builds(
        '  {}: {}'.format, st.sampled_from(['x', 'y', 'on', '3.test', '1']), VALUES
    ),
    st.builds('  - {}'.format, VALUES),
    st.builds('    - {}'.format, VALUES),
)
texts = st.one_of(
    any_text,
    st.lists(FIELDS, max_size=8).map(
        lambda lines: ''.join(f'{line}\n' for line in lines)
    ),
    st.lists(st.sampled_from(LINES), max_size=12).map(
        lambda lines: ''.join(f'{line}\n' for line in lines)
    ),
)


def outcome(parse: object, text: str) -> object:
    assert callable(parse)
    try:
        return parse(text, 3)
    except Unreadable as e:
        return (e.message, e.line)


@settings(max_examples=some(1500), deadline=None)
@given(texts)
@example('\n\na: 1\nb:\n  c: 2\n\nd: |\n  e\n\n')
@example('a: 1\n... # end\nb: 2\n')
@example('a: "x\nb: y"\n')
@example('a: |\n\nb: 1\n')
@example('a: x\n b\n')
def test_read_one_by_one_or_as_a_whole_is_the_same(text: str) -> None:
    assert outcome(yaml.parse_fields, text) == outcome(yaml.parse, text)


def test_a_handoff_is_read_field_by_field() -> None:
    """Else nothing would be won."""
    block = samples.handoff('Bravo').split('---')[1]
    yaml._field.cache_clear()
    yaml.parse_fields(block)
    yaml.parse_fields(block.replace('2026-01-02', '2026-01-03', 1))
    found = yaml._field.cache_info()
    assert found.misses == found.hits + 2


def test_a_handoff_needs_no_pyyaml(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else its import would take longer than the answer of a hook."""
    yaml._field.cache_clear()
    monkeypatch.setitem(sys.modules, 'interlock.documents.pyyaml', None)
    block = samples.handoff('Bravo').split('---')[1]
    found = yaml.parse_fields(block)
    assert isinstance(found, yaml.Mapping)
    assert yaml.value(found)['plugin'] == 'Bravo'


@pytest.mark.parametrize(
    'text',
    (
        pytest.param('a: &x 1\nb: *x\n', id='an alias'),
        pytest.param('a: 1\n# why\nb: 2\n', id='a comment between'),
        pytest.param('a: 1\nb: 2', id='no end of the last line'),
        pytest.param('a: 1\nb: \x85\nc: 3\n', id='another end of a line'),
    ),
)
def test_what_is_not_a_plain_list_is_read_as_a_whole(text: str) -> None:
    yaml._field.cache_clear()
    assert yaml.parse_fields(text) == yaml.parse(text)
    assert yaml._field.cache_info().misses == 0
