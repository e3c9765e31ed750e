"""May the agent of a stage start? Only when it is its turn."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

from interlock.checks.run import findings_of
from interlock.documents.text import shown
from interlock.engine.stage_commits import unconfirmed
from interlock.files.disk_snapshot import SteadySnapshot
from interlock.git.repository import Repository
from interlock.guard import agent_runs, next_agent, project_paths
from interlock.guard.agent_runs import Run
from interlock.guard.context import Scene
from interlock.guard.decision import Objection
from interlock.guard.item_mentions import known, named
from interlock.model.change import Nothing
from interlock.model.errors import NoRepository
from interlock.model.fixes import ours
from interlock.model.state import State
from interlock.operations import verify
from interlock.operations.registry.status import next_proof
from interlock.tasks import agent_work
from interlock.workflow.language.patterns import expand
from interlock.workflow.language.spec import Kind
from interlock.workflow.reading.gates import failed, missing, sentence
from interlock.workflow.reading.handoff_pairs import stage_of
from interlock.workflow.reading.records import Records, records, registry
from interlock.workflow.reading.status_words import label

CODE = 'CLD011'
UNCONFIRMED = 'CLD012'
# how many items a question names
FEW = 8


class Place(NamedTuple):
    scene: Scene
    repository: Repository
    snapshot: SteadySnapshot
    agent: str


def _few(names: list[str]) -> str:
    more = ' …' if len(names) > FEW else ''
    return ', '.join(shown(name) for name in names[:FEW]) + more


def _kinds(place: Place) -> list[Kind]:
    return [
        kind
        for kind in place.scene.workflow.kinds
        if any(spec.agent == place.agent for spec in kind.states.values())
    ]


def _unreadable(place: Place, kind: Kind) -> Objection | None:
    read = registry(place.snapshot, kind)
    if read is None or read.problem is None or kind.registry is None:
        return None
    file, line = kind.registry.file, read.problem.line
    return Objection(
        'REG008',
        f'{file}:{line}: the registry {read.problem.message}',
        f'git checkout HEAD -- {file}',
    )


def _which(place: Place, items: list[str], found: list[str]) -> Objection:
    says = (
        f'names {_few(found)}'
        if found
        else (f'names none of {_few(items) or "none that are known"}')
    )
    return Objection(
        CODE,
        f'{place.agent} works on one item, and the prompt {says}',
        'name the one item in the prompt',
        ask=True,
    )


def _broken(at: Records, state: verify.State) -> Objection:
    if state.code == verify.NO_HANDOFF and not state.findings:
        why, hint = 'it has no handoff', ours('resume', at.item)
    elif state.code == verify.STALE:
        why = 'its handoff is stale'
        hint = ours('verify-state', '--clean', at.item)
    elif not state.findings:
        why, hint = 'it is not registered', ours('resolve', at.item)
    else:
        first = state.findings[0]
        why = f'{first.path}:{first.line}: {first.code} {first.message}'
        hint = ours('resolve', at.item)
    return Objection(CODE, f'the state of {at.item} is not whole: {why}', hint)


def _not_described(at: Records) -> Objection | None:
    """Before the first stage there is no state, only what is wanted."""
    spec = at.kind.registry
    path = expand(spec.description, at.item) if spec else ''
    if not path or at.snapshot.blob(path):
        return None
    return Objection(
        CODE, f'{at.item} is to begin, and {path} is missing', f'write {path}'
    )


def _whole(at: Records, place: Place) -> Objection | None:
    if next_agent.begins(at):
        return _not_described(at)
    state = verify.verify_state(at, findings_of(at, place.scene.workflow))
    return None if state.code == verify.FINE else _broken(at, state)


def _stages(kind: Kind, agent: str) -> str:
    return ' and '.join(
        label(State(name), kind)
        for name, spec in kind.states.items()
        if spec.agent == agent
    )


def _others_turn(at: Records, agent: str) -> Objection:
    kind, stands = at.kind, stage_of(at)
    reached = label(stands, kind) if stands else 'before its first stage'
    return Objection(
        CODE,
        f'{agent} does {_stages(kind, agent)}; {at.item} is at '
        f'{reached}, and {next_agent.expected(at)} comes next',
        ours('menu', at.item),
    )


def _incomplete(at: Records, state: State) -> Objection | None:
    for gap in missing(at, state.name):
        return Objection(
            CODE,
            f'{label(state, at.kind)} of {at.item} needs {gap.path}, '
            f'which comes from {gap.made_by}',
            ours('contracts', 'verify', at.item),
        )
    return None


def _failed(at: Records, state: State) -> Objection | None:
    """What failed of the stages before it is dealt with first."""
    stages = [name for name, spec in at.kind.states.items() if spec.stage]
    before = stages[: stages.index(state.name)]
    for gap in failed(at.current, at.kind, before):
        return Objection(
            CODE,
            f'{at.item} may not go on to {label(state, at.kind)}: '
            f'{sentence(gap, at.kind)}',
            next_proof(at, gap),
        )
    return None


def _unasked(place: Place, at: Records) -> Objection | None:
    found = unconfirmed(
        place.repository,
        place.repository.facts.common_dir,
        place.scene.workflow,
        at.item,
    )
    if found is None:
        return None
    return Objection(
        UNCONFIRMED,
        f'stage {found.name} of {at.item} was committed '
        f'({found.commit[:10]}), and the user did not say yet how it goes on',
        f'show what interlock menu {at.item} says, and wait for the user',
    )


def _judged(place: Place, at: Records) -> Iterator[Objection | None]:
    """Every reason not to start, one after the other."""
    yield _whole(at, place)
    commit = place.repository.head()
    tree = place.repository.tree(commit.tree) if commit else Nothing()
    state = next_agent.turn(at, records(tree, at.kind, at.item), place.agent)
    if state is None:
        yield _others_turn(at, place.agent)
        return
    yield _incomplete(at, state)
    yield _failed(at, state)
    yield _unasked(place, at)
    _begin(place, at, state, commit.oid if commit else '')


def _begin(place: Place, at: Records, state: State, head: str) -> None:
    directory = os.path.join(place.repository.facts.common_dir, 'interlock')
    agent_work.record_start(directory, place.snapshot.top, at, head)
    agent_runs.begin(place.scene, Run(place.agent, at.item, state))


def _at(place: Place) -> Records | Objection:
    """The one item that the prompt names."""
    prompt = place.scene.event.given('prompt')
    items: dict[str, Kind] = {}
    for kind in _kinds(place):
        unreadable = _unreadable(place, kind)
        if unreadable is not None:
            return unreadable
        items.update(dict.fromkeys(known(place.snapshot, kind), kind))
    found = named(prompt, items)
    if len(found) != 1:
        return _which(place, sorted(items), found)
    return records(place.snapshot, items[found[0]], found[0])


def judge(scene: Scene, agent: str) -> Objection | None:
    try:
        with project_paths.repository(scene) as repository:
            snapshot = SteadySnapshot(repository.facts.top)
            place = Place(scene, repository, snapshot, agent)
            at = _at(place)
            if isinstance(at, Objection):
                return at
            return next(filter(None, _judged(place, at)), None)
    except NoRepository as e:
        return Objection(
            CODE,
            f'{agent} does not start, because nothing could be committed: {e.message}',
            e.hint,
        )
