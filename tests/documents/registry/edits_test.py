from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.documents.registry.diff import changed
from interlock.documents.registry.edits import graft, registry_of_item
from interlock.model.errors import Unreadable
from tests import samples
from tests.documents.shapes import read as registry
from tests.profiles import some


def grafted(base: str, source: str, item: str = 'Öl') -> str:
    return graft(registry(base), registry(source), item).decode()


BASE = {'Alpha': 'Ideated', 'Öl': 'Stage 2', 'Zeta': 'Installed'}
MOVED = {**BASE, 'Öl': 'Stage 3'}


def crlf(text: str) -> str:
    return text.replace('\n', '\r\n')


@pytest.mark.parametrize(
    ('base', 'source', 'expected'),
    (
        pytest.param(BASE, BASE, BASE, id='nothing differs'),
        pytest.param(BASE, MOVED, MOVED, id='the item moved'),
        pytest.param(
            BASE,
            {**MOVED, 'Alpha': 'Stage 0', 'Zeta': 'Improving'},
            MOVED,
            id='others moved too',
        ),
        pytest.param(
            BASE,
            {'Neu': 'Ideated', **MOVED, 'Neu2': 'Ideated'},
            MOVED,
            id='others are new',
        ),
        pytest.param(
            {**BASE, 'Alt': 'Working'},
            MOVED,
            {**MOVED, 'Alt': 'Working'},
            id='another is gone',
        ),
        pytest.param(
            {'Alpha': 'Ideated', 'Zeta': 'Installed'},
            MOVED,
            MOVED,
            id='new in the middle',
        ),
        pytest.param(
            {'Alpha': 'Ideated'},
            {'Alpha': 'Stage 0', 'Öl': 'Ideated'},
            {'Alpha': 'Ideated', 'Öl': 'Ideated'},
            id='new at the end',
        ),
        pytest.param(
            {'Alpha': 'Ideated'},
            {'Öl': 'Ideated', 'Alpha': 'Stage 0'},
            {'Öl': 'Ideated', 'Alpha': 'Ideated'},
            id='new at the start',
        ),
        pytest.param(
            {},
            {'Neu': 'Ideated', 'Öl': 'Ideated'},
            {'Öl': 'Ideated'},
            id='the first of all',
        ),
        pytest.param(
            BASE,
            {'Alpha': 'Stage 0', 'Zeta': 'Installed'},
            {'Alpha': 'Ideated', 'Zeta': 'Installed'},
            id='gone',
        ),
    ),
)
@pytest.mark.parametrize('ends', (str, crlf))
def test_only_the_item_changes(
    base: dict[str, str],
    source: dict[str, str],
    expected: dict[str, str],
    ends: type[str],
) -> None:
    assert grafted(
        ends(samples.registry(base)), ends(samples.registry(source))
    ) == ends(samples.registry(expected))


@pytest.mark.parametrize(
    ('base', 'source'),
    (
        pytest.param(crlf, str, id='into CRLF'),
        pytest.param(str, crlf, id='out of CRLF'),
    ),
)
@pytest.mark.parametrize(
    'before',
    (
        pytest.param(BASE, id='moved'),
        pytest.param({'Alpha': 'Ideated', 'Zeta': 'Installed'}, id='new'),
    ),
)
def test_the_line_ends_are_those_of_the_other_registry(
    before: dict[str, str], base: type[str], source: type[str]
) -> None:
    assert grafted(
        base(samples.registry(before)), source(samples.registry(MOVED))
    ) == base(samples.registry(MOVED))


def rows(*lines: str, end: str = '\n') -> str:
    return samples.HEAD + '\n'.join(lines) + end


@pytest.mark.parametrize(
    ('base', 'source', 'expected'),
    (
        pytest.param(
            rows('| A | x | - | 1 |', '| Öl | y | - | 1 |', end=''),
            rows('| Öl | z | - | 2 |', '| B | x | - | 1 |'),
            rows('| A | x | - | 1 |', '| Öl | z | - | 2 |', end=''),
            id='no newline at the end',
        ),
        pytest.param(
            rows('| A | x | - | 1 |', end=''),
            rows('| A | w | - | 1 |', '| Öl | z | - | 2 |'),
            rows('| A | x | - | 1 |', '| Öl | z | - | 2 |', end=''),
            id='new, no newline at the end',
        ),
        pytest.param(
            rows('| Öl | y | - | 1 |'),
            rows('|  **Öl**|z|  - | 2 |x'),
            rows('|  **Öl**|z|  - | 2 |x'),
            id='style of the row',
        ),
    ),
)
def test_a_registry_of_rows(base: str, source: str, expected: str) -> None:
    assert grafted(base, source) == expected


def test_what_stands_between_items_stays() -> None:
    def marked(statuses: dict[str, str]) -> str:
        return (
            samples.registry(statuses).replace(
                '\n### Zeta', '\n## Fertig\n\n---\n\n\n### Zeta'
            )
            + 'sans fin'
        )

    assert grafted(marked(BASE), samples.registry(MOVED)) == marked(MOVED)


@pytest.mark.parametrize(
    ('base', 'source', 'sentence'),
    (
        pytest.param(
            samples.registry(BASE),
            samples.registry(MOVED).replace('| Version ', '| Fassung '),
            'has other columns',
            id='columns',
        ),
        pytest.param(
            samples.registry(BASE),
            samples.registry(MOVED) + samples.entry('Öl', 'Stage 3'),
            'holds Öl twice',
            id='twice',
        ),
        pytest.param(
            samples.registry(BASE),
            samples.registry(MOVED).replace(
                'Warm — très doux.\n\n**Lifecycle Timeline:**\n'
                '- **2026-01-01:** Brief\n\n**Last Updated:** 2026-01-02\n'
                '\n### Zeta',
                '<!-- offen\n\n### Zeta',
            ),
            'cannot hold Öl without other changes',
            id='a comment is open',
        ),
        pytest.param(
            'kein Register\n',
            samples.registry(MOVED),
            'has no table with the columns',
            id='no table in the base',
        ),
        pytest.param(
            samples.registry(BASE),
            'kein Register\n',
            'has no table with the columns',
            id='no table in the source',
        ),
    ),
)
def test_what_cannot_be_taken_is_refused(base: str, source: str, sentence: str) -> None:
    with pytest.raises(Unreadable, match=sentence):
        grafted(base, source)


def test_alone() -> None:
    assert registry_of_item(registry(samples.registry(MOVED)), 'Öl').decode() == (
        samples.registry({'Öl': 'Stage 3'})
    )
    with pytest.raises(Unreadable):
        registry_of_item(registry('x'), 'Öl')


STATUS = st.sampled_from(('Ideated', 'Stage 0', 'Stage 3.1', 'Working'))
ITEMS = st.dictionaries(st.sampled_from(('A', 'B b', 'Ç', 'Öl', 'Öler', 'É_é')), STATUS)


@given(ITEMS, ITEMS, st.sampled_from('ABÇÖ'), st.booleans(), st.booleans())
@settings(max_examples=some(200), deadline=None)
def test_it_says_of_the_item_what_the_source_says_and_else_nothing_new(
    base: dict[str, str],
    source: dict[str, str],
    item: str,
    base_crlf: bool,
    source_crlf: bool,
) -> None:
    item = {'B': 'B b', 'Ö': 'Öl'}.get(item, item)
    one = registry((crlf if base_crlf else str)(samples.registry(base)))
    two = registry((crlf if source_crlf else str)(samples.registry(source)))
    result = registry(graft(one, two, item).decode())
    assert {
        name: [result.row(name, piece).text('status') for piece in place.rows]
        + [result.entry(name, piece).text('status') for piece in place.entries]
        for name, place in result.places.items()
    } == {
        name: [samples.styled(status), bold(status)]
        for name, status in (
            {**base, item: source[item]}
            if item in source
            else {key: value for key, value in base.items() if key != item}
        ).items()
    }
    assert changed(result, one) <= {item}
    assert (b'\r\n' in result.data) is base_crlf
    # a second time there is nothing left to take
    assert graft(result, two, item) == result.data


def bold(status: str) -> str:
    sign, _, text = samples.styled(status).partition(' ')
    return f'{sign} **{text}**'
