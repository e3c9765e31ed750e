from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from interlock.project import project as projects
from interlock.transactions.journal import Journal
from tests import samples
from tests.commands.items import stages
from tests.commands.items.stages import (
    CODE,
    HANDOFF,
    PLAN,
    at_head,
    everything,
    hook,
    text,
)
from tests.commands.terminal import typed
from tests.conftest import SCRIPTS, Interlock, Repo

END = ('commit-stage', 'Bravo', '3', '-m', 'moteur audio')


@pytest.fixture(autouse=True)
def day(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(projects, 'today', lambda: stages.DAY)
    monkeypatch.setenv('PATH', f'{SCRIPTS}{os.pathsep}{os.environ["PATH"]}')


@pytest.fixture
def ready(repo: Repo) -> Repo:
    repo.commit(stages.files())
    stages.worked(repo)
    return repo


def touched(repo: Repo) -> list[str]:
    out = repo.git('show', '--format=', '--name-status', 'HEAD')
    return [line.replace('\t', ' ') for line in out.splitlines()]


def left(repo: Repo) -> list[str]:
    """What the journal still holds."""
    return sorted(os.listdir(repo.path / '.git' / 'interlock' / 'journal'))


def test_records_and_work_are_one_commit(ready: Repo, interlock: Interlock) -> None:
    result = interlock(*END)
    assert result.code == 0, result.err
    short = ready.git('rev-parse', '--short', 'HEAD')
    assert result.out.startswith(
        f'✓ Committed: {short} - Stage 3 complete (atomic)\n'
        f'✓ Stage 3 complete: moteur audio\n\n'
        f"What's next?\n1. "
    )
    assert result.out.endswith('): _\n')
    assert touched(ready) == ['M PLUGINS.md', f'M {HANDOFF}', f'M {CODE}']
    assert ready.git('status', '--porcelain') == ''
    assert ready.git('diff-files', '--name-only') == ''
    assert left(ready) == ['lock']
    assert interlock.check('--range', 'HEAD~1..HEAD').codes == []
    assert interlock('verify-state', 'Bravo').code == 0
    registry = at_head(ready, 'PLUGINS.md')
    assert '| Bravo | 🚧 Stage 3 | - | 2026-03-04 |\n' in registry
    assert '- **2026-03-04 (Stage 3):** moteur audio\n' in registry
    assert 'stage: 3\n' in at_head(ready, HANDOFF)
    assert '- **Stage 3:** moteur audio\n' in at_head(ready, HANDOFF)


@pytest.mark.parametrize(
    ('session', 'footers'),
    (
        pytest.param('', '', id='a person signs nothing'),
        pytest.param(
            'é',
            '\n\n🤖 Generated with Claude Code\n\n'
            'Co-Authored-By: Claude <noreply@anthropic.com>',
            id='an agent does',
        ),
    ),
)
def test_the_message_is_that_of_the_workflow(
    ready: Repo,
    interlock: Interlock,
    monkeypatch: pytest.MonkeyPatch,
    session: str,
    footers: str,
) -> None:
    if session:
        monkeypatch.setenv('INTERLOCK_SESSION', session)
    assert interlock(*END).code == 0
    assert ready.git('log', '-1', '--format=%B') == (
        'feat: Bravo Stage 3 - moteur audio\n\n'
        f'[ATOMIC] Code + state files committed together{footers}'
    )
    assert ready.git('log', '-1', '--format=%an %cn') == 'Zoë Test Zoë Test'


@pytest.mark.parametrize('stage', ('3', 'Stage 3', '🚧 Stage 3'))
def test_a_stage_is_given_by_its_number_or_its_name(
    ready: Repo, interlock: Interlock, stage: str
) -> None:
    result = interlock('commit-stage', 'Bravo', stage, '-m', 'x', '-q')
    assert result.code == 0, result.err
    assert ready.git('log', '-1', '--format=%s') == 'feat: Bravo Stage 3 - x'
    # no menu
    assert len(result.out.splitlines()) == 2


@pytest.mark.parametrize(
    ('stage', 'following'),
    (
        ('Stage 22', "interlock commit-stage Bravo 'Stage 2' -m x"),
        ('9', 'interlock resume Bravo'),
        # as near to each stage
        ('stag', 'interlock resume Bravo'),
    ),
)
def test_a_wrong_stage_names_the_right_command(
    ready: Repo, interlock: Interlock, stage: str, following: str
) -> None:
    refused = interlock('commit-stage', 'Bravo', stage, '-m', 'x')
    assert refused.code == 2
    assert refused.err.endswith(f'next: {following}\n')


@pytest.mark.parametrize(
    ('args', 'code', 'sentence'),
    (
        pytest.param(('Bravo', '9', '-m', 'x'), 2, '`9` is not a stage', id='stage'),
        pytest.param(
            ('Bravo', 'Working', '-m', 'x'),
            2,
            '`Working` is not a stage; there are Stage 0, Stage 1, Stage 2, Stage 3',
            id='no stage',
        ),
        pytest.param(
            ('Bravo', '2.1', '-m', 'x'),
            2,
            '`2.1` is not a stage; did you mean `Stage 2`?',
            id='a stage without phases',
        ),
        pytest.param(('Brova', '3', '-m', 'x'), 2, 'did you mean `Bravo`?', id='item'),
        pytest.param(('Bravo', '3'), 2, "'-m'", id='no text'),
        pytest.param(
            ('Bravo', '3', '-m', ' '), 2, 'a commit needs a text', id='empty text'
        ),
        pytest.param(
            ('Bravo', '3', '-m', 'a\nb'), 2, 'does not fit in one line', id='two lines'
        ),
        pytest.param(
            ('Bravo', '3', '-m', 'a', '--amend', 'b\nX-Y: z'),
            2,
            'does not fit in one line',
            id='a trailer of its own',
        ),
        pytest.param(
            ('Bravo', '4', '-m', 'x'),
            1,
            'Bravo may not go from Stage 2 to Stage 4',
            id='a skip',
        ),
        pytest.param(
            ('Alpha', '3', '-m', 'x'),
            1,
            'Alpha may not go from Ideated to Stage 3',
            id='another',
        ),
    ),
)
def test_what_is_not_possible_changes_nothing(
    ready: Repo, interlock: Interlock, args: tuple[str, ...], code: int, sentence: str
) -> None:
    before = everything(ready)
    result = interlock('commit-stage', *args)
    assert sentence in result.err
    assert result.code == code
    assert everything(ready) == before
    assert left(ready) == ['lock'] if code == 1 else True


def test_what_others_staged_and_changed_is_neither_committed_nor_lost(
    ready: Repo, interlock: Interlock
) -> None:
    def registry(**changed: str) -> str:
        return samples.registry({**stages.BEFORE, **changed})

    ready.write(
        {
            'PLUGINS.md': registry(Alpha='Stage 0'),
            'autre.txt': 'staged',
            'plugins/Alpha/x.md': 'staged',
        }
    )
    ready.git('add', 'PLUGINS.md', 'autre.txt', 'plugins/Alpha')
    ready.write(
        {
            'PLUGINS.md': registry(Alpha='Stage 0', Charlie='Improving'),
            'autre.txt': 'changed',
            'neu.txt': 'untracked',
        }
    )
    (ready.path / '.interlock.yaml').chmod(0o755)
    result = interlock(*END)
    assert result.code == 0, result.err
    assert touched(ready) == ['M PLUGINS.md', f'M {HANDOFF}', f'M {CODE}']
    assert stages.registry(at_head(ready, 'PLUGINS.md')) == {
        'Alpha': '💡 Ideated',
        'Bravo': '🚧 Stage 3',
        'Charlie': '📦 Installed',
    }
    assert stages.registry(at_head(ready, 'PLUGINS.md', ':')) == {
        'Alpha': '🚧 Stage 0',
        'Bravo': '🚧 Stage 3',
        'Charlie': '📦 Installed',
    }
    assert stages.registry(text(ready, 'PLUGINS.md')) == {
        'Alpha': '🚧 Stage 0',
        'Bravo': '🚧 Stage 3',
        'Charlie': '🚧 Improving',
    }
    assert ready.git('status', '--porcelain').splitlines() == [
        ' M .interlock.yaml',
        'MM PLUGINS.md',
        'AM autre.txt',
        'A  plugins/Alpha/x.md',
        '?? neu.txt',
    ]
    assert text(ready, 'autre.txt') == 'changed'
    assert at_head(ready, 'autre.txt', ':') == 'staged\n'


def bad_contract(repo: Repo) -> None:
    repo.write({'plugins/Bravo/.ideas/architecture.md': 'autre\n'})


def untried(repo: Repo) -> None:
    repo.write({HANDOFF: samples.handoff('Bravo', evidence='')})


def failed(repo: Repo) -> None:
    bad = '\n  3.test: "failed 2026-01-02: 3 of 45"'
    repo.write({HANDOFF: samples.handoff('Bravo', evidence=bad)})


def drifted(repo: Repo) -> None:
    repo.write({'PLUGINS.md': samples.registry(stages.BEFORE, {'Bravo': 'Stage 1'})})


def no_registry(repo: Repo) -> None:
    (repo.path / 'PLUGINS.md').unlink()


@pytest.mark.parametrize(
    ('spoil', 'code', 'sentence'),
    (
        pytest.param(bad_contract, 1, 'architecture.md is frozen', id='contract'),
        pytest.param(
            untried,
            1,
            'no test of it is recorded as passed (`3.test`)',
            id='no evidence, though an old handoff',
        ),
        pytest.param(failed, 1, 'its test is recorded as `failed', id='failed tests'),
        pytest.param(no_registry, 1, 'Bravo is not registered', id='no registry'),
    ),
)
def test_what_the_workflow_does_not_allow_changes_nothing(
    ready: Repo,
    interlock: Interlock,
    spoil: Callable[[Repo], None],
    code: int,
    sentence: str,
) -> None:
    spoil(ready)
    before = everything(ready)
    result = interlock(*END)
    assert sentence in result.err
    assert 'next: ' in result.err
    assert result.code == code
    assert everything(ready) == before


def test_a_row_behind_its_entry_is_brought_along(
    ready: Repo, interlock: Interlock
) -> None:
    drifted(ready)
    assert interlock(*END).code == 0
    assert '| Bravo | 🚧 Stage 3 |' in at_head(ready, 'PLUGINS.md')


def test_an_amendment_is_a_trailer(ready: Repo, interlock: Interlock) -> None:
    bad_contract(ready)
    result = interlock(*END, '--amend', 'plus simple')
    assert result.code == 0, result.err
    assert ready.git('log', '-1', '--format=%(trailers:only)').strip() == (
        'Contract-Amendment: plus simple'
    )
    assert samples.checksum('autre\n') in at_head(ready, HANDOFF)
    assert interlock.check('--range', 'HEAD~1..HEAD').codes == []


def test_what_a_check_refuses_is_refused_without_hooks_too(
    ready: Repo, interlock: Interlock
) -> None:
    ready.git('rm', '-q', '--cached', 'plugins/Bravo/CMakeLists.txt')
    ready.write(
        {HANDOFF: text(ready, HANDOFF).replace('plugin: Bravo', 'plugin: Autre')}
    )
    before = everything(ready)
    result = interlock(*END)
    assert 'HND004' in result.out
    assert 'interlock: refused: ' in result.out
    assert (
        'interlock: refused: Stage 3 of Bravo is not committed, and nothing '
        'was written\n    next: interlock handoff migrate Bravo\n'
    ) in result.err
    assert result.code == 1
    assert everything(ready) == before
    assert left(ready) == ['lock']


PHASED = """\
# Plan

### Phase 3.1: Noyau ✓

### Phase 3.2: Modulation  \t
texte

```
### Phase 3.2: exemple
```
#### Phase 3.3: Fin ###
"""


def phased(repo: Repo, plan: str) -> None:
    sums = {**samples.checksums('Bravo'), 'plan': samples.checksum(plan)}
    repo.commit(
        {
            **stages.files(),
            PLAN: plan,
            'PLUGINS.md': samples.registry({**stages.BEFORE, 'Bravo': 'Stage 3.1'}),
            HANDOFF: samples.handoff(
                'Bravo',
                '3',
                '3.1',
                sums=sums,
                complexity_score='5.0',
                phased_implementation='true',
                next_phase='3.2',
                evidence=stages.TRIED,
            ),
        }
    )
    stages.worked(repo)


@pytest.mark.parametrize('end', ('\n', '\r\n'))
def test_a_phase_is_marked_as_done_in_the_plan(
    repo: Repo, interlock: Interlock, end: str
) -> None:
    plan = PHASED.replace('\n', end)
    phased(repo, plan)
    result = interlock('commit-stage', 'Bravo', '3.2', '-m', 'modulation')
    assert result.code == 0, result.err
    assert 'Stage 3.2 complete (atomic)' in result.out
    assert touched(repo) == ['M PLUGINS.md', f'M {HANDOFF}', f'M {PLAN}', f'M {CODE}']
    assert (repo.path / PLAN).read_bytes().decode() == plan.replace(
        'Modulation  ', 'Modulation ✓  '
    )
    handoff = at_head(repo, HANDOFF)
    assert samples.checksum(text(repo, PLAN)) in handoff
    assert 'phase: 3.2\n' in handoff
    assert 'next_phase: 3.3\n' in handoff
    assert repo.git('log', '-1', '--format=%s') == (
        'feat: Bravo Stage 3.2 - modulation'
    )
    assert repo.git('status', '--porcelain') == ''


def test_phase_by_phase_and_the_stage_behind_them(
    repo: Repo, interlock: Interlock
) -> None:
    phased(repo, PHASED)
    for stage in ('3.2', '3.3', '3'):
        repo.write({CODE: f'// {stage}\n'})
        result = interlock('commit-stage', 'Bravo', stage, '-m', 'x')
        assert result.code == 0, result.err
        assert repo.git('status', '--porcelain') == ''
    assert '#### Phase 3.3: Fin ✓ ###\n' in text(repo, PLAN)
    assert text(repo, PLAN).count('✓') == 3
    assert 'stage: 3\nphase: null\n' in text(repo, HANDOFF)
    assert interlock.check('--range', 'HEAD~3..HEAD').codes == []


def test_a_mark_that_no_heading_can_hold_is_refused(
    repo: Repo, interlock: Interlock
) -> None:
    phased(repo, PHASED)
    repo.commit(
        {
            '.interlock.yaml': (
                f'{samples.WORKFLOW}items:\n  plugin:\n    handoff:\n'
                f"      phases: {{contract: plan, levels: [3], done: ' #', "
                f"heading: 'Phase {{phase}}:', when: phased_implementation, "
                f'field: next_phase}}\n'
            )
        }
    )
    stages.worked(repo)
    before = everything(repo)
    result = interlock('commit-stage', 'Bravo', '3.2', '-m', 'b')
    assert 'Stage 3.2 cannot be marked as done in its heading' in result.err
    assert result.code == 2
    assert everything(repo) == before


def test_a_phase_that_the_plan_does_not_have_is_refused(
    repo: Repo, interlock: Interlock
) -> None:
    phased(repo, PHASED)
    before = everything(repo)
    result = interlock('commit-stage', 'Bravo', '3.4', '-m', 'x')
    assert result.code == 1
    assert '3.4' in result.err
    assert everything(repo) == before


def test_a_dry_run_writes_nothing(ready: Repo, interlock: Interlock) -> None:
    ready.write({'plugins/Bravo/Source/Neu.cpp': '// neu\n'})
    (ready.path / 'plugins/Bravo/CMakeLists.txt').unlink()
    before = everything(ready)
    objects = ready.git('count-objects', '-v')
    result = interlock(*END, '--dry-run')
    assert result.code == 0, result.err
    assert result.out.splitlines()[1:] == [
        '',
        'feat: Bravo Stage 3 - moteur audio',
        '',
        '[ATOMIC] Code + state files committed together',
        '',
        'would commit: PLUGINS.md',
        f'would commit: {HANDOFF}',
        'would remove: plugins/Bravo/CMakeLists.txt',
        f'would commit: {CODE}',
        'would commit: plugins/Bravo/Source/Neu.cpp',
        'would write: PLUGINS.md',
        f'would write: {HANDOFF}',
    ]
    assert everything(ready) == before
    assert ready.git('count-objects', '-v') == objects
    assert left(ready) == ['lock']


def test_a_dry_run_says_what_would_be_refused(
    ready: Repo, interlock: Interlock
) -> None:
    ready.write(
        {HANDOFF: text(ready, HANDOFF).replace('plugin: Bravo', 'plugin: Autre')}
    )
    before = everything(ready)
    result = interlock(*END, '--dry-run')
    assert (result.code, 'HND004' in result.out) == (1, True)
    assert everything(ready) == before


def test_what_is_refused_is_not_said_to_be_complete(
    ready: Repo, interlock: Interlock
) -> None:
    for args in (('4',), ('3', '--dry-run'), ('3',)):
        ready.write(
            {HANDOFF: text(ready, HANDOFF).replace('plugin: Bravo', 'plugin: Autre')}
        )
        result = interlock('commit-stage', 'Bravo', *args, '-m', 'x')
        assert result.code == 1
        assert '✓' not in result.out
        assert 'complete' not in result.out


def test_each_warning_is_said_once(ready: Repo, interlock: Interlock) -> None:
    ready.git('config', 'core.hooksPath', '.git/hooks')
    for name in ('pre-commit', 'commit-msg'):
        message = ' --message "$1"' if name == 'commit-msg' else ''
        hook(ready, name, f'exec interlock check --staged{message} >&2')
    ready.write(
        {
            HANDOFF: text(ready, HANDOFF).replace(
                'complexity_score: 1.2', 'complexity_score: 9.0'
            )
        }
    )
    ready.git('checkout', '-q', CODE)
    result = run(ready, *END)
    assert result.returncode == 0, result.stdout
    for words in (' COM003 ', 'is not between 1.0 and 5.0'):
        assert result.stdout.count(words) == 1, result.stdout
    assert '✓ Committed' in result.stdout


def run(repo: Repo, *args: str) -> subprocess.CompletedProcess[str]:
    """In a process of its own, with all that hooks of git say."""
    return subprocess.run(
        (str(SCRIPTS / 'interlock'), *args),
        cwd=repo.path,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )


@pytest.mark.parametrize('answer', ('q', '1', '2'))
def test_on_a_terminal_it_waits_for_the_answer(
    ready: Repo, monkeypatch: pytest.MonkeyPatch, answer: str
) -> None:
    monkeypatch.chdir(ready.path)
    result = typed(*END, answers=(answer,))
    assert result.code == 0
    assert '✓ Committed: ' in result.out
    assert 'Invalid choice' not in result.out
    # something that only shows more is followed by the menu again
    assert result.out.count('Choose (1-6): _') == (2 if answer == '2' else 1)
    if answer == '1':
        assert 'when it is done: interlock commit-stage Bravo 4' in result.out
    assert ready.git('status', '--porcelain') == ''


def test_a_second_time_there_is_nothing_to_commit(
    ready: Repo, interlock: Interlock
) -> None:
    assert interlock(*END).code == 0
    before = everything(ready)
    result = interlock(*END)
    assert result.code == 1
    assert (
        'Stage 3 of Bravo is committed already: nothing differs from HEAD'
    ) in result.err
    assert everything(ready) == before


def test_records_that_were_written_before_are_committed_as_they_are(
    ready: Repo, interlock: Interlock
) -> None:
    assert interlock('registry', 'set-status', 'Bravo', 'Stage 3').code == 0
    result = interlock(*END)
    assert result.code == 0, result.err
    registry = at_head(ready, 'PLUGINS.md')
    assert registry.count('(Stage 3):**') == 1
    assert ready.git('status', '--porcelain') == ''


@pytest.mark.parametrize(
    'where',
    (pytest.param('plugins/Bravo/Source', id='below'), pytest.param('.', id='top')),
)
def test_the_working_directory_does_not_matter(
    ready: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    monkeypatch.chdir(ready.path / where)
    result = interlock(*END)
    assert result.code == 0, result.err
    assert touched(ready) == ['M PLUGINS.md', f'M {HANDOFF}', f'M {CODE}']
    assert ready.git('status', '--porcelain') == ''


def test_without_git_nothing_can_be_committed(
    ready: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    before = everything(ready)
    with monkeypatch.context() as patched:
        patched.setenv('PATH', str(tmp_path))
        result = interlock(*END)
    assert result.code == 2
    assert 'nothing can be committed: git is not installed' in result.err
    assert everything(ready) == before


def test_outside_of_a_repository_nothing_can_be_committed(
    interlock: Interlock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    place = Repo(tmp_path / 'sans')
    place.write(stages.files())
    monkeypatch.chdir(place.path)
    result = interlock(*END)
    assert result.code == 2
    assert 'nothing can be committed: this is not a git repository' in result.err
    assert 'git init' in result.err


def test_who_does_not_wait_is_told_that_another_is_at_work(
    ready: Repo, interlock: Interlock
) -> None:
    before = everything(ready)
    with Journal(str(ready.path / '.git')).locked(0):
        assert interlock(*END, '--wait', '0').code == 75
    assert everything(ready) == before


def test_hooks_see_exactly_the_commit(ready: Repo, interlock: Interlock) -> None:
    out = ready.path.parent / 'gesehen'
    ready.write({'autre.txt': 'x'})
    ready.git('add', 'autre.txt')
    hook(ready, 'pre-commit', f'git diff --cached --name-only > "{out}"')
    hook(ready, 'commit-msg', f'head -1 "$1" >> "{out}"')
    assert interlock(*END).code == 0
    assert out.read_text().splitlines() == [
        'PLUGINS.md',
        HANDOFF,
        CODE,
        'feat: Bravo Stage 3 - moteur audio',
    ]


def report(repo: Repo, **changes: object) -> str:
    """What the agent says, as a file."""
    file = repo.path.parent / 'rapport.json'
    file.write_text(
        json.dumps(
            {
                'agent': 'dsp-agent',
                'status': 'success',
                'outputs': {
                    'stage_completed': 3,
                    'phase_completed': None,
                    'files_modified': ['Main.cpp'],
                    'state_files_updated': [HANDOFF, 'PLUGINS.md'],
                },
                'stateUpdated': True,
                'stateUpdateError': None,
                'issues': [],
                'ready_for_next_stage': True,
                **changes,
            }
        )
    )
    return str(file)


def test_what_an_agent_wrote_is_verified_and_only_sealed(
    ready: Repo, interlock: Interlock
) -> None:
    assert interlock('registry', 'set-status', 'Bravo', 'Stage 3').code == 0
    handoff = text(ready, HANDOFF)
    result = interlock(*END, '--report', report(ready))
    assert result.code == 0, result.err
    assert at_head(ready, HANDOFF) == handoff
    assert 'moteur audio' not in handoff + at_head(ready, 'PLUGINS.md')
    assert ready.git('log', '-1', '--format=%s') == (
        'feat: Bravo Stage 3 - moteur audio'
    )
    assert ready.git('status', '--porcelain') == ''


def test_what_an_agent_did_not_write_is_refused_or_written_here(
    ready: Repo, interlock: Interlock
) -> None:
    before = everything(ready)
    file = report(
        ready,
        stateUpdated=False,
        description='du rapport',
        completed='tout',
        nextSteps=['goûter'],
    )
    result = interlock(*END, '--report', file)
    assert result.code == 1
    assert 'not verified (stateUpdated_false): ' in result.err
    assert f'--report {file} --fallback\n' in result.err
    assert everything(ready) == before
    result = interlock(*END, '--report', file, '--fallback')
    assert result.code == 0, result.err
    assert ('dsp-agent did not update the state, so it is written here') in result.err
    assert '(Stage 3):** du rapport\n' in at_head(ready, 'PLUGINS.md')
    assert '- **Stage 3:** tout\n' in at_head(ready, HANDOFF)
    assert 'goûter\n' in at_head(ready, HANDOFF)
    assert ready.git('status', '--porcelain') == ''


def test_work_that_failed_is_not_committed_by_a_fallback(
    ready: Repo, interlock: Interlock
) -> None:
    before = everything(ready)
    file = report(
        ready,
        status='failure',
        stateUpdated=False,
        outputs={
            'error_type': 'build',
            'error_message': 'kaputt',
            'failed_operation': 'link',
            'implementation_status': 'partial',
            'state_status': 'none',
        },
    )
    result = interlock(*END, '--report', file, '--fallback')
    assert result.code == 1
    assert ('next: interlock menu Bravo --outcome build-failed --text ') in result.err
    assert everything(ready) == before


@pytest.mark.parametrize(
    ('args', 'sentence'),
    (
        pytest.param(('--fallback',), '--fallback needs --report', id='no report'),
        pytest.param(('--report', 'absent.json'), 'absent.json', id='no file'),
    ),
)
def test_a_report_must_be_there(
    ready: Repo, interlock: Interlock, args: tuple[str, ...], sentence: str
) -> None:
    before = everything(ready)
    result = interlock(*END, *args)
    assert (result.code, sentence in result.err) == (2, True)
    assert everything(ready) == before


BOTH = 'version: 1\nextends: [plugin-workflow, task-protocol]\n'


@pytest.fixture
def guarded(ready: Repo) -> Repo:
    """A project with plugins and tasks: its main worktree has a lock."""
    ready.git('add', '.interlock.yaml')
    ready.write({'.interlock.yaml': BOTH})
    ready.git('commit', '-q', '--no-verify', '-m', 'chore: x', '-i', '.interlock.yaml')
    return ready


def _main_lock(repo: Repo) -> Path:
    return repo.path.parent / 'tasks' / 'main' / 'task.json'


def test_the_lock_of_the_main_worktree_is_taken_and_given_back(
    guarded: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv('INTERLOCK_SESSION', 'séance')
    hook(guarded, 'pre-commit', (f'test -f "{_main_lock(guarded)}" && interlock hook'))
    result = interlock(*END)
    assert result.code == 0, result.err + result.out
    assert not _main_lock(guarded).exists()


def test_a_lock_that_the_session_held_before_is_kept(
    guarded: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv('INTERLOCK_SESSION', 'séance')
    taken = ('lock', 'acquire', 'main', '--operation', 'git-operation')
    assert interlock(*taken).code == 0
    assert interlock(*END).code == 0
    assert _main_lock(guarded).exists()


def test_a_main_worktree_of_another_session_is_left_alone(
    guarded: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv('INTERLOCK_SESSION', 'autre')
    taken = ('lock', 'acquire', 'main', '--operation', 'git-operation')
    assert interlock(*taken).code == 0
    monkeypatch.setenv('INTERLOCK_SESSION', 'séance')
    before = everything(guarded)
    result = interlock(*END)
    assert result.code == 1
    assert 'LCK001: main is held by' in result.err
    assert everything(guarded) == before


def test_a_refused_commit_gives_the_lock_back(
    guarded: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv('INTERLOCK_SESSION', 'séance')
    hook(guarded, 'pre-commit', 'exit 1')
    assert interlock(*END).code == 1
    assert not _main_lock(guarded).exists()


def test_a_stage_that_was_committed_is_not_committed_by_halves(
    ready: Repo, interlock: Interlock
) -> None:
    assert interlock(*END).code == 0
    ready.write({CODE: '// once more\n'})
    before = everything(ready)
    result = interlock(*END)
    assert result.code == 1
    assert 'COM002' in result.out
    assert everything(ready) == before
    # what it says commits the rest, though nothing is staged, wherever one is
    (said,) = re.findall('next: (git add .*)', result.err)
    assert f': {said}\n' in result.out
    assert subprocess.run(said, shell=True, cwd=ready.path / 'plugins').returncode == 0
    assert touched(ready) == [f'M {CODE}']
    assert ready.git('status', '--porcelain') == ''


def test_a_test_that_failed_is_looked_into(ready: Repo, interlock: Interlock) -> None:
    failed = ('evidence', 'add', 'Bravo', '--kind', 'test', '--result')
    assert interlock(*failed, 'failed', '--stage', '3').code == 0
    result = interlock(*END)
    assert result.code == 1
    assert 'next: interlock menu Bravo --outcome tests-failed' in result.err
    # the word is the workflow's
    for failures, outcome in (
        ('{test: paused}', ' --outcome paused'),
        ('{test: null}', ''),
    ):
        ready.write(
            {
                '.interlock.yaml': (
                    f'{samples.WORKFLOW}items: {{plugin: {{handoff: {{failures: '
                    f'{failures}}}}}}}\n'
                )
            }
        )
        result = interlock('registry', 'set-status', 'Bravo', 'Stage 3')
        assert result.code == 1
        assert f'next: interlock menu Bravo{outcome}\n' in result.err


def test_a_broken_menu_is_found_before_anything_is_written(
    ready: Repo, interlock: Interlock
) -> None:
    ready.commit(
        {
            '.interlock.yaml': (
                f'{samples.WORKFLOW}items: {{plugin: {{menus: {{extends: m.yaml}}}}}}\n'
            ),
            'm.yaml': 'bad\n',
        }
    )
    stages.worked(ready)
    before = everything(ready)
    result = interlock(*END)
    assert (result.code, 'm.yaml:1' in result.err) == (2, True)
    assert everything(ready) == before
