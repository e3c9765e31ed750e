"""The outline: which sections there are, and in which order."""

from __future__ import annotations

import re
from collections.abc import Iterator

from interlock.documents.markdown import fields
from interlock.documents.text import shown
from interlock.handoff_document.comparisons import is_placeholder
from interlock.handoff_document.document import Section
from interlock.handoff_document.document_context import Case
from interlock.handoff_document.outline import SectionSpec
from interlock.model.finding import Finding

POSITION_RE = re.compile(
    r'[\w./~-]+\.?\w*:\d+|\bphase\s*[\d.]+\W+(?:task|step)\s*[\d.]+|'
    r'\bphase[\d.]+\.(?:task|step)[\d.]+',
    re.IGNORECASE,
)
MAX_POSITION = 500
TOP = 'S0'


def _runs(case: Case) -> Iterator[list[SectionSpec]]:
    """Sections that are missing one behind the other, as one."""
    run: list[SectionSpec] = []
    for spec in case.document.outline.sections.values():
        absent = spec.id != TOP and case.document.get(spec.id) is None
        if run and not (absent and spec.missing == run[0].missing):
            yield run
            run = []
        if absent:
            run.append(spec)
    if run:
        yield run


def _named(run: list[SectionSpec]) -> str:
    first, last = run[0].title, run[-1].title
    if len(run) == 1:
        return f'`{first}` is missing'
    return f'{len(run)} sections are missing, `{first}` to `{last}`'


def missing(case: Case) -> Iterator[Finding]:
    before = {each.spec.rank: each.line for each in reversed(case.document.sections)}
    for run in _runs(case):
        above = [rank for rank in before if rank < run[0].rank]
        yield case.finding(
            'DOC031',
            before[max(above)] if above else 1,
            _named(run),
            'write what is missing, or say that there is nothing',
            severity=run[0].missing,
            key=','.join(each.id for each in run),
        )


def _is_container(section: Section, following: Section | None) -> bool:
    return following is not None and (following.spec.level > section.spec.level)


def order(case: Case) -> Iterator[Finding]:
    """Sections that are empty, there twice, or out of their order."""
    seen: dict[str, Section] = {}
    highest: Section | None = None
    sections = case.document.sections
    for section, following in zip(sections, [*sections, None][1:], strict=True):
        problem = ''
        title = shown(section.parts[0].title)
        if section.spec.id in seen:
            line = seen[section.spec.id].line
            problem = f'`{title}` stands on line {line} already'
        elif highest and section.spec.rank < highest.spec.rank:
            problem = (
                f'`{title}` stands behind `{highest.spec.title}` '
                f'(line {highest.line}), where it does not belong'
            )
        elif section.empty and not _is_container(section, following):
            problem = f'`{title}` is empty'
        if problem:
            yield case.finding(
                'DOC031',
                section.line,
                problem,
                'put the section in order',
                severity=section.spec.missing,
                key=section.spec.id,
            )
        seen.setdefault(section.spec.id, section)
        if highest is None or section.spec.rank > highest.spec.rank:
            highest = section


def position(case: Case) -> Iterator[Finding]:
    document = case.document
    section = document.get('main') or document.get('1.1')
    if section is None:
        return
    label = document.outline.marks.field
    found = fields(section.text).get(label.lower(), ())
    line, value = next(iter(found), (section.line, ''))
    if is_placeholder(value, document.outline):
        # reported as what it is
        return
    if not POSITION_RE.search(value[:MAX_POSITION]):
        yield case.finding(
            'DOC038',
            line,
            f'1.1 gives no exact position (`{shown(value)}`)',
            f'write **{label}:** file:line, or Phase N.Task M',
            found=shown(value),
        )
