"""What an operation does: files and their bytes, before and after."""

from __future__ import annotations

from interlock.model.change import Snapshot, data_of
from interlock.model.errors import Refusal, Unreadable
from interlock.model.finding import Fix
from interlock.model.fixes import edit
from interlock.model.overlay import Files
from interlock.model.quick_tools import contextmanager
from interlock.model.quick_typing import Iterator, NamedTuple
from interlock.workflow.language.patterns import expand, is_wild


class Outcome(NamedTuple):
    files: Files
    # what was done, in sentences for people
    said: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def differing(files: Files, snapshot: Snapshot) -> dict[str, bytes | None]:
    """The files whose new content differs from the snapshot."""
    return {p: data for p, data in files.items() if data != data_of(snapshot, p)}


def new_path(pattern: str, item: str) -> str:
    """The path of a new file of an item."""
    if is_wild(pattern):
        raise Refusal(
            f'it is not clear where the new file of {item} goes: '
            f'{expand(pattern, item)} matches several places',
            'create the file in the folder where it belongs, and run this again',
        )
    return expand(pattern, item)


@contextmanager
def refusing(path: str, what: str, fix: Fix | None = None) -> Iterator[None]:
    """Turn an edit that cannot be made into a refusal that names the file."""
    try:
        yield
    except (Unreadable, UnicodeError) as e:
        line = e.line if isinstance(e, Unreadable) else 1
        raise Refusal(f'{path}: {what} {e}', *(fix or edit(path, line)).hint) from None
