"""The file that lists the findings of an old repository that do not count."""

from __future__ import annotations

from interlock.model.errors import Unreadable

VERSION = 1


def parse(data: bytes) -> dict[str, str]:
    """Fingerprint -> the code and the item that it is about."""
    # imported here: few projects have a baseline, and every commit asks for it
    import json

    try:
        stored = json.loads(data)
        if stored['version'] != VERSION:
            raise ValueError(f'version {stored["version"]}')
        return {
            str(entry['fingerprint']): ' '.join(
                str(entry.get(key, '')) for key in ('code', 'item')
            ).strip()
            for entry in stored['findings']
        }
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as e:
        raise Unreadable(f'is not a baseline ({e})', 1) from None
