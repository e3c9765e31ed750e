"""The plan of the task: a document with headings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from interlock.documents import markdown
from interlock.documents.text import shown
from interlock.model.finding import WARNING
from interlock.tasks.conditions.selection import strictness
from interlock.tasks.conditions.verdict import Fault
from interlock.tasks.conditions.view import View

# a section of this level is one of the document, not of a part of it
SECTION = 2


def _titles(view: View, level: int = 0) -> list[str]:
    return [
        each.title.lower()
        for each in markdown.sections(view.plan or '')
        if level in {0, each.level}
    ]


def plan_file(view: View) -> Iterator[Fault]:
    if view.plan_problem:
        yield Fault(f'{view.plan_path} {view.plan_problem}')
    elif view.plan is None:
        yield Fault(f'there is no {view.plan_path}')


def _missing(view: View, title: str) -> Iterator[Fault]:
    if title and title.lower() not in _titles(view, SECTION):
        yield Fault(f'{view.plan_path} has no section `## {title}`')


def plan_sections(view: View) -> Iterator[Fault]:
    for title in view.protocol.plan.sections:
        yield from _missing(view, title)


def report_section(view: View) -> Iterator[Fault]:
    yield from _missing(view, view.protocol.plan.report_section)


def plan_written(view: View) -> Iterator[Fault]:
    words = view.protocol.plan.words
    if not any(words in title for title in _titles(view)):
        yield Fault(f'no heading of {view.plan_path} names an {words}')


class Part(NamedTuple):
    """A part of a plan, by its own heading."""

    title: str
    text: str
    # nothing stands in it but headings
    is_empty: bool


def _parts(plan: str, headings: Sequence[str]) -> Iterator[Part]:
    wanted = tuple(heading.lower() for heading in headings)
    found = iter(markdown.sections_with_code(plan))
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
        yield Part(section.title, '\n'.join(text), not ''.join(bodies).strip())
        section = below


def filled_parts(view: View, headings: Sequence[str]) -> list[Part]:
    """Every part with one of these headings that holds something.

    Code belongs to a part, comments do not.
    """
    found = _parts(view.plan or '', headings)
    return [each for each in found if not each.is_empty]


def part(view: View, headings: Sequence[str]) -> Part | None:
    """The first part with one of these headings that holds something, else
    the first; None where there is none."""
    found = filled_parts(view, headings) or (_parts(view.plan or '', headings))
    return next(iter(found), None)


def has_plan(view: View) -> bool:
    """Whether anything of a plan is written, and not only its headings."""
    spec = view.protocol.plan
    groups = [*spec.headings.values(), (spec.words,)]
    found = [part(view, headings) for headings in groups]
    return any(each is not None and not each.is_empty for each in found)


def heading(name: str) -> Callable[[View], Iterator[Fault]]:
    """The plan has this part, and something stands in it."""

    def judge(view: View) -> Iterator[Fault]:
        headings = view.protocol.plan.headings.get(name, ())
        found = part(view, headings)
        severity = strictness(view.workflow.plan)
        if found is None:
            yield Fault(f'the plan has no part `{" / ".join(headings)}`', severity)
        elif found.is_empty:
            yield Fault(f'the part `{headings[0]}` is empty', severity)

    return judge


def requirement_mapping(view: View) -> Iterator[Fault]:
    """It names every agent whose requirements it maps."""
    name = 'requirement-mapping'
    yield from heading(name)(view)
    found = part(view, view.protocol.plan.headings.get(name, ()))
    if found is None or found.is_empty:
        return
    for agent in view.agents:
        if not re.search(rf'\b{re.escape(agent.name)}\b', found.text, re.I):
            yield Fault(
                f'it does not say where the requirements of {agent.name} are met',
                strictness(view.workflow.plan),
            )


def _lines(view: View) -> Iterator[tuple[int, str]]:
    for number, line in markdown.visible_lines(view.plan or ''):
        yield number, ' '.join(line.lower().split())


def plan_wording(view: View) -> Iterator[Fault]:
    """Agents implement, the main agent never does."""
    for number, line in _lines(view):
        for words in view.protocol.plan.forbidden:
            if words in line:
                yield Fault(
                    f'{view.plan_path}:{number}: `{shown(words)}`: agents '
                    f'implement, the main agent coordinates',
                    strictness(view.workflow.plan),
                )


def _vague(view: View) -> Iterator[str]:
    for agent in view.agents:
        for pattern in view.protocol.plan.vague:
            yield pattern.replace('{agent}', agent.name.lower())


def plan_clarity(view: View) -> Iterator[Fault]:
    """A plan says who starts an agent, or where it works."""
    vague = list(_vague(view))
    for number, line in _lines(view):
        if any(words in line for words in view.protocol.plan.clear):
            continue
        for words in vague:
            if words in line:
                yield Fault(
                    f'{view.plan_path}:{number}: `{shown(words)}` does not '
                    f'say who starts the agent, and where it works',
                    WARNING,
                )
