"""Commands that build, and the results that their output shows."""

from __future__ import annotations

import os

from interlock.documents.shell_syntax import argv, errors, parse, source, unwrapped
from interlock.model import quick_re as re
from interlock.model.quick_typing import Collection, Iterator, NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.documents.shell_syntax import Node

FAILURE = 'FAILURE'
# another command decides the exit code, and the output does not tell
UNKNOWN = 'UNKNOWN'
MAX_OUTPUT = 200_000

# programs that run the command after them
WRAPPERS = dict.fromkeys('time timeout nohup env nice command exec sudo'.split(), '')
# options that build nothing
QUESTIONS = frozenset({'--version', '-v', '-V', '--help', '-h', 'version', 'help'})
DRY = frozenset({'--dry-run', '--just-print', '--recon', '--collect-only'})
# nodes whose commands run one after another
BLOCKS = ('program', 'subshell', 'compound_statement')

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
    # whether the build decides the exit code of the whole command
    decides: bool


def _commands(node: Node, decides: bool) -> Iterator[tuple[list[str], bool]]:
    """The commands of a script, each with whether it decides the exit code."""
    if node.type == 'command':
        yield argv(node), decides
    elif node.type in ('list', 'pipeline'):
        both = decides and source(node.children[1]) == '&&'
        for each in node.children:
            yield from _commands(each, both)
    elif node.type in BLOCKS:
        parts = [
            each
            for each in node.children
            if each.type == '&' or (each.is_named and each.type != 'comment')
        ]
        for each in parts:
            yield from _commands(each, decides and each is parts[-1])
    elif node.type == 'redirected_statement':
        yield from _commands(node.children[0], decides)


def _builds(words: list[str], programs: Collection[str]) -> bool:
    words = unwrapped(words, WRAPPERS)
    options = {*words[1:]}
    if not words or os.path.basename(words[0]) not in programs or DRY & options:
        return False
    return not options or not options <= QUESTIONS


def find(command: str, programs: Collection[str]) -> Build | None:
    """The last part of a command that builds, None if none does."""
    if not any(name in command for name in programs):
        return None
    root = parse(command)
    if any(errors(root)):
        return None
    found = [
        Build(decides)
        for words, decides in _commands(root, True)
        if _builds(words, programs)
    ]
    return found[-1] if found else None


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
        # the last line is the sum
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
    """How a build ended; `failed`: the whole command failed."""
    found = counts(output)
    if FAILED_RE.search(output) or found.get('tests_failed'):
        return FAILURE
    elif failed:
        return FAILURE if build.decides else UNKNOWN
    return success if build.decides or SUCCESS_RE.search(output) else UNKNOWN
