from __future__ import annotations

import click

from interlock.commands.click_options import Options, common, example
from interlock.tasks.commit_log import log_commit


@example('interlock post-commit')
@click.command('post-commit')
@common
def command(options: Options) -> int:
    """Log the commit in the trail of its task, as a git hook does.

    The agent is the one that the subject names (`[agent:NAME]`), else the
    one whose worktree this is. It never makes a commit fail.
    """
    return log_commit()
