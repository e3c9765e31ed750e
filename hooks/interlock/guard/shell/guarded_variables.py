"""Variables that say who acts, and those that switch hooks off."""

from __future__ import annotations

from interlock.guard.shell.effects import Git, Poses, Runs, Skips, Unknown
from interlock.guard.shell.placeholders import is_known, shown
from interlock.guard.shell.state import State

# what hooks are told by Claude Code, and read
POSING = frozenset(
    (
        'CLAUDECODE',
        'CLAUDE_CODE_SESSION_ID',
        'CLAUDE_CODE_ENTRYPOINT',
        'CLAUDE_PROJECT_DIR',
        'CLAUDE_PLUGIN_ROOT',
        'CLAUDE_ENV_FILE',
        'CLAUDE_SESSION_ID',
        'CLAUDE_AGENT_ID',
    )
)
# name -> the values that switch hooks off; none named: any that is not empty
SKIPPING: dict[str, tuple[str, ...]] = {
    'SKIP': (),
    'PREK_SKIP': (),
    'HUSKY': ('0',),
    'HUSKY_SKIP_HOOKS': (),
    'LEFTHOOK': ('0', 'false'),
    'LEFTHOOK_EXCLUDE': (),
    'PRE_COMMIT_ALLOW_NO_CONFIG': (),
    'PREK_ALLOW_NO_CONFIG': (),
    'GIT_EXEC_PATH': (),
    # other commits in the place of those that are there, other hooks
    'GIT_REPLACE_REF_BASE': (),
    'GIT_TEMPLATE_DIR': (),
}
# commands that git starts
STARTED = (
    'GIT_EDITOR',
    'GIT_SEQUENCE_EDITOR',
    'EDITOR',
    'VISUAL',
    'GIT_PAGER',
    'GIT_SSH_COMMAND',
    'GIT_EXTERNAL_DIFF',
    'GIT_ASKPASS',
)
NO_VERIFY = '--no-verify'
# words that have other meanings too: only where git is called
COMMON = ('SKIP', 'PREK_SKIP')


def is_posing(name: str) -> bool:
    return name.startswith('INTERLOCK_') or name in POSING


def is_config(name: str) -> bool:
    return name == 'GIT_CONFIG' or name.startswith('GIT_CONFIG_')


def skips(name: str, value: str) -> bool:
    if is_config(name):
        return True
    if name not in SKIPPING or not value:
        return False
    if name in COMMON and is_known(value):
        return any(_is_of_ours(name, word) for word in value.split(','))
    wanted = SKIPPING[name]
    return not wanted or not is_known(value) or value.lower() in wanted


def _is_of_ours(name: str, word: str) -> bool:
    """A hook by its id; prek knows projects and patterns, too."""
    return 'interlock' in word or (
        name != 'SKIP' and any(sign in word for sign in '/:*.')
    )


def says_skip(text: str) -> bool:
    """Options that somebody passes on to git."""
    words = text.split()
    return text[:1] == '-' and any(is_no_verify(word) for word in words)


def is_no_verify(word: str) -> bool:
    """What git cannot tell apart, `--no-v`, it refuses itself."""
    return len(word) > 5 and NO_VERIFY.startswith(word)


def changed(state: State, name: str, value: str, how: str) -> None:
    """A variable of the environment of what follows."""
    if is_posing(name):
        state.add(Poses(name, how))
    elif skips(name, value) or says_skip(value):
        state.add(Skips(f'{name}={shown(value)}'))


def passed(state: State, how: str, name: str, value: str) -> None:
    """A variable that a program passes on to what it runs."""
    if name in COMMON and not skips(name, value):
        return
    changed(state, name, value, how)


def removed(state: State, name: str, how: str) -> None:
    if is_posing(name):
        state.add(Poses(name, how))


def given(state: State, name: str, value: str, how: str, count: int) -> None:
    """A variable for one command, whose effects came after `count`."""
    done = state.since(count)
    if name in COMMON and not any(_may_commit(each) for each in done):
        return
    if (
        is_config(name)
        and done
        and all(isinstance(each, Git) and not each.writes for each in done)
    ):
        return
    if name in STARTED and any(isinstance(each, Git) for each in done):
        state.child().text(value)
    changed(state, name, value, how)


def _may_commit(effect: object) -> bool:
    """git that changes something, or a script that may call it."""
    if isinstance(effect, Git):
        return effect.writes or effect.subcommand == 'push'
    if isinstance(effect, Runs):
        return effect.program.endswith('sh')
    return isinstance(effect, Unknown)


def dropped(state: State, how: str, count: int) -> None:
    """A wrapper that gives its command another environment."""
    for effect in state.since(count):
        ours = isinstance(effect, Runs) and (effect.program.startswith('interlock'))
        if ours or (isinstance(effect, Git) and effect.commits):
            state.add(Poses('CLAUDECODE', how))
            return
