"""The life of a plugin as a history, from its idea to its installation."""

from __future__ import annotations

from collections.abc import Mapping

from tests import samples
from tests.conftest import Repo

ITEM = 'Délay'
Files = Mapping[str, str | bytes | None]


def state(status: str, stage: str = '') -> Files:
    """The records of the plugin; without a stage it has no handoff."""
    registry = samples.registry({ITEM: status})
    files: dict[str, str | bytes | None] = {'PLUGINS.md': registry}
    if stage:
        handoff = samples.handoff(ITEM, stage)
        files[samples.handoff_path(ITEM)] = handoff
    return files


def code(text: str) -> Files:
    return {f'plugins/{ITEM}/Source/Main.cpp': f'// {text}\n'}


LIFE: dict[str, tuple[str, Files]] = {
    'Ideated': (
        f'feat: {ITEM} imaginé',
        {'.interlock.yaml': samples.WORKFLOW, **state('Ideated')},
    ),
    'Stage 0': (
        f'feat({ITEM}): Stage 0 - recherche',
        {**samples.item_files(ITEM), **state('Stage 0', '0')},
    ),
    'Stage 1': (f'feat({ITEM}): Stage 1 - plan', state('Stage 1', '1')),
    'Stage 2': (
        f'feat({ITEM}): Stage 2 - coquille',
        {**state('Stage 2', '2'), **code('2')},
    ),
    'Stage 3': (
        f'feat({ITEM}): Stage 3 - moteur',
        {**state('Stage 3', '3'), **code('3')},
    ),
    'Stage 4': (
        f'feat({ITEM}): Stage 4 - interface',
        {**state('Stage 4', '4'), **code('4')},
    ),
    'Stage 5': (
        f'feat({ITEM}): Stage 5 - validation',
        {**state('Stage 5', '5'), f'plugins/{ITEM}/CHANGELOG.md': '# 1\n'},
    ),
    'Working': (
        f'feat({ITEM}): Working',
        {**state('Working'), samples.handoff_path(ITEM): None},
    ),
    'Installed': (f'feat({ITEM}): Installed', state('Installed')),
}


def live(repo: Repo, *without: str) -> dict[str, str]:
    """Makes the commits; the id of each by the state it leads to."""
    return {
        name: repo.commit(files, subject)
        for name, (subject, files) in LIFE.items()
        if name not in without
    }
