"""Turn a report, or a refusal, into output and an exit code."""

from __future__ import annotations

import os

from interlock.files.atomic_files import append
from interlock.git.git_paths import COMMITTING
from interlock.model.errors import NoWorkflow, Refusal
from interlock.model.quick_tools import contextmanager
from interlock.model.quick_typing import Iterator
from interlock.model.report import Report
from interlock.report.terminal import FOUND, colour, err, out


def run_hook(message: str | None, check: str = '', verbosity: int = 0) -> int:
    # imported here: a server has no index to judge
    from interlock.engine.staged import judge_hook

    with unless_ungoverned():
        return max(
            say(_once_committed(report), 'text', verbosity)
            for report in judge_hook(message, check)
        )
    return 0


def _once_committed(report: Report) -> Report:
    """The report for a user who reads it after the commit was made."""
    if report.refuses or not report.findings:
        return report
    from interlock.model.fixes import in_history

    return report._replace(
        findings=tuple(
            each._replace(fix=in_history(each.fix, 'HEAD')) for each in report.findings
        )
    )


@contextmanager
def unless_ungoverned() -> Iterator[None]:
    """Let a hook pass on a branch without a workflow."""
    try:
        yield
    except NoWorkflow as e:
        err(f'interlock: passed: {e.message}, so nothing is checked')


def say(report: Report, form: str = 'text', verbosity: int = 0) -> int:
    if COMMITTING in os.environ and not report.refuses:
        # a hook inside a commit of ours, which has already printed all of this
        return 0
    if report.note:
        err(f'interlock: {report.note}')
    if form != 'text' or verbosity > 0 or not report.is_clean:
        _print(report, form, verbosity)
    return FOUND if report.refuses else 0


def _print(report: Report | Refusal, form: str, verbosity: int = 0) -> None:
    # most commits print nothing, and the texts of all rules are large
    from interlock.report.text import render

    out(render(report, form, colour(), verbosity))
    summary = os.environ.get('GITHUB_STEP_SUMMARY', '')
    if form == 'github' and summary:
        # shown on the page of the run
        from interlock.report.ci_formats import render_summary

        append(summary, render_summary(report).encode())


@contextmanager
def reported(form: str) -> Iterator[None]:
    """Print the reason why we cannot judge in the format of the report."""
    try:
        yield
    except Refusal as e:
        _print(e, form)
        raise
    except Exception as e:
        why = str(e).partition('\n')[0]
        _print(Refusal(f'failed ({type(e).__name__}: {why})'), form)
        raise
