"""Patterns of a command: which files they reach, and who speaks for those."""

from __future__ import annotations

import os
from collections.abc import Iterator

from interlock.documents.text import shown
from interlock.guard import protected_files
from interlock.guard.command_outcome import Outcome
from interlock.guard.context import Scene
from interlock.guard.decision import Objection
from interlock.guard.file_write import Write, is_below
from interlock.guard.guards.file_writes import judge_write
from interlock.guard.shell.effects import Kept, Removes, Writes
from interlock.guard.shell.path_patterns import covers

# paths that one pattern may stand for
MAX_PATHS = 1000
ANYWHERE = '**'
MARKS = '*?['
# a name that a pattern may stand for
NAME = 'X'


def unreadable(why: str) -> Objection:
    return Objection('CLD010', f'{why}, so nobody can say what this does', ask=True)


def judge_path(scene: Scene, effect: Writes | Removes, path: str) -> Objection | None:
    removed, content, target = isinstance(effect, Removes), None, ''
    if isinstance(effect, Writes) and effect.how != '>>':
        content = effect.content
    elif isinstance(effect, Removes):
        target = effect.target
    write = Write(path, lambda: content, effect.how, removed, effect.recursive)
    write.kept = isinstance(effect, Writes) and isinstance(effect.origin, Kept)
    write.target = target
    return judge_write(scene, write)


def judge_outcome(
    scene: Scene, how: str, found: Outcome, removed: bool = False
) -> Objection | None:
    """A file whose content is computed, as far as it can be."""
    write = Write(found.path, lambda: found.content, how, removed)
    write.kept, write.restored = found.kept, found.restored
    write.source = found.source
    return judge_write(scene, write)


def _fixed(pattern: str) -> str:
    """The part that is no pattern."""
    ends = [pattern.find(mark) for mark in MARKS if mark in pattern]
    return pattern[: min(ends, default=len(pattern))]


def _of_known(
    scene: Scene, effect: Writes | Removes
) -> Iterator[tuple[str, Objection]]:
    """Files that matter, whether or not the disk is looked through."""
    fixed = _fixed(effect.path)
    for path in protected_files.files(scene):
        if not path.startswith(fixed) or not covers(effect, path):
            continue
        if ANYWHERE in effect.path or os.path.lexists(path):
            objection = judge_path(scene, effect, path)
            if objection:
                yield path, objection


def _names(scene: Scene, pattern: str) -> Iterator[str]:
    """Names of files that the last part of a pattern may stand for."""
    last = pattern.rpartition('/')[2]
    name = last.replace('**', NAME).replace('*', NAME).replace('?', NAME)
    if '[' in name:
        return
    yield name
    if last.endswith('*') and protected_files.has_tasks(scene):
        for suffix in scene.space.protocol.implementation.suffixes:
            yield name + suffix


def _folders(scene: Scene, pattern: str) -> Iterator[tuple[str, bool]]:
    """Where it may match, and whether it says so itself."""
    fixed = os.path.dirname(_fixed(pattern))
    if fixed:
        yield fixed, True
    tasks = scene.space.names() if protected_files.has_tasks(scene) else []
    for task in tasks:
        folder = scene.space.code(task)
        if is_below(folder, fixed or os.sep):
            yield folder, False


def _of_anywhere(scene: Scene, effect: Writes | Removes) -> Iterator[str]:
    """Files that may be there: deliverables, and what others hold."""
    for folder, told in _folders(scene, effect.path):
        for name in _names(scene, effect.path):
            path = os.path.join(folder, name)
            objection = judge_path(scene, effect, path)
            if objection and (told or objection.code == 'CLD007'):
                yield path


def _of_disk(scene: Scene, effect: Writes | Removes) -> Iterator[Objection]:
    import glob

    for count, path in enumerate(glob.iglob(effect.path)):
        if count == MAX_PATHS:
            yield unreadable(f'`{shown(effect.how)}` reaches too many files')
            return
        objection = judge_path(scene, effect, path)
        if objection:
            yield objection


def judge_pattern(scene: Scene, effect: Writes | Removes) -> Iterator[Objection]:
    """A pattern on the files that are there; one that may lie anywhere on
    those that matter, where the user decides."""
    if ANYWHERE not in effect.path:
        for _, objection in _of_known(scene, effect):
            yield objection
        yield from _of_disk(scene, effect)
        return
    paths = (path for path, _ in _of_known(scene, effect))
    path = next(paths, '') or next(_of_anywhere(scene, effect), '')
    if path:
        yield unreadable(f'`{shown(effect.how)}` may reach {path}')
