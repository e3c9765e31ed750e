"""What git answers, and how it is read."""

from __future__ import annotations

import codecs

from interlock.model import quick_re as re
from interlock.model.quick_typing import Iterator, NamedTuple, Sequence

NO_FILE = '000000'
SUBMODULE = '160000'
LINK = '120000'
WITHOUT_CONTENT = (NO_FILE, SUBMODULE)
# what happened to a file, as git says it
ADDED = 'A'
DELETED = 'D'
UNMERGED = 'U'
# by two entries of one name in a tree
DOUBLED = '!'

# the user and the password of an address, wherever it stands in a text; git also
# says them without what is before them (`unable to look up me:secret@host`)
CREDENTIALS_RE = re.compile(r'(?:(?<=://)[^/\s]+|[^/\s:@]*:[^/\s]+)@')


# what git says of every remote that gave no answer, and what to look at then
GENERAL = 'fatal: Could not read from remote repository.'
ADVICE = '\nPlease make sure you have the correct access rights'

# what only Python knows, so git shows such a message as it is stored
NO_ENCODINGS = frozenset({'unicode-escape', 'raw-unicode-escape', 'punycode', 'idna'})


def without_password(text: str) -> str:
    """A text of git's that may hold addresses, fit to be shown."""
    return CREDENTIALS_RE.sub('', text)


def reason(said: str) -> str:
    """Why git did not reach a remote, of all that it said: one or two lines."""
    said = said.partition(ADVICE)[0]
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    lines = [line for line in lines if not line.startswith('hint:')]
    return '; '.join([line for line in lines if line != GENERAL][-2:] or lines)


def text(data: bytes) -> str:
    """A path or a message as text; bytes that are not UTF-8 survive."""
    return data.decode(errors='surrogateescape')


def decode(data: bytes, encoding: str) -> str:
    """A message in the encoding that git has for it; wrong bytes are replaced."""
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
    # why git and others may read the object differently, '' if they cannot
    malformed: str = ''


def listed(out: bytes) -> dict[str, str]:
    """From `MODE TYPE OID<tab>PATH`; submodules are left out."""
    found = {}
    for line in text(out).split('\0'):
        meta, _, path = line.partition('\t')
        mode, *rest = meta.split(' ')
        if path and mode != SUBMODULE:
            found[path] = rest[1]
    return found


class DiffEntry(NamedTuple):
    path: str
    # what happened to it: A, M, D, T or U
    letter: str
    # `MODE OID`, '' for none
    old: str
    new: str


def diff_entries(out: bytes) -> Iterator[DiffEntry]:
    """From `--raw -z` without renames."""
    fields = text(out).split('\0')
    for meta, path in zip(fields[::2], fields[1::2], strict=False):
        old_mode, mode, old, new, letter = meta.split(' ')
        before = '' if old_mode == f':{NO_FILE}' else f'{old_mode[1:]} {old}'
        after = '' if mode == NO_FILE else f'{mode} {new}'
        yield DiffEntry(path, letter, before, after)


class RawDiff(NamedTuple):
    # path -> letter
    touched: dict[str, str]
    # path -> id of the content that is there afterwards, and before
    new: dict[str, str]
    old: dict[str, str]


def raw_diff(out: bytes) -> RawDiff:
    """From `--raw -z` without renames."""
    touched: dict[str, str] = {}
    new, old = dict[str, str](), dict[str, str]()
    fields = text(out).split('\0')
    for meta, path in zip(fields[::2], fields[1::2], strict=False):
        old_mode, mode, before, after, letter = meta.split(' ')
        is_again = touched.get(path, UNMERGED) != UNMERGED
        touched[path] = DOUBLED if is_again else letter
        if mode not in WITHOUT_CONTENT:
            new[path] = after
        if old_mode[1:] not in WITHOUT_CONTENT:
            old[path] = before
    return RawDiff(touched, new, old)


class GitStatus(NamedTuple):
    # '' before the first commit
    head: str
    # '' where HEAD is detached
    branch: str
    # with changes that are not committed, and untracked ones
    paths: tuple[str, ...]


# the command of git whose output `status` reads
STATUS = 'status --porcelain=v2 --branch -z'
# what kind of entry it is -> the number of fields before the path
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
# once each and in this order, but for parents; then any others may follow
LEADING = (b'tree', b'parent', b'author', b'committer')


def _is_id(value: bytes) -> bool:
    return len(value) in ID_LENGTHS and HEX_DIGITS.issuperset(value)


def _parents(keys: Sequence[bytes]) -> int:
    """How many parents git sees: those right after the tree."""
    count = 0
    while keys[count + 1 : count + 2] == [b'parent']:
        count += 1
    return count


def _malformed(headers: Sequence[tuple[bytes, bytes]]) -> str:
    """Why these are not the headers of a commit, '' if they are."""
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


# a commit with the headers that each has, and no other
_PLAIN_RE = re.compile(
    rb'tree ([0-9a-f]{40}|[0-9a-f]{64})\n'
    rb'((?:parent (?:[0-9a-f]{40}|[0-9a-f]{64})\n)*)'
    rb'author [^\n\0]*\n'
    rb'committer [^\n\0]* (\d+) [^ \n\0]*\n\n'
)


def parse_commit(oid: str, data: bytes) -> Commit:
    """A commit as git reads it: the first tree, and the parents after it.

    A program that read any other header of these names would see another
    commit than git checks out, so such an object is malformed.
    """
    plain = _PLAIN_RE.match(data)
    if plain is None:
        return _parse_headers(oid, data)
    tree, parents, stamp = plain.groups()
    body = data[plain.end() :].partition(b'\0')[0]
    # `parent` and its id, again and again
    ids = tuple(text(parents).split()[1::2])
    return Commit(oid, text(tree), ids, decode(body, 'UTF-8'), int(stamp))


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
        # git reads no further than a NUL, whatever the encoding
        decode(body.partition(b'\0')[0], encoding),
        int(stamp[0]) if stamp and stamp[0].isdigit() else 0,
        malformed,
    )


def entry_of(tree: bytes, name: bytes, id_size: int) -> tuple[str, str]:
    """Mode and id of an entry of a tree object, '' and '' if it has none."""
    if b' ' + name + b'\0' not in tree:
        # true of most names, and far faster than to read the entries
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
