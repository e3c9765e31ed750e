"""What the guard refuses is what a commit of that file would be refused for.

The guard is milder in one way alone: what a second edit can make good is left
to the commit.
"""

from __future__ import annotations

import json

import pytest

from interlock.guard.context import Context
from interlock.guard.event import Event
from interlock.guard.guards.file_writes import handle
from interlock.guard.guards.records import SEALS, STEPS
from tests import samples
from tests.conftest import Interlock, Repo
from tests.e2e.corpus import STATUSES, mutant

MUTANTS = 160
FREE = samples.CONTRACTS['plan']


@pytest.fixture
def corpus_project(repo: Repo) -> Repo:
    repo.commit(
        {
            '.interlock.yaml': samples.WORKFLOW,
            'PLUGINS.md': samples.registry(STATUSES),
            **samples.item_files('Bravo'),
            **samples.item_files('Délta'),
            samples.handoff_path('Bravo'): samples.handoff('Bravo'),
            samples.handoff_path('Délta'): samples.handoff('Délta', '5'),
        }
    )
    return repo


def guarded(repo: Repo, path: str, content: bytes) -> str:
    event = Event(
        'PreToolUse',
        {
            'cwd': str(repo.path),
            'session_id': 's',
            'tool_name': 'Write',
            'tool_input': {
                'file_path': str(repo.path / path),
                'content': content.decode(),
            },
        },
        {},
    )
    decision = handle(Context(event))
    return decision.kind if decision else ''


def committed(interlock: Interlock, path: str) -> bool:
    """Whether the checks refuse it for what the guard judges too."""
    result = interlock('check', '--staged', '--format', 'json')
    return any(
        found['code'] in STEPS
        or (
            found['code'] in SEALS and found['path'] == path and not path.endswith(FREE)
        )
        for found in json.loads(result.out)['findings']
        if found['introduced'] and found['severity'] == 'error'
    )


@pytest.mark.parametrize(
    'numbers',
    [range(0, MUTANTS, 5), pytest.param(range(MUTANTS), marks=pytest.mark.slow)],
    ids=['some', 'all'],
)
def test_a_file_of_a_change(
    corpus_project: Repo, interlock: Interlock, numbers: range
) -> None:
    repo, judged, refused = corpus_project, 0, 0
    for number in numbers:
        for path, text in mutant(number).files.items():
            if text is None or path == '.interlock.yaml':
                # the user is asked about the workflow, whatever is in it
                continue
            data = text.encode() if isinstance(text, str) else text
            verdict = guarded(repo, path, data)
            repo.stage({path: data})
            wanted = committed(interlock, path)
            assert verdict == ('deny' if wanted else ''), (number, path)
            repo.git('reset', '-q', '--hard')
            repo.git('clean', '-qfd')
            judged, refused = judged + 1, refused + wanted
    assert judged > len(numbers)
    # both answers are among them
    assert judged / 7 < refused < judged * 6 / 7
