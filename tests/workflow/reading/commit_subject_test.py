from __future__ import annotations

import pytest

from interlock.model.state import State
from interlock.workflow.language.spec import Kind
from interlock.workflow.reading import commit_subject
from interlock.workflow.reading.commit_subject import Subject
from tests.checks import bakery
from tests.checks.trees import workflow

PLUGIN: Kind = workflow().kinds[0]
RECIPE: Kind = workflow(bakery.FIELDS).kinds[0]
KNOWN = {'Bravo', 'Bravo Two', 'Zoë'}


@pytest.mark.parametrize(
    ('text', 'expected'),
    [
        ('feat(Bravo): Stage 3', Subject('Bravo', State('Stage 3'), True)),
        ('feat: Zoë Stage 3.1', Subject('Zoë', State('Stage 3', 1), True)),
        ('feat: Bravo Two Stage 3', Subject('Bravo Two', State('Stage 3'), True)),
        ('feat(Bravo): UI integrated', Subject('Bravo', State('Stage 4'), False)),
        ('feat(Bravo): new knob', Subject('Bravo', None, False)),
        ('feat(Bravo): Stage 9', Subject('Bravo', None, True)),
        (
            'feat(Bravo): Stage 3 Phase 4.1',
            Subject('Bravo', None, True, State('Stage 3')),
        ),
        ('feat(Bravo): Stage 3 Phase 3.1', Subject('Bravo', State('Stage 3', 1), True)),
        ('feat(Bravo):', None),
        ('feat(): Stage 3', None),
        ('feat: Bravo', Subject('Bravo', None, False)),
        ('feat(Bravo)!: Stage 3', Subject('Bravo', State('Stage 3'), True)),
        ('feat: bravo Stage 3', Subject('Bravo', None, True)),
        ('feat(bravo): Stage 3', Subject('Bravo', None, True)),
        ('feat: Bravo: Stage 3', Subject('Bravo', None, True)),
        ('fix(Bravo): Stage 3', Subject('Bravo', None, True)),
        ('fix(Bravo)!: Stage 3 complete', Subject('Bravo', None, True)),
        ('Bravo: Stage 3 complete', Subject('Bravo', None, True)),
        ('Bravo Two: Stage 3.1', Subject('Bravo Two', None, True)),
        ('chore(Bravo): update state files after Stage 3', None),
        ('fix(Bravo): Stage 9', None),
        ('Bravos: Stage 3', None),
        ('wip feat(Bravo): Stage 3', None),
        ('feat(Bravo', None),
        ('', None),
    ],
)
def test_a_subject_is_read(text: str, expected: Subject | None) -> None:
    assert commit_subject.read(text, PLUGIN, KNOWN) == expected


@pytest.mark.parametrize(
    ('text', 'state'),
    [
        ('Zopf: ist jetzt Ofen', 'Ofen'),
        ('Zopf: IST JETZT OFEN!', 'Ofen'),
        ('Zopf: Kneten fertig, endlich', 'Teig'),
        ('brot/Zopf - Kruste fertig', 'Kruste'),
    ],
)
def test_a_form_with_the_word_of_a_state(text: str, state: str) -> None:
    found = commit_subject.read(text, RECIPE, {'Zopf'})
    assert found is not None
    assert found.state == State(state)


@pytest.mark.parametrize(
    ('text', 'expected'),
    [
        ('feat(Bravo): Stage 3', {'Bravo', 'Stage'}),
        ('feat(Bravo)!: x', {'Bravo'}),
        ('Bravo: x', {'Bravo'}),
        ('feat: Bravo Two Stage 3', {'feat', 'Bravo', 'Bravo Two', 'Bravo Two Stage'}),
        (
            'feat: a b c d e f g h',
            {'feat', 'a', 'a b', 'a b c', 'a b c d', 'a b c d e'},
        ),
        ('docs: x', {'docs'}),
        ('', set()),
    ],
)
def test_what_could_be_the_name_of_an_item(text: str, expected: set[str]) -> None:
    assert commit_subject.candidates(text, PLUGIN) == expected


@pytest.mark.parametrize(
    ('text', 'named'),
    [
        ('chore: Bravo', True),
        ('chore: bravo', True),
        ('chore: Bravos', False),
        ('chore: (Bravo)', True),
        ('chore: Stage 3', True),
        ('chore: stage 3.', True),
        ('chore: Stage 31', False),
        ('chore: processing audio', True),
        ('chore: Stage 4', False),
    ],
)
def test_a_subject_names_an_item_or_its_state(text: str, named: bool) -> None:
    assert commit_subject.names(text, 'Bravo', State('Stage 3'), PLUGIN) is named


def test_a_kind_without_subjects_reads_none() -> None:
    text = 'extends: plugin-workflow\nitems: {plugin: {commit: null}}\n'
    (kind,) = workflow(text).kinds
    assert commit_subject.read('feat(Bravo): Stage 3', kind, {'Bravo'}) is None
