"""Before a tool of an MCP server runs, or one that we do not know: the files
that it names.

What such a tool would write is unknown, so a file is judged by its path. A
tool whose name says that it only reads is left alone.
"""

from __future__ import annotations

import os

from interlock.guard.decision import Decision

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from interlock.guard.context import Context
    from interlock.model.quick_typing import Iterator

PREFIX = 'mcp__'
# names of arguments in lower case, without what joins their words
KEYS = frozenset(
    """path paths filepath filepaths filename filenames relativepath absolutepath
    notebookpath sourcepath oldpath destination destinationpath destpath newpath
    targetpath targetfile outputpath outputfile""".split()
)
# these may mean something else: they count if the value looks like a path
VAGUE = frozenset(
    """file files uri source src from dest dst to target output directory dir
    folder""".split()
)
READS = frozenset(
    """read get list ls search find grep glob stat info view show tree exists fetch
    query describe diff status log head tail cat open count""".split()
)
WRITES = frozenset(
    """write edit create make mkdir delete remove rm move mv rename copy cp set put
    insert replace append patch apply update save upload download modify add touch
    truncate link symlink chmod run execute exec""".split()
)
# of lists and objects in one another
DEPTH = 4
SCHEME = 'file://'


def _only_reads(tool: str) -> bool:
    name = tool.removeprefix(PREFIX).rpartition('__')[2]
    parted = ''.join(
        f' {letter}' if letter.isupper() else letter if letter.isalnum() else ' '
        for letter in name
    )
    words = set(parted.lower().split())
    return bool(words & READS) and not words & WRITES


def _named(value: Any, key: str = '', depth: int = DEPTH) -> Iterator[str]:
    """Every text that is given where a path is expected."""
    if isinstance(value, str):
        path = value.removeprefix(SCHEME)
        is_path = path.strip() and '\0' not in path and '://' not in path
        if is_path and (key in KEYS or (key in VAGUE and '/' in path)):
            yield path
    elif isinstance(value, dict) and depth:
        for name, each in value.items():
            plain = ''.join(filter(str.isalnum, str(name))).lower()
            yield from _named(each, plain, depth - 1)
    elif isinstance(value, list) and depth:
        for each in value:
            yield from _named(each, key, depth - 1)


def handle(context: Context) -> Decision | None:
    event = context.event
    given = [] if _only_reads(event.tool) else _named(event.fields('tool_input'))
    for path in dict.fromkeys(given):
        from interlock.guard.guards.file_writes import judge_write
        from interlock.guard.relevance import Write

        path = os.path.join(context.directory, os.path.expanduser(path))
        decision = judge_write(context, Write(path, how=event.tool))
        if decision:
            return decision
    return None
