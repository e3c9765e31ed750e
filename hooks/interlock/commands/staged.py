"""The index against HEAD: what hooks ask for."""
from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from collections.abc import Mapping

from interlock.commands.host import colour
from interlock.commands.host import err
from interlock.commands.host import FOUND
from interlock.commands.host import out
from interlock.commands.judging import Judge
from interlock.commands.judging import read_message
from interlock.commands.opening import opened
from interlock.commands.pushing import PushJudge
from interlock.model.errors import Refusal
from interlock.report.formats import render
from interlock.report.summary import Report
from interlock.world import pushes
from interlock.world.files import append


def judge_staged(
        message: str | None,
        only: tuple[str, ...],
        inherited: bool = False,
        config: str = '',
        stamped: bool = False,
) -> Report:
    """The index against HEAD; `stamped`: its message says that it passed."""
    if message is None and 'message' in only and len(only) == 1:
        raise Refusal(
            'no message file was given, so there is nothing to judge',
            'interlock check --staged --message FILE',
        )
    with opened() as repository:
        text = (
            read_message(message, repository) if message is not None else None
        )
        judge = Judge(repository, config, only, inherited, is_here=True)
        judge.changes(repository.staged(text))
        report = judge.report()
        trailer = judge.gate_trailer() if stamped else ''
        if trailer and message is not None and not report.refuses:
            # only where a project asks for it
            from interlock.commands.stamp import stamp
            stamp(repository, message, trailer)
        return report


def judge_range(
        revisions: str,
        only: tuple[str, ...],
        inherited: bool = False,
        config: str = '',
) -> Report:
    with opened() as repository:
        push = pushes.of_range(repository, revisions)
        judge = PushJudge(repository, config, only, inherited)
        return judged_push(judge, push, revisions)


def judged_push(
        judge: PushJudge,
        push: pushes.Push,
        revisions: str,
) -> Report:
    if not push.commits:
        err(f'interlock: no commit is in {revisions}')
    judge.push(push)
    judge.forwarded(push, pushes.on_main(judge.repository, push.tip))
    return judge.report()


def judge_hook(message: str | None, check: str = '') -> Report:
    """What a hook is asked: the index, a push, or the range of pre-commit."""
    if not check and is_push(os.environ):
        # pre-commit and prek hand no input on, but say what is pushed
        from interlock.commands.pre_push import judge_pushed
        return judge_pushed('', '')
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
    return judge_staged(message, only, stamped=not check)


def is_push(environ: Mapping[str, str]) -> bool:
    return bool(environ.get('PRE_COMMIT_REMOTE_BRANCH'))


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
    if _summary(form):
        # shown on the page of the run
        from interlock.report.markdown import render_markdown
        append(_summary(form), render_markdown(report).encode())
    return FOUND if report.refuses else 0


def _summary(form: str) -> str:
    """Where GitHub wants one, '' if nowhere."""
    if form != 'github':
        return ''
    return os.environ.get('GITHUB_STEP_SUMMARY', '')


@contextlib.contextmanager
def reported(form: str) -> Iterator[None]:
    """What keeps us from judging is a report too, whoever keeps those."""
    try:
        yield
    except Refusal as e:
        _say_unjudged(form, e.message, e.hint)
        raise
    except Exception as e:
        why = str(e).partition('\n')[0]
        _say_unjudged(form, f'failed ({type(e).__name__}: {why})', '')
        raise


def _say_unjudged(form: str, message: str, hint: str) -> None:
    if form != 'text':
        from interlock.report.unjudged import render_refusal
        out(render_refusal(form, message, hint))
    if _summary(form):
        from interlock.report.markdown import refusal_as_markdown
        append(_summary(form), refusal_as_markdown(message, hint).encode())
