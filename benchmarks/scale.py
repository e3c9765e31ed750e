"""How cost grows: longer histories, larger registries.

`python -m benchmarks.scale [LARGEST]` makes histories of a thousand commits and
more, up to LARGEST, in which a hundredth touches a registry, and registries of
a hundred items and more. It prints processor time with that of the processes of
git, its ratio to that of git's own reading of the same history, our memory, and
the exponents: 1 is linear. Other programs on the machine change how long one
waits, and hardly the time of processors.
"""

from __future__ import annotations

import math
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.installed import ENVIRON, PYTHON
from benchmarks.repositories import git, import_files, make

HISTORIES = (1_000, 10_000, 100_000, 300_000, 1_000_000)
REGISTRIES = (100, 1_000, 10_000, 100_000)
# one commit of so many touches the registry
RARE = 100
WORKFLOW = """\
version: 1
items:
  feature:
    path: features/{item}
    registry:
      file: FEATURES.md
      layout: distributed
      columns: {item: feature, status: status}
    states:
      planned: {role: before}
      active: {}
      done: {role: done}
    transitions:
      - {from: nothing, to: planned}
      - {from: planned, to: active}
      - {from: active, to: done}
"""
READING = 'git log --raw --no-renames -m --first-parent > /dev/null'


def _say(text: str) -> None:
    sys.stdout.write(f'{text}\n')
    sys.stdout.flush()


class Cost(NamedTuple):
    seconds: float
    # of our process alone; git's are others
    megabytes: float


def _registry(number: int) -> str:
    # feature after feature takes its steps
    states = ('planned', 'active', 'done')
    rows = ''.join(
        f'| feature-{each} | {states[min(2, max(0, number - each))]} |\n'
        for each in range(30)
    )
    return f'# Features, {number}\n\n| feature | status |\n|---|---|\n{rows}'


def _commits(count: int) -> Iterator[bytes]:
    for number in range(count):
        name, text = f'src/{number % 500}.c', f'{number}\n'
        if number % RARE == 0:
            name, text = 'FEATURES.md', _registry(number // RARE)
        data = text.encode()
        yield (
            f'commit refs/heads/main\ncommitter Bench <bench@example.invalid> '
            f'{1767322800 + number} +0000\ndata 2\nx\n'
            f'M 100644 inline {name}\ndata {len(data)}\n'.encode()
            + data
            + b'\n'
        )


def _history(top: Path, commits: int) -> None:
    import_files(top, {'.interlock.yaml': WORKFLOW, 'FEATURES.md': _registry(0)})
    command = ('git', 'fast-import', '--quiet', '--force')
    with subprocess.Popen(command, cwd=top, stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        head = subprocess.check_output(('git', 'rev-parse', 'HEAD'), cwd=top)
        first = b'from ' + head
        for data in _commits(commits):
            before, mark, after = data.partition(b'M 100644')
            process.stdin.write(before + first + mark + after)
            first = b''
    git(top, 'reset', '-q', '--hard')


# the command as a user has it, and at its end what it took itself: the memory
# of a process that is waited for would include git's, and `ru_maxrss` that of
# the process that started it
MEASURED = """\
import sys
from interlock.commands.main import main
sys.argv[0] = 'interlock'
try:
    main()
finally:
    lines = dict(line.split(':') for line in open('/proc/self/status'))
    open({file!r}, 'w').write(lines['VmHWM'].split()[0])
"""


def _used() -> float:
    """What processes that ended took, with those that they waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _seconds(command: Sequence[str], top: Path) -> float:
    start, null = _used(), subprocess.DEVNULL
    subprocess.run(command, cwd=top, env=ENVIRON, stdout=null, stderr=null, check=True)
    return _used() - start


def _cost(args: Sequence[str], top: Path) -> Cost:
    with tempfile.NamedTemporaryFile('r') as used:
        program = MEASURED.format(file=used.name)
        seconds = _seconds((PYTHON, '-c', program, *args), top)
        return Cost(seconds, int(used.read()) / 1024)


def _exponent(sizes: Sequence[int], seconds: Sequence[float]) -> str:
    if len(sizes) < 2:
        return '-'
    steps = math.log(sizes[-1] / sizes[0])
    return f'{math.log(seconds[-1] / seconds[0]) / steps:.2f}'


def histories(directory: Path, largest: int) -> None:
    sizes = [size for size in HISTORIES if size <= largest]
    commands = {
        'audit': ('audit',),
        'check --range': ('check', '--range', 'HEAD~{last}..HEAD'),
    }
    seconds: dict[str, list[float]] = {name: [] for name in commands}
    _say('commits     command          seconds   times git log --raw      MB')
    for size in sizes:
        top = directory / f'history-{size}'
        _history(top, size)
        floor = min(_seconds(('sh', '-c', READING), top) for _ in range(2))
        for name, words in commands.items():
            command = [word.format(last=size) for word in words]
            cost = _cost(command, top)
            seconds[name].append(cost.seconds)
            _say(
                f'{size:>9,}   {name:15} {cost.seconds:8.1f} '
                f'{cost.seconds / floor:18.1f} {cost.megabytes:12.0f}'
            )
    for name, each in seconds.items():
        # where starting no longer counts
        _say(f'{name}: exponent {_exponent(sizes[-2:], each[-2:])} of the last step')


def registries(directory: Path, largest: int) -> None:
    sizes = [size for size in REGISTRIES if size <= largest]
    seconds = []
    _say('\n    items   command          seconds      MB')
    for size in sizes:
        top = directory / f'items-{size}'
        make(top, size)
        cost = min(_cost(('check', '--staged'), top) for _ in range(3))
        seconds.append(cost.seconds)
        _say(
            f'{size:>9,}   {"check --staged":15} {cost.seconds:8.2f} '
            f'{cost.megabytes:7.0f}'
        )
    _say(f'check --staged: exponent {_exponent(sizes[-2:], seconds[-2:])}')


def main() -> int:
    largest = int(sys.argv[1]) if sys.argv[1:] else HISTORIES[-1]
    with tempfile.TemporaryDirectory() as directory:
        histories(Path(directory), largest)
        registries(Path(directory), min(largest, REGISTRIES[-1]))
    return 0


if __name__ == '__main__':
    raise SystemExit(main())
