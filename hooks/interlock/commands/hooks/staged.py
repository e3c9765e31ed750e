"""The index against HEAD: what hooks ask for."""

from __future__ import annotations

import contextlib
import functools
import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from interlock.engine.judge import Judge, read_message
from interlock.engine.open_repository import opened
from interlock.files.atomic_files import append
from interlock.git.repository import Repository
from interlock.model.errors import NoWorkflow, Refusal
from interlock.model.report import Report
from interlock.report.formats import render
from interlock.report.terminal import FOUND, colour, err, out
from interlock.transactions import journal as journals

if TYPE_CHECKING:
    from interlock.engine.push import PushJudge
    from interlock.git.push_updates import Push

# git tells the hooks of a commit by it which index is judged, and no others;
# a hook of a commit may push, though
INDEX = 'GIT_INDEX_FILE'


def judge_staged(
    message: str | None,
    only: tuple[str, ...],
    inherited: bool = False,
    config: str = '',
    stamped: bool = False,
    hooked: bool = False,
) -> Report:
    """The index against HEAD.

    `stamped`: its message says that it passed; `hooked`: a hook of git asks.
    """
    if message is None and 'message' in only and len(only) == 1:
        raise Refusal(
            'no message file was given, so there is nothing to judge',
            'interlock check --staged --message FILE',
        )
    with opened() as repository:
        text = read_message(message, repository) if message is not None else None
        judge = Judge(repository, config, only, inherited, is_here=True)
        judge.staged(
            text,
            functools.partial(_is_asked_again, repository)
            if hooked and text is None
            else lambda: False,
        )
        if judge.findings and len(repository.parents()) < 2:
            # only what is found needs it; a merge has no other remedy
            from interlock.engine.unstaged_fix import stage_what_is_mended

            stage_what_is_mended(judge, text, config)
        report = judge.report()
        trailer = judge.gate_trailer() if stamped else ''
        if trailer and message is not None and not report.refuses:
            # only where a project asks for it
            from interlock.engine.required_trailers import stamp

            stamp(repository, message, trailer)
        return report


def _is_asked_again(repository: Repository) -> bool:
    """Whether commit-msg calls us, so that it judges the message."""
    from interlock.git import installed_hooks
    from interlock.git.hook_folder import folder_of

    facts = repository.facts
    hook = installed_hooks.hook(folder_of(*facts, os.environ), 'commit-msg')
    return hook.runs and installed_hooks.leads_to_us(facts.top, hook)


def judge_range(
    revisions: str, only: tuple[str, ...], inherited: bool = False, config: str = ''
) -> Report:
    # a commit does not need what judges pushes
    from interlock.engine.push import PushJudge
    from interlock.git.push_updates import of_range

    with opened() as repository:
        push = of_range(repository, revisions)
        judge = PushJudge(repository, config, only, inherited)
        return judged_push(judge, push, revisions)


def judged_push(judge: PushJudge, push: Push, revisions: str) -> Report:
    from interlock.git.push_updates import on_main

    if not push.commits:
        err(f'interlock: no commit is in {revisions}')
    judge.push(push)
    judge.forwarded(push, on_main(judge.repository, push.tip))
    if push.tip is not None:
        refuse_ungoverned(judge, push.tip.tree)
    return judge.report()


def refuse_ungoverned(judge: Judge, tree: str) -> None:
    """To ask where nothing governs, at the end neither, is a mistake."""
    if judge.adopting and not judge.is_governed:
        judge.governing.before(judge.repository.tree(tree))


def judge_hook(message: str | None, check: str = '') -> Iterator[Report]:
    """What a hook is asked: the index, a push, or the range of pre-commit.

    Where git names an index and the environment a push, both are judged:
    neither lets the other pass unseen.
    """
    # the workflow itself is looked after by each hook, else a project that
    # uses only some of them could lose it unseen
    only = (check, 'workflow') if check else ()
    pushed = not check and is_push(os.environ)
    revisions = _given_range()
    is_told = message is None and bool(pushed or revisions)
    if is_told and pushed:
        # pre-commit and prek hand no input on, but say what is pushed
        from interlock.commands.hooks.pre_push import judge_pushed

        yield judge_pushed('', '')
    elif is_told:
        yield judge_range(revisions, only)
    if is_told and (INDEX not in os.environ or check == 'message'):
        return
    elif check == 'message' and message is None:
        raise Refusal(
            'no message file was given, so there is nothing to judge',
            'interlock check --staged --message FILE',
        )
    yield judge_staged(message, only, stamped=not check, hooked=True)


def run_hook(
    message: str | None, check: str = '', verbose: int = 0, quiet: int = 0
) -> int:
    with unless_ungoverned():
        return max(
            say(report, 'text', verbose, quiet) for report in judge_hook(message, check)
        )
    return 0


@contextlib.contextmanager
def unless_ungoverned() -> Iterator[None]:
    """Of a hook: a branch without a workflow is not held up."""
    try:
        yield
    except NoWorkflow as e:
        err(f'interlock: passed: {e.message}, so nothing is checked')


def is_push(environ: Mapping[str, str]) -> bool:
    return bool(environ.get('PRE_COMMIT_REMOTE_BRANCH'))


def _given_range() -> str:
    base = os.environ.get('PRE_COMMIT_FROM_REF', '')
    tip = os.environ.get('PRE_COMMIT_TO_REF', '')
    return f'{base}..{tip}' if base and tip else ''


def say(report: Report, form: str = 'text', verbose: int = 0, quiet: int = 0) -> int:
    if journals.COMMITTING in os.environ and not report.refuses:
        # a hook of a commit of ours, which has said all of this
        return 0
    if report.note:
        err(f'interlock: {report.note}')
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
        from interlock.report.refusal_report import render_refusal

        out(render_refusal(form, message, hint))
    if _summary(form):
        from interlock.report.markdown import refusal_as_markdown

        append(_summary(form), refusal_as_markdown(message, hint).encode())
