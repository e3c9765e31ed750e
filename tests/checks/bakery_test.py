"""No check knows the words of a preset: another workflow needs no code."""

from __future__ import annotations

import pytest

from interlock.model.finding import ERROR, WARNING
from tests.checks import bakery
from tests.checks.bakery import CARD, CONTRACT, HANDOFF, REGISTRY, bread
from tests.checks.trees import codes, found, introduced, without, workflow
from tests.conftest import Interlock, Repo

FORMS = {'fields': bakery.FIELDS, 'frontmatter': bakery.FRONTMATTER}
PHOTO = {'bücher/Roggenbrot/fotos/1.jpg': 'x'}


@pytest.fixture(params=FORMS)
def form(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def judged(
    form: str, before: dict[str, str], after: dict[str, str], message: str | None = None
) -> list[str]:
    return introduced(before, after, message, by=workflow(FORMS[form]))


@pytest.mark.parametrize(
    ('old', 'new', 'message'),
    [
        (('Idee',), ('Teig', 'teig'), 'Roggenbrot: ist jetzt Teig'),
        (('Idee',), ('Kneten', 'teig'), 'Roggenbrot: ist jetzt Kneten'),
        (('Teig', 'teig'), ('Ofen', 'ofen'), 'brot/Roggenbrot - Ofen fertig'),
        (('Teig', 'teig'), ('Ofen.1', 'ofen', 'ofen.1'), 'Roggenbrot: ofen fertig'),
        (
            ('Ofen.1', 'ofen', 'ofen.1'),
            ('Ofen.2', 'ofen', 'ofen.2'),
            'Roggenbrot: noch heißer',
        ),
        (
            ('Ofen.2', 'ofen', 'ofen.2'),
            ('Kruste', 'kruste'),
            'Roggenbrot: Kruste fertig',
        ),
        (('Kruste', 'kruste'), ('Verkauft',), 'Roggenbrot: ist jetzt Verkauft'),
    ],
)
def test_a_recipe_goes_from_idea_to_sale(
    form: str, old: tuple[str, ...], new: tuple[str, ...], message: str
) -> None:
    before = bread(form, *old)
    after = {**bread(form, *new), **PHOTO}
    expected = ['COM004'] if 'ofen.1' in new else []
    assert judged(form, before, after, message) == expected


TEIG = ('Teig', 'teig')
OFEN = ('Ofen', 'ofen')


@pytest.mark.parametrize(
    ('old', 'new', 'message', 'expected'),
    [
        pytest.param(
            bread('x', *TEIG),
            {REGISTRY: bakery.registry('Idee')},
            None,
            ['REG001'],
            id='row behind its card',
        ),
        pytest.param(bread('x', *TEIG), {CARD: ''}, None, ['REG002'], id='no card'),
        pytest.param(
            bread('x', *TEIG),
            {
                REGISTRY: bakery.registry('x').replace(
                    '| 2026-03-04 | x | Roggenbrot |\n', ''
                )
            },
            None,
            ['REG003'],
            id='no row',
        ),
        pytest.param(
            bread('x', *TEIG),
            {REGISTRY: bakery.registry('Teig', '2026-03-05')},
            None,
            ['REG004'],
            id='dates',
        ),
        pytest.param(
            bread('x', *TEIG),
            {REGISTRY: bakery.registry('Stage 2')},
            None,
            ['REG001', 'REG005'],
            id='a word of another workflow',
        ),
        pytest.param(
            bread('x', *TEIG),
            {REGISTRY: ''},
            None,
            ['REG003', 'REG008'],
            id='no registry',
        ),
        pytest.param(
            bread('x', *TEIG),
            bread('x', 'Teig', 'ofen'),
            None,
            ['COM001', 'REG010'],
            id='handoff ahead',
        ),
        pytest.param(
            bread('x', *TEIG),
            bread('x', 'Ofen', 'teig'),
            None,
            ['COM001', 'REG010'],
            id='registry ahead',
        ),
        pytest.param(
            bread('x', 'Ofen.1', 'ofen', 'ofen.1'),
            bread('x', 'Ofen.1', 'ofen', 'ofen.2'),
            None,
            ['REG015'],
            id='phases',
        ),
        pytest.param(
            bread('x', *TEIG),
            bread('x', 'Kruste', 'kruste'),
            None,
            ['STG001', 'STG002'],
            id='a step too far',
        ),
        pytest.param(
            bread('x', *OFEN),
            bread('x', *TEIG),
            None,
            ['STG001', 'STG002'],
            id='a step back',
        ),
        pytest.param(
            bread('x', *TEIG),
            {**bread('x', *OFEN), CONTRACT: ''},
            None,
            ['CON002', 'STG005'],
            id='no ingredients',
        ),
        pytest.param(
            bread('x', *OFEN),
            {CONTRACT: 'Weizen\n'},
            None,
            ['CON001'],
            id='other ingredients',
        ),
        pytest.param(
            bread('x', *OFEN),
            {CONTRACT: bakery.INGREDIENTS.replace('\n', '\r\n')},
            None,
            ['CON005'],
            id='line endings',
        ),
        pytest.param(
            bread('x', *OFEN),
            {HANDOFF: bakery.handoff('ofen').replace('sha512', 'sha256')},
            None,
            ['CON003'],
            id='another algorithm',
        ),
        pytest.param(
            bread('x', *OFEN),
            {HANDOFF: bakery.handoff('ofen').replace('siegel', 'checksums')},
            None,
            ['CON004'],
            id='another key',
        ),
        pytest.param(
            bread('x', *OFEN),
            {
                CONTRACT: 'Weizen\n',
                HANDOFF: bakery.handoff('ofen').replace(
                    bakery.seal(), bakery.seal('Weizen\n')
                ),
            },
            'Roggenbrot: Weizen',
            ['CON006'],
            id='sealed again',
        ),
        pytest.param(
            bread('x', *TEIG),
            {'x': 'x'},
            'Roggenbrot: ist jetzt Ofen',
            ['COM002'],
            id='no state files',
        ),
        pytest.param(
            bread('x', *OFEN),
            bread('x', 'Kruste', 'kruste'),
            'Roggenbrot: Kruste fertig',
            ['COM003'],
            id='no photo',
        ),
        pytest.param(
            bread('x', *TEIG),
            bread('x', *OFEN),
            'Roggenbrot: Kneten fertig',
            ['COM004'],
            id='another state in the subject',
        ),
        pytest.param(
            bread('x', *TEIG),
            bread('x', *OFEN),
            'Tür gestrichen',
            ['COM005'],
            id='hidden',
        ),
        pytest.param(
            bread('x', *TEIG),
            {'x': 'x'},
            'Roggenbrot: Schritt 2 getan',
            ['COM006'],
            id='not understood',
        ),
        pytest.param(
            bread('x', *TEIG),
            {HANDOFF: '# weiter\n'},
            None,
            ['HND001'],
            id='no frontmatter',
        ),
        pytest.param(
            bread('x', *TEIG),
            {HANDOFF: '---\n'},
            None,
            ['HND002'],
            id='broken frontmatter',
        ),
        pytest.param(
            bread('x', *TEIG),
            bread('x', *TEIG, zustand='müde', mehl='0', vom='heute'),
            None,
            ['HND003', 'HND003', 'HND010'],
            id='fields',
        ),
        pytest.param(
            bread('x', *TEIG),
            bread('x', *TEIG, rezept='Zopf'),
            None,
            ['HND004'],
            id='another recipe',
        ),
        pytest.param(
            bread('x', 'Kruste', 'kruste'),
            bread('x', 'Verkauft', 'kruste'),
            None,
            ['COM001', 'HND005'],
            id='stale',
        ),
        pytest.param(
            bread('x', *TEIG),
            {HANDOFF: bakery.handoff('teig').replace('Nächstes', 'Später')},
            None,
            ['HND006'],
            id='section',
        ),
        pytest.param(
            bread('x', *TEIG),
            bread('x', *TEIG, schritt='knusper'),
            None,
            ['HND008', 'STG002'],
            id='no step of this workflow',
        ),
    ],
)
def test_what_a_bakery_refuses(
    form: str,
    old: dict[str, str],
    new: dict[str, str],
    message: str | None,
    expected: list[str],
) -> None:
    before = {**old, CARD: _as(form, old[CARD])}
    changed = {
        path: _as(form, text) if path == CARD and text else text
        for path, text in new.items()
    }
    after = {**before, **changed}
    after = without(after, *(p for p, text in changed.items() if not text))
    if new.get(REGISTRY) == '':
        after[REGISTRY] = '# leer\n'
    assert judged(form, before, after, message) == expected


def _as(form: str, text: str) -> str:
    """A card in one of the two forms of entry files."""
    head, _, _ = text.partition('\n\n# Karte')
    lines = dict(
        line.replace('**', '').split(': ', 1) for line in head.strip('-\n').split('\n')
    )
    return bakery.card(lines['Stand'], form, lines['Geändert'])


@pytest.mark.parametrize(
    ('message', 'severity'),
    [
        ('Roggenbrot: ist jetzt Idee', ERROR),
        ('Roggenbrot: ist jetzt Idee\n\nGrund: verbrannt\n', WARNING),
    ],
)
def test_a_reset_of_a_recipe_needs_its_own_trailer(
    form: str, message: str, severity: str
) -> None:
    before, after = bread(form, *OFEN), bread(form, 'Idee')
    by = workflow(FORMS[form])
    (finding,) = found(before, after, message, only=['stages'], by=by)
    assert (finding.code, finding.severity) == ('STG001', severity)
    assert 'von vorn' in finding.message


def test_an_amendment_of_a_recipe_needs_its_own_trailer(form: str) -> None:
    before = bread(form, *OFEN)
    after = {
        **before,
        CONTRACT: 'Weizen\n',
        HANDOFF: before[HANDOFF].replace(bakery.seal(), bakery.seal('Weizen\n')),
    }
    by = workflow(FORMS[form])
    message = 'Roggenbrot: Weizen\n\n{}: es gab keinen Roggen\n'
    for trailer, expected in (('Contract-Amendment', ['CON006']), ('Aenderung', [])):
        assert introduced(before, after, message.format(trailer), by=by) == expected


def test_findings_name_the_files_of_the_bakery(form: str) -> None:
    before = bread(form, *TEIG)
    by = workflow(FORMS[form])
    after = {**before, REGISTRY: bakery.registry('Idee')}
    (finding,) = found(before, after, by=by)
    assert (finding.path, finding.line) == (REGISTRY, 5)
    after = {**before, CARD: bakery.card('Kruste', form)}
    steps = found(before, after, only=['stages'], by=by)
    assert [(f.code, f.path) for f in steps] == [('STG001', CARD)]
    assert steps[0].line == (1 if form == 'fields' else 2)
    assert steps[0].message == 'Teig -> Kruste: after Teig comes Ofen'


@pytest.mark.parametrize(
    ('text', 'expected'),
    [
        pytest.param('Nichts\n', {'REG001', 'REG005'}, id='no status'),
        pytest.param(b'\xff', {'REG008'}, id='not UTF-8'),
        pytest.param('Stand: x\n<<<<<<< HEAD\n', {'REG008'}, id='a conflict'),
        pytest.param(None, {'REG008'}, id='huge'),
    ],
)
def test_a_card_that_says_nothing_is_refused(
    form: str, text: str | bytes | None, expected: set[str]
) -> None:
    before = bread(form, *TEIG)
    by = workflow(FORMS[form])
    findings = found(before, {**before, CARD: text}, by=by)
    assert set(codes(findings)) >= expected
    assert {f.path for f in findings if f.code == 'REG008'} <= {CARD}


def test_a_card_whose_frontmatter_is_broken_is_refused() -> None:
    before = bread('frontmatter', *TEIG)
    after = {**before, CARD: '---\nStand: [\n---\n'}
    assert 'REG008' in judged('frontmatter', before, after)


def test_a_timeline_of_a_card_goes_forward(form: str) -> None:
    before = bread(form, *TEIG)
    text = f'{before[CARD]}- 2026-02-01 zurück\n'
    assert judged(form, before, {**before, CARD: text}) == ['REG011']


def test_the_bakery_is_judged_by_real_git(
    repo: Repo, interlock: Interlock, form: str
) -> None:
    repo.commit({'.interlock.yaml': FORMS[form], **bread(form, *TEIG)})
    repo.stage(bread(form, *OFEN))
    message = repo.path.parent / 'message'
    message.write_text('Roggenbrot: ist jetzt Ofen\n')
    args = ('--staged', '--message', str(message))
    result = interlock.check(*args)
    assert (result.codes, result.code) == ([], 0)
    repo.stage(bread(form, 'Ofen', 'teig'))
    result = interlock.check(*args)
    assert result.codes == ['COM001', 'COM002', 'REG010']
    assert result.code == 1
    tree = interlock.check('--tree', 'HEAD')
    assert (tree.codes, tree.code) == ([], 0)


def test_a_card_may_leave_out_what_it_need_not_say() -> None:
    before = bread('frontmatter', *TEIG)
    text = before[CARD].replace('Geändert: 2026-03-04\n', 'Geändert:\n')
    assert judged('frontmatter', before, {**before, CARD: text}) == []
    text = before[CARD].replace('Geändert: 2026-03-04\n', '')
    assert judged('frontmatter', before, {**before, CARD: text}) == []


NOTES_ONLY = """\
version: 1
items:
  note:
    path: notes/{item}
    states: {Offen: {stage: offen}, Zu: {stage: zu}, Weg: {role: done}}
    transitions: [{from: Offen, to: Zu}, {from: Zu, to: Weg}]
    handoff:
      file: notes/{item}/state.md
      keys: {item: note, stage: stage}
    commit: {prefixes: ['{item}: '], subjects: ['{state}']}
"""


def note(stage: str) -> dict[str, str]:
    return {'notes/é/state.md': f'---\nnote: é\nstage: {stage}\n---\n'}


@pytest.mark.parametrize(
    ('old', 'new', 'message', 'expected'),
    [
        ('offen', 'zu', 'é: zu', []),
        ('zu', 'offen', 'é: offen', ['STG002']),
        ('offen', 'zu', 'é: offen', ['COM004']),
        ('offen', 'zu', 'anderes', ['COM005']),
        ('offen', 'offen', 'é: zu', ['COM002']),
        ('offen', '[zu]', 'é: x', ['HND003', 'STG002']),
    ],
)
def test_a_workflow_may_have_handoffs_and_nothing_else(
    old: str, new: str, message: str, expected: list[str]
) -> None:
    after = {**note(new), 'README.md': message}
    by = workflow(NOTES_ONLY)
    assert introduced(note(old), after, message, by=by) == expected
