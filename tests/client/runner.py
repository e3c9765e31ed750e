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
from tests.client.script import Script
from tests.client.seen import Outcome, Seen
from tests.client.server import PORT

ROOT = Path(__file__).resolve().parents[2]
INSTALLED = ROOT / '.client'
BINARY = INSTALLED / 'node_modules/@anthropic-ai/claude-code-linux-x64/claude'
SCRIPTS = INSTALLED / 'venv/bin'
NAMESPACE = ('unshare', '--net', '--pid', '--fork', '--kill-child', '--mount-proc')
PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
COMMAND = (
    str(BINARY),
    '-p',
    '--verbose',
    '--include-hook-events',
    '--input-format',
    'stream-json',
    '--output-format',
    'stream-json',
)
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
        'PATH': f'{SCRIPTS}:{PATH}',
        'LANG': 'C.UTF-8',
        'XDG_CACHE_HOME': f'{home}/.cache',
        'XDG_CONFIG_HOME': f'{home}/.config',
        'XDG_DATA_HOME': f'{home}/.data',
        'XDG_STATE_HOME': f'{home}/.state',
        'XDG_RUNTIME_DIR': str(short),
        'TMPDIR': str(short),
        'CLAUDE_CODE_TMPDIR': str(short),
        'GIT_CONFIG_NOSYSTEM': '1',
        'ANTHROPIC_API_KEY': 'no-key',
        'ANTHROPIC_BASE_URL': f'http://127.0.0.1:{PORT}',
        'CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC': '1',
        'DISABLE_AUTOUPDATER': '1',
        'DISABLE_TELEMETRY': '1',
        'DISABLE_ERROR_REPORTING': '1',
        # else it refuses to skip permissions as root
        'IS_SANDBOX': '1',
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

    def __init__(self, project: Path, top: Path) -> None:
        self.project = project
        self.top = top
        self.home = top / 'home'
        self._runs = 0
        self.home.mkdir(parents=True)
        (self.home / '.gitconfig').write_text(GITCONFIG)

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
    ) -> Seen:
        """`whole`: it ends well, and the script is played to its end."""
        self._runs += 1
        out = self.top / f'run-{self._runs}'
        out.mkdir()
        # short, because sockets are put there: a path of at most 107 bytes
        short = Path(tempfile.mkdtemp(prefix='c-', dir='/tmp'))
        try:
            _start(
                Job(
                    script,
                    (*COMMAND, *MODES[mode], *args),
                    {**environment(self.home, short), **(environ or {})},
                    self.project,
                    tuple(turns),
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
