"""A throwaway repository in which good and bad commits are tried."""
from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from tests import samples

SCRIPTS = Path(sys.executable).parent
Files = Mapping[str, 'str | None']

START = {'Alpha': 'Ideated', 'Bravo': 'Stage 2', 'Charlie': 'Working'}
BRIEF = 'plugins/Bravo/.ideas/creative-brief.md'
AMENDED = '# Another brief\n'
CODE = 'plugins/Bravo/Source/Main.cpp'
FINDING_RE = re.compile(r'\S.*: [A-Z]{3}[0-9]{3} ')


class Attempt(NamedTuple):
    what: str
    files: Files
    message: str
    # the code that refuses it, '' for a commit that must be accepted
    refused_by: str


def _registry(
        changed: Mapping[str, str],
        rows: Mapping[str, str] | None = None,
) -> str:
    return samples.registry({**START, **changed}, rows)


def _handoff(
        stage: str,
        sums: Mapping[str, str] | None = None,
        next_action: str = 'null',
) -> str:
    return samples.handoff(
        'Bravo', stage, sums=sums, next_action=next_action,
    )


def _stages() -> list[Attempt]:
    handoff = samples.handoff_path('Bravo')
    third = {
        'PLUGINS.md': _registry({'Bravo': 'Stage 3'}),
        handoff: _handoff('3'),
        CODE: '// the audio engine\n',
    }
    return [
        Attempt(
            'a row that was forgotten when its entry changed',
            {'PLUGINS.md': _registry({'Alpha': 'Stage 0'}, START)},
            'chore(Alpha): Stage 0 planned', 'REG001',
        ),
        Attempt(
            'a skipped stage',
            {**third, 'PLUGINS.md': _registry({'Bravo': 'Stage 4'}),
             handoff: _handoff('4')},
            'feat(Bravo): Stage 4 - interface', 'STG001',
        ),
        Attempt(
            'a registry that moves on without the handoff',
            {'PLUGINS.md': _registry({'Bravo': 'Stage 3'})},
            'chore(Bravo): Stage 3 in the registry', 'COM001',
        ),
        Attempt(
            'a stage commit that leaves the state files behind',
            {CODE: '// the audio engine\n'},
            'feat(Bravo): Stage 3 - audio engine', 'COM002',
        ),
        Attempt(
            'a subject that is one stage ahead of the handoff',
            {**third, 'PLUGINS.md': _registry({'Bravo': 'Stage 2'}) + '\n',
             handoff: _handoff('2', next_action='invoke_dsp_agent')},
            'feat(Bravo): Stage 3 - audio engine', 'COM004',
        ),
        Attempt(
            'the stage done properly: code, handoff and registry in one',
            third, 'feat(Bravo): Stage 3 - audio engine', '',
        ),
    ]


def _contracts() -> list[Attempt]:
    handoff = samples.handoff_path('Bravo')
    sums = {
        **samples.checksums('Bravo'),
        'creative_brief': samples.checksum(AMENDED),
    }
    return [
        Attempt(
            'a sealed contract that is quietly rewritten',
            {BRIEF: AMENDED}, 'docs(Bravo): polish the brief', 'CON001',
        ),
        Attempt(
            'the same, sealed anew, but without a reason',
            {BRIEF: AMENDED, handoff: _handoff('3', sums=sums)},
            'docs(Bravo): polish the brief', 'CON006',
        ),
        Attempt(
            'the same as an open amendment',
            {BRIEF: AMENDED, handoff: _handoff('3', sums=sums)},
            'docs(Bravo): polish the brief\n\n'
            'Contract-Amendment: agreed in the review', '',
        ),
        Attempt(
            'a handoff that was only half written',
            {handoff: _handoff('3', sums=sums).partition('status')[0]},
            'chore(Bravo): notes', 'HND002',
        ),
    ]


def _ends() -> list[Attempt]:
    registry = _registry({'Bravo': 'Stage 3', 'Charlie': 'Installed'})
    return [
        Attempt(
            'a finished plugin that keeps its handoff',
            {'PLUGINS.md': registry}, 'chore(Charlie): Installed', 'HND005',
        ),
        Attempt(
            'the same with the handoff deleted',
            {'PLUGINS.md': registry, samples.handoff_path('Charlie'): None},
            'chore(Charlie): Installed', '',
        ),
    ]


def _ours(output: str) -> Iterator[str]:
    """Every finding with its remedy, and the verdict."""
    remedy = False
    for line in output.splitlines():
        found = FINDING_RE.match(line) is not None
        if found or remedy or line.startswith('interlock: '):
            yield line
        remedy = found


class Demo:
    def __init__(self, directory: str) -> None:
        self.top = Path(directory, 'repository')
        self.top.mkdir()
        identity = {
            f'GIT_{role}_{key}': value
            for role in ('AUTHOR', 'COMMITTER')
            for key, value in (
                ('NAME', 'Demo'), ('EMAIL', 'demo@example.invalid'),
            )
        }
        self.environ = {
            **os.environ, **identity,
            'PATH': f'{SCRIPTS}{os.pathsep}{os.environ["PATH"]}',
            'PRE_COMMIT_HOME': str(Path(directory, 'pre-commit')),
            'GIT_CONFIG_GLOBAL': os.devnull,
        }

    def say(self, text: str) -> None:
        sys.stdout.write(f'{text}\n')
        sys.stdout.flush()

    def run(self, *command: str, show: bool = True) -> tuple[int, str]:
        if show:
            self.say(f'$ {shlex.join(command)}')
        process = subprocess.run(
            command, cwd=self.top, env=self.environ, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
        )
        return process.returncode, process.stdout

    def must(self, *command: str, show: bool = True) -> None:
        code, output = self.run(*command, show=show)
        if code:
            raise SystemExit(f'{output}\nthe demo could not be set up')

    def write(self, files: Files) -> None:
        for name, text in files.items():
            path = self.top / name
            if text is None:
                path.unlink()
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding='UTF-8')

    def set_up(self) -> None:
        self.must('git', 'init', '-q', '-b', 'main')
        self.write({
            'PLUGINS.md': samples.registry(START),
            samples.handoff_path('Bravo'): _handoff('2'),
            samples.handoff_path('Charlie'): samples.handoff(
                'Charlie', '6', status='workflow_complete',
            ),
            **samples.item_files('Bravo'),
            **samples.item_files('Charlie'),
        })
        self.must('interlock', 'init', '--pre-commit')
        self.must('git', 'add', '--all')
        self.must('git', 'commit', '-q', '-m', 'chore: three plugins')
        self.must('pre-commit', 'install')

    def attempt(self, attempt: Attempt) -> bool:
        """Tries a commit; True if it went as it should."""
        wanted = (
            f'must be refused by {attempt.refused_by}'
            if attempt.refused_by else 'must be accepted'
        )
        self.say(f'\n-- {attempt.what} ({wanted})')
        self.write(attempt.files)
        self.run('git', 'add', '--all', show=False)
        code, output = self.run('git', 'commit', '-m', attempt.message)
        for line in _ours(output):
            self.say(f'  {line}')
        if attempt.refused_by:
            right = code != 0 and f': {attempt.refused_by} ' in output
            self.run('git', 'reset', '-q', '--hard', show=False)
        else:
            right = code == 0
        if not right:
            self.say(output)
        self.say('  as it should be' if right else '  NOT AS IT SHOULD BE')
        return right


def main() -> int:
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix='interlock-demo-') as directory:
        demo = Demo(directory)
        demo.set_up()
        attempts = [*_stages(), *_contracts(), *_ends()]
        right = [demo.attempt(attempt) for attempt in attempts]
        demo.say('\n-- the board')
        _, board = demo.run('interlock', 'status')
        demo.say(board.rstrip())
        refused = sum(bool(attempt.refused_by) for attempt in attempts)
        seconds = time.monotonic() - start
        demo.say(
            f'\n{refused} bad commits refused, '
            f'{len(attempts) - refused} good ones accepted, '
            f'in {seconds:.0f} seconds' if all(right) else
            f'\n{right.count(False)} of {len(attempts)} commits went wrong',
        )
    return 0 if all(right) else 1


if __name__ == '__main__':
    raise SystemExit(main())
