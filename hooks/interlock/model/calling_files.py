"""The one list of files through which others call us.

It has only names: hooks of clients ask it at every write.
"""

from __future__ import annotations

import os

from interlock.model import clients

PRE_COMMIT = 'pre-commit'
PREK = 'prek'
LEFTHOOK = 'lefthook'
HUSKY = 'husky'
# a hand-written git hook
SCRIPT = 'script'
GITHUB = 'github'
GITLAB = 'gitlab'
OTHER_CI = 'ci'
CI_KINDS = (GITHUB, GITLAB, OTHER_CI)
CLIENT = 'client'
# files of programs that may run us: make, tox, npm
RUNNER = 'runner'

LOCAL = '-local.'
_LEFTHOOK_NAMES = ('lefthook', '.lefthook', '.config/lefthook')
# framework -> its configuration files, in the order in which it looks for them;
# prek reads the first that it finds, lefthook lays a local file over another
FRAMEWORKS: dict[str, tuple[str, ...]] = {
    PRE_COMMIT: ('.pre-commit-config.yaml',),
    PREK: ('prek.toml', '.pre-commit-config.yaml', '.pre-commit-config.yml'),
    LEFTHOOK: tuple(
        f'{name}{dot}{form}'
        for dot in ('.', LOCAL)
        for name in _LEFTHOOK_NAMES
        for form in ('yml', 'yaml', 'json', 'toml')
    ),
}
_OTHER_CI_FILES = (
    'azure-pipelines.yml azure-pipelines.yaml Jenkinsfile bitbucket-pipelines.yml '
    '.travis.yml .drone.yml .woodpecker.yml .woodpecker.yaml .cirrus.yml '
    'appveyor.yml .appveyor.yml .semaphore/semaphore.yml'
)
CI_FILES = {
    '.gitlab-ci.yml': GITLAB,
    '.gitlab-ci.yaml': GITLAB,
    **dict.fromkeys(_OTHER_CI_FILES.split(), OTHER_CI),
}
CI_FOLDERS = {
    '.github/workflows/': GITHUB,
    '.github/actions/': GITHUB,
    '.forgejo/workflows/': GITHUB,
    '.gitea/workflows/': GITHUB,
    '.gitlab/': GITLAB,
    '.gitlab-ci/': GITLAB,
    '.circleci/': OTHER_CI,
    '.woodpecker/': OTHER_CI,
    '.buildkite/': OTHER_CI,
    '.azure-pipelines/': OTHER_CI,
}
# the subfolder that husky generates in a folder of hooks
GENERATED = '_'
# committed folders of hooks; git finds them by core.hooksPath
HOOK_FOLDERS = ('.husky/', '.githooks/', '.lefthook/')
# settings files of agent clients; a name may contain `*`
SETTINGS = tuple(pattern for _, pattern, _ in clients.FILES)
# a file of variables: any program may load it and pass them on
ENV_FILE = '.env'
ENV = 'env'
# the variable that configures git, including its hooks; the last value counts
PARAMETERS = 'GIT_CONFIG_PARAMETERS'
# the file that it lets git read, below the common git directory
NAMING = 'interlock/hooks.config'
# the ends of their names
_ENDS = (ENV_FILE, *{os.path.splitext(pattern)[1] or pattern for pattern in SETTINGS})
RUNNERS = tuple(
    (
        'Makefile makefile GNUmakefile tox.ini tox.toml noxfile.py package.json '
        'justfile Justfile Taskfile.yml Taskfile.yaml Rakefile mise.toml .mise.toml '
        'pyproject.toml setup.cfg composer.json deno.json'
    ).split()
)
# the hooks of git
HOOK_NAMES = (
    'pre-commit',
    'pre-merge-commit',
    'prepare-commit-msg',
    'commit-msg',
    'post-commit',
    'pre-push',
    'pre-receive',
    'update',
)
_CONFIGS = tuple(dict.fromkeys(name for names in FRAMEWORKS.values() for name in names))
# configurations that call us in any folder
CALLERS = tuple(dict.fromkeys(name.rpartition('/')[2] for name in _CONFIGS))


def callers_in(top: str) -> list[str]:
    """The configurations and settings in a folder; a pattern becomes the files that
    match it."""
    found = []
    for name in (*CALLERS, *SETTINGS):
        folder, _, last = os.path.join(top, name).rpartition('/')
        before, star, after = last.partition('*')
        names = os.listdir(folder) if star and os.path.isdir(folder) else []
        fitting = [n for n in names if n.startswith(before) and n.endswith(after)]
        found += [f'{folder}/{each}' for each in fitting or ([] if star else [last])]
    return found


# git pathspecs, without the runners, which everybody edits
PATHSPECS = (*_CONFIGS, *CI_FILES, *SETTINGS, *HOOK_FOLDERS, *CI_FOLDERS)
_KINDS = {
    **dict.fromkeys(FRAMEWORKS[PREK], PRE_COMMIT),
    'prek.toml': PREK,
    **dict.fromkeys(FRAMEWORKS[LEFTHOOK], LEFTHOOK),
    **dict.fromkeys(RUNNERS, RUNNER),
    **CI_FILES,
}


def _is_script(folder: str, name: str) -> bool:
    """Whether it is a git hook by its name: a tree does not show core.hooksPath."""
    if f'{folder}/'.startswith(HOOK_FOLDERS):
        return True
    return name in HOOK_NAMES and folder.rpartition('/')[2].endswith('hooks')


def _fits(path: str, pattern: str) -> bool:
    """Whether a path ends like a pattern, which may contain one `*`."""
    head, star, tail = pattern.rpartition('*')
    if not star:
        return path.endswith(f'/{pattern}')
    folder, _, name = path.rpartition('/')
    return f'{folder}/'.endswith(f'/{head}') and name.endswith(tail)


def shape_of(path: str) -> str:
    """The shape of a file that some client reads, '' for any other file."""
    if not path.endswith(_ENDS):
        return ''
    path = f'/{path.replace(os.sep, "/")}'
    shapes = (shape for _, pattern, shape in clients.FILES if _fits(path, pattern))
    return next(shapes, ENV if path.endswith(f'/{ENV_FILE}') else '')


def is_settings(path: str) -> bool:
    return bool(shape_of(path))


def kind_of(path: str) -> str:
    """The kind of a file of a tree that may call us, '' for any other file."""
    if path in _KINDS:
        return _KINDS[path]
    elif shape_of(path):
        return CLIENT
    folder, _, name = path.rpartition('/')
    for start, kind in CI_FOLDERS.items():
        if path.startswith(start) and name.endswith(('.yml', '.yaml')):
            return kind
    return SCRIPT if folder and _is_script(folder, name) else ''
