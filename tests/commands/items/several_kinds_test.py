"""Hints where two kinds have an item of one name: each names the kind."""

from __future__ import annotations

import json
import re

import pytest

from interlock.workflow.language.compile import compile_workflow
from tests import samples
from tests.checks.trees import Files, nowhere
from tests.conftest import Interlock, Repo
from tests.hints.ways import shell

NAME = 'Bravo 2'
HANDOFF = samples.handoff_path(NAME)
BRIEF = f'plugins/{NAME}/.ideas/creative-brief.md'
# a command of ours, up to the end of its line
COMMAND_RE = re.compile(r'interlock [a-z][^\n`]*')
CALLED = f"'plugin:{NAME}'"
RECORD = ('evidence', 'add', '--kind', 'test', '--stage', '2', '--result', 'passed')


def _other(text: str) -> str:
    return text.replace('plugins/', 'effects/').replace('PLUGINS.md', 'EFFECTS.md')


def _workflow() -> str:
    """Two kinds that differ in their places alone."""
    merged, _ = compile_workflow('x', samples.WORKFLOW.encode(), nowhere)
    plugin = merged['items']['plugin']
    effect = json.loads(_other(json.dumps(plugin)))
    both = {'version': 1, 'items': {'plugin': plugin, 'effect': effect}}
    return json.dumps(both, ensure_ascii=False)


@pytest.fixture
def two_kinds(repo: Repo) -> Repo:
    files = {
        'PLUGINS.md': samples.registry({NAME: 'Stage 2'}),
        **samples.item_files(NAME),
        HANDOFF: samples.handoff(NAME),
    }
    both = {**files, **{_other(path): _other(text) for path, text in files.items()}}
    repo.commit({'.interlock.yaml': _workflow(), **both})
    return repo


@pytest.mark.parametrize(
    ('files', 'args'),
    [
        pytest.param({}, ('resume', CALLED), id='resume'),
        pytest.param({}, ('menu', CALLED), id='menu'),
        pytest.param({}, ('menu', CALLED, '--choice', '1'), id='an option'),
        pytest.param({}, ('verify-state', CALLED), id='verify-state'),
        pytest.param({}, ('handoff', 'create', CALLED), id='a handoff twice'),
        pytest.param({}, ('handoff', 'restore', CALLED), id='a valid handoff'),
        pytest.param({}, ('handoff', 'migrate', CALLED), id='nothing to migrate'),
        pytest.param({}, ('registry', 'may', CALLED, 'Stage 3'), id='a gate'),
        pytest.param({}, ('registry', 'may', CALLED, 'Stage 6'), id='a step too far'),
        pytest.param({}, ('registry', 'set-status', CALLED, 'Stage 3'), id='a step'),
        pytest.param({}, ('commit-stage', CALLED, '3', '-m', 'x'), id='no evidence'),
        pytest.param({HANDOFF: None}, ('resume', CALLED), id='no handoff'),
        pytest.param({HANDOFF: None}, (*RECORD, CALLED), id='no evidence'),
        pytest.param({HANDOFF: None}, ('contracts', 'seal', CALLED), id='no seals'),
        pytest.param({HANDOFF: None}, ('handoff', 'update', CALLED), id='no update'),
        pytest.param({HANDOFF: '---\nx'}, ('handoff', 'update', CALLED), id='broken'),
        pytest.param({HANDOFF: '---\nx'}, ('resolve', CALLED), id='remedies'),
        pytest.param({BRIEF: 'x\n'}, ('contracts', 'verify', CALLED), id='a seal'),
        pytest.param({BRIEF: 'x\n'}, ('contracts', 'seal', CALLED), id='a new seal'),
        pytest.param({BRIEF: 'x\n'}, ('resume', CALLED), id='a broken seal'),
        pytest.param({BRIEF: 'x\n'}, ('menu', CALLED), id='a menu of a broken seal'),
        *(
            pytest.param(files, ('check', '--worktree'), id=f'finding: {name}')
            for name, files in {
                'no handoff': {HANDOFF: None},
                'broken handoff': {HANDOFF: '---\nx'},
                'broken seal': {BRIEF: 'x\n'},
                'handoff ahead': {HANDOFF: samples.handoff(NAME, stage='3')},
                'no seals': {
                    HANDOFF: samples.handoff(NAME).replace('contract_checksums', 'x')
                },
            }.items()
        ),
    ],
)
def test_every_command_names_the_kind(
    two_kinds: Repo, interlock: Interlock, files: Files, args: tuple[str, ...]
) -> None:
    two_kinds.write(files)
    said = interlock(*(each.strip("'") for each in args))
    commands = COMMAND_RE.findall(f'{said.out}\n{said.err}')
    named = [each for each in commands if NAME in each]
    assert [each for each in named if CALLED not in each] == [], said.out + said.err
    for each in named[:1]:
        followed = shell(two_kinds, each)
        assert 'name one of them' not in f'{followed.out}{followed.err}'
    assert said.code == 0 or named or args[0] in ('check', 'resolve'), said.err


def test_a_stage_ends_of_one_of_them(two_kinds: Repo, interlock: Interlock) -> None:
    """The subject of a commit names no kind: what it changes tells which."""
    called = CALLED.strip("'")
    tried = ('--kind', 'test', '--stage', '3', '--result', 'passed')
    assert interlock('evidence', 'add', called, *tried).code == 0
    two_kinds.write({f'plugins/{NAME}/Source/Main.cpp': 'x\n'})
    ended = interlock('commit-stage', called, '3', '-m', 'x')
    assert ended.code == 0, ended.err
    changed = two_kinds.git('show', '--format=', '--name-only').splitlines()
    assert changed and not any('effects' in each.lower() for each in changed)
