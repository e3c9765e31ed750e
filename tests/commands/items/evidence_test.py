"""What was tried is recorded in the handoff, and opens the gate."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from interlock.project import project as projects
from tests import samples
from tests.conftest import Interlock, Repo, Result
from tests.operations.places import changed

DAY = '2026-03-04'
HANDOFF = samples.handoff_path('Bravo')
PLAN = 'plugins/Bravo/.ideas/plan.md'
PHASES = '### Phase 3.1: Core\n\n### Phase 3.2: Filters\n'
NONE = 'null'
OLD = ''


@pytest.fixture(autouse=True)
def day(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(projects, 'today', lambda: DAY)


def add(interlock: Interlock, *args: str, item: str = 'Bravo') -> Result:
    kinds = () if '--kind' in args else ('--kind', 'test')
    results = () if '--result' in args else ('--result', 'passed')
    return interlock('evidence', 'add', item, *kinds, *results, *args)


def written(repo: Repo) -> str:
    return (repo.path / HANDOFF).read_bytes().decode()


@pytest.mark.parametrize(
    ('args', 'line'),
    [
        pytest.param((), '  3.test: passed 2026-03-04\n', id='passed'),
        pytest.param(
            ('--result', 'failed'), '  3.test: failed 2026-03-04\n', id='failed'
        ),
        pytest.param(
            ('--kind', 'build'), '  3.build: passed 2026-03-04\n', id='a build'
        ),
        pytest.param(
            ('--text', '45 von 45 (größer)'),
            "  3.test: 'passed 2026-03-04: 45 von 45 (größer)'\n",
            id='a text',
        ),
        pytest.param(
            ('--text', " it's\n  two "),
            "  3.test: 'passed 2026-03-04: it''s two'\n",
            id='lines',
        ),
        pytest.param(('--stage', '5'), '  5.test: passed 2026-03-04\n', id='a stage'),
        pytest.param(
            ('--stage', 'Designing Interface'),
            '  4.test: passed 2026-03-04\n',
            id='a stage by its milestone',
        ),
        pytest.param(
            ('--stage', '3.2'),
            '  3.test: passed 2026-03-04\n',
            id='a phase stands for its stage',
        ),
    ],
)
@pytest.mark.parametrize('kept', [NONE, OLD, '\n  2.build: passed 2026-01-02'])
def test_one_line_is_written_and_no_other_byte(
    project: Repo, interlock: Interlock, args: tuple[str, ...], line: str, kept: str
) -> None:
    before = samples.handoff('Bravo', evidence=kept)
    project.write({HANDOFF: before})
    result = add(interlock, *args)
    assert (result.code, result.out) == (0, '')
    new = [f'+ {line}']
    if kept == NONE:
        new = ['- evidence: null\n', '+ evidence:\n', *new]
    elif kept == OLD:
        new = ['+ evidence:\n', *new]
    assert changed(before, written(project)) == new


def test_a_later_result_replaces_the_earlier(
    project: Repo, interlock: Interlock
) -> None:
    project.write({HANDOFF: samples.handoff('Bravo', evidence=NONE)})
    result = add(interlock, '--result', 'failed', '--text', '3 von 45')
    assert result.err == (
        'Bravo: test of Stage 3 failed\n'
        'the gate of Stage 3 is closed until it has passed\n'
    )
    result = add(interlock)
    assert result.err == 'Bravo: test of Stage 3 passed\n'
    assert written(project).count('3.test') == 1
    # what no gate asks for closes it too
    result = add(interlock, '--kind', 'build', '--result', 'failed')
    assert result.err == (
        'Bravo: build of Stage 3 failed\n'
        'the gate of Stage 3 is closed until it has passed\n'
    )


@pytest.mark.parametrize(
    ('stage', 'phase', 'status', 'fields', 'key'),
    [
        pytest.param('2', 'null', 'complete', {}, '3.test', id='what comes'),
        pytest.param('3', 'null', 'complete', {}, '4.test', id='after 3'),
        pytest.param('4', 'null', 'complete', {}, '5.test', id='after 4'),
        pytest.param('0', 'null', 'complete', {}, '2.test', id='after 0'),
        pytest.param('3', '3.1', 'complete', {}, '3.test', id='in a phase'),
        pytest.param('3', 'null', 'in_progress', {}, '3.test', id='open'),
        pytest.param(
            '3', 'null', 'complete', {'gui_type': 'headless'}, '4.test', id='headless'
        ),
        pytest.param(
            '2',
            'null',
            'complete',
            {'phased_implementation': 'true', 'complexity_score': '4.0'},
            '3.test',
            id='before the first phase',
        ),
    ],
)
def test_the_stage_is_the_one_being_worked_on(
    project: Repo,
    interlock: Interlock,
    stage: str,
    phase: str,
    status: str,
    fields: dict[str, str],
    key: str,
) -> None:
    text = samples.handoff('Bravo', stage, phase, status, None, evidence=NONE, **fields)
    project.write({HANDOFF: text, PLAN: PHASES})
    assert add(interlock).code == 0
    assert f'evidence:\n  {key}: passed' in written(project)


@pytest.mark.parametrize(
    ('args', 'files', 'code', 'sentence'),
    [
        pytest.param(
            ('--kind', 'tset'),
            {},
            2,
            '`tset` is not one of test, build; did you mean `test`?',
            id='a kind that nobody asks for',
        ),
        pytest.param(('--result', 'ok'), {}, 2, "'ok' is not one of", id='result'),
        pytest.param(('--stage', '33'), {}, 2, '`33` is not a stage', id='no stage'),
        pytest.param(
            ('--stage', 'Working'),
            {},
            2,
            '`Working` is not a stage',
            id='a state that is not a stage',
        ),
        pytest.param(
            (),
            {HANDOFF: None},
            1,
            'Bravo has no handoff to hold evidence',
            id='no handoff',
        ),
        pytest.param(
            (), {HANDOFF: '# nichts\n'}, 2, 'has no frontmatter', id='no frontmatter'
        ),
        pytest.param(
            (),
            {HANDOFF: '---\nstage: [\n---\n'},
            2,
            'is not valid YAML',
            id='broken frontmatter',
        ),
        pytest.param(
            (),
            {HANDOFF: samples.handoff('Bravo', '6')},
            2,
            'nothing comes after Stage 6',
            id='nothing comes',
        ),
        pytest.param(
            (),
            {HANDOFF: samples.handoff('Bravo', evidence='ja')},
            2,
            'that Interlock cannot edit',
            id='evidence in another form',
        ),
        pytest.param(
            ('--text', 'h\udcff'),
            {},
            2,
            'cannot hold the value',
            id='a text that is not Unicode',
        ),
    ],
)
def test_what_cannot_be_recorded_is_refused(
    project: Repo,
    interlock: Interlock,
    args: tuple[str, ...],
    files: dict[str, str | bytes | None],
    code: int,
    sentence: str,
) -> None:
    project.write(files)
    before = project.git('diff')
    result = add(interlock, *args)
    assert (result.code, sentence in result.err) == (code, True), result.err
    assert project.git('diff') == before


def test_an_unknown_item_is_named(project: Repo, interlock: Interlock) -> None:
    result = add(interlock, item='Brovo')
    assert result.code == 2
    assert 'did you mean `Bravo`?' in result.err


def test_a_read_only_handoff_keeps_its_bytes(
    project: Repo, interlock: Interlock
) -> None:
    (project.path / HANDOFF).chmod(0o444)
    before = written(project)
    result = add(interlock)
    assert (result.code, 'is read-only' in result.err) == (2, True)
    assert written(project) == before


def test_kinds_come_from_the_gates(project: Repo, interlock: Interlock) -> None:
    project.write(
        {
            '.interlock.yaml': (
                f'{samples.WORKFLOW}items: {{plugin: {{gates: {{Stage 3: '
                f'{{evidence: [écoute]}}, Stage 4: null, Stage 5: null}}}}}}\n'
            )
        }
    )
    assert add(interlock, '--kind', 'écoute').code == 0
    assert f'  3.écoute: passed {DAY}\n' in written(project)
    result = add(interlock, '--kind', 'test')
    assert '`test` is not one of écoute, build' in result.err


def test_without_git_it_is_recorded_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, interlock: Interlock
) -> None:
    top = Repo(tmp_path / 'ailleurs')
    top.path.mkdir()
    top.write(
        {
            '.interlock.yaml': samples.WORKFLOW,
            'PLUGINS.md': samples.registry({'Bravo': 'Stage 2'}),
            HANDOFF: samples.handoff('Bravo', evidence=NONE),
        }
    )
    monkeypatch.chdir(top.path)
    monkeypatch.setenv('PATH', os.devnull)
    result = add(interlock)
    assert (result.code, 'nothing is committed' in result.err) == (0, True)
    assert f'3.test: passed {DAY}' in written(top)


GATE = 'Stage 3 would be done, and no test of it is recorded as passed (`3.test`)'


def test_a_step_is_allowed_when_it_was_tried(
    project: Repo, interlock: Interlock
) -> None:
    project.commit({HANDOFF: samples.handoff('Bravo', evidence=NONE)})
    asks = ('registry', 'may', 'Bravo', 'Stage 3', '--format', 'json')
    result = interlock(*asks)
    assert result.out == f'{{"allowed": false, "reason": "{GATE}"}}\n'
    assert result.code == 1
    result = interlock('registry', 'set-status', 'Bravo', 'Stage 3')
    assert (result.code, GATE in result.err) == (1, True)
    assert project.git('status', '--porcelain') == ''
    # into a phase nothing needs to be tried
    result = interlock('registry', 'may', 'Bravo', 'Stage 3.1')
    assert result.code == 0
    assert add(interlock).code == 0
    result = interlock(*asks)
    assert result.out == '{"allowed": true, "reason": ""}\n'
    result = interlock('registry', 'set-status', 'Bravo', 'Stage 3')
    assert result.code == 0, result.err
    project.write({'plugins/Bravo/Source/Main.cpp': '// 3\n'})
    assert interlock.check('--worktree').codes == []


def test_a_failed_test_closes_the_gate_again(
    project: Repo, interlock: Interlock
) -> None:
    project.commit({HANDOFF: samples.handoff('Bravo', evidence=NONE)})
    add(interlock)
    add(interlock, '--result', 'failed')
    result = interlock('registry', 'may', 'Bravo', 'Stage 3')
    assert result.code == 1
    assert f'its test is recorded as `failed {DAY}`' in result.out


def test_an_old_handoff_is_only_warned_of(project: Repo, interlock: Interlock) -> None:
    project.commit({HANDOFF: samples.handoff('Bravo', evidence=OLD)})
    result = interlock('registry', 'may', 'Bravo', 'Stage 3')
    assert (result.code, GATE in result.out) == (0, True)
    result = interlock('registry', 'set-status', 'Bravo', 'Stage 3')
    assert (result.code, f'warning: {GATE}' in result.err) == (0, True)


def test_the_end_of_phases_is_a_step_though_the_registry_stays(
    project: Repo, interlock: Interlock
) -> None:
    """A registry may leave phases out: then only the handoff moves."""
    project.commit(
        {
            'PLUGINS.md': samples.registry(
                {'Alpha': 'Ideated', 'Bravo': 'Stage 3', 'Charlie': 'Installed'}
            ),
            HANDOFF: samples.handoff(
                'Bravo',
                '3',
                '3.2',
                evidence=NONE,
                complexity_score='4.0',
                phased_implementation='true',
            ),
        }
    )
    update = ('handoff', 'update', 'Bravo', '3')
    result = interlock(*update)
    assert (result.code, GATE in result.err) == (1, True), result.err
    assert (
        'next: interlock evidence add Bravo --stage 3 --kind test --result '
        'passed\n' in result.err
    )
    assert project.git('status', '--porcelain') == ''
    assert add(interlock).code == 0
    result = interlock(*update, '--next-phase', '4.1')
    assert result.code == 0, result.err


def test_a_handoff_that_is_made_has_tried_nothing(
    project: Repo, interlock: Interlock
) -> None:
    project.commit({HANDOFF: None})
    result = interlock('handoff', 'create', 'Bravo', '3', '--status', 'complete')
    assert (result.code, GATE in result.err) == (1, True), result.err
    assert not (project.path / HANDOFF).exists()
    result = add(interlock)
    assert (result.code, 'interlock handoff create Bravo' in result.err) == (1, True)
    # open work needs no evidence yet
    assert interlock('handoff', 'create', 'Bravo', '3').code == 0
    result = interlock('handoff', 'update', 'Bravo', '3')
    assert (result.code, GATE in result.err) == (1, True), result.err
    assert add(interlock).code == 0
    result = interlock('handoff', 'update', 'Bravo', '3')
    assert result.code == 0, result.err
