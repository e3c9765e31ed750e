"""Judges calls of git, of our commands and of our hooks, and where programs are found.

Each function yields the objections to a call; the first one is the answer. A
prompt is recorded as the user's word, so no agent may feed one to the hook. No
other event records anything that only the user can say.
"""

from __future__ import annotations

import os

from interlock.documents.text import shown
from interlock.documents.wiring.client_settings import LAUNCHER, SCRIPT
from interlock.files import settings_record
from interlock.files.atomic_files import read
from interlock.guard.context import Context, is_below
from interlock.guard.decision import Decision, deny, unsure
from interlock.guard.dispatch import HANDLERS
from interlock.guard.event import PROMPT
from interlock.guard.guards.inline_code import only_reads
from interlock.guard.protected_files import has_tasks
from interlock.guard.relevance import PACKAGE, git_folder
from interlock.guard.shell.effects import Effect, Git, Runs, Writes
from interlock.guard.shell.programs.interpreters import SHELLS, is_interpreter
from interlock.guard.shell.programs.table import READERS
from interlock.guard.shell.programs.wrappers import CLIENTS
from interlock.guard.shell.state import Scripts
from interlock.model import clients
from interlock.model import quick_re as re
from interlock.model.errors import Refusal
from interlock.model.quick_typing import Iterable, Iterator

ANYWHERE = '**'
# commands that advance, end or approve shared work: only the main agent runs them
LEADING = (
    *(('approve',), ('present',), ('checkpoint',), ('transition',), ('uninstall',)),
    *(('task', 'start'), ('task', 'finish'), ('task', 'adopt'), ('task', 'clean')),
    *(('lock', 'release'), ('handoff', 'delete')),
)
# commands that only a person may run, and the rule that reserves them
PERSONAL = {
    ('approve',): 'CLD005',
    ('uninstall',): 'CLD003',
    ('lock', 'restore'): 'LCK001',
    ('lock', 'migrate'): 'LCK001',
}
# releases the lock of another session
RELEASE, HOLDER = ('lock', 'release'), '--holder'
# options with which these commands change nothing
SAYING = frozenset(('-h', '--help', '--dry-run'))
# a menu runs the chosen command
MENUS = ('menu', 'resolve')
CHOOSING = ('--choice', '--choose')

# package managers, the names of our package, and the words that remove or replace it
INSTALLERS = frozenset(
    'pip pip3 pipx uv poetry pdm conda mamba brew apt apt-get dnf'.split()
)
OWN_NAMES = frozenset(('interlock', 'interlock-hooks'))
REPLACING = frozenset(
    'uninstall remove --force-reinstall --ignore-installed --reinstall --force --upgrade '
    '-U upgrade'.split()
)
# an installation of one of these versions replaces another one
VERSIONED = re.compile('[=<>~!@]')
# first words with which a client does not start an agent
HARMLESS = frozenset(
    """login logout auth mcp config doctor update upgrade completion help plugin plugins
    install models stats -v -V --version -h --help""".split()
)
# options that tell an interpreter what to run, or to run nothing
TOLD = ('-c', '-e', '-m', '-p', '--eval', '--print', '-V', '--version', '--help')
# programs that run typed input, and are useless without a terminal
TYPED = frozenset('lazygit gitui tig mc ranger nnn vifm lf psql mysql sqlite3'.split())
# our scripts that clients call, and the directories of our launchers
SCRIPTS = (SCRIPT, *(name for name in clients.CALLS if '/' not in name))
LAUNCHERS = (LAUNCHER, *(path for path in clients.CALLS if '/' in path))
FOLDERS = [path.split('/')[-2] for path in LAUNCHERS]
NAME = 'launcher.py'
# the launcher in a client's plugin
OUTER = 'interlock_launcher.py'
PACKAGES = ('interlock.guard', *(f'interlock.{folder}' for folder in FOLDERS))
MODULE = '-m'
# Python modules that run the file they are given
RUNNING = ('runpy', 'pdb', 'trace', 'cProfile', 'profile', 'coverage')
CALLING = ('main', 'respond', 'prompt', PROMPT)
COPYING = frozenset('cp gcp mv gmv ln link install ginstall rsync dd tar zip'.split())

# programs that git and its hooks start
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
# a line of a shell script that sets a variable, or is a comment
SETTING = re.compile(
    r'#.*|(?:export\s+)?(?P<name>[A-Za-z_]\w*)='
    # one word only: a second word would be another variable or a command
    r"""(?P<value>"[^"`\\()]*"|'[^']*'|[^\s"'`\\;&|()<>]*)(?:\s+#.*)?"""
)
# prefixes of variables that decide what shells, git and hooks start
STEERING = (
    *('GIT', 'INTERLOCK', 'HUSKY', 'LEFTHOOK', 'PRE_COMMIT', 'PREK', 'SKIP', 'LD_'),
    *('DYLD', 'PYTHON', 'BASH', 'ENV', 'PROMPT', 'PS', 'HOME', 'SHELL', 'ZDOTDIR'),
    *('XDG', 'IFS', 'EDITOR', 'VISUAL', 'PAGER', 'NODE_OPTIONS', *clients.PREFIXES),
)
# in bytes; a longer script was not written for one call
LONGEST_SCRIPT = 64 * 1024
# the largest number of scripts that one pattern may match
MOST_SCRIPTS = 20
# usual names of program directories
USUAL = ('bin', 'sbin', 'shims', '.bin', 'Scripts', 'scripts', 'tools')


class DiskScripts(Scripts):
    """Scripts of the project, of the user and of temporary directories.

    Scripts of the system and of installed programs are not read. Hooks in a
    git directory are not read either, because only git should run them.
    """

    def __init__(self, context: Context) -> None:
        self._context = context
        self._home = os.path.realpath(context.home)
        # cached, because a loop may run a script many times
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

    def git_alias(self, directory: str, name: str) -> str:
        known = os.path.isdir(directory)
        place = directory if known else self._context.directory
        found = self._context.git(place, 'config', '--get', f'alias.{name}')
        return (found or b'').decode('UTF-8', 'replace').strip()

    def is_committed(self, path: str) -> bool:
        path = os.path.realpath(path)
        if path not in self._committed:
            self._committed[path] = self._is_clean(path)
        return self._committed[path]

    def _is_clean(self, path: str) -> bool:
        folder, name = os.path.split(path)
        # settings of the user may hide untracked files
        status = ('status', '--porcelain', '--ignored', '--untracked-files=all')
        found = self._context.git(folder, '--literal-pathspecs', *status, '--', name)
        return found == b''


def _may_commit(context: Context) -> bool:
    """Whether this is the main agent, or the workflow lets the agent commit."""
    return not context.event.agent_id or all(
        kind.commit.by_subagents for kind in context.workflow.kinds
    )


def _judge_client(context: Context, effect: Runs) -> Iterator[Decision]:
    """Judge the start of another client: its agent could act here unguarded."""
    client, args = CLIENTS.get(effect.program, ('',))[0], effect.args
    verb = ''.join(args[:1])
    if not client or client == context.event.client or verb in HARMLESS:
        return
    top = context.top or context.base
    files = settings_record.settings_files(top, context.event.environ, client)
    if not any(b'interlock' in (read(path) or b'') for path in files):
        yield unsure(
            f'`{effect.program}` starts an agent that is not guarded here '
            f'(interlock init --agent {client})'
        )


def _judge_open_shell(context: Context, effect: Runs) -> Iterator[Decision]:
    """Judge a shell that stays open, into which agents of some clients type unseen."""
    if context.event.client not in clients.TYPING:
        return
    program = effect.program
    is_shell = program in (*SHELLS, *TYPED) or is_interpreter(program)
    command = context.event.command or ''
    fed = any(sign in command for sign in '<|') or 'xargs' in command
    told = any(not word.startswith('-') or word in TOLD for word in effect.args)
    if is_shell and not fed and not told:
        yield unsure(f'what is typed into `{program}` later is not judged')


def _judge_hidden_name(effect: Runs) -> Iterator[Decision]:
    """Judge a command of ours that is known only when it runs."""
    if effect.args[:1] and effect.args[0].startswith(ANYWHERE):
        yield unsure(f'the command is `interlock {shown(effect.args[0])}`')


def _judge_personal(
    context: Context, effect: Runs, starts: list[tuple[str, ...]]
) -> Iterator[Decision]:
    """Refuse commands that only a person may run, however the agent poses as one."""
    code = next((PERSONAL[each] for each in starts if each in PERSONAL), '')
    options = (word.partition('=')[0] for word in effect.args)
    if RELEASE in starts and HOLDER in options:
        code = 'LCK001'
    if not code or not SAYING.isdisjoint(effect.args):
        return
    command = f'interlock {shown(" ".join(effect.args))}'
    text, prompt = f'only a person may run `{command}`, not an agent', ''
    if ('approve',) in starts and not has_tasks(context):
        text = f'{text}, and this project has no tasks to approve'
        yield deny(code, text, 'interlock status')
    elif ('approve',) in starts:
        # a prompt may also approve what was presented
        words = [word for word in effect.args if word[:1] != '-']
        task = shown(''.join(words[words.index('approve') + 1 :][:1]))
        prompt = f'to answer `approved` after interlock present {task or "TASK"}, or '
    yield deny(code, text, f'ask the user {prompt}to run {command} on a terminal')


def _judge_installer(effect: Runs) -> Iterator[Decision]:
    """Judge a package manager that would remove or replace this package."""
    args = effect.args
    names = {re.split('[=<>~!@[]', word)[0].replace('_', '-'): word for word in args}
    own = [names[name] for name in OWN_NAMES.intersection(names)]
    if effect.program not in INSTALLERS or not own:
        return
    pinned = 'install' in args and any(map(VERSIONED.search, own))
    if pinned or not REPLACING.isdisjoint(args):
        yield unsure(f'`{effect.program}` would remove or replace Interlock itself')


def judge_command(context: Context, effect: Runs) -> Iterator[Decision]:
    """Judge clients, open shells, installers, and commands that agents may not run."""
    yield from _judge_client(context, effect)
    yield from _judge_open_shell(context, effect)
    yield from _judge_installer(effect)
    if effect.program != 'interlock':
        return
    yield from _judge_hidden_name(effect)
    words = tuple(word for word in effect.args if word[:1] != '-')
    starts = [words[at : at + size] for at in (0, 1) for size in (1, 2)]
    yield from _judge_personal(context, effect, starts)
    leads = any(start in LEADING for start in starts)
    if words and words[0] in MENUS:
        leads = leads or any(w.partition('=')[0] in CHOOSING for w in effect.args)
    commits = 'commit-stage' in words[:2] and not _may_commit(context)
    if context.event.agent_id and (leads or commits):
        yield deny(
            'CLD009',
            f'interlock {shown(" ".join(words[:2]))} is for the main agent: subagents '
            f'do the work, and the main agent moves, commits and presents it',
            'report what was done; the main agent continues from there',
        )


def _of_git(context: Context, effect: Git) -> Iterator[Decision]:
    git = f'git {shown(effect.subcommand)}'
    ours = context.owns(os.path.realpath(effect.directory))
    if effect.commits and ours and not _may_commit(context):
        yield deny(
            'CLD009',
            f'{git} is for the main agent: agents do the work, and the main agent '
            f'commits it with its state',
            'report what was done; the main agent runs interlock commit-stage',
        )
    elif context.has_tasks and effect.directory.startswith(ANYWHERE):
        yield unsure(f'{git} may run in any worktree')
    elif context.has_tasks:
        from interlock.guard.guards import task_files

        yield from task_files.judge_git(context, effect.directory)


def _in_our_own(effect: Git) -> Iterator[Decision]:
    """Records of locks lie in a repository without hooks, inside of the git directory."""
    if not effect.writes and effect.subcommand != 'push':
        return
    path = os.path.realpath(effect.directory)
    if is_below(path, os.path.join(git_folder(path), 'interlock')):
        yield deny(
            'CLD003',
            f'{shown(effect.directory)} belongs to Interlock',
            'ask the user; interlock lock list shows the locks',
        )


def judge_git(context: Context, effect: Git) -> Iterator[Decision]:
    yield from _in_our_own(effect)
    if not effect.writes and not effect.commits:
        return
    try:
        yield from _of_git(context, effect)
    except Refusal as error:
        # agents may fix an invalid workflow, but must not commit under it
        if not context.owns(os.path.realpath(effect.directory)):
            return
        elif effect.commits:
            fix = f'fix {context.file} before committing'
            yield deny('CLD014', f'{error.message}; {fix}', 'interlock doctor')
        else:
            git = f'git {shown(effect.subcommand)}'
            yield unsure(f'{git} changes files that an invalid workflow governs')


def _is_hook_file(word: str, directory: str) -> bool:
    """Whether a word names a file that calls us, from any directory."""
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
    if any(path in word for path in LAUNCHERS) and not only_reads('python', word):
        return True
    return PROMPT in word and any(name in word for name in (*SCRIPTS, NAME, OUTER))


def _words_after_hook(effect: Runs) -> tuple[str, ...] | None:
    """The words after the one that calls us; None if no word does."""
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
        # a copy of the hook under another name
        return effect.args[:1] == (PROMPT,) and effect.program not in READERS
    if after[:1] and after[0] in clients.NAMES:
        after = after[1:]
    if not SAYING.isdisjoint(after[:1]):
        return False
    # without an argument, the JSON says which event it is
    return ''.join(after[:1]) not in HANDLERS.keys() - {PROMPT}


def _copies_hook(effect: Runs, after: list[Effect]) -> bool:
    writes = any(isinstance(each, Writes) for each in after)
    if effect.program not in COPYING and not (effect.program == 'cat' and writes):
        return False
    words = [word.removeprefix('if=') for word in effect.args]
    return any(_is_hook_file(word, effect.directory) for word in words)


def judge_self_call(effect: Runs, after: list[Effect]) -> Iterator[Decision]:
    if _poses_as_user(effect):
        yield deny(
            'CLD005',
            'this would call the hook with a prompt that the user did not write, '
            'and the hook would record it as an answer of the user',
            'ask the user',
        )
    elif _copies_hook(effect, after):
        text = 'this would rename the hook that the client calls'
        yield deny('CLD003', text, 'leave it where it is')


def _shadowing_script(directory: str) -> str:
    """A script in this directory that git would start instead of the real program."""
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


def why_doubtful(
    context: Context, directories: Iterable[str], done: list[Effect]
) -> str:
    """Why a directory of programs may stop git or its hooks from running."""
    written = [each.path for each in done if isinstance(each, Writes)]
    for directory in directories:
        path = _shadowing_script(directory)
        project = (context.top or context.base, context.directory)
        ours = any(is_below(directory, each) for each in project)
        known = ours or is_below(directory, context.home)
        if path and not is_below(directory, '/usr'):
            return f'{path} would run instead of the program of that name'
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
    """Whether shell lines only set variables that no rule mentions, and add usual
    program directories to the path."""
    home = context.home
    for line in filter(None, map(str.strip, text.split('\n'))):
        found = SETTING.fullmatch(line)
        if not found or (found['name'] or '').startswith(STEERING):
            return False
        value = (found['value'] or '').strip('"\'')
        value = value.replace('$HOME', home).replace('~', home)
        folders = [
            each for each in value.split(':') if each not in ('$PATH', '${PATH}')
        ]
        if found['name'] == 'PATH' and why_doubtful(context, folders, []):
            return False
    return True
