"""Rules that compare a document with disk, git and the store."""

from __future__ import annotations

import datetime
import os

from interlock.documents.text import shown
from interlock.handoff_document.case import Case, ProjectFacts, finding, rule
from interlock.handoff_document.comparisons import moment, same
from interlock.handoff_document.rules.state import uncommitted
from interlock.model import quick_re as re
from interlock.model.finding import Finding
from interlock.model.quick_typing import Any, Iterator

PATH_RE = re.compile(r'[\w./~+-]*[\w+-]\.\w{1,8}\b|/[\w./~+-]+')
# files are named in the first part of the text
MAX_EVIDENCE = 2000
SAVED = ('auto', 'checkpoint')
EXISTS = {'match': True, 'partial': True, 'missing': False}


@rule('DOC016', 'name a commit in recovery')
def failed_gates_have_a_checkpoint(case: Case) -> Iterator[Finding]:
    points = case.state.rows('recovery', 'checkpoints')
    for number, gate in enumerate(case.state.rows('quality_gates')):
        if gate.get('status') == 'FAILED' and not points:
            name = shown(str(gate.get('name')))
            line = case.state.line('quality_gates', number)
            message = (
                f'the gate `{name}` FAILED, and there is no checkpoint to go back to'
            )
            yield finding(line, message, key='none')
            break
    for number, point in enumerate(points):
        ref = str(point.get('git_ref'))
        if case.facts and not case.is_open(ref) and not case.facts.resolves(ref):
            yield finding(
                case.state.line('recovery', 'checkpoints', number, 'git_ref'),
                f'`{shown(ref)}` is not a commit of this repository',
                found=shown(ref),
                todo='name a commit that `git log --oneline` shows',
            )


@rule('DOC017', 'look at the file and correct its status')
def artifacts_exist(case: Case) -> Iterator[Finding]:
    for number, file in enumerate(case.state.rows('artifacts', 'files')):
        path, status = file.get('path'), str(file.get('status')).lower()
        if case.facts is None or not isinstance(path, str) or case.is_open(path):
            continue
        there = case.facts.exists(os.path.join(case.facts.top, path))
        if EXISTS.get(status, there) != there:
            yield finding(
                case.state.line('artifacts', 'files', number, 'status'),
                f'the status of `{shown(path)}` is `{status}`, but the file '
                f'{"exists" if there else "does not exist"}',
                found=status,
                key=path,
            )


@rule('DOC018', 'save the state')
def state_is_saved(case: Case) -> Iterator[Finding]:
    """The state of an automatically made document must be in the store."""
    mode, written = case.state.get('mode'), moment(case.state.get('timestamp'))
    if case.facts is None or mode not in SAVED or written is None:
        return
    session = case.state.get('session_id')
    known = isinstance(session, str) and not case.is_open(session)
    at = case.facts.saved(session if known else '')
    # the store keeps no fractions of a second
    if at is not None and at >= written.replace(microsecond=0):
        return
    when = f'was last saved {at.isoformat()}' if at else 'was not saved'
    yield finding(
        case.state.line('mode'),
        f'the mode is {mode}, but the state {when}',
        found=when,
        todo=f'save the state, given on standard input, with '
        f'interlock state save --trigger {mode}',
    )


@rule('DOC028', 'correct it, or change the working tree')
def environment_is_real(case: Case) -> Iterator[Finding]:
    actual = case.facts.environment if case.facts else None
    if actual is None:
        return
    branch = case.state.get('environment', 'git_branch')
    status = str(case.state.get('environment', 'git_status'))
    if isinstance(branch, str) and not case.is_open(branch):
        if not same(branch, actual.branch):
            yield finding(
                case.state.line('environment', 'git_branch'),
                f'the branch is `{shown(actual.branch)}`, not `{shown(branch)}`',
                expected=actual.branch,
                found=branch,
                key='branch',
            )
    number = None if case.is_open(status) else uncommitted(status)
    if number is not None and number != actual.changed:
        yield finding(
            case.state.line('environment', 'git_status'),
            f'{actual.changed} files are uncommitted, not {number}',
            key='status',
            expected=str(actual.changed),
            found=str(number),
        )
    for index, tree in enumerate(case.state.rows('environment', 'worktrees')):
        path, wanted = str(tree.get('path')), str(tree.get('branch'))
        there = actual.worktrees.get(os.path.realpath(path))
        if not case.is_open(path) and (there is None or not same(there, wanted)):
            said = f'is at `{there}`' if there else 'does not exist'
            line = case.state.line('environment', 'worktrees', index)
            message = f'the worktree `{shown(path)}` {said}'
            yield finding(line, message, key=path, found=wanted, expected=there or '')


def changed_evidence(
    gate: dict[str, Any], facts: ProjectFacts, when: datetime.datetime
) -> Iterator[str]:
    """The files named by a gate that have changed since."""
    text = f'{gate.get("name")} {gate.get("evidence")}'[:MAX_EVIDENCE]
    for name in dict.fromkeys(PATH_RE.findall(text)):
        path = os.path.join(facts.top, name)
        if facts.exists(path) and facts.changed_since(path, when):
            yield name


@rule('DOC039', 'write RECHECK')
def passed_gates_are_current(case: Case) -> Iterator[Finding]:
    """A gate stays passed only while its files do not change."""
    written = moment(case.state.get('timestamp'))
    if case.facts is None or written is None:
        return
    for number, gate in enumerate(case.state.rows('quality_gates')):
        if gate.get('status') != 'PASSED':
            continue
        for name in changed_evidence(gate, case.facts, written):
            yield finding(
                case.state.line('quality_gates', number, 'status'),
                f'the gate `{shown(str(gate.get("name")))}` is PASSED, '
                f'but `{shown(name)}` has changed since',
                expected='RECHECK',
                found='PASSED',
                key=name,
            )
