from __future__ import annotations

from typing import NamedTuple

from hypothesis import strategies as st

# what the readers look for, in any order
TOKENS = (
    b'---\n',
    b'...\n',
    b'```',
    b'~~~',
    b'````\n',
    b'<!--',
    b'-->',
    b'|',
    b'\\|',
    b'\\',
    b'| Plugin Name | Status |\n',
    b'|---|---|\n',
    b'| A | x |\n',
    b'### A\n',
    b'## B\n',
    b'#',
    b'**Status:** x\n',
    b'**Lifecycle Timeline:**\n',
    b'- 2026-01-02\n',
    b'\r\n',
    b'\n',
    b'\0',
    b'\xff',
    b'\xef\xbb\xbf',
    b'\xc3\xa9',
    '🚧'.encode(),
    b' ',
    b'\t',
    b'[',
    b']',
    b'{',
    b'}',
    b'](',
    b'&a ',
    b'*a',
    b'!!int ',
    b'!x ',
    b'<<',
    b': ',
    b', ',
    b'- ',
    b'? ',
    b'"',
    b"'",
    b'a: 1\n',
    b'%',
    b'@',
    b'# ',
    b'>8',
    b'Key: x\n',
    b'=',
    '\u2028'.encode(),
    b'3.10',
    b'null',
)
soup = st.lists(st.sampled_from(TOKENS), max_size=40).map(b''.join)
any_bytes = st.one_of(st.binary(max_size=200), soup)
framed = soup.map(lambda inner: b'---\n' + inner + b'\n---\n# A\n')
any_text = st.one_of(
    st.text(max_size=100),
    soup.map(lambda data: data.decode(errors='surrogateescape')),
    soup.map(lambda data: data.decode(errors='ignore')),
)

PIECES = (
    'a',
    'Stage 2',
    '3.10',
    ' ',
    'é',
    '🚧',
    '⚠️',
    '**',
    '_',
    '\\|',
    '表',
    '👷\u200d♂️',
    '[x](y)',
    '-',
    '#',
    ':',
)
HEADERS = {
    'item': 'Plugin Name',
    'status': 'Status',
    'version': 'Version',
    'updated': 'Last Updated',
    '': 'Type',
}
content = st.lists(st.sampled_from(PIECES), max_size=5).map(''.join)
padding = st.sampled_from(('', ' ', '  ', '\t', '    '))
# no backtick, tilde or `<`: in the first column of a row without a leading
# pipe they would open a fence or a comment
value = st.text(
    st.one_of(
        st.sampled_from('|\\*_ é🚧表\ufe0f3.'),
        st.characters(
            exclude_categories=('Cs', 'Cc', 'Zl', 'Zp'), exclude_characters='`~<'
        ),
    ),
    min_size=1,
    max_size=12,
).filter(lambda text: text == text.strip() and text.isprintable())


class Row(NamedTuple):
    item: str
    head: str
    cells: tuple[str, ...]
    tail: str

    @property
    def text(self) -> str:
        return self.head + '|'.join(self.cells) + self.tail


class Table(NamedTuple):
    roles: tuple[str, ...]
    before: bytes
    rows: tuple[Row, ...]
    after: bytes

    @property
    def data(self) -> bytes:
        rows = ''.join(row.text for row in self.rows).encode()
        return self.before + rows + self.after

    def offset(self, number: int) -> int:
        above = ''.join(row.text for row in self.rows[:number])
        return len(self.before) + len(above.encode())


@st.composite
def tables(draw: st.DrawFn) -> Table:
    newline = draw(st.sampled_from(('\n', '\r\n')))
    roles = tuple(
        draw(
            st.permutations(
                (
                    'item',
                    'status',
                    *draw(
                        st.lists(
                            st.sampled_from(('version', 'updated', '')), unique=True
                        )
                    ),
                )
            )
        )
    )
    header = '|'.join(f' {HEADERS[role]} ' for role in roles)
    dashes = '|'.join('---' for _ in roles)
    before = (
        draw(
            st.sampled_from(
                ('', '# Größe\n\n- **🚧 Stage N** | x\n\n', '```\n| x | y |\n```\n\n')
            )
        )
        + f'|{header}|\n|{dashes}|\n'
    )
    rows = []
    count = draw(st.integers(1, 4))
    for number in range(count):
        leading = draw(st.booleans())
        trailing = draw(st.booleans())
        cells: list[str] = []
        for role in roles:
            inner = draw(content).strip()
            if role == 'item':
                style = draw(st.sampled_from(('{}', '**{}**', '[{}](x)')))
                inner = style.format(f'Item {number}')
            elif len(cells) == 0 and not leading:
                inner = f'x{inner}'
            elif len(cells) == len(roles) - 1 and not trailing:
                inner = f'{inner}x'
            cells.append(draw(padding) + inner + draw(padding))
        head = draw(padding).replace('\t', '') + '|' if leading else ''
        tail = '|' + draw(padding) if trailing else ''
        rows.append(Row(f'Item {number}', head, tuple(cells), tail + newline))
    after = b''
    if draw(st.booleans()):
        after = draw(
            st.sampled_from(
                (
                    newline.encode(),
                    b'\n### Item 0\n\n**Status:** x\n',
                    b'\n\xff',
                    b'\n```\n| Item 0 | x |\n',
                )
            )
        )
    elif draw(st.booleans()):
        last = rows[-1]
        rows[-1] = last._replace(tail=last.tail.rstrip('\r\n'))
    return Table(roles, before.replace('\n', newline).encode(), tuple(rows), after)
