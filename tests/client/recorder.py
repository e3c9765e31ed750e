"""A hook that writes down how it was called, and answers as it was told.

It is copied beside the file of its answers and run as a launcher is.
"""

from __future__ import annotations

import json
import os
import sys


def main() -> None:
    here = os.path.dirname(os.path.abspath(__file__))
    event = json.load(sys.stdin)
    row = {
        'argument': sys.argv[-1],
        'event': event,
        'cwd': os.getcwd(),
        'session': os.environ.get('CLAUDE_CODE_SESSION_ID'),
    }
    # hooks run side by side: one write each, at the end of the file
    with open(os.path.join(here, 'calls.jsonl'), 'ab', buffering=0) as file:
        file.write(json.dumps(row).encode() + b'\n')
    with open(os.path.join(here, 'answers.json'), encoding='UTF-8') as told:
        answers = json.load(told)
    name = event['hook_event_name']
    answer = answers.get(f'{name} {event.get("tool_name", "")}'.rstrip())
    if answer is not None:
        said = {'hookSpecificOutput': {'hookEventName': name, **answer}}
        sys.stdout.write(json.dumps(said))


if __name__ == '__main__':
    main()
