"""What a hook does around a compaction, without its wiring.

python hook.py compacting|starting DIRECTORY TRANSCRIPT
"""

from __future__ import annotations

import os
import sys

from interlock.state import state_hooks

SESSION = '11111111-1111-4111-8111-111111111111'


def main() -> None:
    name, directory, transcript = sys.argv[1:]
    event = {
        'session_id': SESSION,
        'cwd': directory,
        'source': 'compact',
        'transcript_path': transcript,
    }
    hook = {
        'compacting': state_hooks.on_pre_compact,
        'starting': state_hooks.on_session_start,
    }[name]
    sys.stdout.write(hook(event, os.environ))


if __name__ == '__main__':
    main()
