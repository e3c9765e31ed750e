"""Each effect of a command, and what speaks against it."""
from __future__ import annotations

import os
from collections.abc import Iterator

from interlock.claude import protected
from interlock.claude.git_guard import judge_git
from interlock.claude.objection import Objection
from interlock.claude.reached import judge_path
from interlock.claude.reached import judge_pattern
from interlock.claude.reached import unreadable
from interlock.claude.scene import Scene
from interlock.claude.shell.effects import Effect
from interlock.claude.shell.effects import Git
from interlock.claude.shell.effects import Poses
from interlock.claude.shell.effects import Removes
from interlock.claude.shell.effects import Runs
from interlock.claude.shell.effects import Skips
from interlock.claude.shell.effects import Unknown
from interlock.claude.shell.effects import Writes
from interlock.claude.shell.interpreters import is_interpreter
from interlock.claude.shell.readers import READERS
from interlock.documents.text import shown

# a change in the main worktree without its lock
LOCKLESS = 'LCK007'
ACQUIRE = ('lock', 'acquire')


def _of_files(
        scene: Scene,
        effect: Writes | Removes,
) -> Iterator[Objection]:
    if effect.glob:
        yield from judge_pattern(scene, effect)
        return
    objection = judge_path(scene, effect, effect.path)
    if objection:
        yield objection


def _words(effect: Runs) -> Iterator[str]:
    """Arguments that may be files: `a`, `--out=a`, `-oa`."""
    for word in effect.args:
        value = word.partition('=')[2] if '=' in word else (
            word[2:] if word[:1] == '-' else word
        )
        if value and not any(sign in value for sign in '*\n'):
            yield os.path.normpath(os.path.join(effect.directory, value))


def _of_words(scene: Scene, effect: Runs) -> Iterator[Objection]:
    """A program that nobody here knows may write whatever it is named."""
    from interlock.claude.shell.dispatch import PROGRAMS
    from interlock.claude.shell.interpreters import family

    name = effect.program
    known = family(name) in PROGRAMS if not is_interpreter(name) else (
        # a module is told as a program of its own
        '-m' in effect.args
    )
    if known or name in READERS or name.startswith('interlock'):
        return
    words = set(_words(effect))
    for path in protected.wiring(scene) if words else ():
        if path in words and judge_path(scene, Writes(path, name), path):
            yield unreadable(f'`{shown(name)}` may write {path}')


def _of_code(scene: Scene, effect: Runs) -> Iterator[Objection]:
    from interlock.claude.code_guard import changed
    from interlock.claude.code_guard import writes

    for code in effect.args if is_interpreter(effect.program) else ():
        if not writes(code):
            continue
        found = changed(code, protected.names(scene))
        if found:
            yield unreadable(
                f'code for {shown(effect.program)} speaks of {shown(found)}',
            )


def _of_program(
        scene: Scene,
        effect: Runs,
        after: list[Effect],
) -> Iterator[Objection]:
    from interlock.claude.forged import forged

    objection = forged(effect, after)
    if objection:
        yield objection
    yield from _of_code(scene, effect)
    yield from _of_words(scene, effect)


def _of(
        scene: Scene,
        effect: Effect,
        after: list[Effect],
) -> Iterator[Objection]:
    if isinstance(effect, Skips):
        yield Objection(
            'CLD001', f'`{shown(effect.what)}` keeps the hooks from running',
            'run it without that; what a hook refuses is mended, not skipped',
        )
    elif isinstance(effect, Poses):
        yield Objection(
            'CLD002',
            f'{shown(effect.name)} says who acts, and this changes it '
            f'({shown(effect.how)})', 'run the command without it',
        )
    elif isinstance(effect, Unknown):
        yield unreadable(shown(effect.why))
    elif isinstance(effect, Git):
        yield from judge_git(scene, effect)
    elif isinstance(effect, Runs):
        yield from _of_program(scene, effect, after)
    else:
        yield from _of_files(scene, effect)


def _is_acquired(effects: list[Effect]) -> bool:
    return any(
        isinstance(each, Runs) and each.program == 'interlock' and
        each.args[:2] == ACQUIRE for each in effects
    )


def _at_once(objection: Objection) -> Objection:
    """The lock is asked for in the same call, and not there yet."""
    return Objection(
        objection.code, f'{objection.message}, which is judged before the '
        f'first command of this call has run',
        f'in a call of its own: {objection.hint}',
    )


def judge(scene: Scene, effects: list[Effect]) -> Iterator[Objection]:
    for at, effect in enumerate(effects, 1):
        for objection in _of(scene, effect, effects[at:]):
            late = objection.code == LOCKLESS and _is_acquired(effects[:at])
            yield _at_once(objection) if late else objection
