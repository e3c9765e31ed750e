from __future__ import annotations

import signal
import time

import pytest

from interlock.engine.push import PushJudge
from interlock.engine.receive import time_limit
from interlock.git import push_updates
from interlock.git.push_updates import Update
from interlock.git.repository import opened
from interlock.model.errors import Refusal
from tests.conftest import Repo


@pytest.mark.parametrize('seconds', (1e-9, 0.05))
def test_what_takes_longer_than_the_budget_is_refused(seconds: float) -> None:
    with pytest.raises(Refusal, match=f'{seconds:g} seconds ran out at é'):
        with time_limit(seconds, lambda: 'at é'):
            try:
                time.sleep(10)
            except Refusal:
                # as a check does that reads something
                pass
    assert signal.getsignal(signal.SIGALRM) == signal.SIG_DFL


@pytest.mark.parametrize('seconds', (0.05, None))
def test_no_alarm_rings_after_the_work(seconds: float | None) -> None:
    with time_limit(seconds, str):
        pass
    time.sleep(0.1)


def test_a_platform_without_alarms_refuses_a_budget(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(signal, 'setitimer')
    with pytest.raises(Refusal, match='--budget needs an alarm'):
        with time_limit(1, str):
            pass
    with time_limit(None, str):
        pass


@pytest.mark.parametrize(('count', 'said'), ((1, '1 commit'), (2, '2 commits')))
def test_a_judge_says_how_far_it_got(project: Repo, count: int, said: str) -> None:
    old = project.git('rev-parse', 'HEAD')
    tip = [project.commit({'README.md': f'{number}\n'}) for number in range(count)][-1]
    with opened() as repository:
        judge = PushJudge(repository)
        assert judge.reached == 'before the first commit'
        update = Update('refs/heads/main', old, tip)
        head, main = repository.head(), push_updates.main_branch(repository)
        push = push_updates.push_of_update(
            repository, update, head, main, ('--not', old)
        )
        assert push is not None
        judge.push(push)
    assert judge.reached == f'at {tip[:10]}, {count} of {said} of refs/heads/main'
