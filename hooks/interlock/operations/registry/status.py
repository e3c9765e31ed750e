"""The status of an item in the registry, and the statuses it may get."""

from __future__ import annotations

from interlock.documents.registry.record import Record
from interlock.documents.registry.table import Registry
from interlock.documents.text import emoji, shown
from interlock.model.change import Snapshot
from interlock.model.errors import Denied, Refusal
from interlock.model.fixes import edit, ours, restore_registry, there_are
from interlock.model.quick_typing import Iterator
from interlock.model.state import State
from interlock.workflow.language.spec import (
    NOTHING,
    STAGE,
    Kind,
    RegistrySpec,
    Workflow,
)
from interlock.workflow.reading import evidence, gates, transitions
from interlock.workflow.reading import status_words as statuses
from interlock.workflow.reading.fix_command import (
    decide_conflict,
    legal_step,
    make_readable,
    register,
    registering,
)
from interlock.workflow.reading.records import Records, registry
from interlock.workflow.reading.status_words import Status


def require_registered(at: Records) -> Record:
    if at.problem is not None:
        raise Refusal(
            f'{at.entry_path}:{at.problem.line}: the record of {at.item} '
            f'{at.problem.message}',
            *(
                decide_conflict(at.entry_path, at.problem)
                or restore_registry(at.called)
            ).hint,
        )
    elif at.canonical is None:
        spec = at.kind.registry
        raise Denied(
            f'{at.item} is not registered',
            registering(at.kind, at.item) if spec else '',
        )
    return at.canonical


def show(at: Records) -> dict[str, str]:
    """The status for programs: emoji, stage if any, and the text."""
    read = statuses.read(require_registered(at).text('status'), at.kind)
    text = read.raw.replace('**', '').replace('__', '').replace('_', '')
    words = text.split()
    shown = {'emoji': words[0] if words and emoji(words[0]) else ''}
    spec = at.kind.states.get(read.name)
    # a milestone has an emoji of its own, and shows no number
    if (
        spec is not None
        and read.state is not None
        and (spec.role == STAGE and read.emoji == emoji(spec.emoji))
    ):
        phase = read.state.phase
        shown['stage'] = spec.stage if phase is None else f'{spec.stage}.{phase}'
    shown['text'] = ' '.join(words)
    return shown


def status_text(state: State, kind: Kind, word: str = '') -> str:
    """A status as the registry writes it: emoji and text."""
    spec = kind.states[state.name]
    name = word or kind.label(state)
    base = name if state.phase is None else name.rpartition('.')[0]
    return f'{spec.aliases.get(base, spec.emoji)} {name}'.strip()


def written_status(wanted: Status, kind: Kind) -> str:
    assert wanted.state is not None
    parts = [status_text(wanted.state, kind, wanted.word), wanted.annotation]
    if wanted.beside:
        parts.append(status_text(State(wanted.beside), kind, wanted.beside))
    return ' '.join(part for part in parts if part)


def require_readable(at: Records) -> tuple[RegistrySpec, Registry]:
    spec = at.kind.registry
    read = registry(at.snapshot, at.kind)
    if read is None:
        raise Refusal(
            f'{spec.file if spec else "a registry"} does not exist',
            registering(at.kind, at.item)
            if spec
            else 'interlock config explain items.registry',
        )
    problem = _unreadable(read, at.kind)
    if problem is not None:
        raise problem
    refuse_twice(at)
    return spec, read


def missing_registry_advice(kind: str, spec: RegistrySpec, source: str) -> str:
    """The advice where there is no registry."""
    return (
        f'register the first {kind} with interlock registry add, which writes '
        f'{spec.file}; if yours is another file, name it in '
        f'items.{kind}.registry.file of {source}'
    )


def unchecked_items_advice(
    snapshot: Snapshot, workflow: Workflow
) -> Iterator[tuple[str, str]]:
    """What is missing, and what to do, where no items are checked.

    A missing registry looks like one without items. Nothing is refused for it,
    because every project begins without one.
    """
    for kind in workflow.kinds:
        spec = kind.registry
        if spec and snapshot.blob(spec.file) is None:
            yield (
                f'{spec.file} does not exist, so no items are checked',
                missing_registry_advice(kind.name, spec, workflow.source),
            )
    if not workflow.recorded:
        return
    # imported only for workflows that have such records
    from interlock.workflow.agreements.scope import has_records

    if not has_records(snapshot, workflow.recorded):
        kinds = ', '.join(kind.name for kind in workflow.recorded)
        yield (
            f'no file is a record of an item ({kinds}), so no items are checked',
            f'if there should be some, compare the patterns under items.*.records.*.file '
            f'of {workflow.source} with git ls-files',
        )


def registry_problem(snapshot: Snapshot, kind: Kind) -> Refusal | None:
    """Why an existing registry cannot be read."""
    read = registry(snapshot, kind)
    return _unreadable(read, kind) if read else None


def _unreadable(read: Registry, kind: Kind) -> Refusal | None:
    if read.problem is None:
        return None
    path, problem = kind.registry.file, read.problem
    return Refusal(
        f'{path}:{problem.line}: the registry {problem.message}',
        *make_readable(path, problem).hint,
    )


def refuse_twice(at: Records) -> None:
    """Refuse two records of an item: only a person can say which is right."""
    if len(at.rows) > 1 or len(at.entries) > 1:
        raise Refusal(
            f'{at.item} is registered twice in {at.registry_path}',
            'interlock explain REG007',
        )


def remedy(at: Records, target: State, handoff: State | None = None) -> str:
    """The command that comes next where a step is refused."""
    # work in progress is at its stage, whatever the end of the stage requires
    step = target._replace(phase=None) if target.phase == gates.OPEN else (target)
    legal = transitions.step(at.state, step, at.kind).severity != 'error'
    if legal and gates.skipped_by(at, target, handoff):
        return f'interlock menu {at.called}'
    for gap in gates.unproven_by(at, target, handoff) if legal else ():
        if at.active_handoff is None and handoff is None:
            return ours('handoff', 'create', at.called)
        return next_proof(at, gap)
    for name in dict.fromkeys(
        each.name for each in (target, handoff) if legal and each
    ):
        if any(gates.missing(at, name)):
            return ours('contracts', 'verify', at.called)
    return legal_step(at, target).step


def next_proof(at: Records, gap: gates.UntriedWork) -> str:
    """The command that records evidence, or first looks into a failure."""
    if gap.evidence.result == evidence.FAILED:
        known = at.kind.handoff.failures
        option = ('--outcome', known[gap.what]) if gap.what in known else ()
        return ours('menu', at.called, *option)
    stage = at.kind.states[gap.state].stage
    options = ('--stage', stage, '--kind', gap.what, '--result', evidence.PASSED)
    return ours('evidence', 'add', at.called, *options)


def in_progress_state(state: State) -> State:
    """The state of work in progress, which need not be tried yet."""
    return state if state.phase is not None else state._replace(phase=gates.OPEN)


def refuse_unknown_status(at: Records) -> None:
    if at.state is None and at.registered:
        record = require_registered(at)
        read = statuses.read(record.text('status'), at.kind)
        near = statuses.nearest(read, at.kind)
        label = f'correct `{shown(read.raw)}`' + (f' to `{near}`' if near else '')
        raise Refusal(
            f'{at.canonical_path}: the status of {at.item} is not understood',
            *edit(at.canonical_path, record.line_of('status'), label).hint,
        )


def may(at: Records, wanted: Status, is_open: bool = False) -> tuple[bool, str]:
    """Whether an item may go to a status now, and why not."""
    refuse_unknown_status(at)
    assert wanted.state is not None
    step = transitions.step(at.state, wanted.state, at.kind)
    if step.severity == 'error' or at.state == wanted.state:
        return step.severity != 'error', step.why
    target = in_progress_state(wanted.state) if is_open else wanted.state
    closed, missing = gates.gaps(at, target)
    asked = f'; say why in the message: `{step.reason}: WHY`' if step.reason else ''
    return not closed, '; '.join(missing) or f'{step.why}{asked}'


def steps(at: Records) -> dict[State, str]:
    """The states that an item may go to now, each with what is missing for it."""
    refuse_unknown_status(at)
    origin = at.state.name if at.state else NOTHING
    found = [State(name) for name in transitions.targets(origin, at.kind)]
    return {state: '; '.join(gates.gaps(at, state)[1]) for state in found}


def next_step(at: Records, wanted: Status, allowed: bool, is_open: bool) -> str:
    """The command that follows the answer of `may`, '' if there is nothing to do."""
    assert wanted.state is not None
    if at.kind.registry and not at.registered:
        # an unknown item that may not go there is probably misspelled
        return register(at).command if allowed else ours('registry', 'show')
    elif not allowed:
        return remedy(at, in_progress_state(wanted.state) if is_open else wanted.state)
    elif at.state == wanted.state:
        return ''
    return ours('registry', 'set-status', at.called, wanted.raw)


def parse_status(text: str, at: Records) -> Status:
    kind = at.kind
    read = statuses.read(text, kind)
    if not read.is_known:
        near = statuses.nearest(read, kind)
        if near and near.casefold() == text.casefold():
            # users need not type the exact case
            return statuses.read(near, kind)
        known = there_are([kind.label(State(name)) for name in kind.states])
        meant = f'; did you mean `{near}`?' if near else ''
        raise Refusal(
            f'`{text}` is not a status of the workflow; {known}{meant}',
            ours('registry', 'may', at.called),
            meant=(text, near) if near else None,
        )
    return read
