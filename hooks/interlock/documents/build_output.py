"""Commands that build, and how their output says that they ended."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Collection
from typing import NamedTuple

FAILURE = 'FAILURE'
# the exit code is that of another command, and the output does not say
UNKNOWN = 'UNKNOWN'
MAX_OUTPUT = 200_000

# they run the command behind them
WRAPPERS = frozenset(
    {'time', 'timeout', 'nohup', 'env', 'nice', 'command', 'exec', 'sudo'}
)
# with these alone nothing is built
QUESTIONS = frozenset({'--version', '-v', '-V', '--help', '-h', 'version', 'help'})
DRY = frozenset({'--dry-run', '--just-print', '--recon', '--collect-only'})
OPERATORS = frozenset('();<>|&')

MAVEN_RE = re.compile(
    r'Tests run: (\d+), Failures: (\d+), Errors: (\d+)'
    r'(?:, Skipped: (\d+))?'
)
CARGO_RE = re.compile(r'test result: \w+\. (\d+) passed; (\d+) failed')
JEST_RE = re.compile(
    r'^Tests: +(?:(\d+) failed, )?(?:\d+ \w+, )*?(\d+) passed, (\d+) total',
    re.MULTILINE,
)
PYTEST_RE = re.compile(r'^=*((?: ?\d+ [a-z]+,?)+) in [\d.]+s', re.MULTILINE)
COUNT_RE = re.compile(r'(\d+) ([a-z]+)')
FAILED_RE = re.compile(r'\bBUILD FAIL(?:URE|ED)\b')
SUCCESS_RE = re.compile(r'\bBUILD SUCCESS(?:FUL)?\b')


class Build(NamedTuple):
    # that the whole command succeeds means that the build did
    decides: bool


class Part(NamedTuple):
    words: tuple[str, ...]
    # what stands before it, and behind it
    before: str
    behind: str


def _tokens(command: str) -> list[str]:
    # the text of a heredoc is no command
    text = command.partition('<<')[0].replace('\\\n', ' ')
    lexer = shlex.shlex(text.replace('\n', ' ; '), posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    try:
        return list(lexer)
    except ValueError:
        return []


def _parts(command: str) -> list[Part]:
    found: list[Part] = []
    words: list[str] = []
    before, redirects = '', False
    for token in [*_tokens(command), ';']:
        if not set(token) <= OPERATORS:
            if not redirects:
                words.append(token)
            redirects = False
        elif '<' in token or '>' in token:
            redirects = True
        else:
            operator = token.strip('()')
            if words:
                found.append(Part(tuple(words), before, operator))
                words, before = [], operator
            elif operator and found and not found[-1].behind:
                # behind a parenthesis
                found[-1] = found[-1]._replace(behind=operator)
                before = operator
    return found


def _program(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words of the program itself, without what runs it."""
    wrapped = False
    for number, word in enumerate(words):
        name = os.path.basename(word)
        if '=' in word or (wrapped and (word.startswith('-') or word[:1].isdigit())):
            continue
        elif name in WRAPPERS:
            wrapped = True
            continue
        return (name, *words[number + 1 :])
    return ()


def _builds(words: tuple[str, ...], programs: Collection[str]) -> bool:
    found = _program(words)
    if not found or found[0] not in programs or DRY & set(found):
        return False
    return len(found) == 1 or not set(found[1:]) <= QUESTIONS


def find(command: str, programs: Collection[str]) -> Build | None:
    """The last part of a command that builds, None if none does."""
    parts = _parts(command)
    for number in reversed(range(len(parts))):
        if _builds(parts[number].words, programs):
            behind = [part.before for part in parts[number + 1 :]]
            return Build(
                all(operator == '&&' for operator in behind)
                and parts[number].before in ('', ';', '&&')
                and parts[-1].behind == ';'
            )
    return None


def _passed(run: int, failed: int, left_out: int = 0) -> dict[str, int]:
    return {
        'tests_run': run,
        'tests_passed': run - failed - left_out,
        'tests_failed': failed,
    }


def _of_pytest(text: str) -> dict[str, int]:
    found = {word: int(number) for number, word in COUNT_RE.findall(text)}
    failed = sum(found.get(word, 0) for word in ('failed', 'error', 'errors'))
    return _passed(found.get('passed', 0) + failed, failed)


def counts(output: str) -> dict[str, int]:
    """How many tests ran, passed and failed, where the output says so."""
    maven = MAVEN_RE.findall(output)
    cargo = CARGO_RE.findall(output)
    jest = JEST_RE.findall(output)
    pytest = PYTEST_RE.findall(output)
    if maven:
        # the last line sums up all of them
        run, failures, errors, skipped = (int(n or 0) for n in maven[-1])
        return _passed(run, failures + errors, skipped)
    elif cargo:
        passed = sum(int(number) for number, _ in cargo)
        failed = sum(int(number) for _, number in cargo)
        return _passed(passed + failed, failed)
    elif jest:
        failed, passed = (int(number or 0) for number in jest[-1][:2])
        return _passed(passed + failed, failed)
    return _of_pytest(pytest[-1]) if pytest else {}


def result(build: Build, output: str, failed: bool, success: str) -> str:
    """How a build ended; `failed`: the whole command did."""
    found = counts(output)
    if FAILED_RE.search(output) or found.get('tests_failed'):
        return FAILURE
    elif failed:
        return FAILURE if build.decides else UNKNOWN
    return success if build.decides or SUCCESS_RE.search(output) else UNKNOWN
