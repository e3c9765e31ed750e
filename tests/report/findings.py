from __future__ import annotations

import io

from interlock.model.finding import Finding, Fix
from interlock.model.report import Report


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


ERROR = Finding(
    'REG001',
    'registry',
    'error',
    'Größe',
    'PLUGINS.md',
    7,
    'the row says `🚧 Stage 3`, the entry says `🚧 Stage 2`',
    'Stage 2',
    'Stage 3',
    Fix('fix the row', 'interlock check --worktree --fix'),
    commit='0123456789abcdef0123456789abcdef01234567',
)
WARNING = Finding(
    'HND006',
    'handoff',
    'warning',
    'Bravo',
    'plugins/Bravo/x y.md',
    1,
    'the section `Next Steps` is missing',
    'Next Steps',
    '',
    Fix("correct the file by hand: 'plugins/Bravo/x y.md':1", ''),
    introduced=False,
)
INFO = Finding(
    'REG014',
    'registry',
    'info',
    'Charlie',
    '',
    0,
    'it is not registered',
    '',
    '',
    Fix('add it', 'true'),
)
ALL = Report((ERROR, WARNING, INFO))
# paths and values as a hostile repository may hold them
HOSTILE = '\x00\x07\x1b[31m\udcff\ufffe\x85\u2028<&">\'%:,\r\n::é🚧'
BAD = Report(
    (
        ERROR._replace(
            item=f'a{HOSTILE}',
            path=f'b{HOSTILE}',
            message=f'c{HOSTILE}',
            expected=f'd{HOSTILE}',
            found=f'e{HOSTILE}',
            fix=Fix('fix it', f'f{HOSTILE}'),
        ),
    )
)
