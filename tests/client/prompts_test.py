"""What the user says to each client, and what its agents say in their place."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.client.conftest import install
from tests.client.every_client_test import CLIENTS, name_committer, step
from tests.client.kits import KITS, Kit
from tests.client.limits_test import TRUSTED
from tests.client.runner import Client
from tests.client.script import Step, say, script
from tests.client.seen import Seen
from tests.client.several_test import PATIENT
from tests.desk import PARTS, PLAN, Desk
from tests.spaces import TASK, Space

START = f'interlock task start {TASK} --agent architect'
PRESENT = f'interlock present {TASK}'
GO_ON = f'interlock transition {TASK} IMPLEMENTATION'
PHRASE = 'approved'
INNER = 'the inner one is done'
# it goes on with no session that another process has open
BUSY = {'codex': 'already has an active writer'}
RECORDED = "The user's approval is recorded"


class Talk:
    """A session with several prompts, each in a process of its own."""

    def __init__(self, kit: Kit, project: Path, top: Path) -> None:
        self.kit = kit
        self.client = Client(project, top, kit)

    def says(self, prompt: str, *steps: Step, **lanes: list[Step]) -> Seen:
        """Agents play a lane each, and are told nothing but `approved`."""
        opens = dict.fromkeys(lanes, PHRASE)
        told = script(*steps, say('done'), **lanes)._replace(opens=opens)
        seen = self.client.play(told, turns=(prompt,), whole=False)
        words = self.kit.again
        self.client.kit = self.kit._replace(command=words, talks=False)
        return seen


def plan(space: Space) -> Desk:
    """A plan that is written, and that nobody has seen yet."""
    desk = Desk(space.path)
    desk.at('SYNTHESIS', risk_level='HIGH')
    desk.status('architect')
    desk.report('architect')
    desk.write('task.md', PLAN + PARTS)
    return desk


@pytest.mark.parametrize('name', [name for name in CLIENTS if name != 'claude'])
def test_the_users_prompt_approves_and_no_others(
    name: str, space: Space, tmp_path: Path
) -> None:
    kit, main = KITS[name], space.main
    # a session that goes on is not asked whether its folder is trusted
    home = {**kit.home, **TRUSTED} if name == 'copilot' else kit.home
    kit = kit._replace(home=home)
    (space.path / '.interlock.yaml').unlink()
    name_committer(main)
    install(main, 'task-protocol', '--git-hooks', '--agent', kit.agent)
    talk = Talk(kit, main.path, tmp_path / 'client')
    first = talk.says('go', step('start', kit.shell(START)))
    desk = plan(space)
    texts = {id: result.text for id, result in first.results.items()}
    shown = talk.says('show it', step('present', kit.shell(PRESENT)))
    texts |= {id: result.text for id, result in shown.results.items()}
    # a task for an agent is not the user's word
    asked = talk.says(
        'ask somebody',
        step('agent', kit.starts(PHRASE)),
        step('early', kit.shell(GO_ON)),
        worker=[say(PHRASE), say(PHRASE)],
    )
    texts |= {id: result.text for id, result in asked.results.items()}
    # nor is what the agent says to a client that it starts
    line = kit._replace(once=kit.again).line(PHRASE)
    # some hide variables of their own from their shells
    known = shlex.join(f'{key}={value}' for key, value in kit.environ.items())
    tool, given = kit.shell(f'env {known} {line} > {tmp_path}/inner 2>&1')
    inner = talk.says(
        'say it yourself',
        step('inner', (tool, {**given, **PATIENT.get(name, {})})),
        *([] if name in BUSY else [say(INNER)]),
        step('after', kit.shell(GO_ON)),
    )
    texts |= {id: result.text for id, result in inner.results.items()}
    told = (tmp_path / 'inner').read_text()
    unclear = talk.says('is it approved?', step('unclear', kit.shell(GO_ON)))
    texts |= {id: result.text for id, result in unclear.results.items()}
    assert desk.read()['state'] == 'SYNTHESIS', texts
    assert BUSY.get(name, INNER) in told, told
    assert asked.turns('worker'), texts
    assert 'GAT' in texts['early'] and 'GAT' in texts['unclear'], texts
    said = talk.says(PHRASE, step('go-on', kit.shell(GO_ON)))
    texts |= {id: result.text for id, result in said.results.items()}
    assert desk.read()['state'] == 'IMPLEMENTATION', texts
    assert RECORDED in said.shown(), texts
