from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.handoff_document.case import RULES
from interlock.handoff_document.check import check
from interlock.model.change import Blob
from interlock.model.finding import SEVERITIES
from interlock.state.transcript import Transcript
from tests.documents.strategies import any_bytes
from tests.handoff_document.pages import STATE, facts, page, state
from tests.profiles import some

PIECES = (
    '## SECTION 0',
    '### 0.1 x',
    '### 0.2',
    '### 0.3',
    '## SECTION 1',
    '### 1.1',
    '#### Main agent',
    '### 1.8',
    '### 1.9',
    '### 1.10',
    '### 1.12',
    '### 1.13',
    '### 1.14',
    '### 1.19',
    '### 1.20',
    '### 1.21',
    '### 1.23',
    '### 1.25',
    '## SECTION 2',
    '',
    '```',
    '```yaml',
    'Skill("a"',
    'Read("/x.md")',
    'TodoWrite([1])',
    'TodoWrite([])',
    '| Path | Status |',
    '|---|---|',
    '| | |',
    '| x | y |',
    '| [a] |',
    '**Main Agent Todos:**',
    '- [x] a (pending)',
    '- **Exact Position:** x',
    'mode: auto',
    'todos: [1]',
    'subagents: {a: 1}',
    'quality_gates:',
    '- status: FAILED',
    '  explicit:',
    '# Result: x',
    '# Expected: a, 3',
    '[GAP: x]',
    'NO DOCUMENTS',
    '<!--',
    'é,',
    '- [ ] `x`',
)
documents = st.lists(st.sampled_from(PIECES), max_size=40).map('\n'.join)


@settings(max_examples=some(200), deadline=None)
@given(st.one_of(documents.map(str.encode), any_bytes))
def test_any_bytes_are_judged_and_findings_are_complete(data: bytes) -> None:
    session = Transcript(
        todos=({'content': 1},),
        skills=('x',),
        errors=('', 'é'),
        paths=('/x-plan.md', 'rel'),
    )
    lines = data.count(b'\n') + 1
    for finding in check('à.md', Blob('', 0, data), facts(), session, ''):
        assert 1 <= finding.line <= lines
        assert finding.item == 'à.md'
        assert finding.message
        assert '\n' not in finding.message
        assert finding.severity in SEVERITIES
        assert finding.fix.step


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(
                [
                    'path',
                    'status',
                    'content',
                    'id',
                    'explicit',
                    'files',
                    'checkpoints',
                    'git_ref',
                    'name',
                    'parent',
                    'must_read',
                ]
            ),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)


@settings(max_examples=some(200), deadline=None)
@given(st.sampled_from(sorted(STATE)), values)
def test_any_value_in_the_state_is_judged(key: str, value: object) -> None:
    text = page(None, state(**{key: value}))
    data = text.encode(errors='replace')
    for finding in check('x.md', Blob('', len(data), data), facts()):
        assert finding.message


def test_findings_come_in_the_order_of_their_lines() -> None:
    data = page({'0.1 W': 'x', '0.2 R': 'x', '1.10 A': 'x'}).encode()
    found = check('x.md', Blob('', len(data), data), facts())
    assert [f.line for f in found] == sorted(f.line for f in found)


def test_no_rule_is_run_twice() -> None:
    assert len(set(RULES)) == len(RULES)


@pytest.mark.parametrize(
    'body',
    (
        pytest.param('Read(' * 5_000, id='open calls'),
        pytest.param('x' * 60_000, id='one long word'),
        pytest.param('-' * 60_000, id='dashes'),
        pytest.param(' ' * 60_000 + 'x', id='spaces'),
        pytest.param('[' * 60_000, id='brackets'),
        pytest.param('|' * 60_000, id='bars'),
        pytest.param('*' * 60_000, id='stars'),
        pytest.param('`' * 60_000, id='backquotes'),
        pytest.param('TODO: x\n' * 5_000, id='many markers'),
        pytest.param('#### x\n' * 5_000, id='many headings'),
        pytest.param('--plan' * 10_000, id='options'),
    ),
)
@pytest.mark.parametrize(
    'title', ('0.2 Reads', '1.8 Pending', '1.9 Plans', '1.23 Entry')
)
def test_no_document_takes_for_ever(title: str, body: str) -> None:
    # a rule that tries every pair of characters would not come back
    data = page({title: body}).encode()
    assert check('x.md', Blob('', len(data), data), facts())
