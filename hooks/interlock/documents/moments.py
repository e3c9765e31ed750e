"""Times as the files of tasks write them."""
from __future__ import annotations

import datetime


def parse(text: str) -> datetime.datetime | None:
    """A time with its zone (without one: UTC), None where it is none."""
    try:
        # `Z` is understood from Python 3.11 on
        found = datetime.datetime.fromisoformat(text.replace('Z', '+00:00'))
    except ValueError:
        return None
    if found.tzinfo is None:
        return found.replace(tzinfo=datetime.timezone.utc)
    return found


def render(moment: datetime.datetime) -> str:
    utc = moment.astimezone(datetime.timezone.utc)
    return utc.strftime('%Y-%m-%dT%H:%M:%SZ')


def is_before(first: str, second: str) -> bool:
    """Whether both are times, and the first is the earlier one."""
    one, other = parse(first), parse(second)
    return one is not None and other is not None and one < other


def minutes_between(first: str, second: str) -> float | None:
    one, other = parse(first), parse(second)
    if one is None or other is None:
        return None
    return (other - one).total_seconds() / 60
