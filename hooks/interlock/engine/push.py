"""Judge commits that arrive together: a push, or a range."""

from __future__ import annotations

from interlock.checks.compare import changes_behind, with_severities
from interlock.checks.contracts import amends
from interlock.checks.run import judge, of_forwarded_work, of_whole_push
from interlock.checks.watched_paths import touches_watched
from interlock.documents import message as messages
from interlock.documents import trailers
from interlock.engine import baseline
from interlock.engine.judge import Judge
from interlock.engine.moved_files import (
    NewPaths,
    at_new_path,
    moved,
    new_contracts,
    new_registries,
    present,
)
from interlock.engine.rewrite_hint import (
    REPLAY,
    THERE,
    kept_commits,
    rewriting,
    rules_first,
)
from interlock.git.parse import Commit
from interlock.git.push_updates import HEADS, TAGS, Push, Update
from interlock.git.repository import Commits, Repository
from interlock.model import quick_tools as functools
from interlock.model.change import ADDED, Change, Snapshot
from interlock.model.finding import EVERY_ITEM, Finding, Fix
from interlock.model.fixes import quoted
from interlock.model.quick_tools import fnmatchcase
from interlock.model.quick_typing import Callable, Iterator, Sequence
from interlock.model.report import Report, plural
from interlock.rules.new_finding import Location
from interlock.workflow.language.patterns import expand
from interlock.workflow.language.sharing import GIT_REMOTE, NONE, PUSH, LocksSpec
from interlock.workflow.language.spec import Workflow

# rules that compare the old tip of a ref with the new one; all others are
# about single commits
OF_STEPS = frozenset(
    'STG001 STG002 CON006 CON007 REG019 CFG001 CFG003 CFG004 CFG006 CFG008'.split()
)
# rules about the requirements of a step: they were checked for each commit,
# unless the ref continues from another commit
OF_GATES = frozenset({'STG005', 'HND011'})
# rules about one transition: a step may contain any number, since each commit
# was checked
OF_MOVES = frozenset({'STG001', 'STG002'})
# each of these says that a frozen contract has changed
OF_CONTRACTS = frozenset({'CON001', 'CON002', 'CON005', 'CON006', 'CON007'})
BEFORE = 'before the first commit'


def _subject(finding: Finding) -> tuple[str, str, str]:
    """The subject of a finding; it is refused only once."""
    is_contract = finding.code in OF_CONTRACTS
    return 'CON007' if is_contract else finding.code, finding.item, finding.key


def _concerns(change: Change, workflow: Workflow) -> bool:
    """Whether a commit touches watched files, or must give a reason.

    A merge does not touch files that it takes over from one side.
    """
    return touches_watched(change, workflow) or bool(
        change.parents and any(amends(change, kind) for kind in workflow.kinds)
    )


def _deleted_branch(
    push: Push, old: Commit, workflow: Workflow, remote: str
) -> Finding:
    """The finding for a deleted branch: recreated, it would look new.

    `remote`: the one whose main branch is unknown, so that it may be this one.
    """
    branch = push.ref.removeprefix(HEADS)
    if not remote:
        said = (
            f'the branch {branch} is protected and would be deleted: nothing would '
            f'show the states of its items'
        )
        fix = Fix('see what would be lost', f'git log -1 --stat {old.oid}')
    else:
        said = (
            f'the branch {branch} would be deleted, and it may be the main branch: '
            f'this clone does not know the main branch of {remote}'
        )
        name = quoted([remote])
        # it fails unless the branch was fetched before
        command = f'git fetch -q {name} && git remote set-head {name} --auto'
        fix = Fix(f'ask {remote} for its main branch', command)
    return Location(EVERY_ITEM, workflow.path).finding(
        'CFG003', said, key=push.ref, found=branch, fix=fix
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
    # a commit that moves it is compared with its old path, but a merge is not
    return any(change.touched.get(file) == ADDED for file in files) and (
        bool(change.parents) or not any(change.before.blob(file) for file in files)
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
        # several refs may contain the same commit; its parent's workflow
        # judges it in each of them
        self._judged: frozenset[str] = frozenset()
        # the judged commits that touch watched files
        self._watched: set[str] = set()
        # whether a commit of the push adds a registry that its parents lack
        self._is_registry_new = False
        # the start of the ref's step and the workflow that governs it, None without one
        self._start: tuple[Snapshot, Workflow] | None = None
        self._pushes: list[Push] = []
        # the findings about the step of a ref
        self._of_steps: list[Finding] = []
        # the fixes that change no commit of a push
        self._keeping: set[Fix] = set()
        # the remote that is pushed to, if its main branch is unknown
        self.without_main = ''
        # the remote that is pushed to, if this clone pushes
        self.remote = ''
        # for a message about judging that was stopped
        self.reached = BEFORE

    def report(self) -> Report:
        guilty = {
            each.commit
            for each in self.findings
            # another commit would neither bring back those that the push drops nor
            # change the rules from before it
            if each.refuses and each.introduced and each.fix not in self._keeping
        }
        last, first = rewriting(self.repository, self._pushes, guilty)
        if last is not None and last.label == REPLAY:
            # what is wrong with the step of the ref is fixed at its tip;
            # a record of a lock is not a commit of the push
            oids = {oid for push in self._pushes for oid in push.commits.oids} & guilty
            self.findings = [
                each._replace(fix=THERE)
                if each.commit in oids and each not in self._of_steps
                else each
                for each in self.findings
            ]
        return super().report()._replace(rewrite=last, undo=first)

    def push(self, push: Push) -> None:
        """Judge each commit by the workflow of its parent, then the step of the ref.

        The workflow at the start of the step judges the step.
        """
        self.repository.refuse_to_fetch()
        target = push.old or push.base or push.tip
        self.repository.target = target.oid if target else ''
        self.governing.pin(None)
        self._start = self.governing.first_of(push.governors)
        self.governing.pin(self._start[0] if self._start else None)
        self.is_governed = self.is_governed or self._start is not None
        self.arriving = frozenset(push.commits.oids)
        self._is_registry_new = False
        commits = self._first_seen(push)
        self._pushes.append(push._replace(commits=commits))
        inherited = self.inherited
        self._judge_commits(commits, push)
        self.inherited = False
        self._judge_step(push)
        self._start, self.inherited = None, inherited

    def grants(self, push: Push, updates: Sequence[Update] | None = None) -> None:
        """Check that the work was done under a grant of the lock.

        A server has the lock records, and `updates` may bring some. CI asks
        the engine for them.
        """
        found = self.governing.first_of(push.governors)
        locks = found[1].locks if found else LocksSpec()
        is_pushed = updates is not None
        if found is None or not locks.is_shared or (is_pushed and locks.fence == NONE):
            return
        # most servers store no lock records
        from interlock.engine import lock_records

        repository, workflow, tip = self.repository, found[1], ''
        if locks.engine != GIT_REMOTE:
            events = lock_records.database_events(repository, workflow)
        elif updates is not None:
            events = lock_records.stored_events(repository.git, locks.refs, updates)
        else:
            events = lock_records.remote_events(repository, workflow)
            # only a remote stores the proof of a push
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
        if not self._judged and len(new) == len(self.arriving):
            # a long history needs only one set
            self._judged = self.arriving
        else:
            self._judged = self._judged.union(new)
        return self.repository.all_of(new)

    def _judge_commits(self, commits: Sequence[Commit], push: Push) -> None:
        inherited, workflow = self.inherited, self._start and self._start[1]
        missing_trailers = workflow and self._missing_trailers(push.base, workflow)
        whole = f'{plural(len(commits), "commit")} of {push.ref}'
        self.reached = f'before the first of {whole}'
        for number, commit in enumerate(self.ahead(commits, workflow)):
            self.reached = f'at {commit.oid[:10]}, {number + 1} of {whole}'
            # inherited findings are reported once, for the last tree
            self.inherited = inherited and number == len(commits) - 1
            self.commit(commit)
            missing = [*missing_trailers(commit)] if missing_trailers else []
            if workflow and missing:
                self.keep(with_severities(missing, workflow), set())

    def _missing_trailers(
        self, base: Commit | None, workflow: Workflow
    ) -> Callable[[Commit], Iterator[Finding]] | None:
        """What finds the trailers that a commit lacks, None if none is required."""
        is_required = workflow.gate_trailer or any(
            kind.commit.confirm is not None for kind in workflow.kinds
        )
        if not is_required or (self.only and 'message' not in self.only):
            return None
        from interlock.engine.required_trailers import RequiredTrailers

        return RequiredTrailers(self.repository, base, workflow).missing

    def _judge_step(self, push: Push) -> None:
        """Judge the ref's new tip, and the step from its old tip."""
        start, tip = self._step_from(push), push.tip
        if self._start and push.old and tip is None:
            is_protected = self._is_protected(push)
            if is_protected or self.without_main:
                remote = '' if is_protected else self.without_main
                deleted = _deleted_branch(push, push.old, self._start[1], remote)
                self.keep([deleted], set())
        if not self._start or start is None or tip is None or start.oid == tip.oid:
            return
        base, workflow = self._start
        change = self.repository.between(start, tip)._replace(
            is_ref_step=True,
            start=start.oid,
            # several rules ask for it, for several items
            behind=functools.cache(functools.partial(self._parts, start, tip)),
        )
        known = baseline.before(base, workflow, self.governing)
        paths = self._new_paths(change.after, workflow, base)
        step = self._moved(change, workflow, base, paths)
        found = [
            at_new_path(each, paths)
            for each in judge([step], workflow, self.only)
            if each.standing or each.code in OF_STEPS
        ]
        found += self._as_one_commit(push, start, step, found)
        if not paths:
            # where the new rules move files, the findings name the new paths already
            found = self._ruled_first(push, start, change, found)
        if found and (back := kept_commits(self.repository, push, start)):
            self._keeping.add(back)
            found = [each._replace(fix=back) for each in found]
        self._keep_new(found, known)
        if not self.only or 'workflow' in self.only:
            self.keep(of_whole_push(change, workflow), set())

    def _ruled_first(
        self, push: Push, start: Commit, change: Change, found: list[Finding]
    ) -> list[Finding]:
        """Findings of a step; those that its new rules allow can be pushed after them."""
        assert self._start is not None, 'it is a step'
        own = self.governing.valid(change.after)
        files = [f for f in self._start[1].governing if f in change.touched]
        if own is None or not files or not any(each.refuses for each in found):
            return found
        first = self._first_touching(push, start, files)
        if not first:
            return found
        wrong = {_subject(each) for each in judge([change], own, self.only)}
        fix = rules_first(push, first, self.remote, self._is_protected(push))
        self._keeping.add(fix)
        return [
            each._replace(fix=fix)
            if each.refuses and _subject(each) not in wrong
            else each
            for each in found
        ]

    def _first_touching(self, push: Push, start: Commit, files: Sequence[str]) -> str:
        """The first commit that changes one of some files and can be pushed alone."""
        assert push.tip is not None, 'it is a step'
        git = self.repository.git
        oids = {oid for file in files for oid in git.touching(push.tip.oid, file)}
        return next(
            (
                each.oid
                for each in push.commits
                if each.oid in oids and self.repository.is_ancestor(start, each)
            ),
            '',
        )

    def _as_one_commit(
        self, push: Push, start: Commit, step: Change, found: Sequence[Finding]
    ) -> list[Finding]:
        """Judge the step as one commit, if its commits do not show enough.

        No commit shows how items reached their states in a new registry. And
        commits of an unrelated history, or from before the workflow, were not
        judged.
        """
        assert self._start is not None and push.tip is not None, 'it is a step'
        is_replaced = not (
            # usually it is a parent of the first one
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
        refused: dict[str, set[tuple[str, str]]] = {}
        return [
            each
            for each in judge([as_one], self._start[1], self.only)
            if is_own
            or (is_unjudged if each.standing else each.code in codes)
            or (is_unjudged and self._is_skipped(as_one, each, refused))
            if _subject(each) not in known
        ]

    def _is_skipped(
        self, step: Change, found: Finding, refused: dict[str, set[tuple[str, str]]]
    ) -> bool:
        """Whether no legal steps of the commits lead an item where it is now.

        `refused` keeps the codes and items that are refused in each commit from
        before the workflow.
        """
        if found.code not in OF_MOVES or self._start is None:
            return False
        made, workflow = set[tuple[str, str]](), self._start[1]
        for kind in workflow.kinds:
            for part, pair in changes_behind(step, kind, found.item):
                if part.commit in self.adopting and part.commit not in refused:
                    refused[part.commit] = {
                        (each.code, each.item)
                        for each in judge([part], workflow, self.only)
                        if each.refuses
                    }
                moves = {(found.code, each.item) for each in pair}
                if moves.isdisjoint(refused.get(part.commit, ())):
                    old, new = (
                        each.state if found.code == 'STG001' else each.handoff_state
                        for each in pair
                    )
                    made.add((str(old or ''), str(new or '')))
        reached = {found.expected}
        while more := {new for old, new in made if old in reached} - reached:
            reached |= more
        return found.found not in reached

    def _keep_new(self, found: Sequence[Finding], known: set[str]) -> None:
        """Keep the findings that no single commit introduced."""
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
        self._of_steps += self.findings[kept:]

    def note(self, commit: Commit, change: Change) -> None:
        if self._start is None:
            return
        workflows = self._workflows(commit, self._start[1])
        if any(_concerns(change, each) for each in workflows):
            self._watched.add(commit.oid)
            if not self._is_registry_new:
                self._is_registry_new = _brings_registry(change, workflows)

    def _workflows(self, commit: Commit, start: Workflow) -> tuple[Workflow, ...]:
        """The workflows at the start and in a commit: a registry may have moved."""
        own = self.governing.of_commit(commit)
        return (start,) if own is None or own is start else (start, own)

    def _parts(self, start: Commit, tip: Commit) -> list[Change]:
        """The changes between the two ends of a step that touch watched files."""
        oids = [
            oid
            for oid in self.repository.leading_to(tip.oid, f'^{start.oid}').oids
            if oid in self._watched or oid not in self._judged
        ]
        assert self._start is not None, 'a step has a start'
        workflows = functools.partial(self._workflows, start=self._start[1])
        found = []
        for commit in self.repository.all_of(oids):
            if commit.malformed:
                continue
            part = self.repository.of_commit(commit, self.watched_by)[0]
            if commit.oid in self._watched or any(
                _concerns(part, each) for each in workflows(commit)
            ):
                found.append(part)
        return found

    def _new_paths(
        self, tree: Snapshot, workflow: Workflow, base: Snapshot
    ) -> NewPaths:
        """The paths of a workflow's registries in a tree, and of the contracts that
        moved there, if they differ from those in the tree `base`."""
        own = self.governing.valid(tree)
        if own is None:
            return {}
        contracts = new_contracts(workflow, own, base)
        return {**new_registries(workflow, own), **present(contracts, tree)}

    def _moved(
        self, change: Change, workflow: Workflow, base: Snapshot, after: NewPaths
    ) -> Change:
        """A step with the paths that its workflow names; `after`: where its tip has
        the files."""

        def found(tree: Snapshot) -> NewPaths:
            # the workflow may change before the file is moved
            return present(self._new_paths(tree, workflow, base), tree)

        before = found(change.before)
        if not before and not after:
            return change
        return moved(change, before, after)._replace(
            behind=functools.cache(
                lambda: [
                    part
                    if part.parents
                    else moved(part, found(part.before), found(part.after))
                    for part in change.behind()
                ]
            )
        )

    def _step_from(self, push: Push) -> Commit | None:
        """The old tip of the ref; an unprotected branch starts where it left main."""
        if push.ref.startswith(TAGS):
            return None
        elif push.old is not None and self._is_protected(push):
            return push.old
        return push.base

    def _is_protected(self, push: Push) -> bool:
        branch = push.ref.removeprefix(HEADS)
        patterns = self._start[1].protected if self._start else ()
        return push.is_main or any(fnmatchcase(branch, pattern) for pattern in patterns)

    def forwarded_work(self, push: Push, branch: str) -> None:
        """Judge task work that reaches the main branch without a merge commit.

        Its commits may already have been judged on their own branch.
        """
        base, tip = push.base, push.tip
        is_asked = not self.only or 'commit' in self.only
        if not branch or base is None or tip is None or not is_asked:
            return
        # a broken workflow is a finding of the commit that broke it
        start = self.governing.first_of((*push.governors, base))
        if start is None or not any(kind.protocol for kind in start[1].kinds):
            return
        texts = self.repository.git.messages(
            f'^{trailers.TASK}: ', tip.oid, f'^{base.oid}'
        )
        tasks = dict.fromkeys(trailers.task(messages.parse(t)) for t in texts)
        if not any(tasks):
            return
        change = self.repository.between(base, tip)._replace(
            merged=tuple(filter(None, tasks))
        )
        known = {(each.code, each.item) for each in self.findings}
        found = of_forwarded_work(change, start[1], branch)
        self.keep(
            [each for each in found if (each.code, each.item) not in known], set()
        )
