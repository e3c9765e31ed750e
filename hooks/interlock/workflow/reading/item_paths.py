from __future__ import annotations

from interlock.model import quick_re as re
from interlock.model.quick_tools import fnmatchcase
from interlock.model.quick_typing import Collection, Iterator
from interlock.workflow.language import patterns
from interlock.workflow.language.spec import Kind, Workflow
from interlock.workflow.reading.kind_cache import by_kind, of_kind

MAX_NAME = 100
# anything else in a name would be markup, a separator or a path
NAME_RE = re.compile(r"[\w .+&'-]+")
# these are invisible, and choose the form of the symbol that they follow
SELECTORS = '\ufe0e\ufe0f'
NAME_CHARACTERS = "letters, digits, emoji, spaces and . + & ' - _"
KEBAB = 'kebab'
KEBAB_RE = re.compile(r'[a-z0-9]+(?:-[a-z0-9]+)*')


def is_name(text: str) -> bool:
    return (
        0 < len(text) <= MAX_NAME
        and text[0] not in '.- '
        and text[-1] not in '. '
        and '..' not in text
        and (NAME_RE.fullmatch(text) or NAME_RE.fullmatch(_as_letters(text)))
        is not None
    )


def _as_letters(text: str) -> str:
    """With a letter for each emoji, and without the accents and vowel signs that
    many scripts set on letters."""
    if text.isascii():
        return text
    import unicodedata

    kept = ''
    was_symbol = False
    for char in text:
        category = unicodedata.category(char)
        is_selector = char in SELECTORS
        if (is_selector and was_symbol) or '\U0001f3fb' <= char <= '\U0001f3ff':
            # the form or the skin of a symbol
            continue
        was_symbol = category == 'So'
        if was_symbol:
            kept += 'x'
        elif is_selector or category not in ('Mn', 'Mc'):
            kept += char
    return kept


def why_no_name(text: str) -> str:
    """What keeps a text from being the name of an item."""
    if not text:
        return 'it is empty'
    elif len(text) > MAX_NAME:
        return f'it has {len(text)} characters, and {MAX_NAME} is the most'
    for char in _as_letters(text):
        if not NAME_RE.fullmatch(char):
            code = f'U+{ord(char):04X}'
            if '\udc80' <= char <= '\udcff':
                # what stands for a byte that is not text
                return 'it is not UTF-8 text'
            visible = char.isprintable() and char not in SELECTORS
            what = f'`{char}`' if visible else f'{code} (invisible)'
            return f'{what} is not allowed; {NAME_CHARACTERS} are'
    if '..' in text:
        return '`..` is not allowed, because names become paths'
    elif text[0] in '.- ':
        return f'it begins with `{text[0]}`'
    return f'it ends with `{text[-1]}`'


def similar_name(text: str) -> str:
    """A name that an item could have instead, '' if nothing is left of it."""
    signs = [(char, _as_letters(char)) for char in text]
    kept = [char if NAME_RE.fullmatch(sign) else ' ' for char, sign in signs if sign]
    words = ''.join(kept).replace('..', ' ').split()
    name = ' '.join(words)[:MAX_NAME].strip('.- ')
    return name if is_name(name) else ''


def is_task_name(text: str, kind: Kind) -> bool:
    """Whether a task may be named like this; some names are not free."""
    # a name of this kind is a name, and there may be thousands
    fits = (
        len(text) <= MAX_NAME and KEBAB_RE.fullmatch(text) is not None
        if kind.names == KEBAB
        else is_name(text)
    )
    return fits and not is_ignored(text, kind)


def is_ignored(text: str, kind: Kind) -> bool:
    for glob in kind.ignore:
        if fnmatchcase(text, glob):
            return True
    return False


@of_kind
def record_paths(kind: Kind) -> tuple[str, ...]:
    return tuple(_record_paths(kind))


@by_kind
def paths_of(item: str, kind: Kind) -> tuple[str, ...]:
    """Where the records of an item are, or may be."""
    return tuple(patterns.expand(path, item) for path in record_paths(kind))


def _record_paths(kind: Kind) -> Iterator[str]:
    yield from filter(None, (kind.registry.entry_file, kind.registry.notes))
    yield from kind.handoff.places
    for contract in kind.contracts.files:
        yield from contract.paths


def is_record(workflow: Workflow, path: str) -> bool:
    """Whether checks read a file, and do not only name it."""
    return path == workflow.path or any(
        [_is_record(path, kind) for kind in workflow.kinds]
    )


@by_kind
def _is_record(path: str, kind: Kind) -> bool:
    return path == kind.registry.file or any(
        patterns.path_re(pattern).match(path) for pattern in record_paths(kind)
    )


@by_kind
def handoff_of(path: str, kind: Kind) -> str:
    """The item whose handoff lies at a path, '' if none does."""
    for pattern in kind.handoff.places:
        match = patterns.path_re(pattern).match(path)
        if match and not is_ignored(match['item'], kind):
            return match['item']
    return ''


@by_kind
def item_of(path: str, kind: Kind) -> str:
    """The item whose files a path belongs to, '' if none."""
    match = patterns.below_re(kind.path).match(path)
    if match is None:
        for pattern in record_paths(kind):
            match = patterns.path_re(pattern).match(path)
            if match is not None:
                break
        else:
            return ''
    name = match['item']
    return '' if is_ignored(name, kind) else name


def is_handoff_touched(touched: Collection[str], kind: Kind, item: str) -> bool:
    return any(
        any(handoff_of(each, kind) == item for each in touched)
        if patterns.is_wild(path)
        else patterns.expand(path, item) in touched
        for path in kind.handoff.places
    )
