"""Each effect of a command, and what speaks against it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from interlock.documents.text import shown
from interlock.git.git_paths import top_of
from interlock.guard import protected_files
from interlock.guard.command_outcome import SCRIPTED, Line, Unlisted
from interlock.guard.context import Scene
from interlock.guard.decision import Objection
from interlock.guard.file_write import is_below
from interlock.guard.glob_targets import (
    ANYWHERE,
    judge_outcome,
    judge_path,
    judge_pattern,
    unreadable,
)
from interlock.guard.guards.git_calls import judge_git
from interlock.guard.shell.effects import (
    Copied,
    Effect,
    Finds,
    Git,
    Kept,
    Patches,
    Poses,
    Removes,
    Runs,
    Skips,
    Unknown,
    Writes,
)
from interlock.guard.shell.programs.interpreters import is_interpreter
from interlock.guard.shell.programs.table import READERS

# a change in the main worktree without its lock
LOCKLESS = 'LCK007'
ACQUIRE = ('lock', 'acquire')
REWRITTEN = 'CLD016'
UNSKIPPED = 'run it without that: fix what a hook refuses, do not skip it'
SIGNS_OF_CODE = ' \n(\'"'
COPYING = frozenset(('cp', 'mv', 'copy', 'copyto', 'sync'))
# parts of the names of programs and scripts, and their first words
LOOKING = frozenset(
    (
        'check',
        'verify',
        'validate',
        'lint',
        'show',
        'print',
        'list',
        'view',
        'diff',
        'test',
        'tests',
        'read',
        'dump',
        'parse',
        'stat',
        'stats',
        'info',
        'count',
        'report',
        'summary',
        'summarize',
        'search',
        'find',
        'query',
        'audit',
        'inspect',
        'compare',
        'preview',
        'render',
        'spell',
        'links',
        'upload',
        'send',
        'push',
        'sign',
        'hash',
        'digest',
        'dgst',
    )
)
WRITING = frozenset(
    (
        'fix',
        'write',
        'update',
        'edit',
        'format',
        'fmt',
        'set',
        'rewrite',
        'sync',
        'migrate',
        'apply',
        'replace',
        'generate',
        'gen',
        'w',
        'i',
    )
)


def _of_files(line: Line, effect: Writes | Removes) -> Iterator[Objection]:
    for each in _through_links(line, effect):
        if isinstance(each, Removes):
            yield from _of_path(line.scene, each)
        else:
            yield from _of_outcomes(line, each)


def _through_links(line: Line, effect: Writes | Removes) -> Iterator[Writes | Removes]:
    """The effect itself, and where a link of the same command leads it."""
    yield effect
    for link in line.done:
        if (
            isinstance(link, Writes)
            and isinstance(link.origin, Copied)
            and (link.origin.link and is_below(effect.path, link.path))
        ):
            rest = effect.path[len(link.path) :]
            if rest or isinstance(effect, Writes):
                yield effect._replace(path=link.origin.path + rest)


def _of_path(scene: Scene, effect: Writes | Removes) -> Iterator[Objection]:
    if effect.glob:
        yield from judge_pattern(scene, effect)
        return
    objection = judge_path(scene, effect, effect.path)
    if objection:
        yield objection


def _of_outcomes(line: Line, effect: Writes) -> Iterator[Objection]:
    scene = line.scene
    origin = effect.origin
    if effect.glob and not (isinstance(origin, Copied) and origin.glob):
        yield from judge_pattern(scene, effect)
        return
    elif effect.recursive and effect.origin in (None, Kept()):
        yield from _of_path(scene, effect)
        return
    try:
        for found in line.outcomes(effect):
            objection = judge_outcome(scene, effect.how, found)
            if objection:
                yield _alone(line, effect, objection)
    except Unlisted as error:
        yield from _of_unlisted(scene, effect, any(error.args))


def _alone(line: Line, effect: Writes, objection: Objection) -> Objection:
    """A result that could be computed, had nothing run before it."""
    if (
        objection.code == REWRITTEN
        and line.done
        and (isinstance(effect.origin, Copied) and not effect.origin.link)
    ):
        objection.hint = (
            f'run `{effect.how}` in a call of its own; its result is judged then'
        )
    return objection


def _of_unlisted(scene: Scene, effect: Writes, fails: bool) -> Iterator[Objection]:
    """An archive that is not there, a revision that is not named."""
    inside = effect.path.rstrip('/') + '/X'
    objection = judge_path(scene, Writes(inside, effect.how), inside)
    if objection:
        yield objection
    elif (
        fails
        and effect.how != 'rsync'
        and effect.path in (scene.top, scene.base, top_of(effect.path))
    ):
        # templates are often put over the whole project
        return
    elif effect.glob or not os.path.isdir(effect.path):
        yield from _of_path(scene, effect._replace(recursive=False))
    else:
        yield from judge_pattern(
            scene,
            Writes(f'{effect.path.rstrip("/")}/{ANYWHERE}', effect.how, glob=True),
        )


def _of_patch(line: Line, effect: Patches) -> Iterator[Objection]:
    try:
        for found, goes in line.patched(effect):
            objection = judge_outcome(line.scene, effect.how, found, goes)
            if objection:
                yield objection
    except Unlisted:
        yield unreadable(f'`{shown(effect.how)}` changes the files that a patch names')


def _words(effect: Runs) -> Iterator[str]:
    """Arguments that may be files: `a`, `--out=a`, `-oa`."""
    words = effect.args
    if COPYING.intersection(words[:3]):
        # to another machine, or from it: only the last is written
        words = words[-1:]
    for word in words:
        value = (
            word.partition('=')[2]
            if '=' in word
            else (word[2:] if word[:1] == '-' else word)
        )
        if value and not any(sign in value for sign in '*\n'):
            yield os.path.normpath(os.path.join(effect.directory, value))


def _is_known(effect: Runs) -> bool:
    """A program whose effects are told, or one that only reads."""
    from interlock.guard.shell.programs.interpreters import family
    from interlock.guard.shell.programs.table import TABLE
    from interlock.guard.shell.programs.wrappers import CONTAINERS

    name = effect.program
    if name in READERS or name.startswith('interlock'):
        return True
    elif is_interpreter(name):
        # a module is told as a program of its own
        return '-m' in effect.args
    return family(name) in TABLE and name not in (*SCRIPTED, *CONTAINERS)


def _only_looks(effect: Runs) -> bool:
    """By its name, or by its first words: `x check a`, `lint-all a`."""
    words = [
        effect.program,
        *(
            word
            for word in effect.args
            if is_interpreter(effect.program) or not os.path.splitext(word)[1]
        ),
    ]
    first = [os.path.basename(word) for word in words[:3]]
    parts = {
        part for word in first for part in re.split(r'[^a-z]+', word.lower()) if part
    }
    return bool(parts & LOOKING) and not parts & WRITING


def _reads_lines(effect: Runs) -> bool:
    """`perl -ne …`, and code that only reads: its files are its input."""
    from interlock.guard.guards.inline_code import only_reads

    code = [word for word in effect.args if any(sign in word for sign in SIGNS_OF_CODE)]
    flags = ''.join(word for word in effect.args if re.fullmatch(r'-[a-zA-Z0]+', word))
    if effect.program in ('perl', 'ruby'):
        return bool(set('np') & set(flags)) and 'i' not in flags
    return bool(code) and all(only_reads(effect.program, each) for each in code)


def _of_words(scene: Scene, effect: Runs) -> Iterator[Objection]:
    """A program that nobody here knows may write whatever it is named."""
    words = set(_words(effect)) if not _is_known(effect) else set()
    if words and is_interpreter(effect.program) and _reads_lines(effect):
        return
    looks = _only_looks(effect)
    for path in protected_files.files(scene) if words else ():
        if path not in words or (looks and protected_files.is_record(scene, path)):
            continue
        if judge_path(scene, Writes(path, effect.program), path):
            yield unreadable(f'`{shown(effect.program)}` may write {path}')


def _of_code(scene: Scene, effect: Runs) -> Iterator[Objection]:
    from interlock.guard.guards.inline_code import named, only_reads

    name = shown(effect.program)
    for code in effect.args if is_interpreter(effect.program) else ():
        if not any(sign in code for sign in SIGNS_OF_CODE) or (
            only_reads(effect.program, code)
        ):
            continue
        for word in protected_files.WORDS:
            if word in code:
                yield unreadable(f'code for {name} names {word}')
                return
        for path in named(code, effect.directory, protected_files.files(scene)):
            if judge_path(scene, Writes(path, effect.program), path):
                yield unreadable(f'code for {name} names {path}')
                return


def _of_search(line: Line, effect: Finds) -> Iterator[Objection]:
    """A git that is found in another place, or what its hooks start."""
    from interlock.guard.guards.search_path import UNSURE, doubtful

    why = doubtful(line.scene, effect.directories, line.done)
    if why:
        yield Objection(
            'CLD001',
            f'`{shown(effect.what)}` may keep the hooks from running: {why}',
            UNSKIPPED,
            ask=why.startswith(UNSURE),
        )


def _of_program(scene: Scene, effect: Runs, after: list[Effect]) -> Iterator[Objection]:
    from interlock.guard.guards.git_calls import judge_command
    from interlock.guard.guards.self_invocation import forged

    for objection in (forged(effect, after), judge_command(scene, effect)):
        if objection:
            yield objection
    yield from _of_code(scene, effect)
    yield from _of_words(scene, effect)


def _of(line: Line, effect: Effect, after: list[Effect]) -> Iterator[Objection]:
    scene = line.scene
    if isinstance(effect, Skips):
        yield Objection(
            'CLD001', f'`{shown(effect.what)}` keeps the hooks from running', UNSKIPPED
        )
    elif isinstance(effect, Poses):
        yield Objection(
            'CLD002',
            f'{shown(effect.name)} says who acts, and this changes it '
            f'({shown(effect.how)})',
            'run the command without it',
        )
    elif isinstance(effect, Unknown):
        yield unreadable(shown(effect.why))
    elif isinstance(effect, Git):
        yield from judge_git(scene, effect)
    elif isinstance(effect, Runs):
        yield from _of_program(scene, effect, after)
    elif isinstance(effect, Finds):
        yield from _of_search(line, effect)
    elif isinstance(effect, Patches):
        yield from _of_patch(line, effect)
    else:
        yield from _of_files(line, effect)


def _is_acquired(effects: list[Effect]) -> bool:
    return any(
        isinstance(each, Runs)
        and each.program == 'interlock'
        and each.args[:2] == ACQUIRE
        for each in effects
    )


def _at_once(objection: Objection) -> Objection:
    """The lock is asked for in the same call, and not there yet."""
    return Objection(
        objection.code,
        f'{objection.message}, which is judged before the '
        f'first command of this call has run',
        f'in a call of its own: {objection.hint}',
    )


def judge(scene: Scene, effects: list[Effect]) -> Iterator[Objection]:
    line = Line(scene)
    for at, effect in enumerate(effects, 1):
        for objection in _of(line, effect, effects[at:]):
            late = objection.code == LOCKLESS and _is_acquired(effects[:at])
            yield _at_once(objection) if late else objection
        line.done.append(effect)
