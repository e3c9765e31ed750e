from __future__ import annotations

from interlock.model.errors import Refusal
from interlock.model.report import Report

FORMATS = ('text', 'json', 'sarif', 'junit', 'github', 'gitlab', 'agent')


def render(
    judged: Report | Refusal, form: str, colour: bool = False, verbosity: int = 0
) -> str:
    """A report, or why there is none."""
    if form == 'text':
        from interlock.report import text

        return text.render(judged, colour, verbosity)
    from interlock.report import ci_formats

    return {
        'json': ci_formats.render_json,
        'sarif': ci_formats.render_sarif,
        'junit': ci_formats.render_junit,
        'github': ci_formats.render_github,
        'gitlab': ci_formats.render_gitlab,
        'agent': ci_formats.render_agent,
    }[form](judged)
