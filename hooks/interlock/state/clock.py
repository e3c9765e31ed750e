"""Times as SQLite and ISO write them."""

from __future__ import annotations

import datetime
import time


def seconds(text: str) -> float:
    """Since 1970; ValueError for what is no time. UTC unless it says so."""
    moment = datetime.datetime.fromisoformat(text.replace('Z', '+00:00'))
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=datetime.timezone.utc)
    return moment.timestamp()


def timestamp(since: float) -> str:
    """As CURRENT_TIMESTAMP writes it."""
    return time.strftime('%Y-%m-%d %H:%M:%S', time.gmtime(since))


def iso(since: float) -> str:
    return time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime(since))
