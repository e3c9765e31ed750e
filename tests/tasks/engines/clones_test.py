"""Clones that are not whole, and remotes that are reached in other ways."""

from __future__ import annotations

import json
import os
import zlib
from pathlib import Path

import pytest

from interlock.git.lock_refs import LockRefs
from interlock.git.remotes import repository_name, repository_of
from interlock.operations.tasks.locks import Holder
from interlock.tasks.engines.engine import (
    UNKNOWN_SESSION,
    Marker,
    Refused,
    Unknown,
    Unreachable,
)
from interlock.tasks.engines.git_remote import GitRemoteEngine
from interlock.workflow.language.sharing import LocksSpec
from tests.conftest import Repo
from tests.questions import acquire, push, release
from tests.spaces import TASK, Space

REF = f'refs/interlock/locks/{TASK}'


@pytest.fixture
def remote(space: Space) -> Repo:
    made = Repo(space.path / 'remote.git')
    space.main.git('clone', '-q', '--bare', '.', str(made.path))
    made.git('config', 'uploadpack.allowFilter', 'true')
    return made


def engine(clone: Repo, remote: str = 'origin') -> GitRemoteEngine:
    common = clone.git('rev-parse', '--path-format=absolute', '--git-common-dir')
    refs = LockRefs(os.environ, common, remote, 20)
    return GitRemoteEngine(refs, 'refs/interlock/locks/', str(clone.path))


def holder(session: str) -> Holder:
    return Holder(session, '', 1, '', 'host', '')


def contents(generation: int) -> bytes:
    return json.dumps({'generation': generation}).encode()


def lives(at: GitRemoteEngine, name: str = TASK) -> None:
    """A lock is taken, pushed under, and given back."""
    taken = at.ask(acquire(name, holder('é'), contents, f'{name}-1'))
    assert taken.ok
    assert taken.record is not None
    number = taken.record.generation
    pushed = at.ask(
        push(name, holder('é'), number, [f'HEAD:refs/heads/{name}'], f'{name}-2')
    )
    assert pushed.ok, pushed.why
    assert at.ask(release(name, holder('é'), number, f'{name}-3')).ok
    assert [entry.event for entry in at.events(name)] == [
        'acquired',
        'pushed',
        'released',
    ]


@pytest.mark.parametrize('directory', ('.', 'tief/unten'))
def test_a_remote_that_is_a_relative_path(
    space: Space, remote: Repo, monkeypatch: pytest.MonkeyPatch, directory: str
) -> None:
    space.main.git(
        'remote', 'add', 'origin', os.path.relpath(remote.path, space.main.path)
    )
    below = space.main.path / directory
    below.mkdir(parents=True, exist_ok=True)
    monkeypatch.chdir(below)
    lives(engine(space.main))
    common = str(space.main.path / '.git')
    name = repository_name(os.environ, common, LocksSpec())
    assert name == repository_of(str(remote.path))


@pytest.mark.parametrize(
    'how',
    (
        pytest.param(('--depth', '1'), id='shallow'),
        pytest.param(('--filter=blob:none',), id='without-blobs'),
        pytest.param(('--filter=tree:0',), id='without-trees'),
        pytest.param(('--depth', '1', '--filter=blob:none'), id='both'),
        pytest.param(('--bare',), id='bare'),
    ),
)
def test_a_clone_need_not_be_whole(
    space: Space, remote: Repo, how: tuple[str, ...]
) -> None:
    clone = Repo(space.path / 'clone')
    space.main.git('clone', '-q', *how, f'file://{remote.path}', str(clone.path))
    lives(engine(clone))
    shallow = clone.git('rev-parse', '--is-shallow-repository')
    assert (shallow == 'true') == ('--depth' in how)


def test_a_linked_worktree_uses_the_records_of_its_clone(
    space: Space, remote: Repo
) -> None:
    space.main.git('remote', 'add', 'origin', str(remote.path))
    lives(engine(space.worktree()))
    assert (space.main.path / '.git/interlock/locks.git').is_dir()


def test_an_address_is_rewritten_as_git_does_it(space: Space, remote: Repo) -> None:
    space.main.git('remote', 'add', 'origin', 'short:remote.git')
    space.main.git('config', f'url.{space.path}/.insteadOf', 'short:')
    lives(engine(space.main))


def test_what_is_pushed_to_is_what_is_read(space: Space, remote: Repo) -> None:
    space.main.git('remote', 'add', 'origin', str(space.path / 'stale.git'))
    space.main.git('remote', 'set-url', '--push', 'origin', str(remote.path))
    lives(engine(space.main))


@pytest.mark.parametrize(
    ('url', 'name'),
    (
        ('https://me:secret@example.org/team/app.git', 'example.org/team/app'),
        ('ssh://git@example.org/team/app', 'example.org/team/app'),
        ('git@example.org:team/app.git', 'example.org/team/app'),
        ('git@example.org:/team/app.git/', 'example.org/team/app'),
        ('git://example.org/team/app.git', 'example.org/team/app'),
    ),
)
def test_a_repository_is_called_the_same_by_everybody(url: str, name: str) -> None:
    assert repository_of(url) == name


def hook(remote: Repo, text: str) -> None:
    file = remote.path / 'hooks' / 'pre-receive'
    file.parent.mkdir(exist_ok=True)
    file.write_text(f'#!/bin/sh\n{text}\n')
    file.chmod(0o755)


@pytest.fixture
def at(space: Space, remote: Repo) -> GitRemoteEngine:
    space.main.git('remote', 'add', 'origin', str(remote.path))
    return engine(space.main)


def test_a_hook_that_declines_is_shown(at: GitRemoteEngine, remote: Repo) -> None:
    hook(remote, 'echo not on a Sunday >&2; exit 1')
    with pytest.raises(Refused, match='not on a Sunday'):
        at.ask(acquire(TASK, holder('a'), contents, 't'))
    assert at.show(TASK) is None


def test_a_push_that_is_killed_is_settled(
    space: Space, at: GitRemoteEngine, remote: Repo
) -> None:
    hook(remote, 'sleep 2')
    at.show(TASK)
    common = str(space.main.path / '.git')
    hasty = LockRefs(os.environ, common, 'origin', 1)
    quick = GitRemoteEngine(hasty, 'refs/interlock/locks/', '')
    with pytest.raises((Unknown, Unreachable)) as caught:
        quick.ask(acquire(TASK, holder('a'), contents, 'f' * 32))
    assert isinstance(caught.value, Unknown)
    found = at.settle(TASK, 'f' * 32, '')
    record = at.show(TASK)
    assert record is not None
    assert record.is_free == (found == 'never')


def test_a_record_is_read_as_git_reads_it(
    space: Space, at: GitRemoteEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where its objects are loose no git is asked; else it says the same."""
    refs = LockRefs(os.environ, str(space.main.path / '.git'), 'origin', 20)
    oid = refs.write('é\n', b'{"a": "\xff"}', '')
    asked = []
    real = LockRefs._objects

    def counted(refs: LockRefs, *names: str) -> list[tuple[str, bytes] | None]:
        asked.append(names)
        return real(refs, *names)

    monkeypatch.setattr(LockRefs, '_objects', counted)
    loose = refs.read(oid)
    assert loose is not None
    assert (loose.message, loose.data) == ('é\n', b'{"a": "\xff"}')
    assert asked == []
    packs = Repo(Path(refs.path))
    packs.git('update-ref', 'refs/kept', oid)
    packs.git('repack', '-q', '-a', '-d')
    assert refs.read(oid) == loose
    assert len(asked) == 1


@pytest.mark.parametrize('data', (b'', b'x', zlib.compress(b'commit 1\0x')))
def test_a_loose_object_that_is_damaged_is_left_to_git(
    space: Space, at: GitRemoteEngine, data: bytes
) -> None:
    refs = LockRefs(os.environ, str(space.main.path / '.git'), 'origin', 20)
    oid = refs.write('a', b'b', '')
    (Path(refs.path) / 'objects' / oid[:2] / oid[2:]).write_bytes(data)
    assert refs._loose(oid) == []


def test_a_request_that_comes_late_finds_its_place_taken(
    space: Space, at: GitRemoteEngine
) -> None:
    """What was written and never sent is sent after it was settled."""
    refs = LockRefs(os.environ, str(space.main.path / '.git'), 'origin', 20)
    late = refs.write('late', b'', '')
    assert at.settle(TASK, 'token', '') == 'never'
    assert not refs.push(late, REF, '').ok
    with pytest.raises(Refused, match='withdrawn'):
        at.ask(acquire(TASK, holder('a'), contents, 'token'))
    taken = at.ask(acquire(TASK, holder('a'), contents, 'another'))
    assert taken.record is not None
    assert taken.record.generation == 1


def test_a_ref_that_is_deleted_meanwhile_gives_no_number_twice(
    at: GitRemoteEngine, remote: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(1, 4):
        assert at.ask(acquire(TASK, holder('a'), contents, f't{number}')).ok
        assert at.ask(release(TASK, holder('a'), number, f'r{number}')).ok
    write = at._refs.write

    def written(message: str, data: bytes, parent: str, files: str) -> str:
        """Between the question and the push, once."""
        monkeypatch.setattr(at._refs, 'write', write)
        remote.git('update-ref', '-d', REF)
        return write(message, data, parent, files)

    monkeypatch.setattr(at._refs, 'write', written)
    taken = at.ask(acquire(TASK, holder('a'), contents, 't', floor=1))
    assert taken.record is not None
    assert (taken.ok, taken.record.generation) == (True, 4)


def test_a_lock_file_that_a_killed_server_left_is_refused_in_time(
    at: GitRemoteEngine, remote: Repo
) -> None:
    folder = remote.path / 'refs' / 'interlock' / 'locks'
    folder.mkdir(parents=True)
    (folder / f'{TASK}.lock').write_text('')
    with pytest.raises(Refused):
        at.ask(acquire(TASK, holder('a'), contents, 't'))


@pytest.mark.parametrize('target', ('HEAD', 'HEAD^{tree}', 'HEAD:todo.md'))
def test_an_unreadable_record_is_held_by_an_unknown_session(
    at: GitRemoteEngine, remote: Repo, target: str
) -> None:
    remote.git('update-ref', REF, remote.git('rev-parse', target))
    record = at.show(TASK)
    assert record is not None
    assert record.session == UNKNOWN_SESSION
    assert not at.ask(acquire(TASK, holder('a'), contents, 't')).ok
    assert not at.ask(release(TASK, holder('a'), 0, 't')).ok
    assert at.list()[0].session == UNKNOWN_SESSION


def test_a_record_of_a_newer_version_is_refused_by_name(
    space: Space, at: GitRemoteEngine
) -> None:
    at.ask(acquire(TASK, holder('a'), contents, 't'))
    refs = LockRefs(os.environ, str(space.main.path / '.git'), 'origin', 20)
    tip = refs.advertised(REF)[REF]
    newer = refs.write('x\n\n{"v": 2}\n', b'{}', tip)
    assert refs.push(newer, REF, tip).ok
    for ask in (lambda: at.show(TASK), lambda: at.events(TASK)):
        with pytest.raises(Refused, match='version 2'):
            ask()


def test_a_repository_whose_locks_moved_gives_none(at: GitRemoteEngine) -> None:
    assert at.mark(Marker('postgresql', 2), 't').ok
    assert not at.mark(Marker('git-remote', 1), 't').ok
    with pytest.raises(Refused, match='kept by postgresql'):
        at.ask(acquire(TASK, holder('a'), contents, 't'))


@pytest.mark.parametrize('kind', ('sha1', 'sha256'))
@pytest.mark.parametrize(
    ('name', 'shown'),
    (('Zoë <é>', 'Zoë é <zoe@example.org>'), ('', 'interlock <interlock@localhost>')),
)
def test_records_are_objects_as_git_makes_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, name: str, shown: str
) -> None:
    for role in ('AUTHOR', 'COMMITTER'):
        for what in ('NAME', 'EMAIL'):
            monkeypatch.delenv(f'GIT_{role}_{what}', raising=False)
    monkeypatch.setenv('GIT_CONFIG_GLOBAL', '/dev/null')
    served, clone = Repo(tmp_path / 'served.git'), Repo(tmp_path / 'clone')
    for each, option in ((served, '--bare'), (clone, '-q')):
        each.path.mkdir()
        each.git('init', '-q', option, f'--object-format={kind}')
    clone.git('remote', 'add', 'origin', str(served.path))
    if name:
        clone.git('config', 'user.name', name)
        clone.git('config', 'user.email', 'zoe@example.org')
    at = engine(clone)
    assert at.ask(acquire(TASK, holder('é'), contents, 't')).ok
    note = {'files': '{"task.md": "é"}'}
    assert at.ask(release(TASK, holder('é'), 1, 'u', note)).ok
    assert at.files(TASK) == note['files']
    assert served.git('fsck', '--strict', '--no-dangling') == ''
    log = served.git('log', '--format=%an <%ae>|%cn <%ce>|%s', REF).splitlines()
    assert log == [
        f'{shown}|{shown}|{event} {TASK}, generation 1'
        for event in ('released', 'acquired')
    ]
    assert served.git('ls-tree', '--name-only', REF).split() == [
        'files.json',
        'lock.json',
    ]


def test_a_megabyte_and_every_character_survive(at: GitRemoteEngine) -> None:
    data = ('é𝄞\0' * 200_000).encode()
    assert at.ask(acquire(TASK, holder('𝄞'), lambda _: data, 't')).ok
    record = at.show(TASK)
    assert record is not None
    assert (record.data, record.session) == (data, '𝄞')
