"""That nothing was judged, in the format in which a report was asked for.

Whoever keeps the report gets one that can be read, and not an empty file.
"""

from __future__ import annotations

from typing import Any

from interlock.model.report import Report, counts
from interlock.report import ci_formats

NAME = 'interlock'


def _sentence(message: str, hint: str) -> str:
    return f'{message} (next: {hint})' if hint else message


def _json(message: str, hint: str) -> str:
    empty = Report(())
    return ci_formats.render_json(
        empty,
        {
            'summary': {**counts(empty), 'refused': True},
            'refusal': {'message': message, 'next': hint},
        },
    )


def _sarif(message: str, hint: str) -> str:
    text = {'text': ci_formats.sarif_text(_sentence(message, hint))}
    result: dict[str, Any] = {
        'ruleId': NAME,
        'level': 'error',
        'message': text,
        'locations': ci_formats.sarif_locations('', 1),
    }
    return ci_formats.sarif(
        [{'id': NAME}],
        [result],
        invocations=[
            {
                'executionSuccessful': False,
                'toolExecutionNotifications': [{'level': 'error', 'message': text}],
            }
        ],
    )


def _junit(message: str, hint: str) -> str:
    said = ci_formats.attribute(message)
    return '\n'.join(
        [
            '<?xml version="1.0" encoding="UTF-8"?>',
            f'<testsuites><testsuite name="{NAME}" tests="1" failures="0" errors="1">',
            f'    <testcase classname="{NAME}" name="check"><error '
            f'message={said}>{ci_formats.content(_sentence(message, hint))}</error>'
            f'</testcase>',
            '</testsuite></testsuites>',
        ]
    )


def _github(message: str, hint: str) -> str:
    text = f'{message}\nnext: {hint}' if hint else message
    return f'::error title={NAME}::{ci_formats.github_value(text)}'


def _gitlab(message: str, hint: str) -> str:
    return ci_formats.dump(
        [
            ci_formats.gitlab_entry(
                _sentence(message, hint), NAME, f'refused {message}', 'error'
            )
        ]
    )


FORMATS = {
    'json': _json,
    'sarif': _sarif,
    'junit': _junit,
    'github': _github,
    'gitlab': _gitlab,
}


def render_refusal(form: str, message: str, hint: str) -> str:
    """Nothing for people and agents, who read what is said to them."""
    return FORMATS[form](message, hint) if form in FORMATS else ''
