"""The quick reading of plain commands, compared with the parser's."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.guard.shell import state
from interlock.guard.shell.plain_commands import plain_commands
from interlock.guard.shell.state import Shared, Shell
from interlock.guard.shell.walk import read_text

PLAIN = {
    'git status': [['git', 'status']],
    'git commit -m "fix: x" notes.md': [['git', 'commit', '-m', 'fix: x', 'notes.md']],
    "cd a && git add 'b c'; ls": [['cd', 'a'], ['git', 'add', 'b c'], ['ls']],
    'a || b\nc': [['a'], ['b'], ['c']],
    '  a  \n': [['a']],
    "a''b \"\" ''": [['ab', '', '']],
    "echo '$HOME `x` \\ *'": [['echo', '$HOME `x` \\ *']],
    'make CC=gcc': [['make', 'CC=gcc']],
}
LEFT_TO_THE_PARSER = (
    '',
    'A=1 git commit',
    'a+=b git commit',
    'cd x && -a-b=c git commit',
    'export A=1',
    'echo $HOME',
    'echo "$HOME"',
    'echo `x`',
    'echo "a\\"b"',
    'ls *.md',
    'ls ~',
    'a | b',
    'a & b',
    'a > b',
    'a < b',
    "cat <<'E'\nx\nE",
    '(a)',
    '{ a; }',
    '! a',
    'if a; then b; fi',
    'time git commit',
    'a # b',
    'a;;b',
    '&& a',
    'a &&',
    "a 'b",
    'a \\\n b',
)


@pytest.mark.parametrize('text', PLAIN)
def test_plain_commands_are_words(text: str) -> None:
    assert plain_commands(text) == PLAIN[text]


@pytest.mark.parametrize('text', LEFT_TO_THE_PARSER)
def test_what_may_mean_more_is_left_to_the_parser(text: str) -> None:
    assert plain_commands(text) is None


def test_a_hostile_text_takes_no_time() -> None:
    start = time.process_time()
    for text in ('a' * 1_999 + '$', "''" * 900 + '$', 'a ' * 900 + '$', ';\n' * 900):
        assert plain_commands(text) is None
    assert time.process_time() - start < 1


PIECES = st.sampled_from(
    """git commit -m -n --no-verify a.md 'x_y' "fix:_x" cd .. && || ; \n rm -rf tasks
    = A=1 env sudo sh -c 'git_commit_-n' eval interlock uninstall echo mv cp / ./x
    '*' ''""".replace('\n ', 'NEWLINE ').split()
).map(lambda word: word.replace('_', ' ').replace('NEWLINE', '\n'))
TEXTS = st.lists(st.tuples(PIECES, st.sampled_from(('', ' ', '  '))), max_size=9).map(
    lambda pairs: ''.join(word + space for word, space in pairs)
)


@given(TEXTS)
def test_the_parser_reads_them_the_same_way(text: str) -> None:
    if plain_commands(text) is None:
        return
    effects = []
    for read in (Shell.text, read_text):
        shared = Shared({'HOME': '/home/z'}, '/p')
        with pytest.MonkeyPatch.context() as patch:
            if read is read_text:
                patch.setattr(state, 'plain_commands', lambda text: None)
            read(Shell(shared, '/p/sub'), text)
        effects.append(shared.effects)
    assert effects[0] == effects[1]
