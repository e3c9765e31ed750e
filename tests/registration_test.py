"""A check that is added to a copy of the project is registered everywhere."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.conftest import Repo

TOP = Path(__file__).parent.parent
GENERATED_INTO = ('docs/hooks.md', 'setup.cfg', '.pre-commit-hooks.yaml')

CHECK = """\
from __future__ import annotations

from collections.abc import Iterator

from interlock.model.change import Change
from interlock.model.finding import EVERY_ITEM, Finding
from interlock.rules.new_finding import Location
from interlock.workflow.language.spec import Workflow


def check(change: Change, workflow: Workflow) -> Iterator[Finding]:
    for path in change.touched:
        if path.endswith('.orig'):
            yield Location(EVERY_ITEM, path).finding(
                'COM010', 'a file that a merge left behind', key=path
            )
"""
RULE = """\
---
code: COM010
check: leftovers
severity: error
title: a file that a merge left behind is committed
since: 0.3.0
---

## Why

Nobody wrote it.

## How to fix

Remove it.
"""
ROW = """\
        Check(
            'leftovers',
            leftovers.check,
            ('COM',),
            TREE,
            'Nothing that a merge left behind is committed.',
            'No file that a merge left behind is committed.',
        ),
"""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The project, with the files that CONTRIBUTING names, but no test or planting."""
    for name in ('hooks/interlock', 'docs', 'schemas'):
        shutil.copytree(
            TOP / name,
            tmp_path / name,
            ignore=shutil.ignore_patterns('__pycache__', 'schemas'),
        )
    for name in GENERATED_INTO:
        shutil.copy(TOP / name, tmp_path / name)
    package = tmp_path / 'hooks/interlock'
    (package / 'checks/leftovers.py').write_text(CHECK)
    (package / 'rules/COM010.md').write_text(RULE)
    table = package / 'checks/registered.py'
    text = table.read_text()
    text = text.replace('    handoff,\n', '    handoff,\n    leftovers,\n', 1)
    last = "        Check(\n            'workflow',"
    assert text.count(last) == 1
    table.write_text(text.replace(last, ROW + last))
    return tmp_path


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


def test_a_new_check_is_registered_documented_and_listed(
    copy: Path, project: Repo
) -> None:
    assert run(copy, '-m', 'docs.pages') == (0, '')
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
    main = ('-c', 'from interlock.commands.main import main; main()')
    code, out = run(copy, *main, 'check', '--help')
    assert code == 0
    assert 'leftovers' in out
    code, out = run(copy, *main, 'explain', 'COM010')
    assert code == 0
    assert 'Nobody wrote it.' in out
    project.stage({'a.orig': 'x\n'})
    own = ('-c', 'from interlock.commands.hooks.scripts import leftovers as s; s()')
    for program in ((*main, 'check', '--staged'), own):
        code, out = run(copy, *program, cwd=project.path)
        assert code == 1
        assert 'a.orig' in out and 'COM010' in out
