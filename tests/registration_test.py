"""The diffs of CONTRIBUTING.md, applied to a copy of the project, do what it says."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.conftest import Repo

TOP = Path(__file__).parent.parent
COPIED = (
    'hooks/interlock',
    'docs',
    'schemas',
    'tests',
    'setup.cfg',
    '.pre-commit-hooks.yaml',
)
NUMBERS = ('No', 'One', 'Two', 'Three', 'Four')
# how many files a change may touch; what is generated does not count
MOST = {
    'a check': 4,
    'a rule to a check': 3,
    'a condition of a gate': 3,
    'a client of agents': 3,
    'a command': 2,
    'a preset': 1,
}
MAIN = ('-c', 'from interlock.commands.main import main; main()')
# what keeps lists of checks, rules, conditions, commands and presets, and the
# tests that the diffs add
TESTS = (
    'tests/agents/adapters_test.py',
    'tests/agents/index_test.py',
    'tests/checks/compare_test.py',
    'tests/checks/leftovers_test.py',
    'tests/checks/literals_test.py',
    'tests/checks/registry_test.py::test_an_item_has_one_version',
    'tests/commands/everyday/count_test.py',
    'tests/commands/help_test.py',
    'tests/doctor/canary/plan_test.py',
    'tests/engine/kept_verdict_test.py',
    'tests/formats/literals_test.py',
    'tests/layout_test.py::test_a_check_is_a_module_with_a_test',
    'tests/layout_test.py::test_every_rule_belongs_to_a_check',
    'tests/layout_test.py::test_there_is_no_script_and_no_hook_too_many',
    'tests/rules',
    'tests/tasks/conditions',
    'tests/workflow/language/load_test.py',
    'tests/workflow/language/menus_test.py',
)
ASKING = """\
version: 1
extends: task-protocol
items:
  task:
    protocol:
      conditions:
        no-agent-waits: {cause: it was forgotten, recovery: ask the user}
"""


def sections() -> dict[str, str]:
    """What is added -> what CONTRIBUTING says about it."""
    text = (TOP / 'CONTRIBUTING.md').read_text('UTF-8')
    found = re.findall(r'^## Adding (.+?)\n(.*?)(?=^## )', text, re.M | re.S)
    return {what: said for what, said in found if what in MOST}


def diffs(said: str) -> dict[str, str]:
    """File -> its hunks."""
    (diff,) = re.findall(r'^```diff\n(.*?)^```', said, re.M | re.S)
    _, *files = re.split(r'^--- .+\n\+\+\+ b/', diff, flags=re.M)
    return dict(each.split('\n', 1) for each in files)


def patched(old: str, hunks: str) -> str:
    """Lines without context are put at the end."""
    for hunk in filter(None, re.split(r'^@@\n', hunks, flags=re.M)):
        lines = hunk.splitlines(keepends=True)
        here = ''.join(line[1:] for line in lines if line[0] in ' -')
        new = ''.join(line[1:] for line in lines if line[0] in ' +')
        assert not here or old.count(here) == 1, f'not once: {here}'
        old = old.replace(here, new) if here else old + new
    return old


@pytest.fixture(scope='module')
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project after every diff of the page, and `make docs`."""
    top = tmp_path_factory.mktemp('copy')
    ignored = shutil.ignore_patterns('__pycache__', 'schemas')
    for name in COPIED:
        (top / name).parent.mkdir(exist_ok=True)
        if (TOP / name).is_dir():
            shutil.copytree(TOP / name, top / name, ignore=ignored)
        else:
            shutil.copy(TOP / name, top / name)
    for said in sections().values():
        for name, hunks in diffs(said).items():
            path = top / name
            old = path.read_text('UTF-8') if path.exists() else ''
            path.write_text(patched(old, hunks), 'UTF-8')
    for module in ('docs.clients', 'docs.pages'):
        assert run(top, '-m', module) == (0, '')
    return top


def run(copy: Path, *args: str, cwd: Path | None = None) -> tuple[int, str]:
    path = os.pathsep.join([str(copy / 'hooks'), str(copy)])
    process = subprocess.run(
        (sys.executable, *args),
        cwd=cwd or copy,
        env={**os.environ, 'PYTHONPATH': path},
        capture_output=True,
        text=True,
    )
    return process.returncode, process.stdout + process.stderr


@pytest.mark.parametrize('what', MOST)
def test_a_change_touches_few_files(what: str) -> None:
    said = sections()[what]
    assert len(diffs(said)) == MOST[what]
    one = MOST[what] == 1
    assert said.strip().startswith(f'{NUMBERS[MOST[what]]} file{"s" * (not one)}: ')


def test_a_new_check_is_registered_documented_and_listed(
    copy: Path, project: Repo
) -> None:
    hooks = yaml.safe_load((copy / '.pre-commit-hooks.yaml').read_text())
    (hook,) = (each for each in hooks if each['id'] == 'interlock-leftovers')
    assert hook['stages'] == ['pre-commit', 'pre-merge-commit']
    assert hook['description'] == 'Nothing that a merge left behind is committed.'
    script = 'interlock-leftovers = interlock.commands.hooks.scripts:leftovers\n'
    assert script in (copy / 'setup.cfg').read_text()
    paragraph = '#### `interlock-leftovers`\nNo file that a merge left behind is'
    assert paragraph in (copy / 'docs/hooks.md').read_text()
    assert (
        '[COM010](rules/COM010.md) | leftovers' in (copy / 'docs/rules.md').read_text()
    )
    wiring = copy / 'hooks/interlock/documents/wiring/hook_files.py'
    assert "'interlock-leftovers': ('pre-commit'," in wiring.read_text()
    code, out = run(copy, *MAIN, 'check', '--help')
    assert code == 0
    assert 'leftovers' in out
    code, out = run(copy, *MAIN, 'explain', 'COM010')
    assert code == 0
    assert 'nobody keeps it up to date' in out
    project.stage({'a.orig': 'x\n'})
    own = ('-c', 'from interlock.commands.hooks.scripts import leftovers as s; s()')
    for program in ((*MAIN, 'check', '--staged'), own):
        code, out = run(copy, *program, cwd=project.path)
        assert code == 1
        assert 'a.orig' in out and 'COM010' in out


def test_a_new_check_judges_commits_of_the_past(copy: Path, repo: Repo) -> None:
    # no message is judged, so only watched files are
    repo.commit({'.interlock.yaml': 'version: 1\nextends: kiro\n'})
    repo.commit({'src/a.orig': 'x\n'})
    code, out = run(copy, *MAIN, 'check', '--commit', 'HEAD', cwd=repo.path)
    assert code == 1
    assert 'COM010' in out


def test_a_new_command_is_listed_and_documented(copy: Path, project: Repo) -> None:
    assert '### `interlock count`' in (copy / 'docs/commands.md').read_text()
    code, out = run(copy, *MAIN, '--help')
    assert code == 0
    assert re.search(r'count +Count the items of the workflow\.', out)
    code, out = run(copy, *MAIN, 'count', '--help')
    assert 'Examples:\n    interlock count\n' in out
    assert run(copy, *MAIN, 'count', cwd=project.path) == (0, '3\n')


def test_a_workflow_may_name_a_new_condition(copy: Path, repo: Repo) -> None:
    repo.commit({'.interlock.yaml': ASKING})
    code, out = run(copy, *MAIN, 'config', 'validate', cwd=repo.path)
    assert code == 0, out
    assert '[GAT055](rules/GAT055.md)' in (copy / 'docs/rules.md').read_text()


def test_a_new_preset_is_offered(copy: Path, repo: Repo) -> None:
    args = ('init', '--dry-run', '--preset', 'plugin-workflow-reviewed')
    code, out = run(copy, *MAIN, *args, cwd=repo.path)
    assert code == 0, out
    assert 'extends: plugin-workflow-reviewed' in out


@pytest.mark.slow
def test_the_tests_of_the_copy_pass(copy: Path) -> None:
    args = ('-m', 'pytest', '-q', '-n', '0', '-p', 'no:cacheprovider', *TESTS)
    code, out = run(copy, *args)
    assert code == 0, out
