from __future__ import annotations

import json
import re

import pytest

from interlock.model.finding import Finding, Fix
from interlock.model.fixes import say_why
from interlock.model.report import Report
from interlock.report.causes import with_causes
from interlock.report.ci_formats import render_summary
from interlock.report.terminal import paint, wants_colour
from interlock.report.text import render
from interlock.rules.index import RULES
from tests.report.findings import ALL, BAD, ERROR, INFO, WARNING, Terminal

TEXT = """\
0123456789 PLUGINS.md:7: error: REG001 Größe: the row says `🚧 Stage 3`, the entry \
says `🚧 Stage 2`
    fix the row: interlock check --worktree --fix
plugins/Bravo/x y.md:1: warning: HND006 Bravo: the section `Next Steps` is missing \
(inherited)
    correct the file by hand: 'plugins/Bravo/x y.md':1
commit: info: REG014 Charlie: it is not registered
    add it: true
interlock: refused: 1 error, 1 warning, 1 info; 1 inherited \
(interlock explain REG001)"""


def test_a_report_says_where_what_and_how_to_fix_it() -> None:
    assert render(ALL, 'text') == TEXT


def test_a_quiet_report_leaves_out_how_to_fix_it() -> None:
    lines = TEXT.split('\n')
    assert render(ALL, 'text', verbosity=-1).split('\n') == [
        line for line in lines if not line.startswith('    ')
    ]


STEP = ERROR._replace(
    code='STG001',
    expected='Stage 1',
    found='Stage 3.1',
    fix=Fix('set it back', 'interlock registry set-status Größe Stage 1'),
)
SIDE = ERROR._replace(
    code='COM001', message='what follows', expected='Stage 3', found='Stage 1'
)


@pytest.mark.parametrize(
    ('step', 'side', 'follows'),
    (
        pytest.param(STEP, SIDE, 'STG001', id='illegal'),
        pytest.param(
            STEP, SIDE._replace(severity='warning'), 'STG001', id='only a warning'
        ),
        pytest.param(STEP._replace(severity='warning'), SIDE, '', id='legal'),
        pytest.param(STEP._replace(introduced=False), SIDE, '', id='of before'),
        pytest.param(STEP, SIDE._replace(introduced=False), '', id='not new'),
        pytest.param(STEP._replace(item='Bravo'), SIDE, '', id='of another item'),
        pytest.param(STEP._replace(commit=''), SIDE, '', id='of another commit'),
        pytest.param(
            STEP,
            SIDE._replace(expected='Stage 7', found='Stage 5'),
            '',
            id='about another state',
        ),
        pytest.param(STEP, SIDE._replace(code='CON001'), '', id='another matter'),
        pytest.param(
            STEP._replace(fix=say_why('Reset')), SIDE, '', id='waits for a reason'
        ),
    ),
)
def test_one_cause_is_one_refusal(step: Finding, side: Finding, follows: str) -> None:
    report = Report(with_causes((step, side)))
    assert [each.follows for each in report.findings] == ['', follows]
    for form in ('text', 'agent', 'github', 'summary'):
        shown = render(report, form) if form != 'summary' else render_summary(report)
        assert (side.message not in shown) == bool(follows)
    lines = render(report, 'text').split('\n')
    assert ('    this settles COM001 too (-v shows them)' in lines) == bool(follows)
    errors = sum(each.refuses for each in (step, side))
    assert ('1 error' in lines[-1]) == (bool(follows) or errors == 1)
    assert report.refuses == Report((step, side)).refuses


def test_what_follows_is_shown_on_demand_with_the_step_that_settles_it() -> None:
    report = Report(with_causes((STEP, SIDE)))
    lines = render(report, 'text', verbosity=1).split('\n')
    assert f'    settle STG001 first: {STEP.fix.command}' in lines
    (_, side) = json.loads(render(report, 'json'))['findings']
    assert (side['follows'], side['fix']['command']) == ('STG001', STEP.fix.command)


def test_what_follows_from_what_follows_names_the_first_cause() -> None:
    handoff = STEP._replace(code='STG002', fix=Fix('restore', 'git checkout HEAD -- x'))
    moved = SIDE._replace(expected='Stage 3.1', found='Stage 4')
    found = with_causes((moved, handoff, STEP))
    assert [each.follows for each in found] == ['STG001', 'STG001', '']
    assert {each.fix.command for each in found} == {STEP.fix.command}


def test_what_follows_is_shown_where_its_cause_is_not() -> None:
    (_, side) = with_causes((STEP, SIDE))
    assert render(Report((side,)), 'text').startswith('0123456789 PLUGINS.md:7: error')


def test_no_two_rules_settle_each_other() -> None:
    pairs = {(rule.code, each) for rule in RULES.values() for each in rule.settles}
    assert {each for _, each in pairs} <= set(RULES)
    assert not [pair for pair in pairs if pair[::-1] in pairs]


def test_a_verbose_report_says_why() -> None:
    lines = render(Report((ERROR,)), 'text', verbosity=1).split('\n')
    assert lines[2] == f'    {RULES["REG001"].why}'


@pytest.mark.parametrize(
    ('report', 'verbosity', 'last'),
    (
        pytest.param(Report((INFO,)), 0, 'interlock: passed: 1 info', id='info'),
        pytest.param(
            Report((ERROR._replace(introduced=False),)),
            0,
            'interlock: passed: 1 error; 1 inherited',
            id='inherited',
        ),
        pytest.param(
            Report((), (INFO,) * 2),
            -1,
            'interlock: passed: nothing to refuse; 2 suppressed by the baseline',
            id='suppressed',
        ),
        pytest.param(Report(()), 1, 'interlock: passed', id='verbose'),
        pytest.param(Report(()), 0, '', id='nothing'),
        pytest.param(
            Report((WARNING, INFO, ERROR._replace(code='CON001'))),
            0,
            'interlock: refused: 1 error, 1 warning, 1 info; 1 inherited '
            '(interlock explain CON001)',
            id='the first that refuses',
        ),
    ),
)
def test_the_last_line_is_the_verdict(
    report: Report, verbosity: int, last: str
) -> None:
    text = render(report, 'text', verbosity=verbosity)
    assert text.split('\n')[-1] == last


def test_a_file_without_a_line_stands_alone() -> None:
    text = render(Report((INFO._replace(path='x.md'),)), 'text')
    assert text.startswith('x.md: info: REG014 Charlie: ')


def test_colour_marks_codes_and_the_verdict_and_nothing_else() -> None:
    text = render(ALL, 'text', colour=True)
    assert '\033[31;1merror: REG001\033[m' in text
    assert '\033[33;1mwarning: HND006\033[m' in text
    assert '\033[36;1minfo: REG014\033[m' in text
    assert '\033[31;1mrefused\033[m' in text
    assert text.count('\033') == 8
    for style in ('31;1', '33;1', '36;1', ''):
        text = text.replace(f'\033[{style}m', '')
    assert text == TEXT


def test_a_terminal_gets_short_lines_and_whole_commands(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said = 'it is frozen at Review and was changed, and nobody says why in the message'
    by_hand = Fix(f'decide by hand what {said}', '')
    command = f"git commit -m 'docs: {said}' -- docs/one.md"
    findings = (
        INFO._replace(message=said, fix=Fix('say why', command)),
        INFO._replace(message=said, fix=by_hand),
    )
    report = Report(findings)
    one_line_each = render(report, 'text').split('\n')
    assert max(map(len, one_line_each)) > 100
    monkeypatch.setenv('COLUMNS', '80')
    monkeypatch.setattr('sys.stdout', Terminal())
    lines = render(report, 'text').split('\n')
    assert [line for line in lines if len(line) > 80] == [f'    say why: {command}']
    assert ' '.join(map(str.strip, lines)) == ' '.join(map(str.strip, one_line_each))


@pytest.mark.parametrize('columns', (40, 60, 80))
def test_colour_takes_no_room_on_a_line(
    columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = 'it is  frozen at Review and was changed, and nobody says why ' * 2
    report = Report(
        tuple(each._replace(path='', message=said) for each in ALL.findings)
    )
    monkeypatch.setenv('COLUMNS', str(columns))
    monkeypatch.setattr('sys.stdout', Terminal())
    plain, coloured = (render(report, 'text', colour) for colour in (False, True))
    assert re.sub('\033\\[[0-9;]*m', '', coloured) == plain
    assert coloured != plain


def test_values_can_neither_break_a_line_nor_steer_a_terminal() -> None:
    text = render(BAD, 'text')
    lines = text.split('\n')
    assert len(lines) == 3
    assert all(line.isprintable() for line in lines)
    assert r'\x1b[31m' in lines[0]
    assert r'\udcff' in lines[0]
    assert lines[0].endswith('é🚧')
    assert lines[1].startswith(r'    fix it: f\x00\x07\x1b[31m')


@pytest.mark.parametrize(
    ('environ', 'terminal', 'expected'),
    (
        pytest.param({}, True, True, id='terminal'),
        pytest.param({}, False, False, id='pipe'),
        pytest.param({'NO_COLOR': '1'}, True, False, id='NO_COLOR'),
        pytest.param({'NO_COLOR': '0'}, True, False, id='NO_COLOR=0'),
        pytest.param({'NO_COLOR': ''}, True, True, id='NO_COLOR empty'),
        pytest.param({'FORCE_COLOR': '1'}, False, True, id='FORCE_COLOR'),
        pytest.param({'FORCE_COLOR': '3'}, False, True, id='FORCE_COLOR=3'),
        pytest.param({'FORCE_COLOR': ''}, False, False, id='empty'),
        pytest.param({'FORCE_COLOR': '0'}, False, False, id='FORCE_COLOR=0'),
        pytest.param({'FORCE_COLOR': '1', 'NO_COLOR': '1'}, False, True, id='both'),
        pytest.param({'TERM': 'dumb'}, True, False, id='dumb terminal'),
        pytest.param({'TERM': 'xterm'}, True, True, id='xterm'),
        pytest.param(
            {'TERM': 'dumb', 'FORCE_COLOR': '1'}, True, True, id='dumb and forced'
        ),
    ),
)
def test_colour_is_for_terminals_unless_the_user_says_otherwise(
    environ: dict[str, str], terminal: bool, expected: bool
) -> None:
    assert wants_colour(environ, terminal) is expected


def test_paint_without_colour_is_the_text() -> None:
    assert paint('é', 'ok', colour=False) == 'é'
    assert paint('é', 'ok', colour=True) == '\033[32;1mé\033[m'


@pytest.mark.parametrize('form', ('text', 'agent'))
def test_commits_that_were_made_are_fixed_where_they_are(form: str) -> None:
    rewrite = Fix('fix the commit', 'git commit --all --amend')
    line = render(Report((ERROR,), rewrite=rewrite), form).split('\n')[-1]
    assert line.endswith('fix the commit: git commit --all --amend')
