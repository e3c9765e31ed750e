"""The one list of files by which others call us.

Names only: hooks of clients ask it at every write.
"""

from __future__ import annotations

PRE_COMMIT = 'pre-commit'
PREK = 'prek'
LEFTHOOK = 'lefthook'
HUSKY = 'husky'
# a hook of git that is written by hand
SCRIPT = 'script'
GITHUB = 'github'
GITLAB = 'gitlab'
OTHER_CI = 'ci'
CLIENT = 'client'
# what others run to run us: make, tox, npm
RUNNER = 'runner'

# what says for a framework which hooks there are; where prek finds the first
# it does not read the others
FRAMEWORKS: dict[str, tuple[str, ...]] = {
    PRE_COMMIT: ('.pre-commit-config.yaml',),
    PREK: ('prek.toml', '.pre-commit-config.yaml', '.pre-commit-config.yml'),
    # the first of its names, and the first of those of one person
    LEFTHOOK: tuple(
        f'{name}.{form}'
        for name in (
            'lefthook',
            '.lefthook',
            '.config/lefthook',
            'lefthook-local',
            '.lefthook-local',
            '.config/lefthook-local',
        )
        for form in ('yml', 'yaml', 'json', 'toml')
    ),
}
LOCAL = '-local.'
CI_FILES = {
    '.gitlab-ci.yml': GITLAB,
    '.gitlab-ci.yaml': GITLAB,
    **dict.fromkeys(
        (
            'azure-pipelines.yml',
            'azure-pipelines.yaml',
            'Jenkinsfile',
            'bitbucket-pipelines.yml',
            '.travis.yml',
            '.drone.yml',
            '.woodpecker.yml',
            '.woodpecker.yaml',
            '.cirrus.yml',
            'appveyor.yml',
            '.appveyor.yml',
            '.semaphore/semaphore.yml',
        ),
        OTHER_CI,
    ),
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
# the folder in a folder of hooks that husky writes anew
GENERATED = '_'
# folders of hooks that are committed; git finds them by core.hooksPath
HOOK_FOLDERS = ('.husky/', '.githooks/', '.lefthook/')
SETTINGS = ('.claude/settings.json', '.claude/settings.local.json')
RUNNERS = (
    'Makefile',
    'makefile',
    'GNUmakefile',
    'tox.ini',
    'tox.toml',
    'noxfile.py',
    'package.json',
    'justfile',
    'Justfile',
    'Taskfile.yml',
    'Taskfile.yaml',
    'Rakefile',
    'mise.toml',
    '.mise.toml',
    'pyproject.toml',
    'setup.cfg',
    'composer.json',
    'deno.json',
)
# of git
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
# whose configurations call us, wherever they lie
CALLERS = tuple(
    dict.fromkeys(
        name.rpartition('/')[2] for names in FRAMEWORKS.values() for name in names
    )
)
# as git takes them for pathspecs; runners are left out, which everybody edits
PATHSPECS = (
    *dict.fromkeys(name for names in FRAMEWORKS.values() for name in names),
    *CI_FILES,
    *SETTINGS,
    *HOOK_FOLDERS,
    *CI_FOLDERS,
)


def _is_script(folder: str, name: str) -> bool:
    """`tools/hooks/pre-commit`: core.hooksPath is not a part of a tree."""
    if f'{folder}/'.startswith(HOOK_FOLDERS):
        return True
    return name in HOOK_NAMES and folder.rpartition('/')[2].endswith('hooks')


def kind_of(path: str) -> str:
    """What a file of a tree is, '' if nothing by which we are called."""
    for kind in (PREK, LEFTHOOK):
        if path in FRAMEWORKS[kind]:
            return (
                PREK
                if path.endswith('.toml') and kind == PREK
                else (PRE_COMMIT if kind == PREK else kind)
            )
    if path in SETTINGS:
        return CLIENT
    folder, _, name = path.rpartition('/')
    if not folder and name in RUNNERS:
        return RUNNER
    found = CI_FILES.get(path, '')
    for start, kind in CI_FOLDERS.items() if not found else ():
        if path.startswith(start) and name.endswith(('.yml', '.yaml')):
            found = kind
    if found:
        return found
    return SCRIPT if folder and _is_script(folder, name) else ''
