from __future__ import annotations

from typing import Any

import pytest

from interlock.model.errors import Refusal
from interlock.workflow.language.build import build
from interlock.workflow.language.compile import compile_workflow
from interlock.workflow.language.presets import preset
from interlock.workflow.language.spec import NOTHING, Kind, Roots, Workflow


def workflow(text: str = '') -> Workflow:
    data = f'version: 1\nextends: task-protocol\n{text}'.encode()
    merged, _ = compile_workflow('.interlock.yaml', data, lambda _: None)
    return build(merged, '.interlock.yaml', '.interlock.yaml')


TASKS = workflow()
KIND: Kind = TASKS.kinds[0]

FORWARD = [
    (NOTHING, 'INIT'),
    ('INIT', 'CLASSIFIED'),
    ('CLASSIFIED', 'REQUIREMENTS'),
    ('REQUIREMENTS', 'SYNTHESIS'),
    ('SYNTHESIS', 'IMPLEMENTATION'),
    ('IMPLEMENTATION', 'VALIDATION'),
    ('VALIDATION', 'REVIEW'),
    ('REVIEW', 'AWAITING_USER_APPROVAL'),
    ('AWAITING_USER_APPROVAL', 'COMPLETE'),
    ('COMPLETE', 'CLEANUP'),
]
BACK = [
    ('REVIEW', 'IMPLEMENTATION'),
    ('AWAITING_USER_APPROVAL', 'IMPLEMENTATION'),
    ('SYNTHESIS', 'REQUIREMENTS'),
    ('IMPLEMENTATION', 'SYNTHESIS'),
    ('VALIDATION', 'SYNTHESIS'),
    ('VALIDATION', 'IMPLEMENTATION'),
    ('REQUIREMENTS', 'CLASSIFIED'),
    ('VALIDATION', 'REQUIREMENTS'),
    ('REVIEW', 'REQUIREMENTS'),
]
CONDITIONAL = [
    ('REVIEW', 'SCOPE_NEGOTIATION'),
    ('SCOPE_NEGOTIATION', 'SYNTHESIS'),
    ('SCOPE_NEGOTIATION', 'COMPLETE'),
]
SKIP = [
    ('CLASSIFIED', 'COMPLETE'),
    ('REQUIREMENTS', 'COMPLETE'),
    ('SYNTHESIS', 'COMPLETE'),
]


def steps(kind: str) -> list[tuple[str, str]]:
    return sorted(
        (origin, target)
        for line in KIND.transitions
        if line.kind == kind
        for origin in line.origins
        for target in line.targets
    )


@pytest.mark.parametrize(
    ('kind', 'expected'),
    (
        pytest.param('forward', FORWARD, id='forward'),
        pytest.param('back', BACK, id='back'),
        pytest.param('conditional', CONDITIONAL, id='conditional'),
        pytest.param('skip', SKIP, id='skip'),
    ),
)
def test_the_steps_of_a_task(kind: str, expected: list[tuple[str, str]]) -> None:
    assert steps(kind) == sorted(expected)


def test_no_step_is_of_no_kind() -> None:
    assert all(line.kind for line in KIND.transitions)


def test_every_step_back_needs_a_reason() -> None:
    assert all(line.reason for line in KIND.transitions if line.kind == 'back')


def test_every_step_but_the_first_has_a_gate() -> None:
    assert [line.targets for line in KIND.transitions if not line.gate] == [('INIT',)]


def test_a_gate_asks_for_each_condition_once() -> None:
    for line in KIND.transitions:
        assert len(set(line.gate)) == len(line.gate)


def test_agents_run_in_five_states_and_are_added_in_three() -> None:
    states = KIND.states.values()
    assert [state.name for state in states if state.agents] == [
        'REQUIREMENTS',
        'SYNTHESIS',
        'IMPLEMENTATION',
        'VALIDATION',
        'REVIEW',
    ]
    assert [state.name for state in states if state.additions] == [
        'REQUIREMENTS',
        'SYNTHESIS',
        'IMPLEMENTATION',
    ]


def test_the_roots_are_beside_each_other_or_at_the_top() -> None:
    assert TASKS.roots == (Roots('main', 'tasks'), Roots('.', '../tasks'))


def test_a_project_may_say_where_its_tasks_are() -> None:
    roots = workflow('roots: {main: trunk, tasks: work}\n').roots
    assert roots == (Roots('trunk', 'work'),)


def test_what_is_strict_is_said_at_the_top_of_the_file() -> None:
    assert (TASKS.approvals, TASKS.plan, TASKS.evidence) == (
        'flags',
        'lenient',
        'lenient',
    )
    strict = workflow('approvals: recorded\nplan: strict\nevidence: strict\n')
    assert (strict.approvals, strict.plan, strict.evidence) == (
        'recorded',
        'strict',
        'strict',
    )


def test_the_protocol_is_built_whole() -> None:
    protocol = KIND.protocol
    assert protocol is not None
    assert protocol.files.lock == '{item}/task.json'
    assert protocol.older['report'] == ('{item}/{agent}-requirements.md',)
    assert protocol.aliases['current_state'] == protocol.keys['state']
    assert protocol.main.operations == (
        'git-operation',
        'file-modification',
        'configuration-update',
    )
    assert protocol.numbers.report_bytes == 100
    assert protocol.synonyms['engineer'] == 'quality'
    assert protocol.plan.report_section in protocol.plan.sections
    assert protocol.words.ready == 'READY'
    assert {'.java', '.py'} <= set(protocol.implementation.suffixes)
    assert 'pom.xml' in protocol.implementation.files
    assert protocol.implementation.folders == ('src',)


def test_a_kind_without_a_protocol_has_none() -> None:
    data = b'version: 1\nextends: plugin-workflow\n'
    merged, _ = compile_workflow('w.yaml', data, lambda _: None)
    plugins = build(merged, 'w.yaml', 'w.yaml')
    assert plugins.kinds[0].protocol is None
    assert plugins.roots == ()


@pytest.mark.parametrize(
    ('text', 'sentence'),
    (
        pytest.param(
            'items: {task: {transitions: [{from: INIT, to: CLASSIFIED, '
            'gate: [lock-ownde]}]}}\n',
            'did you mean `lock-owned`?',
            id='condition',
        ),
        pytest.param('approvals: record\n', 'did you mean `recorded`?', id='approvals'),
        pytest.param(
            'items: {task: {protocol: {aliases: {phase: stat}}}}\n',
            'no key is named `stat`; did you mean `state`?',
            id='alias',
        ),
        pytest.param(
            'items: {task: {protocol: {skips: {LOWER: []}}}}\n',
            'no risk is named `LOWER`; did you mean `LOW`?',
            id='risk',
        ),
        pytest.param(
            'items: {task: {protocol: {report_section: Reports}}}\n',
            'no section is named `Reports`',
            id='section',
        ),
        pytest.param(
            'items: {task: {protocol: {numbers: {retries: null}}}}\n',
            'the key `retries` is missing',
            id='number',
        ),
        pytest.param(
            'items: {task: {protocol: {files: {lock: null}}}}\n',
            'the key `lock` is missing',
            id='file',
        ),
        pytest.param(
            'items: {task: {protocol: {files: {lock: /task.json}}}}\n',
            'task.json',
            id='absolute file',
        ),
        pytest.param('roots: null\n', 'the key `roots`', id='no roots'),
        pytest.param('roots: {main: a}\n', 'tasks', id='half of the roots'),
    ),
)
def test_what_does_not_fit_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(Refusal) as e:
        workflow(text)
    assert sentence in e.value.message


def test_a_protocol_needs_roots() -> None:
    text = (preset('task-protocol') or b'').decode()
    head, _, rest = text.partition('roots:\n')
    data = head + rest.partition('\n\n')[2]
    with pytest.raises(Refusal, match='the key `roots` is missing'):
        compile_workflow('w.yaml', data.encode(), lambda _: None)


def test_a_protocol_needs_every_number() -> None:
    text = (preset('task-protocol') or b'').decode()
    data = text.replace('        retries: 2\n', '')
    with pytest.raises(Refusal, match='the key `retries` is missing'):
        compile_workflow('w.yaml', data.encode(), lambda _: None)


def test_0_is_a_number_like_others() -> None:
    kind: Any = workflow('items: {task: {protocol: {numbers: {retries: 0}}}}\n').kinds[
        0
    ]
    assert kind.protocol.numbers.retries == 0
