"""Scripts that one call wrote and the next one runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from interlock.guard.guards.programs import DiskScripts
from tests.conftest import Repo
from tests.guard.guards.shell_commands_test import run

NO_VERIFY = 'git commit --no-verify -m x\n'
CONTRACT = 'plugins/Bravo/.ideas/architecture.md'
PYTHON = '#!/usr/bin/env python3\n'
# the text of the file s, what runs it, and the code of the answer
REFUSED = (
    (NO_VERIFY, 'sh s', 'CLD001'),
    (NO_VERIFY, 'bash -x ./s', 'CLD001'),
    (NO_VERIFY, './s', 'CLD001'),
    (NO_VERIFY, 'cd plugins && ../s', 'CLD001'),
    (NO_VERIFY, 'true;./s', 'CLD001'),
    (NO_VERIFY, 'timeout 9 ./s', 'CLD001'),
    (NO_VERIFY, '. ./s', 'CLD001'),
    (NO_VERIFY, 'source s', 'CLD001'),
    (NO_VERIFY, 'bash < s', 'CLD001'),
    (NO_VERIFY, 'ls | xargs -n1 sh s', 'CLD001'),
    (NO_VERIFY, "find . -name x -exec sh s ';'", 'CLD001'),
    (NO_VERIFY, 'at -f s now', 'CLD001'),
    (NO_VERIFY, 'for f in s*; do sh "$f"; done', 'CLD001'),
    (NO_VERIFY, 'cp s /tmp/n.sh && sh /tmp/n.sh', 'CLD001'),
    (NO_VERIFY, 'mv s n; ln -s n m; bash m', 'CLD001'),
    (NO_VERIFY, 'python3 -c "import os; os.system(\'./s\')"', 'CLD001'),
    (NO_VERIFY, 'perl -e \'exec "sh", "./s"\'', 'CLD001'),
    (NO_VERIFY, 'BASH_ENV=s bash -c true', 'CLD001'),
    (NO_VERIFY, 'ENV=$PWD/s sh -i', 'CLD001'),
    (NO_VERIFY, 'bash --rcfile s -i', 'CLD001'),
    (NO_VERIFY, 'GIT_EDITOR=./s git commit', 'CLD001'),
    (NO_VERIFY, 'git rebase --exec ./s HEAD~1', 'CLD001'),
    (f'#!/bin/sh\nset -eu\nmain() {{\n  {NO_VERIFY}}}\nmain "$@"\n', './s', 'CLD001'),
    ('git commit "$@"\n', './s --no-verify -m x', 'CLD001'),
    ('flag=--no-ver\ngit commit ${flag}ify -m x\n', 'sh s', 'CLD001'),
    # what cannot be read keeps nothing else from being judged
    (f'eval "$1"\nif (( x\n{NO_VERIFY}', 'sh s', 'CLD001'),
    ('$TOOL commit\nunset CLAUDECODE\ngit commit -m x\n', 'sh s', 'CLD002'),
    ('rm .git/hooks/pre-commit\n', './s', 'CLD003'),
    ('cd "$(dirname "$0")"\nrm .git/hooks/pre-commit\n', './s', 'CLD003'),
    ('interlock approve x\n', './s', 'CLD005'),
    ('interlock uninstall\n', 'nohup ./s &', 'CLD003'),
    (f'echo x > {CONTRACT}\n', 'sh s', 'CON006'),
    (f'cat > {CONTRACT} <<E\nx\nE\n', 'sh s', 'CON006'),
    ('echo x > "$1"\n', f'sh s {CONTRACT}', 'CON006'),
    ('sh t\n', 'sh s', 'CLD001'),
)
ASKED = (
    (f'echo x > "$WHERE/{CONTRACT}"\n', 'sh s'),
    ('import os\nos.system("git commit --no-verify -m x")\n', 'python3 s'),
    ('import os\nos.system("git commit -nm x")\n', 'python3 -W ignore s now'),
    (f'{PYTHON}import os; os.system("interlock approve x")\n', './s'),
    (f"open('{CONTRACT}', 'w').write('x')\n", 'python3 s'),
    (f"require('fs').writeFileSync('{CONTRACT}', 'x')\n", 'node s'),
    ("open('.git/hooks/pre-commit', 'w')\n", 'cd plugins && python3 ../s'),
    ('system("git commit --no-verify");\n', 'perl s'),
    ("import os\nos.environ.pop('CLAUDECODE')\n", 'python3 s'),
    ('import os\nos.system("git commit --no-verify")\n', 'python3 < s'),
)
ALLOWED = (
    ('set -euo pipefail\nmake test\n', 'sh s'),
    ('git add -A\ngit commit -m "$1"\n', './s x'),
    ('# never: git commit --no-verify\necho "--no-verify"\n', './s'),
    # a command would be asked about
    ('eval "$(ssh-agent)"\n"$JAVA" -jar x.jar "$@"\n', './s'),
    ('curl -s https://example.invalid/x | sh\n', './s'),
    ('rm -rf "$BUILD"/*\ncp "$OUT"/*.md "$DEST"\n', './s'),
    ('if (( x\n', 'sh s'),
    ('echo "#!/bin/sh" > x\n' * 9000, 'sh s'),
    ('sh s\n', 'sh s'),
    (NO_VERIFY, 'cat s'),
    (NO_VERIFY, 'bash -n s'),
    (NO_VERIFY, 'cp s n && cat n'),
    (NO_VERIFY, 'python3 -c "print(open(\'./s\').read())"'),
    (NO_VERIFY, 'for f in *.sh; do sh "$f"; done'),
    (NO_VERIFY, 'shellcheck ./s'),
    (NO_VERIFY, 'chmod +x s'),
    (NO_VERIFY, 'echo sh s'),
    ('export PATH="$PWD/.venv/bin:$PATH"\nunset PYTHONHOME\n', '. ./s'),
    (f"print(open('{CONTRACT}').read())\n", 'python3 s'),
    ('import sys\nprint(sys.argv)\n', 'python3 s PLUGINS.txt'),
    ('\0' + NO_VERIFY, './s'),
    (f'{PYTHON}print("git log -n 1")\n', './s'),
)


MAKEFILE = f"""\
.PHONY: all test
NAME := x
all: test
\t@echo done
test: build  # and more
\tpytest -q
build:
\tcc -o a a.c
skip: build
\t@{NO_VERIFY}deep: skip
forge: ; echo x > {CONTRACT}
"""
SCRIPTS = {
    'test': 'jest',
    'prepack': 'git commit -nm x',
    'pack': 'tsc',
    'wild': NO_VERIFY,
}
RUN = (
    ('make', ''),
    ('make test NAME=y', ''),
    ('make skip', 'CLD001'),
    ('true&&make skip', 'CLD001'),
    ('(make skip)', 'CLD001'),
    ('make -s deep', 'CLD001'),
    ('cd plugins && make -C .. skip', 'CLD001'),
    ('make forge', 'CON006'),
    ('npm test', ''),
    ('npm run build', ''),
    ('npm run wild', 'CLD001'),
    ('yarn wild', 'CLD001'),
    ('pnpm run pack', 'CLD001'),
)


NEW = 'import os; os.system("git commit --no-verify")\n'


@pytest.mark.parametrize('command', ['just x', 'python3 -m tool.x', 'uv run tool/x.py'])
def test_what_is_new_and_what_is_committed(command: str, project: Repo) -> None:
    files = {'justfile': f'x:\n  {NO_VERIFY}', 'tool/x.py': NEW}
    project.write(files)
    assert run(command, project.path).asks
    project.commit(files)
    assert not run(command, project.path).code


@pytest.mark.parametrize(('command', 'code'), RUN)
def test_what_a_file_of_the_project_runs(
    command: str, code: str, project: Repo
) -> None:
    package = json.dumps({'scripts': SCRIPTS})
    project.write({'Makefile': MAKEFILE, 'package.json': package})
    assert run(command, project.path).code == code


def put(project: Repo, text: str) -> None:
    project.write({'s': text, 't': NO_VERIFY})
    (project.path / 's').chmod(0o755)


@pytest.mark.parametrize(('text', 'command', 'code'), REFUSED)
def test_what_a_script_does_is_refused(
    text: str, command: str, code: str, project: Repo
) -> None:
    put(project, text)
    decision = run(command, project.path)
    assert (decision.code, decision.asks) == (code, False), decision


@pytest.mark.parametrize(('text', 'command'), ASKED)
def test_what_a_script_may_do_is_asked(text: str, command: str, project: Repo) -> None:
    put(project, text)
    assert run(command, project.path).asks


@pytest.mark.parametrize(('text', 'command'), ALLOWED)
def test_an_honest_script_runs(text: str, command: str, project: Repo) -> None:
    put(project, text)
    assert not run(command, project.path).code


def test_a_script_in_a_temporary_directory(tmp_path: Path, project: Repo) -> None:
    script = tmp_path / 'x.sh'
    script.write_text(NO_VERIFY)
    assert run(f'sh {script}', project.path).code == 'CLD001'
    (project.path / 'link').symlink_to(script)
    assert run('bash link', project.path).code == 'CLD001'


def test_code_that_is_committed_is_a_tool_of_the_project(project: Repo) -> None:
    """A team's own scripts may name its records; new ones are asked about."""
    text = f"open('{CONTRACT}', 'w').write('x')\n"
    project.commit({'tools/seal.py': text})
    assert not run('python3 tools/seal.py', project.path).code
    project.write({'tools/seal.py': f'{text}# changed\n'})
    assert run('python3 tools/seal.py', project.path).asks


def test_settings_of_the_user_hide_no_new_script(project: Repo) -> None:
    project.git('config', 'status.showUntrackedFiles', 'no')
    project.commit({'.gitignore': 'build/\n'})
    project.write({':!x.py': NEW, 'build/x.py': NEW, 'x.py': NEW})
    for name in ('x.py', 'build/x.py', "':!x.py'"):
        assert run(f'python3 {name}', project.path).asks, name


def test_git_is_asked_once_about_a_script(
    project: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(DiskScripts, '_is_clean', lambda _, path: asked.append(path))
    project.write({'x.py': NEW})
    run('for i in 1 2 3 4 5; do python3 x.py $i; done', project.path)
    assert len(asked) == 1


def test_a_hook_of_git_may_be_tried(project: Repo) -> None:
    hook = project.path / '.git/hooks/pre-commit'
    hook.parent.mkdir(exist_ok=True)
    hook.write_text('#!/bin/sh\nINTERLOCK_X=1 interlock check --staged\n')
    hook.chmod(0o755)
    assert not run('.git/hooks/pre-commit', project.path).code
