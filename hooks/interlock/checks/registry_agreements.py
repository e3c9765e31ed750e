"""Checks that records of other formats agree; part of the check `registry`."""

from __future__ import annotations

from itertools import accumulate, product

from interlock.checks.compare import is_excused, no_longer_files
from interlock.documents.text import shown
from interlock.model.change import ADDED, DELETED, Change
from interlock.model.errors import Unreadable
from interlock.model.finding import ERROR, WARNING, Finding, Fix
from interlock.model.fixes import edit, nearest, there_are
from interlock.model.quick_typing import Iterator, Mapping, Sequence
from interlock.rules.new_finding import Location
from interlock.workflow.agreements.board import Board, KindBoard, project_data
from interlock.workflow.agreements.entries import ItemKey, RecordEntry
from interlock.workflow.agreements.judge import Disagreement, disagreements, fill, holds
from interlock.workflow.agreements.record_paths import FoundFile
from interlock.workflow.agreements.scope import (
    board_of,
    boards_of,
    files_of,
    is_about_records,
    items_to_judge,
    project_files,
    recorded,
)
from interlock.workflow.agreements.spec import (
    PRESENT,
    PUSH,
    UNKNOWN,
    Agreement,
    Once,
    Record,
)
from interlock.workflow.language.spec import Workflow

# readers whose result is not a word
WITHOUT_WORDS = (PRESENT, 'heading')
FIX = Fix('bring it in line', 'interlock check --worktree --only registry --fix')


def _known(word: str, kind: KindBoard) -> str:
    """The state that a word is near to, or all of them."""
    states = kind.matcher.words
    near = nearest(word, states)
    if near:
        return f'the nearest is `{shown(states[near])}`'
    return there_are([*map(shown, dict.fromkeys(states.values()))])


class _Judge:
    def __init__(self, change: Change, workflow: Workflow) -> None:
        kinds = workflow.recorded
        self.change = change
        self.before, self.after = boards_of(change, kinds)
        self.parents = [board_of(each.snapshot, kinds) for each in change.parents]

    def run(self) -> Iterator[Finding]:
        if not self.change.everything:
            records = {
                file.path
                for kind in self.after.kinds.values()
                for _, file in self._files(kind)
            }
            self.change.before.prefetch(records)
            self.change.after.prefetch(records)
        keys = items_to_judge(self.change, self.before, self.after)
        for name, kind in self.after.kinds.items():
            ordered = sorted(keys[name])
            for key in ordered:
                yield from self._of_item(kind, key)
            if not self.change.is_ref_step:
                yield from self._reworded(kind, ordered)
                yield from self._unreadable(kind)
        yield from self._hidden()

    def _of_item(self, kind: KindBoard, key: ItemKey) -> Iterator[Finding]:
        if not self.change.is_ref_step:
            yield from self._twice(kind, key)
            yield from self._unknown(kind, key)
        for agreement in kind.kind.agree:
            if self.change.is_ref_step and agreement.at != PUSH:
                continue
            if agreement.upon and self.change.everything and not self.change.touched:
                # a whole tree is not a change, so it introduces nothing
                continue
            yield from self._of_agreement(kind, key, agreement)

    def _of_agreement(
        self, kind: KindBoard, key: ItemKey, agreement: Agreement
    ) -> Iterator[Finding]:
        found = disagreements(self.after, kind, key, agreement)
        if not found or self._is_excused(kind, key, agreement):
            return
        if agreement.upon:
            old = self.before.kinds[kind.kind.name]
            if holds(old, key, agreement.when):
                return
            for each in found:
                yield self._finding(kind, each, True)
            return
        known = self._broken(self.before, kind, key, agreement)
        for each in found:
            is_new = each.offender not in known
            if not is_new and self.parents:
                is_new = not any(
                    each.offender in self._broken(parent, kind, key, agreement)
                    for parent in self.parents
                )
            yield self._finding(kind, each, is_new)

    def _is_excused(self, kind: KindBoard, key: ItemKey, agreement: Agreement) -> bool:
        """Whether a message gives a reason; for the step of a ref, that of a commit
        that breaks the agreement."""
        if not self.change.is_ref_step or not agreement.unless:
            return is_excused(self.change, agreement.unless)
        return any(
            is_excused(part, agreement.unless)
            and self._broken(boards[1], kind, key, agreement)
            and not self._broken(boards[0], kind, key, agreement)
            for part in self.change.behind()
            for boards in [boards_of(part, self.after.recorded)]
        )

    @staticmethod
    def _broken(
        board: Board, kind: KindBoard, key: ItemKey, agreement: Agreement
    ) -> set[str]:
        there = board.kinds[kind.kind.name]
        return {each.offender for each in disagreements(board, there, key, agreement)}

    def _finding(self, kind: KindBoard, each: Disagreement, is_new: bool) -> Finding:
        agreement = each.agreement
        severity = agreement.severity
        if agreement.at == PUSH and not self.change.is_ref_step:
            severity = WARNING
        item = shown(each.key.label)
        message = fill(
            agreement.say or f'{agreement.name}: {{found}}',
            item=item,
            found=shown(each.found),
            **{'in': shown(each.key.inside)},
        )
        return Location(item, each.path, each.line).finding(
            'REG016',
            message,
            # the step of a ref has an identity of its own: its commits are judged too
            key='\0'.join(
                (agreement.name, kind.kind.name, each.offender)
                + ((PUSH,) if self.change.is_ref_step else ())
            ),
            fix=self._fix(kind, each, item),
            severity=severity,
            rule=agreement.name,
            introduced=is_new,
            standing=self.change.is_ref_step or not agreement.upon,
        )

    @staticmethod
    def _fix(kind: KindBoard, each: Disagreement, item: str) -> Fix:
        agreement = each.agreement
        if agreement.fix:
            return Fix('run', fill(agreement.fix, item=item, path=each.path))
        if agreement.edit:
            from interlock.workflow.agreements.record_edit import can_be_made

            if can_be_made(kind, each.key, agreement.edit):
                return FIX
        return edit(each.path, each.line)

    def _twice(self, kind: KindBoard, key: ItemKey) -> Iterator[Finding]:
        for record in kind.kind.records.values():
            if record.once is None or len(kind.of(record.name, key)) <= 1:
                continue
            places = _places(kind, record, key)
            if len(places) <= 1:
                continue
            known = _places(self.before.kinds[kind.kind.name], record, key)
            old = set(known) if len(known) > 1 else set[str]()
            inherited = any(
                set(places) <= set(_places(parent.kinds[kind.kind.name], record, key))
                for parent in self.parents
            )
            new = [place for place in places if place not in old]
            # if several are new, take one that was not there before
            added = [place for place in places if place not in known]
            entry = places[(added or new or list(places))[-1]]
            is_new = bool(new) or (bool(self.parents) and not inherited)
            yield self._recorded_twice(kind, record.once, key, places, entry, is_new)

    def _recorded_twice(
        self,
        kind: KindBoard,
        once: Once,
        key: ItemKey,
        places: Mapping[str, RecordEntry],
        entry: RecordEntry,
        is_new: bool,
    ) -> Finding:
        item = shown(key.label)
        # line numbers change, so they are not part of a finding's identity
        where = shown(', '.join(places))
        found = ', '.join(
            f'{each.path}:{each.line}' if _is_listed(each) else place
            for place, each in places.items()
        )
        message = fill(
            once.say or f'{once.name}: {{found}}', item=item, found=shown(found)
        )
        return Location(item, entry.path, entry.line).finding(
            'REG017',
            message,
            key=f'{once.name}\0{kind.kind.name}\0{where}',
            severity=once.severity,
            rule=once.name,
            introduced=is_new,
            standing=True,
        )

    def _unknown(self, kind: KindBoard, key: ItemKey) -> Iterator[Finding]:
        for record in kind.kind.records.values():
            if not record.strict or record.read in WITHOUT_WORDS:
                continue
            entry = kind.first(record.name, key)
            if entry is None or kind.knows(entry):
                continue
            old = self.before.kinds[kind.kind.name].first(record.name, key)
            word = shown(entry.word.strip())
            yield Location(shown(key.label), entry.path, entry.line).finding(
                'REG005',
                f'`{word}` is not a state of {kind.kind.name}; {_known(word, kind)}',
                found=word,
                introduced=old is None or old.word != entry.word,
                standing=True,
            )

    def _reworded(self, kind: KindBoard, keys: Sequence[ItemKey]) -> Iterator[Finding]:
        """Find each word of items that a file of the project gives another meaning."""
        before = self.before.kinds[kind.kind.name]
        sources = project_files(kind.kind) & self.change.contents.keys()
        if self.change.everything or not sources:
            return
        source, reported = min(sources), set[str]()
        for key, record in product(keys, kind.kind.records.values()):
            entry = kind.first(record.name, key)
            word = entry.word.strip() if entry else ''
            old, new = before.matcher.value(word), kind.matcher.value(word)
            if entry is None or word in reported or old in (UNKNOWN, new):
                continue
            reported.add(word)
            yield Location(shown(key.label), entry.path, entry.line).finding(
                'REG005',
                f'`{shown(word)}` meant {shown(old)} until {source} changed; now it means '
                f'{"nothing" if new == UNKNOWN else new}, and items still use it',
                expected=old,
                found=word,
                severity=record.severity,
            )

    def _files(self, kind: KindBoard) -> Sequence[tuple[Record, FoundFile]]:
        """The files that a change concerns and whose content counts."""
        if not self.change.everything:
            return files_of(self.change, self.after, kind).read
        return [
            (record, file)
            for record in kind.kind.records.values()
            if record.read != PRESENT
            for file in kind.files(record)
        ]

    def _hidden(self) -> Iterator[Finding]:
        """Find links and submodules that replace a folder with records."""
        touched = self.change.touched
        folders = {
            folder
            for path, letter in recorded(self.after.recorded)(touched).items()
            if letter == DELETED
            for folder in accumulate(path.split('/')[:-1], '{}/{}'.format)
        }
        for path, letter in touched.items() if folders else ():
            if letter == ADDED and path in folders:
                why = Unreadable('is no longer a folder, but a link or a submodule')
                yield _not_read(path, why, ERROR, True)

    def _unreadable(self, kind: KindBoard) -> Iterator[Finding]:
        old = self.before.kinds[kind.kind.name]
        seen = set[str]()
        for record, file in self._files(kind):
            path, problem = file.path, kind.in_file(record, file).problem
            for _, why in no_longer_files(self.change, [path]):
                problem = problem or Unreadable(why)
            if problem is not None and path not in seen:
                seen.add(path)
                is_new = old.in_file(record, file).problem is None
                yield _not_read(path, problem, record.severity, is_new)
        for path in sorted(project_files(kind.kind)):
            if self.change.everything or path in self.change.contents:
                now = kind.snapshot.parsed(path, project_data)
                if isinstance(now, Unreadable):
                    before = old.snapshot.parsed(path, project_data)
                    is_new = not isinstance(before, Unreadable)
                    yield _not_read(path, now, ERROR, is_new)


def _not_read(path: str, problem: Unreadable, severity: str, is_new: bool) -> Finding:
    return Location(shown(path), path, problem.line).finding(
        'REG018',
        f'{path} {problem.message}, so its content is not checked',
        found=problem.message,
        severity=severity,
        introduced=is_new,
        standing=True,
    )


def _is_listed(entry: RecordEntry) -> bool:
    """Whether a line in the file names the item, rather than the file's path."""
    return bool(entry.reading.item)


def _places(board: KindBoard, record: Record, key: ItemKey) -> dict[str, RecordEntry]:
    """The places where an item is recorded; repeats in one file are numbered."""
    found: dict[str, RecordEntry] = {}
    seen: dict[str, int] = {}
    for entry in board.of(record.name, key):
        if record.folder or not _is_listed(entry):
            found.setdefault(entry.place, entry)
        else:
            seen[entry.path] = seen.get(entry.path, 0) + 1
            number = seen[entry.path]
            found[entry.path if number == 1 else f'{entry.path} #{number}'] = entry
    return found


def check(change: Change, workflow: Workflow) -> Iterator[Finding]:
    if is_about_records(change, workflow.recorded):
        yield from _Judge(change, workflow).run()
