from __future__ import annotations

from typing import Any

import pytest

from tests.handoff_document.pages import (
    PLAN,
    errors,
    found,
    judged,
    line_of,
    page,
    state,
)


@pytest.mark.parametrize(
    ('body', 'why'),
    (
        pytest.param('later', 'no yaml block', id='words'),
        pytest.param('```\na: 1\n```', 'no yaml block', id='another language'),
        pytest.param(
            '```yaml\na: 1\n```\n\n```yaml\na: 1\n```', '2 yaml blocks', id='two'
        ),
        pytest.param('```yaml\na: [\n```', 'not valid YAML', id='broken'),
        pytest.param('```yaml\na: 1\na: 2\n```', 'twice', id='a key twice'),
        pytest.param('```yaml\n- a\n```', 'not a mapping', id='list'),
        pytest.param('```yaml\n```', 'not a mapping', id='empty'),
        pytest.param('```yaml\na: !!python/x 1\n```', 'tag', id='tag'),
        pytest.param(
            '```yaml\na: &a [x,x,x,x,x,x,x,x,x]\n'
            + ''.join(
                f'{new}: &{new} [{",".join(9 * [f"*{old}"])}]\n'
                for old, new in zip('abcdefgh', 'bcdefghi', strict=True)
            )
            + '```',
            'nested too deeply',
            id='bomb',
        ),
        pytest.param(
            '```yaml\na: ' + '[' * 5000 + '\n```', 'nested too deeply', id='deep'
        ),
        pytest.param(
            '```yaml\na: ' + 'x' * (1024 * 1024) + '\n```',
            'too large',
            id='a byte too much',
        ),
    ),
)
def test_a_state_that_cannot_be_read_is_an_error(body: str, why: str) -> None:
    text = page({'1.20 State': body})
    (finding,) = found('DOC008', text)
    assert finding.severity == 'error'
    assert why in finding.message
    assert finding.line >= line_of(text, '1.20 State')


def test_two_sections_1_20_are_two_blocks() -> None:
    text = page()
    start = text.index('### 1.20')
    block = text[start : text.index('## SECTION 2')]
    (finding,) = found('DOC008', text.replace(block, block + block))
    assert '2 yaml blocks' in finding.message


@pytest.mark.parametrize(
    ('changes', 'at'),
    (
        pytest.param({'goals__ultimate': '[big picture]'}, 'ultimate:', id='text'),
        pytest.param({'mode': '[manual|auto|checkpoint]'}, 'mode: ', id='choice'),
        pytest.param(
            {'documents__impl__0__status': 'DRAFT|APPROVED'},
            '  status: DRAFT|',
            id='choice without brackets',
        ),
        pytest.param({'compaction_count': ['N']}, 'compaction_count', id='list'),
        pytest.param(
            {'skill_stack__0__resume_command': "Skill('[name]', '[args]')"},
            'resume_command',
            id='command',
        ),
        pytest.param({'todos__implicit': ['[todo1]']}, "- '[todo1]'", id='in a list'),
        pytest.param(
            {'quality_gates__0__can_skip': ['true|false']}, 'can_skip', id='flag'
        ),
    ),
)
def test_a_placeholder_is_an_error_and_told_once(
    changes: dict[str, Any], at: str
) -> None:
    text = page(None, state(**changes))
    told = [each for each in judged(text) if each.severity == 'error']
    assert [each.code for each in told] == ['DOC009']
    assert told[0].line == line_of(text, at)


@pytest.mark.parametrize(
    'changes',
    (
        pytest.param({'workflow__waiting_for': ['agent-1']}, id='flow list'),
        pytest.param({'todos__explicit__0__verification': 'a|b'}, id='pipe'),
        pytest.param(
            {
                'conversation__user_messages__0__content': '[Request interrupted by user]'
            },
            id='of the client',
        ),
        pytest.param({'goals__ultimate': '[WIP] livrer'}, id='a prefix'),
        pytest.param({'goals__ultimate': 'a [link](x)'}, id='link'),
        pytest.param({'goals__ultimate': 'this | that'}, id='a bar'),
    ),
)
def test_brackets_and_bars_of_real_values_are_no_placeholders(
    changes: dict[str, Any],
) -> None:
    assert errors(page(None, state(**changes))) == []


def test_flow_lists_of_yaml_are_no_placeholders() -> None:
    text = (
        page()
        .replace('    forbidden:\n    - edits\n', '    forbidden: ["edits"]\n')
        .replace('  waiting_for:\n  - agent-1\n', '  waiting_for: [agent-1]\n')
    )
    assert '[agent-1]' in text
    assert errors(text) == []


def test_a_gap_is_an_error_wherever_it_stands() -> None:
    text = page({'1.11 Narrative': 'x [GAP: what happened] y'})
    (finding,) = found('DOC009', text)
    assert finding.line == line_of(text, '[GAP')
    assert finding.message == 'a gap is left: GAP: what happened'
    assert finding.severity == 'error'


def test_a_placeholder_for_readers_is_a_warning() -> None:
    text = page(
        {
            '1.2 Goals': '- **Ultimate Goal:** [big picture]',
            '1.15 D': '| Decision | Rationale | Confirmed | Binding |\n'
            '|---|---|---|---|\n| [decision] | x | Yes | SESSION |',
        }
    )
    assert [(each.severity, each.found) for each in found('DOC009', text)] == [
        ('warning', '[big picture]'),
        ('warning', '[decision]'),
    ]


TEMPLATE = {
    '1.3 Concepts': (
        '- [Tech/framework]: [usage]\n- [Pattern]: [why chosen]',
        ['[Tech/framework]', '[usage]', '[Pattern]', '[why chosen]'],
    ),
    '1.5 Changes': (
        '**Main Agent:** a.py\n**Subagents:** Agent [ID]: [changes]',
        ['[ID]', '[changes]'],
    ),
    '1.9 Plans': (
        f'{PLAN}\n\n```\nDOC: {PLAN}\nCompleted: [sections]\n```',
        ['[sections]'],
    ),
    '1.12 Artifacts': (
        '```bash\n[command] # Result: [summary]\n```\n\n'
        '**Discrepancies:** [File X]: expected [Y], has [Z]',
        ['[command]', '[summary]', '[File X]', '[Y]', '[Z]'],
    ),
    '1.13 Verification': (
        '**Structural:** [File X] has sections [list]',
        ['[File X]', '[list]'],
    ),
    '1.19 Environment': (
        '```bash\ngit branch  # Expected: [branch], [N] uncommitted\n'
        'ls -la [path]\n[check]  # Expected: [result]\n```',
        ['[branch]', '[N]', '[path]', '[check]', '[result]'],
    ),
    '1.21 Done': (
        '- [ ] [Structural requirement + verification]\n- [x] tout',
        ['[Structural requirement + verification]'],
    ),
    '1.25 Conversation': ('- [anti-pattern 1]', ['[anti-pattern 1]']),
    'Step 0: Smoke': (
        '```bash\npwd  # Expected: [path]\n'
        'test -f [critical-file] && echo OK\n'
        'git status --porcelain | wc -l  # Expected: ~[N]\n```',
        ['[path]', '[critical-file]', '[N]'],
    ),
}


@pytest.mark.parametrize('title', TEMPLATE)
def test_a_placeholder_in_a_line_is_found(title: str) -> None:
    body, expected = TEMPLATE[title]
    told = found('DOC009', page({title: body}))
    assert [each.found for each in told] == expected
    assert {each.severity for each in told} == {'warning'}


@pytest.mark.parametrize(
    'title', [title for title in TEMPLATE if not title.startswith('1.9')]
)
@pytest.mark.parametrize(
    'line',
    (
        '- [x] fait',
        '- [ ] à faire: `make test`',
        'see [the docs](x.md)',
        'see [the docs][1]',
        '[docs]: https://é.example',
        'a list[str]',
        'tr [a-z] [A-Z]',
        '[INFO] BUILD SUCCESS',
        'make  # Result: [OK]',
        'git commit  # Result: [main 1a2b3c4] Add x',
        '[ -f x ] && echo OK',
        '[[ -f x ]]',
        'ls *.[ch]',
        'pip install "x[dev]"',
        '`[path]` is read',
        'done [1]',
        '["a", "b"]',
        'uvicorn[standard]: serve',
        '[100%] passed',
        'Agent [agent-1]: tests',
        'Agent [essayeuse]: tests',
        '[^note]',
    ),
)
def test_other_brackets_are_left_alone(title: str, line: str) -> None:
    assert found('DOC009', page({title: line})) == []


@pytest.mark.parametrize(
    ('code', 'changes'),
    (
        pytest.param('DOC010', {'skill_stack__0__constraints': ...}, id='constraints'),
        pytest.param(
            'DOC010', {'skill_stack__0__constraints': {'forbidden': []}}, id='required'
        ),
        pytest.param('DOC011', {'subagents__0__skill_stack': ...}, id='skill stack'),
        pytest.param(
            'DOC012', {'conversation__corrections__0__lesson': ...}, id='lesson'
        ),
        pytest.param(
            'DOC012', {'conversation__corrections__0__lesson': ' '}, id='empty lesson'
        ),
        pytest.param('DOC034', {'subagents__0__id': ...}, id='id'),
        pytest.param('DOC034', {'subagents__0__id': ''}, id='empty id'),
        pytest.param('DOC034', {'subagents__0__persona': ...}, id='persona'),
        pytest.param('DOC034', {'subagents__0__persona': None}, id='null persona'),
        pytest.param('DOC035', {'format_version': '2.0'}, id='version'),
        pytest.param('DOC035', {'session_id': 'abc'}, id='uuid'),
        pytest.param('DOC035', {'timestamp': 'yesterday'}, id='time'),
        pytest.param('DOC035', {'compaction_count': 'two'}, id='count'),
        pytest.param('DOC035', {'compaction_count': 1.5}, id='fraction'),
        pytest.param('DOC035', {'skill_stack__0__iteration': 'one'}, id='iteration'),
        pytest.param('DOC035', {'goals': ...}, id='missing key'),
        pytest.param('DOC035', {'gaols': {}}, id='unknown key'),
        pytest.param(
            'DOC035',
            {
                'identity__mode_context': {
                    'persona': 'a',
                    'context': 'b',
                    'undertow': 'c',
                }
            },
            id='context without fun',
        ),
        pytest.param('DOC035', {'identity__mode': 'fun'}, id='fun without context'),
        pytest.param(
            'DOC030',
            {'skill_stack__0__resume_command': 'Bash("rm -rf /")'},
            id='dangerous command',
        ),
    ),
)
def test_a_state_that_breaks_its_schema_is_an_error(
    code: str, changes: dict[str, Any]
) -> None:
    assert code in errors(page(None, state(**changes)))


@pytest.mark.parametrize(
    'changes',
    (
        pytest.param({'subagents': []}, id='no subagents'),
        pytest.param(
            {'skill_stack__0__constraints': {'forbidden': [], 'required': []}},
            id='empty constraints',
        ),
        pytest.param({'conversation__corrections': []}, id='no corrections'),
        pytest.param(
            {
                'identity__mode': 'fun',
                'identity__mode_context': {
                    'persona': 'a',
                    'context': 'b',
                    'undertow': 'c',
                },
            },
            id='fun with context',
        ),
    ),
)
def test_lists_may_be_empty(changes: dict[str, Any]) -> None:
    assert errors(page(None, state(**changes))) == []


@pytest.mark.parametrize(
    'path',
    (
        'mode',
        'identity__mode',
        'identity__role',
        'subagents__0__status',
        'workflow__pattern',
        'todos__explicit__0__status',
        'todos__explicit__0__priority',
        'documents__impl__0__status',
        'decisions__binding__0__binding',
        'conversation__user_messages__0__type',
        'artifacts__files__0__status',
        'quality_gates__0__status',
    ),
)
def test_every_word_of_a_list_is_checked(path: str) -> None:
    text = page(None, state(**{path: 'nightly'}))
    (finding,) = found('DOC013', text)
    assert finding.severity == 'error'
    assert finding.line == line_of(text, 'nightly')


def test_failed_is_a_status_of_a_subagent() -> None:
    text = page(None, state(subagents__0__status='failed'))
    assert found('DOC013', text) == []


def test_the_name_of_the_project_is_made_from_its_path() -> None:
    text = page(None, state(project_encoded='café'))
    (finding,) = found('DOC014', text)
    assert finding.expected == 'srv-café'
    assert finding.line == line_of(text, 'project_encoded')


@pytest.mark.parametrize('status', ('FAILED', 'PENDING'))
def test_a_gate_that_is_not_passed_cannot_be_skipped(status: str) -> None:
    text = page(
        None, state(quality_gates__0__status=status, quality_gates__0__can_skip=True)
    )
    (finding,) = found('DOC040', text)
    assert finding.severity == 'error'
    assert finding.line == line_of(text, 'can_skip')


@pytest.mark.parametrize('status', ('PASSED', 'RECHECK'))
def test_a_gate_that_was_passed_may_be_skipped(status: str) -> None:
    text = page(
        None, state(quality_gates__0__status=status, quality_gates__0__can_skip=True)
    )
    assert found('DOC040', text) == []
