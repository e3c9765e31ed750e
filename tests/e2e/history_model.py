"""Random histories, and what a simple model says of them.

The model knows trees of items and nothing of files, records or git: it is
what sections on merges and refs say, written down once more.
"""

from __future__ import annotations

import functools
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

STATES = ('Idea', 'Draft', 'Review', 'Building', 'Shipped', 'Improving')
NEXT = {
    None: {'Idea'},
    'Idea': {'Draft'},
    'Draft': {'Review'},
    'Review': {'Building'},
    'Building': {'Shipped'},
    'Shipped': {'Improving'},
    'Improving': {'Shipped'},
}
IN_WORK = {'Draft', 'Review', 'Building'}
FROZEN = {'Review', 'Building'}
RESET, AMEND, DROP = 'Reset-Reason', 'Contract-Amendment', 'Item-Dropped'
NAMES = ('Alpha', 'Brävo', 'Charlie')

WORKFLOW = """\
version: 1
items:
  feature:
    path: specs/{item}
    registry:
      file: FEATURES.md
      layout: distributed
      columns: {item: Feature, status: State}
    states:
      Idea: {role: before}
      Draft: {}
      Review: {}
      Building: {}
      Shipped: {role: done}
      Improving: {role: done}
    transitions:
      - {from: nothing, to: Idea}
      - {from: Idea, to: Draft}
      - {from: Draft, to: Review}
      - {from: Review, to: Building}
      - {from: Building, to: Shipped}
      - {from: Shipped, to: Improving}
      - {from: Improving, to: Shipped}
      - from: any
        to: Idea
        severity: warning
        reason: Reset-Reason
        hint: this resets it
    contracts:
      frozen: [Review, Building]
      amendment: Contract-Amendment
      files:
        spec: {paths: ['specs/{item}/spec.md']}
"""


class Item(NamedTuple):
    state: str
    spec: str
    # it may be renamed, and stays the same item
    name: str


# by what an item was called first
Tree = Mapping[str, Item]
EMPTY: Tree = {}
Edges = set[tuple[str, str | None, str]]


class Commit(NamedTuple):
    number: int
    parents: tuple[int, ...]
    tree: Tree
    reasons: frozenset[str]
    what: str

    @property
    def message(self) -> str:
        lines = [f'{name}: décidé\n' for name in sorted(self.reasons)]
        return '\n'.join([f'chore: {self.what}\n', ''.join(lines)])


def reaches(old: str | None, new: str, edges: set[tuple[str | None, str]]) -> bool:
    if old == new:
        return True
    seen: set[str | None] = {old}
    waiting = [old]
    while waiting:
        state = waiting.pop()
        targets = NEXT[state] | {b for a, b in edges if a == state}
        if new in targets:
            return True
        waiting += [target for target in targets if target not in seen]
        seen |= targets
    return False


class History:
    def __init__(self, commits: Sequence[Commit]) -> None:
        self.commits = commits

    def before(self, *numbers: int) -> set[int]:
        """The commits, and all that they come from."""
        found: set[int] = set()
        waiting = list(numbers)
        while waiting:
            number = waiting.pop()
            if number not in found:
                found.add(number)
                waiting += self.commits[number].parents
        return found

    def bases(self, one: int, other: int) -> list[int]:
        common = self.before(one) & self.before(other)
        older = {number for each in common for number in self.before(each) - {each}}
        return sorted(common - older)

    def _opinions(self, read: Callable[[int], object], commit: Commit) -> list[object]:
        one, other = commit.parents
        base = {read(number) for number in self.bases(one, other)}
        old = base.pop() if len(base) == 1 else object()
        if read(other) in (read(one), old):
            return [read(one)]
        return [read(other)] if read(one) == old else [read(one), read(other)]

    def taken_over(self, commit: Commit) -> list[tuple[Tree, set[str]]]:
        """What a merge may take over, and whose state the sides dispute."""
        if len(commit.parents) < 2:
            parents = [self.commits[n].tree for n in commit.parents]
            return [(parents[0] if parents else EMPTY, set())]
        trees = [self.commits[number].tree for number in commit.parents]
        found: list[tuple[Tree, set[str]]] = []
        for side in (0, 1):
            found_tree: dict[str, Item] = {}
            disputed: set[str] = set()
            for name in sorted({*trees[0], *trees[1]}):

                def read(number: int, field: str, name: str = name) -> object:
                    item = self.commits[number].tree.get(name)
                    return getattr(item, field) if item else None

                chosen = []
                for field in Item._fields:
                    said = self._opinions(functools.partial(read, field=field), commit)
                    chosen.append(said[side % len(said)])
                    if field == 'state' and len(said) > 1:
                        disputed.add(name)
                having = [tree[name] for tree in trees if name in tree]
                if chosen[0] is not None:
                    # where one side dropped it, all is as on the other
                    found_tree[name] = (
                        having[0] if len(having) == 1 else (Item(*map(str, chosen)))
                    )
            found.append((found_tree, disputed))
        return found

    def edges(self, numbers: Iterable[int]) -> Edges:
        """The resets that commits made with a reason of their own."""
        found: Edges = set()
        for number in numbers:
            commit = self.commits[number]
            if RESET not in commit.reasons or not commit.parents:
                continue
            before = self.taken_over(commit)[0][0]
            for name, item in commit.tree.items():
                old = before.get(name)
                if old and item.state == 'Idea' != old.state:
                    found.add((name, old.state, 'Idea'))
        return found

    def is_refused(self, commit: Commit) -> bool:
        if not commit.parents:
            return False
        behind: set[int] = set()
        if len(commit.parents) == 2:
            one, other = map(self.before, commit.parents)
            behind = one ^ other
        edges = self.edges(behind)
        return any(
            self._is_bad_step(before, commit, disputed, edges)
            for before, disputed in self.taken_over(commit)
        )

    def _is_bad_step(
        self, before: Tree, commit: Commit, disputed: set[str], edges: Edges
    ) -> bool:
        for name in {*before, *commit.tree}:
            old, new = before.get(name), commit.tree.get(name)
            if new is None:
                assert old is not None
                if old.state in IN_WORK and DROP not in commit.reasons:
                    return True
                continue
            state = old.state if old else None
            own = {(a, b) for who, a, b in edges if who == name}
            legal = (
                state == new.state
                or new.state in NEXT[state]
                or (
                    state is not None
                    and new.state == 'Idea'
                    and RESET in commit.reasons
                )
            )
            if not legal and not (name in disputed and reaches(state, new.state, own)):
                return True
            if (
                old
                and old.spec != new.spec
                and old.state in FROZEN
                and (AMEND not in commit.reasons)
            ):
                return True
        return False

    def is_refused_step(self, first: int, last: int) -> bool:
        """The step of a ref from one commit to another."""
        old, new = self.commits[first].tree, self.commits[last].tree
        between = self.before(last) - self.before(first)
        edges = self.edges(between)
        for name, item in old.items():
            after = new.get(name)
            if after is None:
                if item.state in IN_WORK and not any(
                    self._drops(number, name) for number in between
                ):
                    return True
                continue
            own = {(a, b) for who, a, b in edges if who == name}
            if not reaches(item.state, after.state, own):
                return True
            if (
                item.state in FROZEN
                and item.spec != after.spec
                and (not self._is_amended(between, name))
            ):
                return True
        return False

    def _drops(self, number: int, name: str) -> bool:
        commit = self.commits[number]
        return (
            DROP in commit.reasons
            and name not in commit.tree
            and name in self.taken_over(commit)[0][0]
        )

    def _is_amended(self, between: set[int], name: str) -> bool:
        found = []
        for number in between:
            commit = self.commits[number]
            old = self.taken_over(commit)[0][0].get(name)
            new = commit.tree.get(name)
            if (old and old.spec) != (new and new.spec):
                found.append(
                    AMEND in commit.reasons
                    or (old is not None and old.state not in FROZEN)
                )
        return bool(found) and all(found)


class Team:
    """Makes a history of some branches, mostly honest."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.commits: list[Commit] = []
        self.branches: dict[str, int] = {}
        first = {
            name: Item(self.chance.choice(STATES[:4]), self.text(), name)
            for name in NAMES
        }
        self.renamed: set[str] = set()
        self.commit('main', (), first, frozenset(), 'first')

    def line(self) -> str:
        return f'{self.chance.getrandbits(64):016x}'

    def text(self) -> str:
        return '\n'.join(self.line() for _ in range(30))

    def edited(self, text: str) -> str:
        """A little: a file that moves is known by what stays."""
        lines = text.split('\n')
        lines[self.chance.randrange(len(lines))] = self.line()
        return '\n'.join(lines)

    def commit(
        self,
        branch: str,
        parents: tuple[int, ...],
        tree: Tree,
        reasons: frozenset[str],
        what: str,
    ) -> None:
        number = len(self.commits)
        self.commits.append(Commit(number, parents, tree, reasons, what))
        self.branches[branch] = number

    def reasons(self, *needed: str) -> frozenset[str]:
        return frozenset(each for each in needed if self.chance.random() < 0.8)

    def mutated(self, tree: Tree) -> tuple[Tree, frozenset[str], str]:
        name = self.chance.choice(NAMES)
        item = tree.get(name)
        if item is None:
            state = self.chance.choice(('Idea', 'Idea', 'Idea', 'Review'))
            new = Item(state, self.text(), name)
            return {**tree, name: new}, frozenset(), f'new {name}'
        kind = self.chance.choices(
            ('next', 'skip', 'reset', 'spec', 'drop', 'rename'), (10, 1, 2, 4, 1, 1)
        )[0]
        what = f'{kind} {name}'
        if kind == 'rename' and name not in self.renamed:
            # once: twice at the same time is a conflict of its own
            self.renamed.add(name)
            new = item._replace(name=f'{name}2')
            return {**tree, name: new}, frozenset(), what
        if kind == 'drop':
            left = {n: each for n, each in tree.items() if n != name}
            return left, self.reasons(DROP), what
        elif kind == 'spec':
            new = item._replace(spec=self.edited(item.spec))
            return {**tree, name: new}, self.reasons(AMEND), what
        elif kind == 'reset':
            new = item._replace(state='Idea')
            return {**tree, name: new}, self.reasons(RESET), what
        state = (
            sorted(NEXT[item.state])[0]
            if kind == 'next'
            else (self.chance.choice(STATES))
        )
        new = item._replace(state=state)
        return {**tree, name: new}, frozenset(), what

    def step(self) -> None:
        branch = self.chance.choice(list(self.branches))
        at = self.branches[branch]
        roll = self.chance.random()
        if roll < 0.2 and len(self.branches) < 4:
            self.branches[f'côté{len(self.commits)}'] = at
        elif roll < 0.45 and len(self.branches) > 1:
            self.merge(branch)
        elif roll < 0.5 and self.commits[at].parents:
            self.revert(branch, self.commits[at])
        elif roll < 0.55 and len(self.branches) > 1:
            self.squash(branch)
        elif roll < 0.6 and len(self.branches) > 1:
            self.rebase(branch)
        else:
            tree, reasons, what = self.mutated(self.commits[at].tree)
            self.commit(branch, (at,), tree, reasons, what)

    def other(self, branch: str) -> int:
        return self.branches[
            self.chance.choice([name for name in self.branches if name != branch])
        ]

    def revert(self, branch: str, last: Commit) -> None:
        tree = self.commits[last.parents[0]].tree
        self.commit(
            branch, (last.number,), tree, self.reasons(RESET, AMEND, DROP), 'revert'
        )

    def squash(self, branch: str) -> None:
        """The work of another branch as one commit."""
        at, other = self.branches[branch], self.other(branch)
        draft = Commit(-1, (at, other), {}, frozenset(), '')
        tree, _ = History(self.commits).taken_over(draft)[0]
        self.commit(branch, (at,), tree, self.reasons(AMEND), 'squash')

    def rebase(self, branch: str) -> None:
        """The commits of a branch, made again on another one."""
        at, onto = self.branches[branch], self.other(branch)
        history = History(self.commits)
        new = sorted(history.before(at) - history.before(onto))
        self.branches[branch] = onto
        for number in new[-3:]:
            old = self.commits[number]
            if len(old.parents) != 1:
                continue
            before = self.commits[old.parents[0]].tree
            last = self.branches[branch]
            tree = dict(self.commits[last].tree)
            for name in {*before, *old.tree}:
                if before.get(name) != old.tree.get(name):
                    tree.pop(name, None)
                    if name in old.tree:
                        tree[name] = old.tree[name]
            self.commit(branch, (last,), tree, old.reasons, f're-{old.what}')

    def merge(self, branch: str) -> None:
        at, other = self.branches[branch], self.other(branch)
        history = History(self.commits)
        if other in history.before(at) or at in history.before(other):
            return
        draft = Commit(-1, (at, other), {}, frozenset(), '')
        choices = [tree for tree, _ in history.taken_over(draft)]
        tree = self.chance.choice(choices)
        reasons, what = frozenset[str](), 'merge'
        roll = self.chance.random()
        if roll < 0.1:
            tree, what = self.commits[at].tree, 'merge ours'
        elif roll < 0.2:
            tree, what = self.commits[other].tree, 'merge theirs'
        elif roll < 0.4:
            tree, reasons, what = self.mutated(tree)
            what = f'merge and {what}'
        self.commit(branch, (at, other), tree, reasons, what)


def team(seed: int, size: int = 12) -> Team:
    made = Team(seed)
    while len(made.commits) < size:
        made.step()
    return made
