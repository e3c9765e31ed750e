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
    """The index against HEAD."""
    if message is None and 'message' in only and len(only) == 1:
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
        base, commits = repository.range(revisions)
        if not commits:
            err(f'interlock: no commit is in {revisions}')
        for commit in commits:
            # what is inherited is said once, for the last tree
            judge.inherited = inherited and commit is commits[-1]
            judge.commit(commit, base)
        return judge.report()


def judge_hook(message: str | None, check: str = '') -> Report:
    """What a hook is asked: the index, or the range pre-commit gives."""
    if check == 'message' and message is None and not _given_range():
        raise Refusal(
            'no message file was given, so there is nothing to judge',
            'interlock check --staged --message FILE',
        )
    # the workflow itself is looked after by each hook, else a project that
    # uses only some of them could lose it unseen
    only = (check, 'workflow') if check else ()
    revisions = _given_range()
    if revisions:
        return judge_range(revisions, only)
    return judge_staged(message, only)


def _given_range() -> str:
    base = os.environ.get('PRE_COMMIT_FROM_REF', '')
    tip = os.environ.get('PRE_COMMIT_TO_REF', '')
    return f'{base}..{tip}' if base and tip else ''


def say(
        report: Report,
        form: str = 'text',
        verbose: int = 0,
        quiet: int = 0,
) -> int:
    out(render(report, form, colour(), verbose - quiet))
    return FOUND if report.refuses else 0
