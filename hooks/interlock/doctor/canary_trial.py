"""Tries one violation per rule on the installed hooks, with commits and a push."""

from __future__ import annotations

import os
import shlex

from interlock.doctor.canary.attempt import COMMIT, PUSH, Attempt, Plan, Want
from interlock.doctor.canary.plan import plan
from interlock.doctor.hooks import WIRE, let_pass
from interlock.doctor.installation import Installation, Wanted
from interlock.doctor.scratch_clone import (
    BRANCH,
    REMOTE,
    ScratchClone,
    governed_by,
    governing_files,
    scratch_clone,
    workflow_bytes,
)
from interlock.documents.trailers import LOCK
from interlock.documents.wiring.hook_files import RECEIVE, TRAILERS, hooks_of
from interlock.git.git_paths import base
from interlock.git.workflow_source import Governing
from interlock.model.calling_files import PRE_COMMIT, PREK
from interlock.model.clients import MARKS
from interlock.model.probe import DEAD, LIVE, NOT_WIRED, Probe
from interlock.model.quick_typing import (
    Iterable,
    Iterator,
    Mapping,
    NamedTuple,
    Sequence,
)
from interlock.model.quick_typing import Set as AbstractSet
from interlock.model.session_env import OURS
from interlock.report.progress import progress
from interlock.report.text import settled_in
from interlock.rules.index import RULES
from interlock.tasks import task_layout
from interlock.tasks.engines import lock_file
from interlock.tasks.task_layout import Workspace
from interlock.workflow.language.spec import Workflow

BASE = 'canary: base'
SECONDS = 300.0
# the hook that gets the message
KNOWS_MESSAGE = 'commit-msg'
# the hooks that run at each gate
GATES: Mapping[str, tuple[str, ...]] = {
    COMMIT: ('pre-commit', 'commit-msg'),
    PUSH: ('pre-push',),
    RECEIVE: (RECEIVE,),
}
# a commit hook -> the name under which git runs it here: nothing is merged, and
# the hook of a merge must refuse the same violations
STANDS_FOR: Mapping[str, str] = {
    'pre-commit': 'pre-commit',
    'pre-merge-commit': 'pre-commit',
    'commit-msg': 'commit-msg',
}
# the variable with which git passes on its `-c` options
PARAMETERS = 'GIT_CONFIG_PARAMETERS'
ELSEWHERE = 'judged at the commit, not at the push'
OUTSIDE = 'the workflow keeps tasks outside of the scratch clone'


class CanaryReport(NamedTuple):
    probes: list[Probe]
    # code -> why no violation of it was planted
    left_out: Mapping[str, str]


class TrialResult(NamedTuple):
    """The result of a violation at a gate."""

    want: Want
    gate: str
    reported: bool
    # whether the whole change was refused
    refused: bool
    # the last line of the output, if the violation was not reported
    said: str

    @property
    def holds(self) -> bool:
        return self.reported and (self.refused or not self.want.refuses)


def _last(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return lines[-1] if lines else ''


def _results(
    wants: Iterable[Want], gate: str, code: int, output: str
) -> Iterator[TrialResult]:
    settled = settled_in(output)
    for want in wants:
        reported = want.text in output or want.code in settled
        said = '' if reported else _last(output)
        yield TrialResult(want, gate, reported, code != 0, said)


def _checks_of(place: Installation, name: str) -> AbstractSet[str]:
    """The checks that a git hook runs."""
    hook = place.hook(name)
    return place.checks(hook) if hook.runs else frozenset()


class Trial:
    """The attempts in a scratch clone."""

    def __init__(self, clone: ScratchClone, place: Installation, plan: Plan) -> None:
        self.clone = clone
        self.place = place
        self.plan = plan
        # hooks of others, which are not tried here
        skipped = [name for name in clone.environ.get('SKIP', '').split(',') if name]
        for framework in (PRE_COMMIT, PREK):
            hooks = hooks_of(place.config(framework))
            skipped.extend(str(hook.get('id', '')) for hook, ours in hooks if not ours)
        self.more = {'SKIP': ','.join(dict.fromkeys(skipped))} if skipped else {}
        # hook -> the results of violations when it was the only hook
        self.alone: dict[str, list[TrialResult]] = {}

    def _try(self, attempt: Attempt, *options: str, top: str = '') -> tuple[int, str]:
        more = {MARKS[0]: '1'} if attempt.automated else {}
        if attempt.session:
            more[OURS] = attempt.session
        git = self.clone.git(top, **self.more, **more)
        return git.run_as_user(
            *options, 'commit', '-m', attempt.message, seconds=SECONDS
        )

    def begin(self) -> None:
        """Push everything that exists before the first violation to the remote."""
        self.clone.commit(self.plan.base, BASE)
        self.clone.quietly('remote', 'add', REMOTE, self.clone.remote)
        self.clone.quietly('push', '--quiet', '--no-verify', REMOTE, BRANCH)

    def commits(self) -> Iterator[TrialResult]:
        """Try each attempt, then commit it anyway, so that the push contains it."""
        for attempt in progress(self.plan.attempts, 'planting violations'):
            if attempt.base or attempt.base_message:
                self.clone.commit(attempt.base, attempt.base_message or BASE)
            self.clone.stage(attempt.change)
            wants = [want for want in attempt.wants if COMMIT in want.gates]
            code = 1
            if wants and self.place.top:
                self._try_each_alone(attempt, wants)
                code, output = self._try(attempt)
                yield from _results(wants, COMMIT, code, output)
            if code:
                self.clone.commit({}, attempt.message)

    def _try_each_alone(self, attempt: Attempt, wants: Sequence[Want]) -> None:
        """Try each hook alone on the first violation that it must refuse.

        Together, another hook could refuse what this one lets through.
        """
        for name in STANDS_FOR:
            checks = _checks_of(self.place, name)
            own = [want for want in wants if want.is_refused_by(checks)]
            # the first attempt is wrong with any message
            first = attempt is self.plan.attempts[0] or name == KNOWS_MESSAGE
            if own and first and name not in self.alone:
                folder = self._folder_with(name)
                code, output = self._try(attempt, '-c', f'core.hooksPath={folder}')
                if code == 0:
                    self.clone.quietly('reset', '--quiet', '--soft', 'HEAD~1')
                self.alone[name] = [*_results(own, name, code, output)]

    def _folder_with(self, name: str) -> str:
        """A hook folder with only this hook, which runs as git would run it."""
        hooks = self.clone.git().line('rev-parse', '--git-path', 'hooks')
        folder = os.path.join(self.clone.directory, 'alone', name)
        os.makedirs(folder, exist_ok=True)
        # hide the option that names this folder, because hooks must not read it
        given = self.clone.environ.get(PARAMETERS)
        first = f'unset {PARAMETERS}'
        if given is not None:
            first = f'export {PARAMETERS}={shlex.quote(given)}'
        hook = shlex.quote(os.path.join(hooks, name))
        path = os.path.join(folder, STANDS_FOR[name])
        with open(path, 'w', encoding='UTF-8', errors='surrogateescape') as f:
            f.write(f'#!/bin/sh\n{first}\nexec {hook} "$@"\n')
        os.chmod(path, 0o755)  # noqa: S103 git runs it
        return folder

    def _in_task(self, attempt: Attempt, space: Workspace) -> tuple[int, str]:
        task, code = self.plan.task, space.code(self.plan.task)
        # planted as a file, so that a team's engine is not asked
        held = lock_file.of_task(space, task)
        if held is not None:
            os.unlink(held.path)
        if attempt.lock is not None:
            lock_file.create(lock_file.place(space, task), attempt.lock)
        self.clone.stage(attempt.change, code)
        return self._try(attempt, top=code)

    def tasks(self, space: Workspace) -> Iterator[TrialResult]:
        code = space.code(self.plan.task)
        os.makedirs(os.path.dirname(code), exist_ok=True)
        self.clone.quietly(
            'worktree', 'add', '--quiet', '-b', self.plan.task, code, BRANCH
        )
        self.clone.link_tools(self.place, code)
        for attempt in self.plan.in_task:
            result, output = self._in_task(attempt, space)
            yield from _results(attempt.wants, COMMIT, result, output)
            self.clone.git(code).run('reset', '--quiet', '--hard', BRANCH)

    def is_signed(self, space: Workspace) -> tuple[bool, str]:
        """Whether a valid commit in a task passes, and gets its session's trailers."""
        assert self.plan.sound is not None, 'there are tasks'
        result, output = self._in_task(self.plan.sound, space)
        if result:
            return False, f'a good commit is refused ({_last(output)})'
        code = space.code(self.plan.task)
        text = self.clone.git(code).line('log', '-1', '--format=%B')
        if f'{LOCK}: {self.plan.task}@' not in text:
            return False, 'a commit in a task lacks the trailers of its session'
        return True, 'a commit in a task gets the trailers of its session'

    def push(self, gate: str) -> list[TrialResult]:
        wants = [
            want
            for attempt in self.plan.attempts
            for want in attempt.wants
            if PUSH in want.gates
        ]
        git = self.clone.git(**self.more)
        code, output = git.run_as_user('push', REMOTE, BRANCH, seconds=SECONDS)
        return [*_results(wants, gate, code, output)]


def _at(words: str, results: Sequence[TrialResult]) -> Iterator[str]:
    if results:
        yield f'{words} at {" and at ".join(each.gate for each in results)}'


def _missed(results: Sequence[TrialResult]) -> Iterator[str]:
    passed = [each for each in results if not each.reported and not each.refused]
    yield from _at('passed', passed)
    reported = [each for each in results if each.reported]
    yield from _at('reported, but not refused,', reported)
    # something else refused it, perhaps before we were called
    for each in results:
        if not each.reported and each.refused:
            yield f'not reported at {each.gate} ({each.said})'


def _order(name: str) -> tuple[int, str]:
    """Our rules by number, then agreements by name."""
    return (list(RULES).index(name), '') if name in RULES else (len(RULES), name)


def _rule(
    name: str, results: Sequence[TrialResult], wanted: Wanted, remedy: str
) -> Probe:
    """The verdict on a rule: dead if a gate that calls us let the violation pass."""
    held, dead, uncalled = list[TrialResult](), list[TrialResult](), list[TrialResult]()
    for each in results:
        checks = {check for name in GATES[each.gate] for check in wanted.get(name, ())}
        missed = dead if each.want.is_checked_by(checks) else uncalled
        (held if each.holds else missed).append(each)
    refuses = any(each.want.refuses for each in results)
    what = '; '.join(
        (
            *_missed(dead),
            *_at('refused' if refuses else 'only a warning', held),
            *_at('nothing calls interlock', uncalled),
        )
    )
    if dead:
        return Probe(name, DEAD, what, remedy or f'interlock explain {name}')
    elif held:
        return Probe(name, LIVE, what)
    return Probe(name, NOT_WIRED, what, remedy)


def _hooks(
    place: Installation, alone: Mapping[str, Sequence[TrialResult]]
) -> Iterator[Probe]:
    """The hooks that refused none of the violations that they must refuse."""
    for name, results in alone.items():
        checks = _checks_of(place, name)
        refusals = [each for each in results if each.want.is_refused_by(checks)]
        if refusals and not any(each.holds for each in refusals):
            most = max(refusals, key=lambda each: each.reported)
            what = next(_missed([most]))
            yield let_pass(place, place.hook(name), what, most.reported)


def _space(clone: ScratchClone, workflow: Workflow) -> Workspace | None:
    """The layout of tasks in the clone; None if any of it lies outside."""
    space = task_layout.workspace_at(workflow, base(clone.file))
    inside = os.path.join(os.path.realpath(clone.directory), '')
    paths = (space.main, space.tasks, lock_file.place(space, 'canary'))
    is_inside = all(os.path.realpath(path).startswith(inside) for path in paths)
    return space if is_inside else None


def _tried(
    trial: Trial, workflow: Workflow, wanted: Wanted
) -> tuple[list[TrialResult], CanaryReport]:
    """The result of each violation, and a report with everything else."""
    clone, place, the_plan = trial.clone, trial.place, trial.plan
    results: list[TrialResult] = []
    probes: list[Probe] = []
    left_out: dict[str, str] = {}
    trial.begin()
    if the_plan.in_task and place.top:
        space = _space(clone, workflow)
        if space is None:
            wants = [want for each in the_plan.in_task for want in each.wants]
            left_out = {want.name: OUTSIDE for want in wants}
        else:
            results.extend(trial.tasks(space))
            signed, what = trial.is_signed(space)
            missing = DEAD if wanted[TRAILERS] else NOT_WIRED
            verdict = LIVE if signed else missing
            probes.append(Probe('trailers', verdict, what, '' if signed else WIRE))
    results.extend(trial.commits())
    if not place.top:
        clone.copy_server_hooks(place)
        left_out = dict.fromkeys(the_plan.local, ELSEWHERE)
    gate = PUSH if place.top else RECEIVE
    pushed = trial.push(gate)
    # that gate has only one hook
    alone = {**trial.alone, GATES[gate][0]: pushed}
    return [*results, *pushed], CanaryReport(
        [*_hooks(place, alone), *probes], {**the_plan.left_out, **left_out}
    )


def canary(
    place: Installation, governing: Governing, workflow: Workflow, remedy: str
) -> CanaryReport:
    governed, wanted = governed_by(governing, workflow), place.wanted()
    the_plan = plan(governed)
    with scratch_clone(place, governing) as clone:
        if governed.file is None:
            clone.write({clone.file: workflow_bytes(governing)})
        files = {**governing_files(place, governed), **the_plan.base}
        trial = Trial(clone, place, the_plan._replace(base=files))
        results, report = _tried(trial, workflow, wanted)
    by_name: dict[str, list[TrialResult]] = {}
    for each in results:
        by_name.setdefault(each.want.name, []).append(each)
    dead = [probe.next for probe in report.probes if probe.verdict == DEAD]
    remedy = remedy or next(iter(dead), '')
    rules = [
        _rule(name, by_name[name], wanted, remedy)
        for name in sorted(by_name, key=_order)
    ]
    return report._replace(probes=[*report.probes, *rules])
