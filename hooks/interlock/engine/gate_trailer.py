"""The trailer of a commit that went through the local gate."""

from __future__ import annotations

from interlock.documents import message as messages
from interlock.git.parse import Commit
from interlock.git.repository import Repository
from interlock.model.finding import EVERY_ITEM, Finding, Fix
from interlock.rules.new_finding import finding

# of the id of a tree: enough to tell it from others
LENGTH = 16


def stamp(repository: Repository, file: str, trailer: str) -> None:
    """Writes which tree was judged into the message of its commit.

    At commit-msg, which `--no-verify` leaves out.
    """
    tree = repository.git.line('write-tree')[:LENGTH]
    repository.git.add_trailers(file, [f'{trailer}: {tree}'])


def unstamped(commit: Commit, trailer: str) -> Finding | None:
    """What says that a commit was made past the gate, None if it was not."""
    trailers = messages.parse(commit.message).trailers
    found = trailers.get(trailer.lower(), '')
    if found == commit.tree[:LENGTH]:
        return None
    what = f'says `{found}`' if found else 'is missing'
    return finding(
        'COM008',
        EVERY_ITEM,
        '',
        0,
        f'the commit was made without the local gate: the trailer `{trailer}` {what}',
        key=commit.oid,
        expected=commit.tree[:LENGTH],
        found=found,
        fix=Fix('look at the commit', f'git show {commit.oid[:10]}'),
    )._replace(commit=commit.oid)
