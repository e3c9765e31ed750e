"""Before a tool of an MCP server runs, or one that we do not know: the files
that it names, and the text that it runs.

What such a tool would write is unknown, so a file is judged by its path. Text
for a shell is read like a script: only what is sure counts, because it may be
something else. A tool whose name says that it only reads is left alone.
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
# how the names of arguments end, in lower case, without what joins their words
KEYS = ('path', 'paths', 'filename', 'filenames', 'notebook', 'destination')
# a name may be in one of these
FOLDERS = ('directory', 'dir', 'folder', 'root', 'base', 'parent')
# these may mean something else: they count if the value looks like a path, or
# is the name of a file that exists
VAGUE = (
    *('file', 'files', 'uri', 'source', 'src', 'from', 'dest', 'dst', 'to', 'name'),
    *('target', 'output', 'location', 'document', 'resource', 'key', 'id'),
    *FOLDERS,
)
# arguments that are patterns of paths, or patches
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
# arguments that hold commands for a shell, and code of another language
COMMANDS = frozenset(
    """command commands cmd cmds cmdline commandline shellcommand bashcommand
    script""".split()
)
# and the words behind a command, where they are given apart
ARGUMENTS = frozenset(('args', 'arguments', 'argv'))
CODE = frozenset(('code', 'javascript', 'python', 'source'))
# these hold commands if the name of the tool says so: what is typed
TYPED = frozenset('input inputs keys chars characters text data stdin'.split())
SHELLS = frozenset(
    """bash shell sh zsh terminal stdin process exec execute pty tty console tmux
    command repl session""".split()
)
ENTER = '{enter}'
# the files of a patch
PATCHED = re.compile(
    r'(?m)^(?:(?:---|\+\+\+|rename to|rename from) (?:[ab]/)?'
    r'|\*\*\* (?:(?:Add|Update|Delete) File|Move to):)\s*([^\t\r\n]+)'
)
NO_VERIFY = '--no-verify'
UNSKIPPED = 'call it without that: fix what the hook refuses instead of skipping it'
# of lists and objects in one another
DEPTH = 4
# files that one pattern may stand for
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
    """Every text, with the name of the argument that it is given in."""
    if isinstance(value, str):
        yield key, value
    elif value is True:
        yield key, 'true'
    elif isinstance(value, dict) and depth:
        for name, each in value.items():
            plain = ''.join(filter(str.isalnum, str(name))).lower()
            if '/' in name or '.' in name:
                # files by their names
                yield 'path', name
            yield from _texts(each, plain, depth - 1)
    elif isinstance(value, list) and depth:
        for each in value:
            yield from _texts(each, key, depth - 1)


def _path(context: Context, key: str, text: str) -> str:
    """The path that a text is, '' if it is none."""
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
    """The files that arguments name, alone or together."""
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
    from interlock.guard.shell.effects import Effect, Runs
    from interlock.guard.shell.read import read
    from interlock.guard.shell.state import is_sure

    effects: list[Effect] = [Runs('python', (f'{text}\n',), context.directory)]
    if not is_code:
        event, scripts = context.event, DiskScripts(context)
        text = text.replace(ENTER, '\n')
        found = read(text, context.directory, event.environ, context.top, scripts)
        effects = list(filter(is_sure, found))
    return worst(judge(context, effects))


def _whole(texts: list[tuple[str, str]]) -> str:
    """A command whose words are given apart, '' where it is in one piece."""
    words = [text for key, text in texts if key in COMMANDS | ARGUMENTS]
    if len(words) < 2:
        return ''
    from interlock.guard.shell.words import quote

    return ' '.join((words[0], *map(quote, words[1:])))


def _decisions(context: Context) -> Iterator[Decision | None]:
    event = context.event
    name = event.tool.removeprefix(PREFIX)
    if event.command is not None and name == event.tool:
        # a shell by a name that we do not know, whatever that says
        from interlock.guard.guards.shell_commands import handle

        yield handle(context)
    if _only_reads(_words(name.rpartition('__')[2])):
        return
    # the name of the server may say it
    typed = TYPED if _words(name) & SHELLS else frozenset()
    texts = list(_texts(event.fields('tool_input')))
    if whole := _whole(texts):
        yield _judge_run(context, whole, False)
    for path in dict.fromkeys(_paths(context, texts)):
        yield _judge_path(context, path)
    for key, text in dict.fromkeys(texts):
        told = key.endswith(OPTIONS) and text == NO_VERIFY
        if told or (key in SKIPPING and text == 'true'):
            what = f'`{key}` of {event.tool}'
            yield deny('CLD001', f'{what} keeps the hooks from running', UNSKIPPED)
        # `source` may be either
        if key in COMMANDS or key in typed or key in CODE:
            yield _judge_run(context, text, key in CODE)


def handle(context: Context) -> Decision | None:
    from interlock.guard.guards.file_writes import worst

    return worst(_decisions(context))
