from __future__ import annotations

import pytest

from interlock.checks.task_files import of_lock, of_log
from interlock.doctor.canary import plan as plans
from interlock.doctor.canary.agreements import NOT_MADE_UP
from interlock.doctor.canary.attempt import COMMIT, PUSH, Attempt, Plan, Want
from interlock.doctor.canary.governing import GovernedTree
from interlock.doctor.canary.items import Data
from interlock.doctor.canary.messages import findings, is_clean
from interlock.doctor.canary.plan import IDLE, SWITCHED_OFF, never
from interlock.documents import baseline
from interlock.documents.tasks import lock as locks
from interlock.model.change import Blob
from interlock.model.finding import ERROR
from interlock.model.overlay import Files
from interlock.rules.index import RULES
from tests.checks.trees import excusing
from tests.doctor.canary.plans import (
    EVERYTHING,
    FILE,
    HANDOFFS,
    PLUGINS,
    ROWS,
    TASKS,
    WORKFLOWS,
    planned,
    workflow,
)

pytestmark = pytest.mark.slow

EACH = pytest.mark.parametrize('text', WORKFLOWS.values(), ids=WORKFLOWS.keys())
# what a whole push, a worktree or the history shows, not a change alone
ELSEWHERE = {'CFG005', 'CFG007', 'COM008', 'LCK006', 'LCK008', 'LCK007'}


def wants(plan: Plan) -> list[Want]:
    found = [want for one in plan.attempts for want in one.wants]
    return found + [want for one in plan.in_task for want in one.wants]


def applied(tree: Data, files: Files) -> Data:
    changed = {**tree}
    for path, data in files.items():
        if data is None:
            changed.pop(path, None)
        else:
            changed[path] = data
    return changed


def steps(plan: Plan, text: str) -> list[tuple[Attempt, Data, Data]]:
    """Each attempt with the trees before and after it."""
    tree = applied({FILE: text.encode()}, plan.base)
    found = []
    for attempt in plan.attempts:
        before = applied(tree, attempt.base)
        tree = applied(before, attempt.change)
        found.append((attempt, before, tree))
    return found


def test_every_rule_is_planted_or_left_out_for_a_reason() -> None:
    """By `canary` of the rule, a table of canary/, or a reason in plan.py."""
    plan = planned(EVERYTHING)
    planted = {want.code for want in wants(plan)}
    assert planted | set(plan.left_out) == set(RULES)
    assert not planted & set(plan.left_out)
    assert {code for code, why in plan.left_out.items() if why == IDLE} == set()
    assert {code for code in RULES if never(code)} == set(plan.left_out)


@EACH
def test_what_is_planted_is_a_violation(text: str) -> None:
    plan, known = planned(text), workflow(text)
    assert plan.attempts
    for attempt, before, after in steps(plan, text):
        found = findings(known, before, after, attempt.message)
        for want in attempt.wants:
            if want.code not in ELSEWHERE:
                name = want.name, want.item
                assert name in found, f'what is planted does not break {want.name}'
                severity = found[name]
                if COMMIT in want.gates:
                    assert (severity == ERROR) == want.refuses, want


@EACH
def test_every_attempt_but_those_at_a_push_is_refused(text: str) -> None:
    plan, known = planned(text), workflow(text)
    for attempt, before, after in steps(plan, text):
        if any(want.refuses and COMMIT in want.gates for want in attempt.wants):
            found = findings(known, before, after, attempt.message)
            assert ERROR in found.values()


@EACH
def test_a_wrong_message_comes_with_a_tree_in_which_nothing_is_wrong(text: str) -> None:
    plan, known = planned(text), workflow(text)
    spoken = {'COM002', 'COM003', 'COM004', 'COM005', 'COM006', 'CON006'}
    for attempt, before, after in steps(plan, text):
        if spoken & {want.code for want in attempt.wants}:
            assert is_clean(known, before, after), attempt.message


@EACH
def test_what_is_there_before_is_sound(text: str) -> None:
    known, plan = workflow(text), planned(text)
    # of steps: items come into being at any stage
    before = applied({FILE: text.encode()}, plan.base)
    found = findings(known, {FILE: text.encode()}, before, None)
    assert {code for (code, _), severity in found.items() if severity == ERROR} <= {
        'STG001',
        'STG005',
    }


@EACH
def test_a_rule_is_planted_once(text: str) -> None:
    names = [(want.name, want.item, want.gates) for want in wants(planned(text))]
    assert sorted(names) == sorted(set(names))
    ours = [name for name, _, _ in names if name in RULES]
    assert sorted(ours) == sorted(set(ours))


@EACH
def test_every_agreement_is_planted(text: str) -> None:
    known, plan = workflow(text), planned(text)
    assert {want.name for want in wants(plan)} >= {
        name
        for kind in known.recorded
        for name in (
            *(each.name for each in kind.agree),
            *(each.name for each in kind.frozen),
            *(each.once.name for each in kind.records.values() if each.once),
        )
    }
    assert NOT_MADE_UP not in plan.left_out.values()


def test_what_is_refused_at_a_push_is_warned_of_at_a_commit() -> None:
    plan = planned('version: 1\nextends: gsd\n')
    found = {
        want.gates: want.refuses
        for want in wants(plan)
        if want.rule == 'summary-not-ticked'
    }
    assert found == {(COMMIT,): False, (PUSH,): True}


def test_what_a_reason_would_excuse_comes_in_a_commit_of_its_own() -> None:
    text = 'version: 1\nextends: openspec\n'
    plan, known = planned(text), workflow(text)
    (alone,) = [
        (attempt, before, after)
        for attempt, before, after in steps(plan, text)
        if 'archived-with-open-tasks' in {want.rule for want in attempt.wants}
    ]
    attempt, before, after = alone
    excusable = {
        'archived-with-open-tasks',
        'spec-edited-after-start',
        'archive-edited',
        'taken-out-of-archive',
        'requirement-lost',
    }
    assert {want.rule for want in attempt.wants} == excusable
    assert {name for name, _ in findings(known, before, after, None)} == excusable


def test_an_agreement_that_is_switched_off_is_not_wanted() -> None:
    plan = planned('version: 1\nextends: kiro\nseverity: {tasks-without-design: off}\n')
    assert 'tasks-without-design' not in {want.rule for want in wants(plan)}


@pytest.mark.parametrize(
    ('text', 'planted', 'idle'),
    (
        pytest.param(
            PLUGINS,
            {'REG001', 'REG013', 'CON006', 'COM006', 'HND007'},
            {'LCK001', 'DOC001', 'COM007'},
            id='plugins',
        ),
        pytest.param(
            TASKS,
            {'LCK001', 'TSK007', 'STG003', 'COM007', 'CFG003'},
            {'REG001', 'HND001', 'STG001', 'CFG007'},
            id='tasks',
        ),
        pytest.param(
            ROWS,
            {'REG005', 'REG007', 'REG013', 'STG001'},
            {'REG001', 'REG002', 'HND001', 'COM002'},
            id='rows',
        ),
        pytest.param(
            HANDOFFS,
            {'HND001', 'HND004', 'STG002', 'STG005'},
            {'REG001', 'HND005', 'HND006', 'CON001', 'COM001'},
            id='handoffs',
        ),
        pytest.param(
            WORKFLOWS['bakery'],
            {'REG001', 'REG004', 'CON001', 'COM004'},
            {'REG012', 'HND007', 'HND009', 'REG013'},
            id='bakery',
        ),
    ),
)
def test_what_a_workflow_has_no_use_for_is_left_out(
    text: str, planted: set[str], idle: set[str]
) -> None:
    plan = planned(text)
    assert planted <= {want.code for want in wants(plan)}
    assert {plan.left_out[code] for code in idle} == {IDLE}


def test_the_workflow_says_how_severe_a_rule_is() -> None:
    text = f'{PLUGINS}severity: {{REG001: warning, REG004: error, REG005: off}}\n'
    plan = planned(text)
    refuses = {want.code: want.refuses for want in wants(plan)}
    assert refuses['REG001'] is False
    assert refuses['REG004'] is True
    assert plan.left_out['REG005'] == SWITCHED_OFF
    assert 'REG005' not in refuses


def test_items_are_not_named_as_the_workflow_ignores_them() -> None:
    text = f'{PLUGINS}items: {{plugin: {{ignore: ["Canary*"]}}}}\n'
    items = {want.item for want in wants(planned(text))}
    assert 'KanarieREG001' in items


def test_a_workflow_outside_of_the_repository_cannot_be_broken_there() -> None:
    known = workflow(PLUGINS)
    plan = plans.plan(GovernedTree(known, None, None))
    codes = {want.code for want in wants(plan)}
    assert not {'CFG001', 'CFG002', 'CFG003', 'CFG005'} & codes
    assert 'CFG004' in codes


def test_a_baseline_stays_readable() -> None:
    known = workflow(PLUGINS)
    old = excusing('a').encode()
    plan = plans.plan(GovernedTree(known, PLUGINS.encode(), old))
    planted = plan.attempts[0].change['.interlock-baseline.json']
    assert planted is not None
    assert list(baseline.parse(planted)) == ['a', 'canary']


def test_only_a_push_shows_what_was_committed_too_late() -> None:
    gates = {want.code: want.gates for want in wants(planned(EVERYTHING))}
    assert gates['LCK006'] == gates['CFG007'] == (PUSH,)
    assert gates['LCK001'] == gates['CFG005'] == gates['TSK004'] == (COMMIT,)
    assert gates['COM007'] == gates['REG001'] == (COMMIT, PUSH)
    assert planned(EVERYTHING).local >= {'LCK001', 'CFG005'}


def test_a_lock_of_somebody_else_breaks_the_rules_about_locks() -> None:
    plan = planned(TASKS)
    kind = workflow(TASKS).kinds[0]
    assert kind.protocol is not None
    data = plan.in_task[0].lock or b''
    read = locks.parse(Blob('', len(data), data), kind.protocol.lock_keys)
    found = {
        each.code
        for rule in (of_lock, of_log)
        for each in rule(plan.task, 'task.json', read, kind)
    }
    planted = {want.code for want in plan.in_task[0].wants}
    # who holds it is told by the worktree, not by the lock
    assert planted - {'LCK001'} <= found


def test_a_sound_lock_is_sound() -> None:
    plan = planned(TASKS)
    kind = workflow(TASKS).kinds[0]
    assert kind.protocol is not None and plan.sound is not None
    data = plan.sound.lock or b''
    read = locks.parse(Blob('', len(data), data), kind.protocol.lock_keys)
    assert [*of_lock(plan.task, '', read, kind)] == []
    assert [*of_log(plan.task, '', read, kind)] == []
    assert planned(PLUGINS).sound is None
