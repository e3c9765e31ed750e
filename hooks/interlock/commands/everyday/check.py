from __future__ import annotations

import os
from typing import NamedTuple

import click

from interlock.checks.registered import CHECKS
from interlock.commands.click_options import common
from interlock.commands.hooks.staged import (
    judge_range,
    judge_staged,
    judged_push,
    refuse_ungoverned,
    reported,
    say,
)
from interlock.commands.items.lost_records import say_unwatched
from interlock.engine.judge import Judge
from interlock.engine.last_audit import leave_report
from interlock.engine.open_repository import named, opened
from interlock.engine.push import PushJudge
from interlock.model.report import Report
from interlock.report.formats import FORMATS
from interlock.report.terminal import err, out


def judge_commit(
    rev: str, only: tuple[str, ...], inherited: bool, config: str
) -> Report:
    with opened() as repository:
        judge = Judge(repository, config, only, inherited)
        commit = named(repository, rev)
        judge.commit(commit)
        refuse_ungoverned(judge, commit.tree)
        return judge.report()


def judge_tree(rev: str, only: tuple[str, ...], config: str) -> Report:
    with opened() as repository:
        judge = Judge(repository, config, only)
        tree = named(repository, rev).tree
        judge.tree(tree)
        snapshot = repository.tree(tree)
        say_unwatched(snapshot, judge.governing.before(snapshot))
        if not only:
            leave_report(repository, tree, judge.report())
        return judge.report()


def judge_worktree(only: tuple[str, ...], inherited: bool, config: str) -> Report:
    # hooks never come here
    from interlock.git import worktree_snapshot as worktree

    with worktree.opened(os.environ, config) as (repository, tree):
        judge = Judge(repository, config, only, inherited, is_here=True, by_disk=True)
        judge.changes([repository.against_head(tree)])
        return judge.report()


def judge_since(
    base: str, only: tuple[str, ...], inherited: bool, config: str
) -> Report:
    # asked for in CI, never by a hook
    from interlock.git.ci_range import ci_range

    with opened() as repository:
        span = ci_range(repository, base)
        err(f'interlock: judging {span}')
        push = span.push(repository)
        judge = PushJudge(repository, config, only, inherited)
        return judged_push(judge, push, span.revisions)


class Asked(NamedTuple):
    """What to judge; nothing of it is the index."""

    rev: str | None
    revisions: str | None
    base: str | None
    tree: str | None
    worktree: bool

    # an empty revision (a variable that is not set) is an answer, not none
    @property
    def objects(self) -> int:
        given = (self.rev, self.revisions, self.base, self.tree)
        return sum(one is not None for one in given)


def _refuse_usage(
    asked: Asked, staged: bool, message: str | None, form: str, fix: bool, diff: bool
) -> None:
    if staged + asked.worktree + asked.objects > 1:
        raise click.UsageError(
            'only one of --staged, --commit, --range, --base, --tree and '
            '--worktree can be given'
        )
    elif message is not None and (asked.worktree or asked.objects):
        raise click.UsageError('--message belongs to --staged')
    elif diff and (not fix or form != 'text'):
        raise click.UsageError('--diff belongs to --fix, with --format text')
    elif fix and asked.objects:
        raise click.UsageError('--fix works on files: --staged, --worktree')


def _fix(asked: Asked, diff: bool, config: str) -> None:
    from interlock.commands.everyday.check_fix import fix_records, fix_rows, unstaged

    mended = False
    for line in (*fix_rows(config, not diff), *fix_records(config, not diff)):
        out(line) if diff else err(line)
        mended = True
    if not mended and not asked.worktree:
        for line in unstaged(config):
            err(line)


def _judged(
    asked: Asked,
    message: str | None,
    only: tuple[str, ...],
    inherited: bool,
    config: str,
) -> Report:
    if asked.rev is not None:
        return judge_commit(asked.rev, only, inherited, config)
    elif asked.revisions is not None:
        return judge_range(asked.revisions, only, inherited, config)
    elif asked.base is not None:
        return judge_since(asked.base, only, inherited, config)
    elif asked.tree is not None:
        return judge_tree(asked.tree, only, config)
    elif asked.worktree:
        return judge_worktree(only, inherited, config)
    return judge_staged(message, only, inherited, config)


@click.command('check')
@click.option('--staged', is_flag=True, help='The index (default).')
@click.option('--commit', 'rev', metavar='REV', help='One commit.')
@click.option('--range', 'revisions', metavar='A..B', help='Each commit.')
@click.option(
    '--base',
    metavar='auto|REV',
    help='Each commit since REV; auto: what this run of CI is about.',
)
@click.option('--tree', metavar='REF', help='A whole tree, as it stands.')
@click.option('--worktree', is_flag=True, help='The working tree.')
@click.option(
    '--message',
    metavar='FILE',
    help='The commit message; without it rules about it are not judged.',
)
@click.option(
    '--only',
    multiple=True,
    type=click.Choice(list(CHECKS)),
    help='Run this check only (may be repeated).',
)
@click.option('--inherited', is_flag=True, help='Also what was there before.')
@click.option(
    '--format',
    'form',
    type=click.Choice(FORMATS),
    default='text',
    help='How to report.',
)
@click.option('--fix', is_flag=True, help='Mend what is mechanical.')
@click.option('--diff', is_flag=True, help='With --fix: show, do not write.')
@click.option('--config', default='', metavar='FILE', help='The workflow.')
@common
def command(
    staged: bool,
    rev: str | None,
    revisions: str | None,
    base: str | None,
    tree: str | None,
    worktree: bool,
    message: str | None,
    only: tuple[str, ...],
    inherited: bool,
    form: str,
    fix: bool,
    diff: bool,
    config: str,
    verbose: int,
    quiet: int,
) -> int:
    """Judge a change and refuse what it breaks.

    Exit codes: 0 clean, 1 findings that refuse, 2 the question cannot be
    answered (usage, configuration, repository), 3 a failure of ours.
    """
    asked = Asked(rev, revisions, base, tree, worktree)
    _refuse_usage(asked, staged, message, form, fix, diff)
    with reported(form):
        if fix:
            _fix(asked, diff, config)
        report = _judged(asked, message, only, inherited, config)
    return say(report, form, verbose, quiet)
