"""Finds folders with one markdown file per item, in which each file has a status."""

from __future__ import annotations

import os
from collections import Counter

from interlock.documents.text import decode, plain
from interlock.documents.yaml_text import flow_list, scalar
from interlock.files.atomic_files import read
from interlock.model import quick_re as re
from interlock.model.change import Blob
from interlock.model.errors import Refusal, Unreadable
from interlock.model.quick_typing import Iterable, Iterator, NamedTuple
from interlock.model.report import plural
from interlock.setup.progress_words import known
from interlock.setup.workflow_detection import HEAD, DetectedWorkflow, others_missing
from interlock.workflow.agreements.readers import field, frontmatter_of
from interlock.workflow.language.spec import DONE

# names of folders with one file for each decision or piece of work
FOLDERS = frozenset(
    'adr adrs decision decisions enhancements proposal proposals rfc rfcs stories '
    'story specs features requirements'.split()
)
# `0007-use-sqlite`, `ADR-7_use-sqlite`
NUMBERED_RE = re.compile(r'(?P<head>[A-Za-z]{0,8}[-_]?)[0-9]{1,5}(?P<mark>[-_. ]).+')
DECISION_RE = re.compile(r'^#+ +Decision', re.MULTILINE)
LABEL = 'Status'
MOST_STATES = 12
# the usual states of decisions, even if none has reached them yet
DECIDED = ('Proposed', 'Accepted', 'Rejected', 'Deprecated', 'Superseded')


class RecordFile(NamedTuple):
    # the pattern of its name, with placeholders for the number and the words
    name: str
    # how its status is read, '' if it has none
    read: str
    status: str
    has_decision: bool


class RecordFolder(NamedTuple):
    path: str
    # as in `RecordFile`
    name: str
    read: str
    states: tuple[str, ...]
    items: int
    has_decisions: bool


def _name(stem: str) -> str:
    match = NUMBERED_RE.fullmatch(stem)
    return f'{match["head"]}{{nn}}{match["mark"]}{{slug}}' if match else '{slug}'


def _word(text: str) -> str:
    """The state at the beginning of a status, '' if it is not a common word."""
    bare = plain(text).strip(' .!')
    for word in (bare, bare.partition(' by ')[0], re.split('[,;(:]', bare)[0].strip()):
        if known(word):
            return word
    return ''


def _file(path: str) -> RecordFile:
    data = read(path) or b''
    name = _name(os.path.splitext(os.path.basename(path))[0])
    try:
        text = decode(Blob('', len(data), data))
        node, found = frontmatter_of(text), field(text, LABEL)
    except Unreadable:
        return RecordFile(name, '', '', False)
    has_decision = DECISION_RE.search(text) is not None
    for key, value in (node.items if node else {}).items():
        if key == LABEL.lower():
            return RecordFile(
                name, 'frontmatter', _word(getattr(value, 'text', '')), has_decision
            )
    status = _word(found[1]) if found else ''
    return RecordFile(name, 'field' if found else '', status, has_decision)


def _is_usual(path: str) -> bool:
    return not FOLDERS.isdisjoint(re.findall('[a-z]+', path.lower()))


def _folder(top: str, path: str, files: Iterable[str]) -> RecordFolder | None:
    """What most files of a folder share, if their statuses are states."""
    found = [_file(os.path.join(top, file)) for file in files]
    said = [each for each in found if each.status]
    if len(said) < 2:
        return None
    (name, how), number = Counter((e.name, e.read) for e in said).most_common(1)[0]
    alike = [each for each in said if (each.name, each.read) == (name, how)]
    named = [each for each in found if each.name == name]
    words = Counter(each.status.capitalize() for each in alike)
    if number * 2 < len(named) or len(words) > MOST_STATES:
        return None
    decided = sum(each.has_decision for each in alike) * 2 >= number
    usual = () if words.keys().isdisjoint(DECIDED) else DECIDED
    states = sorted({*words, *usual}, key=lambda word: known(word) or (0, ''))
    return RecordFolder(path, name, how, tuple(states), number, decided)


def record_folders(top: str, files: Iterable[str]) -> list[RecordFolder]:
    """Every such folder, the one with most items first."""
    folders: dict[str, list[str]] = {}
    for file in files:
        folders.setdefault(os.path.dirname(file), []).append(file)
    found = [_folder(top, path, folders[path]) for path in folders if _is_usual(path)]
    return sorted(filter(None, found), key=lambda each: -each.items)


def named_folder(top: str, path: str, files: Iterable[str]) -> DetectedWorkflow:
    """The workflow of a folder that a person named, whatever it is called."""
    folder = _folder(
        top, path, [each for each in files if os.path.dirname(each) == path]
    )
    if folder is None:
        raise Refusal(
            f'{path} is a folder, and no two of its files say their status in a line '
            f'`{LABEL}: ...`, under a heading `{LABEL}` or in their frontmatter',
            'git ls-files "*.md"',
        )
    return of_folder(folder)


def _kind(path: str) -> str:
    word = re.findall('[a-z]+', os.path.basename(path).lower())[-1:] or ['item']
    if word[0].startswith('adr'):
        return 'decision'
    one = word[0].removesuffix('s')
    return f'{one[:-2]}y' if one.endswith('ie') else one


def _lines(folder: RecordFolder) -> Iterator[str]:
    kind = _kind(folder.path)
    file = scalar(f'{folder.path}/{{item}}.md')
    key = f'label: {LABEL}' if folder.read == 'field' else f'status: {LABEL.lower()}'
    done = [word for word in folder.states if (known(word) or (0, ''))[1] == DONE]
    yield 'items:'
    yield f'  {kind}:'
    yield '    # {nn} is a number, {slug} what follows in the name of a file'
    yield f'    name: {scalar(folder.name)}'
    yield '    # each state with other words for it'
    yield f'    states: {{{", ".join(f"{scalar(word)}: []" for word in folder.states)}}}'
    yield '    board: record'
    yield '    records:'
    yield f'      record: {{read: {folder.read}, file: {file}, {key}}}'
    if done:
        yield '    # what is decided does not change, unless the message says why'
        yield '    frozen:'
        yield f'      - name: {kind}-frozen'
        yield f'        when: {{record: {flow_list(done)}}}'
        yield f'        files: {file}'
        if folder.has_decisions:
            yield "        section: 'Decision*'"
        yield '        severity: error'
        yield f'        amendment: {kind.capitalize()}-Amended'
        yield '        say: it changed after it was settled'


def of_folder(folder: RecordFolder) -> DetectedWorkflow:
    text = HEAD.format(extends='') + '\n'.join(_lines(folder)) + '\n'
    how = 'the frontmatter' if folder.read == 'frontmatter' else f'`{LABEL}`'
    files = plural(folder.items, 'file')
    advice = []
    if len(folder.states) == 1:
        advice.append(others_missing('file', folder.states[0], '`states`'))
    return DetectedWorkflow(
        text, f'{folder.path}: {files}, states by {how} of each file', advice
    )
