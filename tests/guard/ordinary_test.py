"""A whole day of commands, judged as one table."""

from __future__ import annotations

import difflib
import io
import os
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import samples
from tests.conftest import Repo
from tests.guard import attacks
from tests.guard.asking import edit, write
from tests.guard.guards.shell_commands_test import run, tasks
from tests.guard.ordinary import COMMANDS, TASK
from tests.spaces import Space

__all__ = ['tasks']

MOST_ASKED = 4
HARMLESS = """\
--- a/src/index.ts
+++ b/src/index.ts
@@ -1 +1,2 @@
 foo
+bar
"""


@pytest.fixture
def day(project: Repo) -> Repo:
    """A project that is wired, with the files of an ordinary one."""
    project.write(
        {
            **samples.CALLERS,
            'plugins/Bravo/Source/a.cpp': 'x\n',
            'src/index.ts': 'foo\n',
            'src/old.ts': 'x\n',
            'README.md': '# x\n',
            'docs/guide.md': 'x\n',
            'docs/architecture.md': 'x\n',
            'package.json': '{"version": "1"}\n',
            'template/a.md': 'x\n',
            'template/src/b.ts': 'x\n',
            'plugins/Bravo/NOTES.md': 'a\n',
            'plugins/Bravo/CHANGELOG.md': 'a\n',
            'harmless.patch': HARMLESS,
            'names.txt': 'x\n',
            'build/x.o': 'x\n',
        }
    )
    with tarfile.open(project.path / 'harmless.tgz', 'w:gz') as packed:
        packed.addfile(tarfile.TarInfo('lib/x.md'), io.BytesIO())
    with zipfile.ZipFile(project.path / 'harmless.zip', 'w') as zipped:
        zipped.writestr('lib/x.md', 'x')
    project.git('add', '-A')
    project.git('commit', '-qm', 'all')
    hook = '#!/bin/sh\nexec interlock hook\n'
    project.write({'.git/hooks/pre-commit': hook})
    return project


def answers(cwd: Path, commands: list[str]) -> Iterator[tuple[str, str, str]]:
    for command in commands:
        answer = run(command, cwd)
        if answer.kind:
            yield answer.kind, command, answer.text


def test_there_are_enough_of_them() -> None:
    assert len(set(COMMANDS)) >= 250


def test_an_ordinary_day(day: Repo) -> None:
    found = list(answers(day.path, COMMANDS))
    assert [each for each in found if each[0] != 'ask'] == []
    assert len(found) <= MOST_ASKED, '\n'.join(map(str, found))


def test_an_ordinary_day_of_a_task(tasks: Space) -> None:
    code = tasks.file('code')
    assert list(answers(code, TASK.splitlines())) == []


def test_the_registry_is_that_of_the_samples(day: Repo) -> None:
    text = (day.path / 'PLUGINS.md').read_text('UTF-8')
    assert text == samples.registry(samples.STATUSES)


@pytest.fixture
def attacked(day: Repo) -> Repo:
    """With files beside the records that would land on them."""
    old = samples.registry(samples.STATUSES)
    illegal = samples.registry({**samples.STATUSES, 'Bravo': 'Stage 5'})
    legal = samples.registry({**samples.STATUSES, 'Bravo': 'Stage 3'})
    # the commit before the last one says what is illegal now
    day.git('checkout', '-q', '--orphan', 'other')
    settings = (day.path / '.claude/settings.json').read_text()
    config = (day.path / '.pre-commit-config.yaml').read_text()
    day.commit(
        {
            'PLUGINS.md': illegal,
            '.claude/settings.json': '{}',
            '.pre-commit-config.yaml': 'repos: []\n',
            'gone': 'x\n',
        }
    )
    day.commit(
        {
            'PLUGINS.md': old,
            '.claude/settings.json': settings,
            '.pre-commit-config.yaml': config,
        }
    )
    day.write(
        {
            'evil/PLUGINS.md': illegal,
            'evil/architecture.md': 'x\n',
            'evil/ideas/architecture.md': 'x\n',
            'evil/none/x': 'x\n',
            'plugins/Golf/.ideas/architecture.md': 'x\n',
            'legal/PLUGINS.md': legal,
            'same/PLUGINS.md': old,
            'evil.patch': patch(old, illegal),
            'legal.patch': patch(old, legal),
        }
    )
    (day.path / 'docs/reg').symlink_to('../PLUGINS.md')
    for name, member in (
        ('evil.tgz', 'PLUGINS.md'),
        ('deep.tgz', 'x/PLUGINS.md'),
        ('hooks.tar', 'pre-commit'),
    ):
        with tarfile.open(day.path / name, 'w') as packed:
            packed.addfile(tarfile.TarInfo(member), io.BytesIO())
    with zipfile.ZipFile(day.path / 'evil.zip', 'w') as zipped:
        zipped.writestr('PLUGINS.md', 'x')
    return day


def patch(old: str, new: str) -> str:
    return ''.join(
        difflib.unified_diff(
            old.splitlines(True), new.splitlines(True), 'a/PLUGINS.md', 'b/PLUGINS.md'
        )
    )


def test_what_is_denied(attacked: Repo) -> None:
    wrong = []
    for code, table in attacks.DENIED.items():
        for command in attacks.split(table):
            answer = run(command, attacked.path)
            if (answer.kind, answer.text[:6]) != ('deny', code):
                wrong.append((code, command, answer.kind, answer.text[:200]))
    assert not wrong, '\n'.join(map(str, wrong))


def test_capitals_where_they_make_no_difference(
    attacked: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file system that finds a name in whatever letters."""
    real, seen = os.path.lexists, os.listdir

    def found(path: str) -> bool:
        folder, name = os.path.split(path)
        return real(path) or (
            os.path.isdir(folder)
            and name.casefold() in {each.casefold() for each in seen(folder)}
        )

    command = 'sed -i s/a/b/ plugins.MD'
    assert run(command, attacked.path).kind == ''
    monkeypatch.setattr(os.path, 'lexists', found)
    assert run(command, attacked.path).text.startswith('CLD016')


HUSKY_DENIED = (
    'sed -i s/a/b/ .husky/pre-commit',
    'rm .husky/pre-commit',
    'echo x > .husky/pre-commit',
    'cp README.md .husky/pre-commit',
    'cp -r evil/. .husky/',
    'rm -rf .husky',
    'mv .husky /tmp/x',
    'dos2unix .husky/pre-commit',
    'tar xf x.tar -C .husky',
    'npx prettier --write lefthook.yml',
    'rm lefthook-local.yml',
    'sed -i /interlock/d .gitlab-ci.yml',
    'rm .github/workflows/ci.yml',
    'npx prettier --write .github/workflows/ci.yml',
)
HUSKY_PASSES = (
    'cat .husky/pre-commit',
    'ls .husky',
    'cat .github/workflows/ci.yml',
    'chmod 644 .github/workflows/ci.yml',
    'touch .gitlab-ci.yml',
    'sed -i s/a/b/ .github/workflows/other.yml',
    'cat lefthook.yml',
    'echo x >> .github/workflows/other.yml',
    'rm .github/workflows/other.yml',
    'actionlint .github/workflows/ci.yml',
    'rm -f lefthook.yaml',
)


def test_hooks_that_lie_elsewhere(attacked: Repo) -> None:
    calls = 'x:\n  script:\n  - interlock check --base auto\n'
    attacked.write(
        {
            '.husky/pre-commit': 'interlock hook\n',
            '.husky/_/h': 'x\n',
            'lefthook.yml': 'pre-commit:\n  jobs:\n  - run: interlock hook\n',
            'lefthook-local.yml': 'x: {run: interlock hook}\n',
            '.gitlab-ci.yml': calls,
            '.github/workflows/ci.yml': (
                'on: push\njobs:\n  x:\n    runs-on: x\n    steps:\n'
                '    - run: interlock check --base auto\n'
            ),
            '.github/workflows/other.yml': 'on: push\njobs: {}\n',
        }
    )
    attacked.git('config', 'core.hooksPath', '.husky/_')
    wrong = [
        (command, answer.kind, answer.text)
        for command in HUSKY_DENIED
        for answer in [run(command, attacked.path)]
        if (answer.kind, answer.text[:6]) != ('deny', 'CLD003')
    ]
    wrong += list(answers(attacked.path, list(HUSKY_PASSES)))
    assert not wrong, '\n'.join(map(str, wrong))
    code = "python3 -c \"open('.husky/pre-commit', 'w')\""
    assert run(code, attacked.path).kind == 'ask'
    # a clone in which nobody installed husky yet
    attacked.git('config', '--unset', 'core.hooksPath')
    assert run('sed -i s/hook/x/ .husky/pre-commit', attacked.path).kind == 'deny'
    assert run('echo "npm test" >> .husky/pre-commit', attacked.path).kind == ''
    attacked.git('config', '--global', 'core.hooksPath', '~/hooks')
    assert run('echo x > ~/hooks/pre-push', attacked.path).kind == 'deny'


def test_what_is_asked_about(attacked: Repo) -> None:
    wrong = []
    for command in (*attacks.split(attacks.ASKED), *attacks.LONG_ASKED):
        answer = run(command, attacked.path)
        if answer.kind != 'ask':
            wrong.append((command, answer.kind, answer.text[:200]))
    assert not wrong, '\n'.join(map(str, wrong))


FILLED_FIRST = (
    'git clone https://example.invalid/x {0} && cp -r {0}/. .',
    'git -C {0} pull && cp -r {0}/. .',
    'echo x > {0}/PLUGINS.md; cp -r {0}/. .',
    'python3 make.py && rsync -a {0}/ .',
)


@pytest.mark.parametrize('command', FILLED_FIRST)
def test_a_folder_that_the_same_command_fills(
    command: str, attacked: Repo, tmp_path: Path
) -> None:
    folder = tmp_path / 'folder'
    folder.mkdir()
    assert run(f'cp -r {folder}/. .', attacked.path).kind == ''
    assert run(command.format(folder), attacked.path).kind == 'ask'


def test_what_is_legal_passes(attacked: Repo) -> None:
    wrong = []
    for command in attacks.split(attacks.LEGAL):
        answer = run(command, attacked.path)
        if answer.kind:
            wrong.append((command, answer.kind, answer.text[:200]))
    assert not wrong, '\n'.join(map(str, wrong))


def test_a_pipe_is_not_read(attacked: Repo) -> None:
    """Nobody writes to it, so reading it would never end."""
    for name in ('pipe', '.env'):
        os.mkfifo(attacked.path / name)
    commands = ('cp pipe x', 'cp README.md pipe', 'mv pipe x', 'echo A=1 > .env')
    assert list(answers(attacked.path, [*commands, 'cat x >> pipe'])) == []
    assert run('cp pipe PLUGINS.md', attacked.path).text.startswith('CLD016')
    assert write(attacked.path / 'pipe', 'x').is_silent
    assert edit(attacked.path / '.env', 'a', 'b').is_silent


def test_our_own_programs(
    attacked: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hooks start them: one that does nothing refuses nothing."""
    program = tmp_path / 'venv/bin/interlock'
    program.parent.mkdir(parents=True)
    program.write_text('x')
    monkeypatch.setattr(sys, 'executable', str(program.parent / 'python'))
    for command in (
        f'printf "#!/bin/sh\\n" > {program}',
        f'cp /bin/true {program}',
        f'ln -sf /bin/true {program}-commit',
        f'cp /bin/true {program.parent}/interlock',
    ):
        answer = run(command, attacked.path)
        assert (answer.kind, answer.text[:6]) == ('deny', 'CLD003'), command
    assert run('cp x $(which interlock)', attacked.path).kind == 'ask'
    # without them hooks refuse
    assert run(f'rm -rf {program.parents[1]}', attacked.path).kind == ''
