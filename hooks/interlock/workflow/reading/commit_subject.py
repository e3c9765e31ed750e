"""Reads the item and the stage that the subject of a commit names."""

from __future__ import annotations

from interlock.model import quick_re as re
from interlock.model import quick_tools as functools
from interlock.model.change import Change, Snapshot
from interlock.model.quick_typing import NamedTuple, Sequence
from interlock.model.state import State
from interlock.workflow.language import patterns
from interlock.workflow.language.spec import Kind
from interlock.workflow.reading.changed_items import touched_items
from interlock.workflow.reading.item_paths import is_name
from interlock.workflow.reading.kind_cache import of_change
from interlock.workflow.reading.records import records, registry

BREAKING_RE = re.compile(r'^(\w+(?:\([^()]*\))?)!:')
LOOSE_RE = re.compile(
    r'(?:(?P<type>\w+)(?:\((?P<scope>[^()]*)\))?: *)?(?P<rest>.*)', re.DOTALL
)
# the separator between a stage and its description
SEPARATOR_RE = re.compile(r'^(?:\s*complete\b)?[\W_]+')
# the most words that a name without parentheses may have
MAX_WORDS = 5


class Subject(NamedTuple):
    item: str
    # None: it names an item, but no stage in a form of the workflow
    state: State | None
    # whether it mentions stages anyway
    speaks: bool
    # the stage it names together with a phase of another stage
    torn: State | None = None


def _candidate(subject: str, prefix: str) -> tuple[str, str]:
    """The text at the item's position, and the rest."""
    before, _, after = prefix.partition('{item}')
    if not subject.lower().startswith(before.lower()):
        return '', ''
    rest = subject[len(before) :]
    if after.strip():
        at = rest.find(after)
        return (rest[:at], rest[at + len(after) :]) if at > 0 else ('', '')
    return rest, ''


def _split(subject: str, kind: Kind, known: set[str]) -> tuple[str, str]:
    """The known item that a subject starts with, and the rest."""
    for prefix in kind.commit.prefixes:
        item, rest = _candidate(subject, prefix)
        if item in known:
            return item, rest.strip()
        elif item and not rest:
            # the item ends where the next word starts; names may contain spaces
            for name in sorted(known, key=len, reverse=True):
                if item.startswith(f'{name} '):
                    return name, item[len(name) :].strip()
    return '', ''


def _state(text: str, kind: Kind) -> State | None:
    for form in kind.commit.subjects:
        match = patterns.match_start(text, form.text)
        if match is None:
            continue
        groups = match.groupdict()
        phase = groups.get('phase') or ''
        stage, _, number = phase.partition('.')
        spec = kind.by_stage(groups.get('stage') or stage)
        if form.state:
            return State(form.state)
        elif spec is None or (stage and spec.stage != stage):
            # a known form, but not a stage: `Stage 9`, `Stage 3 Phase 4.1`
            return None
        return State(spec.name, int(number) if number else None)
    return None


def _torn(text: str, kind: Kind) -> State | None:
    """The stage in `Stage 2 Phase 4.2`, None if both agree."""
    for form in kind.commit.subjects:
        match = patterns.match_start(text, form.text)
        groups = match.groupdict() if match else {}
        stage, phase = groups.get('stage') or '', groups.get('phase') or ''
        named = kind.by_stage(stage)
        if named is not None and phase:
            # the first form that has both decides
            other = phase.partition('.')[0]
            return State(named.name) if other != stage else None
    return None


def _plain_type(subject: str) -> str:
    """The subject without the mark of a breaking change."""
    # a template would import `re`, which most commits do not need
    return BREAKING_RE.sub(lambda found: f'{found[1]}:', subject)


def _place(match: re.Match[str]) -> str:
    """The text before the colon that may be the item, in any form of subject."""
    return match['scope'] or match['type'] or ''


def _loose(subject: str, known: set[str]) -> tuple[str, str]:
    """The item that a subject of any form names, and the rest."""
    match = LOOSE_RE.match(subject)
    assert match is not None, 'it matches everything'
    place, rest = _place(match), match['rest']
    for name in sorted(known, key=len, reverse=True):
        if place.lower() == name.lower():
            return name, rest
        elif rest.lower().startswith((f'{name.lower()} ', f'{name.lower()}:')):
            return name, rest[len(name) :].lstrip(': ')
    return '', ''


def candidates(subject: str, kind: Kind) -> set[str]:
    """The texts in a subject that could be the name of an item."""
    found = set()
    subject = _plain_type(subject)
    loose = LOOSE_RE.match(subject)
    texts = [_candidate(subject, prefix) for prefix in kind.commit.prefixes]
    if loose is not None:
        texts.append((_place(loose), ' '))
        texts.append((loose['rest'], ''))
    for item, rest in texts:
        if rest or not item:
            found.add(item)
        else:
            # a colon ends a name, or is part of it
            for text in {item, item.replace(':', ' ')}:
                parts = text.split(' ')
                counts = range(1, min(len(parts), MAX_WORDS + 1))
                found.update(' '.join(parts[:count]) for count in counts)
    return found - {''}


@functools.lru_cache(maxsize=16)
def _numbered(word: str) -> re.Pattern[str]:
    return re.compile(rf'\b{re.escape(word)}\s*\d', re.IGNORECASE)


def read(subject: str, kind: Kind, known: set[str]) -> Subject | None:
    """What a subject says, None if it is not about an item."""
    if not kind.commit:
        return None
    subject = _plain_type(subject)
    item, rest = _split(subject, kind, known)
    if item:
        speaks = any(_numbered(word).search(rest) for word in kind.commit.words)
        state = _state(rest, kind)
        return Subject(item, state, speaks, None if state else _torn(rest, kind))
    # not a form of the workflow, but it says what a stage commit would say
    item, rest = _loose(subject, known)
    if item and _state(rest, kind) is not None:
        return Subject(item, None, True)
    return None


def text_of(subject: str, kind: Kind, item: str) -> str:
    """The text of a subject besides the item and its stage."""
    _, rest = _split(_plain_type(subject), kind, {item})
    for form in kind.commit.subjects:
        match = patterns.match_start(rest, form.text)
        if match is not None:
            rest = rest[match.end() :]
            break
    return SEPARATOR_RE.sub('', rest).strip() or subject


def names(subject: str, item: str, state: State, kind: Kind) -> bool:
    """Whether a subject names the item, or its current state."""
    own = [item, str(state)]
    own.extend(word for word, name in kind.words.items() if name == state.name)
    text = subject.lower()
    return any(
        re.search(rf'(?<!\w){re.escape(word.lower())}(?!\w)', text) for word in own
    )


def existing(snapshot: Snapshot, kind: Kind, words: set[str]) -> set[str]:
    """The words that name an item of a tree."""
    names = {word for word in words if is_name(word, kind)}
    read = registry(snapshot, kind)
    if read is not None and not kind.registry.entry_file:
        # the lookup is cheap, and few words are items
        return read.holding(names)
    found = [records(snapshot, kind, name) for name in names]
    return {at.item for at in found if at.registered or at.current is not None}


def _touched(change: Change, kind: Kind, words: set[str]) -> set[str]:
    """The words that name an item whose files a change touches."""
    paths = change.contents
    below = {word: patterns.expand(kind.path, word) + '/' for word in words}
    return {
        word
        for word, folder in below.items()
        if is_name(word, kind) and any([path.startswith(folder) for path in paths])
    }


def stage_commit(
    change: Change, kind: Kind, kinds: Sequence[Kind] = ()
) -> Subject | None:
    """The meaning of the subject for an existing item, None if it has none.

    If several kinds have an item of that name, it means the changed one.
    """
    if change.message is None:
        return None
    named = _read_in(change, kind, change.message.subject)
    others = kinds if named and kind.is_one_of_several else ()
    if named is None or named.item in touched_items(change, kind):
        return named
    elif any(
        each != kind and each.commit and named.item in touched_items(change, each)
        for each in others
    ):
        return None
    return named


def amends_itself(change: Change, kind: Kind, named: Subject) -> bool:
    """Whether HEAD ends the same stage: its files need not be staged again."""
    if change.amended is None:
        return False
    return _read_in(change, kind, change.amended.subject) == named


@of_change
def _read_in(change: Change, kind: Kind, text: str) -> Subject | None:
    if not kind.commit:
        return None
    named = candidates(text, kind)
    known = existing(change.after, kind, named)
    known |= existing(change.before, kind, named - known)
    known |= _touched(change, kind, named - known)
    # names of changed items in the wrong case
    folded = {candidate.lower() for candidate in named}
    known.update(item for item in touched_items(change, kind) if item.lower() in folded)
    return read(text, kind, known) if known else None
