"""The outline: which sections there are, and in which order."""

from __future__ import annotations

from interlock.documents.markdown import fields
from interlock.documents.text import shown
from interlock.handoff_document.case import Case, finding, rule
from interlock.handoff_document.document import Section
from interlock.handoff_document.outline import SectionSpec
from interlock.model import quick_re as re
from interlock.model.finding import Finding
from interlock.model.quick_typing import Iterator

POSITION_RE = re.compile(
    r'[\w./~-]+\.?\w*:\d+|\bphase\s*[\d.]+\W+(?:task|step)\s*[\d.]+|'
    r'\bphase[\d.]+\.(?:task|step)[\d.]+',
    re.IGNORECASE,
)
MAX_POSITION = 500
TOP = 'S0'


@rule('DOC005', 'move Section 0 to the top')
def starts_with_section_0(case: Case) -> Iterator[Finding]:
    start = case.document.get(TOP)
    if start is None:
        yield finding(1, 'there is no Section 0', todo='write Section 0')
        return
    headings = [(each.line, each.spec.title) for each in case.document.sections]
    headings += [
        (part.line, part.title) for part in case.document.before if part.level > 1
    ]
    line, title = min(headings)
    if line < start.line:
        yield finding(
            start.line, f'Section 0 comes after `{shown(title)}` (line {line})'
        )


def _missing_runs(case: Case) -> Iterator[list[SectionSpec]]:
    """Sections that are missing one after the other, together."""
    run: list[SectionSpec] = []
    for spec in case.outline.sections.values():
        missing = spec.id != TOP and case.document.get(spec.id) is None
        if run and not (missing and spec.missing == run[0].missing):
            yield run
            run = []
        if missing:
            run.append(spec)
    if run:
        yield run


@rule('DOC031', 'write what is missing, or say that there is nothing')
def sections_exist(case: Case) -> Iterator[Finding]:
    lines = {each.spec.rank: each.line for each in reversed(case.document.sections)}
    for run in _missing_runs(case):
        first, last = run[0].title, run[-1].title
        message = f'`{first}` is missing'
        if len(run) > 1:
            message = f'{len(run)} sections are missing, `{first}` to `{last}`'
        above = max((rank for rank in lines if rank < run[0].rank), default=None)
        yield finding(
            1 if above is None else lines[above],
            message,
            severity=run[0].missing,
            key=','.join(each.id for each in run),
        )


@rule('DOC031', 'put the section in order')
def sections_are_in_order(case: Case) -> Iterator[Finding]:
    """No section is empty, occurs twice, or is out of order."""
    seen: dict[str, Section] = {}
    highest: Section | None = None
    sections = case.document.sections
    for section, following in zip(sections, [*sections, None][1:], strict=True):
        spec, title = section.spec, shown(section.title)
        holds_others = following is not None and following.spec.level > spec.level
        problem = ''
        if spec.id in seen:
            problem = f'`{title}` is on line {seen[spec.id].line} already'
        elif highest and spec.rank < highest.spec.rank:
            problem = (
                f'`{title}` comes after `{highest.spec.title}` '
                f'(line {highest.line}), not before it'
            )
        elif section.empty and not holds_others:
            problem = f'`{title}` is empty'
        if problem:
            yield finding(section.line, problem, severity=spec.missing, key=spec.id)
        seen.setdefault(spec.id, section)
        if highest is None or spec.rank > highest.spec.rank:
            highest = section


@rule('DOC038', 'write file:line, or Phase N.Task M')
def position_is_exact(case: Case) -> Iterator[Finding]:
    section = case.document.get('main') or case.document.get('1.1')
    if section is None:
        return
    label = case.outline.marks.field
    found = fields(section.text).get(label.lower(), ())
    line, value = next(iter(found), (section.line, ''))
    if not case.is_open(value) and not POSITION_RE.search(value[:MAX_POSITION]):
        yield finding(
            line,
            f'1.1 gives no exact position (`{shown(value)}`)',
            found=shown(value),
            todo=f'write **{label}:** file:line, or Phase N.Task M',
        )
