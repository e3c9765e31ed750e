"""The phases in the plan of an item."""

from __future__ import annotations

from interlock.documents.markdown import sections
from interlock.documents.text import decode
from interlock.model.change import Snapshot
from interlock.model.errors import Unreadable
from interlock.model.quick_typing import Iterator, NamedTuple
from interlock.model.state import State
from interlock.workflow.language import patterns
from interlock.workflow.language.spec import Kind, PhasesSpec
from interlock.workflow.reading.kind_cache import of_snapshot
from interlock.workflow.reading.records import STAGE_RE, Records


class Phase(NamedTuple):
    state: State
    # the heading, without the mark for done
    title: str
    line: int
    done: bool


class Plan(NamedTuple):
    path: str
    text: str
    phases: tuple[Phase, ...] = ()

    def of(self, name: str) -> list[Phase]:
        """The phases of one state, in order."""
        return sorted(
            (each for each in self.phases if each.state.name == name),
            key=lambda each: each.state.phase or 0,
        )


def _path(snapshot: Snapshot, kind: Kind, item: str, contract: str) -> str:
    """The path of the plan, '' if there is none."""
    files = kind.contracts.files
    places = [path for each in files if each.name == contract for path in each.paths]
    paths = [patterns.expand(pattern, item) for pattern in places]
    return next((path for path in paths if snapshot.blob(path)), '')


def parse(text: str, kind: Kind) -> State | None:
    """A phase as the handoff and the plan write it, None for anything else."""
    match = STAGE_RE.match(text)
    spec = kind.by_stage(match[1]) if match else None
    return State(spec.name, int(match[2])) if match and spec else None


def _phase(title: str, line: int, kind: Kind, spec: PhasesSpec) -> Phase | None:
    match = patterns.match_start(title, spec.heading)
    if match is None:
        return None
    state = parse(match['phase'], kind)
    if state is None:
        return None
    mark = spec.done.strip()
    done = bool(mark) and title.endswith(mark)
    bare = title[: len(title) - len(mark)].rstrip() if done else title
    return Phase(state, bare, line, done)


def phases(text: str, kind: Kind) -> Iterator[Phase]:
    """The phases in the text of a plan."""
    spec = kind.handoff.phases
    for section in sections(text) if spec else ():
        if spec and section.level in spec.levels:
            found = _phase(section.title, section.line, kind, spec)
            if found is not None:
                yield found


def read(at: Records) -> Plan | None:
    """The plan of an item, None if there is no readable one."""
    return _plan(at.snapshot, at.kind, at.item)


@of_snapshot
def _plan(snapshot: Snapshot, kind: Kind, item: str) -> Plan | None:
    spec = kind.handoff.phases
    path = _path(snapshot, kind, item, spec.contract) if spec else ''
    blob = snapshot.blob(path) if path else None
    if blob is None:
        return None
    try:
        text = decode(blob)
    except Unreadable:
        return None
    return Plan(path, text, tuple(phases(text, kind)))


def is_planned(at: Records) -> bool:
    """Whether the plan is final, from the stage and status in the workflow on."""
    handoff, kind = at.kind.handoff, at.kind
    state = at.handoff_state
    if handoff.planned is None or state is None:
        return False
    first, status = handoff.planned
    if state.name != first:
        return kind.position(state.name) > kind.position(first)
    written = at.handoff_field('status')
    return written is not None and written.text == status
