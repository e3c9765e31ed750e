"""Calls of git, of our commands and of our hooks, and where programs are found.

What a prompt says is recorded as the user's word, so no agent may feed one to
the hook. Other events record nothing that only the user can say.
"""

from __future__ import annotations

import os

from interlock.documents.text import shown
from interlock.documents.wiring.client_settings import LAUNCHER, SCRIPT
from interlock.files import settings_record
from interlock.files.atomic_files import read
from interlock.files.client_process import client_of
from interlock.guard.context import Context, is_below
from interlock.guard.decision import Decision, deny, unsure
from interlock.guard.dispatch import HANDLERS
from interlock.guard.event import PROMPT
from interlock.guard.relevance import PACKAGE, git_folder
from interlock.guard.shell.effects import Effect, Git, Runs, Writes
from interlock.guard.shell.programs.interpreters import SHELLS, is_interpreter
from interlock.guard.shell.programs.table import READERS
from interlock.guard.shell.state import Scripts
from interlock.model import clients
from interlock.model import quick_re as re
from interlock.model.errors import Refusal
from interlock.model.quick_typing import Iterable

ANYWHERE = '**'
# commands that move, end or approve the work of all: the main agent runs them
LEADING = (
    *(('approve',), ('present',), ('checkpoint',), ('transition',), ('uninstall',)),
    *(('task', 'start'), ('task', 'finish'), ('task', 'adopt'), ('task', 'clean')),
    *(('lock', 'release'), ('handoff', 'delete')),
)
# commands that only a person may run, and the rule that says so
PERSONAL = {
    ('approve',): 'CLD005',
    ('uninstall',): 'CLD003',
    ('lock', 'restore'): 'LCK001',
    ('lock', 'migrate'): 'LCK001',
}
# of another session
RELEASE, HOLDER = ('lock', 'release'), '--holder'
# with which they only say something
SAYING = frozenset(('-h', '--help', '--dry-run'))
# menus run the command that is chosen
MENUS = ('menu', 'resolve')
CHOOSING = ('--choice', '--choose')

# what manages packages, ours by its names, and what it is told then
INSTALLERS = frozenset('pip pip3 pipx uv poetry pdm conda mamba brew apt-get'.split())
OWN_NAMES = frozenset(('interlock', 'interlock-hooks'))
REPLACING = frozenset('uninstall remove --force-reinstall --upgrade -U upgrade'.split())
# what clients do besides starting an agent
HARMLESS = frozenset(
    """login logout auth mcp config doctor update upgrade completion help plugin plugins
    install models stats -v -V --version -h --help""".split()
)
# options with which an interpreter is told what to run, or runs nothing
TOLD = ('-c', '-e', '-m', '-p', '--eval', '--print', '-V', '--version', '--help')
# they run what is typed into them, and are of no use without a terminal
TYPED = frozenset('lazygit gitui tig mc ranger nnn vifm lf psql mysql sqlite3'.split())
# our scripts that clients call, and the directories of our launchers
SCRIPTS = (SCRIPT, *(name for name in clients.CALLS if '/' not in name))
LAUNCHERS = (LAUNCHER, *(path for path in clients.CALLS if '/' in path))
FOLDERS = [path.split('/')[-2] for path in LAUNCHERS]
NAME = 'launcher.py'
# the one that a plugin of the client brings
OUTER = 'interlock_launcher.py'
PACKAGES = ('interlock.guard', *(f'interlock.{folder}' for folder in FOLDERS))
MODULE = '-m'
# modules that run the file that they are given
RUNNING = ('runpy', 'pdb', 'trace', 'cProfile', 'profile', 'coverage')
CALLING = ('main', 'respond', 'prompt', PROMPT)
COPYING = frozenset('cp gcp mv gmv ln link install ginstall rsync dd tar zip'.split())

# what git and its hooks start
STARTED = (
    *('git', 'sh', 'bash', 'env', 'interlock', 'pre-commit', 'prek', 'lefthook'),
    *('husky', 'python3', 'python', 'npx', 'node'),
)
ALWAYS_BINARY = ('git', 'sh', 'bash', 'env')
OFTEN_SCRIPTS = ('npx', 'node')
SYSTEM = (
    *('/usr', '/bin', '/sbin', '/opt', '/nix', '/snap', '/Library', '/home'),
    '/Applications',
)
TEMPORARY = ('/tmp', '/var/tmp', '/dev/shm', '/private/tmp')  # noqa: S108
UNSURE = 'it is not known'
# a line of a shell that sets a variable, or says nothing
SETTING = re.compile(
    r'#.*|(?:export\s+)?(?P<name>[A-Za-z_]\w*)='
    # one word: behind a second one it would be another variable, or a command
    r"""(?P<value>"[^"`\\()]*"|'[^']*'|[^\s"'`\\;&|()<>]*)(?:\s+#.*)?"""
)
# the beginnings of names that say what shells, git and hooks start
STEERING = (
    *('GIT', 'INTERLOCK', 'HUSKY', 'LEFTHOOK', 'PRE_COMMIT', 'PREK', 'SKIP', 'LD_'),
    *('DYLD', 'PYTHON', 'BASH', 'ENV', 'PROMPT', 'PS', 'HOME', 'SHELL', 'ZDOTDIR'),
    *('XDG', 'IFS', 'EDITOR', 'VISUAL', 'PAGER', 'NODE_OPTIONS', *clients.PREFIXES),
)
# bytes; what is longer was not written for one call
LONGEST_SCRIPT = 64 * 1024
# that one pattern stands for
MOST_SCRIPTS = 20
# usual names of directories of programs
USUAL = ('bin', 'sbin', 'shims', '.bin', 'Scripts', 'scripts', 'tools')


class DiskScripts(Scripts):
    """Scripts of the project, of the user and of temporary directories.

    Those of the system and of installed programs are not read, nor the hooks in
    a git directory, which only git should run.
    """

    def __init__(self, context: Context) -> None:
        self._context = context
        home = context.event.environ.get('HOME') or os.path.expanduser('~')
        self._home = os.path.realpath(home)
        # a loop may run a script often
        self._committed: dict[str, bool] = {}

    def _is_read(self, path: str) -> bool:
        if git_folder(path) or os.path.basename(path).startswith('interlock'):
            return False
        elif is_below(path, self._home) and path[len(self._home) :][:2] != '/.':
            return True
        places = (self._context.top, self._context.base, self._context.directory)
        return any(is_below(path, each) for each in (*places, *TEMPORARY) if each)

    def text(self, path: str) -> str | None:
        path = os.path.realpath(path)
        if not self._is_read(path) or not os.path.isfile(path):
            return None
        try:
            with open(path, 'rb') as file:
                data = file.read(LONGEST_SCRIPT + 1)
        except OSError:
            return None
        if len(data) > LONGEST_SCRIPT or b'\0' in data:
            return None
        return data.decode('UTF-8', 'replace')

    def matching(self, pattern: str) -> list[str]:
        from glob import iglob
        from itertools import islice

        found = iglob(pattern) if not pattern.startswith(ANYWHERE) else ()
        return list(islice(found, MOST_SCRIPTS))

    def is_committed(self, path: str) -> bool:
        path = os.path.realpath(path)
        if path not in self._committed:
            self._committed[path] = self._is_clean(path)
        return self._committed[path]

    def _is_clean(self, path: str) -> bool:
        from interlock.git.git import Git, GitError

        folder, name = os.path.split(path)
        # settings of the user may hide what is not tracked
        status = ('status', '--porcelain', '--ignored', '--untracked-files=all')
        words = ('-C', folder, '--literal-pathspecs', *status, '--', name)
        try:
            return not Git(self._context.event.environ).run(*words)
        except GitError:
            return False


def _may_commit(context: Context) -> bool:
    """Whether the agent is the main agent, or the workflow lets it commit."""
    return not context.event.agent_id or all(
        kind.commit.by_subagents for kind in context.workflow.kinds
    )


def _judge_client(context: Context, effect: Runs) -> Decision | None:
    """Another client, whose agent may do here what nobody judges."""
    names = {name: own for name, own, *_ in clients.PROGRAMS}
    # by the name of its package, as npx starts it
    names.update((name.rpartition('/')[2], own) for name, own in clients.PACKAGES)
    client = names.get(effect.program, '')
    args = effect.args
    if not client and is_interpreter(effect.program):
        client, args = client_of(args[:1]), args[1:]
    verb = ''.join(args[:1])
    if not client or client == context.event.client or verb in HARMLESS:
        return None
    top = context.top or context.base
    files = settings_record.settings_files(top, context.event.environ, client)
    if any(b'interlock' in (read(path) or b'') for path in files):
        return None
    return unsure(
        f'`{effect.program}` starts an agent that is not guarded here '
        f'(interlock init --agent {client})'
    )


def _judge_open_shell(context: Context, effect: Runs) -> Decision | None:
    """A shell into which the agent of some clients types later, unseen."""
    if context.event.client not in clients.TYPING:
        return None
    program = effect.program
    is_shell = program in (*SHELLS, *TYPED) or is_interpreter(program)
    command = context.event.command or ''
    fed = any(sign in command for sign in '<|') or 'xargs' in command
    told = any(not word.startswith('-') or word in TOLD for word in effect.args)
    if not is_shell or fed or told:
        return None
    return unsure(f'what is typed into `{program}` later is not judged')


def _judge_personal(effect: Runs, starts: list[tuple[str, ...]]) -> Decision | None:
    """What is refused to every agent, however it hides from the command."""
    if not SAYING.isdisjoint(effect.args):
        return None
    code = next((PERSONAL[each] for each in starts if each in PERSONAL), '')
    options = (word.partition('=')[0] for word in effect.args)
    if RELEASE in starts and HOLDER in options:
        code = 'LCK001'
    if not code:
        return None
    command = f'interlock {shown(" ".join(effect.args))}'
    # an approval may also be given by a prompt, of what was presented
    prompt = 'to answer `approved` after interlock present, or ' * (code == 'CLD005')
    return deny(
        code,
        f'only a person may run `{command}`, not an agent',
        f'ask the user {prompt}to run {command} on a terminal',
    )


def _judge_installer(effect: Runs) -> Decision | None:
    """What takes this package away, or puts another one in its place."""
    args = effect.args
    names = [re.split('[=<>~!@[]', word)[0].replace('_', '-') for word in args]
    if effect.program not in INSTALLERS or OWN_NAMES.isdisjoint(names):
        return None
    elif REPLACING.isdisjoint(args):
        return None
    return unsure(f'`{effect.program}` takes the package away that judges here')


def judge_command(context: Context, effect: Runs) -> Decision | None:
    """A command of ours that a subagent may not run, or another agent."""
    started = (
        _judge_client(context, effect)
        or _judge_open_shell(context, effect)
        or _judge_installer(effect)
    )
    if started:
        return started
    if effect.program != 'interlock':
        return None
    words = tuple(word for word in effect.args if word[:1] != '-')
    starts = [words[at : at + size] for at in (0, 1) for size in (1, 2)]
    personal = _judge_personal(effect, starts)
    if personal or not context.event.agent_id:
        return personal
    leads = any(start in LEADING for start in starts)
    if words and words[0] in MENUS:
        leads = leads or any(w.partition('=')[0] in CHOOSING for w in effect.args)
    commits = 'commit-stage' in words[:2] and not _may_commit(context)
    if not leads and not commits:
        return None
    return deny(
        'CLD009',
        f'interlock {shown(" ".join(words[:2]))} is for the main agent: subagents do '
        f'the work, the main agent moves, commits and presents it',
        'report what was done; the main agent goes on from there',
    )


def _of_git(context: Context, effect: Git) -> Decision | None:
    git = f'git {shown(effect.subcommand)}'
    ours = context.owns(os.path.realpath(effect.directory))
    if effect.commits and ours and not _may_commit(context):
        return deny(
            'CLD009',
            f'{git} is for the main agent: agents do the work, the main agent '
            f'commits it with its state',
            'report what was done; the main agent runs interlock commit-stage',
        )
    elif not context.has_tasks:
        return None
    elif effect.directory.startswith(ANYWHERE):
        return unsure(f'{git} may run in any worktree')
    from interlock.guard.guards import task_files

    return task_files.judge_git(context, effect.directory)


def judge_git(context: Context, effect: Git) -> Decision | None:
    if not effect.writes and not effect.commits:
        return None
    try:
        return _of_git(context, effect)
    except Refusal as error:
        # an invalid workflow can be fixed, but nothing is committed past it
        if not context.owns(os.path.realpath(effect.directory)):
            return None
        elif effect.commits:
            return deny(
                'CLD014',
                f'{error.message}; fix {context.file} before committing',
                'interlock doctor',
            )
        git = f'git {shown(effect.subcommand)}'
        return unsure(f'{git} changes files that an invalid workflow governs')


def _is_hook_file(word: str, directory: str) -> bool:
    """A file that calls us, whatever directory it is named from."""
    path = os.path.normpath(os.path.join(directory, word))
    folder, name = os.path.split(path)
    if name != NAME:
        return name in (*SCRIPTS, OUTER)
    return (
        ANYWHERE in folder
        or os.path.basename(folder) in FOLDERS
        or is_below(os.path.realpath(path), PACKAGE)
    )


def _is_calling_code(word: str) -> bool:
    if any(package in word for package in PACKAGES):
        if any(name in word for name in CALLING):
            return True
    return PROMPT in word and any(name in word for name in (*SCRIPTS, NAME, OUTER))


def _words_after_hook(effect: Runs) -> tuple[str, ...] | None:
    """The words after the one that calls us; None if none does."""
    args = effect.args
    if effect.program in (*SCRIPTS, OUTER):
        return args
    elif not is_interpreter(effect.program):
        return None
    at = args.index(MODULE) + 1 if MODULE in args else len(args)
    if at < len(args):
        if args[at].startswith(PACKAGES):
            return args[at + 1 :]
        elif args[at] not in RUNNING:
            return None
    for at, word in enumerate(args):
        if _is_hook_file(word, effect.directory):
            return args[at + 1 :]
        elif _is_calling_code(word):
            return ()
    return None


def _poses_as_user(effect: Runs) -> bool:
    after = _words_after_hook(effect)
    if after is None:
        # a copy of it that has another name
        return effect.args[:1] == (PROMPT,) and effect.program not in READERS
    if after[:1] and after[0] in clients.NAMES:
        after = after[1:]
    # without an argument the JSON says which event it is
    return ''.join(after[:1]) not in HANDLERS.keys() - {PROMPT}


def _copies_hook(effect: Runs, after: list[Effect]) -> bool:
    writes = any(isinstance(each, Writes) for each in after)
    if effect.program not in COPYING and not (effect.program == 'cat' and writes):
        return False
    words = [word.removeprefix('if=') for word in effect.args]
    return any(_is_hook_file(word, effect.directory) for word in words)


def judge_self_call(effect: Runs, after: list[Effect]) -> Decision | None:
    if _poses_as_user(effect):
        return deny(
            'CLD005',
            'this would call the hook with a prompt that the user did not write, '
            'and prompts are recorded',
            'ask the user',
        )
    elif _copies_hook(effect, after):
        return deny(
            'CLD003',
            'this would rename the hook that the client calls',
            'leave it where it is',
        )
    return None


def _double(directory: str) -> str:
    """A script there that git starts instead of the real program."""
    for name in STARTED:
        path = os.path.join(directory, name)
        try:
            with open(path, 'rb') as f:
                data = f.read(4096)
        except OSError:
            continue
        if not data.startswith(b'#!') or name in OFTEN_SCRIPTS:
            continue
        known = name.replace('-', '_').encode() in data or name.encode() in data
        if name in ALWAYS_BINARY or not known:
            return path
    return ''


def doubtful(context: Context, directories: Iterable[str], done: list[Effect]) -> str:
    """Why a directory of programs may keep git or its hooks from running."""
    home = context.event.environ.get('HOME') or os.path.expanduser('~')
    written = [each.path for each in done if isinstance(each, Writes)]
    for directory in directories:
        path = _double(directory)
        project = (context.top or context.base, context.directory)
        ours = any(is_below(directory, each) for each in project)
        known = ours or is_below(directory, home)
        if path and not is_below(directory, '/usr'):
            return f'{path} is started instead of the program'
        elif any(is_below(each, directory) for each in written):
            return f'this command puts programs into {directory}'
        elif not known and any(is_below(directory, each) for each in TEMPORARY):
            return f'{directory} holds temporary files'
        elif os.path.basename(directory) in USUAL:
            continue
        elif ours:
            return f'{directory} is not a usual place for programs'
        elif not (known or directory.startswith(SYSTEM) or os.path.isdir(directory)):
            return f'{UNSURE} what is in {directory}'
    return ''


def sets_only_variables(context: Context, text: str) -> bool:
    """Whether lines for a shell do nothing but give values to variables of which
    no rule speaks, and name usual directories of programs."""
    environ = context.event.environ
    for line in filter(None, map(str.strip, text.split('\n'))):
        found = SETTING.fullmatch(line)
        if not found or (found['name'] or '').startswith(STEERING):
            return False
        value = (found['value'] or '').strip('"\'')
        home = environ.get('HOME') or os.path.expanduser('~')
        value = value.replace('$HOME', home).replace('~', home)
        folders = [
            each for each in value.split(':') if each not in ('$PATH', '${PATH}')
        ]
        if found['name'] == 'PATH' and doubtful(context, folders, []):
            return False
    return True
