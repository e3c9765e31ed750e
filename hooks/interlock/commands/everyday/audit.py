from __future__ import annotations

import contextlib
import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence

import click

from interlock.checks.workflow_loosened import TRAILER
from interlock.commands.click_options import common
from interlock.documents.message import parse
from interlock.engine import baseline
from interlock.engine.html_data import day_of, page
from interlock.engine.judge import Judge
from interlock.engine.last_audit import leave_report
from interlock.engine.open_repository import head_of, opened
from interlock.files.atomic_files import read, replace
from interlock.git.parse import Commit
from interlock.git.repository import Repository
from interlock.model.errors import InvalidWorkflow, Refusal
from interlock.model.finding import Finding
from interlock.model.report import Report, plural, sentence
from interlock.report.colour import paint
from interlock.report.formats import render
from interlock.report.html_board import Page, render_page
from interlock.report.terminal import FOUND, colour, err, out
from interlock.rules.index import RULES


@contextlib.contextmanager
def _progress(commits: Sequence[Commit]) -> Iterator[Iterator[Commit]]:
    if not sys.stderr.isatty():
        yield iter(commits)
        return
    with click.progressbar(commits, label='judging commits', file=sys.stderr) as bar:
        yield iter(bar)


def _commit_lines(commit: Commit, found: list[Finding]) -> Iterator[str]:
    subject = commit.message.split('\n', 1)[0]
    yield f'{commit.oid[:10]} {day_of(commit.time)} {subject}'
    yield from _finding_lines(found)


def _finding_lines(findings: Sequence[Finding]) -> Iterator[str]:
    for finding in findings:
        code = paint(finding.code, finding.severity, colour())
        yield f'    {code} {finding.item}: {finding.message}'


def _history(judge: Judge, commits: Sequence[Commit], form: str, html: str) -> int:
    lines: list[str] = []
    guilty = 0
    with _progress(commits) as bar:
        for commit in bar:
            found = judge.commit(commit)
            guilty += any(finding.refuses for finding in found)
            if found:
                lines.extend(_commit_lines(commit, found))
    standing = judge.standing(commits[-1].tree) if commits else Report(())
    leave_report(judge.repository, commits[-1].tree if commits else '', standing)
    report = judge.report()._replace(stale=standing.stale)
    if html:
        _write_page(html, page(judge, report, commits, guilty))
    if form == 'json':
        out(render(report, form))
        return FOUND if report.refuses else 0
    out('\n'.join(lines))
    if standing.findings:
        out(f'in the tree of {commits[-1].oid[:10]}:')
        out('\n'.join(_finding_lines(standing.findings)))
    for code, number in sorted(
        Counter(finding.code for finding in report.findings).items()
    ):
        out(f'{number:5d} {code} {RULES[code].title}')
    out(
        f'interlock: {plural(len(commits), "commit")}, {guilty} of them '
        f'would be refused: {sentence(report)}'
    )
    if commits:
        _say_better(judge, commits)
    return FOUND if report.refuses else 0


def _say_better(judge: Judge, commits: Sequence[Commit]) -> None:
    """Whether another numbering of the stages fits what was judged."""
    from interlock.engine.preset_fit import better

    tree = commits[-1].tree
    subjects = [parse(commit.message).subject for commit in commits]
    # a broken workflow is a finding of its commit
    with contextlib.suppress(InvalidWorkflow):
        workflow = judge.governing.before(judge.repository.tree(tree))
        for said in better(judge.repository, tree, workflow, subjects):
            err(f'interlock: {said}')


def _write_page(path: str, content: Page) -> None:
    replace(path, read(path), render_page(content).encode())
    err(f'{path}: written')


def _write_baseline(repository: Repository, config: str) -> int:
    judge = Judge(repository, config)
    head = head_of(repository)
    if not judge.governing.found.file:
        raise Refusal('there is no workflow file', 'interlock init')
    # what an old baseline suppressed is still there, and stays listed
    findings = judge.tree_findings(head.tree)
    if not findings and not os.path.exists(baseline.file(judge.governing)):
        err('nothing is wrong with this tree, so there is nothing to record')
        return 0
    path = baseline.write(judge.governing, findings)
    number = plural(len(findings), 'finding')
    err(
        f'{number} written to {path}; next: commit it, then it counts; with '
        f'the workflow, or with the trailer `{TRAILER}`'
    )
    return 0


@click.command('audit')
@click.argument('revisions', metavar='[RANGE]', required=False)
@click.option('--item', help='Which criteria of success hold for an item.')
@click.option(
    '--write-baseline',
    is_flag=True,
    help="Record today's findings; they no longer count.",
)
@click.option('--format', 'form', type=click.Choice(['text', 'json']), default='text')
@click.option('--html', default='', metavar='FILE', help='A page, too.')
@click.option('--config', default='', metavar='FILE', help='The workflow.')
@common
def command(
    revisions: str | None,
    item: str | None,
    write_baseline: bool,
    form: str,
    html: str,
    config: str,
    verbose: int,
    quiet: int,
) -> int:
    """Judge every commit of a history (default: all of HEAD's).

    Exit code 1 means that some commit would be refused. What today's
    baseline lists does not count, however old the commit.
    """
    if html and (write_baseline or item is not None):
        raise click.UsageError(
            '--html shows a history: it goes with neither --item nor --write-baseline'
        )
    elif write_baseline and (item is not None or revisions is not None):
        raise click.UsageError(
            '--write-baseline records the whole tree of HEAD: it goes with '
            'neither --item nor a range'
        )
    with opened() as repository:
        if write_baseline:
            return _write_baseline(repository, config)
        if revisions is not None:
            commits = repository.range(revisions).commits
        else:
            commits = repository.history(head_of(repository).oid)
        if commits and not repository.is_shallow:
            # what is merged from elsewhere is another project's history
            repository.target = commits[-1].oid
            commits = repository.ancestry.related(commits, commits[-1].oid)
        if item is not None:
            from interlock.commands.items.success_criteria import report_item

            return report_item(repository, config, commits, item, form)
        judge = Judge(repository, config, by_disk=True)
        repository.refuse_to_fetch()
        head = repository.head()
        if head is not None:
            judge.adopt(head.tree)
        return _history(judge, commits, form, html)
