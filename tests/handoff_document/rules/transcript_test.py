from __future__ import annotations

from interlock.handoff_document.check import describe, quality_answers
from interlock.handoff_document.outline import outline
from interlock.state.transcript import Message, Transcript
from tests.handoff_document.pages import PLAN, facts, found, judged, page, state


def said(*texts: str) -> Transcript:
    return Transcript(messages=tuple(Message(text, 'request', '') for text in texts))


def test_every_message_of_the_user_is_there() -> None:
    session = said('bâtis le café', 'Non, en *rouge*!')
    (finding,) = found('DOC043', page(), None, session)
    assert finding.severity == 'warning'
    assert 'en *rouge*' in finding.message
    text = page({'1.7 Messages': '1. bâtis le café\n2. "Non, en *rouge*!"'})
    assert found('DOC043', text, None, session) == []


def test_of_a_long_message_the_start_is_enough() -> None:
    session = said('mot ' * 500)
    text = page({'1.7 Messages': f'- {"mot " * 20}...'})
    assert found('DOC043', text, None, session) == []


def test_every_error_is_there() -> None:
    session = Transcript(errors=('make: *** [test] Error 2\nlong',))
    (finding,) = found('DOC044', page(), None, session)
    assert finding.severity == 'warning'
    text = page(
        None,
        state(
            conversation__errors=[
                {'error': 'make: *** [test] Error 2', 'fix': 'x', 'user_feedback': None}
            ]
        ),
    )
    assert found('DOC044', text, None, session) == []


def test_the_conversation_is_filled_or_said_to_be_empty() -> None:
    session, silent = said('bâtis le café'), Transcript()
    assert len(found('DOC045', page(), None, session)) == 1
    assert found('DOC045', page(), None) == []
    table = '| # | Type | Message Summary |\n|---|---|---|\n| 1 | request | x |'
    assert found('DOC045', page({'1.25 T': table}), None, session) == []
    nothing = page({'1.25 T': 'NO CONVERSATION RECORDED'})
    assert found('DOC045', nothing, None, silent) == []
    (finding,) = found('DOC045', nothing, None, session)
    assert 'the user wrote' in finding.message


def test_every_skill_that_was_used_is_documented() -> None:
    session = Transcript(skills=('bâtir', 'peindre', 'peindre'))
    (finding,) = found('DOC046', page(), None, session)
    assert finding.expected == 'peindre'
    assert finding.severity == 'warning'
    text = page({'1.1 Org': 'Skills: peindre'})
    assert found('DOC046', text, None, session) == []
    assert found('DOC046', page(), None) == []


def test_a_task_is_done_in_plan_and_todos_or_in_neither() -> None:
    def world(line: str) -> object:
        return facts(read={PLAN: f'# Plan\n\n{line}\n'}.get)

    (finding,) = found('DOC047', page(), world('- [x] Écrire les tests'))
    assert finding.severity == 'warning'
    assert f'{PLAN}:3' in finding.message
    assert found('DOC047', page(), world('- [ ] Écrire les tests')) == []
    assert found('DOC047', page(), world('- [x] Autre')) == []


def test_concepts_and_decisions_are_told() -> None:
    session = Transcript()
    told = found('DOC048', page(), None, session)
    assert [each.key for each in told] == ['1.3', '1.4']
    text = page({'1.3 Concepts': 'sqlite', '1.4 Decisions': 'cobol: non'})
    (finding,) = found('DOC048', text, None, session)
    assert '`sqlite`' in finding.message
    good = page({'1.3 Concepts': 'x', '1.4 Decisions': 'sqlite: simple'})
    assert found('DOC048', good, None, session) == []
    assert found('DOC048', page(), None) == []


def kinds(text: str, transcript: Transcript | None) -> dict[int, str]:
    findings = judged(text, None, transcript)
    given = quality_answers(outline(), findings, transcript is not None)
    return {question.line: answer for question, answer in given.items()}


def test_thirty_four_questions_are_asked() -> None:
    given = list(kinds(page(), None).values())
    assert len(given) == 34
    assert given.count('yes') == 19
    assert given.count('not decided') == 9
    assert given.count('not decidable') == 6
    assert given.count('no') == 0


def test_the_undecidable_ones_are_named_by_their_lines() -> None:
    lines = [
        line
        for line, answer in kinds(page(), None).items()
        if answer == 'not decidable'
    ]
    assert lines == [747, 758, 760, 776, 779, 780]
    text = '\n'.join(describe(quality_answers(outline(), [], False), False))
    assert 'not decidable by a program (6):' in text
    for line in lines:
        assert f'    l.{line} ' in text


def test_with_the_transcript_nine_more_are_decided() -> None:
    given = kinds(page(), said('bâtis le café'))
    assert 'not decided' not in given.values()
    assert given[755] == 'yes'
    assert given[759] == 'no'


def test_a_finding_answers_its_question_with_no() -> None:
    given = kinds(page({'0.2 Reads': 'see'}), None)
    assert [line for line, answer in given.items() if answer == 'no'] == [736]


def test_a_section_that_is_missing_answers_with_no() -> None:
    given = kinds(page({'1.10 Again': None}), None)
    assert [line for line, answer in given.items() if answer == 'no'] == [743]


def test_without_a_state_nothing_about_it_is_yes() -> None:
    given = kinds(page({'1.20 State': 'later'}), None)
    assert [line for line, answer in given.items() if answer == 'no'] == [
        748,
        749,
        763,
        764,
        765,
        766,
        767,
        770,
        771,
        774,
    ]


def test_what_readers_must_fill_in_says_nothing_of_1_20() -> None:
    given = kinds(page({'1.5 Changes': '**Main agent:** [files]'}), None)
    assert 'no' not in given.values()


def test_a_gap_does_not_count_as_yes() -> None:
    given = kinds(page(None, state(subagents='[GAP: subagents]')), None)
    assert given[748] == given[763] == given[765] == 'no'
    assert given[764] == 'yes'


def test_every_decidable_question_is_an_error_or_a_warning() -> None:
    from interlock.rules.index import RULES

    for question in outline().quality:
        severities = {RULES[code].severity for code in question.codes}
        if question.decided == 'fully':
            assert severities == {'error'}
        elif question.decided == 'partly' and question.line != 752:
            assert severities == {'warning'}
        else:
            # todos that differ from each other are an error, from the
            # transcript a warning
            assert severities <= {'error'}
