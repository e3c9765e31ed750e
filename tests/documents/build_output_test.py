from __future__ import annotations

import pytest

from interlock.documents import build_output
from interlock.documents.build_output import Build

PROGRAMS = ('mvn', 'mvnw', 'make', 'cargo', 'npm', 'pytest')


@pytest.mark.parametrize(
    ('command', 'decides'),
    (
        ('make', True),
        ('./mvnw clean verify -pl formatter', True),
        ('cd code && ./mvnw verify 2>&1', True),
        ('cd code; make test', True),
        ('cd code\nmake test', True),
        ('(cd code && make)', True),
        ('JAVA_HOME=/x mvn verify', True),
        ('env A=1 timeout 60 make -j2 all', True),
        ('timeout -k 5 60 pytest -q', True),
        ('make \\\n  test', True),
        ('make > log.txt', True),
        ('make # all', True),
        ('nice -n 5 make', True),
        ('{ cd code; make; }', True),
        ('make test && echo done', True),
        ('make test | tail -5', False),
        ('make test || true', False),
        ('make test; echo done', False),
        ('make test &', False),
        ('true || make test', False),
        ('(cd code; make test) | tail -5', False),
    ),
)
def test_a_command_builds(command: str, decides: bool) -> None:
    assert build_output.find(command, PROGRAMS) == Build(decides)


@pytest.mark.parametrize(
    'command',
    (
        '',
        'echo make',
        'git commit -m "make it"',
        'ls make',
        'cat Makefile',
        'grep -r "mvn verify" .',
        'remake all',
        'mvn --version',
        'npm -v',
        'make --dry-run',
        'pytest --collect-only',
        'cat <<E\nmake it\nE',
        'if false; then make; fi',
        'echo "unclosed',
        'cmake .',
        'A=make >x',
        'python -m pytest',
    ),
)
def test_a_command_builds_nothing(command: str) -> None:
    assert build_output.find(command, PROGRAMS) is None


@pytest.mark.parametrize(
    ('output', 'numbers'),
    (
        (
            'Tests run: 3, Failures: 0, Errors: 0, Skipped: 0\n'
            'Tests run: 34, Failures: 1, Errors: 1, Skipped: 2\n',
            (34, 30, 2),
        ),
        ('===== 4 passed, 1 skipped in 0.12s =====', (4, 4, 0)),
        ('2 failed, 5 passed, 1 error in 3.4s', (8, 5, 3)),
        (
            'test result: ok. 3 passed; 0 failed; 0 ignored\n'
            'test result: FAILED. 2 passed; 1 failed;',
            (6, 5, 1),
        ),
        ('Tests:       1 failed, 2 skipped, 5 passed, 8 total', (6, 5, 1)),
        ('Tests:       5 passed, 5 total', (5, 5, 0)),
    ),
)
def test_tests_are_counted(output: str, numbers: tuple[int, ...]) -> None:
    keys = ('tests_run', 'tests_passed', 'tests_failed')
    assert build_output.counts(output) == dict(zip(keys, numbers, strict=True))


@pytest.mark.parametrize('output', ('', 'done', '3 passed the exam'))
def test_where_nothing_says_so_nothing_is_counted(output: str) -> None:
    assert build_output.counts(output) == {}


@pytest.mark.parametrize(
    ('decides', 'output', 'failed', 'ended'),
    (
        (True, '', False, 'OK'),
        (True, '', True, 'FAILURE'),
        (False, '', False, 'UNKNOWN'),
        (False, '', True, 'UNKNOWN'),
        (False, '[INFO] BUILD SUCCESS', False, 'OK'),
        (True, '[ERROR] BUILD FAILURE', False, 'FAILURE'),
        (False, 'BUILD FAILED in 3s', False, 'FAILURE'),
        (True, '1 failed, 5 passed in 1.00s', False, 'FAILURE'),
    ),
)
def test_how_a_build_ended(
    decides: bool, output: str, failed: bool, ended: str
) -> None:
    assert build_output.result(Build(decides), output, failed, 'OK') == ended
