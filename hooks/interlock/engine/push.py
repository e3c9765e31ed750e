"""Judge commits that arrive together: a push, or a range."""

from __future__ import annotations

from interlock.checks.compare import counted
from interlock.checks.contracts import amends
from interlock.checks.run import forwarded_in, judge, together_in
from interlock.checks.watched_paths import touches_watched
from interlock.documents import message as messages
from interlock.documents import trailers
from interlock.engine import baseline
from interlock.engine.judge import Judge
from interlock.engine.rewrite_hint import rewriting
from interlock.git.parse import ADDED, Commit
from interlock.git.push_updates import HEADS, TAGS, Push, Update
from interlock.git.repository import Commits, Repository
from interlock.model import quick_tools as functools
from interlock.model.change import Change, Snapshot
from interlock.model.errors import InvalidWorkflow
from interlock.model.finding import EVERY_ITEM, Finding, Fix
from interlock.model.fixes import quoted
from interlock.model.merge import DerivedSnapshot
from interlock.model.quick_tools import fnmatchcase, suppress
from interlock.model.quick_typing import Callable, Iterable, Iterator, Mapping, Sequence
from interlock.model.report import Report
from interlock.rules.new_finding import Location
from interlock.workflow.language.patterns import expand
from interlock.workflow.language.sharing import GIT_REMOTE, NONE, PUSH, LocksSpec
from interlock.workflow.language.spec import Workflow

# the rules that compare where a ref was and where it is now; all others are
# about single commits
OF_STEPS = frozenset(
    'STG001 STG002 CON006 CON007 REG019 CFG001 CFG003 CFG004 CFG006 CFG008'.split()
)
# the rules about what a step needs: each commit was asked, unless the ref
# continues from another commit
OF_GATES = frozenset({'STG005', 'HND011'})
# the rules about one transition: of a step they allow any number, since each
# commit was asked
OF_MOVES = frozenset({'STG001', 'STG002'})
# each says that a frozen contract is not what it was
OF_CONTRACTS = frozenset({'CON001', 'CON002', 'CON005', 'CON006', 'CON007'})
# a registry that moves is the same registry: the workflow from before a step judges
# it, and looks for it at its old path; the old path -> the new one
NewPaths = Mapping[str, str]


def new_paths(old: Workflow, new: Workflow) -> NewPaths:
    """Where another workflow has the registries of a workflow."""
    files = {kind.name: kind.registry.file for kind in new.kinds}
    paths = {kind.registry.file: files.get(kind.name) for kind in old.kinds}
    return {old: new for old, new in paths.items() if old and new and old != new}


class MovedSnapshot(DerivedSnapshot):
    """A tree that has its registries at their old paths."""

    def __init__(self, tree: Snapshot, new: NewPaths) -> None:
        super().__init__()
        self._tree = tree
        self._new = new

    def _source(self, path: str) -> tuple[Snapshot, str]:
        return self._tree, self._new.get(path, path)

    def prefetch(self, paths: Iterable[str]) -> None:
        self._tree.prefetch(self._new.get(path, path) for path in paths)

    def paths(self) -> Sequence[str]:
        old = {new: old for old, new in self._new.items()}
        return [
            old.get(path, path) for path in self._tree.paths() if path not in self._new
        ]


def moved(change: Change, before: NewPaths, after: NewPaths) -> Change:
    """A change with the registries of both of its trees at their old paths."""
    if not before and not after:
        return change
    new = {*before.values(), *after.values()}
    touched = {path: how for path, how in change.touched.items() if path not in new}
    touched.update(dict.fromkeys((*before, *after), 'M'))
    return change._replace(
        before=MovedSnapshot(change.before, before) if before else change.before,
        after=MovedSnapshot(change.after, after) if after else change.after,
        touched=touched,
    )


def at_new_path(finding: Finding, paths: NewPaths) -> Finding:
    """A finding about a registry names the path that it has now."""
    new = paths.get(finding.path)
    if new is None:
        return finding
    elif finding.found == 'missing':
        # the workflow names the new path, and the file did not follow
        label = 'move it back, and push both commits'
        fix = Fix(label, f'git mv {quoted([finding.path, new])}')
        finding = finding._replace(fix=fix)
    return finding._replace(path=new)


def _subject(finding: Finding) -> tuple[str, str, str]:
    """What a finding is about: one refusal of it is enough."""
    is_contract = finding.code in OF_CONTRACTS
    return 'CON007' if is_contract else finding.code, finding.item, finding.key


def _concerns(change: Change, workflow: Workflow) -> bool:
    """Whether checks speak of what a commit touches, or ask for its reason.

    A merge touches nothing where it takes over what one side has.
    """
    return touches_watched(change, workflow) or bool(
        change.parents and any(amends(change, kind) for kind in workflow.kinds)
    )


def _deleted(push: Push, old: Commit, workflow: Workflow) -> Finding:
    """A branch that is deleted could be made anew, as if it had never been."""
    branch = push.ref.removeprefix(HEADS)
    return Location(EVERY_ITEM, workflow.path).finding(
        'CFG003',
        f'the branch {branch} is protected and would be deleted: nothing would say '
        f'where its items were',
        key=push.ref,
        found=branch,
        fix=Fix('see what would be lost', f'git log -1 --stat {old.oid}'),
    )


def _branch_of(workflow: Workflow, task: str) -> str:
    protocols = (kind.protocol for kind in workflow.kinds if kind.protocol)
    return next((expand(each.branch, task) for each in protocols), '')


def _brings_registry(change: Change, workflows: Sequence[Workflow]) -> bool:
    files = [
        kind.registry.file
        for workflow in workflows
        for kind in workflow.kinds
        if kind.registry
    ]
    return any(change.touched.get(file) == ADDED for file in files) and not any(
        change.before.blob(file) for file in files
    )


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
        # those of them that touch anything of which checks speak
        self._watched: set[str] = set()
        # a commit of the push has a registry, and its parents have none
        self._is_registry_new = False
        # where the step of the ref starts and the workflow that governs it,
        # None without one
        self._start: tuple[Snapshot, Workflow] | None = None
        self._pushes: list[Push] = []

    def report(self) -> Report:
        guilty = {
            each.commit for each in self.findings if each.refuses and each.introduced
        }
        last, first = rewriting(self.repository, self._pushes, guilty)
        return super().report()._replace(rewrite=last, undo=first)

    def push(
        self, push: Push, expect: Callable[[int, Commit], None] = lambda _, commit: None
    ) -> None:
        """Judge each commit by the workflow of its parent, then the step of the ref.

        The workflow where the step starts judges the step. `expect` is called
        with each commit before it is judged.
        """
        self.repository.refuse_to_fetch()
        target = push.old or push.base or push.tip
        self.repository.target = target.oid if target else ''
        self.governing.pin(None)
        self._start = self._governed_start(push)
        self.governing.pin(self._start[0] if self._start else None)
        self.is_governed = self.is_governed or self._start is not None
        self.arriving = frozenset(push.commits.oids)
        self._is_registry_new = False
        commits = self._first_seen(push)
        self._pushes.append(push._replace(commits=commits))
        inherited = self.inherited
        self._judge_commits(commits, push.base, expect)
        self.inherited = False
        self._judge_step(push)
        self._start, self.inherited = None, inherited

    def _governed_start(self, push: Push) -> tuple[Snapshot, Workflow] | None:
        for commit in push.governors:
            tree = self.repository.tree(commit.tree)
            workflow = self._valid_workflow(tree)
            if workflow is not None:
                return tree, workflow
        return None

    def under_grants(self, push: Push, updates: Sequence[Update] | None = None) -> None:
        """Was the work done under a grant that the lock has?

        A server has the records of locks, and `updates` may bring some; CI asks
        the engine for them.
        """
        found = self._governed_start(push)
        locks = found[1].locks if found else LocksSpec()
        is_pushed = updates is not None
        if found is None or not locks.is_shared or (is_pushed and locks.fence == NONE):
            return
        # most servers keep no records of locks
        from interlock.engine import lock_records

        repository, workflow, tip = self.repository, found[1], ''
        if locks.engine != GIT_REMOTE:
            events = lock_records.database_events(repository, workflow)
        elif updates is not None:
            events = lock_records.stored_events(repository.git, locks.refs, updates)
        else:
            events = lock_records.remote_events(repository, workflow)
            # only a remote has the proof of a push
            tip = push.tip.oid if push.tip and locks.fence == PUSH else ''
        branch_of = functools.partial(_branch_of, workflow)
        ref = push.ref if is_pushed else ''
        self.findings.extend(
            lock_records.judge_grants(push.commits, events, ref, branch_of, tip)
        )

    def _first_seen(self, push: Push) -> Commits:
        commits, target = push.commits, self.repository.target
        if target:
            commits = self.repository.related(commits, target)
        new = [oid for oid in commits.oids if oid not in self._judged]
        self._judged.update(new)
        return self.repository.all_of(new)

    def _judge_commits(
        self,
        commits: Sequence[Commit],
        base: Commit | None,
        expect: Callable[[int, Commit], None],
    ) -> None:
        inherited, workflow = self.inherited, self._start and self._start[1]
        missing_trailers = self._missing_trailers(base)
        for number, commit in enumerate(self.ahead(commits, workflow)):
            expect(number, commit)
            # inherited findings are reported once, for the last tree
            self.inherited = inherited and number == len(commits) - 1
            self.commit(commit)
            if workflow:
                self.keep(counted(missing_trailers(commit), workflow), set())

    def _missing_trailers(
        self, base: Commit | None
    ) -> Callable[[Commit], Iterator[Finding]]:
        workflow = self._start and self._start[1]
        if not workflow or (self.only and 'message' not in self.only):
            return lambda _: iter(())
        from interlock.engine.required_trailers import RequiredTrailers

        return RequiredTrailers(self.repository, base, workflow).missing

    def _judge_step(self, push: Push) -> None:
        """Judge the ref's new tip, and the way from its old one."""
        start, tip = self._step_from(push), push.tip
        if self._start and push.old and tip is None and self._is_protected(push):
            self.keep([_deleted(push, push.old, self._start[1])], set())
        if not self._start or start is None or tip is None or start.oid == tip.oid:
            return
        base, workflow = self._start
        change = self.repository.between(start, tip)._replace(
            is_ref_step=True,
            # asked by several rules, and for several items
            behind=functools.cache(functools.partial(self._parts, start, tip)),
        )
        known = baseline.before(base, workflow, self.governing)
        paths = self._new_paths(change.after, workflow)
        step = self._moved(change, workflow, paths)
        found = [
            at_new_path(each, paths)
            for each in judge([step], workflow, self.only)
            if each.standing or each.code in OF_STEPS
        ]
        found += self._as_one_commit(push, start, step, found)
        self._keep_new(found, known)
        if not self.only or 'workflow' in self.only:
            self.keep(together_in(change, workflow), set())

    def _as_one_commit(
        self, push: Push, start: Commit, step: Change, found: Sequence[Finding]
    ) -> list[Finding]:
        """Judge the step as one commit, where its commits do not tell enough.

        No commit says how items got where a new registry has them, and of a
        history of its own no commit was judged, nor one from before the workflow.
        """
        assert self._start is not None and push.tip is not None, 'it is a step'
        is_replaced = not (
            # mostly it is a parent of the first one
            any(start.oid in each.parents for each in push.commits)
            or self.repository.is_ancestor(start, push.tip)
        )
        is_own = is_replaced and not self.repository.ancestry.is_related(
            push.tip.oid, start.oid
        )
        codes = OF_GATES | OF_MOVES if self._is_registry_new else OF_GATES
        is_unjudged = not self.arriving.isdisjoint(self.adopting)
        if not (is_replaced or is_unjudged or self._is_registry_new):
            return []
        known = {_subject(each) for each in found}
        as_one = step._replace(is_ref_step=False)
        return [
            each
            for each in judge([as_one], self._start[1], self.only)
            if is_own or (is_unjudged if each.standing else each.code in codes)
            if _subject(each) not in known
        ]

    def _keep_new(self, found: Sequence[Finding], known: set[str]) -> None:
        """Keep the findings that no commit was found to introduce."""
        reported = {each.fingerprint for each in self.findings}
        refused = {_subject(each) for each in self.findings if each.refuses}
        kept = len(self.findings)
        self.keep(found, known)
        self.findings[kept:] = [
            each
            for each in self.findings[kept:]
            if each.fingerprint not in reported
            and (each.standing or _subject(each) not in refused)
        ]

    def note(self, commit: Commit, change: Change) -> None:
        if self._start is None:
            return
        workflows = self._workflows(commit, self._start[1])
        if any(_concerns(change, each) for each in workflows):
            self._watched.add(commit.oid)
            if not self._is_registry_new:
                self._is_registry_new = _brings_registry(change, workflows)

    def _workflows(self, commit: Commit, start: Workflow) -> tuple[Workflow, ...]:
        """Where the step starts, and of a commit: a registry may have moved."""
        own = self._workflow_of(commit)
        return (start,) if own is None or own is start else (start, own)

    def _parts(self, start: Commit, tip: Commit) -> list[Change]:
        """The changes between the two ends of a step, as far as checks speak of
        what they touch."""
        oids = [
            oid
            for oid in self.repository.git.commits(tip.oid, f'^{start.oid}')
            if oid in self._watched or oid not in self._judged
        ]
        assert self._start is not None, 'a step has a start'
        workflows = functools.partial(self._workflows, start=self._start[1])
        found = []
        for commit in self.repository.all_of(oids):
            if commit.malformed:
                continue
            watched = self.is_watched(commit.parents)
            part = self.repository.of_commit(commit, watched)[0]
            if commit.oid in self._watched or any(
                _concerns(part, each) for each in workflows(commit)
            ):
                found.append(part)
        return found

    def _new_paths(self, tree: Snapshot, workflow: Workflow) -> NewPaths:
        """Where a tree has the registries of a workflow, if elsewhere."""
        own = self._valid_workflow(tree)
        return new_paths(workflow, own) if own is not None else {}

    def _moved(self, change: Change, workflow: Workflow, after: NewPaths) -> Change:
        def present(tree: Snapshot) -> NewPaths:
            # the workflow may change before the file moves
            paths = self._new_paths(tree, workflow)
            return {old: new for old, new in paths.items() if tree.blob(new)}

        before = present(change.before)
        if not before and not after:
            return change
        return moved(change, before, after)._replace(
            behind=functools.cache(
                lambda: [
                    part
                    if part.parents
                    else moved(part, present(part.before), present(part.after))
                    for part in change.behind()
                ]
            )
        )

    def _step_from(self, push: Push) -> Commit | None:
        """Where the ref was; an unprotected branch starts where it left main."""
        if push.ref.startswith(TAGS):
            return None
        elif push.old is not None and self._is_protected(push):
            return push.old
        return push.base

    def _is_protected(self, push: Push) -> bool:
        branch = push.ref.removeprefix(HEADS)
        patterns = self._start[1].protected if self._start else ()
        return push.is_main or any(fnmatchcase(branch, pattern) for pattern in patterns)

    def forwarded(self, push: Push, branch: str) -> None:
        """Judge the work of tasks that reaches the main branch as it is.

        The commits may be known from their own branch, and judged there.
        """
        base, tip = push.base, push.tip
        is_asked = not self.only or 'commit' in self.only
        if not branch or base is None or tip is None or not is_asked:
            return
        texts = self.repository.git.messages(
            f'^{trailers.TASK}: ', tip.oid, f'^{base.oid}'
        )
        tasks = dict.fromkeys(trailers.task(messages.parse(t)) for t in texts)
        if not any(tasks):
            return
        # a broken workflow is a finding of the commit that broke it
        with suppress(InvalidWorkflow):
            start = self._governed_start(push)
            workflow = (
                start[1]
                if start
                else self.governing.of_tree(self.repository.tree(base.tree))
            )
            if workflow is None:
                return
            change = self.repository.between(base, tip)._replace(
                merged=tuple(filter(None, tasks))
            )
            known = {(each.code, each.item) for each in self.findings}
            found = forwarded_in(change, workflow, branch)
            self.keep(
                [each for each in found if (each.code, each.item) not in known], set()
            )
