"""Apply every rule about a handoff document, and answer the questions of its quality
check from the findings."""

from __future__ import annotations

import os

from interlock.documents.text import decode
from interlock.files.atomic_files import read
from interlock.git.batch import MAX_BLOB
from interlock.handoff_document.case import RULES, Case, ProjectFacts, complete, finding
from interlock.handoff_document.document import STATE, parse
from interlock.handoff_document.facts import Project, facts_about
from interlock.handoff_document.outline import NEVER, PARTLY, Outline, Question, outline

# importing them registers their rules
from interlock.handoff_document.rules import (  # noqa: F401
    calls,
    documents,
    partial,
    reality,
    sections,
    state,
    tables,
    todos,
)
from interlock.handoff_document.rules import transcript as _  # noqa: F401
from interlock.handoff_document.rules.partial import partial_work
from interlock.model.change import Blob
from interlock.model.errors import Refusal, Unreadable
from interlock.model.finding import WARNING, Finding
from interlock.model.quick_typing import Mapping, Sequence
from interlock.state import transcript as transcripts
from interlock.state.transcript import Transcript

YES = 'yes'
NO = 'no'
# a program cannot decide it; or it could, with the transcript
UNDECIDABLE = 'not decidable'
UNDECIDED = 'not decided'

# rules that answer more than one question
NO_STATE = 'DOC008'
UNFILLED = 'DOC009'
MISSING = 'DOC031'
UNREADABLE = 'DOC032'


def unreadable(path: str, problem: Unreadable) -> Finding:
    found = finding(problem.line, f'it {problem.message}', found=problem.message)
    return complete(path, found, 'DOC032', 'save it as UTF-8 text')


def check(
    path: str,
    blob: Blob,
    facts: ProjectFacts | None = None,
    transcript: Transcript | None = None,
    before: str | None = None,
) -> list[Finding]:
    """What is wrong with a handoff document, in the order of its lines."""
    try:
        case = Case(path, parse(blob), facts, transcript, before)
    except Unreadable as e:
        return [unreadable(path, e)]
    found = [each for rule in RULES for each in rule(case)]
    # two rules may find the same
    unique = {(f.line, f.message, f.fingerprint): f for f in found}
    return sorted(unique.values(), key=lambda f: (f.line, f.code))


def _says_no(question: Question, finding: Finding) -> bool:
    if finding.code == UNFILLED and finding.severity == WARNING:
        # about text for readers; the questions are about what programs read
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
) -> dict[Question, str]:
    def answer(question: Question) -> str:
        if question.decided == NEVER:
            return UNDECIDABLE
        elif any(_says_no(question, finding) for finding in findings):
            return NO
        elif question.decided == PARTLY and not transcript:
            return UNDECIDED
        return YES

    return {question: answer(question) for question in outline.quality}


def describe(answers: Mapping[Question, str], verbose: bool) -> list[str]:
    """Count the answers yes and no; list the others by line and question."""
    said = list(answers.values())
    yes, no = said.count(YES), said.count(NO)
    lines = [f'quality check: {yes} of {len(said)} yes, {no} no']
    titles = {
        UNDECIDED: 'not decided without --transcript',
        UNDECIDABLE: 'not decidable by a program',
        **({NO: NO, YES: YES} if verbose else {}),
    }
    for kind, title in titles.items():
        found = [question for question, answer in answers.items() if answer == kind]
        if found or kind != UNDECIDED:
            lines.append(f'{title} ({len(found)}):')
        lines += [f'    l.{each.line} {each.question}?' for each in found]
    return lines


def check_partial(path: str, blob: Blob, *, before: str | None) -> list[Finding]:
    """Check only for signs of partial work, in any markdown file."""
    try:
        return list(partial_work(path, decode(blob), before))
    except Unreadable as e:
        return [unreadable(path, e)]


# the findings about a document, and the answers to the questions of quality
Judged = tuple[Sequence[Finding], Mapping[Question, str]]


def blob_of(path: str) -> Blob:
    if not os.path.isfile(path):
        raise Refusal(f'there is no file {path}', 'interlock document new')
    size = os.path.getsize(path)
    return Blob('', size, read(path) if size <= MAX_BLOB else None)


def _read_transcript(path: str) -> Transcript | None:
    if not path:
        return None
    try:
        with open(path, 'rb') as f:
            if not any(map(transcripts.is_entry, f)):
                # an empty transcript would answer every question with yes
                raise Refusal(
                    f'{path} is not a transcript: no line of it is an entry of '
                    f'a session (JSON)',
                    f'head -1 {path}',
                )
            f.seek(0)
            return transcripts.read(f)
    except OSError as e:
        raise Refusal(f'the transcript {path} cannot be read: {e.strerror}') from None


def _committed(path: str) -> str | None:
    directory = os.path.dirname(os.path.realpath(path))
    return Project(directory, os.environ).committed(path)


def judge_document(path: str, blob: Blob, transcript: str = '') -> Judged:
    session = _read_transcript(transcript)
    try:
        document = parse(blob)
    except Unreadable as e:
        found = [unreadable(path, e)]
    else:
        facts = facts_about(document, path)
        found = check(path, blob, facts, session, _committed(path))
    return found, quality_answers(outline(), found, session is not None)


def judge_partial(path: str, blob: Blob) -> Judged:
    return check_partial(path, blob, before=_committed(path)), {}
