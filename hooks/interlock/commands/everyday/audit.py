from __future__ import annotations

import os
from collections import Counter

import click

from interlock.commands.click_options import Options, example, formats, governed, option
from interlock.commands.workflow_options import complete_item
from interlock.documents.message import parse
from interlock.documents.trailers import RULES as RULES_LOOSENED
from interlock.engine import baseline
from interlock.engine.html_data import day_of, page
from interlock.engine.judge import Judge
from interlock.engine.last_audit import leave_report
from interlock.files.atomic_files import read, replace
from interlock.git.parse import Commit
from interlock.git.repository import Repository, head_of, opened
from interlock.git.workflow_source import Governing
from interlock.model.change import Snapshot, data_of
from interlock.model.errors import InvalidWorkflow, Refusal
from interlock.model.finding import Finding
from interlock.model.fixes import WHY, ours, quoted
from interlock.model.quick_tools import suppress
from interlock.model.quick_typing import Iterator, Sequence
from interlock.model.report import Report, plural, sentence
from interlock.operations.success_criteria import (
    FAILS,
    HOLDS,
    UNKNOWN,
    success_criteria,
)
from interlock.project.project import find_item
from interlock.project.record_history import last_handoff
from interlock.report.html_board import render_page
from interlock.report.terminal import FOUND, colour, err, fitted, out, out_json, paint
from interlock.report.text import about, details, render, rules_judged, where
from interlock.rules.index import RULES
from interlock.workflow.language.spec import Workflow


def _finding_lines(findings: Sequence[Finding], verbosity: int) -> Iterator[str]:
    coloured = colour()
    for finding in findings:
        named = ' '.join(
            filter(None, (f'{finding.severity}:', finding.code, finding.rule))
        )
        code = paint(named, finding.severity, coloured)
        yield fitted(f'    {code} {about(finding)}', 6)
        if verbosity > 0:
            for line in (where(finding), *details(finding, verbosity)):
                yield fitted(f'      {line.strip()}', 8)


def _history(
    judge: Judge, commits: Sequence[Commit], form: str, html: str, verbosity: int
) -> int:
    lines: list[str] = []
    guilty = 0
    for commit in judge.ahead(commits, _last_workflow(judge, commits)):
        found = judge.commit(commit)
        guilty += any(finding.refuses for finding in found)
        if found:
            subject = commit.message.split('\n', 1)[0]
            head = f'{commit.oid[:10]} {day_of(commit.time)} {subject}'
            lines.append(fitted(head, 4))
            lines.extend(_finding_lines(found, verbosity))
    standing = judge.standing(commits[-1].tree) if commits else Report(())
    leave_report(judge.repository, commits[-1].tree if commits else '', standing)
    report = judge.report()._replace(stale=standing.stale)
    if html:
        content = render_page(page(judge, report, commits, guilty))
        replace(html, read(html), content.encode())
        err(f'{html}: written')
    if form == 'json':
        out(render(report, form))
        return FOUND if report.refuses else 0
    out('\n'.join(lines))
    if standing.findings:
        out(f'in the tree of {commits[-1].oid[:10]}:')
        out('\n'.join(_finding_lines(standing.findings, verbosity)))
    numbers = Counter((each.code, each.rule) for each in report.findings)
    for (code, rule), number in sorted(numbers.items()):
        out(fitted(f'{number:5d} {code} {rule or RULES[code].title}', 6))
    out(
        fitted(
            f'interlock: {plural(len(commits), "commit")}, {guilty} of them '
            f'would be refused: {sentence(report)}'
        )
    )
    if verbosity > 0:
        out('\n'.join(rules_judged(report, plural(len(commits), 'commit'))))
    return FOUND if report.refuses else 0


def _last_workflow(judge: Judge, commits: Sequence[Commit]) -> Workflow | None:
    """The last commit's workflow; None if it is broken, which is a finding there."""
    with suppress(InvalidWorkflow):
        for commit in commits[-1:]:
            return judge.governing.before(judge.repository.tree(commit.tree))
    return None


def _write_baseline(repository: Repository, config: str) -> int:
    judge = Judge(repository, config)
    head = head_of(repository)
    if not judge.governing.found.file:
        raise Refusal('there is no workflow file', 'interlock init')
    # findings that an old baseline suppressed still exist, and stay listed
    findings = judge.tree_findings(head.tree)
    if not findings and not os.path.exists(baseline.file(judge.governing)):
        err('this tree has no findings, so there is nothing to record')
        return 0
    name = os.path.relpath(baseline.write(judge.governing, findings))
    step = _to_commit(repository.tree(head.tree), judge.governing, name)
    once = ', which counts once it is committed' if step else ''
    err(f'{plural(len(findings), "finding")} written to {name}{once}')
    if step:
        err(f'next: {step}')
    return 0


def _to_commit(head: Snapshot, governing: Governing, name: str) -> str:
    """The step that commits a baseline, '' if it counts already."""
    workflow = governing.found.path
    path = os.path.join(os.path.dirname(workflow), os.path.basename(name))
    if not workflow or data_of(head, path) == read(name):
        return ''
    elif head.blob(workflow) is None:
        return f'commit it with {workflow}'
    words = ('-m', 'chore: record old findings', '-m', f'{RULES_LOOSENED}: {WHY}')
    added = f'git add -A -- {quoted([name])}'
    return f'{added} && git commit {quoted(words)} -- {quoted([name])}'


def _report_item(
    repository: Repository, config: str, commits: Sequence[Commit], item: str, form: str
) -> int:
    head = head_of(repository)
    judge = Judge(repository, config, by_disk=True)
    tree = repository.tree(head.tree)
    at = find_item(tree, judge.governing.before(tree), item)
    for commit in judge.ahead(commits, _last_workflow(judge, commits)):
        judge.commit(commit)
    criteria = list(
        success_criteria(
            at,
            last_handoff(at, repository),
            [parse(commit.message).subject for commit in commits],
            [*judge.findings, *judge.tree_findings(head.tree)],
        )
    )
    if form == 'json':
        out_json({'item': item, 'criteria': [each._asdict() for each in criteria]})
    else:
        styles = {HOLDS: 'ok', FAILS: 'error', UNKNOWN: 'warning'}
        for each in criteria:
            word = paint(f'{each.verdict:8}', styles[each.verdict], colour())
            out(f'{word} {each.name}{f" ({each.why})" if each.why else ""}')
    failed = any(each.verdict == FAILS for each in criteria)
    if failed and form != 'json':
        out(f'    next: {ours("resume", item)}')
    return FOUND if failed else 0


@example(
    'interlock audit',
    'interlock audit v1.0..HEAD',
    'interlock audit --html board.html',
    'interlock audit --write-baseline',
)
@click.command('audit')
@click.argument('revisions', metavar='[RANGE]', required=False)
@option(
    '--item TEXT',
    'Show which success criteria an item meets.',
    default=None,
    shell_complete=complete_item,
)
@option(
    '--write-baseline',
    "Record today's findings in the baseline, so that they no longer count.",
)
@formats('text', 'json')
@option('--html FILE', 'Write an HTML page too.')
@governed
def command(
    options: Options,
    revisions: str | None,
    item: str | None,
    write_baseline: bool,
    form: str,
    html: str,
) -> int:
    """Judge every commit of a history (default: all of HEAD's).

    Exit code 1 means that some commit would be refused. What today's
    baseline lists does not count, however old the commit.
    """
    if html and (write_baseline or item is not None):
        raise click.UsageError(
            '--html shows a history, so it works with neither --item nor --write-baseline'
        )
    elif write_baseline and (item is not None or revisions is not None):
        raise click.UsageError(
            '--write-baseline records the whole tree of HEAD, so it works with '
            'neither --item nor a range'
        )
    elif revisions and '..' not in revisions:
        raise Refusal(
            f'`{revisions}` is not a range of commits',
            f'write it as A..B, or for an item: {ours("audit", "--item", revisions)}',
        )
    with opened() as repository:
        if write_baseline:
            return _write_baseline(repository, options.config)
        if revisions is not None:
            commits = repository.range(revisions).commits
        else:
            commits = repository.history(head_of(repository).oid)
        if commits and not repository.is_shallow:
            repository.target = commits.oids[-1]
            commits = repository.related(commits, repository.target)
        if item is not None:
            return _report_item(repository, options.config, commits, item, form)
        judge = Judge(repository, options.config, by_disk=True)
        repository.refuse_to_fetch()
        head = repository.head()
        if head is not None:
            judge.adopt(head.tree)
        return _history(judge, commits, form, html, options.verbosity)
