from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest

from interlock.git import fork_worker
from interlock.git.fork_worker import Aside, shares


@pytest.mark.parametrize(
    'cores, count, expected',
    (
        pytest.param(2, 0, [0], id='nothing'),
        pytest.param(2, 1, [1], id='one'),
        pytest.param(8, 199, [199], id='not worth a process'),
        pytest.param(8, 200, [100, 100], id='worth two'),
        pytest.param(8, 301, [100, 100, 101], id='worth three'),
        pytest.param(1, 1000, [1000], id='one core'),
        pytest.param(2, 1001, [500, 501], id='two cores'),
        pytest.param(64, 1000, [250] * 4, id='others are to be served'),
    ),
)
def test_each_process_has_a_share_in_a_row(
    monkeypatch: pytest.MonkeyPatch, cores: int, count: int, expected: list[int]
) -> None:
    monkeypatch.setattr(fork_worker, '_cores', lambda: cores)
    found = shares(count)
    assert [len(share) for share in found] == expected
    assert [each for share in found for each in share] == list(range(count))


def test_what_another_process_found_comes_back() -> None:
    with Aside(lambda: ('é' * 3_000_000, os.getpid())) as helper:
        found = helper.result()
    assert found is not None
    assert found[0] == 'é' * 3_000_000
    assert found[1] != os.getpid()


def _fail() -> NoReturn:
    raise ValueError('kaputt')


def _interrupted() -> NoReturn:
    raise KeyboardInterrupt


def _killed() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize(
    'work',
    (
        pytest.param(_fail, id='an error'),
        pytest.param(_interrupted, id='an interrupt'),
        pytest.param(_killed, id='killed'),
        pytest.param(lambda: os._exit(0), id='ended without a word'),
        pytest.param(lambda: lambda: 1, id='what cannot be sent'),
    ),
)
def test_a_process_that_failed_has_no_result(work: Callable[[], object]) -> None:
    with Aside(work) as helper:
        assert helper.result() is None


def test_where_no_process_can_be_had_there_is_no_result(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fork() -> int:
        raise BlockingIOError(11, 'Resource temporarily unavailable')

    monkeypatch.setattr(os, 'fork', fork)
    with Aside(lambda: 1) as helper:
        assert helper.result() is None


def test_a_process_that_is_not_waited_for_is_ended(tmp_path: Path) -> None:
    file = tmp_path / 'pid'

    def work() -> None:
        file.write_text(str(os.getpid()))
        time.sleep(600)

    with Aside(work):
        while not file.exists() or not file.read_text():
            time.sleep(0.01)
    with pytest.raises(ProcessLookupError):
        os.kill(int(file.read_text()), 0)
