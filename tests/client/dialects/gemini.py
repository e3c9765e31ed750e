"""The Gemini API."""

from __future__ import annotations

import json
from typing import Any

from tests.client.dialects.normal import Body, data_lines, flat

PATH = 'enerateContent'


def _block(part: Body) -> Body:
    if 'functionCall' in part:
        call = part['functionCall']
        named = {'id': call.get('id', ''), 'name': call['name']}
        return {'type': 'tool_use', **named, 'input': call.get('args', {})}
    elif 'functionResponse' in part:
        found = part['functionResponse']
        text = flat(list(found['response'].values()))
        return {'type': 'tool_result', 'tool_use_id': found.get('id'), 'content': text}
    return {'type': 'text', 'text': part.get('text', '')}


def _texts(content: Any) -> list[Body]:
    return [_block(part) for part in (content or {}).get('parts', ())]


def normal(body: Body) -> Body:
    return {
        'model': 'gemini',
        'tools': body.get('tools'),
        'system': _texts(body.get('systemInstruction')),
        'messages': [
            {
                'role': 'assistant' if each.get('role') == 'model' else 'user',
                'content': _texts(each),
            }
            for each in body['contents']
        ],
    }


def _part(block: Body) -> Body:
    if block['type'] == 'text':
        return {'text': block['text']}
    call = {'id': block['id'], 'name': block['name'], 'args': block['input']}
    return {'functionCall': call}


def answer(whole: Body, body: Body) -> tuple[str, bytes]:
    parts = [_part(block) for block in whole['content']]
    tokens = whole['usage']['input_tokens']
    usage = {'promptTokenCount': tokens, 'candidatesTokenCount': 10}
    usage['totalTokenCount'] = sum(usage.values())
    content = {'role': 'model', 'parts': parts}
    candidate = {'content': content, 'finishReason': 'STOP', 'index': 0}
    value = {
        'candidates': [candidate],
        'usageMetadata': usage,
        'responseId': whole['id'],
    }
    text = json.dumps({**value, 'modelVersion': 'gemini'})
    if body['stream']:
        return data_lines([text])
    return 'application/json', text.encode()
