from __future__ import annotations

import os

import click

from interlock.checks.all_checks import CHECKS
from interlock.commands.click_options import Options, example, formats, governed, option
from interlock.commands.hooks.reporting import reported, say
from interlock.engine.staged import judge_staged
from interlock.git.git_paths import top_of
from interlock.model.quick_typing import Sequence
from interlock.model.report import Report
from interlock.report.terminal import err, out
from interlock.report.text import FORMATS

# the option that names a revision, and its value
Revision = tuple[str, str]


def _fix(worktree: bool, diff: bool, options: Options) -> None:
    from interlock.project.fix_rows import fix_rows, unstaged

    fixed = list(fix_rows(options.config, options.wait, write=not diff))
    for line in fixed:
        out(line) if diff else err(line)
    if not fixed and not worktree:
        for line in unstaged(options.config):
            err(line)


def _about(report: Report, paths: tuple[str, ...]) -> Report:
    """Only the findings about some files, or about files below them."""
    top = top_of(os.path.realpath(os.curdir))
    named = [os.path.relpath(os.path.realpath(path), top) for path in paths]
    found = [
        each
        for each in report.findings
        if any(
            path in {each.path, '.'} or each.path.startswith(f'{path}/')
            for path in named
        )
    ]
    return report._replace(findings=found)


@example(
    'interlock check',
    'interlock check docs/FEATURES.md',
    'interlock check --base auto',
    'interlock check --worktree --fix',
)
@click.command('check')
@click.argument('paths', metavar='[PATH]...', nargs=-1, type=click.Path(exists=True))
@option('--staged', 'Judge the index (default).')
@option('--commit REV', 'Judge one commit.', default=None)
@option('--range A..B', 'Judge each commit of a range.', default=None)
@option(
    '--base auto|REV',
    'Judge each commit since REV; auto: the commits of this CI run.',
    default=None,
)
@option('--tree REF', 'Judge a whole tree as it stands.', default=None)
@option('--worktree', 'Judge the working tree.')
@option(
    '--message FILE',
    'Judge this commit message too; without it no rule about messages is judged.',
    default=None,
)
@option(
    '--only CHECK...',
    f'Run only this check (may be repeated): {", ".join(CHECKS)}.',
    type=click.Choice(list(CHECKS)),
)
@option('--inherited', 'Also report findings that existed before the change.')
@formats(*FORMATS)
@option('--fix', 'Fix what can be fixed mechanically.')
@option('--diff', 'With --fix: show the changes, and write nothing.')
@governed
def command(
    options: Options,
    paths: tuple[str, ...],
    staged: bool,
    worktree: bool,
    message: str | None,
    only: tuple[str, ...],
    inherited: bool,
    form: str,
    fix: bool,
    diff: bool,
    **revisions: str | None,
) -> int:
    """Judge a change and refuse what it breaks.

    With PATH, report what is wrong in these files and directories, as they are
    in the working tree unless another change is named.

    Exit codes: 0 clean, 1 findings that refuse, 2 the question cannot be
    answered (usage, configuration, repository), 3 Interlock failed.
    """
    # an empty revision (an unset variable) is an answer, not a missing one
    given = [(name, rev) for name, rev in revisions.items() if rev is not None]
    _refuse_contradictions(staged, worktree, given, message)
    if diff and (not fix or form != 'text'):
        raise click.UsageError('--diff needs --fix and --format text')
    elif fix and given:
        raise click.UsageError('--fix needs --staged or --worktree')
    is_default = not (staged or worktree or given)
    if paths and is_default:
        worktree = inherited = True
    with reported(form):
        if fix:
            _fix(worktree, diff, options)
        if worktree or given:
            report = _judge(given, only, inherited, options.config)
        else:
            report = judge_staged(message, only, inherited, options.config)
    if paths:
        report = _about(report, paths)
    elif is_default and not report.files and form == 'text' and options.verbosity >= 0:
        err(
            'nothing is staged, so nothing was judged; the working tree is judged '
            'by: interlock check --worktree'
        )
    return say(report, form, options.verbosity)


def _refuse_contradictions(
    staged: bool, worktree: bool, given: Sequence[Revision], message: str | None
) -> None:
    if staged + worktree + len(given) > 1:
        raise click.UsageError(
            'only one of --staged, --commit, --range, --base, --tree and '
            '--worktree can be given'
        )
    elif message is not None and (worktree or given):
        raise click.UsageError('--message works only with --staged')


def _judge(
    given: Sequence[Revision], only: tuple[str, ...], inherited: bool, config: str
) -> Report:
    """Judge what a revision names, else the working tree."""
    # imported here: most commands judge the index
    from interlock.engine.judgements import JUDGEMENTS, judge_worktree

    if not given:
        return judge_worktree(only, inherited, config)
    name, rev = given[0]
    return JUDGEMENTS[name](rev, only, inherited, config)
