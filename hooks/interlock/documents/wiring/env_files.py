"""Files of variables (`.env`) that clients load when they start.

A client tells git in its shells that there are no hooks. A variable has priority: one
line of such a file makes git read another file, which names the hooks.
"""

from __future__ import annotations

from interlock.model import quick_re as re
from interlock.model.calling_files import NAMING, PARAMETERS

OURS = b' # interlock'
# what a quoted value cannot hold unescaped, and what no text of the client holds
UNFIT = re.compile(r"""['"\\\n\r\ud800-\udfff]""")
# what JavaScript takes for blanks and for ends of lines
BLANK = r'[\t-\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]'
START, END = r'(?<![^\n\u2028\u2029])', r'(?![^\n\u2028\u2029])'
# like the library `dotenv`: a quoted value may have several lines
VARIABLE = re.compile(
    rf'{START}{BLANK}*(?:export{BLANK}+)?([A-Za-z0-9_.-]+)'
    rf'(?:{BLANK}*={BLANK}*?|:{BLANK}+?)'
    rf"""({BLANK}*'(?:\\'|[^'])*'|{BLANK}*"(?:\\"|[^"])*"|{BLANK}*`(?:\\`|[^`])*`"""
    rf'|[^#\n]+)?{BLANK}*(?:#[^\n\u2028\u2029]*)?{END}'
)


def variables(data: bytes | None) -> dict[str, str]:
    """The variables that a file sets; for a duplicate name the last one counts."""
    text = (data or b'').decode(errors='replace')
    text = text.replace('\r\n', '\n').replace('\r', '\n')
    return {name: _plain(value or '') for name, value in VARIABLE.findall(text)}


def _plain(value: str) -> str:
    value = re.sub(rf'^{BLANK}+|{BLANK}+$', '', value)
    quote = value[:1]
    if len(value) > 1 and quote in ('"', "'", '`') and value.endswith(quote):
        value = value[1:-1]
    if quote == '"':
        value = value.replace('\\n', '\n').replace('\\r', '\r')
    return value


def hooks_line(common: str) -> str:
    """The line that makes git read which hooks a repository has, in all its
    worktrees and in no other repository; '' if it cannot hold the path."""
    if UNFIT.search(common):
        return ''
    # git takes these for patterns
    literal = re.sub(r'[*?[]', '?', common)
    entries = (
        f"'includeIf.gitdir:{literal}{below}.path'='{common}/{NAMING}'"
        for below in ('', '/worktrees/')
    )
    return f'{PARAMETERS}="{" ".join(entries)}"'


def naming_file(hooks: str) -> bytes:
    """The configuration of git that names the hooks of a repository."""
    value = hooks.replace('\\', '\\\\').replace('"', '\\"').replace('\n', '\\n')
    return f'[core]\n\thooksPath = "{value}"\n'.encode()


def _is_ours(line: bytes) -> bool:
    return line.startswith(PARAMETERS.encode()) and line.rstrip().endswith(OURS)


def without_hooks(data: bytes | None) -> bytes:
    """The file without the line that we wrote."""
    lines = (data or b'').splitlines(keepends=True)
    return b''.join(line for line in lines if not _is_ours(line))


def without_own_line(data: bytes, common: str) -> bytes:
    """The file without the line for this repository, wherever it came from."""
    return data.replace(hooks_line(common).encode() + OURS, b'')


def with_hooks(data: bytes | None, common: str) -> bytes:
    """The file with our line first, so that all other bytes stay as they are."""
    return hooks_line(common).encode() + OURS + b'\n' + without_hooks(data)
