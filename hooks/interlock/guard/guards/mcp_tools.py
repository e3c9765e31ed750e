"""PreToolUse of the tools of MCP servers: files that they name.

What such a tool would write nobody can say, so a file is judged by its path.
A tool that by its name only reads is left alone.
"""

from __future__ import annotations

import os

from interlock.guard.reply import SILENCE, Answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from interlock.guard.context import Scene

PREFIX = 'mcp__'
# small, and without what joins their words
KEYS = frozenset(
    {
        'path',
        'paths',
        'filepath',
        'filepaths',
        'filename',
        'filenames',
        'relativepath',
        'absolutepath',
        'notebookpath',
        'sourcepath',
        'oldpath',
        'destination',
        'destinationpath',
        'destpath',
        'newpath',
        'targetpath',
        'targetfile',
        'outputpath',
        'outputfile',
    }
)
# these may mean something else: only where a path is what is given
VAGUE = frozenset(
    {
        'file',
        'files',
        'uri',
        'source',
        'src',
        'from',
        'dest',
        'dst',
        'to',
        'target',
        'output',
        'directory',
        'dir',
        'folder',
    }
)
READS = frozenset(
    {
        'read',
        'get',
        'list',
        'ls',
        'search',
        'find',
        'grep',
        'glob',
        'stat',
        'info',
        'view',
        'show',
        'tree',
        'exists',
        'fetch',
        'query',
        'describe',
        'diff',
        'status',
        'log',
        'head',
        'tail',
        'cat',
        'open',
        'count',
    }
)
WRITES = frozenset(
    {
        'write',
        'edit',
        'create',
        'make',
        'mkdir',
        'delete',
        'remove',
        'rm',
        'move',
        'mv',
        'rename',
        'copy',
        'cp',
        'set',
        'put',
        'insert',
        'replace',
        'append',
        'patch',
        'apply',
        'update',
        'save',
        'upload',
        'download',
        'modify',
        'add',
        'touch',
        'truncate',
        'link',
        'symlink',
        'chmod',
        'run',
        'execute',
        'exec',
    }
)
# of lists and objects in one another
DEPTH = 4
SCHEME = 'file://'


def _words(tool: str) -> set[str]:
    name = tool.removeprefix(PREFIX).rpartition('__')[2]
    parted = ''.join(
        f' {letter}' if letter.isupper() else letter if letter.isalnum() else ' '
        for letter in name
    )
    return set(parted.lower().split())


def only_reads(tool: str) -> bool:
    words = _words(tool)
    return bool(words & READS) and not words & WRITES


def _key(name: Any) -> str:
    return ''.join(filter(str.isalnum, str(name))).lower()


def _named(value: Any, key: str = '', depth: int = DEPTH) -> Iterator[str]:
    """Every text that stands where a path is given."""
    if isinstance(value, str):
        path = value.removeprefix(SCHEME)
        if (
            path.strip()
            and '\0' not in path
            and '://' not in path
            and (key in KEYS or (key in VAGUE and '/' in path))
        ):
            yield path
    elif isinstance(value, dict) and depth:
        for name, each in value.items():
            yield from _named(each, _key(name), depth - 1)
    elif isinstance(value, list) and depth:
        for each in value:
            yield from _named(each, key, depth - 1)


def _places(scene: Scene) -> list[str]:
    given = _named(scene.event.fields('tool_input'))
    return list(
        dict.fromkeys(
            os.path.join(scene.directory, os.path.expanduser(each)) for each in given
        )
    )


def handle(scene: Scene) -> Answer:
    paths = [] if only_reads(scene.event.tool) else _places(scene)
    if not paths:
        return SILENCE
    from interlock.guard.file_write import Write
    from interlock.guard.guards.file_writes import judge_write

    for path in paths:
        objection = judge_write(scene, Write(path, how=scene.event.tool))
        if objection:
            return objection.answer()
    return SILENCE
