"""What a session knows survives that its conversation is summed up."""

from __future__ import annotations

import json
import shlex

import pytest

from interlock.guard.decision import RECOVERY
from interlock.state.recovery_text import CLOSE, OPEN
from tests.client.model import SUMMARY
from tests.client.runner import Client
from tests.client.script import (
    HEAVY,
    Script,
    Step,
    bash,
    call,
    delegate,
    say,
    script,
    use,
    word,
)
from tests.client.seen import Seen
from tests.conftest import Repo

SKILL = '---\nname: baking\ndescription: how to bake\n---\n\nBake slowly.\n'
TODO, DECISION = 'knead the dough — très doux', 'no sugar, jamais'
DECIDED = json.dumps(
    {
        'decisions': {
            'technical': [],
            'binding': [
                {'decision': DECISION, 'rationale': 'taste', 'binding': 'ABSOLUTE'}
            ],
        }
    },
    ensure_ascii=False,
)
# the client offers no list of todos by default
TODOS = {'CLAUDE_CODE_ENABLE_TODO_TOOLS': '1'}
WORK = (
    use('skill', 'Skill', skill='baking'),
    use('todo', 'TaskCreate', subject=TODO, description='ten minutes'),
    bash('decide', f'interlock state update {shlex.quote(DECIDED)}'),
)


@pytest.fixture
def kitchen(plugins: Repo) -> Repo:
    plugins.commit({'.claude/skills/baking/SKILL.md': SKILL})
    return plugins


def recovery(text: str) -> str:
    """The one block in what the model reads."""
    assert text.count(OPEN) == text.count(CLOSE) == 1
    return text.partition(OPEN)[2].partition(CLOSE)[0]


def given_back(seen: Seen) -> None:
    for id in ('skill', 'todo', 'decide'):
        assert seen.done(id)
    text = recovery(seen.last())
    assert len(text) <= RECOVERY
    for known in ('**Skill:** "baking"', TODO, DECISION):
        assert known in text
    assert 'the model has summed up' in seen.last()
    # and the summary is asked to keep it
    (asked,) = (row for row in seen.requests if row.kind == SUMMARY)
    assert 'Keep: skill "baking"' in asked.text
    assert f'Keep: decision "{DECISION}"' in asked.text


def test_after_a_compaction_by_the_user(kitchen: Repo, client: Client) -> None:
    given_back(
        client.play(
            script(*WORK, say('one'), say('two')),
            turns=('go', '/compact', 'go on'),
            environ=TODOS,
        )
    )


def test_after_a_compaction_by_the_client(kitchen: Repo, client: Client) -> None:
    given_back(
        client.play(
            script(*WORK, say('one', tokens=HEAVY), say('two')),
            turns=('go', 'go on'),
            environ=TODOS,
        )
    )


def test_after_the_session_is_taken_up_again(kitchen: Repo, client: Client) -> None:
    first = client.play(script(*WORK, say('one')), environ=TODOS)
    assert OPEN not in first.shown()
    seen = client.play(script(say('two')), args=('--continue',))
    text = recovery(seen.last())
    assert '**Skill:** "baking"' in text
    assert TODO in text and DECISION in text
    assert seen.init['session_id'] == first.init['session_id']


def state(seen: Seen) -> tuple[object, object]:
    found = json.loads(seen.results['state'].text)['state']
    return found.get('compaction_count'), [
        each['name'] for each in found['skill_stack']
    ]


def test_the_compaction_of_a_subagent_is_its_own(kitchen: Repo, client: Client) -> None:
    heavy = call('heavy', 'Bash', command='echo un', description='it')
    show = bash('state', 'interlock state show --format json')
    seen = client.play(
        Script(
            {
                'main': (*WORK, delegate('agent', 'worker'), show, say('done')),
                'worker': (Step(calls=(heavy,), tokens=HEAVY), say('two')),
            },
            # the first message of the agent that goes on
            summary=f'{word("worker")} summed up',
        ),
        environ=TODOS,
    )
    assert 'summed up' in seen.last('worker')
    assert [row.kind for row in seen.requests].count(SUMMARY) == 1
    # the session was not compacted, and nothing of it was lost
    count, skills = state(seen)
    assert (count or 0, skills) == (0, ['baking'])
    assert OPEN not in seen.shown()
