"""Started by the client as `python3 -I -S interlock_launcher.py EVENT`.

The client installs nothing that a plugin needs, so this finds an Interlock
that somebody installed, and becomes it. Where none is and a workflow governs,
guards refuse: what cannot be judged is not passed.

For any Python 3.7 or later, whatever `python3` is.
"""

from __future__ import annotations

import os
import sys

NAME = 'interlock-hooks'
# the second one only says where the package is
SCRIPTS = ('interlock-claude', 'interlock')
GUARDS = ('', 'PreToolUse', 'ConfigChange')
FILE = '.interlock.yaml'
OPTIONS = ['-I', '-S']
REFUSED = 2
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def _folders() -> Iterator[str]:
    """Where its scripts may be: the PATH, and where tools are installed."""
    for folder in os.environ.get('PATH', '').split(os.pathsep):
        # not what depends on the directory that we happen to be in
        if os.path.isabs(folder):
            yield folder
    home = os.path.expanduser('~')
    data = os.environ.get('XDG_DATA_HOME') or f'{home}/.local/share'
    yield f'{home}/.local/bin'
    for above in (
        os.environ.get('PIPX_HOME', ''),
        f'{data}/pipx',
        f'{home}/.local/pipx',
        f'{home}/Library/Application Support/pipx',
    ):
        if above:
            yield f'{above}/venvs/{NAME}/bin'
    tools = os.environ.get('UV_TOOL_DIR') or f'{data}/uv/tools'
    yield f'{tools}/{NAME}/bin'


def _python(script: str) -> str:
    """The interpreter that a script names, '' if it names none."""
    with open(script, 'rb') as f:
        line = f.readline(1024)
    if not line.startswith(b'#!'):
        return ''
    python = os.fsdecode(line[2:].strip())
    return python if os.access(python, os.X_OK) else ''


def _launcher(python: str) -> str:
    """The launcher in the environment of an interpreter, '' if it is not
    there (an installation that leads elsewhere)."""
    library = os.path.join(os.path.dirname(os.path.dirname(python)), 'lib')
    try:
        versions = sorted(os.listdir(library), reverse=True)
    except OSError:
        return ''
    for version in versions:
        path = os.path.join(
            library, version, 'site-packages', 'interlock', 'claude', 'launcher.py'
        )
        if version.startswith('python3') and os.path.isfile(path):
            return path
    return ''


def _calls() -> Iterator[list[str]]:
    for folder in _folders():
        for name in SCRIPTS:
            script = os.path.join(folder, name)
            try:
                python = _python(script)
            except OSError:
                continue
            launcher = _launcher(python) if python else ''
            if launcher:
                # starts in a fraction of the time
                yield [python, *OPTIONS, launcher]
            elif name == SCRIPTS[0] and os.access(script, os.X_OK):
                yield [script]


def _become(event: str) -> None:
    """Returns where no Interlock could be started."""
    for call in _calls():
        arguments = [*call, event] if event else call
        try:
            if os.name == 'nt':
                import subprocess

                raise SystemExit(subprocess.call(arguments))
            os.execv(arguments[0], arguments)  # noqa: S606 no shell
        except OSError:
            continue


def _above(directory: str) -> Iterator[str]:
    while True:
        yield directory
        above = os.path.dirname(directory)
        if above == directory:
            return
        directory = above


def _line(path: str) -> str:
    try:
        with open(path, encoding='UTF-8', errors='surrogateescape') as f:
            return f.readline().strip()
    except OSError:
        return ''


def _main_worktree(directory: str) -> str:
    """Of a linked worktree: where the main one is, '' if in none."""
    for folder in _above(directory):
        pointer = _line(os.path.join(folder, '.git'))
        if pointer.startswith('gitdir:'):
            git_dir = os.path.join(folder, pointer[len('gitdir:') :].strip())
            common = _line(os.path.join(git_dir, 'commondir'))
            return (
                os.path.dirname(os.path.realpath(os.path.join(git_dir, common)))
                if common
                else ''
            )
    return ''


def _governed(directories: list[str]) -> str:
    """The workflow file that governs, '' where nothing does."""
    given = os.environ.get('INTERLOCK_CONFIG')
    if given:
        return given
    for directory in directories:
        here = os.path.realpath(directory)
        for folder in (*_above(here), _main_worktree(here)):
            file = os.path.join(folder, FILE)
            if folder and os.path.isfile(file):
                return file
    return ''


def _directories() -> list[str]:
    import json

    found = [os.environ.get('CLAUDE_PROJECT_DIR', '')]
    try:
        found.insert(0, json.loads(sys.stdin.buffer.read())['cwd'])
    except (ValueError, KeyError, TypeError, OSError, AttributeError):
        # then the others say it
        pass
    try:
        found.append(os.getcwd())
    except OSError:
        pass
    return [each for each in found if isinstance(each, str) and each]


def _install() -> str:
    """The plugin is the repository: what it holds can be installed."""
    import shlex

    above = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    has_source = os.path.isfile(os.path.join(above, 'pyproject.toml'))
    return f'pipx install {shlex.quote(above) if has_source else NAME}'


def _refuse(event: str, file: str) -> int:
    import json

    text = (
        f'CLD014 {file} governs this project, and Interlock is not '
        f'installed, so nothing was passed\nnext: {_install()}'
    )
    answer: dict[str, object] = {'decision': 'block', 'reason': text}
    if event != 'ConfigChange':
        answer = {
            'hookSpecificOutput': {
                'hookEventName': 'PreToolUse',
                'permissionDecision': 'deny',
                'permissionDecisionReason': text,
            }
        }
    sys.stdout.write(f'{json.dumps(answer)}\n')
    sys.stderr.write(f'{text}\n')
    return REFUSED


def main() -> int:
    event = sys.argv[1] if len(sys.argv) > 1 else ''
    _become(event)
    file = _governed(_directories())
    return _refuse(event, file) if file and event in GUARDS else 0


if __name__ == '__main__':
    raise SystemExit(main())
