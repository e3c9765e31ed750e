"""Each effect of a command, and what speaks against it."""
from __future__ import annotations

import os
from collections.abc import Iterator

from interlock.claude import protected
from interlock.claude.objection import Objection
from interlock.claude.scene import Scene
from interlock.claude.shell.effects import Effect
from interlock.claude.shell.effects import Git
from interlock.claude.shell.effects import Poses
from interlock.claude.shell.effects import Removes
from interlock.claude.shell.effects import Runs
from interlock.claude.shell.effects import Skips
from interlock.claude.shell.effects import Unknown
from interlock.claude.shell.effects import Writes
from interlock.claude.shell.patterns import covers
from interlock.claude.write import is_below
from interlock.claude.write import Write
from interlock.claude.writes import judge_write
from interlock.documents.text import shown

# paths that one pattern may stand for
MAX_PATHS = 200
ANYWHERE = '**'


def _unreadable(why: str) -> Objection:
    return Objection(
        'CLD010', f'{why}, so nobody can say what this does', ask=True,
    )


def _one(
        scene: Scene,
        effect: Writes | Removes,
        path: str,
) -> Objection | None:
    removed, content = isinstance(effect, Removes), None
    if isinstance(effect, Writes) and effect.how != '>>':
        content = effect.content
    return judge_write(scene, Write(
        path, lambda: content, effect.how, removed, effect.recursive,
    ))


def _expanded(pattern: str) -> list[str]:
    import glob

    return [] if ANYWHERE in pattern else glob.glob(pattern)[:MAX_PATHS]


def _of_pattern(
        scene: Scene,
        effect: Writes | Removes,
) -> Iterator[Objection]:
    """A pattern on the files that are there; one that may lie anywhere on
    those that matter, where the user decides."""
    for path in _expanded(effect.path):
        objection = _one(scene, effect, path)
        if objection:
            yield objection
    if ANYWHERE in effect.path:
        for path in protected.files(scene):
            objection = _one(scene, effect, path) if (
                covers(effect, path)
            ) else None
            if objection:
                yield _unreadable(
                    f'`{shown(effect.how)}` may reach {path}',
                )
                return


def _of_files(
        scene: Scene,
        effect: Writes | Removes,
) -> Iterator[Objection]:
    if effect.glob:
        yield from _of_pattern(scene, effect)
        return
    objection = _one(scene, effect, effect.path)
    if objection:
        yield objection


def _is_ours(scene: Scene, directory: str) -> bool:
    return any(
        is_below(os.path.realpath(directory), folder)
        for folder in (scene.top, scene.base) if folder
    )


def _of_commit(scene: Scene, effect: Git) -> Objection | None:
    if not scene.event.agent_id or not effect.commits:
        return None
    kinds = scene.workflow.kinds
    if not _is_ours(scene, effect.directory) or all(
            kind.commit is None or kind.commit.by_subagents for kind in kinds
    ):
        return None
    return Objection(
        'CLD009',
        f'git {shown(effect.subcommand)}: agents do the work, and whoever '
        f'leads them commits it with its state',
        'report what was done; the main agent runs interlock commit-stage',
    )


def _of_git(scene: Scene, effect: Git) -> Iterator[Objection]:
    if not effect.writes and not effect.commits:
        return
    objection = _of_commit(scene, effect)
    if objection is None and scene.has_tasks:
        from interlock.claude import tasks_guard
        if effect.directory.startswith(ANYWHERE):
            objection = _unreadable(
                f'git {shown(effect.subcommand)} may run in any worktree',
            )
        else:
            objection = tasks_guard.judge_git(scene, effect.directory)
    if objection:
        yield objection


def _of_program(
        scene: Scene,
        effect: Runs,
        after: list[Effect],
) -> Iterator[Objection]:
    from interlock.claude.forged import forged
    from interlock.claude.shell.interpreters import is_interpreter
    from interlock.claude.shell.interpreters import mentions

    objection = forged(effect, after)
    if objection:
        yield objection
    if not is_interpreter(effect.program):
        return
    for code in effect.args:
        found = mentions(code, protected.names(scene))
        if found and protected.writes(code):
            yield _unreadable(
                f'code for {shown(effect.program)} speaks of '
                f'{shown(found[0])}',
            )


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
        yield _unreadable(shown(effect.why))
    elif isinstance(effect, Git):
        yield from _of_git(scene, effect)
    elif isinstance(effect, Runs):
        yield from _of_program(scene, effect, after)
    else:
        yield from _of_files(scene, effect)


def judge(scene: Scene, effects: list[Effect]) -> Iterator[Objection]:
    for at, effect in enumerate(effects, 1):
        yield from _of(scene, effect, effects[at:])
