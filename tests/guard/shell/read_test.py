from __future__ import annotations

import pytest

from interlock.guard.shell.effects import (
    Git,
    Poses,
    Removes,
    Runs,
    Skips,
    Unknown,
    Writes,
)
from interlock.guard.shell.prefilter import could_matter
from interlock.guard.shell.read import read
from tests.guard.shell import innocent, posing, skipping, touching, unknown
from tests.guard.shell.cases import CWD, ENVIRON, Case, shown, told

REFUSED = (*skipping.CASES, *posing.CASES, *touching.CASES, *unknown.CASES)


def each(*tables: tuple[Case, ...]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(
        'case', [pytest.param(case, id=case.name) for table in tables for case in table]
    )


def test_there_are_as_many_on_both_sides() -> None:
    assert len(REFUSED) > 220
    assert len(innocent.CASES) > 150


@each(skipping.CASES)
def test_a_command_that_skips_hooks(case: Case) -> None:
    assert shown(told(case.command)) == shown(case.effects)


@each(posing.CASES)
def test_a_command_that_changes_who_acts(case: Case) -> None:
    assert shown(told(case.command)) == shown(case.effects)


@each(touching.CASES)
def test_a_command_that_writes_or_removes(case: Case) -> None:
    assert shown(told(case.command)) == shown(case.effects)


@each(unknown.CASES)
def test_a_command_that_does_not_say_what_it_does(case: Case) -> None:
    assert shown(told(case.command)) == shown(case.effects)


def is_outside(effect: object) -> bool:
    """Nothing of the project, which is the working directory."""
    return isinstance(effect, Writes | Removes) and (effect.path.startswith('/tmp/'))


@each(innocent.CASES)
def test_a_command_that_only_looks_like_one(case: Case) -> None:
    found = [effect for effect in told(case.command) if not is_outside(effect)]
    assert shown(found) == []


@each(tuple(case for case in REFUSED if case.effects))
def test_what_could_be_refused_is_read(case: Case) -> None:
    assert could_matter(case.command)


@pytest.mark.parametrize(
    'command',
    (
        'ls -la',
        'pytest -q',
        'cat foo',
        'make test',
        'cd build && make',
        'npm run build',
        'wc -l a b',
        'cargo test --all; ls',
        'head -n 5 x | wc',
        'grep -rn "foo" src',
        "rg 'a b' -n",
        'cmake --build build -j 4',
    ),
)
def test_what_cannot_be_refused_is_not_read(command: str) -> None:
    assert not could_matter(command)
    kinds = Git | Skips | Poses | Writes | Removes | Unknown
    assert not any(isinstance(effect, kinds) for effect in read(command, CWD, ENVIRON))


def gits(command: str, top: str = '') -> list[Git]:
    return [
        effect for effect in read(command, CWD, ENVIRON, top) if isinstance(effect, Git)
    ]


@pytest.mark.parametrize(
    ('command', 'writes', 'commits'),
    (
        ('git commit -m x', True, True),
        ('git commit --dry-run', True, False),
        ('git merge topic', True, True),
        ('git merge --abort', True, False),
        ('git merge --ff-only topic', True, False),
        ('git rebase main', True, True),
        ('git rebase --abort', True, False),
        ('git cherry-pick abc', True, True),
        ('git revert abc', True, True),
        ('git am x', True, True),
        ('git pull', True, True),
        ('git checkout main', True, False),
        ('git switch main', True, False),
        ('git reset --hard', True, False),
        ('git restore x', True, False),
        ('git add .', True, False),
        ('git rm x', True, False),
        ('git mv a b', True, False),
        ('git clean -fd', True, False),
        ('git stash', True, False),
        ('git stash pop', True, False),
        ('git branch -D x', True, False),
        ('git branch x', True, False),
        ('git tag v1', True, False),
        ('git tag -d v1', True, False),
        ('git worktree add ../x', True, False),
        ('git config user.name x', True, False),
        ('git remote add x y', True, False),
        ('git fetch origin main:main', True, False),
        ('git push . HEAD:main', True, False),
        ('git apply --index x', True, False),
        ('git symbolic-ref HEAD refs/heads/x', True, False),
        ('git nobody-knows-it', True, False),
        ('git status', False, False),
        ('git log -n 5', False, False),
        ('git diff', False, False),
        ('git show HEAD', False, False),
        ('git rev-parse HEAD', False, False),
        ('git branch', False, False),
        ('git branch --list x', False, False),
        ('git branch -a --contains x', False, False),
        ('git branch --show-current', False, False),
        ('git tag -l "v*"', False, False),
        ('git tag', False, False),
        ('git stash list', False, False),
        ('git worktree list', False, False),
        ('git remote -v', False, False),
        ('git config user.name', False, False),
        ('git config --get user.name', False, False),
        ('git fetch origin main', False, False),
        ('git push origin main', False, False),
        ('git symbolic-ref HEAD', False, False),
        ('git commit -h', False, False),
        ('git apply --check x', False, False),
        ('git reflog', False, False),
    ),
)
def test_what_git_changes(command: str, writes: bool, commits: bool) -> None:
    found = gits(command)[0]
    assert (found.writes, found.commits) == (writes, commits)


@pytest.mark.parametrize(
    ('command', 'directory'),
    (
        ('git commit', '/p'),
        ('git -C a -C ../b commit', '/p/b'),
        ('git -Ca commit', '/p/a'),
        ('cd /x/y/.. && git commit', '/x'),
        ('(cd /x && git commit)', '/x'),
        ('cd "$nobody" && git commit', '**'),
        ('cd "$nobody/x" && git commit', '**/x'),
        ('cd - ; git commit', '**'),
        ("sh -c 'cd /x; git commit'", '/x'),
        ('env -C /x git commit', '/x'),
        ('cd ~/x && git commit', '/home/ü/x'),
    ),
)
def test_where_git_is_called(command: str, directory: str) -> None:
    assert [found.directory for found in gits(command)] == [directory]


@pytest.mark.parametrize(
    ('command', 'others'),
    (
        ('git --git-dir=/x/.git commit', ['/x']),
        ('git --git-dir /x/.git --work-tree /y commit', ['/x', '/y']),
        ('git --git-dir=/x/.git/worktrees/a commit', ['/x']),
        ('git --git-dir=/x/bare.git commit', ['/x/bare.git']),
        ('git -c core.worktree=/y commit', ['/y']),
        ('GIT_WORK_TREE=/y git commit', ['/y']),
        ('GIT_DIR=/x/.git GIT_WORK_TREE=/y git commit', ['/x', '/y']),
        ('export GIT_DIR=../x/.git; git commit', ['/x']),
        ('GIT_DIR="$nobody" git commit', ['**']),
    ),
)
def test_each_place_that_git_may_change(command: str, others: list[str]) -> None:
    found = [each.directory for each in gits(command)]
    assert found == [CWD, *others]


def test_the_top_of_the_worktree_is_the_given_one() -> None:
    command = 'cd "$(git rev-parse --show-toplevel)" && git commit'
    assert gits(command, '/')[-1].directory == '**'
    assert gits(command, '/p')[-1].directory == '/p'
    assert gits(f'cd a/b; {command}', '/p')[-1].directory == '/p'
    assert gits(f'cd /x; {command}', '/p')[-1].directory == '**'
    assert gits(command)[-1].directory == '**'


@pytest.mark.parametrize('spec', (':/a', ':(top)a'))
def test_a_pathspec_from_the_top(spec: str) -> None:
    found = read(f"cd x; git checkout y -- '{spec}'", CWD, ENVIRON, CWD)
    assert [each.path for each in found if isinstance(each, Writes)] == ['/p/a']


@pytest.mark.parametrize(
    ('command', 'expected'),
    (
        ('/usr/bin/interlock approve x', Runs('interlock', ('approve', 'x'), CWD)),
        ('python3.12 -m pytest -q', Runs('pytest', ('-q',), CWD)),
        ('make -C build all', Runs('make', ('-C', 'build', 'all'), '/p/build')),
        ('cd x && cmake --build .', Runs('cmake', ('--build', '.'), '/p/x')),
        ('uv run --python 3.12 pytest -q', Runs('pytest', ('-q',), CWD)),
        ('npx tsc -p .', Runs('tsc', ('-p', '.'), CWD)),
        ('npm test', Runs('npm', ('test',), CWD)),
        ('x=a; foo "$x" *.py', Runs('foo', ('a', '*.py'), CWD)),
        ('timeout 5 ./run.sh a', Runs('run.sh', ('a',), CWD)),
        ('python3 -c "a > b"', Runs('python3', ('-c', 'a > b'), CWD)),
        (
            'python3 - x <<E\nprint(1)\nE',
            Runs('python3', ('-', 'x', 'print(1)\n'), CWD),
        ),
        ('echo "puts 1" | ruby', Runs('ruby', ('puts 1\n',), CWD)),
    ),
)
def test_other_programs_are_told(command: str, expected: Runs) -> None:
    found = read(command, CWD, ENVIRON)
    assert repr(expected) in shown(found)


def test_an_alias_of_git_is_resolved() -> None:
    found = gits('git -c alias.ci="commit --amend" ci -m x')
    assert [each.args for each in found] == [('--amend', '-m', 'x')]


def test_an_effect_is_told_once() -> None:
    assert len(read('rm x; rm x', CWD, ENVIRON)) == 2


def test_effects_of_two_kinds_are_both_told() -> None:
    found = read('git commit --no-verify; pre-commit uninstall', CWD, {})
    assert [type(effect) for effect in found] == [Git, Skips, Runs, Skips]
