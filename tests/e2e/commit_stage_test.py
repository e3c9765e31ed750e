"""commit-stage under the hooks of real tools."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests import samples
from tests.commands.items import stages
from tests.commands.items.stages import CODE, HANDOFF, everything
from tests.conftest import SCRIPTS, Interlock, Repo
from tests.e2e.conftest import TOOLS, install

pytestmark = pytest.mark.real

END = ('commit-stage', 'Bravo', '3', '-m', 'moteur audio', '-q')
# a hook of the user beside ours, in the form of pre-commit
ANOTHER = """\
- repo: local
  hooks:
  - id: another
    name: another
    language: system
    entry: {entry}
    pass_filenames: false
    always_run: true
    stages: [pre-commit]
"""
EACH_TOOL = pytest.mark.parametrize('tool', TOOLS)


@pytest.fixture(autouse=True)
def on_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv('PATH', f'{SCRIPTS}{os.pathsep}{os.environ["PATH"]}')
    monkeypatch.setenv('PRE_COMMIT_HOME', str(tmp_path / 'pre-commit'))
    monkeypatch.setenv('PREK_HOME', str(tmp_path / 'prek'))


def wire(repo: Repo, interlock: Interlock, tool: str, entry: str) -> None:
    repo.commit(stages.files())
    assert interlock('init', '--pre-commit').code == 0
    config = repo.path / '.pre-commit-config.yaml'
    config.write_text(config.read_text() + ANOTHER.format(entry=entry))
    repo.commit({}, 'chore: installer')
    install(repo, tool)
    stages.worked(repo)


def others(repo: Repo) -> None:
    """What somebody else has staged, changed and deleted."""
    repo.write(
        {
            'PLUGINS.md': samples.registry({**stages.BEFORE, 'Alpha': 'Stage 0'}),
            'autre.txt': 'staged\n',
            'README.md': 'neu\n',
        }
    )
    repo.git('add', 'PLUGINS.md', 'autre.txt')
    repo.write(
        {
            'PLUGINS.md': samples.registry(
                {**stages.BEFORE, 'Alpha': 'Stage 0', 'Charlie': 'Improving'}
            ),
            'autre.txt': 'changed\n',
        }
    )
    (repo.path / 'plugins/Bravo/CMakeLists.txt').chmod(0o755)


def ended(repo: Repo) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        (str(SCRIPTS / 'interlock'), *END),
        cwd=repo.path,
        capture_output=True,
        text=True,
    )


@EACH_TOOL
def test_the_hooks_of_a_tool_see_the_commit_and_nothing_else(
    repo: Repo, interlock: Interlock, tool: str
) -> None:
    """These tools put away what is not staged while their hooks run."""
    seen = repo.path.parent / 'gesehen'
    wire(
        repo,
        interlock,
        tool,
        (f"sh -c 'git diff --cached --name-only > {seen}; cat PLUGINS.md >> {seen}'"),
    )
    others(repo)
    process = ended(repo)
    assert process.returncode == 0, process.stdout + process.stderr
    text = seen.read_text()
    assert text.startswith(
        f'PLUGINS.md\n{HANDOFF}\nplugins/Bravo/CMakeLists.txt\n{CODE}\n#'
    )
    assert stages.registry(text) == {
        'Alpha': '💡 Ideated',
        'Bravo': '🚧 Stage 3',
        'Charlie': '📦 Installed',
    }
    assert stages.registry(stages.text(repo, 'PLUGINS.md')) == {
        'Alpha': '🚧 Stage 0',
        'Bravo': '🚧 Stage 3',
        'Charlie': '🚧 Improving',
    }
    assert repo.git('status', '--porcelain').splitlines() == [
        'MM PLUGINS.md',
        'AM autre.txt',
        '?? README.md',
    ]
    assert interlock.check('--commit', 'HEAD').codes == []


@EACH_TOOL
@pytest.mark.parametrize(
    'entry',
    (
        pytest.param('sh -c "echo nein; exit 1"', id='refuses'),
        pytest.param(f'sh -c "echo x >> {CODE}"', id='changes files'),
    ),
)
def test_what_a_hook_of_a_tool_refuses_leaves_the_records_as_they_were(
    repo: Repo, interlock: Interlock, tool: str, entry: str
) -> None:
    wire(repo, interlock, tool, entry)
    others(repo)
    before = everything(repo)
    process = ended(repo)
    assert process.returncode == 1
    assert 'another' in process.stderr
    assert 'git or a hook refused the commit' in process.stderr
    assert f'restored: PLUGINS.md, {HANDOFF}' in process.stderr
    after = everything(repo)
    changed = {name for name in before if after[name] != before[name]}
    assert changed <= {CODE}
    assert before.keys() == after.keys()


@EACH_TOOL
def test_a_hook_of_a_tool_that_changes_a_record(
    repo: Repo, interlock: Interlock, tool: str
) -> None:
    wire(repo, interlock, tool, f'sh -c "echo x >> {HANDOFF}"')
    before = everything(repo)
    process = ended(repo)
    assert process.returncode == 1
    assert everything(repo) == before
    (kept,) = (repo.path / '.git/interlock/kept').iterdir()
    assert kept.read_text().endswith('\nx\n')
