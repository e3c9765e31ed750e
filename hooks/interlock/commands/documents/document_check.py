"""Judges one file on disk as a handoff document."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

from interlock.documents.text import decode
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
from interlock.model.report import Report
from interlock.report.formats import render
from interlock.state import transcript as transcripts


class JudgedDocument(NamedTuple):
    findings: Sequence[Finding]
    # () where only signs of partial work were looked for
    answers: Sequence[quality.QualityAnswer] = ()

    def render(self, form: str, colour: bool, verbosity: int) -> str:
        report = Report(self.findings)
        if form == 'json' and self.answers:
            from interlock.report.ci_formats import render_json

            return render_json(
                report,
                {
                    'quality': [
                        {
                            'line': each.question.line,
                            'question': each.question.question,
                            'answer': each.answer,
                        }
                        for each in self.answers
                    ]
                },
            )
        text = render(report, form, colour, verbosity)
        if form != 'text' or verbosity < 0 or not self.answers:
            return text
        said = quality.describe(self.answers, verbosity > 0)
        return '\n'.join(filter(None, [text, *said]))


def read_transcript(path: str) -> transcripts.Transcript | None:
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


def _before(path: str) -> str | None:
    directory = os.path.dirname(os.path.realpath(path))
    return Project(directory, os.environ).committed(path)


def judge(path: str, blob: Blob, transcript: str) -> JudgedDocument:
    session = read_transcript(transcript)
    try:
        document = documents.parse(blob)
    except Unreadable as e:
        found = [unreadable(path, e)]
    else:
        plans = plans_of(governing_workflow())
        facts = gather_facts(directory_of(document), plans, path)
        found = check(path, blob, facts, session, _before(path))
    return JudgedDocument(
        found, quality.quality_answers(outline(), found, session is not None)
    )


def judge_partial(path: str, blob: Blob) -> JudgedDocument:
    try:
        text = decode(blob)
    except Unreadable as e:
        return JudgedDocument([unreadable(path, e)])
    return JudgedDocument(list(partial_work(path, text, _before(path))))
