"""An answer of the model as the API sends it, whole or as a stream."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tests.client.script import Step

PATH = '/messages'
Block = dict[str, Any]
Event = tuple[str, dict[str, Any]]


def blocks(step: Step) -> list[Block]:
    said = [{'type': 'text', 'text': step.text}]
    return [
        *(said if step.text or not step.calls else ()),
        *(
            {
                'type': 'tool_use',
                'id': call.id,
                'name': call.tool,
                'input': dict(call.input),
            }
            for call in step.calls
        ),
    ]


def message(step: Step, number: int, model: str) -> dict[str, Any]:
    return {
        'id': f'msg_{number}',
        'type': 'message',
        'role': 'assistant',
        'model': model,
        'content': blocks(step),
        'stop_reason': 'tool_use' if step.calls else 'end_turn',
        'stop_sequence': None,
        'usage': {
            'input_tokens': step.tokens,
            'output_tokens': 10,
            'cache_creation_input_tokens': 0,
            'cache_read_input_tokens': 0,
        },
    }


def _block_events(index: int, block: Block) -> Iterator[Event]:
    if block['type'] == 'text':
        empty: dict[str, Any] = {'text': ''}
        delta = {'type': 'text_delta', 'text': block['text']}
    else:
        empty = {'input': {}}
        text = json.dumps(block['input'])
        delta = {'type': 'input_json_delta', 'partial_json': text}
    start = {'index': index, 'content_block': {**block, **empty}}
    yield 'content_block_start', start
    yield 'content_block_delta', {'index': index, 'delta': delta}
    yield 'content_block_stop', {'index': index}


def _events(whole: dict[str, Any]) -> Iterator[Event]:
    begun = {**whole, 'content': [], 'stop_reason': None}
    yield 'message_start', {'message': begun}
    for index, block in enumerate(whole['content']):
        yield from _block_events(index, block)
    end = {'stop_reason': whole['stop_reason'], 'stop_sequence': None}
    yield 'message_delta', {'delta': end, 'usage': whole['usage']}
    yield 'message_stop', {}


def normal(body: dict[str, Any]) -> dict[str, Any]:
    return body


def answer(whole: dict[str, Any], body: dict[str, Any]) -> tuple[str, bytes]:
    if not body['stream']:
        return 'application/json', json.dumps(whole).encode()
    lines = [
        f'event: {name}\ndata: {json.dumps({"type": name, **data})}\n\n'
        for name, data in _events(whole)
    ]
    return 'text/event-stream', ''.join(lines).encode()
