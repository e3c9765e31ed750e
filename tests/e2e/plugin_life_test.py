"""The lives of a simple and of a complex plugin, by our commands alone.

Every commit goes through installed hooks, our own and those made by hand.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

import pytest

from tests import samples
from tests.commands.items import stages
from tests.conftest import SCRIPTS, Interlock, Repo
from tests.e2e.conftest import install

pytestmark = pytest.mark.slow

PLAN = """\
# Plan

## Phases

### Phase 3.1: Oscillateur

### Phase 3.2: Enveloppe

### Phase 3.3: Saturation

### Phase 4.1: Disposition

### Phase 4.2: Boutons

### Phase 4.3: Finitions
"""


class Step(NamedTuple):
    """The end of a stage, and what is then written down."""

    stage: str
    status: str
    action: str
    phase: str = 'null'


class Plugin(NamedTuple):
    name: str
    complexity: str
    plan: str
    steps: Sequence[Step]


SIMPLE = Plugin(
    'GainKnob',
    '1.2',
    '# Plan\n\nEn une fois.\n',
    (
        Step('2', '🚧 Stage 2', 'invoke_dsp_agent'),
        Step('3', '🚧 Stage 3', 'invoke_gui_agent'),
        Step('4', '🚧 Stage 4', 'begin_stage_5'),
        Step('5', '✅ Working', 'null'),
    ),
)
COMPLEX = Plugin(
    'MinimalKick',
    '5.0',
    PLAN,
    (
        Step('2', '🚧 Stage 2', 'invoke_dsp_agent', '3.1'),
        Step('3.1', '🚧 Stage 3.1', 'continue_dsp_phase_3.2', '3.2'),
        Step('3.2', '🚧 Stage 3.2', 'continue_dsp_phase_3.3', '3.3'),
        Step('3.3', '🚧 Stage 3.3', 'null'),
        Step('3', '🚧 Stage 3', 'invoke_gui_agent', '4.1'),
        Step('4.1', '🚧 Stage 4.1', 'continue_gui_phase_4.2', '4.2'),
        Step('4.2', '🚧 Stage 4.2', 'continue_gui_phase_4.3', '4.3'),
        Step('4.3', '🚧 Stage 4.3', 'null'),
        Step('4', '🚧 Stage 4', 'begin_stage_5'),
        Step('5', '✅ Working', 'null'),
    ),
)


class Life:
    def __init__(self, repo: Repo, interlock: Interlock, of: Plugin) -> None:
        self.repo = repo
        self.interlock = interlock
        self.plugin = of
        self.folder = f'plugins/{of.name}'

    def ok(self, *args: str) -> str:
        result = self.interlock(*args)
        assert result.code == 0, result.out + result.err
        return result.out

    def commit(self, message: str) -> None:
        """By hand, as somebody without our commands would."""
        self.repo.git('add', '-A')
        process = self.repo.try_git('commit', '-q', '-m', message)
        assert process.returncode == 0, process.stdout + process.stderr

    def write(self, **files: str) -> None:
        self.repo.write({f'{self.folder}/{name}': text for name, text in files.items()})

    def verified(self, code: int = 0) -> None:
        result = self.interlock('verify-state', self.plugin.name)
        assert result.code == code, result.out + result.err

    def is_at(self, status: str) -> None:
        shown = self.ok('registry', 'show', self.plugin.name)
        assert f' {status} ' in shown
        rows = stages.registry(stages.text(self.repo, 'PLUGINS.md'))
        assert rows[self.plugin.name] == status

    def fields(self) -> dict[str, str]:
        handoff = self.repo.path / samples.handoff_path(self.plugin.name)
        front = handoff.read_text().split('---\n')[1]
        pairs = (line.partition(': ') for line in front.splitlines())
        return {key: value for key, _, value in pairs}

    def ideated(self) -> None:
        name = self.plugin.name
        self.write(**{'.ideas/creative-brief.md': '# Idée\n\nUn bouton.\n'})
        self.ok('registry', 'add', name, '--type', 'Audio Effect')
        self.is_at('💡 Ideated')
        self.commit(f'docs: {name} imaginé')
        self.write(**{'.ideas/parameter-spec-draft.md': '# Ébauche\n'})
        status = 'Ideated (Draft Params)'
        self.ok('registry', 'set-status', name, status)
        self.commit(f'docs: {name} paramètres')
        self.is_at(f'💡 {status}')
        self.verified(1)

    def planned(self) -> None:
        name, score = self.plugin.name, self.plugin.complexity
        self.write(
            **{
                '.ideas/parameter-spec.md': '# Paramètres\n',
                '.ideas/architecture.md': '# Architecture\n',
                '.ideas/plan.md': self.plugin.plan,
            }
        )
        self.ok('handoff', 'create', name, '0', '--complexity', score)
        self.verified()
        self.ended(Step('0', '🚧 Stage 0', 'invoke_foundation_shell_agent'))
        fields = self.fields()
        assert fields['complexity_score'] == score
        phased = 'true' if self.plugin is COMPLEX else 'false'
        assert fields['phased_implementation'] == phased

    def worked(self, step: Step) -> None:
        """What the agent of a stage does."""
        self.write(
            **{
                'CMakeLists.txt': f'project({self.plugin.name})\n',
                'Source/Main.cpp': f'// {step.stage}\n',
            }
        )
        if step.stage == '5':
            self.write(**{'CHANGELOG.md': '# 1.0.0\n'})
        if step.stage in {'3', '4', '5'}:
            refused = self.interlock(*self.end(step))
            assert refused.code == 1
            assert 'interlock evidence add' in refused.err
            self.ok(
                'evidence',
                'add',
                self.plugin.name,
                '--kind',
                'test',
                '--result',
                'passed',
                '--stage',
                step.stage,
                '--text',
                '45 of 45',
            )

    def end(self, step: Step) -> tuple[str, ...]:
        return (
            'commit-stage',
            self.plugin.name,
            step.stage,
            '-m',
            f'étape {step.stage}',
        )

    def ended(self, step: Step) -> None:
        said = self.ok(*self.end(step))
        short = self.repo.git('rev-parse', '--short', 'HEAD')
        assert (
            f'✓ Committed: {short} - Stage {step.stage} complete (atomic)\n'
        ) in said
        assert "What's next?" in said
        assert self.repo.git('status', '--porcelain') == ''
        assert self.repo.git('log', '-1', '--format=%s') == (
            f'feat: {self.plugin.name} Stage {step.stage} - étape {step.stage}'
        )
        self.is_at(step.status)
        # done is done: only its deletion is left
        self.verified(4 if step.stage == '5' else 0)
        fields = self.fields()
        stage, dot, _ = step.stage.partition('.')
        assert fields['stage'] == stage
        assert fields['phase'] == (step.stage if dot else 'null')
        assert fields['next_action'] == step.action
        assert fields['next_phase'] == step.phase
        assert fields['status'] == (
            'workflow_complete' if step.stage == '5' else 'complete'
        )

    def installed(self) -> None:
        name = self.plugin.name
        self.ok('registry', 'set-status', name, 'Installed')
        assert not (self.repo.path / samples.handoff_path(name)).exists()
        self.commit(f'feat: {name} Installed')
        self.is_at('📦 Installed')
        self.verified(1)

    def live(self) -> None:
        start = self.repo.git('rev-parse', 'HEAD')
        self.ideated()
        self.planned()
        for step in self.plugin.steps:
            self.worked(step)
            self.ended(step)
        self.installed()
        done = self.interlock.check('--range', f'{start}..HEAD')
        # a handoff is kept until the plugin is installed, which is an info
        assert (done.code, done.codes) == (0, ['HND009'])
        assert self.interlock.check('--tree', 'HEAD').codes == []
        assert self.interlock('audit').code == 0
        self.ok('audit', '--item', self.plugin.name)
        self.timeline()

    def timeline(self) -> None:
        text = (self.repo.path / 'PLUGINS.md').read_text()
        entry = text.partition(f'### {self.plugin.name}\n')[2]
        entry = entry.partition('\n### ')[0]
        for stage in ('0', *(step.stage for step in self.plugin.steps)):
            assert entry.count(f' (Stage {stage}):** ') == 1
        assert 'handoff deleted' in entry


def plain(repo: Repo, interlock: Interlock) -> None:
    assert interlock('init', '--git-hooks').code == 0
    repo.commit({}, 'chore: installer')


def framework(repo: Repo, interlock: Interlock) -> None:
    assert interlock('init', '--pre-commit').code == 0
    repo.commit({}, 'chore: installer')
    install(repo, 'pre-commit')


@pytest.fixture
def empty(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Repo:
    monkeypatch.setenv('PATH', f'{SCRIPTS}{os.pathsep}{os.environ["PATH"]}')
    repo.commit({'PLUGINS.md': samples.registry({})})
    return repo


@pytest.mark.parametrize('plugin', (SIMPLE, COMPLEX), ids=lambda plugin: plugin.name)
def test_a_plugin_from_its_idea_to_its_installation(
    empty: Repo, interlock: Interlock, plugin: Plugin
) -> None:
    plain(empty, interlock)
    Life(empty, interlock, plugin).live()


def test_a_life_under_pre_commit(empty: Repo, interlock: Interlock) -> None:
    framework(empty, interlock)
    Life(empty, interlock, SIMPLE).live()


def test_two_lives_in_turn(empty: Repo, interlock: Interlock) -> None:
    """What one has not committed yet is not part of the other's commits."""
    plain(empty, interlock)
    one, two = (Life(empty, interlock, plugin) for plugin in (SIMPLE, COMPLEX))
    one.ideated()
    one.planned()
    two.ideated()
    two.write(**{'.ideas/notes.md': 'à suivre\n'})
    empty.git('add', 'plugins/MinimalKick/.ideas/notes.md')
    one.worked(SIMPLE.steps[0])
    assert interlock(*one.end(SIMPLE.steps[0])).code == 0
    assert empty.git('status', '--porcelain') == (
        'A  plugins/MinimalKick/.ideas/notes.md'
    )
    two.planned()
    assert (
        empty.git('show', '--format=', '--name-only', 'HEAD').split('\n')[0]
        == 'PLUGINS.md'
    )
