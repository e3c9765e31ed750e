"""Whatever stands in the files of a task, no condition fails to answer."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.documents.tasks import approvals
from interlock.tasks.conditions.advice import advise, resumption
from interlock.tasks.conditions.gate import CONDITIONS, judge
from interlock.tasks.conditions.view import Agent, Trail
from tests.profiles import some
from tests.tasks.conditions.views import AGENT, FIELDS, view

WORDS = st.sampled_from(
    ['', 'architect', 'REVIEW', 'REJECTED', '2026-01-02T03:04:05Z', 'é\n']
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | WORDS | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    'agent',
                    'of',
                    'to',
                    'from',
                    'timestamp',
                    'justification',
                    'added_at_state',
                    'evidence',
                    'agent_name',
                    'status',
                    'type',
                    'approved',
                    'architect',
                    'SYNTHESIS',
                    'sha256',
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=8,
)
ROLES = (*FIELDS, 'log', 'agents', 'additions', 'approvals', 'presented', 'checkpoint')
SECTION = st.lists(
    st.dictionaries(
        st.sampled_from(['agent_name', 'status', 'result', 'tests_failed']), JSON
    ),
    max_size=2,
).map(tuple)


@given(
    st.dictionaries(st.sampled_from(ROLES), JSON),
    st.builds(
        Agent,
        name=WORDS,
        status=WORDS,
        decision=WORDS,
        remaining=WORDS,
        written=WORDS,
        ended=WORDS,
        reviewed=WORDS,
        reported=WORDS,
        report=st.none() | st.integers(0, 200),
    ),
    st.dictionaries(
        st.sampled_from(['agent_invocations', 'build_verifications', 'commits']),
        SECTION,
    ),
    st.text(max_size=40),
)
@settings(max_examples=some(300), deadline=None)
def test_every_condition_answers(
    fields: dict[str, Any], agent: Agent, sections: dict[str, Any], plan: str
) -> None:
    at = view(
        fields=fields,
        agents=(AGENT, agent),
        plan=plan,
        trail=Trail(sections=sections),
        approvals=tuple(approvals.approvals(fields.get('approvals'))),
        presented=approvals.presented(fields.get('presented')),
        checkpoint=approvals.checkpoint(fields.get('checkpoint')),
    )
    verdicts = judge(at, CONDITIONS)
    assert {each.name for each in verdicts} == set(CONDITIONS)
    assert all('\n' not in each.message for each in verdicts)
    assert resumption(at).name
    assert advise(agent, at).action
