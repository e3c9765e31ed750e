"""Programs that commit for somebody, and those that manage hooks."""

from __future__ import annotations

import re

from interlock.guard.shell.effects import Skips
from interlock.guard.shell.guarded_variables import NO_VERIFY, is_no_verify, says_skip
from interlock.guard.shell.options import Options
from interlock.guard.shell.state import Shell
from interlock.guard.shell.words import ANY, shown

# tools that make commits, besides those whose name says it
TOOLS = frozenset(
    'lerna cz git-cz commitizen np changeset changesets tbump bumpp gt stg gs git-spice '
    'git-town jj sl gitmoji cog koji oco hub lint-staged auto jgit'.split()
)
PARTS = ('commit', 'release', 'version', 'bump', 'push', 'ship')
# --no-verify means something else to them: what is published is not built first
OTHERS = frozenset(
    'cargo vsce ovsx helm wasm-pack twine gem flutter dart pip pip3 docker podman '
    'kubectl cosign gcloud aws az wget http https pod mvn gradle rustup'.split()
)
HOOKLESS = ('--no-commit-hooks', '--commit-hooks=false', '--no-hooks')
# `-n` is --no-verify to them
SHORT = ('standard-version', 'commit-and-tag-version')


def is_committing(name: str) -> bool:
    return name in TOOLS or any(part in name.lower() for part in PARTS)


def _skips(name: str, word: str) -> bool:
    # `release[--no-verify]`, but not a sentence that mentions it
    parts = re.split(r'[^\w-]+', word) if ' ' not in word else []
    return (
        is_no_verify(word)
        or word in HOOKLESS
        or says_skip(word.partition('=')[2])
        or NO_VERIFY in parts
        or (word == '-n' and name in SHORT)
    )


def passes_on(shell: Shell, name: str, args: list[str]) -> None:
    """A program other than git that is told to leave the hooks out."""
    for word in args if name not in OTHERS else ():
        if _skips(name, word):
            if is_committing(name):
                shell.add(Skips(f'{name} {shown(word)}'))
            else:
                shell.unknown(f'`{name}` may pass {shown(word)} on to git')
            return


def hook_manager(shell: Shell, name: str, options: Options) -> str:
    """pre-commit, prek, husky, lefthook: what takes the hooks away."""
    verb = ''.join(options.operands[:1])
    if verb == 'install' and options.has('-f -c --overwrite --force --config'):
        shell.unknown(f'`{name} install` may put other hooks in their place')
    if verb in ('uninstall', 'uninit'):
        shell.add(Skips(f'{name} {verb}'))
    return ANY


def client(shell: Shell, name: str, options: Options) -> str:
    """Another Claude Code, or the plugins of this one."""
    if options.has('--settings --setting-sources --bare'):
        shell.unknown(f'`{name}` is started with other settings')
    verb = ' '.join(options.operands[:2])
    if re.fullmatch('plugins? (disable|uninstall|remove|rm)', verb):
        shell.add(Skips(f'{name} {verb}'))
    return ANY
