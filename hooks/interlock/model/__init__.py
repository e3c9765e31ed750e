from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# where `quick_re` finds what another process compiled; here, so that a process
# which needs no pattern can say it without importing `quick_re`
pattern_source: Callable[[], dict[str, Any]] = dict
