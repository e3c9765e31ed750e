"""Every rule about a handoff document."""

from __future__ import annotations

import os

from interlock.documents.text import decode
from interlock.files.atomic_files import read
from interlock.git.batch import MAX_BLOB
from interlock.handoff_document import quality
from interlock.handoff_document.case import RULES, Case, ProjectFacts, complete, finding
from interlock.handoff_document.document import parse
from interlock.handoff_document.facts import (
    Project,
    directory_of,
    gather_facts,
    governing_workflow,
    plans_of,
)
from interlock.handoff_document.outline import outline

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
from interlock.model.finding import Finding
from interlock.model.quick_typing import Sequence
from interlock.state import transcript as transcripts
from interlock.state.transcript import Transcript


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
    # two rules may say the same
    unique = {(f.line, f.message, f.fingerprint): f for f in found}
    return sorted(unique.values(), key=lambda f: (f.line, f.code))


# what is wrong with a document, and how the questions of quality are answered
Judged = tuple[Sequence[Finding], Sequence[quality.QualityAnswer]]


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
        plans = plans_of(governing_workflow())
        facts = gather_facts(directory_of(document), plans, path)
        found = check(path, blob, facts, session, _committed(path))
    return found, quality.quality_answers(outline(), found, session is not None)


def judge_partial(path: str, blob: Blob) -> Judged:
    """Only signs of partial work, in any markdown file."""
    try:
        text = decode(blob)
    except Unreadable as e:
        return [unreadable(path, e)], ()
    return list(partial_work(path, text, _committed(path))), ()
