"""Checkpoints, what is presented, and who approved it."""

from __future__ import annotations

import getpass
import hashlib
import json
from pathlib import Path

import pytest

from interlock.documents import timestamps
from tests.conftest import Interlock, Repo
from tests.desk import PARTS, PLAN, Desk
from tests.spaces import OTHER, SESSION, TASK, at_terminal, run


@pytest.fixture
def planned(desk: Desk) -> Desk:
    """The plan is written, and waits for its approval."""
    desk.at('SYNTHESIS', risk_level='HIGH')
    desk.write('task.md', PLAN + PARTS)
    desk.status('architect')
    desk.report('architect')
    return desk


@pytest.fixture
def remote(desk: Desk, tmp_path: Path) -> Repo:
    path = tmp_path / 'remote.git'
    path.mkdir()
    bare = Repo(path)
    bare.git('init', '-q', '--bare')
    desk.main.git('remote', 'add', 'origin', str(path))
    return bare


@pytest.fixture
def reviewed(desk: Desk, remote: Repo, interlock: Interlock) -> Desk:
    """The work is reviewed, and its checkpoint made."""
    desk.at('REVIEW')
    desk.status('architect', decision='APPROVED')
    desk.code.commit({'X': 'x\n'})
    assert interlock('checkpoint', TASK, '--push').code == 0
    return desk


def checksum(desk: Desk) -> str:
    return hashlib.sha256(desk.file('task.md').read_bytes()).hexdigest()


def test_a_plan_is_presented_part_by_part(planned: Desk, interlock: Interlock) -> None:
    result = interlock('present', TASK)
    assert result.code == 0, result.err
    assert result.out.startswith(
        f'## Implementation Plan Complete\n\n**Task**: {TASK}\n'
        f'**Risk Level**: HIGH\n**Agents**: architect\n\n'
        f'### Conflict Resolution\nnone\n'
    )
    assert '### Decision Log\nno interface\n' in result.out
    assert f'`{planned.file("task.md")}`' in result.out
    assert '"approved" / "proceed" to begin implementation' in result.out
    assert planned.read()['presented'] == {
        'presented_at': planned.read()['presented']['presented_at'],
        'sha256': checksum(planned),
    }


def test_a_part_is_presented_under_all_of_its_headings(
    planned: Desk, interlock: Interlock
) -> None:
    planned.write(
        'task.md',
        (
            PLAN + '\n## Files to Modify\nold.md\n## Files to Create\n'
            '### Files to Create first\nnew.md\n'
        ),
    )
    result = interlock('present', TASK)
    assert (
        '### Files to Modify\nold.md\n\n'
        '### Files to Create\n### Files to Create first\nnew.md\n\n'
    ) in result.out
    assert result.out.count('new.md') == 1


def test_parts_that_a_plan_lacks_are_said(planned: Desk, interlock: Interlock) -> None:
    planned.write('task.md', PLAN + '\n## Decision Log\n- é\n')
    result = interlock('present', TASK)
    assert '**Missing in the plan**: Conflict Resolution, ' in result.out
    assert '### Decision Log\n- é\n' in result.out


@pytest.mark.parametrize(
    ('content', 'sentence'),
    (
        pytest.param(None, 'does not exist', id='missing'),
        pytest.param(b'\xff', 'is not UTF-8 text', id='no text'),
    ),
)
def test_without_a_plan_nothing_is_presented(
    planned: Desk, interlock: Interlock, content: bytes | None, sentence: str
) -> None:
    planned.file('task.md').unlink()
    if content is not None:
        planned.file('task.md').write_bytes(content)
    result = interlock('present', TASK)
    assert result.code == 1
    assert sentence in result.err
    assert 'presented' not in planned.read()


EXAMPLE = """
## Implementation Plan

**Estimated Changes**: 2 files modified, ~30 lines

### What Will Be Built
Each rule receives all configurations.

### Files to Modify
| File | Changes |
|------|---------|
| `X.java` | Add `find()` |

#### Also
- XTest.java

### Key API Signature
```java
static <T> T find(
    # no heading
    List<T> all)
```
<!-- a remark -->

### Behavioral Summary
| Scenario | Behavior |
|----------|----------|
| none | the default |

### Implementation Phases
1. **Phase 1** (architect): Add `find()`
"""


def test_a_plan_is_presented_as_it_is_written(
    planned: Desk, interlock: Interlock
) -> None:
    planned.configure('plan: strict\n')
    planned.write('task.md', PLAN + EXAMPLE)
    result = interlock('present', TASK)
    assert result.code == 0, result.err
    assert '**Estimated Changes**: 2 files modified, ~30 lines\n' in result.out
    assert (
        '### What Will Be Built\nEach rule receives all configurations.\n'
    ) in result.out
    assert '\n#### Also\n- XTest.java\n' in result.out
    assert (
        '### Key API Signature\n```java\nstatic <T> T find(\n'
        '    # no heading\n    List<T> all)\n```\n'
    ) in result.out
    assert 'a remark' not in result.out
    missing = result.out.partition('**Missing in the plan**: ')[2]
    assert missing.splitlines()[0] == (
        'Conflict Resolution, Architecture Plan, Requirement Mapping, '
        'Trade-offs, Success Criteria, Test Specifications, Decision Log'
    )
    gate = interlock('gate', TASK, 'IMPLEMENTATION').out
    assert 'holds    GAT047' in gate


@pytest.mark.parametrize(
    'plan',
    (
        pytest.param(PLAN, id='nothing'),
        pytest.param(
            PLAN + '\n## Implementation Plan\n\n### Decision Log\n<!-- x -->\n',
            id='headings alone',
        ),
        pytest.param(PLAN + '\n```\n## Implementation Plan\nx\n```\n', id='in code'),
    ),
)
def test_what_is_not_a_plan_is_not_presented(
    planned: Desk, interlock: Interlock, plan: str
) -> None:
    planned.write('task.md', plan)
    result = interlock('present', TASK)
    assert result.code == 1
    assert 'task.md holds no implementation plan' in result.err
    assert 'presented' not in planned.read()
    assert at_terminal('approve', TASK)[0] == 1


def test_an_approval_is_a_record(planned: Desk, interlock: Interlock) -> None:
    assert interlock('present', TASK).code == 0
    code, said = at_terminal('approve', TASK)
    assert code == 0, said
    assert f'{TASK}: {getpass.getuser()} approved the plan' in said
    (record,) = planned.read()['approvals']
    assert record == {
        'of': 'plan',
        'by': getpass.getuser(),
        'via': 'terminal',
        'approved_at': record['approved_at'],
        'sha256': checksum(planned),
    }
    planned.configure('approvals: recorded\n')
    assert interlock('gate', TASK, 'IMPLEMENTATION').code == 0
    log = (planned.register / 'log.jsonl').read_text(encoding='UTF-8')
    logged = json.loads(log.splitlines()[-1])
    assert (logged['event'], logged['what'], logged['person']) == (
        'approved',
        'plan',
        getpass.getuser(),
    )


def test_an_approval_before_it_was_presented_is_answered(
    planned: Desk, interlock: Interlock
) -> None:
    before = planned.bytes()
    code, said = at_terminal('approve', TASK)
    assert code == 1
    assert 'was not presented yet' in said
    assert f'next: interlock present {TASK}, then approve it' in said
    assert planned.bytes() == before


def test_a_plan_that_changed_is_presented_again(
    planned: Desk, interlock: Interlock
) -> None:
    assert interlock('present', TASK).code == 0
    planned.write('task.md', PLAN + PARTS + '\n')
    code, said = at_terminal('approve', TASK)
    assert code == 1
    assert 'changed after it was presented' in said
    assert 'approvals' not in planned.read()


def test_an_approval_lapses_with_the_plan_and_comes_back_with_it(
    planned: Desk, interlock: Interlock
) -> None:
    assert interlock('present', TASK).code == 0
    assert at_terminal('approve', TASK)[0] == 0
    planned.write('task.md', PLAN + PARTS + '\n')
    result = interlock('gate', TASK, 'IMPLEMENTATION', '-q')
    assert result.code == 1
    assert 'the approval has lapsed' in result.out
    planned.write('task.md', PLAN + PARTS)
    assert interlock('gate', TASK, 'IMPLEMENTATION').code == 0


@pytest.mark.parametrize(
    ('session', 'variables'),
    (
        pytest.param(SESSION, {}, id='the session itself'),
        pytest.param('', {'CLAUDECODE': '1'}, id='an agent without a name'),
        pytest.param('', {'CLAUDE_CODE_SESSION_ID': 'x'}, id='by another variable'),
    ),
)
def test_no_agent_approves_even_on_a_terminal(
    planned: Desk,
    interlock: Interlock,
    monkeypatch: pytest.MonkeyPatch,
    session: str,
    variables: dict[str, str],
) -> None:
    assert interlock('present', TASK).code == 0
    before = planned.bytes()
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    code, said = at_terminal('approve', TASK, session=session)
    assert code == 1
    assert 'only a person may approve, not an agent' in said
    assert planned.bytes() == before


def test_nobody_approves_without_a_terminal(
    planned: Desk, interlock: Interlock
) -> None:
    assert interlock('present', TASK).code == 0
    result = run('approve', TASK)
    assert result.returncode == 1
    assert 'there is no terminal here' in result.stderr
    assert 'approvals' not in planned.read()


@pytest.mark.parametrize('command', ('present', 'approve'))
def test_only_what_waits_for_an_approval_is_approved(
    desk: Desk, interlock: Interlock, command: str
) -> None:
    desk.at('IMPLEMENTATION')
    before = desk.bytes()
    if command == 'approve':
        code, said = at_terminal('approve', TASK)
    else:
        result = interlock('present', TASK)
        code, said = result.code, result.err
    assert code == 1
    assert (
        'approvals belong to SYNTHESIS and SCOPE_NEGOTIATION and AWAITING_USER_APPROVAL'
    ) in said
    assert desk.bytes() == before


def test_only_the_holder_presents(planned: Desk, interlock: Interlock) -> None:
    planned.change(session_id=OTHER)
    result = interlock('present', TASK)
    assert result.code == 1
    assert 'LCK001' in result.err


def test_a_checkpoint_names_the_commit_on_the_remote(
    reviewed: Desk, remote: Repo, interlock: Interlock
) -> None:
    head = reviewed.code.git('rev-parse', 'HEAD')
    checkpoint = reviewed.read()['checkpoint']
    assert checkpoint == {
        'type': 'USER_APPROVAL_POST_REVIEW',
        'commit_sha': head,
        'presented_at': checkpoint['presented_at'],
        'approved': False,
    }
    assert remote.git('rev-parse', TASK) == head
    assert interlock('transition', TASK, 'AWAITING_USER_APPROVAL').code == 0
    # again, without a push: it is there
    reviewed.at('REVIEW')
    result = interlock('checkpoint', TASK)
    assert result.out == f'Commit: {head}\nRemote: origin/{TASK}\n'


def test_a_branch_that_is_elsewhere_is_not_a_checkpoint(
    reviewed: Desk, interlock: Interlock
) -> None:
    head = reviewed.code.commit({'X': 'y\n'})
    before = reviewed.bytes()
    result = interlock('checkpoint', TASK)
    assert result.code == 1
    assert f'{head[:10]} is to be reviewed' in result.err
    assert 'on origin' in result.err
    assert f'next: interlock checkpoint {TASK} --push' in result.err
    assert reviewed.bytes() == before


def test_a_later_commit_voids_the_checkpoint(
    reviewed: Desk, interlock: Interlock
) -> None:
    reviewed.code.commit({'X': 'y\n'})
    result = interlock('gate', TASK, 'AWAITING_USER_APPROVAL', '-q')
    assert result.code == 1
    assert 'GAT028 checkpoint: the checkpoint is at' in result.out


@pytest.mark.parametrize(
    ('prepare', 'sentence'),
    (
        pytest.param('state', 'a checkpoint is made in REVIEW', id='state'),
        pytest.param('dirty', 'is not committed', id='changes'),
        pytest.param('other', 'LCK001', id="another session's"),
        pytest.param('remote', 'has no remote', id='no remote'),
    ),
)
def test_when_no_checkpoint_is_made(
    desk: Desk, interlock: Interlock, prepare: str, sentence: str
) -> None:
    desk.at('IMPLEMENTATION' if prepare == 'state' else 'REVIEW')
    if prepare == 'dirty':
        desk.code.write({'X': 'x'})
    elif prepare == 'other':
        desk.change(session_id=OTHER)
    before = desk.bytes()
    result = interlock('checkpoint', TASK, '--push')
    assert result.code == (2 if prepare == 'remote' else 1)
    assert sentence in result.err
    assert 'next: ' in result.err
    assert desk.bytes() == before


def test_a_remote_that_cannot_be_reached(
    reviewed: Desk, remote: Repo, interlock: Interlock
) -> None:
    remote.path.rename(remote.path.with_name('gone'))
    result = interlock('checkpoint', TASK)
    assert result.code == 2
    assert 'git ls-remote failed' in result.err


@pytest.fixture
def waiting(reviewed: Desk, interlock: Interlock) -> Desk:
    result = interlock('transition', TASK, 'AWAITING_USER_APPROVAL')
    assert result.code == 0, result.out
    return reviewed


def test_changes_are_approved_by_their_commit(
    waiting: Desk, interlock: Interlock
) -> None:
    head = waiting.code.git('rev-parse', 'HEAD')
    waiting.configure('approvals: recorded\n')
    result = interlock('present', TASK)
    assert f'**Commit**: {head}\n**Branch**: {TASK}\n' in result.out
    assert interlock('gate', TASK, 'COMPLETE').code == 1
    assert at_terminal('approve', TASK)[0] == 0
    lock = waiting.read()
    assert lock['checkpoint']['approved'] is True
    assert lock['approvals'][-1]['commit_sha'] == head
    assert lock['approvals'][-1]['of'] == 'changes'
    assert interlock('transition', TASK, 'COMPLETE').code == 0


def test_a_commit_after_the_approval_is_not_approved(
    waiting: Desk, interlock: Interlock
) -> None:
    assert at_terminal('approve', TASK)[0] == 0
    waiting.code.commit({'X': 'z\n'})
    result = interlock('gate', TASK, 'COMPLETE', '-q')
    assert result.code == 1
    assert 'so nothing is approved' in result.out


def test_a_commit_after_the_checkpoint_cannot_be_approved(
    waiting: Desk, interlock: Interlock
) -> None:
    waiting.code.commit({'X': 'z\n'})
    code, said = at_terminal('approve', TASK)
    assert code == 1
    assert 'your approval is not recorded' in said


@pytest.mark.parametrize(
    ('mode', 'code', 'word'), (('flags', 0, 'warning'), ('recorded', 1, 'fails'))
)
def test_what_says_itself_that_it_is_approved(
    waiting: Desk, interlock: Interlock, mode: str, code: int, word: str
) -> None:
    waiting.configure(f'approvals: {mode}\n')
    checkpoint = {**waiting.read()['checkpoint'], 'approved': True}
    waiting.change(checkpoint=checkpoint)
    result = interlock('gate', TASK, 'COMPLETE', '-q')
    assert result.code == code
    assert f'{word:8} GAT029 checkpoint-approved' in result.out


def test_a_directory_is_not_a_flag(planned: Desk, interlock: Interlock) -> None:
    flag = planned.file('user-plan-approval-obtained.flag')
    flag.mkdir()
    result = interlock('gate', TASK, 'IMPLEMENTATION', '-q')
    assert result.code == 1
    assert 'the user did not approve the plan' in result.out
    flag.rmdir()
    flag.touch()
    assert interlock('gate', TASK, 'IMPLEMENTATION', '-q').code == 0


def test_other_keys_of_a_checkpoint_stay(waiting: Desk, interlock: Interlock) -> None:
    checkpoint = {**waiting.read()['checkpoint'], 'note': 'é'}
    waiting.change(checkpoint=checkpoint)
    assert interlock('present', TASK).code == 0
    assert at_terminal('approve', TASK)[0] == 0
    assert waiting.read()['checkpoint']['note'] == 'é'


def test_the_same_plan_again_needs_no_other_approval(
    planned: Desk, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert interlock('present', TASK).code == 0
    assert at_terminal('approve', TASK)[0] == 0
    before = planned.bytes()
    monkeypatch.setattr(timestamps, 'now', lambda: '2099-01-01T00:00:00Z')
    result = interlock('present', TASK)
    assert result.out.startswith('## Implementation Plan Complete')
    assert planned.bytes() == before
    assert interlock('gate', TASK, 'IMPLEMENTATION').code == 0


def test_a_clock_that_goes_back_does_not_void_an_approval(
    planned: Desk, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timestamps, 'now', lambda: '2099-01-01T00:00:00Z')
    assert interlock('present', TASK).code == 0
    assert at_terminal('approve', TASK)[0] == 0
    (record,) = planned.read()['approvals']
    assert record['approved_at'] == '2099-01-01T00:00:00Z'
    assert interlock('gate', TASK, 'IMPLEMENTATION').code == 0
