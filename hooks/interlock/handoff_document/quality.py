"""The questions of the quality check, and what the findings answer."""

from __future__ import annotations

from interlock.handoff_document.document import STATE
from interlock.handoff_document.outline import NEVER, PARTLY, Outline, Question
from interlock.model.finding import WARNING, Finding
from interlock.model.quick_typing import NamedTuple, Sequence

YES = 'yes'
NO = 'no'
# a program cannot decide it, or not without the transcript
UNDECIDABLE = 'not decidable'
UNDECIDED = 'not decided'

# rules that answer more than one question
NO_STATE = 'DOC008'
UNFILLED = 'DOC009'
MISSING = 'DOC031'
UNREADABLE = 'DOC032'


class QualityAnswer(NamedTuple):
    question: Question
    answer: str


def _says_no(question: Question, finding: Finding) -> bool:
    if finding.code == UNFILLED and finding.severity == WARNING:
        # for readers; the questions are about what programs read
        return False
    elif finding.code in {*question.codes, UNREADABLE}:
        return True
    elif finding.code == MISSING:
        return question.section in finding.key.split(',')
    elif finding.code == NO_STATE:
        return question.section == STATE
    return finding.code == UNFILLED and finding.key.startswith(question.keys)


def quality_answers(
    outline: Outline, findings: Sequence[Finding], transcript: bool
) -> list[QualityAnswer]:
    def answer(question: Question) -> str:
        if question.decided == NEVER:
            return UNDECIDABLE
        elif any(_says_no(question, finding) for finding in findings):
            return NO
        elif question.decided == PARTLY and not transcript:
            return UNDECIDED
        return YES

    return [QualityAnswer(each, answer(each)) for each in outline.quality]


def describe(answers: Sequence[QualityAnswer], verbose: bool) -> list[str]:
    """How many are yes and no; the others by line and question."""
    questions: dict[str, list[Question]] = {
        YES: [],
        NO: [],
        UNDECIDED: [],
        UNDECIDABLE: [],
    }
    for each in answers:
        questions[each.answer].append(each.question)
    yes, no = len(questions[YES]), len(questions[NO])
    lines = [f'quality check: {yes} of {len(answers)} yes, {no} no']
    titles = {
        UNDECIDED: 'not decided without --transcript',
        UNDECIDABLE: 'not decidable by a program',
        **({NO: NO, YES: YES} if verbose else {}),
    }
    for kind, title in titles.items():
        found = questions[kind]
        if found or kind != UNDECIDED:
            lines.append(f'{title} ({len(found)}):')
        lines += [f'    l.{each.line} {each.question}?' for each in found]
    return lines
