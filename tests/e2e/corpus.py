"""Changes that nobody thought of: mutations of a project, by their number."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import NamedTuple

from tests import samples

Files = dict[str, str | bytes | None]
STATUSES = {
    'Alpha': 'Ideated',
    'Bravo': 'Stage 2',
    'Charlie': 'Installed',
    'Délta': 'Stage 5',
    'Echo': 'Working',
}
WORDS = (
    'Ideated',
    'Stage 0',
    'Stage 1',
    'Stage 2',
    'Stage 3',
    'Stage 3.1',
    'Stage 4',
    'Stage 5',
    'Working',
    'Installed',
    'Improving',
    'Archived',
    'Idéé',
)
SUBJECTS = (
    'chore: x',
    'feat({item}): Stage {stage}',
    'feat: {item} Stage {stage}',
    'docs({item}): fautes',
    'feat({item}): vers stage {stage}',
    'feat({item}): {status}',
    'Merge',
    '{item}: é',
    'feat({item}): Stage {stage}\n\nContract-Amendment: décidé\n',
    'feat({item}): x\n\nReset-Reason: von vorn\n',
)


class Mutant(NamedTuple):
    files: Files
    message: str


class Draft:
    """A project that is changed piece by piece."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.entries = dict(STATUSES)
        self.rows: dict[str, str] = {}
        self.files: Files = {}
        self.item = chance.choice(list(STATUSES))
        self.status = chance.choice(WORDS)
        self.stage = chance.choice('0123456')

    def registry(self) -> None:
        self.entries[self.item] = self.status

    def row(self) -> None:
        self.rows[self.item] = self.chance.choice(WORDS)

    def handoff(self) -> None:
        stage = self.chance.choice((self.stage, self.status[-1:], '3'))
        phase = self.chance.choice(('null', 'null', f'{stage}.1', '3.2'))
        self.files[samples.handoff_path(self.item)] = samples.handoff(
            self.item,
            stage,
            phase,
            self.chance.choice(('complete', 'in_progress', 'fertig')),
            self.chance.choice((None, {}, {'plan': 'sha256:pending'})),
        )

    def no_handoff(self) -> None:
        if self.item in {'Bravo', 'Délta'}:
            self.files[samples.handoff_path(self.item)] = None

    def contract(self) -> None:
        name = self.chance.choice(list(samples.CONTRACTS.values()))
        path = f'plugins/{self.item}/.ideas/{name}'
        text = self.chance.choice(('Autre.\n', 'Autre.\r\n', '\ufeffAutre.\n'))
        self.files[path] = text

    def no_contract(self) -> None:
        name = self.chance.choice(list(samples.CONTRACTS.values()))
        if self.item in {'Bravo', 'Délta'}:
            self.files[f'plugins/{self.item}/.ideas/{name}'] = None

    def code(self) -> None:
        self.files[f'plugins/{self.item}/Source/Main.cpp'] = '// neu\n'

    def other(self) -> None:
        self.files['README.md'] = 'à lire\n'

    def workflow(self) -> None:
        code = self.chance.choice(('REG001', 'STG001', 'COM005'))
        self.files['.interlock.yaml'] = f'{samples.WORKFLOW}severity: {{{code}: off}}\n'


def mutant(number: int) -> Mutant:
    chance = random.Random(number)
    draft = Draft(chance)
    steps: list[Callable[[], None]] = [
        draft.registry,
        draft.row,
        draft.handoff,
        draft.no_handoff,
        draft.contract,
        draft.no_contract,
        draft.code,
        draft.other,
        draft.workflow,
    ]
    weights = (8, 4, 8, 1, 3, 1, 6, 1, 1)
    for step in chance.choices(steps, weights, k=chance.randint(1, 4)):
        step()
    registry = samples.registry(draft.entries, draft.rows)
    message = chance.choice(SUBJECTS).format(
        item=draft.item, stage=draft.stage, status=draft.status
    )
    return Mutant({'PLUGINS.md': registry, **draft.files}, message)
