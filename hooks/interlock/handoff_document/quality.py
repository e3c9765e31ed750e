"""The questions of the quality check, and what the findings answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from interlock.handoff_document.document import STATE
from interlock.handoff_document.outline import NEVER, PARTLY, Outline, Question
from interlock.model.finding import WARNING, Finding

YES = 'yes'
NO = 'no'
# a program cannot tell, or not without the transcript
UNDECIDABLE = 'not decidable'
UNDECIDED = 'not decided'

# rules that answer more than one question
NO_STATE = 'DOC008'
UNFILLED = 'DOC009'
MISSING = 'DOC031'
UNREADABLE = 'DOC032'


class Answer(NamedTuple):
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
    # what was not filled in is no answer
    return finding.code == UNFILLED and any(
        finding.key.startswith(key) for key in question.keys
    )


def _denied(question: Question, findings: Sequence[Finding]) -> bool:
    return any(_says_no(question, finding) for finding in findings)


def answers(
    outline: Outline, findings: Sequence[Finding], transcript: bool
) -> list[Answer]:
    def answer(question: Question) -> str:
        if question.decided == NEVER:
            return UNDECIDABLE
        elif _denied(question, findings):
            return NO
        elif question.decided == PARTLY and not transcript:
            return UNDECIDED
        return YES

    return [Answer(each, answer(each)) for each in outline.quality]


def sentences(given: Sequence[Answer], verbose: bool) -> list[str]:
    """What was decided; what was not is named by its line and question."""
    number = {
        kind: [each.question for each in given if each.answer == kind]
        for kind in (YES, NO, UNDECIDED, UNDECIDABLE)
    }
    said = [
        f'quality check: {len(number[YES])} of {len(given)} yes, {len(number[NO])} no'
    ]
    if number[UNDECIDED]:
        said.append(f'not decided without --transcript ({len(number[UNDECIDED])}):')
        said += _questions(number[UNDECIDED])
    said.append(f'not decidable by a program ({len(number[UNDECIDABLE])}):')
    said += _questions(number[UNDECIDABLE])
    if verbose:
        for kind in (NO, YES):
            said.append(f'{kind} ({len(number[kind])}):')
            said += _questions(number[kind])
    return said


def _questions(found: Sequence[Question]) -> list[str]:
    return [f'    l.{each.line} {each.question}?' for each in found]
