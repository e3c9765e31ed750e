"""The part of a workflow that describes records and their agreements."""

from __future__ import annotations

from interlock.model.finding import ERROR, WARNING
from interlock.model.quick_typing import Any, Mapping, NamedTuple, Sequence
from interlock.workflow.language.spec import ABSENT as ABSENT
from interlock.workflow.language.spec import PRESENT as PRESENT
from interlock.workflow.language.typed_data import build_record

UNKNOWN, UNREADABLE = 'unknown', 'unreadable'
# the possible states of all boxes in a file or section
ALL, BEGUN, OPEN, NONE = 'all', 'begun', 'open', 'none'
DEPENDS, CHILDREN = 'depends', 'children'
COMMIT, PUSH = 'commit', 'push'

Allowed = tuple[str, ...]
# characters that may separate the parts of a word
JOINS = ' -_'
SEPARATORS = str.maketrans('-_', '  ')


class Once(NamedTuple):
    """An item may be recorded at most once."""

    name: str
    say: str = ''
    severity: str = ERROR


class ProjectFile(NamedTuple):
    """Words that a project defines in a file of its own."""

    files: tuple[str, ...]
    keys: tuple[tuple[str, ...], ...]
    default: tuple[str, ...] = ()
    # the last word of the list means this state
    last: str = ''


class Record(NamedTuple):
    name: str
    read: str
    files: tuple[str, ...]
    excluded: tuple[str, ...] = ()
    # only the first of the files that exists counts
    first: bool = False
    # the pattern of item name prefixes, if the files use only those
    short: str = ''
    # the folder at this depth is the record, not each file in it
    folder: int = 0
    strict: bool = True
    severity: str = ERROR
    once: Once | None = None
    # options of single readers
    line: tuple[str, ...] = ()
    level: int = 0
    under: tuple[str, ...] = ()
    label: str = ''
    columns: Mapping[str, Sequence[str]] = {}
    at: tuple[tuple[str, ...], ...] = ((),)
    item: str = ''
    status: str = ''
    section: tuple[str, ...] = ()
    ticked: str = ''
    unticked: str = ''
    optional: tuple[str, ...] = ()
    depends: str = ''
    parent: str = ''
    children: str = ''
    refs: tuple[str, ...] = ()
    # entries do not count if this key of another file is true
    ignored: ProjectFile | None = None

    @property
    def is_by_path(self) -> bool:
        """Whether the path names the item, and no line or key in the file does."""
        return not (self.line or self.item) and '{item}' in self.files[0]


class Edit(NamedTuple):
    """What `check --fix` does: set a record to a word, or to that of another."""

    record: str
    word: str = ''
    like: str = ''


class Agreement(NamedTuple):
    name: str
    same: tuple[str, ...] = ()
    # any of these; `upon`: only in the change that brings it about
    when: tuple[Mapping[str, tuple[str, ...]], ...] = ()
    upon: bool = False
    then: Mapping[str, tuple[str, ...]] = {}
    say: str = ''
    fix: str = ''
    edit: Edit | None = None
    severity: str = ERROR
    at: str = COMMIT
    unless: str = ''


class Freeze(NamedTuple):
    name: str
    files: tuple[str, ...]
    when: tuple[Mapping[str, tuple[str, ...]], ...]
    section: tuple[str, ...] = ()
    between: tuple[str, ...] = ()
    amendment: str = ''
    say: str = ''
    severity: str = WARNING


class Derived(NamedTuple):
    has: str
    lacks: str


class RecordedKind(NamedTuple):
    name: str
    item: str
    fold: tuple[str, ...]
    join: str
    # word in lower case -> state
    words: Mapping[str, str]
    words_from: ProjectFile | None
    let: Mapping[str, ProjectFile]
    records: Mapping[str, Record]
    derive: Mapping[str, Derived]
    agree: tuple[Agreement, ...]
    frozen: tuple[Freeze, ...]
    # the records whose state the board shows
    board: tuple[str, ...] = ()


def _record(data: Mapping[str, Any]) -> dict[str, Any]:
    """`key` is another name of `line`."""
    return {**data, 'line': data.get('line') or data.get('key')}


def _agreement(data: Mapping[str, Any]) -> dict[str, Any]:
    """`fix` is a text or an edit, and `upon` takes the place of `when`."""
    fix = data.get('fix')
    return {
        **data,
        'fix': fix if isinstance(fix, str) else None,
        'edit': None if isinstance(fix, str) else fix,
        'when': data.get('when') or data.get('upon'),
        'upon': 'upon' in data,
    }


def _words(states: Mapping[str, Any]) -> dict[str, str]:
    found: dict[str, str] = {}
    for state, aliases in states.items():
        others = [aliases] if isinstance(aliases, str) else aliases or ()
        for word in (state, *map(str, others)):
            found[word.casefold()] = state
    # `in progress`, `in-progress` and `in_progress` are one word
    for word, state in [*found.items()]:
        parts = word.translate(SEPARATORS).split()
        for join in JOINS:
            found.setdefault(join.join(parts), state)
    return found


def build_kind(name: str, data: Mapping[str, Any]) -> RecordedKind:
    kind: RecordedKind = build_record(
        RecordedKind,
        {
            **data,
            'name': name,
            'item': data['name'],
            'states': _words(data.get('states', {})),
            'records': {key: _record(each) for key, each in data['records'].items()},
            'agree': [*map(_agreement, data.get('agree', ()))],
        },
    )
    return kind
