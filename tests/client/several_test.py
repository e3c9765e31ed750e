"""Agents of a session, its compaction, two clients in one worktree, a client
inside another."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from interlock.agents import adapter_of
from tests import samples, spaces
from tests.client.brief import BRIEF, is_whole
from tests.client.conftest import install
from tests.client.every_client_test import (
    ACQUIRE,
    CLIENTS,
    EACH,
    FACT,
    NO_VERIFY,
    guarded,
    name_committer,
    read_first,
    step,
)
from tests.client.kits import KITS
from tests.client.personal import all_refused, prepare
from tests.client.runner import Client
from tests.client.script import HEAVY, Step, say, script, word
from tests.client.seen import Seen
from tests.conftest import Repo
from tests.spaces import Space

# the second is beside the first in one worktree: known by variables, by their
# processes, and one of each
PAIRS = (('codex', 'qwen'), ('copilot', 'gemini'), ('opencode', 'claude'))
# each client starts the next one
INSIDE = dict(zip(CLIENTS, (*CLIENTS[1:], CLIENTS[0]), strict=True))
# else it does not wait for a command that takes its time
PATIENT = {'codex': {'yield_time_ms': 30_000}, 'copilot': {'initial_wait': 100}}
# the last one did not sum up what its model called too long
COMPACTING = [name for name in CLIENTS if name != 'gemini']
SUMMARY = '<state_snapshot>the model has summed up</state_snapshot>'
COMMIT = 'git add a.txt && git commit -m "chore: é"'
# its events do not say that an agent of the session acts
ANONYMOUS = ('gemini',)


def wait_for(file: Path) -> str:
    return f'until [ -e {shlex.quote(str(file))} ]; do sleep 0.1; done'


def plain(seen: Seen, id: str) -> str:
    """A result, without hashes, times and numbers of processes."""
    return re.sub('[0-9a-f.]+', '', seen.results[id].text)


@EACH
def test_wired_for_all_it_answers_once_and_goes_without_a_trace(
    name: str, project: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some read the settings of others, too."""
    kit, notes = KITS[name], project.path / 'notes.md'
    name_committer(project)
    install(project, 'plugin-workflow', '--git-hooks', '--agent', ','.join(CLIENTS))
    client = Client(project.path, tmp_path / 'client', kit)
    steps = [
        step('write', kit.write(notes, 'un\n')),
        step('look', kit.shell('cat notes.md && git log -1 --format=%s')),
        step('commit', kit.shell(NO_VERIFY)),
    ]
    seen = client.play(script(*steps, say('done')))
    assert seen.turns()[0].text.count(FACT) == 1
    assert seen.results['commit'].text.count('CLD001') == 1
    assert project.git('log', '-1', '--format=%s') == 'chore: installer'
    notes.unlink()
    monkeypatch.chdir(project.path)
    code, said = spaces.at_terminal('uninstall')
    assert code == 0, said
    for each in map(adapter_of, CLIENTS):
        for file in filter(None, (each.settings, each.own_settings)):
            path = project.path / file
            assert not path.exists() or 'interlock' not in path.read_text()
    again = client.play(script(*steps, say('done')))
    assert FACT not in again.shown()
    assert project.git('log', '-1', '--format=%s') == 'é'
    # what the model read of honest work was the client's own
    for id in ('write', 'look'):
        assert plain(seen, id) == plain(again, id)


@EACH
def test_an_agent_of_a_session_is_held(
    name: str, project: Repo, tmp_path: Path
) -> None:
    kit, brief, done = KITS[name], project.path / BRIEF, tmp_path / 'done'
    guarded(project, kit)
    before = project.git('rev-parse', 'HEAD')
    line = samples.contract('Bravo', 'creative_brief').splitlines()[0]
    first = next(iter(kit.edits.values()))
    worker: list[Step] = [
        *read_first(kit, brief),
        step('edit', first(brief, line, 'x')),
        step('make', kit.shell('echo é > a.txt')),
        step('commit', kit.shell(COMMIT)),
        step('done', kit.shell(f'touch {done}')),
        say('gave up'),
    ]
    main = [
        step('agent', kit.starts(word('worker'))),
        step('wait', kit.shell(wait_for(done))),
        say('done'),
    ]
    client = Client(project.path, tmp_path / 'client', kit)
    # some are told afterwards what their agent has done
    seen = client.play(script(*main, worker=worker), whole=False)
    texts = {id: result.text for id, result in seen.results.items()}
    assert 'CON006' in texts['edit'], texts
    assert 'is a frozen contract of Bravo' in seen.shown('worker')
    assert is_whole(project)
    assert (project.path / 'a.txt').exists()
    if name in ANONYMOUS:
        assert project.git('rev-parse', 'HEAD^') == before
    else:
        assert 'CLD009' in texts['commit'], texts
        assert project.git('rev-parse', 'HEAD') == before


@pytest.mark.parametrize('name', COMPACTING)
def test_the_facts_are_known_after_a_compaction(
    name: str, project: Repo, tmp_path: Path
) -> None:
    kit = KITS[name]
    guarded(project, kit)
    steps = [
        step('before', kit.shell('ls'))._replace(tokens=HEAVY),
        # some are told at the first tool afterwards
        step('after', kit.shell('ls -a')),
        step('later', kit.shell('ls -l')),
        say('done'),
    ]
    client = Client(project.path, tmp_path / 'client', kit)
    told = script(*steps)._replace(side=SUMMARY, weight=HEAVY)
    seen = client.play(told)
    assert 'summed up' in seen.last()
    assert seen.last().count(FACT) == 1


def wired(space: Space, *names: str) -> Repo:
    (space.path / '.interlock.yaml').unlink()
    main = space.main
    name_committer(main)
    agents = ','.join(names)
    install(main, 'task-protocol', '--git-hooks', '--agent', agents)
    return main


@pytest.mark.parametrize('names', PAIRS, ids='-'.join)
def test_two_clients_in_one_worktree(
    names: tuple[str, str], space: Space, tmp_path: Path
) -> None:
    """Neither does what the other holds, and each commits for itself."""
    main = wired(space, *names)
    first, second = (KITS[name] for name in names)
    flags = tmp_path / 'flags'
    flags.mkdir()
    file = main.path

    def commit(lane: str) -> str:
        return f'git add {lane}.txt && git commit -m "chore: {lane}"'

    one = [
        step('one-acquire', first.shell(ACQUIRE)),
        step('one-write', first.write(file / 'one.txt', 'é\n')),
        step('one-held', first.shell(f'touch {flags}/held')),
        step('one-wait', first.shell(wait_for(flags / 'tried'))),
        step('one-commit', first.shell(commit('one'))),
        step('one-release', first.shell('interlock lock release main')),
        step('one-free', first.shell(f'touch {flags}/free')),
        step('one-wait-again', first.shell(wait_for(flags / 'done'))),
        say('done'),
    ]
    two = [
        step('two-wait', second.shell(wait_for(flags / 'held'))),
        step('two-early', second.write(file / 'two.txt', 'é\n')),
        step('two-acquire-early', second.shell(ACQUIRE)),
        step('two-release-early', second.shell('interlock lock release main')),
        step('two-commit-early', second.shell('git commit -am "chore: early"')),
        step('two-tried', second.shell(f'touch {flags}/tried')),
        step('two-wait-again', second.shell(wait_for(flags / 'free'))),
        step('two-acquire', second.shell(ACQUIRE)),
        step('two-write', second.write(file / 'two.txt', 'é\n')),
        step('two-commit', second.shell(commit('two'))),
        step('two-release', second.shell('interlock lock release main')),
        step('two-done', second.shell(f'touch {flags}/done')),
        say('done'),
    ]
    lines = [kit.line(word(lane)) for kit, lane in ((first, 'one'), (second, 'two'))]
    client = Client(file, tmp_path / 'client', first, second)
    seen = client.play(
        script(one=one, two=two), line=f'{lines[0]} & {lines[1]}; wait', whole=False
    )
    texts = {id: result.text for id, result in seen.results.items()}
    for id in ('early', 'acquire-early', 'release-early', 'commit-early'):
        assert 'LCK' in texts[f'two-{id}'], texts
    subjects = main.git('log', '-2', '--format=%s').splitlines()
    assert subjects == ['chore: two', 'chore: one'], texts


@EACH
def test_a_client_inside_another_is_not_a_person(
    name: str, space: Space, tmp_path: Path
) -> None:
    kit, inner = KITS[name], KITS[INSIDE[name]]
    third = KITS[INSIDE[INSIDE[name]]]
    main = wired(space, name, inner.agent)
    prepare(space)
    done = tmp_path / 'done'
    tool, given = kit.shell(f'{inner.line(word("inner"))}; touch {done}')
    worker = [
        step('acquire', inner.shell(ACQUIRE)),
        step('write', inner.write(main.path / 'a.txt', 'é\n')),
        step('commit', inner.shell(COMMIT)),
        step('release', inner.shell('interlock lock release main')),
        step('hook', inner.write(main.path / '.git/hooks/pre-commit', 'exit 0\n')),
        step('ask', inner.shell('./tools/ask')),
        say('done'),
    ]
    steps = [
        step('unguarded', kit.shell(third.line(word('third')))),
        step('start', (tool, {**given, **PATIENT.get(name, {})})),
        step('wait', kit.shell(wait_for(done))),
        step('again', kit.shell('./tools/ask')),
        say('done'),
    ]
    client = Client(main.path, tmp_path / 'client', kit, inner, third)
    seen = client.play(script(*steps, inner=worker, third=()), whole=False)
    texts = {id: result.text for id, result in seen.results.items()}
    assert 'is not guarded here' in texts['unguarded'], texts
    assert 'CLD003' in texts['hook'] or inner.agent == 'gemini', texts
    assert main.git('log', '-1', '--format=%s') == 'chore: é', texts
    assert all_refused(space, 'seen', 2)
