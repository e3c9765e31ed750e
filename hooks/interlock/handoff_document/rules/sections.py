"""The sections: which exist, in which order, and how a successor continues.

1.14 resumes, 1.23 enters again, and 1.21 says when the work is done.
"""

from __future__ import annotations

import itertools
import posixpath

from interlock.documents.markdown import fields
from interlock.documents.text import shown
from interlock.handoff_document.case import Case, finding, rule
from interlock.handoff_document.comparisons import norm
from interlock.handoff_document.document import Section, starts
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
BOX_RE = re.compile(r'\s*[-*+]\s+\[[ xX]\]\s+(.*)\Z')
PATHS = ('doc', 'plan')
CODE_RE = re.compile(r'`[^`]+`')


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
    """Group sections that are missing one after the other."""

    def absence(spec: SectionSpec) -> str:
        """The severity of its absence, '' for a section that exists."""
        is_missing = spec.id != TOP and case.document.get(spec.id) is None
        return spec.missing if is_missing else ''

    for severity, run in itertools.groupby(case.outline.sections.values(), absence):
        if severity:
            yield list(run)


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
            problem = f'`{title}` is already on line {seen[spec.id].line}'
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


def _filled(case: Case, id: str) -> Section | None:
    """A section with contents: not empty, without a gap, and not saying "nothing"."""
    section = case.document.get(id)
    if section is None or section.empty or case.document.says_nothing(id):
        return None
    return (
        None if any(case.outline.gap in line for _, line in section.lines) else section
    )


def _says_where(case: Case, section: Section) -> bool:
    """Whether the section says which skill continues, and where exactly."""
    marks = case.outline.marks
    text = norm(' '.join(line for _, line in section.lines))
    skills = [norm(str(row.get('name'))) for row in case.state.rows('skill_stack')]
    matches = filter(None, (re.search(each, text) for each in marks.prose))
    positions = [match['position'].lstrip('"') for match in matches]
    return any(not starts(position, marks.vague) for position in positions) and (
        not skills or any(name in text for name in skills)
    )


@rule('DOC041', 'put the parent first')
def skills_are_resumed(case: Case) -> Iterator[Finding]:
    """1.14 resumes each skill, parents before their children."""
    section = _filled(case, '1.14')
    if section is None:
        return
    calls = case.document.calls('1.14', 'skill')
    names = [call.texts[0] for call in calls if call.texts]
    if not names and not _says_where(case, section):
        yield finding(
            section.line,
            '1.14 neither runs a skill nor says which one continues where',
            todo='write a call of the skill, or '
            '`Continue SKILL from POSITION. Resume at: TASK`',
        )
    for row in case.state.rows('skill_stack'):
        child, parent = str(row.get('name')), str(row.get('parent'))
        if child in names and parent in names:
            if names.index(child) < names.index(parent):
                pair = f'`{shown(child)}` before its parent `{shown(parent)}`'
                message = f'1.14 resumes {pair}'
                yield finding(section.line, message, found=f'{child}, {parent}')


def _paths(text: str) -> Iterator[str]:
    """The paths after `--design-doc`, `--impl-plan` and the like."""
    words = text.replace('=', ' ').split()
    for option, value in itertools.pairwise(words):
        name = option.lstrip('"\'(')
        if name.startswith('--') and name.endswith(PATHS):
            yield value.strip('"\'),')


@rule('DOC042', 'add it')
def entry_is_complete(case: Case) -> Iterator[Finding]:
    """1.23 passes on paths, approval, position and decisions."""
    section = _filled(case, '1.23')
    if section is None:
        return
    text = '\n'.join(line for _, line in section.lines)
    marks, lowered = case.outline.marks, text.casefold()
    paths = [path for path in _paths(text) if not case.is_open(path)]
    relative = [path for path in paths if not posixpath.isabs(path)]
    owed = {
        'an absolute path': bool(list(_paths(text))) and not relative,
        f'the word {marks.approved}': marks.approved.casefold() in lowered,
        'the position': any(word in lowered for word in marks.position),
        'the decisions of 1.15': any(word in lowered for word in marks.decisions),
    }
    for what, there in owed.items():
        if not there:
            wrong = f' (`{shown(relative[0])}`)' if relative and 'path' in what else ''
            message = f'1.23 lacks {what}{wrong}'
            yield finding(section.line, message, key=what, todo=f'add {what}')


@rule('DOC029', 'write each condition as `- [ ] condition`')
def done_can_be_ticked_off(case: Case) -> Iterator[Finding]:
    section = case.document.get('1.21')
    if section is None:
        return
    matches = [BOX_RE.match(line) for _, line in section.lines]
    boxes = [match[1] for match in matches if match]
    if not boxes:
        yield finding(section.line, '1.21 has nothing to tick off', key='boxes')
        return
    others = list(boxes)
    for words in case.outline.done:
        lines = [box for box in boxes if all(word in box.casefold() for word in words)]
        others = [box for box in others if box not in lines]
        if not lines:
            message = f'1.21 lacks the line about {" and ".join(words)}'
            yield finding(
                section.line, message, key=' '.join(words), todo='add the line'
            )
    if not any(CODE_RE.search(box) for box in others):
        yield finding(
            section.line,
            'no condition of 1.21 names a command that checks it',
            key='commands',
            todo='write the command in backticks',
        )
