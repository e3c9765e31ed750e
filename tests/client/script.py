"""What the model says in a scenario, turn by turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

MAIN = 'main'
# sets off a compaction, whatever the size of the model's window
HEAVY = 990_000


class Call(NamedTuple):
    """A use of a tool; its result is found by this id."""

    id: str
    tool: str
    input: Mapping[str, Any]


class Step(NamedTuple):
    """One turn of the model."""

    text: str = ''
    calls: Sequence[Call] = ()
    # the reported size of the conversation
    tokens: int = 100


class Script(NamedTuple):
    """The turns of the session and of each subagent, by lane."""

    lanes: Mapping[str, Sequence[Step]]
    summary: str = 'the model has summed up'
    # for a request without tools: a title, a prompt that is judged
    side: str = 'the model was asked in passing'
    # the reported size of such a request
    weight: int = 100
    # lanes whose first message cannot name them -> how it ends
    opens: Mapping[str, str] = {}

    @property
    def ids(self) -> list[str]:
        steps = [step for lane in self.lanes.values() for step in lane]
        return [call.id for step in steps for call in step.calls]


def script(*steps: Step, **lanes: Sequence[Step]) -> Script:
    made = Script({MAIN: steps, **lanes})
    assert len(set(made.ids)) == len(made.ids), 'an id is used twice'
    return made


def say(text: str, tokens: int = 100) -> Step:
    return Step(text, tokens=tokens)


def call(id: str, tool: str, **values: Any) -> Call:
    return Call(id, tool, values)


def use(id: str, tool: str, **values: Any) -> Step:
    return Step(calls=(call(id, tool, **values),))


def bash(id: str, command: str) -> Step:
    return use(id, 'Bash', command=command, description='run it')


def read(id: str, file: Path) -> Step:
    return use(id, 'Read', file_path=str(file))


def write(id: str, file: Path, content: str) -> Step:
    return use(id, 'Write', file_path=str(file), content=content)


def edit(id: str, file: Path, old: str, new: str, **how: Any) -> Step:
    return use(id, 'Edit', file_path=str(file), old_string=old, new_string=new, **how)


def word(lane: str) -> str:
    """What the first message of a subagent says about its lane."""
    return f'lane:{lane};'


def delegate(
    id: str, lane: str, prompt: str = '', agent: str = 'general-purpose'
) -> Step:
    """Starts a subagent that plays a lane, and waits for its end."""
    return use(
        id,
        'Agent',
        description='a part of it',
        prompt=f'{word(lane)} {prompt}',
        subagent_type=agent,
        run_in_background=False,
    )
