"""Commands that a successor runs: to resume, to enter again, to be done."""

from __future__ import annotations

import itertools
import posixpath
import re
from collections.abc import Iterator

from interlock.documents.text import shown
from interlock.documents.tool_calls import ToolCall, only_call
from interlock.handoff_document.comparisons import (
    inner_placeholder,
    is_placeholder,
    norm,
)
from interlock.handoff_document.document import Section, starts
from interlock.handoff_document.document_context import Case
from interlock.model.finding import Finding

BOX_RE = re.compile(r'\s*[-*+]\s+\[[ xX]\]\s+(.*)\Z')
PATHS = ('doc', 'plan')
CODE_RE = re.compile(r'`[^`]+`')


def resume(case: Case) -> Iterator[Finding]:
    """Each skill of the state can be resumed by its command."""
    state = case.document.state
    name = case.document.outline.calls['skill']
    for number, row in enumerate(state.rows('skill_stack')):
        command = row.get('resume_command')
        if not isinstance(command, str) or inner_placeholder(command):
            # told by the rules about the state
            continue
        call = only_call(command, name)
        if call is None or not call.texts:
            yield case.finding(
                'DOC030',
                state.line('skill_stack', number, 'resume_command'),
                f'`{shown(command)}` is no call of {name} that can be run',
                f'write {name}("name", "arguments")',
                found=shown(command),
            )


def _calls(case: Case, section: str) -> list[ToolCall]:
    return case.document.calls(section, 'skill')


def _unreal(case: Case, section: str) -> Iterator[Finding]:
    name = case.document.outline.calls['skill']
    for call in _calls(case, section):
        if call.texts is None:
            yield case.finding(
                'DOC030',
                call.line,
                f'the call of {name} in {section} cannot be run',
                f'write {name}("name", "arguments")',
                found=shown(call.inside or ''),
            )


def reentry(case: Case) -> Iterator[Finding]:
    """The commands of 1.14 and 1.23 are real ones."""
    for section in ('1.14', '1.23'):
        yield from _unreal(case, section)
        for number, line in case.document.lines(section):
            left = inner_placeholder(line)
            if left and not left.startswith(f'[{case.document.outline.markers.gap}'):
                yield case.finding(
                    'DOC030',
                    number,
                    f'`{shown(left)}` of {section} still has to be filled in',
                    'write the value',
                    found=shown(left),
                )


def _filled(case: Case, id: str) -> Section | None:
    """A section that says something: nothing, or a gap, is told elsewhere."""
    section = case.document.get(id)
    gap = f'[{case.document.outline.markers.gap}'
    if section is None or section.empty or case.document.says_nothing(id):
        return None
    return None if any(gap in line for _, line in section.lines) else section


def _in_words(case: Case, section: Section) -> bool:
    """Is it said which skill goes on, and where exactly?"""
    marks = case.document.outline.marks
    text = norm(' '.join(line for _, line in section.lines))
    skills = [
        norm(str(row.get('name'))) for row in case.document.state.rows('skill_stack')
    ]
    said = filter(None, (re.search(each, text) for each in marks.prose))
    positions = [match['position'].lstrip('"') for match in said]
    return any(not starts(position, marks.vague) for position in positions) and (
        not skills or any(name in text for name in skills)
    )


def resumed(case: Case) -> Iterator[Finding]:
    """1.14 resumes each skill, parents before their children."""
    document = case.document
    section = _filled(case, '1.14')
    if section is None:
        return
    names = [call.texts[0] for call in _calls(case, '1.14') if call.texts]
    if not names and not _in_words(case, section):
        yield case.finding(
            'DOC041',
            section.line,
            '1.14 neither runs a skill nor says which one continues where',
            'write a call of the skill, or '
            '`Continue SKILL from POSITION. Resume at: TASK`',
        )
    for row in document.state.rows('skill_stack'):
        child, parent = row.get('name'), row.get('parent')
        if child in names and parent in names:
            if names.index(child) < names.index(parent):
                yield case.finding(
                    'DOC041',
                    section.line,
                    f'1.14 resumes `{shown(str(child))}` before its parent '
                    f'`{shown(str(parent))}`',
                    'put the parent first',
                    found=f'{child}, {parent}',
                )


def _paths(text: str) -> Iterator[str]:
    """What follows `--design-doc`, `--impl-plan` and their like."""
    words = text.replace('=', ' ').split()
    for option, value in itertools.pairwise(words):
        name = option.lstrip('"\'(')
        if name.startswith('--') and name.endswith(PATHS):
            yield value.strip('"\'),')


def entered(case: Case) -> Iterator[Finding]:
    """1.23 hands over paths, approval, position and decisions."""
    document = case.document
    section = _filled(case, '1.23')
    if section is None:
        return
    text = '\n'.join(line for _, line in section.lines)
    marks = document.outline.marks
    paths = list(_paths(text))
    relative = [
        path
        for path in paths
        if not posixpath.isabs(path) and not is_placeholder(path, document.outline)
    ]
    lowered = text.casefold()
    owed = {
        'an absolute path': bool(paths) and not relative,
        f'the word {marks.approved}': marks.approved.casefold() in lowered,
        'the position': any(word in lowered for word in marks.position),
        'the decisions of 1.15': any(word in lowered for word in marks.decisions),
    }
    for what, there in owed.items():
        if not there:
            wrong = (
                f' (`{shown(relative[0])}`)' if (relative and 'path' in what) else ''
            )
            yield case.finding(
                'DOC042',
                section.line,
                f'1.23 lacks {what}{wrong}',
                f'add {what}',
                key=what,
            )


def done(case: Case) -> Iterator[Finding]:
    """A definition of done that can be ticked off."""
    document = case.document
    section = document.get('1.21')
    if section is None:
        return
    boxes = [
        (number, match[1])
        for number, line in section.lines
        if (match := BOX_RE.match(line))
    ]
    if not boxes:
        yield case.finding(
            'DOC029',
            section.line,
            '1.21 has nothing that can be ticked off',
            'write each condition as `- [ ] condition`',
            key='boxes',
        )
        return
    own = []
    for words in document.outline.done:
        fixed = [
            box for box in boxes if all(word in box[1].casefold() for word in words)
        ]
        own += fixed
        if not fixed:
            yield case.finding(
                'DOC029',
                section.line,
                f'1.21 lacks the line about {" and ".join(words)}',
                'add the line',
                key=' '.join(words),
            )
    others = [box for box in boxes if box not in own]
    if not any(CODE_RE.search(text) for _, text in others):
        yield case.finding(
            'DOC029',
            section.line,
            'no condition of 1.21 names a command that checks it',
            'write the command in backticks',
            key='commands',
        )
