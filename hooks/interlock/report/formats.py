from __future__ import annotations

from interlock.report.summary import Report

FORMATS = ('text', 'json', 'sarif', 'junit', 'github', 'gitlab', 'agent')


def render(
        report: Report,
        form: str,
        colour: bool = False,
        verbosity: int = 0,
) -> str:
    if form == 'text':
        from interlock.report import text
        return text.render(report, colour, verbosity)
    from interlock.report import machine
    return {
        'json': machine.render_json,
        'sarif': machine.render_sarif,
        'junit': machine.render_junit,
        'github': machine.render_github,
        'gitlab': machine.render_gitlab,
        'agent': machine.render_agent,
    }[form](report)
