from __future__ import annotations

import click

from interlock.commands.click_options import Options, common, example
from interlock.tasks.commit_log import log_commit


@example('interlock post-commit')
@click.command('post-commit')
@common
def command(options: Options) -> int:
    """Log the commit in the audit trail of its task.

    The trail names the agent in the subject (`[agent:NAME]`), else the agent
    whose worktree this is. The command never makes a commit fail.
    """
    return log_commit()
