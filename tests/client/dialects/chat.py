"""Chat completions, as OpenCode, Copilot and Qwen ask for them."""

from __future__ import annotations

import json
from typing import Any

from tests.client.dialects.normal import Body, data_lines, heard, said, spoken, used

PATH = '/chat/completions'


def _call(call: Body) -> Body:
    # a tool with fields, or one that takes a text
    made = call[call['type']]
    return used(call['id'], made['name'], made.get('arguments', made.get('input')))


def _message(message: Body) -> Body:
    content = message.get('content') or ''
    if message['role'] == 'tool':
        return heard(message['tool_call_id'], content)
    calls = [_call(call) for call in message.get('tool_calls') or ()]
    return {'role': message['role'], 'content': [*said(content), *calls]}


def normal(body: Body) -> Body:
    """The request as the model of a script reads it."""
    messages = [_message(each) for each in body['messages']]
    return {**body, 'messages': messages}


def _calls(whole: Body) -> list[Body]:
    return [
        {
            'index': index,
            'id': block['id'],
            'type': 'function',
            'function': {
                'name': block['name'],
                'arguments': json.dumps(block['input']),
            },
        }
        for index, block in enumerate(whole['content'])
        if block['type'] == 'tool_use'
    ]


def answer(whole: Body, body: Body) -> tuple[str, bytes]:
    delta: Body = {'role': 'assistant', 'content': spoken(whole)}
    calls = _calls(whole)
    if calls:
        delta['tool_calls'] = calls
    tokens = whole['usage']['input_tokens']
    usage = {'prompt_tokens': tokens, 'completion_tokens': 10}
    usage['total_tokens'] = sum(usage.values())
    reason = 'tool_calls' if calls else 'stop'
    base: dict[str, Any] = {'id': whole['id'], 'created': 1, 'model': whole['model']}
    if not body.get('stream'):
        choice = {'index': 0, 'message': delta, 'finish_reason': reason}
        value = {**base, 'object': 'chat.completion', 'choices': [choice]}
        return 'application/json', json.dumps({**value, 'usage': usage}).encode()
    base['object'] = 'chat.completion.chunk'
    first = {'index': 0, 'delta': delta, 'finish_reason': None}
    last = {'index': 0, 'delta': {}, 'finish_reason': reason}
    chunks = [{**base, 'choices': [each]} for each in (first, last)]
    chunks.append({**base, 'choices': [], 'usage': usage})
    return data_lines([*map(json.dumps, chunks), '[DONE]'])
