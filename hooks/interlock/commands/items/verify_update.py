from __future__ import annotations

import click

from interlock.checks.run import findings_of
from interlock.commands.click_options import Options, example, formats, option, writes
from interlock.commands.workflow_options import complete_stage, item_argument
from interlock.model.change import Snapshot
from interlock.model.errors import Denied, Refusal
from interlock.model.overlay import Overlay
from interlock.operations import verify as operations
from interlock.operations.advance import advance
from interlock.operations.commit_stage import parse_stage
from interlock.operations.outcome import Outcome
from interlock.operations.verify import (
    FALLBACK,
    Verification,
    fallback_command,
    menu_of,
)
from interlock.project.project import Project
from interlock.project.reported_stage import ReportedStage, read_report
from interlock.report.terminal import FOUND, err, hint_here, out, out_json
from interlock.workflow.reading.records import records


@example(
    'interlock verify-update Search --stage 3 --report report.json',
    'interlock verify-update Search --stage 3 --report - --fallback',
)
@click.command('verify-update')
@item_argument()
@option(
    '--stage STAGE[.PHASE]',
    'Name what was to be done.',
    required=True,
    shell_complete=complete_stage,
)
@option(
    '--report file FILE',
    'Read the report of the agent (JSON) from a file; - for standard input.',
    required=True,
)
@option('--fallback', 'Write the state if the agent did not.')
@option('--amend REASON', 'With --fallback: say why a contract changed.')
@formats('json', 'text')
@writes
def command(
    options: Options,
    item: str,
    stage: str,
    file: str,
    fallback: bool,
    amend: str,
    form: str,
) -> int:
    """Check that the agent wrote the state of ITEM that it reports.

    Exit 0 it did (or --fallback wrote the state), 1 it did not, 2 the report
    cannot be used.
    """
    report = read_report(file)
    with options.project(reads=not fallback) as here, here.stored() as contents:
        at = here.item(item)
        state = parse_stage(stage, at)
        reported = ReportedStage(here, at, state, report, contents)
        found = reported.found
        for warning in found.warnings:
            err(f'interlock: warning: {warning}')
        if fallback and found.verified:
            return _say_written((), '', form)
        elif fallback:
            err(f'interlock: not verified ({found.reason}): {found.error}')
            return _fall_back(here, reported, contents, amend, form)
        elif not found.verified:
            words = ['verify-update', item, '--stage', stage]
            try:
                reported.refuse_to_write()
                following = fallback_command(at, words, file, found.error)
            except Denied as e:
                following = e.hint
            err(f'next: {following}')
        return _say(found, form)


def _say(found: Verification, form: str) -> int:
    if form == 'json':
        out_json(
            {
                'verified': found.verified,
                'reason': found.reason or None,
                'error': found.error or None,
                'failures': [each._asdict() for each in found.failures],
            },
            indent=None,
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
        out_json(
            {'success': not error, 'error': error or None, 'written': list(written)},
            indent=None,
        )
    elif error:
        out(f'the state was not written: {error}')
    else:
        out('\n'.join(f'{path}: written' for path in written) or 'verified')
    return FOUND if error else 0


def _outcome(
    here: Project, reported: ReportedStage, contents: Snapshot, amend: str
) -> Outcome:
    """What to write in place of the agent; Denied if that is not allowed."""
    reported.refuse_to_write()
    at, state = reported.at, reported.state
    words = reported.words._replace(day=here.today, amend=amend)
    outcome = advance(at, state, contents, words)
    now = records(Overlay(contents, outcome.files), at.kind, at.item)
    found = operations.verify_state(
        state, now, findings_of(now, here.workflow), here.today
    )
    if not found.verified:
        raise Denied(f'what would be written does not pass: {found.error}')
    return outcome


def _fall_back(
    here: Project, reported: ReportedStage, contents: Snapshot, amend: str, form: str
) -> int:
    at = reported.at
    try:
        outcome = _outcome(here, reported, contents, amend)
        here.apply(outcome)
    except Refusal as e:
        following = menu_of(at, FALLBACK, e.message)
        err(f'    next: {hint_here(e.hint, e.paths) or following}')
        return _say_written((), e.message, form)
    if outcome.files:
        err(
            f'interlock: {reported.report.agent} did not update the state of '
            f'{at.kind.label(reported.state)}; corrected by the orchestrator'
        )
    return _say_written(tuple(outcome.files), '', form)
