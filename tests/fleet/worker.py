"""A process of its own that asks an engine: one line in, one line out."""

from __future__ import annotations

import json
import sys

from tests.fleet.engines import asked, build


def main() -> None:
    engine = build(json.loads(sys.argv[1]))
    sys.stdout.write('{"ready": true}\n')
    sys.stdout.flush()
    for line in sys.stdin:
        sys.stdout.write(json.dumps(asked(engine, **json.loads(line))) + '\n')
        sys.stdout.flush()


if __name__ == '__main__':
    main()
