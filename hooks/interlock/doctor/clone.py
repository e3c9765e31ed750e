"""A scratch clone that is wired as the project is, and gone in the end."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator

from interlock.doctor.copies import is_below, link_tools, settings, wire
from interlock.doctor.hook_places import Place
from interlock.doctor.scratch import BRANCH, Scratch, environment
from interlock.git.installed_hooks import read
from interlock.git.repository import Repository
from interlock.git.workflow_source import FILE, Governing
from interlock.model.errors import Refusal


def _shared(git_dir: str, *others: str) -> None:
    """Objects are looked for elsewhere too, and written here."""
    path = os.path.join(git_dir, 'objects', 'info', 'alternates')
    with open(path, 'w', encoding='UTF-8', errors='surrogateescape') as f:
        f.writelines(f'{each}\n' for each in others)


def _layout(directory: str, place: Place, governing: Governing) -> tuple[str, str]:
    """Where the clone and the workflow lie, as they lie in the project."""
    space = os.path.join(directory, 'space')
    top, file = os.path.join(space, 'main'), governing.found.file
    if not file or not place.top or is_below(file, place.top):
        path = governing.found.path or FILE
        return top, os.path.join(top, path)
    above = os.path.dirname(os.path.abspath(file))
    below = os.path.relpath(place.top, above)
    if not below.startswith('..'):
        top = os.path.join(space, below)
    return top, os.path.join(space, os.path.basename(file))


def _begin(scratch: Scratch, repository: Repository, place: Place) -> None:
    objects = os.path.join(place.common_dir, 'objects')
    format_ = repository.git.line('rev-parse', '--show-object-format')
    os.makedirs(scratch.top)
    for where, bare in ((scratch.top, ()), (scratch.remote, ('--bare',))):
        scratch.git(scratch.directory).run(
            'init',
            '--quiet',
            '--template=',
            f'--object-format={format_}',
            f'--initial-branch={BRANCH}',
            *bare,
            where,
        )
    _shared(os.path.join(scratch.top, '.git'), objects)
    own = os.path.join(scratch.top, '.git', 'objects')
    _shared(scratch.remote, objects, own)
    head = repository.head()
    if head is not None:
        git = scratch.git()
        git.run('update-ref', f'refs/heads/{BRANCH}', head.oid)
        scratch.quietly('reset', '--quiet', '--hard')
    settings(repository, scratch.git())


@contextlib.contextmanager
def scratch(
    repository: Repository, place: Place, governing: Governing
) -> Iterator[Scratch]:
    try:
        directory = tempfile.mkdtemp(prefix='interlock-canary-')
    except OSError as e:
        raise Refusal(
            f'no temporary directory can be made: {e.strerror}', 'df -h'
        ) from None
    try:
        top, file = _layout(directory, place, governing)
        environ = environment(repository.environ)
        if governing.found.given:
            environ['INTERLOCK_CONFIG'] = file
        made = Scratch(
            directory, top, os.path.join(directory, 'remote.git'), file, environ
        )
        _begin(made, repository, place)
        if place.top:
            wire(made, repository, place)
            link_tools(place, top)
        yield made
    except OSError as e:
        raise Refusal(
            f'the scratch clone cannot be made: {e.strerror or e}', 'df -h'
        ) from None
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def workflow_bytes(governing: Governing) -> bytes:
    """The workflow that governs now, committed or not."""
    if governing.found.file:
        return read(governing.found.file) or b''
    head = governing.repository.head()
    tree = governing.repository.tree(head.tree) if head else None
    blob = tree.blob(governing.found.path) if tree else None
    return (blob.data if blob else None) or b''
