"""Judges one file on disk as a handoff document."""
from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

from interlock.commands.facts import facts
from interlock.commands.facts import governing
from interlock.commands.facts import place_of
from interlock.commands.facts import plans_of
from interlock.documents.text import decode
from interlock.handover import document as documents
from interlock.handover import quality
from interlock.handover.check import check
from interlock.handover.check import unreadable
from interlock.handover.outline import outline
from interlock.handover.rules.partial import partial
from interlock.model.change import Blob
from interlock.model.errors import Refusal
from interlock.model.errors import Unreadable
from interlock.model.finding import Finding
from interlock.report.formats import render
from interlock.report.summary import Report
from interlock.saved import transcript as transcripts
from interlock.world.surroundings import Surroundings


class Verdict(NamedTuple):
    findings: Sequence[Finding]
    # () where only signs of partial work were looked for
    answers: Sequence[quality.Answer] = ()

    def render(self, form: str, colour: bool, verbosity: int) -> str:
        report = Report(self.findings)
        if form == 'json' and self.answers:
            from interlock.report.machine import render_json
            return render_json(report, {'quality': [
                {
                    'line': each.question.line,
                    'question': each.question.question,
                    'answer': each.answer,
                }
                for each in self.answers
            ]})
        text = render(report, form, colour, verbosity)
        if form != 'text' or verbosity < 0 or not self.answers:
            return text
        said = quality.sentences(self.answers, verbosity > 0)
        return '\n'.join(filter(None, [text, *said]))


def read_transcript(path: str) -> transcripts.Transcript | None:
    if not path:
        return None
    try:
        with open(path, 'rb') as f:
            if not any(map(transcripts.is_entry, f)):
                # what says nothing would answer every question with yes
                raise Refusal(
                    f'{path} is no transcript: no line of it is an entry of '
                    f'a session (JSON)', f'head -1 {path}',
                )
            f.seek(0)
            return transcripts.read(f)
    except OSError as e:
        raise Refusal(
            f'the transcript {path} cannot be read: {e.strerror}',
        ) from None


def _before(path: str) -> str | None:
    directory = os.path.dirname(os.path.realpath(path))
    return Surroundings(directory, os.environ).committed(path)


def judge(path: str, blob: Blob, transcript: str) -> Verdict:
    session = read_transcript(transcript)
    try:
        document = documents.parse(blob)
    except Unreadable as e:
        found = [unreadable(path, e)]
    else:
        plans = plans_of(governing())
        world = facts(place_of(document), plans, path)
        found = check(path, blob, world, session, _before(path))
    return Verdict(
        found, quality.answers(outline(), found, session is not None),
    )


def judge_partial(path: str, blob: Blob) -> Verdict:
    try:
        text = decode(blob)
    except Unreadable as e:
        return Verdict([unreadable(path, e)])
    return Verdict(list(partial(path, text, _before(path))))
