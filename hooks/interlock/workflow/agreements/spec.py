"""What a workflow says about records and their agreements."""

from __future__ import annotations

from interlock.model.finding import ERROR, WARNING
from interlock.model.quick_typing import Any, Mapping, NamedTuple, Sequence

PRESENT, ABSENT, UNKNOWN, UNREADABLE = 'present', 'absent', 'unknown', 'unreadable'
# what the boxes of a whole file or section amount to
ALL, BEGUN, OPEN, NONE = 'all', 'begun', 'open', 'none'
DEPENDS, CHILDREN = 'depends', 'children'
COMMIT, PUSH = 'commit', 'push'

Allowed = tuple[str, ...]
# what may stand between the parts of a word
JOINS = ' -_'
SEPARATORS = str.maketrans('-_', '  ')


class Once(NamedTuple):
    """An item has a record at most once."""

    name: str
    say: str = ''
    severity: str = ERROR


class ProjectFile(NamedTuple):
    """Words that a project keeps in a file of its own."""

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
    # only the first of the files that exists
    first: bool = False
    # the files name only the beginning of an item, and it looks like this
    short: str = ''
    # the folder at this depth is the record, not each file in it
    folder: int = 0
    strict: bool = True
    severity: str = ERROR
    once: Once | None = None
    # of single readers
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
    # entries do not count where this key of another file is true
    ignored: ProjectFile | None = None

    @property
    def is_by_path(self) -> bool:
        """Whether a path says whose record its file holds, and no line or key
        in the file does."""
        return not (self.line or self.item) and '{item}' in self.files[0]


class Edit(NamedTuple):
    """What `check --fix` does: a record gets a word, or that of another."""

    record: str
    word: str = ''
    like: str = ''


class Agreement(NamedTuple):
    name: str
    same: tuple[str, ...] = ()
    # any of these; `upon`: only in the change that brings it
    when: tuple[Mapping[str, Allowed], ...] = ()
    upon: bool = False
    then: Mapping[str, Allowed] = {}
    say: str = ''
    fix: str = ''
    edit: Edit | None = None
    severity: str = ERROR
    at: str = COMMIT
    unless: str = ''
    # of what every workflow demands: where, and the values that disagree
    place: str = ''
    expected: str = ''
    found: str = ''


class Freeze(NamedTuple):
    name: str
    files: tuple[str, ...]
    when: tuple[Mapping[str, Allowed], ...]
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


def _several(value: Any) -> tuple[str, ...]:
    if value is None:
        return ()
    return (value,) if isinstance(value, str) else tuple(map(str, value))


def _keys(value: Any) -> tuple[tuple[str, ...], ...]:
    """One path of keys, or a list of alternative ones."""
    if value is None:
        return ((),)
    elif isinstance(value, str):
        return ((value,),)
    elif any(isinstance(part, list) for part in value):
        return tuple(_several(part) for part in value)
    return (_several(value),)


def _side(data: Mapping[str, Any]) -> dict[str, Allowed]:
    return {name: _several(value) for name, value in data.items()}


def _sides(value: Any) -> tuple[dict[str, Allowed], ...]:
    if value is None:
        return ()
    return tuple(map(_side, value if isinstance(value, list) else [value]))


def _project_file(data: Mapping[str, Any]) -> ProjectFile:
    return ProjectFile(
        _several(data['file']),
        _keys(data['at']),
        _several(data.get('default')),
        data.get('last', ''),
    )


def _once(data: Mapping[str, Any]) -> Once:
    return Once(data['name'], data.get('say', ''), data.get('severity', ERROR))


def _record(name: str, data: Mapping[str, Any]) -> Record:
    columns = {key: _several(value) for key, value in data.get('columns', {}).items()}
    return Record(
        name=name,
        read=data['read'],
        files=_several(data['file']),
        excluded=_several(data.get('not')),
        first=data.get('first', False),
        short=data.get('short', ''),
        folder=data.get('folder', 0),
        strict=data.get('strict', True),
        severity=data.get('severity', ERROR),
        once=_once(data['once']) if 'once' in data else None,
        line=_several(data.get('line') or data.get('key')),
        level=data.get('level', 0),
        under=_several(data.get('under')),
        label=data.get('label', ''),
        columns=columns,
        at=_keys(data.get('at')),
        item=data.get('item', ''),
        status=data.get('status', ''),
        section=_several(data.get('section')),
        ticked=data.get('ticked', ''),
        unticked=data.get('unticked', ''),
        optional=_several(data.get('optional')),
        depends=data.get('depends', ''),
        parent=data.get('parent', ''),
        children=data.get('children', ''),
        refs=_several(data.get('refs')),
        ignored=_project_file(data['ignored']) if 'ignored' in data else None,
    )


def _edit(data: Mapping[str, str]) -> Edit:
    return Edit(data['set'], data.get('to', ''), data.get('like', ''))


def _agreement(data: Mapping[str, Any]) -> Agreement:
    fix = data.get('fix', '')
    return Agreement(
        name=data['name'],
        same=_several(data.get('same')),
        when=_sides(data.get('when') or data.get('upon')),
        upon='upon' in data,
        then=_side(data.get('then', {})),
        say=data.get('say', ''),
        fix=fix if isinstance(fix, str) else '',
        edit=None if isinstance(fix, str) else _edit(fix),
        severity=data.get('severity', ERROR),
        at=data.get('at', COMMIT),
        unless=data.get('unless', ''),
    )


def _freeze(data: Mapping[str, Any]) -> Freeze:
    return Freeze(
        name=data['name'],
        files=_several(data['files']),
        when=_sides(data['when']),
        section=_several(data.get('section')),
        between=_several(data.get('between')),
        amendment=data.get('amendment', ''),
        say=data.get('say', ''),
        severity=data.get('severity', WARNING),
    )


def _words(states: Mapping[str, Any]) -> dict[str, str]:
    found: dict[str, str] = {}
    for state, aliases in states.items():
        for word in (state, *_several(aliases)):
            found[word.casefold()] = state
    # `in progress`, `in-progress` and `in_progress` are one word
    for word, state in [*found.items()]:
        parts = word.translate(SEPARATORS).split()
        for join in JOINS:
            found.setdefault(join.join(parts), state)
    return found


def build_kind(name: str, data: Mapping[str, Any]) -> RecordedKind:
    words_from = data.get('words')
    return RecordedKind(
        name=name,
        item=data['name'],
        fold=_several(data.get('fold')),
        join=data.get('join', ''),
        words=_words(data.get('states', {})),
        words_from=_project_file(words_from) if words_from else None,
        let={key: _project_file(value) for key, value in data.get('let', {}).items()},
        records={key: _record(key, value) for key, value in data['records'].items()},
        derive={
            key: Derived(value['has'], value['lacks'])
            for key, value in data.get('derive', {}).items()
        },
        agree=tuple(map(_agreement, data.get('agree', ()))),
        frozen=tuple(map(_freeze, data.get('frozen', ()))),
        board=_several(data.get('board')),
    )
