"""Run every check on a change, and keep the findings that count."""

from __future__ import annotations

import time
from itertools import chain

from interlock.checks import workflow as workflow_file
from interlock.checks.all_checks import CHECKS
from interlock.checks.compare import Case, with_severities
from interlock.checks.watched_paths import touches_nothing
from interlock.model.change import MODIFIED, Change, Nothing
from interlock.model.errors import Refusal
from interlock.model.finding import Finding
from interlock.model.quick_tools import suppress
from interlock.model.quick_typing import Any, Callable, Iterable, Sequence
from interlock.workflow.language.build import build
from interlock.workflow.language.patterns import expand
from interlock.workflow.language.spec import Workflow
from interlock.workflow.reading.records import Records

# the fields that are equal in two changes with the same trees and HEAD; a
# check that reads any other field may have other findings in the next change
FROM_TREES = frozenset(
    {
        'before',
        'after',
        'touched',
        'amended',
        'commit',
        'everything',
        'message_follows',
        'is_draft',
        'parents',
        'behind',
        'is_ref_step',
        'start',
    }
)
# the fields that only a workflow with tasks fills in
OF_TASKS = frozenset(
    {
        'site',
        'around',
        'merged',
        'left_behind',
        'generations',
        'is_generation_given',
        'locked',
        'task',
    }
)

# the checks that read the records of an item
OF_RECORDS = ('registry', 'contracts', 'handoff')


class CheckLog:
    """The time that each check took, and the fields that it read."""

    def __init__(self) -> None:
        self.times: dict[str, float] = {}
        # checks that are skipped because their findings are known
        self.kept: frozenset[str] = frozenset()
        # whether to note which fields checks read
        self.listens = False
        self.running = ''
        # yields the names of the checks, and may show how far they are
        self.shown: Callable[[Sequence[str]], Iterable[str]] = iter
        self._besides: set[str] = set()

    def listening(self, change: Change, workflow: Workflow) -> Change:
        """A change that notes which checks read more than its trees."""
        if not self.listens:
            return change
        has_tasks = any(kind.protocol for kind in workflow.kinds)
        unnoted = FROM_TREES if has_tasks else FROM_TREES | OF_TASKS
        getters = {
            name: self._noted(getattr(Change, name))
            for name in Change._fields
            if name not in unnoted
        }
        made: type[Change] = type(
            'ListeningChange', (Change,), {'__slots__': (), **getters}
        )
        return made(*change)

    def _noted(self, field: Any) -> property:
        def get(change: Change) -> Any:
            self._besides.add(self.running)
            return field.__get__(change)

        return property(get)

    @property
    def settled_by_trees(self) -> frozenset[str]:
        """The checks whose findings depend on the trees alone."""
        return frozenset(self.times) - self._besides


def _of_commit(
    found: Iterable[Finding], change: Change, workflow: Workflow
) -> list[Finding]:
    return with_severities(
        (each._replace(commit=change.commit) for each in found), workflow
    )


def of_whole_push(change: Change, workflow: Workflow) -> list[Finding]:
    """Findings that only a whole push shows."""
    return _of_commit(
        workflow_file.governing_with_items(change, workflow), change, workflow
    )


def of_forwarded_work(change: Change, workflow: Workflow, branch: str) -> list[Finding]:
    """Findings about a push that brings task work to a branch."""
    from interlock.checks import commit_todo

    protocols = [kind.protocol for kind in workflow.kinds if kind.protocol is not None]
    found = [commit_todo.of_push(change, each, branch) for each in protocols]
    return _of_commit(chain.from_iterable(found), change, workflow)


def _standing(change: Change, workflow: Workflow) -> set[str]:
    """The fingerprints of all findings about the tree after a change."""
    tree = Change(Nothing(), change.after, {}, everything=True)
    return {
        finding.fingerprint
        for finding in _run(tree, workflow, (), CheckLog()).values()
        if finding.standing
    }


def _all_standing(change: Change, workflow: Workflow) -> set[str]:
    """By the governing workflow, and by the one that the change brings."""
    found = _standing(change, workflow)
    if workflow.path in change.touched:
        from interlock.checks import workflow_loosened

        with suppress(Refusal):
            data = workflow_loosened.resolved_workflow(change.after, workflow.path)
            new = build(data, workflow.path, workflow.path)
            found |= _standing(change, new)
    return found


def _of_check(name: str, case: Case) -> list[Finding]:
    change, workflow = case.change, case.workflow
    found = list(CHECKS[name].check(case))
    if name == 'workflow' and workflow.path:
        if workflow.baseline in change.touched:
            from interlock.checks import workflow_loosened

            # it runs all the other checks
            found += workflow_loosened.newly_excused(
                change,
                workflow.baseline,
                change.before.blob(workflow.path) is not None,
                lambda: _all_standing(change, workflow),
            )
    return found


def _run(
    change: Change, workflow: Workflow, only: Sequence[str], log: CheckLog
) -> dict[str, Finding]:
    found: dict[str, Finding] = {}
    case, start = Case(change, workflow), time.perf_counter()
    is_untouched = touches_nothing(change, workflow)
    for name in log.shown(only or tuple(CHECKS)):
        if name in log.kept or (is_untouched and not CHECKS[name].of_commits):
            continue
        log.running = name
        raised = _of_check(name, case)
        for finding in with_severities(raised, workflow) if raised else ():
            found.setdefault(
                finding.fingerprint, finding._replace(commit=change.commit)
            )
        end = time.perf_counter()
        log.times[name], start = log.times.get(name, 0) + end - start, end
    return found


def judge(
    changes: Sequence[Change],
    workflow: Workflow,
    only: Sequence[str] = (),
    log: CheckLog | None = None,
) -> list[Finding]:
    """The findings of a change; adds times and reads of each check to `log`.

    A merge whose sides disagree is judged against each opinion: a step must be
    legal from all of them, and a finding about its tree is new only if it is
    new compared with all of them.
    """
    log = log or CheckLog()
    first, *others = [
        _run(log.listening(change, workflow), workflow, only, log) for change in changes
    ]
    found = list(first.values())
    for other in others:
        known = {_identity(each): each for each in other.values()}
        found = [
            each._replace(
                introduced=each.introduced
                and (not each.standing or known.get(_identity(each), each).introduced)
            )
            for each in found
        ]
        seen = {_identity(each) for each in found}
        found.extend(
            each for key, each in known.items() if key not in seen and not each.standing
        )
    return found


def _identity(finding: Finding) -> tuple[str, str, str, str]:
    # the expected value differs from parent to parent
    return finding.code, finding.item, finding.key, finding.found


def findings_of(at: Records, workflow: Workflow) -> list[Finding]:
    """The findings about the records of one item as they are now."""
    path = expand(at.kind.path, at.item) + '/'
    change = Change(Nothing(), at.snapshot, {path: MODIFIED})
    found = judge([change], workflow, OF_RECORDS)
    return [finding for finding in found if finding.item == at.item]
