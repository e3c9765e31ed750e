"""What says who acts, and what switches hooks off: variables and options."""

from __future__ import annotations

from interlock.guard.shell.effects import Effect, Git, Poses, Runs, Skips, Unknown
from interlock.guard.shell.state import Shell
from interlock.guard.shell.words import is_known, shown
from interlock.model import clients
from interlock.model import quick_re as re
from interlock.model.quick_typing import Iterable

# what clients tell hooks, and they read
POSING = frozenset((*clients.VARIABLES, *clients.PLUGINS))
# name -> the values that switch hooks off; none named: any that is not empty
SKIPPING = {
    'HUSKY': ('0',),
    'LEFTHOOK': ('0', 'false'),
    # the last three: other commits instead of the real ones, other hooks
    **dict.fromkeys(
        'SKIP PREK_SKIP HUSKY_SKIP_HOOKS LEFTHOOK_EXCLUDE PRE_COMMIT_ALLOW_NO_CONFIG '
        'PREK_ALLOW_NO_CONFIG GIT_EXEC_PATH GIT_REPLACE_REF_BASE '
        'GIT_TEMPLATE_DIR GIT_COMMON_DIR'.split(),
        (),
    ),
}
# commands that git starts
STARTED = frozenset(
    'GIT_EDITOR GIT_SEQUENCE_EDITOR EDITOR VISUAL GIT_PAGER GIT_SSH_COMMAND '
    'GIT_EXTERNAL_DIFF GIT_ASKPASS PAGER SSH_ASKPASS'.split()
)
# scripts that a shell reads when it starts
SOURCED = ('BASH_ENV', 'ENV')
# what a shell shows, and runs the commands in it
PROMPTS = ('PS0', 'PS1', 'PS2', 'PS4')
# where clients look for settings, and for what the user trusts
HOMES = ('HOME', 'XDG_CONFIG_HOME')
# parts of the names of a client's variables that say which settings it reads
SETTINGS = tuple('SAFE SIMPLE BARE PURE CONFIG SETTINGS HOOK PLUGIN'.split())
# programs that ask who acts: our own, and clients that an agent may start
ACTING = ('interlock', *(program for program, *_ in clients.PROGRAMS))
NO_VERIFY = '--no-verify'
# words that have other meanings too: they count only where git is called
COMMON = ('SKIP', 'PREK_SKIP')

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
# code that names one of these means to get past the hooks
TELLING = (NO_VERIFY, 'hooksPath', 'hookspath', 'GIT_CONFIG_', 'pygit2', 'dulwich')
# `git commit -nm x` in a string, and `'-n'` among the words of a commit
SHORT_NO_VERIFY = re.compile(
    r"""\bgit\s+(?:-\S+\s+)*commit\s[^;\n'"]*?(?<=\s)(-[a-mo-zA-Z]*n[a-z]*)\b"""
    r"""|['"](-a?nm?)['"]"""
)
# what only a person may run, the same
PERSONAL = re.compile(
    r"""\binterlock['", ([]+(?:approve|uninstall|lock['", ]+restore)\b"""
    r"""|\binterlock\.commands\b[^$]{0,200}?['"](?:approve|uninstall|restore)['"]"""
)
# code that is run, and hidden
HIDDEN = re.compile(
    r'\b(?:exec|execSync|eval|system|run|call|popen|Popen|spawn\w*|Function)\b'
    r'[^\n;]{0,80}?'
    r"""(?:b64decode|decode_?64|decode_base64|base64['"]|atob|fromhex|unhexlify|"""
    r'decompress|fromCharCode|rot_?13)'
)
# each with a word without which it is not found
SIGNS = (('commit', SHORT_NO_VERIFY), ('interlock', PERSONAL), ('', HIDDEN))
# `-n` is --no-verify to them
SHORT = ('standard-version', 'commit-and-tag-version')


def is_posing(name: str) -> bool:
    return name.startswith('INTERLOCK_') or name in POSING


def _is_config(name: str) -> bool:
    return name == 'GIT_CONFIG' or name.startswith('GIT_CONFIG_')


def _skips(name: str, value: str) -> bool:
    if _is_config(name):
        return True
    if name not in SKIPPING or not value:
        return False
    if name in COMMON and is_known(value):
        return any(_is_of_ours(name, word) for word in value.split(','))
    wanted = SKIPPING[name]
    return not wanted or not is_known(value) or value.lower() in wanted


def _is_of_ours(name: str, word: str) -> bool:
    """A hook by its id; prek accepts projects and patterns, too."""
    return 'interlock' in word or (
        name != 'SKIP' and any(sign in word for sign in '/:*.')
    )


def says_skip(text: str) -> bool:
    """Options that a program passes on to git."""
    return text[:1] == '-' and any(map(is_no_verify, text.split()))


def is_no_verify(word: str) -> bool:
    """git itself refuses `--no-v`, which is ambiguous."""
    return len(word) > 5 and NO_VERIFY.startswith(word)


def judge_variable(shell: Shell, name: str, value: str, how: str) -> None:
    """A variable of the environment of what follows."""
    if is_posing(name):
        shell.add(Poses(name, how))
    elif _skips(name, value) or says_skip(value):
        shell.add(Skips(f'{name}={shown(value)}'))
    elif name in SOURCED:
        shell.child().script(value)


def judge_unset(shell: Shell, name: str, how: str) -> None:
    if is_posing(name):
        shell.add(Poses(name, how))


def judge_given_variable(
    shell: Shell, name: str, value: str, how: str, count: int
) -> None:
    """A variable for one command, whose effects came after `count`."""
    done = shell.effects[count:]
    if name in COMMON and not any(map(_may_commit, done)):
        return
    reads = all(isinstance(each, Git) and not each.writes for each in done)
    if _is_config(name) and done and reads:
        return
    if name in STARTED and any(isinstance(each, Git) for each in done):
        shell.child().text(value)
    elif name.startswith('GIT_TRACE') and value[:1] == '/':
        shell.writes(value, name)
    elif name == 'PROMPT_COMMAND':
        shell.child().text(value)
    elif name in PROMPTS and any(sign in value for sign in ('$(', '`')):
        shell.child().text(f'echo "{value}"')
    elif any(map(_is_client, done)):
        judge_settings(shell, [name], how)
    judge_variable(shell, name, value, how)


def _may_commit(effect: Effect) -> bool:
    """git that changes something, or a script that may call it."""
    if isinstance(effect, Git):
        return effect.writes or effect.subcommand == 'push'
    if isinstance(effect, Runs):
        return effect.program.endswith('sh')
    return isinstance(effect, Unknown)


def judge_settings(shell: Shell, names: Iterable[str], how: str) -> None:
    """Variables with which a client is started."""
    if any(map(_is_setting, names)):
        shell.unknown(f'`{how}` gives a client other settings')


def _is_setting(name: str) -> bool:
    told = name.startswith(clients.PREFIXES) and any(map(name.__contains__, SETTINGS))
    return told or name in HOMES


def _is_client(effect: Effect) -> bool:
    return isinstance(effect, Runs) and effect.program in ACTING[1:]


def judge_new_environment(shell: Shell, how: str, count: int) -> None:
    """A wrapper gave another environment to what it ran since `count`."""
    for effect in shell.effects[count:]:
        ours = isinstance(effect, Runs) and effect.program.startswith(ACTING)
        if ours or (isinstance(effect, Git) and effect.commits):
            shell.add(Poses(clients.MARKS[0], how))
            return


def telling(text: str) -> str:
    """What in the text of a program means to get past the hooks, or to be taken
    for a person; '' if nothing does."""
    # 'a' + 'b'
    text = re.sub(r"""['"]\s*\+\s*['"]""", '', text)
    for word in TELLING:
        if word in text:
            return word
    for part, pattern in SIGNS:
        found = pattern.search(text) if part in text else None
        if found:
            return next(filter(None, found.groups()), found[0])
    return ''


def is_committing(name: str) -> bool:
    return name in TOOLS or any(part in name.lower() for part in PARTS)


def _says_skip(name: str, word: str) -> bool:
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
        if _says_skip(name, word):
            if is_committing(name):
                shell.add(Skips(f'{name} {shown(word)}'))
            else:
                shell.unknown(f'`{name}` may pass {shown(word)} on to git')
            return
