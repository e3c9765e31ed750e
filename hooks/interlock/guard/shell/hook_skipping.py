"""Variables and options that switch hooks off, or that say who acts."""

from __future__ import annotations

from interlock.documents.wiring.client_settings import chooses_settings
from interlock.guard.shell.effects import (
    Effect,
    Git,
    Poses,
    Removes,
    Runs,
    Skips,
    Unknown,
    Writes,
)
from interlock.guard.shell.state import Shell
from interlock.guard.shell.words import ANY, is_known, shown
from interlock.model import clients
from interlock.model import quick_re as re
from interlock.model.quick_typing import Iterable

# variables by which clients tell hooks who acts
POSING = frozenset((*clients.VARIABLES, *clients.PLUGINS))
# name -> the values that switch hooks off; an empty tuple: any value that is not empty
SKIPPING = {
    'HUSKY': ('0',),
    'LEFTHOOK': ('0', 'false'),
    'HK': ('0', 'false'),
    # the last three replace the real commits, or the hooks
    **dict.fromkeys(
        'SKIP PREK_SKIP HUSKY_SKIP_HOOKS LEFTHOOK_EXCLUDE LEFTHOOK_BIN '
        'LEFTHOOK_CONFIG HK_SKIP_HOOK HK_SKIP_STEPS OVERCOMMIT_DISABLE '
        'SKIP_SIMPLE_GIT_HOOKS PRE_COMMIT_ALLOW_NO_CONFIG '
        # an option of every shell, such as `noexec`
        'SHELLOPTS '
        'PREK_ALLOW_NO_CONFIG GIT_EXEC_PATH GIT_REPLACE_REF_BASE '
        'GIT_TEMPLATE_DIR GIT_COMMON_DIR'.split(),
        (),
    ),
}
# how the names of variables end whose value some program runs as a command
STARTED = tuple(
    'EDITOR VISUAL PAGER BROWSER ASKPASS _COMMAND _RSH GIT_SSH EXTERNAL_DIFF '
    'LESSOPEN LESSCLOSE'.split()
)
# a function for every shell: its name follows
FUNCTION = 'BASH_FUNC_'
# scripts that a shell reads when it starts
SOURCED = ('BASH_ENV', 'ENV')
# variables that a shell shows, after it runs the commands in them
PROMPTS = ('PS0', 'PS1', 'PS2', 'PS4')
# where clients look for settings, and for what the user trusts
HOMES = ('HOME', 'XDG_CONFIG_HOME')
# programs that ask who acts: our own, and clients that an agent may start
ACTING = (
    'interlock',
    *(program for program, *_ in clients.PROGRAMS),
    *(package.rpartition('/')[2] for package, _ in clients.PACKAGES),
)
NO_VERIFY = '--no-verify'
# names with other meanings: they count only if git is called
COMMON = ('SKIP', 'PREK_SKIP')

# tools that create commits, besides those whose name says so
TOOLS = frozenset(
    'lerna cz git-cz commitizen np changeset changesets tbump bumpp gt stg gs git-spice '
    'git-town jj sl gitmoji cog koji oco hub lint-staged auto jgit'.split()
)
PARTS = ('commit', 'release', 'version', 'bump', 'push', 'ship')
# to these tools, --no-verify means: publish without building first
OTHERS = frozenset(
    'cargo vsce ovsx helm wasm-pack twine gem flutter dart pip pip3 docker podman '
    'kubectl cosign gcloud aws az wget http https pod mvn gradle rustup'.split()
)
HOOKLESS = (
    *('--no-commit-hooks', '--commit-hooks=false', '--no-hooks'),
    '--no-git-commit-verify',
)
# words in code that tries to get past the hooks
EVASIVE_WORDS = (
    NO_VERIFY,
    'hooksPath',
    'hookspath',
    'GIT_CONFIG_',
    'pygit2',
    'dulwich',
)
# `git commit -nm x` in a string, and `'-n'` among the words of a commit
SHORT_NO_VERIFY = re.compile(
    r"""\bgit\s+(?:-\S+\s+)*commit\s[^;\n'"]*?(?<=\s)(-[a-mo-zA-Z]*n[a-z]*)\b"""
    r"""|['"](-a?nm?)['"]"""
)
# in the same way, commands that only a person may run
PERSONAL = re.compile(
    r"""\binterlock['", ([]+(?:approve|uninstall|lock['", ]+restore)\b"""
    r"""|\binterlock\.commands\b[^$]{0,200}?\b(?:approve|uninstall|restore)\b"""
    r"""|\brun_module\(\s*['"]interlock\b"""
)
# code that is decoded and then run
HIDDEN = re.compile(
    r'\b(?:exec|execSync|eval|system|run|call|popen|Popen|spawn\w*|Function)\b'
    r'[^\n;]{0,80}?'
    r"""(?:b64decode|decode_?64|decode_base64|base64['"]|atob|fromhex|unhexlify|"""
    r'decompress|fromCharCode|rot_?13)'
)
# each with a word that every match contains, for a quick test
EVASIVE_PATTERNS = (('commit', SHORT_NO_VERIFY), ('interlock', PERSONAL), ('', HIDDEN))
# to these tools, `-n` means --no-verify
SHORT = ('standard-version', 'commit-and-tag-version', 'git-cz')
# `a = 1` and `a += 1`, but not `a == 1`
SET_BY_ARITHMETIC = re.compile(r'([A-Za-z_]\w*)\s*(?:[-+*/%&|^]|<<|>>)?=(?!=)')
# commands that install packages, and with them the hooks
INSTALLERS = frozenset('npm pnpm yarn bun'.split())
INSTALLS = frozenset('ci install i add'.split())


def is_posing(name: str) -> bool:
    return name.startswith('INTERLOCK_') or name in POSING


def _is_config(name: str) -> bool:
    return name == 'GIT_CONFIG' or name.startswith('GIT_CONFIG_')


def _skips(name: str, value: str) -> bool:
    if _is_config(name) or name.startswith(FUNCTION):
        return True
    if name not in SKIPPING or not value:
        return False
    if name in COMMON and is_known(value):
        return any(_is_of_ours(name, word) for word in value.split(','))
    wanted = SKIPPING[name]
    return not wanted or not is_known(value) or value.lower() in wanted


def _is_of_ours(name: str, word: str) -> bool:
    """Whether a word names a hook of ours; prek accepts projects and patterns too."""
    return 'interlock' in word or (
        name != 'SKIP' and any(sign in word for sign in '/:*.')
    )


def says_skip(text: str) -> bool:
    """Whether a text holds an option that skips hooks, for a program to pass to git."""
    return text[:1] == '-' and any(map(is_no_verify, text.split()))


def is_no_verify(word: str) -> bool:
    """Whether a word means --no-verify; git rejects `--no-v` as ambiguous."""
    return len(word) > 5 and NO_VERIFY.startswith(word)


def judge_variable(shell: Shell, name: str, value: str, how: str) -> None:
    """Judge a variable in the environment of all later commands."""
    if is_posing(name):
        shell.add(Poses(name, how))
    elif _skips(name, value) or says_skip(value):
        shell.add(Skips(f'{name}={shown(value)}'))
    elif name in SOURCED:
        shell.child().script(value)
    elif name.endswith(STARTED):
        judge_started(shell, value)


def judge_started(shell: Shell, text: str) -> None:
    """Judge the text of a command that a program will start as if it ran now."""
    for effect in shell.dry_read(text.lstrip('!|- ')):
        if isinstance(effect, Skips | Poses | Removes | Writes):
            shell.add(effect)


def judge_unset(shell: Shell, name: str, how: str) -> None:
    if is_posing(name):
        shell.add(Poses(name, how))
    elif _is_config(name):
        # this variable may be the one that names the hooks
        shell.add(Skips(f'{how} {name}'))


def judge_assigned(shell: Shell, name: str, how: str, value: str = ANY) -> None:
    """Judge a variable that something else than `name=value` sets. Programs see it
    only if it is exported."""
    judge_unset(shell, name, how)
    if is_passed_on(shell, name):
        judge_variable(shell, name, value, how)


def is_passed_on(shell: Shell, name: str) -> bool:
    known = name in shell.exported or name in shell.shared.environ
    return known or shell.exports_all


def judge_arithmetic(shell: Shell, text: str) -> None:
    for name in SET_BY_ARITHMETIC.findall(text):
        judge_assigned(shell, name, 'let')
        shell.variables[name] = ANY


def judge_given_variable(
    shell: Shell, name: str, value: str, how: str, count: int
) -> None:
    """Judge a variable of one command, whose effects begin at `count`."""
    done = shell.effects[count:]
    if name in COMMON and not any(map(_may_commit, done)):
        return
    reads = all(isinstance(each, Git) and not _may_commit(each) for each in done)
    if _is_config(name) and done and reads:
        return
    elif name == 'HUSKY' and done and all(map(_installs, done)):
        return
    if name.startswith('GIT_TRACE') and value[:1] == '/':
        shell.writes(value, name)
    elif name == 'PROMPT_COMMAND':
        shell.child().text(value)
    elif name in PROMPTS and any(sign in value for sign in ('$(', '`')):
        shell.child().text(f'echo "{value}"')
    elif any(map(_is_client, done)):
        judge_settings(shell, [name], how)
    judge_variable(shell, name, value, how)


def _installs(effect: Effect) -> bool:
    """Whether an effect installs packages; husky then leaves the hooks as they are."""
    if not isinstance(effect, Runs):
        return False
    words = (effect.program, *effect.args)
    # `yarn add x` is read as the program `add`, too
    first, second = (*words, '')[:2]
    return first in INSTALLS or (first in INSTALLERS and second in INSTALLS)


def _may_commit(effect: Effect) -> bool:
    """Whether an effect is a git command that changes something, or may call one."""
    if isinstance(effect, Git):
        return effect.writes or effect.subcommand == 'push'
    if isinstance(effect, Runs):
        return effect.program.endswith('sh')
    return isinstance(effect, Unknown)


def judge_settings(shell: Shell, names: Iterable[str], how: str) -> None:
    """Judge the variables with which a client is started."""
    if any(map(_is_setting, names)):
        shell.unknown(f'`{how}` gives a client other settings')


def _is_setting(name: str) -> bool:
    return chooses_settings(name) or name in HOMES


def _is_client(effect: Effect) -> bool:
    return isinstance(effect, Runs) and effect.program in ACTING[1:]


def judge_new_environment(shell: Shell, how: str, count: int) -> None:
    """Judge a wrapper that replaced the environment of the effects since `count`."""
    for effect in shell.effects[count:]:
        ours = isinstance(effect, Runs) and effect.program.startswith(ACTING)
        if ours or (isinstance(effect, Git) and effect.commits):
            shell.add(Poses(clients.MARKS[0], how))
            return


def evasion_in(text: str) -> str:
    """The part of a program's text that tries to get past the hooks or to pose as a
    person; '' if there is none."""
    # 'a' + 'b'
    text = re.sub(r"""['"]\s*\+\s*['"]""", '', text)
    for word in EVASIVE_WORDS:
        if word in text:
            return word
    for part, pattern in EVASIVE_PATTERNS:
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


def judge_skipping_options(shell: Shell, name: str, args: list[str]) -> None:
    """Judge a program other than git that is told to skip the hooks."""
    for word in args if name not in OTHERS else ():
        if _says_skip(name, word):
            if is_committing(name):
                shell.add(Skips(f'{name} {shown(word)}'))
            else:
                shell.unknown(f'`{name}` may pass {shown(word)} on to git')
            return
