"""What every engine has to keep, by number, and which test shows it.

A test says which properties it shows by `@shows(3)`, and is run on every engine
that is not excused. An engine is excused from a property with a reason, in
`EXCUSED`. `conformance_test.py` counts that no cell is empty.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import pytest

from tests.fleet.engines import KINDS, SLOW

PROPERTIES = {
    1: 'the first generation is 1',
    2: 'a second session is refused, and told session, host, pid and generation',
    3: 'the generation grows over release and force',
    4: 'the generation is never below the floor',
    5: 'a release by another session is refused',
    6: 'a release of an old generation is refused',
    7: 'a release of nothing is refused',
    8: 'the same token again: the same lock, one event',
    9: 'another token of the holder counts nothing',
    10: 'released twice with one token: one event',
    11: 'a change is a compare-and-swap',
    12: 'a change by another session is refused',
    13: 'a forced release is logged with person, reason and generation',
    14: 'a forced release of another generation is refused',
    15: 'who lost a lock can change nothing',
    16: 'the log is whole and ordered',
    17: 'the bytes of the lock come back equal',
    18: 'a record of 1 MB',
    19: 'names are independent',
    20: 'the list is all',
    21: 'another machine sees it at once',
    22: 'a clock that is 400 days off frees nothing',
    23: 'a race has one winner, and all losers name it',
    24: 'a concurrent history is linearizable',
    25: 'the answer is lost',
    26: 'the request is lost',
    27: 'the request arrives after it was settled',
    28: 'a refused connection: soon, and without effect',
    29: 'silence: an error within the deadline',
    30: 'killed at any moment: settled by token, generations unique',
    31: 'the fence refuses after a forced release',
    32: 'the fence raced against a forced release',
    33: 'a hook of the server declines',
    34: 'a role without rights',
    35: 'the log cannot be shortened',
    36: 'a record that was deleted or mirrored over: the floor',
    37: 'an illegal record is refused at pre-receive',
    38: 'a stale lock file on the server',
    39: 'shallow and partial clones',
    40: 'a remote with two push URLs is refused',
    41: 'a transaction pooler stands between',
    42: 'failover, synchronous and not',
    43: 'the server is stopped, then continued',
    44: 'a partition by packet filter',
    45: 'a damaged record is held by an unknown session',
    46: 'two repositories are apart',
    47: 'two engines at once: the marker refuses',
    48: 'the mirror never says ours after a confirm said otherwise',
    49: 'the intent of a killed command is settled by the next one',
    50: 'no password in a message or a record',
    51: 'an old client refuses a newer record by name',
    52: 'a change while the file is edited',
    53: 'the same host name on another machine: liveness is unknown',
    54: 'a migration keeps generations',
}
REMOTES = tuple(kind for kind in KINDS if kind.startswith('remote-'))
# (property, kind) -> why the engine cannot break it
EXCUSED: dict[tuple[int, str], str] = {}
# (property, kind) -> the tests that show it
SHOWN: dict[tuple[int, str], list[str]] = {}

Test = TypeVar('Test', bound=Callable[..., Any])


def excused(numbers: range | tuple[int, ...], kinds: tuple[str, ...], why: str) -> None:
    EXCUSED.update({(number, kind): why for number in numbers for kind in kinds})


def covers(number: int, kind: str, test: str) -> None:
    """A test elsewhere shows it, `module::function`."""
    SHOWN.setdefault((number, kind), []).append(test)


excused(
    (*range(25, 30), 43, 44),
    ('file',),
    'files of one clone: neither a network nor a server lies between',
)
excused(
    (*range(25, 30), 43, 44),
    ('remote-file',),
    'git reads and writes the repository itself: nothing lies between',
)
excused(
    (25, 26, 27),
    ('remote-ssh',),
    'ssh encrypts what passes, so the proxy cannot tell the request from the rest; '
    'git speaks the same protocol inside as over git://',
)
excused(
    (31, 32, 33, 37, 38, 39, 40),
    ('file', 'postgresql'),
    'there is no git remote that work and lock could be pushed to together',
)
excused((34,), ('file', *REMOTES), 'a writer of it may change locks')
excused((41, 42), ('file', *REMOTES), 'there is no database')
excused(
    (44,),
    ('remote-http', 'remote-ssh'),
    'a packet filter is below the transport: git:// shows it for all of them',
)
excused(
    (43,),
    ('remote-http',),
    'the server of the tests is a thread of the tests; git:// and ssh show it',
)
excused(
    (35,), ('file',), 'its log is a file of the clone: a writer of it may shorten it'
)
excused(
    (45,),
    ('postgresql',),
    'who holds a lock stands in columns with types; the bytes of the lock are read '
    'by the parser that reads the file',
)
excused((50,), ('file',), 'nothing has an address')
excused((51,), ('file',), 'a lock file has no version: unknown keys are kept as is')
excused((48,), ('file',), 'the file is the record itself, not a copy of one')
excused(
    (48, 49),
    ('remote-git', 'remote-http', 'remote-ssh'),
    'decided above the engine, in the clone: a remote in a folder shows it',
)
for _number, _test in (
    (35, 'test_what_is_not_a_record_is_refused'),
    (37, 'test_a_forged_record_is_refused'),
):
    for _kind in REMOTES:
        # the hook of the server sees the same push over every transport
        covers(_number, _kind, f'tests.engine.lock_records_test::{_test}')


def shows(*numbers: int, only: tuple[str, ...] = KINDS) -> Callable[[Test], Test]:
    """Run a test on every engine that is not excused from all of them; `only`
    where another test shows it of the rest."""

    def mark(test: Test) -> Test:
        kinds = [
            kind
            for kind in only
            if any((number, kind) not in EXCUSED for number in numbers)
        ]
        for kind in kinds:
            for number in numbers:
                if (number, kind) in EXCUSED:
                    continue
                covers(number, kind, f'{test.__module__}::{test.__name__}')
        params = [
            pytest.param(kind, marks=pytest.mark.slow if kind in SLOW else ())
            for kind in kinds
        ]
        marked: Test = pytest.mark.parametrize('kind', params)(test)
        return marked

    return mark
