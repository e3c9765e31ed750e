from __future__ import annotations

import json

import pytest

from interlock.rules.index import RULES
from tests import samples
from tests.commands.everyday.plugin_history import ITEM, live, state
from tests.conftest import Interlock, Repo

STATUSES = {'Alpha': 'Ideated', 'Bravo': 'Ideated'}
GOOD = samples.registry(STATUSES)
BAD = samples.registry(STATUSES, rows={'Alpha': 'Stage 0'})


@pytest.fixture
def plugins(repo: Repo) -> Repo:
    """A history whose only commit is innocent."""
    repo.commit({'.interlock.yaml': samples.WORKFLOW, 'PLUGINS.md': GOOD})
    return repo


def test_a_good_history_holds_nothing_to_refuse(
    repo: Repo, interlock: Interlock
) -> None:
    live(repo)
    result = interlock('audit')
    assert result.out == (
        'interlock: 9 commits, 0 of them would be refused: nothing to refuse\n'
    )
    assert result.code == 0


def test_verbose_says_where_how_and_why(plugins: Repo, interlock: Interlock) -> None:
    plugins.commit({'PLUGINS.md': BAD}, 'docs: à côté')
    short, long = interlock('audit').out, interlock('audit', '-v').out
    assert [line for line in short.splitlines() if line not in long] == []
    added = [line.strip() for line in long.splitlines() if line not in short]
    assert added[0].startswith('PLUGINS.md:')
    assert added[1].startswith('bring the row in line with the entry: interlock ')
    assert added[2] == RULES['REG001'].why
    assert 'interlock: judged 2 commits, by .interlock.yaml:' in added


def test_each_guilty_commit_is_named_with_its_findings(
    plugins: Repo, interlock: Interlock
) -> None:
    first = plugins.commit({'PLUGINS.md': BAD}, 'docs: à côté\n\nBody.')
    plugins.commit({'PLUGINS.md': GOOD}, 'docs: remis')
    second = plugins.commit({'PLUGINS.md': BAD}, 'docs: encore')
    result = interlock('audit')
    assert result.code == 1
    lines = result.out.splitlines()
    assert lines[0] == f'{first[:10]} 2026-01-02 docs: à côté'
    assert lines[1].startswith('    error: REG001 Alpha: the row says ')
    assert lines[2] == f'{second[:10]} 2026-01-02 docs: encore'
    assert lines[4] == f'in the tree of {second[:10]}:'
    assert lines[5] == lines[3]
    assert lines[6:] == [
        f'    2 REG001 {RULES["REG001"].title}',
        'interlock: 4 commits, 2 of them would be refused: 2 errors',
    ]


def test_what_is_wrong_with_the_last_tree_is_listed_apart(
    plugins: Repo, interlock: Interlock
) -> None:
    guilty = plugins.commit({'PLUGINS.md': BAD}, 'docs: à côté')
    last = plugins.commit({'README.md': 'à lire\n'}, 'docs: à lire')
    result = interlock('audit', f'{guilty}..HEAD')
    # it was there before, so nobody in this range is guilty
    assert result.code == 0
    lines = result.out.splitlines()
    assert lines[0] == f'in the tree of {last[:10]}:'
    assert lines[1].startswith('    error: REG001 Alpha: the row says ')
    assert lines[2:] == [
        'interlock: 1 commit, 0 of them would be refused: nothing to refuse'
    ]


def test_a_last_tree_that_was_fixed_is_not_listed(
    plugins: Repo, interlock: Interlock
) -> None:
    plugins.commit({'PLUGINS.md': BAD})
    plugins.commit({'PLUGINS.md': GOOD})
    result = interlock('audit')
    assert result.code == 1
    assert 'in the tree of' not in result.out


@pytest.mark.parametrize(
    ('revisions', 'commits', 'code'),
    (
        pytest.param('HEAD~1..HEAD', 1, 0, id='the last'),
        pytest.param('HEAD~2..HEAD', 2, 1, id='two'),
        pytest.param('HEAD..HEAD', 0, 0, id='none'),
        pytest.param('HEAD..HEAD~2', 0, 0, id='backwards'),
        pytest.param('HEAD~2...HEAD', 2, 1, id='since they parted'),
    ),
)
def test_a_range_is_audited(
    plugins: Repo, interlock: Interlock, revisions: str, commits: int, code: int
) -> None:
    plugins.commit({'PLUGINS.md': BAD})
    plugins.commit({'PLUGINS.md': GOOD})
    result = interlock('audit', revisions, '--format', 'json')
    assert json.loads(result.out)['summary']['commits'] == commits
    assert result.code == code


def test_an_empty_range_is_counted(plugins: Repo, interlock: Interlock) -> None:
    result = interlock('audit', 'HEAD..HEAD')
    assert result.out == (
        'interlock: 0 commits, 0 of them would be refused: nothing to refuse\n'
    )


def test_the_json_report_names_the_commit_of_each_finding(
    plugins: Repo, interlock: Interlock
) -> None:
    guilty = plugins.commit({'PLUGINS.md': BAD})
    report = json.loads(interlock('audit', '--format', 'json').out)
    assert report['version'] == 1
    assert [(finding['code'], finding['commit']) for finding in report['findings']] == [
        ('REG001', guilty)
    ]
    assert report['summary']['errors'] == 1
    assert report['summary']['refused'] is True


def test_a_commit_with_warnings_only_is_listed_and_not_refused(
    plugins: Repo, interlock: Interlock
) -> None:
    text = GOOD.replace(
        '| Alpha | 💡 Ideated | - | 2026-01-02 |',
        '| Alpha | 💡 Ideated | - | 2026-01-01 |',
    )
    plugins.commit({'PLUGINS.md': text}, 'docs: date')
    result = interlock('audit')
    assert 'REG004 Alpha' in result.out
    assert result.out.endswith(
        'interlock: 2 commits, 0 of them would be refused: 1 warning\n'
    )
    assert result.code == 0


def test_a_merge_is_guilty_only_of_what_is_new_against_all_its_parents(
    plugins: Repo, interlock: Interlock
) -> None:
    plugins.git('checkout', '-q', '-b', 'côté')
    side = plugins.commit({'PLUGINS.md': BAD}, 'docs: côté')
    plugins.git('checkout', '-q', 'main')
    plugins.commit({'a': '1'}, 'docs: principal')
    plugins.git('merge', '-q', '--no-edit', 'côté')
    report = json.loads(interlock('audit', '--format', 'json').out)
    assert [f['commit'] for f in report['findings']] == [side]
    assert report['summary']['commits'] == 4


def test_a_merge_that_brings_something_new_is_guilty(
    plugins: Repo, interlock: Interlock
) -> None:
    plugins.git('checkout', '-q', '-b', 'côté')
    plugins.commit({'b': '1'}, 'docs: côté')
    plugins.git('checkout', '-q', 'main')
    plugins.commit({'a': '1'}, 'docs: principal')
    plugins.git('merge', '-q', '--no-commit', 'côté')
    merge = plugins.commit({'PLUGINS.md': BAD}, 'Merge côté')
    assert plugins.git('rev-parse', 'HEAD^2')
    report = json.loads(interlock('audit', '--format', 'json').out)
    assert [f['commit'] for f in report['findings']] == [merge]


@pytest.mark.parametrize(
    ('args', 'sentence'),
    (
        pytest.param(('HEAD',), '`HEAD` is not a range', id='one revision'),
        pytest.param(
            ('HEAD..nirgends',),
            '`nirgends` is not a commit in this repository',
            id='unknown revision',
        ),
        pytest.param(('a..b', 'c'), 'c', id='two ranges'),
        pytest.param(('--format', 'sarif'), 'sarif', id='unknown format'),
    ),
)
def test_a_question_without_an_answer_exits_2(
    plugins: Repo, interlock: Interlock, args: tuple[str, ...], sentence: str
) -> None:
    result = interlock('audit', *args)
    assert result.code == 2
    assert result.out == ''
    assert sentence in result.err


@pytest.mark.parametrize(
    'args',
    (
        pytest.param((), id='history'),
        pytest.param(('--item', ITEM), id='item'),
        pytest.param(('--write-baseline',), id='baseline'),
    ),
)
def test_a_repository_without_a_commit_is_refused(
    repo: Repo, interlock: Interlock, args: tuple[str, ...]
) -> None:
    repo.write({'.interlock.yaml': samples.WORKFLOW})
    result = interlock('audit', *args)
    assert result.code == 2
    assert result.err == (
        'interlock: refused: there is no commit yet\n'
        '    next: interlock check --worktree\n'
    )


@pytest.mark.parametrize(
    'args',
    (
        pytest.param(('--item', 'Alpha'), id='item'),
        pytest.param(('HEAD~1..HEAD',), id='range'),
    ),
)
def test_a_baseline_is_of_the_whole_tree(
    plugins: Repo, interlock: Interlock, args: tuple[str, ...]
) -> None:
    plugins.commit({'PLUGINS.md': BAD})
    result = interlock('audit', '--write-baseline', *args)
    assert result.code == 2
    assert '--write-baseline records the whole tree of HEAD' in result.err
    assert not (plugins.path / '.interlock-baseline.json').exists()


@pytest.mark.parametrize(
    ('seconds', 'day'),
    (
        pytest.param('253402300799', '9999-12-31', id='far'),
        pytest.param(str(10**18), f'@{10**18}', id='too far'),
    ),
)
def test_a_date_that_no_calendar_knows_is_shown_as_it_is(
    plugins: Repo, interlock: Interlock, seconds: str, day: str
) -> None:
    plugins.commit({'PLUGINS.md': BAD}, 'docs: à côté')
    commit = plugins.git('cat-file', 'commit', 'HEAD').replace(
        '1767323045 +0000', f'{seconds} +0000'
    )
    plugins.write({'.git/made': f'{commit}\n'})
    oid = plugins.git('hash-object', '-t', 'commit', '-w', '--literally', '.git/made')
    plugins.git('update-ref', 'HEAD', oid)
    result = interlock('audit')
    assert result.code == 1
    assert f'{oid[:10]} {day} docs: à côté\n' in result.out


def test_the_help_says_what_the_exit_code_means(interlock: Interlock) -> None:
    said = ' '.join(interlock('audit', '--help').out.split())
    assert 'Exit code 1 means that some commit would be refused.' in said
    assert "What today's baseline lists does not count" in said


def criteria(interlock: Interlock, *args: str) -> dict[str, tuple[str, str]]:
    result = interlock('audit', '--item', ITEM, '--format', 'json', *args)
    report = json.loads(result.out)
    assert report['item'] == ITEM
    found = {c['name']: (c['verdict'], c['why']) for c in report['criteria']}
    verdicts = {verdict for verdict, _ in found.values()}
    assert result.code == ('fails' in verdicts)
    return found


BUILDS = 'it builds without errors'
SEQUENCE = 'all stages completed in sequence'
TESTS = 'tests pass'
DONE = 'the registry says that it is done'
DELETED = 'the handoff is deleted'
COMMITS = 'the history shows all stage commits'
READY = 'it is ready for installation or improvement'


def test_all_seven_criteria_of_a_complete_life(
    repo: Repo, interlock: Interlock
) -> None:
    live(repo)
    found = criteria(interlock)
    assert {name: verdict for name, (verdict, _) in found.items()} == {
        BUILDS: 'unknown',
        SEQUENCE: 'holds',
        TESTS: 'holds',
        DONE: 'holds',
        DELETED: 'holds',
        COMMITS: 'holds',
        READY: 'holds',
    }
    assert found[DONE][1] == 'it says Installed'
    assert found[COMMITS][1] == (
        'found: Stage 0, Stage 1, Stage 2, Stage 3, Stage 4, Stage 5'
    )


NOTHING = ('unknown', 'the repository holds no evidence of it')
TRIED = ''.join(f'\n  {n}.test: passed 2026-01-02' for n in (3, 4, 5))


@pytest.mark.parametrize(
    ('evidence', 'builds', 'tests'),
    (
        pytest.param('', NOTHING, NOTHING, id='an old handoff'),
        pytest.param('null', NOTHING, NOTHING, id='nothing'),
        pytest.param(TRIED, NOTHING, ('holds', ''), id='all tests'),
        pytest.param(
            '\n  3.test: passed 2026-01-02',
            NOTHING,
            ('unknown', 'no evidence of 4.test, 5.test'),
            id='some tests',
        ),
        pytest.param(
            f'{TRIED}\n  4.build: passed 2026-01-02',
            ('holds', ''),
            ('holds', ''),
            id='a build',
        ),
        pytest.param(
            '\n  4.test: failed 2026-01-02\n  2.build: failed 2026-01-03',
            ('fails', '2.build: failed 2026-01-03'),
            ('fails', '4.test: failed 2026-01-02'),
            id='failed',
        ),
    ),
)
@pytest.mark.parametrize('deleted', (False, True))
def test_what_was_tried_is_read_from_the_last_handoff(
    repo: Repo,
    interlock: Interlock,
    evidence: str,
    builds: tuple[str, str],
    tests: tuple[str, str],
    deleted: bool,
) -> None:
    live(repo, 'Working', 'Installed')
    file = samples.handoff_path(ITEM)
    repo.commit({file: samples.handoff(ITEM, '5', evidence=evidence)})
    if deleted:
        repo.commit({file: None})
    found = criteria(interlock)
    assert (found[BUILDS], found[TESTS]) == (builds, tests)


@pytest.mark.parametrize(
    'without',
    (
        pytest.param(('Installed',), id='Working'),
        pytest.param(('Stage 1',), id='without the optional stage'),
        pytest.param(('Stage 5',), id='Working from Stage 4'),
    ),
)
def test_other_lives_that_are_complete(
    repo: Repo, interlock: Interlock, without: tuple[str, ...]
) -> None:
    live(repo, *without)
    verdicts = [verdict for verdict, _ in criteria(interlock).values()]
    assert 'fails' not in verdicts


@pytest.mark.parametrize(
    ('without', 'expected'),
    (
        pytest.param(
            ('Stage 0',),
            ('holds', 'found: Stage 1, Stage 2, Stage 3, Stage 4, Stage 5'),
            id='Stage 1',
        ),
        pytest.param(
            ('Stage 0', 'Stage 1'),
            ('fails', 'none between nothing and Stage 2'),
            id='Stage 2',
        ),
    ),
)
def test_the_stage_that_a_life_starts_with(
    repo: Repo,
    interlock: Interlock,
    without: tuple[str, ...],
    expected: tuple[str, str],
) -> None:
    repo.write(samples.item_files(ITEM))
    live(repo, *without)
    found = criteria(interlock)
    assert found[COMMITS] == expected
    assert found[SEQUENCE][0] == expected[0]


def test_the_criteria_as_text(repo: Repo, interlock: Interlock) -> None:
    live(repo)
    result = interlock('audit', '--item', ITEM)
    assert result.code == 0
    lines = result.out.splitlines()
    assert len(lines) == 7
    assert lines[0] == (
        'unknown  it builds without errors (the repository holds no evidence of it)'
    )
    assert lines[1] == 'holds    all stages completed in sequence'


def test_a_skipped_stage_breaks_the_sequence_and_the_commits(
    repo: Repo, interlock: Interlock
) -> None:
    oids = live(repo, 'Stage 3')
    found = criteria(interlock)
    verdict, why = found[SEQUENCE]
    assert verdict == 'fails'
    assert why.startswith(oids['Stage 4'][:10])
    assert found[COMMITS] == ('fails', 'none between Stage 2 and Stage 4')
    assert found[READY] == ('holds', '')


def test_a_stage_without_a_commit_of_its_own_is_missed(
    repo: Repo, interlock: Interlock
) -> None:
    live(repo, 'Stage 4', 'Stage 5', 'Working', 'Installed')
    repo.commit(state('Stage 4', '4'), 'chore: divers')
    repo.commit(state('Working'), 'chore: fini')
    found = criteria(interlock)
    assert found[SEQUENCE][0] == 'holds'
    assert found[COMMITS] == ('fails', 'the stages after Stage 3 have none')


def test_an_archived_item_need_not_have_gone_through_all_stages(
    repo: Repo, interlock: Interlock
) -> None:
    live(repo, 'Stage 4', 'Stage 5', 'Working', 'Installed')
    repo.commit(
        {**state('Archived'), samples.handoff_path(ITEM): None},
        f'chore: {ITEM} Archived',
    )
    assert criteria(interlock)[COMMITS][0] == 'holds'


def test_a_history_without_a_stage_commit(repo: Repo, interlock: Interlock) -> None:
    repo.commit({'.interlock.yaml': samples.WORKFLOW, **state('Working')})
    verdict, why = criteria(interlock)[COMMITS]
    assert verdict == 'fails'
    assert why == 'the stages after nothing have none'


def test_an_item_at_work_is_not_done(repo: Repo, interlock: Interlock) -> None:
    live(repo, 'Stage 4', 'Stage 5', 'Working', 'Installed')
    found = criteria(interlock)
    assert found[SEQUENCE][0] == 'holds'
    assert found[DONE] == ('fails', 'it says Stage 3')
    assert found[DELETED] == ('fails', f'{samples.handoff_path(ITEM)} exists')
    assert found[COMMITS][0] == 'holds'
    assert found[READY] == ('fails', 'it is Stage 3')


def test_an_installed_item_with_an_error_is_not_ready(
    repo: Repo, interlock: Interlock
) -> None:
    live(repo)
    repo.commit(
        {'PLUGINS.md': samples.registry({ITEM: 'Installed'}, rows={ITEM: 'Working'})}
    )
    verdict, why = criteria(interlock)[READY]
    assert verdict == 'fails'
    assert why.startswith('REG001 the row says ')


def test_criteria_name_milestones_where_the_workflow_wants_them(
    repo: Repo, interlock: Interlock
) -> None:
    live(repo, 'Stage 3', 'Stage 5', 'Working', 'Installed')
    repo.commit({'.interlock.yaml': f'{samples.WORKFLOW}display: milestones\n'})
    found = criteria(interlock)
    assert found[DONE] == ('fails', 'it says Designing Interface')
    assert found[COMMITS] == (
        'fails',
        'none between Building System and Designing Interface',
    )
    assert found[READY] == ('fails', 'it is Designing Interface')


def test_a_range_limits_the_history_that_is_looked_at(
    repo: Repo, interlock: Interlock
) -> None:
    oids = live(repo)
    found = criteria(interlock, f'{oids["Stage 4"]}..HEAD')
    assert found[COMMITS][0] == 'fails'
    assert found[DONE][0] == 'holds'


@pytest.mark.parametrize(
    ('item', 'sentence'),
    (
        pytest.param(
            'Dèlay', f'there is no item `Dèlay`; did you mean `{ITEM}`?', id='nearest'
        ),
        pytest.param('x', 'there is no item `x`\n', id='nothing near'),
        pytest.param('../../x', "'../../x' cannot be the name of an item", id='path'),
        pytest.param('', "'' cannot be the name of an item", id='empty'),
        pytest.param('a\nb', "'a\\nb' cannot be the name of an item", id='newline'),
    ),
)
def test_an_item_that_is_not_there_exits_2(
    repo: Repo, interlock: Interlock, item: str, sentence: str
) -> None:
    live(repo)
    result = interlock('audit', '--item', item)
    assert result.code == 2
    assert result.out == ''
    assert sentence in result.err
