from __future__ import annotations

import json

import click

from interlock.commands.click_options import writes
from interlock.commands.items import agent_report_context
from interlock.commands.items.project import Project, project, stored, today
from interlock.model.change import Snapshot
from interlock.model.errors import Denied, Refusal
from interlock.model.state import State
from interlock.operations import verify as operations
from interlock.operations.advance import advance
from interlock.operations.commit_stage import parse_stage
from interlock.operations.outcome import Outcome
from interlock.operations.overlay import Overlay
from interlock.operations.verify import (
    FALLBACK,
    WORK,
    Verification,
    Work,
    again,
    menu_of,
)
from interlock.report.hints import hint_here
from interlock.report.terminal import FOUND, err, out
from interlock.workflow.reading.agent_report import AgentReport
from interlock.workflow.reading.records import Records
from interlock.workflow.reading.status_words import label


@click.command('verify-update')
@click.argument('item')
@click.option(
    '--stage', required=True, metavar='STAGE[.PHASE]', help='What the agent was to do.'
)
@click.option(
    '--report',
    'file',
    required=True,
    metavar='FILE',
    help='The report of the agent as JSON; - for standard input.',
)
@click.option('--fallback', is_flag=True, help='Write the state if the agent did not.')
@click.option(
    '--amend',
    default='',
    metavar='REASON',
    help='With --fallback: why a contract changed.',
)
@click.option('--format', 'form', type=click.Choice(['json', 'text']), default='json')
@writes
def command(
    item: str,
    stage: str,
    file: str,
    fallback: bool,
    amend: str,
    form: str,
    config: str,
    wait: float,
    verbose: int,
    quiet: int,
) -> int:
    """Has the agent written the state of ITEM that it reports?

    Exit 0 yes (or the state was written by --fallback), 1 no, 2 the report
    cannot be used.
    """
    report = agent_report_context.read_report(file)
    with project(config, wait, reads=not fallback) as here, stored(here) as contents:
        at = here.item(item)
        state = parse_stage(stage, at.kind)
        with agent_report_context.work(here, at, contents) as files:
            found = agent_report_context.verdict(
                here, at, state, report, contents, files
            )
            for warning in found.warnings:
                err(f'interlock: warning: {warning}')
            if not fallback:
                if not found.verified:
                    refused = operations.refusal(report, state, files)
                    err(
                        'next: '
                        + (
                            menu_of(at, WORK, refused)
                            if refused
                            else again(
                                at,
                                ['verify-update', item, '--stage', stage],
                                file,
                                found.error,
                            )
                        )
                    )
                return _say(found, form)
            elif found.verified:
                return _say_written((), '', form)
            err(f'interlock: not verified ({found.reason}): {found.error}')
            return _fall_back(here, at, state, report, contents, files, amend, form)


def _say(found: Verification, form: str) -> int:
    if form == 'json':
        out(
            json.dumps(
                {
                    'verified': found.verified,
                    'reason': found.reason or None,
                    'error': found.error or None,
                    'failures': [each._asdict() for each in found.failures],
                },
                ensure_ascii=False,
            )
        )
    elif found.verified:
        out('verified')
    else:
        out(f'not verified: {found.reason}')
        for message in dict.fromkeys(each.message for each in found.failures):
            out(f'    {message}')
    return 0 if found.verified else FOUND


def _say_written(written: tuple[str, ...], error: str, form: str) -> int:
    if form == 'json':
        out(
            json.dumps(
                {
                    'success': not error,
                    'error': error or None,
                    'written': list(written),
                },
                ensure_ascii=False,
            )
        )
    elif error:
        out(f'the state was not written: {error}')
    else:
        out('\n'.join(f'{path}: written' for path in written) or 'verified')
    return FOUND if error else 0


def _outcome(
    here: Project,
    at: Records,
    state: State,
    report: AgentReport,
    contents: Snapshot,
    files: Work,
    amend: str,
) -> Outcome:
    """What is written in place of the agent; Denied where it may not be."""
    refused = operations.refusal(report, state, files)
    if refused:
        raise Denied(refused, menu_of(at, WORK, refused))
    words = operations.words(report)
    outcome = advance(at, state, contents, today(), words, amend)
    again = agent_report_context.state_verdict(
        here, at, state, Overlay(contents, outcome.files)
    )
    if not again.verified:
        raise Denied(f'what would be written does not pass: {again.error}')
    return outcome


def _fall_back(
    here: Project,
    at: Records,
    state: State,
    report: AgentReport,
    contents: Snapshot,
    files: Work,
    amend: str,
    form: str,
) -> int:
    name = label(state, at.kind)
    try:
        outcome = _outcome(here, at, state, report, contents, files, amend)
        here.apply(outcome)
    except Refusal as e:
        following = menu_of(at, FALLBACK, e.message)
        err(f'    next: {hint_here(e.hint, e.paths) or following}')
        return _say_written((), e.message, form)
    if outcome.files:
        err(
            f'interlock: {report.agent} did not update the state of {name}; '
            f'corrected by the orchestrator'
        )
    return _say_written(tuple(outcome.files), '', form)
