"""Programs that commit for somebody, and pass `--no-verify` on to git."""

from __future__ import annotations

import re

from interlock.guard.shell.effects import Skips
from interlock.guard.shell.guarded_variables import NO_VERIFY, is_no_verify, says_skip
from interlock.guard.shell.placeholders import shown
from interlock.guard.shell.state import State

# tools that make commits, besides those whose name says it
TOOLS = frozenset(
    (
        'lerna',
        'cz',
        'git-cz',
        'commitizen',
        'np',
        'changeset',
        'changesets',
        'tbump',
        'bumpp',
        'gt',
        'stg',
        'gs',
        'git-spice',
        'git-town',
        'jj',
        'sl',
        'gitmoji',
        'cog',
        'koji',
        'oco',
        'hub',
        'lint-staged',
        'auto',
        'jgit',
    )
)
PARTS = ('commit', 'release', 'version', 'bump', 'push', 'ship')
# with them it means something else: what is published is not built first
OTHERS = frozenset(
    (
        'cargo',
        'vsce',
        'ovsx',
        'helm',
        'wasm-pack',
        'twine',
        'gem',
        'flutter',
        'dart',
        'pip',
        'pip3',
        'docker',
        'podman',
        'kubectl',
        'cosign',
        'gcloud',
        'aws',
        'az',
        'wget',
        'http',
        'https',
        'pod',
        'mvn',
        'gradle',
        'rustup',
    )
)
HOOKLESS = ('--no-commit-hooks', '--commit-hooks=false', '--no-hooks')
# of two of the tools
SHORT = ('standard-version', 'commit-and-tag-version')


def is_committing(name: str) -> bool:
    return name in TOOLS or any(part in name.lower() for part in PARTS)


def _found(name: str, args: list[str]) -> str:
    for word in args:
        value = word.partition('=')[2]
        # `release[--no-verify]`, but no sentence that speaks of it
        parts = re.split(r'[^\w-]+', word) if ' ' not in word else []
        if (
            is_no_verify(word)
            or word in HOOKLESS
            or says_skip(value)
            or (NO_VERIFY in parts)
        ):
            return word
        if word == '-n' and name in SHORT:
            return word
    return ''


def passes_on(state: State, name: str, args: list[str]) -> None:
    """A program that is no git, and is told to leave the hooks out."""
    word = _found(name, args) if name not in OTHERS else ''
    if not word:
        return
    if is_committing(name):
        state.add(Skips(f'{name} {shown(word)}'))
    else:
        state.unknown(f'`{name}` may pass {shown(word)} on to git')
