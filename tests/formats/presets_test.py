"""Every agreement of the presets: what breaks it, beside what nearly does."""

from __future__ import annotations

import functools
from collections import Counter
from types import ModuleType

import pytest

from interlock.checks.run import judge
from interlock.model.change import Change, Nothing
from interlock.workflow.agreements.agreement_pages import described
from interlock.workflow.language.spec import Workflow
from tests.formats import backlog_md, bmad, gsd, kiro, openspec, spec_kit, task_master
from tests.formats.trees import Case, MemorySnapshot, compiled, edited, findings, rules

FORMATS: dict[str, ModuleType] = {
    'backlog-md': backlog_md,
    'bmad': bmad,
    'gsd': gsd,
    'kiro': kiro,
    'openspec': openspec,
    'spec-kit': spec_kit,
    'task-master': task_master,
}
CASES = [
    pytest.param(name, case, id=f'{name}-{case.rule}-{case.id}')
    for name, module in FORMATS.items()
    for case in module.CASES
]


# of what changes a frozen file
FROZEN = 'CON007'


@functools.cache
def workflow_of(name: str) -> Workflow:
    return compiled(f'version: 1\nextends: {name}\n')


@pytest.mark.parametrize(('name', 'case'), CASES)
def test_an_agreement(name: str, case: Case) -> None:
    before = edited(FORMATS[name].BASE, case.given)
    after = edited(before, case.edits)
    found = rules(workflow_of(name), before, after, **case.trailers)
    assert (case.rule in found) == case.found, found


@pytest.mark.parametrize('name', FORMATS)
def test_nobody_is_sent_to_edit_a_file_that_is_frozen(name: str) -> None:
    workflow = workflow_of(name)
    for case in FORMATS[name].CASES:
        before = edited(FORMATS[name].BASE, case.given)
        after = edited(before, case.edits)
        found = findings(workflow, before, after, **case.trailers)
        frozen = {each.path for each in found if each.code == FROZEN}
        for path in {each.path for each in found if not each.fix.command} - frozen:
            more = {**after, path: after.get(path, '') + '\nmore\n'}
            broken = findings(workflow, before, more, **case.trailers)
            again = {each.path for each in broken if each.code == FROZEN}
            assert path not in again, (case.id, path)


@pytest.mark.parametrize('name', FORMATS)
def test_the_base_is_clean(name: str) -> None:
    base = FORMATS[name].BASE
    assert rules(workflow_of(name), {}, base) == set()
    assert rules(workflow_of(name), base, base) == set()


@pytest.mark.parametrize('name', FORMATS)
def test_a_whole_tree_is_judged(name: str) -> None:
    """As `check --tree`, `status` and a baseline do: nothing is touched."""
    case = next(
        each
        for each in FORMATS[name].CASES
        if each.found and not each.rule.endswith(('-edited', '-after-start'))
    )
    tree = edited(edited(FORMATS[name].BASE, case.given), case.edits)
    whole = Change(Nothing(), MemorySnapshot(tree), {}, None, everything=True)
    found = judge([whole], workflow_of(name), ('registry', 'contracts'))
    assert case.rule in {each.rule for each in found}


@pytest.mark.parametrize('name', FORMATS)
def test_a_baseline_takes_all_that_is_wrong_with_a_tree(name: str) -> None:
    for case in FORMATS[name].CASES:
        tree = edited(edited(FORMATS[name].BASE, case.given), case.edits)
        whole = Change(Nothing(), MemorySnapshot(tree), {}, None, everything=True)
        found = judge([whole], workflow_of(name), ('registry', 'contracts'))
        assert [each.rule for each in found if not each.standing] == [], case.id


def test_every_agreement_has_three_violations_and_three_near_misses() -> None:
    counts = Counter(
        (name, case.rule, case.found)
        for name, module in FORMATS.items()
        for case in module.CASES
    )
    missing = [
        (each.preset, each.name, found)
        for each in described()
        for found in (True, False)
        if counts[each.preset, each.name, found] < 3
    ]
    assert missing == []
    known = {(each.preset, each.name) for each in described()}
    assert {(name, rule) for name, rule, _ in counts} == known


def test_presets_can_be_extended_together() -> None:
    kinds = [kind.name for name in FORMATS for kind in workflow_of(name).recorded]
    assert len(set(kinds)) == len(kinds)
    names = ', '.join(FORMATS)
    together = compiled(f'version: 1\nextends: [{names}]\n')
    assert [kind.name for kind in together.recorded] == kinds
