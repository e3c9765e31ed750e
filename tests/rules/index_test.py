from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import interlock
from interlock.checks.all_checks import CHECKS
from interlock.handoff_document.outline import outline
from interlock.model.finding import SEVERITIES, Rule
from interlock.rules.index import RULES
from tests.each import each

CODE_RE = re.compile(r'[A-Z]{3}[0-9]{3}')
OWNERS = {'STA': {'state'}, 'CLD': {'claude'}}
for _check in CHECKS.values():
    for _prefix in _check.rules:
        OWNERS.setdefault(_prefix, set()).add(_check.name)
RELEASED = ('0.1.0', '0.2.0')
MESSAGE_CODES = {'COM002', 'COM004', 'COM005', 'COM006', 'COM008', 'COM009'}
OF_ENGINES = {'LCK009', 'LCK011', 'LCK012', 'LCK013', 'LCK014'}
WARNINGS = {
    'REG004',
    'REG006',
    'REG011',
    'REG015',
    'CON004',
    'COM003',
    'COM006',
    'COM008',
    'COM009',
    'HND006',
    'HND007',
    'HND010',
    'CFG001',
    'CFG004',
    'CFG005',
    'CFG007',
    'STA010',
    'CLD004',
    'CLD010',
    *(f'DOC{n:03}' for n in (19, 27, 28, 29, 31, 37, 38, 39, *range(41, 49))),
    'LCK004',
    'LCK008',
    'LCK010',
    'GAT010',
    'GAT012',
    'GAT032',
    *(f'GAT{n:03}' for n in range(41, 54)),
}
INFOS = {'REG012', 'REG013', 'REG014', 'HND008', 'HND009', 'TSK005', 'TSK008'}
PACKAGE = Path(str(interlock.__file__)).parent
TESTS = Path(__file__).parents[1]
CHECK_FILES = sorted((PACKAGE / 'checks').glob('*.py'))
DOCUMENT_FILES = sorted((PACKAGE / 'handoff_document').rglob('*.py'))
# rules about what is asked for, and not about a change
ASKED = {'state', 'claude'}
# what several checks share, and what no check can see from a change: there
# is no workflow to run it by, or it is asked of a task by a command
ELSEWHERE = (
    PACKAGE / 'engine/judge.py',
    PACKAGE / 'project/task_findings.py',
    PACKAGE / 'checks/task_files.py',
    *sorted((PACKAGE / 'tasks/conditions').glob('*.py')),
)

every_rule = each(RULES)


def literals(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text(encoding='UTF-8'))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if CODE_RE.fullmatch(node.value):
                yield node.value


def used() -> dict[str, set[str]]:
    """Which codes stand in the files of which check."""
    found: dict[str, set[str]] = {}
    for file in CHECK_FILES:
        if file not in ELSEWHERE:
            check = file.stem.partition('_')[0]
            found.setdefault(check, set()).update(literals(file))
    for file in ELSEWHERE:
        for code in literals(file):
            found.setdefault(RULES[code].check, set()).add(code)
    return found


PUBLISHED = (
    *(f'REG{n:03}' for n in (*range(1, 9), *range(10, 16))),
    *(f'CON{n:03}' for n in range(1, 7)),
    *(f'STG{n:03}' for n in range(1, 6)),
    *(f'COM{n:03}' for n in range(1, 8)),
    *(f'HND{n:03}' for n in range(1, 11)),
    *(f'DOC{n:03}' for n in (*range(1, 20), *range(27, 49))),
    *(f'LCK{n:03}' for n in range(1, 6)),
    *(f'CLD{n:03}' for n in range(1, 16)),
)


@each({code: code for code in PUBLISHED})
def test_a_published_code_stays(code: str) -> None:
    assert RULES[code].code == code


@every_rule
def test_a_prefix_belongs_to_its_check(rule: Rule) -> None:
    assert CODE_RE.fullmatch(rule.code)
    assert rule.check in OWNERS[rule.code[:3]]
    assert rule.check in {*CHECKS, *ASKED}
    if rule.code.startswith('COM') and rule.since in RELEASED:
        expected = 'message' if rule.code in MESSAGE_CODES else 'commit'
        assert rule.check == expected


@every_rule
def test_a_rule_has_its_published_severity(rule: Rule) -> None:
    assert rule.severity in SEVERITIES
    if rule.since not in RELEASED:
        return
    assert (rule.severity == 'warning') == (rule.code in WARNINGS)
    assert (rule.severity == 'info') == (rule.code in INFOS)


@every_rule
def test_a_rule_is_documented(rule: Rule) -> None:
    # a title goes on behind the code, the rest are sentences
    assert rule.title[0].islower()
    assert len(rule.title) <= 72
    assert not rule.title.endswith('.')
    for text in (rule.why, rule.fix):
        assert text[0].isupper()
        assert text.endswith('.')
        assert '  ' not in text
    assert len(rule.why) >= 40


def test_a_test_names_every_rule() -> None:
    # these only list codes
    lists = {Path(__file__), TESTS / 'doctor/canary/plan_test.py'}
    texts = [path.read_text() for path in {*TESTS.rglob('*_test.py')} - lists]
    assert [code for code in RULES if not any(code in text for text in texts)] == []


def test_titles_tell_rules_apart() -> None:
    assert len({rule.title for rule in RULES.values()}) == len(RULES)


def test_a_check_raises_its_own_codes_and_all_of_them() -> None:
    expected: dict[str, set[str]] = {}
    for rule in RULES.values():
        if rule.check in ASKED:
            continue
        expected.setdefault(rule.check, set()).add(rule.code)
    found = {check: codes for check, codes in used().items() if codes}
    # its rules need no change: they judge a file
    found['document'] = {code for file in DOCUMENT_FILES for code in literals(file)}
    # and some of them are data
    found['document'] |= {each.code for each in outline().runnable}
    # and those of engines are about records that no tree holds
    found['locks'] |= OF_ENGINES
    assert found == expected


def test_a_guard_raises_codes_that_there_are() -> None:
    """Its own, and all of them; of the checks, only such as there are."""
    code = re.compile(rf'\b(?:{"|".join(OWNERS)})[0-9]{{3}}\b')
    found = {
        match
        for folder in ('agents', 'guard')
        for file in (PACKAGE / folder).rglob('*.py')
        for match in code.findall(file.read_text(encoding='UTF-8'))
    }
    assert found <= set(RULES)
    own = {code for code in RULES if code.startswith('CLD')}
    assert own <= found
