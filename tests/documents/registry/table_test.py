from __future__ import annotations

import pytest

from interlock.documents.registry.diff import changed
from interlock.documents.registry.record import Record
from interlock.model.change import Blob
from interlock.model.errors import Unreadable
from tests import samples
from tests.documents.shapes import SHAPE, TABLE, entry, good, read, row, texts

ALPHA = '| Alpha | 🚧 Stage 2 | 1.0 | 2026-01-02 |\n'
LEGEND = """\
# Registre

- **💡 Ideated** - an idea
- **🚧 Stage N** - in development | or so

"""
TEMPLATE = """
## Entry template

```markdown
| Plugin Name | Status | Version | Last Updated |
|-------------|--------|---------|--------------|
| [Name] | 💡 Ideated | - | [Date] |

### [Name]

**Status:** 💡 **Ideated**
```
"""


def test_a_registry_with_entries_is_read_in_full() -> None:
    text = samples.registry({'Alpha': 'Ideated', 'Bravo': 'Stage 2'})
    registry = good(text)
    assert registry.has_entries
    assert list(registry.places) == ['Alpha', 'Bravo']
    assert texts(row(registry, 'Bravo')) == {
        'item': 'Bravo',
        'status': '🚧 Stage 2',
        'version': '-',
        'updated': '2026-01-02',
    }
    assert texts(entry(registry, 'Bravo')) == {
        'status': '🚧 **Stage 2**',
        'updated': '2026-01-02',
    }


def test_a_registry_of_a_table_alone_has_no_entries() -> None:
    registry = good(f'{LEGEND}{TABLE}{ALPHA}{TEMPLATE}')
    assert not registry.has_entries
    assert list(registry.places) == ['Alpha']
    assert registry.places['Alpha'].entries == ()


@pytest.mark.parametrize(
    'rows',
    [
        pytest.param(ALPHA, id='one'),
        pytest.param(f'{ALPHA}| Bravo | x |\n', id='short'),
        pytest.param('| Bravo | a\\|b | 1 | 2 |\r\n', id='escaped'),
        pytest.param(f'| | x | 1 | 2 |\n{ALPHA}', id='no name'),
        pytest.param('| Bravo | a\rb | 1 | 2 |\n', id='carriage return'),
        pytest.param(ALPHA.rstrip('\n'), id='no newline at the end'),
        pytest.param(f'{ALPHA}\n{TABLE}| Delta | y | 1 | 3 |\n', id='two tables'),
    ],
)
def test_the_texts_of_all_rows_are_those_of_each(rows: str) -> None:
    registry = good(f'{LEGEND}{TABLE}{rows}')
    assert [*registry.texts('status', 'updated', 'absent')] == [
        (each.item, [each.text('status'), each.text('updated'), ''])
        for item in registry.places
        for each in registry.records(item)[0]
    ]


def test_a_row_that_cannot_be_read_has_no_texts() -> None:
    registry = good(f'{TABLE}{ALPHA}| Bravo | x | 1 | 2 |\n')
    data = registry.data.replace(b'Bravo | x', b'Bravo | \xff')
    found = read(data)
    assert [item for item, _ in found.texts('status')] == ['Alpha']


def test_a_shape_without_headings_reads_no_entries() -> None:
    text = samples.registry({'Alpha': 'Ideated'})
    registry = good(text, SHAPE._replace(heading=0))
    assert not registry.has_entries
    assert registry.places['Alpha'].entries == ()


@pytest.mark.parametrize('newline', ('\n', '\r\n'))
@pytest.mark.parametrize('end', ('', '\n'))
def test_records_know_their_lines(newline: str, end: str) -> None:
    text = samples.registry({'Alpha': 'Ideated', 'Größe': 'Stage 2'})
    text = text.rstrip('\n') + end
    lines = text.split('\n')
    registry = good(text.replace('\n', newline))
    for item in ('Alpha', 'Größe'):
        line = row(registry, item)
        assert lines[line.line - 1].startswith(f'| {item} |')
        assert {line.line_of(role) for role in line.values} == {line.line}
        below = entry(registry, item)
        assert lines[below.line - 1] == f'### {item}'
        assert lines[below.line_of('status') - 1].startswith('**Status:**')
        assert lines[below.line_of('updated') - 1] == ('**Last Updated:** 2026-01-02')
        assert below.line_of('version') == below.line


def test_crlf_and_no_final_newline_are_no_part_of_a_value() -> None:
    text = f'{TABLE}{ALPHA}'.rstrip('\n').replace('\n', '\r\n')
    assert texts(row(good(text), 'Alpha'))['updated'] == '2026-01-02'
    assert texts(row(good(f'{text}\r\n'), 'Alpha'))['updated'] == '2026-01-02'


@pytest.mark.parametrize(
    ('table', 'expected'),
    (
        pytest.param(
            '| Plugin Name | Status | Version | Last Updated |\n'
            '|---|---|---|---|\n'
            '| Alpha | 🚧 Stage 2 | 1.0 | 2026-01-02 |\n',
            {
                'item': 'Alpha',
                'status': '🚧 Stage 2',
                'version': '1.0',
                'updated': '2026-01-02',
            },
            id='4 columns',
        ),
        pytest.param(
            '| Plugin Name | Status | Version | Type | Last Updated |\n'
            '|---|---|---|---|---|\n'
            '| Alpha | 🚧 Stage 2 | 1.0 | Effect | 2026-01-02 |\n',
            {
                'item': 'Alpha',
                'status': '🚧 Stage 2',
                'version': '1.0',
                'updated': '2026-01-02',
            },
            id='5 columns',
        ),
        pytest.param(
            '| Last Updated | Status | Type | Plugin Name |\n'
            '|---|---|---|---|\n'
            '| 2026-01-02 | 🚧 Stage 2 | Effect | Alpha |\n',
            {'item': 'Alpha', 'status': '🚧 Stage 2', 'updated': '2026-01-02'},
            id='another order',
        ),
        pytest.param(
            'Status | Plugin Name\n---|---\n🚧 Stage 2 | Alpha\n',
            {'item': 'Alpha', 'status': '🚧 Stage 2'},
            id='no outer pipes',
        ),
        pytest.param(
            '| **Plugin Name** | _Status_ |\n|:--|--:|\n| Alpha | 🚧 Stage 2 |\n',
            {'item': 'Alpha', 'status': '🚧 Stage 2'},
            id='styled header',
        ),
        pytest.param(
            '| Plugin Name | Status | Version |\n|---|---|---|\n'
            '| Alpha | 🚧 Stage 2 |\n',
            {'item': 'Alpha', 'status': '🚧 Stage 2'},
            id='a cell too few',
        ),
        pytest.param(
            '| Plugin Name | Status |\n|---|---|\n| Alpha | 🚧 Stage 2 | 1.0 | x |\n',
            {'item': 'Alpha', 'status': '🚧 Stage 2'},
            id='cells too many',
        ),
        pytest.param(
            '| Plugin Name | Status | Version |\n|---|---|---|\n'
            r'| Alpha | 🚧 Stage 2 \| x | 1\|0 |' + '\n',
            {'item': 'Alpha', 'status': '🚧 Stage 2 | x', 'version': '1|0'},
            id='escaped pipes',
        ),
        pytest.param(
            '\ufeff| Plugin Name | Status |\n|---|---|\n| Alpha | 🚧 Stage 2 |\n',
            {'item': 'Alpha', 'status': '🚧 Stage 2'},
            id='byte order mark',
        ),
    ),
)
def test_columns_are_found_by_their_header(
    table: str, expected: dict[str, str]
) -> None:
    assert texts(row(good(table), 'Alpha')) == expected


@pytest.mark.parametrize(
    'cell',
    (
        pytest.param('Alpha', id='bare'),
        pytest.param('**Alpha**', id='bold'),
        pytest.param('[Alpha](plugins/Alpha/NOTES.md)', id='link'),
        pytest.param('**[Alpha](plugins/Alpha)**', id='bold link'),
        pytest.param('`Alpha`', id='code'),
    ),
)
def test_a_styled_name_is_the_name(cell: str) -> None:
    registry = good(
        f'{TABLE}| {cell} | 🚧 Stage 2 | - | - |\n\n'
        f'### {cell}\n\n**Status:** 🚧 **Stage 2**\n'
    )
    assert list(registry.places) == ['Alpha']
    assert entry(registry, 'Alpha').text('status') == '🚧 **Stage 2**'


@pytest.mark.parametrize(
    'line',
    (
        pytest.param('|  |  |  |  |\n', id='empty row'),
        pytest.param('| | 🚧 Stage 2 | - | - |\n', id='no name'),
        pytest.param('|\n', id='a pipe'),
    ),
)
def test_a_row_without_a_name_is_not_an_item(line: str) -> None:
    registry = good(f'{TABLE}{line}{ALPHA}')
    assert list(registry.places) == ['Alpha']


BRAVO = '| Bravo | x | - | - |\n'
LOST = (
    'has a row in line {} that is not in a table, because `{}` ends the table above it'
)


@pytest.mark.parametrize(
    ('between', 'line', 'message'),
    (
        pytest.param('Note.\n', 4, LOST.format(5, 'Note.'), id='text'),
        pytest.param('One.\nTwo.\n', 4, LOST.format(6, 'One.'), id='two lines'),
        pytest.param('\nNote.\n', 5, LOST.format(6, 'Note.'), id='a paragraph'),
        pytest.param('\nNote.\n\n', 5, LOST.format(7, 'Note.'), id='between blanks'),
        pytest.param(
            'Zoë  Ideated\n', 4, LOST.format(5, 'Zoë  Ideated'), id='no pipes'
        ),
        pytest.param('\n## Next\n\n', 5, LOST.format(7, '## Next'), id='a heading'),
        pytest.param('```\n```\n', 4, LOST.format(6, '```'), id='fence'),
        pytest.param('=======\n', 4, LOST.format(5, '======='), id='half a conflict'),
        pytest.param('N.\r\n', 4, LOST.format(5, 'N.'), id='carriage return'),
    ),
)
def test_rows_behind_the_end_of_their_table_are_refused(
    between: str, line: int, message: str
) -> None:
    problem = read(f'{TABLE}{ALPHA}{between}{BRAVO}').problem
    assert problem is not None
    assert (problem.message, problem.line) == (message, line)


@pytest.mark.parametrize(
    'behind',
    (
        pytest.param('Note.\n', id='text'),
        pytest.param('\nNote.\n\nMore.\n', id='paragraphs'),
        pytest.param(
            'Note.\n\n| A | B | C | D |\n|---|---|---|---|\n| 1 | 2 | 3 | 4 |\n',
            id='table',
        ),
        pytest.param(
            '\n| A | B | C | D |\n|---|---|---|---|\nx\n| 1 | 2 | 3 | 4 |\n',
            id='of others',
        ),
        pytest.param('Note.\n| two | cells |\n', id='other cells'),
        pytest.param(f'Note.\n```\n{BRAVO}```\n', id='in code'),
        pytest.param(f'Note.\n<!--\n{BRAVO}-->\n', id='in a comment'),
        pytest.param(f'<!--\n{BRAVO}-->\n', id='a comment'),
        pytest.param(f'Note.\n    {BRAVO}', id='indented code'),
    ),
)
def test_other_text_behind_a_table_is_legal(behind: str) -> None:
    assert list(good(f'{TABLE}{ALPHA}{behind}').places) == ['Alpha']


BARE = TABLE.splitlines(keepends=True)[0]
FOREIGN = '| A | B | C | D |\n|---|---|---|---|\n| 1 | 2 | 3 | 4 |\n'


@pytest.mark.parametrize(
    ('text', 'line'),
    (
        pytest.param(f'{BARE}{BRAVO}\n## Now\n\n{TABLE}{ALPHA}', 1, id='above'),
        pytest.param(f'{TABLE}{ALPHA}\n## Next\n\n{BARE}{BRAVO}', 7, id='below'),
        pytest.param(f'{TABLE}{ALPHA}\n{BARE}{BRAVO}', 5, id='right below'),
        pytest.param(
            f'{TABLE}{ALPHA}\n{FOREIGN}\nNote.\n\n{BARE}{BRAVO}',
            11,
            id='behind a table of others',
        ),
        pytest.param(f'# Items\n\n{BARE}{BRAVO}', 3, id='alone'),
    ),
)
def test_a_header_without_dashes_is_refused(text: str, line: int) -> None:
    problem = read(text).problem
    assert problem is not None
    assert problem.message == (
        'has a header without the line `|---|---|---|---|` below it, '
        'so its rows do not count'
    )
    assert problem.line == line


@pytest.mark.parametrize(
    'before',
    (
        pytest.param(f'{BARE}\n', id='a line alone'),
        pytest.param(f'{BARE}is how it begins.\n\n', id='text follows'),
        pytest.param(f'{BARE}| or | not |\n\n', id='other cells follow'),
        pytest.param(f'```\n{BARE}{BRAVO}```\n', id='in code'),
        pytest.param(f'<!--\n{BARE}{BRAVO}-->\n', id='in a comment'),
        pytest.param(f'{FOREIGN}{BARE}{BRAVO}\n', id='rows of others'),
        pytest.param('Name | Status, or Status | Name\na | b\n\n', id='prose'),
    ),
)
def test_prose_with_pipes_is_legal(before: str) -> None:
    assert list(good(f'{before}{TABLE}{ALPHA}').places) == ['Alpha']


def test_every_table_may_be_broken() -> None:
    second = f'\n{TABLE}{BRAVO}x\n| Charlie | x | - | - |\n'
    problem = read(f'{TABLE}{ALPHA}{second}').problem
    assert problem is not None and problem.line == 8


@pytest.mark.parametrize(
    'between',
    (
        pytest.param('<!-- note -->\n', id='a line'),
        pytest.param('<!-- | x | -->\n', id='a pipe'),
        pytest.param('<!--\n| Zoë | x | - | - |\n-->\n', id='a row'),
        pytest.param('\n<!-- one -->\n\n<!-- two -->\n\n', id='blank lines'),
    ),
)
def test_rows_behind_a_comment_count(between: str) -> None:
    text = f'{TABLE}{ALPHA}{between}{BRAVO}'
    registry = good(text)
    assert list(registry.places) == ['Alpha', 'Bravo']
    assert [item for item, _ in good(text).texts()] == ['Alpha', 'Bravo']
    assert len(good(text).place('Bravo').rows) == 1
    assert good(text).place('Zoë').rows == ()
    plain = good(f'{TABLE}{ALPHA}{BRAVO}')
    assert changed(registry, plain) <= {'Alpha', 'Bravo'}
    assert changed(registry, good(text.replace('Bravo', 'Delta'))) == {'Bravo', 'Delta'}


OURS, THEIRS = '<<<<<<< HEAD\n', '>>>>>>> topic\n'


@pytest.mark.parametrize(
    ('text', 'line', 'marker'),
    (
        pytest.param(
            f'{TABLE}{ALPHA}{OURS}{BRAVO}=======\n{BRAVO}{THEIRS}',
            4,
            '<<<<<<< HEAD',
            id='in the table',
        ),
        pytest.param(
            f'# Titre\n{OURS}a\n=======\nb\n{THEIRS}\n{TABLE}{ALPHA}',
            2,
            '<<<<<<< HEAD',
            id='before it',
        ),
        pytest.param(
            f'{TABLE}{ALPHA}{BRAVO}{THEIRS}', 5, '>>>>>>> topic', id='the last one'
        ),
        pytest.param(
            f'{TABLE}{ALPHA}||||||| 1a2b3c4\n{BRAVO}', 4, '||||||| 1a2b3c4', id='diff3'
        ),
        pytest.param(f'{TABLE}{ALPHA}<<<<<<<\r\n', 4, '<<<<<<<', id='without a name'),
        pytest.param(f'{TABLE}{ALPHA}\n{"<" * 9} a\n', 5, f'{"<" * 9} a', id='longer'),
        pytest.param(f'{OURS}{TABLE}{ALPHA}', 1, '<<<<<<< HEAD', id='the first line'),
        pytest.param(
            f'{TABLE}{ALPHA}\n<!--\n{OURS}-->\n', 6, '<<<<<<< HEAD', id='in a comment'
        ),
    ),
)
def test_a_conflict_is_refused(text: str, line: int, marker: str) -> None:
    problem = read(text).problem
    assert problem is not None
    assert problem.message == f'has a conflict marker: `{marker}`'
    assert problem.line == line


@pytest.mark.parametrize(
    'more',
    (
        pytest.param(f'\n```\n{OURS}=======\n{THEIRS}```\n', id='in code'),
        pytest.param('\nTitle\n=======\n', id='a heading'),
        pytest.param('\nwrite <<<<<<< HEAD\n', id='in a line'),
        pytest.param('\n<<<<<<<<html\n', id='letters behind it'),
        pytest.param('|||||||\n', id='an empty row'),
        pytest.param('||||||| x |\n', id='a row'),
    ),
)
def test_what_only_looks_like_a_conflict_is_legal(more: str) -> None:
    assert list(good(f'{TABLE}{ALPHA}{more}').places) == ['Alpha']


@pytest.mark.parametrize('blank', ['\n', '\n\n', ' \t\n', '\r\n'])
def test_rows_behind_blank_lines_count(blank: str) -> None:
    for text in (
        f'{TABLE}{blank}{ALPHA}{BRAVO}',
        f'{TABLE}{ALPHA}{blank}{BRAVO}',
        f'{TABLE}{blank}{ALPHA}{blank}{BRAVO}{blank}Text | x\n',
    ):
        registry = good(text)
        assert list(registry.places) == ['Alpha', 'Bravo']
        again = good(text)
        assert len(again.place('Bravo').rows) == 1


OTHER = '| Since | Status | Plugin Name |\n|---|---|---|\n'


def test_every_table_with_the_columns_counts() -> None:
    text = (
        f'{TABLE}{ALPHA}\n## Archive\n\n{OTHER}| 2020 | old | Bravo |\n'
        f'\n| Status | Meaning |\n|---|---|\n| old | not new |\n'
    )
    registry = good(text)
    assert list(registry.places) == ['Alpha', 'Bravo']
    assert row(good(text), 'Bravo').text('status') == 'old'
    assert good(text).place('Bravo') == registry.place('Bravo')
    twice = good(f'{text}\n{OTHER}| 2021 | x | Alpha |\n')
    assert len(twice.place('Alpha').rows) == 2


@pytest.mark.parametrize('name', ['[Al](x)pha', '[Alpha](x)', 'Al[pha](x)'])
def test_a_link_in_a_name_does_not_hide_a_row(name: str) -> None:
    text = f'{TABLE}{ALPHA}| {name} | 🚧 Stage 6 | - | - |\n'
    assert len(good(text).place('Alpha').rows) == 2
    assert len(good(text).places['Alpha'].rows) == 2
    entries = f'{TABLE}{ALPHA}\n### {name}\n\n**Status:** x\n'
    assert len(good(entries).place('Alpha').entries) == 1


@pytest.mark.parametrize('blanks', ['', ' ', '  ', '   '])
def test_a_heading_may_be_indented(blanks: str) -> None:
    text = (
        f'{TABLE}{ALPHA}\n{blanks}### Alpha\n\n**Status:** x\n\n'
        f'{blanks}## Other\n\n**Status:** y\n'
    )
    for registry in (good(text), good(text)):
        (piece,) = registry.place('Alpha').entries
        assert registry.entry('Alpha', piece).again == ()
        assert registry.has_entries
        assert registry.places['Alpha'].entries == (piece,)
    code = good(f'{TABLE}{ALPHA}\n    ### Alpha\n\n**Status:** x\n')
    assert code.place('Alpha').entries == ()


@pytest.mark.parametrize(
    'hidden',
    (
        pytest.param('```\n{}\n```\n', id='backticks'),
        pytest.param('~~~\n{}\n~~~\n', id='tildes'),
        pytest.param('`````md\n```\n{}\n```\n`````\n', id='longer fence'),
        pytest.param('<!--\n{}\n-->\n', id='comment'),
    ),
)
def test_hidden_tables_and_entries_do_not_count(hidden: str) -> None:
    fake = f'{TABLE}| Fake | x | - | - |\n\n### Fake\n\n**Status:** x'
    block = hidden.format(fake)
    registry = good(f'{block}\n{TABLE}{ALPHA}\n{block}')
    assert list(registry.places) == ['Alpha']
    assert not registry.has_entries


@pytest.mark.parametrize('opening', ('```\n', '~~~\n', '<!--\n'))
def test_what_an_unclosed_fence_hides_stays_hidden(opening: str) -> None:
    registry = good(
        f'{TABLE}{ALPHA}\n### Alpha\n\n**Status:** x\n\n{opening}\n'
        f'### Bravo\n\n**Status:** y\n'
    )
    assert list(registry.places) == ['Alpha']
    everything = read(f'{opening}{TABLE}{ALPHA}')
    assert everything.problem is not None


def test_an_entry_ends_at_the_next_heading_of_its_level_or_above() -> None:
    registry = good(
        f'{TABLE}{ALPHA}| Bravo | x | - | - |\n'
        '\n### Alpha\n\n#### Détails\n\n**Status:** a\n'
        '\n### Bravo\n\nNothing.\n'
        '\n## Other\n\n**Status:** c\n'
        '\n# Last\n\n**Version:** 3\n'
    )
    assert texts(entry(registry, 'Alpha')) == {'status': 'a'}
    assert texts(entry(registry, 'Bravo')) == {}
    assert registry.places['Bravo'].entries[0].data == (b'### Bravo\n\nNothing.\n\n')


@pytest.mark.parametrize(
    'section',
    (
        pytest.param('### Legend\n\nText.\n', id='text'),
        pytest.param('### Legend\n\n**Status words** are many.\n', id='bold'),
        pytest.param('### Legend\n\n**Statuses:** many\n', id='other label'),
        pytest.param('### Legend\n\n```\n**Status:** x\n```\n', id='fenced'),
        pytest.param('### Legend\n\n<!--\n**Status:** x\n-->\n', id='commented'),
        pytest.param('## Legend\n\n**Status:** x\n', id='level above'),
        pytest.param('#### Legend\n\n**Status:** x\n', id='level below'),
        pytest.param('###Legend\n\n**Status:** x\n', id='no heading'),
        pytest.param('    ### Legend\n\n**Status:** x\n', id='indented code'),
    ),
)
def test_a_section_that_has_no_status_is_not_an_entry(section: str) -> None:
    registry = good(f'{TABLE}{ALPHA}\n## Notes\n\n{section}')
    assert list(registry.places) == ['Alpha']
    assert not registry.has_entries


@pytest.mark.parametrize(
    'section',
    (
        pytest.param('### Bravo\n\n**Status:** x\n', id='plain'),
        pytest.param('### Bravo\n\n**status**: x\n', id='other form'),
        pytest.param('### Bravo ###\n- **Status:** x\n', id='closed heading'),
        pytest.param('###\tBravo\r\n\r\n**STATUS:**\r\n', id='CRLF'),
    ),
)
def test_a_section_with_a_status_is_an_entry_without_a_row(section: str) -> None:
    registry = good(f'{TABLE}{ALPHA}\n{section}')
    place = registry.places['Bravo']
    assert place.rows == ()
    assert len(place.entries) == 1


def test_a_label_that_is_not_ascii_makes_an_entry_too() -> None:
    shape = SHAPE._replace(fields=(('status', 'État'),))
    registry = good(f'{TABLE}{ALPHA}\n### Bravo\n\n**ÉTAT:** x\n', shape)
    assert entry(registry, 'Bravo').text('status') == 'x'


def test_a_shape_without_a_status_field_knows_entries_by_their_row() -> None:
    shape = SHAPE._replace(fields=())
    registry = good(f'{TABLE}{ALPHA}\n### Alpha\n\n### Bravo\n', shape)
    assert list(registry.places) == ['Alpha']
    assert texts(entry(registry, 'Alpha')) == {}


def test_double_rows_and_entries_are_all_kept() -> None:
    section = '\n### Alpha\n\n**Status:** x\n'
    registry = good(f'{TABLE}{ALPHA}{ALPHA}{section}{section}')
    place = registry.places['Alpha']
    assert [registry.row('Alpha', p).line for p in place.rows] == [3, 4]
    assert [registry.entry('Alpha', p).line for p in place.entries] == [6, 10]


@pytest.mark.parametrize(
    ('text', 'message', 'line'),
    (
        pytest.param(
            '',
            'has no table with the columns `Plugin Name` and `Status`',
            1,
            id='empty file',
        ),
        pytest.param(
            '# Plugins\n\nNone yet.\n',
            'has no table with the columns `Plugin Name` and `Status`',
            1,
            id='no table',
        ),
        pytest.param(
            '| Plugin Name | State |\n|---|---|\n',
            'has no table with the columns `Plugin Name` and `Status`; '
            'this one has `Plugin Name`, `State`',
            1,
            id='other columns',
        ),
        pytest.param(
            '| Plugin Name | Status |\n\n| Alpha | x |\n',
            'has no table with the columns `Plugin Name` and `Status`',
            1,
            id='no line of dashes',
        ),
        pytest.param(
            '\n| a | b |\n|---|---|\n\n| My Plugin Names | Status |\n|---|---|\n',
            'has no table with the columns `Plugin Name` and `Status`; '
            'this one has `My Plugin Names`, `Status`',
            5,
            id='header that contains the name',
        ),
        pytest.param(
            f'```\n{TABLE}{ALPHA}```\n',
            'has no table with the columns `Plugin Name` and `Status`',
            1,
            id='fenced',
        ),
        pytest.param(
            f'\n| Plugin Name | Status | **Status** |\n|-|-|-|\n{ALPHA}',
            'has 2 columns `Status`',
            2,
            id='two columns',
        ),
        pytest.param(
            f'{TABLE}{ALPHA}\n| Plugin Name | Plugin Name | Status |\n|-|-|-|\n',
            'has 2 columns `Plugin Name`',
            5,
            id='two columns in the second table',
        ),
        pytest.param(f'{TABLE}{ALPHA}\né\0\n', 'holds a NUL byte', 5, id='NUL'),
    ),
)
def test_a_registry_that_cannot_be_read_says_why(
    text: str, message: str, line: int
) -> None:
    registry = read(text)
    assert registry.problem is not None
    assert (registry.problem.message, registry.problem.line) == (message, line)
    assert registry.places == {}


def test_a_registry_that_is_too_large_says_so() -> None:
    from interlock.documents.registry.table import Registry

    registry = Registry(Blob('0' * 40, 50_000_000, None), SHAPE)
    assert registry.problem is not None
    assert registry.problem.message == 'is too large to be read (50000000 bytes)'


def test_a_table_of_something_else_is_not_a_second_table() -> None:
    registry = good(
        f'| Status | Meaning |\n|---|---|\n| x | Plugin Name |\n\n'
        f'{TABLE}{ALPHA}\nA Plugin Name is | a Status.\n'
    )
    assert list(registry.places) == ['Alpha']


def test_bytes_that_are_not_utf8_spoil_their_own_record_only() -> None:
    data = (
        f'{TABLE}{ALPHA}'.encode()
        + b'| Bravo | \xff | - | - |\n'
        + b'\n### Alpha\n\n**Status:** x\n\n### Bravo\n\n\xfe\n'
    )
    registry = good(data)
    assert entry(registry, 'Alpha').text('status') == 'x'
    with pytest.raises(Unreadable) as excinfo:
        row(registry, 'Bravo')
    assert excinfo.value.message == 'is not UTF-8 text'
    assert excinfo.value.line == 4
    with pytest.raises(Unreadable) as excinfo:
        entry(registry, 'Bravo')
    assert excinfo.value.line == 10


def test_a_name_that_is_not_utf8_is_kept_apart() -> None:
    registry = good(TABLE.encode() + b'| Br\xff | x | - | - |\n')
    assert list(registry.places) == ['Br\udcff']


@pytest.mark.parametrize(
    'heading',
    (
        pytest.param('**Lifecycle Timeline:**', id='field'),
        pytest.param('**Lifecycle Timeline**:', id='colon outside'),
        pytest.param('**LIFECYCLE TIMELINE:**', id='case'),
        pytest.param('Lifecycle Timeline:', id='not bold'),
        pytest.param('#### Lifecycle Timeline', id='heading'),
        pytest.param('#### 📅 Lifecycle Timeline ####', id='closed heading'),
    ),
)
@pytest.mark.parametrize(
    'line',
    (
        pytest.param('- **2026-01-02:** Brief', id='bold date'),
        pytest.param('- **2026-01-02 (Stage 2):** Brief', id='stage'),
        pytest.param('- **2026-01-02 (Stage 3.10):** Brief', id='phase'),
        pytest.param('- **2026-01-02 (v1.0.0):** Brief', id='version'),
        pytest.param('- **2026-01-02 - Stage 2**: Brief', id='dash'),
        pytest.param('- 2026-01-02: Brief', id='not bold'),
        pytest.param('- [2026-01-02] Brief', id='brackets'),
        pytest.param('- 🚧 Brief – 2026-01-02', id='date behind'),
        pytest.param('- **2026-01-02T03:04:05Z:** Brief', id='timestamp'),
        pytest.param('* **2026-01-02:** Brief', id='star'),
        pytest.param('+ 2026-01-02 Brief', id='plus'),
        pytest.param('  - **2026-01-02:** Brief', id='indented'),
    ),
)
def test_every_form_of_a_timeline_is_read(heading: str, line: str) -> None:
    registry = good(
        f'{TABLE}{ALPHA}\n### Alpha\n\n**Status:** x\n\n{heading}\n{line}\n'
    )
    assert days(entry(registry, 'Alpha')) == [[('2026-01-02', 10)]]


def days(record: Record) -> list[list[tuple[str, int]]]:
    return [
        [(day.text, record.line_at(day)) for day in timeline]
        for timeline in record.timelines
    ]


def test_two_timelines_of_an_entry_are_kept_apart() -> None:
    registry = good(
        f'{TABLE}{ALPHA}\n### Alpha\n\n'
        '**Lifecycle Timeline:**\n\n'
        '- **2026-01-05:** a\n'
        '  goes on 2026-01-01\n\n'
        '- **2026-01-06:** b\n\n'
        '**Description:**\n- since 2025-01-01\n\n'
        '**Lifecycle Timeline:**\n'
        '- someday\n'
        '- **2026-01-03:** c\n\n'
        '**Last Updated:** 2026-01-07\n'
        '- 2024-01-01\n'
    )
    assert days(entry(registry, 'Alpha')) == [
        [('2026-01-05', 9), ('2026-01-06', 12)],
        [('2026-01-03', 19)],
    ]


def test_an_entry_without_a_timeline_has_none() -> None:
    registry = good(f'{TABLE}{ALPHA}\n### Alpha\n\n**Status:** 2026-01-01\n')
    assert entry(registry, 'Alpha').timelines == ()


def test_items_are_compared_by_their_bytes_alone() -> None:
    text = samples.registry({'Alpha': 'Ideated', 'Bravo': 'Stage 2'})
    other = samples.registry({'Alpha': 'Ideated', 'Bravo': 'Stage 3'})
    row = samples.row('Alpha', 'Ideated')
    assert changed(good(text), good(f'\n\n{text}')) == set()
    assert changed(good(text), good(other)) == {'Bravo'}
    twice = text.replace(row, row * 2)
    assert changed(good(text), good(twice)) == {'Alpha'}


@pytest.mark.parametrize(
    'status',
    (
        pytest.param('🚧 **Stage 2**', id='bold'),
        pytest.param('⚠️ Has Issues', id='variation selector'),
        pytest.param('👷\u200d♂️ Stage 2', id='joiner'),
        pytest.param('💡 Ideated (v1 – `x`)', id='annotation'),
    ),
)
def test_a_status_is_kept_as_it_was_written(status: str) -> None:
    registry = good(
        f'{TABLE}| Alpha | {status} | - | - |\n\n### Alpha\n\n**Status:** {status}\n'
    )
    assert row(registry, 'Alpha').text('status') == status
    assert entry(registry, 'Alpha').text('status') == status
