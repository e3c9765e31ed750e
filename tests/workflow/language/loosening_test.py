from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, settings, strategies

from interlock.workflow.language.compile import compile_workflow
from interlock.workflow.language.loosening import loosened
from tests import samples


def resolved(text: str) -> Any:
    def nothing(path: str) -> bytes | None:
        return None

    return compile_workflow('x', text.encode(), nothing)[0]


PLUGINS = resolved(samples.WORKFLOW)
TASKS = resolved('extends: task-protocol\n')
TABLE = resolved('extends: basic\n')
REVIEW = ('items', 'item', 'states', 'Review')
PLUGIN = ('items', 'plugin')
TASK = ('items', 'task')
GONE = object()


def edited(data: Any, path: tuple[Any, ...], value: Any) -> Any:
    data = copy.deepcopy(data)
    node = data
    for part in path[:-1]:
        node = node.setdefault(part, {}) if isinstance(node, dict) else (node[part])
    if value is GONE:
        del node[path[-1]]
    else:
        node[path[-1]] = value
    return data


def original(data: Any) -> Any:
    """The workflow of which it is an edited copy."""
    kinds = {'task': TASKS, 'item': TABLE}
    return next((kinds[name] for name in kinds if name in data['items']), PLUGINS)


def at(data: Any, path: tuple[Any, ...]) -> Any:
    for part in path:
        data = data[part]
    return data


def more(data: Any, path: tuple[Any, ...], *values: Any) -> Any:
    return edited(data, path, [*at(data, path), *values])


def fewer(data: Any, path: tuple[Any, ...], *values: Any) -> Any:
    return edited(data, path, [each for each in at(data, path) if each not in values])


def line(origin: Any, target: Any, **more: Any) -> dict[str, Any]:
    return {'from': origin, 'to': target, **more}


STEPS = (*PLUGIN, 'transitions')
LOOSER = (
    ('a rule off', edited(PLUGINS, ('severity', 'REG001'), 'off'), ['severity.REG001']),
    (
        'a rule less severe',
        edited(PLUGINS, ('severity', 'REG001'), 'info'),
        ['severity.REG001'],
    ),
    (
        'a new legal step',
        more(PLUGINS, STEPS, line('Stage 1', 'Stage 4')),
        ['items.plugin.transitions: Stage 1 -> Stage 4'],
    ),
    (
        'a reason no longer needed',
        edited(
            PLUGINS,
            STEPS,
            [
                {key: value for key, value in each.items() if key != 'reason'}
                for each in at(PLUGINS, STEPS)
            ],
        ),
        None,
    ),
    (
        'a step through a new state',
        more(
            edited(PLUGINS, (*PLUGIN, 'states', 'Quick'), {'role': 'stage'}),
            STEPS,
            line('Stage 1', 'Quick'),
            line('Quick', 'Working'),
        ),
        ['items.plugin.transitions: Stage 1 -> Working'],
    ),
    (
        'a first step',
        more(PLUGINS, STEPS, line('nothing', 'Working')),
        ['items.plugin.transitions: nothing -> Working'],
    ),
    (
        'not frozen',
        fewer(PLUGINS, (*PLUGIN, 'contracts', 'frozen'), 'Stage 3'),
        ['items.plugin.contracts.frozen: Stage 3'],
    ),
    (
        'never frozen',
        edited(PLUGINS, (*PLUGIN, 'contracts', 'frozen'), GONE),
        ['items.plugin.contracts.frozen'],
    ),
    (
        'a contract is free',
        edited(PLUGINS, (*PLUGIN, 'contracts', 'files', 'architecture', 'free'), True),
        ['items.plugin.contracts.files.architecture.free'],
    ),
    (
        'a contract is gone',
        edited(PLUGINS, (*PLUGIN, 'contracts', 'files', 'architecture'), GONE),
        ['items.plugin.contracts.files.architecture'],
    ),
    (
        'no contracts',
        edited(PLUGINS, (*PLUGIN, 'contracts'), GONE),
        ['items.plugin.contracts'],
    ),
    (
        'another trailer amends',
        edited(PLUGINS, (*PLUGIN, 'contracts', 'amendment'), 'Signed-off-by'),
        ['items.plugin.contracts.amendment'],
    ),
    (
        'a gate asks less',
        fewer(PLUGINS, (*PLUGIN, 'gates', 'Stage 2', 'contracts'), 'plan'),
        ['items.plugin.gates.Stage 2.contracts: plan'],
    ),
    (
        'a gate is gone',
        edited(PLUGINS, (*PLUGIN, 'gates', 'Stage 3'), GONE),
        ['items.plugin.gates.Stage 3'],
    ),
    ('deliverables', edited(PLUGINS, (*PLUGIN, 'deliverables', 'Stage 2'), []), None),
    (
        'an item is ignored',
        more(PLUGINS, (*PLUGIN, 'ignore'), 'Bravo'),
        ['items.plugin.ignore: Bravo'],
    ),
    (
        'another registry',
        edited(PLUGINS, (*PLUGIN, 'registry', 'file'), 'nowhere.md'),
        ['items.plugin.registry.file'],
    ),
    (
        'the row is all',
        edited(PLUGINS, (*PLUGIN, 'registry', 'layout'), 'distributed'),
        ['items.plugin.registry.layout'],
    ),
    (
        'a column is gone',
        edited(PLUGINS, (*PLUGIN, 'registry', 'columns', 'updated'), GONE),
        ['items.plugin.registry.columns.updated'],
    ),
    ('a kind is gone', edited(PLUGINS, PLUGIN, GONE), ['items.plugin']),
    (
        'a role',
        edited(PLUGINS, (*PLUGIN, 'states', 'Stage 3', 'role'), 'done'),
        ['items.plugin.states.Stage 3.role'],
    ),
    *(
        (
            f'a state that named no role is {role}',
            edited(TABLE, (*REVIEW, 'role'), role),
            ['items.item.states.Review.role'],
        )
        for role in ('before', 'done')
    ),
    (
        'subagents commit',
        edited(PLUGINS, (*PLUGIN, 'commit', 'by_subagents'), True),
        ['items.plugin.commit.by_subagents'],
    ),
    (
        'nothing is confirmed',
        edited(PLUGINS, (*PLUGIN, 'commit', 'confirm'), GONE),
        ['items.plugin.commit.confirm'],
    ),
    (
        'a lower minimum',
        edited(
            PLUGINS, (*PLUGIN, 'handoff', 'fields', 'complexity_score', 'minimum'), 0
        ),
        ['items.plugin.handoff.fields.complexity_score.minimum'],
    ),
    (
        'a status more',
        more(PLUGINS, (*PLUGIN, 'handoff', 'statuses'), 'somehow'),
        ['items.plugin.handoff.statuses: somehow'],
    ),
    (
        'any value',
        edited(PLUGINS, (*PLUGIN, 'handoff', 'fields', 'gui_type', 'values'), GONE),
        ['items.plugin.handoff.fields.gui_type.values'],
    ),
    (
        'evidence elsewhere',
        edited(PLUGINS, (*PLUGIN, 'handoff', 'evidence'), 'rien'),
        ['items.plugin.handoff.evidence'],
    ),
    (
        'a condition',
        edited(TASKS, (*TASK, 'transitions', 1, 'gate'), ['session']),
        None,
    ),
    (
        'a change type that skips',
        more(TASKS, (*TASK, 'protocol', 'skips', 'MEDIUM'), 'code'),
        ['items.task.protocol.skips.MEDIUM: code'],
    ),
    (
        'a risk that skips',
        edited(TASKS, (*TASK, 'protocol', 'skips', 'HIGH'), ['*']),
        ['items.task.protocol.skips.HIGH: *'],
    ),
    (
        'retries',
        edited(TASKS, (*TASK, 'protocol', 'numbers', 'retries'), 99),
        ['items.task.protocol.numbers.retries'],
    ),
    (
        'older work of agents counts',
        edited(
            TASKS, (*TASK, 'states', 'IMPLEMENTATION', 'agents_since'), 'REQUIREMENTS'
        ),
        ['items.task.states.IMPLEMENTATION.agents_since'],
    ),
    (
        'still older work of agents counts',
        edited(TASKS, (*TASK, 'states', 'SYNTHESIS', 'agents_since'), 'INIT'),
        ['items.task.states.SYNTHESIS.agents_since'],
    ),
    (
        'more words give a task away',
        more(TASKS, (*TASK, 'protocol', 'prompts', 'adopts'), 'weiter'),
        ['items.task.protocol.prompts.adopts: weiter'],
    ),
    (
        'more words clean a task up',
        more(TASKS, (*TASK, 'protocol', 'prompts', 'cleans'), 'weg'),
        ['items.task.protocol.prompts.cleans: weg'],
    ),
    (
        'roots',
        edited(TASKS, ('roots',), [{'main': 'x', 'tasks': 'y'}, *TASKS['roots']]),
        ['roots'],
    ),
)
NOT_LOOSER = (
    ('nothing', PLUGINS),
    ('a rule more severe', edited(PLUGINS, ('severity', 'REG004'), 'error')),
    ('a rule as it is', edited(PLUGINS, ('severity', 'REG001'), 'error')),
    ('frozen earlier', more(PLUGINS, (*PLUGIN, 'contracts', 'frozen'), 'Stage 0')),
    (
        'a step less',
        edited(
            PLUGINS,
            STEPS,
            [each for each in at(PLUGINS, STEPS) if each['to'] != 'Installed'],
        ),
    ),
    (
        'a state in between',
        more(
            edited(PLUGINS, (*PLUGIN, 'states', 'Review'), {'role': 'stage'}),
            STEPS,
            line('Stage 4', 'Review'),
            line('Review', 'Stage 5'),
        ),
    ),
    ('a state less', edited(PLUGINS, (*PLUGIN, 'states', 'Archived'), GONE)),
    ('a role as before', edited(TABLE, (*REVIEW, 'role'), 'stage')),
    (
        'a role that nothing names',
        edited(PLUGINS, (*PLUGIN, 'states', 'Stage 3', 'role'), GONE),
    ),
    (
        'an alias',
        edited(PLUGINS, (*PLUGIN, 'states', 'Stage 2', 'aliases', 'Gießen'), ''),
    ),
    ('a text', edited(PLUGINS, (*PLUGIN, 'states', 'Stage 2', 'timeline'), 'fertig')),
    ('a template', edited(PLUGINS, (*PLUGIN, 'handoff', 'template'), 'x')),
    (
        'another header',
        edited(PLUGINS, (*PLUGIN, 'registry', 'columns', 'updated'), 'Geändert'),
    ),
    ('display', edited(PLUGINS, ('display',), 'milestones')),
    ('menus', edited(PLUGINS, (*PLUGIN, 'menus'), GONE)),
    (
        'a kind more',
        edited(
            PLUGINS,
            ('items', 'other'),
            {'path': 'o/{item}', 'ignore': ['x'], 'states': {}},
        ),
    ),
    (
        'a gate more',
        edited(PLUGINS, (*PLUGIN, 'gates', 'Stage 6'), {'evidence': ['test']}),
    ),
    (
        'a field more',
        edited(PLUGINS, (*PLUGIN, 'handoff', 'fields', 'x'), {'values': ['1']}),
    ),
    ('a trailer of the gate', edited(PLUGINS, ('gate_trailer',), 'Gate')),
    (
        'stricter',
        edited(edited(PLUGINS, ('plan',), 'strict'), ('approvals',), 'recorded'),
    ),
)


@pytest.mark.parametrize(
    ('after', 'expected'),
    [each[1:] for each in LOOSER],
    ids=[each[0] for each in LOOSER],
)
def test_what_is_looser(after: Any, expected: list[str] | None) -> None:
    found = loosened(original(after), after)
    assert found if expected is None else found == expected


@pytest.mark.parametrize(
    'after', [each[1] for each in NOT_LOOSER], ids=[each[0] for each in NOT_LOOSER]
)
def test_what_is_not_looser(after: Any) -> None:
    assert loosened(original(after), after) == []


FORMAT = resolved('version: 1\nextends: openspec\n')
CHANGE = ('recorded', 'change')
BOXES = (*CHANGE, 'records', 'archived_tasks')
MAIN = ('recorded', 'spec-requirement', 'records', 'main')
PATTERNS = at(FORMAT, (*BOXES, 'file'))
# archived-with-open-tasks, and a rule that is a warning by itself
ARCHIVED, UNPROPOSED = (*CHANGE, 'agree', 0), (*CHANGE, 'agree', 2)
EDITED = (*CHANGE, 'frozen', 0)
AGREE = 'items.change.agree'

LOOSER_RECORDS: tuple[tuple[str, tuple[Any, ...], Any, str], ...] = (
    (
        'a file is left out',
        (*BOXES, 'not'),
        'openspec/**',
        'records.archived_tasks.not',
    ),
    ('a list is left out', (*BOXES, 'not'), ['x/**'], 'records.archived_tasks.not'),
    (
        'lines do not count',
        (*BOXES, 'optional'),
        '*',
        'records.archived_tasks.optional',
    ),
    ('unknown words', (*BOXES, 'strict'), False, 'records.archived_tasks.strict'),
    ('unread files', (*BOXES, 'severity'), 'info', 'records.archived_tasks.severity'),
    ('one file only', (*BOXES, 'first'), True, 'records.archived_tasks.first'),
    ('a file less', (*BOXES, 'file'), PATTERNS[0], 'records.archived_tasks.file'),
    ('entries are skipped', (*MAIN, 'ignored'), {'file': 'x', 'at': 'y'}, 'ignored'),
    ('twice is a warning', (*MAIN, 'once', 'severity'), 'warning', 'once.severity'),
    ('a warning', (*ARCHIVED, 'severity'), 'warning', f'{AGREE}: archived-with-open'),
    ('only at push', (*ARCHIVED, 'at'), 'push', f'{AGREE}: archived-with-open-tasks'),
    ('another trailer', (*ARCHIVED, 'unless'), 'Signed-off-by', AGREE),
    ('a trailer', (*UNPROPOSED, 'unless'), 'Why', f'{AGREE}: tasks-without-proposal'),
    ('less is asked', (*ARCHIVED, 'then', 'archived_tasks'), ['open'], AGREE),
    ('a rule less', (*CHANGE, 'agree'), [], f'{AGREE}: active-and-archived'),
    (
        'fewer frozen files',
        (*EDITED, 'files'),
        ['x'],
        'frozen: spec-edited-after-start',
    ),
)
STRICTER_RECORDS = (
    ('other words', (*ARCHIVED, 'say'), 'offen'),
    ('a remedy', (*ARCHIVED, 'fix'), 'git status'),
    ('other words for twice', (*MAIN, 'once', 'say'), 'zweimal'),
    ('another board', (*CHANGE, 'board'), 'active'),
    ('where init finds it', ('detect',), ['x']),
    ('an error', (*UNPROPOSED, 'severity'), 'error'),
    ('no trailer', (*ARCHIVED, 'unless'), GONE),
    ('an error where frozen', (*EDITED, 'severity'), 'error'),
    ('no amendment', (*EDITED, 'amendment'), GONE),
    ('a file more', (*BOXES, 'file'), [*PATTERNS, 'x/{item}/tasks.md']),
    ('more words are left out', (*MAIN, 'once'), {'name': 'requirement-twice'}),
    ('a severity that it has', ('severity', 'tasks-without-proposal'), 'warning'),
    ('a severity above it', ('severity', 'tasks-without-proposal'), 'error'),
)


@pytest.mark.parametrize(
    ('path', 'value', 'expected'),
    [each[1:] for each in LOOSER_RECORDS],
    ids=[each[0] for each in LOOSER_RECORDS],
)
def test_what_is_looser_about_records(
    path: tuple[Any, ...], value: Any, expected: str
) -> None:
    found = loosened(FORMAT, edited(FORMAT, path, value))
    assert any(expected in each for each in found), found


@pytest.mark.parametrize(
    ('path', 'value'),
    [each[1:] for each in STRICTER_RECORDS],
    ids=[each[0] for each in STRICTER_RECORDS],
)
def test_what_is_not_looser_about_records(path: tuple[Any, ...], value: Any) -> None:
    assert loosened(FORMAT, edited(FORMAT, path, value)) == []


def test_a_rule_falls_back_to_its_own_severity() -> None:
    raised = edited(FORMAT, ('severity', 'tasks-without-proposal'), 'error')
    assert loosened(raised, FORMAT) == ['severity.tasks-without-proposal']


def test_a_format_more_is_not_looser() -> None:
    both = resolved('version: 1\nextends: [openspec, backlog-md]\n')
    assert loosened(FORMAT, both) == []
    assert 'items.backlog-task' in loosened(both, FORMAT)


@pytest.mark.parametrize(('before', 'after'), (('strict', 'lenient'), ('strict', None)))
def test_a_plan_that_is_asked_for_less(before: str, after: str | None) -> None:
    old = edited(PLUGINS, ('plan',), before)
    new = PLUGINS if after is None else edited(PLUGINS, ('plan',), after)
    assert loosened(old, new) == ['plan']


@settings(max_examples=60, deadline=None)
@given(strategies.data())
def test_what_goes_with_a_key_is_loosened_or_named_as_neutral(
    data: strategies.DataObject,
) -> None:
    """Never a crash, and never both ways at once without a change."""
    base = data.draw(strategies.sampled_from((PLUGINS, TASKS)))
    path: tuple[Any, ...] = ()
    node = base
    while (
        isinstance(node, dict)
        and node
        and (not path or data.draw(strategies.booleans()))
    ):
        key = data.draw(strategies.sampled_from(sorted(node)))
        path, node = (*path, key), node[key]
    after = edited(base, path, GONE)
    assert loosened(base, base) == []
    for found in (loosened(base, after), loosened(after, base)):
        assert found == sorted(set(found))
