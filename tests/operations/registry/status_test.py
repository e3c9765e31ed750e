from __future__ import annotations

from pathlib import Path

import pytest

from interlock.model.errors import Denied, Refusal
from interlock.operations.advance import set_status as set_status_of
from interlock.operations.outcome import Outcome
from interlock.operations.registry import add as registry_add
from interlock.operations.registry import change
from interlock.operations.registry import status as operations
from tests import samples
from tests.checks import bakery
from tests.operations.places import DAY, REGISTRY, Place, changed


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path, samples.UNTRIED)
    made.write(
        {
            REGISTRY: samples.registry(
                {
                    'Idée': 'Ideated',
                    'Deux': 'Stage 2',
                    'Trois': 'Stage 3.1',
                    'Quatre': 'Stage 4',
                    'Cinq': 'Stage 5',
                    'Fini': 'Working',
                    'Mis': 'Installed',
                    'Faux': 'Wroking',
                }
            ),
            **samples.item_files('Zéro'),
        }
    )
    return made


def set_status(place: Place, item: str, status: str, text: str = '') -> Outcome:
    at = place.at(item)
    wanted = operations.parse_status(status, at)
    outcome = set_status_of(at, wanted, place.snapshot, DAY, text)
    place.done(outcome)
    return outcome


@pytest.mark.parametrize(
    ('item', 'status', 'row', 'entry', 'line'),
    (
        pytest.param(
            'Deux',
            'Stage 3',
            '🚧 Stage 3',
            '🚧 **Stage 3**',
            '- **2026-03-04 (Stage 3):** Audio engine complete',
            id='stage',
        ),
        pytest.param(
            'Deux',
            'Stage 3.1',
            '🚧 Stage 3.1',
            '🚧 **Stage 3.1**',
            '- **2026-03-04 (Stage 3.1):** Phase 3.1 complete',
            id='phase',
        ),
        pytest.param(
            'Trois',
            '🚧 **Stage 3.2**',
            '🚧 Stage 3.2',
            '🚧 **Stage 3.2**',
            '- **2026-03-04 (Stage 3.2):** Phase 3.2 complete',
            id='styled',
        ),
        pytest.param(
            'Deux',
            'Processing Audio',
            '🎵 Processing Audio',
            '🎵 **Processing Audio**',
            '- **2026-03-04:** Stage 3 started',
            id='an alias for its start',
        ),
        pytest.param(
            'Deux',
            'Processing Audio.1',
            '🎵 Processing Audio.1',
            '🎵 **Processing Audio.1**',
            '- **2026-03-04 (Stage 3.1):** Phase 3.1 complete',
            id='alias with a phase',
        ),
        pytest.param(
            'Quatre',
            'Validating',
            '✅ Validating',
            '✅ **Validating**',
            '- **2026-03-04:** Stage 5 started',
            id='an emoji of its own',
        ),
        pytest.param(
            'Cinq',
            'Working',
            '✅ Working',
            '✅ **Working**',
            '- **2026-03-04:** Validation complete - ready for installation',
            id='done',
        ),
        pytest.param(
            'Cinq',
            'Ready to Install',
            '✅ Ready to Install',
            '✅ **Ready to Install**',
            '- **2026-03-04:** Validation complete - ready for installation',
            id='alias of done',
        ),
        pytest.param(
            'Fini',
            'Working 🐛 Has Issues',
            '✅ Working 🐛 Has Issues',
            '✅ **Working 🐛 Has Issues**',
            '- **2026-03-04:** Validation complete - ready for installation',
            id='a status beside',
        ),
        pytest.param(
            'Idée',
            'Ideated (avec maquette)',
            '💡 Ideated (avec maquette)',
            '💡 **Ideated (avec maquette)**',
            '- **2026-03-04:** Ideated reached',
            id='annotation',
        ),
        pytest.param(
            'Mis',
            'Archived',
            '🗑️ Archived  ',
            '🗑️ **Archived**',
            '- **2026-03-04:** Archived reached',
            id='selector',
        ),
    ),
)
def test_row_entry_dates_and_timeline_change_and_nothing_else(
    place: Place, item: str, status: str, row: str, entry: str, line: str
) -> None:
    old = place.text()
    outcome = set_status(place, item, status)
    assert list(outcome.files) == [REGISTRY]
    lines = changed(old, place.text())
    new = [each[2:] for each in lines if each.startswith('+')]
    assert sorted(new) == sorted(
        [
            f'| {item} | {row} | - | {DAY} |\n',
            f'**Status:** {entry}\n',
            f'{line}\n',
            f'**Last Updated:** {DAY}\n',
        ]
    )
    assert len(lines) - len(new) == 3


@pytest.mark.parametrize(
    ('item', 'status', 'sentence'),
    (
        pytest.param(
            'Deux',
            'Stage 4',
            'Deux may not go from Stage 2 to Stage 4: after Stage 2 comes Stage 3',
            id='skip',
        ),
        pytest.param(
            'Fini', 'Stage 2', 'a finished item is changed as Improving', id='finished'
        ),
        pytest.param(
            'Idée',
            'Stage 1',
            'plugins/Idée/.ideas/creative-brief.md is missing',
            id='a gate that is not open',
        ),
        pytest.param('Nul', 'Ideated', 'Nul is not registered', id='absent'),
    ),
)
def test_an_illegal_step_is_denied(
    place: Place, item: str, status: str, sentence: str
) -> None:
    with pytest.raises(Denied) as e:
        set_status(place, item, status)
    assert sentence in e.value.message


def test_an_unusual_step_is_warned_of(place: Place) -> None:
    outcome = set_status(place, 'Cinq', 'Installed')
    assert outcome.warnings == ('an item is Working before it is Installed',)
    assert outcome.said == ('Cinq: Stage 5 -> Installed',)


def test_an_unknown_status_does_not_make_a_new_item(place: Place) -> None:
    with pytest.raises(Refusal) as e:
        set_status(place, 'Faux', 'Ideated')
    assert e.value.message == ('PLUGINS.md: the status of Faux is not understood')


def test_installed_takes_the_handoff_along(place: Place) -> None:
    path = samples.handoff_path('Fini')
    place.write({path: samples.handoff('Fini', '5')})
    outcome = set_status(place, 'Fini', 'Installed')
    assert list(outcome.files) == [REGISTRY, path]
    assert outcome.files[path] is None
    assert outcome.said == ('Fini: Working -> Installed', f'{path}: deleted')
    assert (
        f'- **{DAY}:** Installed to system folders; handoff deleted\n'
    ) in place.text()


def test_an_older_handoff_is_left_alone(place: Place) -> None:
    path = 'plugins/Fini/.ideas/.continue-here.md'
    place.write({path: samples.handoff('Fini', '5')})
    assert list(set_status(place, 'Fini', 'Installed').files) == [REGISTRY]
    assert 'handoff deleted' not in place.text()


def test_milestone_words_where_the_workflow_shows_them(place: Place) -> None:
    place.write({'.interlock.yaml': f'{samples.UNTRIED}display: milestones\n'})
    outcome = set_status(place, 'Deux', 'Stage 3')
    assert outcome.said == ('Deux: Building System -> Processing Audio',)
    with pytest.raises(Denied, match='from Validating to Building System'):
        set_status(place, 'Cinq', 'Stage 2')


HEADER = '| Plugin Name | Status     | Version | Last Updated |\n'
DASHES = '|-------------|------------|---------|--------------|\n'


@pytest.mark.parametrize(
    ('old', 'new'),
    (
        pytest.param(
            '| Écho        | 💡 Ideated | -       | 2026-01-02   |\n',
            '| Écho        | 🚧 Stage 0 | -       | 2026-03-04   |\n',
            id='padded columns',
        ),
        pytest.param(
            '| **Écho** | **💡 Ideated** | - | 2026-01-02 |\n',
            '| **Écho** | **🚧 Stage 0** | - | 2026-03-04 |\n',
            id='bold with its emoji',
        ),
        pytest.param(
            '| [Écho](x) | 💡 **Ideated** | a\\|b | 2026-01-02 |\r\n',
            '| [Écho](x) | 🚧 **Stage 0** | a\\|b | 2026-03-04 |\r\n',
            id='bold, link, escaped pipe, CRLF',
        ),
        pytest.param(
            '| Écho | 💡 Ideated | - | 2026-01-02 |',
            '| Écho | 🚧 Stage 0 | - | 2026-03-04 |',
            id='no last newline',
        ),
        pytest.param(
            '|Écho|Ideated|-|2026-01-02|\n',
            '|Écho| 🚧 Stage 0|-| 2026-03-04|\n',
            id='no padding',
        ),
    ),
)
def test_a_registry_without_entries_has_its_row_changed(
    place: Place, old: str, new: str
) -> None:
    head = HEADER + DASHES
    if '\r\n' in old:
        head = head.replace('\n', '\r\n')
    place.write({REGISTRY: head + old})
    set_status(place, 'Écho', 'Stage 0')
    assert place.text() == head + new


def test_line_ends_and_the_end_of_the_file_are_kept(place: Place) -> None:
    text = (
        samples.HEAD
        + samples.row('Écho', 'Ideated')
        + samples.entry('Écho', 'Ideated').replace(
            '\n**Last Updated:** 2026-01-02\n', ''
        )
    )
    old = text.rstrip('\n').replace('\n', '\r\n')
    place.write({REGISTRY: old})
    set_status(place, 'Écho', 'Stage 0')
    new = place.text()
    assert new.endswith(f'\r\n- **{DAY} (Stage 0):** Research & Planning complete')
    assert new.count('\n') == new.count('\r\n') == old.count('\n') + 1


@pytest.mark.parametrize(
    ('registry', 'sentence'),
    (
        pytest.param(
            samples.registry({'Écho': 'Ideated'}) + samples.entry('Écho', 'Stage 2'),
            'Écho is registered twice in PLUGINS.md',
            id='two entries',
        ),
        pytest.param(
            samples.registry({'Écho': 'Ideated'}).replace(
                samples.row('Écho', 'Ideated'), samples.row('Écho', 'Ideated') * 2
            ),
            'Écho is registered twice in PLUGINS.md',
            id='two rows',
        ),
        pytest.param(
            samples.registry({'Écho': 'Ideated'}).replace(
                '**Lifecycle Timeline:**', '**Verlauf:**'
            ),
            'PLUGINS.md: the record of Écho has no timeline',
            id='no timeline',
        ),
        pytest.param(
            samples.registry({'Écho': 'Ideated'}).replace(
                '| 💡 Ideated | - | 2026-01-02 |', '|'
            ),
            'PLUGINS.md: the record of Écho has no cell for the status',
            id='a short row',
        ),
        pytest.param(
            samples.registry({'Écho': 'Ideated'}).replace(
                '💡 **Ideated**', '💡 <!-- noch --> **Ideated**'
            ),
            'has a comment in the middle of',
            id='a comment inside',
        ),
    ),
)
def test_a_registry_that_cannot_be_edited_is_refused(
    place: Place, registry: str, sentence: str
) -> None:
    place.write({REGISTRY: registry})
    with pytest.raises(Refusal) as e:
        set_status(place, 'Écho', 'Stage 0')
    assert sentence in e.value.message


@pytest.mark.parametrize('place_of', ('row', 'entry'))
def test_an_unreadable_record_is_named_and_not_missing(
    place: Place, place_of: str
) -> None:
    data = samples.registry({'Écho': 'Ideated'}).encode()
    old, new = (
        (b'| - | 2026', b'| \xff | 2026')
        if place_of == 'row'
        else (b'tr\xc3\xa8s', b'tr\xe8s')
    )
    place.write({REGISTRY: data.replace(old, new)})
    at = place.at('Écho')
    for ask in (
        lambda: operations.show(at),
        lambda: change.sync(at),
        lambda: change.add_timeline(at, DAY, '', 'x'),
        lambda: set_status(place, 'Écho', 'Stage 0'),
    ):
        with pytest.raises(Refusal) as e:
            ask()
        assert 'the record of Écho is not UTF-8 text' in e.value.message
        assert not isinstance(e.value, Denied)


@pytest.mark.parametrize(
    ('status', 'expected'),
    (
        pytest.param(
            '🚧 **Stage 4**',
            {'emoji': '🚧', 'stage': '4', 'text': '🚧 Stage 4'},
            id='stage',
        ),
        pytest.param(
            '🚧 Stage 4.10',
            {'emoji': '🚧', 'stage': '4.10', 'text': '🚧 Stage 4.10'},
            id='phase',
        ),
        pytest.param(
            '✅ __Working__', {'emoji': '✅', 'text': '✅ Working'}, id='done'
        ),
        pytest.param(
            '🔨  Building System',
            {'emoji': '🔨', 'text': '🔨 Building System'},
            id='milestone',
        ),
        pytest.param(
            '✅ Validating',
            {'emoji': '✅', 'text': '✅ Validating'},
            id='milestone of a stage',
        ),
        pytest.param(
            '🚧 Improving',
            {'emoji': '🚧', 'text': '🚧 Improving'},
            id='construction without a stage',
        ),
        pytest.param('Stage 4', {'emoji': '', 'text': 'Stage 4'}, id='no emoji'),
        pytest.param(
            'Working ✅', {'emoji': '', 'text': 'Working ✅'}, id='an emoji behind'
        ),
        pytest.param('', {'emoji': '', 'text': ''}, id='nothing'),
        pytest.param('🗑️ Archived', {'emoji': '🗑️', 'text': '🗑️ Archived'}, id='selector'),
    ),
)
def test_a_status_as_programs_want_it(
    place: Place, status: str, expected: dict[str, str]
) -> None:
    text = samples.registry({'Écho': 'Ideated'}).replace('💡 **Ideated**', status)
    place.write({REGISTRY: text})
    assert operations.show(place.at('Écho')) == expected


@pytest.mark.parametrize(
    ('row', 'expected'),
    (
        pytest.param(
            '| Écho | 💡 Ideated | - | 2026-01-02 |\n',
            '| Écho | 🚧 Stage 2 | - | 2026-01-02 |\n',
            id='status',
        ),
        pytest.param(
            '| Écho | 🚧 **Stage 1** | - | 2025-01-01 |\n',
            '| Écho | 🚧 **Stage 2** | - | 2026-01-02 |\n',
            id='bold, and the date',
        ),
        pytest.param(
            '| Écho | 💡 Stage 2 | - | 2026-01-02 |\n',
            '| Écho | 🚧 Stage 2 | - | 2026-01-02 |\n',
            id='emoji',
        ),
    ),
)
def test_a_row_is_brought_in_line_with_its_entry(
    place: Place, row: str, expected: str
) -> None:
    text = samples.registry({'Écho': 'Stage 2', 'B': 'Working'})
    whole = samples.row('Écho', 'Stage 2')
    place.write({REGISTRY: text.replace(whole, row)})
    outcome = change.sync(place.at('Écho'))
    place.done(outcome)
    assert outcome.said == ('Écho: row brought in line',)
    assert place.text() == text.replace(whole, expected)
    assert change.sync(place.at('Écho')) == Outcome({}, ('Écho: row and entry agree',))


def test_all_rows_are_brought_in_line_at_once(place: Place) -> None:
    right = {f'Écho {n}': f'Stage {n}' for n in range(7)}
    wrong = {'Écho 1': 'Ideated', 'Écho 5': 'Stage 4'}
    place.write({REGISTRY: samples.registry(right, wrong)})
    outcome = change.sync_all(place.snapshot, place.kind)
    place.done(outcome)
    assert outcome.said == ('PLUGINS.md: 2 of its rows brought in line',)
    assert place.text() == samples.registry(right)
    assert change.sync_all(place.snapshot, place.kind) == Outcome(
        {}, ('PLUGINS.md: rows and entries agree',)
    )


def test_what_stands_twice_is_not_brought_in_line(place: Place) -> None:
    text = samples.registry({'Écho': 'Stage 2'}, {'Écho': 'Stage 1'})
    place.write({REGISTRY: text + samples.entry('Écho', 'Stage 3')})
    assert change.sync_all(place.snapshot, place.kind).files == {}
    with pytest.raises(Refusal, match='registered twice'):
        change.sync(place.at('Écho'))


def test_a_row_alone_has_nothing_to_agree_with(place: Place) -> None:
    place.write({REGISTRY: samples.HEAD + samples.row('Écho', 'Ideated')})
    outcome = change.sync(place.at('Écho'))
    assert outcome.said == ('Écho: the registry keeps no entries',)
    assert not outcome.files
    with pytest.raises(Denied, match='no entry with a timeline'):
        change.add_timeline(place.at('Écho'), DAY, '', 'x')


@pytest.mark.parametrize(
    'text',
    (
        pytest.param('a\n### Böse\n', id='newline'),
        pytest.param('a\rb', id='carriage return'),
        pytest.param('a\u2028b', id='u2028'),
        pytest.param('a\0b', id='NUL'),
        pytest.param('a\udcff', id='no text'),
        pytest.param('', id='empty'),
        pytest.param('  ', id='blank'),
    ),
)
def test_a_timeline_takes_only_one_line(place: Place, text: str) -> None:
    with pytest.raises(Refusal):
        change.add_timeline(place.at('Deux'), DAY, '', text)
    if text.strip():
        with pytest.raises(Refusal):
            change.add_timeline(place.at('Deux'), DAY, text, 'x')
        with pytest.raises(Refusal):
            set_status(place, 'Deux', 'Stage 3', text)


ADDED = """\

### Écho

**Status:** 💡 Ideated
**Type:** Synth
**Created:** 2026-03-04

{description}

**Lifecycle Timeline:**
- **2026-03-04:** {begins}

**Last Updated:** 2026-03-04
"""


def add(place: Place, item: str = 'Écho', type_: str = 'Synth') -> Outcome:
    outcome = registry_add.add(place.snapshot, place.kind, item, type_, DAY)
    place.done(outcome)
    return outcome


@pytest.mark.parametrize(
    ('brief', 'description'),
    (
        pytest.param(None, 'No description yet.', id='no brief'),
        pytest.param(
            '# Écho\n\nEin *warmes*\nEcho.\n\nMehr.\n',
            'Ein *warmes* Echo.',
            id='first paragraph',
        ),
        pytest.param(
            '# Écho\r\n\r\nEin Echo.\r\n\r\nMehr.\r\n', 'Ein Echo.', id='CRLF'
        ),
        pytest.param('# Écho\nEin Echo.\n', 'Ein Echo.', id='no blank line'),
        pytest.param(
            '# É\n\n**Type:** x\n**Status:** 🚧 Stage 5\n\n## Vision\n\nWarm.',
            'Warm.',
            id='fields are no text',
        ),
        pytest.param('---\na: 1\n\nb: 2\n---\n\nWarm.\n', 'Warm.', id='frontmatter'),
        pytest.param(
            '<!-- a\n\nb -->\n\n~~~\ncode\n~~~\n\nWarm.\n',
            'Warm.',
            id='comment and fence',
        ),
        pytest.param('---\na: [\n---\n\nWarm.\n', 'Warm.', id='broken'),
        pytest.param('', 'No description yet.', id='empty'),
        pytest.param(b'\xff\0\n', '\ufffd', id='no text'),
    ),
)
def test_a_new_item_gets_entry_and_row(
    place: Place, brief: str | bytes | None, description: str
) -> None:
    if brief is not None:
        place.write({'plugins/Écho/.ideas/creative-brief.md': brief})
    statuses = {'B': 'Working', 'C': 'Stage 2'}
    place.write({REGISTRY: samples.registry(statuses)})
    outcome = add(place)
    assert outcome.said == ('Écho: registered as Ideated',)
    row = samples.row('C', 'Stage 2')
    entry = samples.entry('C', 'Stage 2')
    assert place.text() == samples.registry(statuses).replace(
        row, row + samples.row('Écho', 'Ideated', DAY)
    ).replace(
        entry,
        entry
        + ADDED.format(
            description=description,
            begins='Registered' if brief is None else ('Creative brief created'),
        ),
    )


def test_the_first_item_of_a_registry_gets_an_entry_too(place: Place) -> None:
    place.write({REGISTRY: samples.HEAD})
    add(place)
    row = '| Écho        | 💡 Ideated | -       | 2026-03-04   |\n'
    assert place.text() == samples.HEAD + row + ADDED.format(
        description='No description yet.', begins='Registered'
    )


def test_a_registry_without_entries_gets_a_row_only(place: Place) -> None:
    text = samples.HEAD + samples.row('B', 'Working')
    place.write({REGISTRY: text})
    add(place)
    assert place.text() == text + samples.row('Écho', 'Ideated', DAY)


@pytest.mark.parametrize(
    ('item', 'type_', 'sentence', 'denied'),
    (
        pytest.param('Deux', 'Synth', 'Deux is already registered', True, id='exists'),
        pytest.param(
            'Neu',
            'Synt',
            '`Synt` is not one of Audio Effect, MIDI Instrument, '
            'Synth; did you mean `Synth`?',
            False,
            id='type',
        ),
        pytest.param('../x', 'Synth', "'../x' cannot be the name", False, id='path'),
        pytest.param('a\nb', 'Synth', 'cannot be the name', False, id='newline'),
        pytest.param('TEMPLATE-x', 'Synth', 'cannot be the name', False, id='ignored'),
    ),
)
def test_what_cannot_be_added_is_refused(
    place: Place, item: str, type_: str, sentence: str, denied: bool
) -> None:
    with pytest.raises(Refusal) as e:
        add(place, item, type_)
    assert sentence in e.value.message
    assert isinstance(e.value, Denied) == denied


@pytest.mark.parametrize(
    ('registry', 'sentence'),
    (
        pytest.param(
            samples.registry({'B': 'Working'}).rpartition('```\n')[0]
            + '\n<!-- offen\n',
            None,
            id='a fence behind the entries',
        ),
        pytest.param(
            samples.registry({'B': 'Working'}).split('\n## Entry')[0]
            + '\n<!-- offen\n',
            'could not be read back',
            id='a comment never closed',
        ),
        pytest.param('# leer\n', 'the registry has no table', id='no table'),
        pytest.param(b'\0', 'holds a NUL byte', id='NUL'),
        pytest.param(
            samples.HEAD.replace('Version', 'Status'), 'has 2 columns', id='two columns'
        ),
    ),
)
def test_an_entry_that_would_not_be_read_is_not_added(
    place: Place, registry: str | bytes, sentence: str | None
) -> None:
    place.write({REGISTRY: registry})
    if sentence is None:
        add(place)
        assert place.at('Écho').entry is not None
        return
    with pytest.raises(Refusal) as e:
        add(place)
    assert sentence in e.value.message


def test_the_first_item_begins_the_registry(place: Place) -> None:
    place.write({REGISTRY: None})
    assert add(place).said == ('PLUGINS.md: created', 'Écho: registered as Ideated')
    assert place.text() == (
        '| Plugin Name | Status | Version | Type | Last Updated |\n'
        '|-------------|--------|---------|------|--------------|\n'
        '| Écho        | 💡 Ideated | -       | Synth | 2026-03-04   |\n'
    ) + ADDED.format(description='No description yet.', begins='Registered')
    # and the second finds it
    assert add(place, 'Zwei').said == ('Zwei: registered as Ideated',)


def test_without_a_registry_no_status_is_set(place: Place) -> None:
    place.write({REGISTRY: None})
    with pytest.raises(Refusal) as e:
        operations.require_readable(place.at('Écho'))
    assert (e.value.message, e.value.hint) == (
        'PLUGINS.md does not exist',
        "interlock registry add Écho --type 'Audio Effect'",
    )


@pytest.mark.parametrize('form', ('fields', 'frontmatter'))
def test_entries_in_files_of_their_own(tmp_path: Path, form: str) -> None:
    place = Place(tmp_path, bakery.WORKFLOW.replace('FORMAT', form))
    place.write(bakery.bread(form, 'Teig'))
    outcome = set_status(place, 'Roggenbrot', 'Ofen.1')
    assert set(outcome.files) == {bakery.REGISTRY, bakery.CARD}
    assert place.text(bakery.REGISTRY) == bakery.registry('🔥 Ofen.1', DAY)
    assert place.text(bakery.CARD) == bakery.card('🔥 Ofen.1', form, DAY) + (
        f'- **{DAY} (Ofen.1):** Ofen.1 reached\n'
    )


@pytest.mark.parametrize('form', ('fields', 'frontmatter'))
def test_a_card_without_a_timeline_is_named(tmp_path: Path, form: str) -> None:
    place = Place(tmp_path, bakery.WORKFLOW.replace('FORMAT', form))
    place.write(bakery.bread(form, 'Teig'))
    place.write(
        {bakery.CARD: bakery.card('Teig', form).replace('**Verlauf:**', '**Anderes:**')}
    )
    with pytest.raises(Refusal) as e:
        set_status(place, 'Roggenbrot', 'Ofen')
    assert e.value.message == (
        f'{bakery.CARD}: the record of Roggenbrot has no timeline'
    )


def test_a_new_card_is_made_from_the_template(tmp_path: Path) -> None:
    place = Place(
        tmp_path,
        bakery.FIELDS.replace(
            '        timelines: [Verlauf]\n',
            '        timelines: [Verlauf]\n'
            '        template: "**Stand:** {status}\\n**Geändert:** {date}\\n"\n',
        ),
    )
    place.write(bakery.bread('fields', 'Teig'))
    outcome = add(place, 'Weißbrot', 'egal')
    card = 'bücher/Weißbrot/karte.md'
    assert set(outcome.files) == {bakery.REGISTRY, card}
    assert place.text(card) == f'**Stand:** 🌱 Idee\n**Geändert:** {DAY}\n'
    assert place.text(bakery.REGISTRY).endswith(f'| {DAY} | 🌱 Idee | Weißbrot |\n')
