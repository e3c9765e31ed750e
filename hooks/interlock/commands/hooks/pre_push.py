from __future__ import annotations

import os
import sys

import click

from interlock.commands.click_options import common
from interlock.commands.hooks.staged import is_push, say, unless_ungoverned
from interlock.engine.open_repository import opened
from interlock.engine.push import PushJudge
from interlock.git import push_updates
from interlock.git.repository import Repository
from interlock.model.errors import Refusal
from interlock.model.report import Report


def _updates(repository: Repository, by_git: bool) -> list[push_updates.Update]:
    """What git tells us; pre-commit and prek tell it by variables instead.

    What git tells is believed before any variable.
    """
    if by_git or not is_push(os.environ):
        data = sys.stdin.buffer.read()
        if data.strip() or not is_push(os.environ):
            return push_updates.of_pre_push(data)
    tip = os.environ.get('PRE_COMMIT_TO_REF') or (
        os.environ.get('PRE_COMMIT_LOCAL_BRANCH', '')
    )
    # a new branch has a first revision as well: the one it starts from
    first = os.environ.get('PRE_COMMIT_FROM_REF', '')
    ref = os.environ['PRE_COMMIT_REMOTE_BRANCH']
    return [push_updates.Update(ref, first, repository.commit(tip).oid)]


def judge_pushed(remote: str, config: str, by_git: bool = False) -> Report:
    remote = remote or os.environ.get('PRE_COMMIT_REMOTE_NAME', '')
    with opened() as repository:
        judge = PushJudge(repository, config)
        remote = push_updates.remote_name(repository, remote)
        updates = _updates(repository, by_git)
        known = push_updates.known_to_remote(repository, remote, updates)
        default = push_updates.head_of_remote(repository, remote)
        main = push_updates.main_branch(repository, remote)
        for update in updates:
            push = push_updates.pushed(repository, update, default, main, known)
            if push is not None:
                judge.push(push)
                judge.forwarded(
                    push, push_updates.to_main(repository, push.ref, remote)
                )
        return judge.report()


@click.command('pre-push')
@click.argument('remote', default='')
@click.argument('url', default='')
@click.option('--config', default='', metavar='FILE', help='The workflow.')
@common
def command(remote: str, url: str, config: str, verbose: int, quiet: int) -> int:
    """Judge what a push brings, as git's hook of that name.

    The updated refs come on standard input, as git writes them there. Each
    commit that the remote does not have is judged by the workflow that the
    remote has.
    """
    if sys.stdin.isatty() and not is_push(os.environ):
        raise Refusal(
            'pre-push is a hook: git gives it the refs of a push',
            'interlock check --base auto',
        )
    with unless_ungoverned():
        report = judge_pushed(remote, config, bool(url))
        return say(report, 'text', verbose, quiet)
    return 0
