"""What a run of the client has left behind."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from tests.client.model import TURN, texts
from tests.client.script import MAIN


class Outcome(NamedTuple):
    """How a run has ended."""

    code: int
    # it was killed, because it took too long
    killed: bool
    # lane -> the steps that were not played
    left: dict[str, int]
    # the lanes of the turns for which nothing was scripted
    over: list[str]


class ToolResult(NamedTuple):
    """As the model was shown it."""

    refused: bool
    text: str


class Request(NamedTuple):
    kind: str
    lane: str
    over: bool
    body: dict[str, Any]

    @property
    def text(self) -> str:
        """All that the model reads, besides the tools' descriptions."""
        body = self.body
        return '\n'.join(texts([body.get('system'), body.get('messages')]))


def _lines(file: Path) -> list[dict[str, Any]]:
    if not file.exists():
        return []
    lines = file.read_text(encoding='UTF-8').splitlines()
    return [json.loads(line) for line in lines if line.startswith('{"')]


def _text(file: Path) -> str:
    return file.read_text('UTF-8', 'replace') if file.exists() else ''


class Seen:
    def __init__(self, out: Path) -> None:
        self.requests = [Request(**row) for row in _lines(out / 'requests.jsonl')]
        self.stream = _lines(out / 'stream.jsonl')
        self.stderr = _text(out / 'stderr')
        self.debug = _text(out / 'debug.log')
        self.outcome = Outcome(
            over=[row.lane for row in self.requests if row.over],
            **json.loads((out / 'outcome.json').read_text()),
        )

    def turns(self, lane: str = MAIN) -> list[Request]:
        return [
            request
            for request in self.requests
            if request.kind == TURN and request.lane == lane
        ]

    def shown(self, lane: str = MAIN) -> str:
        """Everything that the model was shown in a lane."""
        return '\n'.join(request.text for request in self.turns(lane))

    def last(self, lane: str = MAIN) -> str:
        """What stood in its last request."""
        return self.turns(lane)[-1].text

    @property
    def results(self) -> dict[str, ToolResult]:
        """By the id of the tool use."""
        found = {}
        for request in self.requests:
            for message in request.body.get('messages', ()):
                for block in message['content']:
                    if isinstance(block, dict) and 'tool_use_id' in block:
                        found[block['tool_use_id']] = ToolResult(
                            bool(block.get('is_error')),
                            '\n'.join(texts(block.get('content'))),
                        )
        return found

    def refused(self, id: str, *words: str) -> bool:
        """Whether a tool was refused, and the model reads why."""
        result = self.results[id]
        assert result.refused, result.text
        assert all(word in result.text for word in words), result.text
        return True

    def done(self, id: str) -> bool:
        """Whether a tool was let through, and did its work."""
        result = self.results[id]
        assert not result.refused, result.text
        return True

    @property
    def init(self) -> dict[str, Any]:
        """What the client says of itself: tools, plugins, version."""
        return self.events('init')[0]

    def events(self, subtype: str) -> list[dict[str, Any]]:
        """Lines of the stream, such as `hook_response`."""
        return [row for row in self.stream if row.get('subtype') == subtype]

    def hooks(self, event: str) -> list[str]:
        """What each hook of an event has printed."""
        return [
            row['stdout']
            for row in self.events('hook_response')
            if row['hook_event'] == event
        ]

    @property
    def said(self) -> list[str]:
        """The last words of each turn, as the user reads them."""
        return [
            row.get('result', '') for row in self.stream if row.get('type') == 'result'
        ]
