"""Files that make git or the client call us, and the workflow file."""
from __future__ import annotations

import os

from interlock.claude.concern import CALLERS
from interlock.claude.concern import git_configs
from interlock.claude.concern import git_folder
from interlock.claude.concern import inside
from interlock.claude.concern import is_hook
from interlock.claude.launcher import PACKAGE
from interlock.claude.objection import Objection
from interlock.claude.write import is_below
from interlock.claude.write import Write
from interlock.documents.client_settings import FOLDER
from interlock.documents.client_settings import is_settings
from interlock.documents.client_settings import LOCAL
from interlock.documents.client_settings import SHARED
from interlock.documents.git_config import steering
from interlock.world.files import read
from interlock.world.place import hooks_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.claude.scene import Scene

HINT = 'ask the user; interlock doctor shows what calls us'
# in a git directory: what is run, what moves a branch past the hooks, and
# what says where all of it is
FIXED = (
    'hooks', 'refs', 'HEAD', 'packed-refs', 'objects', 'index', 'commondir',
    'gitdir',
)
CONFIGS = ('config', 'config.worktree')
OURS = 'interlock'
# what changes files where they are; others only put something beside them
CHANGING = ('chmod', 'chown', 'chgrp', 'chattr', 'setfacl')


def _kept(scene: Scene, how: str) -> list[str]:
    """What must not go, or be changed, with a whole directory."""
    tops = {scene.base, scene.top} - {''}
    found = [
        *(os.path.join(top, name) for top in tops for name in CALLERS),
        *(os.path.join(top, FOLDER, name) for top in tops
          for name in (SHARED, LOCAL)),
    ]
    if how.startswith('git '):
        # it never touches its own directory
        return found
    hooks = hooks_path(scene.state, scene.top) if scene.top else ''
    return [scene.state, *([hooks] if hooks else ()), *found]


def _is_touched(scene: Scene, write: Write, path: str) -> bool:
    """Whether a command of git that names a directory reaches a file."""
    from interlock.world.git import Git
    from interlock.world.git import GitError

    git = Git(scene.event.environ)
    where = ('-C', os.path.dirname(path))
    try:
        git.run(*where, 'ls-files', '--error-unmatch', '--', path)
    except GitError:
        return write.how == 'git clean'
    if write.how == 'git clean':
        return False
    try:
        git.run(*where, 'diff', '--quiet', 'HEAD', '--', path)
    except GitError:
        return True
    return False


def _of_tree(scene: Scene, write: Write) -> Objection | None:
    if not write.removed and not write.how.startswith(('git ', *CHANGING)):
        return None
    for path in _kept(scene, write.how):
        if not is_below(path, write.real) or not os.path.lexists(path):
            continue
        is_git = write.how.startswith('git ')
        if is_git and not _is_touched(scene, write, path):
            continue
        what = 'remove' if write.removed else 'change'
        return Objection(
            'CLD003', f'this would {what} {path}, which makes git or the '
            f'client call Interlock', HINT, ask=is_git,
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
        return Objection(
            'CLD003', f'{path} is what Interlock keeps for itself', HINT,
        )
    elif first in FIXED:
        return Objection(
            'CLD003', f'{path} is run by git, or moves a branch past what '
            f'git runs', HINT,
        )
    return _of_config(write, path) if first in CONFIGS else None


def _of_config(write: Write, path: str) -> Objection | None:
    if not write.removed and write.new is not None and (
            steering(write.new) == steering(read(path))
    ):
        return None
    return Objection('CLD003', f'{path} says which hooks git runs', HINT)


def _of_settings(write: Write, path: str) -> Objection | None:
    from interlock.documents.client_settings import switched_off

    if write.removed or write.new is not None:
        why = switched_off(read(path), write.new)
    else:
        why = 'nobody can say whether it would still call us'
    return Objection('CLD003', f'{path}: {why}', HINT) if why else None


def _of_caller(write: Write, path: str) -> Objection | None:
    old = read(path) or b''
    if b'interlock' not in old:
        return None
    elif write.removed or write.new is None:
        why = 'is removed' if write.removed else 'is rewritten'
        return Objection('CLD003', f'{path} calls us, and {why}', HINT)
    elif b'interlock' not in write.new or _entries(old) != _entries(
            write.new,
    ):
        return Objection(
            'CLD003', f'{path} would no longer call us as it does now', HINT,
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
        repo for repo in (repos if isinstance(repos, list) else ())
        if 'interlock' in str(repo)
    ]
    return ours, [config.get(key) for key in FILTERS]


def _of_workflow(scene: Scene, write: Write, path: str) -> Objection | None:
    name = inside(scene, path)
    own = (scene.path, *scene.raw.get('extended', ()))
    if name in own or os.path.basename(name).startswith('.interlock'):
        what = 'remove' if write.removed else 'change'
        return Objection(
            'CLD004',
            f'this would {what} {name}, which says what is judged', ask=True,
        )
    return None


def _of_ourselves(scene: Scene, path: str) -> Objection | None:
    # whoever develops Interlock has it in the project
    if is_below(path, PACKAGE) and not is_below(PACKAGE, scene.base):
        return Objection('CLD003', f'{path} is Interlock itself', HINT)
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
        objection = objection or _of_ourselves(scene, path)
        objection = objection or _of_workflow(scene, write, path)
        if objection is None and is_hook(path):
            objection = Objection(
                'CLD003', f'{path} is a hook that git runs', HINT,
            )
        if objection:
            return objection
    return None
