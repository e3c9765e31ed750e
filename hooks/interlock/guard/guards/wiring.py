"""Files that make git or the client call us, and the workflow file."""

from __future__ import annotations

import os

from interlock.documents.wiring import files as wiring_files
from interlock.documents.wiring.claude_settings import (
    FOLDER,
    LOCAL,
    SHARED,
    is_settings,
)
from interlock.documents.wiring.git_config import steering
from interlock.files.atomic_files import read
from interlock.git.hook_folder import hook_folders
from interlock.guard.decision import Objection
from interlock.guard.file_write import Write, is_below
from interlock.guard.relevance import (
    CALLERS,
    git_configs,
    git_folder,
    in_cache,
    inside,
    is_hook,
    is_pipeline,
    is_program,
    is_startup,
)
from interlock.model.schemas import PACKAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.guard.context import Scene

HINT = 'ask the user; interlock doctor shows what calls us'
# in a git directory: what is run, what moves a branch past the hooks, and
# what says where all of it is
FIXED = (
    'hooks',
    'refs',
    'HEAD',
    'packed-refs',
    'objects',
    'index',
    'commondir',
    'gitdir',
    'info/grafts',
    'shallow',
)
CONFIGS = ('config', 'config.worktree')
OURS = 'interlock'
INSTALLED = 'site-packages'
# what changes files where they are; others only put something beside them
CHANGING = ('chmod', 'chown', 'chgrp', 'chattr', 'setfacl')


def _kept(scene: Scene, how: str) -> list[str]:
    """What must not go, or be changed, with a whole directory."""
    tops = {scene.base, scene.top} - {''}
    found = [
        *(os.path.join(top, name) for top in tops for name in CALLERS),
        *(os.path.join(top, FOLDER, name) for top in tops for name in (SHARED, LOCAL)),
    ]
    if how.startswith('git '):
        # it never touches its own directory
        return found
    hooks = hook_folders(scene.top, scene.event.environ) if (scene.top) else []
    return [scene.state, *hooks, *found]


def is_tracked(scene: Scene, path: str) -> bool:
    from interlock.git.git import Git, GitError

    try:
        Git(scene.event.environ).run(
            '-C', os.path.dirname(path), 'ls-files', '--error-unmatch', '--', path
        )
    except GitError:
        return False
    return True


def _of_tree(scene: Scene, write: Write) -> Objection | None:
    if not write.removed and not write.how.startswith(CHANGING):
        return None
    for path in _kept(scene, write.how):
        if not is_below(path, write.real) or not os.path.lexists(path):
            continue
        is_git = write.how == 'git clean'
        if is_git and is_tracked(scene, path):
            continue
        what = 'remove' if write.removed else 'change'
        return Objection(
            'CLD003',
            f'this would {what} {path}, which makes git or the client call Interlock',
            HINT,
            ask=is_git,
        )
    return None


def _of_git(scene: Scene, write: Write, path: str) -> Objection | None:
    folder = git_folder(path)
    if not folder and is_below(path, scene.state):
        folder = scene.state
    if not folder:
        return None
    first, *others = os.path.relpath(path, folder).split(os.sep)
    if first == 'worktrees' and len(others) > 1:
        first = others[1]
    if first == '.':
        # the pointer of a linked worktree is a file
        return Objection('CLD003', f'{path} is the repository', HINT)
    elif first == OURS:
        return Objection('CLD003', f'{path} is what Interlock keeps for itself', HINT)
    elif first in FIXED or '/'.join((first, *others)) in FIXED:
        return Objection(
            'CLD003',
            f'{path} is run by git, or moves a branch past what git runs',
            HINT,
        )
    return _of_config(write, path) if first in CONFIGS else None


def _of_config(write: Write, path: str) -> Objection | None:
    if (
        not write.removed
        and write.new is not None
        and (steering(write.new) == steering(read(path)))
    ):
        return None
    return Objection('CLD003', f'{path} says which hooks git runs', HINT)


def _of_settings(write: Write, path: str) -> Objection | None:
    from interlock.documents.wiring.claude_settings import switched_off

    if write.kept:
        return None
    elif write.removed or write.new is not None:
        why = switched_off(read(path), write.new)
    else:
        why = 'nobody can say whether it would still call us'
    return Objection('CLD003', f'{path}: {why}', HINT) if why else None


def _of_caller(write: Write, path: str) -> Objection | None:
    if write.kept:
        return None
    old = read(path) or b''
    if b'interlock' not in old:
        return _of_person(write, path)
    elif write.removed or write.new is None:
        why = 'is removed' if write.removed else 'is rewritten'
        return Objection('CLD003', f'{path} calls us, and {why}', HINT)
    elif _entries(old) != _entries(write.new) or _is_lost(write, path):
        return Objection(
            'CLD003', f'{path} would no longer call us as it does now', HINT
        )
    return None


def _framework_files(path: str) -> tuple[str, dict[str, bytes | None]]:
    """The name of a file among those that a framework reads together."""
    top, name = os.path.split(path)
    if os.path.basename(top) == '.config':
        top, name = os.path.dirname(top), f'.config/{name}'
    kind = wiring_files.kind_of(name)
    names = wiring_files.FRAMEWORKS.get(kind, (name,))
    return name, {each: read(os.path.join(top, each)) for each in names}


def _is_lost(write: Write, path: str) -> bool:
    """Whether a framework would no longer call us at some hook."""
    from interlock.documents.wiring.calls import in_files, lost

    name, files = _framework_files(path)
    new = None if write.removed else write.new
    return bool(lost(in_files(files), in_files({**files, name: new})))


def _of_person(write: Write, path: str) -> Objection | None:
    """A file that one person lays over that of all, by which we are called;
    it need not name us to switch us off."""
    name, files = _framework_files(path)
    if (
        wiring_files.LOCAL not in name
        or write.removed
        or not any(b'interlock' in (data or b'') for data in files.values())
    ):
        return None
    elif write.new is None:
        return Objection(
            'CLD003', f'{path} may switch off what calls us', HINT, ask=True
        )
    elif _is_lost(write, path):
        return Objection('CLD003', f'{path} would switch off what calls us', HINT)
    return None


def _of_pipeline(write: Write, path: str, name: str) -> Objection | None:
    if write.kept:
        return None
    from interlock.documents.wiring.calls import in_file, lost

    old = in_file(name, read(path)).at
    new = None if write.removed else write.new
    if lost(old, in_file(name, new).at):
        return Objection(
            'CLD003', f'{path} would no longer call us so that its failure counts', HINT
        )
    return None


# what hides files from all hooks, and at which events they run
FILTERS = ('files', 'exclude', 'default_stages', 'default_install_hook_types')


def _entries(data: bytes) -> object:
    """Our part of a configuration, with what filters all of it."""
    from interlock.documents import yaml
    from interlock.model.errors import Unreadable

    try:
        config = yaml.value(yaml.parse(data.decode()))
    except (UnicodeDecodeError, Unreadable):
        # TOML, or nothing that can be read: our lines as they are
        return [line for line in data.splitlines() if b'interlock' in line]
    if not isinstance(config, dict):
        return None
    repos = config.get('repos')
    ours = [
        repo
        for repo in (repos if isinstance(repos, list) else ())
        if 'interlock' in str(repo)
    ]
    return ours, [config.get(key) for key in FILTERS]


def _of_workflow(scene: Scene, write: Write, path: str) -> Objection | None:
    name = inside(scene, path)
    own = (scene.path, *scene.raw.get('extended', ()))
    if name in own or os.path.basename(name).startswith('.interlock'):
        what = 'remove' if write.removed else 'change'
        return Objection(
            'CLD004', f'this would {what} {name}, which says what is judged', ask=True
        )
    return None


def _of_ourselves(scene: Scene, write: Write, path: str) -> Objection | None:
    if in_cache(scene.event.environ, path):
        return Objection('CLD003', f'{path} is what Interlock keeps for itself', HINT)
    # whoever develops Interlock has it in the project
    developed = is_below(PACKAGE, scene.base) and INSTALLED not in PACKAGE
    if (is_below(path, PACKAGE) and not developed) or (
        # hooks refuse where it is missing
        is_program(scene.event.environ, path) and not write.removed
    ):
        return Objection('CLD003', f'{path} is Interlock itself', HINT)
    elif (
        is_startup(scene.event.environ, path)
        and not write.removed
        and (write.new is None or b'HUSKY' in write.new or b'exit' in write.new)
    ):
        return Objection('CLD003', f'{path} is read by husky before each hook', HINT)
    return None


def judge(scene: Scene, write: Write) -> Objection | None:
    if write.tree:
        objection = _of_tree(scene, write)
        if objection:
            return objection
    for path in write.places:
        objection = _of_git(scene, write, path)
        if objection is None and path in git_configs(scene.event.environ):
            objection = _of_config(write, path)
        if objection is None and is_settings(path):
            objection = _of_settings(write, path)
        if objection is None and os.path.basename(path) in CALLERS:
            objection = _of_caller(write, path)
        if objection is None and is_pipeline(scene, path):
            objection = _of_pipeline(write, path, inside(scene, path))
        objection = objection or _of_ourselves(scene, write, path)
        objection = objection or _of_workflow(scene, write, path)
        if objection is None and is_hook(scene, path):
            objection = Objection('CLD003', f'{path} is a hook that git runs', HINT)
        if objection:
            return objection
    return None
