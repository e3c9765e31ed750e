"""Commands of git that need no reading, compared with the reader."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.guard.shell.effects import Git
from interlock.guard.shell.everyday_git import READS, WRITES, everyday_git
from interlock.guard.shell.read import read

KINDS = {
    'git status': READS,
    'git log --oneline -n 5': READS,
    'git diff --cached a.md': READS,
    'git show HEAD': READS,
    'git add -A': WRITES,
    'git commit -m "fix: x" notes.md': WRITES,
    'git add a b && git commit -am "x -n --no-verify"': WRITES,
    'git status; git commit -m x': WRITES,
    "git commit -m '--no-verify'": WRITES,
}
READ_IN_FULL = (
    'git',
    'git commit -n -m x',
    'git commit -nm x',
    'git commit -m x --no-verify',
    'git commit -m x --no-veri',
    'git commit -m',
    'git commit --message=x',
    'git commit -F x',
    'git commit --amend',
    'git -c core.hooksPath=x commit -m x',
    'git -C .. commit -m x',
    'git ci -m x',
    'git push',
    'git checkout a',
    'git diff --output=a.md',
    'git diff --output a.md',
    'git log -o a.md',
    'git log -n',
    'git log -n --output=a.md',
    'git log -n -p',
    'git log -n "5 6"',
    'git show --ext-diff',
    'git add -i',
    'git add -e',
    'cd .. && git commit -m x',
    'GIT_DIR=x git commit -m x',
    'git commit -m "$(rm a)"',
    'git commit -m x | cat',
    'git commit -m x > a',
    'git commit -m x; rm -r .git',
    './git commit -m x',
    'git-commit -m x',
)


@pytest.mark.parametrize('command', KINDS)
def test_what_says_all_it_does(command: str) -> None:
    assert everyday_git(command) == KINDS[command]


@pytest.mark.parametrize('command', READ_IN_FULL)
def test_what_has_to_be_read(command: str) -> None:
    assert everyday_git(command) == ''


WORDS = (
    """git git git status log diff show add commit commit push -m -am -n -a -A -q -p
    -s -F -o -c -C --message --no-verify --no-verify=x --all --stat --cached --output
    --output=a --amend -- a.md . HEAD "x" 'a b' "-n" '' -5 && ; || cd .. rm X=1
    core.hooksPath=x"""
).split()


COMMANDS = st.lists(st.sampled_from([*WORDS, '\n']), min_size=1, max_size=12).map(
    ' '.join
)
ENVIRONS = st.dictionaries(
    st.sampled_from(
        ['GIT_INDEX_FILE', 'GIT_CONFIG_GLOBAL', 'GIT_CONFIG_COUNT', 'HOME']
    ),
    st.sampled_from(['', '1', '/x']),
)


@given(COMMANDS, ENVIRONS)
def test_the_reader_finds_nothing_more_in_it(
    command: str, environ: dict[str, str]
) -> None:
    kind = everyday_git(command)
    if not kind:
        return
    effects = read(command, '/p', environ, '/p')
    calls = [each for each in effects if isinstance(each, Git)]
    assert calls == list(effects)
    assert {each.directory for each in calls} == {'/p'}
    assert any(each.writes or each.commits for each in calls) == (kind == WRITES)
    # what only reads is given no place to write to, as the value of an option either
    for each in calls:
        if not each.writes:
            assert not [arg for arg in each.args if arg.startswith(('--output', '-o'))]
