"""Times in the files of tasks."""

from __future__ import annotations

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    import datetime


def parse(text: str) -> datetime.datetime | None:
    """A time with its zone (UTC if it has none), None if it is not a time."""
    # imported here: most hooks only need the current time
    import datetime

    try:
        # Python understands `Z` from 3.11 on
        found = datetime.datetime.fromisoformat(text.replace('Z', '+00:00'))
    except ValueError:
        return None
    if found.tzinfo is None:
        return found.replace(tzinfo=datetime.timezone.utc)
    return found


def in_seconds(seconds: float) -> str:
    """A time in whole seconds, from the seconds since 1970."""
    return time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime(seconds))


def in_milliseconds(nanoseconds: int) -> str:
    """A time in one form, so that texts sort: several steps fit into one second."""
    seconds, rest = divmod(nanoseconds, 10**9)
    return f'{in_seconds(seconds)[:-1]}.{rest // 10**6:03}Z'


def now() -> str:
    return in_milliseconds(time.time_ns())


def is_before(first: str, second: str) -> bool:
    """Whether both are times, and the first one is earlier.

    A time in whole seconds stands for its whole second.
    """
    one, other = parse(first), parse(second)
    if one is None or other is None:
        return False
    elif not one.microsecond or not other.microsecond:
        one, other = one.replace(microsecond=0), other.replace(microsecond=0)
    return one < other


def minutes_between(first: str, second: str) -> float | None:
    one, other = parse(first), parse(second)
    if one is None or other is None:
        return None
    return (other - one).total_seconds() / 60
