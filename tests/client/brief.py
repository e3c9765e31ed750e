"""A frozen contract, which an agent tries to change."""

from __future__ import annotations

from tests import samples
from tests.client.script import Step, read, say, write
from tests.client.seen import Seen
from tests.conftest import Repo

BRIEF = 'plugins/Bravo/.ideas/creative-brief.md'
FROZEN = 'CON006'


def is_whole(project: Repo) -> bool:
    text = (project.path / BRIEF).read_text()
    return text == samples.contract('Bravo', 'creative_brief')


def attempt(project: Repo) -> tuple[Step, ...]:
    brief = project.path / BRIEF
    return read('read', brief), write('write', brief, 'autre\n'), say('done')


def holds(seen: Seen, project: Repo) -> bool:
    """Whether the attempt was refused, and the model knows why."""
    return seen.refused('write', FROZEN) and is_whole(project)
