"""The commit that ends a stage: its message, its files, its registry."""

from __future__ import annotations

from interlock.documents.markdown import whole_lines
from interlock.documents.message import last_block
from interlock.documents.registry.edits import CONTROL_RE, graft, registry_of_item
from interlock.model.errors import Denied, Refusal, Unreadable
from interlock.model.fixes import edit, nearest, ours
from interlock.model.quick_typing import Sequence
from interlock.model.state import State
from interlock.operations.progress_text import timeline_text
from interlock.operations.registry.change import parse_again
from interlock.workflow.language.patterns import expand_each
from interlock.workflow.language.spec import STAGE, CommitSpec
from interlock.workflow.reading import plan_phases, status_words
from interlock.workflow.reading.records import Records, handoff_state, is_open
from interlock.workflow.reading.status_words import PHASE_RE

# the records of items before and after a change
Moved = Sequence[tuple[Records, Records]]


def parse_stage(given: str, at: Records) -> State:
    """A stage as users write it: by its name, its number, or its phase."""
    text, kind = given, at.kind
    match = PHASE_RE.match(text)
    spec = kind.by_stage(match[1] if match else text)
    if spec is not None:
        text = spec.name if match is None else f'{spec.name}.{match[2]}'
    stages = [name for name, each in kind.states.items() if each.role == STAGE]
    # only a clear match: the command that is printed with it changes files
    near = spec.name if spec else nearest(text, stages, clearly=True)
    # users need not type the exact case
    is_other_case = near.casefold() == text.casefold()
    read = status_words.read(near if is_other_case else text, kind)
    is_known = read.is_known and not read.beside
    if not is_known or read.state is None or read.state.name not in stages:
        meant = f'; did you mean `{near}`? There are' if near else '; there are'
        raise Refusal(
            f'`{given}` is not a stage{meant} {", ".join(stages)}',
            ours('resume', at.called),
            meant=(given, near) if near else None,
        )
    return read.state


def _spec(at: Records, form: str) -> tuple[CommitSpec, str]:
    """The workflow's rules for commits, and the subject of a form."""
    spec = at.kind.commit
    if not spec.writes.get(form):
        raise Refusal(
            f'the workflow does not say how the commit of a {form} of '
            f'{at.kind.name}s is written (`commit.writes.{form}`)',
            'interlock config explain items.commit.writes',
        )
    return spec, spec.writes[form]


def message(
    at: Records,
    state: State,
    text: str,
    amend: str,
    trailers: Sequence[str] = (),
    by_agent: bool = False,
) -> str:
    """The commit message; `amend` is the reason why contracts changed."""
    spec, subject = _spec(at, 'stage' if state.phase is None else 'phase')
    for given in (text, amend):
        if CONTROL_RE.search(given):
            raise Refusal(f'{given!r} does not fit in one line of a message')
    if not text.strip():
        raise Refusal('a commit needs a text', 'say with -m what was done')
    stage = at.kind.states[state.name].stage
    for key, value in {
        'item': at.item,
        'state': str(state),
        'stage': stage,
        'phase': f'{stage}.{state.phase}',
        'text': text.strip(),
    }.items():
        subject = subject.replace(f'{{{key}}}', value)
    footers, added = list(spec.footers), list(trailers)
    footers += spec.agent_footers if by_agent else ()
    if amend:
        added.insert(0, f'{at.kind.contracts.amendment}: {amend.strip()}')
    above = '\n'.join((subject, '', *footers))
    if added and footers and not last_block(above).trailers:
        # trailers are a paragraph without prose
        footers.append('')
    footers += added
    parts = ['\n'.join(part) for part in ([subject], spec.body, footers)]
    return '\n\n'.join(filter(None, parts)) + '\n'


def patterns(at: Records) -> list[str]:
    """The patterns of the files in a stage commit, besides the registry."""
    kind = at.kind
    found = [*kind.commit.files, *kind.handoff.places]
    for contract in kind.contracts.files:
        found.extend(contract.paths)
    if kind.registry.entry_file:
        found.append(kind.registry.entry_file)
    return expand_each(found, at.item)


def roots(wanted: Sequence[str]) -> list[str]:
    """The files and directories that hold everything the patterns can match."""
    found = []
    for pattern in wanted:
        head, star, _ = pattern.partition('*')
        found.append(head.rpartition('/')[0] if star else head)
    return list(dict.fromkeys(found))


def plan_with_done_phase(at: Records, state: State) -> dict[str, bytes | None]:
    """The plan with a phase marked as done; {} where there is nothing to mark.

    Ending a stage also ends its last phase, if only that one is open.
    """
    plan = plan_phases.read(at)
    spec = at.kind.handoff.phases
    if plan is None or spec is None or not spec.done.strip():
        return {}
    stands = at.stage
    left = [each.state for each in plan.of(state.name) if not each.done]
    if (
        state.phase is None
        and len(left) == 1
        and stands
        and (stands.name == state.name and stands.phase is not None)
    ):
        state = left[0]
    lines = whole_lines(plan.text)
    for phase in plan.phases:
        if phase.state == state and not phase.done:
            line = lines[phase.line - 1]
            # hashes may close the heading
            end = line.rindex(phase.title) + len(phase.title)
            lines[phase.line - 1] = f'{line[:end]}{spec.done}{line[end:]}'
    text = ''.join(lines)
    after = plan_phases.phases(text, at.kind)
    if not all(each.done for each in after if each.state == state):
        raise Refusal(
            f'{plan.path}: {state} cannot be marked as done in its heading',
            *edit(plan.path).hint,
        )
    return {plan.path: text.encode()} if text != plan.text else {}


def registry_with_record(at: Records, base: bytes | None, source: bytes) -> bytes:
    """A registry that takes the record of the item from another one.

    Without a base registry, the result holds this item alone.
    """
    try:
        new = parse_again(source, at.kind.registry)
        if base is None:
            return registry_of_item(new, at.item)
        return graft(parse_again(base, at.kind.registry), new, at.item)
    except Unreadable as e:
        raise Denied(
            f'{at.registry_path}: the record of {at.item} cannot be '
            f'committed apart from other changes: the registry {e.message}',
            f'git diff HEAD -- {at.registry_path}, and commit those first',
        ) from None


def _ended(before: Records, after: Records) -> State | None:
    """The state that the handoff newly calls done, None if there is none."""
    kind, old, new = after.kind, before.current, after.current
    state = handoff_state(new)
    if state is None or is_open(new, kind):
        return None
    return None if state == handoff_state(old) and not is_open(old, kind) else state


def commit_command(moved: Moved, paths: Sequence[str]) -> str:
    """The command that commits the changes to the records of items."""
    for before, after in moved:
        state, kind = _ended(before, after), after.kind
        if state is not None and kind.commit:
            text = timeline_text(after, state)
            stage = kind.written_stage(state)
            return ours('commit-stage', after.called, stage, '-m', text)
    # nothing ended: a note, a pause, a status that no stage leads to
    said = [
        f'{after.item} is {after.kind.label(after.state)}'
        if after.state and after.state != before.state
        else f'where {after.item} stands'
        for before, after in moved
    ]
    import shlex

    subject = shlex.quote(f'chore: {", ".join(said) or "state files"}')
    files = shlex.join(paths)
    return f'git add -A -- {files} && git commit -m {subject} -- {files}'
