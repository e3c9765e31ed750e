"""Where git looks for hooks: the only answer, read from files.

Hooks of clients have no time to start a process. git reads the configuration
of the system, the user, the repository and the worktree, the files that they
include, and its environment. The last `core.hooksPath` wins. Only git knows
whether a condition of `includeIf` holds, so it is asked if that matters.
"""

from __future__ import annotations

import os

from interlock.files.atomic_files import read, read_each
from interlock.git.git_paths import common_dir, git_dir_of
from interlock.model.calling_files import GENERATED, NAMING, PARAMETERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.documents.wiring.git_config import Entry
    from interlock.model.quick_typing import Iterator, Mapping

MAX_INCLUDES = 10
# the other variable that configures git; it has lower precedence
COUNT = 'GIT_CONFIG_COUNT'
# every file that sets `core.hooksPath`, or leads to one that does, contains
# one of these
WORDS = (b'hookspath', b'include', b'worktreeconfig')
HOOKS_PATH = ('core', 'hookspath')
TRUE = ('true', 'yes', 'on', '1', '')


def _system(environ: Mapping[str, str]) -> str:
    """The system file of the git on PATH; `/etc` if git is in `/usr`."""
    given = environ.get('GIT_CONFIG_SYSTEM')
    if given is not None:
        return given
    elif environ.get('GIT_CONFIG_NOSYSTEM', 'false') in TRUE:
        return ''
    for folder in environ.get('PATH', '').split(os.pathsep):
        if folder and os.access(os.path.join(folder, 'git'), os.X_OK):
            real = os.path.realpath(os.path.join(folder, 'git'))
            prefix = os.path.dirname(os.path.dirname(real))
            if prefix not in ('/usr', '/'):
                return os.path.join(prefix, 'etc', 'gitconfig')
            break
    return '/etc/gitconfig'


def users_configs(environ: Mapping[str, str]) -> list[str]:
    """The user's configuration files, which git reads in every repository."""
    given = environ.get('GIT_CONFIG_GLOBAL')
    if given is not None:
        return [given] if given else []
    return default_configs(environ)


def default_configs(environ: Mapping[str, str]) -> list[str]:
    home = environ.get('HOME') or os.path.expanduser('~')
    base = environ.get('XDG_CONFIG_HOME') or os.path.join(home, '.config')
    return [os.path.join(base, 'git', 'config'), os.path.join(home, '.gitconfig')]


class _Config:
    """The configuration of one worktree."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self.home = environ.get('HOME') or os.path.expanduser('~')
        # a file that is included on a condition sets it
        self.is_conditional = False

    def expanded(self, path: str, beside: str) -> str:
        if path == '~' or path.startswith('~/'):
            return os.path.join(self.home, path[2:])
        elif path.startswith('~'):
            return os.path.expanduser(path)
        return os.path.join(os.path.dirname(beside), path)

    def entries(self, file: str, data: bytes | None, depth: int = 0) -> Iterator[Entry]:
        lower = (data or b'').lower()
        if data is None or not any(word in lower for word in WORDS):
            return
        from interlock.documents.wiring.git_config import entries

        for section, key, value in entries(data):
            yield section, key, value
            more = key == 'path' and value and depth < MAX_INCLUDES - 1
            if more and section.startswith('include'):
                path = self.expanded(value, file)
                below = self.entries(path, read(path), depth + 1)
                if section == 'include':
                    yield from below
                elif any(entry[:2] == HOOKS_PATH for entry in below):
                    self.is_conditional = True


def _asked(git_dir: str, environ: Mapping[str, str]) -> str:
    """`core.hooksPath` as git says it, '' if unset."""
    from interlock.git.git import Git

    git = Git({**environ, 'GIT_DIR': git_dir})
    return ''.join(value for _, value in git.settings(r'^core\.hookspath$')[-1:])


def _told_entries(environ: Mapping[str, str]) -> list[str]:
    """The settings of `git -c`, and of the variables that stand for it."""
    text = environ.get(PARAMETERS, '')
    words: list[str] = []
    if text:
        import shlex

        try:
            words = shlex.split(text)
        except ValueError:
            words = []
    count = environ.get(COUNT, '')
    for number in range(min(int(count), 1000) if count.isdigit() else 0):
        key = environ.get(f'GIT_CONFIG_KEY_{number}', '')
        value = environ.get(f'GIT_CONFIG_VALUE_{number}', '')
        words.insert(number, f'{key}={value}')
    return words


def _told_paths(common: str, environ: Mapping[str, str]) -> Iterator[str]:
    """The values of `core.hooksPath` in the variables, and in the file that `init`
    lets git read by them."""
    naming = os.path.join(os.path.realpath(common), NAMING)
    for word in _told_entries(environ):
        key, _, value = word.partition('=')
        if key.lower() == '.'.join(HOOKS_PATH):
            yield value
        elif word.endswith(f'.path={naming}'):
            from interlock.documents.wiring.git_config import entries

            yield from (each for *_, each in entries(read(naming) or b''))


def hooks_path(git_dir: str, common: str, environ: Mapping[str, str]) -> str:
    """`core.hooksPath` as git sees it in a worktree, '' if unset."""
    config = _Config(environ)
    found, own = '', False
    shared = os.path.join(common, 'config')
    files = [*filter(None, (_system(environ), *users_configs(environ))), shared]
    for file, data in zip(files, read_each(files), strict=True):
        for section, key, value in config.entries(file, data):
            if (section, key) == HOOKS_PATH:
                found = value
            elif (section, key) == ('extensions', 'worktreeconfig'):
                own = value.lower() in TRUE
    file = os.path.join(git_dir, 'config.worktree')
    more = config.entries(file, read(file) if own else None)
    for section, key, value in more:
        if (section, key) == HOOKS_PATH:
            found = value
    found = [found, *_told_paths(common, environ)][-1]
    if config.is_conditional:
        found = _asked(git_dir, environ)
    return config.expanded(found, '') if found.startswith('~') else found


def folder_of(top: str, git_dir: str, common: str, environ: Mapping[str, str]) -> str:
    """The folder in which git looks for hooks; in a bare repository `top` is ''."""
    path = hooks_path(git_dir, common, environ)
    # relative to the directory in which hooks run
    return (
        os.path.join(top or git_dir, path) if path else (os.path.join(common, 'hooks'))
    )


def hooks_folder(top: str, environ: Mapping[str, str]) -> str:
    """Like `folder_of`, for a worktree; '' if `top` is not one."""
    git_dir, common = git_dir_of(top), common_dir(top)
    return folder_of(top, git_dir, common, environ) if common else ''


def told_folder(top: str, told: str) -> str:
    """The folder that `GIT_CONFIG_PARAMETERS` sets, '' if it sets none."""
    found = ['', *_told_paths(common_dir(top), {PARAMETERS: told})][-1]
    return os.path.join(top, found) if found else ''


def untold_path(top: str, environ: Mapping[str, str]) -> str:
    """Where git would look for hooks if no variable configured it for one run; a
    relative path counts from the top of each worktree."""
    kept = {each: environ[each] for each in set(environ) - {PARAMETERS, COUNT}}
    common = common_dir(top)
    found = hooks_path(git_dir_of(top), common, kept) if common else ''
    return found or os.path.join(common, 'hooks')


def scripts_folder(directory: str) -> str:
    """The folder in which people write the hooks that git runs from another.

    The scripts that husky generates in a folder call those in its parent.
    """
    above, name = os.path.split(os.path.normpath(directory))
    generated = name == GENERATED and (
        os.path.basename(above) == '.husky'
        or os.path.isfile(os.path.join(directory, 'h'))
    )
    return above if generated else directory


def hook_folders(top: str, environ: Mapping[str, str]) -> list[str]:
    """The folders whose files decide which hooks git runs."""
    folder = hooks_folder(top, environ)
    if not folder:
        return []
    found = dict.fromkeys((folder, scripts_folder(folder)))
    return list(dict.fromkeys(map(os.path.realpath, found)))


def steering_files(
    tops: set[str], environ: Mapping[str, str]
) -> tuple[set[str], set[str]]:
    """The files that configure git for the user, with and without the
    variables that name others, and the hook folders of some worktrees."""
    configs = {*users_configs(environ), *default_configs(environ)}
    folders = {each for top in tops for each in hook_folders(top, environ)}
    return configs, folders
