from __future__ import annotations

from interlock.model import quick_re as re
from interlock.model.quick_tools import fnmatchcase
from interlock.model.quick_typing import Collection, Iterable, Iterator
from interlock.workflow.language import patterns
from interlock.workflow.language.spec import Kind, Workflow
from interlock.workflow.reading.kind_cache import by_kind, remember

MAX_NAME = 100
# names that are valid for files on every system, and that a quoted shell word
# does not interpret
PATH_NAME_RE = re.compile(r"[\w .+&'(),-]+")
# names of items without files: anything but markup and pattern characters
LABEL_RE = re.compile(r"[\w .+&'(),/:;?!#%@=~$^\"-]+")
MARKUP = '|`*[]<>{}\\'
# invisible characters that select the form of the symbol before them
SELECTORS = '\ufe0e\ufe0f'
# joins two symbols, or the letters of some scripts; separates letters
JOINER, NON_JOINER = '\u200d', '\u200c'
KEYCAP = '\u20e3'
LETTERS = ('Lo', 'Mn', 'Mc')
KEBAB = 'kebab'
KEBAB_RE = re.compile(r'[a-z0-9]+(?:-[a-z0-9]+)*')


def is_path_name(text: str) -> bool:
    """Whether files may have this name."""
    return (
        0 < len(text) <= MAX_NAME
        and text[0] not in '.- '
        and text[-1] not in '. '
        and '..' not in text
        and _has_letter(text)
        and _consists_of(text, PATH_NAME_RE)
    )


def is_label(text: str) -> bool:
    """Whether an item without files may have this name."""
    return (
        0 < len(text) <= MAX_NAME
        and text[0] not in '- '
        and text[-1] != ' '
        and _has_letter(text)
        and _consists_of(text, LABEL_RE)
    )


@by_kind
def is_name(text: str, kind: Kind) -> bool:
    return is_path_name(text) or (is_label(text) and not has_files(kind))


@remember
def has_files(kind: Kind) -> bool:
    """Whether files are found by the names of its items."""
    return bool(
        record_paths(kind)
        or kind.deliverables
        or kind.registry.description
        or kind.protocol
    )


def _has_letter(text: str) -> bool:
    return not text.isascii() or any(map(str.isalnum, text))


def _consists_of(text: str, signs: re.Pattern[str]) -> bool:
    return (signs.fullmatch(text) or signs.fullmatch(_as_letters(text))) is not None


def _as_letters(text: str) -> str:
    """The text with one letter for each emoji and each sign of other scripts,
    without the accents and vowel signs of other scripts."""
    if text.isascii():
        return text
    import unicodedata

    kept = before = ''
    for char, after in zip(text, [*text[1:], ''], strict=True):
        category = unicodedata.category(char)
        is_selector = char in SELECTORS
        is_after_symbol = before[:1] in ('S', 'P')
        if '\U0001f3fb' <= char <= '\U0001f3ff' or (
            is_selector and (is_after_symbol or (before == 'Nd' and after == KEYCAP))
        ):
            # it selects the form or the skin colour of a symbol
            continue
        elif char == KEYCAP and before == 'Nd':
            before = 'So'
        elif char in (JOINER, NON_JOINER):
            following = unicodedata.category(after) if after else ''
            joins = is_after_symbol and following[:1] == 'S' and char == JOINER
            if not joins and not (before in LETTERS and following in LETTERS):
                kept += char
        elif is_selector or not char.isprintable():
            kept += char
        elif category not in ('Mn', 'Mc'):
            kept += 'x' if category[0] in 'SPN' and not char.isascii() else char
            before = category if not char.isascii() or category == 'Nd' else ''
        else:
            before = category
    return kept


def why_no_name(text: str, kind: Kind | None = None) -> str:
    """Why a text cannot be the name of an item."""
    if not text:
        return 'it is empty'
    elif len(text) > MAX_NAME:
        return f'it has {len(text)} characters; the maximum is {MAX_NAME}'
    for char in _as_letters(text):
        code = f'U+{ord(char):04X}'
        if '\udc80' <= char <= '\udcff':
            # it stands for a byte that is not text
            return 'it is not UTF-8 text'
        elif not char.isprintable() or char in SELECTORS or char == KEYCAP:
            return f'{code} (invisible) is not allowed'
        elif char in MARKUP:
            named = 'a backtick' if char == '`' else f'`{char}`'
            return f'{named} is not allowed, because it is markup'
        elif not LABEL_RE.fullmatch(char):
            return f'`{char}` is not allowed'
    if text[0] in '- ':
        return f'it begins with `{text[0]}`'
    elif text[-1] == ' ':
        return 'it ends with ` `'
    elif not _has_letter(text):
        return 'it has neither a letter nor a digit'
    return _why_no_path(text, kind)


def _why_no_path(text: str, kind: Kind | None) -> str:
    files = record_paths(kind) if kind else ()
    because = f'names become paths (`{files[0]}`)' if files else 'names become paths'
    for char in _as_letters(text):
        if not PATH_NAME_RE.fullmatch(char):
            return f'`{char}` is not allowed, because {because}'
    if '..' in text:
        return f'`..` is not allowed, because {because}'
    ends = 'begins' if text[0] == '.' else 'ends'
    return f'it {ends} with `.`, and {because}'


def similar_name(text: str) -> str:
    """A similar name that any item could have, '' if no character is left."""
    # keep signs that belong together, if the result is valid
    plain = [char if _is_kept(char) or not char.isascii() else ' ' for char in text]
    bare = [char if _is_kept(char) else ' ' for char in text if _as_letters(char)]
    for kept in (plain, bare):
        words = ''.join(kept).replace('..', ' ').split()
        name = ' '.join(words)[:MAX_NAME].strip('.- ')
        if is_path_name(name):
            return name
    return ''


def _is_kept(char: str) -> bool:
    return PATH_NAME_RE.fullmatch(_as_letters(char)) is not None


def is_task_name(text: str, kind: Kind) -> bool:
    """Whether a task may have this name; some names are reserved."""
    # a name of this form is always valid, and there may be thousands
    fits = (
        len(text) <= MAX_NAME and KEBAB_RE.fullmatch(text) is not None
        if kind.names == KEBAB
        else is_path_name(text)
    )
    return fits and not is_ignored(text, kind)


@by_kind
def is_ignored(text: str, kind: Kind) -> bool:
    for glob in kind.ignore:
        if fnmatchcase(text, glob):
            return True
    return False


@remember
def record_paths(kind: Kind) -> tuple[str, ...]:
    return tuple(_record_paths(kind))


@by_kind
def paths_of(item: str, kind: Kind) -> tuple[str, ...]:
    """The actual and possible paths of the records of an item."""
    return tuple(patterns.expand(path, item) for path in record_paths(kind))


def _record_paths(kind: Kind) -> Iterator[str]:
    yield from filter(None, (kind.registry.entry_file, kind.registry.notes))
    yield from kind.handoff.places
    for contract in kind.contracts.files:
        yield from contract.paths


def is_record(workflow: Workflow, path: str) -> bool:
    """Whether checks read the content of a file."""
    return path == workflow.path or any(
        [_is_record(path, kind) for kind in workflow.kinds]
    )


@by_kind
def _is_record(path: str, kind: Kind) -> bool:
    fits = patterns.any_path_re(record_paths(kind)).match
    return path == kind.registry.file or fits(path) is not None


def folded(name: str) -> str:
    """The same text for all names that a file may have on macOS or Windows.

    There case does not count, and on macOS neither does it how a letter with an
    accent is encoded.
    """
    if name.isascii():
        return name.lower()
    import unicodedata

    return unicodedata.normalize('NFC', name.casefold())


def folded_records(path: str, places: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The patterns that a path matches if case does not count, each with the
    folded name of its item."""
    name, spread = folded(path), {pattern: folded(pattern) for pattern in places}
    # most paths match none of them
    if patterns.any_path_re(tuple(spread.values())).match(name):
        for pattern, source in spread.items():
            match = patterns.path_re(source).match(name)
            if match and not patterns.is_wild(pattern):
                yield pattern, match['item']


@by_kind
def handoff_of(path: str, kind: Kind) -> str:
    """The item whose handoff is at a path, '' if none."""
    name = patterns.item_in(path, kind.handoff.places)
    return '' if not name or is_ignored(name, kind) else name


@by_kind
def item_of(path: str, kind: Kind) -> str:
    """The item to whose files a path belongs, '' if none."""
    match = patterns.below_re(kind.path).match(path)
    name = match['item'] if match else patterns.item_in(path, record_paths(kind))
    return '' if not name or is_ignored(name, kind) else name


def is_handoff_touched(touched: Collection[str], kind: Kind, item: str) -> bool:
    return any(
        any(handoff_of(each, kind) == item for each in touched)
        if patterns.is_wild(path)
        else patterns.expand(path, item) in touched
        for path in kind.handoff.places
    )
