"""What the registry says of an item, and what it may be made to say."""

from __future__ import annotations

from interlock.documents.registry.record import Record
from interlock.documents.registry.table import Registry
from interlock.documents.text import emoji
from interlock.model.change import Snapshot
from interlock.model.errors import Denied, Refusal
from interlock.model.fixes import ours, restore_registry
from interlock.model.quick_typing import Callable, Iterator
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
    legal_step,
    make_readable,
    register,
    registering,
)
from interlock.workflow.reading.records import Records, registry
from interlock.workflow.reading.status_words import Status

# the command that was meant, with the right word
Retry = Callable[[str], str]


def registered(at: Records) -> Record:
    if at.problem is not None:
        raise Refusal(
            f'{at.entry_path}:{at.problem.line}: the record of {at.item} '
            f'{at.problem.message}',
            *restore_registry(at.called).hint,
        )
    elif at.canonical is None:
        spec = at.kind.registry
        raise Denied(
            f'{at.item} is not registered',
            registering(at.kind, at.item) if spec else '',
        )
    return at.canonical


def show(at: Records) -> dict[str, str]:
    """The status as programs want it: emoji, stage if any, and the text."""
    read = statuses.read(registered(at).text('status'), at.kind)
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


def written(state: State, kind: Kind, word: str = '') -> str:
    """A status as the registry writes it: emoji and text."""
    spec = kind.states[state.name]
    name = word or kind.label(state)
    base = name if state.phase is None else name.rpartition('.')[0]
    return f'{spec.aliases.get(base, spec.emoji)} {name}'.strip()


def written_status(wanted: Status, kind: Kind) -> str:
    assert wanted.state is not None
    parts = [written(wanted.state, kind, wanted.word), wanted.annotation]
    if wanted.beside:
        parts.append(written(State(wanted.beside), kind, wanted.beside))
    return ' '.join(part for part in parts if part)


def readable(at: Records) -> tuple[RegistrySpec, Registry]:
    spec = at.kind.registry
    read = registry(at.snapshot, at.kind)
    if read is None:
        raise Refusal(
            f'{spec.file if spec else "a registry"} does not exist',
            registering(at.kind, at.item)
            if spec
            else 'interlock config explain items.registry',
        )
    problem = unreadable(at.snapshot, at.kind)
    if problem is not None:
        raise problem
    refuse_twice(at)
    return spec, read


def beginning(kind: str, spec: RegistrySpec, source: str) -> str:
    """What is done where there is no registry."""
    return (
        f'register the first {kind} with interlock registry add, which writes '
        f'{spec.file}; if yours is another file, name it in '
        f'items.{kind}.registry.file of {source}'
    )


def unwatched(snapshot: Snapshot, workflow: Workflow) -> Iterator[tuple[str, str]]:
    """A registry that is not there looks like one without items.

    What is so, and what to do; nothing is refused for it, because every
    project begins without one.
    """
    for kind in workflow.kinds:
        spec = kind.registry
        if spec and snapshot.blob(spec.file) is None:
            yield (
                f'{spec.file} does not exist: no item is checked',
                beginning(kind.name, spec, workflow.source),
            )
    if not workflow.recorded:
        return
    # only workflows that have them load what reads them
    from interlock.workflow.agreements.scope import has_records

    if not has_records(snapshot, workflow.recorded):
        kinds = ', '.join(kind.name for kind in workflow.recorded)
        yield (
            f'no file is a record of an item ({kinds}): no item is checked',
            f'if there should be some, compare the patterns under items.*.records.*.file '
            f'of {workflow.source} with git ls-files',
        )


def unreadable(snapshot: Snapshot, kind: Kind) -> Refusal | None:
    """Why a registry that is there cannot be read."""
    read = registry(snapshot, kind)
    if read is None or read.problem is None:
        return None
    path, problem = kind.registry.file, read.problem
    return Refusal(
        f'{path}:{problem.line}: the registry {problem.message}',
        *make_readable(path, problem).hint,
    )


def refuse_twice(at: Records) -> None:
    """Only a person can say which of two records is right."""
    if len(at.rows) > 1 or len(at.entries) > 1:
        raise Refusal(
            f'{at.item} is registered twice in {at.registry_path}',
            'interlock explain REG007',
        )


def gaps(
    at: Records, target: State, handoff: State | None = None
) -> tuple[bool, list[str]]:
    """Whether gates are closed to a step, and what is missing there.

    The step is that of the registry, and of the handoff if it makes one.
    """
    old = {state.name for state in (at.state, at.handoff_state) if state}
    new = dict.fromkeys(each.name for each in (target, handoff) if each)
    missing = [
        each for name in new if name not in old for each in gates.missing(at, name)
    ]
    absent = [
        f'{each.path} is missing'
        + (f' ({each.made_by} makes it)' if each.made_by else '')
        for each in missing
    ]
    holder = at.active_handoff
    untried = [
        gates.sentence(gap, at.kind, 'would be')
        for gap in gates.unproven_by(at, target, handoff)
    ]
    untried.extend(
        gates.left_out(each, at.kind, 'would be')
        for each in gates.skipped_by(at, target, handoff)
    )
    # a handoff from before that rule is excused, one that is missing is not
    kept = holder is None or evidence.is_kept(holder, at.kind)
    return bool(absent or (untried and kept)), [*absent, *untried]


def remedy(at: Records, target: State, handoff: State | None = None) -> str:
    """The command that comes next where a step is refused."""
    # work in progress is at its stage, whatever that asks for at its end
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
    """What was tried is recorded; what failed is looked into first."""
    if gap.evidence.result == evidence.FAILED:
        known = at.kind.handoff.failures
        option = ('--outcome', known[gap.what]) if gap.what in known else ()
        return ours('menu', at.called, *option)
    stage = at.kind.states[gap.state].stage
    options = ('--stage', stage, '--kind', gap.what, '--result', evidence.PASSED)
    return ours('evidence', 'add', at.called, *options)


def inside(state: State) -> State:
    """The state of work in progress: it need not be tried yet."""
    return state if state.phase is not None else state._replace(phase=gates.OPEN)


def refuse_unknown_status(at: Records) -> None:
    if at.state is None and at.registered:
        raise Refusal(
            f'{at.canonical_path}: the status of {at.item} is not understood',
            'interlock check --worktree --inherited --only registry',
        )


def may(at: Records, wanted: Status, is_open: bool = False) -> tuple[bool, str]:
    """Whether an item may go to a status now, and why not."""
    refuse_unknown_status(at)
    assert wanted.state is not None
    step = transitions.step(at.state, wanted.state, at.kind)
    if step.severity == 'error' or at.state == wanted.state:
        return step.severity != 'error', step.why
    target = inside(wanted.state) if is_open else wanted.state
    closed, missing = gaps(at, target)
    return not closed, '; '.join(missing) or step.why


def steps(at: Records) -> dict[State, str]:
    """Where an item may go from where it is, and what is missing for that."""
    refuse_unknown_status(at)
    origin = at.state.name if at.state else NOTHING
    found = [State(name) for name in transitions.targets(origin, at.kind)]
    return {state: '; '.join(gaps(at, state)[1]) for state in found}


def next_step(at: Records, wanted: Status, allowed: bool, is_open: bool) -> str:
    """The command behind the answer of `may`, '' where nothing is to be done."""
    assert wanted.state is not None
    if at.kind.registry and not at.registered:
        # an unknown item that may not go there is probably misspelled
        return register(at).command if allowed else ours('registry', 'show')
    elif not allowed:
        return remedy(at, inside(wanted.state) if is_open else wanted.state)
    elif at.state == wanted.state:
        return ''
    return ours('registry', 'set-status', at.called, wanted.raw)


def parse_status(text: str, at: Records, retry: Retry) -> Status:
    kind = at.kind
    read = statuses.read(text, kind)
    if not statuses.is_known(read, kind):
        near = statuses.nearest(read, kind)
        if near and near.casefold() == text.casefold():
            # what is typed need not have the case of what is written
            return statuses.read(near, kind)
        hint = f'; did you mean `{near}`? There are' if near else '; there are'
        known = ', '.join(kind.label(State(name)) for name in kind.states)
        raise Refusal(
            f'`{text}` is not a status of the workflow{hint} {known}',
            retry(near) if near else ours('registry', 'may', at.called),
        )
    return read
