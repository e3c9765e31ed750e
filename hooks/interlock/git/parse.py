"""Parses the output of git."""

from __future__ import annotations

import codecs

from interlock.model import quick_re as re
from interlock.model.change import DOUBLED, MODIFIED, TYPE_CHANGED, UNMERGED
from interlock.model.quick_typing import Iterator, NamedTuple, Sequence

NO_FILE = '000000'
SUBMODULE = '160000'
LINK = '120000'
WITHOUT_CONTENT = (NO_FILE, SUBMODULE)
# how the modes of files begin
FILE = '100'

# the user and the password of a URL anywhere in a text; git also prints them
# without the scheme (`unable to look up me:secret@host`)
CREDENTIALS_RE = re.compile(r'(?:(?<=://)[^/\s]+|[^/\s:@]*:[^/\s]+)@')


# git's general error for any remote that did not answer, and its advice
GENERAL = 'fatal: Could not read from remote repository.'
ADVICE = '\nPlease make sure you have the correct access rights'

# encodings that only Python knows; git shows such a message undecoded
NO_ENCODINGS = frozenset({'unicode-escape', 'raw-unicode-escape', 'punycode', 'idna'})


def without_password(text: str) -> str:
    """A text printed by git, without the passwords in its URLs."""
    return CREDENTIALS_RE.sub('', text)


def reason(said: str) -> str:
    """One or two lines of git's output that say why it did not reach a remote."""
    said = said.partition(ADVICE)[0]
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    lines = [line for line in lines if not line.startswith('hint:')]
    return '; '.join([line for line in lines if line != GENERAL][-2:] or lines)


def text(data: bytes) -> str:
    """Decode a path or a message; bytes that are not UTF-8 survive."""
    return data.decode(errors='surrogateescape')


def decode(data: bytes, encoding: str) -> str:
    """Decode a message with the encoding git uses; invalid bytes are replaced."""
    try:
        if codecs.lookup(encoding).name not in NO_ENCODINGS:
            return data.decode(encoding, errors='replace')
    except (LookupError, ValueError):
        pass
    return data.decode(errors='replace')


class Commit(NamedTuple):
    oid: str
    tree: str
    parents: tuple[str, ...]
    message: str
    time: int
    # why other programs may read the object differently than git, '' if none can
    malformed: str = ''


def parse_tree_listing(out: bytes) -> dict[str, str]:
    """Parse `MODE TYPE OID<tab>PATH` lines; submodules are left out."""
    found = {}
    for line in text(out).split('\0'):
        meta, _, path = line.partition('\t')
        mode, *rest = meta.split(' ')
        if path and mode != SUBMODULE:
            found[path] = rest[1]
    return found


class DiffEntry(NamedTuple):
    path: str
    # `MODE OID`, '' for none
    old: str
    new: str


def diff_entries(out: bytes) -> Iterator[DiffEntry]:
    """Parse `--raw -z` output without renames."""
    fields = text(out).split('\0')
    for meta, path in zip(fields[::2], fields[1::2], strict=False):
        old_mode, mode, old, new, _ = meta.split(' ')
        before = '' if old_mode == f':{NO_FILE}' else f'{old_mode[1:]} {old}'
        after = '' if mode == NO_FILE else f'{mode} {new}'
        yield DiffEntry(path, before, after)


class RawDiff(NamedTuple):
    # path -> letter
    touched: dict[str, str]
    # path -> id of the content after, and before
    new: dict[str, str]
    old: dict[str, str]


def raw_diff(fields: Sequence[str]) -> RawDiff:
    """Parse the fields of `--raw -z` output without renames."""
    touched: dict[str, str] = {}
    new, old = dict[str, str](), dict[str, str]()
    for meta, path in zip(fields[::2], fields[1::2], strict=False):
        old_mode, mode, before, after, letter = meta.split(' ')
        is_again = touched.get(path, UNMERGED) != UNMERGED
        if letter == TYPE_CHANGED and mode.startswith(FILE):
            # it is a file again
            letter = MODIFIED
        touched[path] = DOUBLED if is_again else letter
        if mode not in WITHOUT_CONTENT:
            new[path] = after
        if old_mode[1:] not in WITHOUT_CONTENT:
            old[path] = before
    return RawDiff(touched, new, old)


class GitStatus(NamedTuple):
    # '' before the first commit
    head: str
    # '' if HEAD is detached
    branch: str
    # paths with uncommitted changes, and untracked paths
    changed: tuple[str, ...]


# the command of git whose output `status` reads
STATUS = 'status --porcelain=v2 --branch -z'
# the kind of an entry -> the number of fields before its path
STATUS_FIELDS = {'1': 8, '2': 9, 'u': 10, '?': 1}


def status(out: bytes) -> GitStatus:
    head = branch = ''
    paths = []
    entries = iter(text(out).split('\0'))
    for entry in entries:
        kind, _, rest = entry.partition(' ')
        if kind == '#':
            name, _, value = rest.partition(' ')
            head = value if name == 'branch.oid' else head
            branch = value if name == 'branch.head' else branch
        elif kind in STATUS_FIELDS:
            paths.append(entry.split(' ', STATUS_FIELDS[kind])[-1])
            if kind == '2':
                # the old path of a rename follows
                next(entries)
    return GitStatus(
        '' if head == '(initial)' else head,
        '' if branch == '(detached)' else branch,
        tuple(paths),
    )


HEX_DIGITS = frozenset(b'0123456789abcdef')
ID_LENGTHS = {40, 64}
# once each, in this order (parents may repeat); other headers may follow
LEADING = (b'tree', b'parent', b'author', b'committer')


def _is_id(value: bytes) -> bool:
    return len(value) in ID_LENGTHS and HEX_DIGITS.issuperset(value)


def _parents(keys: Sequence[bytes]) -> int:
    """How many parents git sees: those directly after the tree."""
    count = 0
    while keys[count + 1 : count + 2] == [b'parent']:
        count += 1
    return count


def _malformed(headers: Sequence[tuple[bytes, bytes]]) -> str:
    """Why these are not valid headers of a commit, '' if they are."""
    keys = [key for key, _ in headers]
    parents = _parents(keys)
    expected = [b'tree', *[b'parent'] * parents, b'author', b'committer']
    if keys[: len(expected)] != expected:
        return 'its headers are not tree, parents, author and committer'
    for key in keys[len(expected) :]:
        if key in LEADING:
            return f'it has another `{text(key)}` header after its committer'
    if not all(_is_id(value) for _, value in headers[: parents + 1]):
        return 'one of its tree and parent headers does not name an object'
    return ''


# a commit with only the mandatory headers
_PLAIN_RE = re.compile(
    rb'tree ([0-9a-f]{40}|[0-9a-f]{64})\n'
    rb'((?:parent (?:[0-9a-f]{40}|[0-9a-f]{64})\n)*)'
    rb'author [^\n\0]*\n'
    rb'committer [^\n\0]* (\d+) [^ \n\0]*\n\n'
)


def parse_commit(oid: str, data: bytes) -> Commit:
    """Parse a commit as git does: the first tree, and the parents after it.

    A program that reads a repeated header of these names would see another
    commit than git checks out. So such an object is malformed.
    """
    plain = _PLAIN_RE.match(data)
    if plain is None:
        return _parse_headers(oid, data)
    tree, parents, stamp = plain.groups()
    body = data[plain.end() :].partition(b'\0')[0]
    # pairs of `parent` and an id
    ids = tuple(text(parents).split()[1::2])
    return Commit(oid, text(tree), ids, decode(body, 'UTF-8'), int(stamp))


def _message(head: bytes, body: bytes, encoding: str) -> str:
    """The message as git shows it, which converts the headers too.

    In an encoding in which they read differently, such as UTF-7 or EBCDIC, git
    shows the bytes as they are, or no message at all.
    """
    whole = head + b'\n\n' + body
    try:
        is_known = codecs.lookup(encoding).name not in NO_ENCODINGS
        return whole.decode(encoding if is_known else 'ascii').partition('\n\n')[2]
    except (LookupError, ValueError):
        return body.decode(errors='replace')


def _parse_headers(oid: str, data: bytes) -> Commit:
    head, _, body = data.partition(b'\n\n')
    headers: list[tuple[bytes, bytes]] = []
    for line in head.split(b'\n'):
        # a folded line belongs to the header above it
        if not line.startswith(b' ') or not headers:
            key, _, value = line.partition(b' ')
            headers.append((key, value))
    malformed = _malformed(headers)
    if b'\0' in head:
        malformed = 'its header holds a NUL byte'
    known = dict(reversed(headers))
    parents = _parents([key for key, _ in headers])
    stamp = known.get(b'committer', b'').rsplit(b' ', 2)[-2:-1]
    encoding = text(known.get(b'encoding', b'UTF-8'))
    return Commit(
        oid,
        text(known.get(b'tree', b'')),
        tuple(text(value) for _, value in headers[1 : parents + 1]),
        # git stops reading at a NUL, in every encoding
        _message(head, body.partition(b'\0')[0], encoding),
        int(stamp[0]) if stamp and stamp[0].isdigit() else 0,
        malformed,
    )


def entry_of(tree: bytes, name: bytes, id_size: int) -> tuple[str, str]:
    """Mode and id of an entry of a tree object, '' and '' if it has none."""
    if b' ' + name + b'\0' not in tree:
        # true for most names, and far faster than parsing the entries
        return '', ''
    for found, mode, oid in tree_entries(tree, id_size):
        if found == name:
            return text(mode).zfill(6), oid.hex()
    return '', ''


def tree_entries(tree: bytes, id_size: int) -> Iterator[tuple[bytes, bytes, bytes]]:
    """Name, mode and id of each entry of a tree object."""
    at = 0
    while at < len(tree):
        space = tree.index(b' ', at)
        end = tree.index(b'\0', space)
        mode, at = tree[at:space], end + 1 + id_size
        yield tree[space + 1 : end], mode, tree[end + 1 : at]
