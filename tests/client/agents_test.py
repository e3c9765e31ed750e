"""Subagents: when they start, what they may do, and how they end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests import samples, spaces
from tests.client.brief import BRIEF, FROZEN, is_whole
from tests.client.conftest import define
from tests.client.runner import Client
from tests.client.script import bash, delegate, edit, read, say, script, write
from tests.conftest import Repo
from tests.guard.asking import SESSION
from tests.spaces import TASK, Space

SAME = ('--session-id', SESSION)
DSP, GUI = 'dsp-agent', 'gui-agent'
STATES = ('INIT', 'CLASSIFIED', 'REQUIREMENTS')


@pytest.fixture
def stage_2(plugins: Repo) -> Repo:
    """Stage 2 of Bravo is committed, and the user said nothing yet."""
    define(plugins, DSP, GUI)
    plugins.commit({}, 'feat: Bravo Stage 2 - coque')
    return plugins


def held(tasks: Space, *states: str, **fields: Any) -> Path:
    """A task of the client's session; the worktree that it works in."""
    define(tasks.main, 'architect')
    code = tasks.worktree().path
    tasks.put(
        spaces.lock(
            *states, session_id=SESSION, required_agents=['architect'], **fields
        )
    )
    (code.parent / 'agents/architect/code').mkdir(parents=True)
    return code


def test_the_model_of_a_subagent_reads_why_it_is_refused(
    plugins: Repo, client: Client
) -> None:
    brief = plugins.path / BRIEF
    seen = client.play(
        script(
            delegate('agent', 'worker'),
            say('done'),
            worker=(
                read('read', brief),
                edit('edit', brief, 'Décidé', 'Choisi'),
                bash('bash', f'echo autre > {BRIEF}'),
                say('gave up'),
            ),
        )
    )
    assert seen.refused('edit', FROZEN)
    assert seen.refused('bash', FROZEN)
    assert 'is a frozen contract of Bravo' in seen.shown('worker')
    assert 'is a frozen contract of Bravo' not in seen.shown()
    assert is_whole(plugins)


def test_a_subagent_does_not_commit(plugins: Repo, client: Client) -> None:
    before = plugins.git('rev-parse', 'HEAD')
    commit = 'git add a.txt && git commit -m "chore: é"'
    seen = client.play(
        script(
            delegate('agent', 'worker'),
            bash('main', commit),
            say('done'),
            worker=(
                bash('make', 'echo é > a.txt'),
                bash('commit', commit),
                say('gave up'),
            ),
        )
    )
    assert seen.done('make')
    assert seen.refused('commit', 'CLD009')
    # the agent that leads them does
    assert seen.done('main')
    assert plugins.git('rev-parse', 'HEAD^') == before


def test_the_agent_of_a_task_writes_in_its_own_place(
    tasks: Space, tmp_path: Path
) -> None:
    code = held(tasks, *STATES)
    report = tasks.file(f'{TASK}-architect-requirements.md')
    other, own = tasks.file('é.md'), code.parent / 'agents/architect/é.md'
    text = 'X is immutable, et documenté.\n' * 5
    tasks.write('agents/architect/status.json', '{"status": "COMPLETE"}')
    client = Client(code, tmp_path / 'client')
    seen = client.play(
        script(
            delegate('agent', 'worker', agent='architect'),
            say('done'),
            worker=(
                write('other', other, text),
                write('code', code / 'é.md', text),
                write('own', own, text),
                write('report', report, text),
                say('reported'),
            ),
        ),
        args=SAME,
    )
    assert seen.refused('other', 'CLD008', 'agents/architect')
    assert seen.refused('code', 'CLD008')
    assert seen.done('own') and seen.done('report')
    assert not other.exists()
    assert own.read_text() == report.read_text() == text


def test_the_main_agent_does_not_implement(tasks: Space, tmp_path: Path) -> None:
    code = held(tasks, *STATES, 'SYNTHESIS', 'IMPLEMENTATION')
    client = Client(code, tmp_path / 'client')
    seen = client.play(
        script(
            write('tool', code / 'X.java', 'class X {}\n'),
            bash('shell', 'echo "class X {}" > X.java'),
            write('notes', code / 'notes.md', 'é\n'),
            say('done'),
        ),
        args=SAME,
    )
    assert seen.refused('tool', 'CLD007', 'architect')
    assert seen.refused('shell', 'CLD007')
    assert seen.done('notes')
    assert not (code / 'X.java').exists()


def test_an_agent_of_a_task_starts_from_its_worktree(
    tasks: Space, task_client: Client
) -> None:
    code = held(tasks, *STATES)
    seen = task_client.play(
        script(delegate('agent', 'worker', agent='architect'), say('done'), worker=()),
        args=SAME,
    )
    assert seen.refused('agent', 'CLD011', f'next: cd {code}')
    assert seen.turns('worker') == []


def test_an_agent_that_is_too_early_does_not_start(
    stage_2: Repo, client: Client
) -> None:
    seen = client.play(
        script(
            delegate('agent', 'worker', 'the surface of Bravo', GUI),
            say('done'),
            worker=(),
        )
    )
    assert seen.refused('agent', 'CLD011', 'Stage 3 (dsp-agent) comes next')
    assert seen.turns('worker') == []


def test_the_users_word_lets_the_next_stage_begin(
    stage_2: Repo, client: Client
) -> None:
    handoff = stage_2.path / samples.handoff_path('Bravo')
    seen = client.play(
        script(
            delegate('before', 'early', 'the engine of Bravo', DSP),
            say('the user is asked'),
            delegate('after', 'worker', 'the engine of Bravo', DSP),
            say('done'),
            early=(),
            worker=(say('all done'), say('as far as I could')),
        ),
        turns=('go', 'continue'),
    )
    assert seen.refused('before', 'CLD012', 'interlock menu Bravo')
    assert seen.turns('early') == []
    assert seen.done('after')
    # the agent left the state as it was: that is said once
    assert [bool(each) for each in seen.hooks('SubagentStop')] == [True, False]
    assert 'has not changed since the agent started' in seen.last('worker')
    assert 'as far as I could' in seen.results['after'].text
    assert 'stage: 2' in handoff.read_text()
