from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from shlex import quote

import click

from interlock.commands.host import err
from interlock.commands.parsing import writes
from interlock.commands.task_adopt import ASK
from interlock.commands.task_adopt import require_abandoned
from interlock.commands.workspace import opened
from interlock.commands.workspace import Workplace
from interlock.documents.text import shown
from interlock.model.errors import Denied
from interlock.workflow.template import place
from interlock.world import worktrees
from interlock.world.identity import require_person


def _refuse_loss(paths: Sequence[str]) -> None:
    """Before the first is taken away, that none has work in it."""
    for path in paths:
        changed = worktrees.tree(os.environ, path).changed
        if changed:
            raise Denied(
                f'{path} has work that is not committed: '
                f'{shown(", ".join(changed))}',
                f'git -C {quote(path)} status',
            )


def _clean(at: Workplace, task: str) -> list[str]:
    """Takes the worktrees away; the branches that were not deleted."""
    space, protocol = at.space, at.space.protocol
    main, environ = space.main, os.environ
    agents = space.agents(task)
    made = [
        (
            space.path(protocol.files.agent_code, task, agent),
            place(protocol.agent_branch, task, agent),
        )
        for agent in agents
    ]
    made.append((space.code(task), place(protocol.branch, task)))
    _refuse_loss([path for path, _ in made])
    for path, _ in made:
        worktrees.remove(environ, main, path)
        with contextlib.suppress(OSError):
            # the directory of an agent may hold its status
            os.rmdir(os.path.dirname(path))
    return [
        branch for _, branch in made
        if worktrees.has_branch(environ, main, branch) and
        not worktrees.delete_branch(environ, main, branch)
    ]


@click.command('clean')
@click.argument('name')
@writes
def command(
        name: str,
        config: str,
        wait: float,
        verbose: int,
        quiet: int,
) -> int:
    """Take the worktrees of an abandoned task away; a person does.

    What is not committed stops it, branches that are not merged stay, and
    so does the audit trail.
    """
    with opened(config, wait) as at:
        task = at.task(name)
        require_person(at.actor, 'clean up an abandoned task', ASK)
        require_abandoned(at, task)
        left = _clean(at, task)
    for branch in left:
        err(f'the branch {branch} is not merged, and stays')
    if not quiet:
        err(f'{task} is cleaned up; its audit trail stays')
    return 0
