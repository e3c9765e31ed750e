from __future__ import annotations

import click

from interlock.commands.click_options import Options, common, example, option
from interlock.doctor.examination import examine
from interlock.model.probe import DEAD
from interlock.report.probes import render_json, render_probes
from interlock.report.terminal import FOUND, colour, out


@example('interlock doctor', 'interlock doctor --canary')
@click.command('doctor')
@option(
    '--canary with_canary',
    'Plant one violation per rule and demand that it is refused.',
)
@option('--json as_json', 'Print JSON.')
@common
def command(options: Options, with_canary: bool, as_json: bool) -> int:
    """Check that the gate is live; with --canary, try to break every rule.

    The canary works in a scratch clone with copies of the hooks as they are
    installed here: it plants one violation per rule and demands that a real
    `git commit` and a real `git push` are refused for it. The commands in the
    settings of clients are called as a client would, with calls that they must
    refuse. Nothing of this repository is touched.

    Exit code 1: something that should be live is dead.
    """
    found = examine(with_canary)
    if as_json:
        out(render_json(found.probes, found.left_out))
    else:
        out(render_probes(found.probes, found.left_out, colour(), options.verbosity))
    dead = any(probe.verdict == DEAD for probe in found.probes)
    return FOUND if dead else 0
