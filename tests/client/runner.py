"""Starts the real client, offline, against a scripted model."""

from __future__ import annotations

import pickle
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.client.inside import Job
from tests.client.kits import CLAUDE, INSTALLED, NODE, ROOT, Kit
from tests.client.script import Script
from tests.client.seen import Outcome, Seen

SCRIPTS = INSTALLED / 'venv/bin'
NAMESPACE = ('unshare', '--net', '--pid', '--fork', '--kill-child', '--mount-proc')
PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
MODES = {
    'bypass': ('--dangerously-skip-permissions',),
    'accept': (
        '--permission-mode',
        'acceptEdits',
        '--allowedTools',
        'Bash,Read,Edit,Write,NotebookEdit,Agent',
    ),
    'none': (),
}
WHOLE = Outcome(code=0, killed=False, left={}, over=[])
GITCONFIG = """\
[user]
	name = Zoë Test
	email = zoe@example.invalid
[init]
	defaultBranch = main
"""


def environment(home: Path, short: Path) -> dict[str, str]:
    """All that the client and its hooks have."""
    return {
        'HOME': str(home),
        # scripts of a client look for `node`
        'PATH': f'{SCRIPTS}:{Path(NODE).parent}:{PATH}',
        'LANG': 'C.UTF-8',
        'XDG_CACHE_HOME': f'{home}/.cache',
        'XDG_CONFIG_HOME': f'{home}/.config',
        'XDG_DATA_HOME': f'{home}/.data',
        'XDG_STATE_HOME': f'{home}/.state',
        'XDG_RUNTIME_DIR': str(short),
        'TMPDIR': str(short),
        'GIT_CONFIG_NOSYSTEM': '1',
        'NO_COLOR': '1',
    }


def _start(job: Job) -> None:
    process = subprocess.run(
        (*NAMESPACE, sys.executable, '-m', 'tests.client.inside'),
        cwd=ROOT,
        input=pickle.dumps(job),
        capture_output=True,
        timeout=job.limit + 20,
    )
    assert process.returncode == 0, process.stderr.decode()


class Client:
    """The client in a project; its home is kept from run to run."""

    def __init__(
        self, project: Path, top: Path, kit: Kit = CLAUDE, *others: Kit
    ) -> None:
        """`others` are started by it, or beside it."""
        self.project = project
        self.kit = kit
        kits = (kit, *others)
        self.environ = {
            name: each.environ[name] for each in kits for name in each.environ
        }
        self.top = top
        self.home = top / 'home'
        self._runs = 0
        self.home.mkdir(parents=True)
        # a login shell begins with another PATH
        profile = f'PATH={SCRIPTS}:{PATH}\n'
        files = {'.gitconfig': GITCONFIG, '.profile': profile}
        for each in kits:
            files |= each.home
        for name, text in files.items():
            file = self.home / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text.replace('PROJECT', str(project)))

    def _command(
        self, turns: Sequence[str], mode: str, args: Sequence[str], out: Path
    ) -> tuple[str, ...]:
        kit = self.kit
        start = (NODE,) if kit.program.suffix == '.js' else ()
        command = (*start, str(kit.program), *kit.command)
        if kit.talks:
            debug = ('--debug-file', str(out / 'debug.log'))
            return (*command, *MODES[mode], *args, *debug)
        return (*command, *turns, *args)

    def play(
        self,
        script: Script,
        *,
        turns: Sequence[str] = ('go',),
        mode: str = 'bypass',
        args: Sequence[str] = (),
        environ: Mapping[str, str] | None = None,
        limit: float = 120,
        whole: bool = True,
        line: str = '',
    ) -> Seen:
        """`whole`: it ends well, and the script is played to its end; `line`: of a
        shell, instead of the client alone."""
        self._runs += 1
        out = self.top / f'run-{self._runs}'
        out.mkdir()
        # short, because sockets are put there: a path of at most 107 bytes
        short = Path(tempfile.mkdtemp(prefix='c-', dir='/tmp'))
        try:
            _start(
                Job(
                    script,
                    ('sh', '-c', line)
                    if line
                    else self._command(turns, mode, args, out),
                    {
                        **environment(self.home, short),
                        **self.environ,
                        **(
                            {'CLAUDE_CODE_TMPDIR': str(short)} if self.kit.talks else {}
                        ),
                        **(environ or {}),
                    },
                    self.project,
                    tuple(turns) if self.kit.talks and not line else (),
                    limit,
                    out,
                )
            )
        finally:
            shutil.rmtree(short)
        seen = Seen(out)
        if whole:
            assert seen.outcome == WHOLE, f'{seen.outcome}\n{seen.stderr}'
        return seen
