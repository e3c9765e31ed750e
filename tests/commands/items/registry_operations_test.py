from __future__ import annotations

import datetime
import json
import os
import re
import resource
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.commands.click_options import run
from interlock.commands.group import cli
from interlock.files.disk_snapshot import SteadySnapshot
from interlock.operations import advance as status_operation
from interlock.project import project as projects
from interlock.transactions.journal import Journal
from tests import samples
from tests.checks import trees
from tests.conftest import SCRIPTS, Interlock, Repo
from tests.profiles import some

DAY = '2026-03-04'
KILLED = 77

KNOWN = ', '.join(trees.workflow().kinds[0].states)


@pytest.fixture(autouse=True)
def day(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(projects, 'today', lambda: DAY)


@pytest.fixture
def board(repo: Repo) -> Repo:
    repo.commit(
        {
            '.interlock.yaml': samples.UNTRIED,
            'PLUGINS.md': samples.registry(
                {'Idée': 'Ideated', 'Deux': 'Stage 2', 'Fini': 'Working'}
            ),
            **samples.item_files('Deux'),
            **samples.item_files('Fini'),
            samples.handoff_path('Fini'): samples.handoff('Fini', '5'),
        }
    )
    return repo


def registry_of(repo: Repo) -> str:
    return (repo.path / 'PLUGINS.md').read_bytes().decode()


def untouched(repo: Repo) -> bool:
    return repo.git('status', '--porcelain') == ''


@pytest.mark.parametrize(
    ('status', 'line'),
    (
        pytest.param(
            'Stage 4',
            '{ "emoji": "🚧", "stage": "4", "text": "🚧 Stage 4" }',
            id='in progress',
        ),
        pytest.param(
            'Stage 4.1',
            '{ "emoji": "🚧", "stage": "4.1", "text": "🚧 Stage 4.1" }',
            id='phased',
        ),
        pytest.param(
            'Working', '{ "emoji": "✅", "text": "✅ Working" }', id='completed'
        ),
        pytest.param(
            'Installed', '{ "emoji": "📦", "text": "📦 Installed" }', id='installed'
        ),
    ),
)
def test_a_status_for_scripts(
    repo: Repo, interlock: Interlock, status: str, line: str
) -> None:
    repo.commit(
        {
            '.interlock.yaml': samples.UNTRIED,
            'PLUGINS.md': samples.registry({'Écho': status}),
        }
    )
    result = interlock('registry', 'show', 'Écho', '--format', 'json')
    assert (result.out, result.err, result.code) == (f'{line}\n', '', 0)


def test_all_items_as_a_table(board: Repo, interlock: Interlock) -> None:
    result = interlock('registry', 'show')
    assert [line.split() for line in result.out.splitlines()] == [
        ['Idée', '💡', 'Ideated', '2026-01-02'],
        ['Deux', '🚧', 'Stage', '2', '2026-01-02'],
        ['Fini', '✅', 'Working', '2026-01-02'],
    ]
    result = interlock('registry', 'show', '--format', 'json')
    assert result.out.splitlines()[1] == (
        '{ "item": "Deux", "emoji": "🚧", "stage": "2", "text": "🚧 Stage 2" }'
    )


def test_a_status_is_shown_with_the_drift_of_its_row(
    board: Repo, interlock: Interlock
) -> None:
    board.write(
        {'PLUGINS.md': samples.registry({'Deux': 'Stage 2'}, {'Deux': 'Stage 1'})}
    )
    result = interlock('registry', 'show', 'Deux', '--format', 'json')
    assert result.out == ('{ "emoji": "🚧", "stage": "2", "text": "🚧 Stage 2" }\n')
    assert result.err == (
        'Deux: the row says `🚧 Stage 1`, the entry `🚧 **Stage 2**`; '
        'next: interlock registry sync Deux\n'
    )
    assert result.code == 2


@pytest.mark.parametrize(
    ('args', 'code', 'sentence'),
    (
        pytest.param(
            ('set-status', 'Duex', 'Stage 3'),
            2,
            'there is no item `Duex`; did you mean `Deux`?',
            id='item',
        ),
        pytest.param(
            ('set-status', '../x', 'Stage 3'),
            2,
            "'../x' cannot be the name of an item",
            id='path',
        ),
        pytest.param(
            ('set-status', 'Deux', 'Wroking'), 2, 'did you mean `Working`?', id='status'
        ),
        pytest.param(
            ('set-status', 'Deux', 'Stage 3 (so)'),
            2,
            '`Stage 3 (so)` is not a status',
            id='an annotation where none may be',
        ),
        pytest.param(
            ('set-status', 'Deux', 'Stage 2.1'),
            2,
            f'`Stage 2.1` is not a status of the workflow; there are {KNOWN}; did you mean `Stage 2`?',
            id='no phases',
        ),
        pytest.param(
            ('set-status', 'Deux', 'Stage 4'),
            1,
            'Deux may not go from Stage 2 to Stage 4: after Stage 2 comes '
            'Stage 3\n    next: interlock menu Deux\n',
            id='illegal',
        ),
        pytest.param(
            ('set-status', 'Idée', 'Stage 1'),
            1,
            'plugins/Idée/.ideas/creative-brief.md is missing',
            id='gate',
        ),
        pytest.param(
            ('set-status', 'Deux', 'Stage 4', '--force'),
            2,
            'No such option',
            id='force',
        ),
        pytest.param(
            ('set-status', 'Deux', 'Stage 3', '--text', 'a\nb'),
            2,
            'in one line',
            id='two lines',
        ),
        pytest.param(
            ('set-status', 'Deux', 'Stage 3', '--wait', '-1'),
            2,
            '-1',
            id='a wait below zero',
        ),
        pytest.param(('timeline', 'Deux', ''), 2, 'needs a text', id='empty line'),
        pytest.param(
            ('timeline', 'Dieux', 'x'),
            2,
            'did you mean `Deux`?',
            id='timeline of nobody',
        ),
        pytest.param(('sync', 'Dexu'), 2, 'did you mean `Deux`?', id='sync of nobody'),
        pytest.param(('show', 'Dexu'), 2, 'did you mean `Deux`?', id='show nobody'),
        pytest.param(
            ('add', 'Deux', '--type', 'Synth'),
            1,
            'Deux is already registered',
            id='add again',
        ),
        pytest.param(
            ('add', 'Neu', '--type', 'Sinth'), 2, 'did you mean `Synth`?', id='type'
        ),
        pytest.param(('add', 'Neu'), 2, '--type', id='no type'),
        pytest.param(
            ('add', 'Neu', '--type', 'Synth', '--kind', 'task'),
            2,
            'no kind `task` has a registry',
            id='kind',
        ),
        pytest.param(
            ('add', 'a/b', '--type', 'Synth'),
            2,
            "'a/b' cannot be the name of an item",
            id='name',
        ),
    ),
)
def test_what_makes_no_sense_is_refused_and_changes_nothing(
    board: Repo, interlock: Interlock, args: tuple[str, ...], code: int, sentence: str
) -> None:
    result = interlock('registry', *args)
    assert sentence in result.err
    assert result.code == code
    assert untouched(board)


@pytest.mark.parametrize(
    ('args', 'said', 'lines'),
    (
        pytest.param(
            ('set-status', 'Deux', 'Stage 3', '--text', 'Größe'),
            'Deux: Stage 2 -> Stage 3\n',
            [
                '| Deux | 🚧 Stage 3 | - | 2026-03-04 |',
                '**Status:** 🚧 **Stage 3**',
                '- **2026-03-04 (Stage 3):** Größe',
                '**Last Updated:** 2026-03-04',
            ],
            id='set-status',
        ),
        pytest.param(
            ('timeline', 'Deux', 'Réglé'),
            'Deux: timeline extended\n',
            [
                '| Deux | 🚧 Stage 2 | - | 2026-03-04 |',
                '- **2026-03-04:** Réglé',
                '**Last Updated:** 2026-03-04',
            ],
            id='timeline',
        ),
        pytest.param(
            ('timeline', 'Deux', 'Réglé', '--about', 'Stage 2'),
            'Deux: timeline extended\n',
            [
                '| Deux | 🚧 Stage 2 | - | 2026-03-04 |',
                '- **2026-03-04 (Stage 2):** Réglé',
                '**Last Updated:** 2026-03-04',
            ],
            id='timeline of a stage',
        ),
        pytest.param(
            ('add', 'Écho', '--type', 'Synth', '--kind', 'plugin'),
            'Écho: registered as Ideated\n',
            [
                '| Écho | 💡 Ideated | - | 2026-03-04 |',
                '### Écho',
                '',
                '**Status:** 💡 Ideated',
                '**Type:** Synth',
                '**Created:** 2026-03-04',
                '',
                'No description yet.',
                '',
                '**Lifecycle Timeline:**',
                '- **2026-03-04:** Registered',
                '',
                '**Last Updated:** 2026-03-04',
                '',
            ],
            id='add',
        ),
        pytest.param(
            ('sync',), 'PLUGINS.md: rows and entries agree\n', [], id='sync all'
        ),
        pytest.param(('sync', 'Deux'), 'Deux: row and entry agree\n', [], id='sync'),
    ),
)
def test_a_diff_shows_only_the_changed_lines(
    board: Repo,
    interlock: Interlock,
    args: tuple[str, ...],
    said: str,
    lines: list[str],
) -> None:
    result = interlock('registry', *args)
    assert (result.out, result.err, result.code) == ('', said, 0)
    diff = board.git('diff', '-U0', '--minimal').splitlines()
    added = [line[1:] for line in diff if re.match(r'\+(?!\+\+)', line)]
    gone = [line for line in diff if re.match(r'-(?!--)', line)]
    assert sorted(added) == sorted(lines)
    assert len(gone) == sum(
        args[0] != 'add' and not line.startswith('- ') for line in lines
    )


def test_one_row_or_all_are_brought_in_line(board: Repo, interlock: Interlock) -> None:
    right = {'A': 'Stage 2', 'B': 'Working', 'C': 'Installed'}
    wrong = {'A': 'Ideated', 'B': 'Stage 5'}
    board.write({'PLUGINS.md': samples.registry(right, wrong)})
    assert interlock('registry', 'sync', 'A').err == ('A: row brought in line\n')
    assert registry_of(board) == samples.registry(right, {'B': 'Stage 5'})
    result = interlock('registry', 'sync')
    assert result.err == 'PLUGINS.md: 1 of its rows brought in line\n'
    assert registry_of(board) == samples.registry(right)


def test_installed_deletes_the_handoff_in_the_same_operation(
    board: Repo, interlock: Interlock
) -> None:
    result = interlock('registry', 'set-status', 'Fini', 'Installed')
    assert result.code == 0
    assert result.err == (
        'Fini: Working -> Installed\nplugins/Fini/.continue-here.md: deleted\n'
    )
    assert board.git('status', '--porcelain').split() == [
        'M',
        'PLUGINS.md',
        'D',
        'plugins/Fini/.continue-here.md',
    ]
    assert (
        '- **2026-03-04:** Installed to system folders; handoff deleted\n'
    ) in registry_of(board)
    assert interlock.check('--worktree').codes == []


def test_a_warning_does_not_stop_the_change(board: Repo, interlock: Interlock) -> None:
    result = interlock('registry', 'set-status', 'Deux', 'Ideated')
    assert result.code == 0
    assert result.err == (
        'interlock: warning: this resets the item; say why in the message: '
        '`Reset-Reason: WHY`\nDeux: Stage 2 -> Ideated\n'
    )


def test_an_illegal_edit_is_undone_by_the_status_of_the_last_commit(
    board: Repo, interlock: Interlock
) -> None:
    """However far it went, and without a line in the timeline."""
    before = (board.path / 'PLUGINS.md').read_text()
    board.stage({'PLUGINS.md': before.replace('Stage 2', 'Stage 5')})
    (found,) = json.loads(interlock.check('--staged').out)['findings']
    assert found['code'] == 'STG001'
    assert found['fix']['command'] == "interlock registry set-status Deux 'Stage 2'"
    assert interlock('registry', 'set-status', 'Deux', 'Stage 2').code == 0
    board.git('add', '-A')
    assert interlock.check('--staged').codes == []
    after = (board.path / 'PLUGINS.md').read_text()
    assert after.count('Stage 2') == before.count('Stage 2')


@pytest.mark.parametrize(
    ('content', 'sentence'),
    (
        pytest.param(
            b'# leer\n', 'PLUGINS.md:1: the registry has no table', id='no table'
        ),
        pytest.param(b'a\n\0', 'PLUGINS.md:2: the registry holds a NUL byte', id='NUL'),
        pytest.param(
            samples.HEAD.replace('Version', 'Status').encode(),
            'the registry has 2 columns `Status`',
            id='two columns',
        ),
        pytest.param(
            (
                samples.registry({'Deux': 'Stage 2'}) + samples.entry('Deux', 'Stage 3')
            ).encode(),
            'Deux is registered twice in PLUGINS.md',
            id='twice',
        ),
    ),
)
@pytest.mark.parametrize(
    'args',
    (
        pytest.param(('set-status', 'Deux', 'Stage 3'), id='set-status'),
        pytest.param(('timeline', 'Deux', 'x'), id='timeline'),
        pytest.param(('sync', 'Deux'), id='sync'),
        pytest.param(('show', 'Deux'), id='show'),
    ),
)
def test_an_unreadable_registry_is_named(
    board: Repo,
    interlock: Interlock,
    content: bytes,
    sentence: str,
    args: tuple[str, ...],
) -> None:
    board.write({'PLUGINS.md': content})
    result = interlock('registry', *args)
    assert sentence in result.err
    assert (result.out, result.code) == ('', 2)
    assert (board.path / 'PLUGINS.md').read_bytes() == content


@pytest.mark.parametrize('name', ('PLUGINS.md', samples.handoff_path('Fini')))
def test_a_read_only_file_stays_and_so_does_the_other(
    board: Repo, interlock: Interlock, name: str
) -> None:
    (board.path / name).chmod(0o444)
    result = interlock('registry', 'set-status', 'Fini', 'Installed')
    assert f'{name} is read-only\n    next: chmod u+w' in result.err
    assert result.code == 2
    (board.path / name).chmod(0o644)
    assert untouched(board)


def temporaries(repo: Repo) -> list[Path]:
    """What an operation should not leave behind."""
    return [
        *repo.path.rglob('.interlock-*'),
        *(repo.path / '.git/interlock/journal').glob('*-*'),
    ]


def in_child(action: Callable[[], int]) -> int:
    """The exit code of an action in a process of its own."""
    pid = os.fork()
    if pid == 0:
        try:
            os._exit(action())
        except BaseException:
            os._exit(3)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


@pytest.mark.parametrize('limit', (0, 10, 600))
def test_a_full_disk_leaves_the_old_bytes(board: Repo, limit: int) -> None:
    process = subprocess.run(
        (str(SCRIPTS / 'interlock'), 'registry', 'set-status', 'Fini', 'Installed'),
        cwd=board.path,
        text=True,
        capture_output=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )
    assert 'cannot be written: File too large' in process.stderr
    assert process.returncode == 2
    assert untouched(board)
    assert not temporaries(board)


@pytest.mark.parametrize(
    ('meanwhile', 'sentence'),
    (
        pytest.param(
            {'PLUGINS.md': '# autre\n'},
            'PLUGINS.md changed while it was read',
            id='edited',
        ),
        pytest.param(
            {'PLUGINS.md': None}, 'PLUGINS.md changed while it was read', id='gone'
        ),
        pytest.param(
            {samples.handoff_path('Fini'): '---\n---\nneu\n'},
            '.continue-here.md changed while it was read',
            id='the handoff',
        ),
    ),
)
def test_what_others_write_meanwhile_is_not_lost(
    board: Repo,
    interlock: Interlock,
    monkeypatch: pytest.MonkeyPatch,
    meanwhile: dict[str, str | bytes | None],
    sentence: str,
) -> None:
    real = status_operation.set_status

    def slow(*args: Any) -> Any:
        outcome = real(*args)
        board.write(meanwhile)
        return outcome

    monkeypatch.setattr(status_operation, 'set_status', slow)
    result = interlock('registry', 'set-status', 'Fini', 'Installed')
    assert f'{sentence}\n    next: run this again' in result.err
    assert result.code == 2
    changed = board.git('diff', '--name-only').split()
    assert changed == list(meanwhile)
    assert not temporaries(board)


def test_an_edit_is_made_of_what_was_read_first(board: Repo) -> None:
    snapshot = SteadySnapshot(str(board.path))
    first = snapshot.blob('PLUGINS.md')
    board.write({'PLUGINS.md': '# autre\n'})
    assert snapshot.blob('PLUGINS.md') is first


def test_outside_a_repository_the_files_change_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, interlock: Interlock
) -> None:
    place = Repo(tmp_path / 'lose')
    place.write(
        {
            '.interlock.yaml': samples.UNTRIED,
            'PLUGINS.md': samples.registry(
                {'Deux': 'Stage 2', 'Fini': 'Working'}, {'Fini': 'Stage 5'}
            ),
        }
    )
    (place.path / 'tief').mkdir()
    monkeypatch.chdir(place.path / 'tief')
    result = interlock('registry', 'set-status', 'Deux', 'Stage 3')
    assert result.code == 0
    assert result.err.startswith(
        'Deux: Stage 2 -> Stage 3\ninterlock: nothing is committed: '
    )
    assert '| Deux | 🚧 Stage 3 | - | 2026-03-04 |\n' in registry_of(place)
    assert interlock('registry', 'show', 'Deux').code == 0
    result = interlock('registry', 'sync')
    assert result.err.startswith('PLUGINS.md: 1 of its rows brought in line\n')
    result = interlock('registry', 'sync')
    assert 'nothing is committed' not in result.err
    assert sorted(os.listdir(place.path)) == ['.interlock.yaml', 'PLUGINS.md', 'tief']


def test_without_git_the_files_change_all_the_same(
    board: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv('PATH', str(tmp_path))
    result = interlock('registry', 'set-status', 'Fini', 'Installed')
    assert result.code == 0
    assert 'interlock: nothing is committed: ' in result.err
    assert '| Fini | 📦 Installed | - | 2026-03-04 |\n' in registry_of(board)
    assert not (board.path / samples.handoff_path('Fini')).exists()


def test_without_a_workflow_nothing_changes(repo: Repo, interlock: Interlock) -> None:
    result = interlock('registry', 'set-status', 'Deux', 'Stage 3')
    assert result.code == 2
    assert 'next: interlock init' in result.err


def dying(name: str, number: int) -> None:
    """This process ends before a call of a function of the system."""
    real = getattr(os, name)
    calls = 0

    def call(*args: Any, **kwargs: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == number:
            os._exit(KILLED)
        return real(*args, **kwargs)

    setattr(os, name, call)


def test_no_entry_is_made_of_a_row_that_says_nothing(
    repo: Repo, interlock: Interlock
) -> None:
    text = samples.registry({'Alpha': 'Ideated', 'Écho': 'Stage 2'})
    text = text.replace(samples.entry('Écho', 'Stage 2'), '').replace(
        samples.row('Écho', 'Stage 2'),
        samples.row('Écho', 'Stage 2').replace('🚧 Stage 2', ''),
    )
    repo.commit({'.interlock.yaml': samples.WORKFLOW, 'PLUGINS.md': text})
    result = interlock('registry', 'sync', 'Écho')
    assert result.code == 2
    assert 'the row of Écho has no status, so no entry can be' in result.err
    assert 'next: correct the file by hand: PLUGINS.md:' in result.err


@pytest.mark.parametrize('name', ('replace', 'fsync', 'unlink'))
def test_killed_at_any_call_row_entry_and_handoff_agree(
    board: Repo, interlock: Interlock, name: str
) -> None:
    # the workflow is in its cache from here on
    assert interlock('registry', 'show').code == 0
    old = registry_of(board)
    handoff = board.path / samples.handoff_path('Fini')
    for number in range(1, 30):
        board.git('checkout', '-q', '.')

        def killed(number: int = number) -> int:
            dying(name, number)
            return run(cli, ['registry', 'set-status', 'Fini', 'Installed'])

        code = in_child(killed)
        shown = interlock('registry', 'show', 'Fini', '--format', 'json')
        assert shown.code == 0
        done = shown.out == '{ "emoji": "📦", "text": "📦 Installed" }\n'
        assert handoff.exists() is not done
        assert (registry_of(board) == old) is not done
        assert not temporaries(board)
        if code != KILLED:
            assert (code, done) == (0, True)
            assert number > 2
            break


def spawn(repo: Repo, *args: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        (str(SCRIPTS / 'interlock'), 'registry', *args),
        cwd=repo.path,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


@pytest.mark.slow
def test_no_update_of_many_processes_is_lost(repo: Repo, interlock: Interlock) -> None:
    items = [f'Écho {number}' for number in range(16)]
    repo.commit(
        {
            '.interlock.yaml': samples.UNTRIED,
            'PLUGINS.md': samples.registry(dict.fromkeys(items, 'Ideated')),
        }
    )
    running = [
        spawn(repo, 'set-status', item, 'Stage 0', '--wait', '120') for item in items
    ]
    for item, process in zip(items, running, strict=True):
        _, err = process.communicate()
        assert err == f'{item}: Ideated -> Stage 0\n'
        assert process.returncode == 0
    text = registry_of(repo)
    assert text.count('| 🚧 Stage 0 |') == len(items)
    assert text.count('**Status:** 🚧 **Stage 0**\n') == len(items)
    assert text.count(':** Research & Planning complete\n') == len(items)
    assert interlock.check('--worktree').codes == []


def test_two_on_one_item_one_after_the_other(board: Repo) -> None:
    running = [
        spawn(board, 'timeline', 'Deux', f'ligne {number}', '--wait', '120')
        for number in range(3)
    ]
    assert [process.wait() for process in running] == [0, 0, 0]
    for process in running:
        process.communicate()
    day = datetime.date.today().isoformat()[:4]
    lines = re.findall(rf'- \*\*{day}-..-..:\*\* (.*)', registry_of(board))
    assert sorted(lines)[-3:] == ['ligne 0', 'ligne 1', 'ligne 2']


@pytest.mark.parametrize(
    'args',
    (
        pytest.param(('set-status', 'Deux', 'Stage 3'), id='set-status'),
        pytest.param(('timeline', 'Deux', 'x'), id='timeline'),
        pytest.param(('add', 'Neu', '--type', 'Synth'), id='add'),
        pytest.param(('sync',), id='sync'),
    ),
)
def test_who_does_not_wait_is_told_that_another_is_at_work(
    board: Repo, interlock: Interlock, args: tuple[str, ...]
) -> None:
    with Journal(str(board.path / '.git')).locked(0):
        result = interlock('registry', *args, '--wait', '0')
        assert 'another command is changing state here' in result.err
        assert 'with a longer --wait' in result.err
        assert result.code == 75
    assert untouched(board)
    assert interlock('registry', *args, '--wait', '0').code == 0


def test_readers_wait_for_each_other(
    board: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    holder = Journal(str(board.path / '.git')).locked(0)
    holder.__enter__()
    monkeypatch.setattr('time.sleep', lambda _: holder.__exit__(None, None, None))
    assert interlock('registry', 'show', 'Deux').code == 0


def test_worktrees_of_one_repository_share_its_lock(
    board: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    board.git('worktree', 'add', '-q', str(tmp_path / 'zwei'))
    monkeypatch.chdir(tmp_path / 'zwei')
    with Journal(str(board.path / '.git')).locked(0):
        result = interlock('registry', 'timeline', 'Deux', 'x', '--wait', '0')
    assert result.code == 75
    assert interlock('registry', 'timeline', 'Deux', 'x').code == 0
    assert untouched(board)


STATUSES = (
    'Ideated',
    'Ideated (très)',
    'Stage 0',
    'Stage 1',
    'Stage 2',
    'Stage 3',
    'Stage 3.1',
    'Processing Audio',
    'Stage 4',
    'Stage 5',
    'Working',
    'Ready to Install',
    'Installed',
    'Improving',
    'Has Issues',
    'Archived',
)
ITEMS = ('Idée', 'Deux', 'Quatre', 'Fini')
steps = st.one_of(
    st.tuples(st.just('set-status'), st.sampled_from(ITEMS), st.sampled_from(STATUSES)),
    st.tuples(
        st.just('timeline'),
        st.sampled_from(ITEMS),
        st.sampled_from(('Größe', '**fett** | <!-- x', '### Titel')),
    ),
    st.tuples(st.just('sync'), st.sampled_from(ITEMS)),
    st.just(('sync',)),
)


def interlocked(path: Path, *args: str) -> int:
    """The command line in another directory."""
    here = os.getcwd()
    os.chdir(path)
    try:
        return run(cli, list(args))
    finally:
        os.chdir(here)


@pytest.mark.slow
@given(st.lists(steps, min_size=1, max_size=5))
@settings(max_examples=some(20), deadline=None, derandomize=True)
def test_no_sequence_of_operations_introduces_an_error(
    sequence: list[tuple[str, ...]],
) -> None:
    with tempfile.TemporaryDirectory() as directory:
        repo = Repo(Path(directory))
        repo.git('init', '-q')
        repo.commit(
            {
                '.interlock.yaml': samples.UNTRIED,
                'PLUGINS.md': samples.registry(
                    {
                        'Idée': 'Ideated',
                        'Deux': 'Stage 2',
                        'Quatre': 'Stage 4',
                        'Fini': 'Working',
                    }
                ),
                samples.handoff_path('Fini'): samples.handoff('Fini', '5'),
                **samples.item_files('Deux'),
                **samples.item_files('Fini'),
            }
        )
        for step in sequence:
            code = interlocked(repo.path, 'registry', *step)
            assert code in {0, 1}
            assert interlocked(repo.path, 'check', '--worktree') == 0
            if code:
                assert untouched(repo)
            else:
                repo.commit({})


def test_the_row_of_a_new_item_gives_its_type(repo: Repo, interlock: Interlock) -> None:
    repo.commit(
        {
            '.interlock.yaml': samples.UNTRIED,
            'PLUGINS.md': (
                '| Plugin Name | Type | Status | Last Updated |\n|---|---|---|---|\n'
            ),
        }
    )
    added = ('registry', 'add', 'Öl', '--type', 'Synth')
    assert interlock(*added).code == 0
    text = (repo.path / 'PLUGINS.md').read_text()
    assert '| Öl          | Synth | 💡 Ideated | ' in text
