"""Every check, registered once.

`make docs` writes from this table: the hooks in `.pre-commit-hooks.yaml`, the
console scripts in `setup.cfg`, their stages in `documents/wiring/hook_files.py`
and their paragraphs in `docs/hooks.md`. Rules name their check themselves.
"""

from __future__ import annotations

from interlock.checks import (
    commit,
    contracts,
    document,
    handoff,
    locks,
    message,
    registry,
    stages,
    workflow,
)
from interlock.checks.compare import Case
from interlock.model.finding import Finding
from interlock.model.quick_typing import Callable, Iterator, NamedTuple
from interlock.workflow.language.spec import Workflow

TREE = ('pre-commit', 'pre-merge-commit')
MESSAGE = ('commit-msg',)


class Check(NamedTuple):
    # one word: the name of its module, of its hook and of its console script
    name: str
    check: Callable[[Case], Iterator[Finding]]
    # the prefixes of its rule codes
    rules: tuple[str, ...]
    # the stages of its hook; a check without stages is part of every hook
    stages: tuple[str, ...]
    # one sentence, and the paragraph in `docs/hooks.md`
    title: str
    help: str = ''
    # which files it judges besides those of items, records and hooks; a past commit
    # that touches no file of any check is not judged
    watches: Callable[[str, Workflow], bool] | None = None
    # whether it judges messages or locks, too, and not only files
    of_commits: bool = False


CHECKS = {
    check.name: check
    for check in (
        Check(
            'registry',
            registry.check,
            ('REG',),
            TREE,
            'The records of an item agree.',
            'The records of an item agree: row, entry and handoff give the same '
            'status, stage and date; the status is one of the workflow; nothing is '
            'registered twice.',
        ),
        Check(
            'contracts',
            contracts.check,
            ('CON',),
            TREE + MESSAGE,
            'Sealed contracts match their seals.',
            'Seals hold: a contract has the checksum that the handoff records, and '
            'a frozen one changes only with its new checksum and a trailer that '
            'gives the reason.',
        ),
        Check(
            'stages',
            stages.check,
            ('STG', 'GAT'),
            TREE + MESSAGE,
            'Stage transitions are legal and their gates open.',
            'Transitions in the registry and in the handoff are legal. The inputs of a '
            'stage exist when an item enters it, and its evidence is recorded when it '
            'ends.',
            of_commits=True,
        ),
        Check(
            'locks',
            locks.check,
            ('LCK', 'TSK'),
            TREE,
            'Only the session that holds the lock of a worktree commits there.',
            'Only the session that holds its lock commits in the worktree of a task or '
            'in the main worktree, and locks are well-formed. A person is only warned. '
            'In a range, no commit was made under a lock that had ended.',
            of_commits=True,
        ),
        Check(
            'commit',
            commit.check,
            ('COM',),
            TREE + MESSAGE,
            'The records and deliverables of an item move in one commit.',
            'The registry, the handoff and the deliverables of an item move in one '
            'commit; a task leaves the todo list together with its work.',
            of_commits=True,
        ),
        Check(
            'handoff',
            handoff.check,
            ('HND',),
            TREE,
            'Handoffs are complete and in the right place.',
            'A handoff has readable frontmatter with the fields the workflow asks '
            'for, lies where the workflow says, and is deleted when the item is '
            'finished.',
        ),
        Check(
            'message',
            message.check,
            ('COM',),
            MESSAGE,
            'The commit message says what the commit does to a stage.',
            'The subject of a stage commit names the stage that its handoff '
            'records, the state files are part of it, and no stage change hides in '
            'another commit. Runs at commit-msg.',
            of_commits=True,
        ),
        Check(
            'document',
            document.check,
            ('DOC',),
            TREE,
            'Handoff documents are complete, and markdown files are finished.',
            'Handoff documents follow their outline and agree with the state they '
            'hold, and other markdown files show no signs of partial work. The '
            'workflow file names the files that are judged, under `documents`.',
            document.is_named,
        ),
        Check(
            'workflow',
            workflow.check,
            ('CFG',),
            (),
            'Changes of the workflow and the baseline are reported, and loosen no rule '
            'without a reason.',
        ),
    )
}
