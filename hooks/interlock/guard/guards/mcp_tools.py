"""PreToolUse of MCP tools and unknown tools: judges the files and commands they name.

The content that such a tool would write is unknown, so a file is judged by its
path. Text for a shell is read like a script: only effects that are sure count,
because the text may be something else. A tool whose name says that it only
reads is not judged.
"""

from __future__ import annotations

import os

from interlock.guard.decision import Decision, deny
from interlock.guard.event import readings
from interlock.model import quick_re as re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from interlock.guard.context import Context
    from interlock.model.quick_typing import Iterator

PREFIX = 'mcp__'
# suffixes of argument names, in lower case and without separators
KEYS = ('path', 'paths', 'filename', 'filenames', 'notebook', 'destination')
# arguments that hold the folder of such a name
FOLDERS = ('directory', 'dir', 'folder', 'root', 'base', 'parent')
# arguments that may mean something else: they count only if the value looks
# like a path or names an existing file
VAGUE = (
    *('file', 'files', 'uri', 'source', 'src', 'from', 'dest', 'dst', 'to', 'name'),
    *('target', 'output', 'location', 'document', 'resource', 'key', 'id', 'link'),
    *FOLDERS,
)
# arguments that hold patterns of paths, or patches
PATTERNS = ('glob', 'globs', 'pattern', 'patterns', 'include')
PATCHES = ('diff', 'patch', 'patches', 'input', 'patchtext')
OPTIONS = ('flags', 'options', 'params')
# arguments that switch hooks off, and those of git that do so if they are false
SKIPPING = frozenset(('noverify', 'skiphooks', 'nohooks', 'bypasshooks'))
RUNNING = frozenset(('verify', 'hooks', 'runhooks', 'usehooks', 'verifyhooks'))
READS = frozenset(
    """read get list ls search find grep glob stat info view show tree exists fetch
    query describe diff status log head tail cat open count blame hover definition
    references symbols diagnostics lsp scan lint check verify validate review
    codereview analyze inspect reveal explain preview upload screenshot stage
    unstage""".split()
)
WRITES = frozenset(
    """write edit create make mkdir delete remove rm move mv rename copy cp set put
    insert replace append patch apply update save download modify add touch
    truncate link symlink chmod format fix run execute exec""".split()
)
# a folder that such a tool names is gone with everything in it, unless it is where
# something goes
REMOVES = frozenset(
    'delete remove rm rmdir move mv rename trash unlink clean purge'.split()
)
OF_FOLDERS = frozenset('directory directories dir dirs folder folders tree'.split())
TARGETS = ('destination', 'dest', 'dst', 'to', 'target')
SOURCES = ('source', 'src', 'from')
# arguments that hold commands for a shell, or code of another language
COMMANDS = frozenset(
    """command commands cmd cmds cmdline commandline shellcommand bashcommand
    script shellscript bashscript bash program executable subcommand run""".split()
)
# suffixes of arguments that hold the words after a command, if they are passed
# separately
ARGUMENTS = ('args', 'arguments', 'argv')
CODE = ('code', 'javascript', 'js', 'python', 'source', 'snippet')
# options of git that have no long name
SHORT = {'recursive': '-r'}
# lines of a notebook that a shell runs
SHELL_LINE = '!'
# arguments of a tool of a git server that are no words of the call of git, which gets
# them as one text or not at all
WITHHELD = (
    'message',
    'msg',
    'body',
    'title',
    'description',
    'author',
    'date',
    'action',
)
# these hold typed input: a command if the tool's name says that it runs a shell
TYPED = frozenset('input inputs keys chars characters text data stdin'.split())
SHELLS = frozenset(
    """bash shell sh zsh terminal stdin process exec execute pty tty console tmux
    command repl session term keys screen ssh powershell cmd""".split()
)
ENTER = '{enter}'
# the lines of a patch that name files
PATCHED = re.compile(
    r'(?m)^(?:(?:---|\+\+\+|rename to|rename from) (?:[ab]/)?'
    r'|\*\*\* (?:(?:Add|Update|Delete) File|Move to):)\s*([^\t\r\n]+)'
)
NO_VERIFY = '--no-verify'
# how deep nested lists and objects are searched
DEPTH = 4
# the largest number of files that one pattern may match
MOST = 1000


def _parts(name: str) -> list[str]:
    if name.isupper():
        return [name.lower()]
    parted = ''.join(
        f' {letter}' if letter.isupper() else letter if letter.isalnum() else ' '
        for letter in name
    )
    return parted.lower().split()


def _words(name: str) -> set[str]:
    return set(_parts(name))


def _only_reads(words: set[str]) -> bool:
    return bool(words & READS) and not words & (WRITES | SHELLS)


def _texts(value: Any, key: str = '', depth: int = DEPTH) -> Iterator[tuple[str, str]]:
    """Every text, with the name of the argument that holds it."""
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, bool):
        yield key, str(value).lower()
    elif isinstance(value, dict) and depth:
        for name, each in value.items():
            plain = ''.join(filter(str.isalnum, str(name))).lower()
            if '/' in name or '.' in name:
                # an object whose keys are file names
                yield 'path', name
            yield from _texts(each, plain, depth - 1)
    elif isinstance(value, list) and depth:
        for each in value:
            yield from _texts(each, key, depth - 1)


def _path(context: Context, key: str, text: str) -> str:
    """The path that a text names, '' if it does not name one."""
    path = readings(text)[-1]
    if not path.strip() or any(sign in path for sign in ('\0', '\n', '://')):
        return ''
    path = os.path.join(context.directory, path)
    vague = key.endswith(VAGUE) and ('/' in text or os.path.lexists(path))
    return path if key.endswith(KEYS) or vague else ''


def _judge_path(context: Context, key: str, path: str) -> Decision | None:
    from interlock.guard.guards.file_writes import judge_write
    from interlock.guard.relevance import Write

    tool = context.event.tool
    words = _words(tool)
    if key.endswith(SOURCES) and 'copy' in words:
        return None
    is_target = key.startswith('new') or key.endswith(TARGETS)
    # the folder in which the tool works
    is_place = key.endswith(FOLDERS) and words.isdisjoint(OF_FOLDERS)
    goes = not (is_target or is_place or words.isdisjoint(REMOVES))
    tree = goes and os.path.isdir(path)
    return judge_write(context, Write(path, how=tool, removed=tree, tree=tree))


def _paths(context: Context, texts: list[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """The files that arguments name, alone or together with a folder, each with the
    argument."""
    named = [(key, text, _path(context, key, text)) for key, text in texts]
    folders = [
        text
        for key, text, path in named
        if key.endswith(FOLDERS) or os.path.isdir(path)
    ]
    for key, text, path in named:
        if path:
            yield key, path
        for folder in folders if key.endswith((*KEYS, *VAGUE)) else ():
            yield key, os.path.join(context.directory, folder, text.lstrip('/'))
        if key in PATTERNS and '*' in text:
            from glob import iglob
            from itertools import islice

            whole = os.path.join(context.directory, text)
            found = islice(iglob(whole, recursive=True, include_hidden=True), MOST)
            yield from ((key, each) for each in found)
        if key in PATCHES:
            for name in PATCHED.findall(text):
                yield key, os.path.join(context.directory, name.strip())


def _judge_run(
    context: Context, text: str, is_code: bool = False, directory: str = ''
) -> Decision | None:
    from interlock.guard.guards.effects import judge
    from interlock.guard.guards.file_writes import worst
    from interlock.guard.guards.programs import DiskScripts
    from interlock.guard.shell.effects import Effect, Runs, Unknown
    from interlock.guard.shell.hook_skipping import evasion_in
    from interlock.guard.shell.read import read
    from interlock.guard.shell.state import is_sure

    event, scripts = context.event, DiskScripts(context)
    effects: list[Effect] = []
    if is_code:
        effects.append(Runs('python', (f'{text}\n',), context.directory))
        if found := evasion_in(text):
            effects.append(Unknown(f'the code names {found}'))
        lines = map(str.strip, text.split('\n'))
        text = '\n'.join(line[1:] for line in lines if line.startswith(SHELL_LINE))
    place, command = directory or context.directory, text.replace(ENTER, '\n')
    known = read(command, place, event.environ, context.top, scripts)
    return worst(judge(context, [*effects, *filter(is_sure, known)]))


def _is_argument(key: str) -> bool:
    return key in COMMANDS or key.endswith(ARGUMENTS)


def _whole(texts: list[tuple[str, str]], keys: frozenset[str] = frozenset()) -> str:
    """A command joined from separate words, '' if it is passed as one text."""
    words = [text for key, text in texts if key in keys or _is_argument(key)]
    if len(words) < 2:
        return ''
    from interlock.guard.shell.words import quote

    return ' '.join((words[0], *map(quote, words[1:])))


def _subcommand(parts: list[str]) -> tuple[str, bool]:
    """The words of git that a tool of a git server is named after, '' for none, and
    whether it is nothing else: `git_filter_branch` and `git_config_set` are, but
    `create_branch` and `write_hook` may do more."""
    from interlock.guard.shell.programs.git import is_own

    parts = [part for part in parts if part != 'git']
    if is_own('-'.join(parts)):
        return '-'.join(parts), True
    elif parts and is_own(parts[0]):
        return ' '.join(parts), True
    return next((part for part in parts[-1:] if is_own(part)), ''), False


def _is_worktree(context: Context, text: str) -> bool:
    return os.path.lexists(os.path.join(context.directory, text, '.git'))


def _git_call(
    context: Context, subcommand: str, texts: list[tuple[str, str]]
) -> tuple[str, str]:
    """The call of git that a tool makes: options, other words, files; and where."""
    from interlock.guard.shell.words import quote

    given = [text for key, text in texts if _is_argument(key)]
    options = given[:1] if len(given) == 1 else list(map(quote, given))
    words, files, directory = [], [], ''
    for key, text in texts:
        if text in ('true', 'false'):
            options += [SHORT.get(key, f'--{key}')] if text == 'true' else []
        elif not directory and text and _is_worktree(context, text):
            directory = os.path.join(context.directory, text)
        elif key.endswith(OPTIONS) and text.startswith('-'):
            options.append(quote(text))
        elif key == 'source' and subcommand == 'restore':
            options.append(f'--source={quote(text)}')
        elif key.endswith((*KEYS, 'file', 'files', 'source')):
            files.append(quote(text))
        elif not _is_argument(key) and not key.endswith((*WITHHELD, *PATCHES)):
            words.append(quote(text))
    action = [quote(text) for key, text in texts if key == 'action']
    line = ['git', subcommand, *action, *options, *words, *(['--'] if files else [])]
    return ' '.join([*line, *files]), directory


def _skips(
    context: Context, is_git: bool, texts: list[tuple[str, str]]
) -> Iterator[Decision]:
    for key, text in dict.fromkeys(texts):
        is_option = key.endswith(OPTIONS) and text == NO_VERIFY
        is_off = is_git and key in RUNNING and text == 'false'
        if is_option or is_off or (key in SKIPPING and text == 'true'):
            from interlock.guard.guards.effects import UNSKIPPED

            what = f'`{key}` of {context.event.tool}'
            yield deny('CLD001', f'{what} keeps the hooks from running', UNSKIPPED)


def _decisions(context: Context) -> Iterator[Decision | None]:
    event = context.event
    name = event.tool.removeprefix(PREFIX)
    if event.command is not None and name == event.tool:
        # a shell tool under an unknown name, whatever the name says
        from interlock.guard.guards.shell_commands import handle

        yield handle(context)
    own, words = _parts(name.rpartition('__')[2]), _words(name)
    is_git = 'git' in words
    subcommand, is_call = _subcommand(own) if is_git else ('', False)
    if not is_call and _only_reads(set(own)):
        return
    # the name of the server may say that it is a shell
    typed = TYPED if words & SHELLS else frozenset()
    # the whole input may be one text
    texts = list(_texts(event.data.get('tool_input'), 'input'))
    yield from _skips(context, is_git, texts)
    for whole in dict.fromkeys((_whole(texts), _whole(texts, typed))):
        if whole:
            yield _judge_run(context, whole)
    if subcommand:
        line, directory = _git_call(context, subcommand, texts)
        yield _judge_run(context, line, directory=directory)
        if is_call:
            # git decides what happens to the files
            kept = COMMANDS.union(PATCHES)
            texts = [(key, text) for key, text in texts if key in kept]
    elif is_git:
        given = [text for key, text in texts if _is_argument(key)]
        yield _judge_run(context, f'git {_whole(texts) or "".join(given)}')
    for key, path in dict.fromkeys(_paths(context, texts)):
        yield _judge_path(context, key, path)
    for key, text in dict.fromkeys(texts):
        # `source` may hold code, or a path
        is_code = key.endswith(CODE) and any(sign in text for sign in ' \n(')
        if key in COMMANDS or key in typed or is_code:
            yield _judge_run(context, text, is_code)


def handle(context: Context) -> Decision | None:
    from interlock.guard.guards.file_writes import worst

    return worst(_decisions(context))
