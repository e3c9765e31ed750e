"""A simple model of merges and refs says what every surface says."""

from __future__ import annotations

import io
import random
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import Interlock, Repo
from tests.e2e.history_model import WORKFLOW, Commit, History, Team, Tree, team


def files(tree: Tree) -> Iterator[tuple[str, str]]:
    rows = ''.join(
        f'| {item.name} | {item.state} |\n' for _, item in sorted(tree.items())
    )
    yield '.interlock.yaml', WORKFLOW
    yield 'FEATURES.md', f'| Feature | State |\n|---|---|\n{rows}'
    for item in tree.values():
        yield f'specs/{item.name}/spec.md', item.spec


def data(text: str) -> bytes:
    return b'data %d\n%s\n' % (len(text.encode()), text.encode())


def stream(commits: list[Commit]) -> Iterator[bytes]:
    """A history for `git fast-import`."""
    for commit in commits:
        yield f'commit refs/heads/c{commit.number}\n'.encode()
        yield f'mark :{commit.number + 1}\n'.encode()
        yield b'committer Z <z@example.invalid> %d +0000\n' % (
            1_700_000_000 + commit.number
        )
        yield data(commit.message)
        for word, parent in zip(('from', 'merge'), commit.parents, strict=False):
            yield f'{word} :{parent + 1}\n'.encode()
        yield b'deleteall\n'
        for path, text in files(commit.tree):
            yield f'M 100644 inline {path}\n'.encode() + data(text)


def imported(repo: Repo, made: Team) -> None:
    subprocess.run(
        ('git', 'fast-import', '--quiet'),
        cwd=repo.path,
        check=True,
        input=b''.join(stream(made.commits)),
        capture_output=True,
    )


def staged(repo: Repo, interlock: Interlock, commit: Commit) -> int:
    """The verdict on the index before a commit is made."""
    parents = [repo.git('rev-parse', f'c{n}') for n in commit.parents]
    repo.git('update-ref', '--no-deref', 'HEAD', parents[0])
    repo.git('read-tree', f'c{commit.number}')
    merging = repo.path / '.git' / 'MERGE_HEAD'
    merging.write_text(''.join(f'{oid}\n' for oid in parents[1:]))
    message = repo.path / '.git' / 'COMMIT_EDITMSG'
    message.write_text(commit.message)
    code = interlock.check('--staged', '--message', str(message)).code
    merging.unlink()
    return code


@pytest.mark.parametrize(
    'seed',
    [*range(5), *(pytest.param(n, marks=pytest.mark.slow) for n in range(5, 80))],
)
def test_every_surface_and_the_model_agree(
    repo: Repo,
    interlock: Interlock,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    seed: int,
) -> None:
    made = team(seed)
    history = History(made.commits)
    imported(repo, made)
    refused = {commit.number for commit in made.commits if history.is_refused(commit)}
    for commit in made.commits[1:]:
        expected = int(commit.number in refused)
        name = f'c{commit.number}'
        result = interlock.check('--commit', name)
        assert result.code == expected, (commit, result.out)
        assert staged(repo, interlock, commit) == expected, commit
    bare = tmp_path / 'nu.git'
    repo.git('clone', '-q', '--bare', '.', str(bare))
    server = Server(Repo(bare), interlock, monkeypatch)
    chance = random.Random(seed)
    tips = sorted(set(made.branches.values()))
    for tip in tips:
        new = history.before(tip) - {0}
        if not new:
            continue
        expected = int(bool(new & refused) or history.is_refused_step(0, tip))
        result = interlock.check('--range', f'c0..c{tip}')
        assert result.code == expected, f'{tip}\n{result.out}'
        assert server.asked('pre-receive', (0, tip)) == expected, tip
        assert server.asked('pre-push', (0, tip)) == expected, tip
        # a forced push, from wherever the branch was
        old = chance.choice(made.commits).number
        new = history.before(tip) - history.before(old)
        forced = int(
            bool(new & refused) or (old != tip and history.is_refused_step(old, tip))
        )
        assert server.asked('pre-receive', (old, tip)) == forced, (old, tip)
    if len(tips) > 1:
        # several refs in one push: each branch of its own is compared with
        # where it left the main one
        old = min(tips)
        new = set.union(*(history.before(tip) - history.before(old) for tip in tips))
        assert server.asked(
            'pre-receive', (old, old), *((None, tip) for tip in tips if tip != old)
        ) >= int(bool(new & refused))


class Server:
    """A bare repository that is asked whether it takes a push."""

    def __init__(
        self, repo: Repo, interlock: Interlock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.repo = repo
        self.interlock = interlock
        self.monkeypatch = monkeypatch
        self.oids = dict(
            line.split()[::-1]
            for line in repo.git(
                'for-each-ref', '--format=%(objectname) %(refname:short)'
            ).splitlines()
        )
        repo.git('symbolic-ref', 'HEAD', 'refs/heads/main')

    def asked(self, command: str, *steps: tuple[int | None, int]) -> int:
        """The first step is that of the main branch."""
        lines = []
        for number, (old, new) in enumerate(steps):
            name = f'z{number}' if number else 'main'
            before = '0' * 40 if old is None else self.oids[f'c{old}']
            after = self.oids[f'c{new}']
            if not number:
                self.repo.git('update-ref', f'refs/heads/{name}', before)
            ref = f'refs/heads/{name}'
            lines.append(
                f'{before} {after} {ref}'
                if command == 'pre-receive'
                else f'HEAD {after} {ref} {before}'
            )
        data = io.BytesIO('\n'.join(lines).encode() + b'\n')
        with self.monkeypatch.context() as patch:
            patch.chdir(self.repo.path)
            patch.setattr('sys.stdin', io.TextIOWrapper(data))
            return self.interlock(command).code
