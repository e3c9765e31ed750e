"""Judges one file on disk as a handoff document."""

from __future__ import annotations

import os
from collections.abc import Sequence

from interlock.documents.text import decode
from interlock.files.atomic_files import read
from interlock.git.batch import MAX_BLOB
from interlock.handoff_document import document as documents
from interlock.handoff_document import quality
from interlock.handoff_document.check import check, unreadable
from interlock.handoff_document.facts import (
    Project,
    directory_of,
    gather_facts,
    governing_workflow,
    plans_of,
)
from interlock.handoff_document.outline import outline
from interlock.handoff_document.rules.partial import partial_work
from interlock.model.change import Blob
from interlock.model.errors import Refusal, Unreadable
from interlock.model.finding import Finding
from interlock.state import transcript as transcripts

# what is wrong with a document, and how the questions of quality are answered
Judged = tuple[Sequence[Finding], Sequence[quality.QualityAnswer]]


def blob_of(path: str) -> Blob:
    if not os.path.isfile(path):
        raise Refusal(f'there is no file {path}', 'interlock document new')
    size = os.path.getsize(path)
    return Blob('', size, read(path) if size <= MAX_BLOB else None)


def _read_transcript(path: str) -> transcripts.Transcript | None:
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
        document = documents.parse(blob)
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
