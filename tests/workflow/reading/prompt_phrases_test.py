from __future__ import annotations

import pytest

from interlock.workflow.reading.prompt_phrases import is_phrase, mentions, names
from tests.tasks.conditions.views import LENIENT

PROTOCOL = LENIENT.kinds[0].protocol
assert PROTOCOL is not None
WORDS = PROTOCOL.prompts.approves
NAMES = ('bake-bread',)

YES = (
    'approved',
    'Approved',
    'APPROVED!',
    'approved.',
    'approved!!!',
    'approved…',
    'Approved ✅',
    '**approved**',
    'proceed',
    'Proceed.',
    'please proceed',
    'Proceed, please',
    'proceed please!',
    'yes, proceed',
    'Yes — proceed',
    'ok, proceed',
    'Okay. Proceed.',
    'yes approved',
    'I approve',
    'I approve.',
    'I approve the plan',
    'I approve the changes',
    'approve',
    'approve the plan',
    'plan approved',
    'Plan approved, proceed.',
    'the plan is approved',
    'changes approved',
    'approved, proceed',
    'Approved - go ahead',
    'proceed with the plan',
    'proceed with the implementation',
    'proceed as planned',
    "let's proceed",
    'let’s proceed',
    'you may proceed',
    'lgtm, approved',
    'LGTM! Approved.',
    'looks good, approved',
    'thanks, approved',
    'approved, thank you',
    'approved\n',
    '  approved  ',
    'approved\n\nthanks!',
    'approved bake-bread',
    'bake-bread: approved',
    'approved for bake-bread',
    'proceed with bake-bread',
    'I approve the plan of bake-bread',
)

NO = (
    # agreement in other words: the hook says which words count
    'I approve this plan',
    'I hereby approve the plan.',
    'This is approved',
    'It is approved.',
    'approved and proceed',
    'approved, go ahead with the implementation',
    'approved for implementation',
    'Proceed to implementation',
    'You can proceed',
    'you can now proceed',
    'Looks good to me. Approved.',
    'Great plan, approved!',
    'perfect, proceed',
    'no comments, approved',
    'No further questions. Approved.',
    'approved, no changes needed',
    'Approved. Start with the parser.',
    'Approved, begin with phase 1 and commit each phase',
    'proceed, you have my go',
    # no agreement at all
    '',
    ' ',
    '!',
    'yes',
    'ok',
    'lgtm',
    'looks good',
    'continue',
    'go ahead',
    'go on',
    'next',
    'not approved',
    'Not approved yet',
    'not yet approved',
    'this is not approved',
    'do not proceed',
    "don't proceed",
    'don’t proceed',
    'please do not proceed',
    "I don't approve",
    "I can't approve this",
    'I cannot approve this',
    "I won't approve it",
    "isn't approved",
    'never proceed without asking',
    'no, proceed is wrong',
    'stop, do not proceed',
    'hold on, proceed later',
    'wait before you proceed',
    'approved?',
    'Approved ?',
    'proceed?',
    'should we proceed?',
    'Should we proceed',
    'shall I proceed',
    'can we proceed',
    'may we proceed?',
    'is the plan approved',
    'are you ready to proceed?',
    'do you want to proceed',
    'was it approved?',
    'how do we proceed',
    'tell me how to proceed',
    'what would it take to get this approved',
    'why did you proceed',
    'who approved this',
    'approved. why is phase 2 so long?',
    '"approved"',
    '“approved”',
    "'approved'",
    '‘approved’',
    '`approved`',
    '`proceed`',
    '```\napproved\n```',
    '> approved',
    '> approved\n',
    '> respond with approved\nI need more time',
    'you said "proceed"',
    'I will say "approved" tomorrow',
    'the word “approved” is what you are waiting for',
    'approve after you fix the tests',
    'approved after the rename',
    'approved once the tests pass',
    'approved when CI is green',
    'approved if the tests pass',
    'if all is well then proceed',
    'if you like it, proceed',
    'unless you object, proceed',
    'approved, but rename the class',
    'approved except phase 3',
    'approved with changes',
    'approved with minor changes',
    'approved with the following changes',
    'Approved. Also rename the class.',
    'approved, change phase 2 to use maps',
    'approved, fix the typo',
    'approved for now',
    'partially approved',
    'conditionally approved',
    'almost approved',
    'approved in principle',
    'approved pending legal',
    'approved: false',
    'approved = false',
    'I will approve',
    'I may approve',
    'I would approve this',
    'I might proceed',
    'going to approve later',
    'we need it to be approved',
    'it will be approved',
    'my manager approved',
    'he approved it',
    'I already approved it',
    'unapproved',
    'disapproved',
    'I disapprove',
    'pre-approved',
    'set approved to true in the lock',
    'write approved into the lock',
    'add an approved column',
    'the approved flag is wrong',
    'rename proceed() to advance()',
    'proceed to the kitchen',
    'change the text, then proceed',
    'first fix the parser, then proceed',
    'explain the plan and proceed',
    'I rejected what you approved',
    'approval',
    'approving',
    'proceeding',
    '/approve bake-bread',
    'approved eat-bread',
    'The invoice was approved by accounting last week, so let us look at '
    'the next screen and its tests.',
    f'approved {"and this is a long story about it " * 12}',
    f'{"word " * 28}approved',
)


def test_the_tables_are_large_enough() -> None:
    assert len(YES) >= 40
    assert len(NO) >= 40
    assert len({*YES, *NO}) == len(YES) + len(NO)


@pytest.mark.parametrize('prompt', YES)
def test_a_listed_phrase_approves(prompt: str) -> None:
    assert is_phrase(prompt, WORDS, NAMES)
    assert mentions(prompt, WORDS)


@pytest.mark.parametrize('prompt', NO)
def test_nothing_else_approves(prompt: str) -> None:
    assert not is_phrase(prompt, WORDS, NAMES)


@pytest.mark.parametrize(
    ('prompt', 'expected'),
    (
        ('continue', True),
        ('Continue!', True),
        ('go on', True),
        ('ok go on please', True),
        ('continue with the next stage', False),
        ('continue Bravo', True),
        ('Bravo: continue', True),
        ('go on with Bravo', True),
        ('continue with Bravo', False),
        ('go on with Alpha', False),
        ('please continue with Stage 3', False),
        ('continue?', False),
        ("don't continue", False),
        ('continue reading the file', False),
        ('go on about the weather', False),
        ('gone on', False),
        ('go', False),
        ('on', False),
    ),
)
def test_other_words(prompt: str, expected: bool) -> None:
    words = ('continue', 'go on', 'go on with {item}')
    assert is_phrase(prompt, words, ['Bravo']) == expected


@pytest.mark.parametrize(
    ('prompt', 'expected'),
    (
        ('continue with next task', True),
        ('Continue with the next task.', True),
        ('please continue with the next task, thanks', True),
        ('continue with the next task?', False),
        ('continue with the next task after lunch', False),
        ('continue', False),
        ('do not continue with the next task', False),
        ('', False),
        ('please', False),
    ),
)
def test_a_phrase_is_the_whole_prompt(prompt: str, expected: bool) -> None:
    assert is_phrase(prompt, ['continue with next task']) == expected


@pytest.mark.parametrize(
    ('prompt', 'expected'),
    (
        ('approved bake-bread', True),
        ('approved: Bake-Bread!', True),
        ('approved bake-bread-later', False),
        ('approved pre-bake-bread', False),
        ('approved', False),
    ),
)
def test_what_a_prompt_names(prompt: str, expected: bool) -> None:
    assert names(prompt, 'bake-bread') == expected
