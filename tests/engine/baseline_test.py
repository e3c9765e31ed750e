from __future__ import annotations

import json
import subprocess

import pytest

from tests import samples
from tests.conftest import Interlock, Repo

FILE = '.interlock-baseline.json'
NAMES = ('Alpha', 'Bravo', 'Échec')
STATUSES = dict.fromkeys(NAMES, 'Ideated')


def registry(*bad: str) -> str:
    """Rows of some items are ahead of their entries."""
    return samples.registry(STATUSES, rows=dict.fromkeys(bad, 'Stage 0'))


@pytest.fixture
def old(repo: Repo) -> Repo:
    """A repository that has two findings when it adopts us."""
    repo.commit(
        {'.interlock.yaml': samples.WORKFLOW, 'PLUGINS.md': registry('Alpha', 'Échec')}
    )
    return repo


@pytest.fixture
def adopted(old: Repo, interlock: Interlock) -> Repo:
    result = interlock('audit', '--write-baseline')
    assert result.code == 0
    assert result.err.startswith('2 findings written to ')
    _, _, command = result.err.rstrip().rpartition('next: ')
    reason = command.replace('WHY', 'avant nous')
    subprocess.run(reason, shell=True, cwd=old.path, check=True)
    again = interlock('audit', '--write-baseline')
    assert again.err == '2 findings written to .interlock-baseline.json\n'
    assert old.git('status', '--short') == ''
    return old


def summary(interlock: Interlock, *args: str) -> tuple[int, int, int, int]:
    """Exit code, errors, suppressed and stale."""
    result = interlock.check(*args)
    found = json.loads(result.out)['summary']
    return result.code, found['errors'], found['suppressed'], found['stale']


def test_a_baseline_lists_what_is_found_by_fingerprint(adopted: Repo) -> None:
    text = (adopted.path / FILE).read_text()
    assert text.endswith('\n')
    stored = json.loads(text)
    assert stored['version'] == 1
    assert [(e['code'], e['item']) for e in stored['findings']] == [
        ('REG001', 'Alpha'),
        ('REG001', 'Échec'),
    ]
    assert all(len(e['fingerprint']) == 20 for e in stored['findings'])
    assert 'Échec' in text


def test_a_baseline_is_committed_with_a_new_workflow(
    repo: Repo, interlock: Interlock
) -> None:
    repo.commit({'PLUGINS.md': registry('Alpha')})
    repo.write({'.interlock.yaml': samples.WORKFLOW})
    result = interlock('audit', '--write-baseline')
    assert result.err == (
        '1 finding written to .interlock-baseline.json, which counts once it is '
        'committed\n'
        'next: commit it with .interlock.yaml\n'
    )


def test_what_is_listed_no_longer_counts_and_is_still_numbered(
    adopted: Repo, interlock: Interlock
) -> None:
    assert summary(interlock, '--tree', 'HEAD') == (0, 0, 2, 0)
    assert summary(interlock, '--tree', 'HEAD~1') == (1, 2, 0, 0)
    assert summary(interlock, '--inherited') == (0, 0, 2, 0)
    text = interlock('check', '--tree', 'HEAD').out
    assert text == (
        'interlock: passed: nothing to refuse; 2 suppressed by the baseline\n'
    )
    listed = interlock('check', '--tree', 'HEAD', '-v').out
    assert listed.count(' (in the baseline)\n') == 2


def test_a_new_finding_counts_beside_the_listed(
    adopted: Repo, interlock: Interlock
) -> None:
    adopted.stage({'PLUGINS.md': registry(*NAMES)})
    result = interlock.check('--staged')
    assert [f['item'] for f in json.loads(result.out)['findings']] == ['Bravo']
    assert result.code == 1
    text = interlock('check', '--inherited').out
    assert '1 error; 2 suppressed by the baseline' in text


def test_other_values_make_a_new_finding(adopted: Repo, interlock: Interlock) -> None:
    rows = {'Alpha': 'Stage 1', 'Échec': 'Stage 0'}
    adopted.stage({'PLUGINS.md': samples.registry(STATUSES, rows=rows)})
    result = interlock.check('--staged')
    assert [(f['code'], f['item']) for f in json.loads(result.out)['findings']] == [
        ('REG001', 'Alpha')
    ]


def test_an_entry_that_no_longer_occurs_is_reported(
    adopted: Repo, interlock: Interlock
) -> None:
    adopted.commit({'PLUGINS.md': registry('Alpha')})
    assert summary(interlock, '--tree', 'HEAD') == (0, 0, 1, 1)
    assert summary(interlock, '--inherited') == (0, 0, 1, 1)
    text = interlock('check', '--tree', 'HEAD').out
    assert (
        '1 suppressed by the baseline; 1 entry of the baseline no longer occur' in text
    )
    assert 'interlock audit --write-baseline' in text
    adopted.commit({'PLUGINS.md': registry()})
    assert '2 entries of the baseline' in interlock('check', '--tree', 'HEAD').out


def test_one_check_alone_cannot_tell_what_no_longer_occurs(
    adopted: Repo, interlock: Interlock
) -> None:
    args = ('--tree', 'HEAD', '--only', 'handoff')
    assert summary(interlock, *args) == (0, 0, 0, 0)


def test_writing_again_keeps_what_is_still_there(
    adopted: Repo, interlock: Interlock
) -> None:
    first = (adopted.path / FILE).read_bytes()
    interlock('audit', '--write-baseline')
    assert (adopted.path / FILE).read_bytes() == first
    adopted.commit({'PLUGINS.md': registry('Échec')})
    interlock('audit', '--write-baseline')
    stored = json.loads((adopted.path / FILE).read_text())
    assert [entry['item'] for entry in stored['findings']] == ['Échec']


def test_a_change_cannot_excuse_itself_by_editing_the_baseline(
    adopted: Repo, interlock: Interlock
) -> None:
    first = (adopted.path / FILE).read_bytes()
    adopted.commit({'PLUGINS.md': registry(*NAMES)})
    interlock('audit', '--write-baseline')
    more = (adopted.path / FILE).read_bytes()
    assert more != first
    adopted.git('reset', '-q', '--hard', 'HEAD~1')
    start = adopted.git('rev-parse', 'HEAD')
    adopted.stage({FILE: more, 'PLUGINS.md': registry(*NAMES)})
    result = interlock.check('--staged')
    assert result.codes == ['CFG004', 'CFG008', 'REG001']
    assert result.code == 1
    adopted.commit({}, 'chore: tricher')
    assert interlock.check('--range', f'{start}..HEAD').code == 1
    # from the next commit on it counts
    adopted.stage({'PLUGINS.md': registry(*NAMES) + '\nfin\n'})
    assert interlock.check('--staged').code == 0


def test_a_change_cannot_excuse_itself_by_bringing_a_baseline(
    repo: Repo, interlock: Interlock
) -> None:
    start = repo.commit({'.interlock.yaml': samples.WORKFLOW, 'PLUGINS.md': registry()})
    repo.commit({'PLUGINS.md': registry('Bravo')})
    interlock('audit', '--write-baseline')
    brought = (repo.path / FILE).read_bytes()
    repo.git('reset', '-q', '--hard', start)
    repo.stage({FILE: brought, 'PLUGINS.md': registry('Bravo')})
    result = interlock.check('--staged')
    assert (result.codes, result.code) == (['CFG004', 'CFG008', 'REG001'], 1)
    repo.git('reset', '-q', '--hard', start)
    repo.commit({'PLUGINS.md': registry('Bravo')})
    repo.commit({FILE: brought})
    assert interlock.check('--range', f'{start}..HEAD').code == 1


def test_a_baseline_counts_once_it_is_committed(
    old: Repo, interlock: Interlock
) -> None:
    result = interlock('audit', '--write-baseline')
    assert ', which counts once it is committed\n' in result.err
    assert summary(interlock, '--tree', 'HEAD') == (1, 2, 0, 0)
    old.commit({}, 'chore: adopter\n\nInterlock-Rules: avant nous\n')
    assert summary(interlock, '--tree', 'HEAD') == (0, 0, 2, 0)


def test_an_audit_counts_nothing_that_todays_baseline_lists(
    adopted: Repo, interlock: Interlock
) -> None:
    result = interlock('audit')
    assert result.code == 0
    assert 'REG001' not in result.out
    assert result.out.endswith(
        'interlock: 2 commits, 0 of them would be refused: '
        '1 warning; 2 suppressed by the baseline\n'
    )
    adopted.commit({'PLUGINS.md': registry(*NAMES)})
    result = interlock('audit')
    assert result.code == 1
    assert '3 commits, 1 of them would be refused: 1 error' in result.out


def test_an_audit_reports_what_no_longer_occurs(
    adopted: Repo, interlock: Interlock
) -> None:
    adopted.commit({'PLUGINS.md': registry('Alpha')})
    result = interlock('audit')
    assert result.code == 0
    assert '1 entry of the baseline no longer occur' in result.out
    report = json.loads(interlock('audit', '--format', 'json').out)
    assert report['summary']['stale'] == 1


def test_status_shows_the_number_that_is_suppressed(
    adopted: Repo, interlock: Interlock
) -> None:
    out = interlock('status').out
    assert out.endswith('; 2 suppressed by the baseline\n')


@pytest.mark.parametrize(
    'content',
    (
        pytest.param('', id='empty'),
        pytest.param('{"version": 1, "findings": [', id='cut off'),
        pytest.param('[]', id='a list'),
        pytest.param('null', id='null'),
        pytest.param('{"version": 2, "findings": []}', id='other version'),
        pytest.param('{"findings": []}', id='no version'),
        pytest.param('{"version": 1}', id='no findings'),
        pytest.param('{"version": 1, "findings": [{}]}', id='no fingerprint'),
        pytest.param('{"version": 1, "findings": 7}', id='a number'),
        pytest.param('[' * 100_000, id='nested too deeply'),
        pytest.param('<<<<<<< HEAD\n', id='a conflict'),
        pytest.param(b'\xff\xfe\x00', id='no text'),
    ),
)
def test_a_baseline_that_cannot_be_read_is_refused(
    adopted: Repo, interlock: Interlock, content: str | bytes
) -> None:
    adopted.commit({FILE: content})
    for args in (('check',), ('check', '--tree', 'HEAD'), ('status',), ('audit',)):
        result = interlock(*args)
        assert result.code == 2, args
        assert result.err.startswith(f'interlock: refused: {FILE} is not a baseline (')
        assert f'next: git checkout HEAD -- {FILE}' in result.err


def test_where_nothing_is_wrong_there_is_nothing_to_record(
    repo: Repo, interlock: Interlock
) -> None:
    repo.commit(
        {
            '.interlock.yaml': samples.WORKFLOW,
            'PLUGINS.md': samples.registry({'Échec': 'Ideated'}),
        }
    )
    result = interlock('audit', '--write-baseline')
    assert result.code == 0
    assert result.err == ('this tree has no findings, so there is nothing to record\n')
    assert not (repo.path / FILE).exists()


def test_a_baseline_is_emptied_where_nothing_is_wrong_any_more(
    adopted: Repo, interlock: Interlock
) -> None:
    adopted.commit({'PLUGINS.md': samples.registry({'Alpha': 'Ideated'})})
    result = interlock('audit', '--write-baseline')
    assert result.code == 0
    assert result.err.startswith('0 findings written to ')
    stored = json.loads((adopted.path / FILE).read_text())
    assert stored['findings'] == []


def test_a_baseline_needs_a_workflow_file(repo: Repo, interlock: Interlock) -> None:
    repo.commit({'a': '1'})
    result = interlock('audit', '--write-baseline')
    assert result.code == 2
    assert 'next: interlock init' in result.err
    assert not (repo.path / FILE).exists()


def test_the_baseline_of_a_workflow_outside_lies_beside_it(
    old: Repo, interlock: Interlock
) -> None:
    outside = old.path.parent / 'dehors'
    outside.mkdir()
    workflow = outside / 'flux.yaml'
    workflow.write_text(samples.WORKFLOW)
    interlock('audit', '--write-baseline', '--config', str(workflow))
    assert (outside / FILE).exists()
    assert not (old.path / FILE).exists()
    args = ('--tree', 'HEAD', '--config', str(workflow))
    assert summary(interlock, *args) == (0, 0, 2, 0)


def test_a_baseline_excuses_what_stands_and_never_a_step(
    project: Repo, interlock: Interlock
) -> None:
    handoff = samples.handoff_path('Bravo')
    brief = 'plugins/Bravo/.ideas/creative-brief.md'
    sums = {**samples.checksums('Bravo'), 'creative_brief': samples.checksum('neu\n')}
    start = project.git('rev-parse', 'HEAD')
    change: dict[str, str | bytes | None] = {
        '.interlock.yaml': f'# é\n{samples.WORKFLOW}',
        'PLUGINS.md': samples.registry(
            {'Alpha': 'Ideated', 'Bravo': 'Stage 4', 'Charlie': 'Installed'},
            rows={'Alpha': 'Stage 0'},
        ),
        handoff: samples.handoff('Bravo', '4', sums=sums),
        brief: 'neu\n',
    }
    message = 'feat(Bravo): Stage 5'
    project.commit(change, message)
    judged = interlock.check('--commit', 'HEAD')
    steps = [code for code in judged.codes if code != 'REG001']
    assert steps == ['CFG001', 'COM003', 'COM004', 'CON006', 'STG001', 'STG002']
    listed = json.loads(judged.out)['findings']
    assert 'REG001' in {finding['code'] for finding in listed}
    project.git('reset', '-q', '--hard', start)
    project.commit({FILE: json.dumps({'version': 1, 'findings': listed})})
    project.commit(change, message)
    result = interlock.check('--commit', 'HEAD')
    assert (result.codes, result.code) == (steps, 1)
    assert json.loads(result.out)['summary']['suppressed'] == 1


def test_a_range_lists_what_is_excused_once(
    adopted: Repo, interlock: Interlock
) -> None:
    table = (adopted.path / 'PLUGINS.md').read_text()
    for blanks in (1, 2, 3):
        adopted.commit(
            {'PLUGINS.md': table.replace('Alpha', f'Alpha{" " * blanks}', 1)}
        )
    assert summary(interlock, '--range', 'HEAD~3..HEAD') == (0, 0, 1, 0)
    listed = interlock('check', '--range', 'HEAD~3..HEAD', '-v').out
    assert listed.count(' (in the baseline)\n') == 1
