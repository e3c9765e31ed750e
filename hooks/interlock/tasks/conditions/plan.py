"""The plan of the task: a document with headings."""

from __future__ import annotations

from interlock.documents import markdown
from interlock.documents.text import shown
from interlock.model import quick_re as re
from interlock.model.finding import WARNING
from interlock.model.quick_tools import partial
from interlock.model.quick_typing import Iterator, NamedTuple, Sequence
from interlock.tasks.conditions.condition import Unmet, condition
from interlock.tasks.conditions.selection import strictness
from interlock.tasks.conditions.view import View

# a section of this level belongs to the document, not to one of its parts
SECTION = 2
# the parts of a plan: each is a heading, and a condition of its own
PARTS = {
    'conflict-resolution': 'GAT041',
    'architecture-plan': 'GAT042',
    'trade-offs': 'GAT044',
    'success-criteria': 'GAT045',
    'file-manifest': 'GAT046',
    'api-specifications': 'GAT047',
    'behavioral-specifications': 'GAT048',
    'test-specifications': 'GAT049',
    'implementation-sequence': 'GAT050',
    'decision-log': 'GAT051',
}


def _titles(view: View, level: int = 0) -> list[str]:
    return [
        each.title.lower()
        for each in markdown.sections(view.plan or '')
        if level in {0, each.level}
    ]


@condition('GAT014', 'the plan exists')
def plan_file(view: View) -> Iterator[Unmet]:
    if view.plan_problem:
        yield Unmet(f'{view.plan_path} {view.plan_problem}')
    elif view.plan is None:
        yield Unmet(f'there is no {view.plan_path}')


def _missing(view: View, title: str) -> Iterator[Unmet]:
    if title and title.lower() not in _titles(view, SECTION):
        yield Unmet(f'{view.plan_path} has no section `## {title}`')


@condition('GAT015', 'the plan has its sections')
def plan_sections(view: View) -> Iterator[Unmet]:
    for title in view.protocol.plan.sections:
        yield from _missing(view, title)


@condition('GAT016', 'the plan has a section for reports')
def report_section(view: View) -> Iterator[Unmet]:
    yield from _missing(view, view.protocol.plan.report_section)


@condition('GAT020', 'the plan is written')
def plan_written(view: View) -> Iterator[Unmet]:
    words = view.protocol.plan.words
    if not any(words in title for title in _titles(view)):
        yield Unmet(f'no heading of {view.plan_path} names an {words}')


class PlanPart(NamedTuple):
    """A part of a plan, by its own heading."""

    title: str
    text: str
    # it holds only headings
    is_empty: bool


def _parts(plan: str, headings: Sequence[str]) -> Iterator[PlanPart]:
    wanted = tuple(heading.lower() for heading in headings)
    found = iter(markdown.sections(plan, with_code=True))
    section = next(found, None)
    while section is not None:
        if not section.title.lower().startswith(wanted):
            section = next(found, None)
            continue
        text, bodies = [section.body], [section.body]
        below = next(found, None)
        while below is not None and below.level > section.level:
            text.extend((f'{"#" * below.level} {below.title}', below.body))
            bodies.append(below.body)
            below = next(found, None)
        yield PlanPart(section.title, '\n'.join(text), not ''.join(bodies).strip())
        section = below


def filled_parts(view: View, headings: Sequence[str]) -> list[PlanPart]:
    """Every part with one of these headings that holds something.

    Code belongs to a part, comments do not.
    """
    found = _parts(view.plan or '', headings)
    return [each for each in found if not each.is_empty]


def part(view: View, headings: Sequence[str]) -> PlanPart | None:
    """The first part with one of these headings that holds something, else
    the first; None where there is none."""
    found = filled_parts(view, headings) or _parts(view.plan or '', headings)
    return next(iter(found), None)


def has_plan(view: View) -> bool:
    """Whether the plan holds more than its headings."""
    spec = view.protocol.plan
    groups = [*spec.headings.values(), (spec.words,)]
    found = [part(view, headings) for headings in groups]
    return any(each is not None and not each.is_empty for each in found)


def _missing_part(view: View, name: str) -> Iterator[Unmet]:
    """Report a part that the plan lacks or leaves empty."""
    headings = view.protocol.plan.headings.get(name, ())
    found = part(view, headings)
    severity = strictness(view.workflow.plan)
    if found is None:
        yield Unmet(f'the plan has no part `{" / ".join(headings)}`', severity)
    elif found.is_empty:
        yield Unmet(f'the part `{headings[0]}` is empty', severity)


for _name, _code in PARTS.items():
    condition(_code, f'the plan has its {_name.replace("-", " ")}', name=_name)(
        partial(_missing_part, name=_name)
    )


@condition('GAT043', 'the plan maps the requirements of every agent')
def requirement_mapping(view: View) -> Iterator[Unmet]:
    """Report every agent whose requirements the plan does not map."""
    name = 'requirement-mapping'
    yield from _missing_part(view, name)
    found = part(view, view.protocol.plan.headings.get(name, ()))
    if found is None or found.is_empty:
        return
    for agent in view.agents:
        if not re.search(rf'\b{re.escape(agent.name)}\b', found.text, re.I):
            yield Unmet(
                f'it does not say where the requirements of {agent.name} are met',
                strictness(view.workflow.plan),
            )


def _lines(view: View) -> Iterator[tuple[int, str]]:
    for number, line in markdown.visible_lines(view.plan or ''):
        yield number, ' '.join(line.lower().split())


@condition('GAT052', 'the plan has agents implement')
def plan_wording(view: View) -> Iterator[Unmet]:
    """Agents do the implementation, never the main agent."""
    for number, line in _lines(view):
        for words in view.protocol.plan.forbidden:
            if words in line:
                yield Unmet(
                    f'{view.plan_path}:{number}: `{shown(words)}`: agents '
                    f'implement, the main agent coordinates',
                    strictness(view.workflow.plan),
                )


def _vague(view: View) -> Iterator[str]:
    for agent in view.agents:
        for pattern in view.protocol.plan.vague:
            yield pattern.replace('{agent}', agent.name.lower())


@condition('GAT053', 'the plan says who starts agents')
def plan_clarity(view: View) -> Iterator[Unmet]:
    """A plan says who starts an agent, or where it works."""
    vague = list(_vague(view))
    for number, line in _lines(view):
        if any(words in line for words in view.protocol.plan.clear):
            continue
        for words in vague:
            if words in line:
                yield Unmet(
                    f'{view.plan_path}:{number}: `{shown(words)}` does not '
                    f'say who starts the agent, and where it works',
                    WARNING,
                )
