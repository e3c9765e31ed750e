"""A scratch clone that is wired like the project, in which anything may be broken.

It shares the project's objects, has copies of its hooks and wiring, and is
deleted when the block ends. The project itself is never written to.
"""

from __future__ import annotations

import os
import shutil
import tempfile

from interlock.doctor.canary.governing import GovernedTree
from interlock.doctor.installation import Installation
from interlock.git.git import Git, GitError
from interlock.git.git_paths import FILE
from interlock.git.hook_folder import scripts_folder
from interlock.git.installed_hooks import read
from interlock.git.parse import text
from interlock.git.repository import Repository
from interlock.git.workflow_source import Governing
from interlock.model.calling_files import PATHSPECS
from interlock.model.change import data_of
from interlock.model.clients import PREFIXES
from interlock.model.errors import Refusal
from interlock.model.overlay import Files
from interlock.model.quick_tools import contextmanager, suppress
from interlock.model.quick_typing import Iterable, Iterator, Mapping, NamedTuple
from interlock.model.session_env import OURS
from interlock.workflow.language.spec import Workflow

BRANCH = 'canary'
REMOTE = 'canary-remote'
# folders from which hooks run tools; linked, because they are large and ignored
TOOLS = ('node_modules', '.venv', 'venv')
# repository settings that affect hooks or their results
SETTINGS = (
    r'^(core\.(hookspath|commentchar|commentstring|autocrlf|eol|longpaths)|'
    r'i18n\.commitencoding|interlock\..*|hook\..*|receive\..*)$'
)


class ScratchClone(NamedTuple):
    # the directory that is removed at the end
    directory: str
    top: str
    remote: str
    # the workflow file that governs here
    file: str
    # the environment for git and its hooks
    environ: Mapping[str, str]

    def git(self, top: str = '', **more: str) -> Git:
        return Git({**self.environ, **more}, top or self.top)

    def quietly(self, *args: str) -> None:
        """Run git without any hooks."""
        nowhere = os.path.join(self.directory, 'no-hooks')
        self.git().run('-c', f'core.hooksPath={nowhere}', *args)

    def write(self, files: Files, top: str = '') -> None:
        for name, content in files.items():
            path = os.path.join(top or self.top, name)
            if content is None:
                with suppress(FileNotFoundError):
                    os.unlink(path)
                continue
            os.makedirs(os.path.dirname(path), exist_ok=True)
            if os.path.islink(path):
                os.unlink(path)
            with open(path, 'wb') as f:
                f.write(content)

    def add(self, names: Iterable[str], top: str = '') -> None:
        data = '\0'.join(names).encode(errors='surrogateescape')
        options = ('--all', '--force', '--pathspec-from-file=-', '--pathspec-file-nul')
        if data:
            self.git(top).run('--literal-pathspecs', 'add', *options, data=data)

    def stage(self, files: Files, top: str = '') -> None:
        self.write(files, top)
        self.add(files, top)

    def commit(self, files: Files, message: str) -> None:
        """Commit without running any hook."""
        self.stage(files)
        self.quietly('commit', '--quiet', '--no-verify', '--allow-empty', '-m', message)

    def link_tools(self, place: Installation, top: str = '') -> None:
        for name in TOOLS:
            source = os.path.join(place.top, name)
            target = os.path.join(top or self.top, name)
            if os.path.isdir(source) and not os.path.lexists(target):
                os.symlink(source, target)

    def copy_server_hooks(self, place: Installation) -> None:
        """Make the remote receive pushes as the project's repository does."""
        _copy(place.hooks, os.path.join(self.remote, 'hooks'))
        for key in ('interlock.breakglass', 'receive.advertisePushOptions'):
            with suppress(GitError):
                value = self.git().line('config', '--get', key)
                self.git(self.remote).run('config', key, value)


def _environment(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment of a person in another repository, even if an agent calls us."""
    dropped = (OURS, *PREFIXES, 'INTERLOCK_LOCKS', 'FORCE_COLOR')
    framework = ('_REF', '_BRANCH', '_NAME', '_URL', 'PRE_COMMIT')
    kept = {
        name: value
        for name, value in environ.items()
        if not name.startswith(dropped)
        and (not name.startswith('GIT_') or name.startswith('GIT_CONFIG_'))
        and not (name.startswith('PRE_COMMIT') and name.endswith(framework))
    }
    for role in ('AUTHOR', 'COMMITTER'):
        kept[f'GIT_{role}_NAME'] = 'interlock doctor'
        kept[f'GIT_{role}_EMAIL'] = 'doctor@localhost'
    return {
        **kept,
        # planted locks must not reach the team's engine
        'INTERLOCK_LOCKS': 'file',
        'NO_COLOR': '1',
        'GIT_TERMINAL_PROMPT': '0',
        'GIT_LFS_SKIP_SMUDGE': '1',
        'GIT_EDITOR': 'true',
    }


def is_below(path: str, folder: str) -> bool:
    inside = os.path.join(os.path.realpath(folder), '')
    return os.path.realpath(path).startswith(inside)


def _copy(source: str, target: str) -> None:
    """Copy a file, or a folder with its links."""
    if os.path.isdir(source):
        shutil.copytree(source, target, symlinks=True, dirs_exist_ok=True)
    elif os.path.isfile(source):
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copy2(source, target)
    for name in os.listdir(target) if os.path.isdir(target) else ():
        path, original = os.path.join(target, name), os.path.join(source, name)
        broken = os.path.islink(path) and not os.path.exists(path)
        if broken and os.path.exists(original):
            # the link points to a file that only the project has
            os.unlink(path)
            os.symlink(os.path.realpath(original), path)


def _copy_settings(repository: Repository, git: Git) -> None:
    try:
        out = repository.git.run('config', '--local', '-z', '--get-regexp', SETTINGS)
    except GitError:
        return
    for entry in out.decode(errors='surrogateescape').split('\0'):
        key, _, value = entry.partition('\n')
        if key:
            git.run('config', '--add', key, value)


def _copy_hooks_path(clone: ScratchClone, place: Installation) -> None:
    """Point a core.hooksPath inside the project to its copy in the clone."""
    if not os.path.isabs(place.configured) and (
        not is_below(place.hooks, place.common_dir)
    ):
        return
    for folder, copy in (
        (place.common_dir, os.path.join(clone.top, '.git')),
        (place.top, clone.top),
    ):
        if folder and is_below(place.hooks, folder):
            hooks, real = os.path.realpath(place.hooks), os.path.realpath(folder)
            target = os.path.join(copy, os.path.relpath(hooks, real))
            _copy(place.hooks, target)
            clone.git().run('config', 'core.hooksPath', target)
            return


def _wiring(repository: Repository, place: Installation) -> Iterator[str]:
    """The files that call us, tracked or not, and files with uncommitted changes."""
    yield from (name.rstrip('/') for name in PATHSPECS)
    if place.below:
        above = os.path.dirname(place.below)
        moved = scripts_folder(place.hooks) != place.hooks
        # the whole folder of the hook manager, but never the whole tree
        yield above if moved and above else place.below
    if repository.head() is not None:
        options = '--name-only -z --no-renames --no-relative --ignore-submodules=all'
        out = repository.git.run('diff-index', *options.split(), 'HEAD', '--')
        for name in text(out).split('\0'):
            if name and not os.path.isdir(os.path.join(place.top, name)):
                yield name


def _files(folder: str, name: str) -> Iterator[str]:
    path = os.path.join(folder, name)
    if os.path.isdir(path) and not os.path.islink(path):
        for directory, _, names in os.walk(path):
            for each in names:
                yield os.path.relpath(os.path.join(directory, each), folder)
    elif os.path.lexists(path):
        yield name


def _mirror(source: str, target: str) -> None:
    """Replace the target with a copy; remove it if the project has no such file."""
    if os.path.isdir(target) and not os.path.islink(target):
        shutil.rmtree(target)
    elif os.path.lexists(target):
        os.unlink(target)
    _copy(source, target)


def _wire(clone: ScratchClone, repository: Repository, place: Installation) -> None:
    """Copy the installed hooks, and the files that they read."""
    _copy(place.own_hooks, os.path.join(clone.top, '.git', 'hooks'))
    _copy_hooks_path(clone, place)
    copied: dict[str, None] = {}
    for name in _wiring(repository, place):
        before = [*_files(clone.top, name)]
        _mirror(os.path.join(place.top, name), os.path.join(clone.top, name))
        copied.update(dict.fromkeys((*before, *_files(clone.top, name))))
    exclude = os.path.join(clone.top, '.git', 'info', 'exclude')
    os.makedirs(os.path.dirname(exclude), exist_ok=True)
    with open(exclude, 'a', encoding='UTF-8') as f:
        f.writelines(f'/{name}\n' for name in TOOLS)
    clone.add(copied)
    clone.link_tools(place)


def _layout(
    directory: str, place: Installation, governing: Governing
) -> tuple[str, str]:
    """Where to put the clone and the workflow, arranged as in the project."""
    space = os.path.join(directory, 'space')
    top, file = os.path.join(space, 'main'), governing.found.file
    if not file or not place.top or is_below(file, place.top):
        return top, os.path.join(top, governing.found.path or FILE)
    below = os.path.relpath(place.top, os.path.dirname(os.path.abspath(file)))
    if not below.startswith('..'):
        top = os.path.join(space, below)
    return top, os.path.join(space, os.path.basename(file))


def _share_objects(git_dir: str, *others: str) -> None:
    path = os.path.join(git_dir, 'objects', 'info', 'alternates')
    with open(path, 'w', encoding='UTF-8', errors='surrogateescape') as f:
        f.writelines(f'{each}\n' for each in others)


def _init(clone: ScratchClone, repository: Repository, place: Installation) -> None:
    objects = os.path.join(place.common_dir, 'objects')
    own = os.path.join(clone.top, '.git')
    format_ = repository.git.line('rev-parse', '--show-object-format')
    os.makedirs(clone.top)
    for where, bare in ((clone.top, ()), (clone.remote, ('--bare',))):
        clone.git(clone.directory).run(
            'init',
            '--quiet',
            '--template=',
            f'--object-format={format_}',
            f'--initial-branch={BRANCH}',
            *bare,
            where,
        )
    _share_objects(own, objects)
    _share_objects(clone.remote, objects, os.path.join(own, 'objects'))
    head = repository.head()
    if head is not None:
        clone.git().run('update-ref', f'refs/heads/{BRANCH}', head.oid)
        clone.quietly('reset', '--quiet', '--hard')
    _copy_settings(repository, clone.git())


@contextmanager
def scratch_clone(place: Installation, governing: Governing) -> Iterator[ScratchClone]:
    repository = governing.repository
    try:
        directory = tempfile.mkdtemp(prefix='interlock-canary-')
    except OSError as e:
        raise Refusal(
            f'cannot make a temporary directory: {e.strerror}', 'df -h'
        ) from None
    try:
        top, file = _layout(directory, place, governing)
        environ = _environment(repository.environ)
        if governing.found.given:
            environ['INTERLOCK_CONFIG'] = file
        remote = os.path.join(directory, 'remote.git')
        clone = ScratchClone(directory, top, remote, file, environ)
        _init(clone, repository, place)
        if place.top:
            _wire(clone, repository, place)
        yield clone
    except OSError as e:
        raise Refusal(
            f'cannot make the scratch clone: {e.strerror or e}', 'df -h'
        ) from None
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def workflow_bytes(governing: Governing) -> bytes:
    """The workflow that governs now, committed or not."""
    if governing.found.file:
        return read(governing.found.file) or b''
    repository = governing.repository
    head = repository.tree_of(repository.head())
    return data_of(head, governing.found.path) or b''


def governed_by(governing: Governing, workflow: Workflow) -> GovernedTree:
    top = governing.repository.facts.top
    found, path = governing.found, workflow.path
    inside = not found.file or bool(top and is_below(found.file, top))
    fixed = found.given or not path or not inside
    baseline = os.path.join(top, workflow.baseline) if path and top else ''
    return GovernedTree(
        workflow,
        None if fixed else workflow_bytes(governing),
        read(baseline) if baseline else None,
    )


def governing_files(place: Installation, governed: GovernedTree) -> Files:
    """The workflow file as it is in the project, committed or not."""
    workflow = governed.workflow
    found = {
        **{name: place.read(name) for name in workflow.extended},
        workflow.path: governed.file,
        workflow.baseline: governed.baseline,
    }
    return {name: data for name, data in found.items() if data is not None}
