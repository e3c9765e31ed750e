from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.handoff_document.rules.partial import (
    CompleteSections,
    markers,
    partial_work,
)
from tests.handoff_document.pages import PLAN, found, line_of, page
from tests.profiles import some


def kinds(text: str, before: str | None = None) -> list[tuple[str, int]]:
    return [(each.kind, each.line) for each in markers(text, before)]


@pytest.mark.parametrize(
    'text',
    (
        pytest.param('# A\n\ntexte\n', id='plain'),
        pytest.param('# A\n\n## B\n\ntexte.\n\n## C\n\ntexte.\n', id='nested'),
        pytest.param('# A\n\n```\n# TODO: x\n```\n', id='only code'),
        pytest.param('# A\n\n````\n```yaml\n```\n````\n', id='a longer fence'),
        pytest.param('# A\n\n| a | b |\n|---|---|\n| 1 | 2 |\n', id='table'),
        pytest.param('# A\n\n- un\n- deux\n', id='list'),
        pytest.param('# A\n\nIncomplete: TODO markers, TBDs.\n', id='prose'),
        pytest.param(
            '# 1.0\n\n## Added\n\nx.\n\n# 0.9\n\n## Added\n\ny.\n',
            id='the same below others',
        ),
        pytest.param('# A\n\ntexte.\n\n---\n', id='a rule at the end'),
        pytest.param('', id='nothing'),
        pytest.param('texte sans titre\n', id='no heading'),
        pytest.param('# 1 A\n\nx\n\n## 1.1 B\n\nx\n\n### 1.1.2 C\n\nx\n', id='numbers'),
        pytest.param('# A\n\nsee <!-- TODO --> it.\n', id='within a comment'),
        pytest.param('# A\n\nA caption of some words\n', id='a caption'),
        pytest.param('# A\n\n- It works. Yes.\n- Done now\n', id='an item'),
        pytest.param('# A\n\nVersion 1.2 of Python\n', id='a number'),
        pytest.param('# A\n\nBye.\n\nRegards\nZoë\n', id='a signature'),
        pytest.param('# A\n\nIt is read. (It works.)\n', id='brackets'),
        pytest.param('# A\n\nIt is run by `make test`\n', id='code'),
        pytest.param('# A\n\n- what it is for\n', id='what it is for'),
        pytest.param('# A\n\nWhere we are at\n\n# B\n\ny.\n', id='at'),
        pytest.param('# A\n\n- it joins with AND\n', id='a keyword'),
        pytest.param('# A\n\nGo on with plan A\n', id='a letter'),
        pytest.param('# A\n\n> It is so. He said the\n', id='a quote'),
        pytest.param('# What it is for\n\n## Of\n\nx.\n', id='headings'),
        pytest.param(
            '# A\n\nx is for\n\n```\ny\n```\n\n# B\n\ny.\n', id='code goes on'
        ),
    ),
)
def test_a_finished_text_has_no_markers(text: str) -> None:
    assert kinds(text) == []


@pytest.mark.parametrize(
    ('text', 'expected'),
    (
        pytest.param('# A\n\n## B\n\n## C\n\nx.\n', ('empty', 3), id='empty'),
        pytest.param('# A\n\nx.\n\n## B\n', ('empty', 5), id='empty at the end'),
        pytest.param('# A\n\n## B\n\n---\n\n## C\n\nx.\n', ('empty', 3), id='a rule'),
        pytest.param('# A\n\nTODO: finir.\n', ('open', 3), id='todo'),
        pytest.param('# A\n\n- TODO\n- x\n', ('open', 3), id='bare todo'),
        pytest.param(
            '# A\n\n| a | TBD |\n|---|---|\n| 1 | 2 |\n', ('open', 3), id='cell'
        ),
        pytest.param('# A\n\nFIXME(zoë) ça.\n', ('open', 3), id='fixme'),
        pytest.param('# A\n\n## B\n\nx.\n\n## B\n\ny.\n', ('twice', 7), id='twice'),
        pytest.param('# A\n\n```py\nx = 1\n', ('unclosed', 3), id='unclosed'),
        pytest.param('# A\n\n~~~\nx\n```\n', ('unclosed', 3), id='other fence'),
        pytest.param(
            '# A\n\n```\nx\n\n```yaml\ny\n```\n', ('unclosed', 3), id='before another'
        ),
        pytest.param('# A\n\nle café est,\n', ('abrupt', 3), id='comma'),
        pytest.param('# A\n\nles voici:', ('abrupt', 3), id='colon'),
        pytest.param(
            '# A\n\nThe parser is done. It reads tables and then writes',
            ('abrupt', 3),
            id='mid-sentence',
        ),
        pytest.param('# A\n\nThe parser reads the\n', ('abrupt', 3), id='an article'),
        pytest.param(
            '# A\n\n- x\n- The parser reads. It then\n',
            ('abrupt', 4),
            id='an item breaks off',
        ),
        pytest.param(
            '# A\n\nThe parser reads each table of the file\n'
            'and writes each of its rows once\n',
            ('abrupt', 4),
            id='several lines',
        ),
        pytest.param(
            '# A\n\n## B\n\nIt was made by the\n\n## C\n\nx.\n',
            ('abrupt', 5),
            id='a section breaks off',
        ),
        pytest.param('# A\n\n- un\n- \n', ('abrupt', 4), id='empty item'),
        pytest.param('# A\n\n| a | b |\n|---|---|\n', ('abrupt', 4), id='no rows'),
        pytest.param('# 1 A\n\nx\n\n## 2.1 B\n\nx\n', ('misplaced', 5), id='number'),
    ),
)
def test_partial_work_is_found(text: str, expected: tuple[str, int]) -> None:
    assert kinds(text) == [expected]


def test_lost_subsections_are_found_beside_an_earlier_version() -> None:
    before = '# A\n\nx.\n\n## B\n\n### C\n\nx.\n\n## D\n\nx.\n'
    after = '# A\n\nx.\n\n## B\n\nx.\n\n## D\n\nx.\n'
    assert kinds(after, before) == [('bare', 5)]
    assert kinds(after) == kinds(before, after) == []


def test_a_finding_names_the_last_complete_section() -> None:
    text = '# A\n\n## Bon\n\nx.\n\n## Vide\n\n## Fin\n\nTODO: x\n'
    first, second = partial_work('doc.md', text)
    assert first.code == second.code == 'DOC027'
    assert first.message == (
        'nothing follows the heading `Vide`; '
        'the last complete section is `Bon` (line 3)'
    )
    assert '`Bon` (line 3)' in second.message
    assert first.item == 'doc.md'


def test_there_may_be_no_complete_section_before() -> None:
    (finding,) = partial_work('doc.md', '# Vide\n')
    assert finding.message.endswith('no section before it is complete')


@pytest.mark.parametrize(
    ('text', 'severity'),
    (
        ('# A\n\n## B\n', 'warning'),
        ('# A\n\nTODO: x\n', 'warning'),
        ('# A\n\nx,\n', 'warning'),
        ('# A\n\n```\n', 'error'),
        ('# A\n\nx\n\n# A\n\nx\n', 'error'),
        ('# 1 A\n\nx\n\n## 2.1 B\n\nx\n', 'error'),
    ),
)
def test_what_is_damaged_is_an_error(text: str, severity: str) -> None:
    assert [each.severity for each in partial_work('x.md', text)] == [severity]


def test_a_document_is_searched_too() -> None:
    text = page({'1.11 Narrative': 'x\n\nTODO: raconter'})
    (finding,) = found('DOC027', text)
    assert finding.line == line_of(text, 'TODO')
    assert 'the last complete section is' in finding.message


def test_a_table_below_another_heading_is_found() -> None:
    text = page(
        {
            '1.16 Conflicts': (
                '| Decision | Rationale | Confirmed | Binding |\n|---|---|---|---|\n'
                '| sqlite | x | Yes | SESSION |'
            )
        }
    )
    (finding,) = found('DOC027', text)
    assert 'belongs to 1.15' in finding.message
    assert finding.severity == 'error'


def test_a_state_below_another_heading_is_found() -> None:
    text = page({'1.19 Env': '```yaml\nformat_version: "3.0"\n```'})
    (finding,) = found('DOC027', text)
    assert 'belongs to 1.20' in finding.message


def test_an_open_fence_hides_what_follows_and_is_told() -> None:
    text = page({'1.10 Again': f'```\nRead("{PLAN}")'})
    (finding,) = found('DOC027', text)
    assert f'not closed before line {line_of(text, "```yaml")}' in (finding.message)
    assert finding.line == line_of(text, '1.10 Again') + 2


def test_lost_subsections_of_a_document_are_told() -> None:
    before = page({'1.11 N': 'x\n\n#### Suite\n\ny'})
    text = page({'1.11 N': 'x'})
    (finding,) = found('DOC027', text, before=before)
    assert 'has lost its subsections (`Suite`' in finding.message


pieces = st.lists(
    st.sampled_from(
        [
            '# A\n',
            '## B\n',
            '\n',
            'x.\n',
            '```\n',
            '~~~\n',
            'TODO: y\n',
            '- \n',
            '| a | b |\n',
            '|---|---|\n',
            '<!--',
            '-->',
            '\r\n',
            '### 1.2 C\n',
            'é,',
        ]
    ),
    max_size=25,
).map(''.join)


@settings(max_examples=some(200), deadline=None)
@given(st.one_of(pieces, st.text()), pieces)
def test_any_text_has_markers_on_its_own_lines(text: str, before: str) -> None:
    number = text.count('\n') + 1
    found = markers(text, before)
    complete = CompleteSections(text, found)
    for marker in found:
        assert 1 <= marker.line <= number
        assert marker.message
        sound = complete.before(marker.line)
        assert sound is None or sound.line < marker.line
