"""The plan of the task: a document with headings."""
from __future__ import annotations

import re
from collections.abc import Callable
from collections.abc import Iterator

from interlock.conditions.selection import strictness
from interlock.conditions.verdict import Fault
from interlock.conditions.view import View
from interlock.documents import markdown
from interlock.documents.text import shown
from interlock.model.finding import WARNING

# a section of this level is one of the document, not of a part of it
SECTION = 2


def _titles(view: View, level: int = 0) -> list[str]:
    return [
        each.title.lower() for each in markdown.sections(view.plan or '')
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


def section(view: View, headings: tuple[str, ...]) -> str | None:
    """The text below the first of these headings; None where none is."""
    wanted = [heading.lower() for heading in headings]
    found = markdown.sections(view.plan or '')
    for number, section in enumerate(found):
        if any(section.title.lower().startswith(each) for each in wanted):
            text = [section.body]
            for below in found[number + 1:]:
                if below.level <= section.level:
                    break
                text.extend((below.title, below.body))
            return '\n'.join(text)
    return None


def heading(name: str) -> Callable[[View], Iterator[Fault]]:
    """The plan has this part, and something stands in it."""
    def judge(view: View) -> Iterator[Fault]:
        headings = view.protocol.plan.headings.get(name, ())
        text = section(view, headings)
        severity = strictness(view.workflow.plan)
        if text is None:
            yield Fault(
                f'the plan has no part `{" / ".join(headings)}`', severity,
            )
        elif not text.strip():
            yield Fault(f'the part `{headings[0]}` is empty', severity)

    return judge


def requirement_mapping(view: View) -> Iterator[Fault]:
    """It names every agent whose requirements it maps."""
    name = 'requirement-mapping'
    yield from heading(name)(view)
    text = section(view, view.protocol.plan.headings.get(name, ()))
    if text is None or not text.strip():
        return
    for agent in view.agents:
        if not re.search(rf'\b{re.escape(agent.name)}\b', text, re.I):
            yield Fault(
                f'it does not say where the requirements of {agent.name} '
                f'are met',
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
