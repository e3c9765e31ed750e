"""PreToolUse of MCP tools and unknown tools: judges the files and commands they name.

The content that such a tool would write is unknown, so a file is judged by its
path. Text for a shell is read like a script: only effects that are sure count,
because the text may be something else. A tool whose name says that it only
reads is not judged.
"""

from __future__ import annotations

import os

from interlock.guard.decision import Decision, deny
from interlock.guard.tool_writes import readings
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
    *('target', 'output', 'location', 'document', 'resource', 'key', 'id'),
    *FOLDERS,
)
# arguments that hold patterns of paths, or patches
PATTERNS = ('glob', 'globs', 'pattern', 'patterns', 'include')
PATCHES = ('diff', 'patch', 'patches', 'input', 'patchtext')
OPTIONS = ('flags', 'options', 'params')
# arguments that switch hooks off
SKIPPING = frozenset(('noverify', 'skiphooks', 'nohooks', 'bypasshooks'))
READS = frozenset(
    """read get list ls search find grep glob stat info view show tree exists fetch
    query describe diff status log head tail cat open count""".split()
)
WRITES = frozenset(
    """write edit create make mkdir delete remove rm move mv rename copy cp set put
    insert replace append patch apply update save upload download modify add touch
    truncate link symlink chmod run execute exec""".split()
)
# arguments that hold commands for a shell, or code of another language
COMMANDS = frozenset(
    """command commands cmd cmds cmdline commandline shellcommand bashcommand
    script shellscript bashscript bash program executable subcommand""".split()
)
# arguments that hold the words after a command, if they are passed separately
ARGUMENTS = frozenset(('args', 'arguments', 'argv'))
CODE = frozenset(('code', 'javascript', 'python', 'source'))
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
UNSKIPPED = 'let the hooks run, and fix what they refuse'
# how deep nested lists and objects are searched
DEPTH = 4
# the largest number of files that one pattern may match
MOST = 1000


def _words(name: str) -> set[str]:
    parted = ''.join(
        f' {letter}' if letter.isupper() else letter if letter.isalnum() else ' '
        for letter in name
    )
    return set(parted.lower().split())


def _only_reads(words: set[str]) -> bool:
    return bool(words & READS) and not words & (WRITES | SHELLS)


def _texts(value: Any, key: str = '', depth: int = DEPTH) -> Iterator[tuple[str, str]]:
    """Every text, with the name of the argument that holds it."""
    if isinstance(value, str):
        yield key, value
    elif value is True:
        yield key, 'true'
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


def _judge_path(context: Context, path: str) -> Decision | None:
    from interlock.guard.guards.file_writes import judge_write
    from interlock.guard.relevance import Write

    return judge_write(context, Write(path, how=context.event.tool))


def _paths(context: Context, texts: list[tuple[str, str]]) -> Iterator[str]:
    """The files that arguments name, alone or together with a folder."""
    folders = [text for key, text in texts if key.endswith(FOLDERS)]
    for key, text in texts:
        if path := _path(context, key, text):
            yield path
        for folder in folders if key.endswith((*KEYS, *VAGUE)) else ():
            yield os.path.join(context.directory, folder, text.lstrip('/'))
        if key in PATTERNS and '*' in text:
            from glob import iglob
            from itertools import islice

            whole = os.path.join(context.directory, text)
            yield from islice(iglob(whole, recursive=True, include_hidden=True), MOST)
        if key in PATCHES:
            for name in PATCHED.findall(text):
                yield os.path.join(context.directory, name.strip())


def _judge_run(context: Context, text: str, is_code: bool) -> Decision | None:
    from interlock.guard.guards.effects import judge
    from interlock.guard.guards.file_writes import worst
    from interlock.guard.guards.programs import DiskScripts
    from interlock.guard.shell.effects import Effect, Runs, Unknown
    from interlock.guard.shell.hook_skipping import evasion_in
    from interlock.guard.shell.read import read
    from interlock.guard.shell.state import is_sure

    effects: list[Effect] = [Runs('python', (f'{text}\n',), context.directory)]
    if is_code and (found := evasion_in(text)):
        effects.append(Unknown(f'the code names {found}'))
    elif not is_code:
        event, scripts = context.event, DiskScripts(context)
        text = text.replace(ENTER, '\n')
        known = read(text, context.directory, event.environ, context.top, scripts)
        effects = list(filter(is_sure, known))
    return worst(judge(context, effects))


def _whole(texts: list[tuple[str, str]], keys: frozenset[str]) -> str:
    """A command joined from separate words, '' if it is passed as one text."""
    words = [text for key, text in texts if key in keys]
    if len(words) < 2:
        return ''
    from interlock.guard.shell.words import quote

    return ' '.join((words[0], *map(quote, words[1:])))


def _git_lines(name: str, texts: list[tuple[str, str]]) -> Iterator[str]:
    """The call of git that a tool of a git server is told in words: all of it, or
    those after the subcommand that the tool is named after."""
    keys = COMMANDS | ARGUMENTS
    line = _whole(texts, keys) or ''.join(text for key, text in texts if key in keys)
    if line and 'git' in _words(name):
        from interlock.guard.shell.programs.git import is_known

        subcommand = name.rpartition('__')[2].removeprefix('git_')
        yield f'git {subcommand} {line}' if is_known(subcommand) else f'git {line}'


def _decisions(context: Context) -> Iterator[Decision | None]:
    event = context.event
    name = event.tool.removeprefix(PREFIX)
    if event.command is not None and name == event.tool:
        # a shell tool under an unknown name, whatever the name says
        from interlock.guard.guards.shell_commands import handle

        yield handle(context)
    if _only_reads(_words(name.rpartition('__')[2])):
        return
    # the name of the server may say that it is a shell
    typed = TYPED if _words(name) & SHELLS else frozenset()
    texts = list(_texts(event.fields('tool_input')))
    for keys in (COMMANDS | ARGUMENTS, typed):
        if whole := _whole(texts, keys):
            yield _judge_run(context, whole, False)
    for line in _git_lines(name, texts):
        yield _judge_run(context, line, False)
    for path in dict.fromkeys(_paths(context, texts)):
        yield _judge_path(context, path)
    for key, text in dict.fromkeys(texts):
        told = key.endswith(OPTIONS) and text == NO_VERIFY
        if told or (key in SKIPPING and text == 'true'):
            what = f'`{key}` of {event.tool}'
            yield deny('CLD001', f'{what} keeps the hooks from running', UNSKIPPED)
        # `source` may hold a command or code
        if key in COMMANDS or key in typed or key in CODE:
            yield _judge_run(context, text, key in CODE)


def handle(context: Context) -> Decision | None:
    from interlock.guard.guards.file_writes import worst

    return worst(_decisions(context))
