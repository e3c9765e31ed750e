"""The plugin whose handoff the operations move."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from interlock.documents import frontmatter, section_edit, yaml
from interlock.model.state import State
from interlock.operations.advance import advance
from interlock.operations.outcome import Outcome
from interlock.operations.progress_text import Words
from tests import samples
from tests.operations.places import DAY, REGISTRY, Place

ITEM = 'Grosse Caisse'
HANDOFF = samples.handoff_path(ITEM)
PLAN = f'plugins/{ITEM}/.ideas/plan.md'
PHASES = '# Plan\n\n' + ''.join(
    f'### Phase {phase}: Schicht {phase}\n\n'
    for phase in ('3.1', '3.2', '3.3', '4.1', '4.2', '4.3')
)


def kick(
    path: Path, status: str, handoff: str | None = None, plan: str = PHASES
) -> Place:
    place = Place(path)
    place.write(
        {
            REGISTRY: samples.registry({ITEM: status, 'Autre': 'Stage 2'}),
            **samples.item_files(ITEM),
            PLAN: plan,
        }
    )
    if handoff is not None:
        place.write({HANDOFF: handoff})
    return place


def sums(plan: str = PHASES) -> dict[str, str]:
    return {**samples.checksums(ITEM), 'plan': samples.checksum(plan)}


def handoff(
    stage: str,
    phase: str = 'null',
    status: str = 'complete',
    plan: str = PHASES,
    **fields: str,
) -> str:
    return samples.handoff(ITEM, stage, phase, status, sums(plan), **fields)


def move(
    place: Place, name: str, phase: int | None = None, amend: str = '', **words: Any
) -> Outcome:
    said = Words(**words, amend=amend, day=DAY)
    outcome = advance(place.at(ITEM), State(name, phase), place.snapshot, said)
    place.done(outcome)
    return outcome


def fields(place: Place, path: str = HANDOFF) -> Mapping[str, Any]:
    """The frontmatter: values as they are written, and mappings of them."""
    front = frontmatter.parse(place.text(path))
    assert front is not None
    return {
        key: node.text
        if isinstance(node, yaml.Scalar)
        else {name: yaml.value(value) for name, value in node.items.items()}
        if isinstance(node, yaml.Mapping)
        else None
        for key, node in front.fields.items.items()
    }


def section(place: Place, title: str) -> list[str]:
    return section_edit.body(place.text(HANDOFF), title)


def statuses(place: Place) -> list[str]:
    """What row and entry say."""
    at = place.at(ITEM)
    return [read.text for read in (at.row_status, at.entry_status) if read is not None]
