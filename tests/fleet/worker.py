"""A process of its own that asks an engine: one line in, one line out."""

from __future__ import annotations

import json
import sys
from typing import Any

from tests.fleet.engines import asked, build


def say(answer: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(answer) + '\n')
    sys.stdout.flush()


def main() -> None:
    engine = build(json.loads(sys.argv[1]))
    say({'ready': True})
    for line in sys.stdin:
        given = json.loads(line)
        call = given.pop('call')
        say(asked(engine, call, lambda version: say({'expected': version}), **given))


if __name__ == '__main__':
    main()
