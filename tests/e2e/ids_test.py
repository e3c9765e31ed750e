"""Every id of the manifest, under every tool that reads it."""

from __future__ import annotations

import json
import os
import subprocess

import pytest

from interlock.documents import yaml
from tests import samples, spaces
from tests.conftest import SCRIPTS, Repo
from tests.e2e.conftest import ROOT, TOOLS, Source, config, install
from tests.git import changes
from tests.spaces import Space

Files = changes.Files
BRAVO = samples.handoff_path('Bravo')

REFUSALS: dict[str, tuple[Files, str, str]] = {
    'interlock': (changes.bad_row(), 'docs: x', 'REG001'),
    'interlock-registry': (changes.bad_row(), 'docs: x', 'REG001'),
    'interlock-contracts': (
        {'plugins/Bravo/.ideas/plan.md': None},
        'docs: x',
        'CON002',
    ),
    'interlock-stages': (changes.stage('4'), 'feat(Bravo): Stage 4', 'STG001'),
    'interlock-commit': (
        {'PLUGINS.md': changes.registry(Bravo='Stage 3')},
        'feat(Bravo): Stage 3',
        'COM001',
    ),
    'interlock-handoff': ({BRAVO: '# rien\n'}, 'docs: x', 'HND001'),
    'interlock-document': ({'notes.md': '# À faire\n\n```\n'}, 'docs: x', 'DOC027'),
    'interlock-message': (changes.stage('3'), 'docs: x', 'COM005'),
}
# the message reaches every hook that has a rule about it
WITH_MESSAGE: dict[str, tuple[Files, str, str]] = {
    'interlock': (changes.stage('3'), 'docs: x', 'COM005'),
    'interlock-contracts': (
        {BRAVO: samples.handoff('Bravo', sums={})},
        'docs: x',
        'CON006',
    ),
    'interlock-stages': (
        {'PLUGINS.md': changes.registry(Charlie='Ideated')},
        'docs: x',
        'STG001',
    ),
}


def ids() -> list[str]:
    node = yaml.parse((ROOT / '.pre-commit-hooks.yaml').read_text())
    values = yaml.value(node)
    assert isinstance(values, list)
    return [hook['id'] for hook in values]


# what needs tasks beside the repository, and has a test of its own below
OF_TASKS = {'interlock-locks', 'interlock-trail', 'interlock-trailers'}


def test_every_id_is_tried() -> None:
    assert sorted([*REFUSALS, *OF_TASKS]) == sorted(ids())


@pytest.mark.parametrize('tool', TOOLS)
def test_the_manifest_is_valid(tool: str) -> None:
    process = subprocess.run(
        (
            str(SCRIPTS / tool),
            'validate-manifest',
            str(ROOT / '.pre-commit-hooks.yaml'),
        ),
        capture_output=True,
        text=True,
    )
    assert process.returncode == 0, process.stdout + process.stderr
    assert 'warn' not in (process.stdout + process.stderr).lower()


def wire(project: Repo, built: Source, tool: str, name: str) -> None:
    project.commit(
        {
            '.pre-commit-config.yaml': config(built, name),
            # one of them has nothing to judge without
            '.interlock.yaml': (
                f'{samples.WORKFLOW}documents: {{markdown: ["*.md"]}}\n'
            ),
        }
    )
    install(project, tool)


@pytest.mark.parametrize('tool', TOOLS)
@pytest.mark.parametrize('name', sorted(REFUSALS))
def test_an_id_accepts_what_is_good_and_refuses_what_is_bad(
    project: Repo, built: Source, tool: str, name: str
) -> None:
    wire(project, built, tool, name)
    project.stage({'README.md': 'à lire\n'})
    accepted = project.try_git('commit', '-m', 'docs: à lire')
    assert accepted.returncode == 0, accepted.stderr
    files, message, code = REFUSALS[name]
    project.stage(files)
    refused = project.try_git('commit', '-m', message)
    assert refused.returncode == 1, refused.stderr
    assert code in refused.stderr
    assert project.git('log', '-1', '--format=%s') == 'docs: à lire'


@pytest.mark.parametrize('tool', TOOLS)
@pytest.mark.parametrize('name', sorted(WITH_MESSAGE))
def test_an_id_with_rules_about_the_message_is_given_it(
    project: Repo, built: Source, tool: str, name: str
) -> None:
    wire(project, built, tool, name)
    files, message, code = WITH_MESSAGE[name]
    project.stage(files)
    early = subprocess.run(
        (str(SCRIPTS / tool), 'run', '--hook-stage', 'pre-commit'),
        capture_output=True,
        text=True,
    )
    assert early.returncode == 0, early.stdout
    refused = project.try_git('commit', '-m', message)
    assert refused.returncode == 1, refused.stderr
    assert code in refused.stderr


@pytest.mark.parametrize('tool', TOOLS)
def test_a_task_is_committed_by_its_holder_who_is_named(
    space: Space, built: Source, tool: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = config(built, 'interlock-locks').replace(
        'commit-msg, ', 'commit-msg, prepare-commit-msg, post-commit, '
    )
    space.main.commit(
        {
            '.pre-commit-config.yaml': (
                f'{text}  - id: interlock-trailers\n  - id: interlock-trail\n'
            )
        }
    )
    code = space.worktree()
    space.put(spaces.lock(generation=4))
    install(space.main, tool)
    code.stage({'bread.py': 'é'})
    monkeypatch.setenv('INTERLOCK_SESSION', spaces.OTHER)
    refused = code.try_git('commit', '-m', 'é')
    assert refused.returncode == 1
    assert 'LCK001' in refused.stderr
    monkeypatch.setenv('INTERLOCK_SESSION', spaces.SESSION)
    accepted = code.try_git('commit', '-m', 'é')
    assert accepted.returncode == 0, accepted.stderr
    assert code.git('log', '-1', '--format=%(trailers)') == (
        f'Interlock-Task: {spaces.TASK}\nInterlock-Lock: {spaces.TASK}@4'
    )
    trail = json.loads(space.file('audit-trail.json').read_text('UTF-8'))
    assert [each['sha'] for each in trail['commits']] == [code.git('rev-parse', 'HEAD')]


@pytest.mark.parametrize('tool', TOOLS)
def test_a_range_is_judged_commit_by_commit(
    project: Repo, built: Source, tool: str
) -> None:
    wire(project, built, tool, 'interlock')
    project.git('tag', 'début')
    project.commit({'README.md': 'à lire\n'}, 'docs: à lire')
    project.git('tag', 'bon')
    project.commit(changes.bad_row(), 'chore: abîmer')
    # fixed at the tip, and still wrong on the way there
    project.commit({'PLUGINS.md': changes.registry()}, 'chore: réparer')

    def run(base: str, tip: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            (str(SCRIPTS / tool), 'run', '--from-ref', base, '--to-ref', tip),
            env=dict(os.environ),
            capture_output=True,
            text=True,
        )

    good = run('début', 'bon')
    assert good.returncode == 0, good.stdout
    bad = run('début', 'HEAD')
    assert bad.returncode == 1
    assert 'REG001' in bad.stdout
    assert project.git('rev-parse', 'HEAD~1')[:10] in bad.stdout


@pytest.mark.parametrize(
    ('tool', 'said'),
    (
        # it applies the filter of the configuration to the message too
        pytest.param('pre-commit', 'no message file was given', id='kept'),
        pytest.param('prek', 'COM005', id='given'),
    ),
)
def test_a_message_that_may_be_kept_from_its_hook_does_not_pass(
    project: Repo, built: Source, tool: str, said: str
) -> None:
    text = f'files: ^plugins/\n{config(built, "interlock-message")}'
    project.commit({'.pre-commit-config.yaml': text})
    install(project, tool)
    project.stage(changes.stage('3'))
    refused = project.try_git('commit', '-m', 'docs: à lire')
    assert refused.returncode == 1
    assert said in refused.stderr
