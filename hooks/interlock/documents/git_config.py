"""A configuration file of git, as far as it says which code git runs."""
from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

Entry = tuple[str, str, str]


def _value(text: str) -> str:
    """Without quotes and without a comment."""
    found, quoted = '', False
    for char in text:
        if char == '"':
            quoted = not quoted
        elif char in '#;' and not quoted:
            break
        else:
            found += char
    return found.strip()


def entries(data: bytes) -> Iterator[Entry]:
    """Section, key and value; a key may follow its section on one line."""
    section = ''
    text = data.decode(errors='replace').replace('\\\n', '')
    for line in text.splitlines():
        line = line.strip()
        while line.startswith('['):
            head, _, line = line[1:].partition(']')
            section, line = head.strip().lower(), line.strip()
        if line and line[0] not in '#;':
            key, _, value = line.partition('=')
            yield section, key.strip().lower(), _value(value)


def _runs(section: str, key: str) -> bool:
    """Whether an entry leads git to other code, or to other entries."""
    first = section.split(' ')[0].split('.')[0].split('"')[0]
    return first in ('include', 'includeif', 'alias') or (
        first == 'core' and key in ('hookspath', 'worktree', 'fsmonitor')
    )


def steering(data: bytes | None) -> list[Entry]:
    return [
        entry for entry in entries(data or b'') if _runs(*entry[:2])
    ]


def hooks_path(data: bytes | None) -> str:
    """The last `core.hooksPath`, '' where there is none."""
    found = [
        value for section, key, value in entries(data or b'')
        if (section, key) == ('core', 'hookspath')
    ]
    return found[-1] if found else ''
