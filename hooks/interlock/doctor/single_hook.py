"""Each hook by itself: another may refuse what it lets through."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet

from interlock.doctor.canary.attempt import COMMIT, Want
from interlock.doctor.hook_places import Place, calls_of
from interlock.doctor.scratch import Scratch
from interlock.documents.wiring.hook_files import EVERY
from interlock.rules.index import RULES

# each of our hooks looks after the workflow itself
ALWAYS = 'workflow'
# a hook of a commit -> the one in whose place git runs it here; nothing is
# merged, and what has to be refused is the same
STANDS_FOR: Mapping[str, str] = {
    'pre-commit': 'pre-commit',
    'pre-merge-commit': 'pre-commit',
    'commit-msg': 'commit-msg',
}
# git says by this what it was called with
PARAMETERS = 'GIT_CONFIG_PARAMETERS'


def asks(code: str, checks: AbstractSet[str]) -> bool:
    """Whether some checks see to it that a rule is kept."""
    own = RULES[code].check
    return bool(checks & {EVERY, own}) or (own == ALWAYS and bool(checks))


def called(place: Place) -> dict[str, AbstractSet[str]]:
    """The hooks of a commit that git runs and that call us."""
    hooks = [place.hook(name) for name in STANDS_FOR]
    found = {hook.name: calls_of(place, hook) for hook in hooks if hook.runs}
    return {name: checks for name, checks in found.items() if checks}


def demanded(
    wants: Iterable[Want], checks: AbstractSet[str], gate: str = COMMIT
) -> list[Want]:
    """What a hook with some checks has to refuse."""
    return [
        want
        for want in wants
        if want.refuses and gate in want.gates and asks(want.code, checks)
    ]


def only(scratch: Scratch, name: str) -> str:
    """A folder of hooks in which there is but one, as git would run it."""
    hooks = scratch.git().line('rev-parse', '--git-path', 'hooks')
    folder = os.path.join(scratch.directory, 'alone', name)
    os.makedirs(folder, exist_ok=True)
    given = scratch.environ.get(PARAMETERS)
    said = (
        f'unset {PARAMETERS}'
        if given is None
        else (f'export {PARAMETERS}={shlex.quote(given)}')
    )
    path = os.path.join(folder, STANDS_FOR[name])
    with open(path, 'w', encoding='UTF-8', errors='surrogateescape') as f:
        # the folder is ours alone: no hook is to read it
        f.write(
            f'#!/bin/sh\n{said}\nexec {shlex.quote(os.path.join(hooks, name))} "$@"\n'
        )
    os.chmod(path, 0o755)  # noqa: S103 git runs it
    return folder
