from __future__ import annotations

import pytest

from interlock.documents import yaml
from interlock.documents.frontmatter import Handoff, parse_handoff
from interlock.model.change import Blob
from tests import samples
from tests.documents.shapes import blob


def test_a_handoff_has_fields_and_sections_with_their_lines() -> None:
    text = samples.handoff('Größe', '3', '3.10')
    read = parse_handoff(blob(text))
    assert read.problem is None
    assert read.nodes.get('plugin') == yaml.Scalar('Größe', 'str', 2)
    assert read.nodes.get('phase') == yaml.Scalar('3.10', 'float', 4)
    assert read.nodes.get('gui_type') is None
    assert read.line('phase') == 4
    assert read.line('gui_type') == 1
    lines = text.split('\n')
    assert [(section.title, lines[section.line - 1]) for section in read.sections] == [
        ('Resume', '# Resume'),
        ('Current State: done', '## Current State: done'),
        ('Completed So Far', '## Completed So Far'),
        ('Next Steps', '## Next Steps'),
    ]


def test_crlf_and_no_final_newline_change_nothing_that_is_read() -> None:
    text = samples.handoff('Bravo').rstrip('\n')
    plain = parse_handoff(blob(text))
    crlf = parse_handoff(blob(text.replace('\n', '\r\n')))
    assert crlf == plain


def test_headings_in_fenced_code_and_comments_are_no_sections() -> None:
    read = parse_handoff(
        blob(
            '---\nstage: 2\n---\n```\n## Next Steps\n```\n<!--\n## Done\n-->\n## État\n'
        )
    )
    assert [(s.title, s.line) for s in read.sections] == [('État', 10)]


def test_a_handoff_without_frontmatter_has_no_problem_and_no_fields() -> None:
    read = parse_handoff(blob('# Resume\n\n---\n\nstage: 2\n\n---\n'))
    assert read == Handoff(None, None, ())
    assert read.nodes.get('stage') is None
    assert read.line('stage') == 1


@pytest.mark.parametrize(
    ('data', 'message', 'line'),
    (
        pytest.param(
            b'---\nstage: 2\n', 'is not closed by a line `---`', 1, id='unclosed'
        ),
        pytest.param(
            b'---\nstage: 2\nstage: 3\n---\n',
            'has the key `stage` twice',
            3,
            id='duplicate key',
        ),
        pytest.param(b'---\na: \0\n---\n', 'holds a NUL byte', 2, id='NUL'),
        pytest.param(b'---\na: x\n---\n\xff\n', 'is not UTF-8 text', 4, id='not UTF-8'),
        pytest.param(
            b'\xef\xbb\xbf---\na: x\n---\n',
            'stands behind a byte order mark',
            1,
            id='byte order mark',
        ),
    ),
)
def test_a_handoff_that_cannot_be_read_says_why(
    data: bytes, message: str, line: int
) -> None:
    read = parse_handoff(blob(data))
    assert read.fields is None
    assert read.sections == ()
    assert read.problem is not None
    assert (read.problem.message, read.problem.line) == (message, line)


def test_a_handoff_that_is_too_large_says_so() -> None:
    read = parse_handoff(Blob('0' * 40, 50_000_000, None))
    assert read.problem is not None
    assert read.problem.message == 'is too large to be read (50000000 bytes)'
