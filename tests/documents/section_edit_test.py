from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.documents import frontmatter, markdown
from interlock.documents.section_edit import append, body, replace, retitle, set_line
from interlock.model.errors import Unreadable
from tests.documents.strategies import any_text
from tests.profiles import some

TEXT = """\
---
# Next Steps: only a comment
plugin: Écho
---

# Résumé

## Current State: Stage 2

Läuft.

## Completed So Far

- **Stage 0:** ja

```
## Next Steps
```
## Leer

## Next Steps

1. weiter
2. dann
"""


@pytest.mark.parametrize('newline', ('\n', '\r\n'))
@pytest.mark.parametrize(
    ('title', 'old', 'new'),
    (
        pytest.param('Current State', 'Läuft.\n', 'Läuft.\n- neu\n', id='text'),
        pytest.param(
            'completed so far',
            '```\n## Leer',
            '```\n- neu\n## Leer',
            id='behind a fence',
        ),
        pytest.param('Leer', '## Leer\n\n', '## Leer\n\n- neu\n\n', id='empty'),
        pytest.param('Next Steps', '2. dann\n', '2. dann\n- neu\n', id='the last'),
        pytest.param('Neu', '2. dann\n', '2. dann\n\n## Neu\n\n- neu\n', id='absent'),
    ),
)
def test_a_line_is_appended_to_a_section(
    title: str, old: str, new: str, newline: str
) -> None:
    text = TEXT.replace('\n', newline)
    expected = TEXT.replace(old, new, 1).replace('\n', newline)
    assert append(text, title, '- neu') == expected


@pytest.mark.parametrize('newline', ('\n', '\r\n'))
@pytest.mark.parametrize(
    ('title', 'old', 'new'),
    (
        pytest.param('Current State', 'Läuft.\n', '1. eins\n2. zwei\n', id='text'),
        pytest.param(
            'Next Steps', '1. weiter\n2. dann\n', '1. eins\n2. zwei\n', id='the last'
        ),
        pytest.param(
            'Leer', '## Leer\n\n', '## Leer\n\n1. eins\n2. zwei\n\n', id='empty'
        ),
        pytest.param(
            'Neu', '2. dann\n', '2. dann\n\n## Neu\n\n1. eins\n2. zwei\n', id='absent'
        ),
    ),
)
def test_the_lines_of_a_section_are_replaced(
    title: str, old: str, new: str, newline: str
) -> None:
    text = TEXT.replace('\n', newline)
    expected = TEXT.replace(old, new, 1).replace('\n', newline)
    assert replace(text, title, ['1. eins', '2. zwei']) == expected


def test_a_section_can_be_emptied() -> None:
    assert replace('## A\n\nx\n\n## B\n', 'A', []) == '## A\n\n\n## B\n'


@pytest.mark.parametrize(
    ('text', 'appended', 'replaced'),
    (
        pytest.param('## A\nx', '## A\nx\ny', '## A\ny', id='a last line'),
        pytest.param('## A', '## A\n\ny', '## A\n\ny', id='a heading'),
        pytest.param('x', 'x\n\n## A\n\ny', 'x\n\n## A\n\ny', id='absent'),
        pytest.param('', '## A\n\ny\n', '## A\n\ny\n', id='an empty file'),
        pytest.param('## A\r\nx', '## A\r\nx\r\ny', '## A\r\ny', id='CRLF'),
    ),
)
def test_a_missing_last_newline_stays_missing(
    text: str, appended: str, replaced: str
) -> None:
    assert append(text, 'A', 'y') == appended
    assert replace(text, 'A', ['y']) == replaced


def test_a_title_changes_behind_its_hashes() -> None:
    changed = retitle(TEXT, 'Current State', 'Current State: Stage 3')
    assert changed == TEXT.replace('State: Stage 2', 'State: Stage 3')
    assert retitle(TEXT, 'Fehlt', 'Neu') == TEXT


def test_a_comment_of_the_frontmatter_is_not_a_heading() -> None:
    changed = retitle(TEXT, 'Next Steps', 'Next Steps: 3')
    assert changed == TEXT.replace('\n## Next Steps\n\n1', '\n## Next Steps: 3\n\n1')


@pytest.mark.parametrize(
    ('text', 'line'),
    (
        pytest.param('## A\n\nx\n', 'a\nb', id='two lines'),
        pytest.param('## A\n\nx\n', 'a\rb', id='carriage return'),
        pytest.param('## A\n\n```\nx\n', 'y', id='a fence never closed'),
        pytest.param('## A\n\n<!-- x\n', 'y', id='a comment never closed'),
        pytest.param('---\na: [\n---\n## A\n', 'y', id='broken frontmatter'),
    ),
)
def test_a_line_that_would_not_be_read_is_refused(text: str, line: str) -> None:
    with pytest.raises(Unreadable):
        append(text, 'A', line)


def titles(text: str) -> Sequence[str]:
    front = frontmatter.parse(text)
    found = markdown.sections(front.body if front else text)
    return [section.title for section in found]


lines = st.lists(
    st.sampled_from(
        (
            '',
            '- eins',
            'Größe',
            '  tief',
            '| a | b |',
            '```',
            '<!-- x -->',
            '# A',
            '## A',
            '## A: so',
            '### B',
            '---',
            'plugin: x',
            '\t',
        )
    ),
    max_size=12,
)
texts = st.builds(
    lambda parts, newline, end: newline.join(parts) + (newline if end else ''),
    lines,
    st.sampled_from(('\n', '\r\n')),
    st.booleans(),
)
new_lines = st.sampled_from(('- neu', '1. größer', '**Fett:** 🚧'))


@given(texts, new_lines)
@settings(max_examples=some(300), deadline=None)
def test_appending_adds_a_line_and_changes_nothing_else(text: str, line: str) -> None:
    try:
        changed = append(text, 'A', line)
    except Unreadable:
        return
    old, new = text.splitlines(), changed.splitlines()
    assert line in body(changed, 'A')
    assert new.count(line) == old.count(line) + 1
    rest = list(new)
    for each in old:
        # the old lines stand in their order, among the new ones
        while rest.pop(0) != each:
            assert rest
    assert len(new) - len(old) <= 4
    assert changed.endswith('\n') == (not text or text.endswith('\n'))
    assert changed.count('\r\n') in {0, changed.count('\n')}


def _body(text: str) -> str:
    front = frontmatter.parse(text)
    return front.body if front else text


def outside(text: str) -> list[tuple[str, str]]:
    """Titles and bodies of what is neither the section A nor below it."""
    found = markdown.sections(_body(text))
    matching = [each for each in found if each.title.startswith('A')]
    deep = [each for each in matching if each.level > 1]
    chosen = next(iter([*deep, *matching]), None)
    kept = []
    inside = False
    for each in found:
        inside = each == chosen or (
            inside and chosen is not None and each.level > chosen.level > 1
        )
        if not inside:
            kept.append((each.title, each.body.strip()))
    return kept


@given(texts, st.lists(new_lines, min_size=1, max_size=3))
@settings(max_examples=some(300), deadline=None)
def test_replacing_keeps_every_other_section(text: str, content: list[str]) -> None:
    try:
        changed = replace(text, 'A', content)
    except Unreadable:
        return
    assert outside(changed) == outside(text)
    assert body(changed, 'A') == content
    if not body(text, 'A'):
        assert titles(changed)[: len(titles(text))] == titles(text)


@pytest.mark.parametrize(
    ('text', 'expected'),
    (
        pytest.param(
            '## A\n\nx\n\n### tief\n\ny\n\n## B\n',
            '## A\n\nneu\n\n## B\n',
            id='sub-headings belong to it',
        ),
        pytest.param(
            '# A\n\nx\n\n## B\n\ny\n',
            '# A\n\nneu\n\n## B\n\ny\n',
            id='the document is not a section',
        ),
        pytest.param(
            '# A und B\n\nx\n\n## A\n\ny\n',
            '# A und B\n\nx\n\n## A\n\nneu\n',
            id='a section before the document',
        ),
    ),
)
def test_a_section_ends_at_a_heading_of_its_level(text: str, expected: str) -> None:
    assert replace(text, 'A', ['neu']) == expected


def test_a_line_is_appended_above_the_sub_headings() -> None:
    assert append('## A\n\nx\n\n### tief\n\ny\n', 'A', 'neu') == (
        '## A\n\nx\nneu\n\n### tief\n\ny\n'
    )


@pytest.mark.parametrize('newline', ('\n', '\r\n'))
def test_one_line_of_a_section_is_changed(newline: str) -> None:
    text = '- x\n## A\n\n- x\n- y\n'.replace('\n', newline)
    assert set_line(text, 'A', '- x', '- z') == (
        '- x\n## A\n\n- z\n- y\n'.replace('\n', newline)
    )
    assert set_line(text, 'A', '- fehlt', '- z') == text
    with pytest.raises(Unreadable):
        set_line(text, 'A', '- x', 'a\nb')


@given(
    any_text, st.sampled_from(('A', 'B', '', 'Résumé')), st.one_of(any_text, new_lines)
)
@settings(max_examples=some(300), deadline=None)
def test_any_text_is_edited_or_unreadable(text: str, title: str, line: str) -> None:
    edits: Sequence[Callable[[], str]] = (
        lambda: append(text, title, line),
        lambda: replace(text, title, [line]),
        lambda: retitle(text, title, line),
    )
    for edit in edits:
        try:
            assert isinstance(edit(), str)
        except Unreadable as e:
            assert e.message
