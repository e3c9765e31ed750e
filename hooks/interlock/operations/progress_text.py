"""Texts about work that was done, and about what comes next."""

from __future__ import annotations

from interlock.model import quick_re as re
from interlock.model.fixes import WHY, ours, quoted
from interlock.model.quick_typing import Mapping, NamedTuple, Sequence
from interlock.model.state import State
from interlock.workflow.language.patterns import match_start
from interlock.workflow.reading import gates, plan_phases, transitions
from interlock.workflow.reading.next_state import Next
from interlock.workflow.reading.records import Records

FIELD_RE = re.compile(r'\{([^{}]*)\}')
# joins the parts of a text; empty parts are left out
DASH = ' - '


class Words(NamedTuple):
    """The words about work that was done; missing ones are derived."""

    # the text for the timeline
    text: str = ''
    # what the handoff lists as completed
    completed: str = ''
    steps: tuple[str, ...] = ()
    current: str = ''
    # as NAME=PATH, or NAME where the workflow knows the path
    artifacts: tuple[str, ...] = ()
    # tests that passed
    tests: tuple[str, ...] = ()
    context: tuple[str, ...] = ()
    # fields of the frontmatter
    fields: Mapping[str, str] = {}
    # why a contract changed
    amend: str = ''
    # the day for the timeline and the dates
    day: str = ''


def filled_in(text: str, words: Mapping[str, str], called: str) -> str:
    """Fill in the words of a text; in commands, the item as commands take it."""
    by_command = words
    if 'interlock ' in text:
        by_command = {**words, 'item': quoted([called])}
    lines = []
    for line in text.split('\n'):
        said, mark, command = line.partition('interlock ')
        said = FIELD_RE.sub(lambda word: words.get(word[1], ''), said)
        command = FIELD_RE.sub(lambda word: by_command.get(word[1], ''), command)
        lines.append(f'{said}{mark}{command}')
    return '\n'.join(lines)


def next_steps(at: Records, reached: State, coming: Next) -> list[str]:
    """The steps after a reached state; the workflow may name them."""
    if coming.steps:
        return [filled_in(step, {'item': at.item}, at.called) for step in coming.steps]
    elif coming.state is None:
        return [transitions.successors(reached, at.kind)]
    spec = at.kind.states[coming.state.name]
    name = at.kind.label(coming.state)
    if coming.closes:
        gaps = gates.untried(at.active_handoff, at.kind, [coming.state.name])
        return [
            *(f'Record the {gap.what} of {name} as a whole' for gap in gaps),
            f'Close {name}: {ours("commit-stage", at.called, spec.stage, "-m", WHY)}',
        ]
    agent = '' if coming.led else spec.agent
    return [f'Invoke {agent} for {name}' if agent else f'Do {name}']


def numbered(steps: Sequence[str]) -> list[str]:
    return [f'{number}. {step}' for number, step in enumerate(steps, 1)]


def _phase_title(at: Records, state: State, heading: str) -> str:
    plan = plan_phases.read(at)
    for each in plan.of(state.name) if plan else ():
        match = match_start(each.title, heading)
        if each.state == state and match:
            return each.title[match.end() :].strip()
    return ''


def filled(text: str, known: Mapping[str, str]) -> str:
    """Fill in the names in braces, '' if one of them is unknown."""
    if not all(known.get(name) for name in FIELD_RE.findall(text)):
        return ''
    return FIELD_RE.sub(lambda match: known[match[1]], text)


def timeline_text(
    at: Records, state: State, given: Mapping[str, str] | None = None
) -> str:
    """The default text of the timeline for a state.

    `given` are fields that the handoff does not hold yet.
    """
    spec = at.kind.handoff.phases
    text = at.kind.states[state.name].timeline
    values = {**at.handoff_values, **(given or {})}
    if state.phase is not None:
        text = spec.timeline if spec else ''
        values['phase'] = at.kind.written_stage(state)
        values['title'] = _phase_title(at, state, spec.heading) if spec else ''
    said = DASH.join(filter(None, (filled(part, values) for part in text.split(DASH))))
    return said or f'{at.kind.label(state)} reached'
