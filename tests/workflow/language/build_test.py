from __future__ import annotations

import pytest

from interlock.model.change import Change, Nothing
from interlock.model.state import State
from interlock.workflow.language.spec import Kind, SubjectSpec
from interlock.workflow.reading.changed_items import items_to_judge, touched_items
from interlock.workflow.reading.commit_subject import stage_commit
from interlock.workflow.reading.plan_phases import is_planned
from interlock.workflow.reading.records import all_items, records
from tests import samples
from tests.checks import bakery
from tests.checks.trees import WORKFLOW_FILE, Files, Tree, at, change, without, workflow

PLUGIN: Kind = workflow().kinds[0]
HANDOFF = samples.handoff_path('Bravo')
OLDER = 'plugins/Bravo/.ideas/.continue-here.md'


def test_a_preset_becomes_one_kind() -> None:
    built = workflow()
    assert built.path == WORKFLOW_FILE
    assert built.extended == ()
    assert [kind.name for kind in built.kinds] == ['plugin']
    assert PLUGIN.by_stage('3') == PLUGIN.states['Stage 3']
    assert PLUGIN.by_stage('') is None
    assert PLUGIN.by_stage('7') is None
    assert PLUGIN.position('Stage 0') < PLUGIN.position('Stage 1')
    assert PLUGIN.position('nix') == -1


def test_a_form_with_a_state_becomes_one_per_word() -> None:
    (kind,) = workflow(bakery.FIELDS).kinds
    assert SubjectSpec('ist jetzt Teig', 'Teig') in kind.commit.subjects
    assert SubjectSpec('ist jetzt Kneten', 'Teig') in kind.commit.subjects
    assert len(kind.commit.subjects) == 12


def test_a_workflow_of_nothing_but_states_is_enough() -> None:
    (kind,) = workflow('items: {x: {path: "x/{item}", states: {A: {}}}}\n').kinds
    assert not kind.registry and not kind.handoff
    assert not kind.contracts and not kind.commit
    made = change({}, {'x/y/z': 'x'})
    assert touched_items(made, kind) == ['y']
    assert list(all_items(made.after, kind)) == []
    assert records(made.after, kind, 'y').canonical is None
    assert stage_commit(made, kind) is None


@pytest.mark.parametrize(
    ('stage', 'phase', 'state'),
    [
        ('3', 'null', State('Stage 3')),
        ('3', '3.10', State('Stage 3', 10)),
        ('3', '4.1', State('Stage 3')),
        ('4.3', 'null', State('Stage 4', 3)),
        ('4.3', '4.4', State('Stage 4', 4)),
        ('"3"', '"3.1"', State('Stage 3', 1)),
        ('ideation', 'null', None),
        ('7', 'null', None),
        ('7.1', 'null', None),
        ('[3]', 'null', None),
    ],
)
def test_stage_and_phase_of_a_handoff(
    stage: str, phase: str, state: State | None
) -> None:
    tree = Tree(at('Stage 3', stage, phase))
    assert records(tree, PLUGIN, 'Bravo').handoff_state == state


@pytest.mark.parametrize(
    ('stage', 'progress', 'planned'),
    [
        ('0', 'in_progress', False),
        ('0', 'complete', True),
        ('1', 'in_progress', True),
        ('ideation', 'complete', False),
    ],
)
def test_from_when_on_the_plan_stands(stage: str, progress: str, planned: bool) -> None:
    tree = Tree(at('Stage 0', stage, progress=progress))
    assert is_planned(records(tree, PLUGIN, 'Bravo')) is planned


def test_the_entry_is_canonical_and_else_the_row() -> None:
    found = records(Tree(at('Stage 2', row='Stage 1')), PLUGIN, 'Bravo')
    assert found.state == State('Stage 2')
    assert found.role == 'stage'
    assert found.canonical_path == 'PLUGINS.md'
    text = samples.HEAD + samples.row('Bravo', 'Stage 1')
    alone = records(Tree({'PLUGINS.md': text}), PLUGIN, 'Bravo')
    assert alone.state == State('Stage 1')
    assert not alone.monolithic
    absent = records(Tree({}), PLUGIN, 'Bravo')
    assert absent.state is None and absent.role == ''


def test_every_item_of_a_tree() -> None:
    tree = Tree(
        {
            'PLUGINS.md': samples.registry({'Alpha': 'Ideated'}),
            HANDOFF: 'x',
            'plugins/Zoë/.ideas/.continue-here.md': 'x',
            'plugins/Nix/README.md': 'x',
            'plugins/TEMPLATE-x/.continue-here.md': 'x',
        }
    )
    assert sorted(all_items(tree, PLUGIN)) == ['Alpha', 'Bravo', 'Zoë']
    (kind,) = workflow(bakery.FIELDS).kinds
    cards = Tree({'bücher/Zopf/karte.md': 'x', 'bücher/Nix/x': 'x'})
    assert sorted(all_items(cards, kind)) == ['Zopf']


TWO = {'Alpha': 'Ideated', 'Bravo': 'Stage 2'}


@pytest.mark.parametrize(
    ('before', 'after', 'expected'),
    [
        pytest.param(TWO, TWO, [], id='nothing'),
        pytest.param(TWO, {**TWO, 'Bravo': 'Stage 3'}, ['Bravo'], id='one'),
        pytest.param(TWO, {'Alpha': 'Ideated'}, ['Bravo'], id='removed'),
        pytest.param(TWO, {**TWO, 'Zoë': 'Ideated'}, ['Zoë'], id='added'),
        pytest.param(TWO, {'Bravo': 'Stage 2', 'Alpha': 'Ideated'}, [], id='reordered'),
    ],
)
def test_the_items_that_a_change_of_the_registry_touches(
    before: dict[str, str], after: dict[str, str], expected: list[str]
) -> None:
    made = change(
        {'PLUGINS.md': samples.registry(before)},
        {'PLUGINS.md': samples.registry(after)},
    )
    assert touched_items(made, PLUGIN) == expected


@pytest.mark.parametrize(
    ('before', 'after'),
    [
        pytest.param({}, {'PLUGINS.md': samples.registry(TWO)}, id='created'),
        pytest.param({'PLUGINS.md': samples.registry(TWO)}, {}, id='deleted'),
        pytest.param(
            {'PLUGINS.md': samples.registry(TWO)},
            {'PLUGINS.md': samples.registry(TWO).replace('| Version |', '| Fassung |')},
            id='other columns',
        ),
        pytest.param(
            {'PLUGINS.md': samples.registry(TWO)},
            {'PLUGINS.md': samples.registry(TWO).split('\n### ')[0]},
            id='no entries any more',
        ),
    ],
)
def test_a_registry_that_is_new_as_a_whole_touches_every_item(
    before: Files, after: Files
) -> None:
    assert touched_items(change(before, after), PLUGIN) == ['Alpha', 'Bravo']


def test_everything_is_judged_on_demand() -> None:
    files = {'PLUGINS.md': samples.registry(TWO), HANDOFF: 'x'}
    made = change(files, {**files, 'x': 'x'}, everything=True)
    assert touched_items(made, PLUGIN) == []
    assert items_to_judge(made, PLUGIN) == ['Alpha', 'Bravo']


def test_a_stage_commit_names_an_item_that_exists() -> None:
    before = at('Stage 2', '2')
    gone = without(at('Stage 2'), 'PLUGINS.md')
    subject = 'feat(Bravo): Stage 3'
    for made in (
        change(before, {**before, 'x': 'x'}, subject),
        change(before, {'x': 'x'}, subject),
        change(None, gone, subject),
    ):
        named = stage_commit(made, PLUGIN)
        assert named is not None and named.item == 'Bravo'
    unknown = change(before, {**before, 'x': 'x'}, 'feat(Zulu): Stage 3')
    assert stage_commit(unknown, PLUGIN) is None
    upwards = change(before, {**before, 'x': 'x'}, 'feat(../..): Stage 3')
    assert stage_commit(upwards, PLUGIN) is None
    silent = change(before, {**before, 'x': 'x'})
    assert stage_commit(silent, PLUGIN) is None


def test_the_tree_that_holds_nothing() -> None:
    made = Change(Nothing(), Nothing(), {}, everything=True)
    assert items_to_judge(made, PLUGIN) == []
    assert Nothing().digest('x', 'sha256') is None
    assert records(Nothing(), PLUGIN, 'Bravo').current is None


def test_the_older_place_counts_where_the_file_is_absent() -> None:
    two, three = samples.handoff('Bravo', '2'), samples.handoff('Bravo', '3')
    both = records(Tree({HANDOFF: two, OLDER: three}), PLUGIN, 'Bravo')
    assert both.current is not None and both.current.path == HANDOFF
    one = records(Tree({OLDER: three}), PLUGIN, 'Bravo')
    assert one.current is not None and one.current.path == OLDER
