from __future__ import annotations

import os
from collections import Counter

import click

from interlock.commands.click_options import Options, example, formats, governed
from interlock.engine.judge import Judge
from interlock.engine.judgements import say_unwatched
from interlock.engine.status_board import People, board, people
from interlock.git import worktree_snapshot
from interlock.model.quick_typing import Iterator
from interlock.model.report import plural, sentence
from interlock.operations.registry.status import registry_problem
from interlock.report.causes import without_followers
from interlock.report.html_board import BoardLine, age
from interlock.report.terminal import colour, fitted, out, out_json, paint, say_problem
from interlock.report.text import finding_lines, rules_judged
from interlock.workflow.language.spec import Workflow
from interlock.workflow.reading.item_paths import is_name

LISTED = 'interlock check --worktree --inherited'
# the widest column for item names
WIDEST = 32


# for an item with an invalid name
UNCHECKED = 'not checked: rename it'


def _unchecked(lines: list[BoardLine], workflow: Workflow) -> set[BoardLine]:
    kinds = {kind.name: kind for kind in workflow.kinds}
    return {
        line
        for line in lines
        if line.kind in kinds and not is_name(line.item, kinds[line.kind])
    }


def _board(lines: list[BoardLine], unchecked: set[BoardLine]) -> Iterator[str]:
    # one long name must not widen the column for all
    width = min(max((len(line.item) for line in lines), default=0), WIDEST)
    group = None
    for line in lines:
        if (line.kind, line.state) != group:
            group = (line.kind, line.state)
            number = sum((o.kind, o.state) == group for o in lines)
            yield fitted(f'{line.state} ({plural(number, line.kind)})')
        parts = [f'  {line.item:{width}}', f'{age(line):14}']
        if line.handoff:
            parts.append(f'handoff at {line.handoff}')
        for number, severity in ((line.errors, 'error'), (line.warnings, 'warning')):
            if number:
                text = plural(number, severity)
                parts.append(paint(text, severity, colour()))
        parts.extend([UNCHECKED] if line in unchecked else ())
        yield fitted('  '.join(parts).rstrip(), 6)


def _people(found: People) -> Iterator[str]:
    if found.locks:
        yield 'Locks'
    for lock in found.locks:
        state = f'{lock.state}  ' if lock.state else ''
        yield fitted(f'  {lock.task}  {state}held by {lock.holder}', 6)
    if found.waits:
        yield 'Waiting for a person'
    for wait in found.waits:
        yield fitted(
            f'  {wait.task}  the {wait.what}, since {wait.since}: {wait.next}', 6
        )


@example('interlock status', 'interlock status --json')
@click.command('status')
@formats('text', 'json')
@governed
def command(options: Options, form: str) -> int:
    """Show the items by stage, their age, and what is wrong with them.

    Below them the locks with their holders, and what waits for a person.
    """
    with worktree_snapshot.opened(os.environ, options.config) as (repository, tree):
        judge = Judge(repository, options.config)
        judge.tree(tree)
        # no tree shows that the next commit would take an illegal step
        step = Judge(repository, options.config, is_here=True, by_disk=True)
        step.changes([repository.against_head(tree)])
        report = judge.report()
        found = [*step.report().findings, *report.findings]
        unique = {each.fingerprint: each for each in found}
        report = without_followers(report._replace(findings=[*unique.values()]))
        counts = Counter((f.item, f.severity) for f in report.findings)
        snapshot = repository.tree(tree)
        workflow = judge.governing.before(snapshot)
        lines = list(board(snapshot, workflow, counts))
        unchecked = _unchecked(lines, workflow)
        persons = people(judge, workflow)
        say_unwatched(snapshot, workflow)
        for kind in workflow.kinds:
            problem = registry_problem(snapshot, kind)
            if problem is not None:
                say_problem(problem)
    if form == 'json':
        out_json(
            {
                'version': 1,
                'items': [line._asdict() for line in lines],
                'locks': [lock._asdict() for lock in persons.locks],
                'waiting': [wait._asdict() for wait in persons.waits],
            }
        )
    else:
        out('\n'.join([*_board(lines, unchecked), *_people(persons)]))
        listed = f' ({LISTED})' if report.findings else ''
        out(fitted(f'{plural(len(lines), "item")}: {sentence(report)}{listed}', 6))
        if options.verbosity > 0:
            for finding in report.findings:
                out('\n'.join(finding_lines(finding, colour(), options.verbosity)))
            out('\n'.join(rules_judged(report, 'the working tree')))
    return 0
