"""The index against HEAD: what hooks ask for."""
from __future__ import annotations

import os

from interlock.commands.host import colour
from interlock.commands.host import err
from interlock.commands.host import FOUND
from interlock.commands.host import out
from interlock.commands.judging import Judge
from interlock.commands.judging import opened
from interlock.commands.judging import read_message
from interlock.model.errors import Refusal
from interlock.report.formats import render
from interlock.report.summary import Report


def judge_staged(
        message: str | None,
        only: tuple[str, ...],
        inherited: bool = False,
        config: str = '',
) -> Report:
    """The index against HEAD; in a range where pre-commit gives one."""
    base = os.environ.get('PRE_COMMIT_FROM_REF', '')
    tip = os.environ.get('PRE_COMMIT_TO_REF', '')
    if base and tip:
        return judge_range(f'{base}..{tip}', only, inherited, config)
    if message is None and set(only) == {'message'}:
        raise Refusal(
            'no message file was given, so there is nothing to judge',
            'interlock check --staged --message FILE',
        )
    with opened() as repository:
        text = (
            read_message(message, repository) if message is not None else None
        )
        judge = Judge(repository, config, only, inherited)
        judge.changes(repository.staged(text))
        return judge.report()


def judge_range(
        revisions: str,
        only: tuple[str, ...],
        inherited: bool = False,
        config: str = '',
) -> Report:
    with opened() as repository:
        judge = Judge(repository, config, only)
        commits = repository.range(revisions)
        if not commits:
            err(f'interlock: no commit is in {revisions}')
        for commit in commits:
            # what is inherited is said once, for the last tree
            judge.inherited = inherited and commit is commits[-1]
            judge.commit(commit)
        return judge.report()


def say(
        report: Report,
        form: str,
        verbose: int,
        quiet: int,
) -> int:
    out(render(report, form, colour(), verbose - quiet))
    return FOUND if report.refuses else 0


def run_staged(message: str | None, only: tuple[str, ...] = ()) -> int:
    return say(judge_staged(message, only), 'text', 0, 0)
