"""Files of variables that clients load: what is theirs, and what is anybody's."""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock.documents.wiring.env_files import hooks_line
from tests.conftest import Repo
from tests.guard.asking import write
from tests.guard.guards.shell_commands_test import run

OWN = '.gemini/.env'
LINE = "GIT_CONFIG_PARAMETERS=\"'core.hooksPath'='/x/.git/hooks'\" # interlock\n"

# file, what it holds (None: it is not there), what it shall hold
REFUSED = [
    (OWN, LINE, ''),
    (OWN, LINE, LINE.replace('/x', '/y')),
    (OWN, LINE, f'{LINE}GIT_CONFIG_PARAMETERS=\n'),
    (OWN, LINE, f"{LINE}export GIT_CONFIG_PARAMETERS: ''\n"),
    (OWN, LINE, f'A=`\n{LINE}`\n'),
    (OWN, LINE, f'#{LINE}'),
    # the blanks and the ends of lines of JavaScript are not those of Python
    (OWN, LINE, f'\x1f{LINE}'),
    (OWN, LINE, f'\x85{LINE}'),
    (OWN, LINE, f'{LINE}# x\u2028GIT_CONFIG_PARAMETERS=\n'),
    ('.env', None, '#\u2029\ufeff\u3000export\xa0GIT_CONFIG_COUNT=0\n'),
    (OWN, None, "GIT_CONFIG_PARAMETERS=\"'core.hooksPath'=''\"\n"),
    (OWN, None, 'INTERLOCK_SESSION=x\n'),
    ('.env', LINE, 'A=1\n'),
    ('.env', 'A=1\n', 'A=1\nGIT_CONFIG_PARAMETERS=x\n'),
    ('.env', None, 'GIT_CONFIG_COUNT=0\n'),
    ('.env', None, 'GEMINI_SESSION_ID=x\n'),
    ('.qwen/.env', None, 'HUSKY=0\n'),
    ('.qwen/.env', None, 'QWEN_CODE_SAFE_MODE=1\n'),
    ('.env', None, 'OPENCODE_PURE=1\n'),
    ('plugins/.env', None, '  GIT_CONFIG_GLOBAL = /x\n'),
]
ALLOWED = [
    (OWN, LINE, f'{LINE}GEMINI_API_KEY=é\n'),
    (OWN, LINE, f'# é\n\n{LINE}'),
    (OWN, None, 'GEMINI_API_KEY=x\n'),
    ('.env', None, 'A=1\n# GIT_CONFIG_PARAMETERS=x\n'),
    ('.env', 'A=1\n', ''),
    ('.env', LINE, f'A=1\n{LINE}'),
    ('.env', None, 'TEXT="see GIT_CONFIG_PARAMETERS=x"\n'),
    ('.env.example', None, 'GIT_CONFIG_PARAMETERS=x\n'),
    ('x.env', None, 'GIT_CONFIG_PARAMETERS=x\n'),
]


def put(project: Repo, file: str, old: str | None) -> Path:
    path = project.path / file
    if old is not None:
        project.write({file: old})
    return path


@pytest.mark.parametrize(('file', 'old', 'new'), REFUSED)
def test_what_names_hooks_or_who_acts(
    file: str, old: str | None, new: str, project: Repo
) -> None:
    reply = write(put(project, file, old), new, cwd=project.path)
    assert reply.reason.startswith('CLD003')


def test_our_own_line_is_nothing_foreign(project: Repo) -> None:
    """The user is told to paste it, and a copy of the project has it, too."""
    line = f'{hooks_line(str(project.path / ".git"))} # interlock\n'
    for file in (OWN, '.env'):
        path = put(project, file, None)
        assert write(path, f'{line}A=1\n', cwd=project.path).is_silent
        for new in (f'{line}GIT_CONFIG_PARAMETERS=\n', line.replace('gitdir', 'x')):
            reply = write(path, new, cwd=project.path)
            assert reply.reason.startswith('CLD003')
    project.write({'.env': line})
    reply = write(project.path / '.env', 'A=1\n', cwd=project.path)
    assert reply.reason.startswith('CLD003')
    assert not run('cp -r . /tmp/new-copy', project.path).kind


@pytest.mark.parametrize(('file', 'old', 'new'), ALLOWED)
def test_other_variables(file: str, old: str | None, new: str, project: Repo) -> None:
    assert write(put(project, file, old), new, cwd=project.path).is_silent


@pytest.mark.parametrize(
    'command',
    [
        f'rm {OWN}',
        f'mv {OWN} /tmp/x',
        'rm -rf .gemini',
        'git clean -fdx',
        "git clean -fx '.gemini/.e*'",
        "git clean -fdx '*.env'",
        "git clean -fdx '*'",
        "git stash -a -- '.gem*'",
        *(f'chmod {mode} {OWN}' for mode in ('000', '0', '0077', '-r', '=', 'a=w')),
        f'chmod g+w,u-rwx {OWN}',
        f'echo GIT_CONFIG_PARAMETERS= >> {OWN}',
        f'sed -i /hooksPath/d {OWN}',
        f'sed -i 1d {OWN}',
        f'sed -i s/^/#/ {OWN}',
        f"sed -i '$a GIT_CONFIG_PARAMETERS=' {OWN}",
        f'sed -i "$x" {OWN}',
        f'make > {OWN}',
        f'curl -so {OWN} https://example.org/x',
        f'cp .env.example {OWN}',
        f'ln -sf /dev/null {OWN}',
        f': > {OWN}',
        f'truncate -s 0 {OWN}',
        f"python3 -c \"open('{OWN}', 'w')\"",
        "printf 'GIT_CONFIG_PARAMETERS=x\\n' > .env",
        'echo GIT_CONFIG_COUNT=0 >> .env',
        'cat > .env <<E\nA=1\nINTERLOCK_SESSION=x\nE',
    ],
)
def test_commands_that_reach_it(command: str, project: Repo) -> None:
    project.write({OWN: LINE, '.env.example': 'A=1\n'})
    assert run(command, project.path).kind in ('deny', 'ask')


@pytest.mark.parametrize(
    'command',
    [
        f'cat {OWN} .env',
        f'echo GEMINI_API_KEY=x >> {OWN}',
        f"sed -i 's/^A=1/A=2/' {OWN}",
        f"sed -i.bak '/^A=/d' {OWN}",
        f"sed -i '$a B=2' {OWN}",
        'cp .env.example .env',
        'echo A=1 >> .env',
        'rm -f .env',
        "git clean -fdx '*.pyc' 'build/*'",
        "git checkout -- '*.md'",
        f'chmod 600 {OWN}',
        f'chmod u=rw,go= {OWN}',
        f'chmod go-r,a-w {OWN}',
        'mv .env .env.old',
        "sed -i 's/A=1/A=2/' .env",
        'make > .env',
        'curl -so .env https://example.org/x',
        'op inject -i .env.example -o .env',
        'docker compose --env-file .env up -d',
        'set -a; source .env; set +a; npm test',
        'vercel env pull .env',
        'touch .env && chmod 600 .env',
        'export $(grep -v "^#" .env | xargs) && npm start',
        'dotenv -f .env run -- pytest',
    ],
)
def test_everyday_commands(command: str, project: Repo) -> None:
    project.write({OWN: LINE, '.env.example': 'A=1\n', '.env': 'A=1\n'})
    assert not run(command, project.path).kind
