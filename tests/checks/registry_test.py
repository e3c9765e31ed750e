from __future__ import annotations

from collections.abc import Callable

import pytest

from interlock.model.finding import ERROR, INFO, WARNING
from interlock.workflow.reading.item_paths import why_no_name
from tests import samples
from tests.checks.trees import Files, at, codes, found, inherited, introduced, workflow
from tests.conftest import Interlock, Repo

ONLY = ('registry',)
IDEATED = {'PLUGINS.md': samples.registry({'Bravo': 'Ideated'})}


def written(row: str, entry: str) -> dict[str, str]:
    """A registry with the statuses exactly as they are given."""
    text = samples.registry({'Bravo': 'Ideated'})
    text = text.replace('| 💡 Ideated |', f'| {row} |')
    text = text.replace('💡 **Ideated**', entry)
    return {'PLUGINS.md': text}


@pytest.mark.parametrize(
    ('row', 'entry'),
    [
        pytest.param('🚧 Stage 2', '🚧 **Stage 2**', id='bold'),
        pytest.param('🚧 __Stage 2__', '🚧 Stage 2', id='double underscore'),
        pytest.param('🚧 _Stage 2_', '🚧 **_Stage 2_**', id='underscore'),
        pytest.param('**🚧 Stage 2**', '🚧 **Stage 2**', id='bold emoji'),
        pytest.param('  🚧  Stage 2  ', '🚧 Stage 2', id='white space'),
        pytest.param('🚧Stage 2', '🚧 Stage 2', id='no space'),
        pytest.param('🗑 Archived', '🗑\ufe0f Archived', id='variation'),
        pytest.param('🚧\u200d Stage 2', '🚧 Stage 2', id='joiner'),
        pytest.param('🚧 Stage 3.10', '🚧 **Stage 3.10**', id='phase'),
        pytest.param(
            '💡 Ideated (Draft Params)',
            '💡 **Ideated** (Draft Params)',
            id='annotation',
        ),
        pytest.param(
            '✅ Working 🐛 Has Issues',
            '✅ **Working** 🐛 **Has Issues**',
            id='two statuses',
        ),
        pytest.param('💡 Concept Ready', '💡 **Ideated**', id='alias'),
        pytest.param('Working', 'Working', id='no emoji at all'),
        pytest.param('🚧 Stage 2', '🔨 Building System', id='each word with its emoji'),
    ],
)
def test_statuses_that_differ_only_in_style_agree(row: str, entry: str) -> None:
    assert introduced(IDEATED, written(row, entry), only=ONLY) == []


@pytest.mark.parametrize(
    ('row', 'entry', 'expected'),
    [
        pytest.param('🚧 Stage 1', '🚧 **Stage 0**', ['REG001'], id='stage'),
        pytest.param('🚧 Stage 3', '🚧 Stage 3.1', ['REG001'], id='phase'),
        pytest.param('🚧 Stage 3.1', '🚧 Stage 3.10', ['REG001'], id='trailing zero'),
        pytest.param('💡 Ideated', '💡 Ideated (Brief)', ['REG001'], id='annotation'),
        pytest.param(
            '💡 Ideated (Brief)',
            '💡 Ideated (brief)',
            ['REG001'],
            id='annotation in another case',
        ),
        pytest.param(
            '✅ Working', '✅ Working 🐛 Has Issues', ['REG001'], id='status beside it'
        ),
        pytest.param('🚧 stage 2', '🚧 Stage 2', ['REG001', 'REG005'], id='case'),
        pytest.param(
            '🚧 Stage 2',
            '🚧 Building System',
            ['REG006'],
            id='emoji of the status beside the word of its alias',
        ),
        pytest.param('Stage 2', '🚧 Stage 2', ['REG006'], id='one emoji'),
        pytest.param(
            '✅ Stage 2',
            '✅ Stage 2',
            ['REG006', 'REG006'],
            id='both emoji another status has',
        ),
        pytest.param(
            '✅ Stage 2',
            '🚧 Stage 2',
            ['REG006', 'REG006'],
            id='emoji differ and one is wrong',
        ),
    ],
)
def test_statuses_that_differ_in_text_or_emoji_are_found(
    row: str, entry: str, expected: list[str]
) -> None:
    findings = found(IDEATED, written(row, entry), only=ONLY)
    # a wrong emoji in row and entry is one finding: the values are the same
    assert sorted(set(codes(findings))) == sorted(set(expected))
    for finding in findings:
        assert finding.item == 'Bravo'
        severity = WARNING if finding.code == 'REG006' else ERROR
        assert finding.severity == severity


def test_the_message_names_both_statuses_and_the_line_of_the_row() -> None:
    after = written('🚧 Stage 1', '🚧 **Stage 0**')
    (finding,) = found(IDEATED, after, only=ONLY)
    assert finding.code == 'REG001'
    assert finding.message == (
        'the row says `🚧 Stage 1`, the entry says `🚧 **Stage 0**`'
    )
    assert (finding.path, finding.line) == ('PLUGINS.md', 7)
    assert (finding.expected, finding.found) == ('Stage 0', 'Stage 1')
    assert finding.fix.command == ('interlock check --worktree --only registry --fix')


@pytest.mark.parametrize(
    ('status', 'emoji'),
    [
        ('Ideated', '💡'),
        ('Ideated (Draft Params)', '💡'),
        ('Concept Ready', '💡'),
        ('Stage 0', '🚧'),
        ('Stage 1', '🚧'),
        ('Stage 2', '🚧'),
        ('Building System', '🔨'),
        ('Stage 3', '🚧'),
        ('Stage 3.2', '🚧'),
        ('Processing Audio', '🎵'),
        ('Stage 4', '🚧'),
        ('Designing Interface', '🎨'),
        ('Stage 5', '🚧'),
        ('Validating', '✅'),
        ('Stage 6', '🚧'),
        ('Working', '✅'),
        ('Ready to Install', '✅'),
        ('Installed', '📦'),
        ('Improving', '🚧'),
        ('Has Issues', '🐛'),
        ('Archived', '🗑️'),
    ],
)
def test_every_status_has_an_emoji_of_its_own(status: str, emoji: str) -> None:
    good = written(f'{emoji} {status}', f'{emoji} **{status}**')
    assert introduced(IDEATED, good, only=ONLY) == []
    bad = written(f'❌ {status}', f'❌ **{status}**')
    (finding,) = found(IDEATED, bad, only=ONLY)
    assert finding.code == 'REG006'
    assert finding.found == '❌'
    assert finding.expected == emoji.replace('\ufe0f', '')


@pytest.mark.parametrize(
    ('status', 'nearest'),
    [
        pytest.param('🚧 Stagee 2', 'Stage 2', id='typing error'),
        pytest.param('🚧 STAGE 2', 'Stage 2', id='case'),
        pytest.param('🚧 Stage 7', '', id='all stages are equally near'),
        pytest.param('🚧 Stage 2.1', 'Stage 2', id='phase of an unphased one'),
        pytest.param('✅ Working (beta)', 'Working', id='annotation'),
        pytest.param('🎵 Procesing Audio', 'Processing Audio', id='alias'),
        pytest.param('📦 Installé', 'Installed', id='not ASCII'),
        pytest.param('🚧 ¯\\\\_(ツ)_/¯', '', id='nothing is near'),
        pytest.param('', '', id='empty'),
        pytest.param('🚧', '', id='only an emoji'),
    ],
)
def test_an_unknown_status_is_refused_with_the_nearest(
    status: str, nearest: str
) -> None:
    findings = found(IDEATED, written(status, status), only=ONLY)
    assert set(codes(findings)) == {'REG005'}
    for finding in findings:
        assert finding.severity == ERROR
        assert finding.expected.startswith(nearest)
        assert bool(nearest) == ('; the nearest is `' in finding.message)


ROW = samples.row('Bravo', 'Stage 2')
ENTRY = samples.entry('Bravo', 'Stage 2')
OTHER = samples.row('Alpha', 'Ideated'), samples.entry('Alpha', 'Ideated')


def registry(rows: str, entries: str) -> dict[str, str]:
    return {'PLUGINS.md': samples.HEAD + rows + entries + samples.TAIL}


WHOLE = registry(OTHER[0] + ROW, OTHER[1] + ENTRY)


@pytest.mark.parametrize(
    ('after', 'code', 'line'),
    [
        pytest.param(
            registry(OTHER[0] + ROW, OTHER[1]), 'REG002', 8, id='row without entry'
        ),
        pytest.param(
            registry(OTHER[0], OTHER[1] + ENTRY), 'REG003', 23, id='entry without row'
        ),
        pytest.param(
            registry(OTHER[0] + ROW + ROW, OTHER[1] + ENTRY), 'REG007', 9, id='two rows'
        ),
        pytest.param(
            registry(OTHER[0] + ROW, OTHER[1] + ENTRY + ENTRY),
            'REG007',
            38,
            id='two entries',
        ),
        pytest.param(
            registry(OTHER[0] + ROW, OTHER[1] + ENTRY.replace('🚧 **Stage 2**', '')),
            'REG001',
            8,
            id='entry without status',
        ),
    ],
)
def test_one_side_missing_or_doubled_is_refused(
    after: dict[str, str], code: str, line: int
) -> None:
    findings = found(WHOLE, after, only=ONLY)
    mine = [f for f in findings if f.code == code]
    assert [(f.item, f.severity) for f in mine] == [('Bravo', ERROR)]
    assert mine[0].line == line
    assert code in codes(findings)
    assert set(codes(findings)) <= {code, 'REG005'}


def test_an_item_that_leaves_row_and_entry_together_passes() -> None:
    assert introduced(WHOLE, registry(*OTHER), only=ONLY) == []


@pytest.mark.parametrize(
    ('row', 'entry', 'expected'),
    [
        pytest.param('2026-01-02', '2026-01-02', [], id='same'),
        pytest.param('2026-01-02', '2026-01-03', ['REG004'], id='dates'),
        pytest.param('-', '2026-01-03', [], id='dash says nothing'),
        pytest.param('2026-01-02', '', [], id='nothing says nothing'),
        pytest.param('**2026-01-02**', '2026-01-02', [], id='emphasis'),
        pytest.param('2026-01-02', '2026-01-02T10:00:00Z', [], id='a time of the day'),
        pytest.param('hier', 'demain', ['REG004'], id='words'),
    ],
)
def test_dates_of_row_and_entry_are_compared(
    row: str, entry: str, expected: list[str]
) -> None:
    after = registry(
        samples.row('Bravo', 'Ideated', row), samples.entry('Bravo', 'Ideated', entry)
    )
    findings = found(IDEATED, after, only=ONLY)
    assert codes(findings) == expected
    assert {f.severity for f in findings} <= {WARNING}


@pytest.mark.parametrize(
    ('row', 'entry', 'expected'),
    [
        pytest.param('1.0.0', '1.0.0', [], id='same'),
        pytest.param('-', '1.0.0', [], id='row says nothing'),
        pytest.param('1.0.0', 'n/a', [], id='entry says nothing'),
        pytest.param('1.0.0', '1.0.1', ['REG012'], id='differ'),
    ],
)
def test_versions_of_row_and_entry_are_compared(
    row: str, entry: str, expected: list[str]
) -> None:
    after = registry(
        f'| Bravo | 💡 Ideated | {row} | 2026-01-02 |\n',
        samples.entry('Bravo', 'Ideated') + f'**Version:** {entry}\n',
    )
    findings = found(IDEATED, after, only=ONLY)
    assert codes(findings) == expected
    assert {f.severity for f in findings} <= {INFO}


@pytest.mark.parametrize(
    ('lines', 'expected'),
    [
        pytest.param('- **2026-01-01:** a\n- **2026-01-01:** b', 0, id='same'),
        pytest.param('- **2026-01-01:** a\n- 2026-02-01 b', 0, id='ordered'),
        pytest.param('- **2026-01-05 (Stage 2):** a\n* 2026-01-04: b', 1, id='back'),
        pytest.param('- 2026-01-05\n- 2026-01-04\n- 2026-01-03', 2, id='back twice'),
        pytest.param(
            '- 2026-01-05\n\n**Lifecycle Timeline:**\n- 2026-01-01',
            0,
            id='two timelines in one entry',
        ),
        pytest.param('- sans date\n- 2026-01-01 à Paris', 0, id='no date'),
        pytest.param('- 2026-02-01\n```\n- 2026-01-01\n```', 0, id='fenced'),
    ],
)
def test_dates_of_a_timeline_go_forward(lines: str, expected: int) -> None:
    entry = samples.entry('Bravo', 'Ideated')
    entry = entry.replace('- **2026-01-01:** Brief', lines)
    after = registry(samples.row('Bravo', 'Ideated'), entry)
    findings = found(IDEATED, after, only=ONLY)
    assert codes(findings) == ['REG011'] * expected
    assert {f.severity for f in findings} <= {WARNING}


def test_a_date_out_of_order_is_found_on_its_line() -> None:
    entry = samples.entry('Bravo', 'Ideated')
    entry = entry.replace('Brief', 'Brief\n- **2025-12-31:** zurück')
    after = registry(samples.row('Bravo', 'Ideated'), entry)
    (finding,) = found(IDEATED, after, only=ONLY)
    assert finding.code == 'REG011'
    assert after['PLUGINS.md'].split('\n')[finding.line - 1] == (
        '- **2025-12-31:** zurück'
    )
    assert finding.message == '2025-12-31 stands below 2026-01-01'


@pytest.mark.parametrize(
    ('status', 'stage', 'phase', 'expected'),
    [
        pytest.param('Stage 2', '2', 'null', [], id='same stage'),
        pytest.param('Stage 4', '4', '4.2', [], id='phase not registered'),
        pytest.param('Stage 4.2', '4', '4.2', [], id='same phase'),
        pytest.param('Stage 4.10', '4', '4.10', [], id='trailing zero'),
        pytest.param('Stage 4.1', '4', '4.10', ['REG015'], id='4.1 and 4.10'),
        pytest.param('Stage 4.1', '4', '4.2', ['REG015'], id='phases'),
        pytest.param('Stage 4.1', '4', 'null', ['REG015'], id='no phase'),
        pytest.param('Stage 3', '2', 'null', ['REG010'], id='handoff behind'),
        pytest.param('Stage 3', '4', '4.1', ['REG010'], id='handoff ahead'),
        pytest.param('Stage 4', '4.3', 'null', [], id='stage with phase'),
        pytest.param('Processing Audio', '3', 'null', [], id='alias'),
        pytest.param('Working', '5', 'null', [], id='last stage'),
        pytest.param('Working', '6', 'null', [], id='very last stage'),
        pytest.param('Working', '4', 'null', ['REG010'], id='before the last'),
        pytest.param('Installed', '2', 'null', [], id='done: stale instead'),
        pytest.param('Ideated', '0', 'null', ['REG010'], id='not yet there'),
        pytest.param('Ideated', '3', 'null', ['REG010'], id='far from there'),
        pytest.param('Improving', '5', 'null', [], id='was finished'),
        pytest.param('Improving', '2', 'null', ['REG010'], id='never was'),
        pytest.param('Archived', '2', 'null', [], id='given up anywhere'),
        pytest.param('Ideated', 'ideation', 'null', [], id='a word'),
    ],
)
def test_handoff_and_registry_are_at_the_same_stage(
    status: str, stage: str, phase: str, expected: list[str]
) -> None:
    after = at(status, stage, phase)
    findings = found(at(status), after, only=ONLY)
    assert codes(findings) == expected
    for finding in findings:
        if not finding.introduced:
            continue
        severity = ERROR if finding.code == 'REG010' else WARNING
        assert finding.severity == severity
        assert finding.path == samples.handoff_path('Bravo')
        assert finding.line == 3


def test_a_handoff_without_registration_is_only_mentioned() -> None:
    after = {**IDEATED, samples.handoff_path('Zoë'): samples.handoff('Zoë', '0')}
    (finding,) = found(IDEATED, after, only=ONLY)
    assert (finding.code, finding.severity) == ('REG014', INFO)
    assert finding.item == 'Zoë'
    assert finding.message == 'it has a handoff but is not in PLUGINS.md'


def test_a_directory_without_handoff_is_not_an_item() -> None:
    after = {**IDEATED, 'plugins/Zoë/README.md': 'x'}
    assert introduced(IDEATED, after, only=ONLY) == []


def test_a_template_directory_is_not_an_item() -> None:
    path = samples.handoff_path('TEMPLATE-plugin')
    after = {**IDEATED, path: samples.handoff('x')}
    assert introduced(IDEATED, after, only=ONLY) == []


TABLE = {'PLUGINS.md': samples.HEAD + samples.row('Bravo', 'Stage 2')}
NOTES = 'plugins/Bravo/NOTES.md'


@pytest.mark.parametrize(
    ('notes', 'expected'),
    [
        pytest.param('**Status:** 🚧 **Stage 2**\n', [], id='agree'),
        pytest.param('**Status:** Building System\n', [], id='alias'),
        pytest.param('# Notes\n\nrien\n', [], id='say nothing'),
        pytest.param('**Status:** Stage 3\n', ['REG013'], id='differ'),
        pytest.param(None, ['REG013'], id='too large'),
        pytest.param(b'\xff\xfe', ['REG013'], id='not UTF-8'),
    ],
)
def test_notes_are_compared_where_the_registry_is_a_table(
    notes: str | bytes | None, expected: list[str]
) -> None:
    before: Files = {**TABLE, NOTES: '**Status:** 🚧 Stage 2'}
    after: Files = {**TABLE, NOTES: notes}
    findings = found(before, after, only=ONLY)
    assert codes(findings) == expected
    assert {f.severity for f in findings} <= {INFO}
    assert {f.path for f in findings} <= {NOTES}


def test_notes_that_are_missing_are_only_mentioned() -> None:
    findings = found({**TABLE, NOTES: 'x'}, TABLE, only=ONLY)
    assert codes(findings) == ['REG013']
    assert findings[0].severity == INFO
    assert findings[0].message == 'the notes file is missing'


def test_notes_are_not_asked_for_where_the_registry_has_entries() -> None:
    before = at('Stage 2', '2')
    assert introduced(before, {**before, NOTES: '**Status:** x'}) == []


def test_a_table_alone_is_not_asked_for_entries() -> None:
    after = {
        'PLUGINS.md': samples.HEAD + samples.row('Bravo', 'Stage 3'),
        NOTES: '**Status:** Stage 3',
    }
    before = {**TABLE, NOTES: '**Status:** Stage 2'}
    assert introduced(before, after, only=ONLY) == []


def test_the_layout_of_the_workflow_wins_over_what_is_found() -> None:
    by = workflow(
        'extends: plugin-workflow\nitems: {plugin: {registry: {layout: monolithic}}}\n'
    )
    after = {'PLUGINS.md': samples.HEAD + samples.row('Bravo', 'Stage 3')}
    assert introduced({}, after, only=ONLY, by=by) == ['REG002']


def test_sections_of_a_registry_of_rows_are_prose() -> None:
    by = workflow(
        'version: 1\n'
        'extends: plugin-workflow\n'
        'items: {plugin: {registry: {layout: distributed}}}\n'
    )
    after = {
        'PLUGINS.md': samples.HEAD
        + samples.row('Bravo', 'Ideated')
        + samples.entry('Bravo', 'Stage 3')
        + samples.entry('a/b', 'Stage 3'),
        'plugins/Bravo/NOTES.md': 'x\n',
    }
    assert introduced({}, after, only=ONLY, by=by) == []


@pytest.mark.parametrize(
    ('data', 'message'),
    [
        pytest.param(
            '# Registry\n\nno table\n',
            'the registry has no table with the columns `Plugin Name` and `Status`',
            id='no table',
        ),
        pytest.param('', 'the registry has no table', id='empty'),
        pytest.param(
            samples.HEAD.replace('Version', 'Status'),
            'the registry has 2 columns `Status`',
            id='two columns',
        ),
        pytest.param(
            samples.HEAD.encode() + b'\0',
            'the registry holds a NUL byte',
            id='NUL byte',
        ),
        pytest.param(
            None, 'the registry is too large to be read (50000000 bytes)', id='huge'
        ),
        pytest.param(
            samples.HEAD.replace('Status', 'Zustand'),
            'the registry has no table',
            id='other columns',
        ),
        pytest.param(
            samples.registry({'Bravo': 'Ideated'}) + '\n<<<<<<< HEAD\n',
            'the registry has a conflict marker: `<<<<<<< HEAD`',
            id='a conflict',
        ),
        pytest.param(
            samples.HEAD
            + '| Alpha | x | - | - |\nx\n'
            + samples.row('Bravo', 'Ideated'),
            'the registry has a row in line ',
            id='a table in two pieces',
        ),
    ],
)
def test_a_registry_that_cannot_be_read_is_refused(
    data: str | bytes | None, message: str
) -> None:
    after: Files = {'PLUGINS.md': data}
    findings = found(IDEATED, after, only=ONLY)
    assert [f for f in findings if f.message.startswith(message)] != []
    assert set(codes(findings)) == {'REG008'}
    assert {f.severity for f in findings} == {ERROR}


def test_a_registry_that_is_deleted_is_refused() -> None:
    (finding,) = found(IDEATED, {}, only=ONLY)
    assert (finding.code, finding.item) == ('REG008', '*')
    assert finding.message == 'the registry is missing'
    assert finding.fix.command == 'interlock registry restore'


def test_a_registry_that_no_item_needs_may_be_missing() -> None:
    assert introduced({}, {'README.md': 'x'}, only=ONLY) == []


@pytest.mark.parametrize(
    'broken',
    [
        pytest.param(samples.row('Bravo', 'Ideated'), id='row'),
        pytest.param(samples.entry('Bravo', 'Ideated'), id='entry'),
    ],
)
def test_a_record_that_is_not_text_is_refused(broken: str) -> None:
    text = samples.registry({'Alpha': 'Ideated', 'Bravo': 'Ideated'}).encode()
    bad = broken.encode().replace(b'2026', b'\xff026')
    after = text.replace(broken.encode(), bad)
    assert after != text
    (finding,) = found({'PLUGINS.md': text}, {'PLUGINS.md': after}, only=ONLY)
    assert (finding.code, finding.item) == ('REG008', 'Bravo')
    assert finding.message == 'the record is not UTF-8 text'


@pytest.mark.parametrize(
    'name',
    [
        pytest.param('../../x', id='upwards'),
        pytest.param('/etc/passwd', id='absolute'),
        pytest.param('a/b', id='slash'),
        pytest.param('a\\b', id='backslash'),
        pytest.param('.git', id='leading dot'),
        pytest.param('-rf', id='leading dash'),
        pytest.param('a..b', id='two dots'),
        pytest.param('x' * 101, id='too long'),
        pytest.param('$(reboot)', id='shell'),
        pytest.param('a\x07b', id='control character'),
        pytest.param('a\u202eb', id='direction'),
    ],
)
def test_a_row_with_an_invalid_name_is_refused(name: str) -> None:
    after = registry(
        samples.row('Bravo', 'Ideated') + samples.row(name, 'Ideated'),
        samples.entry('Bravo', 'Ideated'),
    )
    (finding,) = found(IDEATED, after, only=ONLY)
    assert (finding.code, finding.severity) == ('REG009', ERROR)
    assert f'cannot be the name of an item: {why_no_name(name)}' in finding.message
    assert finding.message.isprintable()


def test_a_directory_with_a_newline_in_its_name_is_refused() -> None:
    path = samples.handoff_path('Bra\nvo')
    (finding,) = found(IDEATED, {**IDEATED, path: samples.handoff('Bravo')})
    assert finding.code == 'REG009'
    assert finding.item == 'Bra\\nvo'


@pytest.mark.parametrize(
    'name', ['Bravo', 'Zoë 2', "D'Arco", 'R&B', 'C++', 'x_y-z.1', '音']
)
def test_a_usual_name_is_a_name(name: str) -> None:
    after = {'PLUGINS.md': samples.registry({name: 'Ideated'})}
    assert introduced({}, after) == []


def _columns(text: str) -> str:
    """Five columns, in another order."""
    lines = []
    for line in text.split('\n'):
        cells = [cell.strip() for cell in line.strip('|').split('|')]
        if len(cells) == 4:
            name, status, version, day = cells
            extra = 'Type' if name == 'Plugin Name' else 'a \\| b'
            if '---' in name:
                extra = '---'
            line = f'| {day} | {name} | {extra} | {status} | {version} |'
        lines.append(line)
    return '\n'.join(lines)


@pytest.mark.parametrize(
    'edit',
    [
        pytest.param(_columns, id='five columns in another order'),
        pytest.param(lambda text: text.replace('\n', '\r\n'), id='CRLF'),
        pytest.param(
            lambda text: text.replace('| Bravo', '| [**Bravo**](plugins/Bravo)'),
            id='links in the table',
        ),
        pytest.param(
            lambda text: text + '\n<!--\n### Bravo\n\n**Status:** x\n-->\n',
            id='an entry in a comment',
        ),
        pytest.param(
            lambda text: text + '\n~~~\n### Bravo\n\n**Status:** x\n~~~\n',
            id='an entry in fenced code',
        ),
        pytest.param(lambda text: text.replace('\n|', '\n  |'), id='indented table'),
    ],
)
def test_forms_of_real_registries_are_understood(edit: Callable[[str], str]) -> None:
    good = samples.registry({'Alpha': 'Ideated', 'Bravo': 'Stage 0'})
    assert introduced({}, {'PLUGINS.md': edit(good)}, only=ONLY) == []
    bad = samples.registry(
        {'Alpha': 'Ideated', 'Bravo': 'Stage 0'}, {'Bravo': 'Stage 1'}
    )
    after = {'PLUGINS.md': edit(bad)}
    assert introduced({}, after, only=ONLY) == ['REG001']


def test_other_headings_of_the_same_level_are_no_entries() -> None:
    text = samples.registry({'Bravo': 'Ideated'})
    after = {'PLUGINS.md': f'{text}\n### How to read this\n\nSlowly.\n'}
    assert introduced({'PLUGINS.md': text}, after, only=ONLY) == []


def test_a_row_behind_its_entry_is_refused_by_git_objects(
    project: Repo, interlock: Interlock
) -> None:
    statuses = {'Alpha': 'Ideated', 'Bravo': 'Stage 2', 'Charlie': 'Installed'}
    project.stage({'PLUGINS.md': samples.registry(statuses, {'Alpha': 'Stage 0'})})
    assert interlock.check('--only', 'registry').codes == ['REG001']


def test_what_stands_behind_a_hidden_heading_belongs_to_its_entry() -> None:
    fence = '```\n### Détail\n```\n'
    day = '**Last Updated:** '
    text = samples.registry({'Bravo': 'Ideated'})
    before = {'PLUGINS.md': text.replace(day, f'{fence}{day}')}
    after = {
        'PLUGINS.md': before['PLUGINS.md'].replace(
            f'{day}2026-01-02', f'{day}2026-01-03'
        )
    }
    assert introduced(before, after, only=ONLY) == ['REG004']


def test_a_row_that_is_brought_in_line_with_its_entry_passes(
    project: Repo, interlock: Interlock
) -> None:
    statuses = {'Alpha': 'Ideated', 'Bravo': 'Stage 2', 'Charlie': 'Installed'}
    drifted = samples.registry(statuses, {'Bravo': 'Stage 1'})
    project.commit({'PLUGINS.md': drifted})
    project.stage({'PLUGINS.md': samples.registry(statuses)})
    result = interlock.check()
    assert (result.codes, result.code) == ([], 0)


def test_old_findings_of_an_item_that_is_not_touched_are_not_listed() -> None:
    drifted = samples.registry(
        {'Alpha': 'Ideated', 'Bravo': 'Working'}, {'Alpha': 'Stage 0'}
    )
    before = {'PLUGINS.md': drifted}
    after = {'PLUGINS.md': drifted.replace('## Entry', '## The entry')}
    assert found(before, after) == []
    everything = found(before, after, everything=True)
    assert inherited(everything) == ['REG001']
    assert codes(everything) == []


def test_entries_that_are_all_removed_are_missed() -> None:
    before = {'PLUGINS.md': samples.registry({'Alpha': 'Ideated', 'Bravo': 'Stage 2'})}
    rows = samples.row('Alpha', 'Ideated') + samples.row('Bravo', 'Stage 2')
    after = {'PLUGINS.md': samples.HEAD + rows}
    assert introduced(before, after, only=ONLY) == ['REG002', 'REG002']
    # from the next commit on it is a table alone
    again = {'PLUGINS.md': samples.HEAD + samples.row('Alpha', 'Stage 0')}
    assert 'REG002' not in introduced(after, again, only=ONLY)


def test_an_entry_gives_one_status_only() -> None:
    before = {'PLUGINS.md': samples.registry({'Bravo': 'Stage 2'})}
    text = before['PLUGINS.md'].replace(
        '**Type:**', '**Status:** ✅ **Working**\n**Type:**'
    )
    after = {'PLUGINS.md': text}
    (finding,) = found(before, after, only=ONLY)
    assert (finding.code, finding.severity) == ('REG007', ERROR)
    assert finding.message == (
        'its entry gives a status twice; the second is `✅ **Working**`'
    )
    assert 'Working' in text.split('\n')[finding.line - 1]
    assert finding.fix.step.endswith(f'by hand: PLUGINS.md:{finding.line}')
    fenced = before['PLUGINS.md'].replace(
        '**Type:**', '```\n**Status:** x\n```\n**Type:**'
    )
    assert introduced(before, {'PLUGINS.md': fenced}, only=ONLY) == []


def test_a_name_that_is_none_is_found_on_its_line_and_only_once() -> None:
    before = {'PLUGINS.md': samples.registry({'Bravo': 'Ideated'})}
    after = {
        'PLUGINS.md': samples.registry({'Bravo': 'Ideated', '../Alpha': 'Ideated'})
    }
    (finding,) = (f for f in found(before, after, only=ONLY) if f.code == 'REG009')
    line = after['PLUGINS.md'].split('\n')[finding.line - 1]
    assert line.startswith('| ../Alpha |')
    more = {
        'PLUGINS.md': after['PLUGINS.md'].replace(
            '| ../Alpha | 💡 Ideated | -', '| ../Alpha | 💡 Ideated | 1.0'
        )
    }
    assert inherited(found(after, more, only=ONLY)) == ['REG009']


@pytest.mark.parametrize(
    ('path', 'expected'),
    [
        pytest.param('plugins/.shared/x.h', [], id='a hidden folder'),
        pytest.param('plugins/JUCE (old)/x', [], id='brackets'),
        pytest.param('plugins/TEMPLATE-[x]/.continue-here.md', [], id='ours'),
        pytest.param('plugins/JUCE: old/.continue-here.md', ['REG009'], id='handoff'),
        pytest.param(
            'plugins/.shared/.ideas/.continue-here.md',
            ['REG009'],
            id='at the older place',
        ),
    ],
)
def test_only_a_folder_with_a_handoff_has_the_name_of_an_item(
    path: str, expected: list[str]
) -> None:
    assert introduced(IDEATED, {**IDEATED, path: 'é'}, only=ONLY) == expected
    # and it may be deleted
    assert introduced({**IDEATED, path: 'é'}, IDEATED, only=ONLY) == []


def test_a_registry_that_cannot_be_read_is_fixed_at_its_line() -> None:
    after: Files = {'PLUGINS.md': samples.HEAD.encode() + b'\0'}
    (finding,) = found(IDEATED, after, only=ONLY)
    line = samples.HEAD.count('\n') + 1
    assert (finding.code, finding.line) == ('REG008', line)
    assert finding.fix.step.endswith(f'by hand: PLUGINS.md:{line}')


BROKEN = samples.HEAD.replace('Version', 'Status')
HANDOFF = samples.handoff_path('Bravo')


def _broken(status: str, stage: str = '2', more: str = '') -> Files:
    return {
        'PLUGINS.md': BROKEN + samples.row('Bravo', status) + more,
        HANDOFF: samples.handoff('Bravo', stage),
    }


@pytest.mark.parametrize(
    ('before', 'after', 'severity'),
    [
        pytest.param(_broken('Stage 2'), _broken('Stage 3'), ERROR, id='a row moves'),
        pytest.param(
            _broken('Stage 2'),
            _broken('Stage 2', more='| Zoë | Ideated |\n'),
            ERROR,
            id='an item comes',
        ),
        pytest.param(
            _broken('Stage 2'), _broken('Stage 2', '3'), ERROR, id='a handoff moves'
        ),
        pytest.param(
            _broken('Stage 2'),
            _broken('Stage 2', more='\nA note.\n'),
            WARNING,
            id='a note',
        ),
        pytest.param(
            _broken('Stage 2'),
            {**_broken('Stage 2'), 'plugins/Bravo/Source/x.cpp': 'x'},
            WARNING,
            id='work on an item',
        ),
        pytest.param(
            {HANDOFF: samples.handoff('Bravo', '2')},
            {HANDOFF: samples.handoff('Bravo', '3')},
            WARNING,
            id='no registry yet',
        ),
        pytest.param(
            {'x': 'x'},
            {'x': 'x', 'plugins/Bravo/x': 'x'},
            '',
            id='no record of any item yet',
        ),
        pytest.param(
            _broken('Stage 2'),
            {**_broken('Stage 2'), 'README.md': 'x'},
            '',
            id='something else',
        ),
    ],
)
def test_a_registry_that_could_not_be_read_is_said_again(
    before: Files, after: Files, severity: str
) -> None:
    findings = [f for f in found(before, after, 'x', only=ONLY) if f.introduced]
    assert [(f.code, f.severity) for f in findings] == (
        [('REG008', severity)] if severity else []
    )


@pytest.mark.parametrize(
    ('row', 'notes', 'expected'),
    [
        ('Installed', '📦 **Installed** — v1.3.0, in both folders', []),
        ('Installed', '📦 Installed (v1.3.0)', []),
        ('Stage 3', '🚧 Stage 3 - engine', []),
        ('Stage 3', '🚧 Stage 3.1', ['REG013']),
        ('Stage 3', '🚧 Stage 30', ['REG013']),
        ('Installed', '✅ Working, to be Installed', ['REG013']),
    ],
)
def test_notes_may_say_more_than_the_status(
    row: str, notes: str, expected: list[str]
) -> None:
    after = {
        'PLUGINS.md': samples.HEAD + samples.row('Bravo', row),
        'plugins/Bravo/NOTES.md': f'**Status:** {notes}\n',
    }
    assert introduced({}, after, only=ONLY) == expected


def test_the_nearest_of_a_phase_that_is_none_is_its_stage() -> None:
    after = {'PLUGINS.md': samples.HEAD + samples.row('Bravo', 'Stage 2.3')}
    (finding,) = [f for f in found({}, after, only=ONLY) if f.code == 'REG005']
    assert finding.expected == 'Stage 2'
