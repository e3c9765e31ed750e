"""Commits that come together: a push, or a range."""

from __future__ import annotations

import contextlib
import fnmatch
import functools
import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from interlock.checks.run import counted, forwarded_in, judge, together_in
from interlock.documents import message as messages
from interlock.documents import trailers
from interlock.engine import baseline
from interlock.engine.judge import Judge
from interlock.engine.moved_registry import (
    Places,
    as_moved,
    at_its_place,
    moved_places,
    there,
)
from interlock.engine.push_parts import Course, Judged, Whole
from interlock.engine.rewrite_hint import rewriting
from interlock.git.fork_worker import Aside, shares
from interlock.git.parse import Commit
from interlock.git.prefetch import Ahead
from interlock.git.push_updates import HEADS, TAGS, Push
from interlock.git.repository import Repository
from interlock.model.change import Change, Snapshot
from interlock.model.errors import InvalidWorkflow, Refusal
from interlock.model.finding import Finding
from interlock.model.report import Report
from interlock.workflow.language.spec import Workflow
from interlock.workflow.reading.item_paths import is_record

if TYPE_CHECKING:
    from interlock.engine.confirmation import Confirming


# the rules that ask where a branch was and where it is now; all others are
# about single commits
OF_STEPS = frozenset(
    {
        'STG001',
        'STG002',
        'CON006',
        'CON007',
        'REG019',
        'CFG001',
        'CFG003',
        'CFG004',
        'CFG006',
        'CFG008',
    }
)
# the rules that ask what a step needed; each commit was asked, unless the ref
# goes on from somewhere else
OF_GATES = frozenset({'STG005', 'HND011'})


# each says that a frozen contract is not what it was
OF_CONTRACTS = frozenset({'CON001', 'CON002', 'CON005', 'CON006', 'CON007'})


def _subject(finding: Finding) -> tuple[str, str, str]:
    """What a finding is about: one refusal of it is enough."""
    is_contract = finding.code in OF_CONTRACTS
    return 'CON007' if is_contract else finding.code, finding.item, finding.key


class PushJudge(Judge):
    def __init__(
        self,
        repository: Repository,
        config: str = '',
        only: Sequence[str] = (),
        inherited: bool = False,
    ) -> None:
        super().__init__(repository, config, only, inherited)
        # several refs may have the same commits, and each is judged by the
        # workflow of its parent wherever it is
        self._judged: set[str] = set()
        # where the step of the ref starts, if a workflow governs there
        self.base: Snapshot | None = None
        self._pushes: list[Push] = []

    def report(self) -> Report:
        guilty = {
            each.commit for each in self.findings if each.refuses and each.introduced
        }
        fix = rewriting(self.repository, self._pushes, guilty)
        return super().report()._replace(rewrite=fix)

    def push(
        self, push: Push, expect: Callable[[int, Commit], None] = lambda _, commit: None
    ) -> None:
        """Each commit by the workflow of its parent, and the step of the ref.

        The step is judged by the workflow of where it starts. `expect` is
        told of each commit before it is judged.
        """
        inherited = self.inherited
        self.repository.refuse_to_fetch()
        target = push.old or push.base or push.tip
        self.repository.target = target.oid if target else ''
        self.governing.pin(None)
        self.base = self._start(push)
        self.governing.pin(self.base)
        self.is_governed = self.is_governed or self.base is not None
        self.arriving = frozenset(each.oid for each in push.commits)
        commits = self._first_seen(self._related(push))
        self._pushes.append(push._replace(commits=commits))
        course = Course(commits, expect, self._confirming(push.base), inherited)
        whole = self._divide(course, push)
        self._keep_new(whole.left)
        self.keep(whole.together, set())
        self.base, self.inherited = None, inherited

    def _related(self, push: Push) -> Sequence[Commit]:
        """The commits of this project: not those of one merged into it."""
        target = self.repository.target
        if not target or self.repository.is_shallow:
            return push.commits
        return self.repository.ancestry.related(push.commits, target)

    def _start(self, push: Push) -> Snapshot | None:
        """The tree whose workflow judges the step, None: none has one."""
        for commit in push.governors:
            tree = self.repository.tree(commit.tree)
            with contextlib.suppress(InvalidWorkflow):
                if self.governing.of_tree(tree) is not None:
                    return tree
        return None

    @property
    def rules(self) -> Workflow:
        """The workflow that judges the step."""
        found = self.governing.of_tree(self.base) if self.base else None
        assert found is not None, 'a workflow governs where it starts'
        return found

    def _first_seen(self, commits: Sequence[Commit]) -> list[Commit]:
        new = [each for each in commits if each.oid not in self._judged]
        self._judged.update(each.oid for each in new)
        return new

    def _divide(self, course: Course, push: Push) -> Whole:
        """What one process finds and what several do is the same."""
        first, *others = shares(len(course.commits))
        if others:
            # whose processes would answer all of us at once
            self.repository.git.close()
        with contextlib.ExitStack() as stack:
            helpers = [
                stack.enter_context(
                    Aside(
                        functools.partial(self._some_aside, course, share, os.getpid())
                    )
                )
                for share in others
            ]
            self._some(course, first)
            self.inherited = False
            # while the others go on
            whole = self._whole(push)
            for share, helper in zip(others, helpers, strict=True):
                found = helper.result()
                if found is None:
                    # what hindered it is seen here, and said
                    self._some(course, share)
                else:
                    self._take(found)
        self.inherited = False
        return whole

    def _some(self, course: Course, share: range) -> None:
        """Some of the commits, in a row."""
        confirming = course.confirming
        if confirming is not None:
            confirming.pass_over(course.commits[: share.start])
        commits = course.commits[share.start : share.stop]
        ahead = Ahead(self.repository, commits, self._is_read())
        for number, commit in enumerate(commits):
            ahead.reach(number)
            course.expect(share.start + number, commit)
            # what is inherited is said once, for the last tree
            self.inherited = course.inherited and (commit is course.commits[-1])
            self.commit(commit)
            self._past_the_gate(commit)
            if confirming is not None:
                self._confirmed(confirming, commit)

    def _some_aside(self, course: Course, share: range, parent: int) -> Judged:
        def expect(number: int, commit: Commit) -> None:
            course.expect(number, commit)
            if os.getppid() != parent:
                raise Refusal('nobody waits for it any more')

        self.findings, self.suppressed, self.commits = [], 0, 0
        self.adopting = []
        self._some(course._replace(expect=expect), share)
        return Judged(
            self.findings, self.suppressed, self.commits, self.stale, self.adopting
        )

    def _take(self, found: Judged) -> None:
        self.findings.extend(found.findings)
        self.suppressed += found.suppressed
        self.commits += found.commits
        self.stale = found.stale
        self.adopting.extend(found.adopting)

    def _past_the_gate(self, commit: Commit) -> None:
        if self.base is None or (self.only and 'message' not in self.only):
            return
        workflow = self.rules
        if workflow.gate_trailer:
            # only where a project asks for it
            from interlock.engine.gate_trailer import unstamped

            found = unstamped(commit, workflow.gate_trailer)
            if found is not None:
                self.keep(counted([found], workflow), set())

    def _confirming(self, base: Commit | None) -> Confirming | None:
        """What asks whether stages were confirmed; None: nobody does."""
        if self.base is None or (self.only and 'message' not in self.only):
            return None
        from interlock.engine.confirmation import Confirming

        workflow = self.rules
        return Confirming(self.repository, base, workflow)

    def _confirmed(self, confirming: Confirming, commit: Commit) -> None:
        workflow = self.rules
        self.keep(counted(confirming.unconfirmed(commit), workflow), set())

    def _is_read(self) -> Callable[[str], bool]:
        """Tells the files that checks read from those they only name."""
        if self.base is None:
            return lambda _: False
        workflow = self.rules
        return functools.partial(is_record, workflow)

    def _whole(self, push: Push) -> Whole:
        """The step of the ref: what stands at its end, and how it got there."""
        start, tip = self._step_from(push), push.tip
        if self.base is None or start is None or tip is None or (start.oid == tip.oid):
            return Whole([], [])
        change = self.repository.between(start, tip)._replace(
            is_ref_step=True,
            # asked by several rules, and for several items
            behind=functools.cache(functools.partial(self._parts, start, tip)),
        )
        kept = len(self.findings)
        self._judge_step(change, self.repository.is_ancestor(start, tip))
        left = self.findings[kept:]
        del self.findings[kept:]
        if self.only and 'workflow' not in self.only:
            return Whole(left, [])
        workflow = self.rules
        return Whole(left, together_in(change, workflow))

    def _parts(self, start: Commit, tip: Commit) -> list[Change]:
        """The changes of the commits between the two ends of a step."""
        oids = self.repository.git.commits(tip.oid, f'^{start.oid}')
        return [
            self.repository.of_commit(commit, self.is_watched(commit.parents))[0]
            for commit in self.repository.all_of(oids)
            if not commit.malformed
        ]

    def _judge_step(self, change: Change, continues: bool) -> None:
        assert self.base is not None, 'a workflow governs'
        workflow = self.rules
        known = baseline.before(self.base, workflow, self.governing)
        places = self._places(change.after, workflow)
        change = self._as_moved(change, workflow, places)
        found = judge([change], workflow, self.only)
        self.keep(
            [
                at_its_place(each, places)
                for each in found
                if each.standing or each.code in OF_STEPS
            ],
            known,
        )
        if not continues:
            step = change._replace(is_ref_step=False)
            self.keep(
                [
                    each
                    for each in judge([step], workflow, self.only)
                    if not each.standing and each.code in OF_GATES
                ],
                known,
            )

    def _places(self, tree: Snapshot, workflow: Workflow) -> Places:
        """Where a tree has the registries of a workflow, if elsewhere."""
        with contextlib.suppress(InvalidWorkflow):
            own = self.governing.of_tree(tree)
            return moved_places(workflow, own) if own is not None else {}
        return {}

    def _as_moved(self, change: Change, workflow: Workflow, after: Places) -> Change:
        before = there(self._places(change.before, workflow), change.before)
        if not before and not after:
            return change
        return as_moved(change, before, after)._replace(
            behind=functools.cache(
                lambda: [
                    part
                    if part.parents
                    else as_moved(
                        part,
                        *(
                            there(self._places(tree, workflow), tree)
                            for tree in (part.before, part.after)
                        ),
                    )
                    for part in change.behind()
                ]
            )
        )

    def _step_from(self, push: Push) -> Commit | None:
        """Where the ref was; a branch of its own left the main one there."""
        if push.ref.startswith(TAGS):
            return None
        elif push.old is not None and self._is_protected(push):
            return push.old
        return push.base

    def _is_protected(self, push: Push) -> bool:
        if push.is_main:
            return True
        workflow = self.governing.of_tree(self.base) if self.base else None
        branch = push.ref.removeprefix(HEADS)
        return workflow is not None and any(
            fnmatch.fnmatchcase(branch, pattern) for pattern in workflow.protected
        )

    def _keep_new(self, found: Sequence[Finding]) -> None:
        """What no commit was found to bring."""
        known = {each.fingerprint for each in self.findings}
        refused = {_subject(each) for each in self.findings if each.refuses}
        self.findings.extend(
            each
            for each in found
            if each.fingerprint not in known
            and (each.standing or _subject(each) not in refused)
        )

    def forwarded(self, push: Push, branch: str) -> None:
        """The work of tasks that is put onto the main branch as it is.

        The commits may be known from their own branch, and judged there.
        """
        base, tip = push.base, push.tip
        if (
            not branch
            or base is None
            or tip is None
            or (self.only and 'commit' not in self.only)
        ):
            return
        texts = self.repository.git.messages(
            f'^{trailers.TASK}: ', tip.oid, f'^{base.oid}'
        )
        tasks = dict.fromkeys(trailers.task(messages.parse(t)) for t in texts)
        if not any(tasks):
            return
        # a broken workflow is a finding of the commit that broke it
        with contextlib.suppress(InvalidWorkflow):
            workflow = self.governing.of_tree(
                self._start(push) or self.repository.tree(base.tree)
            )
            if workflow is None:
                return
            change = self.repository.between(base, tip)._replace(
                merged=tuple(filter(None, tasks))
            )
            found = forwarded_in(change, workflow, branch)
            known = {(each.code, each.item) for each in self.findings}
            self.keep(
                [each for each in found if (each.code, each.item) not in known], set()
            )
