"""How long an event may take, in seconds."""

from __future__ import annotations

# what the client is told to wait; the name '' stands for all others
TIMEOUTS = {'SessionEnd': 2, '': 20}
# after which we answer ourselves: what the client gives up on has passed
PATIENCE = {'SessionEnd': 1.0, '': 15.0}
