from __future__ import annotations

import subprocess

import pytest
from hypothesis import example, given, settings, strategies

from interlock.documents.message import blocks, last_block, parse, prose
from interlock.documents.trailers import reason, task

KEY = 'Contract-Amendment'
FOOTER = '🤖 Generated with [Claude Code](https://claude.com/claude-code)'
SIGNED = 'Co-Authored-By: Claude <noreply@anthropic.com>'
SCISSORS = f'# {"-" * 24} >8 {"-" * 24}'


def by_git(text: str) -> list[tuple[str, str]]:
    out = subprocess.run(
        ('git', '-c', 'core.commentChar=#', 'interpret-trailers', '--parse'),
        input=text.encode(),
        capture_output=True,
        check=True,
    ).stdout.decode()
    # git ends lines at newlines only
    pairs = (line.partition(': ') for line in out.split('\n') if line)
    return [(key.removesuffix(':'), value) for key, _, value in pairs]


LINES = strategies.sampled_from(
    (
        '',
        '',
        '',
        ' ',
        '\t',
        'Prose of somebody',
        'more prose',
        f'{KEY}: why',
        f'{KEY}:why',
        f'{KEY} : why',
        f'{KEY}:',
        'Key: value',
        'a b: c',
        'Signed-off-by: A <a@b>',
        SIGNED,
        '(cherry picked from commit 0123abc)',
        ' folded',
        '\tfolded: too',
        '# a comment',
        '#: x',
        '---',
        '--- x',
        '----',
        'Conflicts:',
        '\tpath',
        'Ключ: значение',
        '-: x',
        ':',
        'Key: a: b',
        'Key: x\r',
        'x\x0bKey: y',
        'http://x',
        '1: 2',
        'Key:\u2028x',
    )
)


@settings(max_examples=150, deadline=None)
@given(strategies.lists(LINES, max_size=12), strategies.booleans())
@example(['a', '', f'{KEY}: why', f'{SCISSORS}', 'Key: x'], True)
@example(['a', '', f'{KEY}: why\0', 'Key: x'], True)
@example(['a', '', 'x', 'x', 'x', 'Signed-off-by: x'], True)
@example(['a', '', 'x', 'x', 'x', 'x', 'Signed-off-by: x'], True)
@example(['# c', 'a', '', 'Key: x', ' ', ' y'], False)
@example(['', 'Key:\u2028x'], False)
@example(['', 'x\x0bKey: y'], False)
def test_the_last_block_is_what_git_reads(lines: list[str], ended: bool) -> None:
    text = '\n'.join(lines) + ('\n' if ended else '')
    expected = by_git(text)
    assert [(key, value) for key, value in last_block(text).trailers] == expected
    assert set(expected) <= set(blocks(text).trailers)


@pytest.mark.parametrize(
    'text',
    (
        pytest.param(f'a\n\n{KEY}: why\n', id='alone'),
        pytest.param(f'a\n\n{KEY}: why\n{SIGNED}\n', id='a neighbour below'),
        pytest.param(f'a\n\n{SIGNED}\n{KEY}: why\n', id='a neighbour above'),
        pytest.param(f'a\n\nb\n\n{KEY}: why\n\n{SIGNED}\n', id='paragraphs'),
        pytest.param(f'a\n\n{KEY}: why\n\n{FOOTER}\n\n{SIGNED}\n', id='a footer'),
        pytest.param(f'a\n\n{KEY}: why\n\n{FOOTER}\n{SIGNED}\n', id='joined'),
        pytest.param(f'a\n\n{KEY}: why\n{FOOTER}\n', id='footer in it'),
        pytest.param(f'a\n\n{KEY}: why\n\n{FOOTER}\n', id='footer last'),
        pytest.param(f'a\n\n{KEY.upper()}: why\n', id='another case'),
        pytest.param(f'a\n\n{KEY}:\n why\n', id='folded'),
        pytest.param(f'a\n\n{KEY}: why\n# x\n', id='a comment below'),
        pytest.param(f'a\n\n{KEY}: why\n---\n x.md | 2 +-\n', id='a patch'),
        pytest.param(
            f'a (#1)\n\n{KEY}: why\n\n---------\n\n{SIGNED}\n',
            id='co-authors of GitHub',
        ),
        pytest.param(
            f'a\n\n{KEY}: why\n\nSee merge request a/b!1\n', id='a request of GitLab'
        ),
        pytest.param(
            f'a\n\n{KEY}: why\n\nCloses #12, b/c#3, and #4\n\nSee merge request a/b!1\n',
            id='issues of GitLab',
        ),
        pytest.param(
            f'Merged PR 1: a\n\nb\n\n{KEY}: why\n\nRelated work items: #2, #3\n',
            id='work items of Azure DevOps',
        ),
        pytest.param(
            f'a\n\n(cherry picked from commit 0123abc)\nx\n{KEY}: why\n',
            id='beside what git generates',
        ),
    ),
)
def test_a_reason_that_counts(text: str) -> None:
    assert parse(text).trailers[KEY.lower()] == 'why'


@pytest.mark.parametrize(
    'text',
    (
        pytest.param(f'{KEY}: why\n', id='the subject'),
        pytest.param(f'a\n{KEY}: why\n', id='below the subject'),
        pytest.param(f'a\n\nthe line\n{KEY}: why\n', id='below prose'),
        pytest.param(f'a\n\n{KEY}: why\nprose goes on\n', id='above prose'),
        pytest.param(f'a\n\n{KEY}: why\n\nprose\n', id='before prose'),
        pytest.param(f'a\n\n{KEY}: why\n\nCloses a gap\n', id='closes no issue'),
        pytest.param(f'a\n\n{KEY}: why\n\nprose\n\n{SIGNED}\n', id='between'),
        pytest.param(f'a\n\n {KEY}: why\n', id='indented'),
        pytest.param(f'a\n\n# {KEY}: why\n', id='a comment'),
        pytest.param(f'a\n\nb\0\n\n{KEY}: why\n', id='behind a NUL'),
        pytest.param(f'a\0\n\n{KEY}: why\n', id='behind a NUL in the subject'),
        pytest.param(f'a\n\nb\n---\n\n{KEY}: why\n', id='behind a patch'),
        pytest.param(f'a\n\n{KEY}:\n', id='empty'),
        pytest.param(f'a\n\n{KEY} why: x\n', id='two words'),
        pytest.param(f'a\n\n> {KEY}: why\n', id='quoted'),
        pytest.param(f'a\n\n* {KEY}: why\n\n* b\n', id='a list'),
        pytest.param(f'a\n\n* b\n* {KEY}: why\n\n* c\n', id='in a list'),
        pytest.param(f'a\n\n* b\n{KEY}: why\n\n* c\n', id='below a title'),
        pytest.param(f'a\n\n* b\n\n{KEY}: why\nprose\n\n* c\n', id='above its prose'),
        pytest.param(f'a\n\n* b\n\n{KEY}: why\n\nprose\n\n* c\n', id='its prose'),
        pytest.param(f'a\n\n* b\n\n    {KEY}: why\n\n* c\n', id='its code'),
        pytest.param(f'a\n\n{KEY}: why\n\n* b\n\n* c\n', id='before a list'),
        pytest.param(
            f'a\n\ncommit {"a" * 40}\n\n    b\n\n    {KEY}: why\n\nc\n', id='a log'
        ),
    ),
)
def test_text_that_is_not_a_reason(text: str) -> None:
    assert KEY.lower() not in parse(text).trailers
    assert reason(parse(text), KEY) == ''


@pytest.mark.parametrize(
    'text',
    (
        pytest.param(f'a (#1)\n\n* b\n\nc\n\n{KEY}: why\n\n* d\n\ne\n', id='GitHub'),
        pytest.param(f'a\n\n* b\n\n{KEY}: why\n{SIGNED}\n\n* d\n', id='signed'),
        pytest.param(f'a\n\n* b\n\n* d\n\n{KEY}: why\n\n* e\n\nf\n', id='the second'),
        pytest.param(
            f'Merged in a\n\nb\n\n* c\n\n{KEY}: why\n\n* d\n\nApproved-by: e\n',
            id='Bitbucket',
        ),
        pytest.param(
            'a\n\nSquashed commit of the following:\n\n'
            f'commit {"a" * 40}\nAuthor: A\n\n    b\n\n    c\n\n    {KEY}: why\n\n'
            f'commit {"b" * 40}\nAuthor: A\n\n    d\n',
            id='git',
        ),
    ),
)
def test_a_reason_of_a_squashed_commit_counts(text: str) -> None:
    """But not whose work it was."""
    assert reason(parse(text), KEY) == 'why'
    told = parse(text.replace(KEY, 'Interlock-Task'))
    assert task(told) == ''


@pytest.mark.parametrize(
    ('text', 'expected'),
    (
        pytest.param('a\n\nwarum\n', 'warum', id='prose'),
        pytest.param(f'a\n\nwarum\n\n{FOOTER}\n\n{SIGNED}\n', 'warum', id='+'),
        pytest.param(f'a\n\n{FOOTER}\n\n{SIGNED}\n', '', id='a footer'),
        pytest.param(f'a\n\n{FOOTER}\n{SIGNED}\n', '', id='one paragraph'),
        pytest.param('a\n\nMade with Cursor\n', '', id='another client'),
        pytest.param('a\n\nCloses #1\n', '', id='an issue'),
        pytest.param('a\n\nReviewed-by: x\nand so on\n', 'and so on', id='b'),
        pytest.param('a\n\nb\0c\n', 'b', id='NUL'),
        pytest.param('a\n', '', id='none'),
    ),
)
def test_prose_is_what_somebody_wrote(text: str, expected: str) -> None:
    assert prose(parse(text)) == expected
