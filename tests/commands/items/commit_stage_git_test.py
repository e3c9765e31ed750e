"""commit-stage in all that git can be in the middle of."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from interlock.commands.click_options import WAIT
from interlock.git.git import Git
from interlock.git.git_paths import COMMITTING
from interlock.project import project as projects
from tests import samples
from tests.commands.items import stages
from tests.commands.items.stages import (
    CODE,
    HANDOFF,
    PLAN,
    at_head,
    everything,
    hook,
    text,
)
from tests.conftest import SCRIPTS, Interlock, Repo

END = ('commit-stage', 'Bravo', '3', '-m', 'moteur audio', '-q')
SOURCE = 'plugins/Bravo/Source'
RECORDS = ['M PLUGINS.md', f'M {HANDOFF}']


@pytest.fixture(autouse=True)
def day(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(projects, 'today', lambda: stages.DAY)
    monkeypatch.setenv('PATH', f'{SCRIPTS}{os.pathsep}{os.environ["PATH"]}')


@pytest.fixture
def ready(repo: Repo) -> Repo:
    repo.commit({**stages.files(), f'{SOURCE}/Alt.cpp': '// alt\n' * 20})
    stages.worked(repo)
    return repo


def touched(repo: Repo) -> list[str]:
    out = repo.git('show', '--format=', '--name-status', '-M', 'HEAD')
    return [line.replace('\t', ' ') for line in out.splitlines()]


def ended(repo: Repo, interlock: Interlock) -> None:
    result = interlock(*END)
    assert result.code == 0, result.out + result.err
    assert interlock.check('--range', 'HEAD~1..HEAD').code == 0


def staged(repo: Repo) -> None:
    repo.git('add', CODE)


def partly_staged(repo: Repo) -> None:
    repo.git('add', CODE)
    repo.write({CODE: '// moteur\n// et plus\n'})


def staged_and_taken_back(repo: Repo) -> None:
    repo.git('add', CODE)
    repo.write({CODE: '// 1\n', 'plugins/Bravo/CMakeLists.txt': 'x\n'})


def untracked(repo: Repo) -> None:
    repo.write({f'{SOURCE}/ü/Neu.cpp': '// neu\n'})


def intended(repo: Repo) -> None:
    repo.write({f'{SOURCE}/Neu.cpp': '// neu\n'})
    repo.git('add', '-N', f'{SOURCE}/Neu.cpp')


def deleted(repo: Repo) -> None:
    (repo.path / SOURCE / 'Alt.cpp').unlink()


def deleted_from_the_index(repo: Repo) -> None:
    repo.git('rm', '-q', f'{SOURCE}/Alt.cpp')


def untracked_again(repo: Repo) -> None:
    repo.git('rm', '-q', '--cached', f'{SOURCE}/Alt.cpp')


def untracked_and_ignored(repo: Repo) -> None:
    repo.git('rm', '-q', '--cached', f'{SOURCE}/Alt.cpp')
    (repo.path / '.git/info/exclude').write_text('Alt.cpp\n')


def renamed(repo: Repo) -> None:
    repo.git('mv', f'{SOURCE}/Alt.cpp', f'{SOURCE}/Neu.cpp')


def renamed_on_disk(repo: Repo) -> None:
    folder = repo.path / SOURCE
    (folder / 'Alt.cpp').rename(folder / 'Neu.cpp')


def ignored(repo: Repo) -> None:
    (repo.path / '.git/info/exclude').write_text('*.o\n')
    repo.write({f'{SOURCE}/Main.o': 'o'})


def forced(repo: Repo) -> None:
    ignored(repo)
    repo.git('add', '-f', f'{SOURCE}/Main.o')
    repo.write({f'{SOURCE}/Main.o': 'oo'})


def executable(repo: Repo) -> None:
    (repo.path / SOURCE / 'Alt.cpp').chmod(0o755)


def executable_without_modes(repo: Repo) -> None:
    repo.git('config', 'core.fileMode', 'false')
    repo.git('update-index', '--chmod=+x', f'{SOURCE}/Alt.cpp')


def a_folder_for_a_file(repo: Repo) -> None:
    deleted(repo)
    repo.write({f'{SOURCE}/Alt.cpp/x': 'x'})


def a_link(repo: Repo) -> None:
    (repo.path / SOURCE / 'lien').symlink_to('Main.cpp')


def elsewhere(repo: Repo) -> None:
    repo.write(
        {
            'plugins/Bravo/notes.txt': 'x',
            'plugins/Bravox/Source/x': 'x',
            'plugins/Bravo/Source2/x': 'x',
            'Source/x': 'x',
        }
    )


def a_repository(repo: Repo) -> None:
    inner = repo.path / SOURCE / 'dépôt'
    inner.mkdir()
    Repo(inner).git('init', '-q')


@pytest.mark.parametrize(
    ('make', 'expected', 'status'),
    (
        pytest.param(staged, [f'M {CODE}'], '', id='staged'),
        pytest.param(partly_staged, [f'M {CODE}'], '', id='partly staged'),
        pytest.param(
            staged_and_taken_back,
            ['M plugins/Bravo/CMakeLists.txt'],
            '',
            id='staged and taken back',
        ),
        pytest.param(
            untracked, [f'M {CODE}', f'A {SOURCE}/ü/Neu.cpp'], '', id='untracked'
        ),
        pytest.param(
            intended,
            [f'M {CODE}', f'A {SOURCE}/Neu.cpp'],
            '',
            id='intended to be added',
        ),
        pytest.param(deleted, [f'D {SOURCE}/Alt.cpp', f'M {CODE}'], '', id='deleted'),
        pytest.param(
            deleted_from_the_index,
            [f'D {SOURCE}/Alt.cpp', f'M {CODE}'],
            '',
            id='deleted from the index',
        ),
        pytest.param(untracked_again, [f'M {CODE}'], '', id='only from the index'),
        pytest.param(
            untracked_and_ignored,
            [f'D {SOURCE}/Alt.cpp', f'M {CODE}'],
            '',
            id='from the index, and ignored',
        ),
        pytest.param(
            renamed,
            [f'M {CODE}', f'R100 {SOURCE}/Alt.cpp {SOURCE}/Neu.cpp'],
            '',
            id='renamed',
        ),
        pytest.param(
            renamed_on_disk,
            [f'M {CODE}', f'R100 {SOURCE}/Alt.cpp {SOURCE}/Neu.cpp'],
            '',
            id='renamed on disk',
        ),
        pytest.param(ignored, [f'M {CODE}'], '', id='ignored'),
        pytest.param(
            forced, [f'M {CODE}', f'A {SOURCE}/Main.o'], '', id='ignored, but added'
        ),
        pytest.param(
            executable, [f'M {SOURCE}/Alt.cpp', f'M {CODE}'], '', id='executable'
        ),
        pytest.param(
            executable_without_modes,
            [f'M {SOURCE}/Alt.cpp', f'M {CODE}'],
            '',
            id='executable where files have no modes',
        ),
        pytest.param(
            a_folder_for_a_file,
            [f'D {SOURCE}/Alt.cpp', f'A {SOURCE}/Alt.cpp/x', f'M {CODE}'],
            '',
            id='a folder for a file',
        ),
        pytest.param(a_link, [f'M {CODE}', f'A {SOURCE}/lien'], '', id='link'),
        pytest.param(
            elsewhere,
            [f'M {CODE}'],
            '?? Source/\n?? plugins/Bravo/Source2/\n'
            '?? plugins/Bravo/notes.txt\n?? plugins/Bravox/',
            id='files elsewhere',
        ),
        pytest.param(
            a_repository,
            [f'M {CODE}'],
            f'?? "{SOURCE}/d\\303\\251p\\303\\264t/"',
            id='a repository inside',
        ),
    ),
)
def test_the_files_of_the_item_are_committed_as_they_are_on_disk(
    ready: Repo,
    interlock: Interlock,
    make: Callable[[Repo], None],
    expected: list[str],
    status: str,
) -> None:
    make(ready)
    ended(ready, interlock)
    ready.git('config', 'core.quotePath', 'false')
    shown = [line.replace('"', '') for line in touched(ready)]
    assert shown == [*RECORDS, *expected]
    ready.git('config', 'core.quotePath', 'true')
    assert ready.git('status', '--porcelain') == status


def test_what_a_sparse_checkout_leaves_out_is_not_deleted(
    ready: Repo, interlock: Interlock
) -> None:
    ready.git('update-index', '--skip-worktree', f'{SOURCE}/Alt.cpp')
    (ready.path / SOURCE / 'Alt.cpp').unlink()
    ended(ready, interlock)
    assert touched(ready) == [*RECORDS, f'M {CODE}']
    assert ready.git('ls-files', '-t', f'{SOURCE}/Alt.cpp')[0] == 'S'


@pytest.mark.parametrize('path', (HANDOFF, 'PLUGINS.md'), ids=('handoff', 'registry'))
def test_a_record_that_git_ignores_is_not_left_out_in_silence(
    repo: Repo, interlock: Interlock, path: str
) -> None:
    files = stages.files()
    record = files.pop(path)
    repo.commit({**files, '.gitignore': f'{Path(path).name}\n'})
    repo.write({path: record})
    stages.worked(repo)
    before = everything(repo)
    result = interlock(*END)
    assert result.code == 1
    assert f'{path} is ignored by git' in result.err
    assert f'next: git check-ignore -v {path}' in result.err
    assert everything(repo) == before


def test_the_first_commit_of_a_repository(repo: Repo, interlock: Interlock) -> None:
    """Of the registry it holds this item alone."""
    files = stages.files()
    files['PLUGINS.md'] = samples.registry({**stages.BEFORE, 'Bravo': 'Ideated'})
    del files[HANDOFF]
    repo.write({**files, 'autre.txt': 'x'})
    repo.git('add', 'autre.txt')
    result = interlock('commit-stage', 'Bravo', '0', '-m', 'recherche', '-q')
    assert result.code == 0, result.out + result.err
    assert repo.git('log', '--format=%s') == 'feat: Bravo Stage 0 - recherche'
    assert stages.registry(at_head(repo, 'PLUGINS.md')) == {'Bravo': '🚧 Stage 0'}
    assert stages.registry(text(repo, 'PLUGINS.md')) == {
        'Alpha': '💡 Ideated',
        'Bravo': '🚧 Stage 0',
        'Charlie': '📦 Installed',
    }
    assert repo.git('status', '--porcelain').splitlines() == [
        ' M PLUGINS.md',
        'A  autre.txt',
        '?? .interlock.yaml',
    ]


def test_a_new_item_of_a_registry_with_others(
    ready: Repo, interlock: Interlock
) -> None:
    ideas = 'plugins/Öl/.ideas'
    for item in ('Zeta', 'Öl', 'Xi'):
        args = ('registry', 'add', item, '--type', 'Synth')
        assert interlock(*args).code == 0
    ready.write(
        {f'{ideas}/{name}': f'# {name}\n' for name in samples.CONTRACTS.values()}
    )
    result = interlock('commit-stage', 'Öl', '0', '-m', 'recherche', '-q')
    assert result.code == 0, result.out + result.err
    assert list(stages.registry(at_head(ready, 'PLUGINS.md'))) == [
        'Alpha',
        'Bravo',
        'Charlie',
        'Öl',
    ]
    assert list(stages.registry(text(ready, 'PLUGINS.md'))) == [
        'Alpha',
        'Bravo',
        'Charlie',
        'Zeta',
        'Öl',
        'Xi',
    ]
    changed = ready.git('diff', '--numstat', '--', 'PLUGINS.md').split()
    # of the two others: their rows, entries, and nothing taken away
    assert changed[1] == '0'


def test_other_columns_in_the_working_tree_are_refused(
    ready: Repo, interlock: Interlock
) -> None:
    ready.write(
        {'PLUGINS.md': text(ready, 'PLUGINS.md').replace('| Version |', '| Fassung |')}
    )
    before = everything(ready)
    result = interlock(*END)
    assert result.code == 1
    assert 'the registry has other columns' in result.err
    assert everything(ready) == before


def test_a_linked_worktree(
    ready: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    other = Repo(tmp_path / 'zweiter')
    ready.git('worktree', 'add', '-q', '-b', 'zwei', str(other.path))
    stages.worked(other)
    monkeypatch.chdir(other.path)
    before = everything(ready)
    ended(other, interlock)
    assert touched(other) == [*RECORDS, f'M {CODE}']
    assert other.git('status', '--porcelain') == ''
    assert other.git('branch', '--show-current') == 'zwei'
    assert everything(ready) == before


def test_a_detached_head(ready: Repo, interlock: Interlock) -> None:
    ready.git('checkout', '-q', '--detach')
    ended(ready, interlock)
    assert ready.git('status', '--porcelain') == ''


@pytest.mark.parametrize('attributes', ('', '* text=auto\n', '*.md text eol=crlf\n'))
def test_line_ends_of_a_checkout_make_no_difference(
    repo: Repo, interlock: Interlock, attributes: str
) -> None:
    if not attributes:
        repo.git('config', 'core.autocrlf', 'true')
    repo.git('config', 'core.safecrlf', 'false')
    files = stages.files()
    repo.commit({**files, '.gitattributes': attributes})
    eol = not attributes or 'crlf' in attributes
    if eol:
        for name in ('PLUGINS.md', HANDOFF, PLAN):
            data = files[name]
            assert isinstance(data, str)
            repo.write({name: data.replace('\n', '\r\n')})
    repo.git('add', '--renormalize', '.')
    assert repo.git('status', '--porcelain') == ''
    stages.worked(repo)
    ended(repo, interlock)
    assert touched(repo) == [*RECORDS, f'M {CODE}']
    assert repo.git('status', '--porcelain') == ''
    for name in ('PLUGINS.md', HANDOFF):
        assert '\r' not in at_head(repo, name)
        lines = (repo.path / name).read_bytes()
        assert (lines.count(b'\r\n') == lines.count(b'\n')) is eol


def test_line_ends_in_the_repository_stay(repo: Repo, interlock: Interlock) -> None:
    files = stages.files()
    for name in ('PLUGINS.md', HANDOFF):
        data = files[name]
        assert isinstance(data, str)
        files[name] = data.replace('\n', '\r\n')
    repo.commit(files)
    # git does not convert what has them in the index already
    repo.git('config', 'core.autocrlf', 'true')
    stages.worked(repo)
    ended(repo, interlock)
    assert touched(repo) == [*RECORDS, f'M {CODE}']
    assert repo.git('status', '--porcelain') == ''
    lines = (repo.path / 'PLUGINS.md').read_bytes()
    assert lines.count(b'\r\n') == lines.count(b'\n')


def test_a_filter_of_the_plan_is_applied_to_its_seal(
    repo: Repo, interlock: Interlock
) -> None:
    plan = '### Phase 3.1: Noyau\n\n### Phase 3.2: Fin\n'
    repo.git('config', 'filter.majuscule.clean', 'tr a-y A-Y')
    repo.git('config', 'filter.majuscule.smudge', 'cat')
    sums = {
        **samples.checksums('Bravo'),
        'plan': samples.checksum(
            plan.translate({c: c - 32 for c in range(ord('a'), ord('z'))})
        ),
    }
    repo.commit(
        {
            **stages.files(),
            '.gitattributes': 'plan.md filter=majuscule\n',
            PLAN: plan,
            HANDOFF: samples.handoff(
                'Bravo',
                sums=sums,
                complexity_score='5.0',
                phased_implementation='true',
                next_phase='3.1',
                evidence=stages.TRIED,
            ),
        }
    )
    stages.worked(repo)
    result = interlock('commit-stage', 'Bravo', '3.1', '-m', 'noyau', '-q')
    assert result.code == 0, result.out + result.err
    assert text(repo, PLAN).startswith('### Phase 3.1: Noyau ✓\n')
    assert at_head(repo, PLAN).startswith('### PHASE 3.1: NOYAU ✓\n')
    assert samples.checksum(at_head(repo, PLAN)) in text(repo, HANDOFF)
    assert repo.git('status', '--porcelain') == ''


def begin_merge(repo: Repo) -> None:
    repo.git('stash', '-q')
    repo.git('checkout', '-q', '-b', 'autre')
    repo.commit({'a': 'a'})
    repo.git('checkout', '-q', 'main')
    repo.commit({'b': 'b'})
    repo.git('merge', '-q', '--no-commit', 'autre')


def begin_pick(command: str, wanted: str) -> Callable[[Repo], None]:
    def begin(repo: Repo) -> None:
        repo.git('stash', '-q')
        repo.commit({'a': 'a'})
        repo.git('checkout', '-q', '-b', 'autre')
        repo.commit({'a': 'b'})
        repo.git('checkout', '-q', 'main')
        repo.commit({'a': 'c'})
        process = repo.try_git(*command.split(), wanted)
        assert process.returncode != 0

    return begin


def unmerged(repo: Repo) -> None:
    begin_pick('cherry-pick', 'autre')(repo)
    (repo.path / '.git/CHERRY_PICK_HEAD').unlink()


@pytest.mark.parametrize(
    ('begin', 'sentence'),
    (
        pytest.param(begin_merge, 'in the middle of a merge', id='merge'),
        pytest.param(
            begin_pick('cherry-pick', 'autre'),
            'in the middle of a cherry-pick',
            id='cherry-pick',
        ),
        pytest.param(
            begin_pick('revert --no-edit', 'HEAD~1'),
            'in the middle of a revert',
            id='revert',
        ),
        pytest.param(
            begin_pick('rebase', 'autre'), 'in the middle of a rebase', id='rebase'
        ),
        pytest.param(
            begin_pick('rebase --apply', 'autre'),
            'in the middle of a rebase',
            id='rebase with patches',
        ),
        pytest.param(unmerged, 'the index has conflicts', id='conflicts'),
    ),
)
def test_what_git_is_in_the_middle_of_comes_first(
    ready: Repo, interlock: Interlock, begin: Callable[[Repo], None], sentence: str
) -> None:
    begin(ready)
    stages.worked(ready)
    before = everything(ready)
    result = interlock(*END)
    assert result.code == 1
    assert sentence in result.err
    assert everything(ready) == before


REFUSED = (
    'interlock: refused: git or a hook refused the commit: Stage 3 of Bravo '
    f'is not committed; restored: PLUGINS.md, {HANDOFF}; the index is '
    'unchanged\n    next: fix the problems above, then run this again\n'
)


def gpg(repo: Repo) -> None:
    repo.git('config', 'commit.gpgSign', 'true')
    repo.git('config', 'gpg.program', 'false')


def elsewhere_hooks(repo: Repo) -> None:
    folder = repo.path.parent / 'haken'
    folder.mkdir()
    (folder / 'pre-commit').write_text('#!/bin/sh\nexit 1\n')
    (folder / 'pre-commit').chmod(0o755)
    repo.git('config', 'core.hooksPath', str(folder))


@pytest.mark.parametrize(
    'spoil',
    (
        pytest.param(lambda repo: hook(repo, 'pre-commit', 'exit 1'), id='pre-commit'),
        pytest.param(lambda repo: hook(repo, 'commit-msg', 'exit 1'), id='commit-msg'),
        pytest.param(
            lambda repo: hook(repo, 'prepare-commit-msg', 'exit 1'),
            id='prepare-commit-msg',
        ),
        pytest.param(
            lambda repo: hook(repo, 'pre-commit', 'kill -9 $$'),
            id='a hook that is killed',
        ),
        pytest.param(
            lambda repo: hook(repo, 'pre-commit', 'kill -9 $PPID'), id='git is killed'
        ),
        pytest.param(elsewhere_hooks, id='core.hooksPath'),
        pytest.param(gpg, id='no signature'),
        pytest.param(
            lambda repo: hook(repo, 'pre-commit', f'git add -A; rm {CODE}; exit 1'),
            id='a hook that stages',
        ),
    ),
)
@pytest.mark.parametrize('others', (False, True))
def test_what_git_or_a_hook_refuses_leaves_everything_as_it_was(
    ready: Repo, interlock: Interlock, spoil: Callable[[Repo], None], others: bool
) -> None:
    if others:
        ready.write(
            {'PLUGINS.md': samples.registry({**stages.BEFORE, 'Alpha': 'Stage 0'})}
        )
        ready.git('add', 'PLUGINS.md')
        ready.write({'PLUGINS.md': samples.registry(stages.BEFORE)})
    spoil(ready)
    before = {name: value for name, value in everything(ready).items() if name != CODE}
    result = interlock(*END)
    assert result.err == REFUSED
    assert result.code == 1
    after = {name: value for name, value in everything(ready).items() if name != CODE}
    assert after == before
    journal = ready.path / '.git' / 'interlock' / 'journal'
    assert os.listdir(journal) == ['lock']


def test_what_a_hook_says_is_seen(ready: Repo) -> None:
    hook(ready, 'pre-commit', 'echo gesagt; echo geklagt >&2; exit 1')
    process = subprocess.run(
        (str(SCRIPTS / 'interlock'), *END),
        cwd=ready.path,
        capture_output=True,
        text=True,
    )
    assert process.returncode == 1
    assert process.stderr.startswith('gesagt\ngeklagt\ninterlock: refused: ')
    # what was refused is not reported as complete
    assert process.stdout == ''


def test_a_hook_that_changes_state_files_and_refuses_is_undone(
    ready: Repo, interlock: Interlock
) -> None:
    """What it wrote is kept; files of others it may change."""
    hook(
        ready,
        'pre-commit',
        f'echo formatted >> {HANDOFF}; echo "// ok" >> {CODE}; '
        'sed -i "s/Ideated/Stage 0/" PLUGINS.md; exit 1',
    )
    before = everything(ready)
    result = interlock(*END)
    assert result.code == 1
    assert f'restored: PLUGINS.md, {HANDOFF}' in result.err
    after = everything(ready)
    assert after[HANDOFF] == before[HANDOFF]
    assert after['index'] == before['index']
    assert text(ready, CODE) == '// moteur\n// ok\n'
    assert after['PLUGINS.md'] == before['PLUGINS.md']
    registry, handoff = sorted(
        (ready.path / '.git' / 'interlock' / 'kept').iterdir(),
        key=lambda path: HANDOFF.endswith(path.name.partition('-')[2]),
    )
    assert '💡 Stage 0' in registry.read_text()
    assert handoff.read_text().endswith('formatted\n')
    for kept in (registry, handoff):
        assert f'what a hook wrote into a state file is kept in {kept}' in result.err


def test_a_hook_that_changes_the_commit_is_followed(
    ready: Repo, interlock: Interlock
) -> None:
    hook(
        ready,
        'pre-commit',
        f'echo "// ok" >> {CODE}; echo doc > doc.md; git add {CODE} doc.md',
    )
    hook(ready, 'commit-msg', 'echo "Ticket: 7" >> "$1"')
    ended(ready, interlock)
    assert touched(ready) == ['M PLUGINS.md', 'A doc.md', f'M {HANDOFF}', f'M {CODE}']
    assert ready.git('status', '--porcelain') == ''


def test_a_hook_that_rewrites_a_record_and_its_subject(
    ready: Repo, interlock: Interlock
) -> None:
    hook(ready, 'prepare-commit-msg', 'sed -i "1s/^/[7] /" "$1"')
    result = interlock(*END)
    assert result.code == 0, result.err
    assert ready.git('log', '-1', '--format=%s') == (
        '[7] feat: Bravo Stage 3 - moteur audio'
    )
    assert ready.git('status', '--porcelain') == ''


@pytest.mark.parametrize(
    ('setting', 'value'),
    (
        ('i18n.commitEncoding', 'ISO-8859-1'),
        ('commit.cleanup', 'strip'),
        ('core.commentChar', 'f'),
        ('commit.template', '/nowhere'),
        ('commit.verbose', 'true'),
        ('core.editor', 'false'),
        ('core.splitIndex', 'true'),
        ('core.untrackedCache', 'true'),
        ('index.sparse', 'true'),
        ('core.quotePath', 'false'),
        ('status.renames', 'copies'),
        ('diff.noprefix', 'true'),
        ('core.safecrlf', 'true'),
        ('feature.manyFiles', 'true'),
    ),
)
def test_settings_of_the_user_make_no_difference(
    ready: Repo, interlock: Interlock, setting: str, value: str
) -> None:
    ready.git('config', setting, value)
    # which writes the index as it says
    ready.git('status')
    ended(ready, interlock)
    assert ready.git('log', '-1', '--format=%s') == (
        'feat: Bravo Stage 3 - moteur audio'
    )
    body = '[ATOMIC] Code + state files committed together'
    assert ready.git('log', '-1', '--format=%b') == body
    assert ready.git('status', '--porcelain') == ''


def test_who_commits_at_the_same_time_is_not_undone(
    ready: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Git.as_user

    def late(git: Git, *args: str, data: bytes, kept: int) -> int:
        blob = ready.git('hash-object', '-w', '.interlock.yaml')
        ready.git('update-index', '--add', '--cacheinfo', f'100644,{blob},n')
        ready.git('commit', '-q', '--no-verify', '-m', 'docs: autre')
        return real(git, *args, data=data, kept=kept)

    monkeypatch.setattr(Git, 'as_user', late)
    files = {
        name: value
        for name, value in everything(ready).items()
        if name not in {'HEAD', 'index'}
    }
    result = interlock(*END)
    assert result.code == 1
    assert 'somebody else committed at the same time' in result.err
    assert ready.git('log', '--format=%s') == 'docs: autre\nchore: préparer'
    assert ready.git('status', '--porcelain').split() == ['D', 'n', 'M', CODE]
    assert {
        name: value
        for name, value in everything(ready).items()
        if name not in {'HEAD', 'index'}
    } == files
    monkeypatch.setattr(Git, 'as_user', real)
    assert interlock(*END).code == 0
    assert ready.git('ls-tree', '--name-only', 'HEAD', 'n') == 'n'


def test_a_locked_index_is_waited_for_and_finished_later(
    ready: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr('interlock.transactions.commit.WAIT', 0)
    lock = ready.path / '.git' / 'index.lock'
    lock.touch()
    result = interlock(*END)
    assert result.code == 75
    assert 'was committed, but the index is locked' in result.err
    assert ready.git('log', '-1', '--format=%s').startswith('feat: Bravo')
    lock.unlink()
    assert ready.git('status', '--porcelain') != ''
    assert interlock('registry', 'show', 'Bravo').code == 0
    assert ready.git('status', '--porcelain') == ''


@pytest.mark.parametrize('after', (False, True))
def test_who_is_interrupted_has_committed_all_or_nothing(
    ready: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch, after: bool
) -> None:
    real = Git.as_user

    def interrupted(git: Git, *args: str, data: bytes, kept: int) -> int:
        if after:
            real(git, *args, data=data, kept=kept)
        raise KeyboardInterrupt

    monkeypatch.setattr(Git, 'as_user', interrupted)
    before = everything(ready)
    result = interlock(*END)
    assert result.code == 130
    assert result.err.strip() == 'interlock: interrupted'
    journal = ready.path / '.git' / 'interlock' / 'journal'
    assert os.listdir(journal) == ['lock']
    if after:
        assert ready.git('log', '-1', '--format=%s').startswith('feat: Bravo')
        assert ready.git('status', '--porcelain') == ''
    else:
        assert everything(ready) == before


def test_a_registry_without_entries(repo: Repo, interlock: Interlock) -> None:
    def registry(status: str, other: str) -> str:
        return samples.HEAD + samples.row('Bravo', status) + samples.row('Alpha', other)

    repo.commit({**stages.files(), 'PLUGINS.md': registry('Stage 2', 'Ideated')})
    stages.worked(repo)
    repo.write({'PLUGINS.md': registry('Stage 2', 'Stage 0')})
    ended(repo, interlock)
    assert stages.registry(at_head(repo, 'PLUGINS.md')) == {
        'Bravo': '🚧 Stage 3',
        'Alpha': '💡 Ideated',
    }
    assert stages.registry(text(repo, 'PLUGINS.md')) == {
        'Bravo': '🚧 Stage 3',
        'Alpha': '🚧 Stage 0',
    }


@pytest.mark.parametrize('limit', (100, 3000))
def test_a_full_disk_leaves_everything_as_it_was(ready: Repo, limit: int) -> None:
    before = everything(ready)
    process = subprocess.run(
        (
            sys.executable,
            '-c',
            'import resource, sys\n'
            f'resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))\n'
            'import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n'
            'from interlock.commands.main import main\n'
            f'sys.argv = ["interlock", *{END!r}]\nmain()\n',
        ),
        cwd=ready.path,
        capture_output=True,
        text=True,
    )
    assert process.returncode in {1, 2}, process.stderr
    assert 'interlock: refused: ' in process.stderr
    assert everything(ready) == before


@pytest.mark.parametrize('name', ('pre-commit', 'commit-msg', 'post-commit'))
@pytest.mark.parametrize(
    ('command', 'code'),
    (
        pytest.param('registry show Bravo', 0, id='registry'),
        pytest.param('resume Bravo', 0, id='resume'),
        pytest.param('verify-state Bravo', 0, id='verify'),
        pytest.param('contracts verify Bravo', 0, id='contracts'),
        pytest.param('registry sync Bravo', 75, id='what would change it'),
    ),
)
def test_a_hook_of_the_commit_reads_and_does_not_wait(
    ready: Repo, interlock: Interlock, name: str, command: str, code: int
) -> None:
    # a wait that never ends would be one for ourselves
    hook(
        ready, name, (f'interlock {command} > said 2>&1 < /dev/null\necho $? > code\n')
    )
    before = time.monotonic()
    result = interlock(*END)
    assert result.code == 0, result.out + result.err
    assert time.monotonic() - before < WAIT
    assert (text(ready, 'code'), text(ready, 'said') != '') == (f'{code}\n', True)


def test_after_the_commit_a_command_waits_again(
    ready: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
) -> None:
    hook(ready, 'post-commit', f'echo "${COMMITTING}" > said\n')
    assert interlock(*END).code == 0
    entry = text(ready, 'said').strip()
    assert 'interlock/journal' in entry
    # what a hook left running has the variable still
    monkeypatch.setenv(COMMITTING, entry)
    assert interlock('registry', 'sync', 'Bravo').code == 0
