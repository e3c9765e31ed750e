"""Probes as text and as JSON."""

from __future__ import annotations

import json
from collections import Counter

from interlock.documents.text import one_line
from interlock.model.probe import DEAD, LIVE, NOT_WIRED, Probe
from interlock.model.quick_typing import Iterator, Mapping, Sequence
from interlock.model.report import plural
from interlock.report.terminal import paint

STYLES = {LIVE: 'ok', DEAD: 'error', NOT_WIRED: 'warning'}


def _counts(probes: Sequence[Probe]) -> dict[str, int]:
    found = Counter(probe.verdict for probe in probes)
    return {verdict: found[verdict] for verdict in (LIVE, DEAD, NOT_WIRED)}


def _lines(probes: Sequence[Probe], colour: bool) -> Iterator[str]:
    """The lines of probes; a next command that repeats is printed once."""
    width = max((len(probe.name) for probe in probes), default=0)
    before = ''
    for probe in probes:
        verdict = paint(f'{probe.verdict:9}', STYLES[probe.verdict], colour)
        yield f'{verdict}  {probe.name:{width}}  {one_line(probe.what)}'
        if probe.next and probe.next != before:
            yield f'    next: {one_line(probe.next)}'
        before = probe.next


def _left_out(left_out: Mapping[str, str]) -> list[str]:
    return [
        f'left out: {plural(count, "rule")}: {reason}'
        for reason, count in Counter(left_out.values()).items()
    ]


def render_probes(
    probes: Sequence[Probe],
    left_out: Mapping[str, str],
    colour: bool = False,
    verbosity: int = 0,
) -> str:
    shown = [probe for probe in probes if verbosity >= 0 or probe.verdict != LIVE]
    lines = list(_lines(shown, colour))
    if verbosity > 0:
        lines.extend(f'left out   {code}  {why}' for code, why in left_out.items())
    elif verbosity == 0:
        lines.extend(_left_out(left_out))
    counts = ', '.join(
        f'{count} {verdict}' for verdict, count in _counts(probes).items()
    )
    also = f'; {plural(len(left_out), "rule")} left out' if left_out else ''
    lines.append(f'interlock: {counts}{also}')
    return '\n'.join(lines)


def render_json(probes: Sequence[Probe], left_out: Mapping[str, str]) -> str:
    return json.dumps(
        {
            'version': 1,
            'probes': [probe._asdict() for probe in probes],
            'left_out': dict(left_out),
            'summary': _counts(probes),
        },
        ensure_ascii=False,
        indent=2,
    )
