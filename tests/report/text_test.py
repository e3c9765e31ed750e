from __future__ import annotations

import pytest

from interlock.model.finding import Finding, Fix
from interlock.model.report import Report
from interlock.report.formats import render
from interlock.report.terminal import paint, wants_colour
from interlock.rules.index import RULES
from tests.report.findings import ALL, BAD, ERROR, INFO, WARNING

TEXT = """\
0123456789 PLUGINS.md:7: error: REG001 Größe: the row says `🚧 Stage 3`, the entry \
says `🚧 Stage 2`
    mend the row: interlock check --worktree --fix
plugins/Bravo/x y.md:1: warning: HND006 Bravo: the section `Next Steps` is missing \
(inherited)
    correct the file by hand: 'plugins/Bravo/x y.md':1
message: info: REG014 Charlie: it is not registered
    add it: true
interlock: refused: 1 error, 1 warning, 1 info; 1 inherited \
(interlock explain REG001)"""


def test_a_report_says_where_what_and_how_to_mend_it() -> None:
    assert render(ALL, 'text') == TEXT


def test_a_quiet_report_leaves_out_how_to_mend_it() -> None:
    lines = TEXT.split('\n')
    assert render(ALL, 'text', verbosity=-1).split('\n') == [
        line for line in lines if not line.startswith('    ')
    ]


@pytest.mark.parametrize(
    ('step', 'hint'),
    (
        pytest.param(
            ERROR._replace(code='STG001'), 'first settle STG001 of Größe', id='illegal'
        ),
        pytest.param(
            ERROR._replace(code='STG001', severity='warning'),
            ERROR.fix.said,
            id='legal',
        ),
        pytest.param(
            ERROR._replace(code='STG001', item='Bravo'),
            ERROR.fix.said,
            id='of another item',
        ),
    ),
)
def test_what_an_illegal_step_brings_along_does_not_go_on_with_it(
    step: Finding, hint: str
) -> None:
    lines = render(Report((step, ERROR._replace(code='COM001'))), 'text').split('\n')
    assert lines[3] == f'    {hint}'


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
            Report((), 2),
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


def test_values_can_neither_break_a_line_nor_steer_a_terminal() -> None:
    text = render(BAD, 'text')
    lines = text.split('\n')
    assert len(lines) == 3
    assert all(line.isprintable() for line in lines)
    assert r'\x1b[31m' in lines[0]
    assert r'\udcff' in lines[0]
    assert lines[0].endswith('é🚧')
    assert lines[1].startswith(r'    mend it: f\x00\x07\x1b[31m')


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
def test_commits_that_were_made_are_mended_where_they_are(form: str) -> None:
    rewrite = Fix('fix the commit', 'git commit --all --amend')
    line = render(Report((ERROR,), rewrite=rewrite), form).split('\n')[-1]
    assert line.endswith('fix the commit: git commit --all --amend')
