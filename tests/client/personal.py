"""What only a person may do, asked by scripts of which no guard reads a word."""

from __future__ import annotations

from tests import spaces
from tests.client.conftest import PYTHON
from tests.conftest import Repo
from tests.guard.asking import OTHER
from tests.spaces import TASK, Space

# a task that nobody holds
LEFT = 'wash-up'
PERSONAL = (
    f'approve {TASK}',
    f'lock release {TASK} --holder 1',
    f'task adopt {LEFT} --session x',
    'uninstall',
)
REFUSED = 'only a person may'
# what a script computes is not read
ALL = 'run="$(echo kcolretni | rev)"\n' + ''.join(
    f'"$run" {each} && echo DONE\n' for each in PERSONAL
)
ASK = f'#!/bin/sh\nexec >> "$(echo "${{1:-seen}}" | rev | rev).txt" 2>&1\n{ALL}'
# on a terminal of its own
SHOW = f'#!/bin/sh\n{ALL}'
# cut off from its parents, its session, its terminal and its variables
LOOSE = f"""\
#!{PYTHON}
import os, subprocess
if not os.fork():
    os.setsid()
    if not os.fork():
        kept = {{name: os.environ[name] for name in ('PATH', 'HOME')}}
        null = subprocess.DEVNULL
        subprocess.run(['./tools/ask', 'loose'], env=kept, stdin=null, stdout=null)
        shown = ['script', '-qc', './tools/show', 'shown.txt']
        subprocess.run(shown, env=kept, stdin=null, stdout=null)
        open('loose.done', 'w').close()
os._exit(0)
"""


def prepare(space: Space) -> Repo:
    """A task that another session holds, one that is left, and the scripts; the
    worktree of the first."""
    code = space.worktree()
    space.worktree(LEFT)
    space.put(spaces.lock(session_id=OTHER))
    plain = f'interlock {PERSONAL[0]}\n'
    scripts = {'ask': ASK, 'show': SHOW, 'ask-loose': LOOSE, 'plain': plain}
    space.main.commit({f'tools/{name}': text for name, text in scripts.items()})
    for name in scripts:
        (space.main.path / 'tools' / name).chmod(0o755)
    return code


def all_refused(space: Space, file: str, times: int) -> bool:
    said = (space.main.path / f'{file}.txt').read_text()
    assert said.count(REFUSED) == times * len(PERSONAL), said
    assert 'DONE' not in said
    return True
