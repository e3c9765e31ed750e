"""Calls of git: whose commit it is, and whose worktree."""

from __future__ import annotations

import os
from collections.abc import Iterator

from interlock.documents.text import shown
from interlock.guard.context import Scene
from interlock.guard.decision import Objection
from interlock.guard.file_write import is_below
from interlock.guard.glob_targets import ANYWHERE, unreadable
from interlock.guard.shell.effects import Git, Runs
from interlock.model.errors import Refusal

# what moves, ends or approves the work of all: whoever leads does it
LEADING = (
    ('approve',),
    ('present',),
    ('checkpoint',),
    ('transition',),
    ('uninstall',),
    ('task', 'start'),
    ('task', 'finish'),
    ('task', 'adopt'),
    ('task', 'clean'),
    ('lock', 'release'),
    ('handoff', 'delete'),
)
# menus run the command that is chosen
MENUS = ('menu', 'resolve')
CHOOSING = ('--choice', '--choose')


def _is_ours(scene: Scene, directory: str) -> bool:
    return any(
        is_below(os.path.realpath(directory), folder)
        for folder in (scene.top, scene.base)
        if folder
    )


def _may_commit(scene: Scene) -> bool:
    """Whether a subagent may: it is none, or the workflow lets it."""
    return not scene.event.agent_id or all(
        kind.commit is None or kind.commit.by_subagents for kind in scene.workflow.kinds
    )


def judge_command(scene: Scene, effect: Runs) -> Objection | None:
    """A command of ours that is not for a subagent."""
    if effect.program != 'interlock' or not scene.event.agent_id:
        return None
    words = tuple(word for word in effect.args if word[:1] != '-')
    leads = any(
        words[at : at + len(each)] == each for each in LEADING for at in range(2)
    ) or (
        bool(words)
        and words[0] in MENUS
        and any(word.partition('=')[0] in CHOOSING for word in effect.args)
    )
    commits = 'commit-stage' in words[:2] and not _may_commit(scene)
    if not leads and not commits:
        return None
    return Objection(
        'CLD009',
        f'interlock {shown(" ".join(words[:2]))}: agents do the work, and '
        f'whoever leads them moves, commits and presents it',
        'report what was done; the main agent goes on from there',
    )


def _of_commit(scene: Scene, effect: Git) -> Objection | None:
    if not effect.commits or _may_commit(scene):
        return None
    elif not _is_ours(scene, effect.directory):
        return None
    return Objection(
        'CLD009',
        f'git {shown(effect.subcommand)}: agents do the work, and whoever '
        f'leads them commits it with its state',
        'report what was done; the main agent runs interlock commit-stage',
    )


def _unjudged(scene: Scene, effect: Git, why: Refusal) -> Objection | None:
    """The workflow makes no sense: it can be mended, not committed past."""
    if not _is_ours(scene, effect.directory):
        return None
    elif effect.commits:
        return Objection(
            'CLD014',
            f'{why.message}, so nothing is committed before {scene.file} is mended',
            'interlock doctor',
        )
    return unreadable(
        f'git {shown(effect.subcommand)} changes what a workflow that makes '
        f'no sense governs'
    )


def _of_place(scene: Scene, effect: Git) -> Objection | None:
    objection = _of_commit(scene, effect)
    if objection or not scene.has_tasks:
        return objection
    elif effect.directory.startswith(ANYWHERE):
        return unreadable(f'git {shown(effect.subcommand)} may run in any worktree')
    from interlock.guard.guards import task_files

    return task_files.judge_git(scene, effect.directory)


def judge_git(scene: Scene, effect: Git) -> Iterator[Objection]:
    if not effect.writes and not effect.commits:
        return
    try:
        objection = _of_place(scene, effect)
    except Refusal as error:
        objection = _unjudged(scene, effect, error)
    if objection:
        yield objection
