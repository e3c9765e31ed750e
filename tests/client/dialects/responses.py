"""The Responses API, as Codex asks for it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tests.client.dialects.normal import Body, heard, said, used

PATH = '/responses'
# tools that take a text instead of fields
CUSTOM = 'custom'


def _item(item: Body) -> Body | None:
    kind = item.get('type', 'message')
    if kind == 'message':
        role = 'system' if item['role'] == 'developer' else item['role']
        return {'role': role, 'content': said(item['content'])}
    elif kind in ('function_call', 'custom_tool_call'):
        given = item.get('arguments', item.get('input'))
        call = used(item['call_id'], item['name'], given)
        return {'role': 'assistant', 'content': [call]}
    elif kind.endswith('_output'):
        return heard(item['call_id'], item['output'])
    return None


def normal(body: Body) -> Body:
    messages = [_item(each) for each in body['input']]
    return {
        'model': body['model'],
        'tools': body.get('tools'),
        'system': body.get('instructions', ''),
        'messages': list(filter(None, messages)),
    }


def _items(whole: Body, custom: set[str]) -> Iterator[Body]:
    for index, block in enumerate(whole['content']):
        base: Body = {'id': f'{whole["id"]}_{index}', 'status': 'completed'}
        if block['type'] == 'text':
            text = {'type': 'output_text', 'text': block['text'], 'annotations': []}
            message = {'type': 'message', 'role': 'assistant', 'content': [text]}
            yield {**base, **message}
            continue
        space, _, name = block['name'].rpartition('.')
        call = {**base, 'call_id': block['id'], 'name': name}
        if space:
            call['namespace'] = space
        if name in custom:
            (given,) = block['input'].values()
            yield {**call, 'type': 'custom_tool_call', 'input': given}
        else:
            given = json.dumps(block['input'])
            yield {**call, 'type': 'function_call', 'arguments': given}


def _events(whole: Body, custom: set[str]) -> Iterator[Body]:
    response: dict[str, Any] = {'id': whole['id']}
    yield {'type': 'response.created', 'response': response}
    items = list(_items(whole, custom))
    for index, item in enumerate(items):
        for kind in ('added', 'done'):
            event = {'output_index': index, 'item': item}
            yield {'type': f'response.output_item.{kind}', **event}
    tokens = whole['usage']['input_tokens']
    usage = {'input_tokens': tokens, 'output_tokens': 10, 'total_tokens': tokens + 10}
    done = {**response, 'status': 'completed', 'output': items, 'usage': usage}
    yield {'type': 'response.completed', 'response': done}


def answer(whole: Body, body: Body) -> tuple[str, bytes]:
    tools = body.get('tools') or ()
    custom = {tool['name'] for tool in tools if tool['type'] == CUSTOM}
    lines = [
        f'event: {event["type"]}\ndata: {json.dumps(event)}\n\n'
        for event in _events(whole, custom)
    ]
    return 'text/event-stream', ''.join(lines).encode()
