from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# where `quick_re` finds patterns that another process compiled; it is set here
# so that a process without patterns need not import `quick_re`
pattern_source: Callable[[], dict[str, Any]] = dict
