from __future__ import annotations

import os
import re
import shutil
import subprocess

import pytest

from interlock.rules.index import RULES
from tests.commands.terminal import shown
from tests.conftest import SCRIPTS, Interlock, Repo
from tests.spaces import TASK, Space

TABLE = """\
| Feature | State |
|---|---|
| Login (web) | Planned |
| Import/Export | Building |
| API: tokens | Review |
| Search, filters | Planned |
| 👩\u200d💻 Editor | Shipped |
| What's new? | Planned |
| C# "b" 50% | Planned |
"""
NAMES = re.findall('(?m)^[|] (?!Feature)(.*?) [|]', TABLE)


def completion(instruction: str, **environ: str) -> list[str]:
    process = subprocess.run(
        (str(SCRIPTS / 'interlock'),),
        env={**os.environ, '_INTERLOCK_COMPLETE': instruction, **environ},
        capture_output=True,
        text=True,
    )
    assert process.returncode == 0, process.stderr
    return [line for line in process.stdout.splitlines() if line]


def completed(line: str) -> list[str]:
    """The words that bash is offered for the last one of a line."""
    lines = completion(
        'bash_complete', COMP_WORDS=line, COMP_CWORD=re.split('[ :=]', line)[-1]
    )
    return [line.removeprefix('plain,') for line in lines]


@pytest.mark.parametrize('shell', ('bash', 'zsh', 'fish'))
def test_a_shell_gets_its_completion(shell: str) -> None:
    script = '\n'.join(completion(f'{shell}_source'))
    assert f'_INTERLOCK_COMPLETE={shell}_complete' in script
    assert 'interlock' in script


@pytest.mark.parametrize(
    ('words', 'expected'),
    (
        pytest.param(
            'interlock explain RE',
            [code for code in RULES if code.startswith('RE')],
            id='a code',
        ),
        pytest.param(
            'interlock explain hnd00',
            [code for code in RULES if code.startswith('HND00')],
            id='a code in lower case',
        ),
        pytest.param('interlock explain ZZ', [], id='no such code'),
        pytest.param('interlock che', ['check', 'checkpoint'], id='a command'),
        pytest.param('interlock registry m', ['may'], id='a subcommand'),
        pytest.param('interlock check --only re', ['registry'], id='a check'),
        pytest.param('interlock check --format j', ['json', 'junit'], id='a format'),
        pytest.param('interlock check --wo', ['--worktree'], id='an option'),
    ),
)
def test_words_are_completed(words: str, expected: list[str]) -> None:
    assert completed(words) == expected


@pytest.fixture
def table(repo: Repo, interlock: Interlock) -> Repo:
    repo.commit({'FEATURES.md': TABLE})
    assert interlock('init').code == 0
    return repo


@pytest.mark.parametrize(
    ('words', 'expected'),
    (
        pytest.param(
            'interlock registry set-status ',
            [
                *(r'Login\ \(web\)', 'Import/Export', r'API:\ tokens'),
                *(r'Search,\ filters', '👩\u200d💻\\ Editor', r'What\'s\ new\?'),
                r'C\#\ \"b\"\ 50%',
            ],
            id='items',
        ),
        pytest.param('interlock registry may lo', [r'Login\ \(web\)'], id='small'),
        pytest.param(
            'interlock registry may feature:', [], id='one kind has no need of a name'
        ),
        pytest.param('interlock registry add ', [], id='a new item'),
        pytest.param('interlock registry show API:', [r'\ tokens'], id='a colon'),
        pytest.param(
            'interlock registry may Import/Export ',
            ['Review', 'Planned', 'Building', 'Shipped'],
            id='what may follow comes first',
        ),
        pytest.param(
            'interlock registry may "Login (web)" B', ['Building'], id='in quotes'
        ),
        pytest.param('interlock registry may nothing S', ['Shipped'], id='unknown'),
        pytest.param(
            'interlock config explain registry.columns.s',
            ['registry.columns.status'],
            id='the end of a key',
        ),
    ),
)
def test_items_and_states_are_completed(
    table: Repo, words: str, expected: list[str]
) -> None:
    assert completed(words) == expected


@pytest.mark.parametrize(
    ('words', 'expected'),
    (
        pytest.param('interlock commit-stage Br', ['Bravo'], id='an item'),
        pytest.param(
            'interlock commit-stage Bravo ', [*'0123456'], id='the stages of an item'
        ),
        pytest.param(
            'interlock handoff update Bravo --set gui', ['gui_type='], id='field'
        ),
        pytest.param(
            'interlock handoff update Bravo --set gui_type=w', ['webview'], id='value'
        ),
        pytest.param('interlock evidence add Bravo --stage 3', ['3'], id='option'),
    ),
)
def test_stages_and_fields_are_completed(
    project: Repo, words: str, expected: list[str]
) -> None:
    assert completed(words) == expected


def test_tasks_are_completed(space: Space) -> None:
    (space.tasks / 'unlisted').mkdir()
    assert completed('interlock present unl') == ['unlisted']
    assert completed(f'interlock task start {TASK[:5]}') == [TASK]
    assert 'IMPLEMENTATION' in completed(f'interlock transition {TASK} I')


def test_nothing_is_completed_where_nothing_governs(repo: Repo) -> None:
    assert completed('interlock registry show ') == []
    repo.write({'.interlock.yaml': 'version: 7\n'})
    assert completed('interlock registry show ') == []


@pytest.mark.skipif(not shutil.which('bash'), reason='there is no bash')
def test_a_real_bash_completes_what_is_typed(table: Repo) -> None:
    """Each line is completed by the tabulator, and runs as it is then."""
    starts = ['Lo', "'Log", 'Imp', 'AP', 'API:', 'Sea', '"Sea', '👩', 'Wh', 'C']
    script = '. <(interlock completion show --shell bash); PS1=; cd "$OLDPWD"\n'
    (table.path / 'rc').write_text(script)
    keys = ''.join(f'interlock registry show {start}\t\n' for start in starts)
    result = shown(
        ('bash', '--rcfile', str(table.path / 'rc'), '-i'),
        {
            **os.environ,
            'OLDPWD': os.getcwd(),
            'PATH': f'{SCRIPTS}:{os.environ["PATH"]}',
        },
        f'{keys}exit\n',
    )
    seen = re.findall('(?m)^(\\S.*?) +(?:Planned|Building|Review|Shipped)$', result.out)
    first = [
        'Login (web)',
        'Login (web)',
        'Import/Export',
        'API: tokens',
        'API: tokens',
    ]
    assert seen == [*first, 'Search, filters', 'Search, filters', *NAMES[4:]], (
        result.out
    )
