"""Commands that change who acts."""

from __future__ import annotations

from interlock.guard.shell.effects import Poses
from tests.guard.shell.cases import case

CASES = (
    case('env -u', 'env -u CLAUDECODE git commit', Poses('CLAUDECODE', 'env -u')),
    case(
        'env --unset',
        'env --unset=CLAUDECODE git commit',
        Poses('CLAUDECODE', 'env -u'),
    ),
    case(
        'two of them',
        'env -uCLAUDECODE -u CLAUDE_CODE_SESSION_ID x',
        *(Poses(name, 'env -u') for name in ('CLAUDECODE', 'CLAUDE_CODE_SESSION_ID')),
    ),
    case('env -i', 'env -i git commit', Poses('CLAUDECODE', 'env -i')),
    case('env -', 'env - PATH=/usr/bin git commit', Poses('CLAUDECODE', 'env -i')),
    case('env -i of ours', 'env -i interlock approve x', Poses('CLAUDECODE', 'env -i')),
    case(
        'env', 'env INTERLOCK_SESSION=x git commit', Poses('INTERLOCK_SESSION', 'env')
    ),
    case(
        'for a command',
        'INTERLOCK_SESSION=x git commit',
        Poses('INTERLOCK_SESSION', 'INTERLOCK_SESSION='),
    ),
    case('emptied', 'CLAUDECODE= git commit', Poses('CLAUDECODE', 'CLAUDECODE=')),
    case(
        'for the shell', 'CLAUDECODE=; git commit', Poses('CLAUDECODE', 'CLAUDECODE=')
    ),
    case('unset', 'unset CLAUDECODE; git commit', Poses('CLAUDECODE', 'unset')),
    case(
        'unset -v',
        'unset -v CLAUDE_CODE_SESSION_ID',
        Poses('CLAUDE_CODE_SESSION_ID', 'unset'),
    ),
    case('export', 'export INTERLOCK_CONFIG=x', Poses('INTERLOCK_CONFIG', 'export')),
    case('export -n', 'export -n CLAUDECODE', Poses('CLAUDECODE', 'export -n')),
    case(
        'declare -x',
        'declare -x CLAUDE_CODE_SESSION_ID=x',
        Poses('CLAUDE_CODE_SESSION_ID', 'declare'),
    ),
    case('typeset +x', 'typeset +x CLAUDECODE', Poses('CLAUDECODE', 'typeset +x')),
    case('readonly', 'readonly INTERLOCK_X=1', Poses('INTERLOCK_X', 'readonly')),
    case(
        'in a subshell', '(unset CLAUDECODE; git commit)', Poses('CLAUDECODE', 'unset')
    ),
    case('by eval', "eval 'unset CLAUDECODE'", Poses('CLAUDECODE', 'unset')),
    case('name in a variable', 'x=CLAUDECODE; unset $x', Poses('CLAUDECODE', 'unset')),
    case('assignment quoted', "export 'CLAUDECODE=2'", Poses('CLAUDECODE', 'export')),
    case('sudo', 'sudo git commit -m x', Poses('CLAUDECODE', 'sudo')),
    case('sudo -u', 'sudo -u bob git commit -m x', Poses('CLAUDECODE', 'sudo')),
    case('sudo sets', 'sudo -E CLAUDECODE=0 git status', Poses('CLAUDECODE', 'sudo')),
    case('su', "su bob -c 'git commit -m x'", Poses('CLAUDECODE', 'su')),
    case(
        'systemd-run',
        'systemd-run --user git commit -m x',
        Poses('CLAUDECODE', 'systemd-run'),
    ),
    case('at', "echo 'git commit -m x' | at now", Poses('CLAUDECODE', 'at')),
    case(
        'ssh', "ssh me@localhost 'cd /p && git commit -m x'", Poses('CLAUDECODE', 'ssh')
    ),
)
