"""What an engine answers to a question about a record: the whole table."""

from __future__ import annotations

import pytest

from interlock.operations.tasks.locks import Holder
from interlock.tasks.engines.decision import decide, next_generation
from interlock.tasks.engines.engine import (
    DAMAGED,
    Answer,
    LockRecord,
    Question,
    Refused,
)

HELD = LockRecord('bake', 3, 'v', 'a', {}, b'', 'grant', 'changed')
FREE = HELD._replace(session='', token='', event='released')
BROKEN = HELD._replace(session='?', token='', event=DAMAGED)


def ask(
    event: str,
    generation: int = 3,
    session: str = 'a',
    before: str = '',
    version: str = 'v',
    token: str = 't',
) -> Question:
    holder = Holder(session, '', 1, '', 'host', '')
    note = {'before': before}
    return Question(event, 'bake', token, generation, holder, version, note=note)


FOREIGN = 'it is held by session a as generation 3'
STORED = ''


@pytest.mark.parametrize(
    ('asked', 'found', 'why'),
    (
        pytest.param(ask('acquired'), None, STORED, id='acquire the first'),
        pytest.param(ask('acquired'), FREE, STORED, id='acquire what is free'),
        pytest.param(ask('acquired'), HELD, 'it is held', id='acquire what is held'),
        pytest.param(ask('acquired'), BROKEN, 'it is held', id='acquire a damaged one'),
        *(
            pytest.param(ask(event, **asked), found, why, id=f'{event}, {what}')
            for event in ('changed', 'pushed', 'released')
            for what, asked, found, why in (
                ('own', {}, HELD, STORED),
                ('another session', {'session': 'b'}, HELD, FOREIGN),
                ('another generation', {'generation': 2}, HELD, FOREIGN),
                ('free', {}, FREE, 'it is not locked'),
                ('never held', {}, None, 'it is not locked'),
                ('damaged', {'session': '?'}, BROKEN, 'its record is damaged'),
            )
        ),
        pytest.param(
            ask('changed', session='b', before='a'), HELD, STORED, id='another id now'
        ),
        pytest.param(
            ask('changed', version='u'), HELD, 'it changed since it was read', id='old'
        ),
        pytest.param(ask('released', version='u'), HELD, STORED, id='release any'),
        pytest.param(ask('forced', session=''), HELD, STORED, id='force'),
        pytest.param(ask('forced', session=''), BROKEN, STORED, id='force a damaged'),
        pytest.param(ask('forced', 2), HELD, FOREIGN, id='force another generation'),
        pytest.param(ask('forced'), FREE, 'it is not locked', id='force what is free'),
        pytest.param(ask('moved', 9), None, STORED, id='move the first'),
        pytest.param(ask('moved', 9), FREE, STORED, id='move what is free'),
        pytest.param(ask('moved', 9), HELD, 'it is held', id='move what is held'),
    ),
)
def test_a_question_is_decided_by_the_record(
    asked: Question, found: LockRecord | None, why: str
) -> None:
    expected = Answer(False, found, why) if why else None
    assert decide(asked, found, '') == expected
    with pytest.raises(Refused, match='withdrawn'):
        decide(asked, found, 'withdrawn')


@pytest.mark.parametrize(
    ('asked', 'found', 'answer'),
    (
        (ask('acquired', token='grant'), HELD, Answer(True, HELD)),
        (ask('acquired'), HELD, Answer(False, HELD, 'it is held')),
        (ask('acquired'), FREE, Answer(False, FREE, 'it was ended since')),
        (ask('released'), FREE, Answer(True, FREE)),
        (ask('forced'), FREE, Answer(True, FREE)),
        (ask('changed'), HELD, Answer(True, HELD)),
        (ask('moved'), FREE, Answer(True, FREE)),
    ),
)
def test_a_question_that_was_answered_is_answered_again(
    asked: Question, found: LockRecord, answer: Answer
) -> None:
    assert decide(asked, found, asked.event) == answer


@pytest.mark.parametrize(
    ('asked', 'found', 'number'),
    (
        (ask('acquired', 0), None, 1),
        (ask('acquired', 0), FREE, 4),
        (ask('acquired', 7), FREE, 8),
        (ask('moved', 7), FREE, 7),
        (ask('moved', 2), FREE, 3),
        (ask('released'), HELD, 3),
    ),
)
def test_generations_never_go_back(
    asked: Question, found: LockRecord | None, number: int
) -> None:
    assert next_generation(asked, found) == number
