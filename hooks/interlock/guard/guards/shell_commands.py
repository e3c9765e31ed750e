"""PreToolUse of shells: judges what a command would do.

Reading commands is a courtesy. The guarantee is CI, or the server.
"""

from __future__ import annotations

import os

from interlock.guard.context import Context
from interlock.guard.decision import Decision
from interlock.guard.event import POWERSHELL
from interlock.guard.guards.file_writes import worst
from interlock.guard.relevance import may_commit_freely, names
from interlock.guard.shell.everyday_git import ELSEWHERE, WRITES, everyday_git
from interlock.guard.shell.prefilter import could_matter, unquoted, words
from interlock.model.errors import Refusal

# programs that run the commands in a file of the directory
RUNNERS = frozenset(
    """make gmake npm pnpm yarn just task rake invoke inv nox tox gulp grunt ant mise uv
    poetry pipenv pdm hatch""".split()
)


def _may_matter(context: Context, command: str) -> bool:
    """Whether it acts, or names a record, a contract or a file that calls us."""
    # the directory and the command may each hold part of a file's name
    text = f'{context.event.given("directory")} {command}'
    if context.event.tool == POWERSHELL or could_matter(text):
        return True
    elif _may_run_script(context, command):
        return True
    try:
        bare = unquoted(text).lower()
        return any(name.lower() in bare for name in names(context))
    except Refusal:
        # judge_write reports that nothing can be judged
        return True


def _may_run_script(context: Context, command: str) -> bool:
    """Whether a word is the path of an executable file, or a program that runs the
    commands in a file."""
    found = words(command)
    if not RUNNERS.isdisjoint(found):
        return True
    paths = [word for word in found if '/' in word]
    if paths and ('cd ' in command or 'pushd ' in command):
        return True
    for word in paths:
        path = os.path.join(_directory(context), os.path.expanduser(word))
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return True
    return False


def _directory(context: Context) -> str:
    """The directory in which the tool runs the command."""
    given = context.event.given('directory')
    if not given:
        return context.directory
    return os.path.realpath(os.path.join(context.directory, given))


def _is_everyday(context: Context, command: str) -> bool:
    """Whether it is a git command that no rule covers."""
    environ = context.event.environ
    if context.event.given('directory') or any(name in environ for name in ELSEWHERE):
        return False
    kind = everyday_git(command)
    return bool(kind) and (kind != WRITES or may_commit_freely(context))


def handle(context: Context) -> Decision | None:
    event = context.event
    command = event.command
    if command is None:
        raise Refusal(f'the command of {event.tool} is not a text')
    elif not _may_matter(context, command):
        return None
    if event.tool == POWERSHELL:
        from interlock.guard.guards import powershell

        if not powershell.is_plain(command):
            return powershell.judge(context, command)
    elif _is_everyday(context, command):
        return None
    from interlock.guard.guards.effects import judge
    from interlock.guard.guards.programs import DiskScripts
    from interlock.guard.shell.read import read

    directory, scripts = _directory(context), DiskScripts(context)
    event.effects = read(command, directory, event.environ, context.top, scripts)
    return worst(judge(context, event.effects))
