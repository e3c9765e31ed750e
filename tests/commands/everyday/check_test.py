from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
import xml.etree.ElementTree
from collections.abc import Iterator
from pathlib import Path

import pytest

from interlock.checks.all_checks import CHECKS
from interlock.checks.compare import Case
from interlock.model.errors import OUTSIDE
from interlock.model.finding import Finding
from interlock.report.text import FORMATS
from tests import samples
from tests.conftest import SCRIPTS, Interlock, Repo
from tests.samples import STATUSES

GOOD = samples.registry(STATUSES)
# the row of Alpha is ahead of its entry
BAD = samples.registry(STATUSES, rows={'Alpha': 'Stage 0'})
STRICTER = f'{samples.WORKFLOW}# ours\n'


def advance() -> dict[str, str]:
    """Bravo from Stage 2 to Stage 3, done correctly."""
    return {
        'PLUGINS.md': samples.registry({**STATUSES, 'Bravo': 'Stage 3'}),
        samples.handoff_path('Bravo'): samples.handoff('Bravo', '3'),
        'plugins/Bravo/Source/Main.cpp': '// 2\n',
    }


def message_file(repo: Repo, text: str) -> str:
    file = repo.path.parent / 'message'
    file.write_text(text)
    return str(file)


def test_a_good_stage_commit_passes(project: Repo, interlock: Interlock) -> None:
    project.stage(advance())
    message = message_file(project, 'feat(Bravo): Stage 3 - moteur audio\n')
    result = interlock.check('--staged', '--message', message)
    assert result.codes == []
    assert result.code == 0


def test_a_row_behind_its_entry_is_refused(project: Repo, interlock: Interlock) -> None:
    project.stage({'PLUGINS.md': BAD})
    result = interlock.check('--staged')
    assert result.codes == ['REG001']
    assert result.code == 1


def test_without_a_mode_the_index_is_judged(
    project: Repo, interlock: Interlock
) -> None:
    project.stage({'PLUGINS.md': BAD})
    project.write({'PLUGINS.md': GOOD})
    assert interlock.check().codes == ['REG001']
    assert interlock.check('--worktree').codes == []


def test_the_working_tree_is_judged_without_the_index(
    project: Repo, interlock: Interlock
) -> None:
    project.write({'PLUGINS.md': BAD})
    assert interlock.check('--staged').codes == []
    result = interlock.check('--worktree')
    assert (result.codes, result.code) == (['REG001'], 1)
    assert project.git('diff', '--cached', '--name-only') == ''


@pytest.mark.parametrize(
    ('changes', 'options', 'said'),
    (
        pytest.param({'PLUGINS.md': BAD}, (), False, id='another file'),
        pytest.param({'.interlock.yaml': None}, (), False, id='it is gone'),
        pytest.param({'.interlock.yaml': STRICTER}, (), True, id='the workflow'),
        pytest.param(
            {'.interlock.yaml': STRICTER},
            ('--config', '../.interlock.yaml'),
            False,
            id='the workflow, by itself',
        ),
    ),
)
def test_an_edit_of_the_workflow_says_how_to_try_it(
    project: Repo,
    monkeypatch: pytest.MonkeyPatch,
    interlock: Interlock,
    changes: dict[str, str | None],
    options: tuple[str, ...],
    said: bool,
) -> None:
    project.write({**changes, 'below/note.txt': ''})
    monkeypatch.chdir(project.path / 'below')
    command = 'interlock check --worktree --config ../.interlock.yaml\n'
    assert (command in interlock('check', '--worktree', *options).err) == said


def test_one_commit_is_judged_against_its_parent(
    project: Repo, interlock: Interlock
) -> None:
    guilty = project.commit({'PLUGINS.md': BAD})
    innocent = project.commit({'autre.txt': 'é\n'})
    result = interlock.check('--commit', guilty)
    assert (result.codes, result.code) == (['REG001'], 1)
    assert json.loads(result.out)['findings'][0]['commit'] == guilty
    result = interlock.check('--commit', innocent)
    assert (result.codes, result.code) == ([], 0)


def test_each_commit_of_a_range_is_judged(project: Repo, interlock: Interlock) -> None:
    start = project.git('rev-parse', 'HEAD')
    guilty = project.commit({'PLUGINS.md': BAD})
    project.commit({'PLUGINS.md': GOOD})
    result = interlock.check('--range', f'{start}..HEAD')
    report = json.loads(result.out)
    assert [f['commit'] for f in report['findings']] == [guilty]
    assert report['summary']['commits'] == 2
    assert result.code == 1
    assert interlock.check('--range', f'{guilty}..HEAD').code == 0


def test_what_a_range_inherits_is_said_once(
    project: Repo, interlock: Interlock
) -> None:
    start = project.commit({'PLUGINS.md': BAD})
    project.commit({'a': '1'})
    project.commit({'b': '2'})
    result = interlock.check('--range', f'{start}..HEAD', '--inherited')
    assert result.codes == ['REG001']
    assert result.code == 0


def test_a_whole_tree_is_judged_as_it_stands(
    project: Repo, interlock: Interlock
) -> None:
    project.commit({'PLUGINS.md': BAD})
    project.commit({'autre.txt': 'é\n'})
    assert interlock.check('--staged').codes == []
    result = interlock.check('--tree', 'HEAD')
    assert (result.codes, result.code) == (['REG001'], 1)


def test_what_was_there_before_is_told_on_request_and_refuses_nothing(
    project: Repo, interlock: Interlock
) -> None:
    project.commit({'PLUGINS.md': BAD})
    result = interlock.check('--staged', '--inherited')
    assert result.codes == ['REG001']
    assert json.loads(result.out)['findings'][0]['introduced'] is False
    assert result.code == 0
    text = interlock('check', '--inherited')
    assert '(inherited)' in text.out
    assert text.out.endswith('interlock: passed: 1 error; 1 inherited\n')


@pytest.mark.parametrize(
    ('only', 'expected'),
    (
        pytest.param(('registry',), ['REG001'], id='the one that finds'),
        pytest.param(('contracts',), ['CON001'], id='another'),
        pytest.param(('registry', 'contracts'), ['CON001', 'REG001'], id='repeated'),
        pytest.param(('handoff',), [], id='one that finds nothing'),
        pytest.param((), ['CON001', 'REG001'], id='all'),
    ),
)
def test_only_the_named_checks_run(
    project: Repo, interlock: Interlock, only: tuple[str, ...], expected: list[str]
) -> None:
    project.stage(
        {'PLUGINS.md': BAD, 'plugins/Bravo/.ideas/architecture.md': 'autre\n'}
    )
    args = [part for name in only for part in ('--only', name)]
    result = interlock.check('--staged', *args)
    assert result.codes == expected
    assert result.code == int(bool(expected))


@pytest.mark.parametrize('form', FORMATS)
@pytest.mark.parametrize(
    ('registry', 'code'),
    (pytest.param(BAD, 1, id='refused'), pytest.param(GOOD, 0, id='clean')),
)
def test_the_exit_code_does_not_depend_on_the_format(
    project: Repo, interlock: Interlock, form: str, registry: str, code: int
) -> None:
    project.stage({'PLUGINS.md': registry})
    result = interlock('check', '--staged', '--format', form)
    assert result.code == code
    assert result.err == ''
    assert ('REG001' in result.out) == bool(code)


def test_the_formats_for_programs_are_well_formed(
    project: Repo, interlock: Interlock
) -> None:
    project.stage({'PLUGINS.md': BAD})
    sarif = json.loads(interlock('check', '--format', 'sarif').out)
    assert sarif['runs'][0]['results'][0]['ruleId'] == 'REG001'
    junit = xml.etree.ElementTree.fromstring(
        interlock('check', '--format', 'junit').out
    )
    failures = junit.findall('.//failure')
    assert len(failures) == 1
    github = interlock('check', '--format', 'github').out
    assert github.startswith('::error file=PLUGINS.md,line=7,title=REG001::')
    agent = interlock('check', '--format', 'agent').out
    assert agent.startswith('REFUSED by interlock.\n- REG001 error Alpha ')


def test_a_text_report_names_the_place_the_fix_and_the_rule(
    project: Repo, interlock: Interlock
) -> None:
    project.stage({'PLUGINS.md': BAD})
    out = interlock('check').out
    first, fix, verdict = out.splitlines()
    assert first.startswith('PLUGINS.md:7: error: REG001 Alpha: ')
    assert fix.strip().startswith('bring the row in line with the entry: ')
    assert verdict == ('interlock: refused: 1 error (interlock explain REG001)')


def test_quiet_says_less_and_verbose_says_more(
    project: Repo, interlock: Interlock
) -> None:
    assert interlock('check').out == ''
    assert interlock('check', '-v').out.startswith('interlock: passed\n')
    project.stage({'PLUGINS.md': BAD})
    sizes = [
        len(interlock('check', *args).out.splitlines()) for args in (['-q'], [], ['-v'])
    ]
    assert sizes[:2] == [2, 3]
    assert sizes[2] > 4


@pytest.mark.parametrize(
    ('args', 'sentence'),
    (
        pytest.param(('--staged', '--worktree'), 'only one of', id='two modes'),
        pytest.param(
            ('--commit', 'HEAD', '--tree', 'HEAD'), 'only one of', id='two revisions'
        ),
        pytest.param(
            ('--commit', '', '--staged'), 'only one of', id='an empty revision is one'
        ),
        pytest.param(
            ('--message', 'x', '--commit', 'HEAD'),
            '--message works only with --staged',
            id='message and commit',
        ),
        pytest.param(
            ('--message', 'x', '--range', 'a..b'),
            '--message works only with --staged',
            id='message and range',
        ),
        pytest.param(
            ('--message', 'x', '--tree', 'HEAD'),
            '--message works only with --staged',
            id='message and tree',
        ),
        pytest.param(
            ('--message', 'x', '--worktree'),
            '--message works only with --staged',
            id='message and worktree',
        ),
        pytest.param(('--diff',), '--diff needs --fix', id='diff alone'),
        pytest.param(
            ('--fix', '--diff', '--format', 'json'),
            '--diff needs --fix and --format text',
            id='diff as JSON',
        ),
        pytest.param(
            ('--fix', '--commit', 'HEAD'),
            '--fix needs --staged or --worktree',
            id='fix of a commit',
        ),
        pytest.param(
            ('--fix', '--tree', 'HEAD'),
            '--fix needs --staged or --worktree',
            id='fix of a tree',
        ),
        pytest.param(('--only', 'regisrty'), 'regisrty', id='unknown check'),
        pytest.param(('--format', 'yaml'), 'yaml', id='unknown format'),
        pytest.param(('--nonsense',), 'nonsense', id='unknown option'),
        pytest.param(('extra',), 'extra', id='an argument'),
    ),
)
def test_wrong_usage_exits_2_with_a_sentence(
    project: Repo, interlock: Interlock, args: tuple[str, ...], sentence: str
) -> None:
    result = interlock('check', *args)
    assert result.code == 2
    assert result.out == ''
    assert sentence in result.err


@pytest.mark.parametrize(
    ('args', 'sentence'),
    (
        pytest.param(
            ('--commit', 'nirgends'),
            '`nirgends` is not a commit in this repository',
            id='unknown commit',
        ),
        # a variable that is not set, in CI: `--commit "$SHA"`
        pytest.param(
            ('--commit', ''), '`` is not a commit in this repository', id='no commit'
        ),
        pytest.param(('--range', ''), '`` is not a range', id='no range'),
        pytest.param(('--range', '..'), '`..` is not a range', id='a range of nothing'),
        pytest.param(('--range', '...'), '`...` is not a range', id='three dots'),
        pytest.param(('--tree', ''), '`` is not a commit', id='no tree'),
        pytest.param(
            ('--message', ''), 'the message file  does not exist', id='no message file'
        ),
        pytest.param(('--range', 'HEAD'), '`HEAD` is not a range', id='one revision'),
        pytest.param(
            ('--range', 'HEAD..nirgends'),
            '`nirgends` is not a commit in this repository',
            id='unknown end',
        ),
        pytest.param(
            ('--tree', 'nirgends'),
            '`nirgends` is not a commit in this repository',
            id='unknown tree',
        ),
        pytest.param(
            ('--message', 'nirgends'),
            'the message file nirgends does not exist',
            id='message',
        ),
        pytest.param(
            ('--config', 'nirgends.yaml'),
            'the workflow file nirgends.yaml does not exist',
            id='config',
        ),
    ),
)
def test_what_cannot_be_answered_exits_2_with_a_sentence(
    project: Repo, interlock: Interlock, args: tuple[str, ...], sentence: str
) -> None:
    result = interlock('check', *args)
    assert result.code == 2
    assert result.out == ''
    assert result.err.startswith('interlock: refused: ')
    assert sentence in result.err


@pytest.mark.parametrize('option', ('--tree', '--commit'))
def test_before_the_first_commit_only_files_can_be_judged(
    repo: Repo, interlock: Interlock, option: str
) -> None:
    repo.write({'.interlock.yaml': samples.WORKFLOW})
    result = interlock('check', option, 'HEAD')
    assert result.code == 2
    assert result.err == (
        'interlock: refused: there is no commit yet\n'
        '    next: interlock check --worktree\n'
    )
    assert interlock('check', '--worktree').code == 0


def test_on_an_unborn_branch_other_commits_can_be_judged(
    project: Repo, interlock: Interlock
) -> None:
    project.git('checkout', '-q', '--orphan', 'neuf')
    assert interlock('check', '--tree', 'main').code == 0
    assert 'there is no commit yet' in interlock('check', '--tree', 'x').err


def test_a_repository_without_a_workflow_is_not_passed(
    repo: Repo, interlock: Interlock
) -> None:
    result = interlock('check')
    assert result.code == 2
    assert result.err == (
        'interlock: refused: no workflow governs here: there is no '
        '.interlock.yaml\n    next: interlock init\n'
    )


def test_an_invalid_workflow_is_not_passed(repo: Repo, interlock: Interlock) -> None:
    repo.write({'.interlock.yaml': 'version: 1\nextend: plugin-workflow\n'})
    result = interlock('check')
    assert result.code == 2
    assert result.err.startswith('interlock: refused: .interlock.yaml:')
    assert 'unknown key `extend`; did you mean `extends`?' in result.err


def test_outside_of_a_repository_the_remedy_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, interlock: Interlock
) -> None:
    monkeypatch.chdir(tmp_path)
    result = interlock('check')
    assert result.code == 2
    assert result.err == (f'interlock: refused: {OUTSIDE}\n    next: git init\n')


@pytest.mark.parametrize('command', ('check', 'status', 'lock list', 'init'))
def test_in_a_deleted_directory_the_way_out_is_named(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, interlock: Interlock, command: str
) -> None:
    folder = repo.path / 'gone'
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    result = interlock(*command.split())
    assert result.code == 2
    assert result.err == (
        'interlock: refused: the current directory was deleted\n    next: cd ..\n'
    )


def test_without_git_the_remedy_is_named(
    project: Repo, monkeypatch: pytest.MonkeyPatch, interlock: Interlock
) -> None:
    monkeypatch.setenv('PATH', '')
    result = interlock('check')
    assert result.code == 2
    assert 'git is not installed, or not on the PATH' in result.err
    assert 'next: install git' in result.err


def test_a_bare_repository_has_no_working_tree_to_judge(
    project: Repo, monkeypatch: pytest.MonkeyPatch, interlock: Interlock
) -> None:
    project.git('clone', '-q', '--bare', '.', '../nu.git')
    monkeypatch.chdir(project.path.parent / 'nu.git')
    result = interlock('check', '--worktree')
    assert result.code == 2
    assert 'a bare repository has no working tree' in result.err
    assert interlock('check', '--tree', 'HEAD').code == 0
    result = interlock('check', '--fix')
    assert result.code == 2
    assert 'a bare repository has no files to change' in result.err


def test_the_message_is_judged_only_where_it_is_known(
    project: Repo, interlock: Interlock
) -> None:
    project.stage({'plugins/Bravo/Source/Main.cpp': '// 2\n'})
    message = message_file(project, 'feat(Bravo): Stage 3 - moteur\n')
    assert interlock.check('--staged').codes == []
    result = interlock.check('--staged', '--message', message)
    assert 'COM002' in result.codes
    assert result.code == 1
    # --staged is the default
    assert interlock.check('--message', message).codes == result.codes


ITEMS = '| Item | Status |\n|---|---|\n| Fini | Done |\n| Été | In progress |\n'
BASIC = {
    '.interlock.yaml': 'version: 1\nextends: basic\nitems:\n  item:\n'
    '    transitions:\n'
    '      - {from: Done, to: Review, severity: warning, reason: Reopened}\n',
    'ITEMS.md': ITEMS,
    'items/Fini.md': 'é\n',
}


@pytest.mark.parametrize('surface', ('--worktree', '--staged'))
@pytest.mark.parametrize(
    ('changes', 'trailer'),
    (
        pytest.param(
            {'items/Fini.md': 'è\n'}, 'Contract-Amendment', id='a frozen contract'
        ),
        pytest.param(
            {'ITEMS.md': ITEMS.replace('| Été | In progress |\n', '')},
            'Item-Dropped',
            id='an item in work',
        ),
        pytest.param(
            {'ITEMS.md': ITEMS.replace('Done', 'Review')}, 'Reopened', id='a step'
        ),
    ),
)
def test_what_the_message_must_say_is_told_before_there_is_one(
    repo: Repo,
    interlock: Interlock,
    changes: dict[str, str],
    trailer: str,
    surface: str,
) -> None:
    repo.commit(BASIC)
    repo.stage(changes)
    result = interlock('check', surface)
    assert (result.code, result.out.count(' warning: ')) == (0, 1)
    assert f'the message needs a trailer `{trailer}: REASON`' in result.out
    message = message_file(repo, 'docs: é\n')
    assert interlock.check('--message', message).code == 1
    message = message_file(repo, f'docs: é\n\n{trailer}: è\n')
    assert interlock.check('--message', message).code == 0


def test_the_range_of_pre_commit_is_for_hooks_only(
    project: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = project.git('rev-parse', 'HEAD')
    project.commit({'PLUGINS.md': BAD})
    monkeypatch.setenv('PRE_COMMIT_FROM_REF', start)
    assert interlock('hook').code == 0
    monkeypatch.setenv('PRE_COMMIT_TO_REF', 'HEAD')
    result = interlock('hook')
    assert result.code == 1
    assert 'REG001' in result.out
    assert interlock.check('--staged').codes == []


def test_a_given_workflow_wins_over_the_one_of_the_tree(
    project: Repo, interlock: Interlock, tmp_path: Path
) -> None:
    project.stage({'PLUGINS.md': BAD})
    other = tmp_path / 'mild.yaml'
    other.write_text(samples.WORKFLOW + 'severity: {REG001: warning}\n')
    result = interlock.check('--config', str(other))
    assert result.codes == ['REG001']
    assert result.code == 0


def failing(case: Case) -> Iterator[Finding]:
    """A check with a defect."""
    raise ZeroDivisionError('défaut')


def test_a_defect_of_ours_passes_nothing_and_shows_no_traceback(
    project: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    logs = tmp_path / 'logs'
    logs.mkdir()
    monkeypatch.setattr(tempfile, 'tempdir', str(logs))
    monkeypatch.setitem(CHECKS, 'stages', CHECKS['stages']._replace(check=failing))
    result = interlock('check')
    assert result.code == 3
    assert result.out == ''
    assert re.fullmatch(
        r'interlock: failed \(ZeroDivisionError: défaut\), '
        r'so nothing was passed; the trace is in .+\.log\n',
        result.err,
    )
    (log,) = logs.glob('interlock-*.log')
    assert str(log) in result.err
    trace = log.read_text()
    assert trace.startswith('interlock ')
    assert 'ZeroDivisionError: défaut' in trace


def test_a_check_that_is_left_out_cannot_fail(
    project: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(CHECKS, 'stages', CHECKS['stages']._replace(check=failing))
    assert interlock('check', '--only', 'registry').code == 0


def test_a_path_that_is_not_utf_8_is_reported(
    project: Repo, interlock: Interlock
) -> None:
    name = os.fsdecode(b'plugins/Br\xff/.continue-here.md')
    project.stage({name: '---\nplugin: [\n---\n'})
    for form in FORMATS:
        result = interlock('check', '--format', form)
        assert result.code == 1, form
        result.out.encode()
        assert 'HND' in result.out or 'REG' in result.out


# what -v adds, and nothing about what cannot be shown
SAID_MORE = rb'interlock: by \.interlock\.yaml \(4 plugins\), in [0-9]+ ms\n'


@pytest.mark.parametrize('encoding', ('ascii', 'latin-1', 'UTF-8'))
def test_what_a_terminal_cannot_show_is_escaped(project: Repo, encoding: str) -> None:
    name = os.fsdecode(b'plugins/Br\xff/.continue-here.md')
    project.stage({name: '---\nplugin: [\n---\n', 'PLUGINS.md': BAD})
    process = subprocess.run(
        (str(SCRIPTS / 'interlock'), 'check', '-v'),
        env={**os.environ, 'PYTHONIOENCODING': encoding, 'LC_ALL': 'C'},
        capture_output=True,
    )
    assert re.fullmatch(SAID_MORE, process.stderr), process.stderr
    assert process.returncode == 1
    assert b'REG001' in process.stdout
    assert b'\xff' not in process.stdout


@pytest.mark.parametrize(
    ('args', 'told'),
    (
        (['check'], True),
        (['check', '--staged'], False),
        (['check', '--worktree'], False),
        (['check', '-q'], False),
        (['check', '--json'], False),
    ),
)
def test_where_nothing_is_staged_the_working_tree_is_named(
    project: Repo, interlock: Interlock, args: list[str], told: bool
) -> None:
    hint = 'nothing is staged, so nothing was judged; the working tree is judged by: '
    result = interlock(*args)
    assert result.code == 0
    assert (f'{hint}interlock check --worktree\n' in result.err) == told
    project.stage({'README.md': 'x\n'})
    assert hint not in interlock(*args).err
