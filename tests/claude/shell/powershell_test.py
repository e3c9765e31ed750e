from __future__ import annotations

import pytest

from interlock.claude.shell.effects import Git
from interlock.claude.shell.effects import Poses
from interlock.claude.shell.effects import Removes
from interlock.claude.shell.effects import Runs
from interlock.claude.shell.effects import Skips
from interlock.claude.shell.effects import Unknown
from interlock.claude.shell.effects import Writes
from interlock.claude.shell.powershell import read_powershell
from tests.claude.shell.cases import Case
from tests.claude.shell.cases import case
from tests.claude.shell.cases import CWD
from tests.claude.shell.cases import ENVIRON
from tests.claude.shell.cases import shown

GONE = Removes('/p/a/b.json', 'remove-item', recursive=True)
CODE = Poses('CLAUDECODE', '$env:')

REFUSED = (
    case('removed', 'Remove-Item -Force .\\a\\b.json', GONE),
    case('by name', "remove-item -Path 'a/b.json' -Recurse", GONE),
    case('in a block', 'if (Test-Path a) { Remove-Item a/b.json }', GONE),
    case('after a pipe', 'Get-Item a | Remove-Item a/b.json', GONE),
    case('del', 'del x', Removes('/p/x', 'del', recursive=True)),
    case('two', 'rm x, y', *(
        Removes(f'/p/{name}', 'rm', recursive=True) for name in 'xy'
    )),
    case('written', 'Set-Content -Path x -Value "a > b"', Writes(
        '/p/x', 'set-content',
    )),
    case('out-file', '"a" | Out-File -FilePath x', Writes('/p/x', 'out-file')),
    case('redirected', 'Get-Date > x', Writes('/p/x', '>')),
    case('added', 'Get-Date >> x', Writes('/p/x', '>>')),
    case('errors', 'a 2> x', Writes('/p/x', '>')),
    case('new', 'New-Item -ItemType File -Path x', Writes('/p/x', 'new-item')),
    case('moved', 'Move-Item x y', Removes('/p/x', 'move-item', True), Writes(
        '/p/y', 'move-item', recursive=True,
    )),
    case('copied', 'Copy-Item x -Destination y', Writes(
        '/p/y', 'copy-item', recursive=True,
    )),
    case('elsewhere', 'cd a; del x', Removes('/p/a/x', 'del', True)),
    case('hooks', 'git commit -n -m x', Skips('git commit -n')),
    case('called', '& git commit --no-verify', Skips(
        'git commit --no-verify',
    )),
    case('kept', '$x = git commit -n', Skips('git commit -n')),
    case('program', 'git.exe commit -n', Skips('git commit -n')),
    case('bash', "bash -c 'git commit -n'", Skips('git commit -n')),
    case('variable', '$env:CLAUDECODE = ""', CODE),
    case('no blanks', '$env:CLAUDECODE=$null; git commit', CODE),
    case('variable removed', 'Remove-Item Env:CLAUDECODE', Poses(
        'CLAUDECODE', 'remove-item',
    )),
    case('SKIP', '$env:SKIP = "interlock"', Skips('SKIP=interlock')),
    case('expression', 'iex $x', Unknown('`iex` runs `**`')),
    case('literal', "Invoke-Expression 'del x'", Removes(
        '/p/x', 'del', True,
    )),
    case('encoded', 'powershell -EncodedCommand abc', Unknown(
        '`powershell` runs what cannot be read here',
    )),
    case('in a shell', 'pwsh -Command "del x"', Removes('/p/x', 'del', True)),
    case('cmd', 'cmd /c "del x"', Removes('/p/x', 'del', True)),
    case('of a variable', '& $x y', Unknown('the command is `**`')),
    case('.NET', "[IO.File]::Delete('x')", Unknown(
        '`[io.file]::delete` is a call of .NET',
    )),
    case('unknown file', 'del $x', Unknown('`del` removes `**`')),
)
INNOCENT = (
    case('message', "git commit -m 'del x; --no-verify'"),
    case('message with a variable', 'git commit -m "$x > y"'),
    case('here-string', "git commit -m @'\ndel x > y\n'@"),
    case('comment', 'git status # del x > y'),
    case('listing', 'Get-ChildItem -Recurse | Where-Object { $_.Name -eq 1 }'),
    case('printed', 'Write-Output "del x"'),
    case('numbers', '$x = 5; $y = "a"'),
    case('quiet', 'git status 2>&1'),
    case('nowhere', 'git status > $null'),
    case('read', '$env:PATH; $env:CLAUDECODE'),
    case('test', 'npm test; if ($?) { npm run build }'),
)


def told(command: str) -> list[str]:
    return shown([
        effect for effect in read_powershell(command, CWD, ENVIRON)
        if not isinstance(effect, Git | Runs)
    ])


@pytest.mark.parametrize(
    'each', [pytest.param(each, id=each.name) for each in REFUSED],
)
def test_a_command_that_is_told(each: Case) -> None:
    assert told(each.command) == shown(each.effects)


@pytest.mark.parametrize(
    'each', [pytest.param(each, id=each.name) for each in INNOCENT],
)
def test_a_command_that_is_innocent(each: Case) -> None:
    assert told(each.command) == []
