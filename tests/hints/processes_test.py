"""What real processes print leads on: hooks that git runs, servers, scripts.

Each case is a change that a real git refuses. The remedies are read from what
it printed, followed as printed in a real shell, and the same command is given
again, until what was refused is gone. Every case is tried as a person and as an
agent, whose commands the guard judges first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from tests import samples
from tests.conftest import Interlock, Repo
from tests.guard.asking import SESSION, use
from tests.hints.replay import Agent, Hint, Ran, follow, is_command, shell

pytestmark = pytest.mark.real

BRAVO = samples.handoff_path('Bravo')
BRIEF = 'plugins/Bravo/.ideas/creative-brief.md'
# `label: command` below a finding, or `next: command` below a refusal
PRINTED_RE = re.compile(r'^(?:remote: )?    (?:[^:`]*(?:`[^`]*`)?[^:`]*): (.+?)\s*$')
# a way that is longer than that leads nowhere
LONGEST = 5


def registry(**statuses: str) -> str:
    return samples.registry({**samples.STATUSES, **statuses})


class Case(NamedTuple):
    # the code that the refusal names
    code: str
    files: Mapping[str, str | bytes | None]
    # what the user types; the files are staged
    command: str = 'git commit -qm essai'
    # typed before, past all hooks
    before: str = ''


AMENDED = f'{samples.contract("Bravo", "creative_brief")}encore\n'
PUSH = 'git push -q origin HEAD:main'
PAST = 'git commit -qnm essai'
# what is staged becomes part of a merge
MERGED = (
    f'{PAST} && side=$(git commit-tree -p HEAD^ -m side HEAD^^{{tree}}) && git reset -q '
    '--soft $(git commit-tree -p HEAD^ -p $side -m merge HEAD^{tree})'
)
CASES = {
    # pre-commit
    'row and entry differ': Case('REG001', samples.DRIFT),
    'a stage is skipped': Case('STG001', {'PLUGINS.md': registry(Bravo='Stage 4')}),
    'a status is misspelled': Case(
        'REG005', {'PLUGINS.md': registry().replace('Stage 2', 'Staeg 2')}
    ),
    'only the registry moves': Case(
        'COM001', {'PLUGINS.md': registry(Bravo='Stage 3')}
    ),
    'a contract changes': Case('CON001', {BRIEF: AMENDED}),
    'a contract goes': Case('CON002', {BRIEF: None}),
    'a handoff is torn': Case('HND002', {BRAVO: '---\nstage: 2\n'}),
    'a handoff is left behind': Case(
        'HND005', {samples.handoff_path('Charlie'): samples.handoff('Charlie', '6')}
    ),
    'a registry in UTF-16': Case('REG008', {'PLUGINS.md': registry().encode('UTF-16')}),
    'the registry goes': Case('REG008', {'PLUGINS.md': None}),
    # commit-msg
    'an item leaves the registry': Case(
        'REG019',
        {'PLUGINS.md': samples.registry({'Alpha': 'Ideated', 'Charlie': 'Installed'})},
    ),
    'a stage ends without its records': Case(
        'COM002',
        {'plugins/Bravo/Source/Main.cpp': '// moteur\n'},
        "git commit -qm 'feat(Bravo): Stage 3 - moteur'",
    ),
    # scripts of single checks
    'a script': Case('REG001', samples.DRIFT, 'interlock-registry'),
    'the hook by its name': Case(
        'STG001', {'PLUGINS.md': registry(Bravo='Stage 4')}, 'interlock check --staged'
    ),
    # pre-push, for what skipped the hooks
    'a push of drift': Case('REG001', samples.DRIFT, PUSH, PAST),
    'a push of a skipped stage': Case(
        'STG001', {'PLUGINS.md': registry(Bravo='Stage 4')}, PUSH, PAST
    ),
    'a push of a contract': Case('CON001', {BRIEF: AMENDED}, PUSH, PAST),
    'a push of a merge that skips a stage': Case(
        'STG001',
        {'PLUGINS.md': registry(Bravo='Stage 4'), 'README.md': 'et plus\n'},
        PUSH,
        MERGED,
    ),
    # pre-receive
    'a server, drift': Case('REG001', samples.DRIFT, f'{PUSH} --no-verify', PAST),
    'a server, a skipped stage': Case(
        'STG001', {'PLUGINS.md': registry(Bravo='Stage 4')}, f'{PUSH} --no-verify', PAST
    ),
    'a server, a contract': Case(
        'CON001', {BRIEF: AMENDED}, f'{PUSH} --no-verify', PAST
    ),
}


@pytest.fixture
def wired(project: Repo, interlock: Interlock, tmp_path: Path) -> Repo:
    """Hooks that git runs here, and a server that judges too."""
    assert interlock('init', '--git-hooks').code == 0
    server = tmp_path / 'server.git'
    project.git('init', '-q', '--bare', '-b', 'main', str(server))
    project.git('remote', 'add', 'origin', str(server))
    project.git('push', '-q', '--no-verify', 'origin', 'HEAD:main')
    hook = server / 'hooks' / 'pre-receive'
    hook.parent.mkdir(exist_ok=True)
    hook.write_text('#!/bin/sh\nexec interlock pre-receive\n')
    hook.chmod(0o755)
    return project


def printed(ran: Ran) -> Iterator[str]:
    """The commands that are printed, the first one first."""
    for line in (*ran.out.splitlines(), *ran.err.splitlines()):
        match = PRINTED_RE.match(line)
        if match and is_command(match[1]):
            yield match[1]


def person(repo: Repo) -> None:
    """Nobody judges the commands of a person."""


def agent(repo: Repo) -> Agent:
    def refusal(command: str) -> str:
        reply = use('Bash', repo.path, command=command)
        return reply.reason if reply.decision == 'deny' else ''

    who = {'CLAUDECODE': '1', 'CLAUDE_CODE_SESSION_ID': SESSION}
    return Agent(repo.path, who, refusal)


Reader = Callable[[Repo], Agent | None]


@pytest.mark.parametrize('reader', (person, agent))
@pytest.mark.parametrize('name', CASES)
def test_what_a_process_prints_leads_on(wired: Repo, name: str, reader: Reader) -> None:
    case, who = CASES[name], reader(wired)
    environ = who.environ if who else {}
    wired.stage(case.files)
    if case.before:
        assert shell(case.before, environ).code == 0
    ran = shell(case.command, environ)
    assert ran.code and case.code in ran.out + ran.err, ran
    seen: list[str] = []
    while case.code in ran.out + ran.err:
        remedies = [each for each in printed(ran) if each not in seen]
        assert remedies, f'nothing new comes after {seen}: {ran}'
        assert len(seen) < LONGEST, seen
        seen.append(remedies[0])
        followed = follow(Hint(remedies[0]), [wired.path], (), who)
        assert not followed.wrong, followed
        ran = shell(case.command, environ)
    assert 'Traceback' not in ran.err


@pytest.mark.parametrize('reader', (person, agent))
def test_a_merge_that_is_fixed_is_a_merge_still(wired: Repo, reader: Reader) -> None:
    """All that is printed, one after the other: take back, fix, commit again."""
    case, who = CASES['a push of a merge that skips a stage'], reader(wired)
    environ = who.environ if who else {}
    wired.stage(case.files)
    assert shell(case.before, environ).code == 0
    merge = wired.git('rev-parse', 'HEAD')
    way = [*printed(shell(PUSH, environ))]
    for command in way:
        followed = follow(Hint(command), [wired.path], (), who)
        assert not followed.wrong, followed
    assert shell(PUSH, environ).code == 0
    assert way[-1] == f'git commit --all -C {merge[:10]}'
    parents = wired.git('rev-parse', 'HEAD^@').split()
    assert parents == wired.git('rev-parse', f'{merge}^@').split()
    assert len(parents) == 2
    # with everything else that it held
    assert wired.git('show', 'HEAD:README.md') == 'et plus'
    assert wired.git('status', '--short') == ''
