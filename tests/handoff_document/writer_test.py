from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.documents import yaml
from interlock.handoff_document.document import Document, parse
from interlock.handoff_document.draft import Commit, SessionFacts, without_gaps
from interlock.handoff_document.outline import outline
from interlock.handoff_document.writer import write_document
from interlock.model.change import Blob
from interlock.state.validate import invalid_values
from tests.handoff_document.pages import DESIGN, PLAN, STATE, TOP, facts, found, judged
from tests.profiles import some

NOW = '2026-02-19T10:00:00Z'


def known(**changes: Any) -> SessionFacts:
    values: dict[str, Any] = {
        'mode': 'manual',
        'project': TOP,
        'session': STATE['session_id'],
        'now': NOW,
        'saved': {},
        'environment': {'git_branch': 'main', 'git_status': 'clean', 'worktrees': []},
        'plans': (),
        'plans_root': '/plans',
        'sound': (),
        'items': (),
        'locks': (),
        'changed': (),
        'outdated': lambda gate: False,
    }
    return SessionFacts(**{**values, **changes})


def read(text: str) -> Document:
    data = text.encode()
    return parse(Blob('', len(data), data))


def test_every_section_of_the_outline_is_written_once_and_in_order() -> None:
    text, _ = write_document(known())
    sections = [section.spec.id for section in read(text).sections]
    assert sections == list(outline().sections)
    assert found('DOC031', text) == []


def test_what_is_not_known_is_a_gap_that_the_check_reports() -> None:
    text, state = write_document(known())
    gaps = [f for f in found('DOC009', text) if f.severity == 'error']
    lines = [
        number for number, line in enumerate(text.split('\n'), 1) if '[GAP' in line
    ]
    assert [f.line for f in gaps] == lines
    assert state['goals']['ultimate'] == '[GAP: goals.ultimate]'
    told = judged(text, facts(plans=()))
    assert {f.code for f in told if f.severity == 'error'} == {
        'DOC001',
        'DOC004',
        'DOC009',
    }


def test_a_gap_is_told_once() -> None:
    text, _ = write_document(known())
    told = [(f.line, f.code) for f in judged(text)]
    assert len(told) == len(set(told))


def test_a_saved_state_leaves_only_gaps_for_what_no_state_holds() -> None:
    text, state = write_document(known(saved=STATE, plans=(PLAN,)))
    assert invalid_values(state, complete=True) == []
    assert {(f.code, f.severity) for f in judged(text) if f.severity == 'error'} == {
        ('DOC009', 'error')
    }
    assert read(text).state.data == state
    assert [f.code for f in judged(text) if f.severity != 'error'] == []


def filled(text: str) -> str:
    """A person has filled the gaps."""
    for mark, value in (
        ('[GAP: Tracking?]', 'Yes'),
        ('[GAP: Confirmed]', 'Yes'),
        ('[GAP: Re-Read Priority]', 'HIGH'),
        ('[GAP: a condition, with the `command` that checks it]', 'Prêt: `make test`'),
    ):
        text = text.replace(mark, value)
    import re

    return re.sub(r'\[GAP: [^\]]*\]', 'dit', text)


def test_a_document_whose_gaps_are_filled_has_no_finding() -> None:
    text, _ = write_document(known(saved=STATE, plans=(PLAN,)))
    assert judged(filled(text)) == []


def test_what_is_null_is_never_called_none() -> None:
    saved = {
        'skill_stack': [{'name': 'déployer', 'resume_command': None}],
        'subagents': [{'id': 'a', 'status': 'running'}],
        'todos': {'explicit': [{'content': 'x', 'status': 'pending'}]},
        'decisions': {'binding': [{'decision': 'd', 'rationale': None}]},
        'conversation': {
            'errors': [{'error': 'boom', 'fix': None}],
            'corrections': [{'correction': 'c'}],
        },
        'artifacts': {
            'files': [{'path': '/x', 'status': 'missing'}],
            'verification_results': [{'command': 'x', 'passed': False}],
        },
    }
    document = read(write_document(known(saved=saved, plans=(PLAN,)))[0])
    for section in document.sections:
        if section.spec.id != '1.20':
            assert 'None' not in '\n'.join(line for _, line in section.lines)
    for id in ('0.1', '1.14', '1.23'):
        (call,) = document.calls(id, 'skill')
        assert call.texts == ('déployer',)
    assert 'boom: how it was fixed is not recorded' in '\n'.join(
        line for _, line in document.lines('1.6')
    )


def test_the_tree_of_skills_is_drawn() -> None:
    skill = STATE['skill_stack'][0]
    saved = {
        **STATE,
        'skill_stack': [
            {**skill, 'name': 'cuire', 'parent': 'bâtir', 'step': 'Étape 2'},
            skill,
            {**skill, 'name': 'seul', 'phase': None, 'step': None},
        ],
    }
    document = read(write_document(known(saved=saved, plans=(PLAN,)))[0])
    section = document.get('1.1.1')
    assert section is not None
    (fence,) = section.fences
    assert fence.text.rstrip('\n').split('\n') == [
        'seul',
        'bâtir (Phase 3, Task 7)',
        '  └── cuire (Phase 3, Étape 2)',
        '        └── agent-1: tests (running)',
    ]


def test_plans_that_were_found_are_listed_and_read() -> None:
    text, state = write_document(known(plans=(PLAN, DESIGN, '/plans/x.md')))
    paths = {
        kind: [row['path'] for row in rows] for kind, rows in state['documents'].items()
    }
    assert paths == {
        'design': [DESIGN],
        'impl': [PLAN, '/plans/x.md'],
        'must_read': [PLAN, '/plans/x.md', DESIGN],
    }
    world = facts((PLAN, DESIGN, '/plans/x.md'), plans=(PLAN, DESIGN))
    assert found('DOC006', text, world) == found('DOC007', text, world) == []


def test_a_plan_whose_name_says_no_kind_is_listed_too() -> None:
    odd = f'{TOP}/fahrplan.txt'
    text, state = write_document(known(plans=(odd,)))
    assert [row['path'] for row in state['documents']['impl']] == [odd]
    assert found('DOC006', text, facts((odd,), plans=(odd,))) == []


def test_without_plans_it_is_said() -> None:
    text, _ = write_document(known())
    document = read(text)
    for id in ('0.2', '1.9', '1.10'):
        assert document.says_nothing(id)


def test_checkpoints_are_proposed_from_sound_commits() -> None:
    _, state = write_document(known(sound=(Commit('abc123', 'feat: café'),)))
    (point,) = state['recovery']['checkpoints']
    assert point['name'] == 'feat: café'
    assert point['git_ref'] == 'abc123'
    assert 'abc123' in point['command']


def test_a_passed_gate_is_rechecked_if_its_files_changed() -> None:
    _, state = write_document(known(saved=STATE, outdated=lambda gate: True))
    assert state['quality_gates'][0]['status'] == 'RECHECK'
    _, state = write_document(known(saved=STATE))
    assert state['quality_gates'][0]['status'] == 'PASSED'


def test_the_environment_is_that_of_git() -> None:
    tree = {'path': '/srv/w', 'branch': 'b'}
    saved = {
        'environment': {
            'worktrees': [
                {**tree, 'branch': 'old', 'purpose': 'essais', 'assigned_to': 'a'}
            ]
        }
    }
    _, state = write_document(
        known(
            saved=saved,
            environment={
                'git_branch': 'main',
                'git_status': '2 uncommitted',
                'worktrees': [tree],
            },
        )
    )
    assert state['environment'] == {
        'git_branch': 'main',
        'git_status': '2 uncommitted',
        'worktrees': [{**tree, 'purpose': 'essais', 'assigned_to': 'a'}],
    }


def test_items_under_way_and_changed_files_are_told() -> None:
    text, _ = write_document(known(items=('Bravo at Stage 2',), changed=('à.py',)))
    assert '**Items under way:** Bravo at Stage 2' in text
    assert '- `à.py`' in text


def test_locks_are_told() -> None:
    held = ('bâtir held by session 1', 'main held by session 2')
    text, _ = write_document(known(locks=held))
    assert f'- **Locks:** {"; ".join(held)}\n' in text
    assert '- **Locks:** NONE\n' in write_document(known())[0]


def test_a_session_that_nobody_names_is_a_gap() -> None:
    _, state = write_document(known(session=''))
    assert state['session_id'] == '[GAP: session_id]'


def test_what_is_saved_has_no_gaps() -> None:
    _, state = write_document(known())
    saved = without_gaps(state)
    assert 'GAP' not in yaml.dump(saved)
    assert invalid_values(saved) == []
    assert saved['documents'] == {'design': [], 'impl': [], 'must_read': []}


texts = st.text(min_size=1, max_size=40).filter(
    lambda text: text.strip() and not text.startswith('[')
)


@settings(max_examples=some(100), deadline=None)
@given(texts, st.sampled_from(['pending', 'in_progress', 'completed']))
def test_any_todo_is_restored_as_it_is(content: str, status: str) -> None:
    todo = {
        'id': '1',
        'content': content,
        'status': status,
        'priority': 'low',
        'verification': None,
        'delegated_to': None,
    }
    text, _ = write_document(
        known(
            saved={
                **STATE,
                'todos': {'explicit': [todo], 'implicit': [], 'blockers': []},
            }
        )
    )
    document = read(text)
    (call,) = document.calls('0.3', 'todos')
    (entry,) = call.json
    assert entry['content'] == content
    assert document.state.data['todos']['explicit'][0]['content'] == content


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=12,
)


@settings(max_examples=some(200), deadline=None)
@given(st.dictionaries(st.text(max_size=8), json_values, max_size=4))
def test_what_is_dumped_is_read_back(value: dict[str, Any]) -> None:
    assert yaml.value(yaml.parse(yaml.dump(value))) == value


@pytest.mark.parametrize('text', ('2026-01-02', '3.10', 'off', 'null', '~', '1e3'))
def test_texts_that_look_like_values_stay_texts(text: str) -> None:
    assert yaml.value(yaml.parse(yaml.dump({'a': text}))) == {'a': text}
