from __future__ import annotations

import random

import pytest

from tests.fleet.linearizable import FOREVER, LockModel, Operation, is_linearizable


def op(
    start: float,
    end: float,
    kind: str,
    session: str = 'a',
    generation: int = 0,
    ok: bool = True,
    holder: str = '',
    seen: int = 0,
) -> Operation:
    return Operation(0, start, end, kind, session, generation, ok, holder, seen)


@pytest.mark.parametrize(
    ('history', 'expected'),
    (
        pytest.param([], True, id='nothing'),
        pytest.param([op(0, 1, 'acquire', seen=1)], True, id='acquired'),
        pytest.param([op(0, 1, 'acquire', seen=2)], False, id='generation skipped'),
        pytest.param(
            [op(0, 1, 'acquire', 'a', seen=1), op(0, 1, 'acquire', 'b', seen=2)],
            False,
            id='two winners',
        ),
        pytest.param(
            [
                op(0, 1, 'acquire', 'a', seen=1),
                op(0, 1, 'acquire', 'b', ok=False, holder='a'),
            ],
            True,
            id='a loser that names the winner',
        ),
        pytest.param(
            [
                op(2, 3, 'acquire', 'a', seen=1),
                op(0, 1, 'acquire', 'b', ok=False, holder='a'),
            ],
            False,
            id='a loser before anybody held it',
        ),
        pytest.param(
            [
                op(0, 1, 'acquire', 'a', seen=1),
                op(2, 3, 'release', 'a', 1),
                op(4, 5, 'acquire', 'b', seen=2),
                op(6, 7, 'change', 'a', 1, ok=True),
            ],
            False,
            id='a change by who lost it',
        ),
        pytest.param(
            [
                op(0, 1, 'acquire', 'a', seen=1),
                op(2, FOREVER, 'release', 'a', 1, ok=False),
                op(3, 4, 'acquire', 'b', seen=2),
            ],
            True,
            id='an unknown release that happened',
        ),
        pytest.param(
            [
                op(0, 1, 'acquire', 'a', seen=1),
                op(2, FOREVER, 'release', 'a', 1, ok=False),
                op(3, 4, 'show', holder='a', seen=1),
            ],
            True,
            id='an unknown release that did not happen',
        ),
        pytest.param(
            [
                op(0, 1, 'acquire', 'a', seen=1),
                op(2, FOREVER, 'release', 'a', 1, ok=False),
                op(3, 4, 'acquire', 'b', seen=2),
                op(5, 6, 'show', holder='a', seen=1),
            ],
            False,
            id='an unknown release that happened and did not',
        ),
        pytest.param(
            [op(0, 9, 'spent'), op(1, 2, 'acquire', seen=2)],
            True,
            id='a generation that was used up',
        ),
        pytest.param(
            [op(0, 9, 'spent'), op(1, 2, 'acquire', seen=1)],
            True,
            id='a generation that was not used up',
        ),
        pytest.param(
            [op(0, 9, 'spent'), op(1, 2, 'acquire', seen=3)],
            False,
            id='two generations skipped, one used up',
        ),
        pytest.param(
            [op(0, 1, 'acquire', seen=2), op(2, 3, 'spent')],
            False,
            id='a generation that is used up too late',
        ),
        pytest.param(
            [
                op(0, 1, 'acquire', seen=1),
                op(2, 3, 'spent'),
                op(4, 5, 'release', generation=1),
                op(6, 7, 'acquire', seen=3),
            ],
            False,
            id='a generation that is used up under a holder',
        ),
        pytest.param(
            [op(0, 1, 'acquire', 'a', seen=1), op(2, 3, 'show', holder='')],
            False,
            id='a stale read',
        ),
        pytest.param(
            [
                op(0, 1, 'acquire', 'a', seen=1),
                op(2, 3, 'force', 'p', 1),
                op(2, 4, 'release', 'a', 1, ok=True),
            ],
            False,
            id='forced and released',
        ),
    ),
)
def test_the_checker(history: list[Operation], expected: bool) -> None:
    assert is_linearizable(history, LockModel()) == expected


def simulated(seed: int, broken: bool) -> list[Operation]:
    """Clients of a lock in memory; a broken one forgets to compare."""
    source, model = random.Random(seed), LockModel()
    state, history, now = ('', 0), list[Operation](), 0.0
    for _ in range(300):
        client = source.randrange(4)
        session = f's{client}'
        kind = source.choice(('acquire', 'release', 'show', 'force', 'change'))
        start = now = now + source.random()
        asked = Operation(client, start, FOREVER, kind, session, state[1])
        after = model._effect(*state, asked)
        if after is None and broken and kind == 'acquire':
            after = (session, state[1] + 1)
        lost = source.random() < 0.02
        if after is not None and not (lost and source.random() < 0.5):
            state = after
        if not lost:
            # calls overlap with those before them
            history.append(
                asked._replace(
                    called=start - source.random(),
                    returned=start + source.random(),
                    ok=after is not None,
                    holder=state[0] if kind == 'show' else '',
                    seen=state[1] if kind in ('show', 'acquire') and after else 0,
                )
            )
        else:
            history.append(asked)
    return history


@pytest.mark.parametrize('seed', range(5))
def test_a_sound_lock_passes(seed: int) -> None:
    assert is_linearizable(simulated(seed, broken=False), LockModel())


@pytest.mark.parametrize('seed', range(5))
def test_a_lock_that_does_not_compare_is_caught(seed: int) -> None:
    assert not is_linearizable(simulated(seed, broken=True), LockModel())
