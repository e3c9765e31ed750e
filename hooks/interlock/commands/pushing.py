"""Commits that come together: a push, or a range."""
from __future__ import annotations

import contextlib
import functools
import os
from collections.abc import Callable
from collections.abc import Sequence
from typing import TYPE_CHECKING

from interlock.checks.engine import counted
from interlock.checks.engine import forwarded_in
from interlock.checks.engine import judge
from interlock.checks.engine import together_in
from interlock.checks.workflow import governing_files
from interlock.checks.workflow import WIRING
from interlock.commands.course import Course
from interlock.commands.course import Judged
from interlock.commands.course import Whole
from interlock.commands.judging import Judge
from interlock.commands.rewriting import rewriting
from interlock.documents import message as messages
from interlock.documents import trailers
from interlock.model.change import Change
from interlock.model.change import Snapshot
from interlock.model.errors import InvalidWorkflow
from interlock.model.errors import Refusal
from interlock.model.finding import Finding
from interlock.report.summary import Report
from interlock.workflow.names import is_record
from interlock.world.ahead import Ahead
from interlock.world.answers import Commit
from interlock.world.aside import Aside
from interlock.world.aside import shares
from interlock.world.pushes import Push
from interlock.world.repository import Repository

if TYPE_CHECKING:
    from interlock.commands.confirmed import Confirming


class PushJudge(Judge):
    def __init__(
            self,
            repository: Repository,
            config: str = '',
            only: Sequence[str] = (),
            inherited: bool = False,
    ) -> None:
        super().__init__(repository, config, only, inherited)
        # what was judged already, and by which workflow: several refs may
        # have the same commits
        self._judged: set[tuple[int, str]] = set()
        self._pushes: list[Push] = []

    def report(self) -> Report:
        guilty = {
            each.commit for each in self.findings
            if each.refuses and each.introduced
        }
        fix = rewriting(self.repository, self._pushes, guilty)
        return super().report()._replace(rewrite=fix)

    def push(
            self,
            push: Push,
            expect: Callable[[int, Commit], None] = lambda _, commit: None,
    ) -> None:
        """Each commit and the whole, by the workflow of what governs it.

        What a push itself brings counts only where there is no other.
        `expect` is told of each commit before it is judged.
        """
        inherited = self.inherited
        self.base = self._governing(push)
        if push.tip is not None:
            last = self.repository.tree(push.tip.tree)
            self.governing.last_resort = last
        commits = self._first_seen(self._commits(push))
        self._pushes.append(push._replace(commits=commits))
        course = Course(
            push.base, commits, expect, self._confirming(push.base),
            inherited,
        )
        whole = self._divide(course, push)
        self._keep_new(whole.left)
        self.keep(whole.together, set())
        self.base, self.inherited = None, inherited

    def _commits(self, push: Push) -> Sequence[Commit]:
        """Those that are judged.

        What the other side has was judged when it came, but by another
        workflow if it brings one to a ref that has its own.
        """
        base, tip = push.base, push.tip
        if self.base is None or not push.is_update or not base or not tip:
            return push.commits
        elif self.governing.found.given:
            # one workflow for all refs
            return push.commits
        files = governing_files(self.governing.before(self.base))
        # by any commit: what was loosened may have been tightened again
        if not self.repository.git.touched(
                (*files, *WIRING), tip.oid, f'^{base.oid}',
        ):
            return push.commits
        oids = self.repository.git.commits(tip.oid, f'^{base.oid}')
        return self.repository.all_of(oids)

    def _first_seen(self, commits: Sequence[Commit]) -> list[Commit]:
        by = 0
        if self.base is not None:
            by = id(self.governing.before(self.base))
        new = [each for each in commits if (by, each.oid) not in self._judged]
        self._judged.update((by, each.oid) for each in new)
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
                    Aside(functools.partial(
                        self._some_aside, course, share, os.getpid(),
                    )),
                ) for share in others
            ]
            self._some(course, first)
            self.inherited = False
            # while the others go on
            whole = self._whole(push, bool(course.commits))
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
            confirming.pass_over(course.commits[:share.start])
        commits = course.commits[share.start:share.stop]
        ahead = Ahead(self.repository, commits, self._is_read())
        for number, commit in enumerate(commits):
            ahead.reach(number)
            course.expect(share.start + number, commit)
            # what is inherited is said once, for the last tree
            self.inherited = course.inherited and (
                commit is course.commits[-1]
            )
            self.commit(commit, course.base)
            self._past_the_gate(commit)
            if confirming is not None:
                self._confirmed(confirming, commit)

    def _some_aside(
            self,
            course: Course,
            share: range,
            parent: int,
    ) -> Judged:
        def expect(number: int, commit: Commit) -> None:
            course.expect(number, commit)
            if os.getppid() != parent:
                raise Refusal('nobody waits for it any more')

        self.findings, self.suppressed, self.commits = [], 0, 0
        self._some(course._replace(expect=expect), share)
        return Judged(
            self.findings, self.suppressed, self.commits, self.stale,
        )

    def _take(self, found: Judged) -> None:
        self.findings.extend(found.findings)
        self.suppressed += found.suppressed
        self.commits += found.commits
        self.stale = found.stale

    def _past_the_gate(self, commit: Commit) -> None:
        if self.base is None or (self.only and 'message' not in self.only):
            return
        workflow = self.governing.before(self.base)
        if workflow.gate_trailer:
            # only where a project asks for it
            from interlock.commands.stamp import unstamped
            found = unstamped(commit, workflow.gate_trailer)
            if found is not None:
                self.keep(counted([found], workflow), set())

    def _confirming(self, base: Commit | None) -> Confirming | None:
        """What asks whether stages were confirmed; None: nobody does."""
        if self.base is None or (self.only and 'message' not in self.only):
            return None
        from interlock.commands.confirmed import Confirming
        workflow = self.governing.before(self.base)
        return Confirming(self.repository, base, workflow)

    def _confirmed(self, confirming: Confirming, commit: Commit) -> None:
        assert self.base is not None, 'whose workflow asks for it'
        workflow = self.governing.before(self.base)
        self.keep(counted(confirming.unconfirmed(commit), workflow), set())

    def _is_read(self) -> Callable[[str], bool]:
        """Tells the files that checks read from those they only name."""
        if self.base is None:
            return lambda _: False
        workflow = self.governing.before(self.base)
        return functools.partial(is_record, workflow)

    def _governing(self, push: Push) -> Snapshot | None:
        found = filter(None, map(self._governor, push.governors))
        return next(found, None)

    def _governor(self, commit: Commit) -> Snapshot | None:
        """Its tree, if that has a workflow by which can be judged."""
        tree = self.repository.tree(commit.tree)
        if self.governing.found.given:
            return tree
        if not self.governing.path or tree.blob(self.governing.path) is None:
            return None
        try:
            self.governing.before(tree)
        except InvalidWorkflow:
            return None
        return tree

    def _whole(self, push: Push, is_new: bool) -> Whole:
        """What stands at the end although no commit alone brought it."""
        base, tip = push.base, push.tip
        if self.base is None or base is None or tip is None or not (
                is_new or push.is_update
        ):
            return Whole([], [])
        change = self.repository.between(base, tip)
        if not self.repository.is_ancestor(base, tip):
            # commits were taken back, and with them what they were judged by
            return Whole(self._governing_changes(change), [])
        kept = len(self.findings)
        self.changes([change])
        left = [each for each in self.findings[kept:] if each.standing]
        del self.findings[kept:]
        if self.only and 'workflow' not in self.only:
            return Whole(left, [])
        workflow = self.governing.before(self.base)
        return Whole(left, together_in(change, workflow))

    def _governing_changes(self, change: Change) -> list[Finding]:
        if self.base is None or (self.only and 'workflow' not in self.only):
            return []
        workflow = self.governing.before(self.base)
        return judge([change], workflow, ['workflow'])

    def _keep_new(self, found: Sequence[Finding]) -> None:
        """What no commit was found to bring."""
        known = {each.fingerprint for each in self.findings}
        self.findings.extend(
            each for each in found if each.fingerprint not in known
        )

    def forwarded(self, push: Push, branch: str) -> None:
        """The work of tasks that is put onto the main branch as it is.

        The commits may be known from their own branch, and judged there.
        """
        base, tip = push.base, push.tip
        if not branch or base is None or tip is None or (
                self.only and 'commit' not in self.only
        ):
            return
        texts = self.repository.git.messages(
            f'^{trailers.TASK}: ', tip.oid, f'^{base.oid}',
        )
        tasks = dict.fromkeys(trailers.task(messages.parse(t)) for t in texts)
        if not any(tasks):
            return
        # a broken workflow is a finding of the commit that broke it
        with contextlib.suppress(InvalidWorkflow):
            workflow = self.governing.before(
                self._governing(push) or self.repository.tree(base.tree),
            )
            change = self.repository.between(base, tip)._replace(
                merged=tuple(filter(None, tasks)),
            )
            found = forwarded_in(change, workflow, branch)
            known = {(each.code, each.item) for each in self.findings}
            self.keep([
                each for each in found if (each.code, each.item) not in known
            ], set())
