"""What a document says, beside what is so."""

from __future__ import annotations

import datetime
import os
import re
from collections.abc import Iterator
from typing import Any

from interlock.documents.text import shown
from interlock.handoff_document.comparisons import is_placeholder, moment, same
from interlock.handoff_document.document_context import Case, Facts
from interlock.handoff_document.rules.context import count
from interlock.model.finding import Finding, Fix

PATH_RE = re.compile(r'[\w./~+-]*[\w+-]\.\w{1,8}\b|/[\w./~+-]+')
# files are named in the first words
MAX_EVIDENCE = 2000
SAVED = ('auto', 'checkpoint')
THERE = {'match': True, 'partial': True, 'missing': False}


def _absolute(case: Case, path: str) -> str:
    top = case.facts.top if case.facts else ''
    return os.path.join(top, path)


def checkpoints(case: Case) -> Iterator[Finding]:
    """Where a gate failed there is something to go back to."""
    state = case.document.state
    failed = [
        (number, gate)
        for number, gate in enumerate(state.rows('quality_gates'))
        if gate.get('status') == 'FAILED'
    ]
    points = state.rows('recovery', 'checkpoints')
    if failed and not points:
        number, gate = failed[0]
        yield case.finding(
            'DOC016',
            state.line('quality_gates', number),
            f'the gate `{shown(str(gate.get("name")))}` FAILED, and there is '
            f'no checkpoint to go back to',
            'name a commit in recovery',
            key='none',
        )
    for number, point in enumerate(points if case.facts else ()):
        ref = str(point.get('git_ref'))
        if is_placeholder(ref, case.document.outline):
            continue
        assert case.facts is not None
        if not case.facts.resolves(ref):
            yield case.finding(
                'DOC016',
                state.line('recovery', 'checkpoints', number, 'git_ref'),
                f'`{shown(ref)}` names no commit here',
                'name a commit',
                found=shown(ref),
                fix=Fix('find the commit', 'git log --oneline'),
            )


def artifacts(case: Case) -> Iterator[Finding]:
    state = case.document.state
    if case.facts is None:
        return
    for number, file in enumerate(state.rows('artifacts', 'files')):
        path, status = file.get('path'), str(file.get('status')).lower()
        if (
            not isinstance(path, str)
            or status not in THERE
            or (is_placeholder(path, case.document.outline))
        ):
            continue
        there = case.facts.exists(_absolute(case, path))
        if there != THERE[status]:
            yield case.finding(
                'DOC017',
                state.line('artifacts', 'files', number, 'status'),
                f'`{shown(path)}` is said to be `{status}`, but it '
                f'{"exists" if there else "does not exist"}',
                'look at the file and write what is so',
                found=status,
                key=path,
            )


def saved(case: Case) -> Iterator[Finding]:
    """A document made automatically has its state in the store."""
    state = case.document.state
    mode, written = state.get('mode'), moment(state.get('timestamp'))
    if case.facts is None or mode not in SAVED or written is None:
        return
    session = state.get('session_id')
    row = case.facts.saved(
        session
        if isinstance(session, str)
        and not is_placeholder(session, case.document.outline)
        else ''
    )
    # the store knows no fractions of a second
    if row is not None and row >= written.replace(microsecond=0):
        return
    when = f'last saved {row.isoformat()}' if row else 'not saved'
    yield case.finding(
        'DOC018',
        state.line('mode'),
        f'the mode is {mode}, but the state is {when}',
        'save the state',
        found=when,
        fix=Fix('save the state', f'interlock state save --trigger {mode}'),
    )


def environment(case: Case) -> Iterator[Finding]:
    state = case.document.state
    actual = case.facts.environment if case.facts else None
    if actual is None:
        return
    branch = state.get('environment', 'git_branch')
    status = state.get('environment', 'git_status')
    if (
        isinstance(branch, str)
        and not same(branch, actual.branch)
        and (not is_placeholder(branch, case.document.outline))
    ):
        yield case.finding(
            'DOC028',
            state.line('environment', 'git_branch'),
            f'the branch is `{shown(actual.branch)}`, not `{shown(branch)}`',
            'correct it, or change the branch',
            expected=actual.branch,
            found=branch,
            key='branch',
        )
    number = (
        None
        if is_placeholder(str(status), case.document.outline)
        else count(str(status))
    )
    if number is not None and number != actual.changed:
        yield case.finding(
            'DOC028',
            state.line('environment', 'git_status'),
            f'{actual.changed} files are uncommitted, not {number}',
            'correct it, or look at what changed',
            key='status',
            expected=str(actual.changed),
            found=str(number),
        )
    for index, tree in enumerate(state.rows('environment', 'worktrees')):
        path = str(tree.get('path'))
        if is_placeholder(path, case.document.outline):
            continue
        there = actual.worktrees.get(os.path.realpath(path))
        if there is None or not same(there, str(tree.get('branch'))):
            so = f'is at `{there}`' if there else 'does not exist'
            yield case.finding(
                'DOC028',
                state.line('environment', 'worktrees', index),
                f'the worktree `{shown(path)}` {so}',
                'correct the list of worktrees',
                key=path,
                found=str(tree.get('branch')),
                expected=there or '',
            )


def outdated(
    gate: dict[str, Any], facts: Facts, when: datetime.datetime
) -> Iterator[str]:
    """The files that a gate names and that have changed since."""
    text = f'{gate.get("name")} {gate.get("evidence")}'[:MAX_EVIDENCE]
    for name in dict.fromkeys(PATH_RE.findall(text)):
        path = os.path.join(facts.top, name)
        if facts.exists(path) and facts.changed_since(path, when):
            yield name


def gates(case: Case) -> Iterator[Finding]:
    """A gate is passed only as long as its files stay as they were."""
    state = case.document.state
    written = moment(state.get('timestamp'))
    if case.facts is None or written is None:
        return
    for number, gate in enumerate(state.rows('quality_gates')):
        if gate.get('status') != 'PASSED':
            continue
        for name in outdated(gate, case.facts, written):
            yield case.finding(
                'DOC039',
                state.line('quality_gates', number, 'status'),
                f'the gate `{shown(str(gate.get("name")))}` is PASSED, '
                f'but `{shown(name)}` has changed since',
                'write RECHECK',
                expected='RECHECK',
                found='PASSED',
                key=name,
            )
