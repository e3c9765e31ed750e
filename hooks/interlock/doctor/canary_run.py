"""One violation per rule, and what became of each."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from interlock.checks.workflow import baseline_path
from interlock.doctor.canary.attempt import COMMIT, PUSH, Plan
from interlock.doctor.canary.governing import Governed
from interlock.doctor.canary.plan import plan
from interlock.doctor.canary_trial import Answer, Trial
from interlock.doctor.clone import scratch, workflow_bytes
from interlock.doctor.copies import copy_server_hooks, is_below
from interlock.doctor.hook_config_files import Wanted
from interlock.doctor.hook_places import Place, calls_of, intended
from interlock.doctor.hooks import WIRE, let_pass
from interlock.doctor.scratch import Scratch
from interlock.doctor.single_hook import asks
from interlock.documents.wiring.hook_files import RECEIVE, TRAILERS
from interlock.git.git_paths import base
from interlock.git.installed_hooks import read
from interlock.git.repository import Repository
from interlock.git.workflow_source import Governing
from interlock.model.probe import DEAD, LIVE, NOT_WIRED, Probe
from interlock.rules.index import RULES
from interlock.tasks import task_layout
from interlock.tasks.lock_store import locks_of
from interlock.workflow.language.spec import Workflow

# the hooks that are asked at each gate
GATES: Mapping[str, tuple[str, ...]] = {
    COMMIT: ('pre-commit', 'commit-msg'),
    PUSH: ('pre-push',),
    RECEIVE: (RECEIVE,),
}
ELSEWHERE = 'judged where a commit is made, not where it is pushed to'
OUTSIDE = 'the workflow keeps tasks where the scratch clone must not write'


class Sung(NamedTuple):
    probes: list[Probe]
    # code -> why nothing was planted for it
    left_out: Mapping[str, str]


def _is_wired(code: str, gate: str, wired: Wanted) -> bool:
    return asks(code, {check for name in GATES[gate] for check in wired.get(name, ())})


def _at(words: str, answers: Sequence[Answer]) -> Iterator[str]:
    if answers:
        yield f'{words} at {" and at ".join(each.gate for each in answers)}'


def _missed(answers: Sequence[Answer]) -> Iterator[str]:
    yield from _at(
        'passed', [each for each in answers if not each.told and not each.refused]
    )
    yield from _at('told, but not refused,', [each for each in answers if each.told])
    # by something else, or before we could be asked
    for each in answers:
        if not each.told and each.refused:
            yield f'not told at {each.gate} ({each.said})'


def _probe(code: str, answers: Sequence[Answer], wired: Wanted, remedy: str) -> Probe:
    """Dead where any gate that calls us let it through."""
    refuses = any(each.want.refuses for each in answers)
    held = [each for each in answers if each.holds]
    missed = [each for each in answers if not each.holds]
    dead = [each for each in missed if _is_wired(code, each.gate, wired)]
    what = '; '.join(
        (
            *_missed(dead),
            *_at('refused' if refuses else 'only warned of', held),
            *_at(
                'nothing calls interlock', [each for each in missed if each not in dead]
            ),
        )
    )
    if dead:
        return Probe(code, DEAD, what, remedy or f'interlock explain {code}')
    elif held:
        return Probe(code, LIVE, what)
    return Probe(code, NOT_WIRED, what, remedy)


def _hooks(place: Place, alone: Mapping[str, Sequence[Answer]]) -> Iterator[Probe]:
    """The hooks that let everything pass that each of them must refuse."""
    for name, answers in alone.items():
        hook = place.hook(name)
        checks = calls_of(place, hook) if hook.runs else frozenset[str]()
        refusals = [
            each
            for each in answers
            if each.want.refuses and asks(each.want.code, checks)
        ]
        if refusals and not any(each.holds for each in refusals):
            most = max(refusals, key=lambda each: each.told)
            what = next(_missed([most]))
            yield let_pass(place, hook, what, most.told)


def governed_by(governing: Governing, workflow: Workflow) -> Governed:
    top = governing.repository.facts.top
    found, path = governing.found, workflow.path
    inside = not found.file or bool(top and is_below(found.file, top))
    fixed = found.given or not path or not inside
    data = None if fixed else workflow_bytes(governing)
    baseline = (
        read(os.path.join(top, baseline_path(workflow))) if (path and top) else None
    )
    return Governed(workflow, data, baseline)


def base_files(place: Place, governed: Governed) -> dict[str, bytes | None]:
    """The workflow as it lies in the project, committed there or not."""
    files: dict[str, bytes | None] = {}
    workflow = governed.workflow
    if governed.file is not None:
        files[workflow.path] = governed.file
    for name in workflow.extended if place.top else ():
        data = read(os.path.join(place.top, name))
        if data is not None:
            files[name] = data
    if governed.baseline is not None:
        files[baseline_path(workflow)] = governed.baseline
    return files


def _space(made: Scratch, workflow: Workflow) -> task_layout.Workspace | None:
    """Where tasks lie in the clone; None if that is anywhere else."""
    space = task_layout.at(workflow, base(made.file))
    inside = os.path.join(os.path.realpath(made.directory), '')
    if all(
        os.path.realpath(path).startswith(inside)
        for path in (space.main, space.tasks, locks_of(space).place('canary'))
    ):
        return space
    return None


def _in_tasks(
    trial: Trial, made: Scratch, place: Place, workflow: Workflow
) -> tuple[list[Answer], list[Probe], dict[str, str]]:
    """Answers, the probe of the trailers, and what cannot be tried."""
    space = _space(made, workflow)
    if space is None:
        return (
            [],
            [],
            {want.code: OUTSIDE for each in trial.plan.in_task for want in each.wants},
        )
    answers = list(trial.tasks(space))
    signed, what = trial.is_signed(space)
    missing = DEAD if intended(place)[TRAILERS] else NOT_WIRED
    return (
        answers,
        [Probe('trailers', LIVE if signed else missing, what, '' if signed else WIRE)],
        {},
    )


def _tried(
    made: Scratch, place: Place, workflow: Workflow, the_plan: Plan
) -> tuple[list[Answer], list[Probe], dict[str, str]]:
    trial = Trial(made, place, the_plan)
    trial.begin()
    answers: list[Answer] = []
    probes: list[Probe] = []
    left_out: dict[str, str] = {}
    if the_plan.in_task and place.top:
        answers, probes, left_out = _in_tasks(trial, made, place, workflow)
    answers.extend(trial.commits())
    if not place.top:
        copy_server_hooks(made, place)
        left_out = {code: ELSEWHERE for code in the_plan.local}
    gate = PUSH if place.top else RECEIVE
    pushed = list(trial.push(gate))
    # there is no other hook at that gate
    alone = {**trial.alone, GATES[gate][0]: pushed}
    return [*answers, *pushed], [*_hooks(place, alone), *probes], left_out


def _grouped(answers: Iterable[Answer]) -> dict[str, list[Answer]]:
    found: dict[str, list[Answer]] = {}
    for answer in answers:
        found.setdefault(answer.want.code, []).append(answer)
    return found


def canary(
    repository: Repository,
    place: Place,
    governing: Governing,
    workflow: Workflow,
    remedy: str,
) -> Sung:
    governed = governed_by(governing, workflow)
    the_plan = plan(governed)
    with scratch(repository, place, governing) as made:
        if governed.file is None:
            made.write({made.file: workflow_bytes(governing)})
        the_plan = the_plan._replace(
            base={**base_files(place, governed), **the_plan.base}
        )
        answers, probes, left_out = _tried(made, place, workflow, the_plan)
    found, wired = _grouped(answers), intended(place)
    remedy = remedy or next(
        (probe.next for probe in probes if probe.verdict == DEAD), ''
    )
    return Sung(
        [
            *probes,
            *(
                _probe(code, found[code], wired, remedy)
                for code in RULES
                if code in found
            ),
        ],
        {**the_plan.left_out, **left_out},
    )
