"""Where git looks for hooks: the one answer, from files alone.

Hooks of clients have no time for a process. git reads the configuration of
the system, of the user, of the repository and of the worktree, what they
include, and its environment; the last `core.hooksPath` wins.
"""

from __future__ import annotations

import os

from interlock.documents.wiring.files import GENERATED
from interlock.files.atomic_files import read, read_each
from interlock.git.git_paths import common_dir, git_dir_of, line_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.documents.wiring.git_config import Entry
    from interlock.model.quick_typing import Iterator, Mapping

MAX_INCLUDES = 10
# in every file that says where hooks are, or that another one says it
WORDS = (b'hookspath', b'include', b'worktreeconfig')
TRUE = ('true', 'yes', 'on', '1', '')


def _system(environ: Mapping[str, str]) -> str:
    """Beside the git that is found; `/etc` for one in `/usr`."""
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
    """The files of the user that git reads in every repository."""
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

    def __init__(self, git_dir: str, environ: Mapping[str, str]) -> None:
        self.git_dir = git_dir
        self.home = environ.get('HOME') or os.path.expanduser('~')

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
            if more and self._includes(section, file):
                path = self.expanded(value, file)
                yield from self.entries(path, read(path), depth + 1)

    def _includes(self, section: str, file: str) -> bool:
        if section == 'include':
            return True
        name, _, condition = section.partition('"')
        kind, _, pattern = condition.rstrip('"').partition(':')
        if name.strip() != 'includeif':
            return False
        elif kind == 'onbranch':
            head = line_of(os.path.join(self.git_dir, 'HEAD'))
            branch = head.removeprefix('ref: refs/heads/')
            return branch != head and _matches(pattern, [branch])
        elif kind in ('gitdir', 'gitdir/i'):
            if pattern.startswith(('~', './')):
                pattern = os.path.normpath(
                    self.expanded(pattern, os.path.realpath(file))
                ) + ('/' if pattern.endswith('/') else '')
            elif not pattern.startswith('/'):
                pattern = f'**/{pattern}'
            places = [self.git_dir, os.path.realpath(self.git_dir)]
            return _matches(pattern, places, kind.endswith('/i'))
        return False


def _matches(pattern: str, texts: list[str], any_case: bool = False) -> bool:
    import re

    if pattern.endswith('/'):
        pattern += '**'
    made = ''
    for part in re.split(r'(\*\*/|/\*\*$|\*\*|\*|\?)', pattern):
        made += {
            '**/': '(?:.*/)?',
            '/**': '(?:/.*)?',
            '**': '.*',
            '*': '[^/]*',
            '?': '[^/]',
        }.get(part, re.escape(part))
    flags = re.IGNORECASE if any_case else 0
    return any(re.fullmatch(made, text, flags) for text in texts)


def _given(environ: Mapping[str, str]) -> Iterator[Entry]:
    """`git -c`, and the variables that stand for it."""
    text = environ.get('GIT_CONFIG_PARAMETERS', '')
    words: list[str] = []
    if text:
        import shlex

        try:
            words = shlex.split(text)
        except ValueError:
            words = []
    count = environ.get('GIT_CONFIG_COUNT', '')
    for number in range(min(int(count), 1000) if count.isdigit() else 0):
        key = environ.get(f'GIT_CONFIG_KEY_{number}', '')
        value = environ.get(f'GIT_CONFIG_VALUE_{number}', '')
        words.insert(number, f'{key}={value}')
    for word in words:
        key, _, value = word.partition('=')
        section, _, name = key.rpartition('.')
        yield section.lower(), name.lower(), value


def configured(git_dir: str, common: str, environ: Mapping[str, str]) -> str:
    """`core.hooksPath` as git sees it in a worktree, '' if it is not set."""
    config = _Config(git_dir, environ)
    found, own = '', False
    shared = os.path.join(common, 'config')
    files = [*filter(None, (_system(environ), *users_configs(environ))), shared]
    for file, data in zip(files, read_each(files), strict=True):
        for section, key, value in config.entries(file, data):
            if (section, key) == ('core', 'hookspath'):
                found = value
            elif (section, key) == ('extensions', 'worktreeconfig'):
                own = value.lower() in TRUE
    file = os.path.join(git_dir, 'config.worktree')
    more = config.entries(file, read(file) if own else None)
    for section, key, value in (*more, *_given(environ)):
        if (section, key) == ('core', 'hookspath'):
            found = value
    return config.expanded(found, '') if found.startswith('~') else found


def folder_of(top: str, git_dir: str, common: str, environ: Mapping[str, str]) -> str:
    """Where git looks for hooks; without a worktree `top` is ''."""
    path = configured(git_dir, common, environ)
    # relative to where hooks run
    return (
        os.path.join(top or git_dir, path) if path else (os.path.join(common, 'hooks'))
    )


def hooks_folder(top: str, environ: Mapping[str, str]) -> str:
    """The same for a worktree, '' if it is not one."""
    git_dir, common = git_dir_of(top), common_dir(top)
    return folder_of(top, git_dir, common, environ) if common else ''


def scripts_folder(directory: str) -> str:
    """Where people write the hooks that git looks for in a folder.

    What husky writes into a folder of its own hands over to the one above.
    """
    above, name = os.path.split(os.path.normpath(directory))
    generated = name == GENERATED and (
        os.path.basename(above) == '.husky'
        or os.path.isfile(os.path.join(directory, 'h'))
    )
    return above if generated else directory


def hook_folders(top: str, environ: Mapping[str, str]) -> list[str]:
    """The folders in which a change would change what git runs."""
    folder = hooks_folder(top, environ)
    if not folder:
        return []
    found = dict.fromkeys((folder, scripts_folder(folder)))
    return list(dict.fromkeys(map(os.path.realpath, found)))


def steering_files(
    tops: set[str], environ: Mapping[str, str]
) -> tuple[set[str], set[str]]:
    """The files that configure git for the user, now or without the variables
    that name others, and the folders of hooks of some worktrees."""
    configs = {*users_configs(environ), *default_configs(environ)}
    folders = {each for top in tops for each in hook_folders(top, environ)}
    return configs, folders
